"""The finished games of a person, looked back on: what levels and drills are made of.

A game is reviewed once, when somebody first asks for what follows from it; what was found of its
seats is kept.
"""

from collections.abc import AsyncIterator
from contextlib import suppress

from bot.services.chances import Oracle
from bot.services.reckoning import lessons_in
from bot.services.tables import Caller, Table, Tables
from bot.store.errors import DamagedGameError, MissingGameError
from bot.store.reviews import keep_review, unreviewed
from bot.tasks.answering import at_once
from bot.tasks.tasks import Delay, Task, TaskCancelledError
from bot.tasks.workers import TaskError
from solver.errors import StrategyFileError
from solver.wording import say_later

MOST_GAMES = 20
"""Games that are reviewed at a time."""

_LOADED = 100
"""Games that are looked at for these."""
_SECONDS = 0.3
"""About what a review takes."""
_LONG = 10.0
"""Seconds from which on is said how long it takes."""


class LookingBack:
    """Reviews what people have played, game by game."""

    def __init__(self, tables: Tables, oracle: Oracle) -> None:
        self._tables = tables
        self._oracle = oracle
        self._passed: set[str] = set()
        """Games that cannot be reviewed exactly, until the program starts anew."""

    async def catch_up(
        self, caller: Caller, person: str, place: str | None = None
    ) -> AsyncIterator[Delay]:
        """Review some games of a person that were not, the newest first; how long there is to wait.

        place : where they were played; None for anywhere

        Raises TaskError, InvalidRequestError where that is too much now, and StoreError.
        """
        found = await self._to_review(person, place)
        if not found:
            return
        what = say_later("review")
        async with self._oracle.tasks.task(caller.asker, what, len(found), _SECONDS) as task:
            if task.left > _LONG:
                yield Delay(task.what, 0, task.left)
            for table in found:
                async for delay in self._review(task, table):
                    if table is found[0]:
                        yield delay

    async def _review(self, task: Task, table: Table) -> AsyncIterator[Delay]:
        """Review a game and keep what is found; how long there is to wait."""
        game, asked = table.game, (self._oracle.advisor, table.begun, table.events)
        try:
            async for told in task.told(lessons_in, *asked):
                if isinstance(told, Delay):
                    yield told
                else:
                    await keep_review(self._tables.store, game.id, game.version, told)
        except TaskCancelledError:
            raise
        except StrategyFileError:  # it is solved no more, or not for the two who were left
            self._passed.add(game.id)
        except TaskError:  # the next time the others have their turn
            self._passed.add(game.id)
            raise

    async def left(self, person: str, place: str | None = None) -> int:
        """How many games of a person could be reviewed yet, as far as is known."""
        games = await unreviewed(self._tables.store, person, place)
        return sum(game not in self._passed for game in games)

    async def _to_review(self, person: str, place: str | None) -> list[Table]:
        games = await unreviewed(self._tables.store, person, place)
        found: list[Table] = []
        for game_id in [one for one in games if one not in self._passed][:_LOADED]:
            with suppress(DamagedGameError, MissingGameError):
                table = await self._tables.load(game_id)
                if await at_once(self._is_exact, table):
                    found.append(table)
                else:
                    self._passed.add(game_id)
            if len(found) == MOST_GAMES:
                break
        return found

    def _is_exact(self, table: Table) -> bool:
        """Whether a game is over whose dice were all taken, and its chances are exact."""
        game = table.game
        return game.over and bool(game.kits or not game.pool) and self._oracle.is_exact(game)
