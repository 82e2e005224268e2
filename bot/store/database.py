"""All that is SQLite's own: how its file is opened, made and checked, and what may be wrong."""

import asyncio
import logging
import os
import sqlite3
import struct
import time
from collections import deque
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import (
    AbstractContextManager,
    AsyncExitStack,
    asynccontextmanager,
    closing,
    contextmanager,
)
from contextvars import copy_context
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

import sqlalchemy as sa
from filelock import AsyncFileLock, FileLock, Timeout
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.ext.asyncio import create_async_engine

from bot.store.kinds import MOST_READS, PATIENCE, Connections, Database, Mode
from bot.store.rows import StoreError
from bot.store.schema import NEWEST, events, make_indexes, metadata, schema_version
from solver.errors import system_reason
from solver.folders import OWNER_ONLY, is_open_to_others, keep_private, make_private
from solver.wording import say_later

T = TypeVar("T")

logger = logging.getLogger(__name__)

_DRIVERS = {"sqlite", "sqlite+aiosqlite"}
"""Both name a file; the second is what earlier versions asked for."""

_READ_ONLY = {"mode": "ro", "uri": "true"}

_LOCK_SECONDS = 60.0
"""For which a start waits for another one, which may have a large database to look through."""

_WITHOUT_DONE = 1
"""The version of tables that lack that of what is done."""

_WRITE = "BEGIN IMMEDIATE"
"""How what writes begins. Who reads first and locks later is refused if another wrote meanwhile."""

_MOST_MOVES = 16
"""Most that are made in one transaction: the event loop does nothing else meanwhile."""

_QUICK_SECONDS = 0.002
"""What a commit may take on average so that the event loop does it itself: to hear of a thread's
takes as long where much goes on."""
_LAST_COMMIT = 0.1
"""What the last commit of the event loop counts in that average."""
_FORGOTTEN = 0.01
"""What share of it a commit of the thread has forgotten, so that the disk is tried again after some
of them. It would tell how long it waits for the interpreter, too."""

_LOOK_SECONDS = 0.5
"""Between two looks whether what another program holds is free."""

_NO_ACCESS = say_later(
    "The database {path} cannot be written; the file and its folder need write access"
)
_DAMAGED = say_later(
    "The database {path} is damaged; put back a copy, or move it away to begin a new one"
)
_REASONS = {
    sqlite3.SQLITE_CORRUPT: _DAMAGED,
    sqlite3.SQLITE_NOTADB: say_later(
        "The database {path} is damaged or not a database; put back a copy, or move it away to"
        " begin a new one"
    ),
    sqlite3.SQLITE_CANTOPEN: say_later(
        "The database {path} cannot be opened; it has to be a file in a folder with write access"
    ),
    sqlite3.SQLITE_READONLY: _NO_ACCESS,
    sqlite3.SQLITE_PERM: _NO_ACCESS,
    sqlite3.SQLITE_IOERR: say_later(
        "The database {path} cannot be read or written; the disk reports an error"
    ),
    sqlite3.SQLITE_FULL: say_later("The database {path} cannot grow; the disk is full"),
    sqlite3.SQLITE_BUSY: say_later(
        "The database {path} was held by another program for more than {seconds:.0f} seconds"
    ),
}


class _Connection(sqlite3.Connection):
    """Commits that outlive a power cut, references that are kept, and text even if damaged."""

    def __init__(self, *values: Any, **named: Any) -> None:
        super().__init__(*values, **named)
        self.text_factory = partial(str, encoding="utf-8", errors="replace")
        self.execute("PRAGMA foreign_keys = ON")
        try:
            self.execute("PRAGMA synchronous = FULL")
        except sqlite3.OperationalError:
            raise
        except sqlite3.DatabaseError:
            # the first statement says that the file is no database; a thread that fails to open one
            # would tell it to an event loop that may be gone by then
            pass


def _connecting() -> dict[str, Any]:
    """What connections are opened with by sqlite3, by way of aiosqlite or not."""
    return {
        "timeout": PATIENCE,
        "isolation_level": None,  # keeps sqlite3 from beginning transactions of its own
        "factory": _Connection,
    }


FileId = tuple[int, int]
"""Identifies a file, whatever it is called: two names of one file have the same."""


def database_path(url: str) -> Path:
    """The file that `url` names. Raises StoreError for anything but an SQLite file."""
    try:
        parts = sa.make_url(url)
    except ArgumentError:
        parts = sa.URL.create("nothing")
    if parts.drivername.startswith("postgresql"):
        raise StoreError(
            "This is for files of SQLite, and FARKLE_DATABASE_URL names a database of PostgreSQL"
        )
    plain = not (parts.host or parts.query) and parts.database not in {None, "", ":memory:"}
    if parts.drivername not in _DRIVERS or not plain:
        raise StoreError.say(
            "FARKLE_DATABASE_URL has to name a file as in sqlite:///farkle.db"
            " or sqlite:////home/ann/farkle.db, or a database of PostgreSQL as in"
            " postgresql+asyncpg://ann@host/farkle"
        )
    return Path(str(parts.database)).absolute()


def file_of(path: Path) -> str:
    """The file as SQLite's addresses name it, to be followed by options."""
    return f"file:{quote(str(path))}"


@dataclass(frozen=True, slots=True)
class _Move:
    """What is to be written, and where whoever asked waits for what it makes."""

    work: Callable[[sa.Connection], Any]
    made: asyncio.Future[Any]

    def succeed(self, result: object) -> None:
        """Tell what it made."""
        if not self.made.done():
            self.made.set_result(result)

    def fail(self, error: BaseException) -> None:
        """Tell why nothing of it is written."""
        if not self.made.done():
            self.made.set_exception(error)


class _ToFile(Connections):
    """Connections to a file: those that read have a thread each, and one thread has what writes.

    A read waits for its thread at each statement, as many do beside each other. What writes waits
    for what wrote before it, so all of it is done in its thread at once. What takes less time than
    a thread does to be heard while the event loop is busy is done in the event loop: to find a few
    rows by their key, and the statements of moves, and their commits as long as the disk is quick.
    Where it is not, all moves that wait are made in one transaction, of which only the commit waits
    for the disk; one that is refused undoes nothing of the others.
    """

    def __init__(self, path: Path, *, read_only: bool) -> None:
        name = file_of(path) if read_only else str(path)
        query = _READ_ONLY if read_only else {}
        how: dict[str, Any] = {
            "max_overflow": 0,
            "hide_parameters": True,  # errors go to logs, and the dice have secrets
            # transactions are begun and ended below; each further end would take a statement more
            "isolation_level": "AUTOCOMMIT",
            "skip_autocommit_rollback": True,
        }
        self._reading = create_async_engine(
            sa.URL.create("sqlite+aiosqlite", database=name, query=query),
            connect_args=_connecting(),
            pool_size=MOST_READS,
            **how,
        )
        url = sa.URL.create("sqlite", database=name, query=query)
        one = partial(sa.create_engine, url, pool_size=1, **how)
        # it is closed in another thread
        self._writing = one(connect_args=_connecting() | {"check_same_thread": False})
        self._glancing = one(connect_args=_connecting() | {"timeout": 0})
        self._glance: sa.Connection | None = None
        self._moving = one(connect_args=_connecting() | {"check_same_thread": False, "timeout": 0})
        self._mover: sa.Connection | None = None
        self._thread = ThreadPoolExecutor(1, "writes")
        self._turn = asyncio.Lock()
        """Is held by what writes."""
        self._moves: deque[_Move] = deque()
        self._making: asyncio.Task[None] | None = None
        self._commit_seconds = 0.0
        """What commits of moves took, on average."""

    async def run(self, mode: Mode, work: Callable[[sa.Connection], T]) -> T:
        """What some work makes of a transaction. sqlite3 would begin one too late by itself."""
        context = copy_context()
        if self.ends_alone(mode):
            move = _Move(lambda connection: context.run(work, connection), asyncio.Future())
            self._moves.append(move)
            if (self._making is None or self._making.done()) and not self._made_at_once():
                self._making = asyncio.create_task(self._make_moves())
            found: T = await move.made
            return found
        if mode is Mode.WRITE:
            async with self._turn:
                return await self._in_thread(lambda connection: context.run(work, connection))
        async with self._reading.connect() as connection:
            if mode is Mode.EACH:
                return await connection.run_sync(work)
            driver: Any = (await connection.get_raw_connection()).driver_connection
            await driver.execute("BEGIN")
            try:
                return await connection.run_sync(work)
            finally:  # nothing was written
                await driver.rollback()

    def ends_alone(self, mode: Mode) -> bool:
        """Whether it is made in the task that makes all moves."""
        return mode in {Mode.APPEND, Mode.BRIEF}

    def glance(self, query: sa.Executable, values: Mapping[str, object]) -> Sequence[Any] | None:
        """What a query finds; None where the database is held or damaged."""
        try:
            if self._glance is None:
                self._glance = self._glancing.connect()
            return self._glance.execute(query, values).all()
        except (DBAPIError, UnicodeDecodeError):
            if self._glance is not None:
                self._glance.close()
            self._glance = None
            return None

    def _made_at_once(self) -> bool:
        """Make all moves that wait, if that waits for no thread; returns whether it did."""
        if self._commit_seconds > _QUICK_SECONDS or self._turn.locked():
            return False
        with self._next_moves() as some:
            if _is_begun(connection := self._to_move()):
                with self._made(connection, some) as commit:
                    commit()
            else:  # another program writes, and is waited for in the thread
                self._moves.extendleft(reversed(some))
        return not self._moves

    async def _make_moves(self) -> None:
        """Make all moves that wait, some in each transaction."""
        while self._moves:
            async with self._turn:
                with self._next_moves() as some:
                    if _is_begun(connection := self._to_move()):
                        with self._made(connection, some) as commit:
                            aside = partial(commit, at_once=False)
                            await asyncio.get_running_loop().run_in_executor(self._thread, aside)
                    else:
                        await self._made_one_by_one(some)

    def _to_move(self) -> sa.Connection:
        """Return the connection that makes moves."""
        if self._mover is None:
            self._mover = self._moving.connect()
        return self._mover

    @contextmanager
    def _next_moves(self) -> Iterator[list[_Move]]:
        """Yield those that are made next; all of them fail with what is raised meanwhile."""
        some = [self._moves.popleft() for _ in range(min(_MOST_MOVES, len(self._moves)))]
        try:
            yield some
        except BaseException as error:
            if self._mover is not None:
                self._mover.close()
                self._mover = None
            for move in some:
                move.fail(error)
            if not isinstance(error, Exception):
                raise

    @contextmanager
    def _made(self, connection: sa.Connection, moves: list[_Move]) -> Iterator[Callable[..., None]]:
        """Make moves in a transaction that is begun, and yield what commits it."""
        made = []
        driver: Any = connection.connection.driver_connection
        try:
            for move in moves:
                driver.execute("SAVEPOINT move")
                try:
                    made.append((move, move.work(connection)))
                except Exception as error:
                    try:
                        driver.execute("ROLLBACK TO move")
                    except sqlite3.Error:  # the database gave up all that was begun
                        raise error from None
                    move.fail(error)
                driver.execute("RELEASE move")
            yield partial(self._commit, driver)
        except BaseException:
            connection.connection.rollback()
            raise
        for move, result in made:
            move.succeed(result)

    def _commit(self, driver: Any, *, at_once: bool = True) -> None:
        begun = time.monotonic()
        driver.commit()
        if at_once:
            more = time.monotonic() - begun - self._commit_seconds
            self._commit_seconds += more * _LAST_COMMIT
        else:
            self._commit_seconds *= 1 - _FORGOTTEN

    async def _made_one_by_one(self, moves: list["_Move"]) -> None:
        for move in moves:
            try:
                move.succeed(await self._in_thread(move.work))
            except Exception as error:
                move.fail(error)

    async def _in_thread(self, work: Callable[[sa.Connection], T]) -> T:
        """What some work makes that may wait for other programs, or takes long."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._written, work)

    def _written(self, work: Callable[[sa.Connection], T]) -> T:
        with self._writing.connect() as connection:
            connection.exec_driver_sql(_WRITE)
            try:
                result = work(connection)
                connection.connection.commit()
            except BaseException:
                connection.connection.rollback()
                raise
            return result

    async def close(self) -> None:
        """Close all, once the moves under way are made."""
        if self._making is not None:
            await asyncio.wait({self._making})
        await asyncio.to_thread(self._thread.shutdown)
        self._writing.dispose()
        for connection in self._glance, self._mover:
            if connection is not None:
                connection.close()
        self._glancing.dispose()
        self._moving.dispose()
        await self._reading.dispose()


def _is_begun(connection: sa.Connection) -> bool:
    """Whether a transaction that writes could be begun without waiting for another one."""
    try:
        driver: Any = connection.connection.driver_connection
        driver.execute(_WRITE)
    except sqlite3.Error:
        return False
    return True


def prepare(path: Path) -> None:
    """Make the database if it is not there, and see that it is whole; one process at a time.

    Raises StoreError, and then leaves the file as it was.
    """
    try:
        make_private(path.parent)
        with FileLock(f"{path}.lock", timeout=_LOCK_SECONDS, mode=OWNER_ONLY), explained(path):
            was_cut = False
            if path.exists():
                if not path.is_file():
                    raise StoreError.say(_REASONS[sqlite3.SQLITE_CANTOPEN], path=path)
                was_cut = _is_cut(path)
                check_whole(path)
            _keep_private(path)
            engine = sa.create_engine(
                sa.URL.create("sqlite", database=str(path)),
                connect_args=_connecting(),
                poolclass=sa.NullPool,
            )
            with engine.connect() as connection:
                connection.exec_driver_sql(_WRITE)
                if not sa.inspect(connection).get_table_names():
                    metadata.create_all(connection)
                    connection.execute(sa.insert(schema_version).values(number=NEWEST))
                elif version_of(connection) == _WITHOUT_DONE:
                    _keep_copy(path)
                    metadata.create_all(connection)
                    connection.execute(sa.update(schema_version).values(number=NEWEST))
                check_version(connection, path)
                make_indexes(connection)
                if was_cut:
                    _tell_end_lost(connection, path)
                connection.commit()
                connection.exec_driver_sql("PRAGMA journal_mode = WAL")
    except OSError as error:
        raise StoreError.say(
            "The database {file} cannot be written ({reason})",
            file=path,
            reason=system_reason(error),
        ) from error


def write_copy(connection: sqlite3.Connection, file: Path) -> None:
    """Write all that is in a database now, without what was deleted, to an empty file."""
    connection.execute("VACUUM INTO ?", [str(file)])


def leave_log(connection: sqlite3.Connection) -> None:
    """Have all that was written in the file itself, so that no log lies beside it.

    Raises sqlite3.OperationalError while others have it open.
    """
    connection.execute("PRAGMA journal_mode = DELETE")


class Files:
    """The files of a database as it was opened: SQLite would go on with those that are deleted.

    Beside the database are its log and index, by which those who have it open know what others
    write; they are there once somebody has read.
    """

    def __init__(self, path: Path) -> None:
        self._paths = path, *_beside(path)
        self._known = [_file_id(path), None, None]

    def note(self) -> None:
        """Keep which files are beside the database: by now SQLite has opened what is there."""
        if None in self._known:
            self._known[1:] = map(_file_id, self._paths[1:])

    def check(self) -> None:
        """Raises StoreError where a file is gone, or another one has taken its place."""
        path, *beside = self._paths
        found = _file_id(path)
        if found is None:
            raise StoreError.say(
                "The database {path} is gone: put it back, or end the program and start it again"
                " to begin a new one",
                path=path,
            )
        if found != self._known[0]:
            raise StoreError.say(
                "The database {path} was replaced while the program was running: start the program"
                " again to go on with the new one",
                path=path,
            )
        for file, known in zip(beside, self._known[1:], strict=True):
            if known is not None and _file_id(file) != known:
                raise StoreError.say(
                    "{path}, a part of the database, was deleted or replaced while the program was"
                    " running: start the program again; nothing is lost",
                    path=file,
                )


class SqliteFile(Database):
    """A file of SQLite. It lets one write at a time; who waits sleeps ever longer, in no order."""

    most_writes = 4 * _MOST_MOVES
    """That wait for each other; most are moves, which are written together."""

    def __init__(self, path: Path) -> None:
        self.url, self.name, self.file = f"sqlite:///{path}", str(path), path
        self.stem = path.stem
        self._path, self._files = path, Files(path)

    async def prepare(self) -> None:
        """Make the file if need be, and see that it is whole."""
        await asyncio.to_thread(prepare, self._path)
        self._files = Files(self._path)

    def check_is_there(self) -> None:
        """Raises StoreError where there is no file."""
        if not self._path.is_file():
            raise StoreError(f"there is no database {self._path}")
        self._files = Files(self._path)

    def connect(self, *, read_only: bool) -> Connections:
        """Connections, each of which has a thread."""
        return _ToFile(self._path, read_only=read_only)

    def explained(self) -> AbstractContextManager[None]:
        """Whatever is wrong with the file becomes a StoreError."""
        return explained(self._path)

    @asynccontextmanager
    async def held(
        self,
        names: Sequence[str],
        when_waiting: Callable[[], object],
        when_lost: Callable[[], object],  # noqa: ARG002 - a lock of the system is never lost
    ) -> AsyncGenerator[None]:
        """One program has the locks of files beside the database."""
        async with AsyncExitStack() as stack:
            for name in names:
                lock = AsyncFileLock(f"{self._path}.{name}.lock", mode=OWNER_ONLY)
                try:
                    await lock.acquire(timeout=0)
                except Timeout:
                    when_waiting()
                    await lock.acquire(poll_interval=_LOOK_SECONDS)
                stack.push_async_callback(lock.release)
            yield

    def problems(self, connection: sa.Connection) -> list[tuple[str, str]]:
        """Return what SQLite itself finds wrong, down to indexes and references."""
        lines = connection.exec_driver_sql("PRAGMA integrity_check").scalars()
        found = [("database", str(line)) for line in lines if line != "ok"]
        for table, *_ in connection.exec_driver_sql("PRAGMA foreign_key_check"):
            found.append((f"table {table}", "a row belongs to a game or seat that is not there"))
        return found

    def rewrite(self, connection: sa.Connection) -> None:
        """Write the file anew. Raises StoreError where what was deleted may still be there."""
        connection.exec_driver_sql("VACUUM")
        if connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").scalar_one():
            raise StoreError.say(
                "The database {path} is read by another program, so what was deleted is"
                " still in its log; try again",
                path=self._path,
            )

    def check_before(self) -> None:
        """Raises StoreError where the file is gone, or another one."""
        self._files.check()

    def check_after(self, mode: Mode) -> None:
        """Raises StoreError where the file went while something was written."""
        self._files.note()
        if mode not in {Mode.EACH, Mode.READ}:
            self._files.check()


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Whatever is wrong with the file becomes a StoreError."""
    try:
        yield
    except UnicodeDecodeError as error:  # damaged text, perhaps in a message of SQLite
        raise StoreError.say(_DAMAGED, path=path) from error
    except (DBAPIError, sqlite3.Error) as error:
        origin = error.orig if isinstance(error, DBAPIError) else error
        reason = _REASONS.get(getattr(origin, "sqlite_errorcode", 0) & 0xFF)
        if reason is None:
            raise
        raise StoreError.say(reason, path=path, seconds=PATIENCE) from error


def _beside(path: Path) -> tuple[Path, Path]:
    return path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm")


def _file_id(path: Path) -> FileId | None:
    try:
        found = os.stat(path)  # noqa: PTH116 - asked for with every press, a third of the time
    except OSError:
        return None
    return found.st_dev, found.st_ino


def check_whole(path: Path) -> None:
    """Raises StoreError where SQLite finds pages damaged, sqlite3.Error where it can read none."""
    with closing(sqlite3.connect(path, timeout=PATIENCE)) as connection:
        [answer] = connection.execute("PRAGMA quick_check(1)").fetchone()
    if answer != "ok":
        raise StoreError.say(_DAMAGED, path=path)


def _is_cut(path: Path) -> bool:
    """Whether what was written last is lost, as the log of the database is damaged or gone."""
    log, index = _beside(path)
    is_gone, written = index.exists() and not log.exists(), complete_frames(log)
    if not written:
        return is_gone
    with closing(sqlite3.connect(path, timeout=PATIENCE)) as connection:
        _, read, _ = connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
    return bool(written > read)


def _tell_end_lost(connection: sa.Connection, path: Path) -> None:
    """Say in the log from when the games are."""
    last = connection.scalar(sa.select(sa.func.max(events.c.at)))
    logger.warning(
        "the log of the database %s was damaged or gone, and what was written last is lost: games"
        " are as they were at %s",
        path,
        last.isoformat(" ", "seconds") if last else "their start",
    )


def check_version(connection: sa.Connection, path: Path | str) -> None:
    """Raises StoreError unless the tables are those of this version of the program."""
    inspector = sa.inspect(connection)
    tables = set(inspector.get_table_names())
    if not tables:
        raise StoreError(
            f"The database {path} is empty; tables are made once the chat or the bot is started"
        )
    if "schema_version" not in tables:
        if {"alembic_version", "games", "events"} <= tables:
            raise StoreError(
                f"The database {path} was made by an earlier version of this program:"
                " `farkle store upgrade` brings it over"
            )
        raise StoreError(f"The database {path} belongs to another program; choose another one")
    if (version_of(connection) or 0) > NEWEST:
        raise StoreError(
            f"The database {path} was made by a newer version of this program; install that one"
        )
    if version_of(connection) == _WITHOUT_DONE:
        raise StoreError(
            f"The database {path} was made by an earlier version of this program, and is brought"
            " over once the chat or the bot is started"
        )
    found = inspector.get_multi_columns()
    for name, table in metadata.tables.items():
        if {one["name"] for one in found.get((None, name), ())} != set(table.columns.keys()):
            raise StoreError.say(_DAMAGED, path=path)


def version_of(connection: sa.Connection) -> int | None:
    """The version of the tables; None for those of before, or of another program."""
    if not sa.inspect(connection).has_table(schema_version.name):
        return None
    return connection.scalar(sa.select(schema_version.c.number)) or 0


def kept_before(path: Path) -> Path:
    """Where a database is kept that was brought up to date."""
    return path.with_name(f"{path.name}.version-{_WITHOUT_DONE}")


def _keep_copy(path: Path) -> None:
    """Write a copy of a database beside it before it is brought up to date."""
    copy = kept_before(path)
    copy.unlink(missing_ok=True)
    copy.touch(OWNER_ONLY)
    with closing(sqlite3.connect(path)) as connection:
        write_copy(connection, copy)
    logger.info("brought %s up to date; before: %s", path, copy)


def _keep_private(path: Path) -> None:
    """Have the owner alone read the database, which holds the secrets of running games."""
    for file in path, *(one for one in _beside(path) if one.exists()):
        try:
            if keep_private(file):
                logger.warning("others could read %s, which holds secrets; no more", file)
        except PermissionError:
            if is_open_to_others(file):
                logger.warning("others can read %s, which holds secrets", file)


_HEADER = struct.Struct(">8I")
_FRAME = struct.Struct(">6I")


def complete_frames(log: Path) -> int:
    """Return how many frames a log has up to its last commit; 0 where there is none.

    SQLite passes over a log that is damaged or gone without a word, and the games go back to what
    they were. Its format is that of https://sqlite.org/fileformat2.html#walformat. Frames of
    an earlier round, which are in the file itself, do not count.
    """
    try:
        with log.open("rb") as file:
            head = file.read(_HEADER.size)
            if len(head) < _HEADER.size:
                return 0
            page, salts = _HEADER.unpack(head)[2], _HEADER.unpack(head)[4:6]
            found, number = 0, 0
            while len(frame := file.read(_FRAME.size)) == _FRAME.size:
                _, size_after_commit, *rest = _FRAME.unpack(frame)
                if number == 0 and not _is_sound(head):
                    salts = rest[0], rest[1]
                number += 1
                if tuple(rest[:2]) == salts and size_after_commit:
                    found = number
                file.seek(page, 1)
            return found
    except OSError:
        return 0


def _is_sound(head: bytes) -> bool:
    """Whether the head of a log is as it was written."""
    order = ">" if head[3] & 1 else "<"
    first = second = 0
    words = struct.unpack(f"{order}6I", head[:24])
    for one, other in zip(words[::2], words[1::2], strict=True):
        first = (first + one + second) & 0xFFFFFFFF
        second = (second + other + first) & 0xFFFFFFFF
    return (first, second) == _HEADER.unpack(head)[6:]
