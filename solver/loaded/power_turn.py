"""One turn in which a badge may be used, in NumPy: what the bot answers from.

The equations are those of solver.turn.equations in layers, see solver.loaded.power_game.
"""

from dataclasses import dataclass

import numpy as np

from solver.loaded.matchup import Matchup
from solver.turn.dice import Roll
from solver.turn.equations import Endings, Floats, TurnTable
from solver.turn.power_lists import Offers, offers_of, power_offers
from solver.turn.powers import Power, PowerKind
from solver.turn.remaining import Ints, roll_chances, shape_of
from solver.turn.rerolls import Rerolls, find_rerolls, place_of_roll
from solver.turn.scoring import TurnPlan, TurnState

LEAST_GAIN = 1e-12
"""Of win probability for which a badge is used."""


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
        self._plain = offers_of(matchup.lists(side))
        self._offers = self._plain
        self._rerolls: tuple[Rerolls, ...] = ()
        if power and not power.is_of_bank:
            self._offers = power_offers(
                rules,
                shape_of(self._thrown),
                power,
                joker_alone=matchup.joker_alone,
                badge=matchup.badges[side],
            )
        if power and power.kind is PowerKind.REROLL:
            self._rerolls = find_rerolls(shape_of(self._thrown), power)
        missing = (rules.winning_score - banked) // self._step
        self._solved = max(missing, rules.least_bank() // self._step)
        self._least = rules.least_bank_at(banked) // self._step
        first = uses
        if power and uses and not power.is_of_bank:
            first = uses - 1 if power.once else 0
        self._layers = uses - first + 1
        reach = max(self._plain.reach, self._offers.reach)
        self._places = self._plain.places(self._layers), self._offers.places(self._layers)
        columns = plan.columns
        self._space = np.ones((self._solved + reach + 1, self._layers, columns + 1))
        self.layers: list[Layer] = []
        """By the uses left, from the fewest that the turn may come to up to those it has now."""
        for left in range(first, uses + 1):
            self.layers.append(self._solve(left, self.layers[-1] if self.layers else None))
        self.said: float | None = None
        """Value of the turn if a use is said before its first roll, where that has to be."""
        if power and power.at_start and uses:
            more = self._banks(uses - 1, power)
            self.said = float(self._rolled(0, more, self._farkle(uses - 1), None)[0][0, -1])

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

    def may_bank_more(self, turn_total: int) -> bool:
        """Whether a turn total may be banked with the badge."""
        more = self.top.more
        return more is not None and not np.isnan(more[self.row(turn_total)])

    def uses_now(self, turn: TurnState) -> bool:
        """Whether it is best to use the badge before the next roll or bank, and better than not."""
        row, top = self.row(turn.turn_total), self.top
        without = np.fmax(top.bank[row], top.rolls[row, turn.dice - 1])
        more = [] if top.more is None else [top.more[row]]
        more += [] if top.added is None else [top.added[row, turn.dice - 1]]
        more += [self.said] if self.said is not None and not turn.turn_total else []
        return bool(np.fmax.reduce([*more, -1.0]) > without + LEAST_GAIN)

    @property
    def use_on_rolls(self) -> bool:
        """Whether the badge is used on rolls that lie on the table."""
        kinds = PowerKind.DOPPELGANGER, PowerKind.TRANSMUTATION, PowerKind.REROLL
        return self.power is not None and self.power.kind in kinds

    def share_of_first_rolls(self) -> float:
        """The chance that the badge is best used on the first roll of the turn."""
        layer, column = len(self.layers) - 1, self.plan.columns - 1
        if self._rerolls:
            best, below = self._best(0, layer), self._best(0, layer - 1)
            worth = self._of_rolls(best, column, layer)
            used = (
                self._best_again(below, column, layer, self._rerolls[column]) > worth + LEAST_GAIN
            )
            return float(roll_chances(self._thrown, column + 1) @ used)
        offers = self._offers
        here = layer * (self.plan.columns + 1)
        options = self._space.reshape(-1)[self._places[1] + here]
        starts = offers.starts[:-1]
        used = np.maximum.reduceat(np.where(offers.used, options, -1.0), starts)
        plain = np.maximum.reduceat(np.where(offers.used, -1.0, options), starts)
        chances = offers.chances(self._thrown)[0] * (used > plain + LEAST_GAIN)
        return float(chances[offers.first_list[column] :].sum())

    def rolled_again(self, turn: TurnState, roll: Roll) -> list[tuple[Roll, float]]:
        """The dice of a roll that could be rolled again, each choice with its value."""
        if not self._rerolls or self.lower is None:
            return []
        column, below = turn.dice - 1, len(self.layers) - 2
        rerolls = self._rerolls[column]
        worth = self._of_rolls(self._best(self.row(turn.turn_total), below), column, below)
        place = place_of_roll(self._thrown, turn.dice, roll)
        values = rerolls.values(self._thrown, worth)[place]
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
        power = self.power if left else None
        layer = len(self.layers) if lower else 0
        bank, more, added, instead = self._banks(left), None, None, None
        least = bank
        if power and power.is_of_bank and not power.at_start:
            more = self._banks(left - 1, power)
            least = np.fmax(bank, more)
        if lower and power and power.kind is PowerKind.RESURRECTION:
            instead = lower.rolls
        if lower and power and power.kind is PowerKind.MIGHT:
            added = self._with_die(layer - 1, lower, power)
        farkle = self._farkle(left)
        values, rolls = self._rolled(layer, least, farkle, instead, added)
        return Layer(left, values, rolls, added, bank, more, farkle, instead)

    def _rolled(
        self,
        layer: int,
        bank: Floats,
        farkle: float,
        instead: Floats | None,
        added: Floats | None = None,
    ) -> tuple[Floats, Floats]:
        """Fill a layer of the space; returns W and the values of rolling, (rows, columns) both."""
        columns, rows = self.plan.columns, len(self._space)
        offers = self._offers if layer and not self._is_apart else self._plain
        chances, farkles = offers.chances(self._thrown)
        column = np.arange(columns).repeat(np.diff(offers.first_list))
        least = np.where(np.isnan(bank), -1.0, bank)[:, np.newaxis].repeat(columns, axis=1)
        if added is not None:
            least = np.maximum(least, added)
        other = np.full((rows, columns), farkle)
        if instead is not None:
            other = np.maximum(other, instead)
        rolls = farkles * other + (1 - farkles)
        space = self._space[:, layer]
        space[:, columns] = farkle
        again = self._rerolls if layer else ()
        for t in range(self._solved - 1, -1, -1):
            best = self._best(t, layer, offers)
            if again:
                below = self._best(t, layer - 1)
                rolls[t] = [
                    self._with_rerolls(best, below, n, layer, again[n]) for n in range(columns)
                ]
            else:
                sums = np.bincount(column, best * chances, minlength=columns)
                rolls[t] = farkles * other[t] + sums
            np.minimum(rolls[t], 1.0, out=rolls[t])
            space[t, :columns] = np.maximum(rolls[t], least[t])
        space[self._solved :, :columns] = 1.0
        return space[:, :columns].copy(), rolls

    @property
    def _is_apart(self) -> bool:
        """Whether the offers of the power are those of other rolls."""
        return bool(self.power and self.power.kind is PowerKind.MIGHT)

    def _best(self, row: int, layer: int, offers: Offers | None = None) -> Floats:
        """What each list of offers is worth in a row, without farkles."""
        offers = offers or self._plain
        here = (row * self._layers + layer) * (self.plan.columns + 1)
        places = self._places[offers is not self._plain] + here
        options = self._space.reshape(-1).take(places, mode="clip")
        found: Floats = np.maximum.reduceat(options, offers.starts[:-1])
        return found

    def _of_rolls(self, best: Floats, column: int, layer: int) -> Floats:
        """What each roll of the dice of a column is worth, given the lists; a farkle too."""
        first, end = self._plain.first_list[column : column + 2]
        farkle = self._space[0, layer, -1]
        found: Floats = np.append(best[first:end], farkle)[self._plain.lists[column]]
        return found

    def _with_rerolls(
        self, best: Floats, below: Floats, column: int, layer: int, rerolls: Rerolls
    ) -> float:
        """Value of rolling the dice of a column, of which some may be rolled again."""
        worth = self._of_rolls(best, column, layer)
        most = self._best_again(below, column, layer, rerolls)
        return float(roll_chances(self._thrown, column + 1) @ np.maximum(worth, most))

    def _best_again(self, below: Floats, column: int, layer: int, rerolls: Rerolls) -> Floats:
        """Of each roll the most that rolling some of its dice again is worth, -1 for nothing."""
        again = rerolls.values(self._thrown, self._of_rolls(below, column, layer - 1))
        most: Floats = again.max(axis=1, initial=-1.0)
        if not (self.power and self.power.after_farkle):
            most[self._farkles(column)] = -1.0
        return most

    def _farkles(self, column: int) -> Ints:
        """The rolls of the dice of a column of which nothing scores."""
        first, end = self._plain.first_list[column : column + 2]
        return np.flatnonzero(self._plain.lists[column] == end - first)

    def _with_die(self, layer: int, lower: Layer, power: Power) -> Floats:
        """What rolls with one more die are worth, by what is below; (rows, columns)."""
        columns = self.plan.columns
        chances, farkles = self._offers.chances(self._thrown, power.die)
        column = np.arange(columns).repeat(np.diff(self._offers.first_list))
        found = np.ones((len(self._space), columns)) * (1 - farkles)
        found[: self._solved] = [
            np.bincount(column, self._best(t, layer, self._offers) * chances, minlength=columns)
            for t in range(self._solved)
        ]
        return np.minimum(found + farkles * lower.farkle, 1.0)
