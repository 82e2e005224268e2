"""The turns of a solved game by the kernels that solve it: arrays in, arrays out."""

from numba import njit, prange, types

from solver.game.kernels import (
    TABLE_TYPE,
    TURN_TYPE,
    WORK_TYPES,
    array_type,
    own_work,
    prepare,
    solve_levels,
)


@njit(
    types.void(
        TURN_TYPE,
        TABLE_TYPE,
        array_type(types.intp, 2),
        *WORK_TYPES,
        *(array_type(types.float64, axes) for axes in (4, 2, 2, 1)),
    ),
    parallel=True,
    cache=True,
    nogil=True,
    error_model="numpy",
)
def fill_turns(
    turn,
    table,
    positions,
    game,
    hot,
    bonuses,
    scratch,
    slack,
    worth,
    bank,
    farkle,
    lost,
):
    """Values of turns that start at (role, mode, opponent's mode, score, opponent's score)."""
    workers = len(scratch.lost)
    for worker in prange(workers):
        own = own_work(game, hot, bonuses, scratch, slack, worker)
        for p in range(worker, positions.shape[0], workers):
            r, u, w, score, opponent = positions[p]
            steps = prepare(table, score + opponent, opponent, r, u, w, own)
            solve_levels(turn, steps, own)
            lost[p] = own.scratch.lost[0]
            for t in range(bank.shape[1]):
                row = min(t, steps + game.reach - 1)
                bank[p, t] = own.scratch.bank[row, 0]
                farkle[p, t] = own.scratch.farkle[row, 0]
                for level in range(worth.shape[1]):
                    for n in range(worth.shape[3]):
                        worth[p, level, t, n] = own.scratch.values[level, row, n, 0]
