"""`farkle chat`: the chat at the console."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING

import click

from bot.fronts import console
from bot.languages import language
from bot.services.situation import DEFAULT_RULES
from bot.settings import Settings
from bot.shell.output import json_option
from bot.starting import loading
from solver.rules.file import load_rules
from solver.solved import has_whole
from solver.wording import speak

if TYPE_CHECKING:
    from bot.fronts.lines import Lines
_PACE = 1.0
"""Seconds that a bot takes for a move where people watch."""


@click.command()
@json_option
@click.pass_obj
def chat(settings: Settings, *, as_json: bool) -> None:
    """Open the chat, after solving the default rules if need be."""
    rules = load_rules(DEFAULT_RULES)
    if not has_whole(settings.strategies, rules.digest, "floor*"):
        from bot.shell.first_solve import solve_with_bar  # noqa: PLC0415 - 0.1 s, of solves

        solve_with_bar(settings, rules)
    speak(language(settings.language))
    load = partial(_load, settings, as_json=as_json)
    asyncio.run(console.run_console(load, settings.history))


def _load(
    settings: Settings, *, as_json: bool
) -> Callable[[], AbstractAsyncContextManager["Lines"]]:
    """Load all that answers; what is returned opens it."""
    with loading():
        from bot.fronts.lines import Lines  # noqa: PLC0415 - 0.7 s in all, after the prompt
        from bot.services.advisor import Advisor  # noqa: PLC0415 - 0.7 s in all, after the prompt
        from bot.wiring import open_parts  # noqa: PLC0415 - 0.7 s in all, after the prompt

    @asynccontextmanager
    async def opened() -> AsyncIterator[Lines]:
        pace, known = _PACE if console.is_terminal() else 0.0, Advisor(settings.strategies)
        async with open_parts(settings, known, pace=pace, allow_files=True) as parts:
            prepare = parts.games.oracle.advisor.prepare
            folder = settings.history.parent
            yield Lines(parts.commands, folder, as_json=as_json, prepare=prepare)

    return opened
