"""Players of matches: the decisions of many turns at once. Loads numba.

Those of optimal play come from the kernels that solve the game, a hundred times faster than one
turn after the other.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from solver.game.best import last_turn_at
from solver.game.endgame import endgame
from solver.game.kernel_source import load_turn
from solver.game.kernels import solve_turns
from solver.game.layout import NOT_ALLOWED, mode, solved_game
from solver.game.position import Position, rules_at
from solver.game.standings import Bools, Ints, role
from solver.play.policies import Optimal
from solver.play.policy import Decisions, Policy
from solver.play.turn_kernels import fill_turns
from solver.rules.ruleset import Ruleset
from solver.turn.equations import EqualDice, Floats, TurnTable, turn_plan


class MatchTurns(NamedTuple):
    """The turns that start at some positions; of positions with equal turns there is one."""

    which: Ints
    """The place of the turn of each position in all other arrays, shape (positions,)."""
    worth: Floats
    """`Decisions.worth` of each turn, shape (turns, levels, turn totals, columns)."""
    bank: Bools
    """`Decisions.bank` of each turn, in the same shape."""
    banked: Floats
    """What a bank is worth in a solved game, below 0 where it is not allowed, (turns, turn totals).

    Like the next two it is empty for other policies than optimal play."""
    farkle: Floats
    """What a farkle is worth in a solved game, in the same shape."""
    lost: Floats
    """What a roll that loses everything is worth in a solved game, shape (turns,)."""


MatchPlayer = Callable[[Sequence[Position]], MatchTurns]
"""Decides in many positions at once: gives the turns that start there."""


def optimal_player(rules: Ruleset, values: npt.NDArray[np.float64], code: Path) -> MatchPlayer:
    """Optimal play of a solved game.

    values : in the layout of a Solution
    code : the folder of compiled code
    """
    table, work = solved_game(rules, endgame(rules), np.asarray(values))
    turn = load_turn(turn_plan(rules), code)
    rows = work.scratch.bank.shape[1]

    def turns(positions: Sequence[Position]) -> MatchTurns:
        number, plan = len(positions), turn_plan(rules_at(rules, positions[0]))
        arrays = (
            np.empty((number, plan.levels, rows, plan.columns)),
            *np.empty((2, number, rows)),
            np.empty(number),
        )
        ordinary = [k for k, start in enumerate(positions) if start.opponent < rules.winning_score]
        if ordinary:
            places = np.array([_place(rules, positions[k]) for k in ordinary], dtype=np.intp)
            filled = [np.empty((len(ordinary), *array.shape[1:])) for array in arrays]
            fill_turns(solve_turns, turn, table, places, *work.alike, *filled)
            for array, part in zip(arrays, filled, strict=True):
                array[ordinary] = part
        for k in set(range(number)).difference(ordinary):
            last = last_turn_at(rules, positions[k])
            for array, part in zip(arrays, _cut_off(last, rows), strict=True):
                array[k] = part
        worth, banked, farkle, lost = arrays
        bank = banked[:, None, :, None] >= worth
        bank[..., ~plan.may_bank] = False
        return MatchTurns(np.arange(number), worth, bank, banked, farkle, lost)

    return turns


def _cut_off(table: TurnTable, rows: int) -> tuple[Floats, Floats, Floats, Floats]:
    """The values of one turn, cut off at `rows` turn totals or with the last one repeated."""
    kept = np.minimum(np.arange(rows), len(table.ends.bank) - 1)
    bank = np.nan_to_num(table.ends.bank, nan=NOT_ALLOWED)[kept]
    return table.win_probability[:, kept], bank, table.ends.farkle[kept], table.ends.lost[0]


def match_player(rules: Ruleset, policy: Policy, code: Path) -> MatchPlayer:
    """The play of a policy; of optimal play by the kernels.

    code : the folder of compiled code
    """
    if isinstance(policy, Optimal):
        return optimal_player(rules, policy.strategy.values, code)
    return policy_player(rules, policy)


def policy_player(rules: Ruleset, policy: Policy) -> MatchPlayer:
    """The play of a policy."""

    def turns(positions: Sequence[Position]) -> MatchTurns:
        every = [policy.decisions(EqualDice(rules_at(rules, start)), start) for start in positions]
        index = {decisions: k for k, decisions in enumerate(dict.fromkeys(every))}
        which = np.array([index[decisions] for decisions in every])
        rows = max(decisions.worth.shape[1] for decisions in index)
        worth, bank = zip(*(_cut(decisions, rows) for decisions in index), strict=True)
        nothing = np.empty((0, 0))
        worths, banks = np.stack(worth), np.stack(bank)
        return MatchTurns(which, worths, banks, nothing, nothing, np.empty(0))

    return turns


def _cut(decisions: Decisions, rows: int) -> tuple[Floats, Bools]:
    """Decisions cut off at `rows` turn totals, or with the last one repeated."""
    kept = np.minimum(np.arange(rows), decisions.worth.shape[1] - 1)
    return decisions.worth[:, kept], decisions.bank[:, kept]


def _place(rules: Ruleset, position: Position) -> tuple[int, int, int, int, int]:
    return (
        role(rules, began=position.began),
        mode(rules, position.own),
        mode(rules, position.other),
        (position.banked - rules.score_floor) // rules.point_step,
        (position.opponent - rules.score_floor) // rules.point_step,
    )
