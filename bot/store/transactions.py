"""Transactions on one database: reads side by side, writes in turn, those that wait in one commit.

One that writes runs in a thread from its begin to its end, so that the event loop hands it over
once and hears of it once. A commit that outlives a power cut takes as long for many as for one.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine

from bot.store.database import (
    BEGIN,
    WRITE,
    FileId,
    beside,
    check_beside,
    check_same,
    connect,
    explained,
    file_id,
)
from bot.store.readers import Readers
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

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self._path = path
        self._file = file_id(path)
        self._engine = connect(path, read_only=read_only)
        self._readers = Readers(connect(path, read_only=read_only))
        self._notes = connect(path, synchronous="NORMAL")
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="write")
        """SQLite lets one write at a time, and those who wait sleep ever longer, in no order."""
        self._waiting: deque[_Write] = deque()
        self._count = WriteCount(path)
        self._has_looked = False
        """Whether writes of others were looked for in this round of the event loop."""
        self._beside: tuple[FileId | None, ...] = ()
        """The files beside the database, as the connection that writes has them open."""

    @property
    def path(self) -> Path:
        """The file of the database."""
        return self._path

    async def close(self) -> None:
        """Let go of the file."""
        await asyncio.to_thread(self._writer.shutdown)
        self._count.close()
        await self._readers.close()
        self._notes.dispose()
        self._engine.dispose()

    async def read(self, work: Work[T]) -> T:
        """What is made of a transaction that sees the database as it is now."""
        self.check_there()
        if self._beside:  # a new connection might see what others do not
            check_beside(self._path, self._beside)
        with explained(self._path):
            return await self._readers.run(partial(self._checked, work))

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
        return await self._handed(self._notes, work)

    async def alone(self, work: Work[T]) -> T:
        """Statements that are no part of a transaction, while nothing is written here."""
        return await self._handed(self._engine, work)

    def foreign_writes(self) -> int:
        """How often others were seen to have written to the database, without a query.

        While the number stays, what was read holds but for what this program itself has changed.
        Others are looked for once in a round of the event loop: who might know of a later write,
        and asks for an answer, is heard in another round.
        """
        if not self._has_looked:
            asyncio.get_running_loop().call_soon(self._look_anew)
            self.check_there()
            self._count.look()
            self._has_looked = True
        return self._count.seen

    def _look_anew(self) -> None:
        self._has_looked = False

    def check_there(self) -> None:
        """Raises StoreError where the database is gone, or another file has taken its place."""
        check_same(self._path, self._file)

    async def _handed(self, engine: Engine, work: Work[T]) -> T:
        """What is made in the thread that writes, in the language that is spoken here."""
        running = asyncio.get_running_loop().run_in_executor
        with explained(self._path):
            return await running(self._writer, said_in, spoken(), self._connected, engine, work)

    def _connected(self, engine: Engine, work: Work[T]) -> T:
        with self._connection(engine, "") as connection:
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
                    self._look_anew()
            elif one.error is not None:
                one.done.set_exception(one.error)
            else:
                one.done.set_result(one.result)

    @contextmanager
    def _connection(self, engine: Engine, begin: str) -> Iterator[Connection]:
        with engine.connect() as connection:
            self._check_there(connection)
            yield connection.execution_options(**{BEGIN: begin})
            self._note_beside(connection)
            if engine is self._engine:
                self._beside = connection.info["beside"]

    def _checked(self, work: Work[T], connection: Connection) -> T:
        """What is made with a connection of those that read."""
        self._check_there(connection)
        result = work(connection)
        self._note_beside(connection)
        return result

    def _note_beside(self, connection: Connection) -> None:
        """Keep which files are beside the database: by now SQLite has opened what is there."""
        if not connection.info.get("beside"):
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
