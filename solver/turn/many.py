"""One turn of a game of several players in NumPy: what is answered from.

The equations are those of solver.turn.equations, but a value is the chance of every player, and
whoever moves takes the option with the greatest own chance. Of options that are equal for the
mover, to within EVEN, it takes the first: to bank before to roll; then the set-aside with more
points, and of as many points the one that leaves more dice to roll.
"""

from dataclasses import dataclass

import numpy as np

from solver.turn.equations import Endings, Floats, TurnTable
from solver.turn.scoring import TurnPlan, TurnState

EVEN = 1e-11
"""Chances of a mover that differ by no more are equal: rounding must not choose between options."""


@dataclass(frozen=True, slots=True, eq=False)
class SharedEndings:
    """What ending a turn is worth to all players, by turn total in point steps; the mover first.

    From the last `plan.reach` turn totals on it is best to bank.
    """

    bank: Floats
    """Shape (turn totals, players); NaN where banking is not allowed."""
    farkle: Floats
    """Shape (turn totals, players)."""
    lost: Floats
    """Of a roll that loses everything, shape (players,)."""


@dataclass(frozen=True, slots=True, eq=False)
class SharedTurn:
    """All values of one turn; the mover first."""

    values: Floats
    """Shape (levels, turn totals, columns, players)."""
    roll: Floats
    """Values of rolling, in the same shape."""
    ends: SharedEndings
    plan: TurnPlan

    @property
    def of_mover(self) -> TurnTable:
        """The chances of the mover alone; where banking is as good to within EVEN it is better."""
        bank, farkle = self.ends.bank[:, 0], self.ends.farkle[:, 0]
        roll, banked = self.roll[..., 0], bank[:, np.newaxis]
        even = (roll > banked) & (roll <= banked + EVEN)
        ends = Endings(bank, farkle, float(self.ends.lost[0]))
        return TurnTable(self.values[..., 0], np.where(even, banked, roll), ends, self.plan)

    def value(self, turn: TurnState) -> Floats:
        """The chances of all players in a state of the turn."""
        return np.asarray(self.values[self._index(turn)])

    def roll_value(self, turn: TurnState) -> Floats:
        """The chances of all players if the mover rolls."""
        return np.asarray(self.roll[self._index(turn)])

    def bank_value(self, turn: TurnState) -> Floats | None:
        """The chances of all players if the mover banks; None where that is not allowed."""
        hot_must_roll = self.plan.must_roll_hot and turn.dice == self.plan.columns
        if hot_must_roll or not self.may_bank(turn.turn_total):
            return None
        return np.asarray(self.ends.bank[self._row(turn.turn_total)])

    def may_bank(self, turn_total: int) -> bool:
        """Whether a turn total may be banked, hot dice aside."""
        return not np.isnan(self.ends.bank[self._row(turn_total)][0])

    def farkle_value(self, turn_total: int) -> Floats:
        """The chances of all players after a farkle."""
        return np.asarray(self.ends.farkle[self._row(turn_total)])

    def banks(self, turn: TurnState) -> bool:
        """Whether to bank; what is equal for the mover is banked."""
        bank = self.bank_value(turn)
        return bank is not None and bool(self.roll_value(turn)[0] <= bank[0] + EVEN)

    def _row(self, turn_total: int) -> int:
        """Beyond the table everything is as in its last row."""
        return min(turn_total // self.plan.step, len(self.ends.bank) - 1)

    def _index(self, turn: TurnState) -> tuple[int, int, int]:
        level = min(turn.hot_dice, self.plan.levels - 1)
        return level, self._row(turn.turn_total), turn.dice - 1


def solve_shared_turn(plan: TurnPlan, ends: SharedEndings) -> SharedTurn:
    """Solve one turn backwards over its turn totals; the plan has all options."""
    totals, players = ends.bank.shape
    columns, solved = plan.columns, totals - plan.reach
    roll = np.empty((plan.levels, totals, columns, players))
    win = np.zeros(players)
    win[0] = 1.0
    ended = (
        plan.win_chances[:, np.newaxis] * win
        + plan.lose_chances[:, np.newaxis] * ends.lost
        + plan.farkle_chances[:, np.newaxis] * ends.farkle[:, np.newaxis]
    )
    roll[:, solved:] = _rolls_beyond(plan, ends, ended[solved:], solved)
    bank = ends.bank[:, np.newaxis].repeat(columns, axis=1)
    may = ~np.isnan(bank[..., 0])
    if plan.must_roll_hot:
        may[:, -1] = False
    values = roll.copy()
    values[:, solved:] = _better(roll[:, solved:], bank[solved:], may[solved:])
    lengths = np.diff(plan.starts, append=len(plan.options))
    numbers = np.arange(len(plan.options))
    for level in range(plan.levels - 1, -1, -1):
        places = plan.places(level, totals)
        space = values[level : plan.next_level(level) + 1].reshape(-1, players)
        for t in range(solved - 1, -1, -1):
            found = space[t * columns + places]
            best = np.maximum.reduceat(found[:, 0], plan.starts)
            even = found[:, 0] >= best.repeat(lengths) - EVEN
            # of a list's options, which ascend, the last one is the first in the order
            chosen = np.maximum.reduceat(np.where(even, numbers, -1), plan.starts)
            roll[level, t] = plan.chances @ found[chosen] + ended[t]
            values[level, t] = _better(roll[level, t], bank[t], may[t])
    return SharedTurn(np.clip(values, 0.0, 1.0), np.clip(roll, 0.0, 1.0), ends, plan)


def _better(roll: Floats, bank: Floats, may: np.ndarray) -> Floats:
    """The values of banking where that is allowed and no worse for the mover, else of rolling."""
    banks = may & (roll[..., 0] <= bank[..., 0] + EVEN)
    return np.where(banks[..., np.newaxis], bank, roll)


def _rolls_beyond(plan: TurnPlan, ends: SharedEndings, ended: Floats, solved: int) -> Floats:
    """Values of rolling at the last turn totals, as in `solver.turn.equations`."""
    bank = ends.bank[solved:, np.newaxis]
    scores = 1 - plan.win_chances - plan.lose_chances - plan.farkle_chances
    if not plan.must_roll_hot:
        return ended + scores[:, np.newaxis] * bank
    rolls: Floats = ended + (scores - plan.only_hot)[:, np.newaxis] * bank
    hot = rolls[:, -1:] / (1 - plan.only_hot[-1])
    rolls += plan.only_hot[:, np.newaxis] * hot
    return rolls
