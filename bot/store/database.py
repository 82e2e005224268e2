"""All that is SQLite's own: how its file is opened, made and checked, and what may be wrong."""

import asyncio
import logging
import os
import sqlite3
import time
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager, closing, contextmanager, suppress
from contextvars import copy_context
from functools import partial
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

import sqlalchemy as sa
from filelock import AsyncFileLock, FileLock, Timeout
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.ext.asyncio import create_async_engine

from bot.store.kinds import MOST_READS, PATIENCE, Database, Mode
from bot.store.rows import StoreError
from bot.store.schema import NEWEST, events, games, make_indexes, metadata, schema_version
from solver.errors import system_reason
from solver.folders import OWNER_ONLY, is_open_to_others, keep_private, make_private
from solver.wording import say_later

T = TypeVar("T")

logger = logging.getLogger(__name__)

_DRIVERS = {"sqlite", "sqlite+aiosqlite"}
"""Both name a file; the second is what earlier versions asked for."""

_LOCK_SECONDS = 60.0
"""Seconds that a start waits for another one, which may look through a large database."""

WITHOUT_DONE = 1
"""The version of tables that lack that of what is done."""

_READ, _WRITE = "BEGIN", "BEGIN IMMEDIATE"
"""How transactions begin. Who reads first and locks later is refused if another wrote meanwhile."""

_QUICK_SECONDS = 0.002
"""What a commit may take on average so that the event loop does it itself: to hear of a thread's
takes as long where much goes on."""
_LAST_COMMIT = 0.1
"""What the last commit of the event loop counts in that average."""
_FORGOTTEN = 0.01
"""What share of it a commit of a thread has forgotten, so that the disk is tried again after some
of them. It would tell how long it waits for the interpreter, too."""

_LOOK_SECONDS = 0.5
"""Seconds between two looks whether what another program holds is free."""

_NO_ACCESS = say_later(
    "The database {path} cannot be written; the file and its folder need write access"
)
_DAMAGED = say_later(
    "The database {path} is damaged; put back a copy, or move it away to begin a new one"
)
_DAMAGED_ON_SERVER = say_later(
    "The database {path} is damaged; put back a copy, or choose an empty one"
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


def _opening(
    path: Path, driver: str = "sqlite", *, read_only: bool = False, **connecting: Any
) -> dict[str, Any]:
    """What an engine of connections to a file is made with; `connecting` goes to `sqlite3`."""
    name, query = (file_of(path), {"mode": "ro", "uri": "true"}) if read_only else (str(path), {})
    how: dict[str, Any] = {
        "timeout": PATIENCE,
        "isolation_level": None,  # keeps sqlite3 from beginning transactions of its own
        "factory": _Connection,
        "check_same_thread": False,  # they are closed in another one
    }
    return {
        "url": sa.URL.create(driver, database=name, query=query),
        "connect_args": how | connecting,
        "hide_parameters": True,  # errors go to logs, and the dice have secrets
    }


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


def prepare(path: Path, named: Path | None = None) -> None:
    """Make the database if it is not there, and see that it is whole; one process at a time.

    named : of what it is a copy, if it is one: where its tables are not ours, that is told of

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
            else:
                _keep_private(path)  # before anything is in it
            with sa.create_engine(**_opening(path), poolclass=sa.NullPool).connect() as connection:
                connection.exec_driver_sql(_WRITE)
                prepare_tables(connection, named or path, file=path)
                if was_cut:
                    last = connection.scalar(sa.select(sa.func.max(events.c.at)))
                    logger.warning(
                        "the log of the database %s was damaged or gone, and what was written last"
                        " is lost: games are as they were at %s",
                        path,
                        last.isoformat(" ", "seconds") if last else "their start",
                    )
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
        self._path = path
        self._known = {path: _file_id(path)}

    @property
    def are_open(self) -> bool:
        """Whether a connection that stays open has the log."""
        return len(self._known) > 1

    def note(self) -> None:
        """Keep which files are beside the database: by now SQLite has opened what is there."""
        for file in _beside(self._path) if len(self._known) == 1 else ():
            if file_id := _file_id(file):
                self._known[file] = file_id

    def check(self) -> None:
        """Raises StoreError where a file is gone, or another one has taken its place."""
        for file, known in self._known.items():
            if (file_id := _file_id(file)) == known:
                continue
            if file != self._path:
                raise StoreError.say(
                    "{path}, a part of the database, was deleted or replaced while the program was"
                    " running: start the program again; nothing is lost",
                    path=file,
                )
            if file_id is None:
                raise StoreError.say(
                    "The database {path} is gone: put it back, or end the program and start it"
                    " again to begin a new one",
                    path=file,
                )
            raise StoreError.say(
                "The database {path} was replaced while the program was running: start the program"
                " again to go on with the new one",
                path=file,
            )


class SqliteFile(Database):
    """A file of SQLite: aiosqlite reads it, and as it lets one write at a time, a thread writes.

    What takes less time than a thread does to be heard of is done in the event loop: to find a few
    rows by their key, and a move, as long as the disk is quick and nobody else writes.
    """

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self.url, self.name, self.file = f"sqlite:///{path}", str(path), path
        self.stem = path.stem
        self._path, self._files = path, Files(path)
        how = partial(_opening, path, read_only=read_only)
        # transactions are begun and ended below; each further end would take a statement more
        one_by_one: dict[str, Any] = {
            "isolation_level": "AUTOCOMMIT",
            "skip_autocommit_rollback": True,
            "max_overflow": 0,
        }
        self._reading = create_async_engine(
            **how("sqlite+aiosqlite"), pool_size=MOST_READS, **one_by_one
        )
        self._readers = asyncio.Semaphore(MOST_READS)
        self._writing = sa.create_engine(**how(), pool_size=1, **one_by_one)
        self._writer = ThreadPoolExecutor(1, "writes")
        self._in_loop = sa.create_engine(**how(timeout=0), pool_size=1, **one_by_one)
        self._here: sa.Connection | None = None
        """The connection of the event loop."""
        self._commit_seconds = 0.0
        """What commits of the event loop took, on average."""
        self._writes = 0
        """How many wait for the thread that writes."""

    async def prepare(self) -> None:
        """Make the file if need be, and see that it is whole."""
        await asyncio.to_thread(prepare, self._path)
        self._files = Files(self._path)

    def check_is_there(self) -> None:
        """Raises StoreError where there is no file."""
        if not self._path.is_file():
            raise StoreError(f"there is no database {self._path}")
        self._files = Files(self._path)

    async def run(self, mode: Mode, work: Callable[[sa.Connection], T]) -> T:
        """What some work makes of a transaction, in threads."""
        with self._used(mode):
            if not _writes(mode):
                made = work if mode is Mode.EACH else partial(_whole, _READ, work)
                async with self._readers, self._reading.connect() as connection:
                    return await connection.run_sync(made)
            written = partial(copy_context().run, self._write, work)
            self._commit_seconds *= 1 - _FORGOTTEN
            self._writes += 1
            try:
                return await asyncio.get_running_loop().run_in_executor(self._writer, written)
            finally:
                self._writes -= 1

    def run_here(self, mode: Mode, work: Callable[[sa.Connection], T]) -> tuple[T] | None:
        """What some work makes in the event loop; None where the disk is slow or the file held."""
        is_slow = self._writes > 0 or self._commit_seconds > _QUICK_SECONDS
        if not self._files.are_open or (_writes(mode) and is_slow):
            return None
        with self._used(mode):
            try:
                self._here = self._here or self._in_loop.connect()
                if not _writes(mode):
                    return (work(self._here),)
                self._here.exec_driver_sql(_WRITE)
            except (DBAPIError, UnicodeDecodeError):  # a thread waits, or is told what is wrong
                self._let_go()
                return None
            try:
                with _ended(self._here):
                    result = work(self._here)
                    begun = time.monotonic()
            except BaseException:
                self._let_go()
                raise
            difference = time.monotonic() - begun - self._commit_seconds
            self._commit_seconds += difference * _LAST_COMMIT
            return (result,)

    def _write(self, work: Callable[[sa.Connection], T]) -> T:
        """What some work makes in the thread that writes."""
        with self._writing.connect() as connection:
            return _whole(_WRITE, work, connection)

    @contextmanager
    def _used(self, mode: Mode) -> Iterator[None]:
        """The file is there, also after what is written meanwhile. Errors become StoreErrors."""
        self._files.check()
        with explained(self._path):
            yield
        self._files.note()
        if _writes(mode):
            self._files.check()

    def _let_go(self) -> None:
        if self._here is not None:
            self._here.close()
        self._here = None

    async def close(self) -> None:
        """Close all connections, and end their threads."""
        await asyncio.to_thread(self._writer.shutdown)
        self._let_go()
        self._in_loop.dispose()
        self._writing.dispose()
        await self._reading.dispose()
        with suppress(OSError, sqlite3.Error):
            log, _ = _beside(self._path)
            if not log.stat().st_size:
                # who only read has made it, and cannot delete it; SQLite does if nobody else has it
                here = f"{file_of(self._path)}?mode=rw"
                with closing(sqlite3.connect(here, uri=True)) as last:
                    last.execute("PRAGMA schema_version").fetchone()

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
        problems = [("database", str(line)) for line in lines if line != "ok"]
        for table, *_ in connection.exec_driver_sql("PRAGMA foreign_key_check"):
            problems.append((f"table {table}", "a row belongs to a game or seat that is not there"))
        return problems

    def rewrite(self, connection: sa.Connection) -> None:
        """Write the file anew. Raises StoreError where what was deleted may still be there."""
        connection.exec_driver_sql("VACUUM")
        if connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").scalar_one():
            raise StoreError.say(
                "The database {path} is read by another program, so what was deleted is"
                " still in its log; try again",
                path=self._path,
            )


def _writes(mode: Mode) -> bool:
    return mode not in {Mode.EACH, Mode.READ}


def _whole(begin: str, work: Callable[[sa.Connection], T], connection: sa.Connection) -> T:
    """What some work makes of one transaction."""
    connection.exec_driver_sql(begin)
    with _ended(connection):
        return work(connection)


@contextmanager
def _ended(connection: sa.Connection) -> Iterator[None]:
    """Commit a transaction that was begun, or give it up after an exception."""
    try:
        yield
        connection.connection.commit()
    except BaseException:
        connection.connection.rollback()
        raise


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


def _file_id(path: Path) -> tuple[int, int] | None:
    """What two names of one file have in common; None where there is none."""
    try:
        status = os.stat(path)  # noqa: PTH116 - asked for with every press, a third of the time
    except OSError:
        return None
    return status.st_dev, status.st_ino


def check_whole(path: Path) -> None:
    """Raises StoreError where SQLite finds pages damaged, sqlite3.Error where it can read none."""
    with closing(sqlite3.connect(path, timeout=PATIENCE)) as connection:
        [answer] = connection.execute("PRAGMA quick_check(1)").fetchone()
    if answer != "ok":
        raise StoreError.say(_DAMAGED, path=path)


def _is_cut(path: Path) -> bool:
    """Whether what was written last is lost, as the log of the database is damaged or gone.

    SQLite passes over such a log without a word, and the games go back to what they were. Its
    format is that of https://sqlite.org/fileformat2.html#walformat: frames of a page each, of which
    the last of a transaction has the size of the database. A round through it has two random
    numbers, which its head and its frames tell; the first of them is one more in the next round.
    """
    log, index = _beside(path)
    if not log.exists():
        # made first and deleted last of the two: another program may begin or end meanwhile
        return index.exists() and not log.exists()
    opening = partial(sqlite3.connect, path, timeout=PATIENCE, isolation_level=None)
    with closing(opening()) as alone, closing(opening()) as connection:
        alone.execute(_WRITE)  # another program would begin a new round after this look at it
        content = log.read_bytes()
        [page] = connection.execute("PRAGMA page_size").fetchone()
        _, read, _ = connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
    head, first = content[16:24], content[40:48]
    is_new = int.from_bytes(head[:4]) == int.from_bytes(first[:4]) + 1
    rounds = {head} if is_new else {head, first}  # either may be damaged
    frames = [content[at : at + 16] for at in range(32, len(content) - 24, page + 24)]
    ends = (k for k, frame in enumerate(frames, 1) if frame[8:] in rounds and any(frame[4:8]))
    # it is -1 while another program looks through it
    return bool(max(ends, default=0) > read >= 0)


def prepare_tables(
    connection: sa.Connection, name: Path | str, *, file: Path | None = None
) -> None:
    """Make the tables if there are none, or bring those of the version before up to date.

    file : the file that the database is, if it is one: made private if it is ours, and copied
        before it is brought up to date

    Raises StoreError unless the tables are those of this program and not of another version.
    """
    if not sa.inspect(connection).get_table_names():
        metadata.create_all(connection)
        connection.execute(sa.insert(schema_version).values(number=NEWEST))
    check_ours(connection, name)
    if file:
        _keep_private(file)
    if version_of(connection) == WITHOUT_DONE:
        if file:
            _keep_copy(file)
        metadata.create_all(connection)
        connection.execute(sa.update(schema_version).values(number=NEWEST))
    _check_newest(connection, name)
    make_indexes(connection)


def check_ours(connection: sa.Connection, path: Path | str) -> None:
    """Raises StoreError unless the tables are those of this program, of whatever version."""
    tables = set(sa.inspect(connection).get_table_names())
    if not tables:
        raise StoreError(
            f"The database {path} is empty; tables are made once the chat or the bot is started"
        )
    # others name tables of versions so, too
    versions = {schema_version.name, "alembic_version"}
    missing = sorted({games.name, events.name} - tables)
    missing += [] if versions & tables else [schema_version.name]
    if missing and any(_is_ours(connection, name) for name in tables - versions):
        other = "move it away to begin a new one" if _is_file(connection) else "choose an empty one"
        raise StoreError(
            f"The database {path} is incomplete, it lacks {' and '.join(missing)}; put back a copy,"
            f" or {other}"
        )
    if missing:
        raise StoreError(f"The database {path} belongs to another program; choose another one")


def _is_ours(connection: sa.Connection, name: str) -> bool:
    """Whether a table has the name and the columns of one of this program."""
    table = metadata.tables.get(name)
    if table is None:
        return False
    columns = sa.inspect(connection).get_columns(name)
    return {column["name"] for column in columns} == set(table.columns.keys())


def check_version(connection: sa.Connection, path: Path | str) -> None:
    """Raises StoreError unless the tables are those of this version of the program."""
    check_ours(connection, path)
    _check_newest(connection, path)


def _check_newest(connection: sa.Connection, path: Path | str) -> None:
    """Raises StoreError unless the tables, which are ours, are those of this version."""
    version = version_of(connection)
    if version is None:
        raise StoreError(
            f"The database {path} was made by an earlier version of this program:"
            " `farkle store upgrade` brings it over"
        )
    if version > NEWEST:
        raise StoreError(
            f"The database {path} was made by a newer version of this program; install that one"
        )
    if version == WITHOUT_DONE:
        raise StoreError(
            f"The database {path} was made by an earlier version of this program, and is brought"
            " over once the chat or the bot is started"
        )
    schema = sa.inspect(connection).get_multi_columns()
    for name, table in metadata.tables.items():
        if {column["name"] for column in schema.get((None, name), ())} != set(table.columns.keys()):
            damaged = _DAMAGED if _is_file(connection) else _DAMAGED_ON_SERVER
            raise StoreError.say(damaged, path=path)


def _is_file(connection: sa.Connection) -> bool:
    """Whether the database is a file, which can be moved away, and not one of a server."""
    return connection.dialect.name == "sqlite"


def version_of(connection: sa.Connection) -> int | None:
    """The version of the tables of this program; None for those of before."""
    if not sa.inspect(connection).has_table(schema_version.name):
        return None
    return connection.scalar(sa.select(schema_version.c.number)) or 0


def kept_before(path: Path) -> Path:
    """Where a database is kept that was brought up to date."""
    return path.with_name(f"{path.name}.version-{WITHOUT_DONE}")


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
    for file in path, *(part for part in _beside(path) if part.exists()):
        try:
            if keep_private(file):
                logger.warning("others could read %s, which holds secrets; no more", file)
        except PermissionError:
            if is_open_to_others(file):
                logger.warning("others can read %s, which holds secrets", file)
