"""One turn's equations in NumPy: what the bot answers from, and the kernels' slow twin.

    W(t, n) = roll(t, n)                when t may not be banked
            = max(bank(t), roll(t, n))  otherwise
    roll(t, n) = I_n + L_n * lost + F_n * farkle(t)
               + sum over scoring r of P(r) * max over c in r of W(t + c_p, h(n - c_n))

bank(t), farkle(t) and lost are the values of ending the turn so; rolls win the game with chance
I_n, lose everything with L_n and are farkles with F_n; a set-aside c of the roll r uses c_n dice
for c_p points; h(0) = all dice, h(n) = n (hot dice). n stands for the remaining dice, of equal ones
their number. Where the bonus for hot dice changes, W has a
level for the hot dice so far, and a set-aside of all the dice leads to the next level.
"""

import math
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from solver.turn.scoring import TurnPlan, TurnState

Floats = npt.NDArray[np.float64]


class Decision(StrEnum):
    """What to do at a turn total; WIN is a bank that wins the game."""

    ROLL = "roll"
    BANK = "bank"
    WIN = "win"


@dataclass(frozen=True, slots=True, eq=False)
class Endings:
    """What ending a turn is worth to its player, by turn total in point steps.

    From the last `plan.reach` turn totals on it is best to bank.
    """

    bank: Floats
    """Shape (turn totals,); NaN where banking is not allowed."""
    farkle: Floats
    """Shape (turn totals,)."""
    lost: float
    """Of a roll that loses everything."""
    win: Floats | float = 1.0
    """Of a roll that wins the game, by turn total or the same for all."""


@dataclass(frozen=True, slots=True, eq=False)
class TurnTable:
    """All decisions of one turn.

    Arrays count turn totals in point steps and have remaining dice n in column n - 1; states are in
    points.
    """

    win_probability: Floats
    """W(t, n), shape (levels, turn totals, columns)."""
    roll: Floats
    """Value of rolling, shape (levels, turn totals, columns)."""
    ends: Endings
    plan: TurnPlan

    def value(self, turn: TurnState) -> float:
        """W in a state of the turn."""
        return float(self.win_probability[self.index(turn)])

    def roll_value(self, turn: TurnState) -> float:
        """Value of rolling."""
        return float(self.roll[self.index(turn)])

    def bank_value(self, turn: TurnState) -> float | None:
        """Value of banking; None where it is not allowed."""
        hot_must_roll = self.plan.must_roll_hot and turn.dice == self.plan.columns
        if hot_must_roll or not self.may_bank(turn.turn_total):
            return None
        return float(self.ends.bank[self._row(turn.turn_total)])

    def may_bank(self, turn_total: int) -> bool:
        """Whether banking is allowed, hot dice aside."""
        return not math.isnan(self.ends.bank[self._row(turn_total)])

    def farkle_value(self, turn_total: int) -> float:
        """Value of a farkle."""
        return float(self.ends.farkle[self._row(turn_total)])

    def decision(self, turn: TurnState) -> Decision:
        """What to do; a tie is banked."""
        bank = self.bank_value(turn)
        if bank is None or bank < self.roll_value(turn):
            return Decision.ROLL
        return Decision.WIN if bank == 1 else Decision.BANK

    def _row(self, turn_total: int) -> int:
        """Beyond the table everything is as in its last row."""
        return min(turn_total // self.plan.step, len(self.ends.bank) - 1)

    def index(self, turn: TurnState) -> tuple[int, int, int]:
        """Where a state of the turn stands in the arrays."""
        level = min(turn.hot_dice, self.plan.levels - 1)
        return level, self._row(turn.turn_total), turn.dice - 1


def solve_turn(plan: TurnPlan, ends: Endings, beyond: Floats | None = None) -> TurnTable:
    """Solve one turn backwards over its turn totals.

    beyond : value of rolling at the last turn totals, shape (levels, plan.reach, columns), where
        more points are worth more for ever; values are then no probabilities
    """
    totals, columns = len(ends.bank), plan.columns
    shape = plan.levels, totals, columns
    values, roll = np.empty(shape), np.empty(shape)
    solved = totals - plan.reach
    ended = rolls_that_end(plan, ends.farkle, ends.lost, ends.win)
    if beyond is None:
        roll[:, solved:] = rolls_beyond(plan, ends.bank[solved:], ended[solved:])
    else:
        roll[:, solved:] = beyond
    least = np.where(np.isnan(ends.bank), -np.inf, ends.bank)[:, np.newaxis]
    least = least.repeat(columns, axis=1)
    if plan.must_roll_hot:
        least[:, -1] = -np.inf
    values[:, solved:] = np.maximum(roll[:, solved:], least[solved:])
    found, best = np.empty(len(plan.options)), np.empty(len(plan.starts))
    for level in range(plan.levels - 1, -1, -1):
        places = plan.places(level, totals)
        space = values[level : plan.next_level(level) + 1].reshape(-1)
        rolls, wins = roll[level], values[level]
        for t in range(solved - 1, -1, -1):
            # mode="clip" spares a copy; no target lies outside
            space[t * columns :].take(places, out=found, mode="clip")
            np.maximum.reduceat(found, plan.starts, out=best)
            np.dot(plan.chances, best, out=rolls[t])
            rolls[t] += ended[t]
            np.maximum(rolls[t], least[t], out=wins[t])
    if beyond is None:
        # sums of chances may come out one rounding above 1
        np.minimum(values, 1.0, out=values)
        np.minimum(roll, 1.0, out=roll)
    return TurnTable(values, roll, ends, plan)


def rolls_that_end(
    plan: TurnPlan, farkle: Floats, lost: Floats | float, win: Floats | float = 1.0
) -> Floats:
    """What rolls are worth that end the turn, times their chances, shape (..., columns).

    farkle, lost, win : as in Endings, of one shape or single numbers
    """
    ended: Floats = (
        plan.win_chances * np.asarray(win)[..., np.newaxis]
        + plan.lose_chances * np.asarray(lost)[..., np.newaxis]
        + plan.farkle_chances * farkle[..., np.newaxis]
    )
    return ended


def rolls_beyond(plan: TurnPlan, bank: Floats, ended: Floats) -> Floats:
    """Value of rolling at the last turn totals, in the shape of `ended`, see `rolls_that_end`.

    Whatever scores is banked at once, as more points are worth nothing more, unless hot dice have
    to be rolled: then x = roll(t, all dice) is a chance to end the turn so and a chance to be at x
    again.
    """
    scores = 1 - plan.win_chances - plan.lose_chances - plan.farkle_chances
    if not plan.must_roll_hot:
        return np.asarray(ended + scores * bank[..., np.newaxis])
    rolls: Floats = ended + (scores - plan.only_hot) * bank[..., np.newaxis]
    hot = rolls[..., -1:] / (1 - plan.only_hot[-1])
    rolls += plan.only_hot * hot
    return rolls
