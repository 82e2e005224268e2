"""The progress of solves: bars in a terminal, lines where there is none."""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import (
    BarColumn,
    Task,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.progress import Progress as RichProgress
from rich.text import Text

from bot.typed import cleaned
from bot.views.solve import status_text
from solver.batch.jobs import Job, Result, Watch
from solver.game.standings import DEFAULT_TOLERANCE, Progress

MOST_ROWS = 10
"""Rule sets under way that are shown at once."""

_SWEEPS = 14.0
"""That most contests take."""

_GETS_READY = "loading or compiling code"
"""Before the first sweep; the first solve of a kind of rules compiles for up to a minute."""


class _StandardError(Console):
    """Where nobody reads it any more nothing is said, and the work goes on."""

    def on_broken_pipe(self) -> None:
        self.quiet = True


class _TimeLeftColumn(TimeRemainingColumn):
    """The time left, and that it is that, once it can be told."""

    def render(self, task: Task) -> Text:
        found = super().render(task)
        return Text() if task.time_remaining is None else Text.assemble(found, " left")


class CatalogueProgress(Watch):
    """Shows on standard error how the solves of some rule sets go, while the context lasts.

    A row for each one under way, and if there are several a bar for all of them.
    """

    def __init__(self, number: int, tolerance: float) -> None:
        self._number = number
        self._tolerance = tolerance
        self._done = 0
        self._console = _StandardError(stderr=True)
        self._bars = RichProgress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TextColumn("{task.fields[status]}", markup=False),
            TimeElapsedColumn(),
            _TimeLeftColumn(),
            console=self._console,
            transient=True,
            disable=not self._console.is_terminal,
        )
        self._rows: dict[int, tuple[TaskID, ExpectedSweeps]] = {}
        self._all = self._bars.add_task(
            "rule sets", total=number, status=f"0/{number}", visible=number > 1
        )

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._bars.stop()

    def begin(self, job: Job) -> None:
        """Show a row for a job."""
        subject = job.subject
        self._line(f"solving {subject.title} ...")
        status = subject.about or _GETS_READY
        row = self._bars.add_task(
            f"solving {subject.name}", total=None, status=status, visible=False
        )
        self._rows[job.number] = row, ExpectedSweeps(self._tolerance, subject.sweeps)
        self._show_first_rows()

    def progress(self, job: Job, progress: Progress) -> None:
        """Move the job's bar on."""
        row, expected = self._rows[job.number]
        residual = "-" if progress.residual is None else f"{progress.residual:.0e}"
        completed, total = progress.sweep - 1 + progress.done, expected.after(progress)
        status = f"sweep {progress.sweep} residual {residual}"
        if progress.bounding:
            # as much work as two sweeps
            completed, total = progress.sweep + 2 * progress.done, progress.sweep + 2
            status = "bound of the error"
        status = job.subject.about or status
        self._bars.update(row, completed=completed, total=total, status=status)

    def finished(self, result: Result) -> None:
        """Take a rule set's row away, and count it."""
        self._done += 1
        if self._number > 1:
            why = f", {result.error}" if result.error else ""
            text = f"{self._done}/{self._number} {result.name}: {status_text(result)}{why}"
            self._line(text)
        self._bars.update(self._all, advance=1, status=f"{self._done}/{self._number}")
        if result.number in self._rows:
            row, _ = self._rows.pop(result.number)
            self._bars.remove_task(row)
        self._show_first_rows()

    def interrupted(self) -> None:
        """Say how far it came."""
        if self._number > 1:
            done = f"{self._done} of {self._number} rule sets were done"
            _tell(self._console, f"{done}; their files are kept")

    def _show_first_rows(self) -> None:
        for place, (row, _) in enumerate(self._rows.values()):
            self._bars.update(row, visible=place < MOST_ROWS)

    def _line(self, text: str) -> None:
        """Say it where there are no bars."""
        if not self._console.is_terminal:
            _tell(self._console, cleaned(text))


@contextmanager
def share_progress(
    what: str, *, quietly: bool = False, sweeps: float = 1.0
) -> Iterator[Callable[[float | Progress], None]]:
    """Show on standard error which share of some work is done, while the context lasts.

    quietly : whether nothing is shown at all
    sweeps : how many there are at least, where the work is a solve
    """
    console = _StandardError(stderr=True, quiet=quietly)
    if not console.is_terminal:
        _tell(console, f"{what} ...")
        yield lambda _: None
        return
    columns = TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn()
    with RichProgress(*columns, console=console, transient=True) as bar:
        task, expected = bar.add_task(what, total=1.0), ExpectedSweeps(DEFAULT_TOLERANCE, sweeps)
        yield lambda far: bar.update(task, completed=expected.share(far))


@contextmanager
def contest_progress(
    what: str, *, quietly: bool = False
) -> Iterator[Callable[[float | Progress], None]]:
    """Show how far a contest is: half of the bar is for its turns, half for its sweeps."""
    expected = ExpectedSweeps(DEFAULT_TOLERANCE, _SWEEPS)
    with share_progress(what, quietly=quietly) as done:

        def tell(far: float | Progress) -> None:
            done((expected.share(far) + isinstance(far, Progress)) / 2)

        yield tell


def _tell(console: Console, text: str) -> None:
    """Say how it goes, if anybody can hear it: the work is done in any case."""
    with suppress(OSError):
        console.print(text, highlight=False, markup=False, soft_wrap=True)


class ExpectedSweeps:
    """Guesses how many sweeps a solve will take in all, from how fast its residual falls."""

    def __init__(self, tolerance: float, sweeps: float) -> None:
        """That number of `sweeps` is the guess before any of them is done."""
        self._tolerance = tolerance
        self._total = sweeps
        self._finished, self._residual = 0, math.inf

    def after(self, progress: Progress) -> float:
        """Expected number of sweeps in all."""
        finished = progress.sweep - 1
        if progress.residual is not None and finished > self._finished:
            self._total = self._extrapolated(finished, progress.residual)
            self._finished, self._residual = finished, progress.residual
        return max(self._total, progress.sweep)

    def share(self, far: float | Progress) -> float:
        """Return the share of all sweeps that is done, or the share that is given."""
        if not isinstance(far, Progress):
            return far
        return (far.sweep - 1 + far.done) / self.after(far)

    def _extrapolated(self, finished: int, residual: float) -> float:
        """The residual falls by about ten a sweep once it is small; not every sweep is told."""
        if finished < 3 or residual >= 1:
            return max(self._total, finished + 1)
        if not residual or not self._residual:
            return finished + 1.0
        fall = math.log10(self._residual / residual) / (finished - self._finished)
        rate = min(max(fall, 0.5), 1.5)
        return finished + max(1.0, math.log10(residual / self._tolerance) / rate)
