"""`farkle solve`: files of what is solved, one or many, and their verification."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

import click

from bot.services.rule_options import with_goal
from bot.settings import Settings
from bot.shell.output import csv_option, json_option, show
from bot.shell.places import Here, all_option, here_option, rules_given
from bot.views.progress import (
    CatalogueProgress,
    results_data,
    results_sheet,
    results_text,
    share_progress,
    solve_data,
)
from solver.batch.jobs import Job, Result, Solver, solve_all
from solver.batch.local import LocalSolver, compiled_code, with_sound_code
from solver.batch.subjects import KINDS, GameOfDice, GameOfTwo, Subject, game_of
from solver.errors import FarkleError, InvalidRequestError
from solver.game.many import Checked
from solver.game.standings import DEFAULT_TOLERANCE
from solver.loaded.matchup import Matchup
from solver.many_strategy import ManyManifest
from solver.named.sets import read_set
from solver.rules.file import with_floor
from solver.rules.ruleset import Ruleset
from solver.solved import open_solved

EXIT_SOME_FAILED = 1

_MEBIBYTE = 2**20

Read = Callable[[str | None], Ruleset]
"""What finds rules by what they are called."""


@click.command()
@click.argument("rules", nargs=-1)
@all_option
@click.option(
    "--floor",
    type=int,
    metavar="N",
    help="Count scores below N as N; the rules' own floor if left out.",
)
@click.option(
    "--tolerance",
    type=float,
    default=DEFAULT_TOLERANCE,
    show_default=True,
    metavar="X",
    help="Prove that no win probability is off by more than this share of itself.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Where to write the strategy files.",
)
@click.option("--again", is_flag=True, help="Solve again what is solved already.")
@click.option(
    "--check",
    is_flag=True,
    help="Then test the equations in every state of the game, inside turns as well.",
)
@click.option(
    "--players",
    type=int,
    default=2,
    show_default=True,
    metavar="N",
    help="How many play; with three or more, each plays for their own chance to win.",
)
@click.option(
    "--goal",
    "goals",
    type=int,
    multiple=True,
    metavar="N",
    help="A goal other than that of the rules; may be given several times.",
)
@click.option(
    "--dice",
    "sets",
    multiple=True,
    metavar="SET",
    help="The loaded dice of one of three players or more; give it for each, in turn order.",
)
@click.option("--joker-alone", is_flag=True, help="With --dice: jokers may score by themselves.")
@click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="Solve on the Dask cluster of this scheduler, such as tcp://host:8786.",
)
@click.option(
    "--verify",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Check every byte of a strategy file instead.",
)
@here_option
@json_option
@csv_option
def solve(
    here: Here,
    rules: tuple[str, ...],
    floor: int | None,
    tolerance: float,
    players: int,
    goals: tuple[int, ...],
    sets: tuple[str, ...],
    out: Path | None,
    scheduler: str | None,
    verify: Path | None,
    *,
    every: bool,
    joker_alone: bool,
    again: bool,
    check: bool,
    as_json: bool,
    as_csv: bool,
) -> int:
    """Solve rule sets and write their strategy files.

    RULES is the name of a rule set that ships with the program, or a TOML file. One is solved in
    any case; of several, those that are solved already are left as they are.
    """
    if verify:
        return _verify(verify, rules, as_json=as_json, as_csv=as_csv)
    rules = rules_given(rules, every=every)
    if not 1e-12 <= tolerance <= 0.1:
        raise InvalidRequestError(f"the tolerance must be 1e-12 to 0.1, not {tolerance:g}")
    settings = here.settings
    rules, find = _with_goals(rules, goals, here.rules)
    is_by_seat = players != 2 or bool(sets) or joker_alone
    if is_by_seat and (floor is not None or tolerance != DEFAULT_TOLERANCE):
        option = "--tolerance" if floor is None else "--floor"
        raise InvalidRequestError(f"{option} is for two players: leave it out with --players")
    make: Callable[[Ruleset], Subject]
    if sets or joker_alone:
        _check_dice(players, sets, scheduler, as_csv=as_csv)
        make = partial(_game_of_dice, settings, sets, joker_alone, is_kept=out is None)
    elif players != 2:
        make = partial(game_of, players=players, on_cluster=scheduler is not None)
    else:
        make = partial(_game_of_two, floor, tolerance)

    read = cache(lambda reference: make(find(reference)))
    if is_by_seat:  # of rule sets for two each may fail by itself
        for name in rules:
            read(name).check()
    folder = out or (settings.matchups if sets else settings.strategies)
    again |= len(rules) == 1
    with _solver(settings, scheduler) as solver:
        results = _solved(rules, read, folder, solver, tolerance, again=again)
        if check:
            results = _checked(settings, results, solver)
    errors = [result.error for result in results if result.error]
    if errors and (is_by_seat or len(results) == 1):
        raise errors[0]
    sheet = results_sheet(results) if as_csv else None
    show(results_text(results, folder), results_data(results), as_json=as_json, sheet=sheet)
    return EXIT_SOME_FAILED if errors else 0


def _verify(file: Path, rules: tuple[str, ...], *, as_json: bool, as_csv: bool) -> int:
    """Check every byte of a strategy file. Raises StrategyFileError and InvalidRequestError."""
    if rules:
        raise InvalidRequestError("--verify checks a file and takes no RULES")
    if as_csv:
        raise InvalidRequestError("--verify prints no table: leave out --csv")
    manifest = open_solved(file, *KINDS, anew=True).manifest
    data = {"verified": True, **solve_data(manifest, file)}
    show(f"{file} is whole: {manifest.title}", data, as_json=as_json)
    return 0


def _with_goals(
    rules: tuple[str, ...], goals: tuple[int, ...], read: Read
) -> tuple[tuple[str, ...], Read]:
    """The rules with each of the goals, if there are any, and what finds them.

    Raises what `read` does, and InvalidRulesError for a goal that cannot be.
    """
    if not goals:
        return rules, read
    # not by their names, which two files may share
    given = {
        f"{reference} --goal {goal}": with_goal(read(reference), goal)
        for reference in rules
        for goal in goals
    }
    return tuple(given), lambda reference: given[reference or ""]


def _check_dice(players: int, sets: Sequence[str], scheduler: str | None, *, as_csv: bool) -> None:
    """Refuse options that do not go together. Raises InvalidRequestError."""
    if len(sets) < 3:
        raise InvalidRequestError(
            "--dice is given once for each of three players or more; two are solved by farkle kcd"
            " --my-dice SET --their-dice SET"
        )
    if players not in {2, len(sets)}:
        raise InvalidRequestError(f"--players {players}: --dice is given {len(sets)} times")
    if scheduler or as_csv:
        raise InvalidRequestError(
            "--dice is solved on this machine, and is no table: leave out --scheduler and --csv"
        )


def _game_of_two(floor: int | None, tolerance: float, rules: Ruleset) -> GameOfTwo:
    return GameOfTwo(rules if floor is None else with_floor(rules, floor), tolerance)


def _game_of_dice(
    settings: Settings, texts: Sequence[str], joker_alone: bool, rules: Ruleset, *, is_kept: bool
) -> GameOfDice:
    """The game of rules with these sets. Raises FarkleError, also for what could not be kept."""
    sets = [read_set(text, rules.dice) for text in texts]
    matchup = Matchup(rules, tuple(dice.dice_set for dice in sets), joker_alone)
    needed = matchup.bytes / _MEBIBYTE
    if needed > settings.matchup_memory:
        raise InvalidRequestError(
            f"{rules.name}: the file of so many states takes {needed:,.0f} MiB, and"
            f" FARKLE_MATCHUP_MEMORY lets match-ups take {settings.matchup_memory:,}"
        )
    most = settings.matchup_memory * _MEBIBYTE if is_kept else None
    seats = tuple(dice.text for dice in sets)
    return GameOfDice(rules, len(sets), seats=seats, matchup=matchup, most_bytes=most)


def _solved(
    rules: Sequence[str],
    read: Callable[[str], Subject],
    folder: Path,
    solver: Solver,
    tolerance: float,
    *,
    again: bool,
) -> list[Result]:
    """What became of all that was given, in that order."""
    results = []
    with CatalogueProgress(len(rules), tolerance) as bars:
        try:
            for result in solve_all(rules, folder, solver, again=again, watch=bars, read=read):
                results.append(result)
                bars.finished(result)
        except KeyboardInterrupt:
            bars.interrupted()
            raise
    return sorted(results, key=lambda result: result.number)


def _checked(settings: Settings, results: Sequence[Result], solver: Solver) -> list[Result]:
    """The results with how their values fit, and what the order among equal options changes."""
    checked: dict[Path | None, Checked | None] = {None: None}
    with compiled_code(settings.kernels) as cache:
        for result in results:
            subject, file = result.subject, result.file
            if not subject or not file or file in checked:
                continue
            with share_progress(f"checking {subject.name}") as on_progress:
                fit = with_sound_code(cache, partial(subject.checked, file, cache, on_progress))
            if subject.reversed:
                effect = _order_effect(subject.reversed, file, solver)
                fit = replace(fit, order_effect=effect)
            checked[file] = fit
    return [replace(result, checked=checked[result.file]) for result in results]


def _order_effect(subject: Subject, file: Path, solver: Solver) -> float:
    """The most that a value of a file changes in the opposite order. Raises FarkleError."""
    with CatalogueProgress(1, DEFAULT_TOLERANCE) as bars:
        ((_, other),) = solver([Job(0, subject.name, subject)], bars)
    if isinstance(other, FarkleError):
        raise other
    return float(abs(other.values - open_solved(file, ManyManifest).arrays[0]).max())


@contextmanager
def _solver(settings: Settings, scheduler: str | None) -> Iterator[Solver]:
    if scheduler is not None:
        from solver.batch.cluster import connected  # noqa: PLC0415 - Dask: an extra

        with connected(scheduler) as solver:
            yield solver
    else:
        with compiled_code(settings.kernels) as cache:
            yield LocalSolver(cache)
