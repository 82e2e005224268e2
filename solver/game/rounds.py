"""Games of a number of rounds: where their values are.

With k turns left what counts of the scores is how far the player about to move is ahead, d:

    bank(t) = 1 - V(k - 1, -(d + t))        farkle = 1 - V(k - 1, -d)

and after the last turn the most points win. So values lie at [k - 1, modes of both players, d], and
one pass over k solves the game. A mode is what matters of a player beside the score.
"""

import numpy as np
import numpy.typing as npt

from solver.game.leads import spans
from solver.game.standings import Ints, Standing, Standings, blocks, many
from solver.rules.ruleset import Ruleset
from solver.turn.equations import Floats


def modes(rules: Ruleset) -> list[Standing]:
    """Return what matters of a player beside the score, in the order of values."""
    return [Standing(0, one.farkles, one.on_board) for one in blocks(rules)]


def mode_of(rules: Ruleset, some: Standings) -> Ints:
    """Indices of standings among the modes."""
    off_board = ~some.on_board if rules.has_opening else np.zeros(len(some.score), dtype=bool)
    return np.asarray(some.farkles + rules.farkle_limit * off_board)


def values_at(
    rules: Ruleset, values: npt.NDArray[np.float64], turns: int, own: Standing, others: Standings
) -> Floats:
    """Win probabilities of a player about to move against opponents, with so many turns left.

    values : as of `shape`; of no turns left the chances of what is over, or goes on
    """
    lead = (own.score - others.score) // rules.point_step
    if not turns:
        over = np.where(lead > 0, 1.0, np.where(lead == 0, 0.5, 0.0))
        if rules.ties == "shared" or lead.all():
            return over
        return np.where(lead == 0, values_at(rules, values, 2, own, others), over)
    most = values.shape[2] // 2
    pair = mode_of(rules, many(own)) * len(modes(rules)) + mode_of(rules, others)
    return np.asarray(values[turns - 1, pair, np.clip(lead, -most, most) + most])


def turn_totals(rules: Ruleset, lead: int) -> int:
    """Number of turn totals, in point steps, that matter to a player with such a lead in points."""
    most, keeps = int(spans(rules)[-1]), rules.farkle_keeps_turn_total
    cost = rules.penalty_points if keeps else 0
    return max(1, most + 1 + (cost - lead) // rules.point_step)
