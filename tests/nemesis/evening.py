"""An evening: a Discord on this machine, the programs that answer, and their database."""

import signal
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from tests.bot.fronts.discord.endpoint import Endpoint, endpoint
from tests.bot.fronts.discord.loopback import Loopback
from tests.bot.fronts.discord.process import Bot, running
from tests.bot.postgres import Server, server
from tests.bot.waiting import until
from tests.nemesis.people import History

_WAITS = "another program is connected to Discord with this token"


class Evening:
    """One program at the gateway, or several that are asked by requests."""

    def __init__(
        self,
        folder: Path,
        discord: Loopback,
        url: str,
        server: Server | None,
        asked: Endpoint | None,
    ) -> None:
        self._folder, self.discord, self.url = folder, discord, url
        self.server, self.asked = server, asked
        self.path = folder / "farkle.db"
        """The file of the database, if it is one."""
        self.history = History()
        discord.seen = self.history.see
        self.running: list[tuple[Bot, AsyncExitStack]] = []
        self.logs: list[str] = []
        """What programs that have ended wrote."""
        self.died: list[int] = []
        """The exit statuses of those that ended by themselves."""

    async def start(self, *, waits: bool = False) -> Bot:
        """Start one more; where it waits for the one that is connected, until it does."""
        stack = AsyncExitStack()
        how: dict[str, Any] = {"before": ("tests.nemesis.faults", "jump_on_signals", [])}
        how |= {"FARKLE_DATABASE_URL": self.url, "FARKLE_PACE": "0"}
        how |= {"FARKLE_PATIENCE": "", "FARKLE_LATE": ""}  # as people have them
        if self.asked:
            made = self.asked.bot(self._folder, self.discord, **how)
            bot = await stack.enter_async_context(made)
        else:
            bot = await stack.enter_async_context(
                running(self._folder, self.discord, ready=not waits, **how)
            )
            if waits:
                await until(lambda: _WAITS in bot.log or "ready as" in bot.log)
        self.running.append((bot, stack))
        return bot

    async def end(self, number: signal.Signals) -> None:
        """End the one that runs for longest."""
        bot, stack = self.running.pop(0)
        if bot.process.returncode is not None:
            self.died.append(bot.process.returncode)
        await bot.end(number)
        self.logs.append(bot.log)
        await stack.aclose()

    async def end_all(self) -> None:
        """End all in good order."""
        while self.running:
            await self.end(signal.SIGTERM)

    @property
    def complaints(self) -> list[str]:
        """What logs and Discord complain of."""
        told = [log[log.index("Traceback") :][:8_000] for log in self.logs if "Traceback" in log]
        died = [f"a program ended by itself with status {one}" for one in self.died]
        return [*self.discord.problems, *told, *died]


@asynccontextmanager
async def evening(kind: str, folder: Path, programs: int) -> AsyncIterator[Evening]:
    """An evening in a folder of data: on SQLite at the gateway, on PostgreSQL by requests."""
    async with AsyncExitStack() as stack:
        discord = await stack.enter_async_context(Loopback(checks=False).serve())
        url, made, asked = f"sqlite:///{folder / 'farkle.db'}", None, None
        if kind == "postgresql":
            made = stack.enter_context(server())
            url = made.new_database()
            asked, _ = await stack.enter_async_context(endpoint(discord, folder, 0))
        begun = Evening(folder, discord, url, made, asked)
        stack.push_async_callback(begun.end_all)
        for _ in range(programs):
            await begun.start()
        yield begun
