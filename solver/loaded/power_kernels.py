"""What numba compiles where badges are used up: turns in layers, one for each number of uses left.

A use leads from a layer to the one before. So the layers of a turn are solved one after another; of
the last one, that of the uses at its start, only the value of a farkle is not known before, and it
is found in pairs of states as without badges.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from solver.game.lanes import LANES
from solver.game.list_kernels import add_lists

_MAX_ROUNDS = 100
"""Turns that a pair of states may take; two to four are enough."""


class Program(NamedTuple):
    """Cells of a layer in the order in which they are worked out, see `power_cells.Cells`."""

    options: np.ndarray
    """Places in lanes, list after list, (options,)."""
    starts: np.ndarray
    """Where each list starts in `options`, and the end, (lists + 1,)."""
    first_list: np.ndarray
    """The first list of each cell, and the end, (cells + 1,)."""
    chances: np.ndarray
    """The chance of each list, (lists,)."""
    places: np.ndarray
    """Where each cell lies, in lanes, (cells,)."""
    from_layer: np.ndarray
    """1 where options lie in layers, 0 where in the room, (cells,)."""
    to_layer: np.ndarray
    """1 where a cell does."""
    banked: np.ndarray
    """Whether a player may bank instead, (cells,)."""


class Match(NamedTuple):
    """The numbers of a match-up, in steps."""

    scores: int
    """Scores from 0 up to the goal."""
    least: int
    """Least bank."""
    free_win: int
    """1 where a bank that wins is free of the minimum."""


class Player(NamedTuple):
    """What a player throws, and may do with the badge."""

    layers: int
    """The number of layers of a turn."""
    width: int
    """The width of a layer, in lanes."""
    room: int
    """In lanes, in front of all turn totals."""
    whole: int
    """Where W of all dice lies in a layer, in lanes."""
    farkle: int
    """Where a farkle lies, in lanes."""
    plain: Program
    """The program of the first layer of a turn."""
    powered: Program
    """The program of the other layers."""
    of_bank: int
    """1 where a use raises a bank."""
    at_start: int
    """1 where it has to be said before the first roll, and then raises all of the turn."""
    raised: np.ndarray
    """What turn totals count for that are banked with a use."""


class Scratch(NamedTuple):
    """A thread's scratch for turns of one player."""

    values: np.ndarray
    """The room, and (turn totals, layers, cells, LANES); 1 after the turn totals to solve."""
    bank: np.ndarray
    """(turn totals, LANES)"""
    said: np.ndarray
    """Value of a turn whose use was said before its first roll, (LANES,)."""


@njit(nogil=True, cache=True, error_model="numpy")
def _begin(layer, rows, player, scratch):
    """Where a layer of turn total 0 lies: all turns end in the same rows, layers the first last."""
    row = (len(scratch.bank) - rows + 1) * player.layers - 1 - layer
    return player.room + row * player.width


@njit(nogil=True, cache=True, error_model="numpy")
def _solve_layer(layer, rows, worth, player, scratch):
    """Solve one layer of the turns in all lanes, backwards over their turn totals.

    worth : of a farkle in each lane
    """
    values, bank = scratch.values, scratch.bank
    program = player.powered if layer > 0 else player.plain
    begin = _begin(layer, rows, player, scratch)
    for t in range(rows - 1, -1, -1):
        here = begin + t * player.layers * player.width
        for lane in range(LANES):
            values[here + player.farkle + lane] = worth[lane]
        for cell in range(len(program.places)):
            place = program.places[cell] + program.to_layer[cell] * here
            for lane in range(LANES):
                values[place + lane] = 0.0
            add_lists(  # type: ignore[call-arg] # numba gives it the context by itself
                values,
                values,
                program.from_layer[cell] * here,
                program.options,
                program.starts,
                program.chances,
                program.first_list[cell],
                program.first_list[cell + 1],
                values,
                place,
            )
            if program.banked[cell]:
                for lane in range(LANES):
                    # a sum of chances may come out one rounding above 1
                    value = min(1.0, values[place + lane])
                    values[place + lane] = max(bank[t, lane], value)


@njit(nogil=True, cache=True, error_model="numpy")
def _turn_totals(group, match):
    """How many turn totals there are in the turns of a group.

    group : total, the second player's score in lane 0, which grows by one a lane, the number of
        lanes that are states, and whether the second player acts
    """
    s, first, count, second = group
    # who has least, so misses most
    poorest = first if second else s - first - count + 1
    return max(match.scores - poorest, match.least)


@njit(nogil=True, cache=True, error_model="numpy")
def _raise_banks(rows, bank, table, group, match, raised):
    """Raise what banks are worth, turn totals counting for `raised`, where these may be banked.

    table : the other player's values
    """
    s, first, count, second = group
    for t in range(rows):
        for lane in range(LANES):
            own = first + lane if second else s - first - lane
            wins = own + raised[t] >= match.scores
            if t >= match.least or (match.free_win == 1 and wins and t > 0):
                value = 1.0
                if lane < count and not wins:
                    other = first + lane + (raised[t] if second else 0)
                    value = 1.0 - table[s + raised[t], other]
                bank[t, lane] = max(bank[t, lane], value)


@njit(nogil=True, cache=True, error_model="numpy")
def _worth(table, group, found):
    """What farkles are worth that pass the turn to a state in `table`."""
    s, first, count, _ = group
    for lane in range(LANES):
        found[lane] = 1.0 - table[s, first + lane] if lane < count else 0.5


@njit(nogil=True, cache=True, error_model="numpy")
def _prepare(uses, others, group, match, player, scratch):
    """Solve the layers of fewer uses, and fill what banks of the last one are worth.

    Returns its turn totals and its number.

    others : the other player's values, by the own uses left
    """
    worth, rows = np.empty(LANES), _turn_totals(group, match)
    bank, totals = scratch.bank, np.arange(len(scratch.bank))
    scratch.said[:] = 0.0
    if uses > 0 and player.at_start == 1:
        bank[:] = 0.0
        _raise_banks(rows, bank, others[uses - 1], group, match, player.raised)
        _worth(others[uses - 1], group, worth)
        _solve_layer(0, rows, worth, player, scratch)
        whole = _begin(0, rows, player, scratch) + player.whole
        scratch.said[:] = scratch.values[whole : whole + LANES]
    fewest = max(0, uses - player.layers + 1)
    for left in range(fewest, uses + 1):
        bank[:] = 0.0
        _raise_banks(rows, bank, others[left], group, match, totals)
        if left > 0 and player.of_bank == 1 and player.at_start == 0:
            _raise_banks(rows, bank, others[left - 1], group, match, player.raised)
        if left < uses:
            _worth(others[left], group, worth)
            _solve_layer(left - fewest, rows, worth, player, scratch)
    return rows, uses - fewest


@njit(nogil=True, cache=True, error_model="numpy")
def _start(layer, rows, worth, player, scratch, found):
    """Value of the start of a turn in each lane, if a farkle is worth so much."""
    _solve_layer(layer, rows, worth, player, scratch)
    whole = _begin(layer, rows, player, scratch) + player.whole
    for lane in range(LANES):
        found[lane] = max(scratch.said[lane], scratch.values[whole + lane])


@njit(nogil=True, cache=True, error_model="numpy")
def _secant(x, image, ahead, last_x, last_image, slope, count, iteration, least):
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
def _solve_group(s, uses, first, count, tables, slopes, match, player, other, own, own2, limits):
    """Solve pairs of states with some uses left of both.

    The value x of a state of the second player and that of the first one's at the same scores
    depend on each other by a farkle each: x = H(x), H rising, piecewise linear, with a slope under
    1. Secant steps on H, lane by lane, end when no lane is further than the tolerance of itself, or
    of `least` if it is less, from its fixed point, by the last slope.
    """
    tolerance, least = limits
    a, b = uses
    one, two = tables[a, b, 0], tables[a, b, 1]
    rows, layer = _prepare(a, tables[:, b, 1], (s, first, count, False), match, player, own)
    rows2, layer2 = _prepare(b, tables[a, :, 0], (s, first, count, True), match, other, own2)
    x, image, ahead = np.empty(LANES), np.empty(LANES), np.empty(LANES)
    last_x, last_image, worth = np.empty(LANES), np.empty(LANES), np.empty(LANES)
    slope = slopes[first : first + LANES].copy()
    for lane in range(LANES):
        # bilinear in both scores, which is close enough to begin with
        near = two[s + 1, first + lane] + two[s + 1, first + lane + 1]
        x[lane] = min(1.0, max(0.0, near - two[s + 2, first + lane + 1]))
    error = 1.0
    for iteration in range(_MAX_ROUNDS):
        for lane in range(LANES):
            worth[lane] = 1.0 - x[lane]
        _start(layer, rows, worth, player, own, ahead)
        for lane in range(LANES):
            worth[lane] = 1.0 - ahead[lane]
        _start(layer2, rows2, worth, other, own2, image)
        error = _secant(x, image, ahead, last_x, last_image, slope, count, iteration, least)
        if iteration > 0 and error <= tolerance:
            break
    for lane in range(count):
        score = first + lane
        one[s, score], two[s, score] = ahead[lane], x[lane]
        slopes[score] = slope[lane]
    return error, iteration + 1


@njit(nogil=True, cache=True, error_model="numpy")
def solve_groups(worker, s, uses, tables, slopes, match, player, other, own, own2, limits, found):
    """Solve a worker's share of the pairs of states with total s and some uses left of both.

    Those with higher totals are solved, and of this one those with fewer uses left. Workers solve
    their shares side by side, each with scratch of its own.

    uses : of the first and of the second player
    tables : values at [uses of the first, of the second, side to act, total, second's score]
    slopes : of each score of the second player at the total before, to begin with
    own, own2 : scratch of this worker for turns of the first and of the second player
    limits : tolerance and least
    found : (workers, 2), the largest error and the rounds of all groups
    """
    high = min(match.scores - 1, s)
    low = max(0, s - match.scores + 1)
    error, rounds = 0.0, 0
    for first in range(low + worker * LANES, high + 1, len(found) * LANES):
        count = min(LANES, high - first + 1)
        worst, needed = _solve_group(
            s, uses, first, count, tables, slopes, match, player, other, own, own2, limits
        )
        error, rounds = max(error, worst), rounds + needed
    found[worker, 0], found[worker, 1] = error, rounds
