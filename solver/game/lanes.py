"""States that are solved side by side, and memory for what is known of them."""

import numpy as np
import numpy.typing as npt

LANES = 16
"""States that are solved side by side; two AVX-512 registers of float64."""

_BYTES = LANES * 8
"""The bytes of a group, which are two lines of most caches."""


def lane_array(shape: tuple[int, ...], fill: float) -> npt.NDArray[np.float64]:
    """An array of whole groups of LANES, filled, none of which begins inside a line of a cache.

    A turn that goes through lists reads little else, and takes longer where each group lies across
    one line more.
    """
    size = int(np.prod(shape))
    room = np.empty(size + LANES)
    begin = -room.ctypes.data % _BYTES // room.itemsize
    groups = room[begin : begin + size].reshape(shape)
    groups[...] = fill
    return groups
