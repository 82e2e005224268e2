"""What numba compiles for loaded dice: turns over remaining dice, and two players' pairs of them.

A turn of different dice has thousands of lists, too many for straight-line code. So a loop goes
through them, with LANES states or sets side by side.
"""

from typing import NamedTuple

import numpy as np
from numba import njit, prange

from solver.game.lanes import LANES
from solver.game.list_kernels import add_lists

MAX_ROUNDS = 100
"""Turns that a pair of states may take; two to four are enough."""

NOT_ALLOWED = -1e300
"""A bank that is not allowed; no infinity, as it is multiplied with chances that may be 0."""


class Lists(NamedTuple):
    """The lists of a set, as the kernels take them."""

    places: np.ndarray
    """Where each option lies from the row of a turn total on, list after list, (options,)."""
    starts: np.ndarray
    """Where each list starts in `places`, and the end, (lists + 1,)."""
    first_list: np.ndarray
    """The first list of each column, and the end, (columns + 1,)."""
    chances: np.ndarray
    """Of each list, (lists,), or of each list in each lane, (lists, LANES)."""
    farkles: np.ndarray
    """Chance of a farkle with the dice of a column in each lane, (columns, LANES)."""


@njit(nogil=True, cache=True, error_model="numpy")
def solve_rows(values, top, rows, bank, farkle, lists, out):
    """One turn in each lane, backwards over its last `rows` turn totals before row `top`.

    values : flat, rows of columns * LANES, of W(t, n); rows from `top` on are read
    bank, farkle : (rows, LANES), the values of ending the turn; NOT_ALLOWED for no bank
    out : columns * LANES, scratch, which ends as the first row
    """
    columns = len(lists.farkles)
    size = columns * LANES
    for t in range(rows - 1, -1, -1):
        row = (top - rows + t) * size
        for n in range(columns):
            place = n * LANES
            for lane in range(LANES):
                out[place + lane] = lists.farkles[n, lane] * farkle[t, lane]
            first, end = lists.first_list[n], lists.first_list[n + 1]
            where, starts = lists.places, lists.starts
            add_lists(  # type: ignore[call-arg] # numba gives it the context by itself
                values, values, row, where, starts, lists.chances, first, end, out, place
            )
            for lane in range(LANES):
                out[place + lane] = max(bank[t, lane], out[place + lane])
        here = values[row:]
        for k in range(size):
            here[k] = out[k]


class Match(NamedTuple):
    """The numbers of a match-up, in steps."""

    scores: int
    """Scores from 0 up to the goal."""
    least: int
    """Least bank."""
    free_win: int
    """1 where a bank that wins is free of the minimum."""
    mirrored: int
    """1 where both sets are the same, so that a state is solved with its mirror image."""


class Side(NamedTuple):
    """One player's scratch, with an entry for each thread in front."""

    values: np.ndarray
    """(threads, rows * columns * LANES); the rows from `top` on are 1."""
    bank: np.ndarray
    """(threads, rows, LANES)"""
    farkle: np.ndarray
    """(threads, rows, LANES)"""
    out: np.ndarray
    """(threads, columns * LANES)"""


@njit(nogil=True, cache=True, error_model="numpy")
def fill_bank(bank, table, s, first, count, second, match):
    """Fill what banks are worth to the first or the second player; returns the turn totals.

    table : the other player's values
    first : the second player's score in lane 0; it grows by one a lane, `count` lanes are states
    """
    # who has least, so misses most
    poorest = first if second else s - first - count + 1
    rows = max(match.scores - poorest, match.least)
    for t in range(rows):
        for lane in range(LANES):
            own = first + lane if second else s - first - lane
            wins = own + t >= match.scores
            value = 0.0
            if t >= match.least or (match.free_win == 1 and wins and t > 0):
                value = 1.0
                if lane < count and not wins:
                    value = 1.0 - table[s + t, first + lane + (t if second else 0)]
            bank[t, lane] = value
    return rows


@njit(nogil=True, cache=True, error_model="numpy")
def _start(values, top, rows, bank, farkle, lists, out, worth, found):
    """Value of the start of a turn in each lane, if a farkle is worth so much."""
    for t in range(rows):
        for lane in range(LANES):
            farkle[t, lane] = worth[lane]
    solve_rows(values, top, rows, bank, farkle, lists, out)
    whole = out.size - LANES
    for lane in range(LANES):
        # a sum of chances may come out one rounding above 1
        found[lane] = min(1.0, out[whole + lane])


@njit(nogil=True, cache=True, error_model="numpy")
def _logit(probability):
    return np.log(max(probability, 1e-300)) - np.log(max(1.0 - probability, 1e-16))


@njit(nogil=True, cache=True, error_model="numpy")
def guess(table, s, score, scores):
    """A first value of a state: its logit as if bilinear in both scores."""
    other = s - score
    if score + 1 >= scores or other + 1 >= scores:
        return 0.5
    logit = (
        _logit(table[s + 1, score])
        + _logit(table[s + 1, score + 1])
        - _logit(table[s + 2, score + 1])
    )
    return 1.0 / (1.0 + np.exp(-logit))


@njit(nogil=True, cache=True, error_model="numpy")
def secant(x, image, ahead, last_x, last_image, slope, count, iteration, least):
    """A step of each lane from x to where H(x) = x; returns how far the furthest still is from it.

    x : in a state of the second player, and in place what follows
    image : H(x); ahead : of the first player's state in between
    last_x, last_image, slope : of the step before, and in place of this one
    """
    error = 0.0
    for lane in range(count):
        distance = image[lane] - x[lane]
        if iteration > 0 and abs(x[lane] - last_x[lane]) > 1e-8 * x[lane]:
            slope[lane] = (image[lane] - last_image[lane]) / (x[lane] - last_x[lane])
        slope[lane] = min(max(slope[lane], 0.0), 1.0 - 1e-9)
        distance /= 1.0 - slope[lane]
        last_x[lane], last_image[lane] = x[lane], image[lane]
        x[lane] = min(1.0, max(0.0, x[lane] + distance))
        scale = max(least, min(ahead[lane], image[lane]))
        error = max(error, abs(distance) / scale)
    return error


@njit(nogil=True, cache=True, error_model="numpy")
def _solve_group(s, first, count, one, other, slopes, match, lists, others, side, side2, limits):
    """Solve the pairs of states in which the second player has first .. first + count - 1 points.

    Returns the largest error of any of them, by the last slope, and the rounds that it took.
    """
    values, bank, farkle, out = side
    values2, bank2, farkle2, out2 = side2
    tolerance, least = limits
    rows = fill_bank(bank, other, s, first, count, False, match)
    rows2 = fill_bank(bank2, one, s, first, count, True, match)
    top, top2 = bank.shape[0], bank2.shape[0]
    x, image, ahead = np.empty(LANES), np.empty(LANES), np.empty(LANES)
    last_x, last_image, worth = np.empty(LANES), np.empty(LANES), np.empty(LANES)
    slope = slopes[first : first + LANES].copy()
    for lane in range(LANES):
        x[lane] = guess(other, s, first + lane, match.scores) if lane < count else 0.5
    error = 1.0
    for iteration in range(MAX_ROUNDS):
        for lane in range(LANES):
            worth[lane] = 1.0 - x[lane]
        _start(values, top, rows, bank, farkle, lists, out, worth, ahead)
        for lane in range(LANES):
            worth[lane] = 1.0 - ahead[lane]
        _start(values2, top2, rows2, bank2, farkle2, others, out2, worth, image)
        error = secant(x, image, ahead, last_x, last_image, slope, count, iteration, least)
        if iteration > 0 and error <= tolerance:
            break
    for lane in range(count):
        score = first + lane
        one[s, score], other[s, score] = ahead[lane], x[lane]
        slopes[score] = slope[lane]
        if match.mirrored == 1:
            other[s, s - score], one[s, s - score] = ahead[lane], x[lane]
    return error, iteration + 1


@njit(nogil=True, cache=True, error_model="numpy", parallel=True)
def solve_total(s, tables, slopes, match, lists, others, side, side2, limits, found):
    """Solve all pairs of states with total s; those with higher totals are solved.

    The value x of a state of the second player and that of the first one's at the same scores
    depend on each other by a farkle each: x = H(x), H rising, piecewise linear, with a slope under
    1. Secant steps on H, lane by lane, end when no lane is further than `tolerance` of itself, or
    of `least` if it is less, from its fixed point, by the last slope.

    tables : the first and the second player's values at [total, second player's score]
    slopes : of each score of the second player at the total before, to begin with
    limits : tolerance and least
    lists, others, side, side2 : of the first and of the second player
    found : (threads, 2), the largest error and the rounds of all groups
    """
    one, other = tables[0], tables[1]
    workers = len(side.out)
    high = min(match.scores - 1, s)
    low = max(0, s - match.scores + 1)
    if match.mirrored == 1:
        low = max(low, (s + 1) // 2)
    groups = (high - low) // LANES + 1
    for worker in prange(workers):
        own = side.values[worker], side.bank[worker], side.farkle[worker], side.out[worker]
        own2 = side2.values[worker], side2.bank[worker], side2.farkle[worker], side2.out[worker]
        error, rounds = 0.0, 0
        for group in range(worker, groups, workers):
            first = low + group * LANES
            count = min(LANES, high - first + 1)
            worst, needed = _solve_group(
                s, first, count, one, other, slopes, match, lists, others, own, own2, limits
            )
            error, rounds = max(error, worst), rounds + needed
        found[worker, 0], found[worker, 1] = error, rounds
