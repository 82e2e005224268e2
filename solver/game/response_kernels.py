"""Numba kernels that estimate how start-of-turn values answer to each other.

Parameters as in solver.game.kernels.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import prange, types

from solver.game.kernels import (
    GAME_TYPE,
    TABLE_TYPE,
    TURN_TYPE,
    TURNS_TYPE,
    WORK_TYPES,
    after_farkle,
    array_type,
    entry,
    kernel,
    lanes_of,
    own_scores,
    own_work,
)
from solver.game.lanes import LANES
from solver.game.layout import PAD
from solver.game.outcome_kernels import outcome_of_lane

_LEAST = 1e-3
"""Turns are not followed beyond a state with less chance than this: they end there with a bank."""

_APART = 4
"""Lanes from one that is followed to the next: neighbours hardly differ."""


class Responses(NamedTuple):
    """How turns end in groups of states, of equal totals and LANES opponent's scores in a row.

    All but `banked` at [total, group, role, mode, whether the opponent is off the board]; the
    opponent has no farkles in a row.
    """

    first: npt.NDArray[np.int32]
    """The first turn total with a chance to be banked."""
    end: npt.NDArray[np.int32]
    """The turn total after the last such one below the goal."""
    farkled: npt.NDArray[np.float32]
    """Chance of a farkle, in each lane."""
    start: npt.NDArray[np.intp]
    """Where the chance of the first turn total is in `banked`."""
    banked: npt.NDArray[np.float32]
    """Chances that turn totals are banked, group after group, shape (these, LANES)."""


_responses_type = types.NamedTuple(
    [
        *[array_type(types.int32, 5)] * 2,
        array_type(types.float32, 6),
        array_type(types.intp, 5),
        array_type(types.float32, 2),
    ],
    Responses,
)


@kernel
def _followed(u, game):
    """The mode whose turns are followed for those of mode u: only the last farkle costs points."""
    f = u % game.farkle_limit
    return u if f + 1 == game.farkle_limit else u - f


@kernel
def _keep(steps, lanes, work, board, firsts, ends, banked, farkled):
    """Write down how turns end that were solved in a scratch, in the lanes of states.

    One in _APART is followed; those after it, and lanes that are no states, are set to what is in
    it. Fills parts of Responses; `firsts` and `ends` are arrays, as what is assigned to their
    elements in a parallel loop may be lost.
    """
    (low, high), first, after = lanes, steps, 0
    rows = steps + work.game.reach
    banks, misses, others = np.empty(rows), np.empty(rows), np.empty(3)
    for lane in range(LANES):
        if lane == 0 or (low < lane < high and (lane - low) % _APART == 0):
            outcome_of_lane(
                min(max(lane, low), high - 1), rows, _LEAST, work, banks, misses, others
            )
        farkled[lane] = misses[:steps].sum()
        for t in range(min(steps, len(banked))):
            banked[t, lane] = banks[t]
            if banks[t] > _LEAST:
                first, after = min(first, t), max(after, t + 1)
    firsts[board], ends[board] = min(first, after), after


@entry(
    types.void(
        TURNS_TYPE,
        TURN_TYPE,
        TABLE_TYPE,
        types.intp,
        *WORK_TYPES,
        *[array_type(types.int32, 4)] * 2,
        array_type(types.float32, 5),
        array_type(types.float32, 6),
    ),
    parallel=True,
)
def find_responses(
    solve,
    turn,
    table,
    s,
    game,
    lists,
    bonuses,
    scratch,
    slack,
    first,
    end,
    farkled,
    banked,
):
    """Follow the turns of best play in the groups of a total.

    first, end, farkled : parts of Responses, those of this total, which are filled
    banked : filled likewise, at [group, role, mode, board, turn total, lane]
    """
    workers, modes = len(scratch.lost), game.farkle_limit * game.boards
    for worker in prange(workers):
        own = own_work(game, lists, bonuses, scratch.values, scratch, slack, worker)
        for k in range(worker, len(first), workers):
            start = k * LANES
            for r in range(game.roles):
                for u in range(modes):
                    if _followed(u, game) != u:
                        continue
                    for board in range(game.boards):
                        w = board * game.farkle_limit
                        steps = solve(turn, table, s, start, r, u, w, own)
                        if steps == 0:
                            continue
                        _keep(
                            steps,
                            lanes_of(s, start, u, w, game),
                            own,
                            board,
                            first[k, r, u],
                            end[k, r, u],
                            banked[k, r, u, board],
                            farkled[k, r, u, board],
                        )


@kernel(fastmath=True)
def _add_banks(first, end, banked, rows, begin, out):
    """Set `out` to what banks lead to: sums of columns from `begin` of `rows` by their chances.

    first, end : of the turn totals with a chance, which are in `banked` from its start on
    """
    out[:] = 0
    for t in range(first, end):
        row = rows[t, begin : begin + LANES]
        for lane in range(LANES):
            out[lane] += banked[t - first, lane] * row[lane]


@entry(
    types.void(
        array_type(types.float32, 5),
        array_type(types.float32, 5),
        types.intp,
        GAME_TYPE,
        _responses_type,
    ),
    fastmath=True,
)
def respond(shifts, change, apart, game, responses):
    """Renew how much further values are expected to move, in the order of a sweep.

    shifts : the expected changes so far, renewed in place; in the layout of a table
    change : those of the last sweep
    apart : totals from one of which responses were found to the next, from the highest one down
    """
    limit, modes = game.farkle_limit, game.farkle_limit * game.boards
    last = 2 * game.scores - 2
    out, rest = np.zeros(LANES, dtype=np.float32), np.zeros(LANES, dtype=np.float32)
    for s in range(last, -1, -1):
        i = min(len(responses.first) - 1, (last - s + apart // 2) // apart)
        for count in range(2 * limit - 2, -1, -1):
            for u in range(modes):
                f = u % limit
                if not 0 <= count - f < limit:
                    continue
                like = _followed(u, game)
                for w in range(count - f, modes, limit):
                    for r in range(game.roles):
                        other, board = game.roles - 1 - r, w // limit
                        low, high = own_scores(s, u, w, game)
                        for k in range(max(0, s - high) // LANES, (s - low) // LANES + 1):
                            first, end = (
                                responses.first[i, k, r, like, board],
                                responses.end[i, k, r, like, board],
                            )
                            banked = responses.banked[responses.start[i, k, r, like, board] :]
                            farkled = responses.farkled[i, k, r, like, board]
                            begin = PAD + k * LANES
                            _add_banks(first, end, banked, shifts[other, w, 0, s:], begin, out)
                            _add_banks(first, end, banked, change[other, w, 0, s:], begin, rest)
                            for lane in range(LANES):
                                opponent = k * LANES + lane
                                score = s - opponent
                                if not low <= score <= high:
                                    continue
                                left_out = change[r, u, w, s, PAD + score] == 0
                                to, left = after_farkle(u, score, game)
                                total = opponent + left
                                banks = out[lane] + (rest[lane] if left_out else 0.0)
                                if other == r and w == u and to == w and total == 2 * score == s:
                                    # to itself, which a sweep leaves out nothing of
                                    shifts[r, u, w, s, PAD + score] = -banks / (1.0 + farkled[lane])
                                    continue
                                moved = shifts[other, w, to, total, PAD + opponent]
                                if left_out or f + 1 == limit:
                                    # was renewed only after this state
                                    moved += change[other, w, to, total, PAD + opponent]
                                shifts[r, u, w, s, PAD + score] = -(banks + farkled[lane] * moved)
