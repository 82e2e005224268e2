"""The bot as a process of its own, at a loopback Discord."""

import asyncio
import itertools
import os
import signal
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests.bot import programs
from tests.bot.fronts.discord.loopback import PATIENCE, TOKEN, Loopback
from tests.bot.new_database import lay_database

_NUMBERS = itertools.count(1)


class Bot:
    """A running `farkle discord`."""

    def __init__(self, process: programs.Program, log: Path) -> None:
        self.process = process
        self._log = log
        self.port = 0
        """Where it listens, if it is asked by requests."""

    @property
    def log(self) -> str:
        """What it has written so far."""
        return self._log.read_text("utf-8")

    async def end(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Send a signal and wait for the exit status."""
        self.process.send_signal(number)
        return await asyncio.wait_for(self.ended(), PATIENCE)

    async def ended(self) -> int:
        """Wait for the exit status."""
        while True:
            if (status := self.process.returncode) is not None:
                return status
            await asyncio.sleep(0.01)


def environment(data: Path, discord: Loopback | None, **more: str) -> dict[str, str]:
    """What the process is told; nothing of Discord's is left from outside."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("DISCORD_", "FARKLE_"))
    }
    # on a busy machine nothing is left out
    whole = {
        "FARKLE_PATIENCE": str(PATIENCE),
        "FARKLE_LATE": str(PATIENCE),
        "FARKLE_NEEDED_SECONDS": "0",
        # as in tests/conftest.py
        "FARKLE_WORKERS": "0",
    }
    found = kept | {"FARKLE_DATA": str(data), "DISCORD_TOKEN": TOKEN} | whole
    if discord is not None:
        found |= {
            "FARKLE_DISCORD_API": discord.api,
            "FARKLE_DISCORD_GATEWAY": discord.gateway,
        }
    return found | more


@asynccontextmanager
async def running(
    data: Path,
    discord: Loopback,
    *,
    ready: bool = True,
    arguments: Sequence[str] = ("discord",),
    before: tuple[str, str, list[Any]] | None = None,
    **more: str,
) -> AsyncIterator[Bot]:
    """The bot at this Discord, killed at the end if it still runs; `before` as in `programs`."""
    lay_database(data / "farkle.db")
    log = data / f"log-{next(_NUMBERS)}"
    with log.open("wb") as file:
        process = programs.start(
            arguments,
            environment(data, discord, **more),
            stdin=file.fileno(),
            stdout=file.fileno(),
            stderr=file.fileno(),
            before=before,
        )
    bot = Bot(process, log)
    try:
        if ready:
            waiting = asyncio.create_task(discord.ready())
            ended = asyncio.create_task(bot.ended())
            await asyncio.wait({waiting, ended}, return_when=asyncio.FIRST_COMPLETED)
            assert not ended.done(), bot.log
            ended.cancel()
            await waiting
        yield bot
    finally:
        process.kill()
        process.wait()
