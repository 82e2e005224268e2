"""What numba compiles where badges are used up: a layer of turns, in lanes side by side."""

from typing import NamedTuple

import numpy as np
from numba import njit

from solver.game.lanes import LANES
from solver.game.list_kernels import add_lists


class Program(NamedTuple):
    """Cells of a layer in the order in which they are worked out, see `power_cells.Cells`."""

    options: np.ndarray
    """Places in lanes, list after list, (options,)."""
    starts: np.ndarray
    """Where each list starts in `options`, and the end, (lists + 1,)."""
    first_list: np.ndarray
    """The first list of each cell, and the end, (cells + 1,)."""
    chances: np.ndarray
    """The chance of each list, (lists,)."""
    places: np.ndarray
    """Where each cell lies, in lanes, (cells,)."""
    from_layer: np.ndarray
    """1 where options lie in layers, 0 where in the room, (cells,)."""
    to_layer: np.ndarray
    """1 where a cell does."""
    banked: np.ndarray
    """Whether a player may bank instead, (cells,)."""


@njit(nogil=True, cache=True, error_model="numpy")
def solve_layer(values, bank, begin, stride, program):
    """Solve one layer of turns, see `power_turn.solve_layer`.

    values : all cells, flat
    bank : shape (turn totals, LANES)
    begin, stride : where the layer of turn total 0 lies, and how much further on that of the next
        one does, in lanes
    """
    for t in range(len(bank) - 1, -1, -1):
        here = begin + t * stride
        for cell in range(len(program.places)):
            place = program.places[cell] + program.to_layer[cell] * here
            for lane in range(LANES):
                values[place + lane] = 0.0
            add_lists(  # type: ignore[call-arg] # numba gives it the context by itself
                values,
                values,
                program.from_layer[cell] * here,
                program.options,
                program.starts,
                program.chances,
                program.first_list[cell],
                program.first_list[cell + 1],
                values,
                place,
            )
            if program.banked[cell]:
                for lane in range(LANES):
                    # a sum of chances may come out one rounding above 1
                    value = min(1.0, values[place + lane])
                    values[place + lane] = max(bank[t, lane], value)
