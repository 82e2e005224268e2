"""Solves spread over a Dask cluster that is there already.

Of games of two each is a task. A game of several is solved one layer of totals at a time: its rings
do not depend on each other (solver.game.many_layers), so that each part of it is a task. A worker
keeps all values in its memory; with a part it is handed the layers that were finished since the one
before. All values are here as well, so that a new worker is handed what is known, and values are
the same to the last bit as those of one machine of the same kind.

A worker does one task at a time with all its threads, and is given the next one when its answer
arrives. One that dies loses nothing: its task, or an answer that nobody had fetched yet, goes to
another one. Only a task under which several workers die or fail is given up.

Workers and the scheduler need this package, but none of the project's data.
"""

import logging
import os
import re
import threading
import time
import uuid
import warnings
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from pydantic import ValidationError

from solver.batch.jobs import Job, Outcome, Watch
from solver.batch.local import is_writable, prefer_cache, solve_here, solve_work
from solver.batch.subjects import GameOfSeveral, GameOfTwo
from solver.errors import ClusterError, FarkleError, InvalidRequestError
from solver.folders import is_ours, one_at_a_time
from solver.game.many import Lasts, size
from solver.game.many_layers import Layers, LayerSolve
from solver.game.many_rings import Part, Settled
from solver.game.standings import Solution, value_shape
from solver.rules.ruleset import Ruleset
from solver.turn.equations import Floats, turn_plan

if TYPE_CHECKING:
    from distributed import Client, Future, Worker

    from solver.game.many_sweeps import ManySolve

CONNECT_SECONDS = 10.0
"""How long to look for the scheduler, and then for a worker."""

PATIENCE_SECONDS = 60.0
"""How long to wait for a new worker when the last one is gone."""

FETCH_SECONDS = 300.0
"""How long an answer may be on its way."""

ATTEMPTS = 3
"""Times that a task is tried in all."""

_LOOK_SECONDS = 0.1
"""How often is looked whether workers came or went."""

_BYTES = 8_000_000
"""Values that are sent at a time, if they are more than a layer."""

_MOST_SOLVES = 2
"""The most solves in the memory of a worker; the oldest goes first, as it may be forgotten."""

_ADDRESS = re.compile(r"((tcp|tls|ws|wss|ucx)://)?[^/\s]+:\d{1,5}")

_ONE_AT_A_TIME = threading.Lock()
"""numba may abort a process in which two threads run parallel kernels."""

_OTHER_VERSION = "a worker knows these rules otherwise, its farkle-advisor is another version"

_BEHIND = "behind"
"""What a worker answers that does not have the layers that it was handed before."""

T = TypeVar("T")

Begin = Callable[[str, "deque[T]", bool], "tuple[Future[Any], T | None]"]
"""Has a worker begin something, as a rule the first of the tasks that wait, which it takes from
them; gives what will be the answer, and that task. The last argument says whether the worker failed
before, and may have forgotten all that it was told."""


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
        import distributed  # noqa: PLC0415 - an extra
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
                f"no Dask scheduler answers at {address} ({_first_line(error)})"
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
    """Silence distributed, all of whose errors that matter become sentences of ours."""
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


class NoAnswerError(Exception):
    """A task has no answer, and is given up; the text says why."""

    def of(self, rules: Ruleset) -> ClusterError:
        """Return it as the error of a solve of rules."""
        return ClusterError(f"{rules.name}: {self}")


class Workers:
    """The workers of a cluster, which come and go."""

    def __init__(self, client: "Client", address: str) -> None:
        self.client = client
        self.address = address
        self._alive: list[str] = []
        self._looked, self._last_seen = -_LOOK_SECONDS, time.monotonic()
        self._under_way: dict[Future[Any], tuple[str, Any]] = {}
        """What is being done: by which worker, and for which task."""
        self._failed: set[str] = set()
        self._woken = threading.Event()

    def alive(self) -> list[str]:
        """Return the addresses of all that live. Raises LostError."""
        now = time.monotonic()
        if now - self._looked < _LOOK_SECONDS:
            return self._alive
        try:
            self._alive = list(self.client.nthreads())
        except Exception as error:  # whatever a dead connection makes of it
            raise LostError(
                f"the Dask scheduler at {self.address} is gone ({_first_line(error)})"
            ) from None
        self._looked = now
        if self._alive:
            self._last_seen = now
        elif now - self._last_seen > PATIENCE_SECONDS:
            raise LostError(f"the Dask scheduler at {self.address} has no workers any more")
        return self._alive

    def work(self, tasks: Sequence[T], begin: "Begin[T]") -> Generator[tuple[T, Any], None, None]:
        """Have tasks done; gives each with its answer as they finish.

        Where none can be had the answer is a NoAnswerError. Raises LostError.
        """
        waiting, left, failures = deque(tasks), set(tasks), Counter[T | None]()
        while left:
            self._hand_out(waiting, begin)
            future = self._ended()
            if future is None:
                continue
            # before the answer is fetched and kept: its worker need not wait for that
            self._hand_out(waiting, begin)
            worker, task = self._under_way.pop(future)
            try:
                answer = self._answer(future, worker)
            except NoAnswerError as error:
                failures[task] += 1
                answer = error if failures[task] >= ATTEMPTS else _BEHIND
            if answer == _BEHIND:
                self._failed.add(worker)
                if task is not None:
                    waiting.appendleft(task)
            elif task is not None:
                left.discard(task)
                yield task, answer
            elif answer is not None:
                raise LostError(str(answer))

    def submit(
        self, worker: str, work: Callable[..., Any], *given: Any, **named: Any
    ) -> "Future[Any]":
        """Have a worker, and no other one, call a function."""
        only = {"workers": [worker], "allow_other_workers": False, "pure": False}
        return self.client.submit(work, *given, **named, **only)

    def cancel(self) -> None:
        """Leave nothing under way."""
        if self._under_way and self.client.status == "running":
            self.client.cancel(list(self._under_way))
        self._under_way.clear()

    def _hand_out(self, waiting: "deque[T]", begin: "Begin[T]") -> None:
        """Give each worker that is free something to do, unless too many answers are unfetched."""
        alive = self.alive()
        busy = {worker for future, (worker, _) in self._under_way.items() if not future.done()}
        for worker in alive:
            if worker in busy or not waiting or len(self._under_way) >= 2 * len(alive):
                continue
            future, task = begin(worker, waiting, worker in self._failed)
            future.add_done_callback(lambda _: self._woken.set())
            self._failed.discard(worker)
            self._under_way[future] = worker, task

    def _ended(self) -> "Future[Any] | None":
        """Return what is answered, or will not be as its worker is gone, perhaps after a moment."""
        for seconds in (0, _LOOK_SECONDS):
            self._woken.wait(seconds)
            self._woken.clear()
            alive = self.alive()
            for future, (worker, _) in self._under_way.items():
                if future.done() or worker not in alive:
                    return future
        return None

    def _answer(self, future: "Future[Any]", worker: str) -> Any:
        """Return what came of a task. Raises NoAnswerError."""
        from distributed import CancelledError  # noqa: PLC0415 - an extra

        seconds = end = FETCH_SECONDS / 64
        while worker in self.alive():
            try:
                return future.result(timeout=seconds)
            except CancelledError:  # as it is when the scheduler is restarted
                raise NoAnswerError("was cancelled on the cluster") from None
            except ImportError as error:
                raise NoAnswerError(
                    f"a worker cannot solve it ({_first_line(error)});"
                    " install farkle-advisor on every machine of the cluster"
                ) from None
            except Exception as error:
                if not isinstance(error, TimeoutError) or future.status == "error":
                    what = f"{type(error).__name__}: {_first_line(error)}"
                    raise NoAnswerError(f"failed on the cluster ({what})") from None
            # the way is slow, or the worker is dead and nobody knows it yet
            seconds *= 2
            if (end := end + seconds) > FETCH_SECONDS:
                raise NoAnswerError("its result does not arrive")
        future.cancel()
        raise NoAnswerError(
            f"{ATTEMPTS} workers died while they solved it; is there memory enough?"
        )


class ClusterSolver:
    """A Solver of solver.batch.jobs, see `connected`."""

    def __init__(self, client: "Client", address: str) -> None:
        self._client = client
        self._workers = Workers(client, address)

    def __call__(
        self, jobs: Sequence[Job], watch: Watch
    ) -> Generator[tuple[Job, Outcome], None, None]:
        """Solve games of two side by side, then those of several one after the other.

        What is left when the cluster is lost fails.
        """
        # the longest first: none that is begun late keeps all the others waiting
        ordered = sorted(jobs, key=lambda job: -job.subject.seconds)
        whole = [job for job in ordered if job.subject.players == 2]
        left = dict.fromkeys(ordered)
        try:
            for job, answer in self._workers.work(whole, partial(self._begin, watch)):
                del left[job]
                yield job, _outcome(job, answer)
            for job in list(left):
                watch.begin(job)
                game: Any = job.subject
                outcome: Outcome
                with closing(_LayerSolve(self._workers, game)) as solve:
                    try:
                        outcome = solve.solved(partial(watch.progress, job))
                    except FarkleError as error:
                        outcome = error
                del left[job]
                yield job, outcome
        except LostError as lost:
            for job in left:
                yield job, ClusterError(f"{job.subject.rules.name}: {lost}")
        finally:
            self._workers.cancel()

    def _begin(
        self, watch: Watch, worker: str, waiting: deque[Job], _: bool
    ) -> "tuple[Future[Outcome], Job]":
        """Have a worker solve a game of two."""
        job = waiting.popleft()
        game: Any = job.subject
        asked = *_packed(game.rules), game.tolerance
        future = self._workers.submit(worker, solve_on_worker, *asked)
        watch.begin(job)
        return future, job


def _outcome(job: Job, answer: Outcome) -> Outcome:
    """What came of a game of two."""
    rules = job.subject.rules
    if isinstance(answer, Solution):
        # under the client's own name, and not the worker's copy of the rules
        answer = replace(answer, rules=rules)
        if answer.values.shape != value_shape(rules):
            return ClusterError(f"{rules.name}: {_OTHER_VERSION}")
    elif isinstance(answer, NoAnswerError):
        return answer.of(rules)
    return answer


class _LayerSolve(LayerSolve):
    """A solve of several players under way: all values, and what each worker knows of them."""

    def __init__(self, workers: Workers, game: GameOfSeveral) -> None:
        plans = [turn_plan(game.rules, all_options=True)]
        super().__init__(game.rules, size(game.rules, game.players), plans)
        self._workers = workers
        self._key = _SolveKey(uuid.uuid4().hex, *_packed(game.rules), game.players, game.reverse)
        self._finished: list[int] = []
        """Layers that were solved, sweep after sweep."""
        self._known: Counter[str] = Counter()
        """How many of these each worker was handed."""

    def close(self) -> None:
        """Leave nothing on the workers."""
        self._workers.cancel()
        with suppress(Exception):  # one that is gone has nothing to forget
            self._workers.client.run(forget_on_worker, self._key.token)

    def settle_layer(self, layer: int, *, guess: bool) -> None:
        """Renew the values of a layer. Raises ClusterError, errors of workers and LostError."""
        parts = self.layers.parts(layer)
        begin = partial(self._begin, parts, guess)
        for number, answer in self._workers.work(range(len(parts)), begin):
            if isinstance(answer, NoAnswerError):
                raise answer.of(self.rules)
            if isinstance(answer, FarkleError):
                raise answer
            self.by_player[self.layers.all_states(parts[number])] = answer.values
            self.settled.add(answer.settled)
            self.states_solved += answer.states_solved
            self.lasts = answer.lasts or self.lasts
        self._finished.append(layer)

    def _begin(
        self, parts: list[Part], guess: bool, worker: str, waiting: deque[int], failed: bool
    ) -> "tuple[Future[Any], int | None]":
        """Have a worker solve the next part, or only take values that are news to it."""
        if failed:
            self._known[worker] = 0
        begun, news = self._known[worker], self._news(worker)
        number = waiting.popleft() if self._known[worker] == len(self._finished) else None
        future = self._workers.submit(
            worker,
            solve_part_on_worker,
            self._key,
            begun,
            news,
            None if number is None else parts[number],
            guess=guess,
            wants_lasts=not self.lasts,
        )
        return future, number

    def _news(self, worker: str) -> list[tuple[int, Floats]]:
        """The next layers that a worker does not know, with their values as they are now."""
        news: list[tuple[int, Floats]] = []
        sent = 0
        while self._known[worker] < len(self._finished) and sent < _BYTES:
            layer = self._finished[self._known[worker]]
            values = self.by_player[_all_roles(self.layers, layer)]
            news.append((layer, values))
            sent += values.nbytes
            self._known[worker] += 1
        return news


def _packed(rules: Ruleset) -> tuple[str, str]:
    """Rules as JSON, so that a worker of another version reads them with its own checks."""
    return rules.model_dump_json(), rules.digest


def _unpacked(rules: str, digest: str) -> Ruleset:
    """Return rules that were packed. Raises ClusterError where they are something else here."""
    try:
        read = Ruleset.model_validate_json(rules)
    except ValidationError:
        raise ClusterError(f"a rule set of the catalogue: {_OTHER_VERSION}") from None
    if read.digest != digest:
        raise ClusterError(f"{read.name}: {_OTHER_VERSION}")
    return read


def solve_on_worker(rules: str, digest: str, tolerance: float) -> Outcome:
    """Solve a game of two whose rules are packed; runs on a worker.

    An error of ours is returned: raised, it would be tried again in vain.
    """
    try:
        game = GameOfTwo(_unpacked(rules, digest), tolerance)
        with use_worker() as (folder, threads):
            return solve_here(game, cache=folder, threads=threads)
    except FarkleError as error:
        return error


@dataclass(frozen=True, slots=True)
class _SolveKey:
    """What a worker needs to know of a solve of several players."""

    token: str
    rules: str
    digest: str
    players: int
    reverse: bool


@dataclass(frozen=True, slots=True, eq=False)
class _Solved:
    """What a worker made of a part."""

    values: Floats
    settled: Settled
    states_solved: int
    lasts: Lasts | None
    """The values of final turns, if they were asked for."""


def _all_roles(layers: Layers, layer: int) -> np.ndarray:
    states, shape = layers.states(layer), layers.size
    whole = shape.standings**shape.players
    return np.concatenate([states + role * whole for role in range(shape.roles)])


_SOLVES: "dict[str, tuple[ManySolve, int]]" = {}
"""The solves under way on a worker, by token, each with the number of layers it was handed."""


def solve_part_on_worker(
    key: _SolveKey,
    begun: int,
    news: list[tuple[int, Floats]],
    part: Part | None,
    *,
    guess: bool,
    wants_lasts: bool,
) -> _Solved | FarkleError | str | None:
    """Take values of layers, and solve a part of the next one; runs on a worker.

    begun : how many layers it was handed before
    guess : whether values are to be guessed first

    An error of ours is returned: raised, it would be tried again in vain.
    """
    with use_worker() as (folder, threads):
        if key.token not in _SOLVES and begun == 0:
            try:
                _SOLVES[key.token] = _new_solve(key, folder, threads), 0
            except FarkleError as error:
                return error
        solve, handed = _SOLVES.get(key.token, (None, -1))
        if solve is None or handed != begun:
            _SOLVES.pop(key.token, None)
            return _BEHIND
        for layer, values in news:
            solve.by_player[_all_roles(solve.layers, layer)] = values
        _SOLVES[key.token] = solve, begun + len(news)
        if part is None:
            return None
        solve.states_solved = 0
        settled = solve.settle(part, guess=guess)
        return _Solved(
            solve.by_player[solve.layers.all_states(part)],
            settled,
            solve.states_solved,
            solve.lasts if wants_lasts else None,
        )


def _new_solve(key: _SolveKey, folder: Path, threads: int) -> "ManySolve":
    """Make room for the values of a solve. Raises ClusterError, and what the solve does."""
    game = GameOfSeveral(
        _unpacked(key.rules, key.digest),
        key.players,
        reverse=key.reverse,
    )
    while len(_SOLVES) >= _MOST_SOLVES:
        del _SOLVES[next(iter(_SOLVES))]

    def begin() -> "ManySolve":
        with one_at_a_time(folder):
            from solver.game.many_sweeps import ManySolve  # noqa: PLC0415 - numba: its folder comes first

        how: dict[str, Any] = {"cache": folder, "threads": threads, "reverse": game.reverse}
        return ManySolve(game.rules, game.players, **how)

    return solve_work(game, folder, begin)


def forget_on_worker(token: str) -> None:
    """Free the memory of a solve; runs on a worker."""
    _SOLVES.pop(token, None)


@contextmanager
def use_worker() -> Iterator[tuple[Path, int]]:
    """Have a worker for oneself: its folder for compiled code, and how many threads to use."""
    from distributed import get_worker  # noqa: PLC0415 - an extra

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
    import numba  # noqa: PLC0415 - numba: its folder comes first

    threads = min(number, int(numba.get_num_threads()))
    numba.set_num_threads(threads)
    return threads


def _first_line(error: BaseException) -> str:
    """What an error says, or its name."""
    return next(iter(str(error).splitlines()), "") or type(error).__name__
