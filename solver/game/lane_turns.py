"""Turns of a rule set that are solved side by side, given what ending them is worth."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from solver.game.kernels import roll_until_banked
from solver.game.lanes import LANES
from solver.game.layout import Lists, lists_of
from solver.rules.ruleset import Ruleset
from solver.turn.equations import Floats, rolls_beyond, rolls_that_end
from solver.turn.scoring import TurnPlan


@dataclass(frozen=True, eq=False)
class LaneTurns:
    """A rule set, its turns, and who solves them."""

    rules: Ruleset
    plan: TurnPlan
    turn: Callable[..., Any]
    """A turn function, see `solver.game.kernel_source.turn_source`."""
    pool: ThreadPoolExecutor
    workers: int

    @cached_property
    def lists(self) -> Lists:
        """Return what rolls lead to."""
        return lists_of(self.plan)

    def solved(self, room: Floats, bank: Floats, farkle: Floats) -> Floats:
        """Return what turns are worth, given banks and farkles by turn total and lane.

        room : for what states are worth, shape (levels, turn totals or more, columns, LANES)
        """
        values = room[:, : len(bank)]
        plan, solved, lost = self.plan, len(bank) - self.plan.reach, np.zeros(LANES)
        top = np.empty((plan.columns, 1, LANES))
        if plan.must_roll_others:
            ends = bank[-1:], farkle[-1:], lost[np.newaxis]
            roll_until_banked(top, *ends, self.lists, False)
        else:
            ended = rolls_that_end(plan, farkle[-1:], lost, np.ones(1))
            rolls = rolls_beyond(plan, bank[-1:], ended)[0]
            may_bank = plan.may_bank[:, np.newaxis]
            top[:, 0] = np.where(may_bank, np.maximum(rolls, bank[-1]), rolls)
        values[:, solved:] = np.minimum(top[:, 0], 1.0)
        farkles = farkle[:solved].ravel()
        for level in range(plan.levels - 1, -1, -1):
            hot = values[plan.next_level(level), plan.bonuses[level] :]
            flat = values[level].reshape(-1), hot.reshape(-1), bank.reshape(-1)
            self.turn(*flat, farkles, lost, self.lists, solved)
        return np.array(values[0, 0, -1])
