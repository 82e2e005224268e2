"""The slow twin of turns for most points: a long turn gone through row by row, from the rules."""

import numpy as np
import numpy.typing as npt
from numba import njit

from solver.rules.ruleset import Ruleset
from tests import naive
from tests.naive import Array, all_rolls, levels

Indices = npt.NDArray[np.intp]


def most_points(
    rules: Ruleset,
    farkle_cost: float,
    at_stake: float,
    *,
    on_board: bool,
    rows: int,
    win: float | None = None,
) -> Array:
    """What rolling is worth at [turn total in point steps, dice to roll, hot dice].

    A turn that comes to so many rows is over with what it has: they should be so many that hardly
    any turn does.
    """
    every = all_rolls(rules)
    value = np.zeros((rows, len(naive.numbers(rules)) + 1, levels(rules)))
    roll = np.zeros_like(value)
    least = max(rules.point_step, rules.minimum_bank, 0 if on_board else rules.opening_minimum)
    fill(
        value,
        roll,
        rules.point_step,
        least // rules.point_step,
        farkle_cost
        * np.array([float(n > 0 and naive.counts(rules, n)) for n in range(len(value[0]))]),
        float(at_stake),
        np.nan if win is None else win,
        rules.farkle_keeps_turn_total,
        np.array(
            [naive.may_leave(rules, number) for number in range(len(naive.numbers(rules)) + 1)]
        ),
        every.choice,
        every.first,
        every.chance,
        every.rolls,
        every.special,
    )
    return roll


@njit(cache=True)
def fill(
    value: Array,
    roll: Array,
    step: int,
    least: int,
    farkle_cost: Array,
    at_stake: float,
    win: float,
    keeps: bool,
    may_leave: npt.NDArray[np.bool_],
    choice: Indices,
    first: Indices,
    chance: Array,
    rolls: Indices,
    special: Array,
) -> None:
    rows, numbers, hots = value.shape
    for row in range(rows - 1, -1, -1):
        points = row * step
        kept = points if keeps and row >= least else 0
        for number in range(numbers - 1, 0, -1):
            wins, lost, missed = special[number]
            won = points if np.isnan(win) else win
            for hot in range(hots):
                worth = wins * won - lost * at_stake + missed * (kept - farkle_cost[number])
                begin, end = rolls[number, hot]
                for one in range(begin, end):
                    best = -1e300
                    for total, left, new in choice[first[one] : first[one + 1]]:
                        after = row + total
                        best = max(best, value[after, left, new] if after < rows else after * step)
                    worth += chance[one] * best
                roll[row, number, hot] = value[row, number, hot] = worth
                if row >= least and may_leave[number]:
                    value[row, number, hot] = max(worth, points)
