"""The numba kernels of games in which turns may begin with what the player before left.

A pair is a state at the start of a turn and its mirror image, which lead to each other by farkles
that change no standing. Standings are counted as along an axis of values; points and turn totals
are in steps, scores from the floor up.

values : V at [role, standing, opponent's standing]
rolled : R, what rolling is worth that is taken over, shape (rows, numbers of dice); rows of a state
    begin at ``first[role, standing, opponent's standing]``, one for each turn total, of which the
    last stands for all that follow
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from solver.game.kernels import entry, kernel
from solver.game.lanes import LANES
from solver.game.list_kernels import add_column
from solver.game.standings import LEAST
from solver.turn.equations import Floats

_SETTLED = 1e-17
"""Largest change of a value in the last row of a turn with which it is renewed no more."""

_SAME = 3e-16
"""Largest change of start-of-turn values that are settled."""

_MOST = 200
"""Times that a pair is solved at most, and a row of a turn renewed: rounding may go round."""


class Numbers(NamedTuple):
    """What kernels have to know of a game; points in steps."""

    scores: int
    """Number of scores below the goal; on the board, without farkles, they are a standing each."""
    score: npt.NDArray[np.int64]
    """The score of each standing."""
    on_board: npt.NDArray[np.bool_]
    """Whether each standing is on the board."""
    after_farkle: npt.NDArray[np.int64]
    """The standing after a farkle of each, and after one that does not count for the penalty, shape
    (2, standings)."""
    least: int
    """Least turn total that may be banked on the board."""
    opening: int
    """Least turn total that may be banked off the board."""
    free_win: int
    """1 where a bank that reaches the goal may be less."""
    beyond: int
    """Turn totals beyond the goal, for a player whose goal is not the end."""
    goes_on: tuple[int, int]
    """1 for each role in which a bank that reaches the goal leaves the other a final turn."""
    banked: int
    """1 where what was banked may be taken over."""
    lost: int
    """1 where what a farkle lost may be taken over."""
    leaves_and_falls: int
    """1 where what was lost is handed on while scores fall, down to the floor."""
    least_score: int
    """Least score of whoever takes over."""
    most_dice: int
    """Most dice that may be taken over."""
    usual: int
    """The first column of a turn under way in which nothing is remembered: what may be taken over
    is rolled there."""
    dice: int
    """How many dice there are."""


class Finals(NamedTuple):
    """What final turns are worth to who has one."""

    afresh: Floats
    """The worth of a turn begun afresh, at [on the board, points to a tie]."""
    taken: Floats
    """The worth of rolling what was taken over, at [points from there to a tie, dice - 1]."""


class Sides(NamedTuple):
    """Values by whose turn it is: of bounds lower ones of one player, upper ones of the other."""

    values: tuple[Floats, Floats]
    finals: tuple[Finals, Finals]
    first: npt.NDArray[np.int64]
    rolled: Floats
    off: tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]
    """How far bounds of what is rolled are from it, of the same shape."""
    sign: float
    """1 for upper bounds of the first player and lower ones of the second, -1 for the others; 0 for
    what is rolled itself."""


@kernel
def _may_take(standing, game):
    return game.on_board[standing] and game.score[standing] >= game.least_score


@kernel
def _least_bank(standing, game):
    """Least turn total that may be banked, the goal aside."""
    return game.least if game.on_board[standing] else game.opening


@kernel
def last_row(r, own, game):
    """The turn total that stands for all that follow."""
    score = 0 if game.leaves_and_falls == 1 else game.score[own]
    missing = max(game.scores - score, _least_bank(own, game))
    return missing + game.goes_on[r] * game.beyond


@kernel
def _taken(side, of_other, row, dice):
    """What rolling is worth that is taken over, or a bound of it."""
    value = side.rolled[row, dice]
    if side.sign != 0.0:
        value += side.sign * (1 - 2 * of_other) * side.off[of_other][row, dice]
    return value


@kernel
def _fill_banks(bank, r, owns, others, of_other, side, game, lists):
    """What banking is worth at each turn total with each dice left, -1 where it is not allowed."""
    values, finals = side.values[of_other], side.finals[of_other]
    opposite = (r + 1) % values.shape[0]
    for lane in range(LANES):
        own, other = owns[lane], others[lane]
        score, theirs, on_board = game.score[own], game.score[other], game.on_board[other]
        may = game.banked == 1 and _may_take(other, game)
        least = _least_bank(own, game)
        if game.free_win == 1:
            least = min(least, max(1, game.scores - score))
        for t in range(len(bank)):
            after = score + t
            for n in range(bank.shape[1]):
                if t < least or not lists.may_bank[n]:
                    bank[t, n, lane] = -1.0
                    continue
                dice, left = n % game.dice, 0.0
                if after < game.scores:
                    left = values[opposite, other, after]
                    if may and dice < game.most_dice:
                        begin = side.first[opposite, other, after]
                        row = min(begin + t, side.first[opposite, other, after + 1] - 1)
                        left = max(left, _taken(side, of_other, row, dice))
                elif game.goes_on[r] == 1:
                    margin = min(after - theirs, finals.afresh.shape[1] - 1)
                    left = finals.afresh[1 if on_board else 0, margin]
                    if may:
                        left = max(left, finals.taken[max(0, score - theirs), dice])
                bank[t, n, lane] = 1.0 - left


@kernel
def _roll(turn, hot, t, n, lists, part, out):
    """Set `out` to what a roll of dice of a column is worth in all lanes, but for farkles.

    turn, hot : the flat rows of a level, and those from a turn total of 0 on that hot dice lead to
    part : room for a value of each lane
    """
    out[:] = lists.wins[n]
    add_column(turn, hot, t * lists.stride, n, lists, part, out, (0,))


@kernel
def _both(one, other, farkle, mine, theirs, one_may, other_may):
    """What rolling dice that both may take over from each other is worth to both.

    one, other : what it is worth to them, but for farkles, with a chance of `farkle`
    mine, theirs : what else they have after a farkle of the other one
    one_may, other_may : whether they may take over here after it
    """
    y = other + farkle * (1.0 - mine)
    x = one + farkle * (1.0 - (max(theirs, y) if other_may else theirs))
    if one_may and x > mine:
        x = one + farkle * (1.0 - theirs)
        y = other + farkle * (1.0 - x)
        if other_may and y > theirs:
            x = (one + farkle * (1.0 - other - farkle)) / (1.0 - farkle * farkle)
            y = other + farkle * (1.0 - x)
    return x, y


@kernel
def _solve_turns(turns, rolls, banks, left, farkled, stays, at, may, game, lists, bonuses, reach):
    """Solve the turns of pairs, whose starts are worth `at`; see `_prepare` for shapes."""
    levels, columns, usual = len(bonuses), len(lists.farkles), game.usual
    rows, cell = rolls.shape[1], len(lists.farkles) * LANES
    sure = game.lost == 0 or levels * columns == game.dice
    one, other, part = np.empty(LANES), np.empty(LANES), np.empty(LANES)
    for kind in range(2):
        for k in range(2):
            for lane in range(LANES):
                if stays[kind, k, lane]:
                    farkled[kind, k, lane] = at[1 - k, lane]
    for t in range(rows - 1, -1, -1):
        change, times = 1.0, 0
        while change > _SETTLED and times < _MOST:
            change, times = 0.0, times + 1
            for level in range(levels):
                begin, following = bonuses[level] * cell, min(level + 1, levels - 1)
                for n in range(columns):
                    _roll(turns[0, level], turns[0, following, begin:], t, n, lists, part, one)
                    _roll(turns[1, level], turns[1, following, begin:], t, n, lists, part, other)
                    farkle, spared, d = lists.farkles[n], lists.loses[n], n % game.dice
                    may_be = game.lost == 1 and t > 0 and d < game.most_dice
                    for lane in range(LANES):
                        u, v = one[lane], other[lane]
                        if spared > 0.0:
                            u += spared * (1.0 - farkled[1, 0, lane])
                            v += spared * (1.0 - farkled[1, 1, lane])
                        mine, theirs = farkled[0, 1, lane], farkled[0, 0, lane]
                        one_may = may[0, lane] and stays[0, 1, lane]
                        other_may = may[1, lane] and stays[0, 0, lane]
                        if may_be and game.leaves_and_falls == 1:
                            theirs = max(theirs, left[0, t, d, lane])
                            mine = max(mine, left[1, t, d, lane])
                        if may_be and level == 0 and usual <= n < usual + game.dice:
                            u, v = _both(u, v, farkle, mine, theirs, one_may, other_may)
                        else:
                            if may_be:
                                # the first level has what may be taken over
                                if other_may:
                                    theirs = max(theirs, rolls[1, t, usual + d, lane])
                                if one_may:
                                    mine = max(mine, rolls[0, t, usual + d, lane])
                            u += farkle * (1.0 - theirs)
                            v += farkle * (1.0 - mine)
                        one[lane], other[lane] = u, v
                    place = t * cell + n * LANES
                    for k, rolled in enumerate((one, other)):
                        for lane in range(LANES):
                            if level == 0:
                                change = max(change, abs(rolls[k, t, n, lane] - rolled[lane]))
                                rolls[k, t, n, lane] = rolled[lane]
                            worth = max(rolled[lane], banks[k, t, n, lane])
                            change = max(change, abs(turns[k, level, place + lane] - worth))
                            turns[k, level, place + lane] = worth
            if t == rows - 1:
                # the last row stands for all that follow
                for k in range(2):
                    for level in range(levels):
                        row = turns[k, level, t * cell : (t + 1) * cell]
                        for place in range((t + 1) * cell, (rows + reach) * cell, cell):
                            turns[k, level, place : place + cell] = row
            elif sure:
                break


@kernel
def _prepare(pairs, side, game, lists, bonuses, reach):
    """Room for the turns of up to LANES pairs side by side, with their banks.

    Returns turns, shape (2, levels, flat rows of columns and lanes), rolls, (2, rows, columns,
    lanes), banks of the same shape, whether each player may take over, (2, lanes), what a farkle
    of each that changes a standing leaves to the other to take over, (2, rows, dice, lanes), -1 for
    nothing, without rows where none does, and what it leaves to begin afresh, (2 if it counts or
    not, 2, lanes), with whether it changes no standing.
    """
    r, columns = pairs[0, 0], len(lists.farkles)
    opposite = (r + 1) % side.values[0].shape[0]
    owns, others = np.empty(LANES, dtype=np.int64), np.empty(LANES, dtype=np.int64)
    may, rows = np.empty((2, LANES), dtype=np.bool_), 0
    for lane in range(LANES):
        # lanes that are left over do what the last pair does
        pair = min(lane, len(pairs) - 1)
        owns[lane], others[lane] = pairs[pair, 1], pairs[pair, 2]
        may[0, lane], may[1, lane] = _may_take(owns[lane], game), _may_take(others[lane], game)
        rows = max(rows, last_row(r, owns[lane], game) + 1)
        rows = max(rows, last_row(opposite, others[lane], game) + 1)
    turns = np.zeros((2, len(bonuses), (rows + reach) * columns * LANES))
    rolls = np.zeros((2, rows, columns, LANES))
    banks = np.empty((2, rows, columns, LANES))
    _fill_banks(banks[0], r, owns, others, 1, side, game, lists)
    _fill_banks(banks[1], opposite, others, owns, 0, side, game, lists)
    farkled, stays = np.empty((2, 2, LANES)), np.empty((2, 2, LANES), dtype=np.bool_)
    for kind in range(2):
        for lane in range(LANES):
            own, other = owns[lane], others[lane]
            after, after_other = game.after_farkle[kind, own], game.after_farkle[kind, other]
            stays[kind, 0, lane], stays[kind, 1, lane] = after == own, after_other == other
            farkled[kind, 0, lane] = side.values[1][opposite, other, after]
            farkled[kind, 1, lane] = side.values[0][r, own, after_other]
    # without a penalty no farkle changes a standing
    left = np.full((2, rows * game.leaves_and_falls, game.dice, LANES), -1.0)
    for lane in range(LANES * game.leaves_and_falls):
        own, other = owns[lane], others[lane]
        for k in range(2):
            if stays[0, k, lane] or not may[1 - k, lane]:
                continue
            if k == 0:
                place = side.first[opposite, other, game.after_farkle[0, own] :]
            else:
                place = side.first[r, own, game.after_farkle[0, other] :]
            for t in range(1, rows):
                for dice in range(min(game.dice, game.most_dice)):
                    row = min(place[0] + t, place[1] - 1)
                    left[k, t, dice, lane] = _taken(side, 1 - k, row, dice)
    return turns, rolls, banks, may, left, farkled, stays


@kernel
def _keep(rolled, first, r, own, other, rolls, lane, usual):
    """Write what rolling is worth that may be taken over."""
    begin, end = first[r, own, other], first[r, own, other + 1]
    for row in range(begin, end):
        for n in range(rolled.shape[1]):
            rolled[row, n] = rolls[row - begin, usual + n, lane]


@kernel
def _compare(side, of, r, own, other, rolls, lane, usual, slack):
    """Return how far what rolling is worth is off at most, and keep how far its bounds are.

    Relative to itself, or to LEAST where that is less.
    """
    begin, end = side.first[r, own, other], side.first[r, own, other + 1]
    sign, most = side.sign * (1 - 2 * of), 0.0
    for row in range(begin, end):
        for n in range(side.rolled.shape[1]):
            value = side.rolled[row, n]
            off = rolls[row - begin, usual + n, lane] + slack - value
            most = max(most, abs(off) / max(value, LEAST))
            if sign != 0.0:
                # with what it is rounded by here, and as it is added
                side.off[of][row, n] = sign * off + 1e-6 * abs(off) + 3e-16
    return most


@entry
def solve_pairs(pairs, side, game, lists, bonuses, reach):
    """Solve pairs that do not lead to each other, those of higher totals being solved.

    pairs : role, standing and opponent's standing of one state of each, shape (pairs, 3), at most
        LANES of them

    Start-of-turn values are found by Broyden's method: what turns come to is piecewise linear in
    what their starts are worth. Returns by how much they changed last, relative to themselves.
    """
    values, r = side.values[0], pairs[0, 0]
    opposite = (r + 1) % values.shape[0]
    turns, rolls, banks, may, left, farkled, stays = _prepare(
        pairs, side, game, lists, bonuses, reach
    )
    begun = rolls[:, 0, -1]
    at, last, to_go = np.zeros((2, LANES)), np.zeros((2, LANES)), np.zeros((2, LANES))
    # the inverse of how what is left to go changes, as if one turn in four farkled
    inverse = np.empty((4, LANES))
    inverse[0], inverse[3], inverse[1:3] = -16.0 / 15.0, -16.0 / 15.0, 4.0 / 15.0
    least, in_vain, settled = np.full(LANES, 2.0), np.zeros(LANES), np.zeros(LANES, dtype=np.bool_)
    for lane in range(LANES):
        _, own, other = pairs[min(lane, len(pairs) - 1)]
        at[0, lane], at[1, lane] = values[r, own, other], values[opposite, other, own]
    for iteration in range(_MOST):
        _solve_turns(
            turns, rolls, banks, left, farkled, stays, at, may, game, lists, bonuses, reach
        )
        for lane in range(LANES):
            if settled[lane] or not stays[:, :, lane].any():
                settled[lane] = True
                continue
            x, y = at[0, lane], at[1, lane]
            go_x, go_y = begun[0, lane] - x, begun[1, lane] - y
            turned_x, turned_y = go_x - to_go[0, lane], go_y - to_go[1, lane]
            to_go[0, lane], to_go[1, lane] = go_x, go_y
            size = max(abs(go_x), abs(go_y))
            in_vain[lane] = 0 if size < least[lane] / 2.0 else in_vain[lane] + 1
            least[lane] = min(least[lane], size)
            if size <= _SAME or (least[lane] < 1e-13 and in_vain[lane] > 3):
                settled[lane] = True
                continue
            a, b, c, d = inverse[0, lane], inverse[1, lane], inverse[2, lane], inverse[3, lane]
            if iteration > 0:
                went_x, went_y = x - last[0, lane], y - last[1, lane]
                u = went_x - a * turned_x - b * turned_y
                v = went_y - c * turned_x - d * turned_y
                p, q = went_x * a + went_y * c, went_x * b + went_y * d
                scale = p * turned_x + q * turned_y
                if abs(scale) > 1e-300:
                    a, b = a + u * p / scale, b + u * q / scale
                    c, d = c + v * p / scale, d + v * q / scale
            if in_vain[lane] > 8:
                # the method went astray
                a, b, c, d, in_vain[lane] = -1.0, 0.0, 0.0, -1.0, 0
            inverse[0, lane], inverse[1, lane], inverse[2, lane], inverse[3, lane] = a, b, c, d
            last[0, lane], last[1, lane] = x, y
            at[0, lane] = min(1.0, max(0.0, x - a * go_x - b * go_y))
            at[1, lane] = min(1.0, max(0.0, y - c * go_x - d * go_y))
        if settled.all():
            break
    changes = np.empty((len(pairs), 2))
    for lane in range(len(pairs)):
        own, other = pairs[lane, 1], pairs[lane, 2]
        for k in range(2):
            changes[lane, k] = abs(to_go[k, lane]) / max(begun[k, lane], 1e-300)
        starts = begun[0, lane], begun[1, lane]
        values[r, own, other], values[opposite, other, own] = starts
        _keep(side.rolled, side.first, r, own, other, rolls[0], lane, game.usual)
        _keep(side.rolled, side.first, opposite, other, own, rolls[1], lane, game.usual)
    return changes


@entry
def renew_pairs(pairs, side, slack, game, lists, bonuses, reach):
    """Solve the turns of pairs once, given what their starts are worth.

    pairs : as for `solve_pairs`
    side : of values, or upper bounds of the first state of each pair and lower ones of the other
    slack : by which bounds are moved apart; 0 for values

    Returns an array, (pairs, 2 players, 2), of what the starts come to, and how far what may be
    taken over is off; how far its bounds are is kept in `side`.
    """
    r = pairs[0, 0]
    opposite = (r + 1) % side.values[0].shape[0]
    turns, rolls, banks, may, left, farkled, stays = _prepare(
        pairs, side, game, lists, bonuses, reach
    )
    begun, at, usual = rolls[:, 0, -1], np.empty((2, LANES)), game.usual
    for lane in range(LANES):
        pair = min(lane, len(pairs) - 1)
        at[0, lane] = side.values[0][r, pairs[pair, 1], pairs[pair, 2]]
        at[1, lane] = side.values[1][opposite, pairs[pair, 2], pairs[pair, 1]]
    _solve_turns(turns, rolls, banks, left, farkled, stays, at, may, game, lists, bonuses, reach)
    renewed = np.empty((len(pairs), 2, 2))
    for lane in range(len(pairs)):
        own, other = pairs[lane, 1], pairs[lane, 2]
        renewed[lane, 0, 0] = begun[0, lane] + slack
        renewed[lane, 1, 0] = begun[1, lane] - slack
        renewed[lane, 0, 1] = _compare(side, 0, r, own, other, rolls[0], lane, usual, slack)
        renewed[lane, 1, 1] = _compare(side, 1, opposite, other, own, rolls[1], lane, usual, -slack)
    return renewed
