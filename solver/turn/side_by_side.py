"""Many turns of one rule set solved side by side in NumPy, for what their start is worth.

The equations are those of solver.turn.equations, with a lane for each turn. The lists of set-asides
overlap much: halves of lists that several of them have in common are compared once for all.
"""

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from solver.rules.ruleset import RULESETS
from solver.turn.equations import (
    Floats,
    rolls_beyond,
    rolls_that_end,
    where_no_bank_is_due,
)
from solver.turn.plan import TurnPlan

Indices = npt.NDArray[np.intp]


def solve_turns(
    plan: TurnPlan, bank: Floats, farkle: Floats, lost: Floats, *, weighs: bool = False
) -> Floats:
    """Value of the first roll of each turn, shape (lanes,).

    bank, farkle : as in Endings, shape (turn totals, lanes); a shorter turn goes on as in its last
        row
    lost : of a roll that loses everything, shape (lanes,)
    weighs : as in Endings
    """
    totals, lanes = bank.shape
    columns, solved = plan.columns, totals - plan.reach
    ended = rolls_that_end(plan, farkle, lost, np.ones(1))
    ended = where_no_bank_is_due(plan, bank[:, np.newaxis], ended)
    beyond = _rolls_beyond(plan, bank[solved:], ended[solved:], weighs=weighs)
    least = np.where(np.isnan(bank), -np.inf, bank)[:, np.newaxis].repeat(columns, axis=1)
    least[:, ~plan.may_bank] = -np.inf
    values = np.empty((plan.levels, totals, columns, lanes))
    values[:, solved:] = np.maximum(beyond, least[solved:])
    pairs, lists = _maxima(plan)
    places = [plan.target_places(level, totals) for level in range(plan.levels)]
    known = np.empty((len(plan.targets) + sum(len(both) // 2 for both in pairs), lanes))
    targets, best = known[: len(plan.targets)], np.empty((len(lists), lanes))
    # values two by two, and where the greater ones go
    steps, end = [], len(targets)
    for both in pairs:
        half, begin = len(both) // 2, end
        end += half
        taken = np.empty((2 * half, lanes))
        steps.append((both, taken, taken[:half], taken[half:], known[begin:end]))
    roll = np.empty((columns, lanes))
    for level in range(plan.levels - 1, -1, -1):
        space = values[level : plan.next_level(level) + 1].reshape(-1, lanes)
        for t in range(solved - 1, -1, -1):
            # mode="clip" spares a copy; no target lies outside
            space[t * columns :].take(places[level], 0, targets, "clip")
            for both, taken, ones, others, greater in steps:
                known.take(both, 0, taken, "clip")
                np.maximum(ones, others, out=greater)
            known.take(lists, 0, best, "clip")
            np.dot(plan.chances, best, out=roll)
            roll += ended[t]
            np.maximum(roll, least[t], out=values[level, t])
    # sums of chances may come out one rounding above 1
    first: Floats = np.minimum(roll[-1], 1.0)
    return first


def _rolls_beyond(plan: TurnPlan, bank: Floats, ended: Floats, *, weighs: bool) -> Floats:
    """What rolling is worth at the last turn totals, shape (turn totals, columns, lanes)."""
    if not weighs:
        return rolls_beyond(plan, bank, ended)
    # each lane by itself, as the option is chosen that is best in it
    lanes = [
        rolls_beyond(plan, bank[:, k : k + 1], ended[..., k : k + 1], weighs=True)
        for k in range(bank.shape[1])
    ]
    return np.concatenate(lanes, axis=-1)


@lru_cache(maxsize=RULESETS)
def _maxima(plan: TurnPlan) -> tuple[list[Indices], Indices]:
    """How the greatest value of each list is found by maxima of two, many at a time.

    Values are numbered: those of targets, then the greater ones of each pair in turn. Returns these
    pairs, all first ones and then all others, in parts that need only values before them, and the
    number of each list.
    """
    remaining, following = plan.lists(), len(plan.targets)
    pairs: list[Indices] = []
    while max(len(members) for members in remaining) > 1:
        numbers: dict[tuple[int, int], int] = {}
        shorter = []
        for members in remaining:
            ahead = list(zip(members[::2], members[1::2], strict=False))
            for pair in ahead:
                numbers.setdefault(pair, following + len(numbers))
            alone = members[len(members) - len(members) % 2 :]
            shorter.append((*(numbers[pair] for pair in ahead), *alone))
        pairs.append(np.array(list(numbers)).T.ravel())
        following += len(numbers)
        remaining = shorter
    return pairs, np.array([number for (number,) in remaining])
