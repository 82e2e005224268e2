"""Solves on this machine, one subject after the other, with compiled code kept in a folder."""

import hashlib
import logging
import os
import shutil
import signal
import sys
import tempfile
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any, TypeVar

import solver
from solver.batch.jobs import Job, Outcome, Watch
from solver.batch.side_by_side import is_worth_it, solve_side_by_side
from solver.batch.subjects import Subject
from solver.errors import FarkleError, SolveError
from solver.folders import is_ours, make_private
from solver.game.standings import FloorEffect, OnProgress, Progress
from solver.solved import open_solved
from solver.strategy import StrategyManifest

_SECONDS_TO_COMPILE = {"sweep_kernels": 60.0, "many_kernels": 10.0, "take_over_kernels": 20.0}
"""What each module of kernels and those that it needs take on a slow core."""

COMPILED = (
    "*kernels.py",
    "layout.py",
    "lanes.py",
    "lane_code.py",
    "equations.py",
    "standings.py",
)
"""Files of the solver that code is compiled from, or that have what is part of it."""

logger = logging.getLogger(__name__)

T = TypeVar("T")


class LocalSolver:
    """A Solver of solver.batch.jobs that uses all processors.

    One subject after the other, with as many threads as there are; or if that is sooner done one
    beside the other, the largest first.
    """

    def __init__(self, cache: Path) -> None:
        self._cache = cache

    def __call__(
        self, jobs: Sequence[Job], watch: Watch
    ) -> Generator[tuple[Job, Outcome], None, None]:
        """Solve the jobs in their order, or all of them side by side."""
        if is_worth_it(jobs):
            prefer_cache(self._cache)
            alone = partial(solve_here, cache=self._cache, threads=1)
            yield from solve_side_by_side(jobs, watch, alone)
            return
        for job in jobs:
            watch.begin(job)
            outcome: Outcome
            try:
                progress = partial(watch.progress, job)
                outcome = solve_here(job.subject, cache=self._cache, on_progress=progress)
            except FarkleError as error:
                outcome = error
            yield job, outcome


@contextmanager
def _interrupts_kept() -> Iterator[Callable[[], None]]:
    """Gives a check that raises an interrupt which got lost.

    The compiler calls back into Python, and drops what is raised there with a message.
    """
    before, hook = signal.getsignal(signal.SIGINT), sys.unraisablehook
    if not callable(before) or threading.current_thread() is not threading.main_thread():
        yield lambda: None
        return
    interrupted = False

    def handle(number: int, frame: FrameType | None) -> None:
        nonlocal interrupted
        interrupted = True
        before(number, frame)

    def drop(unraisable: "sys.UnraisableHookArgs") -> None:
        if not issubclass(unraisable.exc_type, KeyboardInterrupt):
            hook(unraisable)

    def check() -> None:
        if interrupted:
            raise KeyboardInterrupt

    signal.signal(signal.SIGINT, handle)
    sys.unraisablehook = drop
    try:
        yield check
    finally:
        sys.unraisablehook = hook
        signal.signal(signal.SIGINT, before)


def solve_here(
    subject: Subject,
    *,
    cache: Path,
    threads: int | None = None,
    on_progress: OnProgress = lambda _: None,
) -> Any:
    """Solve a subject with compiled code from `cache`; returns its solution.

    threads : as many as there are processors if None

    Raises what `solve_work` does.
    """
    with _interrupts_kept() as check:

        def tell(progress: Progress) -> None:
            check()
            on_progress(progress)

        return solve_work(subject, cache, partial(subject.solve, cache, threads, tell))


def solve_work(subject: Subject, cache: Path, work: Callable[[], T]) -> T:
    """Do what is a solve of a subject, or a part of it, with compiled code from `cache`.

    Raises SolveError for lack of memory or of a folder for code, and FarkleError where it fails.
    """
    name = subject.rules.name
    try:
        return with_sound_code(cache, work)
    except MemoryError:
        raise SolveError(f"{name}: there is not enough memory to solve it") from None
    except OSError as error:
        place, reason = error.filename or cache, error.strerror or error
        raise SolveError(f"{name}: cannot be solved, {place}: {reason}") from None


def compare_floors_here(file: Path, lower: Path, *, cache: Path) -> FloorEffect:
    """Return what the floor of a solved game changes, given the strategy files of both floors."""
    higher, lowest = (open_solved(path, StrategyManifest) for path in (file, lower))

    def compare() -> FloorEffect:
        from solver.game import audit  # noqa: PLC0415 - numba: 0.4 s

        return audit.floor_effect(
            *(higher.manifest.rules, higher.arrays[0]),
            *(lowest.manifest.rules, lowest.arrays[0]),
            cache=cache,
        )

    return with_sound_code(cache, compare)


def with_sound_code(cache: Path, work: Callable[[], T]) -> T:
    """Do something with compiled code from `cache`.

    Code that is damaged or another version's fails in many ways; it is thrown away and made anew.
    """
    prefer_cache(cache)
    try:
        return work()
    except (FarkleError, OSError, MemoryError):
        raise
    except Exception:
        shutil.rmtree(cache, ignore_errors=True)
        return work()


def prefer_cache(folder: Path) -> None:
    """Let numba keep its code in `folder`, if it is not loaded yet and not told otherwise.

    What was compiled from other sources is deleted.
    """
    if "NUMBA_CACHE_DIR" in os.environ:
        return
    code = folder / sources_of_code()
    if not code.exists():
        for older in folder.glob("*/"):
            if older != code:  # which another program may have made just now
                shutil.rmtree(older, ignore_errors=True)
    os.environ["NUMBA_CACHE_DIR"] = str(code)


def sources_of_code() -> str:
    """Return a name for code that is compiled from the kernels as they are now.

    numba itself looks at the file alone that it compiles, and not at what that one takes from
    others.
    """
    folder, digest = Path(solver.__path__[0]), hashlib.sha256()
    for file in sorted(path for pattern in COMPILED for path in folder.rglob(pattern)):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def seconds_to_compile(subject: Subject, cache: Path) -> float:
    """About how long a solve compiles on one core what no solve has compiled into `cache` yet.

    The code of the rules' own turn is no part of it: `workload` has that.
    """
    if subject.players > 2:
        needed = ["many_kernels"]
    else:
        needed = ["sweep_kernels", *["take_over_kernels"] * subject.rules.takes_over]
    return sum(_SECONDS_TO_COMPILE[module] for module in needed if not _is_compiled(module, cache))


def _is_compiled(module: str, cache: Path) -> bool:
    """Whether numba has kept code of a module of kernels."""
    folder = Path(os.environ.get("NUMBA_CACHE_DIR") or cache / sources_of_code())
    return any(folder.glob(f"*/{module}.*.nbi"))


@contextmanager
def compiled_code(folder: Path) -> Iterator[Path]:
    """The folder itself for compiled code, or a temporary one if it cannot be used.

    What others may have written into a folder is not run: it is deleted where that can be done.
    """
    with tempfile.TemporaryDirectory() as temporary:
        yield folder if is_writable(folder) and _is_clean(folder) else Path(temporary)


def _is_clean(folder: Path) -> bool:
    """Whether a folder for compiled code can be trusted, after all in it is deleted if need be."""
    if not is_ours(folder):
        logger.warning("%s: others can write there, so the code in it is compiled anew", folder)
        with suppress(OSError):
            shutil.rmtree(folder)
            make_private(folder)
    return is_ours(folder)


def is_writable(folder: Path) -> bool:
    """Whether files can be made in a folder, which is made if need be."""
    try:
        make_private(folder)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False
