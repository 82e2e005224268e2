"""`farkle web`: pages to ask, explore and play, for whoever has a browser."""

import asyncio
import contextlib
import logging
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import click

from bot.fronts.web import app
from bot.fronts.web.processes import processes
from bot.fronts.web.settings import WebSettings
from bot.fronts.web.site import write_library, write_site
from bot.hosting import hosted, run
from bot.languages import language
from bot.log import open_log
from bot.services.advisor import Advisor
from bot.services.situation import DEFAULT_RULES
from bot.settings import Settings, read_settings
from bot.shell.first_solve import solve_with_bar
from bot.tasks.answering import at_once, until_ended
from bot.wiring import open_parts
from solver.errors import InvalidRequestError, system_reason
from solver.rules.file import load_rules, preset_names
from solver.rules.ruleset import Ruleset
from solver.solved import has_whole
from solver.wording import say, speak


@click.command("web")
@click.option("--port", type=click.IntRange(0, 65_535), help="The port; 8000 if not given.")
@click.pass_obj
def web_command(settings: Settings, *, port: int | None) -> None:
    """Serve pages to ask and play, until it is interrupted.

    The default rules are solved before if need be.
    """
    chosen = read_settings(WebSettings)
    if port is not None:
        chosen = chosen.model_copy(update={"port": port})
    _solve_first(settings, load_rules(DEFAULT_RULES))
    speak(language(settings.language))
    open_log(logging.StreamHandler(sys.stderr), "warning")
    run(_serve(settings, chosen, partial(_show, chosen)))


def _solve_first(settings: Settings, rules: Ruleset) -> None:
    """Solve rules that are not solved yet. Raises FarkleError."""
    if not has_whole(settings.strategies, rules.digest, "floor*"):
        solve_with_bar(settings, rules)


@click.command("site")
@click.argument("out", type=click.Path(path_type=Path))
@click.option(
    "--rules", "reference", help=f"A rule set or a TOML file; {DEFAULT_RULES} if left out."
)
@click.option("--all", "every", is_flag=True, help="The library, a folder for each rule set.")
@click.pass_obj
def site_command(settings: Settings, *, out: Path, reference: str | None, every: bool) -> None:
    """Write the pages of a rule set as files, into the folder OUT.

    Every roll at the start of a game, the rules, and pictures: what needs no program.
    """
    if every and reference:
        raise InvalidRequestError("--all takes no --rules: leave one of them out")
    names = preset_names() if every else [reference or DEFAULT_RULES]
    sites = {name: load_rules(name) for name in names}
    for rules in sites.values():
        _solve_first(settings, rules)
    number = asyncio.run(_written(settings, sites, out, every=every))
    click.echo(say("{number:,} files are in {folder}.", number=number, folder=out))


async def _written(settings: Settings, sites: dict[str, Ruleset], out: Path, *, every: bool) -> int:
    """How many files of sites there are once they are written. Raises FarkleError."""
    chosen = WebSettings(host="127.0.0.1", port=0, rate=100_000)
    # nobody else waits: a picture takes as long as it takes
    settings = settings.model_copy(update={"workers": 0})
    async with contextlib.AsyncExitStack() as stack:
        opened = open_parts(settings, Advisor(settings.strategies), allow_files=True)
        parts = await stack.enter_async_context(opened)
        here = parts.commands, parts.pressing, settings, chosen
        base = await stack.enter_async_context(app.served(app.Front(*here, is_patient=True)))
        source = base, settings.language
        number = await write_library(*source, sites, out) if every else 0
        for name, rules in sites.items():
            folder = out / name if every else out
            number += await write_site(*source, rules, name, folder, in_library=every)
        return number


def answer_questions(settings: Settings, chosen: WebSettings, tell: Callable[[str], None]) -> None:
    """Serve until it is interrupted, for a program that has the games, and computes and hosts."""
    run(_serve(settings, chosen, tell, is_beside=True))


async def _serve(
    settings: Settings, chosen: WebSettings, tell: Callable[[str], None], *, is_beside: bool = False
) -> None:
    """Serve until SIGINT or SIGTERM; `tell` is told where. Raises FarkleError."""
    async with contextlib.AsyncExitStack() as stack:
        opened = open_parts(settings, Advisor(settings.strategies), patience=2.0)
        parts = await stack.enter_async_context(opened)
        parts.tasks.is_elsewhere = is_beside
        watched = None if is_beside else await stack.enter_async_context(hosted(settings, parts))
        others = processes(chosen, partial(answer_questions, settings))
        beside = await stack.enter_async_context(others)
        try:
            here = parts.commands, parts.pressing, settings, chosen
            note = watched.note if watched else None
            async with app.served(app.Front(*here, note, beside)) as address:
                if watched:
                    watched.is_ready = lambda: True
                tell(address)
                await at_once(parts.pressing.games.oracle.advisor.prepare)
                await until_ended()
        except OSError as error:
            raise InvalidRequestError.say(
                "{place} cannot be listened at: {reason}",
                place=chosen.socket or f"{chosen.host}:{chosen.port}",
                reason=system_reason(error),
            ) from None


def _show(chosen: WebSettings, address: str) -> None:
    """Say where the pages are."""
    if chosen.socket:
        click.echo(say("It listens at {place}; Ctrl-C ends it.", place=address))
    else:
        click.echo(say("Open {address} in a browser; Ctrl-C ends it.", address=address))
