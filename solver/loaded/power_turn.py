"""One turn in which a badge may be used, in NumPy: what the bot answers from.

The equations are those of solver.turn.equations in layers, see solver.loaded.power_game.
"""

from dataclasses import dataclass

import numpy as np

from solver.loaded.matchup import Matchup
from solver.turn.dice import Roll
from solver.turn.equations import LEAST_GAIN, Endings, Floats, Ints, TurnTable, solve_backwards
from solver.turn.powers import Power, PowerKind
from solver.turn.remaining import roll_chances, shape_of
from solver.turn.rerolls import Rerolls, find_rerolls, place_of_roll
from solver.turn.scoring import TurnPlan, TurnState


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """The part of a turn with so many uses left; arrays have a row for each turn total in steps."""

    left: int
    values: Floats
    """W(t, n), shape (rows, columns)."""
    rolls: Floats
    """Of rolling without the badge, (rows, columns)."""
    added: Floats | None
    """Of rolling with one more die, where that may be, (rows, columns)."""
    bank: Floats
    """Of banking without the badge, NaN where it is not allowed, (rows,)."""
    more: Floats | None
    """Of banking with it, where that may be, (rows,)."""
    farkle: float
    instead: Floats | None
    """Of rolling again after a farkle, where that may be, (rows, columns)."""


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
        first = uses
        if power and uses and not power.is_of_bank:
            first = uses - 1 if power.once else 0
        self._layers = uses - first + 1
        plain, offers = matchup.offers(side)
        added = power.die if power and power.kind is PowerKind.MIGHT else None
        self._plain = plain.lists_of(self._layers, self._thrown)
        self._powered = self._plain
        """Of rolls on which the badge may be used, or to which it has added a die."""
        if power and offers is not plain:
            self._powered = offers.lists_of(self._layers, self._thrown, added)
        self._rerolls: tuple[Rerolls, ...] = ()
        if power and power.kind is PowerKind.REROLL:
            self._rerolls = find_rerolls(shape_of(self._thrown), power)
        dice = range(1, plan.columns + 1)
        self._chances = [roll_chances(self._thrown, n) for n in dice] if self._rerolls else []
        rows = self._solved + max(plain.reach, self._powered.offers.reach) + 1
        self._space = np.ones((rows, self._layers, plan.columns + 1))
        self.layers: list[Layer] = []
        """By the uses left, from the fewest that the turn may come to up to those it has now."""
        for left in range(first, uses + 1):
            self.layers.append(self._solve(left, self.layers[-1] if self.layers else None))
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
    def table(self) -> TurnTable:
        """The decisions of the turn as long as nothing is used; banks and rolls may use it."""
        rows, top = self._solved + self.plan.reach, self.top
        roll = top.rolls if top.added is None else np.maximum(top.rolls, top.added)
        bank = top.bank if top.more is None else np.fmax(top.bank, top.more)
        values = top.values[:rows].copy()
        if self.said is not None:
            values[0, -1] = max(values[0, -1], self.said)
        farkle = np.full(rows, top.farkle)
        ends = Endings.alone(bank[:rows], farkle, lost=0.0)
        whole = np.s_[np.newaxis, :rows, :, np.newaxis]
        return TurnTable(values[whole], roll[whole], ends, self.plan)

    def row(self, turn_total: int) -> int:
        """Where a turn total stands; beyond the table everything is as in its last row."""
        return min(turn_total // self._step, self._solved + self.plan.reach - 1)

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
        if top.added is not None:
            return float(top.added[row, turn.dice - 1])
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
        layer, column = len(self.layers) - 1, self.plan.columns - 1
        if self._rerolls:
            worth, again = self._of_rolls(0, layer, column), self._best_again(0, layer, column)
            return float(self._chances[column] @ (again > worth + LEAST_GAIN))
        lists = self._powered
        options = self._options(0, layer, lists.places)
        used = lists.best(np.where(lists.offers.used, options, -1.0))
        plain = lists.best(np.where(lists.offers.used, -1.0, options))
        return float(lists.rolled(np.where(used > plain + LEAST_GAIN, 1.0, 0.0))[column])

    def rolled_again(self, turn: TurnState, roll: Roll) -> list[tuple[Roll, float]]:
        """The dice of a roll that could be rolled again, each choice with its value."""
        if not self._rerolls or self.lower is None:
            return []
        rerolls = self._rerolls[turn.dice - 1]
        below = self.row(turn.turn_total), len(self.layers) - 2, turn.dice - 1
        place = place_of_roll(self._thrown, turn.dice, roll)
        values = rerolls.values(self._thrown, self._of_rolls(*below))[place]
        dice = sorted(roll)
        return [
            (tuple(dice[k] for k in reversed(choice)), float(value))
            for choice, value in zip(rerolls.choices, values, strict=True)
            if value >= 0  # what may not be rolled again is -1
        ]

    def _farkle(self, left: int) -> float:
        return 1 - float(self._theirs[left, self._own])

    def _banks(self, left: int, power: Power | None = None) -> Floats:
        """What banks are worth that leave so many uses; with a power of that kind, raised by it."""
        rows = len(self._space)
        rules, power = self.matchup.rules, power or self._said
        missing = rules.winning_score // self._step - self._own
        raised = np.arange(rows)
        least = self._least
        if power:
            raised = np.array(power.raised(rules, rows))
            if not rules.minimum_binds_win:
                least = min(least, max(1, int(np.argmax(raised >= missing))))
        found = np.ones(rows)
        inside = raised < missing
        found[inside] = 1 - self._theirs[left, self._own + raised[inside]]
        found[:least] = np.nan
        return found

    def _solve(self, left: int, lower: Layer | None) -> Layer:
        """Solve the layer of so many uses left over that of one less."""
        power, layer = self.power if left else None, len(self.layers)
        kind = power.kind if power and lower else None
        columns, rows = self.plan.columns, len(self._space)
        bank, more, added, instead = self._banks(left), None, None, None
        lists = self._powered if lower else self._plain
        best = bank
        if power and power.is_of_bank and not power.at_start:
            more = self._banks(left - 1, power)
            best = np.fmax(bank, more)
        least = np.where(np.isnan(best), -1.0, best)[:, np.newaxis].repeat(columns, axis=1)
        farkle = 1 - float(self._theirs[left, self._own])
        farkles = np.full((rows, columns), farkle)
        if lower and kind is PowerKind.RESURRECTION:
            instead = lower.rolls
            farkles = np.maximum(farkles, instead)
        if lower and kind is PowerKind.MIGHT:
            lists, added = self._plain, self._with_die(lower)
            least = np.maximum(least, added)
        ended = lists.farkles * farkles
        rolls = ended + (1 - lists.farkles)

        def roll(row: int) -> Floats:
            if kind is PowerKind.REROLL:
                return np.asarray(self._with_rerolls(row, layer) - ended[row])
            return lists.rolled(lists.best(self._options(row, layer, lists.places)))

        values = self._space[:, layer, :columns]
        self._space[:, layer, columns] = farkle
        solve_backwards(values, rolls[: self._solved], least, ended, roll)
        rolls, values = np.minimum(rolls, 1.0), np.minimum(values, 1.0)
        return Layer(left, values, rolls, added, bank, more, farkle, instead)

    def _options(self, row: int, layer: int, places: Ints) -> Floats:
        """What options are worth at a turn total of a layer."""
        cells = self._space.reshape(-1)[(row * self._layers + layer) * self._space.shape[2] :]
        return cells.take(places, mode="clip")

    def _of_rolls(self, row: int, layer: int, column: int) -> Floats:
        """What each roll of the dice of a column is worth without the badge, a farkle too."""
        offers = self._plain.offers
        first, end = offers.first_list[column : column + 2]
        starts = offers.starts[first : end + 1]
        options = self._options(row, layer, self._plain.places[starts[0] : starts[-1]])
        best = np.maximum.reduceat(options, starts[:-1] - starts[0])
        found: Floats = np.append(best, self._space[0, layer, -1])[offers.lists[column]]
        return found

    def _with_rerolls(self, row: int, layer: int) -> Floats:
        """What rolls are worth by column of which dice may be rolled again, a farkle too."""
        return np.array(
            [
                chances @ np.maximum(self._of_rolls(row, layer, n), self._best_again(row, layer, n))
                for n, chances in enumerate(self._chances)
            ]
        )

    def _best_again(self, row: int, layer: int, column: int) -> Floats:
        """Of each roll the most that rolling some of its dice again is worth, -1 for nothing."""
        worth = self._of_rolls(row, layer - 1, column)
        most: Floats = self._rerolls[column].values(self._thrown, worth).max(axis=1, initial=-1.0)
        if not (self.power and self.power.after_farkle):
            lists = self._plain.offers.lists[column]
            most[lists == np.diff(self._plain.offers.first_list)[column]] = -1.0
        return most

    def _with_die(self, lower: Layer) -> Floats:
        """What rolls with one more die are worth, by what is below; (rows, columns)."""
        lists, layer = self._powered, len(self.layers) - 1
        found = np.ones_like(lower.rolls) * (1 - lists.farkles)
        for t in range(self._solved):
            found[t] = lists.rolled(lists.best(self._options(t, layer, lists.places)))
        return np.minimum(found + lists.farkles * lower.farkle, 1.0)
