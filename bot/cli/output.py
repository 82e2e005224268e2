"""What every command shares: results for people, or with --json for programs."""

import json
from collections.abc import Callable
from typing import Any

import click

from bot.typed import cleaned

EXIT_BAD_INPUT = 2

Decorated = Callable[..., Any]


def show(text: str, data: object, *, as_json: bool) -> None:
    """Print a result for people or for programs."""
    click.echo(json.dumps(data, indent=2) if as_json else cleaned(text))


def json_option(command: Decorated) -> Decorated:
    """Add --json."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON.")(command)
