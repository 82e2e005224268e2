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

NONE, WARLORD, RESURRECTION, MIGHT, OFFERED, REROLL = range(6)
"""Where a power acts: on banks, farkles, rolls with one more die, set-asides, and rolled dice."""

_MAX_ROUNDS = 100
"""Turns that a pair of states may take; two to four are enough."""

_NOT_ALLOWED = -1e300
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


class Nodes(NamedTuple):
    """Rolls of which dice may be rolled again, as lists for `add_lists` in a space of their own.

    In it are what each list of set-asides is worth, a farkle, and the nodes of one column.
    """

    rolls: Lists
    """A list for each roll: its set-asides or a farkle, and its nodes; no chances of farkles."""
    outcomes: Lists
    """A list of one option for each outcome of a node: what it is worth with a use less."""
    first_outcome: np.ndarray
    """The first outcome of each node, and the end."""
    first_node: np.ndarray
    """The first node of each column, and the end."""
    ones: np.ndarray
    """Chances of lists that are taken by themselves, (lists,)."""


class Player(NamedTuple):
    """What a player throws, and may do with the badge. Places are those of rows in layers."""

    kind: int
    layers: int
    """Of a turn."""
    once: int
    """1 where a turn has at most one use."""
    at_start: int
    """1 where a use has to be said before the first roll."""
    plain: Lists
    """What rolls offer without a use left."""
    offers: Lists
    """What they offer with one."""
    added: Lists
    """What rolls with one more die offer once there is one use less."""
    nodes: Nodes
    raised: np.ndarray
    """What turn totals count for that are banked with a use."""


class Scratch(NamedTuple):
    """A thread's scratch for turns of one player."""

    values: np.ndarray
    """(rows * layers * (columns + 1) * LANES); those after the turn totals to solve are 1."""
    bank: np.ndarray
    """(turn totals, LANES)"""
    more: np.ndarray
    """What banks with a use are worth, (turn totals, LANES)."""
    least: np.ndarray
    """What may be had instead of rolling, (turn totals, columns * LANES)."""
    instead: np.ndarray
    """What may be had instead of a farkle, (turn totals, columns * LANES)."""
    rolled: np.ndarray
    """Values of rolling in the layer before, (turn totals, columns * LANES)."""
    out: np.ndarray
    """(columns * LANES)"""
    space: np.ndarray
    """Of `Nodes`, with one use less and with as many, (2, space)."""
    said: np.ndarray
    """Value of a turn whose use was said before its first roll, (LANES,)."""


@njit(nogil=True, cache=True, error_model="numpy")
def _add(lists, chances, first, end, values, row, out, place):
    """Put into lanes of `out` what lists are worth together."""
    where, starts = lists.places, lists.starts
    add_lists(  # type: ignore[call-arg] # numba gives it the context by itself
        values, values, row, where, starts, chances, first, end, out, place
    )


@njit(nogil=True, cache=True, error_model="numpy")
def _roll(lists, n, values, row, out):
    """Make of what farkles are worth, in the lanes of a column of `out`, what rolling is worth."""
    place = n * LANES
    for lane in range(LANES):
        out[place + lane] *= lists.farkles[n, lane]
    first, end = lists.first_list[n], lists.first_list[n + 1]
    _add(lists, lists.chances, first, end, values, row, out, place)


@njit(nogil=True, cache=True, error_model="numpy")
def _roll_again(values, row, width, player, space, out):
    """Fill `out` with the values of rolls of which dice may be rolled again, column by column."""
    lists, nodes = player.plain, player.nodes
    for layer in range(2):
        here = row - width if layer == 0 else row
        for number in range(len(nodes.ones)):
            place, end = number * LANES, number + 1
            for lane in range(LANES):
                space[layer, place + lane] = 0.0
            _add(lists, nodes.ones, number, end, values, here, space[layer], place)
        for lane in range(LANES):
            space[layer, len(nodes.ones) * LANES + lane] = values[here + width - LANES + lane]
    behind = (len(nodes.ones) + 1) * LANES
    rolls, outcomes = nodes.rolls, nodes.outcomes
    for n in range(len(nodes.first_node) - 1):
        first = nodes.first_node[n]
        for node in range(first, nodes.first_node[n + 1]):
            place = behind + (node - first) * LANES
            for lane in range(LANES):
                space[1, place + lane] = 0.0
            begin, end = nodes.first_outcome[node], nodes.first_outcome[node + 1]
            _add(outcomes, outcomes.chances, begin, end, space[0], 0, space[1], place)
        for lane in range(LANES):
            out[n * LANES + lane] = 0.0
        begin, end = rolls.first_list[n], rolls.first_list[n + 1]
        _add(rolls, rolls.chances, begin, end, space[1], 0, out, n * LANES)


@njit(nogil=True, cache=True, error_model="numpy")
def _solve_layer(layer, rows, worth, player, scratch):
    """Solve one layer of the turns in all lanes, backwards over their last turn totals.

    worth : of a farkle in each lane
    """
    values, out = scratch.values, scratch.out
    top, columns = len(scratch.bank), len(player.plain.farkles)
    width = (columns + 1) * LANES
    lists = player.offers if layer > 0 else player.plain
    again = layer > 0 and player.kind == REROLL
    for t in range(rows - 1, -1, -1):
        row = ((top - rows + t) * player.layers + layer) * width
        for lane in range(LANES):
            values[row + width - LANES + lane] = worth[lane]
        if again:
            _roll_again(values, row, width, player, scratch.space, out)
        for n in range(columns):
            place = n * LANES
            if not again:
                for lane in range(LANES):
                    out[place + lane] = max(worth[lane], scratch.instead[t, place + lane])
                _roll(lists, n, values, row, out)
            for lane in range(LANES):
                value = min(1.0, out[place + lane])
                scratch.rolled[t, place + lane] = value
                values[row + place + lane] = max(scratch.least[t, place + lane], value)


@njit(nogil=True, cache=True, error_model="numpy")
def _fill_bank(bank, table, group, match, raised):
    """Fill what banks are worth, turn totals counting for `raised`; returns how many there are.

    table : the other player's values
    group : total, the second player's score in lane 0, which grows by one a lane, the number of
        lanes that are states, and whether the second player acts
    """
    s, first, count, second = group
    # who has least, so misses most
    poorest = first if second else s - first - count + 1
    rows = max(match.scores - poorest, match.least)
    for t in range(rows):
        for lane in range(LANES):
            own = first + lane if second else s - first - lane
            wins = own + raised[t] >= match.scores
            value = 0.0
            if t >= match.least or (match.free_win == 1 and wins and t > 0):
                value = 1.0
                if lane < count and not wins:
                    other = first + lane + (raised[t] if second else 0)
                    value = 1.0 - table[s + raised[t], other]
            bank[t, lane] = value
    return rows


@njit(nogil=True, cache=True, error_model="numpy")
def _worth(table, group, found):
    """What farkles are worth that pass the turn to a state in `table`."""
    s, first, count, _ = group
    for lane in range(LANES):
        found[lane] = 1.0 - table[s, first + lane] if lane < count else 0.5


@njit(nogil=True, cache=True, error_model="numpy")
def _allow(layer, left, others, group, match, raised, player, scratch):
    """Fill what a layer with `left` uses may do besides rolling its dice and setting some aside.

    Returns its turn totals, which count for `raised` when they are banked without a use.
    """
    bank, more, out = scratch.bank, scratch.more, scratch.out
    top, columns = len(bank), len(player.plain.farkles)
    rows = _fill_bank(bank, others[left], group, match, raised)
    more[:] = _NOT_ALLOWED
    if left > 0 and player.kind == WARLORD and player.at_start == 0:
        _fill_bank(more, others[left - 1], group, match, player.raised)
    worth = np.empty(LANES)
    added = layer > 0 and player.kind == MIGHT
    again = layer > 0 and player.kind == RESURRECTION
    if added:
        _worth(others[left - 1], group, worth)
    for t in range(rows):
        row = ((top - rows + t) * player.layers + layer - 1) * (columns + 1) * LANES
        for n in range(columns):
            place = n * LANES
            for lane in range(LANES):
                rolled = scratch.rolled[t, place + lane]
                scratch.least[t, place + lane] = max(bank[t, lane], more[t, lane])
                scratch.instead[t, place + lane] = rolled if again else _NOT_ALLOWED
            if added:
                for lane in range(LANES):
                    out[place + lane] = worth[lane]
                _roll(player.added, n, scratch.values, row, out)
                for lane in range(LANES):
                    value = max(scratch.least[t, place + lane], min(1.0, out[place + lane]))
                    scratch.least[t, place + lane] = value
    return rows


@njit(nogil=True, cache=True, error_model="numpy")
def _prepare(uses, others, group, match, player, scratch):
    """Solve the layers of fewer uses, and fill what the last one may do.

    Returns its turn totals and its number.

    others : the other player's values, by the own uses left
    """
    worth, whole = np.empty(LANES), len(scratch.out) - LANES
    plain = np.arange(len(scratch.bank))
    scratch.said[:] = 0.0
    if uses > 0 and player.at_start == 1:
        rows = _allow(0, uses - 1, others, group, match, player.raised, player, scratch)
        _worth(others[uses - 1], group, worth)
        _solve_layer(0, rows, worth, player, scratch)
        scratch.said[:] = scratch.rolled[0, whole:]
    begin = uses
    if player.layers > 1 and uses > 0:
        begin = uses - 1 if player.once == 1 else 0
    for left in range(begin, uses):
        rows = _allow(left - begin, left, others, group, match, plain, player, scratch)
        _worth(others[left], group, worth)
        _solve_layer(left - begin, rows, worth, player, scratch)
    layer = uses - begin
    return _allow(layer, uses, others, group, match, plain, player, scratch), layer


@njit(nogil=True, cache=True, error_model="numpy")
def _start(layer, rows, worth, player, scratch, found):
    """Value of the start of a turn in each lane, if a farkle is worth so much."""
    _solve_layer(layer, rows, worth, player, scratch)
    size = len(scratch.out) + LANES
    whole = ((len(scratch.bank) - rows) * player.layers + layer + 1) * size - 2 * LANES
    for lane in range(LANES):
        found[lane] = max(scratch.said[lane], min(1.0, scratch.values[whole + lane]))


@njit(nogil=True, cache=True, error_model="numpy")
def _logit(probability):
    return np.log(max(probability, 1e-300)) - np.log(max(1.0 - probability, 1e-16))


@njit(nogil=True, cache=True, error_model="numpy")
def _guess(table, s, score, scores):
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
        x[lane] = _guess(two, s, first + lane, match.scores) if lane < count else 0.5
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
