"""Turns in which a badge may be used: one in NumPy, from which the bot answers, or many in lanes.

The equations are those of solver.turn.equations in layers, see solver.loaded.game.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from solver.loaded.matchup import Matchup
from solver.turn.dice import Roll, TurnState
from solver.turn.equations import LEAST_GAIN, Endings, Floats, TurnPlan, TurnTable
from solver.turn.power_cells import Cells, TurnCells
from solver.turn.powers import Power, PowerKind
from solver.turn.remaining import Ints, shape_of
from solver.turn.rerolls import find_rerolls, place_of_roll

Solve = Callable[[TurnCells, Floats, int, Floats, Floats], None]
"""Solves a layer of turns, see `solve_layer`."""


def solve_layer(cells: TurnCells, space: Floats, layer: int, bank: Floats, farkle: Floats) -> None:
    """Fill the cells of a layer backwards over the turn totals.

    space : all cells, shape (cells,) or (cells, lanes); those of this layer are known after the
        turn totals to solve
    layer : its number, those before it being solved
    bank : what banks are worth, less than 0 where they are not allowed, (turn totals to solve,) or
        with lanes
    farkle : what a farkle is worth, () or (lanes,)
    """
    for row in range(len(bank) - 1, -1, -1):
        here = space[cells.begin(row, layer) :]
        here[cells.farkle] = farkle
        for part in cells.of_layer(layer):
            found = part.sums(part.best(here.take(part.options, axis=0)))
            here[part.place : part.place + len(found)] = (
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
        self._space = np.zeros((cells.room + cells.layers * cells.layer, *np.shape(own)))
        self._first = uses if spent else max(0, uses - cells.layers + 1)
        """The fewest uses left that the turns may come to."""
        for left in range(self._first, uses):
            self._fill(left, self.farkle(left))
        self._starts = np.zeros(np.shape(own))
        power = self.power
        if power and power.at_start and uses:
            turn = matchup, side, theirs, uses - 1, own, other
            said = PowerTurns(*turn, spent=True, solve=solve)
            self._starts = said.start(said.farkle(uses - 1))

    def start(self, farkle: Floats) -> Floats:
        """Solve the layer of all uses; returns what the turns are worth, given farkles."""
        self._fill(self.uses, farkle)
        cells = self._cells
        whole = cells.begin(0, self.uses - self._first) + cells.room + cells.columns - 1
        # a sum of chances may come out one rounding above 1
        return np.asarray(np.minimum(1.0, np.maximum(self._starts, self._space[whole])))

    def farkle(self, left: int) -> Floats:
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
        begin, end = (cells.room + cells.begin(row, number) for row in (self._solved, cells.rows))
        self._space[begin:end] = 1.0
        self._space[begin + 2 * cells.columns : end : cells.width] = farkle
        self._solve(cells, self._space, number, best[: self._solved], farkle)


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
        self.start(self.farkle(uses))
        power = self.power
        self.said = float(self._starts) if power and power.at_start and uses else None
        """Value of the turn if a use is said before its first roll, where that has to be."""
        cells = self._cells
        grid = self._space[cells.room :].reshape(cells.layers, cells.rows, cells.width)
        # sums of chances may come out one rounding above 1
        self._grid = np.minimum(grid, 1.0, out=grid)
        self.layers = [self._layer(left) for left in range(self._first, uses + 1)]
        """By the uses left, from the fewest that the turn may come to up to those it has now; banks
        and rolls are those without the badge."""
        self.more = self.banks(uses)[1]
        """The value of banking with the badge, where that may be, NaN where banks are not allowed,
        shape (turn totals,)."""

    def _layer(self, left: int) -> TurnTable:
        """Return the part of the turn with so many uses left."""
        columns, bank = self._cells.columns, self.banks(left)[0]
        cells = self._grid[self._first - left - 1, np.newaxis, : self._rows, :, np.newaxis]
        ends = Endings.alone(bank, np.full(len(bank), self.farkle(left)), lost=0.0)
        return TurnTable(cells[:, :, :columns], cells[:, :, columns : 2 * columns], ends, self.plan)

    @property
    def top(self) -> TurnTable:
        """The part of the turn in which nothing has been used yet."""
        return self.layers[-1]

    @property
    def lower(self) -> TurnTable | None:
        """The part after one use; None where nothing is left or a use ends the turn."""
        return self.layers[-2] if len(self.layers) > 1 else None

    @property
    def added(self) -> Floats | None:
        """Return what rolling one more die is worth, where that may be, (rows, columns)."""
        adds = self.lower and self.power and self.power.kind is PowerKind.MIGHT
        here = self._grid[-len(self.layers), : self._rows]
        return here[:, 2 * self._cells.columns + 1 :] if adds else None

    @property
    def instead(self) -> Floats | None:
        """Return what rolling again after a farkle is worth, where that may be, (rows, columns)."""
        again = self.power and self.power.kind is PowerKind.RESURRECTION
        return self.lower.roll[0] if self.lower and again else None

    @property
    def table(self) -> TurnTable:
        """The decisions of the turn as long as nothing is used; banks and rolls may use it."""
        top, values = self.top, self.top.values.copy()
        rolls, banks = top.rolls, top.ends.banks
        if self.added is not None:
            rolls = np.maximum(rolls, self.added[..., np.newaxis])
        if self.more is not None:
            banks = np.fmax(banks, self.more[:, np.newaxis])
        if self.said is not None:
            values[0, 0, -1] = max(values[0, 0, -1, 0], self.said)
        return TurnTable(values, rolls, replace(top.ends, banks=banks), self.plan)

    def without(self, turn: TurnState) -> tuple[float, float | None]:
        """Value of rolling and of banking without the badge; None where it is not allowed."""
        return self.top.roll_value(turn), self.top.bank_value(turn)

    def use_value(self, turn: TurnState) -> float | None:
        """Value of using the badge before the next roll or bank; None where it cannot be used."""
        _, row, column = self.top.index(turn)
        if self.more is not None:
            return None if np.isnan(self.more[row]) else float(self.more[row])
        if self.added is not None:
            return float(self.added[row, column])
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
        rolls = next(part for part in reversed(cells.powered) if not part.banked)
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
        # from where every bank wins on all rows are alike
        row = min(turn.turn_total // self._step, self._solved)
        worth = self._of_rolls(row, len(self.layers) - 2, turn.dice - 1)
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
        return self._space.take(self._cells.begin(row, layer) + part.options)
