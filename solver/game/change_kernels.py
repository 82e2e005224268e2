"""Numba kernels that say how far a sweep moved values, group by group of states.

Parameters as in solver.game.kernels.
"""

import numpy as np
from numba import njit, types

from solver.game.kernels import (
    GAME_TYPE,
    TABLE_TYPE,
    array_type,
    least_bank,
    own_scores,
)
from solver.game.lanes import LANES
from solver.game.layout import PAD

_LITTLE = 0.003
"""What a change may be of where a player has all but won, as for bounds._distance."""


@njit(
    types.Tuple((types.float64, types.intp))(
        TABLE_TYPE,
        TABLE_TYPE,
        types.intp,
        array_type(types.boolean, 2),
        GAME_TYPE,
        types.float64,
        types.float64,
        array_type(types.float64, 2),
        array_type(types.float32, 5),
    ),
    cache=True,
    nogil=True,
    error_model="numpy",
)
def note_changes(table, before, s, active, game, least, nearly_lost, changed, change):
    """Hold the states of totals s, s - 1, ... against what they were before.

    before : the totals solved together, from the last one up to s
    active : of which groups turn totals are counted, at [how far below s, group]
    least : changes are relative to the value, or to this if it is less
    nearly_lost : values below this settle later than others: in `changed` they count for more, and
        changes are relative to what the proof of a bound allows; 0 for neither
    changed : at [total, group], set to the largest relative change of its states, unless it was
        neither solved nor guessed
    change : set to the change of each value; nothing is written if it is empty

    Returns the largest relative change, NaN where one is, and how many turn totals are in the turns
    of active groups.
    """
    modes, rows = game.farkle_limit * game.boards, len(active)
    largest, solved, most = 0.0, 0, np.empty(changed.shape[1])
    for row in range(rows):
        total = s - row
        first = max(0, total - game.scores + 1)
        most[:] = 0.0
        for r in range(game.roles):
            for u in range(modes):
                least_total = 1 if game.free_win == 1 else least_bank(u, game)
                for w in range(modes):
                    low, high = own_scores(total, u, w, game)
                    new, old = table[r, u, w, total], before[r, u, w, rows - 1 - row]
                    for own in range(low, high + 1):
                        group = (min(own, total - own) - first) // LANES
                        value, moved = new[PAD + own], new[PAD + own] - old[PAD + own]
                        if active[row, group]:
                            solved += max(game.scores - own, least_total)
                        if change.size:
                            change[r, u, w, total, PAD + own] = moved
                        if value == 0.0:
                            continue
                        relative = abs(moved) / max(value, least)
                        largest = np.maximum(largest, relative)  # which keeps a NaN
                        if nearly_lost > 0.0:
                            allowed = value * (1.0 - value) + _LITTLE
                            relative *= max(1.0, nearly_lost / max(value, 1e-300))
                            relative = max(relative, abs(moved) / allowed)
                        most[group] = np.maximum(most[group], relative)
        for group in range((total // 2 - first) // LANES + 1):
            # what is at rest keeps what it changed by when it was solved last
            if active[row, group] or most[group] != 0.0:
                changed[total, group] = most[group]
    return largest, solved
