"""The head start that makes a game fair: published for classic rules, and looked up one by one."""

import tomllib
from pathlib import Path

import numpy as np
import pytest

from solver.game.best import Strategy
from solver.game.standings import Standing, standing_index, value_shape
from solver.play.komi import komi
from solver.rules.ruleset import Ruleset
from tests import naive
from tests.house_rules import FINAL, THIRD, small

FIGURES = tomllib.loads((Path(__file__).parents[2] / "reference/figures.toml").read_text())


def test_published_komi(strategies: dict[str, Strategy]) -> None:
    found, classic = komi(strategies["classic"]), FIGURES["classic"]
    assert found.best.points == classic["komi"]
    assert round(found.best.win_probability, 6) == classic["komi_first_player_win"]
    assert found.without.points == 0
    assert round(found.without.win_probability, 6) == classic["first_player_win"]
    below, best, above = found.neighbours
    assert (below.points, best, above.points) == (150, found.best, 250)
    assert below.win_probability > best.win_probability > 0.5 > above.win_probability


@pytest.mark.parametrize(
    ("rules", "favoured"),
    [
        (small(), "first"),
        (small(dice=2, goal=200, **FINAL), "first"),
        (small(opening_minimum=200, farkle_penalty=THIRD, score_floor=-200, goal=250), "first"),
        (small(ending="equal_turns", ties="shared", goal=200), "second"),
    ],
    ids=["at once", "final turn", "opening and penalty", "equal turns"],
)
def test_of_all_head_starts_the_closest_to_even(rules: Ruleset, favoured: str) -> None:
    values = naive.value_iteration(rules)
    array = np.full(value_shape(rules), np.nan)
    for (began, own, other), value in values.items():
        places = (standing_index(rules, Standing(*one)) for one in (own, other))
        array[(int(not began), *places)] = value
    found = komi(Strategy(rules, array, "the twin"))

    fresh = not rules.has_opening
    expected = {0: values[True, (0, 0, fresh), (0, 0, fresh)]}
    for points in range(rules.point_step, rules.winning_score, rules.point_step):
        expected[points] = values[True, (0, 0, fresh), (points, 0, True)]
        expected[-points] = values[True, (points, 0, True), (0, 0, fresh)]
    assert {one.points: one.win_probability for one in found.head_starts} == expected
    assert found.without.win_probability == expected[0]
    least = min(abs(chance - 0.5) for chance in expected.values())
    assert abs(found.best.win_probability - 0.5) == least
    assert (expected[0] > 0.5) == (favoured == "first")
