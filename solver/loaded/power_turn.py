"""A turn in which a badge may be used, in NumPy: the bot answers from it.

The equations are those of solver.turn.equations in layers, one for each number of uses left.
"""

from collections.abc import Callable

import numpy as np

from solver.game.position import Position
from solver.loaded.matchup import Matchup
from solver.turn.dice import Roll, TurnState
from solver.turn.equations import LEAST_GAIN, Endings, Floats, TurnTable
from solver.turn.powers import PowerKind
from solver.turn.remaining import shape_of
from solver.turn.rerolls import find_rerolls, place_of_roll


class PowerTurn:
    """A turn of a player who may use a badge in it, or who has said so before the first roll."""

    def __init__(
        self,
        matchup: Matchup,
        start: Position,
        uses: int,
        ends: Callable[[int], Endings],
        *,
        has_said: bool = False,
    ) -> None:
        """Solve it.

        start : the position at its start
        uses : those that are left of the badge
        ends : what ends of the turn are worth that leave so many uses
        has_said : whether a use was said before the first roll, which raises all banks
        """
        self.matchup, self.side, self._start = matchup, start.mover, start
        self.plan, self._cells = matchup.plan(self.side), matchup.turn_cells(self.side)
        self._step, held = matchup.rules.point_step, self._cells.power
        self._thrown = matchup.dice[self.side]
        self.power = None if has_said else held
        """What the badge allows in this turn."""
        now = ends(uses)
        self._turn = self._cells.turn(len(now.banks) - self.plan.reach)
        self.said: float | None = None
        """Value of the turn if a use is said before its first roll, where that has to be."""
        self.more: Floats | None = None
        """The value of banking with the badge, where that may be, NaN where banks are not allowed,
        shape (turn totals,)."""
        if self.power and held.is_of_bank and uses:
            if held.at_start:
                said = PowerTurn(matchup, start, uses - 1, ends, has_said=True)
                self.said = said.top.roll_value(TurnState(0, self._cells.columns))
            else:
                self.more = self._raised(ends(uses - 1))
        if has_said:
            now = now._replace(banks=self._raised(now)[:, np.newaxis])
        fewest = uses if has_said else max(0, uses - self._cells.layers + 1)
        self.layers = [
            self._turn.solve(left - fewest, now if left == uses else ends(left), self.more)
            for left in range(fewest, uses + 1)
        ]
        """Turn tables by the uses left, from the fewest that the turn may come to up to those it
        has now; banks and rolls are those without the badge."""

    def _raised(self, ends: Endings) -> Floats:
        """Return what banks are worth with the badge, NaN for none, shape (turn totals,).

        ends : those that leave one use less
        """
        rules, totals = self.matchup.rules, np.arange(self._turn.rows)
        raised = np.array(self._cells.raised(self._turn.rows))
        reaches = self._start.banked + raised * self._step >= rules.winning_score
        allowed = totals * self._step >= rules.least_bank(on_board=self._start.on_board)
        if not rules.minimum_binds_win:
            allowed |= reaches & (totals > 0)
        if self._start.opponent >= rules.winning_score:
            allowed = ~np.isnan(ends.bank.take(totals, mode="clip"))
        return np.where(allowed, ends.bank.take(raised, mode="clip"), np.nan)

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
        """Return what rolling one more die is worth, where that may be, (levels, rows, columns)."""
        adds = self.lower and self.power and self.power.kind is PowerKind.MIGHT
        return self._turn.grids[:, :, -self._cells.columns :] if adds else None

    @property
    def instead(self) -> Floats | None:
        """Return what rolling again after a farkle is worth, where that may be.

        Shape (levels, rows, columns).
        """
        again = self.power and self.power.kind is PowerKind.RESURRECTION
        return self.lower.roll if self.lower and again else None

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
        return TurnTable(values, rolls, top.ends._replace(banks=banks), self.plan)

    def without(self, turn: TurnState) -> tuple[float, float | None]:
        """Value of rolling and of banking without the badge; None where it is not allowed."""
        return self.top.roll_value(turn), self.top.bank_value(turn)

    def use_value(self, turn: TurnState) -> float | None:
        """Value of using the badge before the next roll or bank; None where it cannot be used."""
        level, row, column = self.top.index(turn)
        if self.more is not None:
            may = self.plan.may_bank[column] and not np.isnan(self.more[row])
            return float(self.more[row]) if may else None
        if self.added is not None:
            return float(self.added[level, row, column])
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
        rolls = cells.powered[-2]
        options = self._turn.options(rolls, 0, len(self.layers) - 1, 0)
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
        row = min(turn.turn_total // self._step, self._turn.solved)
        level, *_ = self.top.index(turn)
        worth = self._of_rolls(row, len(self.layers) - 2, level, turn.dice - 1)
        values = rerolls.values(self._thrown, worth)[place]
        dice = sorted(roll)
        return [
            (tuple(dice[k] for k in reversed(choice)), float(value))
            for choice, value in zip(rerolls.choices, values, strict=True)
            if value >= 0  # what may not be rolled again is -1
        ]

    def _of_rolls(self, row: int, layer: int, level: int, column: int) -> Floats:
        """What each roll of the dice of a column is worth without the badge, a farkle too."""
        lists, rolls = self.matchup.lists(self.side), self._cells.plain[0]
        first, end = rolls.first_list[column : column + 2]
        # the last lists of a column are those of what is given
        worth = rolls.best(self._turn.options(rolls, row, layer, level))
        return worth[first:end][lists.lists[column]]
