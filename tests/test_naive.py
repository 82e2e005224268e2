"""The slow twin against what can be worked out by hand.

In most of these games there is one die, of which only a one scores: 100 points.
"""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from solver.rules.ruleset import Ruleset
from tests import naive
from tests.conftest import mostly_slow
from tests.house_rules import (
    ONE_BY_ONE,
    can_be_played,
    house_rules,
    may_go_on_for_ever,
    small,
)

ONES: dict[str, Any] = {"single": (100, 0, 0, 0, 0, 0), "three_of_a_kind": 0}
PENALTY = {"in_a_row": 2, "points": 300}


def ones(dice: int = 1, goal: int = 100, **changes: Any) -> Ruleset:
    return small(dice=dice, goal=goal, scoring=ONES, **changes)


def ones_and_twos(**changes: Any) -> Ruleset:
    """A two scores as well, 200 points, and the goal of 200 has to be met exactly."""
    scoring = {"single": (100, 200, 0, 0, 0, 0), "three_of_a_kind": 0}
    exact: dict[str, Any] = {"goal": 200, "goal_must_be": "exact", "no_bank_at": ("100",)}
    return small(dice=1, scoring=scoring, **{**exact, **changes})


def value_of_start(rules: Ruleset) -> float:
    start = (0, 0, not rules.has_opening)
    return naive.value_iteration(rules)[True, start, start]


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        # V = p + (1 - p) (1 - V) where every turn wins with chance p or changes nothing
        (ones(), 6 / 11),
        (ones(instant_win=("6",)), 6 / 10),
        (ones(lose_everything=("6",)), 6 / 11),
        (ones(instant_win=("1",), lose_everything=("1",)), 6 / 11),
        (ones(goal=200, hot_dice_bonus=(100,)), 6 / 11),
        (ones(goal=400, minimum_bank=400, hot_dice_bonus=(0, 200)), 36 / 71),
        (ones(goal=200, opening_minimum=200), 36 / 71),
        # nobody may stay at 100, so that two ones in a row have to come
        (ones(goal=200, no_bank_at=("100",)), 36 / 71),
        (ones(goal=200, no_bank_at=("50-150",)), 36 / 71),
        (ones(goal=200, no_bank_at=("*00",)), 36 / 71),
        # one throw each: who is at 100 falls back to 0 when the other one comes there
        (ones(goal=200, caught_up="everything", throws=1), 96 / 187),
        # a two wins and so do two ones, but a one and a two are too much
        (ones_and_twos(), 36 / 65),
        (ones_and_twos(beyond_goal="no_bank"), 36 / 65),
        # a two is too much, and leaves nothing of it
        (ones_and_twos(goal=100, no_bank_at=()), 6 / 11),
        (ones_and_twos(goal=100, no_bank_at=(), beyond_goal="back"), 6 / 11),
        (ones_and_twos(goal=100, no_bank_at=(), beyond_goal="around"), 6 / 11),
        (ones(goal=200, opening_minimum=200, farkle_penalty=PENALTY, score_floor=0), 36 / 71),
        # hot dice must be rolled on, and only a farkle banks them; a six does not
        (ones(hot_dice="no_bank", farkle_keeps_turn_total=True), 6 / 11),
        (
            ones(hot_dice="no_bank", farkle_keeps_turn_total=True, lose_everything=("6",)),
            1 / (2 - 1 / 6 * 4 / 5),
        ),
        # a roll of nothing is never a farkle
        (small(dice=2, goal=100, scoring={**ONES, "nothing": 100}), 1),
        # the other player has one turn for two ones in a row
        (ones(ending="final_turn"), 215 / 396),
        (ones(ending="final_turn", ties="shared"), 71 / 132),
        (ones(ending="final_turn", ties="played_on"), 71 / 132),
        (ones(ending="equal_turns"), 35 / 66),
        (ones(ending="equal_turns", ties="shared"), 1 / 2),
        (ones(ending="equal_turns", ties="played_on"), 1 / 2),
    ],
    ids=str,
)
def test_values_by_hand(rules: Ruleset, expected: float) -> None:
    assert value_of_start(rules) == pytest.approx(expected, abs=1e-12)


def test_a_goal_that_must_be_exceeded() -> None:
    """A score of 100 is not enough, and one more is."""
    values = naive.value_iteration(ones(goal_must_be="exceeded"))
    both = (100, 0, True)
    assert values[True, both, both] == pytest.approx(6 / 11, abs=1e-12)


def test_a_play_off_by_hand() -> None:
    """X = (1 - c) / 6 + 4/6 (1 - s) with c = (1 - X) / 6 and s = 1/6 + 4/6 (1 - X)."""
    rules = ones(ending="final_turn", ties="played_on", lose_everything=("6",))
    assert naive.final_turns(rules, 40).play_off == pytest.approx(9 / 19, abs=1e-12)


def test_the_minimum_holds_in_a_final_turn_unless_it_does_not_bind_the_win() -> None:
    """One turn against a lead of 100 points from a minimum of 300: three ones or two."""
    for binds, number in ((True, 3), (False, 2)):
        rules = ones(goal=300, minimum_bank=300, minimum_binds_win=binds, ending="final_turn")
        chase = naive.chase(rules, 20, 0.0, on_board=True)
        assert chase[1] == pytest.approx(6.0**-number)


def test_what_a_farkle_does() -> None:
    rules = small(farkle_penalty=PENALTY, farkle_keeps_turn_total=True, minimum_bank=100)
    assert naive.after_farkle(rules, (200, 0, True), 50) == (200, 1, True)
    assert naive.after_farkle(rules, (200, 0, True), 150) == (350, 1, True)
    assert naive.after_farkle(rules, (200, 1, True), 150) == (50, 0, True)
    assert naive.after_farkle(rules, (-1350, 1, True), 50) == (-1500, 0, True)
    assert naive.after_farkle(rules, (300, 1, True), 100) == (400, 0, True)
    everything = small(farkle_penalty={"in_a_row": 1, "points": "everything"})
    assert naive.after_farkle(everything, (300, 0, True), 350) == (0, 0, True)
    assert naive.after_farkle(small(), (300, 0, True), 350) == (300, 0, True)
    assert naive.after_losing_everything((-100, 1, False)) == (-100, 0, False)


STRAIGHTS = {"single": 0, "straight_1_5": 100, "straight_2_6": 150}


@pytest.mark.parametrize(
    ("rules", "roll", "expected"),
    [
        (small(dice=4, set_aside_all=True), "1255", {"155": 200}),
        (
            small(dice=6, set_aside_all=True, scoring=STRAIGHTS),
            "123456",
            {"12345": 100, "23456": 150},
        ),
        (small(hot_dice="forced"), "155", {"155": 200}),
        (small(hot_dice="forced"), "125", {"1": 100, "5": 50, "15": 150}),
        (small(dice=2, scoring={"nothing": 70}), "24", {"24": 70}),
        (small(dice=3, scoring={"nothing": 70}), "24", {}),
        (small(dice=6, scoring={"three_pairs": 500}), "222244", {"222": 200}),
        (
            small(dice=6, scoring={"three_pairs": 500, "three_pairs_include": ("four_and_two",)}),
            "222244",
            {"222": 200, "222244": 500},
        ),
        (small(dice=6, scoring={"two_triplets": 2500}), "222333", None),
        (small(dice=5, scoring={"four_of_a_kind": 250}), "22222", {"222": 200, "2222": 250}),
        (
            small(dice=5, scoring={"four_of_a_kind": 250, "more_of_a_kind": "doubling"}),
            "22222",
            {"222": 200, "2222": 250, "22222": 800},
        ),
        (
            small(dice=6, scoring={"single": 0}),
            "333333",
            {"333": 300, "333333": 600},
        ),
    ],
    ids=str,
)
def test_set_asides_by_hand(rules: Ruleset, roll: str, expected: dict[str, int] | None) -> None:
    if expected is None:
        expected = {"222": 200, "333": 300, "222333": 2500}
    found = naive.set_asides(rules, tuple(map(int, roll)))
    assert {"".join(map(str, dice)): worth for dice, worth in found} == expected


def test_patterns() -> None:
    roll = (1, 3, 3, 5, 5, 5)
    patterns = ("1355", "xxx", "555", "33", "xxxx", "133355", "2")
    assert [naive.contains(roll, one) for one in patterns] == [True] * 4 + [False] * 3


@pytest.mark.mostly_slow(2)
@pytest.mark.parametrize("name", ["final_turn played_on", "final turn, bonus"])
def test_the_horizon_does_not_matter(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = dict(ONE_BY_ONE)[name]
    values = naive.value_iteration(rules)
    rows = naive.horizon(rules)
    monkeypatch.setattr(naive, "horizon", lambda _: 2 * rows)
    further = naive.value_iteration(rules)
    np.testing.assert_allclose(list(values.values()), list(further.values()), atol=1e-12)


@pytest.mark.slow
@settings(max_examples=25)
@given(house_rules())
def test_every_pair_of_standings_has_a_probability(rules: Ruleset) -> None:
    values = naive.value_iteration(rules)
    assert all(-1e-12 <= value <= 1 + 1e-12 for value in values.values())
    start = (0, 0, not rules.has_opening)
    assert (True, start, start) in values
    count = len(naive.standings(rules))
    assert len(values) == count**2 * (2 if rules.has_roles else 1)


def test_turns_that_may_go_on_for_ever() -> None:
    every = {"single": 50}
    assert may_go_on_for_ever(small(scoring=every))
    assert not may_go_on_for_ever(small(scoring=every, lose_everything=("xxx", "24")))
    # a roll of nothing goes on with all the dice, but a roll that scores does not
    assert not may_go_on_for_ever(small(scoring={"nothing": 50}))
    assert not can_be_played(ones(hot_dice="no_bank"))


def test_rules_under_which_no_roll_scores() -> None:
    only_fives: dict[str, Any] = {"dice": 1, "scoring": {"single": (0, 0, 0, 0, 50, 0)}}
    assert can_be_played(small(**only_fives))
    assert not can_be_played(small(**only_fives, instant_win=("5",)))


@pytest.mark.mostly_skipped(9)
@pytest.mark.mostly_slow(9)
@pytest.mark.parametrize("rules", mostly_slow(ONE_BY_ONE))
def test_the_rules_one_by_one_can_be_played(rules: Ruleset) -> None:
    # whoever was given points is on the board, where no opening stands in the way
    assert can_be_played(rules.model_copy(update={"opening_minimum": 0}) if rules.gives else rules)
