"""Many subjects on this machine, one for each processor: the largest first.

A solve compiles on one core what belongs to its rules alone, and has parts that wait for each
other; one solve beside another leaves no core idle meanwhile. Each process uses one thread.
"""

import os
from collections import deque
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context, parent_process
from queue import Empty
from threading import Thread
from typing import Any

from solver.batch.jobs import Job, Outcome, Watch
from solver.batch.subjects import Subject
from solver.errors import FarkleError, SolveError
from solver.game.standings import Progress

_LEAST_SECONDS = 60.0
"""The least seconds of all solves one after the other for which processes are begun."""

_TOLD_SECONDS = 0.2
"""The seconds after which progress is passed on again."""

_parent: dict[str, Any] = {}
"""What a process has of the one that began it: where to tell how it goes, and whether to stop."""


def is_worth_it(jobs: Sequence[Job]) -> bool:
    """Whether processes side by side are sooner done: where many jobs share what there is to do."""
    seconds = [job.subject.seconds for job in jobs]
    cores = os.cpu_count() or 1
    return cores > 1 and sum(seconds) > max(_LEAST_SECONDS, cores * max(seconds, default=0.0))


def solve_side_by_side(
    jobs: Sequence[Job], watch: Watch, solve: Callable[..., Any]
) -> Generator[tuple[Job, Outcome], None, None]:
    """Solve jobs, each in one of as many processes as there are processors, as a Solver does.

    solve : solves a subject with one thread, as `solve_here` does; every process is handed it
    """
    spawning, cores = get_context("spawn"), os.cpu_count() or 1
    messages, stop = spawning.Queue(), spawning.Event()
    waiting = deque(sorted(jobs, key=lambda job: job.subject.seconds, reverse=True))
    by_number = {job.number: job for job in jobs}
    under_way: dict[Future[Outcome], Job] = {}
    with ProcessPoolExecutor(cores, spawning, _begin, (messages, stop)) as pool:
        try:
            while waiting or under_way:
                while waiting and len(under_way) < cores:
                    job = waiting.popleft()
                    watch.begin(job)
                    under_way[pool.submit(_solved, job.number, job.subject, solve)] = job
                ended, _ = wait(under_way, _TOLD_SECONDS, FIRST_COMPLETED)
                for number, progress in _all_in(messages):
                    if by_number[number] in under_way.values():
                        watch.progress(by_number[number], progress)
                for future in ended:
                    outcome = future.result()
                    yield under_way.pop(future), outcome
        except BrokenProcessPool:
            lost = [*under_way.values(), *waiting]
            message = "a process that solved was ended, perhaps for lack of memory"
            yield from ((job, SolveError(f"{job.subject.name}: {message}")) for job in lost)
        finally:
            stop.set()
            for _ in _all_in(messages):
                pass


def _all_in(messages: Any) -> Generator[tuple[int, Progress], None, None]:
    """What was told so far."""
    try:
        while True:
            yield messages.get_nowait()
    except Empty:
        pass


def _begin(messages: Any, stop: Any) -> None:
    """Keep what the process has of the one that began it, and end with that one."""
    _parent.update(told=messages, stop=stop)
    messages.cancel_join_thread()
    Thread(target=_end_with, args=(parent_process(),), daemon=True).start()


def _end_with(parent: Any) -> None:
    """End this process once the one that began it has ended, even if that was killed."""
    parent.join()
    os._exit(1)


def _solved(number: int, subject: Subject, solve: Callable[..., Any]) -> Outcome:
    """Solve in this process, with one thread; what fails is an outcome as well."""

    def tell(progress: Progress) -> None:
        if _parent["stop"].is_set():
            raise SolveError(f"{subject.name}: the solve was ended")
        _parent["told"].put((number, progress))

    try:
        return solve(subject, on_progress=tell)
    except FarkleError as error:
        return error
