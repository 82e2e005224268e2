"""The transcripts in the README are what the program says."""

import asyncio
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from bot.cli.main import farkle
from tests.bot.chat import open_chat

README = Path(__file__).parents[1] / "README.md"


def transcripts() -> list[tuple[str, str]]:
    """Each command shown after "> " in a block of text, with the lines below it."""
    found = []
    for block in re.findall(r"```text\n(.*?)```", README.read_text(), flags=re.DOTALL):
        for part in re.split(r"^> ", block, flags=re.MULTILINE)[1:]:
            command, _, shown = part.partition("\n")
            found.append((command, shown.rstrip()))
    return found


def said(command: str, data: Path) -> str:
    """What the program says to a line in the chat or to a command line."""
    if command.startswith("/"):
        return asyncio.run(_said(command, data))
    result = CliRunner().invoke(farkle, command.split()[1:], prog_name="farkle")
    assert result.exit_code == 0, result.output
    return result.output.rstrip()


async def _said(command: str, data: Path) -> str:
    async with open_chat(data) as chat:
        return await chat.say(command)


@pytest.mark.parametrize(("command", "shown"), transcripts(), ids=[c for c, _ in transcripts()])
def test_the_readme_shows_what_the_program_says(command: str, shown: str, data: Path) -> None:
    assert said(command, data) == shown


def test_the_readme_shows_the_commands_that_make_knows() -> None:
    makefile = (README.parent / "Makefile").read_text()
    for target in re.findall(
        r"(?:`|^    )make (?:-s )?(\w+)", README.read_text(), flags=re.MULTILINE
    ):
        assert re.search(rf"^{target}:", makefile, flags=re.MULTILINE), target
