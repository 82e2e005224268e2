"""What every command shares: results for people at a terminal, or for programs."""

import json
import os
import re
import shutil
import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, NamedTuple

import click

from bot.layout import cleaned
from bot.views.sheet import Sheet, sheet_of
from solver.errors import InvalidRequestError
from solver.folders import write_whole
from solver.wording import say

_LEAST_WIDTH = 24


def terminal_width() -> int:
    """The columns that text may take: one is left free, as some terminals break a full line."""
    return max(_LEAST_WIDTH, shutil.get_terminal_size().columns - 1)


def emphasised(text: str) -> str:
    """Text with the row of the best choice in bold, where that is seen and wanted.

    It is not in a file, a pipe or a terminal without styles, nor where NO_COLOR is set.
    """
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    if plain or not (sys.stdout and sys.stdout.isatty()):
        return text
    best = re.escape(say("best"))
    row = re.compile(rf"^( +)(\S.*\s{best})$", re.MULTILINE)
    return row.sub(lambda line: line[1] + click.style(line[2], fg="green", bold=True), text)


EXIT_BAD_INPUT = 2

Decorated = Callable[..., Any]


def show(text: str, data: object, *, as_json: bool, sheet: Sheet | None = None) -> None:
    """Print a result for people or for programs: as CSV where a sheet is given."""
    if sheet:
        click.echo(cleaned(sheet.csv))
    else:
        click.echo(json.dumps(data, indent=2) if as_json else emphasised(cleaned(text)))


def write_file(path: Path, content: bytes) -> None:
    """Write what was asked for with --out. Raises InvalidRequestError."""
    try:
        write_whole(path, content)
    except OSError as error:
        raise InvalidRequestError(
            f"{path}: cannot be written ({error.strerror or error})"
        ) from None


json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
"""Adds --json."""


def csv_option(command: Decorated) -> Decorated:
    """Add --csv to a command that has --json; it is called with one of them at most."""

    @wraps(command)
    def checked(*args: Any, as_json: bool, as_csv: bool, **others: Any) -> Any:
        if as_json and as_csv:
            raise InvalidRequestError("--json and --csv do not go together: leave one out")
        return command(*args, as_json=as_json, as_csv=as_csv, **others)

    return click.option("--csv", "as_csv", is_flag=True, help="Print the table as CSV.")(checked)


class Shown(NamedTuple):
    """What a command has to show: for people, as plain data and, if it is one, as a table."""

    text: str
    data: object
    sheet: Sheet | None = None
    """The table, where that is not the one in the data, see `sheet_of`."""
    is_table: bool = True


def answer_options(command: Decorated) -> Decorated:
    """Add --json and --csv, and show what the command returns; it returns None for nothing."""

    @json_option
    @csv_option
    @wraps(command)
    def answered(*args: Any, as_json: bool, as_csv: bool, **others: Any) -> None:
        shown: Shown | None = command(*args, **others)
        if shown is None:
            return
        if as_csv and not shown.is_table:
            raise InvalidRequestError("--csv is a table of what to keep of a roll; this has none")
        sheet = (shown.sheet or sheet_of(shown.data)) if as_csv else None
        show(shown.text, shown.data, as_json=as_json, sheet=sheet)

    return answered
