"""What solves of match-ups with badges need: totals from high to low, and what is refused."""

import numpy as np

from solver.errors import ConvergenceError, InvalidDiceError
from solver.rules.ruleset import Ruleset
from solver.turn.equations import Floats


def check_winnable(*in_vain: Floats) -> None:
    """Raises InvalidDiceError where nobody could ever win.

    in_vain : the chances of each player, if there are any, that a roll neither scores nor wins, by
        the dice to roll
    """
    if in_vain and all(np.max(one[-1]) > 1 - 1e-12 for one in in_vain):
        raise InvalidDiceError.say("with these dice no roll ever scores, so nobody could win")


def check_settled(rules: Ruleset, worst: float, tolerance: float) -> None:
    """Raises ConvergenceError where some pair of states did not settle."""
    if not worst <= 100 * tolerance:
        raise ConvergenceError.say(
            "{rules}: the win probabilities with these dice do not settle: they still change by"
            " {change:.1e}",
            rules=rules.name,
            change=worst,
        )


def done(solved: int, scores: int) -> float:
    """The share of the work that so many of the highest totals are.

    A total has so many pairs of states, whose turns are as long as the goal is away: up to the
    total at which one player has reached it both grow, and then only the turns do.
    """
    share = np.minimum(np.arange(2 * scores), np.arange(2 * scores)[::-1])
    work = np.cumsum(share * np.arange(2 * scores))
    return float(work[solved] / work[-1])
