"""One turn in which a badge may be used, in NumPy: what the bot answers from.

The equations are those of solver.turn.equations in layers, see solver.loaded.game.
"""

from dataclasses import dataclass

import numpy as np

from solver.loaded.matchup import Matchup
from solver.turn.dice import Roll
from solver.turn.equations import LEAST_GAIN, Endings, Floats, TurnTable
from solver.turn.power_cells import Cells
from solver.turn.powers import Power, PowerKind
from solver.turn.remaining import shape_of
from solver.turn.rerolls import find_rerolls, place_of_roll
from solver.turn.scoring import TurnPlan, TurnState


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


class PowerTurn:
    """A turn of a side, solved from the values around it."""

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
        theirs : the other's values by the own uses left: [uses, other's score, own score]
        spent : whether the badge was used in this turn, and may not be again before the next one
        """
        self.matchup, self.plan, self.side, self.uses = matchup, plan, side, uses
        held = matchup.powers[side]
        self.power = power = None if spent else held
        self._said = held if spent and held and held.at_start else None
        """What raises all banks of this turn."""
        rules = matchup.rules
        self._step = rules.point_step
        self._thrown = matchup.dice[side]
        self._own, self._theirs = banked // self._step, theirs[:, opponent // self._step]
        missing = (rules.winning_score - banked) // self._step
        self._solved = max(missing, rules.least_bank() // self._step)
        self._least = rules.least_bank_at(banked) // self._step
        self._cells = cells = matchup.turn_cells(side)
        self._rows = self._solved + cells.reach + 1
        self._space = np.ones(cells.room + self._rows * cells.stride)
        first = uses if spent else max(0, uses - cells.layers + 1)
        self.layers = [self._solve(left, left - first) for left in range(first, uses + 1)]
        """By the uses left, from the fewest that the turn may come to up to those it has now."""
        self.said: float | None = None
        """Value of the turn if a use is said before its first roll, where that has to be."""
        if power and power.at_start and uses:
            turn = matchup, plan, side, theirs, uses - 1, banked, opponent
            self.said = float(PowerTurn(*turn, spent=True).top.rolls[0, -1])

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

    def _banks(self, left: int, power: Power | None = None) -> Floats:
        """What banks are worth that leave so many uses; with a power of that kind, raised by it."""
        rules, power = self.matchup.rules, power or self._said
        missing = rules.winning_score // self._step - self._own
        raised = np.arange(self._rows)
        least = self._least
        if power:
            raised = np.array(power.raised(rules, self._rows))
            if not rules.minimum_binds_win:
                least = min(least, max(1, int(np.argmax(raised >= missing))))
        found = np.ones(self._rows)
        inside = raised < missing
        found[inside] = 1 - self._theirs[left, self._own + raised[inside]]
        found[:least] = np.nan
        return found

    def _solve(self, left: int, number: int) -> Layer:
        """Solve a layer, that of so many uses left, over the one before."""
        cells, power, space = self._cells, self.power, self._space
        layers = space[cells.room :].reshape(self._rows, cells.layers, cells.width)
        bank, more = self._banks(left), None
        if left and power and power.is_of_bank and not power.at_start:
            more = self._banks(left - 1, power)
        best = np.nan_to_num(bank if more is None else np.fmax(bank, more), nan=-1.0)
        layer = layers[:, cells.layers - 1 - number]
        layer[:, cells.farkle] = 1 - self._theirs[left, self._own]
        for row in range(self._solved - 1, -1, -1):
            here = self._place(row, number)
            for part in cells.powered if number else cells.plain:
                found = np.minimum(part.sums(part.best(self._options(part, row, number))), 1.0)
                place = part.place if part.to_room else here + part.place
                space[place : place + len(found)] = (
                    np.maximum(found, best[row]) if part.banked else found
                )
        return Layer(layer, cells.columns, bank, more)

    def _place(self, row: int, layer: int) -> int:
        """Return where the cells of a layer begin."""
        cells = self._cells
        return cells.room + (row + 1) * cells.stride - (layer + 1) * cells.width

    def _options(self, part: Cells, row: int, layer: int) -> Floats:
        """Return what options are worth at a turn total of a layer."""
        begin = 0 if part.from_room else self._place(row, layer)
        return self._space.take(begin + part.options)
