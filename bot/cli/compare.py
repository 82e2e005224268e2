"""`farkle compare`: what rule sets are like to play, side by side."""

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from bot.services.comparing import Compared, Variation, as_they_are, compared_one, variations
from bot.settings import Settings
from bot.shell.output import Shown, answer_options, write_file
from bot.shell.places import Here, all_option, here_option, rules_given
from bot.views.compare import compare_chart, compare_data, compare_sheet, compare_text, label
from bot.views.drawing import DARK, LIGHT, Form, Style
from bot.views.progress import CatalogueProgress, share_progress
from solver.batch.jobs import Job, solve_jobs
from solver.batch.local import LocalSolver, compiled_code, prefer_cache
from solver.batch.subjects import GameOfTwo
from solver.errors import InvalidRequestError
from solver.game.solvable import check_solvable
from solver.game.standings import DEFAULT_TOLERANCE
from solver.play.compare import CARELESS, GAMES
from solver.play.duel import MOST_GAMES
from solver.strategy import is_solved

_FORMS: dict[str, Form] = {".png": "png", ".svg": "svg"}


@click.command("compare")
@click.argument("rules", nargs=-1, metavar="RULES...")
@all_option
@click.option(
    "--vary",
    metavar="OPTION=VALUES",
    help="Compare values of one option, as in goal=1000..10000:500 or hot_dice=optional,forced.",
)
@click.option(
    "--games",
    default=GAMES,
    type=click.IntRange(100, MOST_GAMES),
    show_default=True,
    help="Games of optimal play to count for each rule set.",
)
@click.option("--seed", default=1, show_default=True, help="Seed of the dice.")
@click.option(
    "--careless",
    type=click.Choice(CARELESS),
    default=CARELESS[0],
    show_default=True,
    help="How a careless player plays.",
)
@click.option("--keep", is_flag=True, help="Keep the strategy files of --vary, too.")
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Draw a picture as well, PNG or SVG.",
)
@click.option("--dark", is_flag=True, help="Light ink on dark paper.")
@here_option
@answer_options
def compare_command(
    here: Here,
    /,
    rules: tuple[str, ...],
    vary: str | None,
    out: Path | None,
    *,
    every: bool,
    keep: bool,
    dark: bool,
    **how: Any,
) -> Shown:
    """Compare what rule sets are like to play.

    RULES are names of rule sets or TOML files. For each: how often the first player wins, points
    and farkles of a turn, turns of a game, how many decisions are close, and what a careless player
    loses. What is not solved is solved first; its files are kept, those of --vary only with --keep.
    """
    if out and out.suffix.lower() not in _FORMS:
        raise InvalidRequestError(f"--out: {out} has to end in {' or '.join(_FORMS)}")
    bases = list(map(here.rules, rules_given(rules, every=every)))
    variants = variations(bases, vary) if vary else as_they_are(bases)
    for variant in variants:
        check_solvable(variant.rules)
    compared = _compared(here.settings, variants, keep=keep, **how)
    if out:
        style = Style(DARK if dark else LIGHT, _FORMS[out.suffix.lower()])
        write_file(out, compare_chart(compared, style))
    return Shown(compare_text(compared), compare_data(compared), compare_sheet(compared))


def _compared(
    settings: Settings, variants: Sequence[Variation], *, keep: bool, **how: Any
) -> Compared:
    """What each rule set is like; those that are not solved are solved first.

    how : what `compared_one` takes of games that are played
    """
    compared = []
    with tempfile.TemporaryDirectory() as temporary, compiled_code(settings.kernels) as cache:
        prefer_cache(cache)
        folders = _solve(settings, variants, Path(temporary), cache, keep=keep)
        for variant, folder in zip(variants, folders, strict=True):
            with share_progress(f"playing {label(variant)}") as on_progress:
                outcome = compared_one(variant.rules, folder, cache, on_progress=on_progress, **how)
            compared.append((variant, outcome))
    return tuple(compared)


def _solve(
    settings: Settings, variants: Sequence[Variation], temporary: Path, cache: Path, *, keep: bool
) -> list[Path]:
    """The folder with the strategy of each rule set. Raises FarkleError where a solve fails."""
    folders = [
        settings.strategies
        if keep or variant.option is None or is_solved(settings.strategies, variant.rules)
        else temporary
        for variant in variants
    ]
    missing = [
        (Job(number, label(variant), GameOfTwo(variant.rules)), folder)
        for number, (variant, folder) in enumerate(zip(variants, folders, strict=True))
        if not is_solved(folder, variant.rules)
    ]
    if missing:
        with CatalogueProgress(len(missing), DEFAULT_TOLERANCE) as bar:
            for folder in sorted({folder for _, folder in missing}):
                jobs = [job for job, where in missing if where == folder]
                for result in solve_jobs(jobs, folder, LocalSolver(cache), watch=bar):
                    bar.finished(result)
                    if result.error:
                        raise result.error
    return folders
