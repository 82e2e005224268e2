"""The table that all kernels work on, and what else they are given.

A table of start-of-turn win probabilities,

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

from collections.abc import Iterator
from typing import NamedTuple

import numba
import numpy as np
import numpy.typing as npt

from solver.game.endgame import Endgame
from solver.game.kernel_source import LANES
from solver.game.standings import Block, Standing, blocks, score_count, value_shape
from solver.rules.ruleset import Ruleset
from solver.turn.equations import Floats
from solver.turn.scoring import turn_plan

PAD = LANES
"""Columns on either side of a table, so that a group of lanes may stand out over its edge."""

EVERYTHING = -1
"""As a penalty: a score above 0 falls to 0."""


class GameNumbers(NamedTuple):
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


class Scratch(NamedTuple):
    """The turns under way, one in each lane: float64 arrays, with an axis of threads in front."""

    values: Floats
    """Win probability with dice 1.. in turn, shape (levels, turn totals, dice, LANES)."""
    bank: Floats
    """Value of banking a turn total, 0 where it is not allowed, shape (turn totals, LANES)."""
    farkle: Floats
    """Value of a farkle at a turn total, shape (turn totals, LANES)."""
    lost: Floats
    """Value of a roll that loses everything, shape (LANES,)."""
    out: Floats
    """The values of the turn total that was solved last, shape (dice, LANES)."""


class Work(NamedTuple):
    """What kernels are given besides the turn, the table and the place where they work."""

    game: GameNumbers
    hot: HotDice
    bonuses: npt.NDArray[np.intp]
    """Of each hot dice in a turn, in steps; the last one goes on for those that follow."""
    scratch: Scratch


def _game_numbers(rules: Ruleset, ends: Endgame) -> GameNumbers:
    plan, step = turn_plan(rules), rules.point_step
    everything = rules.farkle_penalty is not None and rules.penalty_points == 0
    return GameNumbers(
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


def make_work(rules: Ruleset, ends: Endgame, threads: int | None = None) -> Work:
    """What kernels need for the turns of a game; for as many threads as there are if None."""
    plan, game = turn_plan(rules), _game_numbers(rules, ends)
    threads = threads or numba.get_num_threads()
    # as many turn totals as any turn may need, with those that hold only a bank
    rows = max(game.scores, game.opening) + game.beyond + game.reach
    hot = HotDice(
        float(plan.win_chances[-1]),
        float(plan.lose_chances[-1]),
        float(plan.farkle_chances[-1]),
        float(plan.only_hot[-1]),
    )
    bonuses = np.array(plan.bonuses, dtype=np.intp)
    scratch = Scratch(
        values=np.zeros((threads, plan.levels, rows, plan.columns, LANES)),
        bank=np.zeros((threads, rows, LANES)),
        farkle=np.zeros((threads, rows, LANES)),
        lost=np.zeros((threads, LANES)),
        out=np.zeros((threads, plan.columns, LANES)),
    )
    return Work(game, hot, bonuses, scratch)


def make_table(game: GameNumbers, ends: Endgame) -> np.ndarray:
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
            margins = np.minimum(total - 2 * behind, ends.last.shape[1] - 1)
            for mode in range(modes):
                last = ends.last[int(mode < game.farkle_limit), margins]
                table[chaser, mode, 0, total, PAD + behind] = last
    return table


def solved_game(rules: Ruleset, ends: Endgame, values: np.ndarray) -> tuple[np.ndarray, Work]:
    """The table of a solved game with the values of its solution, and what kernels need."""
    work = make_work(rules, ends)
    table = make_table(work.game, ends)
    for row, column, scores, states in _rows(rules, table):
        states[:] = values[:, row, column : column + scores]
    return table, work


def read_table(rules: Ruleset, table: np.ndarray) -> np.ndarray:
    """The states of a table in the layout of a solution."""
    values = np.empty(value_shape(rules))
    for row, column, scores, states in _rows(rules, table):
        values[:, row, column : column + scores] = states
    return values


def mode(rules: Ruleset, one: Standing | Block) -> int:
    """Index of a mode."""
    off_board = rules.has_opening and not one.on_board
    return one.farkles + (rules.farkle_limit if off_board else 0)


def _rows(rules: Ruleset, table: np.ndarray) -> Iterator[tuple[int, int, int, np.ndarray]]:
    """Each standing with each block of opponents: row, first column, length, place in the table."""
    row = 0
    for own in blocks(rules):
        u = mode(rules, own)
        for index in range(own.scores):
            column = 0
            for opponent in blocks(rules):
                w = mode(rules, opponent)
                totals = slice(index, index + opponent.scores)
                yield row, column, opponent.scores, table[:, u, w, totals, PAD + index]
                column += opponent.scores
            row += 1
