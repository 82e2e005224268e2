"""Numba kernels that look at every state of a solved game, inside turns as well.

Parameters as in solver.game.kernels. A turn is solved by the generated code, and then held against
what a loop makes of the same equations: all set-asides of all rolls, one after the other.
"""

import numpy as np
from numba import prange, types

from solver.game.kernels import (
    GAME_TYPE,
    LISTS_TYPE,
    SCRATCH_TYPE,
    TABLE_TYPE,
    TURN_TYPE,
    TURNS_TYPE,
    WORK_TYPES,
    array_type,
    entry,
    kernel,
    lanes_of,
    own_work,
    solve_levels,
)
from solver.game.lanes import LANES
from solver.game.layout import NOT_ALLOWED, PAD

_matrix = array_type(types.float64, 2)


@kernel
def _tasks(s, game):
    """Least opponent's score of total s, and how many groups and how many modes there are."""
    low = max(0, s - game.scores + 1)
    groups = (min(game.scores - 1, s) - low) // LANES + 1
    return low, groups, game.farkle_limit * game.boards


@entry(
    types.void(
        TURNS_TYPE,
        *[TURN_TYPE] * 2,
        TABLE_TYPE,
        types.intp,
        *WORK_TYPES,
        LISTS_TYPE,
        array_type(types.float64, 1),
    ),
    parallel=True,
)
def total_residual(
    solve, turn, by_lists, table, s, game, lists, bonuses, scratch, slack, every, worst
):
    """Raise worst[worker] to the largest relative residual of any state of total s.

    For a state (t, n) it is how far W is from what the equations make of all set-asides, which are
    those of `every`, weighed by the turn function `by_lists`; for the start of a turn, how far the
    table's value is from W.
    """
    workers = worst.size
    low, groups, modes = _tasks(s, game)
    for worker in prange(workers):
        own = own_work(game, lists, bonuses, scratch.values, scratch, slack, worker)
        whole = own_work(game, every, bonuses, scratch.values, scratch, slack, worker)
        largest = 0.0
        for task in range(worker, groups * game.roles * modes * modes, workers):
            start = low + task % groups * LANES
            r = task // groups % game.roles
            u = task // groups // game.roles % modes
            w = task // groups // game.roles // modes
            steps = solve(turn, table, s, start, r, u, w, own)
            if steps == 0:
                continue
            values = own.values[:, :steps]
            solved = values.copy()
            solve_levels(by_lists, steps, whole)
            for lane in range(*lanes_of(s, start, u, w, game)):
                value = table[r, u, w, s, PAD + s - start - lane]
                largest = max(largest, abs(value - solved[0, 0, -1, lane]) / value)
                off = np.abs(solved[..., lane] - values[..., lane])
                greater = np.maximum(np.maximum(solved[..., lane], values[..., lane]), 1e-300)
                largest = max(largest, (off / greater).max())
        worst[worker] = max(worst[worker], largest)


@entry(
    types.void(
        TURNS_TYPE,
        TURN_TYPE,
        TABLE_TYPE,
        types.intp,
        *WORK_TYPES,
        TABLE_TYPE,
        GAME_TYPE,
        SCRATCH_TYPE,
        types.float64,
        _matrix,
        _matrix,
    ),
    parallel=True,
)
def compare_total(
    solve,
    turn,
    table,
    s,
    game,
    lists,
    bonuses,
    scratch,
    slack,
    exact_table,
    exact_game,
    exact_scratch,
    tie,
    worst,
    costs,
):
    """Hold the states of total s of `table` against `exact_table`, whose game has a lower floor.

    worst[i, j] is raised to the largest deviation of any state of a turn at scores i and j,
    relative to the mean of both values, and costs[i, j] to what the worse decision between bank
    and roll costs there, relative to the value; differences below `tie` are none.
    """
    shift = exact_game.zero - game.zero
    workers = len(scratch.lost)
    low, groups, modes = _tasks(s, game)
    for worker in prange(workers):
        exact = own_work(
            exact_game, lists, bonuses, exact_scratch.values, exact_scratch, slack, worker
        )
        own = own_work(game, lists, bonuses, scratch.values, scratch, slack, worker)
        levels, _, dice, _ = own.values.shape
        for task in range(worker, groups, workers):
            start = low + task * LANES
            for mode in range(game.roles * modes * modes):
                r, u, w = mode % game.roles, mode // game.roles % modes, mode // game.roles // modes
                steps = solve(turn, table, s, start, r, u, w, own)
                if steps == 0:
                    continue
                solve(turn, exact_table, s + 2 * shift, start + shift, r, u, w, exact)
                for lane in range(*lanes_of(s, start, u, w, game)):
                    opponent = start + lane
                    score = s - opponent
                    largest, cost = worst[score, opponent], costs[score, opponent]
                    for level in range(levels):
                        for t in range(steps):
                            banked = own.bank[t, lane]
                            exact_banked = exact.bank[t, lane]
                            for n in range(dice):
                                value = own.values[level, t, n, lane]
                                true = exact.values[level, t, n, lane]
                                largest = max(largest, abs(value - true) * 2.0 / (value + true))
                                if banked == NOT_ALLOWED:
                                    continue
                                rolls = value > banked * (1.0 + tie)
                                should_roll = true > exact_banked * (1.0 + tie)
                                if should_roll and not rolls:
                                    cost = max(cost, (true - exact_banked) / true)
                                elif rolls and not should_roll:
                                    cost = max(cost, (value - banked) / value)
                    worst[score, opponent], costs[score, opponent] = largest, cost
