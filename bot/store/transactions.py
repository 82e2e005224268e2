"""Transactions on one database: reads side by side, writes in turn.

SQLAlchemy hands each statement to the thread of a connection, by aiosqlite. What is made of rows
is made in the event loop.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from filelock import AsyncFileLock, Timeout
from sqlalchemy import Connection, Executable, Table, insert, update

from bot.store.database import (
    MOST_READS,
    READ,
    WRITE,
    Files,
    connect,
    explained,
    rewrite,
    transaction,
)
from bot.store.deeds import doing
from bot.store.errors import StoreError
from solver.folders import OWNER_ONLY

T = TypeVar("T")
Work = Callable[[Connection], T]
"""Statements, and what is made of their rows."""

_LOOK_SECONDS = 0.5
"""Between two looks whether what another program holds is free."""


class Transactions:
    """One database. Every method raises StoreError if the file cannot be used."""

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self._path = path
        self._files = Files(path)
        self._engine = connect(path, read_only=read_only)
        self._reading = asyncio.Semaphore(MOST_READS)
        self._writing = asyncio.Lock()
        """SQLite lets one write at a time, and those who wait sleep ever longer, in no order."""
        self._running: set[asyncio.Task[Any]] = set()
        self.errors = 0
        """How many transactions the database did not take."""

    @property
    def path(self) -> Path:
        """The file of the database."""
        return self._path

    async def close(self) -> None:
        """Let go of the file once nothing runs any more."""
        while self._running:
            await asyncio.wait(self._running)
        await self._engine.dispose()

    @asynccontextmanager
    async def held(self, name: str, when_waiting: Callable[[], object]) -> AsyncIterator[None]:
        """One program of all that use the database has what is called so, others wait for it.

        when_waiting : is called where another program has it

        It is free again as soon as the program ends, however it ends.
        """
        lock = AsyncFileLock(f"{self._path}.{name}.lock", mode=OWNER_ONLY)
        try:
            await lock.acquire(timeout=0)
        except Timeout:
            when_waiting()
            await lock.acquire(poll_interval=_LOOK_SECONDS)
        try:
            yield
        finally:
            await lock.release()

    async def read(self, work: Work[T]) -> T:
        """What is made of a transaction that sees the database as it is now."""
        return await self._made(self._reading, READ, work)

    async def rows(self, query: Executable) -> Sequence[Any]:
        """What one query finds: it sees the database as it is now by itself."""
        return await self._made(
            self._reading, None, lambda connection: connection.execute(query).all()
        )

    async def write(self, work: Work[T]) -> T:
        """A transaction that writes: all of it or, after an exception, nothing.

        It is committed when this returns. Who is cancelled while it runs does not know whether it
        was written; one that has not begun by then never does. Raises DoneElsewhereError where
        another program has done what this is part of, see `doing`.
        """
        if deed := doing.get():
            work = partial(deed.within, work=work)
        return await self._made(self._writing, WRITE, work)

    async def rewrite(self) -> None:
        """Write the file anew without what was deleted, while nothing is written here."""
        await self._made(self._writing, None, partial(rewrite, self._path))

    async def _made(
        self, turn: asyncio.Lock | asyncio.Semaphore, statement: str | None, work: Work[T]
    ) -> T:
        """What is made in a task of its own: who is cancelled does not break it off.

        statement : by which the transaction begins; none where each statement is one
        """
        await turn.acquire()
        running = asyncio.create_task(self._transaction(statement, work))
        self._running.add(running)

        def done(task: asyncio.Task[T]) -> None:
            self._running.discard(task)
            turn.release()

        running.add_done_callback(done)
        try:
            with explained(self._path):
                return await asyncio.shield(running)
        except StoreError as error:
            self.errors += type(error) is StoreError  # others are a matter of games
            raise

    async def _transaction(self, statement: str | None, work: Work[T]) -> T:
        self._files.check()
        async with transaction(self._engine, statement) as connection:
            result = await connection.run_sync(work)
            self._files.note()
            self._files.check()
        return result


def put(connection: Connection, table: Table, row: Mapping[str, Any]) -> None:
    """Write a row in place of the one of its key, if there is one."""
    keys = table.primary_key.columns.keys()
    this = [table.c[key] == row[key] for key in keys]
    rest = {name: value for name, value in row.items() if name not in keys}
    if not connection.execute(update(table).where(*this).values(rest)).rowcount:
        connection.execute(insert(table).values(row))
