"""Every numba kernel: arrays in, arrays out.

All kernels work on one table of start-of-turn win probabilities,

    table[f, e, s, PAD + i]: float64, shape (farkles, farkles, totals, PAD + scores + PAD)

for a player to move with score i and f farkles in a row against an opponent with score s - i and
e farkles in a row; scores count point steps above the floor, s is the total of both. In this
layout the values that banking leads to stand side by side for states that differ by one step from
one player to the other, so that LANES of them are solved at once. Entries that are no state of the
game (a score at or over the goal) stay 0: a player whose opponent has reached the goal has lost.

`game` is (scores, minimum, penalty): how many scores there are below the goal, the least turn
total that may be banked (at least 1) and the points lost with the last farkle in a row, in steps.
`scratch` is (values, bank, farkle, out), see kernel_source.turn_source, with a row per thread.
"""

import numpy as np
from numba import njit, prange, types

from solver.kernel_source import LANES
from solver.scoring import TurnPlan

PAD = LANES
"""Columns on either side of a table, so that a group of lanes may stand out over its edge."""

MAX_SECANT_STEPS = 100

_vector = types.Array(types.float64, 1, "C")
_table = types.Array(types.float64, 4, "C")
_turn = types.FunctionType(types.void(_vector, _vector, _vector, _vector, types.intp))
_game = types.UniTuple(types.intp, 3)
_scratch = types.UniTuple(types.Array(types.float64, 2, "C"), 4)

Game = tuple[int, int, int]
Scratch = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def make_table(farkle_limit: int, game: Game) -> np.ndarray:
    """A table whose states are worth 0.5."""
    scores, minimum, _ = game
    shape = farkle_limit, farkle_limit, 2 * scores + minimum + LANES, scores + 2 * PAD
    table = np.zeros(shape)
    for total in range(2 * scores - 1):
        low, high = max(0, total - scores + 1), min(scores - 1, total)
        table[:, :, total, PAD + low : PAD + high + 1] = 0.5
    return table


def make_scratch(plan: TurnPlan, game: Game, threads: int) -> Scratch:
    """Working memory for the sweeps."""
    scores, minimum, _ = game
    steps = max(scores, minimum)
    row = len(plan.farkle_chances) * LANES
    return (
        np.zeros((threads, (steps + plan.reach) * row)),
        np.zeros((threads, steps * LANES)),
        np.zeros((threads, LANES)),
        np.zeros((threads, row)),
    )


@njit(inline="always")
def _own_scores(s, scores):
    """Least and most score that the player to move may have in total s."""
    return max(0, s - scores + 1), min(scores - 1, s)


@njit(inline="always")
def _solve_turn(turn, table, s, start, f, e, game, scratch, worker, behind):
    """Renew the states with opponents' scores start .. start + LANES - 1.

    Only those of players `behind` or level, or else of players ahead or level.
    """
    scores, minimum, penalty = game
    values, bank, farkle, out = (
        scratch[0][worker],
        scratch[1][worker],
        scratch[2][worker],
        scratch[3][worker],
    )
    low, high = _own_scores(s, scores)
    steps = max(scores - max(low, s - start - LANES + 1), minimum)
    bank[: minimum * LANES] = 0.0
    for t in range(minimum, steps):
        for lane in range(LANES):
            bank[t * LANES + lane] = 1.0 - table[e, 0, s + t, PAD + start + lane]
    for lane in range(LANES):
        opponent = start + lane
        own = s - opponent
        if own < low or own > high:
            farkle[lane] = 0.0
        elif f + 1 < table.shape[0]:
            farkle[lane] = 1.0 - table[e, f + 1, s, PAD + opponent]
        else:
            farkle[lane] = 1.0 - table[e, 0, opponent + max(0, own - penalty), PAD + opponent]
    values[steps * out.size :] = 1.0
    turn(values, bank, farkle, out, steps)
    for lane in range(LANES):
        own = s - start - lane
        if low <= own <= high and (2 * own <= s if behind else 2 * own >= s):
            # a sum of chances may come out one rounding above 1
            table[f, e, s, PAD + own] = min(1.0, out[out.size - LANES + lane])


@njit(inline="always")
def _solve_pairs(turn, table, s, first, f, e, game, scratch, worker):
    """Renew the states of total s in which the lesser score is first .. first + LANES - 1."""
    _solve_turn(turn, table, s, first, f, e, game, scratch, worker, False)
    _solve_turn(turn, table, s, s - first - LANES + 1, f, e, game, scratch, worker, True)


@njit(
    types.void(_turn, _table, types.intp, _game, _scratch),
    parallel=True,
    cache=True,
    nogil=True,
    error_model="numpy",
)
def sweep_total(turn, table, s, game, scratch):
    """Renew all states of total s, once the higher totals are done.

    Inside a total a state depends only on the one with the players exchanged. So a task is a group
    of LANES states with their mirror images, and no task touches the values of another: the result
    is the same for any number of threads.
    """
    limit = table.shape[0]
    workers = scratch[0].shape[0]
    low, _ = _own_scores(s, game[0])
    tasks = (s // 2 - low) // LANES + 1
    for worker in prange(workers):
        for task in range(worker, tasks, workers):
            first = low + task * LANES
            for count in range(2 * limit - 2, -1, -1):
                for f in range(max(0, count - limit + 1), min(limit - 1, count) + 1):
                    _solve_pairs(turn, table, s, first, f, count - f, game, scratch, worker)


@njit(
    types.void(_turn, _table, types.intp, _game, _scratch, types.float64),
    parallel=True,
    cache=True,
    nogil=True,
    error_model="numpy",
)
def solve_total(turn, table, s, game, scratch, tolerance):
    """Solve all states of total s for rules under which a farkle costs no points.

    The value x of a state and that of its mirror image depend on each other by a farkle each:
    x = G(x), G convex and piecewise linear with 0 <= G' < 1. Secant steps on G, lane by lane, end
    when no lane is further than `tolerance` of itself from its fixed point, by the last slope.
    Tasks as in sweep_total.
    """
    workers = scratch[0].shape[0]
    low, _ = _own_scores(s, game[0])
    tasks = (s // 2 - low) // LANES + 1
    for worker in prange(workers):
        last_x, last_image = np.empty(LANES), np.empty(LANES)
        for task in range(worker, tasks, workers):
            first = low + task * LANES
            used = min(LANES, s // 2 - first + 1)
            # x is the value of the player who is behind, the smaller and so more exact number
            behind = table[0, 0, s, PAD + first : PAD + first + LANES]
            for iteration in range(MAX_SECANT_STEPS):
                before = table[0, 0, s].copy()
                _solve_pairs(turn, table, s, first, 0, 0, game, scratch, worker)
                error = 0.0
                for lane in range(used):
                    x, image = before[PAD + first + lane], behind[lane]
                    slope = 0.0
                    if x != last_x[lane]:
                        slope = (image - last_image[lane]) / (x - last_x[lane])
                    if iteration == 0 or not 0.0 <= slope < 1.0 - 1e-12:
                        slope = 0.0
                    distance = (image - x) / (1.0 - slope)
                    error = max(error, abs(distance) / image)
                    ahead = s - first - lane
                    new = table[0, 0, s, PAD + ahead]
                    error = max(error, abs(new - before[PAD + ahead]) / new)
                    last_x[lane], last_image[lane] = x, image
                    behind[lane] = min(1.0, max(0.0, x + distance))
                if iteration > 0 and error <= tolerance:
                    break


@njit(inline="always")
def _logit(probability):
    return np.log(probability) - np.log(max(1.0 - probability, 1e-15))


@njit(types.void(_table, types.intp, _game), cache=True, error_model="numpy")
def guess_total(table, s, game):
    """Guess the states of total s with no farkles of the opponent, of which nothing is known.

    Their logits continue those of higher totals: bilinear where both players are far enough from
    the goal, else linear along one score. Totals over s + penalty are known, those over s guessed.
    """
    scores, _, penalty = game
    k = penalty + 1
    low, high = _own_scores(s, scores)
    for f in range(table.shape[0]):
        for own in range(low, high + 1):
            opponent = s - own
            if own + k < scores and opponent + k < scores:
                logit = (
                    _logit(table[f, 0, s + k, PAD + own + k])
                    + _logit(table[f, 0, s + k, PAD + own])
                    - _logit(table[f, 0, s + 2 * k, PAD + own + k])
                )
            elif own + 2 * k < scores:
                near = table[f, 0, s + k, PAD + own + k]
                far = table[f, 0, s + 2 * k, PAD + own + 2 * k]
                logit = 2.0 * _logit(near) - _logit(far)
            elif opponent + 2 * k < scores:
                near, far = table[f, 0, s + k, PAD + own], table[f, 0, s + 2 * k, PAD + own]
                logit = 2.0 * _logit(near) - _logit(far)
            else:
                continue
            table[f, 0, s, PAD + own] = 1.0 / (1.0 + np.exp(-logit))
