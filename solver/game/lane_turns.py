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
from solver.turn.equations import Floats, TurnPlan, rolls_beyond, rolls_that_end


@dataclass(frozen=True, eq=False)
class LaneTurns:
    """A rule set, its turns, and who solves them."""

    rules: Ruleset
    plan: TurnPlan
    turn: Callable[..., Any]
    """A turn function, see `solver.game.kernel_source.turn_source`."""
    pool: ThreadPoolExecutor
    workers: int
    planes: int = 1
    """Values of a state by seat, the mover's first."""

    @cached_property
    def lists(self) -> Lists:
        """Return what rolls lead to."""
        return lists_of(self.plan, self.planes)

    def solved(self, room: Floats, bank: Floats, farkle: Floats) -> Floats:
        """Return what turns are worth, given banks and farkles by turn total, by plane and lane.

        Of values by seat whoever comes to the last turn totals banks, if the dice may be banked. Of
        one what is best is found; where a turn may go on from there they are all the same.

        room : for what states are worth, shape (levels, turn totals or more, columns, planes and
            lanes), as of `solver.game.kernel_source.turn_source`
        """
        values = room[:, : len(bank)]
        cell = self.planes * LANES
        plan, solved, lost = self.plan, len(bank) - self.plan.reach, np.zeros(cell)
        # a roll that wins may be better than a bank that cannot be made up for
        weighs = bool(np.any(plan.win_chances))
        last = -1 if self.planes == 1 and (plan.must_roll_others or weighs) else solved
        tops, missed = bank[last:], farkle[last if len(farkle) > 1 else 0 :]
        if self.planes > 1 and plan.may_bank.all():
            top = tops[:, np.newaxis]
        elif plan.must_roll_others or weighs:
            top = np.empty((len(tops), plan.columns, self.planes, LANES))
            for row, worth in enumerate(top):
                missed_here = missed[min(row, len(missed) - 1)]
                shape = self.planes, LANES
                ends = tops[row].reshape(shape), missed_here.reshape(shape), lost.reshape(shape)
                roll_until_banked(worth, *ends, self.lists, weighs)
            top = top.reshape(*top.shape[:2], cell)
        else:
            ended = rolls_that_end(
                plan, missed, lost, np.repeat([1.0, *[0.0] * (self.planes - 1)], LANES)
            )
            top = rolls_beyond(plan, tops, ended)
            banks = tops[:, np.newaxis]
            banks = banks if self.planes > 1 else np.maximum(top, banks)
            top = np.where(plan.may_bank[:, np.newaxis], banks, top)
        values[:, solved:] = np.minimum(top, 1.0)
        farkles = farkle[:solved].ravel()
        for level in range(plan.levels - 1, -1, -1):
            hot = values[plan.next_level(level), plan.bonuses[level] :]
            flat = values[level].reshape(-1), hot.reshape(-1), bank.reshape(-1)
            self.turn(*flat, farkles, lost, self.lists, solved)
        return np.array(values[0, 0, -1])
