"""How start-of-turn values answer to each other: an estimate that makes sweeps settle faster.

With the way to play held fixed a turn is linear in what it leads to, with the chances of every bank
and of a farkle as coefficients (policy evaluation, R. A. Howard, 1960). They differ little from a
state to its neighbours and from a sweep to the next. So they are found once, for some totals of
both scores, and after a sweep they say what it left out: that the last farkle in a row leads to a
value that was renewed later. It is only an estimate; what is exact is for sweeps to say.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from solver.game.lanes import LANES
from solver.game.layout import Work
from solver.game.outcomes import spread_of
from solver.game.response_kernels import Responses, find_responses, respond

_APART = 16
"""Totals from one whose turns are followed to the next."""

_MOST = 3.0
"""No value is moved to more than so many times itself, or to less than that part of it."""


class Correction:
    """What a sweep leaves out, estimated."""

    def __init__(
        self,
        work: Work,
        turn: Callable[..., Any],
        table: npt.NDArray[np.float64],
    ) -> None:
        """Follow the turns of best play, given the values of a table."""
        game = self._game = work.game
        last = 2 * game.scores - 2
        totals = np.arange(last, -_APART, -_APART).clip(0).tolist()
        groups = (-(-game.scores // LANES), game.roles, game.farkle_limit * game.boards)
        shape = (*groups, game.boards)
        room = np.empty((*shape, game.scores, LANES), dtype=np.float32)
        spread = spread_of(work)
        first, end = np.zeros((2, len(totals), *shape), dtype=np.int32)
        farkled = np.zeros((*first.shape, LANES), dtype=np.float32)
        banked, turn_totals = [], np.arange(game.scores)
        for i, total in enumerate(totals):
            found = first[i], end[i], farkled[i], room
            find_responses(turn, table, total, *work, spread, *found)
            begins, ends = first[i][..., np.newaxis], end[i][..., np.newaxis]
            # most turn totals are hardly ever banked: nothing is kept of them
            banked.append(room[(begins <= turn_totals) & (turn_totals < ends)])
        lengths = end - first
        start = np.cumsum(lengths, dtype=np.intp).reshape(first.shape) - lengths
        self._found = Responses(first, end, farkled, start, np.concatenate(banked))

    def apply(
        self, table: npt.NDArray[np.float64], change: npt.NDArray[np.float32], rounds: int
    ) -> None:
        """Move the values of a table to where they are expected to settle.

        change : by how much a sweep changed each of them
        """
        more = np.zeros_like(change)
        for _ in range(rounds):
            respond(more, change, _APART, self._game, self._found)
        # role by role and mode by mode, which takes less memory
        modes = -1, *table.shape[-2:]
        for values, moves in zip(table.reshape(modes), more.reshape(modes), strict=True):
            found = values[moves != 0]
            most = np.minimum(1.0, _MOST * found)
            values[moves != 0] = np.clip(found + moves[moves != 0], found / _MOST, most)
