"""Transactions on one database: reads side by side, writes in turn, those that wait in one commit.

Each runs in a thread from its begin to its end, so that the event loop hands it over once and hears
of it once. A commit that outlives a power cut takes as long for many as for one.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine

from bot.store.database import (
    BEGIN,
    CONNECTIONS,
    READ,
    WRITE,
    beside,
    check_beside,
    check_same,
    connect,
    explained,
    file_id,
)
from bot.store.writes import WriteCount
from solver.wording import Language, said_in, spoken

logger = logging.getLogger(__name__)

T = TypeVar("T")
Work = Callable[[Connection], T]
"""Statements, and what is made of their rows; one that writes may be run again after a failure."""

TOGETHER = 100
"""Most transactions in a commit."""


@dataclass(slots=True, eq=False)
class _Write:
    """A transaction that waits for its commit, and who waits for it."""

    work: Work[Any]
    done: asyncio.Future[Any]
    language: Language = field(default_factory=spoken)
    result: Any = None
    error: BaseException | None = None


class Transactions:
    """One database and its threads. Every method raises StoreError if the file cannot be used."""

    def __init__(self, path: Path, engine: Engine) -> None:
        self._path = path
        self._file = file_id(path)
        self._engine = engine
        self._notes = connect(path, synchronous="NORMAL")
        self._readers = ThreadPoolExecutor(CONNECTIONS - 1, thread_name_prefix="read")
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="write")
        """SQLite lets one write at a time, and those who wait sleep ever longer, in no order."""
        self._waiting: deque[_Write] = deque()
        self._count = WriteCount(path)

    @property
    def path(self) -> Path:
        """The file of the database."""
        return self._path

    async def close(self) -> None:
        """Let go of the file."""
        for threads in (self._readers, self._writer):
            await asyncio.to_thread(threads.shutdown)
        self._count.close()
        self._notes.dispose()
        self._engine.dispose()

    async def read(self, work: Work[T]) -> T:
        """What is made of a transaction that sees the database as it is now."""
        return await self._handed(self._readers, self._connected, self._engine, READ, work)

    async def write(self, work: Work[T]) -> T:
        """A transaction that writes: all of it or, after an exception, nothing.

        It is committed when this returns. Who is cancelled while it runs does not know whether it
        was written; one that has not begun by then never does.
        """
        self.check_there()
        one = _Write(work, asyncio.get_running_loop().create_future())
        self._waiting.append(one)
        self._writer.submit(self._write_waiting)
        with explained(self._path):
            result: T = await one.done
        return result

    async def note(self, work: Work[T]) -> T:
        """Statements that are each a transaction, and need not outlive a power cut.

        Nobody who looks for writes of others sees them.
        """
        return await self._handed(self._writer, self._connected, self._notes, "", work)

    async def alone(self, work: Work[T]) -> T:
        """Statements that are no part of a transaction, while nothing is written here."""
        return await self._handed(self._writer, self._connected, self._engine, "", work)

    def foreign_writes(self) -> int:
        """How often others were seen to have written to the database, without a query.

        While the number stays, what was read holds but for what this program itself has changed.
        """
        self.check_there()
        return self._count.foreign()

    def check_there(self) -> None:
        """Raises StoreError where the database is gone, or another file has taken its place."""
        check_same(self._path, self._file)

    async def _handed(self, threads: ThreadPoolExecutor, do: Callable[..., T], *args: Any) -> T:
        """What a function gives in a thread, in the language that is spoken here."""
        running = asyncio.get_running_loop().run_in_executor
        with explained(self._path):
            return await running(threads, said_in, spoken(), do, *args)

    def _connected(self, engine: Engine, begin: str, work: Work[T]) -> T:
        with self._connection(engine, begin) as connection:
            return work(connection)

    def _write_waiting(self) -> None:
        """Run the transactions that wait, in the thread that writes."""
        batch: list[_Write] = []
        while self._waiting and len(batch) < TOGETHER:
            one = self._waiting.popleft()
            if not one.done.cancelled():
                batch.append(one)
        if batch:
            said_in(batch[0].language, self._commit, batch)
            batch[0].done.get_loop().call_soon_threadsafe(self._tell, batch)

    def _commit(self, batch: list[_Write]) -> None:
        """Run transactions as one; where that fails, one by one."""
        begun = False
        try:
            with self._connection(self._engine, WRITE) as connection:
                connection.begin()
                begun = True
                for one in batch:
                    _run(connection, one, apart=len(batch) > 1)
                if any(one.error is None for one in batch):
                    with self._count.raised(connection):
                        self._check_there(connection)
                        connection.commit()
        except BaseException as error:  # whatever it is, somebody waits
            if begun and len(batch) > 1:
                for one in batch:
                    said_in(one.language, self._commit, [one])
            else:
                for one in batch:
                    one.error = one.error or error

    def _tell(self, batch: list[_Write]) -> None:
        """Tell those who wait what came of it, in the event loop."""
        for one in batch:
            if one.done.cancelled():
                if one.error is None:
                    self._count.forget()  # nobody here knows what was written
            elif one.error is not None:
                one.done.set_exception(one.error)
            else:
                one.done.set_result(one.result)

    @contextmanager
    def _connection(self, engine: Engine, begin: str) -> Iterator[Connection]:
        with engine.connect() as connection:
            self._check_there(connection)
            yield connection.execution_options(**{BEGIN: begin})
            if "beside" not in connection.info:  # by now SQLite has opened what is there
                connection.info["beside"] = tuple(map(file_id, beside(self._path)))

    def _check_there(self, connection: Connection) -> None:
        """Raises StoreError where others would not see what this connection does."""
        self.check_there()
        if known := connection.info.get("beside"):
            check_beside(self._path, known)


def _run(connection: Connection, one: _Write, *, apart: bool) -> None:
    """Run a transaction, apart from the others in the same commit: it fails alone.

    Raises what says that all of them have failed.
    """
    one.error = None
    savepoint = connection.begin_nested() if apart else None
    try:
        one.result = said_in(one.language, one.work, connection)
    except Exception as error:
        one.error = error
        if savepoint:
            savepoint.rollback()
    else:
        if savepoint:
            savepoint.commit()
