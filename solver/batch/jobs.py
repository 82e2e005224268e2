"""Many subjects: what is to be solved, what is there already, and one result for each.

How a subject is solved is a Solver's business, on this machine (solver.batch.local) or on a cluster
(solver.batch.cluster): this module never loads numba. Every result is in its file before it is
reported, so that an interrupted catalogue goes on where it stopped.
"""

from collections import defaultdict
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from solver.batch.subjects import GameOfTwo, Subject
from solver.errors import FarkleError, StrategyFileError
from solver.game.many import Checked
from solver.game.standings import Progress
from solver.rules.file import load_rules
from solver.solved import Manifest, prepare_folder


@dataclass(frozen=True, slots=True, eq=False)
class Job:
    """A subject to solve."""

    number: int
    """The place of the subject among what was given, from 0."""
    given: str
    """The name or the file as it was given."""
    subject: Subject


class Status(StrEnum):
    """What became of a subject."""

    SOLVED = "solved"
    ALREADY_SOLVED = "already solved"
    SAME = "same"
    """Solved, or already solved, under another name."""
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Result:
    """What became of one of the subjects that were given."""

    number: int
    given: str
    name: str
    """The name of the rules."""
    status: Status
    subject: Subject | None = None
    """None where it was not found."""
    same_as: str | None = None
    """What has the same digest, as it was given, and was solved instead."""
    manifest: Manifest | None = None
    file: Path | None = None
    chances: tuple[float, ...] = ()
    """Each player's at the start, as the program will answer from the best file that is there."""
    checked: Checked | None = None
    error: FarkleError | None = None

    @property
    def seats(self) -> tuple[str, ...]:
        """Return the dice by seat, where these are the players' own."""
        return self.subject.seats if self.subject else ()


class Watch:
    """Is told how the solves go; this one does not care."""

    def begin(self, job: Job) -> None:
        """A job is under way."""

    def progress(self, job: Job, progress: Progress) -> None:
        """A job that is under way is so far."""


Outcome = Any
"""The solution of a subject, or a FarkleError."""
Solver = Callable[[Sequence[Job], Watch], Generator[tuple[Job, Outcome], None, None]]
"""Solves jobs; gives each with its outcome as they finish, in any order."""


def solve_all(
    given: Sequence[str],
    folder: Path,
    solver: Solver,
    *,
    again: bool = False,
    watch: Watch | None = None,
    read: Callable[[str], Subject] = lambda given: GameOfTwo(load_rules(given)),
) -> Iterator[Result]:
    """Solve what was given, rules for two by names and TOML files by themselves, and write files.

    read : finds what was given; raises FarkleError

    Gives one result for each, in the order in which they become known. A subject is not solved if
    it is not found or cannot be solved, has the digest of another one, or is solved already, unless
    `again`.
    """
    jobs = []
    for number, reference in enumerate(given):
        try:
            subject = read(reference)
            subject.check()
        except FarkleError as error:
            yield Result(number, reference, reference, Status.FAILED, error=error)
        else:
            jobs.append(Job(number, reference, subject))
    yield from solve_jobs(jobs, folder, solver, again=again, watch=watch)


def solve_jobs(
    jobs: Sequence[Job],
    folder: Path,
    solver: Solver,
    *,
    again: bool = False,
    watch: Watch | None = None,
) -> Iterator[Result]:
    """Solve subjects that are known to be solvable, as `solve_all` does."""
    twins = _twins(jobs)
    unsolved = []
    for job in twins:
        manifest = None if again else job.subject.solved(folder)
        if manifest:
            result = _success(job, Status.ALREADY_SOLVED, folder, manifest)
            yield from _with_twins(result, twins[job])
        else:
            unsolved.append(job)
    if not unsolved:
        return
    try:
        prepare_folder(folder)
    except StrategyFileError as error:
        for job in unsolved:
            yield from _with_twins(_failure(job, error), twins[job])
        return
    with closing(solver(unsolved, watch or Watch())) as outcomes:
        for job, outcome in outcomes:
            yield from _with_twins(_kept(job, outcome, folder), twins[job])


def solve_one(subject: Subject, folder: Path, solver: Solver, watch: Watch | None = None) -> Result:
    """Solve a subject that is known to be solvable, and write its file. Raises FarkleError."""
    (result,) = solve_jobs([Job(0, subject.name, subject)], folder, solver, again=True, watch=watch)
    if result.error:
        raise result.error
    return result


def _twins(jobs: Sequence[Job]) -> dict[Job, list[Job]]:
    """The jobs to do, each with those that it makes needless.

    Of jobs with one digest the first with the lowest floor is done: its values hold the others'.
    """
    alike = defaultdict(list)
    for job in jobs:
        alike[job.subject.digest].append(job)
    lowest = {
        digest: min(group, key=lambda job: job.subject.rules.score_floor)
        for digest, group in alike.items()
    }
    return {
        job: [other for other in alike[job.subject.digest] if other is not job]
        for job in jobs
        if lowest[job.subject.digest] is job
    }


def _kept(job: Job, outcome: Outcome, folder: Path) -> Result:
    """Write the file of an outcome, if it is a solution."""
    if isinstance(outcome, FarkleError):
        return _failure(job, outcome)
    try:
        manifest, _ = job.subject.save(outcome, folder)
    except StrategyFileError as error:
        return _failure(job, error)
    return _success(job, Status.SOLVED, folder, manifest)


def _success(job: Job, status: Status, folder: Path, manifest: Manifest) -> Result:
    chances: tuple[float, ...] = ()
    with suppress(StrategyFileError):  # another file of these rules is damaged
        chances = job.subject.chances(folder)
    file = folder / manifest.file
    return Result(**_of(job), status=status, manifest=manifest, file=file, chances=chances)


def _failure(job: Job, error: FarkleError) -> Result:
    return Result(**_of(job), status=Status.FAILED, error=error)


def _of(job: Job) -> dict[str, Any]:
    """What a result says of its job."""
    subject = job.subject
    name = subject.rules.name
    return {"number": job.number, "given": job.given, "name": name, "subject": subject}


def _with_twins(result: Result, twins: Sequence[Job]) -> Iterator[Result]:
    """A result, and what it means for jobs with the same digest."""
    yield result
    for twin in twins:
        status = Status.FAILED if result.error else Status.SAME
        yield replace(result, **_of(twin), status=status, same_as=result.given)
