"""Turns for most points without a goal: published tables, and a slow twin for every option."""

import csv
import tomllib
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from solver.errors import InvalidRulesError
from solver.rules.file import load_rules
from solver.rules.ruleset import Ruleset
from solver.turn.dice import TurnState, after_set_aside, farkle_probability, set_asides
from solver.turn.endless import EndlessTurn, endless_turn
from tests.conftest import mostly_slow, variant
from tests.house_rules import ONE_BY_ONE, small
from tests.naive import PART, levels, memory, number_of, numbers, straight_parts
from tests.naive_points import most_points
from tests.usual import USUAL

REFERENCE = Path(__file__).parents[2] / "reference"
FIGURES = tomllib.loads((REFERENCE / "figures.toml").read_text())

SMALL = [(name, rules) for name, rules in ONE_BY_ONE if rules.dice < 6]
LARGE = [(name, rules) for name, rules in ONE_BY_ONE if rules.dice >= 6]
MORE = [
    ("keeps and loses", small(farkle_keeps_turn_total=True, lose_everything=("xx",))),
    ("wins", small(dice=4, instant_win=("xxx",), hot_dice="no_bank")),
    ("forced, bonus", small(dice=4, hot_dice="forced", hot_dice_bonus=(0, 300, 50))),
    ("nothing, no bank", small(hot_dice="no_bank", scoring={"nothing": 100})),
    ("nothing, bonus", small(hot_dice_bonus=(100, 0), scoring={"nothing": 50}, minimum_bank=200)),
    (
        "all of it",
        small(
            farkle_keeps_turn_total=True,
            hot_dice="no_bank",
            hot_dice_bonus=(100, 50),
            lose_everything=("22",),
            instant_win=("333",),
            opening_minimum=250,
        ),
    ),
]


every_option = pytest.mark.parametrize("rules", mostly_slow(SMALL + MORE))


def test_published_points_where_two_fives_may_count_as_a_one() -> None:
    """What the help of github.com/sharkdp/zehntausend says of its examples."""
    scoring = {
        "combination": [{"dice": "55", "points": 100, "uses": 1}],
        "more_of_a_kind": "doubling",
        "six_of_a_kind": 10000,
        "straight_1_6": 2000,
    }
    rules = Ruleset(name="x", goal=10000, hot_dice="no_bank", scoring=scoring)
    turn = endless_turn(rules)
    assert round(800 + turn.gain(TurnState(800, 4))) == 833
    found = {}
    for kept in set_asides(rules, (5, 5, 4, 2, 1)):
        after = after_set_aside(rules, TurnState(100, 5), kept)
        found[kept.dice] = after.turn_total + max(turn.gain(after), 0)
    assert max(found, key=lambda dice: found[dice]) == (1,)
    assert round(found[1,]) == 344


@pytest.mark.parametrize(("table", "cost"), [("T0", 0), ("T2", 500)])
def test_published_gains_of_rolling(table: str, cost: float) -> None:
    turn = endless_turn(load_rules("zilch"), cost)
    with (REFERENCE / f"zilch_expected_gain_{table}.csv").open() as file:
        rows = list(csv.DictReader(file))
    cells = 0
    for row in rows:
        total = int(row["turn_total"])
        for dice in range(1, 7):
            name = "gain_1_dice" if dice == 1 else f"gain_{dice}_dice"
            if row[name]:
                cells += 1
                gain = turn.gain(TurnState(total, dice))
                assert gain == pytest.approx(float(row[name]), abs=5.1e-4), (total, dice)
    assert cells > 300


def test_published_gains_of_rolling_under_classic_rules() -> None:
    turn = endless_turn(load_rules("classic"))
    for state, gain in FIGURES["classic"]["gain"].items():
        dice, total = map(int, state.split(","))
        assert turn.gain(TurnState(total, dice)) == pytest.approx(gain, abs=5.1e-4), state


def test_published_points_and_farkles() -> None:
    points = {
        name: FIGURES[name]["max_points_per_turn"] for name in ("classic", "patch", "kcd")
    } | {"zilch": FIGURES["zilch"]["turn_points_T0"]}
    for name, expected in points.items():
        digits = len(str(expected).partition(".")[2])
        assert round(endless_turn(load_rules(name)).points, digits) == expected
    zilch, classic = load_rules("zilch"), load_rules("classic")
    cautious = endless_turn(zilch, 500)
    assert round(cautious.points, 3) == FIGURES["zilch"]["turn_points_T2"]
    for turn, expected in (
        (endless_turn(zilch), FIGURES["zilch"]["farkle_probability_T0"]),
        (cautious, FIGURES["zilch"]["farkle_probability_T2"]),
        (endless_turn(classic), FIGURES["classic"]["max_points_farkle_probability"]),
    ):
        assert round(turn.farkle_probability, 6) == expected


def test_the_tail_is_solved_and_not_cut_off() -> None:
    big = FIGURES["zilch"]["big6"]
    for cost in (0, 500, 10_000):
        turn = endless_turn(load_rules("zilch"), cost)
        for total in (100_000, 10_000_000):
            assert round(turn.gain(TurnState(total, 6)), 3) == big
    six = endless_turn(load_rules("facebook")).bank_from()[0]
    assert six.turn_total == FIGURES["facebook"]["max_points_bank_threshold_6_dice"]


def twin_agrees(rules: Ruleset, turn: EndlessTurn, win: float | None = None) -> None:
    """At every turn total of the table, and as far again beyond it."""
    step = rules.point_step
    rows = turn.table.roll.shape[1]
    found = most_points(
        rules,
        turn.farkle_cost,
        turn.at_stake,
        on_board=turn.on_board,
        rows=2 * rows + 3000,
        win=win,
    )
    # beyond the table gains rise by the same from each turn total to the next
    compared = [*range(rows + 10), *range(rows + 10, 2 * rows, 11)]
    expected = found[compared, 1:].transpose(2, 1, 0) - np.array(compared) * step
    scale = max(1.0, float(np.max(np.abs(expected))))
    for hot, number in product(range(levels(rules)), numbers(rules)):
        dice, (throws, doubt, held) = (number - 1) % rules.dice + 1, memory(rules, number)
        if held == PART:
            parts = [one for one in straight_parts(rules) if len(one) + dice == rules.dice]
            if not parts:
                continue
            held = parts[0]
        if dice + len(held) > rules.dice:
            continue
        if rules.combine_throws and dice + len(held) < rules.dice:
            continue
        counted = throws if rules.throws else 0
        for total, rolled in zip(compared, expected[hot, number - 1], strict=True):
            begins = number == rules.dice and not hot
            if total == 0 and not begins and held == ():
                continue
            if number != number_of(rules, dice, total, doubt=doubt, throws=throws, held=held):
                continue
            state = TurnState(total * step, dice, hot, doubt, counted, held[::-1])
            gain = turn.gain(state)
            is_due = turn.table.must_bank(state)
            assert gain == -state.turn_total if is_due else abs(gain - rolled) < 1e-9 * scale


@pytest.mark.mostly_slow(6)
@every_option
def test_the_slow_twin_agrees(rules: Ruleset) -> None:
    on_board = not rules.has_opening
    for cost, at_stake in ((0.0, 0.0), (170.0, 300.0)):
        twin_agrees(rules, endless_turn(rules, cost, on_board=on_board, at_stake=at_stake))
    twin_agrees(rules, endless_turn(rules, on_board=on_board, win=700.0), win=700.0)


@pytest.mark.mostly_skipped(2)
@pytest.mark.slow
@pytest.mark.parametrize(
    "rules",
    [rules for _, rules in LARGE] + [load_rules(name) for name in USUAL],
    ids=[name for name, _ in LARGE] + USUAL,
)
def test_the_slow_twin_agrees_on_six_dice(rules: Ruleset) -> None:
    for cost in (0.0, 600.0):
        twin_agrees(rules, endless_turn(rules, cost, on_board=not rules.has_opening))


@pytest.mark.mostly_skipped(2)
@every_option
def test_chances_and_points_belong_together(rules: Ruleset) -> None:
    for cost in (0.0, 170.0):
        turn = endless_turn(rules, cost, at_stake=50.0, win=300.0)
        outcome = turn.outcome
        farkles, points = turn.counted_probability, outcome.banked + outcome.farkled
        total = points.sum() + outcome.wins + outcome.loses + outcome.out
        assert total == pytest.approx(1, abs=1e-12)
        if not turn.tail.rolls.any():
            mean = points @ np.arange(len(points)) * rules.point_step
            mean += 300 * outcome.wins - cost * farkles - 50 * outcome.loses
            assert mean == pytest.approx(turn.points, abs=1e-9)
        # points are convex in the cost, with the chance of a farkle that counts as their slope
        for other in (0.0, 20.0, 400.0):
            there = endless_turn(rules, other, at_stake=50.0, win=300.0).points
            assert there >= turn.points - farkles * (other - cost) - 1e-9


def test_a_turn_that_goes_on_is_told_of_nearly_whole() -> None:
    """Where a farkle keeps the turn total, all roll until they farkle: the mean of the points."""
    rules = small(farkle_keeps_turn_total=True)
    turn = endless_turn(rules)
    steps = np.arange(len(turn.outcome.farkled)) * rules.point_step
    assert turn.farkle_probability == pytest.approx(1, abs=1e-12)
    assert steps @ turn.outcome.farkled == pytest.approx(turn.points, rel=1e-3)


def test_one_die_by_hand() -> None:
    """A die of which a 1 counts 100 and nothing else: 1 in 6 to go on, hot dice each time."""
    one = small(dice=1, scoring={"single": (100, 0, 0, 0, 0, 0), "three_of_a_kind": 0})
    turn = endless_turn(one)
    assert turn.points == pytest.approx(100 / 6)  # banked at once: 1/6 * 200 is less than 100
    assert [(b.dice, b.turn_total) for b in turn.bank_from()] == [(1, 100)]
    must = variant("classic", dice=1, hot_dice="no_bank", scoring=one.scoring.model_dump())
    turn = endless_turn(must, 40)  # rolled until it farkles
    assert turn.points == pytest.approx(-40)
    assert turn.farkle_probability == pytest.approx(1)
    assert turn.bank_from()[0].turn_total is None
    # from t on: 1/6 to gain 100 and be at t + 100, 5/6 to lose t and 40
    gain = [turn.gain(TurnState(total, 1)) for total in (0, 300, 5000)]
    assert gain == pytest.approx([-40, -340, -5040])
    keeps = variant(
        "classic", dice=1, farkle_keeps_turn_total=True, scoring=one.scoring.model_dump()
    )
    assert endless_turn(keeps).points == pytest.approx(100 / 6 / (1 - 1 / 6))


def test_where_nothing_is_risked_there_is_no_limit() -> None:
    with pytest.raises(InvalidRulesError, match="roll on for ever without any risk"):
        endless_turn(variant("classic", scoring={"single": 50}))
    # two threes and what is left never score, so that a turn ends
    endless_turn(variant("classic", scoring={"single": (50, 50, 0, 50, 50, 50)}))


def test_a_turn_that_is_too_long_to_work_out_is_refused() -> None:
    """All dice but a six score a point: three of them farkle once in 216 times."""
    points = {"single": (1, 1, 1, 1, 1, 0), "three_of_a_kind": (10**6,) * 5 + (0,)}
    with pytest.raises(InvalidRulesError, match="too far to work out"):
        endless_turn(variant("classic", dice=3, scoring=points))


@pytest.mark.parametrize(("at_stake", "bank_from"), [(0, 19), (90, 10), (150, 5)])
def test_two_dice_pig_by_hand(at_stake: int, bank_from: int) -> None:
    """A 1 loses the turn, two 1s the score; of 25 pairs in 36 without a 1 the mean is 8.

    So a roll gains 200 / 36 and loses 11 / 36 of the turn total and 1 / 36 of the score.
    """
    pig = Ruleset.model_validate(
        {
            "name": "two-dice pig",
            "goal": 100,
            "dice": 2,
            "set_aside_all": True,
            "scoring": {
                "single": (0, 2, 3, 4, 5, 6),
                "three_of_a_kind": 0,
                "combination": [
                    {"dice": "1", "then": "loses_turn"},
                    {"dice": "11", "then": "loses_score"},
                ],
            },
        }
    )
    assert farkle_probability(pig, 2) == Fraction(10, 36)
    turn = endless_turn(pig, at_stake=float(at_stake))
    assert all(turn.gain(TurnState(total, 2)) > 0 for total in range(bank_from))
    for total in range(bank_from, 100):
        gain = turn.gain(TurnState(total, 2))
        assert gain == pytest.approx((200 - at_stake - 11 * total) / 36, abs=1e-12)
