"""Numba kernels that estimate how start-of-turn values answer to each other.

Parameters as in solver.game.kernels.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit, prange, types

from solver.game.kernels import (
    GAME_TYPE,
    TABLE_TYPE,
    TURN_TYPE,
    WORK_TYPES,
    array_type,
    fallen,
    own_scores,
    own_work,
    prepare,
    solve_levels,
)
from solver.game.lanes import LANES
from solver.game.layout import PAD
from solver.turn.equations import Floats

_LEAST = 1e-3
"""Turns are not followed beyond a state with less chance than this: they end there with a bank."""


class Options(NamedTuple):
    """The lists of a plan."""

    points: npt.NDArray[np.intp]
    """Of each option in steps, without a bonus; list after list, points ascending."""
    left: npt.NDArray[np.intp]
    """Its remaining dice, as a column."""
    starts: npt.NDArray[np.intp]
    """Where each list begins, those of a column in a row."""
    ends: npt.NDArray[np.intp]
    """And where it ends."""
    first_list: npt.NDArray[np.intp]
    """Of each column, and the end."""
    chances: Floats
    """Of each list."""
    farkles: Floats
    """Chance of a farkle, of each column."""


class Responses(NamedTuple):
    """How turns end in groups of states, of equal totals and LANES opponent's scores in a row.

    All but `banked` at [total, group, role, mode, whether the opponent is off the board]; the
    opponent has no farkles in a row.
    """

    first: npt.NDArray[np.int32]
    """The first turn total with a chance to be banked."""
    end: npt.NDArray[np.int32]
    """After the last one below the goal."""
    farkled: npt.NDArray[np.float32]
    """Chance of a farkle, in each lane."""
    start: npt.NDArray[np.intp]
    """Where the chance of the first turn total is in `banked`."""
    banked: npt.NDArray[np.float32]
    """Chances that turn totals are banked, group after group, shape (these, LANES)."""


_integers, _floats = array_type(types.intp, 1), array_type(types.float64, 1)
_options_type = types.NamedTuple([_integers] * 5 + [_floats] * 2, Options)
_responses_type = types.NamedTuple(
    [
        *[array_type(types.int32, 5)] * 2,
        array_type(types.float32, 6),
        array_type(types.intp, 5),
        array_type(types.float32, 2),
    ],
    Responses,
)


@njit(nogil=True, error_model="numpy")
def _followed(u, game):
    """The mode whose turns are followed for those of mode u: only the last farkle costs points."""
    f = u % game.farkle_limit
    return u if f + 1 == game.farkle_limit else u - f


@njit(nogil=True, error_model="numpy", fastmath={"nnan", "ninf", "nsz"})
def _roll(level, t, n, rolled, options, mass, work, best, goes):
    """Send the chance to roll the dice of column n at t on to the best set-asides of each roll."""
    values, last = work.scratch.values, work.bonuses.size - 1
    whole, following, bonus = values.shape[2] - 1, min(level + 1, last), work.bonuses[level]
    for k in range(options.first_list[n], options.first_list[n + 1]):
        begin, end = options.starts[k], options.ends[k]
        best[:] = 0.0
        for place in range(begin, end):
            left = options.left[place]
            to = following if left == whole else level
            there = values[to, t + options.points[place] + (bonus if left == whole else 0), left]
            for lane in range(LANES):
                best[lane] = max(best[lane], there[lane])
        for lane in range(LANES):
            goes[lane] = options.chances[k] * rolled[lane]
        for place in range(end - 1, begin - 1, -1):
            left = options.left[place]
            to = following if left == whole else level
            row = t + options.points[place] + (bonus if left == whole else 0)
            there, arrives = values[to, row, left], mass[to, row, left]
            for lane in range(LANES):
                some = goes[lane] if there[lane] >= best[lane] else 0.0
                arrives[lane] += some
                goes[lane] -= some


@njit(nogil=True, error_model="numpy")
def _follow(steps, low, high, options, mass, work, board, firsts, ends, banked, farkled):
    """Follow turns that were solved, in lanes from `low` to below `high`.

    The others are set to what is in the nearest of them. Fills parts of Responses; `firsts` and
    `ends` are arrays, as what is assigned to their elements in a parallel loop may be lost.
    """
    game, values, bank = work.game, work.scratch.values, work.scratch.bank
    levels, _, dice, _ = values.shape
    mass[:, : steps + game.reach] = 0.0
    mass[0, 0, dice - 1, low:high] = 1.0
    rolled, failed, room = np.empty(LANES), np.zeros(LANES), np.empty((2, LANES))
    first, after = steps, 0
    kept = np.empty(LANES)
    for t in range(steps):
        kept[:] = 0.0
        for level in range(levels):
            for n in range(dice):
                may = game.must_roll_hot == 0 or n < dice - 1
                most = 0.0
                for lane in range(LANES):
                    here, worth = mass[level, t, n, lane], bank[t, lane]
                    stays = may and worth > 0.0 and worth >= values[level, t, n, lane]
                    kept[lane] += here if stays else 0.0
                    rolled[lane] = 0.0 if stays else here
                    most = max(most, rolled[lane])
                if most > _LEAST:
                    for lane in range(LANES):
                        failed[lane] += options.farkles[n] * rolled[lane]
                    _roll(level, t, n, rolled, options, mass, work, room[0], room[1])
                else:
                    for lane in range(LANES):
                        kept[lane] += rolled[lane]
        if t < len(banked):
            for lane in range(LANES):
                banked[t, lane] = kept[min(max(lane, low), high - 1)]
            if kept.max() > _LEAST:
                first, after = min(first, t), t + 1
    for lane in range(LANES):
        farkled[lane] = failed[min(max(lane, low), high - 1)]
    firsts[board], ends[board] = min(first, after), after


@njit(
    types.void(
        TURN_TYPE,
        TABLE_TYPE,
        types.intp,
        *WORK_TYPES,
        array_type(types.float64, 5),
        _options_type,
        *[array_type(types.int32, 4)] * 2,
        array_type(types.float32, 5),
        array_type(types.float32, 6),
    ),
    parallel=True,
    cache=True,
    nogil=True,
    error_model="numpy",
)
def find_responses(
    turn,
    table,
    s,
    game,
    lists,
    others,
    bonuses,
    scratch,
    slack,
    mass,
    options,
    first,
    end,
    farkled,
    banked,
):
    """Follow the turns of best play in the groups of a total.

    mass : room for the chance to be in each state of a turn, like the values of the scratch
    first, end, farkled : parts of Responses, those of this total, which are filled
    banked : filled likewise, at [group, role, mode, board, turn total, lane]
    """
    workers, modes = len(scratch.lost), game.farkle_limit * game.boards
    for worker in prange(workers):
        own = own_work(game, lists, others, bonuses, scratch, slack, worker)
        for k in range(worker, len(first), workers):
            start = k * LANES
            for r in range(game.roles):
                for u in range(modes):
                    if _followed(u, game) != u:
                        continue
                    for board in range(game.boards):
                        w = board * game.farkle_limit
                        steps = prepare(table, s, start, r, u, w, own)
                        if steps == 0:
                            continue
                        solve_levels(turn, steps, own)
                        low, high = own_scores(s, u, w, game)
                        lanes = max(0, s - start - high), min(LANES, s - start - low + 1)
                        _follow(
                            steps,
                            lanes[0],
                            lanes[1],
                            options,
                            mass[worker],
                            own,
                            board,
                            first[k, r, u],
                            end[k, r, u],
                            banked[k, r, u, board],
                            farkled[k, r, u, board],
                        )


@njit(nogil=True, error_model="numpy", fastmath=True)
def _add_banks(first, end, banked, rows, begin, out):
    """Set `out` to what banks lead to: sums of columns from `begin` of `rows` by their chances.

    first, end : of the turn totals with a chance, which are in `banked` from its start on
    """
    out[:] = 0
    # four at once, as a sum waits for the one before
    middle = first + (end - first) // 4 * 4
    for t in range(first, middle, 4):
        chances = banked[t - first : t - first + 4]
        one, two = rows[t, begin : begin + LANES], rows[t + 1, begin : begin + LANES]
        three, four = rows[t + 2, begin : begin + LANES], rows[t + 3, begin : begin + LANES]
        for lane in range(LANES):
            out[lane] += (chances[0, lane] * one[lane] + chances[1, lane] * two[lane]) + (
                chances[2, lane] * three[lane] + chances[3, lane] * four[lane]
            )
    for t in range(middle, end):
        row = rows[t, begin : begin + LANES]
        for lane in range(LANES):
            out[lane] += banked[t - first, lane] * row[lane]


@njit(
    types.void(
        array_type(types.float32, 5),
        array_type(types.float32, 5),
        types.intp,
        GAME_TYPE,
        _responses_type,
    ),
    cache=True,
    nogil=True,
    error_model="numpy",
    fastmath=True,
)
def respond(more, change, apart, game, found):
    """Renew how much further values are expected to move, in the order of a sweep.

    more : the expected changes so far, renewed in place; in the layout of a table
    change : those of the last sweep
    apart : totals from one of which responses were found to the next, from the highest one down
    """
    limit, modes = game.farkle_limit, game.farkle_limit * game.boards
    last = 2 * game.scores - 2
    out, rest = np.zeros(LANES, dtype=np.float32), np.zeros(LANES, dtype=np.float32)
    for s in range(last, -1, -1):
        i = min(len(found.first) - 1, (last - s + apart // 2) // apart)
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
                                found.first[i, k, r, like, board],
                                found.end[i, k, r, like, board],
                            )
                            banked = found.banked[found.start[i, k, r, like, board] :]
                            farkled = found.farkled[i, k, r, like, board]
                            begin = PAD + k * LANES
                            _add_banks(first, end, banked, more[other, w, 0, s:], begin, out)
                            rest[:] = 0
                            most = min(high, s - k * LANES)
                            least = max(low, s - k * LANES - LANES + 1)
                            # nearly all groups are renewed in early sweeps
                            if np.any(change[r, u, w, s, PAD + least : PAD + most + 1] == 0):
                                _add_banks(first, end, banked, change[other, w, 0, s:], begin, rest)
                            for lane in range(LANES):
                                opponent = k * LANES + lane
                                score = s - opponent
                                if not low <= score <= high:
                                    continue
                                left_out = change[r, u, w, s, PAD + score] == 0
                                to, total = u + 1, s
                                if f + 1 == limit:
                                    to, total = u - f, opponent + fallen(score, game)
                                banks = out[lane] + (rest[lane] if left_out else 0.0)
                                if other == r and w == u and to == w and total == 2 * score == s:
                                    # to itself, which a sweep leaves out nothing of
                                    more[r, u, w, s, PAD + score] = -banks / (1.0 + farkled[lane])
                                    continue
                                moved = more[other, w, to, total, PAD + opponent]
                                if left_out or f + 1 == limit:
                                    # was renewed only after this state
                                    moved += change[other, w, to, total, PAD + opponent]
                                more[r, u, w, s, PAD + score] = -(banks + farkled[lane] * moved)
