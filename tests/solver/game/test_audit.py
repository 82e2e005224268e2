"""The audit finds what is wrong with a solution, and nothing in one that is right."""

from pathlib import Path

import numpy as np
import pytest

from solver.game.audit import residual
from solver.game.standings import Solution
from solver.game.sweeps import solve
from tests.house_rules import small


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"ending": "final_turn"},
        {"hot_dice_bonus": (0, 100)},
        {"hot_dice": "no_bank", "opening_minimum": 100},
    ],
)
def test_a_solved_game_has_no_residual(kernels: Path, changes: dict[str, object]) -> None:
    rules = small(dice=2, goal=250, **changes)
    assert residual(rules, solve(rules, cache=kernels).values, cache=kernels) < 1e-12


def test_a_wrong_value_is_found_wherever_it_is(kernels: Path, tiny: Solution) -> None:
    random = np.random.default_rng(7)
    for place in random.choice(np.flatnonzero(tiny.values), 20, replace=False):
        values = tiny.values.copy()
        values.flat[place] *= 1 - 1e-7
        # it is off by this, but for a player who does not have it and is told of it by others
        assert residual(tiny.rules, values, cache=kernels) > 5e-8
