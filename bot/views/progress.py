"""The progress of solves, as bars or lines, and what they came to, as text and as plain data."""

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from decimal import ROUND_CEILING, Context
from functools import partial
from pathlib import Path
from typing import Any, Self

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

from bot.layout import cleaned, columns, percent
from bot.tasks.tasks import duration
from bot.views.sheet import Sheet, sheet
from solver.batch.jobs import Job, Result, Watch
from solver.game.many import Checked
from solver.game.standings import DEFAULT_TOLERANCE, LEAST, Progress
from solver.solved import Manifest
from solver.wording import say

_HEAD = ("rules", "status", "states", "sweeps", "seconds", "first wins", "file")

_COLUMNS = (
    *("rules", "status", "states", "values", "sweeps", "tolerance", "largest_relative_change"),
    *("error_bound", "residual", "seconds", "win_probability", "file", "bytes", "error"),
)

_COLUMNS_BY_SEAT = (
    *("rules", "players", "states", "values", "sweeps", "largest_change", "mixed", "restless"),
    *("seconds", "win_probabilities", "residual", "mixed_states", "order_effect", "file", "bytes"),
)


def results_text(results: Sequence[Result], folder: Path) -> str:
    """What solves came to; one in full, several in a table."""
    by_seat = [result for result in results if _is_by_seat(result)]
    if len(results) == 1 or any(result.seats for result in by_seat):
        return "\n".join(map(_result_text, results))
    return _seats_text(by_seat, folder) if by_seat else catalogue_text(results, folder)


def results_data(results: Sequence[Result]) -> Any:
    """Return what solves came to as plain data, a list of several."""
    data = [_result_data(result) for result in results]
    if len(results) == 1:
        return data[0]
    return data if any(map(_is_by_seat, results)) else catalogue_data(results)


def results_sheet(results: Sequence[Result]) -> Sheet:
    """Return a row for each."""
    if any(map(_is_by_seat, results)):
        return sheet(_COLUMNS_BY_SEAT, map(_result_data, results))
    rows = catalogue_data(results)
    return sheet(_COLUMNS, (dict.fromkeys(_COLUMNS) | row for row in rows))


def catalogue_text(results: Sequence[Result], folder: Path) -> str:
    """A table of the rule sets, then a sentence for each that failed."""
    lines = columns([_HEAD, *map(_row, results)], right={2, 3, 4, 5})
    data = [_result_data(result) for result in results if result.manifest]
    if data:
        lines.append(f"Files are in {folder}; `first wins` is at 0:0.")
        lines.append(_error_text(max(data, key=lambda solved: solved["error_bound"])))
    if residuals := [solved["residual"] for solved in data if "residual" in solved]:
        most = f"{max(residuals):.1e}"
        lines.append(f"In every state of these games the equations hold to {most} of its value.")
    failed = [result for result in results if result.error]
    if failed:
        lines.append(f"{len(failed)} of {len(results)} rule sets failed:")
        lines += [f"  {result.error}" for result in failed if not result.same_as]
        lines += [
            f"  {result.given}: has the rules of {result.same_as}"
            for result in failed
            if result.same_as
        ]
    return "\n".join(lines)


def _row(result: Result) -> tuple[str, ...]:
    if not result.manifest or not result.file:
        return result.name, status_text(result), *"-----"
    figures = result.manifest.figures
    first = percent(result.chances[0]) if result.chances else "-"
    work = f"{figures['states']:,}", str(figures["sweeps"]), f"{figures['seconds']:.1f}"
    return result.name, status_text(result), *work, first, result.file.name


def status_text(result: Result) -> str:
    """What became of one rule set, in a word or two."""
    if result.same_as and not result.error:
        return f"same as {result.same_as}"
    return result.status.value


def catalogue_data(results: Sequence[Result]) -> list[dict[str, Any]]:
    """The rule sets with what a solve of each reports, where there is a strategy file."""
    return [
        {
            "given": result.given,
            "status": result.status.value,
            "same_as": result.same_as,
            "error": str(result.error) if result.error else None,
            "win_probability": result.chances[0] if result.chances else None,
            **_result_data(result),
            "rules": result.name,
        }
        for result in results
    ]


def _seats_text(results: Sequence[Result], folder: Path) -> str:
    """A table of games of several, with what each seat wins more than an equal part."""
    seats = range(1, max(len(result.chances) for result in results) + 1)
    head = "rules", "goal", *(f"wins {k}" for k in seats), *(f"more {k}" for k in seats), "mixed"
    rows = [head]
    for result in results:
        data = _result_data(result)
        gains = [chance - 1 / len(result.chances) for chance in result.chances]
        wins = (f"{chance * 100:.3f} %" for chance in result.chances)
        wins_more = (f"{number * 100:+.3f}" for number in gains)
        game = data["rules"], f"{data['goal']:,}"
        rows.append((*game, *wins, *wins_more, f"{data['mixed']:,}"))
    return "\n".join(
        [
            *columns(rows, right=set(range(1, len(head)))),
            "`wins` is by seat in the order of turns, `more` what that is above an equal part, in",
            "percentage points, `mixed` the sets of scores at which a player mixes two choices.",
            f"Files are in {folder}.",
        ]
    )


def _is_by_seat(result: Result) -> bool:
    return bool(result.subject and result.subject.players > 2)


def _result_text(result: Result) -> str:
    """A few lines on a solve."""
    if not result.manifest or not result.file:
        return str(result.error)
    chances, seats = result.chances if _is_by_seat(result) else (), result.seats
    return solve_text(result.manifest, result.file, chances, seats, result.checked)


def _result_data(result: Result) -> dict[str, Any]:
    """What a solve reports; nothing where it failed."""
    if not result.manifest or not result.file:
        return {}
    by_seat, checked, seats = _is_by_seat(result), result.checked, result.seats
    return {
        **solve_data(result.manifest, result.file),
        **({"dice": list(seats)} if seats else {}),
        **({"win_probabilities": list(result.chances)} if by_seat else {}),
        **({"residual": checked and checked.residual} if by_seat or checked else {}),
        **({"mixed_states": checked and checked.mixed_states} if by_seat else {}),
        **({"order_effect": checked and checked.order_effect} if by_seat else {}),
    }


def solve_data(manifest: Manifest, file: Path) -> dict[str, Any]:
    """What a solve reports."""
    return {**manifest.figures, "file": str(file), "bytes": file.stat().st_size}


def solve_text(
    manifest: Manifest,
    file: Path,
    chances: Sequence[float] = (),
    seats: Sequence[str] = (),
    checked: Checked | None = None,
) -> str:
    """What a solve came to.

    chances : those of games of several at the start, in the order of turns
    seats : the dice of each, where these are their own
    """
    data, rate = manifest.figures, f"{manifest.states_per_second / 1e6:,.1f}"
    is_proved = "error_bound" in data
    name = manifest.rules.name + (f" for {len(chances)} players" if chances else "")
    size = "{values:,} values" if seats else "{states:,} states"
    sweeps = ", {sweeps} sweeps" if is_proved else ""
    work = f"{size} solved in {{seconds:.1f}} s{sweeps}".format(**data)
    lines = [f"{name}: {work}, {rate} million states a second"]
    if seats:
        lines.append("At the start they win, in the order of their turns:")
        lines += [f"  {percent(p)} with {dice}" for p, dice in zip(chances, seats, strict=True)]
    elif chances:
        shares = ", ".join(map(percent, chances))
        lines.append(f"At the start they win with {shares}, in the order of their turns.")
    if manifest.rules.rounds and not is_proved:
        lines.append(
            f"Leads that are made up for with a chance of at most {data['tolerance']:.0e} count for"
            " certain."
        )
    else:
        lines += [_error_text(data)] if is_proved else _settled_lines(data)
    if checked:
        lines += _checked_lines(checked, data)
    if data.get("floor") is not None and manifest.rules.penalty_points:
        floor = f"{data['floor']:,}"
        lines.append(
            f"Scores below {floor} count as {floor}; `farkle study floor` says what that changes."
        )
    return "\n".join([*lines, f"{file}: {file.stat().st_size:,} bytes"])


def _error_text(data: dict[str, Any]) -> str:
    """How exact win probabilities are; a bound is rounded up."""
    bound, tolerance = data["error_bound"], data["tolerance"]
    rounded_up = Context(prec=2, rounding=ROUND_CEILING)
    whole, least = (
        f"{float(rounded_up.create_decimal(number)):.1e}" for number in (bound, bound * LEAST)
    )
    text = (
        f"No win probability is off by more than {whole} of itself, and none below {LEAST:g} by"
        f" more than {least}."
    )
    if bound > tolerance:
        text += (
            f" That is more than the tolerance {tolerance:g}: in a game of so many turns"
            " rounding lets no more be proved."
        )
    return text


def _settled_lines(data: dict[str, Any]) -> list[str]:
    """How far values of several settled, and at how many sets of scores they did not."""
    meanings = {
        "mixed": "no choices fit each other: there a player is indifferent between two and mixes"
        " them.",
        "restless": "values did not settle: they are means over many rounds.",
    }
    lines = [f"Values changed by {data['largest_change']:.1e} at most when they were solved last."]
    return lines + [
        f"At {data[name]:,} set{'' if data[name] == 1 else 's'} of scores {meaning}"
        for name, meaning in meanings.items()
        if data[name]
    ]


def _checked_lines(checked: Checked, data: dict[str, Any]) -> list[str]:
    """How the values fit their equations, and what the order among equal options changes."""
    text = f"In every state the equations hold to {checked.residual:.1e}"
    if checked.mixed_states is None:
        text += " of its value"
    elif checked.mixed_states:
        text += f", but for {checked.mixed_states:,} in which a player mixes"
    lines = [f"{text}."]
    if checked.order_effect is not None:
        by = f" by more than {checked.order_effect:.1e}" if checked.order_effect else ""
        lines.append(
            "Options that are equal for the mover are taken in this order:"
            f" {', '.join(data['order'])}. The opposite order changes no win probability{by}."
        )
    return lines


MOST_ROWS = 10
"""Rule sets under way that are shown at once."""

_GETS_READY = "loading or compiling code"
"""Before the first sweep; the first solve of a kind of rules compiles for up to a minute."""


class _StandardError(Console):
    """Where nobody reads it any more nothing is said, and the work goes on."""

    def on_broken_pipe(self) -> None:
        self.quiet = True


class _TimeLeftColumn(TimeRemainingColumn):
    """The time left, and that it is that, once it can be told."""

    def render(self, task: Task) -> Text:
        time_left = super().render(task)
        return Text() if task.time_remaining is None else Text.assemble(time_left, " left")


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

    def __exit__(self, *_: object) -> None:
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
    what: str,
    *,
    seconds: float | None = None,
    quietly: bool = False,
    sweeps: float = 1.0,
    has_turns: bool = False,
) -> Iterator[Callable[[float | Progress], None]]:
    """Show on standard error which share of some work is done, while the context lasts.

    seconds : about how long it takes, which is told first
    quietly : whether nothing is shown at all
    sweeps : how many there are at least, where the work is a solve
    has_turns : whether its turns are worked out before, for which half of the bar is
    """
    if seconds is not None:
        what += ", " + say("about {time}", time=duration(seconds))
    console = _StandardError(stderr=True, quiet=quietly)
    if not console.is_terminal:
        _tell(console, f"{what} ...")
        yield lambda _: None
        return
    columns = TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn()
    with RichProgress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(what, total=2.0 if has_turns else 1.0)
        expected = ExpectedSweeps(DEFAULT_TOLERANCE, sweeps)

        def tell(far: float | Progress) -> None:
            before = has_turns and isinstance(far, Progress)
            bar.update(task, completed=expected.share(far) + before)

        yield tell


contest_progress = partial(share_progress, sweeps=14.0, has_turns=True)
"""Shows how far a contest is, most of which take so many sweeps."""


def _tell(console: Console, text: str) -> None:
    """Say how it goes, if anybody can hear it: the work is done in any case."""
    with suppress(OSError):
        console.print(text, highlight=False, markup=False, soft_wrap=True)


class ExpectedSweeps:
    """Guesses how many sweeps a solve will take in all, from how fast its residual falls."""

    def __init__(self, tolerance: float, sweeps: float) -> None:
        """Begin with `sweeps` as the guess, before any of them is done."""
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
