"""Numba kernels that look at every state of a solved game, inside turns as well.

Tables, games and scratch as in solver.game.kernels. A turn is solved by the generated code, and
then held against the equations as they stand: all set-asides of all rolls, one after the other.
"""

import numpy as np
from numba import njit, prange, types

from solver.game.kernel_source import LANES
from solver.game.kernels import (
    _bonuses,
    _game,
    _hot,
    _own_scores,
    _prepare,
    _scratch,
    _solve_levels,
    _table,
    _turn,
)
from solver.game.layout import PAD

_integers = types.Array(types.intp, 1, "C")
_floats = types.Array(types.float64, 1, "C")
_lists = types.Tuple((_integers, _integers, _integers, _integers, _floats))
_ends = types.UniTuple(_floats, 3)
_matrix = types.Array(types.float64, 2, "C")


@njit(nogil=True, error_model="numpy")
def _tasks(s, game):
    """Least opponent's score of total s, and how many groups and how many modes there are."""
    low = max(0, s - game.scores + 1)
    groups = (min(game.scores - 1, s) - low) // LANES + 1
    return low, groups, game.farkle_limit * game.boards


@njit(nogil=True, error_model="numpy")
def _lanes(s, start, u, w, game):
    """First and last lane of a group that are states."""
    own_low, own_high = _own_scores(s, u, w, game)
    return max(0, s - start - own_high), min(LANES - 1, s - start - own_low)


@njit(nogil=True, error_model="numpy")
def _rolls(values, following, bonus, t, lists, ends, scratch, worker, rolls, best):
    """Value of rolling at turn total t with each number of dice, rolls[n * LANES + lane]."""
    targets, options, starts, numbers, chances = lists
    wins, loses, farkles = ends
    farkle, lost = scratch[2][worker], scratch[3][worker]
    dice = wins.size
    row = dice * LANES
    for n in range(dice):
        for lane in range(LANES):
            value = wins[n] + loses[n] * lost[lane]
            rolls[n * LANES + lane] = value + farkles[n] * farkle[t * LANES + lane]
    for k in range(starts.size - 1):
        best[:] = 0.0
        for option in range(starts[k], starts[k + 1]):
            target = targets[options[option]]
            is_hot = target % dice == dice - 1
            source = following if is_hot else values
            place = t * row + target * LANES + (bonus * row if is_hot else 0)
            reached = source[place : place + LANES]
            for lane in range(LANES):
                best[lane] = max(best[lane], reached[lane])
        n = numbers[k]
        for lane in range(LANES):
            rolls[n * LANES + lane] += chances[k] * best[lane]


@njit(
    types.void(_turn, _table, types.intp, _game, _hot, _bonuses, _scratch, _lists, _ends, _floats),
    parallel=True,
    cache=True,
    nogil=True,
    error_model="numpy",
)
def total_residual(turn, table, s, game, hot, bonuses, scratch, lists, ends, worst):
    """Raise worst[worker] to the largest relative residual of any state of total s.

    For a state (t, n) it is how far W is from what the equations make of the values that it leads
    to; for the start of a turn, how far the table's value is from W.
    """
    workers = scratch[0].shape[0]
    low, groups, modes = _tasks(s, game)
    for worker in prange(workers):
        size = scratch[4][worker].size
        rolls, best = np.empty(size), np.empty(LANES)
        level_size = scratch[0][worker].size // bonuses.size
        largest = 0.0
        for task in range(worker, groups * game.roles * modes * modes, workers):
            start = low + task % groups * LANES
            r = task // groups % game.roles
            u = task // groups // game.roles % modes
            w = task // groups // game.roles // modes
            steps = _prepare(table, s, start, r, u, w, game, hot, bonuses, scratch, worker)
            if steps == 0:
                continue
            _solve_levels(turn, steps, bonuses, scratch, worker)
            first, last = _lanes(s, start, u, w, game)
            bank = scratch[1][worker]
            for lane in range(first, last + 1):
                value = table[r, u, w, s, PAD + s - start - lane]
                solved = scratch[4][worker][size - LANES + lane]
                largest = max(largest, abs(value - solved) / value)
            for level in range(bonuses.size):
                following = min(level + 1, bonuses.size - 1)
                values = scratch[0][worker][level * level_size : (level + 1) * level_size]
                hots = scratch[0][worker][following * level_size : (following + 1) * level_size]
                for t in range(steps):
                    _rolls(
                        values, hots, bonuses[level], t, lists, ends, scratch, worker, rolls, best
                    )
                    for n in range(size // LANES):
                        banks = game.must_roll_hot == 0 or n < size // LANES - 1
                        for lane in range(first, last + 1):
                            expected = rolls[n * LANES + lane]
                            if banks:
                                expected = max(expected, bank[t * LANES + lane])
                            found = values[t * size + n * LANES + lane]
                            if found > 0.0 or expected > 0.0:
                                off = abs(found - expected) / max(found, expected)
                                largest = max(largest, off)
        worst[worker] = max(worst[worker], largest)


@njit(
    types.void(
        _turn,
        _table,
        _table,
        types.intp,
        _game,
        _game,
        _hot,
        _bonuses,
        _scratch,
        _scratch,
        types.float64,
        _matrix,
        _matrix,
    ),
    parallel=True,
    cache=True,
    nogil=True,
    error_model="numpy",
)
def compare_total(
    turn, exact, table, s, exact_game, game, hot, bonuses, exact_scratch, scratch, tie, worst, costs
):
    """Hold the states of total s of one table against those of a table with a lower floor.

    worst[i, j] is raised to the largest deviation of any state of a turn at scores i and j,
    relative to the mean of both values, and costs[i, j] to what the worse decision between bank
    and roll costs there, relative to the value; differences below `tie` are none.
    """
    shift = exact_game.zero - game.zero
    workers = scratch[0].shape[0]
    low, groups, modes = _tasks(s, game)
    for worker in prange(workers):
        size = scratch[4][worker].size
        for task in range(worker, groups, workers):
            start = low + task * LANES
            for mode in range(game.roles * modes * modes):
                r, u, w = mode % game.roles, mode // game.roles % modes, mode // game.roles // modes
                steps = _prepare(table, s, start, r, u, w, game, hot, bonuses, scratch, worker)
                if steps == 0:
                    continue
                _prepare(
                    exact,
                    s + 2 * shift,
                    start + shift,
                    r,
                    u,
                    w,
                    exact_game,
                    hot,
                    bonuses,
                    exact_scratch,
                    worker,
                )
                _solve_levels(turn, steps, bonuses, scratch, worker)
                _solve_levels(turn, steps, bonuses, exact_scratch, worker)
                first, last = _lanes(s, start, u, w, game)
                values, exact_values = scratch[0][worker], exact_scratch[0][worker]
                level_size = values.size // bonuses.size
                exact_level_size = exact_values.size // bonuses.size
                bank, exact_bank = scratch[1][worker], exact_scratch[1][worker]
                for lane in range(first, last + 1):
                    opponent = start + lane
                    own = s - opponent
                    largest, cost = worst[own, opponent], costs[own, opponent]
                    for cell in range(steps * bonuses.size):
                        level, t = cell // steps, cell % steps
                        banked = bank[t * LANES + lane]
                        exact_banked = exact_bank[t * LANES + lane]
                        for n in range(size // LANES):
                            place = t * size + n * LANES + lane
                            value = values[level * level_size + place]
                            true = exact_values[level * exact_level_size + place]
                            largest = max(largest, abs(value - true) * 2.0 / (value + true))
                            if banked == 0.0:
                                continue
                            rolls = value > banked * (1.0 + tie)
                            should_roll = true > exact_banked * (1.0 + tie)
                            if should_roll and not rolls:
                                cost = max(cost, (true - exact_banked) / true)
                            elif rolls and not should_roll:
                                cost = max(cost, (value - banked) / value)
                    worst[own, opponent], costs[own, opponent] = largest, cost
