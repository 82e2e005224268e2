"""Connections that read, each with a thread of its own: a transaction is handed to it once.

Statement by statement every one would wait for its turn of the event loop, which is long where much
goes on; and what is made of many rows would hold up all else.
"""

import asyncio
import traceback
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import aiosqlite
from sqlalchemy import Connection, Engine

from solver.wording import said_in, spoken

T = TypeVar("T")

MOST = 12
"""Most that are open at once; whoever needs one more waits for it."""


class _Reader(aiosqlite.Connection):
    """What aiosqlite is to one connection, for all the statements of a transaction together."""

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine.connect, iter_chunk_size=1)  # type: ignore[arg-type]
        self._thread.daemon = True  # as those of SQLAlchemy are

    async def run(self, work: Callable[[Connection], T]) -> T:
        """What is made of a transaction; it goes on to its end if nobody waits any more."""
        asked = said_in, spoken(), self._transaction, work
        made: T = await self._execute(*asked)  # type: ignore[no-untyped-call]
        return made

    def _transaction(self, work: Callable[[Connection], T]) -> T:
        connection: Any = self._conn
        try:
            with connection.begin():
                return work(connection)
        except BaseException as error:
            # rows that nobody has read keep the transaction open for as long as a frame has them
            traceback.clear_frames(error.__traceback__)
            raise


class Readers:
    """So many connections as are needed at once. For one event loop."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._slots = asyncio.Semaphore(MOST)
        self._free: list[_Reader] = []
        """What was used last comes last: it has most in its cache."""

    async def run(self, work: Callable[[Connection], T]) -> T:
        """What is made of a transaction that sees the database as it is now."""
        await self._slots.acquire()
        try:
            reader = self._free.pop() if self._free else await self._opened()
        except BaseException:
            self._slots.release()
            raise
        reading = asyncio.ensure_future(reader.run(work))
        reading.add_done_callback(partial(self._put_back, reader))
        return await asyncio.shield(reading)

    async def _opened(self) -> _Reader:
        reader = _Reader(self._engine)
        await reader
        return reader

    def _put_back(self, reader: _Reader, reading: asyncio.Task[Any]) -> None:
        """Keep a connection for the next transaction, whoever was told of the last one."""
        if not reading.cancelled():
            reading.exception()
        self._free.append(reader)
        self._slots.release()

    async def close(self) -> None:
        """Let go of the connections, once none is in use any more."""
        for _ in range(MOST):
            await self._slots.acquire()
        try:
            while self._free:
                await self._free.pop().close()
        finally:
            self._engine.dispose()
            for _ in range(MOST):
                self._slots.release()
