"""A table to memorise: the further points of a turn in round numbers, by turn total and dice left.

The gain of rolling n dice at a turn total t is what a turn for most points that no goal ends brings
beyond t on average, see solver.turn.endless; a farkle costs the turn total and nothing else. It is
counted up to a multiple of the unit, and at least 0 where the turn total may be banked, which gains
0. So a gain of 0 or less counts as 0, and says to bank.

In a column of the table stand the turn totals from which on the gain counts as each number. Where
more points in hand are never worth less than themselves, gains only fall, and each number has one
turn total at most. Below a minimum that has to be reached first they may rise again; there they may
be less than 0 too.

Source: M. Busche and T. W. Neller, "Optimal Play of the Farkle Dice Game" (2017), tables 2 and 3:
their printed gains and break points are those of this table.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from solver.errors import InvalidRequestError, InvalidRulesError
from solver.rules.ruleset import MAX_POINTS, RULESETS, Ruleset
from solver.turn.dice import Remaining
from solver.turn.endless import EndlessTurn, endless_turn
from solver.turn.equations import Floats, possible_states

_MOST_BREAKS = 40
"""Turn totals in a table in its natural unit: more are hard to keep in mind."""

_ROUNDING = 1e-9
"""Points by which a gain may be above a multiple of the unit and count as that."""


@dataclass(frozen=True, slots=True)
class Break:
    """A turn total from which on, up to the next break, the gain counts as `gain` points."""

    turn_total: int
    gain: int


@dataclass(frozen=True, slots=True)
class MemoColumn:
    """The gains of rolling a number of dice."""

    dice: Remaining
    breaks: tuple[Break, ...]
    """Ascending in turn totals, the first at 0."""


@dataclass(frozen=True, slots=True, eq=False)
class MemoTable:
    """The gains of a rule set in multiples of a unit; turn totals and gains in points."""

    rules: Ruleset
    unit: int
    columns: tuple[MemoColumn, ...]
    """The columns of all numbers of dice that can be left, most dice first."""
    points: float
    """Expected points of a turn for most points, without rounding."""

    def gain(self, turn_total: int, dice: Remaining) -> int:
        """What the gain of rolling counts as; 0 says to bank, as less does where that is allowed.

        0 too for dice that cannot be left.
        """
        return int(self.gains(np.array([turn_total]))[0, dice - 1])

    def gains(self, turn_totals: npt.NDArray[np.int64]) -> Floats:
        """The gains at many turn totals, shape (turn totals, columns); column n - 1 has n dice."""
        gains = np.zeros((len(turn_totals), self.rules.dice))
        for column in self.columns:
            froms = [point.turn_total for point in column.breaks]
            which = np.searchsorted(froms, turn_totals, side="right") - 1
            gains[:, column.dice - 1] = np.array([point.gain for point in column.breaks])[which]
        return gains

    @property
    def counts(self) -> tuple[int, ...]:
        """Every gain of the table, most first."""
        counts = {point.gain for column in self.columns for point in column.breaks}
        return tuple(sorted(counts, reverse=True))

    def froms(self, gain: int, dice: Remaining) -> tuple[int, ...]:
        """The turn totals from which on the gain of rolling counts as `gain`."""
        return tuple(
            point.turn_total
            for column in self.columns
            for point in column.breaks
            if column.dice == dice and point.gain == gain
        )


def memo_table(rules: Ruleset, unit: int | None = None) -> MemoTable:
    """The table of a rule set, for a player who is on the board and has no hot dice in the turn.

    unit : of which gains are counted as multiples, in points; `natural_unit` if None

    Raises InvalidRequestError for a unit that is none, InvalidRulesError where a turn can go on for
    ever without risk.
    """
    if unit is not None and not 1 <= unit <= MAX_POINTS:
        raise InvalidRequestError.say(
            "the unit of a table cannot be {unit:,}: it is 1 to {most:,} points, such as 50",
            unit=unit,
            most=MAX_POINTS,
        )
    return _memo_table(rules, unit or natural_unit(rules))


def natural_unit(rules: Ruleset) -> int:
    """The point step, or a round multiple of it where the table would be too long.

    Raises InvalidRulesError as `memo_table` does.
    """
    tables = (_memo_table(rules, times * rules.point_step) for times in ones_twos_fives())
    return next(
        table.unit
        for table in tables
        if table.unit > table.points
        or sum(len(column.breaks) for column in table.columns) <= _MOST_BREAKS
    )


def ones_twos_fives() -> Iterator[int]:
    """1, 2, 5, 10, 20, 50 and so on."""
    power = 1
    while True:
        yield from (power, 2 * power, 5 * power)
        power *= 10


@lru_cache(maxsize=RULESETS)
def _memo_table(rules: Ruleset, unit: int) -> MemoTable:
    if rules.throws:
        raise InvalidRulesError.say(
            "{rules}: where a turn has at most so many throws, what to bank depends on how many are"
            " left, and no one table says it; ask /points or /advise",
            rules=rules.name,
        )
    if len(rules.sets) > 1:
        raise InvalidRulesError.say(
            "{rules}: where dice are held for a later throw, what to do depends on which ones are,"
            " and no one table says it; ask /points or /advise",
            rules=rules.name,
        )
    turn, step = endless_turn(rules), rules.point_step
    # from 0 points on whatever is more wins
    rows = rules.winning_score // step
    # of level 0 and those after it: whatever can be left at all
    plan = turn.table.plan
    possible: npt.NDArray[np.bool_] = plan.in_play(possible_states(rules, rows).max(axis=0))
    gains = plan.in_play(_gains(turn, rows))
    totals = np.arange(rows) * step
    may_bank = np.full(gains.shape, (totals >= rules.least_bank())[:, np.newaxis])
    may_bank &= plan.may_bank[plan.usual]
    counted = np.ceil((gains - _ROUNDING) / unit).astype(np.int64) * unit
    counted = np.where(may_bank, np.maximum(counted, 0), counted)
    columns = []
    for dice in range(rules.dice, 0, -1):
        there = np.flatnonzero(possible[:, dice - 1])
        if not len(there):
            continue
        column = counted[there[0] :, dice - 1]
        changes = [0, *(np.flatnonzero(np.diff(column)) + 1)]
        breaks = tuple(
            Break(int(there[0] + change) * step if change else 0, int(column[change]))
            for change in changes
        )
        columns.append(MemoColumn(dice, breaks))
    return MemoTable(rules, unit, tuple(columns), turn.points)


def _gains(turn: EndlessTurn, rows: int) -> Floats:
    """Exact gains of rolling without hot dice so far, shape (rows, columns)."""
    table, tail, step = turn.table, turn.tail, turn.rules.point_step
    totals = np.arange(rows, dtype=np.float64) * step
    exact = min(rows, math.ceil(tail.begins / step))
    gains: Floats = tail.gains(totals)[0]
    gains[:exact] = table.roll[0, :exact] - totals[:exact, np.newaxis]
    return gains
