"""Games of a number of rounds: where their values are.

With k turns left what counts of the scores is how far players are apart. Of two, the one about to
move being ahead by d,

    bank(t) = 1 - V(k - 1, -(d + t))        farkle = 1 - V(k - 1, -d)

and after the last turn the most points win. Of three a value is the chance of each, and how far the
next player is ahead of the last counts as well. So one pass over k solves the game. The values with
so many turns left are a layer, see `layer`. A mode is what matters of a player beside the score.
"""

from collections.abc import Sequence
from functools import reduce
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from solver.game.leads import spans
from solver.game.standings import Ints, Standing, Standings, blocks
from solver.rules.ruleset import Ruleset
from solver.turn.equations import Floats


def modes(rules: Ruleset) -> list[Standing]:
    """Return what matters of a player beside the score, in the order of values."""
    return [Standing(0, block.farkles, block.on_board) for block in blocks(rules)]


def mode_of(rules: Ruleset, players: Standings) -> Ints:
    """Indices of standings among the modes."""
    off_board = ~players.on_board if rules.has_opening else np.zeros(len(players.score), dtype=bool)
    return np.asarray(players.farkles + rules.farkle_limit * off_board)


def layer_shape(rules: Ruleset, turns: int, players: int) -> tuple[int, ...]:
    """Return the shape of the values with so many turns left.

    They are at [mode of each, the mover first, how far the next player is ahead of the last, how
    far the mover is ahead of the next, who but the last], with 0 in the middle. Of two players
    there is one place for the former, and all layers are as wide as the widest.
    """
    far = spans(rules, players)
    width = 2 * int(far[turns if players > 2 else -1]) + 1
    leads = (1, width) if players == 2 else (width, width)
    return *(len(blocks(rules)),) * players, *leads, players - 1


def layer(rules: Ruleset, values: Floats, turns: int, players: int = 2) -> Floats:
    """Return the values with so many turns left, 1 or more, as a part of all.

    values : of two as of `value_shape`, of three those of each number of turns in a row, by who
    """
    shape = layer_shape(rules, turns, players)
    if players == 2:
        return np.reshape(values[turns - 1], shape)
    first, end = (count_leads(rules, players, number) for number in (turns - 1, turns))
    return np.reshape(values[first:end], shape)


def count_leads(rules: Ruleset, players: int, turns: int | None = None) -> int:
    """Return how many leads there are with up to so many turns left, of all if None."""
    widths = 2 * spans(rules, players)[1 : None if turns is None else turns + 1] + 1
    return int(len(blocks(rules)) ** players * np.sum(widths ** (players - 1)))


def places(most: int, scores: Sequence[Ints]) -> tuple[Ints, Ints]:
    """Return where values stand among leads, for scores in point steps, the mover's first.

    Whoever is farther behind the best than `most` counts as that far behind.
    """
    best = reduce(np.maximum, scores)
    behind = [np.maximum(one - best, -most) for one in scores]
    lead, *apart = (one - other + most for one, other in pairwise(behind))
    return (apart[0] if apart else 0 * lead), lead


def shares(scores: Sequence[Ints]) -> Floats:
    """Return the share of the win of each player but the last once all turns are over."""
    level = np.stack(np.broadcast_arrays(*scores), axis=-1)
    wins = level == level.max(axis=-1, keepdims=True)
    return np.asarray((wins / wins.sum(axis=-1, keepdims=True))[..., :-1])


def values_at(
    rules: Ruleset, values: npt.NDArray[np.float64], turns: int, players: Sequence[Standings]
) -> Floats:
    """Win probabilities with so many turns left, of all players but the last, who at the end.

    values : as of `layer`
    players : in the order of their turns, whoever is about to move first, arrays that broadcast
    """
    scores = [player.score // rules.point_step for player in players]
    if not turns:
        over = shares(scores)
        if rules.ties == "shared" or not np.any(over == 0.5):
            return over
        return np.where(over == 0.5, values_at(rules, values, 2, players), over)
    here = layer(rules, values, turns, len(players))
    kinds = [mode_of(rules, player) for player in players]
    return np.asarray(here[(*kinds, *places(here.shape[-2] // 2, scores))])


def turn_totals(rules: Ruleset, lead: int, players: int = 2) -> int:
    """Number of turn totals, in point steps, that matter to a player with such a lead in points."""
    most, keeps = int(spans(rules, players)[-1]), rules.farkle_keeps_turn_total
    cost = rules.penalty_points if keeps else 0
    return max(1, most + 1 + (cost - lead) // rules.point_step)
