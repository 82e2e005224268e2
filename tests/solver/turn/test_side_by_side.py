"""Turns solved side by side, against each by itself."""

import math

import numpy as np
import pytest

from solver.rules.file import load_rules
from solver.rules.ruleset import Ruleset
from solver.turn.equations import Endings, solve_turn
from solver.turn.plan import turn_plan
from solver.turn.side_by_side import solve_turns
from tests.conftest import variant
from tests.usual import USUAL


@pytest.mark.parametrize(
    "rules",
    [
        *map(load_rules, USUAL),
        variant("kcd", hot_dice="forced", lose_everything=("222",), instant_win=("xxxxxx",)),
        variant("classic", dice=3, hot_dice="no_bank", hot_dice_bonus=(50, 200, 100)),
        variant("classic", dice=3, throws=2),
    ],
    ids=lambda rules: f"{rules.name}-{rules.digest[:4]}",
)
def test_turns_of_many_lengths(rules: Ruleset) -> None:
    plan, random = turn_plan(rules), np.random.default_rng(1)
    turns = []
    for totals in (1, 40, 3, 17, 40):
        bank = np.append(np.sort(random.random(totals)), np.ones(plan.reach))
        bank[: random.integers(0, totals)] = math.nan
        farkle = np.append(random.random(totals), np.full(plan.reach, random.random()))
        turns.append(Endings.alone(bank, farkle, random.random()))
    longest = max(len(one.bank) for one in turns)

    def as_long(ends: np.ndarray) -> np.ndarray:
        return np.append(ends, np.full(longest - len(ends), ends[-1]))

    found = solve_turns(
        plan,
        np.array([as_long(one.bank) for one in turns]).T,
        np.array([as_long(one.farkle) for one in turns]).T,
        np.array([one.lost[0] for one in turns]),
    )
    expected = [solve_turn(plan, one).roll[0, 0, -1] for one in turns]
    assert found == pytest.approx(expected, abs=1e-13)
