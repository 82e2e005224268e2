"""Text as a terminal shows it: as wide as that is, with the best choice in bold."""

import os
import re
import shutil
import sys

import click

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
    return row.sub(lambda found: found[1] + click.style(found[2], fg="green", bold=True), text)
