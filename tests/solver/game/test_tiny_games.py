"""Solves of random tiny games, slow ones among them, are as exact as they say."""

import os
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from solver.errors import ConvergenceError
from solver.game.bounds import error_bound
from solver.game.endgame import endgame
from solver.game.layout import Contest, as_is_best, read_table, write_table
from solver.game.sweeping import Sweeps
from solver.game.sweeps import solve
from solver.rules.ruleset import Ruleset
from tests import naive
from tests.house_rules import can_be_played
from tests.solver.game.test_bounds import error, exact

NO_TRIPLES = {"three_of_a_kind": 0}
TURNS: list[dict[str, Any]] = [
    {"dice": 1, "scoring": {"single": (100, 0, 0, 0, 0, 0), **NO_TRIPLES}},
    {"dice": 1, "scoring": {"single": (100, 0, 0, 0, 50, 0), **NO_TRIPLES}},
    {"dice": 1, "scoring": {"single": (50, 0, 0, 0, 0, 0), **NO_TRIPLES}, "hot_dice": "no_bank"},
    {"dice": 2},
    {"dice": 2, "instant_win": ("66",), "lose_everything": ("22",)},
    {"dice": 2, "lose_everything": ("3",), "hot_dice_bonus": (100,)},
    {"dice": 3},
    {"dice": 3, "scoring": {"single": (100, 0, 0, 0, 0, 0), **NO_TRIPLES}},
]
"""What a turn is made of: few kinds, as each one takes a while to compile."""

MANY = int(os.environ.get("FARKLE_TINY_GAMES", "8"))

TOLERANCE = 1e-12
"""How exact the exact values are."""

MOST_PAIRS = 200
"""The most pairs of standings in a game: its exact values take a turn of the twin for each."""


@cache
def tiny(seed: int) -> Ruleset:
    """A game of one to three dice, of which nearly all that ties turns together is random."""
    random = np.random.default_rng(seed)

    def one_of(*choices: Any) -> Any:
        return choices[random.integers(len(choices))]

    while True:
        points = one_of(50, 100, 100, 150, 200, "everything")
        penalty = {"in_a_row": one_of(1, 1, 1, 2, 3), "points": points}
        has_penalty = random.random() < 0.8
        floor = one_of(0, 0, 1, 2) * points if has_penalty and points != "everything" else 0
        ending = one_of("at_once", "at_once", "final_turn", "equal_turns")
        minimum = one_of(0, 50, 100, 150, 200, 300)
        try:
            rules = Ruleset.model_validate(
                {
                    "name": f"tiny {seed}",
                    "goal": one_of(100, 150, 200, 300, 400),
                    "minimum_bank": minimum,
                    "opening_minimum": one_of(0, 0, 0, 100, 200),
                    "minimum_binds_win": one_of(True, False),
                    "farkle_keeps_turn_total": one_of(False, False, False, True),
                    "farkle_penalty": penalty if has_penalty else None,
                    "score_floor": -floor,
                    "ending": ending,
                    "ties": one_of("earlier", "shared", "played_on")
                    if ending != "at_once"
                    else "earlier",
                    **one_of(*TURNS),
                }
            )
        except ValidationError:
            continue
        pairs = len(naive.standings(rules)) ** 2 * (2 if rules.has_roles else 1)
        if pairs <= MOST_PAIRS and can_be_played(rules):
            return rules


def check(kernels: Path, rules: Ruleset, *, may_last: bool = False) -> None:
    """may_last: whether a game may have so many turns that rounding leaves no proof within 1e-9."""
    right = exact(rules, TOLERANCE)
    for tolerance in (1e-3, 1e-6, 1e-9):
        try:
            solution = solve(rules, cache=kernels, tolerance=tolerance)
        except ConvergenceError:
            assert may_last
            assert tolerance < 1e-6
            return
        # where rounding stands in the way more than the tolerance is told
        assert error(solution.values, right) <= solution.error_bound <= max(tolerance, 1e-6)


def check_wrong_values(kernels: Path, rules: Ruleset, seed: int) -> int:
    """Sweep values that are wrong, somewhere or in all states of level scores or everywhere.

    Returns how many were proved to be good enough; they were.
    """
    random, right = np.random.default_rng(seed), exact(rules, TOLERANCE)
    ends, best = endgame(rules), Contest(as_is_best(), as_is_best())
    sweeps = Sweeps(rules, ends, [ends.lasts], best, kernels, 1, lambda _: None)
    sweeps.number = 1
    level = np.eye(right.shape[1])[np.newaxis]
    proved = 0
    for size in 10.0 ** np.arange(-11, -2):
        some = random.choice([-1, 1], right.shape) * random.random(right.shape) ** 8
        slow = read_table(rules, sweeps.table) - right  # what sweeps left of the last ones
        for off in (some, level, -level, np.ones_like(right), slow / (abs(slow).max() or 1.0)):
            write_table(rules, sweeps.table, np.clip(right + size * off, 0, 1))
            for _ in range(3):
                for sweeps.plain in (True, False):
                    sweeps.run(None, -1.0)
                    values = read_table(rules, sweeps.table)
                    bound = error_bound(rules, values, 1e-6, sweeps.turns)
                    assert bound is None or error(values, right) <= bound <= 1e-6
                    proved += bound is not None
    return proved


@pytest.mark.parametrize("seed", range(6))
def test_a_tiny_game_is_as_exact_as_it_says(kernels: Path, seed: int) -> None:
    check(kernels, tiny(seed))


@pytest.mark.mostly_slow
@pytest.mark.parametrize("seed", [0, 2])
def test_wrong_values_of_a_tiny_game_are_not_proved(kernels: Path, seed: int) -> None:
    assert check_wrong_values(kernels, tiny(seed), seed) > 0


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12, 12 + MANY))
def test_many_tiny_games_are_as_exact_as_they_say(kernels: Path, seed: int) -> None:
    check(kernels, tiny(seed), may_last=True)
    check_wrong_values(kernels, tiny(seed), seed)
