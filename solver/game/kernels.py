"""The numba kernels of a solve: arrays in, arrays out.

Their parameters, here and in solver.game.audit_kernels; scores, totals and turn totals in steps:

turn : the turn function of solver.game.kernel_source
table : start-of-turn win probabilities, which are renewed in place, see solver.game.layout
s : a total of both scores
r, u, w : role and mode of the player to move, mode of the opponent
own, opponent : scores of the player to move and of the opponent
start : the opponent's score in lane 0 of a group; it is one more from lane to lane
steps : number of turn totals to solve in the turns of a group
first : least of the lesser scores of a group of pairs, states and their mirror images
active : whether each group of a total is to be solved
game : a GameNumbers
hot, bonuses, scratch, slack : with `game` the parts of a Work, which numba cannot bring whole
    into a parallel loop
work : the Work of one thread, see `own_work`
one, other : how the players of the first and of the other half of the roles play, see Outcomes
"""

import os

import numpy as np
from numba import njit, prange, types

from solver.game.kernel_source import LANES
from solver.game.layout import (
    EVERYTHING,
    PAD,
    GameNumbers,
    HotDice,
    Outcomes,
    Scratch,
    Work,
)

# Threads that wait for the others sleep, or on a busy machine they would take the processors from
# those that work. Read when the first parallel kernel starts.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

MAX_SECANT_STEPS = 100


def array_type(dtype, axes):
    """The numba type of a contiguous array."""
    return types.Array(dtype, axes, "C")


TABLE_TYPE = array_type(types.float64, 5)
TURN_TYPE = types.FunctionType(types.void(*[array_type(types.float64, 1)] * 6, types.intp))
GAME_TYPE = types.NamedUniTuple(types.intp, len(GameNumbers._fields), GameNumbers)
SCRATCH_TYPE = types.NamedTuple(
    [array_type(types.float64, axes) for axes in (5, 3, 3, 2, 3)], Scratch
)
WORK_TYPES = (
    GAME_TYPE,
    types.NamedUniTuple(types.float64, len(HotDice._fields), HotDice),
    array_type(types.intp, 1),
    SCRATCH_TYPE,
    types.float64,
)
"""Of the fields of a Work."""
OUTCOMES_TYPE = types.NamedTuple(
    [
        array_type(types.int32, 5),
        *[array_type(types.intp, 1)] * 3,
        *[array_type(types.float64, 1)] * 5,
    ],
    Outcomes,
)
CONTEST_TYPES = OUTCOMES_TYPE, OUTCOMES_TYPE
"""Of the players of a Contest."""


@njit(nogil=True, error_model="numpy")
def own_work(game, hot, bonuses, scratch, slack, worker):
    """The Work of one thread: with its part of the scratch arrays, without the axis of threads."""
    values, bank, farkle, lost, out = scratch
    own = Scratch(values[worker], bank[worker], farkle[worker], lost[worker], out[worker])
    return Work(game, hot, bonuses, own, slack)


@njit(nogil=True, error_model="numpy")
def own_scores(s, u, w, game):
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
def _mend(table, s, start, r, u, w, work, rows):
    """Mend banks that are free of the minimum to win, and farkles that keep the turn total."""
    game, bank, farkle = work.game, work.scratch.bank, work.scratch.farkle
    low, high = own_scores(s, u, w, game)
    for lane in range(LANES):
        opponent = start + lane
        own = s - opponent
        if not low <= own <= high:
            continue
        held = _least_bank(u, game)
        if game.free_win == 1:
            held = min(held, max(1, game.scores - own))
        bank[:held, lane] = 0.0
        if game.keeps == 1:
            for t in range(held, rows):
                value = bank[t, lane]
                if own + t < game.scores:
                    value = _farkled(table, r, u % game.farkle_limit, w, opponent, own + t, game)
                farkle[t, lane] = value


@njit(nogil=True, error_model="numpy")
def prepare(table, s, start, r, u, w, work):
    """What the turns with opponents' scores start .. start + LANES - 1 lead to.

    Fills a thread's scratch and returns the number of turn totals to solve; 0 where no lane is a
    state.
    """
    game, hot = work.game, work.hot
    values, bank, farkle, lost, _ = work.scratch
    low, high = own_scores(s, u, w, game)
    least_own = max(low, s - start - LANES + 1)
    if least_own > min(high, s - start):
        return 0
    other = game.roles - 1 - r
    board = u // game.farkle_limit
    least = _least_bank(u, game)
    began = r % (game.roles // game.sides) == 0
    steps = max(game.scores - least_own, least) + (game.beyond if began else 0)
    rows = steps + game.reach
    after_bank = table[other, w, 0]
    held = least if game.free_win == 0 else 1
    bank[:held] = 0.0
    for t in range(held, rows):
        after = after_bank[s + t, PAD + start : PAD + start + LANES]
        for lane in range(LANES):
            bank[t, lane] = 1.0 - after[lane]
    for lane in range(LANES):
        opponent = start + lane
        own = s - opponent
        farkle[0, lane] = 0.0
        lost[lane] = 0.0
        if low <= own <= high:
            farkle[0, lane] = _farkled(table, r, u, w, opponent, own, game)
            kept = opponent + min(own, game.zero)
            lost[lane] = 1.0 - table[other, w, board * game.farkle_limit, kept, PAD + opponent]
    for t in range(1, rows):
        for lane in range(LANES):
            farkle[t, lane] = farkle[0, lane]
    if game.free_win == 1 or game.keeps == 1:
        _mend(table, s, start, r, u, w, work, rows)
    levels, _, dice, _ = values.shape
    for level in range(levels):
        for t in range(steps, rows):
            for n in range(dice):
                for lane in range(LANES):
                    values[level, t, n, lane] = bank[t, lane]
        if game.must_roll_hot == 1:
            goes_on = 1.0 - hot.wins - hot.loses - hot.farkles - hot.only_hot
            for t in range(steps, rows):
                for lane in range(LANES):
                    ended = hot.wins + hot.loses * lost[lane]
                    ended += hot.farkles * farkle[t, lane]
                    ended += goes_on * bank[t, lane]
                    values[level, t, dice - 1, lane] = ended / (1.0 - hot.only_hot)
    return steps


@njit(nogil=True, error_model="numpy")
def solve_levels(turn, steps, work):
    """Solve the turns that a thread's scratch was prepared for; out[-1] are their starts."""
    values, bank, farkle, lost, out = work.scratch
    last = work.bonuses.size - 1
    for level in range(last, -1, -1):
        turn(
            values[level].ravel(),
            values[min(level + 1, last), work.bonuses[level] :].ravel(),
            bank.ravel(),
            farkle.ravel(),
            lost,
            out.ravel(),
            steps,
        )


@njit(nogil=True, error_model="numpy")
def _expect(s, start, r, u, w, rows, work, outcomes):
    """Set out[-1] to what turns are worth that end by `outcomes`; scratch was prepared for them."""
    game = work.game
    _, bank, farkle, lost, out = work.scratch
    low, high = own_scores(s, u, w, game)
    role = r % (game.roles // game.sides)
    for lane in range(LANES):
        own = s - start - lane
        if not low <= own <= high:
            continue
        k = outcomes.which[role, u, w, own, start + lane]
        first, begin = outcomes.first[k], outcomes.start[k]
        value = outcomes.wins[k] + outcomes.loses[k] * lost[lane]
        value += outcomes.farkled[k] * farkle[0, lane]
        for place in range(outcomes.length[k]):
            t = min(first + place, rows - 1)
            value += outcomes.banked[begin + place] * bank[t, lane]
        if game.keeps == 1:
            for place in range(outcomes.length[k]):
                t = min(first + place, rows - 1)
                value += outcomes.kept[begin + place] * farkle[t, lane]
        out[-1, lane] = value


@njit(nogil=True, error_model="numpy")
def _solve_group(turn, table, s, start, r, u, w, work, one, other, behind):
    """Renew the states with opponents' scores start .. start + LANES - 1.

    Only those of players `behind` or level, or else of players ahead or level.
    """
    steps = prepare(table, s, start, r, u, w, work)
    if steps == 0:
        return
    game = work.game
    outcomes = one if game.sides == 1 or 2 * r < game.roles else other
    if outcomes.length.size == 0:
        solve_levels(turn, steps, work)
    else:
        _expect(s, start, r, u, w, steps + game.reach, work, outcomes)
    low, high = own_scores(s, u, w, game)
    slack = work.slack if 2 * r >= game.roles else -work.slack
    for lane in range(LANES):
        own = s - start - lane
        if low <= own <= high and (2 * own <= s if behind else 2 * own >= s):
            # a sum of chances may come out one rounding above 1
            value = work.scratch.out[-1, lane] + slack
            table[r, u, w, s, PAD + own] = min(1.0, max(0.0, value))


@njit(nogil=True, error_model="numpy")
def _solve_pairs(turn, table, s, first, r, u, w, work, one, other):
    """Renew the states of total s in which the lesser score is first .. first + LANES - 1.

    Those in which the player ahead is to move are in mode u, the others their mirror images.
    """
    _solve_group(turn, table, s, first, r, u, w, work, one, other, False)
    mirror = work.game.roles - 1 - r
    _solve_group(turn, table, s, s - first - LANES + 1, mirror, w, u, work, one, other, True)


@njit(nogil=True, error_model="numpy")
def _renew(turn, table, s, first, work, one, other):
    """Renew a group of LANES states of total s with their mirror images."""
    game, limit = work.game, work.game.farkle_limit
    for count in range(2 * limit - 2, -1, -1):
        for u in range(limit * game.boards):
            e = count - u % limit
            if not 0 <= e < limit:
                continue
            for w in range(e, limit * game.boards, limit):
                for r in range(game.roles):
                    _solve_pairs(turn, table, s, first, r, u, w, work, one, other)


@njit(
    types.void(
        TURN_TYPE,
        TABLE_TYPE,
        types.intp,
        array_type(types.boolean, 2),
        *WORK_TYPES,
        *CONTEST_TYPES,
    ),
    parallel=True,
    cache=True,
    nogil=True,
    error_model="numpy",
)
def sweep_totals(turn, table, s, active, game, hot, bonuses, scratch, slack, one, other):
    """Renew the states of totals s, s - 1, ... in `active[0]`, `active[1]`, ... groups.

    Higher totals are done, and these do not depend on each other but for scores that cannot fall
    any further, all of them in the first groups. Inside a total a state depends only on the one
    with the players exchanged. So a task is a group of LANES states with their mirror images, but
    for the first groups, which are one task; no task touches the values of another, and the result
    is the same for any number of threads.
    """
    workers = len(scratch.lost)
    chain = np.flatnonzero(active[:, 0])
    rows, groups = np.nonzero(active[:, 1:])
    tasks = chain.size + rows.size
    # the first worker's share is the chain at least
    share = max(chain.size, (tasks + workers - 1) // workers)
    for worker in prange(workers):
        own = own_work(game, hot, bonuses, scratch, slack, worker)
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
            _renew(turn, table, s - row, first, own, one, other)


@njit(nogil=True, error_model="numpy")
def _slope(x, image, last_x, last_image):
    """Of the line through two points of a function with a slope from 0 to 1; 0 if there is none."""
    slope = 0.0
    if x != last_x:
        slope = (image - last_image) / (x - last_x)
    return slope if 0.0 <= slope < 1.0 - 1e-12 else 0.0


@njit(
    types.void(
        TURN_TYPE,
        TABLE_TYPE,
        types.intp,
        array_type(types.boolean, 1),
        *WORK_TYPES,
        *CONTEST_TYPES,
        types.float64,
        types.float64,
        types.float64,
    ),
    parallel=True,
    cache=True,
    nogil=True,
    error_model="numpy",
)
def solve_total(
    turn, table, s, active, game, hot, bonuses, scratch, slack, one, other, tolerance, least, wide
):
    """Solve the states of total s in `active` groups for rules under which a farkle costs nothing.

    The value x of a state and that of its mirror image depend on each other by a farkle each:
    x = G(x), G piecewise linear with 0 <= G' < 1. Secant steps on G, lane by lane, end when no lane
    is further than `tolerance` of itself, or of `least` if it is less, from its fixed point, by the
    last slope. Where G' is close to 1, rounding hides the slope between points that are near each
    other: only points that are `wide` of x apart count for it, and the first step goes that far. A
    task is a group as in sweep_totals.
    """
    workers = len(scratch.lost)
    lowest = max(0, s - game.scores + 1)
    tasks = np.flatnonzero(active)
    for worker in prange(workers):
        own = own_work(game, hot, bonuses, scratch, slack, worker)
        last_x, last_image, slopes = np.empty(LANES), np.empty(LANES), np.empty(LANES)
        for place in range(worker, tasks.size, workers):
            first = lowest + tasks[place] * LANES
            for mode in range(game.roles * game.boards * game.boards):
                r, boards = mode // (game.boards * game.boards), mode % (game.boards * game.boards)
                u, w, mirror = boards // game.boards, boards % game.boards, game.roles - 1 - r
                # x is the value of the player who is behind, the smaller and so more exact number
                low, high = own_scores(s, u, w, game)
                begin, end = max(first, low), min(first + LANES - 1, high, s // 2)
                behind, ahead = table[r, u, w, s], table[mirror, w, u, s]
                for iteration in range(MAX_SECANT_STEPS if begin <= end else 0):
                    x_before, ahead_before = behind.copy(), ahead.copy()
                    _solve_pairs(turn, table, s, first, mirror, w, u, own, one, other)
                    error = 0.0
                    for score in range(begin, end + 1):
                        x, image = x_before[PAD + score], behind[PAD + score]
                        lane = score - first
                        distance = image - x
                        if iteration == 0:
                            slopes[lane] = 0.0
                            if abs(distance) < wide * x:
                                distance = np.copysign(wide * x, distance)
                        else:
                            if abs(x - last_x[lane]) >= wide / 2.0 * x:
                                slopes[lane] = _slope(x, image, last_x[lane], last_image[lane])
                            distance /= 1.0 - slopes[lane]
                        last_x[lane], last_image[lane] = x, image
                        behind[PAD + score] = min(1.0, max(0.0, x + distance))
                        error = max(error, abs(distance) / max(image, least))
                        new = ahead[PAD + s - score]
                        change = abs(new - ahead_before[PAD + s - score])
                        error = max(error, change / max(new, least))
                    if iteration > 0 and error <= tolerance:
                        break


@njit(nogil=True, error_model="numpy")
def _logit(probability):
    return np.log(max(probability, 1e-300)) - np.log(max(1.0 - probability, 1e-15))


@njit(types.void(TABLE_TYPE, types.intp, types.intp, GAME_TYPE), cache=True, error_model="numpy")
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
