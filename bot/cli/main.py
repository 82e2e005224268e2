"""The `farkle` command: advice on a command line, the chat, and all other commands."""

import asyncio
import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bot.cli.discord import discord_command
from bot.cli.output import EXIT_BAD_INPUT, Decorated, json_option, show
from bot.cli.rules import rules
from bot.cli.solve import solve
from bot.cli.study import study
from bot.cli.verify import verify
from bot.languages import language
from bot.services.advisor import DEFAULT_RULES, Advisor, Situation
from bot.settings import Settings, read_settings
from bot.views.advice import advice_text, answer_data, turn_text
from solver.errors import FarkleError
from solver.rules.file import load_rules
from solver.wording import speak

if TYPE_CHECKING:
    from bot.fronts.chat.commands import Commands

EXIT_INTERRUPTED = 130

_PACE = 1.0
"""Seconds that a bot takes for a move where people watch."""


def run() -> tuple[str, int]:
    """Run the command line; returns a sentence on what went wrong, if anything, and the status."""
    try:
        return "", farkle(prog_name="farkle", standalone_mode=False) or 0
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        return "", EXIT_BAD_INPUT
    except click.ClickException as error:
        return error.format_message(), EXIT_BAD_INPUT
    except FarkleError as error:
        return str(error), EXIT_BAD_INPUT
    except BrokenPipeError:
        raise
    except OSError as error:
        return f"{error.filename or 'writing'}: {error.strerror or error}", EXIT_BAD_INPUT
    except click.Abort:
        return "interrupted", EXIT_INTERRUPTED


def _is_me(_context: click.Context, _parameter: click.Parameter, who: str | None) -> bool | None:
    return None if who is None else who == "me"


def position_options(command: Decorated) -> Decorated:
    """Add the options that describe the start of a turn."""
    for option in reversed(
        [
            click.option(
                "--rules",
                default=DEFAULT_RULES,
                show_default=True,
                metavar="RULES",
                help="The name of a rule set or a TOML file.",
            ),
            click.option("--banked", "--me", type=int, default=0, metavar="B", help="Your score."),
            click.option(
                "--opponent",
                "--them",
                type=int,
                default=0,
                metavar="D",
                help="The opponent's score.",
            ),
            click.option(
                "--farkles",
                type=int,
                default=0,
                metavar="F",
                help="Your farkles in a row before this turn.",
            ),
            click.option(
                "--opponent-farkles",
                "--their-farkles",
                type=int,
                default=0,
                metavar="E",
                help="The opponent's farkles in a row.",
            ),
            click.option(
                "--hot-dice",
                type=int,
                metavar="N",
                help="Hot dice so far in this turn, where their bonus changes.",
            ),
            click.option(
                "--on-board/--not-on-board",
                default=None,
                help="Whether you have banked before; if not given, whether you have points.",
            ),
            click.option(
                "--opponent-on-board/--opponent-not-on-board",
                "--their-on-board/--their-not-on-board",
                default=None,
                help="The same of the opponent.",
            ),
            click.option(
                "--began",
                type=click.Choice(["me", "them"], case_sensitive=False),
                callback=_is_me,
                help="Who began, where both have as many turns, or who begins a play-off.",
            ),
        ]
    ):
        command = option(command)
    return command


@click.group()
@click.version_option(package_name="farkle-advisor")
@click.pass_context
def farkle(context: click.Context) -> None:
    """Exact win probabilities for two-player Farkle under your house rules."""
    context.obj = read_settings(Settings)


farkle.add_command(solve)


@farkle.command()
@click.argument("dice", nargs=-1)
@position_options
@click.option(
    "--turn-total",
    "--turn",
    type=int,
    default=0,
    metavar="T",
    help="Points set aside in this turn before the roll.",
)
@json_option
@click.pass_obj
def advise(
    settings: Settings, /, dice: tuple[str, ...], *, as_json: bool, **situation: Any
) -> None:
    """Rank what to keep of a roll, best first.

    DICE are the faces rolled, such as 6 5 3 3 3 2 or 653332.
    """
    advice = _advisor(settings).advise(" ".join(dice), Situation(**situation))
    show(advice_text(advice), answer_data(advice), as_json=as_json)


@farkle.command()
@position_options
@json_option
@click.pass_obj
def turn(settings: Settings, /, *, as_json: bool, **situation: Any) -> None:
    """Show the table of a whole turn."""
    cells = _advisor(settings).turn(Situation(**situation))
    show(turn_text(cells), answer_data(cells), as_json=as_json)


@farkle.command()
@json_option
@click.pass_obj
def chat(settings: Settings, *, as_json: bool) -> None:
    """Open the chat, after solving the default rules if need be."""
    from bot.fronts import console  # noqa: PLC0415

    advisor = _advisor(settings)
    if not advisor.is_solved(load_rules(DEFAULT_RULES)):
        _solve_apart(DEFAULT_RULES)
    with contextlib.suppress(FarkleError):  # said again when somebody asks
        advisor.odds(None, Situation())  # opens the default rules: the first answer is quick too
    speak(language(settings.language))
    asyncio.run(_chat(settings, advisor, partial(console.chat, as_json=as_json)))


async def _chat(
    settings: Settings,
    advisor: Advisor,
    front: Callable[["Commands", Path], Awaitable[None]],
) -> None:
    """Answer at a front until it ends."""
    # the database takes a while to import, and only the chat needs it
    from bot.wiring import open_commands  # noqa: PLC0415

    pace = _PACE if sys.stdin.isatty() and sys.stdout.isatty() else 0.0
    async with open_commands(settings, advisor, pace=pace, allow_files=True) as commands:
        await front(commands, settings.history)


def _advisor(settings: Settings) -> Advisor:
    """The advisor, which calls this program as a user may write it on a command line."""
    path = Path(sys.argv[0])
    program = "farkle"
    if path.name == program and path.exists() and not shutil.which(program):
        program = os.path.relpath(path)
    return Advisor(settings.strategies, program)


def _solve_apart(rules: str) -> None:
    """Solve in a process of its own, so that the chat stays small and never waits for numba."""
    command = [sys.executable, "-m", "bot", "solve", rules]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=sys.stderr) as child:  # noqa: S603
        while True:
            try:
                status = child.wait()
                break
            except KeyboardInterrupt:
                continue  # the child was interrupted as well and says so
    if status:
        sys.exit(status)


farkle.add_command(discord_command)
farkle.add_command(rules)
farkle.add_command(study)
farkle.add_command(verify)
