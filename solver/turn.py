"""One turn's equations in NumPy: what the bot answers from, and the kernels' slow twin.

    W(t, n) = 1                         when t may be banked and reaches the goal
            = roll(t, n)                when t may not be banked
            = max(bank(t), roll(t, n))  otherwise
    roll(t, n) = F_n * farkle
               + sum over scoring r of P(r) * max over c in r of W(t + c_p, h(n - c_n))

bank(t) and farkle are the values of ending the turn so; a set-aside c of the roll r uses c_n dice
for c_p points; h(0) = all dice, h(n) = n (hot dice).
"""

import math
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from solver.scoring import TurnPlan

Floats = npt.NDArray[np.float64]


class Decision(StrEnum):
    """What to do at a turn total; WIN is a bank that reaches the goal."""

    ROLL = "roll"
    BANK = "bank"
    WIN = "win"


@dataclass(frozen=True, slots=True, eq=False)
class TurnTable:
    """All decisions of one turn; turn totals in point steps, n dice at n - 1."""

    win_probability: Floats
    """W(t, n), shape (turn totals + reach, dice); 1 beyond the turn totals in play."""
    roll: Floats
    """Value of rolling, shape (turn totals, dice)."""
    bank: Floats
    """Value of banking, shape (turn totals,); NaN where banking is not allowed."""
    farkle: float
    """Value of ending the turn in a farkle."""
    farkle_chances: Floats
    """Chance of a farkle with the next roll, shape (dice,)."""

    def value(self, turn_total: int, dice: int) -> float:
        """W(t, n), also for turn totals beyond the table, which win."""
        if turn_total < len(self.win_probability):
            return float(self.win_probability[turn_total, dice - 1])
        return 1.0

    def roll_value(self, turn_total: int, dice: int) -> float:
        """Value of rolling, also from a turn total that already wins."""
        if turn_total < len(self.roll):
            return float(self.roll[turn_total, dice - 1])
        return float(1 - self.farkle_chances[dice - 1] * (1 - self.farkle))

    def bank_value(self, turn_total: int) -> float | None:
        """Value of banking; None where it is not allowed."""
        if turn_total >= len(self.bank):
            return 1.0
        value = float(self.bank[turn_total])
        return None if math.isnan(value) else value

    def decision(self, turn_total: int, dice: int) -> Decision:
        """What to do with `turn_total` steps and `dice` dice to roll; a tie is banked."""
        if turn_total >= len(self.roll):
            return Decision.WIN
        if self.bank[turn_total] >= self.roll[turn_total, dice - 1]:
            return Decision.BANK
        return Decision.ROLL


def solve_turn(plan: TurnPlan, bank: Floats, farkle: float) -> TurnTable:
    """Solve one turn backwards over its turn totals.

    plan : the rules' set-asides
    bank : shape (turn totals,), the value of banking, NaN where it is not allowed; any turn total
        beyond them wins
    farkle : the value of ending the turn in a farkle
    """
    totals, dice = len(bank), len(plan.farkle_chances)
    values = np.ones((totals + plan.reach) * dice)
    roll = np.empty((totals, dice))
    farkles = plan.farkle_chances * farkle
    targets = plan.targets[plan.options]
    found = np.empty(len(targets))
    best = np.empty(len(plan.starts))
    least = np.where(np.isnan(bank), 0.0, bank)
    for t in range(totals - 1, -1, -1):
        # mode="clip" spares a copy; no target lies outside
        values[t * dice :].take(targets, out=found, mode="clip")
        np.maximum.reduceat(found, plan.starts, out=best)
        np.dot(plan.chances, best, out=roll[t])
        roll[t] += farkles
        np.maximum(roll[t], least[t], out=values[t * dice : (t + 1) * dice])
    # sums of chances may come out one rounding above 1
    np.minimum(values, 1.0, out=values)
    np.minimum(roll, 1.0, out=roll)
    return TurnTable(values.reshape(-1, dice), roll, bank, farkle, plan.farkle_chances)
