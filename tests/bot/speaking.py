"""A chat without a front: what people say, and what is answered."""

from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from pathlib import Path

from bot.chat.commands import Reply
from bot.fronts.lines import spoken_by
from bot.services.advisor import Advisor
from bot.settings import Settings
from bot.wiring import Parts, open_parts
from tests.bot.new_database import lay_database


class Chat:
    """One console, at which everybody may speak."""

    def __init__(self, parts: Parts) -> None:
        self.commands, self.games, self.tasks = parts.commands, parts.games, parts.tasks
        self.pressing = parts.pressing

    async def all(self, line: str) -> list[Reply]:
        """Every reply to a line such as "ann: /roll"."""
        caller, said = spoken_by(line)
        return [reply async for reply in self.commands.answer(said, caller)]

    async def first(self, line: str) -> Reply:
        """The first reply to a line; what would come after it is broken off."""
        caller, said = spoken_by(line)
        async with aclosing(self.commands.answer(said, caller)) as replies:
            return await anext(replies)

    async def answer(self, line: str) -> Reply:
        """The one reply to a line."""
        [reply] = await self.all(line)
        return reply

    async def say(self, line: str) -> str:
        """The texts of all replies, one below the other."""
        return "\n".join(reply.text for reply in await self.all(line))


@asynccontextmanager
async def open_chat(
    data: Path, strategies: Path | None = None, workers: int = 0, needed: float = 0.0
) -> AsyncIterator[Chat]:
    """A chat that keeps its games in the folder `data`, and has so many worker processes.

    needed : seconds that a solve may take for which a question waits
    """
    lay_database(data / "farkle.db")
    advisor = Advisor(strategies or data / "strategies")
    settings = Settings(data=data, workers=workers, needed_seconds=needed)
    async with open_parts(settings, advisor, allow_files=True) as parts:
        yield Chat(parts)
