"""The work of a solve as estimated before it begins, against solves and against counting."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from solver.errors import InvalidRulesError
from solver.game.endgame import endgame
from solver.game.standings import Solution, score_count, state_count
from solver.game.sweeps import solve
from solver.game.workload import workload
from solver.rules.file import load_rules
from tests.conftest import only_with_every, variant
from tests.usual import USUAL

ONES = {"single": (7, 0, 0, 0, 50, 0), "three_of_a_kind": (1000, 200, 300, 400, 500, 600)}
"""Points that come in steps of one."""


def penalty(in_a_row: int, points: int | str, **changes: Any) -> dict[str, Any]:
    return {"farkle_penalty": {"in_a_row": in_a_row, "points": points}, **changes}


@pytest.mark.parametrize(
    "changes",
    [
        penalty(3, "everything", goal=1500, dice=3, score_floor=0),
        pytest.param(penalty(1, 250, goal=1500, dice=4, score_floor=-1250), marks=pytest.mark.slow),
        pytest.param(penalty(2, 250, goal=1500, dice=3, score_floor=-500), marks=pytest.mark.slow),
        pytest.param(
            penalty(2, 50, goal=1500, dice=3, score_floor=-250, minimum_bank=100),
            marks=pytest.mark.slow,
        ),
        pytest.param(
            penalty(3, 500, goal=1000, dice=3, score_floor=-500, opening_minimum=500),
            marks=pytest.mark.slow,
        ),
        pytest.param(
            penalty(3, "everything", goal=7500, score_floor=0, minimum_bank=300),
            marks=pytest.mark.slow,
        ),
        pytest.param(
            penalty(1, 250, goal=7500, score_floor=-500),
            marks=[pytest.mark.slow, only_with_every],
        ),
    ],
    ids=["everything", "every farkle", "slow", "little", "opening", "long", "long and slow"],
)
def test_the_work_of_a_solve(kernels: Path, changes: dict[str, Any]) -> None:
    rules = variant("facebook", **changes)
    ratio = workload(rules).cells / solve(rules, cache=kernels).states_solved
    assert 1 / 2.5 < ratio < 2.5


def test_the_work_of_a_preset(solutions: dict[str, Solution]) -> None:
    facebook = solutions["facebook"]
    assert 0.5 < workload(facebook.rules).cells / facebook.states_solved < 2


@pytest.mark.parametrize("preset", USUAL)
def test_states_of_a_sweep(preset: str) -> None:
    rules = load_rules(preset)
    goes_on = {"at_once": 0, "final_turn": endgame(rules).beyond}[rules.ending]
    longer = 1 + goes_on / ((score_count(rules) + 1) / 2)
    assert 0.5 < workload(rules).states / (state_count(rules) * longer) < 2


def test_small_steps_are_much_work() -> None:
    """It goes by states and not by values: of these there are fewer than at a goal of 20,000."""
    coarse = workload(variant("classic", goal=20_000), cores=2)
    fine = workload(variant("classic", goal=300, scoring=ONES), cores=2)
    finest = workload(variant("classic", goal=4000, scoring=ONES), cores=2)
    assert coarse.states == 400 * 400 * 401 // 2 * 6
    assert fine.states == 300 * 300 * 301 // 2 * 6
    assert finest.states > 100_000_000_000
    assert finest.seconds > 100 * coarse.seconds


def test_more_cores_take_less_time() -> None:
    rules = load_rules("dice-10000")
    one, two, many = (workload(rules, cores=cores) for cores in (1, 2, 64))
    assert one.cells == two.cells
    assert one.seconds > 1.5 * two.seconds > 1.5 * many.seconds


def test_what_cannot_be_solved_is_refused() -> None:
    with pytest.raises(InvalidRulesError, match="positions at the start of a turn .* at most"):
        workload(variant("facebook", goal=1_000_000))


def test_an_estimate_does_not_load_the_compiler() -> None:
    code = """
import sys
from solver.game.workload import workload
from solver.rules.file import load_rules
workload(load_rules("kcd"))
sys.exit("numba" in sys.modules)
"""
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
