"""Every numba kernel: arrays in, arrays out.

All kernels work on one table of start-of-turn win probabilities,

    table[r, u, w, s, PAD + i]: float64, shape (roles, modes, modes, totals, PAD + scores + PAD)

for a player to move with score i in mode u against an opponent with score s - i in mode w; scores
count point steps above the floor, s is the total of both. A mode is the farkles in a row, plus
`farkle_limit` where the player is not on the board. Role 0 is the player who began; there is only
that one where it does not matter. In this layout the values that banking leads to stand side by
side for states that differ by one step from one player to the other, so that LANES of them are
solved at once.

Where the opponent's score s - i is at or over the goal, the entry in column u, w = 0 is the value
of the final turn, and 0 where the goal wins at once. All other entries that are no state of the
game are 0.
"""

import os
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numba import njit, prange, types

from solver.endgame import Endgame
from solver.kernel_source import LANES
from solver.rules import Ruleset
from solver.scoring import TurnPlan
from solver.solution import blocks, score_count

# Threads that wait for the others sleep, or on a busy machine they would take the processors from
# those that work. Read when the first parallel kernel starts.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

PAD = LANES
"""Columns on either side of a table, so that a group of lanes may stand out over its edge."""

MAX_SECANT_STEPS = 100

EVERYTHING = -1
"""As a penalty: a score above 0 falls to 0."""


class Game(NamedTuple):
    """What kernels have to know of a game; points in steps."""

    roles: int
    farkle_limit: int
    boards: int
    """2 where it matters who is on the board, else 1."""
    scores: int
    """Number of scores below the goal."""
    zero: int
    """Index of the score 0."""
    least: int
    """Least turn total that may be banked on the board."""
    opening: int
    """Least turn total that may be banked off the board."""
    free_win: int
    """1 where a bank that reaches the goal may be less than `least`."""
    penalty: int
    keeps: int
    """1 where a farkle keeps the turn total."""
    beyond: int
    """Turn totals beyond the goal, for the player whose goal is not the end."""
    reach: int
    must_roll_hot: int


class HotDice(NamedTuple):
    """What a roll of all the dice comes to where more points are worth nothing: chances."""

    wins: float
    loses: float
    farkles: float
    only_hot: float


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

Scratch = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def make_game(rules: Ruleset, plan: TurnPlan, ends: Endgame) -> Game:
    """The game of a rule set."""
    step = rules.point_step
    everything = rules.farkle_penalty is not None and rules.penalty_points == 0
    return Game(
        roles=2 if rules.has_roles else 1,
        farkle_limit=rules.farkle_limit,
        boards=2 if rules.has_opening else 1,
        scores=score_count(rules),
        zero=-rules.score_floor // step,
        least=rules.least_bank() // step,
        opening=rules.least_bank(on_board=False) // step,
        free_win=int(not rules.minimum_binds_win),
        penalty=EVERYTHING if everything else rules.penalty_points // step,
        keeps=int(rules.farkle_keeps_turn_total),
        beyond=ends.beyond,
        reach=plan.reach,
        must_roll_hot=int(plan.must_roll_hot),
    )


def make_hot_dice(plan: TurnPlan) -> HotDice:
    """The chances of a roll of all the dice."""
    return HotDice(
        float(plan.win_chances[-1]),
        float(plan.lose_chances[-1]),
        float(plan.farkle_chances[-1]),
        float(plan.only_hot[-1]),
    )


def make_table(game: Game, ends: Endgame) -> np.ndarray:
    """A table whose states are worth 0.5, with the final turns beside them."""
    modes = game.farkle_limit * game.boards
    totals = 2 * game.scores + game.opening + game.beyond + game.reach + LANES
    table = np.zeros((game.roles, modes, modes, totals, game.scores + 2 * PAD))
    chaser = game.roles - 1
    for total in range(totals):
        if total <= 2 * game.scores - 2:
            low, high = max(0, total - game.scores + 1), min(game.scores - 1, total)
            table[..., total, PAD + low : PAD + high + 1] = 0.5
        behind = np.arange(min(game.scores, total - game.scores + 1))
        if len(behind):
            margins = np.minimum(total - 2 * behind, len(ends.last_on_board) - 1)
            for mode in range(modes):
                last = ends.last(on_board=mode < game.farkle_limit)
                table[chaser, mode, 0, total, PAD + behind] = last[margins]
    return table


def read_table(rules: Ruleset, table: np.ndarray, shape: tuple[int, int, int]) -> np.ndarray:
    """The states of a table in the layout of a solution."""
    values = np.empty(shape)
    for row, column, scores, states in _rows(rules, table):
        values[:, row, column : column + scores] = states
    return values


def fill_table(rules: Ruleset, table: np.ndarray, values: np.ndarray) -> None:
    """Put the values of a solution into a table."""
    for row, column, scores, states in _rows(rules, table):
        states[:] = values[:, row, column : column + scores]


def _rows(rules: Ruleset, table: np.ndarray) -> Iterator[tuple[int, int, int, np.ndarray]]:
    """Each standing with each block of opponents: row, first column, length, place in the table."""
    limit, row = rules.farkle_limit, 0
    for own in blocks(rules):
        u = own.farkles + (0 if own.on_board else limit)
        for index in range(own.scores):
            column = 0
            for opponent in blocks(rules):
                w = opponent.farkles + (0 if opponent.on_board else limit)
                totals = slice(index, index + opponent.scores)
                yield row, column, opponent.scores, table[:, u, w, totals, PAD + index]
                column += opponent.scores
            row += 1


def make_scratch(plan: TurnPlan, game: Game, threads: int) -> Scratch:
    """Working memory for the sweeps: values, bank, farkle, lost and out for each thread."""
    rows = max(game.scores, game.opening) + game.beyond + game.reach
    row = plan.dice * LANES
    # hot dice of the last level reach beyond the others by their bonus
    return (
        np.zeros((threads, plan.levels * rows * row)),
        np.zeros((threads, rows * LANES)),
        np.zeros((threads, rows * LANES)),
        np.zeros((threads, LANES)),
        np.zeros((threads, row)),
    )


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


@njit(
    types.void(_turn, _table, types.intp, _flags, _game, _hot, _bonuses, _scratch),
    parallel=True,
    cache=True,
    nogil=True,
    error_model="numpy",
)
def sweep_total(turn, table, s, active, game, hot, bonuses, scratch):
    """Renew the states of total s in `active` groups, once the higher totals are done.

    Inside a total a state depends only on the one with the players exchanged. So a task is a group
    of LANES states with their mirror images, and no task touches the values of another: the result
    is the same for any number of threads.
    """
    limit = game.farkle_limit
    workers = scratch[0].shape[0]
    low = max(0, s - game.scores + 1)
    tasks = np.flatnonzero(active)
    for worker in prange(workers):
        for place in range(worker, tasks.size, workers):
            first = low + tasks[place] * LANES
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
    Tasks as in sweep_total.
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


@njit(types.void(_table, types.intp, _game), cache=True, error_model="numpy")
def guess_total(table, s, game):
    """Guess the states of total s with an opponent without farkles, of which nothing is known.

    Their logits continue those of higher totals: bilinear where both players are far enough from
    the goal, else linear along one score. Totals over s + penalty are known, those over s guessed.
    Only for players on the board; what is guessed for others is 0.5.
    """
    scores = game.scores
    k = max(0, game.penalty) + 1
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
