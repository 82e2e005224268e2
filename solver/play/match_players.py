"""Players of matches: the decisions of many turns at once. Loads numba.

Those of optimal play come from the kernels that solve the game, a hundred times faster than one
turn after the other.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit, prange, types

from solver.game.endgame import endgame, last_turn
from solver.game.kernel_source import load_turn
from solver.game.kernels import (
    TABLE_TYPE,
    TURN_TYPE,
    WORK_TYPES,
    array_type,
    own_work,
    prepare,
    solve_levels,
)
from solver.game.layout import mode, solved_game
from solver.game.position import Position, points_to_beat
from solver.game.standings import Bools, Ints, role
from solver.play.policies import Decisions, Policy, table_decisions
from solver.rules.ruleset import Ruleset
from solver.turn.equations import Floats
from solver.turn.scoring import turn_plan

DecisionTables = tuple[Ints, Floats, Bools]
"""For some positions: which of the decisions each has, and `worth` and `bank` of Decisions, one
after the other, shape (decisions, levels, turn totals, dice)."""


MatchPlayer = Callable[[Sequence[Position]], DecisionTables]
"""Decides in many positions at once: gives the decisions of the turns that start there."""


@njit(
    types.void(
        TURN_TYPE,
        TABLE_TYPE,
        array_type(types.intp, 2),
        *WORK_TYPES,
        array_type(types.float64, 4),
        array_type(types.boolean, 4),
    ),
    parallel=True,
    cache=True,
    nogil=True,
    error_model="numpy",
)
def _fill(
    turn: Any,
    table: Any,
    positions: Any,
    game: Any,
    hot: Any,
    bonuses: Any,
    scratch: Any,
    slack: Any,
    win: Any,
    bank: Any,
) -> None:
    """Tables of turns that start at (role, mode, opponent's mode, score, opponent's score)."""
    workers = len(scratch.lost)
    for worker in prange(workers):
        own = own_work(game, hot, bonuses, scratch, slack, worker)
        dice = own.scratch.out.shape[0]
        for p in range(worker, positions.shape[0], workers):
            r, u, w, score, opponent = positions[p]
            steps = prepare(table, score + opponent, opponent, r, u, w, own)
            solve_levels(turn, steps, own)
            for level in range(win.shape[1]):
                for t in range(win.shape[2]):
                    row = min(t, steps + game.reach - 1)
                    banked = own.scratch.bank[row, 0]
                    for n in range(dice):
                        value = own.scratch.values[level, row, n, 0]
                        win[p, level, t, n] = value
                        may = game.must_roll_hot == 0 or n < dice - 1
                        bank[p, level, t, n] = may and banked > 0.0 and banked >= value


def optimal_player(rules: Ruleset, values: npt.NDArray[np.float64], code: Path) -> MatchPlayer:
    """Optimal play of a solved game, given its values in the layout of a Solution.

    code : the folder of compiled code
    """
    plan = turn_plan(rules)
    table, work = solved_game(rules, endgame(rules), np.asarray(values))
    turn = load_turn(plan, code)
    rows = work.scratch.bank.shape[1]

    def tables(positions: Sequence[Position]) -> DecisionTables:
        shape = len(positions), plan.levels, rows, plan.columns
        worth, bank = np.empty(shape), np.empty(shape, dtype=np.bool_)
        ordinary = [k for k, one in enumerate(positions) if one.opponent < rules.winning_score]
        if ordinary:
            places = np.array([place_of(rules, positions[k]) for k in ordinary], dtype=np.intp)
            some = (len(ordinary), *shape[1:])
            filled = np.empty(some), np.empty(some, dtype=np.bool_)
            _fill(turn, table, places, *work, *filled)
            worth[ordinary], bank[ordinary] = filled
        for k in set(range(len(positions))) - set(ordinary):
            one = positions[k]
            found = last_turn(rules, points_to_beat(rules, one), on_board=one.on_board)
            worth[k], bank[k] = _cut(table_decisions(found), rows)
        return np.arange(len(positions)), worth, bank

    return tables


def policy_player(rules: Ruleset, policy: Policy) -> MatchPlayer:
    """The play of a policy."""

    def tables(positions: Sequence[Position]) -> DecisionTables:
        found = [policy.decisions(rules, one) for one in positions]
        index = {decisions: k for k, decisions in enumerate(dict.fromkeys(found))}
        which = np.array([index[decisions] for decisions in found])
        rows = max(one.worth.shape[1] for one in index)
        worth, bank = zip(*(_cut(one, rows) for one in index), strict=True)
        return which, np.stack(worth), np.stack(bank)

    return tables


def _cut(decisions: Decisions, rows: int) -> tuple[Floats, Bools]:
    """Decisions cut off at `rows` turn totals, or with the last one repeated."""
    kept = np.minimum(np.arange(rows), decisions.worth.shape[1] - 1)
    return decisions.worth[:, kept], decisions.bank[:, kept]


def place_of(rules: Ruleset, position: Position) -> tuple[int, int, int, int, int]:
    """Where a position before the end of the game stands in a table of kernels, see `_fill`."""
    return (
        role(rules, began=position.began),
        mode(rules, position.own),
        mode(rules, position.others),
        (position.banked - rules.score_floor) // rules.point_step,
        (position.opponent - rules.score_floor) // rules.point_step,
    )
