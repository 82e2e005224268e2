"""The `farkle` command: advice on a command line, the chat, and all other commands."""

import asyncio
import contextlib
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import click

from bot import log
from bot.cli.compare import compare_command
from bot.cli.discord import discord_command
from bot.cli.duel import best_response, duel
from bot.cli.forget import forget
from bot.cli.kcd import kcd
from bot.cli.memo import memo
from bot.cli.output import EXIT_BAD_INPUT, csv_option, json_option, show
from bot.cli.places import place_option, rules_reader, situation_of
from bot.cli.plot import plot
from bot.cli.points import points
from bot.cli.position import position_option, position_options
from bot.cli.rules import rules
from bot.cli.solve import solve
from bot.cli.store import store
from bot.cli.study import study
from bot.cli.verify import verify
from bot.languages import language
from bot.services.advisor import Advisor, is_solved
from bot.services.situation import DEFAULT_RULES, TURN_TOTAL, Situation
from bot.settings import Settings, read_settings
from bot.solving.process import solve_apart
from bot.typed import cleaned
from bot.views.advice import advice_sheet, advice_text, answer_data
from bot.views.komi import komi_data, komi_sheet, komi_text
from bot.views.progress import CatalogueProgress
from bot.views.solve import solve_text
from bot.views.turn_table import turn_sheet, turn_table_text
from solver.errors import FarkleError
from solver.game.standings import DEFAULT_TOLERANCE
from solver.play.komi import komi
from solver.rules.file import load_rules
from solver.rules.ruleset import Ruleset
from solver.strategy import manifest_path, open_values
from solver.wording import speak

EXIT_INTERRUPTED = 130
EXIT_FAILED = 70
"""The program itself failed, as sysexits.h has it."""

_PACE = 1.0
"""Seconds that a bot takes for a move where people watch."""


def run() -> tuple[str, int]:
    """Run the command line; returns a sentence on what went wrong, if anything, and the status."""
    try:
        sentence, status = _run()
    except BrokenPipeError:
        raise
    except Exception as error:  # what is left is a mistake of ours
        number = log.failed("a command", error)
        told = f"the program failed on that, which is not your fault; the log has it under {number}"
        return f"{told}{log.where()}", EXIT_FAILED
    return cleaned(sentence), status


def _run() -> tuple[str, int]:
    """The same, for what may be expected to go wrong."""
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


@click.group()
@click.version_option(package_name="farkle-advisor")
@click.pass_context
def farkle(context: click.Context) -> None:
    """Exact win probabilities for two-player Farkle under your house rules."""
    context.obj = settings = read_settings(Settings)
    log.open_log(log.LogFile(settings.log), "warning")


farkle.add_command(solve)


@farkle.command()
@click.argument("dice", nargs=-1)
@position_options
@position_option(TURN_TOTAL)
@place_option
@json_option
@csv_option
@click.pass_obj
def advise(
    settings: Settings,
    /,
    dice: tuple[str, ...],
    place: str | None,
    *,
    as_json: bool,
    as_csv: bool,
    **situation: Any,
) -> None:
    """Rank what to keep of a roll, best first.

    DICE are the faces rolled, such as 6 5 3 3 3 2 or 653332.
    """
    advisor = _advisor(settings)
    advice = advisor.advise(" ".join(dice), situation_of(settings, advisor, place, situation))
    sheet = advice_sheet(advice) if as_csv else None
    show(advice_text(advice), answer_data(advice), as_json=as_json, sheet=sheet)


@farkle.command()
@position_options
@place_option
@json_option
@csv_option
@click.pass_obj
def turn(
    settings: Settings,
    /,
    place: str | None,
    *,
    as_json: bool,
    as_csv: bool,
    **situation: Any,
) -> None:
    """Show when to bank, and the table of a whole turn."""
    advisor = _advisor(settings)
    cells = advisor.turn(situation_of(settings, advisor, place, situation))
    sheet = turn_sheet(cells) if as_csv else None
    show(turn_table_text(cells), answer_data(cells), as_json=as_json, sheet=sheet)


farkle.add_command(points)


@farkle.command("komi")
@click.argument("rules", default=DEFAULT_RULES)
@place_option
@json_option
@csv_option
@click.pass_obj
def komi_command(
    settings: Settings, rules: str, place: str | None, *, as_json: bool, as_csv: bool
) -> None:
    """Find the head start that comes closest to even.

    RULES is the name of a rule set or a TOML file that is solved.
    """
    ruleset = rules_reader(settings, place)(rules)
    found = komi(_advisor(settings).strategy(ruleset, rules))
    sheet = komi_sheet(found) if as_csv else None
    show(komi_text(ruleset, found), komi_data(found), as_json=as_json, sheet=sheet)


@farkle.command()
@json_option
@click.pass_obj
def chat(settings: Settings, *, as_json: bool) -> None:
    """Open the chat, after solving the default rules if need be."""
    advisor = _advisor(settings)
    rules = load_rules(DEFAULT_RULES)
    if not is_solved(settings.strategies, rules):
        _solve_with_bar(settings, rules)
    with contextlib.suppress(FarkleError):  # said again when somebody asks
        advisor.odds(None, Situation())  # opens the default rules: the first answer is quick too
    speak(language(settings.language))
    asyncio.run(_chat(settings, advisor, as_json=as_json))


async def _chat(settings: Settings, advisor: Advisor, *, as_json: bool) -> None:
    """Answer at the console until it ends."""
    # the console and the database take a while to import, and only the chat needs them
    from bot.fronts import console  # noqa: PLC0415
    from bot.wiring import open_parts  # noqa: PLC0415

    pace = _PACE if sys.stdin.isatty() and sys.stdout.isatty() else 0.0
    async with open_parts(settings, advisor, pace=pace, allow_files=True) as parts:
        await console.run_console(parts.commands, settings.history, as_json=as_json)


def _advisor(settings: Settings) -> Advisor:
    """The advisor, which calls this program as a user may write it on a command line."""
    path = Path(sys.argv[0])
    program = "farkle"
    if path.name == program and path.exists() and not shutil.which(program):
        program = os.path.relpath(path)
    return Advisor(settings.strategies, program)


def _solve_with_bar(settings: Settings, rules: Ruleset) -> None:
    """Solve rules in another process, with a bar on standard error. Raises FarkleError."""
    with CatalogueProgress(1, DEFAULT_TOLERANCE) as bar:
        asyncio.run(solve_apart(rules, settings.strategies, settings.kernels, bar))
    path = manifest_path(settings.strategies, rules)
    manifest, _ = open_values(path)
    click.echo(solve_text(manifest, path.with_name(manifest.values)), err=True)


farkle.add_command(best_response)
farkle.add_command(duel)
farkle.add_command(compare_command)
farkle.add_command(discord_command)
farkle.add_command(forget)
farkle.add_command(kcd)
farkle.add_command(plot)
farkle.add_command(memo)
farkle.add_command(rules)
farkle.add_command(store)
farkle.add_command(study)
farkle.add_command(verify)
