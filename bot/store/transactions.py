"""Transactions on one database: reads side by side, writes as its kind takes them.

What is made of rows is made in the event loop, or in a thread where that is faster: it may use what
it was given and nothing that others change.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from contextvars import ContextVar
from datetime import UTC, datetime
from functools import partial
from typing import Any, TypeVar

from sqlalchemy import Connection, Executable, Table, insert, update
from sqlalchemy.exc import IntegrityError

from bot.store.kinds import MOST_READS, Database, Mode
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
            is_first = not self._is_ours
            if is_first:
                try:
                    connection.execute(insert(done).values(id=self._id, at=datetime.now(UTC)))
                except IntegrityError:
                    raise DoneElsewhereError.say("another program has done that already") from None
            self._is_ours = True
            try:
                return work(connection)
            except BaseException:  # nothing of it is written
                self._is_ours = not is_first
                raise

        try:
            return await transact(claimed)
        except Exception:  # nor where it is not committed
            self._is_ours = self._is_ours and not is_first
            raise


doing: ContextVar[Deed | None] = ContextVar("doing", default=None)
"""What is done now, where several programs may have heard of it."""


Work = Callable[[Connection], T]
"""Statements, and what is made of their rows."""


class Transactions:
    """One database. Every method raises StoreError if it cannot be used."""

    def __init__(self, database: Database, *, read_only: bool = False) -> None:
        self.database = database
        self._connections = database.connect(read_only=read_only)
        self._reading = asyncio.Semaphore(MOST_READS)
        self._writing = asyncio.Semaphore(database.most_writes)
        self._running: set[asyncio.Task[Any]] = set()
        self.errors = 0
        """How many transactions the database did not take."""

    async def close(self) -> None:
        """Let go of the file once nothing runs any more."""
        while self._running:
            await asyncio.wait(self._running)
        await self._connections.close()

    async def read(self, work: Work[T]) -> T:
        """What is made of a transaction that sees the database as it is now."""
        return await self._made(self._reading, Mode.READ, work)

    async def rows(self, query: Executable, **values: object) -> Sequence[Any]:
        """What one query finds: it sees the database as it is now by itself.

        values : of the parameters that the query names
        """
        return await self._made(
            self._reading, Mode.EACH, lambda connection: connection.execute(query, values).all()
        )

    async def glance(self, query: Executable, **values: object) -> Sequence[Any]:
        """What a query finds that asks for a few rows by their key, as every press does.

        values : of the parameters that the query names
        """
        with suppress(StoreError):  # which is raised below, too
            self.database.check_before()
            found = self._connections.glance(query, values)
            self.database.check_after(Mode.EACH)
            if found is not None:
                return found
        return await self.rows(query, **values)

    async def write(self, work: Work[T], mode: Mode = Mode.WRITE) -> T:
        """A transaction that writes: all of it or, after an exception, nothing.

        It is committed when this returns. Who is cancelled meanwhile does not know whether it was
        written. Raises DoneElsewhereError where another program has done what this is part of, see
        `doing`.
        """
        if deed := doing.get():
            return await deed.done(partial(self._made, self._writing, mode), work)
        return await self._made(self._writing, mode, work)

    async def rewrite(self) -> None:
        """Write the database anew without what was deleted."""
        await self._made(self._writing, Mode.EACH, self.database.rewrite)

    async def _made(self, turn: asyncio.Semaphore, mode: Mode, work: Work[T]) -> T:
        """What is made in a task of its own: who is cancelled does not break it off."""
        if self._connections.ends_alone(mode):
            # a press waits for fewer turns of the event loop, each as long as all others' work
            async with turn:
                return await self._explained(self._transaction(mode, work))
        await turn.acquire()
        running = asyncio.create_task(self._transaction(mode, work))
        self._running.add(running)

        def done(task: asyncio.Task[T]) -> None:
            self._running.discard(task)
            turn.release()
            if not task.cancelled():
                task.exception()  # whoever waited may be gone, and then nobody looks at it

        running.add_done_callback(done)
        return await self._explained(asyncio.shield(running))

    async def _explained(self, work: Awaitable[T]) -> T:
        """What some work comes to; what the database does not take is counted."""
        try:
            with self.database.explained():
                return await work
        except StoreError as error:
            self.errors += type(error) is StoreError  # others are a matter of games
            raise

    async def _transaction(self, mode: Mode, work: Work[T]) -> T:
        self.database.check_before()
        result = await self._connections.run(mode, work)
        self.database.check_after(mode)
        return result


def put(connection: Connection, table: Table, row: Mapping[str, Any]) -> None:
    """Write a row in place of the one of its key, if there is one."""
    keys = table.primary_key.columns.keys()
    this = [table.c[key] == row[key] for key in keys]
    rest = {name: value for name, value in row.items() if name not in keys}
    if not connection.execute(update(table).where(*this).values(rest)).rowcount:
        connection.execute(insert(table).values(row))
