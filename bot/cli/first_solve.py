"""The solve of the default rules before the chat opens, which most starts find done."""

import asyncio

import click

from bot.settings import Settings
from bot.solving.process import solve_apart
from bot.views.progress import CatalogueProgress
from bot.views.solve import solve_text
from solver.game.standings import DEFAULT_TOLERANCE
from solver.rules.ruleset import Ruleset
from solver.strategy import manifest_path, open_values


def solve_with_bar(settings: Settings, rules: Ruleset) -> None:
    """Solve rules in another process, with a bar on standard error. Raises FarkleError."""
    with CatalogueProgress(1, DEFAULT_TOLERANCE) as bar:
        asyncio.run(solve_apart(rules, settings.strategies, settings.kernels, bar))
    path = manifest_path(settings.strategies, rules)
    manifest, _ = open_values(path)
    click.echo(solve_text(manifest, path.with_name(manifest.values)), err=True)
