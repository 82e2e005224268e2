"""Prints the files that a question, a press and a rule file pass: `python -m tests.walks`.

A file is passed if one of its functions runs. Sentences (solver/wording.py) and the data of rules
(ruleset.py, scoring.py and options.py in solver/rules) are everywhere and not counted. Everything
is done twice, and the second time is told: what is kept in memory is there.
"""

import asyncio
import os
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any

import click

from bot.cli.discord import connect
from bot.cli.main import farkle
from bot.fronts.discord.settings import DiscordSettings
from bot.settings import CHECKOUT, Settings
from tests.bot.fronts.discord.loopback import TOKEN, Loopback, Message, user
from tests.bot.fronts.discord.play import best_dice, is_choice, shown
from tests.bot.speaking import open_chat

VOCABULARY = {
    "solver/wording.py",
    *(f"solver/rules/{name}.py" for name in ("options", "ruleset", "scoring")),
}
ANN, BOB = user("1", "ann"), user("2", "bob")


class Walk:
    """The files passed, in their order; threads that start later are followed too."""

    def __init__(self) -> None:
        self.files: dict[str, None] = {}
        self._walking = False
        threading.setprofile(self._profile)

    def _profile(self, frame: FrameType, event: str, _: Any) -> None:
        if not self._walking or event != "call":
            return
        path = Path(frame.f_code.co_filename)
        with suppress(ValueError):
            file = path.relative_to(CHECKOUT).as_posix()
            if file.startswith(("bot/", "solver/")) and file not in VOCABULARY:
                self.files[file] = None

    @contextmanager
    def walk(self) -> Iterator[None]:
        """Note what is passed meanwhile."""
        self.files, self._walking = {}, True
        sys.setprofile(self._profile)
        try:
            yield
        finally:
            sys.setprofile(None)
            self._walking = False

    def tell(self, what: str) -> None:
        """Print the files."""
        click.echo(f"{what}: {len(self.files)} files")
        for file in self.files:
            click.echo(f"  {file}")


def rule_file(walk: Walk, folder: Path) -> None:
    """From a TOML file to its strategy file."""
    file = folder / "mine.toml"
    file.write_text("goal = 1000\ndice = 3\n")
    for _ in range(2):
        with walk.walk():
            farkle(["solve", str(file), "--out", str(folder)], standalone_mode=False)
    walk.tell("farkle solve mine.toml")


async def question(walk: Walk, folder: Path, strategies: Path | None = None) -> None:
    """`/advise` with everything given."""
    line = "/advise 6 5 3 3 3 2 me:0 rules:kcd"
    async with open_chat(folder, strategies) as chat:
        for _ in range(2):
            with walk.walk():
                await chat.say(line)
    walk.tell(line)


async def press(walk: Walk, folder: Path) -> None:
    """A press on Roll at a Discord on this machine, in a turn that goes on."""
    async with _discord(folder) as discord:
        message = await shown(await discord.slash(ANN, "play", rules="kcd", player2=BOB))
        told = 0
        while told < 2:
            with walk.walk():
                await _press(discord, message, "roll")
            told += is_choice(message)  # else a farkle
            while is_choice(message):
                for action in best_dice(message):
                    await _press(discord, message, action)
                await _press(discord, message, "bank" if message.action("bank") else "roll")
    walk.tell("a press on Roll")


async def _press(discord: Loopback, message: Message, action: str) -> None:
    """Press a button as the player to move."""
    button = message.action(action)
    mover = ANN if "▸ ann" in message.text else BOB
    if button:
        await shown(await discord.press(mover, message, custom_id=button["custom_id"]))
    else:
        await asyncio.sleep(0.02)  # on a busy machine what was pressed is shown later


@asynccontextmanager
async def _discord(folder: Path) -> AsyncIterator[Loopback]:
    """A Discord with the bot of this very process."""
    async with Loopback().serve() as discord:
        os.environ |= {"FARKLE_DISCORD_API": discord.api, "FARKLE_DISCORD_GATEWAY": discord.gateway}
        bot = asyncio.create_task(connect(Settings(data=folder), DiscordSettings(), TOKEN))
        await discord.ready()
        yield discord
        bot.cancel()
        await asyncio.gather(bot, return_exceptions=True)


async def _walks() -> None:
    with TemporaryDirectory() as name:
        walk, folder = Walk(), Path(name)
        farkle(["solve", "kcd", "--out", str(folder / "strategies")], standalone_mode=False)
        rule_file(walk, folder)
        await question(walk, folder)
        await press(walk, folder)


if __name__ == "__main__":
    asyncio.run(_walks())
