"""Turns for most points, against published figures and by hand."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from solver.rules.file import load_rules
from solver.rules.ruleset import Ruleset
from solver.turn.dice import TurnState
from solver.turn.equations import turn_plan
from solver.turn.points import expected_points, points_outcome, points_table, turn_outcome
from tests import naive
from tests.conftest import variant
from tests.house_rules import ONE_BY_ONE, small

ZILCH = {
    # further points with a turn total and 6, 5 ... 1 dice to roll; None where it cannot occur
    # source: M. Busche, "Maximizing Expected Scores in the Game of Zilch", table 2
    3050: (478.323, 4.966, -317.386, -733.848, -1252.418, -1848.921),
    2000: (495.884, 86.136, -151.848, -441.655, -784.217, -1143.678),
    1050: (528.180, 160.085, -1.360, -176.263, -358.627, -499.941),
    500: (562.820, 227.838, 86.062, -22.143, -110.997, -122.863),
    350: (576.985, 251.428, None, None, -43.013, -18.370),
    300: (581.746, None, None, 34.134, -20.274, 16.539),
    250: (None, None, None, 48.243, 6.148, 51.455),
    200: (None, None, 149.232, 64.645, 40.331, None),
    100: (None, 306.667, 184.939, None, None, None),
    50: (None, 322.318, None, None, None, None),
    0: (623.017, None, None, None, None, None),
}


def far(preset: str, **changes: Any) -> Ruleset:
    """A preset whose goal is so far that no turn comes near it."""
    return variant(preset, **({"goal": 40_000, "opening_minimum": 0} | changes))


@pytest.mark.parametrize(("turn_total", "gains"), ZILCH.items())
def test_published_gains_of_rolling(turn_total: int, gains: tuple[float | None, ...]) -> None:
    rules = far("zilch")
    table = points_table(rules, turn_plan(rules), 0)
    for dice, gain in zip(range(6, 0, -1), gains, strict=True):
        if gain is not None:
            rolled = table.roll_value(TurnState(turn_total, dice)) * rules.winning_score
            assert rolled - turn_total == pytest.approx(gain, abs=0.0006)


@pytest.mark.parametrize(
    ("rules", "points"),
    [
        (far("zilch"), 623.017489),  # M. Busche
        (far("patch"), 542.063),  # E. Farmer, "Analysis of Farkle"
        (far("kcd"), 564.4376204),  # two public programs
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_published_points_of_a_turn(rules: Ruleset, points: float) -> None:
    assert expected_points(rules, 0, on_board=True) == pytest.approx(points, abs=0.0005)


def test_published_farkle_probability() -> None:
    outcome = points_outcome(far("zilch"), 0)
    assert outcome.farkled.sum() == pytest.approx(0.193326, abs=6e-7)


PRESETS = ["facebook", "zilch", "dice-10000", "farkle-games"]


@pytest.mark.mostly_slow(6)
@pytest.mark.parametrize(
    "rules",
    [rules for _, rules in ONE_BY_ONE] + [load_rules(name) for name in PRESETS],
    ids=[name for name, _ in ONE_BY_ONE] + PRESETS,
)
def test_the_chances_forwards_bring_the_points_backwards(rules: Ruleset) -> None:
    goal = rules.winning_score
    for score in {0, goal // 2 // rules.point_step * rules.point_step, goal - rules.point_step}:
        for on_board in {True, score > 0}:
            outcome = points_outcome(rules, score, on_board=on_board)
            steps = np.arange(len(outcome.banked)) * rules.point_step
            start = score, 0, on_board
            after = [naive.after_bank(rules, start, total)[0] for total in steps.tolist()]
            lost = [naive.goes_beyond(rules, score + total) for total in steps.tolist()]
            total = outcome.banked.sum() + outcome.farkled.sum() + outcome.wins + outcome.loses
            total += outcome.out
            assert total == pytest.approx(1, abs=1e-12)
            least = rules.least_bank_at(score, on_board=on_board)
            assert not outcome.banked[steps < least].any()
            assert not outcome.farkled[(steps < least) & (steps > 0)].any()
            mean = np.minimum(after, goal) @ outcome.banked + goal * outcome.wins
            mean += np.minimum(np.where(lost, score, score + steps), goal) @ outcome.farkled
            expected = expected_points(rules, score, on_board=on_board) + score
            assert mean == pytest.approx(expected, rel=1e-9)


def test_two_dice_by_hand() -> None:
    """Ones count 100, nothing else; after one of them a roll of the other die risks 100 for 100."""
    rules = small(dice=2, goal=300, scoring={"single": (100, 0, 0, 0, 0, 0)})
    outcome = points_outcome(rules, 0)
    # (1, 1) is hot dice: 11 of 36 rolls bring more, which pays 100 and costs 200; so bank
    assert outcome.banked[:4].tolist() == pytest.approx([0, 10 / 36, 1 / 36, 0])
    assert outcome.farkled.sum() == pytest.approx(25 / 36)
    table = points_table(rules, turn_plan(rules), 0)
    barred = np.where(np.arange(len(table.ends.banks)) == 2, np.nan, table.ends.bank)
    ends = table.ends._replace(banks=barred[:, np.newaxis])
    # who may not bank the 200 of (1, 1) rolls all dice again
    rolls = turn_outcome(rules, replace(table, ends=ends))
    assert rolls.banked[:5].tolist() == pytest.approx([0, 10 / 36, 0, 10 / 36**2, 1 / 36**2])
    assert rolls.farkled.sum() == pytest.approx(25 / 36 + 25 / 36**2)


def test_what_reaches_the_goal_is_banked() -> None:
    rules = load_rules("facebook")
    assert points_table(rules, turn_plan(rules), 9000).decision(TurnState(1000, 6)) == "win"
    assert points_table(rules, turn_plan(rules), 0).decision(TurnState(1000, 6)) == "roll"


def test_losing_everything_is_feared_more_with_more_to_lose() -> None:
    rules = variant("kcd", lose_everything=("66",), goal=40_000)
    without, with_points = (
        turn_outcome(rules, points_table(rules, turn_plan(rules), score)) for score in (0, 20_000)
    )
    assert with_points.loses < without.loses


def test_before_the_first_bank_the_opening_minimum_is_played_for() -> None:
    rules = load_rules("dice-10000")
    on, off = (points_outcome(rules, 0, on_board=on_board) for on_board in (True, False))
    assert not off.banked[: 1000 // 50].any()
    assert off.farkled.sum() > on.farkled.sum() + 0.2
