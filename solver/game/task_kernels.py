"""How the threads of a kernel share its tasks: each begins with a part of its own, and then helps.

What tasks cost is not known before, and numba divides a loop before it begins, so that all would
wait for the thread that has most to do. Neighbours stay with one thread as far as that goes, as
they share what is in the cache.
"""

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic


@intrinsic
def _take(_context, places, which):
    """Count up ``places[which]``, and return what it was; no other thread gets the same."""
    signature = types.intp(places, which)

    def generate(context, builder, signature, arguments):
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        one = ir.Constant(context.get_value_type(types.intp), 1)
        # nothing else is told by it: what was done before is seen once all threads are done
        place = builder.gep(array.data, [arguments[1]])
        return builder.atomic_rmw("add", place, one, "monotonic")

    return signature, generate


@njit(nogil=True, error_model="numpy")
def shares(tasks, workers):
    """Where the parts of so many tasks begin and end: of worker k from [0, k] to below [1, k]."""
    found = np.empty((2, workers), dtype=np.intp)
    for worker in range(workers):
        found[0, worker] = tasks * worker // workers
        found[1, worker] = tasks * (worker + 1) // workers
    return found


@njit(nogil=True, error_model="numpy")
def next_task(parts, worker):
    """Number of a task that nobody has done, of a worker's own part first; -1 if there is none."""
    workers = parts.shape[1]
    for k in range(workers):
        whose = (worker + k) % workers
        if parts[0, whose] < parts[1, whose]:
            task: int = _take(parts[0], whose)  # type: ignore[call-arg] # numba gives the context
            if task < parts[1, whose]:
                return task
    return -1
