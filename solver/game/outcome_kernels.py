"""Numba kernels that find how turns end: those of best play, and those of given decisions.

Parameters as in solver.game.kernels. A turn is followed forwards over its turn totals, with the
chance to be in each of its states.
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
from solver.game.lane_code import lane_code
from solver.game.lanes import LANES
from solver.game.list_kernels import add_lists
from solver.turn.equations import Floats

_NO_MORE = 1e-18
"""A chance that is left out."""


class Spread(NamedTuple):
    """Where the turns under way are, in each lane: float64, with an axis of threads in front."""

    mass: Floats
    """Chance to be in a state, shape (levels, turn totals, dice, LANES)."""
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
    """The column of the dice to roll next."""
    hot: npt.NDArray[np.bool_]
    """Whether these are hot dice."""
    starts: npt.NDArray[np.intp]
    """Where each list begins, and the end."""
    chance: Floats
    """The chance of each list."""
    lists: npt.NDArray[np.intp]
    """Where the lists of a number of dice begin, and the end."""
    bonuses: npt.NDArray[np.intp]
    wins: Floats
    """Chance of a roll that wins, when rolling n dice at n - 1; so the others."""
    loses: Floats
    farkles: Floats


_integers, _floats = array_type(types.intp, 1), array_type(types.float64, 1)
SPREAD_TYPE = types.NamedTuple([array_type(types.float64, n) for n in (5, 3, 3, 3)], Spread)
_choices_type = types.NamedTuple(
    [_integers] * 2
    + [array_type(types.boolean, 1), _integers, _floats]
    + [_integers] * 2
    + [_floats] * 3,
    Choices,
)


_send = lane_code(
    """
some = goes[0] if values[0] >= best[0] else 0.0
mass[0] = mass[0] + some
rest = goes[0] - some
goes[0] = rest
found = rest
""",
    ("values", "mass", "best", "goes", "rolled"),
)
"""Send chances on to an option where it is best; tells whether any are left."""


@njit(nogil=True, error_model="numpy")
def own_spread(spread, worker):
    """The Spread of one thread, without the axis of threads."""
    return Spread(
        spread.mass[worker], spread.banked[worker], spread.farkled[worker], spread.ends[worker]
    )


@njit(nogil=True, error_model="numpy")
def _roll(row, n, lists, values, hot, mass, hot_mass, rolled, best, goes, ones):
    """Send the chance to roll the dice of column n in a row on to what is best of each roll.

    values, hot : as for a turn function; mass, hot_mass : likewise
    """
    for k in range(lists.first_list[n], lists.first_list[n + 1]):
        begin, end = lists.starts[k], lists.starts[k + 1]
        for lane in range(LANES):
            best[lane] = 0.0
            goes[lane] = lists.chances[k] * rolled[lane]
        if end > begin + 1:
            add_lists(  # type: ignore[call-arg] # numba gives it the context by itself
                values, hot, row, lists.places, lists.starts, ones, k, k + 1, best, 0
            )
        for option in range(end - 1, begin - 1, -1):
            place = lists.places[option]
            if place >= 0:
                there, arrives = values[row + place :], mass[row + place :]
            else:
                there, arrives = hot[row + ~place :], hot_mass[row + ~place :]
            if not _send(there, arrives, best, goes, rolled):
                break


@njit(nogil=True, error_model="numpy")
def follow(steps, least, work, spread):
    """Find how turns of best play end, up to turn total `steps`, that were solved in a scratch.

    A tie between bank and roll is banked; of set-asides of equal value the one with more points is
    taken, hot dice last.

    least : a state to which no lane comes with more chance than this is banked
    """
    game, lists, values, bank = work.game, work.lists, work.scratch.values, work.scratch.bank
    levels, _, dice, _ = values.shape
    rows = steps + game.reach
    spread.mass[:, :rows] = 0.0
    spread.mass[0, 0, dice - 1] = 1.0
    spread.banked[:rows] = 0.0
    spread.farkled[:rows] = 0.0
    spread.ends[:] = 0.0
    rolled, best, goes = np.empty(LANES), np.empty(LANES), np.empty(LANES)
    ones = np.ones(lists.starts.size)
    for t in range(steps):
        for level in range(levels):
            following, bonus = min(level + 1, levels - 1), work.bonuses[level]
            for n in range(dice):
                most = 0.0
                for lane in range(LANES):
                    here, worth = spread.mass[level, t, n, lane], bank[t, lane]
                    stays = lists.may_bank[n] and worth >= values[level, t, n, lane]
                    spread.banked[t, lane] += here if stays else 0.0
                    rolled[lane] = 0.0 if stays else here
                    most = max(most, rolled[lane])
                if most <= least:
                    for lane in range(LANES):
                        spread.banked[t, lane] += rolled[lane]
                    continue
                for lane in range(LANES):
                    spread.farkled[t, lane] += lists.farkles[n] * rolled[lane]
                    spread.ends[0, lane] += lists.wins[n] * rolled[lane]
                    spread.ends[1, lane] += lists.loses[n] * rolled[lane]
                _roll(
                    t * dice * LANES,
                    n,
                    lists,
                    values[level].ravel(),
                    values[following, bonus:].ravel(),
                    spread.mass[level].ravel(),
                    spread.mass[following, bonus:].ravel(),
                    rolled,
                    best,
                    goes,
                    ones,
                )


@njit(nogil=True, error_model="numpy")
def _follow_until_banked(steps, work, spread):
    """Find how turns end there where dice are rolled until some are banked.

    Others may not be, or beyond an exact goal are worth more.
    """
    game, lists, values = work.game, work.lists, work.scratch.values
    bank = work.scratch.bank
    levels, _, dice, _ = values.shape
    for t in range(steps, steps + game.reach):
        for level in range(levels):
            here, worth = spread.mass[level, t], values[level, t]
            left = 1.0
            while left > _NO_MORE:
                left = 0.0
                for n in range(dice - 1, -1, -1):
                    for lane in range(LANES):
                        goes = here[n, lane]
                        here[n, lane] = 0.0
                        stays = lists.may_bank[n]
                        if game.exact > 0:
                            banked = bank[t, lane]
                            stays = stays and banked >= worth[n, lane]
                        if stays:
                            spread.banked[t, lane] += goes
                            continue
                        if goes <= _NO_MORE:
                            continue
                        left = max(left, goes)
                        spread.farkled[t, lane] += goes * lists.farkles[n]
                        spread.ends[0, lane] += goes * lists.wins[n]
                        spread.ends[1, lane] += goes * lists.loses[n]
                        for k in range(lists.first_list[n], lists.first_list[n + 1]):
                            chosen, most = 0, -1.0
                            for option in range(lists.starts[k], lists.starts[k + 1]):
                                place = lists.places[option]
                                column = (place if place >= 0 else ~place) // LANES % dice
                                if worth[column, lane] > most:
                                    chosen, most = column, worth[column, lane]
                            here[chosen, lane] += goes * lists.chances[k]


@njit(nogil=True, error_model="numpy")
def _follow_on(steps, work, spread):
    """Find how turns end that come to turn total `steps` or more, where more is worth no more."""
    game, lists, values = work.game, work.lists, work.scratch.values
    levels, _, dice, _ = values.shape
    if game.must_roll_others == 1 or game.exact > 0:
        _follow_until_banked(steps, work, spread)
        return
    stops = 1.0 - lists.only_hot
    farkles, wins = lists.farkles[-1] / stops, lists.wins[-1] / stops
    loses = lists.loses[-1] / stops
    goes_on = lists.goes_on / stops
    for t in range(steps, steps + game.reach):
        for level in range(levels):
            for n in range(dice):
                for lane in range(LANES):
                    here = spread.mass[level, t, n, lane]
                    if lists.may_bank[n]:
                        spread.banked[t, lane] += here
                        continue
                    spread.banked[t, lane] += here * goes_on
                    spread.farkled[t, lane] += here * farkles
                    spread.ends[0, lane] += here * wins
                    spread.ends[1, lane] += here * loses


@njit(nogil=True, error_model="numpy")
def _keep(s, start, r, u, w, rows, ends_game, work, spread, outcomes, used):
    """Write the outcomes of a group down, from place `used` on; returns where the next one goes."""
    game = work.game
    low, high = own_scores(s, u, w, game)
    for lane in range(LANES):
        opponent = start + lane
        own = s - opponent
        if not low <= own <= high:
            continue
        k = outcomes.which[r, u, w, own, opponent]
        wins = spread.ends[0, lane]
        last = rows
        if ends_game and game.keeps == 0:
            # what reaches the goal wins, however much it is
            last = min(rows, game.scores - own)
            for t in range(last, rows):
                wins += spread.banked[t, lane]
            if game.exact > 0:  # nothing else than the goal
                last, wins = rows, spread.ends[0, lane]
        outcomes.wins[k], outcomes.loses[k] = wins, spread.ends[1, lane]
        farkled = 0.0
        if game.keeps == 0:
            for t in range(rows):
                farkled += spread.farkled[t, lane]
        outcomes.farkled[k] = farkled
        first, end = 0, 0
        for t in range(last):
            if spread.banked[t, lane] > 0.0 or (game.keeps == 1 and spread.farkled[t, lane] > 0.0):
                if end == 0:
                    first = t
                end = t + 1
        outcomes.first[k], outcomes.start[k], outcomes.length[k] = first, used, end - first
        for t in range(first, end):
            outcomes.banked[used] = spread.banked[t, lane]
            if game.keeps == 1:
                outcomes.kept[used] = spread.farkled[t, lane]
            used += 1
    return used


@njit(
    types.void(
        TURN_TYPE,
        TABLE_TYPE,
        array_type(types.intp, 2),
        *WORK_TYPES,
        SPREAD_TYPE,
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
    table,
    groups,
    game,
    lists,
    others,
    bonuses,
    scratch,
    slack,
    spread,
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
    workers = used.size
    modes = game.farkle_limit * game.boards
    for worker in prange(workers):
        own = own_work(game, lists, others, bonuses, scratch, slack, worker)
        mine = own_spread(spread, worker)
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
                        follow(steps, 0.0, own, mine)
                        _follow_on(steps, own, mine)
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
    levels, rows, _ = worth.shape
    following = min(level + 1, choices.bonuses.size - 1)
    best, most, found = -np.inf, -1, -1
    for option in range(choices.starts[k], choices.starts[k + 1]):
        n, points = choices.left[option], choices.points[option]
        here, total = level, t + points
        if choices.hot[option]:
            here, total = following, total + choices.bonuses[level]
        value = worth[min(here, levels - 1), min(total, rows - 1), n]
        if value < best or (value == best and total < most):
            continue
        if (
            value == best
            and total == most
            and choices.hot[option]
            and points == choices.points[found]
        ):
            continue
        best, most, found = value, total, option
    return found


@njit(
    types.void(
        array_type(types.float64, 3),
        array_type(types.boolean, 3),
        array_type(types.boolean, 1),
        array_type(types.boolean, 1),
        _choices_type,
        _floats,
        _floats,
        _floats,
    ),
    cache=True,
    nogil=True,
    error_model="numpy",
)
def outcome_of_decisions(worth, bank, allowed, may_bank, choices, banked, farkled, ends):
    """Find how a turn ends that is played by Decisions, worth and bank.

    allowed : which turn totals may be banked, as long as `banked`
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
                    may = allowed[t] and may_bank[n]
                    if may and bank[min(level, levels - 1), min(t, totals - 1), n]:
                        banked[t] += here
                        continue
                    farkled[t] += here * choices.farkles[n]
                    ends[0] += here * choices.wins[n]
                    ends[1] += here * choices.loses[n]
                    for k in range(choices.lists[n], choices.lists[n + 1]):
                        option = _chosen(level, t, k, worth, choices)
                        m, to, there = choices.left[option], level, t + choices.points[option]
                        if choices.hot[option]:
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
