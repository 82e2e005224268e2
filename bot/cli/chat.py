"""`farkle chat`: the chat at the console."""

import asyncio
import contextlib
import sys
from functools import partial

import click

from bot.cli.output import json_option
from bot.fronts import console
from bot.languages import language
from bot.services.advisor import Advisor, is_solved
from bot.services.situation import DEFAULT_RULES, Situation
from bot.settings import Settings
from bot.wiring import open_parts
from solver.errors import FarkleError
from solver.rules.file import load_rules
from solver.wording import speak

_PACE = 1.0
"""Seconds that a bot takes for a move where people watch."""


@click.command()
@json_option
@click.pass_obj
def chat(settings: Settings, *, as_json: bool) -> None:
    """Open the chat, after solving the default rules if need be."""
    advisor = Advisor(settings.strategies)
    rules = load_rules(DEFAULT_RULES)
    if not is_solved(settings.strategies, rules):
        from bot.cli.first_solve import solve_with_bar  # noqa: PLC0415

        solve_with_bar(settings, rules)
    speak(language(settings.language))
    asyncio.run(_chat(settings, advisor, as_json=as_json))


async def _chat(settings: Settings, advisor: Advisor, *, as_json: bool) -> None:
    """Answer at the console until it ends."""
    pace = _PACE if sys.stdin.isatty() and sys.stdout.isatty() else 0.0
    async with open_parts(settings, advisor, pace=pace, allow_files=True) as parts:
        await console.run_console(
            parts.commands, settings.history, as_json=as_json, prepare=partial(_prepare, advisor)
        )


def _prepare(advisor: Advisor) -> None:
    """Open the default rules, so that the first answer is quick, too."""
    with contextlib.suppress(FarkleError):  # said again when somebody asks
        advisor.odds(None, Situation())
