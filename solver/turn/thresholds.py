"""What people keep in mind of a table: from which turn total on to bank, by number of dice."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from solver.turn.dice import Remaining


@dataclass(frozen=True, slots=True)
class BankFrom:
    """When to bank with some dice left, in points."""

    dice: Remaining
    turn_total: int | None
    """The least one that can occur at which to bank; None where that is never best or allowed."""
    roll_again: tuple[tuple[int, int | None], ...] = ()
    """Stretches of turn totals above it, the first and the last of each, at which to roll again;
    the last is None where that is so as far as turns are worked out."""


def bank_from(
    banks: npt.NDArray[np.bool_], possible: npt.NDArray[np.bool_], step: int
) -> tuple[BankFrom, ...]:
    """When to bank, for each number of dice that can be left in the turn, most dice first.

    banks : where to bank, shape (turn totals in point steps, columns); column n - 1 has n dice
    possible : where the turn can come to, in the same shape
    step : points of a point step
    """
    thresholds = []
    for column in reversed(range(banks.shape[1])):
        totals = np.flatnonzero(possible[:, column])
        if not len(totals):
            continue
        here = banks[totals, column]
        if not here.any():
            thresholds.append(BankFrom(column + 1, None))
            continue
        first = int(np.argmax(here))
        changes = np.flatnonzero(np.diff(here[first:].astype(np.int8))) + first + 1
        ends = [*changes, len(totals)]
        stretches = tuple(
            (int(totals[begin]) * step, int(totals[end - 1]) * step if end < len(totals) else None)
            for begin, end in zip(ends[::2], ends[1::2], strict=False)
        )
        thresholds.append(BankFrom(column + 1, int(totals[first]) * step, stretches))
    return tuple(thresholds)
