"""The progress of a solve: a bar in a terminal, a line where there is none."""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.progress import Progress as RichProgress

from solver.rules import Ruleset
from solver.solution import Progress, state_count


@contextmanager
def solve_progress(rules: Ruleset, tolerance: float) -> Iterator[Callable[[Progress], None]]:
    """Show a solve on standard error while the context lasts."""
    console = Console(stderr=True)
    if not console.is_terminal:
        console.print(f"solving {rules.name}: {state_count(rules):,} states ...", highlight=False)
        yield lambda _: None
        return
    expected = ExpectedSweeps(tolerance, has_penalty=rules.farkle_penalty is not None)
    with RichProgress(
        TextColumn("solving {task.description}"),
        BarColumn(),
        TextColumn("sweep {task.fields[sweep]}"),
        TextColumn("residual {task.fields[residual]}"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        console=console,
        transient=True,
    ) as bar:
        task = bar.add_task(rules.name, total=1.0, sweep=1, residual="-")

        def show(progress: Progress) -> None:
            residual = "-" if progress.residual is None else f"{progress.residual:.0e}"
            done = progress.sweep - 1 + progress.done
            bar.update(
                task,
                completed=done,
                total=expected.after(progress),
                sweep=progress.sweep,
                residual=residual,
            )

        yield show


class ExpectedSweeps:
    """Guesses how many sweeps a solve will take in all, from how fast its residual falls."""

    def __init__(self, tolerance: float, *, has_penalty: bool) -> None:
        self._tolerance = tolerance
        self._total = 14.0 if has_penalty else 2.0
        self._residuals: list[float] = []

    def after(self, progress: Progress) -> float:
        """Expected number of sweeps in all."""
        if progress.residual is not None and progress.sweep - 1 > len(self._residuals):
            self._residuals.append(progress.residual)
            self._total = self._extrapolated(progress.sweep - 1)
        return max(self._total, progress.sweep)

    def _extrapolated(self, finished: int) -> float:
        """The residual falls by about ten a sweep once it is small."""
        latest = self._residuals[-1]
        if finished < 3 or latest >= 1:
            return max(self._total, finished + 1)
        fall = math.log10(self._residuals[-2] / latest)
        rate = min(max(fall, 0.5), 1.5)
        return finished + max(1.0, math.log10(latest / self._tolerance) / rate)
