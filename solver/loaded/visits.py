"""How often a turn with loaded dice comes where."""

import numpy as np

from solver.turn.equations import Floats, TurnTable
from solver.turn.points import bank_decisions


def visits(table: TurnTable) -> Floats:
    """How often a turn played by `table` comes to each state, shape (turn totals, columns).

    A state that is left for another one counts too. From the last `plan.reach` turn totals on it is
    banked. For turns without levels.
    """
    plan = table.plan
    columns, solved = plan.columns, len(table.ends.bank) - plan.reach
    banks, values = bank_decisions(table)[0], table.win_probability[0].reshape(-1)
    chances, column = plan.chances.max(axis=0), np.argmax(plan.chances, axis=0)
    places, lengths = plan.targets[plan.options], np.diff(plan.starts, append=len(plan.options))
    found = np.zeros_like(table.win_probability[0])
    found[0, -1] = 1.0
    mass = found.reshape(-1)
    for t in range(solved):
        rolled = np.where(banks[t], 0.0, found[t])
        if not rolled.any():
            continue
        offered = values[t * columns + places]
        best = np.maximum.reduceat(offered, plan.starts)
        # targets ascend in points: the last of equal ones has most
        which = np.where(offered == best.repeat(lengths), np.arange(len(places)), -1)
        chosen = places[np.maximum.reduceat(which, plan.starts)]
        added = np.bincount(chosen, chances * rolled[column])
        mass[t * columns :][: len(added)] += added
    return np.asarray(found)
