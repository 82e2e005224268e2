"""States that are solved side by side, and memory for what is known of them."""

import numpy as np
import numpy.typing as npt

LANES = 16
"""States that are solved side by side; two AVX-512 registers of float64."""

_BYTES = LANES * 8
"""The bytes of a group, which are two lines of most caches; these fetch lines by two."""


def lane_array(*shape: int, fill: float = 0.0) -> npt.NDArray[np.float64]:
    """An array of such a shape, none of whose groups of LANES lies across two lines of a cache.

    So they are read at once, and threads that write to groups side by side do not wait for each
    other. The shape is of whole groups, at least along the first axes that threads are told apart.
    """
    size = int(np.prod(shape))
    # where memory is given as zeros, nothing is written to it
    room = np.zeros(size + LANES)
    begin = -room.ctypes.data % _BYTES // room.itemsize
    found = room[begin : begin + size].reshape(shape)
    if fill:
        found[...] = fill
    return found
