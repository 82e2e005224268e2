"""The numba kernels of a solve: arrays in, arrays out.

They work on a table of solver.game.layout, whose layout is described there.
"""

import os

import numpy as np
from numba import njit, prange, types

from solver.game.kernel_source import LANES
from solver.game.layout import EVERYTHING, PAD, Game, HotDice

# Threads that wait for the others sleep, or on a busy machine they would take the processors from
# those that work. Read when the first parallel kernel starts.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

MAX_SECANT_STEPS = 100

_vector = types.Array(types.float64, 1, "C")
_table = types.Array(types.float64, 5, "C")
_turn = types.FunctionType(
    types.void(_vector, _vector, _vector, _vector, _vector, _vector, types.intp)
)
_game = types.NamedUniTuple(types.intp, len(Game._fields), Game)
_hot = types.NamedUniTuple(types.float64, len(HotDice._fields), HotDice)
_bonuses = types.Array(types.intp, 1, "C")
_scratch = types.UniTuple(types.Array(types.float64, 2, "C"), 5)
_flags = types.Array(types.boolean, 1, "C")
_flag_rows = types.Array(types.boolean, 2, "C")


@njit(nogil=True, error_model="numpy")
def _own_scores(s, u, w, game):
    """Least and most score that the player to move may have in total s, given both modes."""
    own_most = game.scores - 1 if u < game.farkle_limit else game.zero
    opponent_most = game.scores - 1 if w < game.farkle_limit else game.zero
    return max(0, s - opponent_most), min(own_most, s)


@njit(nogil=True, error_model="numpy")
def _least_bank(u, game):
    return game.least if u < game.farkle_limit else game.opening


@njit(nogil=True, error_model="numpy")
def _farkled(table, r, u, w, opponent, own, game):
    """Value of a farkle that leaves the score at `own` before any penalty; u is the mode before."""
    board = u // game.farkle_limit
    farkles = u - board * game.farkle_limit + 1
    if farkles == game.farkle_limit:
        farkles = 0
        own = min(own, game.zero) if game.penalty == EVERYTHING else max(0, own - game.penalty)
    after = board * game.farkle_limit + farkles
    return 1.0 - table[game.roles - 1 - r, w, after, opponent + own, PAD + opponent]


@njit(nogil=True, error_model="numpy")
def _except(table, s, start, r, u, w, game, least, low, high, bank, farkle, rows):
    """Mend banks that are free of the minimum to win, and farkles that keep the turn total."""
    for lane in range(LANES):
        opponent = start + lane
        own = s - opponent
        if not low <= own <= high:
            continue
        held = least
        if game.free_win == 1:
            held = min(held, max(1, game.scores - own))
        for t in range(held):
            bank[t * LANES + lane] = 0.0
        if game.keeps == 1:
            for t in range(held, rows):
                value = bank[t * LANES + lane]
                if own + t < game.scores:
                    value = _farkled(table, r, u % game.farkle_limit, w, opponent, own + t, game)
                farkle[t * LANES + lane] = value


@njit(nogil=True, error_model="numpy")
def _prepare(table, s, start, r, u, w, game, hot, bonuses, scratch, worker):
    """What the turns with opponents' scores start .. start + LANES - 1 lead to.

    Fills scratch and returns the number of turn totals to solve; 0 where no lane is a state.
    """
    values, bank, farkle, lost, out = (
        scratch[0][worker],
        scratch[1][worker],
        scratch[2][worker],
        scratch[3][worker],
        scratch[4][worker],
    )
    low, high = _own_scores(s, u, w, game)
    least_own = max(low, s - start - LANES + 1)
    if least_own > min(high, s - start):
        return 0
    other = game.roles - 1 - r
    board = u // game.farkle_limit
    least = _least_bank(u, game)
    steps = max(game.scores - least_own, least) + (game.beyond if r == 0 else 0)
    rows = steps + game.reach
    after_bank = table[other, w, 0]
    for t in range(least if game.free_win == 0 else 0, rows):
        after = after_bank[s + t, PAD + start : PAD + start + LANES]
        for lane in range(LANES):
            bank[t * LANES + lane] = 1.0 - after[lane]
    bank[: (least if game.free_win == 0 else 1) * LANES] = 0.0
    for lane in range(LANES):
        opponent = start + lane
        own = s - opponent
        farkle[lane] = 0.0
        lost[lane] = 0.0
        if low <= own <= high:
            farkle[lane] = _farkled(table, r, u, w, opponent, own, game)
            kept = opponent + min(own, game.zero)
            lost[lane] = 1.0 - table[other, w, board * game.farkle_limit, kept, PAD + opponent]
    for t in range(1, rows):
        for lane in range(LANES):
            farkle[t * LANES + lane] = farkle[lane]
    if game.free_win == 1 or game.keeps == 1:
        _except(table, s, start, r, u, w, game, least, low, high, bank, farkle, rows)
    size = out.size
    level_size = values.size // bonuses.size
    for level in range(bonuses.size):
        beyond = values[level * level_size : (level + 1) * level_size]
        for t in range(steps, rows):
            for n in range(size // LANES):
                for lane in range(LANES):
                    beyond[t * size + n * LANES + lane] = bank[t * LANES + lane]
        if game.must_roll_hot == 1:
            goes_on = 1.0 - hot.wins - hot.loses - hot.farkles - hot.only_hot
            for t in range(steps, rows):
                for lane in range(LANES):
                    ended = hot.wins + hot.loses * lost[lane]
                    ended += hot.farkles * farkle[t * LANES + lane]
                    ended += goes_on * bank[t * LANES + lane]
                    beyond[(t + 1) * size - LANES + lane] = ended / (1.0 - hot.only_hot)
    return steps


@njit(nogil=True, error_model="numpy")
def _solve_levels(turn, steps, bonuses, scratch, worker):
    """Solve the turns that scratch was prepared for; the start of the turn is the last in out."""
    values, out = scratch[0][worker], scratch[4][worker]
    level_size = values.size // bonuses.size
    for level in range(bonuses.size - 1, -1, -1):
        following = min(level + 1, bonuses.size - 1)
        turn(
            values[level * level_size : (level + 1) * level_size],
            values[
                following * level_size + bonuses[level] * out.size : (following + 1) * level_size
            ],
            scratch[1][worker],
            scratch[2][worker],
            scratch[3][worker],
            out,
            steps,
        )


@njit(nogil=True, error_model="numpy")
def _solve_group(turn, table, s, start, r, u, w, game, hot, bonuses, scratch, worker, behind):
    """Renew the states with opponents' scores start .. start + LANES - 1.

    Only those of players `behind` or level, or else of players ahead or level.
    """
    steps = _prepare(table, s, start, r, u, w, game, hot, bonuses, scratch, worker)
    if steps == 0:
        return
    _solve_levels(turn, steps, bonuses, scratch, worker)
    low, high = _own_scores(s, u, w, game)
    out = scratch[4][worker]
    for lane in range(LANES):
        own = s - start - lane
        if low <= own <= high and (2 * own <= s if behind else 2 * own >= s):
            # a sum of chances may come out one rounding above 1
            table[r, u, w, s, PAD + own] = min(1.0, out[out.size - LANES + lane])


@njit(nogil=True, error_model="numpy")
def _solve_pairs(turn, table, s, first, r, u, w, game, hot, bonuses, scratch, worker):
    """Renew the states of total s in which the lesser score is first .. first + LANES - 1.

    Those in which the player ahead is to move are in mode u, the others their mirror images.
    """
    _solve_group(turn, table, s, first, r, u, w, game, hot, bonuses, scratch, worker, False)
    start = s - first - LANES + 1
    r = game.roles - 1 - r
    _solve_group(turn, table, s, start, r, w, u, game, hot, bonuses, scratch, worker, True)


@njit(nogil=True, error_model="numpy")
def _renew(turn, table, s, first, game, hot, bonuses, scratch, worker):
    """Renew a group of LANES states of total s with their mirror images."""
    limit = game.farkle_limit
    for count in range(2 * limit - 2, -1, -1):
        for u in range(limit * game.boards):
            e = count - u % limit
            if not 0 <= e < limit:
                continue
            for w in range(e, limit * game.boards, limit):
                for r in range(game.roles):
                    _solve_pairs(
                        turn, table, s, first, r, u, w, game, hot, bonuses, scratch, worker
                    )


@njit(
    types.void(_turn, _table, types.intp, _flag_rows, _game, _hot, _bonuses, _scratch),
    parallel=True,
    cache=True,
    nogil=True,
    error_model="numpy",
)
def sweep_totals(turn, table, s, active, game, hot, bonuses, scratch):
    """Renew the states of totals s, s - 1, ... in `active[0]`, `active[1]`, ... groups.

    Higher totals are done, and these do not depend on each other but for scores that cannot fall
    any further, all of them in the first groups. Inside a total a state depends only on the one
    with the players exchanged. So a task is a group of LANES states with their mirror images, but
    for the first groups, which are one task; no task touches the values of another, and the result
    is the same for any number of threads.
    """
    workers = scratch[0].shape[0]
    chain = np.flatnonzero(active[:, 0])
    rows, groups = np.nonzero(active[:, 1:])
    tasks = chain.size + rows.size
    # the first worker's share is the chain at least
    share = max(chain.size, (tasks + workers - 1) // workers)
    for worker in prange(workers):
        begin, end = 0, share
        if worker > 0:
            rest, others = tasks - share, workers - 1
            begin = share + rest * (worker - 1) // others
            end = share + rest * worker // others
        for task in range(begin, end):
            if task < chain.size:
                row, group = chain[task], 0
            else:
                row, group = rows[task - chain.size], groups[task - chain.size] + 1
            first = max(0, s - row - game.scores + 1) + group * LANES
            _renew(turn, table, s - row, first, game, hot, bonuses, scratch, worker)


@njit(nogil=True, error_model="numpy")
def _secant_step(x, image, last_x, last_image):
    """From x towards the fixed point of the line through two of its points; returns the way."""
    slope = 0.0
    if x != last_x:
        slope = (image - last_image) / (x - last_x)
    if not 0.0 <= slope < 1.0 - 1e-12:
        slope = 0.0
    return (image - x) / (1.0 - slope)


@njit(
    types.void(_turn, _table, types.intp, _flags, _game, _hot, _bonuses, _scratch, types.float64),
    parallel=True,
    cache=True,
    nogil=True,
    error_model="numpy",
)
def solve_total(turn, table, s, active, game, hot, bonuses, scratch, tolerance):
    """Solve the states of total s in `active` groups for rules under which a farkle costs nothing.

    The value x of a state and that of its mirror image depend on each other by a farkle each:
    x = G(x), G convex and piecewise linear with 0 <= G' < 1. Secant steps on G, lane by lane, end
    when no lane is further than `tolerance` of itself from its fixed point, by the last slope.
    A task is a group as in sweep_totals.
    """
    workers = scratch[0].shape[0]
    lowest = max(0, s - game.scores + 1)
    tasks = np.flatnonzero(active)
    for worker in prange(workers):
        last_x, last_image = np.empty(LANES), np.empty(LANES)
        for place in range(worker, tasks.size, workers):
            first = lowest + tasks[place] * LANES
            for mode in range(game.roles * game.boards * game.boards):
                r, boards = mode // (game.boards * game.boards), mode % (game.boards * game.boards)
                u, w, mirror = boards // game.boards, boards % game.boards, game.roles - 1 - r
                # x is the value of the player who is behind, the smaller and so more exact number
                low, high = _own_scores(s, u, w, game)
                begin, end = max(first, low), min(first + LANES - 1, high, s // 2)
                behind, ahead = table[r, u, w, s], table[mirror, w, u, s]
                for iteration in range(MAX_SECANT_STEPS if begin <= end else 0):
                    x_before, ahead_before = behind.copy(), ahead.copy()
                    _solve_pairs(
                        turn, table, s, first, mirror, w, u, game, hot, bonuses, scratch, worker
                    )
                    error = 0.0
                    for own in range(begin, end + 1):
                        x, image = x_before[PAD + own], behind[PAD + own]
                        lane = own - first
                        distance = image - x
                        if iteration > 0:
                            distance = _secant_step(x, image, last_x[lane], last_image[lane])
                        last_x[lane], last_image[lane] = x, image
                        behind[PAD + own] = min(1.0, max(0.0, x + distance))
                        error = max(error, abs(distance) / max(image, 1e-300))
                        new = ahead[PAD + s - own]
                        change = abs(new - ahead_before[PAD + s - own])
                        error = max(error, change / max(new, 1e-300))
                    if iteration > 0 and error <= tolerance:
                        break


@njit(nogil=True, error_model="numpy")
def _logit(probability):
    return np.log(max(probability, 1e-300)) - np.log(max(1.0 - probability, 1e-15))


@njit(types.void(_table, types.intp, types.intp, _game), cache=True, error_model="numpy")
def guess_total(table, s, k, game):
    """Guess the states of total s with an opponent without farkles, of which nothing is known.

    Their logits continue those of higher totals: bilinear where both players are far enough from
    the goal, else linear along one score. Totals from s + k on are known, those over s guessed.
    Only for players on the board; what is guessed for others is 0.5.
    """
    scores = game.scores
    low, high = max(0, s - scores + 1), min(scores - 1, s)
    for r in range(game.roles):
        for f in range(game.farkle_limit):
            known = table[r, f, 0]
            for own in range(low, high + 1):
                opponent = s - own
                if own + k < scores and opponent + k < scores:
                    logit = (
                        _logit(known[s + k, PAD + own + k])
                        + _logit(known[s + k, PAD + own])
                        - _logit(known[s + 2 * k, PAD + own + k])
                    )
                elif own + 2 * k < scores:
                    near, far = known[s + k, PAD + own + k], known[s + 2 * k, PAD + own + 2 * k]
                    logit = 2.0 * _logit(near) - _logit(far)
                elif opponent + 2 * k < scores:
                    near, far = known[s + k, PAD + own], known[s + 2 * k, PAD + own]
                    logit = 2.0 * _logit(near) - _logit(far)
                else:
                    continue
                table[r, f, 0, s, PAD + own] = 1.0 / (1.0 + np.exp(-logit))
