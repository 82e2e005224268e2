"""Players of matches: the decisions of many turns at once. Loads numba.

Those of optimal play come from the kernels that solve the game, a hundred times faster than one
turn after the other.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from solver.game.endgame import endgame, last_turn
from solver.game.kernel_source import load_turn
from solver.game.layout import NOT_ALLOWED, mode, solved_game
from solver.game.position import Position, points_to_beat, rules_at
from solver.game.standings import Bools, Ints, role
from solver.play.policies import Optimal
from solver.play.policy import Decisions, Policy
from solver.play.turn_kernels import fill_turns
from solver.rules.ruleset import Ruleset
from solver.turn.equations import EqualDice, Floats, TurnTable, turn_plan

DecisionTables = tuple[Ints, Floats, Bools]
"""For some positions: which of the decisions each has, and `worth` and `bank` of Decisions, one
after the other, shape (decisions, levels, turn totals, dice)."""


MatchPlayer = Callable[[Sequence[Position]], DecisionTables]
"""Decides in many positions at once: gives the decisions of the turns that start there."""


class TurnValues(NamedTuple):
    """The turns that start at some positions, shape (positions, ...) each."""

    worth: Floats
    """Win probability in the states of the turn, shape (..., levels, turn totals, dice)."""
    bank: Floats
    """The value of banking, by the turn total; less than 0 where that is not allowed."""
    farkle: Floats
    """The value of a farkle, by the turn total."""
    lost: Floats
    """The value of a roll that loses everything."""


ValuesPlayer = Callable[[Sequence[Position]], TurnValues]
"""Best play in many positions at once: gives what the turns that start there are worth."""


def optimal_values(rules: Ruleset, values: npt.NDArray[np.float64], code: Path) -> ValuesPlayer:
    """The turns of a solved game, given its values in the layout of a Solution.

    code : the folder of compiled code
    """
    plan = turn_plan(rules)
    table, work = solved_game(rules, endgame(rules), np.asarray(values))
    turn = load_turn(plan, code)
    rows = work.scratch.bank.shape[1]

    def found(positions: Sequence[Position]) -> TurnValues:
        number, plan = len(positions), turn_plan(rules_at(rules, positions[0]))
        made = TurnValues(
            np.empty((number, plan.levels, rows, plan.columns)),
            np.empty((number, rows)),
            np.empty((number, rows)),
            np.empty(number),
        )
        ordinary = [k for k, one in enumerate(positions) if one.opponent < rules.winning_score]
        if ordinary:
            places = np.array([_place(rules, positions[k]) for k in ordinary], dtype=np.intp)
            some = TurnValues(*(np.empty((len(ordinary), *one.shape[1:])) for one in made))
            fill_turns(turn, table, places, *work, *some)
            for whole, part in zip(made, some, strict=True):
                whole[ordinary] = part
        for k in set(range(number)).difference(ordinary):
            one = positions[k]
            last = last_turn(rules, points_to_beat(rules, one), on_board=one.on_board)
            for whole, part in zip(made, table_values(last, rows), strict=True):
                whole[k] = part
        return made

    return found


def table_values(table: TurnTable, rows: int) -> TurnValues:
    """One turn, cut off at `rows` turn totals or with the last one repeated."""
    kept = np.minimum(np.arange(rows), len(table.ends.bank) - 1)
    bank = np.nan_to_num(table.ends.bank, nan=NOT_ALLOWED)[kept]
    lost = table.ends.lost[0]
    return TurnValues(table.win_probability[:, kept], bank, table.ends.farkle[kept], lost)


def optimal_player(rules: Ruleset, values: npt.NDArray[np.float64], code: Path) -> MatchPlayer:
    """Optimal play of a solved game; the arguments are those of `optimal_values`."""
    found = optimal_values(rules, values, code)

    def tables(positions: Sequence[Position]) -> DecisionTables:
        worth, bank, _, _ = found(positions)
        banks = bank[:, None, :, None] >= worth
        banks[..., ~turn_plan(rules_at(rules, positions[0])).may_bank] = False
        return np.arange(len(positions)), worth, banks

    return tables


def match_player(rules: Ruleset, policy: Policy, code: Path) -> MatchPlayer:
    """The play of a policy; of optimal play by the kernels.

    code : the folder of compiled code
    """
    if isinstance(policy, Optimal):
        return optimal_player(rules, policy.strategy.values, code)
    return policy_player(rules, policy)


def policy_player(rules: Ruleset, policy: Policy) -> MatchPlayer:
    """The play of a policy."""

    def tables(positions: Sequence[Position]) -> DecisionTables:
        found = [policy.decisions(EqualDice(rules_at(rules, one)), one) for one in positions]
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


def _place(rules: Ruleset, position: Position) -> tuple[int, int, int, int, int]:
    return (
        role(rules, began=position.began),
        mode(rules, position.own),
        mode(rules, position.other),
        (position.banked - rules.score_floor) // rules.point_step,
        (position.opponent - rules.score_floor) // rules.point_step,
    )
