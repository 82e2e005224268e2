"""The numba kernels of a game of several players: arrays in, arrays out.

Their parameters; scores and turn totals in steps, states as in solver.game.many:

turn : the mover's turn function, of solver.game.kernel_source or `list_kernels.turn_by_seat`
values : the values of a ManySolution, flat, which are renewed in place
last : the values of the final turns that a bank at the goal leads to, one leader, flat
chasers : how many players have a final turn then
states : numbers of states that are solved side by side, or of final turns
r : the role of the mover
game : a ManyNumbers, with the reach of the mover's dice
lists, bonuses : as in solver.game.layout.Work, of the mover's dice, as `lists_by_seat` gives them
scratch : a ManyScratch, with an axis of threads in front
"""

import os
from typing import NamedTuple

import numpy as np
from numba import prange, types

from solver.game.kernels import (
    LISTS_TYPE,
    TURN_TYPE,
    array_type,
    entry,
    is_barred,
    kernel,
    next_task,
    roll_on,
    shares,
)
from solver.game.lanes import LANES
from solver.game.layout import NOT_ALLOWED
from solver.turn.equations import Floats

os.environ.setdefault("OMP_WAIT_POLICY", "passive")


class ManyNumbers(NamedTuple):
    """What kernels have to know of a game; points in steps."""

    players: int
    scores: int
    """Number of scores below the goal."""
    standings: int
    roles: int
    margins: int
    """The number of margins of final turns."""
    width: int
    """The width of an axis of the values of final turns."""
    least: int
    """Least turn total that may be banked on the board."""
    opening: int
    """Least turn total that may be banked off the board."""
    least_win: int
    """Least turn total of a bank that reaches the goal, on the board."""
    opening_win: int
    """Least turn total of a bank that reaches the goal, off the board."""
    keeps: int
    """1 where a farkle keeps the turn total."""
    beyond: int
    """Turn totals beyond the goal where it is not the end."""
    reach: int
    level: int
    """1 where as many points as the leader's are a tie, which is shared or played on."""
    ranked: int
    """1 where it is played on: then leaders are told apart, in the order of their turns."""


class ManyScratch(NamedTuple):
    """The turns under way, one in each lane: float64 arrays, with an axis of threads in front."""

    values: Floats
    """Shape (levels, turn totals, columns, planes, LANES)."""
    bank: Floats
    """Shape (turn totals, planes, LANES)."""
    farkle: Floats
    """Shape (turn totals, planes, LANES)."""
    lost: Floats
    """Shape (planes, LANES)."""
    barred: Floats
    """1 for each score that no bank may leave, else 0, shape (scores,); empty without any."""


NUMBERS_TYPE = types.NamedUniTuple(types.intp, len(ManyNumbers._fields), ManyNumbers)
_FLOATS = array_type(types.float64, 1)
_STATES = array_type(types.int64, 1)
_WORK_TYPES = (
    NUMBERS_TYPE,
    LISTS_TYPE,
    array_type(types.intp, 1),
    types.NamedTuple([array_type(types.float64, axes) for axes in (6, 4, 4, 3, 2)], ManyScratch),
)


@kernel
def _score(standing, game):
    return standing if standing < game.scores else 0


@kernel
def _held(standing, game):
    """The least turn total that a player may bank, the goal not reached or reached."""
    if standing < game.scores:
        return game.least, game.least_win
    return game.opening, game.opening_win


@kernel
def _leaders(chasers, game):
    """How many values of leaders stand before those of the chasers in a final turn."""
    return game.players - chasers if game.ranked == 1 else 1


@kernel
def _leave(values, at, to, t, lane, planes):
    """Write the chances at the start of the next player's turn, as the mover sees them."""
    rest = 1.0
    for p in range(planes):
        rest -= values[at + p]
    to[t, 0, lane] = rest
    for p in range(1, planes):
        to[t, p, lane] = values[at + p - 1]


@kernel
def _margins(others, raised, chasers, game):
    """Where final turns stand whose margins are `raised` by a new leader, as a number.

    others : their margins as the digits of a number
    """
    number, weight = 0, 1
    for _ in range(chasers):
        digit = others % game.width
        others //= game.width
        board = digit // game.margins
        margin = min(digit - board * game.margins + raised, game.margins - 1)
        number += (board * game.margins + margin) * weight
        weight *= game.width
    return number


@kernel
def _at_goal(state, score, chasers, game):
    """Where the final turns stand that follow the mover, who has reached `score`, as a number."""
    number, weight = 0, 1
    following = state
    skipped = game.players - 1 - chasers
    for _ in range(skipped):
        following //= game.standings
    for _ in range(chasers):
        standing = following % game.standings
        following //= game.standings
        margin = min(score - _score(standing, game), game.margins - 1)
        board = 1 if standing >= game.scores else 0
        number += (board * game.margins + margin) * weight
        weight *= game.width
    return number


@kernel
def _prepare(values, last, chasers, state, r, lane, rows, game, scratch):
    """What the turn of a state leads to, in one lane."""
    planes = game.players - 1
    bank, farkle, lost = scratch.bank, scratch.farkle, scratch.lost
    whole = game.standings**planes
    other = ((r + 1) % game.roles) * whole * game.standings
    own, rest = state // whole, state % whole
    score = _score(own, game)
    base = (other + rest * game.standings) * planes
    least, least_win = _held(own, game)
    missing = game.scores - score
    leaders = _leaders(chasers, game)
    for t in range(rows):
        held = t < (least if t < missing else least_win)
        if held or (t < missing and is_barred(score + t, scratch.barred)):
            bank[t, 0, lane] = NOT_ALLOWED
            for p in range(1, planes):
                bank[t, p, lane] = 0.0
        elif t < missing:
            _leave(values, base + (score + t) * planes, bank, t, lane, planes)
        else:
            at = _at_goal(state, score + t, chasers, game) * (leaders + chasers)
            bank[t, 0, lane] = last[at]
            for p in range(1, planes):
                bank[t, p, lane] = last[at + leaders + p - 1] if p <= chasers else 0.0
    _leave(values, base + own * planes, farkle, 0, lane, planes)
    nothing = own if own >= game.scores else 0
    if nothing == own:
        for p in range(planes):
            lost[p, lane] = farkle[0, p, lane]
    else:
        _leave(values, base + nothing * planes, farkle, 1, lane, planes)
        for p in range(planes):
            lost[p, lane] = farkle[1, p, lane]
    for t in range(1, rows):
        kept = game.keeps == 1 and bank[t, 0, lane] != NOT_ALLOWED
        for p in range(planes):
            farkle[t, p, lane] = bank[t, p, lane] if kept else farkle[0, p, lane]


@kernel
def _prepare_last(below, chasers, level, turns, lane, rows, game, scratch):
    """What a final turn leads to, in one lane.

    below : the values of final turns with one player less, flat
    level : how many lead
    turns : the margins of all who have a final turn, as a number; the mover's first
    """
    planes = game.players - 1
    bank, farkle, lost = scratch.bank, scratch.farkle, scratch.lost
    others = game.width ** (chasers - 1)
    own, rest = turns // others, turns % others
    board = own // game.margins
    margin = own - board * game.margins
    least = game.opening_win if board == 1 else game.least_win
    each = _leaders(chasers - 1, game) + chasers - 1
    stay = ((level - 1) * others + rest) * each
    lost[0, lane] = 0.0
    for p in range(1, planes):
        lost[p, lane] = below[stay + p - 1] if p <= chasers else 0.0
    tie = (level * others + rest) * each
    joined = tie + level if game.ranked == 1 else tie
    for t in range(rows):
        if t < least:
            bank[t, 0, lane] = NOT_ALLOWED
            for p in range(1, planes):
                bank[t, p, lane] = 0.0
        elif t > margin:
            at = _margins(rest, t - margin, chasers - 1, game) * each
            bank[t, 0, lane] = below[at]
            for p in range(1, planes):
                bank[t, p, lane] = below[at + p - 1] if 1 < p <= chasers else 0.0
        elif t == margin and game.level == 1:
            bank[t, 0, lane] = below[joined]
            for p in range(1, planes):
                bank[t, p, lane] = below[tie + p - 1] if p <= chasers else 0.0
        else:
            for p in range(planes):
                bank[t, p, lane] = lost[p, lane]
        kept = game.keeps == 1 and t >= least
        for p in range(planes):
            farkle[t, p, lane] = bank[t, p, lane] if kept else lost[p, lane]
        if game.ranked == 1 and margin == 0 and not kept:
            # in a play-off alone: who gets nothing is level with who got nothing
            farkle[t, 0, lane] = below[joined]
            for p in range(1, planes):
                farkle[t, p, lane] = below[tie + p - 1] if p <= chasers else 0.0


@kernel
def _solve(turn, steps, rows, lists, bonuses, scratch):
    """Solve the turns that scratch was prepared for.

    From row `steps` on it is best to bank.
    """
    values, bank, farkle, lost, _ = scratch
    levels, _, columns, planes, _ = values.shape
    for level in range(levels):
        for t in range(steps, rows):
            for p in range(planes):
                for n in range(columns):
                    for lane in range(LANES):
                        values[level, t, n, p, lane] = bank[t, p, lane]
            if not lists.may_bank.all():
                roll_on(values[level, t], bank[t], farkle[t], lost, lists)
    for level in range(levels - 1, -1, -1):
        turn(
            values[level].ravel(),
            values[min(level + 1, levels - 1), bonuses[level] :].ravel(),
            bank.ravel(),
            farkle.ravel(),
            lost.ravel(),
            lists,
            steps,
        )


@kernel
def _own(scratch, worker):
    """The scratch of one thread."""
    values, bank, farkle, lost, barred = scratch
    own = values[worker], bank[worker], farkle[worker], lost[worker]
    return ManyScratch(*own, barred[worker])


@entry(
    types.void(TURN_TYPE, _FLOATS, _FLOATS, types.intp, _STATES, types.intp, *_WORK_TYPES),
    parallel=True,
)
def solve_states(turn, values, last, chasers, states, r, game, lists, bonuses, scratch):
    """Renew the values of some states of one role, none of which another of them leads to.

    It saves work if those next to each other have the same own score.
    """
    planes = game.players - 1
    whole = game.standings**planes
    workers = len(scratch.lost)
    groups = (len(states) + LANES - 1) // LANES
    parts = shares(groups, workers)
    for worker in prange(workers):
        own = _own(scratch, worker)
        for _ in range(groups):
            group = next_task(parts, worker)
            if group < 0:
                break
            first = group * LANES
            end = min(first + LANES, len(states))
            steps = 0
            for k in range(first, end):
                standing = states[k] // whole
                missing = game.scores - _score(standing, game)
                steps = max(steps, missing, _held(standing, game)[1])
            steps += game.beyond if chasers > 0 else 0
            rows = steps + game.reach
            for lane in range(LANES):
                state = states[min(first + lane, end - 1)]
                _prepare(values, last, chasers, state, r, lane, rows, game, own)
            _solve(turn, steps, rows, lists, bonuses, own)
            for k in range(first, end):
                at = (r * whole * game.standings + states[k]) * planes
                for p in range(planes):
                    # a sum of chances may come out one rounding above 1
                    value = own.values[0, 0, -1, p, k - first]
                    values[at + p] = min(1.0, max(0.0, value))


@entry(
    types.void(
        TURN_TYPE,
        _FLOATS,
        types.intp,
        types.intp,
        _STATES,
        array_type(types.float64, 2),
        *_WORK_TYPES,
    ),
    parallel=True,
)
def solve_last(turn, below, chasers, level, states, values, game, lists, bonuses, scratch):
    """Set `values` to those of final turns, at [turn, who]; `states` are their margins."""
    planes = game.players - 1
    leaders = _leaders(chasers, game)
    others = game.width ** (chasers - 1)
    workers = len(scratch.lost)
    groups = (len(states) + LANES - 1) // LANES
    parts = shares(groups, workers)
    for worker in prange(workers):
        own = _own(scratch, worker)
        for _ in range(groups):
            group = next_task(parts, worker)
            if group < 0:
                break
            first = group * LANES
            end = min(first + LANES, len(states))
            steps = game.opening_win
            for k in range(first, end):
                steps = max(steps, states[k] // others % game.margins + 1)
            steps += game.beyond
            rows = steps + game.reach
            for lane in range(LANES):
                at = states[min(first + lane, end - 1)]
                _prepare_last(below, chasers, level, at, lane, rows, game, own)
            _solve(turn, steps, rows, lists, bonuses, own)
            for k in range(first, end):
                # the planes are the mover, each leader and the other chasers but the last of all;
                # where leaders are told apart, in games of three, the first of them
                rest = 1.0
                for p in range(planes):
                    value = min(1.0, max(0.0, own.values[0, 0, -1, p, k - first]))
                    who = 1 if p == 0 else (0 if p == 1 else p)
                    if who <= chasers:
                        each = level if who == 0 and game.ranked == 0 else 1
                        values[k, who + leaders - 1 if who > 0 else 0] = value
                        rest -= value * each
                if planes == 1:
                    values[k, 0] = rest / level if game.ranked == 0 else max(0.0, rest)
                elif chasers == planes:
                    values[k, leaders + chasers - 1] = max(0.0, rest)
                elif level > 1 and game.ranked == 1:
                    values[k, 1] = max(0.0, rest)


@entry(
    types.void(_FLOATS, _STATES, NUMBERS_TYPE),
)
def guess_states(values, states, game):
    """Guess values of role 0 from those with more points, as if nothing bent but one by one.

    A value is the sum of those with one score raised, less those with two, and so on.
    """
    players, planes = game.players, game.players - 1
    weights = np.empty(players, dtype=np.int64)
    for k in range(len(states)):
        number = 0
        weight = 1
        rest = states[k]
        for _ in range(players):
            standing = rest % game.standings
            rest //= game.standings
            if standing < game.scores - 1:
                weights[number] = weight
                number += 1
            weight *= game.standings
        at = states[k] * planes
        for p in range(planes):
            value = 0.0 if number else 1.0 / players
            for subset in range(1, 1 << number):
                further, sign = states[k], -1.0
                for j in range(number):
                    if subset >> j & 1:
                        further += weights[j]
                        sign = -sign
                value += sign * values[further * planes + p]
            values[at + p] = min(1.0, max(0.0, value))
