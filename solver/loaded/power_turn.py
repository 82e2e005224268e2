"""Turns in which a badge may be used: one in NumPy, from which the bot answers, or many in lanes.

The equations are those of solver.turn.equations in layers, see solver.loaded.game.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from solver.loaded.matchup import Matchup
from solver.turn.dice import Roll, TurnState
from solver.turn.equations import LEAST_GAIN, Endings, Floats, TurnTable
from solver.turn.plan import TurnPlan
from solver.turn.power_cells import Cells, TurnCells
from solver.turn.powers import Power, PowerKind
from solver.turn.remaining import Ints, shape_of
from solver.turn.rerolls import find_rerolls, place_of_roll


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """The part of a turn with so many uses left; arrays have a row for each turn total in steps."""

    cells: Floats
    """See `solver.turn.power_cells`, shape (rows, cells)."""
    columns: int
    bank: Floats
    """The value of banking without the badge, NaN where it is not allowed, (rows,)."""
    more: Floats | None
    """The value of banking with it, where that may be, (rows,)."""

    @property
    def values(self) -> Floats:
        """Return W(t, n), shape (rows, columns)."""
        return self.cells[:, : self.columns]

    @property
    def rolls(self) -> Floats:
        """Return what rolling is worth without the badge, (rows, columns)."""
        return self.cells[:, self.columns : 2 * self.columns]

    @property
    def farkle(self) -> float:
        """Return what a farkle is worth."""
        return float(self.cells[0, 2 * self.columns])

    @property
    def with_die(self) -> Floats:
        """Return what rolling one more die is worth, (rows, columns); nothing for other badges."""
        return self.cells[:, 2 * self.columns + 1 :]


Solve = Callable[[TurnCells, Floats, int, Floats], None]
"""Solves a layer of turns, see `solve_layer`."""


def solve_layer(cells: TurnCells, space: Floats, layer: int, bank: Floats) -> None:
    """Fill the cells of a layer backwards over the turn totals, but for what farkles are worth.

    space : cells of the room and of all turn totals, shape (cells,) or (cells, lanes); 1 after the
        turn totals to solve
    layer : its number, those before it being solved
    bank : what banks are worth, less than 0 where they are not allowed, (turn totals to solve,) or
        with lanes
    """
    for row in range(len(bank) - 1, -1, -1):
        here = cells.begin(row, layer)
        for part in cells.of_layer(layer):
            options = space.take((0 if part.from_room else here) + part.options, axis=0)
            found = np.minimum(part.sums(part.best(options)), 1.0)
            place = part.place if part.to_room else here + part.place
            space[place : place + len(found)] = (
                np.maximum(found, bank[row]) if part.banked else found
            )


class PowerTurns:
    """Turns of a side, one or several in lanes, that are solved from the values around them."""

    def __init__(
        self,
        matchup: Matchup,
        side: int,
        theirs: Floats,
        uses: int,
        own: Ints,
        other: Ints,
        *,
        spent: bool = False,
        solve: Solve = solve_layer,
    ) -> None:
        """Solve the layers of fewer uses.

        theirs : the other's values by the own uses left: [uses, other's score, own score]
        own, other : scores of this side and of the other in steps, numbers or by lane
        spent : whether the badge was used in this turn, and may not be again before the next one
        """
        self.matchup, self.side, self.uses = matchup, side, uses
        rules, held = matchup.rules, matchup.powers[side]
        self.power = None if spent else held
        self._said = held if spent and held and held.at_start else None
        """What raises all banks of these turns."""
        self._own, self._other, self._theirs, self._solve = own, other, theirs, solve
        self._step = rules.point_step
        self._goal, self._least = (
            rules.winning_score // self._step,
            rules.least_bank() // self._step,
        )
        self._solved = max(self._goal - int(np.min(own)), self._least)
        self._cells = cells = matchup.turn_cells(side)
        self._rows = self._solved + cells.reach + 1
        self._space = np.ones((cells.room + self._rows * cells.stride, *np.shape(own)))
        self._first = uses if spent else max(0, uses - cells.layers + 1)
        """The fewest uses left that the turns may come to."""
        for left in range(self._first, uses):
            self._fill(left, self._farkle(left))
        self._starts = np.zeros(np.shape(own))
        power = self.power
        if power and power.at_start and uses:
            turn = matchup, side, theirs, uses - 1, own, other
            said = PowerTurns(*turn, spent=True, solve=solve)
            self._starts = said.start(said._farkle(uses - 1))

    def start(self, farkle: Floats) -> Floats:
        """Solve the layer of all uses; returns what the turns are worth, given farkles."""
        self._fill(self.uses, farkle)
        cells = self._cells
        whole = cells.begin(0, self.uses - self._first) + cells.columns - 1
        return np.asarray(np.maximum(self._starts, self._space[whole]))

    def _farkle(self, left: int) -> Floats:
        """Return what farkles are worth that leave so many uses."""
        return np.asarray(1 - self._theirs[left, self._other, self._own])

    def _banks(self, left: int, power: Power | None = None) -> Floats:
        """What banks are worth that leave so many uses, with a power raised by it; NaN for none."""
        rules, power, raised = self.matchup.rules, power or self._said, np.arange(self._rows)
        if power:
            raised = np.array(power.raised(rules, self._rows))
        lanes = (-1, *(1,) * np.ndim(self._own))
        after, totals = self._own + raised.reshape(lanes), np.arange(self._rows).reshape(lanes)
        wins = after >= self._goal
        left_over = self._theirs[left, self._other, np.minimum(after, self._goal - 1)]
        free = wins & (totals > 0) & (not rules.minimum_binds_win)
        allowed = (totals >= self._least) | free
        return np.where(allowed, np.where(wins, 1.0, 1 - left_over), np.nan)

    def banks(self, left: int) -> tuple[Floats, Floats | None]:
        """Return what banks are worth in a layer, and with the badge if it may raise them then."""
        raises = left and self.power and self.power.is_of_bank and not self.power.at_start
        return self._banks(left), self._banks(left - 1, self.power) if raises else None

    def _fill(self, left: int, farkle: Floats) -> None:
        """Solve the layer of so many uses left, over the one before, given farkles."""
        cells, number = self._cells, left - self._first
        bank, more = self.banks(left)
        best = np.nan_to_num(bank if more is None else np.fmax(bank, more), nan=-1.0)
        self._space[cells.begin(0, number) + cells.farkle :: cells.stride] = farkle
        self._solve(cells, self._space, number, best[: self._solved])


class PowerTurn(PowerTurns):
    """A turn of a side."""

    def __init__(
        self,
        matchup: Matchup,
        plan: TurnPlan,
        side: int,
        theirs: Floats,
        uses: int,
        banked: int,
        opponent: int,
        *,
        spent: bool = False,
    ) -> None:
        """Solve it.

        plan : the turn of the side without a badge
        theirs, uses, spent : as of `PowerTurns`
        banked, opponent : scores in points
        """
        step = matchup.rules.point_step
        own, other = np.array(banked // step), np.array(opponent // step)
        super().__init__(matchup, side, theirs, uses, own, other, spent=spent)
        self.plan = plan
        self._thrown = matchup.dice[side]
        self.start(self._farkle(uses))
        power = self.power
        self.said = float(self._starts) if power and power.at_start and uses else None
        """Value of the turn if a use is said before its first roll, where that has to be."""
        cells = self._cells
        layers = self._space[cells.room :].reshape(self._rows, cells.layers, cells.width)
        self.layers = [
            Layer(layers[:, cells.layers - 1 - k], cells.columns, *self.banks(self._first + k))
            for k in range(uses - self._first + 1)
        ]
        """By the uses left, from the fewest that the turn may come to up to those it has now."""

    @property
    def top(self) -> Layer:
        """The part of the turn in which nothing has been used yet."""
        return self.layers[-1]

    @property
    def lower(self) -> Layer | None:
        """The part after one use; None where nothing is left or a use ends the turn."""
        return self.layers[-2] if len(self.layers) > 1 else None

    @property
    def added(self) -> Floats | None:
        """Return what rolling one more die is worth, where that may be, (rows, columns)."""
        adds = self.lower and self.power and self.power.kind is PowerKind.MIGHT
        return self.top.with_die if adds else None

    @property
    def instead(self) -> Floats | None:
        """Return what rolling again after a farkle is worth, where that may be, (rows, columns)."""
        again = self.power and self.power.kind is PowerKind.RESURRECTION
        return self.lower.rolls if self.lower and again else None

    @property
    def table(self) -> TurnTable:
        """The decisions of the turn as long as nothing is used; banks and rolls may use it."""
        rows, top = self._solved + self.plan.reach, self.top
        roll = top.rolls if self.added is None else np.maximum(top.rolls, self.added)
        bank = top.bank if top.more is None else np.fmax(top.bank, top.more)
        values = top.values[:rows].copy()
        if self.said is not None:
            values[0, -1] = max(values[0, -1], self.said)
        farkle = np.full(rows, top.farkle)
        ends = Endings.alone(bank[:rows], farkle, lost=0.0)
        whole = np.s_[np.newaxis, :rows, :, np.newaxis]
        return TurnTable(values[whole], roll[whole], ends, self.plan)

    def row(self, turn_total: int) -> int:
        """Where a turn total stands; from where every bank wins on all rows are alike."""
        return min(turn_total // self._step, self._solved)

    def value(self, layer: Layer, turn: TurnState) -> float:
        """W of a state in a layer."""
        return float(layer.values[self.row(turn.turn_total), turn.dice - 1])

    def without(self, turn: TurnState) -> tuple[float, float | None]:
        """Value of rolling and of banking without the badge; None where it is not allowed."""
        row, top = self.row(turn.turn_total), self.top
        bank = None if np.isnan(top.bank[row]) else float(top.bank[row])
        return float(top.rolls[row, turn.dice - 1]), bank

    def use_value(self, turn: TurnState) -> float | None:
        """Value of using the badge before the next roll or bank; None where it cannot be used."""
        row, top = self.row(turn.turn_total), self.top
        if top.more is not None:
            return None if np.isnan(top.more[row]) else float(top.more[row])
        if self.added is not None:
            return float(self.added[row, turn.dice - 1])
        return None if turn.turn_total else self.said

    def uses_now(self, turn: TurnState) -> bool:
        """Whether it is best to use the badge before the next roll or bank, and better than not."""
        value, (roll, bank) = self.use_value(turn), self.without(turn)
        return value is not None and value > max(roll, bank or 0.0) + LEAST_GAIN

    @property
    def use_on_rolls(self) -> bool:
        """Whether the badge is used on rolls that lie on the table."""
        kinds = PowerKind.DOPPELGANGER, PowerKind.TRANSMUTATION, PowerKind.REROLL
        return self.power is not None and self.power.kind in kinds

    def share_of_first_rolls(self) -> float:
        """The chance that the badge is best used on the first roll of the turn."""
        cells = self._cells
        # what is in the room is still that of the first roll
        rolls = next(
            part for part in reversed(cells.powered) if not part.to_room and not part.banked
        )
        options = self._options(rolls, 0, len(self.layers) - 1)
        used = rolls.best(np.where(rolls.used, options, -1.0))
        plain = rolls.best(np.where(rolls.used, -1.0, options))
        return float(rolls.sums(np.where(used > plain + LEAST_GAIN, 1.0, 0.0))[-1])

    def rolled_again(self, turn: TurnState, roll: Roll) -> list[tuple[Roll, float]]:
        """The dice of a roll that could be rolled again, each choice with its value."""
        if self.power is None or self.power.kind is not PowerKind.REROLL or self.lower is None:
            return []
        rerolls = find_rerolls(shape_of(self._thrown), self.power)[turn.dice - 1]
        place = place_of_roll(self._thrown, turn.dice, roll)
        worth = self._of_rolls(self.row(turn.turn_total), len(self.layers) - 2, turn.dice - 1)
        values = rerolls.values(self._thrown, worth)[place]
        dice = sorted(roll)
        return [
            (tuple(dice[k] for k in reversed(choice)), float(value))
            for choice, value in zip(rerolls.choices, values, strict=True)
            if value >= 0  # what may not be rolled again is -1
        ]

    def _of_rolls(self, row: int, layer: int, column: int) -> Floats:
        """What each roll of the dice of a column is worth without the badge, a farkle too."""
        lists, rolls = self.matchup.lists(self.side), self._cells.plain[0]
        first, end = rolls.first_list[column : column + 2]
        # the last list of a column is that of a farkle
        return rolls.best(self._options(rolls, row, layer))[first:end][lists.lists[column]]

    def _options(self, part: Cells, row: int, layer: int) -> Floats:
        """Return what options are worth at a turn total of a layer."""
        begin = 0 if part.from_room else self._cells.begin(row, layer)
        return self._space.take(begin + part.options)
