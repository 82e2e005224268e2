"""The numbers behind pictures, as tables: the names of their columns and their rows."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from bot.views.advice import position_data
from bot.views.sheet import Sheet
from solver.play.maps import BorderMap, ScoreMap, TurnMap, WinMap
from solver.turn.equations import Decision


@dataclass(frozen=True, slots=True)
class NumberTable:
    """Rows of numbers and words under the names of their columns, and what holds for all rows."""

    about: dict[str, Any]
    sheet: Sheet

    def as_data(self) -> dict[str, Any]:
        """As plain data: a row becomes its columns by name."""
        named = [dict(zip(self.sheet.columns, row, strict=True)) for row in self.sheet.rows]
        return {**self.about, "rows": named}


def turn_table(turn: TurnMap) -> NumberTable:
    """Every state of a turn that can occur, and its borders."""
    value = turn.value
    rows = [
        (
            int(turn.totals[row]),
            int(column) + 1,
            float(value[row, column]),
            float(turn.roll[row, column]),
            _number(turn.bank[row, column]),
            _action(turn, row, column).value,
        )
        for row, column in np.argwhere(turn.reachable)
    ]
    about = {
        "rules": turn.rules.name,
        "position": position_data(turn.rules, turn.position),
        "bank_from": [asdict(one) for one in turn.bank_from],
    }
    columns = ("turn_total", "dice", "win_probability", "roll", "bank", "action")
    return NumberTable(about, Sheet(columns, tuple(rows)))


def win_table(found: WinMap) -> NumberTable:
    """The win probability of every pair of scores."""
    rows = [
        (int(own), int(other), float(found.win_probability[x, y]))
        for x, own in enumerate(found.own)
        for y, other in enumerate(found.opponent)
    ]
    columns = ("banked", "opponent", "win_probability")
    return NumberTable(_about(found), Sheet(columns, tuple(rows)))


def border_table(found: BorderMap) -> NumberTable:
    """From which turn total on to bank, by dice and scores."""
    columns = ("dice", "banked", "opponent", "bank_from", "reaches_goal", "inverted")
    rows = [
        (
            dice + 1,
            int(own),
            int(other),
            None if np.isnan(least := found.bank_from[dice, x, y]) else int(least),
            bool(least >= found.wins_from[x]),
            bool(found.inverted[dice, x, y]),
        )
        for dice in range(len(found.bank_from))
        for x, own in enumerate(found.own)
        for y, other in enumerate(found.opponent)
    ]
    return NumberTable(_about(found), Sheet(columns, tuple(rows)))


def columns_table(about: dict[str, Any], columns: Mapping[str, Iterable[Any]]) -> NumberTable:
    """A table from its columns, which are equally long."""
    return NumberTable(about, Sheet(tuple(columns), tuple(zip(*columns.values(), strict=True))))


def _about(found: ScoreMap) -> dict[str, Any]:
    """The rules, and what is the same at all scores."""
    start = found.position
    return {
        "rules": found.rules.name,
        "goal": found.rules.goal,
        "farkles": start.farkles,
        "opponent_farkles": start.opponent_farkles,
        "began": start.began,
        "hot_dice": start.hot_dice,
    }


def _action(turn: TurnMap, row: int, column: int) -> Decision:
    """What to do in a cell."""
    if not turn.banks[row, column]:
        return Decision.ROLL
    return Decision.WIN if turn.bank[row, column] == 1 else Decision.BANK


def _number(amount: float) -> float | None:
    """A number as JSON knows it."""
    return None if np.isnan(amount) else float(amount)
