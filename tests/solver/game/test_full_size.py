"""Presets up to full size: what the solver says holds in every state and in play."""

from pathlib import Path

import pytest

from solver.game.audit import floor_effect, residual
from solver.game.standings import Solution
from solver.game.sweeps import solve
from solver.rules.file import load_rules, with_floor
from tests.conftest import EVERY, variant
from tests.monte_carlo import MOST_ERRORS, standard_errors
from tests.solver.game.test_sweeps import FIGURES
from tests.usual import USUAL

LOWER_GOALS = {
    "arnold": 3000,
    "cardgames": 5000,
    "dice-10000": 1000,
    "facebook": 4000,
    "farkle-games": 2000,
    "patch": 3000,
    "zilch": 1500,
}
"""Goals of the largest games: at their own `farkle solve NAME --check` takes up to a minute."""


@pytest.mark.mostly_skipped
@pytest.mark.slow
@pytest.mark.parametrize("preset", USUAL)
def test_equations_and_play(kernels: Path, preset: str) -> None:
    """The residual over all states is small, and games are won as often as the solver says."""
    goal = LOWER_GOALS.get(preset)
    rules = variant(preset, goal=goal) if goal else load_rules(preset)
    if preset == "dice-10000" and not EVERY:
        rules = with_floor(rules, -1000)  # at its own it takes three times as long
    solution = solve(rules, cache=kernels)
    assert solution.error_bound <= 1e-9
    assert residual(rules, solution.values, cache=kernels) < 1e-9
    # many more by `python -m tests.monte_carlo`; with a penalty every game needs tables of its own
    games = (1_000 if rules.farkle_penalty else 5_000) // (1 if EVERY else 3)
    assert abs(standard_errors(solution, kernels, games, seed=7)) < MOST_ERRORS


@pytest.mark.slow
def test_published_effect_of_the_floor(solutions: dict[str, Solution], kernels: Path) -> None:
    rules, values = load_rules("facebook"), solutions["facebook"].values
    lower = with_floor(rules, -3000)
    lower_values = solve(lower, cache=kernels).values
    effect = floor_effect(rules, values, lower, lower_values, cache=kernels)
    for score, printed in FIGURES["facebook"]["floor_deviation"].items():
        found = effect.deviation[list(effect.scores).index(int(score))]
        # the printed values were solved to about 1e-9 as well
        assert found == pytest.approx(printed, abs=2e-8)
    assert effect.same_decisions_from() == -1150
