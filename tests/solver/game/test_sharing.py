"""How threads share tasks."""

import numpy as np
import numpy.typing as npt
import pytest
from numba import njit, prange

from solver.game.kernels import next_task, shares


@njit(parallel=True)
def _done(tasks: int, workers: int) -> npt.NDArray[np.intp]:
    times = np.zeros((workers, tasks), dtype=np.intp)
    parts = shares(tasks, workers)
    for worker in prange(workers):
        for _ in range(tasks):
            task = next_task(parts, worker)
            if task < 0:
                break
            times[worker, task] += 1
    return times


@pytest.mark.slow
def test_every_task_is_done_once() -> None:
    for tasks in (0, 1, 2, 5, 40, 1001):
        for workers in (1, 2, 3, 7):
            assert (_done(tasks, workers).sum(axis=0) == 1).all()


def test_who_is_done_helps_the_others() -> None:
    parts = shares(10, 3)
    assert [next_task(parts, 1) for _ in range(11)] == [3, 4, 5, 6, 7, 8, 9, 0, 1, 2, -1]
