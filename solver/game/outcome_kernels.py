"""Numba kernels that find how turns end: those of best play, and those of given decisions.

Parameters as in solver.game.kernels. A turn total is followed forwards, with the chance to be in
each state of the turn.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit, prange, types

from solver.game.kernels import (
    OUTCOMES_TYPE,
    TABLE_TYPE,
    TURN_TYPE,
    WORK_TYPES,
    array_type,
    own_scores,
    own_work,
    prepare,
    solve_levels,
)
from solver.game.lanes import LANES
from solver.turn.equations import Floats

SPREAD_TYPE = types.FunctionType(types.void(*[array_type(types.float64, 1)] * 4))

_NO_MORE = 1e-18
"""A chance that is left out."""


class Spread(NamedTuple):
    """Where the turns under way are, in each lane: float64, with an axis of threads in front."""

    mass: Floats
    """Chance to be in a state, shape (levels, turn totals, dice, LANES)."""
    rolled: Floats
    """Chance to roll with each number of dice, shape (dice, LANES)."""
    arrivals: Floats
    """Chance to come to each target of the plan, shape (targets, LANES)."""
    banked: Floats
    """Chance of each bank, shape (turn totals, LANES)."""
    farkled: Floats
    """Chance of a farkle at each turn total, likewise."""
    ends: Floats
    """Chance of a roll that wins and of one that loses everything, shape (2, LANES)."""


class Choices(NamedTuple):
    """Every set-aside of every roll; list after list, and the lists of 1, 2, ... dice in turn."""

    points: npt.NDArray[np.intp]
    """In steps, without a bonus."""
    left: npt.NDArray[np.intp]
    """Dice to roll next, less 1."""
    starts: npt.NDArray[np.intp]
    """Where each list begins, and the end."""
    chance: Floats
    """Of each list."""
    lists: npt.NDArray[np.intp]
    """Where the lists of a number of dice begin, and the end."""
    bonuses: npt.NDArray[np.intp]
    wins: Floats
    """Chance of a roll that wins, when rolling n dice at n - 1; so the others."""
    loses: Floats
    farkles: Floats


_integers, _floats = array_type(types.intp, 1), array_type(types.float64, 1)
_spread_type = types.NamedTuple([array_type(types.float64, n) for n in (5, 3, 3, 3, 3, 3)], Spread)
_choices_type = types.NamedTuple(
    [_integers] * 3 + [_floats] + [_integers] * 2 + [_floats] * 3, Choices
)


@njit(nogil=True, error_model="numpy")
def _follow(spread, steps, work, space, targets):
    """Find how the turns end that a thread's scratch was prepared for and that were solved."""
    game, lists = work.game, work.lists
    values, _, bank, _, _, _, _ = work.scratch
    mass, rolled, arrivals, banked, farkled, ends = space
    levels, _, dice, _ = values.shape
    rows = steps + game.reach
    mass[:, :rows] = 0.0
    mass[0, 0, dice - 1] = 1.0
    banked[:rows] = 0.0
    farkled[:rows] = 0.0
    ends[:] = 0.0
    row = dice * LANES
    for t in range(steps):
        for level in range(levels):
            following, bonus = min(level + 1, levels - 1), work.bonuses[level]
            any_rolled = 0.0
            for n in range(dice):
                may = game.must_roll_hot == 0 or n < dice - 1
                for lane in range(LANES):
                    here, worth = mass[level, t, n, lane], bank[t, lane]
                    stays = may and worth > 0.0 and worth >= values[level, t, n, lane]
                    kept = here if stays else 0.0
                    goes = here - kept
                    banked[t, lane] += kept
                    rolled[n, lane] = goes
                    any_rolled += goes
                    farkled[t, lane] += lists.farkles[n] * goes
                    ends[0, lane] += lists.wins[n] * goes
                    ends[1, lane] += lists.loses[n] * goes
            if any_rolled == 0.0:
                continue
            spread(
                values[level].ravel()[t * row :],
                values[following, bonus:].ravel()[t * row :],
                rolled.ravel(),
                arrivals.ravel(),
            )
            for k in range(targets.size):
                points, n = targets[k] // dice, targets[k] % dice
                if n == dice - 1:
                    there = mass[following, t + points + bonus, n]
                else:
                    there = mass[level, t + points, n]
                for lane in range(LANES):
                    there[lane] += arrivals[k, lane]
    stops = 1.0 - lists.only_hot
    farkles, wins = lists.farkles[-1] / stops, lists.wins[-1] / stops
    loses = lists.loses[-1] / stops
    goes_on = 1.0 - farkles - wins - loses
    for t in range(steps, rows):
        for level in range(levels):
            for n in range(dice):
                for lane in range(LANES):
                    here = mass[level, t, n, lane]
                    if game.must_roll_hot == 0 or n < dice - 1:
                        banked[t, lane] += here
                        continue
                    banked[t, lane] += here * goes_on
                    farkled[t, lane] += here * farkles
                    ends[0, lane] += here * wins
                    ends[1, lane] += here * loses


@njit(nogil=True, error_model="numpy")
def _keep(s, start, r, u, w, rows, ends_game, work, space, outcomes, used):
    """Write the outcomes of a group down, from place `used` on; returns where the next one goes."""
    game = work.game
    low, high = own_scores(s, u, w, game)
    for lane in range(LANES):
        opponent = start + lane
        own = s - opponent
        if not low <= own <= high:
            continue
        k = outcomes.which[r, u, w, own, opponent]
        wins = space.ends[0, lane]
        last = rows
        if ends_game and game.keeps == 0:
            # what reaches the goal wins, however much it is
            last = min(rows, game.scores - own)
            for t in range(last, rows):
                wins += space.banked[t, lane]
        outcomes.wins[k], outcomes.loses[k] = wins, space.ends[1, lane]
        farkled = 0.0
        if game.keeps == 0:
            for t in range(rows):
                farkled += space.farkled[t, lane]
        outcomes.farkled[k] = farkled
        first, end = 0, 0
        for t in range(last):
            if space.banked[t, lane] > 0.0 or (game.keeps == 1 and space.farkled[t, lane] > 0.0):
                if end == 0:
                    first = t
                end = t + 1
        outcomes.first[k], outcomes.start[k], outcomes.length[k] = first, used, end - first
        for t in range(first, end):
            outcomes.banked[used] = space.banked[t, lane]
            if game.keeps == 1:
                outcomes.kept[used] = space.farkled[t, lane]
            used += 1
    return used


@njit(
    types.void(
        TURN_TYPE,
        SPREAD_TYPE,
        TABLE_TYPE,
        array_type(types.intp, 2),
        *WORK_TYPES,
        _spread_type,
        _integers,
        OUTCOMES_TYPE,
        _integers,
        array_type(types.boolean, 1),
    ),
    parallel=True,
    cache=True,
    nogil=True,
    error_model="numpy",
)
def outcomes_of_best_play(
    turn,
    spread,
    table,
    groups,
    game,
    lists,
    others,
    bonuses,
    scratch,
    slack,
    space,
    targets,
    outcomes,
    used,
    ends_game,
):
    """Find how the turns of best play end, given the values of the game.

    targets : as of a TurnPlan
    groups : total and opponent's score in lane 0 of groups of states, shape (groups, 2); worker k
        does k, k + workers, ...
    used : where each worker goes on to write in `outcomes.banked`; moved on
    ends_game : whether the goal is the end, by role
    """
    workers = used.size
    modes = game.farkle_limit * game.boards
    for worker in prange(workers):
        own = own_work(game, lists, others, bonuses, scratch, slack, worker)
        mine = Spread(
            space.mass[worker],
            space.rolled[worker],
            space.arrivals[worker],
            space.banked[worker],
            space.farkled[worker],
            space.ends[worker],
        )
        place = used[worker]
        for group in range(worker, len(groups), workers):
            s, start = groups[group]
            for r in range(game.roles):
                for u in range(modes):
                    for w in range(modes):
                        steps = prepare(table, s, start, r, u, w, own)
                        if steps == 0:
                            continue
                        solve_levels(turn, steps, own)
                        _follow(spread, steps, own, mine, targets)
                        rows = steps + game.reach
                        place = _keep(
                            s, start, r, u, w, rows, ends_game[r], own, mine, outcomes, place
                        )
        used[worker] = place


@njit(nogil=True, error_model="numpy")
def _chosen(level, t, k, worth, choices):
    """The set-aside of list k that leads to the most; see Policy.choose.

    Of equal ones that with more points, then that with fewer dice.
    """
    levels, rows, dice = worth.shape
    following = min(level + 1, choices.bonuses.size - 1)
    best, most, found = -np.inf, -1, -1
    for option in range(choices.starts[k], choices.starts[k + 1]):
        n, points = choices.left[option], choices.points[option]
        here, total = level, t + points
        if n == dice - 1:
            here, total = following, total + choices.bonuses[level]
        value = worth[min(here, levels - 1), min(total, rows - 1), n]
        if value < best or (value == best and total < most):
            continue
        if value == best and total == most and n == dice - 1 and points == choices.points[found]:
            continue
        best, most, found = value, total, option
    return found


@njit(
    types.void(
        array_type(types.float64, 3),
        array_type(types.boolean, 3),
        types.intp,
        types.boolean,
        _choices_type,
        _floats,
        _floats,
        _floats,
    ),
    cache=True,
    nogil=True,
    error_model="numpy",
)
def outcome_of_decisions(worth, bank, least, must_roll_hot, choices, banked, farkled, ends):
    """Find how a turn ends that is played by Decisions, worth and bank.

    least : the least turn total that may be banked
    banked, farkled : set to the chances by turn total; the last one stands for all further ones
    ends : set to the chances of a roll that wins, of one that loses everything, and of what is left
        of a turn that goes on and on
    """
    levels, totals, dice = worth.shape
    rows, all_levels = banked.size, choices.bonuses.size
    mass = np.zeros((all_levels, rows, dice))
    mass[0, 0, dice - 1] = 1.0
    banked[:] = 0.0
    farkled[:] = 0.0
    ends[:] = 0.0
    for t in range(rows):
        for _again in range(100_000):
            left = 0.0
            for level in range(all_levels):
                for n in range(dice):
                    here = mass[level, t, n]
                    if here <= _NO_MORE:
                        continue
                    mass[level, t, n] = 0.0
                    may = t >= least and (n < dice - 1 or not must_roll_hot)
                    if may and bank[min(level, levels - 1), min(t, totals - 1), n]:
                        banked[t] += here
                        continue
                    farkled[t] += here * choices.farkles[n]
                    ends[0] += here * choices.wins[n]
                    ends[1] += here * choices.loses[n]
                    for k in range(choices.lists[n], choices.lists[n + 1]):
                        option = _chosen(level, t, k, worth, choices)
                        m, to, there = choices.left[option], level, t + choices.points[option]
                        if m == dice - 1:
                            to = min(level + 1, all_levels - 1)
                            there += choices.bonuses[level]
                        mass[to, min(there, rows - 1), m] += here * choices.chance[k]
            if t < rows - 1:
                break
            left = mass[:, t].sum()
            if left <= _NO_MORE * all_levels * dice:
                break
        if t == rows - 1:
            ends[2] = left
