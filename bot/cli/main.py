"""The `farkle` command: finds the command that is asked for, and says what went wrong."""

import ast
import sys
from collections import UserDict
from importlib import import_module
from itertools import pairwise
from typing import Any

import click

from bot import log
from bot.features import on_command_line
from bot.layout import cleaned, fit_to
from bot.settings import CHECKOUT, Settings, read_settings
from bot.shell.output import EXIT_BAD_INPUT, terminal_width
from bot.starting import INTERRUPTED, loading
from solver.errors import FarkleError, InvalidRequestError

EXIT_FAILED = 70
"""The program itself failed, as sysexits.h has it."""

COMMANDS = {
    "chat": "bot.cli.chat.chat",
    "advise": "bot.cli.advise.advise",
    "odds": "bot.cli.advise.odds",
    "turn": "bot.cli.turn.turn",
    "position": "bot.cli.advise.position",
    **on_command_line(),
    "rules": "bot.cli.rules.rules",
    "solve": "bot.cli.solve.solve",
    "compare": "bot.cli.compare.compare_command",
    "plot": "bot.cli.plot.plot",
    "study": "bot.cli.study.study",
    "discord": "bot.cli.discord.discord_command",
    "web": "bot.cli.web.web_command",
    "site": "bot.cli.web.site_command",
    "verify": "bot.cli.verify.verify",
    "forget": "bot.cli.store.forget",
    "store": "bot.cli.store.store",
}
"""Where each command is: its module, and its name there. --help has this order."""


class _Commands(UserDict[str, Any]):
    """The commands by name. The file of one is loaded when it is asked for: all take a second."""

    def __getitem__(self, name: str) -> click.Command:
        module, _, command = super().__getitem__(name).rpartition(".")
        with loading():
            entry: click.Command = getattr(import_module(module), command)
        return entry


def run() -> tuple[str, int]:
    """Run the command line; returns a sentence on what went wrong, if anything, and the status."""
    try:
        for option, value in pairwise(sys.argv[1:]):
            if option.startswith("--") and not value:
                raise InvalidRequestError(f"{option}: give it a value, or leave it out")
        return "", farkle(prog_name="farkle", standalone_mode=False) or 0
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        return "", EXIT_BAD_INPUT
    except click.ClickException as error:
        sentence = _complaint(error)
    except FarkleError as error:
        sentence = str(error)
    except BrokenPipeError:
        raise
    except OSError as error:
        sentence = f"{error.filename or 'writing'}: {error.strerror or error}"
    except click.Abort:
        return "interrupted", INTERRUPTED
    except Exception as error:  # what is left is a mistake of ours
        number = log.failed("a command", error)
        text = f"the program failed on that, which is not your fault; the log has it under {number}"
        return f"{text}{log.where()}", EXIT_FAILED
    return cleaned(sentence), EXIT_BAD_INPUT


def _complaint(error: click.ClickException) -> str:
    """What is wrong with a command line; where it has too many words, which help lists them."""
    message = error.format_message()
    if type(error) is click.UsageError and error.ctx is not None:
        return f"{message.rstrip('.')}; see {error.ctx.command_path} --help"
    return message


class _InOrder(click.Group):
    """The commands, which --help shows in the order in which people need them."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """The names in that order."""
        return list(COMMANDS)

    def format_commands(
        self,
        ctx: click.Context,  # noqa: ARG002
        formatter: click.HelpFormatter,
    ) -> None:
        """Write what each command is for, and load none of them."""
        room = formatter.width - 6 - max(map(len, COMMANDS))
        commands = {
            name: click.Command(name, help=_docstring(where)) for name, where in COMMANDS.items()
        }
        with formatter.section("Commands"):
            formatter.write_dl(
                [(name, command.get_short_help_str(room)) for name, command in commands.items()]
            )


def _docstring(where: str) -> str | None:
    """What a command's code says of it, which is read and not run."""
    package, file, command = where.rsplit(".", 2)
    path = CHECKOUT.joinpath(*package.split("."), f"{file}.py")
    code = ast.parse(path.read_bytes()).body
    said = {
        node.name: ast.get_docstring(node) for node in code if isinstance(node, ast.FunctionDef)
    }
    return said.get(command)


@click.group(cls=_InOrder, commands=_Commands(COMMANDS))
@click.version_option(package_name="farkle-advisor")
@click.pass_context
def farkle(context: click.Context) -> None:
    """Say how to play Farkle best under your house rules, and how often that wins."""
    context.obj = settings = read_settings(Settings)
    if sys.stdout and sys.stdout.isatty():
        fit_to(terminal_width())
    log.open_log(log.LogFile(settings.log), "warning")
