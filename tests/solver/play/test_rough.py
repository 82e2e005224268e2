"""The rough strategy of two players, against solved games."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from solver.game.best import Strategy
from solver.game.position import Position
from solver.game.standings import Standing, blocks, many
from solver.game.sweeps import solve
from solver.play import rough
from solver.play.rough import RoughValues, knots, rough_strategy, rough_turns
from solver.rules.file import load_rules
from tests.conftest import variant
from tests.house_rules import small

PENALTY = {"in_a_row": 3, "points": 100}


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"ending": "final_turn", "ties": "shared"},
        {"ending": "equal_turns"},
        {"opening_minimum": 200, "minimum_bank": 100},
        {"caught_up": 150},
    ],
)
def test_with_every_score_solved_it_is_the_solve(
    kernels: Path, monkeypatch: pytest.MonkeyPatch, changes: dict[str, Any]
) -> None:
    rules = small(**changes)
    monkeypatch.setattr(rough, "_EACH", 1000)
    found = rough._solved(rules)
    exact = solve(rules, cache=kernels).values
    for role in range(exact.shape[0]):
        for row, one in enumerate(_standings(rules)):
            for column, other in enumerate(_standings(rules)):
                if 0 in (one.score, other.score) and rules.has_opening:
                    continue  # whoever is on the board has points
                value = found.at(many(one), many(other), began=role == 0)[0]
                assert value == pytest.approx(exact[role, row, column], abs=2e-3)


def _standings(rules: Any) -> list[Standing]:
    return [
        Standing(block.first_score + k * rules.point_step, block.farkles, block.on_board)
        for block in blocks(rules)
        for k in range(block.scores)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("preset", ["kcd", "classic", "arnold", "facebook"])
def test_errors_at_random_scores(strategies: dict[str, Strategy], preset: str) -> None:
    rules, draw, off = load_rules(preset), np.random.default_rng(1), []
    for _ in range(300):
        own, other = (draw.integers(0, rules.goal // 50, 2) * 50).tolist()
        farkles = draw.integers(0, rules.farkle_limit, 2).tolist()
        here = Position.of_two(own, other, farkles=farkles[0], opponent_farkles=farkles[1])
        exact = strategies[preset].win_probability(here)
        off.append(100 * abs(rough_strategy(rules).win_probability(here) - exact))
    assert np.mean(off) < 0.4
    assert np.quantile(off, 0.95) < 1
    assert np.max(off) < 5


def test_scores_near_the_goal_are_all_solved_and_few_far_away() -> None:
    found = knots(load_rules("classic"))
    assert found[:6].tolist() == [1, 2, 3, 4, 5, 6]
    assert found[-1] == 200
    assert len(found) < 40
    assert rough_turns(load_rules("classic")) == 2 * len(found) ** 2
    with_floor = knots(load_rules("facebook"))
    assert 200 in with_floor
    assert with_floor[-1] == 250


def test_farkles_in_a_row_count_as_fewer_points() -> None:
    values = rough_strategy(variant("facebook", goal=2000)).current()
    assert isinstance(values, RoughValues)
    own = [
        values.at(many(Standing(1000, one)), many(Standing(1000)), began=True)[0]
        for one in range(3)
    ]
    assert own == sorted(own, reverse=True)
    assert own[0] - own[2] > 0.01
