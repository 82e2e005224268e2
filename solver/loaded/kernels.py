"""What numba compiles for pairs of states of two players, where badges are used up."""

from typing import NamedTuple

import numpy as np
from numba import njit

from solver.game.lanes import LANES

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
    """Of each list, (lists,)."""
    farkles: np.ndarray
    """Chance of a farkle with the dice of a column in each lane, (columns, LANES)."""


class Match(NamedTuple):
    """The numbers of a match-up, in steps."""

    scores: int
    """Scores from 0 up to the goal."""
    least: int
    """Least bank."""
    free_win: int
    """1 where a bank that wins is free of the minimum."""


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
