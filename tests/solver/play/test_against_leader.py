"""Play of several players against the leader alone, against what is known of two."""

from pathlib import Path

import numpy as np
import pytest

from solver.best_play import Strategy
from solver.errors import InvalidRulesError
from solver.game.many_sweeps import solve_many
from solver.game.sweeps import solve
from solver.play.against_leader import check_plain, evaluate, turn_endings
from tests.house_rules import small

RULES = small(goal=500, minimum_bank=100, instant_win=("66",))


def test_two_players_play_the_best_strategy_of_two(kernels: Path) -> None:
    values = solve(RULES, cache=kernels).values
    endings = turn_endings(Strategy(RULES, values, "here"))
    np.testing.assert_allclose(endings.sum(axis=-1), 1, rtol=0, atol=1e-12)
    found = evaluate(RULES, endings, 2)
    np.testing.assert_allclose(found[..., 0], values[0], rtol=0, atol=1e-9)


def test_three_players_have_one_together_and_nearly_what_best_play_gives(kernels: Path) -> None:
    strategy = Strategy(RULES, solve(RULES, cache=kernels).values, "here")
    found = evaluate(RULES, turn_endings(strategy))
    np.testing.assert_allclose(found.sum(axis=-1), 1, rtol=0, atol=1e-12)
    best = solve_many(RULES, 3, cache=kernels).values[0]
    off = np.abs(found[..., :2] - best)
    assert off.mean() < 0.01
    assert off.max() < 0.1


def test_other_rules_are_refused() -> None:
    for changes in (
        {"ending": "final_turn"},
        {"opening_minimum": 200},
        {"lose_everything": ("44",)},
    ):
        with pytest.raises(InvalidRulesError, match="the goal wins at once"):
            check_plain(small(**changes))
