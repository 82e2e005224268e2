"""Transactions on one database: reads side by side, writes as its kind takes them.

What is made of rows is made in the event loop, or in a thread where that is faster: it may use what
it was given and nothing that others change.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextvars import ContextVar
from datetime import UTC, datetime
from functools import partial
from typing import Any, TypeVar

from sqlalchemy import Connection, Executable, Table, insert, update
from sqlalchemy.exc import IntegrityError

from bot.store.kinds import Database, Mode
from bot.store.rows import DoneElsewhereError, StoreError
from bot.store.schema import done

T = TypeVar("T")


class Deed:
    """Something that is asked for, by the id that its front has for it."""

    def __init__(self, id: str) -> None:  # noqa: A002 - it is one
        self._id = id
        self._is_ours = False

    async def done(
        self,
        transact: Callable[[Callable[[Connection], T]], Awaitable[T]],
        work: Callable[[Connection], T],
    ) -> T:
        """What some work makes in a transaction, the first of which claims the deed.

        transact : has work done in one, and returns once it is committed

        Raises DoneElsewhereError where another program has done it, and what `transact` does.
        """
        is_first = False

        def claimed(connection: Connection) -> T:
            nonlocal is_first
            if not self._is_ours:
                try:
                    connection.execute(insert(done).values(id=self._id, at=datetime.now(UTC)))
                except IntegrityError:
                    raise DoneElsewhereError.say("another program has done that already") from None
                is_first = self._is_ours = True
            return work(connection)

        try:
            return await transact(claimed)
        except Exception:  # nothing of it is written
            self._is_ours = self._is_ours and not is_first
            raise


doing: ContextVar[Deed | None] = ContextVar("doing", default=None)
"""What is done now, where several programs may have heard of it."""


Work = Callable[[Connection], T]
"""Statements, and what is made of their rows."""


class Transactions:
    """One database. Every method raises StoreError if it cannot be used."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self._running: set[asyncio.Task[Any]] = set()
        self.errors = 0
        """How many transactions the database did not take."""

    async def close(self) -> None:
        """Let go of the database once nothing runs any more."""
        while self._running:
            await asyncio.wait(self._running)
        await self.database.close()

    async def read(self, work: Work[T]) -> T:
        """What is made of a transaction that sees the database as it is now."""
        return await self._made(Mode.READ, work)

    async def rows(self, query: Executable, **values: object) -> Sequence[Any]:
        """What one query finds: it sees the database as it is now by itself.

        values : of the parameters that the query names
        """
        return await self._made(Mode.EACH, _asking(query, values))

    async def glance(self, query: Executable, **values: object) -> Sequence[Any]:
        """What a query finds that asks for a few rows by their key, as every press does.

        values : of the parameters that the query names
        """
        return await self._made(Mode.EACH, _asking(query, values), is_brief=True)

    async def write(self, work: Work[T], mode: Mode = Mode.WRITE) -> T:
        """A transaction that writes: all of it or, after an exception, nothing.

        It is committed when this returns. Who is cancelled meanwhile does not know whether it was
        written. Raises DoneElsewhereError where another program has done what this is part of, see
        `doing`.
        """
        made = partial(self._made, mode, is_brief=mode is not Mode.WRITE)
        if deed := doing.get():
            return await deed.done(made, work)
        return await made(work)

    async def rewrite(self) -> None:
        """Write the database anew without what was deleted."""
        await self._made(Mode.EACH, self.database.rewrite)

    async def _made(self, mode: Mode, work: Work[T], *, is_brief: bool = False) -> T:
        """What is made in a task of its own, so that who is cancelled does not break it off.

        is_brief : whether it is made without waiting where that can be
        """
        try:
            if is_brief and (made := self.database.run_here(mode, work)):
                return made[0]
            running = asyncio.create_task(self.database.run(mode, work))
            self._running.add(running)
            running.add_done_callback(self._over)
            return await asyncio.shield(running)
        except StoreError as error:
            self.errors += type(error) is StoreError  # others are a matter of games
            raise

    def _over(self, running: asyncio.Task[Any]) -> None:
        self._running.discard(running)
        if not running.cancelled():
            running.exception()  # whoever waited may be gone, and then nobody looks at it


def _asking(query: Executable, values: Mapping[str, object]) -> Work[Sequence[Any]]:
    return lambda connection: connection.execute(query, values).all()


def put(connection: Connection, table: Table, row: Mapping[str, Any]) -> None:
    """Write a row in place of the one of its key, if there is one."""
    keys = table.primary_key.columns.keys()
    this = [table.c[key] == row[key] for key in keys]
    rest = {name: value for name, value in row.items() if name not in keys}
    if not connection.execute(update(table).where(*this).values(rest)).rowcount:
        connection.execute(insert(table).values(row))
