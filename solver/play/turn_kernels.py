"""The turns of a solved game by the kernels that solve it: arrays in, arrays out."""

from numba import prange, types

from solver.game.kernels import (
    TABLE_TYPE,
    TURN_TYPE,
    TURNS_TYPE,
    WORK_TYPES,
    after_beyond,
    after_farkle,
    after_loss,
    array_type,
    caught_up,
    entry,
    is_barred,
    kernel,
    may_bank_from,
    others_beyond,
    own_work,
)


@entry(
    types.void(
        TURNS_TYPE,
        TURN_TYPE,
        TABLE_TYPE,
        array_type(types.intp, 2),
        *WORK_TYPES,
        *(array_type(types.float64, axes) for axes in (4, 2, 2, 1)),
    ),
    parallel=True,
)
def fill_turns(
    solve,
    turn,
    table,
    positions,
    game,
    lists,
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
        own = own_work(game, lists, bonuses, scratch.values, scratch, slack, worker)
        for p in range(worker, positions.shape[0], workers):
            r, u, w, score, opponent = positions[p]
            steps = solve(turn, table, score + opponent, opponent, r, u, w, own)
            lost[p] = own.lost[0]
            for t in range(bank.shape[1]):
                row = min(t, steps + game.reach - 1)
                bank[p, t] = own.bank[row, 0]
                farkle[p, t] = own.farkle[row, 0]
                for level in range(worth.shape[1]):
                    for n in range(worth.shape[3]):
                        worth[p, level, t, n] = own.values[level, row, n, 0]


@kernel
def _turns_after_farkle(turns, other, u, w, own, kept, opponent, game):
    """Expected turns after a farkle that keeps so many points, before any penalty."""
    after, score = after_farkle(u, own + kept, game)
    theirs = caught_up(opponent, own, score, game) if kept > 0 else opponent
    return turns[other, w, after, theirs, score]


@kernel
def _turns_from(turns, r, u, w, own, opponent, outcomes, leaves, game, barred):
    """Expected turns from the start of a turn on, that one too."""
    k, other = outcomes.which[r, u, w, own, opponent], game.roles - 1 - r
    board = u // game.farkle_limit
    farkled = _turns_after_farkle(turns, other, u, w, own, 0, opponent, game)
    expected = 1.0 + outcomes.farkled[k] * farkled
    kept = after_loss(own, game)
    expected += outcomes.loses[k] * turns[other, w, board * game.farkle_limit, opponent, kept]
    held = may_bank_from(own, u, game)
    for m in range(outcomes.length[k]):
        place, after = outcomes.start[k] + m, own + outcomes.first[k] + m
        chance = outcomes.banked[place]
        theirs = caught_up(opponent, own, after, game)
        rest = turns[other, w, 0, theirs, after] if after < game.scores else leaves[r]
        if game.exact > 0 and after > game.scores:
            mine, mode, theirs = others_beyond(u, w, own, after, opponent, game)
            score = after_beyond(own, after, game)
            rest = turns[other, mode, mine, theirs, score] if theirs < game.scores else 0.0
        expected += chance * rest
        if game.keeps == 1:
            rest = leaves[r]
            lost = after < own + held or (after < game.scores and is_barred(after, barred))
            if lost or (game.exact > 0 and after > game.scores):
                rest = farkled
            elif after < game.scores:
                on_board, kept = u % game.farkle_limit, after - own
                rest = _turns_after_farkle(turns, other, on_board, w, own, kept, opponent, game)
            expected += outcomes.kept[place] * rest
    return expected


@kernel
def sweep_turns(turns, outcomes, leaves, game, barred):
    """Renew the expected turns of every state, those of high totals first; the largest change.

    turns : at [role, mode, opponent's mode, score, opponent's score], as in Outcomes
    leaves : for each role the turns that are left once its player has reached the goal
    barred : as in Scratch
    """
    change = 0.0
    modes = game.farkle_limit * game.boards
    for total in range(2 * game.scores - 2, -1, -1):
        for own in range(max(0, total - game.scores + 1), min(game.scores - 1, total) + 1):
            for r in range(game.roles):
                for u in range(modes):
                    for w in range(modes):
                        if outcomes.which[r, u, w, own, total - own] < 0:
                            continue
                        where = r, u, w, own, total - own
                        new = _turns_from(turns, *where, outcomes, leaves, game, barred)
                        change = max(change, abs(new - turns[r, u, w, own, total - own]))
                        turns[r, u, w, own, total - own] = new
    return change
