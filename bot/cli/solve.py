"""`farkle solve`: strategy files for one rule set or many, and their verification."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from bot.cli.output import csv_option, json_option, show
from bot.cli.places import place_option, rules_reader
from bot.cli.solve_many import solve_many_rules
from bot.services.rule_options import with_goal
from bot.settings import Settings
from bot.views.progress import CatalogueProgress, share_progress
from bot.views.solve import catalogue_data, catalogue_sheet, catalogue_text, solve_data, solve_text
from solver.batch.jobs import Result, Solver, solve_all
from solver.errors import InvalidRequestError
from solver.game.standings import DEFAULT_TOLERANCE
from solver.loaded.files import ManyMatchupManifest, MatchupManifest
from solver.many_strategy import ManyManifest, RingManifest
from solver.rules.ruleset import Ruleset
from solver.solved import Manifest, open_solved
from solver.strategy import StrategyManifest

EXIT_SOME_FAILED = 1

_KINDS: tuple[type[Manifest], ...] = (
    StrategyManifest,
    ManyManifest,
    MatchupManifest,
    ManyMatchupManifest,
)
"""All that there are files of."""


Read = Callable[[str | None], Ruleset]
"""What finds rules by what they are called."""


@click.command()
@click.argument("rules", nargs=-1)
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
@place_option
@json_option
@csv_option
@click.pass_obj
def solve(
    settings: Settings,
    rules: tuple[str, ...],
    floor: int | None,
    tolerance: float,
    players: int,
    goals: tuple[int, ...],
    sets: tuple[str, ...],
    out: Path | None,
    scheduler: str | None,
    verify: Path | None,
    place: str | None,
    *,
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
    if not rules:
        raise InvalidRequestError("say which RULES to solve: the name of a rule set or a TOML file")
    if not 1e-12 <= tolerance <= 0.1:
        raise InvalidRequestError(f"the tolerance must be 1e-12 to 0.1, not {tolerance:g}")
    rules, read = _with_goals(rules, goals, rules_reader(settings, place))
    if sets or joker_alone or players != 2:
        _only_for_two(floor, tolerance)
    if sets or joker_alone:
        # it takes a while to load
        from bot.cli.solve_loaded import check_options, solve_loaded  # noqa: PLC0415

        check_options(players, sets, scheduler, as_csv=as_csv)
        named, how = [read(one) for one in rules], {"check": check, "as_json": as_json}
        return solve_loaded(settings, named, sets, out, joker_alone=joker_alone, **how)
    if players != 2:
        return solve_many_rules(
            settings,
            [read(one) for one in rules],
            players,
            out or settings.strategies,
            scheduler,
            check=check,
            as_json=as_json,
            as_csv=as_csv,
        )
    results: list[Result] = []
    folder = out or settings.strategies
    with _solver(settings, scheduler) as solver, CatalogueProgress(len(rules), tolerance) as bar:
        found = solve_all(
            rules,
            folder,
            solver,
            floor=floor,
            tolerance=tolerance,
            again=again or len(rules) == 1,
            watch=bar,
            read=read,
        )
        try:
            for result in found:
                results.append(result)
                bar.finished(result)
        except KeyboardInterrupt:
            bar.interrupted()
            raise
    residuals = _check(settings, results) if check else {}
    return _report(results, folder, residuals, as_json=as_json, as_csv=as_csv)


def _verify(file: Path, rules: tuple[str, ...], *, as_json: bool, as_csv: bool) -> int:
    """Check every byte of a strategy file. Raises StrategyFileError and InvalidRequestError."""
    if rules:
        raise InvalidRequestError("--verify checks a file and takes no RULES")
    if as_csv:
        raise InvalidRequestError("--verify prints no table: leave out --csv")
    manifest = open_solved(file, *_KINDS, anew=True).manifest
    name = manifest.rules.name
    data: dict[str, Any] = {"verified": True, "rules": name, "file": str(file)}
    if isinstance(manifest, StrategyManifest):
        what, data = f", floor {manifest.floor:,}", data | solve_data(manifest, file)
    elif isinstance(manifest, RingManifest):
        what, data = f" for {manifest.players} players", data | {"players": manifest.players}
    else:
        what = " for two sets of dice"
    show(f"{file} is whole: {name} rules{what}", data, as_json=as_json)
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
    given = {f"{one} --goal {goal}": with_goal(read(one), goal) for one in rules for goal in goals}
    return tuple(given), lambda one: given[one or ""]


def _only_for_two(floor: int | None, tolerance: float) -> None:
    """Refuse options of a solve for two players. Raises InvalidRequestError."""
    given = [
        name
        for name, is_given in (
            ("--floor", floor is not None),
            ("--tolerance", tolerance != DEFAULT_TOLERANCE),
        )
        if is_given
    ]
    if given:
        raise InvalidRequestError(f"{given[0]} is for two players: leave it out with --players")


def _check(settings: Settings, results: Sequence[Result]) -> dict[Path, float]:
    """The residual of each strategy file."""
    # only here: a command that does not check needs none of it
    from solver.batch.local import check_here, compiled_code  # noqa: PLC0415

    residuals = {}
    with compiled_code(settings.kernels) as cache:
        for result in results:
            if result.file and result.manifest and result.file not in residuals:
                with share_progress(f"checking {result.name}") as on_progress:
                    residuals[result.file] = check_here(
                        result.file, cache=cache, on_progress=on_progress
                    )
    return residuals


@contextmanager
def _solver(settings: Settings, scheduler: str | None) -> Iterator[Solver]:
    # only here: a command that does not solve needs neither
    if scheduler is not None:
        from solver.batch.cluster import connected  # noqa: PLC0415

        with connected(scheduler) as solver:
            yield solver
    else:
        from solver.batch.local import LocalSolver, compiled_code  # noqa: PLC0415

        with compiled_code(settings.kernels) as cache:
            yield LocalSolver(cache)


def _report(
    results: Sequence[Result],
    folder: Path,
    residuals: Mapping[Path, float],
    *,
    as_json: bool,
    as_csv: bool,
) -> int:
    """Show what became of the rule sets, in the order in which they were given."""
    first = results[0]
    ordered = sorted(results, key=lambda result: result.number)
    sheet = catalogue_sheet(ordered, residuals) if as_csv else None
    if len(results) == 1:
        if first.error:
            raise first.error
        if first.manifest and first.file:
            residual = residuals.get(first.file)
            text = solve_text(first.manifest, first.file, residual)
            data = solve_data(first.manifest, first.file, residual)
            show(text, data, as_json=as_json, sheet=sheet)
        return 0
    show(
        catalogue_text(ordered, folder, residuals),
        catalogue_data(ordered, residuals),
        as_json=as_json,
        sheet=sheet,
    )
    return EXIT_SOME_FAILED if any(result.error for result in results) else 0
