"""A solved game, how far a solve is, and how large a game is."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from solver.errors import InvalidRulesError
from solver.rules import Ruleset

DEFAULT_TOLERANCE = 1e-9
"""Largest relative change of the last sweep of a solve."""

MAX_VALUES = 20_000_000
"""Start-of-turn values that one solve may hold: 8 bytes each in the file, 20 while solving."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a solve is."""

    sweep: int
    """The sweep under way, from 1."""
    done: float
    """The share of that sweep that is done, 0 to 1."""
    residual: float | None
    """Largest relative change in the sweep before."""


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """Start-of-turn win probabilities of a game, and what it took to find them."""

    rules: Ruleset
    values: npt.NDArray[np.float64]
    """V(b, d, f, e) at [f, e, i, j] for b = floor + i * step and d = floor + j * step."""
    tolerance: float
    sweeps: int
    largest_relative_change: float
    """Of any value in the last sweep."""
    seconds: float

    @property
    def states(self) -> int:
        """Number of states that the values stand for."""
        return state_count(self.rules)


def score_count(rules: Ruleset) -> int:
    """Number of scores from the floor up to, not including, the goal."""
    return (rules.goal - rules.score_floor) // rules.point_step


def value_shape(rules: Ruleset) -> tuple[int, int, int, int]:
    """Shape of a game's start-of-turn values.

    Raises InvalidRulesError where they are more than MAX_VALUES.
    """
    scores = score_count(rules)
    shape = rules.farkle_limit, rules.farkle_limit, scores, scores
    if (count := rules.farkle_limit**2 * scores**2) > MAX_VALUES:
        raise InvalidRulesError(
            f"{rules.name}: {count:,} start-of-turn states (scores from {rules.score_floor:,} to"
            f" {rules.goal:,} in steps of {rules.point_step}) are too many; at most {MAX_VALUES:,}"
            " can be solved"
        )
    return shape


def state_count(rules: Ruleset) -> int:
    """Number of states (t, n, b, d, f, e) in which the game is not yet decided."""
    scores = score_count(rules)
    minimum = rules.minimum_bank // rules.point_step
    turn_totals = sum(max(to_goal, minimum) for to_goal in range(1, scores + 1))
    return rules.farkle_limit**2 * scores * turn_totals * rules.dice
