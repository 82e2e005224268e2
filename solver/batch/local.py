"""Solves on this machine, one rule set after the other, with compiled code kept in a folder."""

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
from typing import TYPE_CHECKING, TypeVar

from solver.batch.jobs import Job, Outcome, Watch
from solver.errors import FarkleError, SolveError
from solver.folders import is_ours, make_private, one_at_a_time
from solver.game.many import ManyCheck, ManySolution
from solver.game.standings import FloorEffect, Progress, Solution
from solver.many_strategy import ManyManifest
from solver.rules.ruleset import Ruleset
from solver.solved import open_solved
from solver.strategy import StrategyManifest

if TYPE_CHECKING:
    from solver.game.many_sweeps import ManySolve

logger = logging.getLogger(__name__)

T = TypeVar("T")


class LocalSolver:
    """A Solver of solver.batch.jobs that uses all processors for one rule set at a time."""

    def __init__(self, cache: Path) -> None:
        self._cache = cache

    def __call__(
        self, jobs: Sequence[Job], tolerance: float, watch: Watch
    ) -> Generator[tuple[Job, Outcome], None, None]:
        """Solve the jobs in their order."""
        for job in jobs:
            watch.begin(job)
            outcome: Outcome
            try:
                with _interrupts_kept() as check:
                    outcome = solve_here(
                        job.rules,
                        cache=self._cache,
                        tolerance=tolerance,
                        on_progress=partial(_progress, check, watch, job),
                    )
            except FarkleError as error:
                outcome = error
            except (MemoryError, OSError) as error:
                outcome = _failed(job.rules, error, self._cache)
            yield job, outcome


def _failed(rules: Ruleset, error: MemoryError | OSError, cache: Path) -> SolveError:
    if isinstance(error, MemoryError):
        return SolveError(f"{rules.name}: there is not enough memory to solve it")
    place, reason = error.filename or cache, error.strerror or error
    return SolveError(f"{rules.name}: cannot be solved, {place}: {reason}")


def _progress(check: Callable[[], None], watch: Watch, job: Job, progress: Progress) -> None:
    check()
    watch.progress(job, progress)


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
    rules: Ruleset,
    *,
    cache: Path,
    tolerance: float,
    threads: int | None = None,
    on_progress: Callable[[Progress], None] = lambda _: None,
) -> Solution:
    """Solve with compiled code from `cache`."""

    def solve() -> Solution:
        # only here: the game loads numba, which takes longer than any answer; where its code is to
        # be compiled, those who start at the same time wait for the first one
        with one_at_a_time(cache):
            from solver.game import sweeps  # noqa: PLC0415

        return sweeps.solve(
            rules, cache=cache, tolerance=tolerance, threads=threads, on_progress=on_progress
        )

    return with_sound_code(cache, solve)


def solve_many_here(
    rules: Ruleset,
    players: int,
    *,
    cache: Path,
    reverse: bool = False,
    on_progress: Callable[[float], None] = lambda _: None,
) -> ManySolution:
    """Solve a game of several players with compiled code from `cache`, see `solve_many`.

    on_progress : is told the share of a sweep that is done

    Raises SolveError for lack of memory or of a folder for code, and what `solve_many` does.
    """
    with _interrupts_kept() as check:

        def watch(progress: Progress) -> None:
            check()
            on_progress(progress.done)

        def solve() -> ManySolution:
            from solver.game import many_sweeps  # noqa: PLC0415

            return many_sweeps.solve_many(
                rules, players, cache=cache, reverse=reverse, on_progress=watch
            )

        try:
            return with_sound_code(cache, solve)
        except (MemoryError, OSError) as error:
            raise _failed(rules, error, cache) from None


def many_solve_here(
    rules: Ruleset, players: int, *, cache: Path, threads: int, reverse: bool
) -> "ManySolve":
    """The beginning of such a solve, for one who goes on with it part by part.

    Raises SolveError and InvalidRulesError as `solve_many_here` does.
    """

    def begin() -> "ManySolve":
        with one_at_a_time(cache):
            from solver.game import many_sweeps  # noqa: PLC0415

        return many_sweeps.ManySolve(rules, players, cache=cache, threads=threads, reverse=reverse)

    try:
        return with_sound_code(cache, begin)
    except (MemoryError, OSError) as error:
        raise _failed(rules, error, cache) from None


def check_many_here(
    file: Path, *, cache: Path, on_progress: Callable[[float], None] = lambda _: None
) -> ManyCheck:
    """Return how the values of several players in a file fit their equations."""
    solved = open_solved(file, ManyManifest)

    def check() -> ManyCheck:
        from solver.game import many_sweeps  # noqa: PLC0415

        return many_sweeps.check(
            solved.manifest.rules,
            solved.manifest.players,
            solved.arrays[0],
            cache=cache,
            on_progress=lambda progress: on_progress(progress.done),
        )

    return with_sound_code(cache, check)


def check_here(
    file: Path, *, cache: Path, on_progress: Callable[[float], None] = lambda _: None
) -> float:
    """Return the largest relative residual over every state of the game in a strategy file."""
    solved = open_solved(file, StrategyManifest)

    def check() -> float:
        from solver.game import audit  # noqa: PLC0415

        return audit.residual(
            solved.manifest.rules, solved.arrays[0], cache=cache, on_progress=on_progress
        )

    return with_sound_code(cache, check)


def compare_floors_here(file: Path, lower: Path, *, cache: Path) -> FloorEffect:
    """Return what the floor of a solved game changes, given the strategy files of both floors."""
    higher, lowest = (open_solved(path, StrategyManifest) for path in (file, lower))

    def compare() -> FloorEffect:
        from solver.game import audit  # noqa: PLC0415

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
    """Let numba keep its code in `folder`, if it is not loaded yet and not told otherwise."""
    os.environ.setdefault("NUMBA_CACHE_DIR", str(folder))


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
