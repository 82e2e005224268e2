"""Tables of many turns at once, for the simulation of whole games by optimal play."""

from collections.abc import Callable, Sequence
from functools import cache as remembered
from pathlib import Path
from typing import Any

import numba
import numpy as np
import numpy.typing as npt
from numba import njit, prange

from solver import kernels
from solver.endgame import endgame, final_turn, first_of_play_off
from solver.kernel_source import LANES, load_turn
from solver.kernels import _prepare, _solve_levels
from solver.position import Position
from solver.rules import Ruleset
from solver.scoring import turn_plan
from solver.solution import Solution, role
from solver.turn import Decision, TurnTable

Tables = tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]


@njit(parallel=True, cache=True, nogil=True, error_model="numpy")
def _fill(
    turn: Any,
    table: Any,
    positions: Any,
    game: Any,
    hot: Any,
    bonuses: Any,
    scratch: Any,
    win: Any,
    bank: Any,
) -> None:
    """Tables of turns that start at (role, mode, opponent's mode, score, opponent's score)."""
    workers = scratch[0].shape[0]
    dice = scratch[4].shape[1] // LANES
    level_size = scratch[0].shape[1] // bonuses.size
    for worker in prange(workers):
        for p in range(worker, positions.shape[0], workers):
            r, u, w, own, opponent = positions[p]
            steps = _prepare(
                table, own + opponent, opponent, r, u, w, game, hot, bonuses, scratch, worker
            )
            _solve_levels(turn, steps, bonuses, scratch, worker)
            for level in range(win.shape[1]):
                for t in range(win.shape[2]):
                    row = min(t, steps + game.reach - 1)
                    banked = scratch[1][worker, row * LANES]
                    for n in range(dice):
                        place = level * level_size + (row * dice + n) * LANES
                        value = scratch[0][worker, place]
                        win[p, level, t, n] = value
                        may = game.must_roll_hot == 0 or n < dice - 1
                        bank[p, level, t, n] = may and banked > 0.0 and banked >= value


def optimal_tables(solution: Solution, cache: Path) -> Callable[[Sequence[Position]], Tables]:
    """The tables that tests.simulation plays by, of a solved game."""
    rules = solution.rules
    plan, ends = turn_plan(rules), endgame(rules)
    game = kernels.make_game(rules, plan, ends)
    hot, bonuses = kernels.make_hot_dice(plan), np.array(plan.bonuses, dtype=np.intp)
    table = kernels.make_table(game, ends)
    kernels.fill_table(rules, table, solution.values)
    turn = load_turn(plan, cache)
    scratch = kernels.make_scratch(plan, game, numba.get_num_threads())
    rows = max(game.scores, game.opening) + game.beyond + game.reach

    @remembered
    def last(margin: int, *, on_board: bool) -> Tables:
        return _as_arrays(final_turn(rules, margin, ends.tie, on_board=on_board), rows)

    @remembered
    def first() -> Tables:
        return _as_arrays(first_of_play_off(rules, ends), rows)

    def tables(positions: Sequence[Position]) -> Tables:
        shape = len(positions), plan.levels, rows, plan.dice
        win, bank = np.empty(shape), np.empty(shape, dtype=np.bool_)
        ordinary = [k for k, one in enumerate(positions) if one.opponent < rules.winning_score]
        places = np.array([_place(rules, positions[k]) for k in ordinary], dtype=np.intp).reshape(
            -1, 5
        )
        some_win, some_bank = (
            np.empty((len(ordinary), *shape[1:])),
            np.empty((len(ordinary), *shape[1:]), dtype=np.bool_),
        )
        _fill(turn, table, places, game, hot, bonuses, scratch, some_win, some_bank)
        win[ordinary], bank[ordinary] = some_win, some_bank
        for k in set(range(len(positions))) - set(ordinary):
            one = positions[k]
            margin = (one.opponent - one.banked) // rules.point_step
            if one.banked >= rules.winning_score and one.began:
                win[k], bank[k] = first()
            else:
                win[k], bank[k] = last(margin, on_board=one.on_board)
        return win, bank

    return tables


def _place(rules: Ruleset, position: Position) -> tuple[int, int, int, int, int]:
    limit = rules.farkle_limit
    own, opponent = (
        (score - rules.score_floor) // rules.point_step
        for score in (position.banked, position.opponent)
    )
    boards = rules.has_opening
    return (
        role(rules, began=position.began),
        position.farkles + (limit if boards and not position.on_board else 0),
        position.opponent_farkles + (limit if boards and not position.opponent_on_board else 0),
        own,
        opponent,
    )


def _as_arrays(table: TurnTable, rows: int) -> Tables:
    """A turn's table cut off at `rows` or with its last row repeated."""
    levels, totals, dice = table.roll.shape
    kept = np.minimum(np.arange(rows), totals - 1)
    win = table.win_probability[:, kept]
    bank = np.array(
        [
            [
                [table.decision(t, n + 1, level) != Decision.ROLL for n in range(dice)]
                for t in kept.tolist()
            ]
            for level in range(levels)
        ]
    )
    return win, bank
