"""A turn with dice of one's own seen from above, as `solver.play.maps` has it for equal dice."""

import numpy as np

from solver.game.position import Position
from solver.game.standings import Bools
from solver.loaded.strategy import OwnDice
from solver.play.maps import TurnMap
from solver.rules.ruleset import Ruleset
from solver.turn.dice import Remaining
from solver.turn.equations import TurnTable
from solver.turn.points import bank_decisions, turn_outcome
from solver.turn.thresholds import bank_from

MOST_COLUMNS = 8
"""Remaining dice that are shown; a set may have 63."""


def loaded_turn_map(strategy: OwnDice, position: Position) -> tuple[TurnMap, tuple[Remaining, ...]]:
    """The turn of a possible position of a side, and the remaining dice of each of its columns.

    Shown are those to which the turn comes most often, all dice, and those of the position, the
    fewest dice first. In the map the dice of the position are the number of their column.
    """
    table = strategy.turn(position)
    rows = max(strategy.rules.winning_score - position.banked, position.turn_total)
    possible = strategy.possible_rows(position.mover, rows // strategy.rules.point_step + 1)
    return dice_map(strategy.rules, position, table, possible, MOST_COLUMNS)


def dice_map(
    rules: Ruleset, position: Position, table: TurnTable, possible: Bools, most: int
) -> tuple[TurnMap, tuple[Remaining, ...]]:
    """A turn with any dice that is solved, as `loaded_turn_map` has it, of so many remaining dice.

    possible : states that the turn may come to, shape (rows, remaining dice)
    """
    rows, step = len(possible), rules.point_step
    often = turn_outcome(rules, table).visits[0].sum(axis=0)
    often[[position.dice - 1, -1]] = np.inf
    columns = np.sort(np.argsort(-often, kind="stable")[:most])
    columns = columns[often[columns] > 0]
    possible = possible[:, columns]
    banks = bank_decisions(table)[0][:rows, columns]
    rows = min(rows, len(possible), len(banks))
    bank = table.ends.bank[:rows, np.newaxis].repeat(len(columns), axis=1)
    turn = TurnMap(
        rules=rules,
        position=position.change(dice=int(np.searchsorted(columns, position.dice - 1)) + 1),
        totals=np.arange(rows, dtype=np.int64) * step,
        roll=table.roll[0, :rows][:, columns],
        bank=bank,
        reachable=possible[:rows],
        bank_from=bank_from(banks[:rows], possible[:rows], step),
    )
    return turn, tuple(int(column) + 1 for column in columns)
