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
from solver.loaded.kernels import (
    MAX_ROUNDS,
    NOT_ALLOWED,
    Lists,
    fill_bank,
    guess,
    secant,
)

NONE, WARLORD, RESURRECTION, MIGHT, OFFERED, REROLL = range(6)
"""Where a power acts: on banks, farkles, rolls with one more die, set-asides, and rolled dice."""


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
    """One player's scratch, with an entry for each thread in front."""

    values: np.ndarray
    """(threads, rows * layers * (columns + 1) * LANES); the rows from `top` on are 1."""
    bank: np.ndarray
    """(threads, rows, LANES)"""
    more: np.ndarray
    """The same of banks with a use."""
    least: np.ndarray
    """What may be had instead of rolling, (threads, rows, columns * LANES)."""
    instead: np.ndarray
    """What may be had instead of a farkle, (threads, rows, columns * LANES)."""
    rolled: np.ndarray
    """Values of rolling in the layer before, (threads, rows, columns * LANES)."""
    out: np.ndarray
    """(threads, columns * LANES)"""
    space: np.ndarray
    """Of `Nodes`, with one use less and with as many, (threads, 2, space)."""
    said: np.ndarray
    """Value of a turn whose use was said before its first roll, (threads, LANES)."""


@njit(nogil=True, cache=True, error_model="numpy")
def _roll_again(values, row, width, player, space, out):
    """Fill `out` with the values of rolls of which dice may be rolled again, column by column."""
    lists, nodes = player.plain, player.nodes
    for layer in range(2):
        here = row - width if layer == 0 else row
        for number in range(len(nodes.ones)):
            place = number * LANES
            for lane in range(LANES):
                space[layer, place + lane] = 0.0
            add_lists(  # type: ignore[call-arg] # numba gives it the context by itself
                values,
                values,
                here,
                lists.places,
                lists.starts,
                nodes.ones,
                number,
                number + 1,
                space[layer],
                place,
            )
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
            where, starts = outcomes.places, outcomes.starts
            add_lists(  # type: ignore[call-arg]
                space[0], space[0], 0, where, starts, outcomes.chances, begin, end, space[1], place
            )
        for lane in range(LANES):
            out[n * LANES + lane] = 0.0
        begin, end = rolls.first_list[n], rolls.first_list[n + 1]
        values, places, place = space[1], rolls.places, n * LANES
        add_lists(  # type: ignore[call-arg]
            values, values, 0, places, rolls.starts, rolls.chances, begin, end, out, place
        )


@njit(nogil=True, cache=True, error_model="numpy")
def _solve_layer(layer, top, rows, worth, player, powered, values, scratch):
    """Solve one layer of the turns in all lanes, backwards over the turn totals before row `top`.

    worth : of a farkle in each lane
    powered : whether there are uses left
    scratch : least, instead, rolled, out and space of the thread
    """
    least, instead, rolled, out, space = scratch
    columns = len(player.plain.farkles)
    width = (columns + 1) * LANES
    lists = player.offers if powered else player.plain
    again = powered and player.kind == REROLL
    for t in range(rows - 1, -1, -1):
        row = ((top - rows + t) * player.layers + layer) * width
        for lane in range(LANES):
            values[row + width - LANES + lane] = worth[lane]
        if again:
            _roll_again(values, row, width, player, space, out)
        for n in range(columns):
            place = n * LANES
            if not again:
                for lane in range(LANES):
                    value = max(worth[lane], instead[t, place + lane])
                    out[place + lane] = lists.farkles[n, lane] * value
                first, end = lists.first_list[n], lists.first_list[n + 1]
                where, starts = lists.places, lists.starts
                add_lists(  # type: ignore[call-arg]
                    values, values, row, where, starts, lists.chances, first, end, out, place
                )
            for lane in range(LANES):
                value = min(1.0, out[place + lane])
                rolled[t, place + lane] = value
                values[row + place + lane] = max(least[t, place + lane], value)


@njit(nogil=True, cache=True, error_model="numpy")
def _fill_more(more, table, s, first, count, second, match, raised):
    """Fill what banks with a use are worth, as `fill_bank`; `table` is that of one use less."""
    for t in range(len(more)):
        for lane in range(LANES):
            own = first + lane if second else s - first - lane
            wins = own + raised[t] >= match.scores
            value = NOT_ALLOWED
            if t >= match.least or (match.free_win == 1 and wins and t > 0):
                value = 1.0
                if lane < count and not wins:
                    other = first + lane + (raised[t] if second else 0)
                    value = 1.0 - table[s + raised[t], other]
            more[t, lane] = value


@njit(nogil=True, cache=True, error_model="numpy")
def _worth(table, s, first, count, found):
    """What farkles are worth that pass the turn to a state in `table`."""
    for lane in range(LANES):
        found[lane] = 1.0 - table[s, first + lane] if lane < count else 0.5


@njit(nogil=True, cache=True, error_model="numpy")
def _allow(layer, left, top, rows, others, s, first, count, player, values, scratch, turn):
    """Fill what a layer with `left` uses may do besides rolling its dice and setting some aside."""
    bank, more, least, instead, rolled, out, worth = scratch
    second, match = turn
    fill_bank(bank, others[left], s, first, count, second, match)
    if left > 0 and player.kind == WARLORD:
        _fill_more(more[:rows], others[left - 1], s, first, count, second, match, player.raised)
    columns = len(player.plain.farkles)
    width = (columns + 1) * LANES
    added = left > 0 and player.kind == MIGHT and layer > 0
    if added:
        _worth(others[left - 1], s, first, count, worth)
    banks_more = left > 0 and player.kind == WARLORD and player.at_start == 0
    again = left > 0 and player.kind == RESURRECTION and layer > 0
    for t in range(rows):
        row = ((top - rows + t) * player.layers + layer - 1) * width
        for n in range(columns):
            place = n * LANES
            for lane in range(LANES):
                value = bank[t, lane]
                if banks_more:
                    value = max(value, more[t, lane])
                least[t, place + lane] = value
                instead[t, place + lane] = rolled[t, place + lane] if again else NOT_ALLOWED
            if added:
                lists = player.added
                for lane in range(LANES):
                    out[place + lane] = lists.farkles[n, lane] * worth[lane]
                begin, end = lists.first_list[n], lists.first_list[n + 1]
                where, starts = lists.places, lists.starts
                add_lists(  # type: ignore[call-arg]
                    values, values, row, where, starts, lists.chances, begin, end, out, place
                )
                for lane in range(LANES):
                    value = min(1.0, out[place + lane])
                    least[t, place + lane] = max(least[t, place + lane], value)


@njit(nogil=True, cache=True, error_model="numpy")
def _prepare(uses, others, s, first, count, second, match, player, scratch):
    """Solve the layers of fewer uses, and fill what the last one may do; returns its rows.

    others : the other player's values, by the own uses left
    """
    values, bank, more, least, instead, rolled, out, space, said = scratch
    top = bank.shape[0]
    turn = second, match
    rows = fill_bank(bank, others[0], s, first, count, second, match)
    worth = np.empty(LANES)
    part = bank, more, least, instead, rolled, out, worth
    solving = least, instead, rolled, out, space
    begin = 0
    if uses > 0 and player.kind != WARLORD:
        begin = uses - 1 if player.once == 1 else 0
        for left in range(begin, uses):
            layer = left - begin
            _allow(layer, left, top, rows, others, s, first, count, player, values, part, turn)
            _worth(others[left], s, first, count, worth)
            _solve_layer(layer, top, rows, worth, player, layer > 0, values, solving)
    else:
        begin = uses
    layer = uses - begin
    _allow(layer, uses, top, rows, others, s, first, count, player, values, part, turn)
    for lane in range(LANES):
        said[lane] = 0.0
    if uses > 0 and player.kind == WARLORD and player.at_start == 1:
        columns = len(player.plain.farkles)
        kept = least[:rows].copy()
        for t in range(rows):
            for k in range(columns * LANES):
                least[t, k] = more[t, k % LANES]
        _worth(others[uses - 1], s, first, count, worth)
        _solve_layer(layer, top, rows, worth, player, False, values, solving)
        for lane in range(LANES):
            said[lane] = rolled[0, (columns - 1) * LANES + lane]
        least[:rows] = kept
    return rows, layer


@njit(nogil=True, cache=True, error_model="numpy")
def _start(layer, rows, worth, player, scratch, found):
    """Value of the start of a turn in each lane, if a farkle is worth so much."""
    values, bank, _, least, instead, rolled, out, space, said = scratch
    solving = least, instead, rolled, out, space
    powered = layer > 0
    _solve_layer(layer, bank.shape[0], rows, worth, player, powered, values, solving)
    width = (len(player.plain.farkles) + 1) * LANES
    whole = ((bank.shape[0] - rows) * player.layers + layer + 1) * width - 2 * LANES
    for lane in range(LANES):
        found[lane] = max(said[lane], min(1.0, values[whole + lane]))


@njit(nogil=True, cache=True, error_model="numpy")
def _solve_group(s, uses, first, count, tables, slopes, match, player, other, own, own2, limits):
    """Solve pairs of states as the kernels without badges do, with some uses left of both."""
    tolerance, least = limits
    a, b = uses
    one, two = tables[a, b, 0], tables[a, b, 1]
    rows, layer = _prepare(a, tables[:, b, 1], s, first, count, False, match, player, own)
    rows2, layer2 = _prepare(b, tables[a, :, 0], s, first, count, True, match, other, own2)
    x, image, ahead = np.empty(LANES), np.empty(LANES), np.empty(LANES)
    last_x, last_image, worth = np.empty(LANES), np.empty(LANES), np.empty(LANES)
    slope = slopes[first : first + LANES].copy()
    for lane in range(LANES):
        x[lane] = guess(two, s, first + lane, match.scores) if lane < count else 0.5
    error = 1.0
    for iteration in range(MAX_ROUNDS):
        for lane in range(LANES):
            worth[lane] = 1.0 - x[lane]
        _start(layer, rows, worth, player, own, ahead)
        for lane in range(LANES):
            worth[lane] = 1.0 - ahead[lane]
        _start(layer2, rows2, worth, other, own2, image)
        error = secant(x, image, ahead, last_x, last_image, slope, count, iteration, least)
        if iteration > 0 and error <= tolerance:
            break
    for lane in range(count):
        score = first + lane
        one[s, score], two[s, score] = ahead[lane], x[lane]
        slopes[score] = slope[lane]
    return error, iteration + 1


@njit(nogil=True, cache=True, error_model="numpy")
def solve_groups(
    worker, s, uses, tables, slopes, match, player, other, scratch, scratch2, limits, found
):
    """Solve a worker's share of the pairs of states with total s and some uses left of both.

    Those with higher totals are solved, and of this one those with fewer uses left. Workers solve
    their shares side by side, each with scratch of its own.

    uses : of the first and of the second player
    tables : values at [uses of the first, of the second, side to act, total, second's score]
    slopes, limits, found : as of the kernels without badges
    """
    workers = len(scratch.out)
    high = min(match.scores - 1, s)
    low = max(0, s - match.scores + 1)
    groups = (high - low) // LANES + 1
    own = (
        scratch.values[worker],
        scratch.bank[worker],
        scratch.more[worker],
        scratch.least[worker],
        scratch.instead[worker],
        scratch.rolled[worker],
        scratch.out[worker],
        scratch.space[worker],
        scratch.said[worker],
    )
    own2 = (
        scratch2.values[worker],
        scratch2.bank[worker],
        scratch2.more[worker],
        scratch2.least[worker],
        scratch2.instead[worker],
        scratch2.rolled[worker],
        scratch2.out[worker],
        scratch2.space[worker],
        scratch2.said[worker],
    )
    error, rounds = 0.0, 0
    for group in range(worker, groups, workers):
        first = low + group * LANES
        count = min(LANES, high - first + 1)
        worst, needed = _solve_group(
            s, uses, first, count, tables, slopes, match, player, other, own, own2, limits
        )
        error, rounds = max(error, worst), rounds + needed
    found[worker, 0], found[worker, 1] = error, rounds
