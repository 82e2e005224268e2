import random
import tomllib
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import Phase, given, reject, seed, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from solver.rules.file import load_rules, preset_names
from solver.rules.ruleset import Ruleset
from solver.turn.dice import (
    Roll,
    SetAside,
    TurnState,
    after_set_aside,
    all_points,
    dice_set,
    farkle_probability,
    make_roll,
    set_asides,
)
from solver.turn.equations import turn_plan
from solver.turn.memory import confirm_text
from tests import naive
from tests.conftest import variant
from tests.house_rules import house_rules, scorings, small, tables
from tests.usual import USUAL

FIGURES = tomllib.loads((Path(__file__).parents[2] / "reference" / "figures.toml").read_text())
some_rules = st.sampled_from([load_rules(name) for name in preset_names()])
some_roll = st.lists(st.integers(1, 6), min_size=1, max_size=6).map(make_roll)


def test_the_example_has_three_set_asides() -> None:
    assert set_asides(load_rules("facebook"), (6, 5, 3, 3, 3, 2)) == (
        SetAside((5, 3, 3, 3), 350),
        SetAside((3, 3, 3), 300),
        SetAside((5,), 50),
    )


@pytest.mark.parametrize(
    ("preset", "roll", "points"),
    [
        ("facebook", "111111", 4000),
        ("facebook", "442222", 400),  # not three pairs
        ("facebook", "553311", 750),
        ("facebook", "654321", 1500),
        ("facebook", "555511", 1200),
        ("classic", "111111", 2000),
        ("classic", "444444", 800),
        ("classic", "333355", 400),
        ("kcd", "111111", 8000),
        ("kcd", "543211", 600),
        ("kcd", "655432", 800),
        ("kcd", "654321", 1500),
    ],
)
def test_most_points_of_a_roll(preset: str, roll: str, points: int) -> None:
    assert set_asides(load_rules(preset), make_roll(map(int, roll)))[0].points == points


def test_two_fives_that_count_as_a_one_use_up_a_die() -> None:
    crossing = {"dice": "55", "points": 100, "uses": 1}
    rules = Ruleset(name="x", goal=1000, dice=5, scoring={"combination": [crossing]})
    assert set_asides(rules, (5, 5, 5, 5, 2)) == (
        SetAside((5, 5, 5, 5), 550),
        SetAside((5, 5, 5), 500),
        SetAside((5, 5), 200, freed=(5, 5)),  # two of them, and not three for 250
        SetAside((5,), 100, freed=(5,)),
    )


@pytest.mark.slow
def test_rolls_of_up_to_ten_dice_score_as_the_slow_twin_says() -> None:
    scoring = {
        "more_of_a_kind": "doubling",
        "three_pairs": 750,
        "straight_1_6": 1500,
        "combination": [
            {"dice": "aaaaaaa", "points": 10_000},
            {"dice": "aaabbbccc", "points": 4000},
            {"dice": "55", "points": 100, "uses": 1},
        ],
    }
    rules = Ruleset(name="x", goal=10_000, dice=10, scoring=scoring)
    chance = random.Random(7)
    drawn = [chance.choices(range(1, 7), k=number) for number in (7, 8, 8, 8, 9)]
    for dice in ([1] * 7, [2, 2, 2, 3, 3, 3, 5, 5, 5], *drawn):
        found = {(kept.dice[::-1], kept.points) for kept in set_asides(rules, make_roll(dice))}
        assert found == naive.set_asides(rules, tuple(sorted(dice)))
    assert set_asides(rules, make_roll([1] * 7))[0].points == 16_000  # doubled is dearer
    assert len(turn_plan(rules).farkle_chances) == 10


@given(some_rules | house_rules(), some_roll)
def test_set_asides_are_the_scoring_parts_of_the_roll(
    rules: Ruleset, roll: tuple[int, ...]
) -> None:
    roll = roll[: rules.dice]
    found = set_asides(rules, roll)
    for kept in found:
        assert not Counter(kept.dice) - Counter(roll)
    expected = naive.set_asides(rules, tuple(sorted(roll)))
    assert {(kept.dice[::-1], kept.points) for kept in found} == expected
    assert len(found) == len(expected)


@pytest.mark.slow
@pytest.mark.parametrize("dice", [3, *(pytest.param(n, marks=pytest.mark.slow) for n in (4, 5, 6))])
def test_any_combinations_score_as_the_twin_says(dice: int) -> None:
    """Random patterns beside the keys of old score as the twin says, in rolls of any size."""

    @seed(20261125)
    @settings(max_examples=50, database=None, phases=[Phase.generate])
    @given(scorings(dice), st.booleans(), st.randoms(use_true_random=False))
    def check(scoring: dict[str, Any], everything: bool, chance: random.Random) -> None:
        said = {"scoring": scoring, "set_aside_all": everything}
        try:
            rules = Ruleset.model_validate({"name": "some", "goal": 10**6, "dice": dice} | said)
        except ValidationError:  # nothing scores, or not in steps of the goal
            reject()
        for number in range(1, dice + 1):
            roll = make_roll(chance.choices(range(1, 7), k=number))
            for first in {False, number == dice}:
                legal = set_asides(rules, roll, first=first)
                found = {(kept.dice[::-1], kept.points) for kept in legal}
                assert found == naive.set_asides(rules, roll[::-1], first=first)

    check()


def test_farkle_probabilities_are_the_published_fractions() -> None:
    expected = [Fraction(text) for text in FIGURES["facebook"]["farkle_probability"]]
    rules = load_rules("facebook")
    assert [farkle_probability(rules, number) for number in range(1, 7)] == expected


@pytest.mark.parametrize(
    "rules",
    [*map(load_rules, USUAL), variant("kcd", dice=5)],
    ids=lambda rules: f"{rules.name}-{rules.dice}",
)
@pytest.mark.parametrize("all_options", [False, True])
def test_the_plan_holds_every_roll(rules: Ruleset, all_options: bool) -> None:
    plan = turn_plan(rules, all_options=all_options)
    prunes = rules.ending == "at_once" and not all_options
    assert plan.chances.sum(axis=1) + plan.farkle_chances == pytest.approx(1)
    assert np.all((plan.chances > 0).sum(axis=0) == 1)
    for number in range(1, rules.dice + 1):
        best: Counter[frozenset[int]] = Counter()
        for roll, ways in dice_set(rules).rolls(number):
            offsets: dict[object, int] = {}
            for kept in set_asides(rules, roll):
                left = number - len(kept.dice) or rules.dice
                offset = kept.points // rules.point_step * rules.dice + left - 1
                alike = left if prunes else offset
                offsets[alike] = max(offsets.get(alike, 0), offset)
            if offsets:
                best[frozenset(offsets.values())] += ways
        planned: Counter[frozenset[int]] = Counter()
        for index, members in enumerate(plan.lists()):
            ways = round(plan.chances[number - 1, index] * 6**number)
            planned[frozenset(int(plan.targets[member]) for member in members)] += ways
        assert +planned == best


def test_facebook_has_the_published_number_of_lists() -> None:
    plan = turn_plan(load_rules("facebook"))
    assert len(plan.starts) == 228
    assert [int(row.sum()) for row in plan.chances > 0] == [2, 5, 13, 30, 60, 118]


@pytest.mark.parametrize(
    ("roll", "points", "alone"),
    [
        ("6", None, 100),
        ("61", None, 200),
        ("611", 1000, 1000),
        ("661", 1000, 1000),
        ("66", None, 200),
        ("666", 600, 1000),  # one of them at least is a 6
        ("6665", 1000, 1050),
        ("64321", 500, 500),
        ("65432", 500, 500),
        ("62", None, None),
        ("622222", 1600, 1600),
        ("666666", 4800, 8000),
    ],
)
def test_a_joker_stands_for_any_face(roll: str, points: int | None, alone: int | None) -> None:
    for is_alone, worth in ((False, points), (True, alone)):
        scoring = {"more_of_a_kind": "doubling", "straight_1_5": 500, "jokers": ("6",)}
        scoring["joker_alone"] = is_alone
        rules = Ruleset(name="x", goal=4000, scoring=scoring)
        assert all_points(rules).get(tuple(map(int, roll))) == worth


def test_jokers_beside_other_options() -> None:
    tables_said = tables("33=x3,aab=sum,44=50,uses-1,roll-on")
    scoring = {"jokers": ("5", "6"), "combination": tables_said, "three_of_a_kind": 0}
    rules = small(scoring=scoring | {"single": (0, 0, 20, 0, 0, 0)})
    assert set_asides(rules, (6, 3, 2)) == (
        SetAside((6, 3), 120),  # three times what two 3s are worth
        SetAside((3,), 20),
        SetAside((6, 3, 2), 8),  # 3 3 2
    )
    assert set_asides(rules, (6, 4)) == (
        SetAside((4,), 50, to_confirm=True, freed=(6,)),
        SetAside((6,), 50, to_confirm=True, freed=(4,)),
    )


def test_dice_need_others_where_they_alone_had_to_be_confirmed() -> None:
    rules = small(dice=2, scoring={"combination": tables("5=150,roll-on,55=150,uses-1")})
    assert set_asides(rules, (5, 5)) == (
        SetAside((5, 5), 300, to_confirm=True),
        SetAside((5,), 150, freed=(5,)),
    )


def left_to_confirm(rules: Ruleset, dice: Roll, roll: Roll, before: int = 0) -> int:
    """What is left to be confirmed after some dice of a roll, of which none are hot before."""
    kept = next(one for one in set_asides(rules, make_roll(roll)) if one.dice == make_roll(dice))
    return after_set_aside(rules, TurnState(500, len(roll), 0, before), kept).to_confirm


def test_a_die_of_a_face_confirms_beside_a_combination_or_after_it() -> None:
    triples = [{"dice": "aaa", "points": 500, "then": "roll_on"}, {"dice": "66", "points": 50}]
    scoring = {"three_of_a_kind": 0, "combination": triples}
    rules = small(dice=5, scoring=scoring, confirm_faces=("1", "5"))
    assert left_to_confirm(rules, (5, 5, 5), (5, 5, 5, 3, 6))  # these do not prove themselves
    assert not left_to_confirm(rules, (5, 5, 5, 1), (5, 5, 5, 1, 6))
    assert not left_to_confirm(rules, (5, 5, 5, 5), (5, 5, 5, 5, 6))
    assert not left_to_confirm(rules, (1,), (1, 3), before=1)
    assert left_to_confirm(rules, (6, 6), (6, 6), before=1)  # also where all dice were set aside
    assert left_to_confirm(rules, (2, 2, 2), (2, 2, 2), before=1)
    assert not left_to_confirm(rules, (2, 2, 2, 1), (2, 2, 2, 1), before=1)
    told = confirm_text(rules, TurnState(500, 2, to_confirm=True))
    assert told == "a 1 or 5 has to confirm what was set aside"
    forced = rules.model_copy(update={"hot_dice": "no_bank"})
    assert left_to_confirm(forced, (1, 5), (1, 5))
    assert not left_to_confirm(forced, (1,), (1, 5), before=1)


def test_points_confirm_that_are_set_aside_after_a_combination() -> None:
    triples = [{"dice": "aaa", "points": 500, "then": "roll_on"}, {"dice": "66", "points": 50}]
    scoring = {"three_of_a_kind": 0, "combination": triples}
    rules = small(dice=5, scoring=scoring, confirm_points=200, hot_dice_bonus=(300,))
    assert left_to_confirm(rules, (2, 2, 2, 1), (2, 2, 2, 1, 6)) == 200
    assert left_to_confirm(rules, (1, 5), (1, 5), before=200) == 50  # the bonus does not count
    assert left_to_confirm(rules, (1, 5), (1, 5), before=50) == 0
    assert left_to_confirm(rules, (1, 1, 1, 1), (1, 1, 1, 1), before=50) == 200
    told = confirm_text(rules, TurnState(600, 5, to_confirm=50))
    assert told == "50 more points have to confirm what was set aside"
    either = rules.model_copy(update={"confirm_faces": ("1",)})
    assert left_to_confirm(either, (5, 5), (5, 5), before=200) == 100
    assert left_to_confirm(either, (5, 1), (5, 1), before=200) == 0
    assert left_to_confirm(either, (2, 2, 2, 1), (2, 2, 2, 1, 6)) == 0
