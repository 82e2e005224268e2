"""Solves that come first: of the default rules before the chat opens, of others for an answer."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import click

from bot.settings import Settings
from bot.solving.process import solve_apart
from bot.tasks.tasks import duration
from bot.views.progress import CatalogueProgress, ExpectedSweeps, share_progress
from bot.views.solve import solve_text
from solver.batch.jobs import Job, Watch, solve_jobs
from solver.batch.local import LocalSolver, compiled_code, solve_many_here
from solver.game.standings import DEFAULT_TOLERANCE, Progress
from solver.many_strategy import save_many
from solver.rules.ruleset import Ruleset
from solver.solved import prepare_folder, read_manifest
from solver.strategy import StrategyManifest, strategy_path


def solve_with_bar(settings: Settings, rules: Ruleset) -> None:
    """Solve rules in another process, with a bar on standard error. Raises FarkleError."""
    with CatalogueProgress(1, DEFAULT_TOLERANCE) as bar:
        asyncio.run(solve_apart(rules, settings.strategies, settings.kernels, bar))
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
    folder = settings.strategies
    what = f"solving {rules.name} for {players} players, about {duration(seconds)}"
    with compiled_code(settings.kernels) as cache:
        if not any(cache.iterdir()):
            what += " and up to a minute to compile, once"
        with share_progress(what, quietly=quietly) as done:
            _solve(rules, players, cache, folder, done)


def _solve(
    rules: Ruleset, players: int, cache: Path, folder: Path, done: Callable[[float], None]
) -> None:
    if players > 2:
        prepare_folder(folder)
        save_many(solve_many_here(rules, players, cache=cache, on_progress=done), folder)
        return
    jobs, watch = [Job(0, rules.name, rules)], _Share(rules, done)
    for result in solve_jobs(jobs, folder, LocalSolver(cache), again=True, watch=watch):
        if result.error:
            raise result.error


class _Share(Watch):
    """Tells which share of a solve is done."""

    def __init__(self, rules: Ruleset, done: Callable[[float], None]) -> None:
        has_penalty = rules.farkle_penalty is not None
        self._expected = ExpectedSweeps(DEFAULT_TOLERANCE, has_penalty=has_penalty)
        self._done = done

    def progress(self, job: Job, progress: Progress) -> None:  # noqa: ARG002
        self._done((progress.sweep - 1 + progress.done) / self._expected.after(progress))
