"""Solves spread over a Dask cluster that is there already, one rule set a task.

Of a game of several players each task is a part of a layer instead (solver.batch.many_cluster).

The client hands out as many rule sets as there are workers, the next one when a result arrives, so
that a worker solves one at a time with all its threads. A worker that dies loses nothing: the
scheduler gives its rule set, and a result that nobody had fetched yet, to another one. Only a rule
set under which several workers die is given up.

Workers and the scheduler need this package, but none of the project's data.
"""

import logging
import os
import re
import threading
import time
import warnings
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from solver.batch.jobs import Job, Outcome, Watch
from solver.batch.local import is_writable, prefer_cache, solve_here
from solver.errors import ClusterError, FarkleError, InvalidRequestError
from solver.folders import is_ours
from solver.game.many import ManySolution
from solver.game.standings import Solution, state_count, value_shape
from solver.rules.ruleset import Ruleset

if TYPE_CHECKING:
    from distributed import Client, Future, Worker

CONNECT_SECONDS = 10.0
"""How long to look for the scheduler, and then for a worker."""

PATIENCE_SECONDS = 60.0
"""How long to wait for a new worker when the last one is gone."""

FETCH_SECONDS = 300.0
"""How long a result may be on its way."""

ATTEMPTS = 3
"""Times that a rule set is tried in all when a worker fails, which is not that it dies."""

_ADDRESS = re.compile(r"((tcp|tls|ws|wss|ucx)://)?[^/\s]+:\d{1,5}")

_ONE_AT_A_TIME = threading.Lock()
"""numba may abort a process in which two threads run parallel kernels."""


@contextmanager
def connected(address: str, *, timeout: float = CONNECT_SECONDS) -> Iterator["ClusterSolver"]:
    """A Solver of solver.batch.jobs that uses the cluster of the scheduler at `address`.

    Raises InvalidRequestError for what is no address, ClusterError where the package distributed
    is missing, no scheduler answers, or it has no workers.
    """
    if not _ADDRESS.fullmatch(address):
        raise InvalidRequestError(
            f'the address of a scheduler is like tcp://host:8786, not "{address}"'
        )
    try:
        import distributed  # noqa: PLC0415
    except ImportError:
        raise ClusterError(
            "a cluster needs the optional package distributed;"
            " install it with: pip install 'farkle-advisor[cluster]'"
        ) from None
    with _quiet(distributed.versions.VersionMismatchWarning):
        try:
            client = distributed.Client(address, timeout=timeout, set_as_default=False)
        except (OSError, ValueError, OverflowError) as error:
            raise ClusterError(
                f"no Dask scheduler answers at {address} ({first_line(error)})"
            ) from None
        try:
            try:
                client.wait_for_workers(1, timeout=timeout)
            except TimeoutError:
                raise ClusterError(
                    f"the Dask scheduler at {address} has no workers;"
                    f" start one with: dask worker {address}"
                ) from None
            yield ClusterSolver(client, address)
        finally:
            client.close()


@contextmanager
def _quiet(mismatch: type[Warning]) -> Iterator[None]:
    """Without what distributed says by itself: all that matters becomes a sentence of ours."""
    loggers = [logging.getLogger(name) for name in ("distributed", "distributed.client")]
    levels = [logger.level for logger in loggers]
    try:
        for logger in loggers:
            logger.setLevel(logging.CRITICAL + 1)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", mismatch)
            yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


class LostError(Exception):
    """The cluster is gone; the text says how."""


class Workers:
    """The workers of a cluster, which come and go."""

    def __init__(self, client: "Client", address: str) -> None:
        self._client = client
        self.address = address
        self._last_seen = time.monotonic()

    def addresses(self) -> list[str]:
        """Of all that live. Raises LostError."""
        try:
            workers = list(self._client.nthreads())
        except Exception as error:  # whatever a dead connection makes of it
            raise LostError(
                f"the Dask scheduler at {self.address} is gone ({first_line(error)})"
            ) from None
        now = time.monotonic()
        if workers:
            self._last_seen = now
        elif now - self._last_seen > PATIENCE_SECONDS:
            raise LostError(f"the Dask scheduler at {self.address} has no workers any more")
        return workers


class _NoResultError(Exception):
    """A task has no result yet, or none any more; the text says why."""


class ClusterSolver:
    """See `connected`."""

    def __init__(self, client: "Client", address: str) -> None:
        self._client = client
        self._workers = Workers(client, address)
        self._woken = threading.Event()

    def __call__(
        self, jobs: Sequence[Job], tolerance: float, watch: Watch
    ) -> Generator[tuple[Job, Outcome], None, None]:
        """Solve the jobs; what is left when the cluster is lost fails."""
        # the longest first: none that is begun late keeps all the others waiting
        waiting = deque(sorted(jobs, key=lambda job: -state_count(job.rules)))
        under_way: dict[Future[Outcome], Job] = {}
        attempts: Counter[Job] = Counter()
        try:
            while waiting or under_way:
                self._hand_out(waiting, under_way, tolerance, watch)
                future = self._finished(under_way)
                if future is None:
                    continue
                # before the result is fetched and written: its worker need not wait for that
                self._hand_out(waiting, under_way, tolerance, watch)
                job = under_way[future]
                attempts[job] += 1
                try:
                    outcome = self._outcome(future, job)
                except _NoResultError as error:
                    if future.cancelled():
                        del under_way[future]
                        waiting.append(job)
                    if attempts[job] < ATTEMPTS:
                        continue
                    outcome = ClusterError(f"{job.rules.name}: {error}")
                    with suppress(ValueError):
                        waiting.remove(job)
                under_way.pop(future, None)
                yield job, outcome
        except LostError as lost:
            for job in [*under_way.values(), *waiting]:
                yield job, ClusterError(f"{job.rules.name}: {lost}")
        finally:
            if under_way and self._client.status == "running":
                self._client.cancel(list(under_way))

    def solve_many(
        self,
        rules: Ruleset,
        players: int,
        *,
        reverse: bool = False,
        on_progress: Callable[[float], None] = lambda _: None,
    ) -> ManySolution:
        """Solve a game of several players, see solver.batch.many_cluster."""
        from solver.batch.many_cluster import solve_many_there  # noqa: PLC0415

        return solve_many_there(
            self._client, self._workers, rules, players, reverse=reverse, on_progress=on_progress
        )

    def _hand_out(
        self,
        waiting: "deque[Job]",
        under_way: "dict[Future[Outcome], Job]",
        tolerance: float,
        watch: Watch,
    ) -> None:
        """Submit one job for each worker that has none, unless too many results are unfetched."""
        workers = len(self._workers.addresses())
        busy = sum(not future.done() for future in under_way)
        for _ in range(min(workers - busy, 2 * workers - len(under_way), len(waiting))):
            job = waiting.popleft()
            # as JSON, so that a worker with another version reads it with its own checks
            future = self._client.submit(
                solve_on_worker,
                job.rules.model_dump_json(),
                job.rules.digest,
                tolerance,
                pure=False,
                retries=ATTEMPTS - 1,
            )
            future.add_done_callback(lambda _: self._woken.set())
            under_way[future] = job
            watch.begin(job)

    def _finished(self, under_way: "dict[Future[Outcome], Job]") -> "Future[Outcome] | None":
        """One that is done, perhaps after a moment."""
        for seconds in (0, 1):
            self._woken.wait(seconds)
            self._woken.clear()
            for future in under_way:
                if future.done():
                    return future
        return None

    def _outcome(self, future: "Future[Outcome]", job: Job) -> Outcome:
        """What came of a task.

        Raises _NoResultError when its result has not come in time, or it was cancelled, as it is
        when the scheduler is restarted.
        """
        from distributed import CancelledError  # noqa: PLC0415
        from distributed.scheduler import KilledWorker  # noqa: PLC0415

        name = job.rules.name
        try:
            outcome = future.result(timeout=FETCH_SECONDS)
        except CancelledError:
            raise _NoResultError("was cancelled on the cluster") from None
        except KilledWorker as error:
            times = error.allowed_failures + 1
            return ClusterError(
                f"{name}: {times} workers died while they solved it; is there memory enough?"
            )
        except ImportError as error:
            return ClusterError(
                f"{name}: a worker cannot solve it ({first_line(error)});"
                " install farkle-advisor on every machine of the cluster"
            )
        except Exception as error:
            if isinstance(error, TimeoutError) and future.status != "error":
                # not the task's: its worker died after all, or its way is slow
                raise _NoResultError("its result does not arrive") from None
            what = f"{type(error).__name__}: {first_line(error)}"
            return ClusterError(f"{name}: failed on the cluster ({what})")
        if isinstance(outcome, Solution):
            # under the client's own name, and not the worker's copy of the rules
            outcome = replace(outcome, rules=job.rules)
            if outcome.values.shape != value_shape(job.rules):
                return ClusterError(f"{name}: {OTHER_VERSION}")
        return outcome


OTHER_VERSION = "a worker knows these rules otherwise, its farkle-advisor is another version"


def solve_on_worker(rules: str, digest: str, tolerance: float) -> Outcome:
    """Solve rules given as JSON; runs on a worker.

    An error of ours is returned: raised, it would be tried again in vain.
    """
    try:
        read = Ruleset.model_validate_json(rules)
    except ValidationError:
        return ClusterError(f"a rule set of the catalogue: {OTHER_VERSION}")
    if read.digest != digest:
        return ClusterError(f"{read.name}: {OTHER_VERSION}")
    with use_worker() as (folder, threads):
        try:
            return solve_here(read, cache=folder, tolerance=tolerance, threads=threads)
        except FarkleError as error:
            return error


@contextmanager
def use_worker() -> Iterator[tuple[Path, int]]:
    """Have a worker for oneself: its folder for compiled code, and how many threads to use."""
    from distributed import get_worker  # noqa: PLC0415

    worker = get_worker()
    with _ONE_AT_A_TIME:
        folder = _cache(worker)
        prefer_cache(folder)
        yield folder, _use_threads(worker.state.nthreads)


@cache
def _cache(worker: "Worker") -> Path:
    """FARKLE_DATA/kernels, or a folder that the workers of this machine share, or one of its own.

    What one of them has compiled the others only load.
    """
    own = Path(worker.local_directory)
    folders = [own.parent / "farkle-kernels"]
    if data := os.environ.get("FARKLE_DATA"):
        folders.insert(0, Path(data) / "kernels")
    for folder in folders:
        if is_writable(folder) and is_ours(folder):
            return folder
    return own / "farkle-kernels"


def _use_threads(number: int) -> int:
    """Use that many processors from this thread, but not more than there are."""
    import numba  # noqa: PLC0415

    threads = min(number, int(numba.get_num_threads()))
    numba.set_num_threads(threads)
    return threads


def first_line(error: BaseException) -> str:
    """What an error says, or its name."""
    return next(iter(str(error).splitlines()), "") or type(error).__name__
