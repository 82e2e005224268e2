"""Solves that come first: of the default rules before the chat opens, of others for an answer."""

import asyncio

import click

from bot.services.advisor import Advisor
from bot.services.loaded import LoadedDice, folders_of, solved_arrays
from bot.settings import Settings
from bot.tasks.solving import check_size, solve_apart
from bot.views.progress import CatalogueProgress, share_progress, solve_text
from solver.batch.local import compiled_code, seconds_to_compile, solve_here
from solver.batch.subjects import game_of
from solver.errors import InvalidRulesError
from solver.game.many import time_text
from solver.game.standings import DEFAULT_TOLERANCE
from solver.rules.ruleset import Ruleset
from solver.solved import prepare_folder, read_manifest
from solver.strategy import StrategyManifest, strategy_path


def solve_with_bar(settings: Settings, rules: Ruleset) -> None:
    """Solve rules in another process, with a bar on standard error. Raises FarkleError."""
    with CatalogueProgress(1, DEFAULT_TOLERANCE) as bar:
        asyncio.run(solve_apart(game_of(rules), settings.strategies, settings.kernels, bar))
    path = strategy_path(settings.strategies, rules)
    click.echo(solve_text(read_manifest(path, StrategyManifest), path), err=True)


def solve_with_share(
    settings: Settings, rules: Ruleset, players: int, seconds: float, *, quietly: bool = False
) -> None:
    """Solve rules in this process for so many players, told in one line on standard error.

    seconds : about how long it takes
    quietly : whether nothing is told

    Raises FarkleError.
    """
    folder, game = settings.strategies, game_of(rules, players)
    with compiled_code(settings.kernels) as cache:
        seconds += seconds_to_compile(game, cache)
        what = f"solving {rules.name} for {players} players"
        shown = share_progress(what, seconds=seconds, quietly=quietly, sweeps=game.sweeps)
        with shown as report:
            prepare_folder(folder)
            game.save(solve_here(game, cache=cache, on_progress=report), folder)


def solve_if_quick(settings: Settings, rules: Ruleset, players: int) -> bool:
    """Solve rules, if that takes a few seconds; returns whether it did. Raises FarkleError."""
    try:
        seconds = check_size(rules, settings.needed_seconds, players)
    except InvalidRulesError:
        return False
    solve_with_share(settings, rules, players, seconds)
    return True


def solve_dice(
    settings: Settings, advisor: Advisor, dice: LoadedDice, *, quietly: bool = False
) -> None:
    """Have what players bring solved, and kept, for what answers on it. Raises FarkleError."""
    what = f"{dice.mine.text} against {', '.join(other.text for other in dice.others)}"
    if not dice.of_two:
        what += f": about {time_text(dice.matchup.seconds)} if that is not solved yet"
    with share_progress(what, quietly=quietly) as report:
        advisor.keep_pair(dice.matchup, *solved_arrays(folders_of(settings), dice.matchup, report))
