"""Many rule sets: what is to be solved, what is there already, and one result for each.

How a rule set is solved is a Solver's business, on this machine (solver.batch.local) or on a
cluster (solver.batch.cluster): this module never loads numba. Every result is in its file before it
is reported, so that an interrupted catalogue goes on where it stopped.
"""

from collections import defaultdict
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from solver.errors import FarkleError, StrategyFileError
from solver.game.position import first_position
from solver.game.solvable import check_solvable
from solver.game.standings import DEFAULT_TOLERANCE, Progress, Solution
from solver.rules.file import load_rules, with_floor
from solver.rules.ruleset import Ruleset
from solver.solved import prepare_folder
from solver.strategy import (
    StrategyManifest,
    find_strategy,
    open_strategy,
    save_strategy,
    strategy_path,
    verify_strategy,
)


@dataclass(frozen=True, slots=True, eq=False)
class Job:
    """A rule set to solve."""

    number: int
    """Its place among what was given, from 0."""
    given: str
    """The name or the file as it was given."""
    rules: Ruleset


class Status(StrEnum):
    """What became of a rule set."""

    SOLVED = "solved"
    ALREADY_SOLVED = "already solved"
    SAME = "same"
    """Solved, or already solved, under another name."""
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Result:
    """What became of one of the rule sets that were given."""

    number: int
    given: str
    name: str
    status: Status
    same_as: str | None = None
    """The rule set of the same digest, as it was given, that was solved instead."""
    manifest: StrategyManifest | None = None
    file: Path | None = None
    win_probability: float | None = None
    """Of the first player, as the program will answer from the best file that is there."""
    error: FarkleError | None = None


class Watch:
    """Is told how the solves go; this one does not care."""

    def begin(self, job: Job) -> None:
        """A job is under way."""

    def progress(self, job: Job, progress: Progress) -> None:
        """A job that is under way is so far."""


Outcome = Solution | FarkleError
Solver = Callable[[Sequence[Job], float, Watch], Generator[tuple[Job, Outcome], None, None]]
"""Solves jobs to a tolerance; gives each with its outcome as they finish, in any order."""


def solve_all(
    given: Sequence[str],
    folder: Path,
    solver: Solver,
    *,
    floor: int | None = None,
    tolerance: float = DEFAULT_TOLERANCE,
    again: bool = False,
    watch: Watch | None = None,
    read: Callable[[str], Ruleset] = load_rules,
) -> Iterator[Result]:
    """Solve rule sets, given by preset names and TOML files, and write their strategy files.

    read : finds the rules of what was given; raises FarkleError

    Gives one result for each, in the order in which they become known. A rule set is not solved if
    it fails to load, has the digest of another one, or is solved already, unless `again`.
    """
    jobs = []
    for number, reference in enumerate(given):
        try:
            jobs.append(_read(number, reference, floor, read))
        except FarkleError as error:
            yield Result(number, reference, reference, Status.FAILED, error=error)
    yield from solve_jobs(jobs, folder, solver, tolerance=tolerance, again=again, watch=watch)


def solve_jobs(
    jobs: Sequence[Job],
    folder: Path,
    solver: Solver,
    *,
    tolerance: float = DEFAULT_TOLERANCE,
    again: bool = False,
    watch: Watch | None = None,
) -> Iterator[Result]:
    """Solve rule sets that are known to be solvable, as `solve_all` does."""
    twins = _twins(jobs)
    unsolved = []
    for job in twins:
        found = None if again else _already_solved(job, folder, tolerance)
        if found:
            yield from _with_twins(found, twins[job])
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
    with closing(solver(unsolved, tolerance, watch or Watch())) as outcomes:
        for job, outcome in outcomes:
            yield from _with_twins(_kept(job, outcome, folder), twins[job])


def _read(number: int, reference: str, floor: int | None, read: Callable[[str], Ruleset]) -> Job:
    rules = read(reference)
    if floor is not None:
        rules = with_floor(rules, floor)
    check_solvable(rules)
    return Job(number, reference, rules)


def _twins(jobs: Sequence[Job]) -> dict[Job, list[Job]]:
    """The jobs to do, each with those that it makes needless.

    Of jobs with one digest the first with the lowest floor is done: its values hold the others'.
    """
    alike = defaultdict(list)
    for job in jobs:
        alike[job.rules.digest].append(job)
    lowest = {
        digest: min(group, key=lambda job: job.rules.score_floor) for digest, group in alike.items()
    }
    return {
        job: [other for other in alike[job.rules.digest] if other is not job]
        for job in jobs
        if lowest[job.rules.digest] is job
    }


def _already_solved(job: Job, folder: Path, tolerance: float) -> Result | None:
    """The result if a solve is needless: exact enough, low enough, and whole to the byte."""
    rules = job.rules
    try:
        # the rules' own file too: the one that answers may have a lower floor and be rougher
        candidates = {find_strategy(folder, rules): None, strategy_path(folder, rules): None}
    except StrategyFileError:
        return None
    for path in candidates:
        try:
            manifest = verify_strategy(path)
        except StrategyFileError:
            continue
        if manifest.tolerance <= tolerance and manifest.floor <= rules.score_floor:
            return _success(job, Status.ALREADY_SOLVED, folder, manifest)
    return None


def _kept(job: Job, outcome: Outcome, folder: Path) -> Result:
    """Write the file of an outcome, if it is a solution."""
    if isinstance(outcome, FarkleError):
        return _failure(job, outcome)
    try:
        manifest, _ = save_strategy(outcome, folder)
    except StrategyFileError as error:
        return _failure(job, error)
    return _success(job, Status.SOLVED, folder, manifest)


def _success(job: Job, status: Status, folder: Path, manifest: StrategyManifest) -> Result:
    result = Result(
        job.number,
        job.given,
        job.rules.name,
        status,
        manifest=manifest,
        file=folder / manifest.file,
    )
    try:
        chance = open_strategy(folder, job.rules).win_probability(first_position(job.rules))
    except StrategyFileError:
        return result  # another file of these rules is damaged
    return replace(result, win_probability=chance)


def _failure(job: Job, error: FarkleError) -> Result:
    return Result(job.number, job.given, job.rules.name, Status.FAILED, error=error)


def _with_twins(result: Result, twins: Sequence[Job]) -> Iterator[Result]:
    """A result, and what it means for jobs with the same digest."""
    yield result
    for twin in twins:
        status = Status.FAILED if result.error else Status.SAME
        yield replace(
            result,
            number=twin.number,
            given=twin.given,
            name=twin.rules.name,
            status=status,
            same_as=result.given,
        )
