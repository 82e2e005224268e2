"""Numba kernels that find how turns end: those of best play, and those of given decisions.

Parameters as in solver.game.kernels. A turn is followed forwards over its turn totals, with the
chance to be in each of its states.
"""

import numpy as np
from numba import prange, types

from solver.game.kernels import (
    LISTS_TYPE,
    OUTCOMES_TYPE,
    TABLE_TYPE,
    TURN_TYPE,
    TURNS_TYPE,
    WORK_TYPES,
    array_type,
    entry,
    kernel,
    lanes_of,
    own_work,
)
from solver.game.lanes import LANES

_NO_MORE = 1e-18
"""A chance that is left out."""


_integers, _floats = array_type(types.intp, 1), array_type(types.float64, 1)


@kernel
def chosen(level, t, k, worth, lists, bonuses):
    """Level, turn total and column after the set-aside of list k that leads to the most.

    Of equal ones that with more points, then that with fewer dice; see Policy.choose.
    """
    levels, rows, columns = worth.shape
    best, most, state = -np.inf, -1, (0, 0, 0)
    for option in range(lists.starts[k], lists.starts[k + 1]):
        # hot dice come first
        place, here, total = lists.places[option], level, t
        if place < 0:
            place, here, total = ~place, min(level + 1, bonuses.size - 1), t + bonuses[level]
        points, n = divmod(place // LANES, columns)
        total += points
        value = worth[min(here, levels - 1), min(total, rows - 1), n]
        if value > best or (value == best and total >= most):
            best, most, state = value, total, (here, total, n)
    return state


@entry(
    types.void(
        array_type(types.float64, 3),
        array_type(types.boolean, 3),
        array_type(types.boolean, 1),
        LISTS_TYPE,
        _integers,
        types.float64,
        _floats,
        _floats,
        _floats,
    ),
)
def outcome_of_decisions(worth, bank, allowed, lists, bonuses, least, banked, farkled, ends):
    """Find how a turn ends that is played by Decisions, worth and bank.

    allowed : which turn totals may be banked, as long as `banked`
    least : a state to which a turn comes with no more chance than this is banked
    banked, farkled : set to the chances by turn total; the last one stands for all further ones
    ends : set to the chances of a roll that wins, of one that loses everything, and of what is left
        of a turn that goes on and on
    """
    levels, totals, dice = worth.shape
    rows, all_levels = banked.size, bonuses.size
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
                    may = allowed[t] and lists.may_bank[n]
                    if here <= least or (
                        may and bank[min(level, levels - 1), min(t, totals - 1), n]
                    ):
                        banked[t] += here
                        continue
                    farkled[t] += here * lists.farkles[n]
                    ends[0] += here * lists.wins[n]
                    ends[1] += here * lists.loses[n]
                    for k in range(lists.first_list[n], lists.first_list[n + 1]):
                        to, there, m = chosen(level, t, k, worth, lists, bonuses)
                        mass[to, min(there, rows - 1), m] += here * lists.chances[k]
            if t < rows - 1:
                break
            left = mass[:, t].sum()
            if left <= _NO_MORE * all_levels * dice:
                break
        if t == rows - 1:
            ends[2] = left


@kernel
def outcome_of_lane(lane, rows, least, work, banked, farkled, ends):
    """Find how the turn of best play ends that was solved in a lane of a scratch.

    A tie between bank and roll is banked.

    rows : its turn totals, as many as `banked` and `farkled` have at least
    least, banked, farkled, ends : as of `outcome_of_decisions`
    """
    worth = work.values[:, :rows, :, lane].copy()
    bank = work.bank[:rows, lane].copy().reshape((1, rows, 1))
    allowed = np.ones(rows, dtype=np.bool_)
    given = worth, bank >= worth, allowed, work.lists, work.bonuses, least
    outcome_of_decisions(*given, banked[:rows], farkled[:rows], ends)


@kernel
def _keep(k, last, keeps, banked, farkled, ends, outcomes, used):
    """Write an outcome down, its chances from place `used` on; returns where the next one goes.

    k : its number
    last : the turn total from which on banks win
    keeps : whether a farkle keeps the turn total
    banked, farkled, ends : as of `outcome_of_decisions`
    """
    outcomes.wins[k], outcomes.loses[k] = ends[0] + banked[last:].sum(), ends[1]
    outcomes.farkled[k] = 0.0 if keeps else farkled.sum()
    first, end = 0, 0
    for t in range(last):
        if banked[t] > 0.0 or (keeps and farkled[t] > 0.0):
            first, end = t if end == 0 else first, t + 1
    outcomes.first[k], outcomes.start[k], outcomes.length[k] = first, used, end - first
    for t in range(first, end):
        outcomes.banked[used] = banked[t]
        if keeps:
            outcomes.kept[used] = farkled[t]
        used += 1
    return used


@entry(
    types.void(
        TURNS_TYPE,
        TURN_TYPE,
        TABLE_TYPE,
        array_type(types.intp, 2),
        *WORK_TYPES,
        OUTCOMES_TYPE,
        _integers,
        array_type(types.boolean, 1),
    ),
    parallel=True,
)
def outcomes_of_best_play(
    solve,
    turn,
    table,
    groups,
    game,
    lists,
    bonuses,
    scratch,
    slack,
    outcomes,
    used,
    ends_game,
):
    """Find how the turns of best play end, given the values of the game.

    groups : total and opponent's score in lane 0 of groups of states, shape (groups, 2); worker k
        does k, k + workers, ...
    used : where each worker goes on to write in `outcomes.banked`; moved on
    ends_game : whether the goal is the end, by role
    """
    workers, modes = used.size, game.farkle_limit * game.boards
    for worker in prange(workers):
        own = own_work(game, lists, bonuses, scratch.values, scratch, slack, worker)
        most = len(own.bank)
        banked, farkled, ends = np.empty(most), np.empty(most), np.empty(3)
        place = used[worker]
        for group in range(worker, len(groups), workers):
            s, start = groups[group]
            for r in range(game.roles):
                folds = ends_game[r] and game.keeps == 0 and game.exact == 0
                for u in range(modes):
                    for w in range(modes):
                        steps = solve(turn, table, s, start, r, u, w, own)
                        if steps == 0:
                            continue
                        rows = steps + game.reach
                        for lane in range(*lanes_of(s, start, u, w, game)):
                            score = s - start - lane
                            outcome_of_lane(lane, rows, 0.0, own, banked, farkled, ends)
                            place = _keep(
                                outcomes.which[r, u, w, score, start + lane],
                                min(rows, game.scores - score) if folds else rows,
                                game.keeps == 1,
                                banked[:rows],
                                farkled[:rows],
                                ends,
                                outcomes,
                                place,
                            )
        used[worker] = place
