"""One SQLite file: how it is opened and brought up to date, and what is wrong with it in words."""

import json
import logging
import sqlite3
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any
from urllib.parse import quote

from filelock import FileLock
from sqlalchemy import URL, Connection, Engine, NullPool, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError

from bot.store.checksums import crc32
from bot.store.errors import StoreError
from bot.store.readers import MOST
from bot.store.rescue import is_whole, rescue
from bot.store.schema import NEWEST, metadata
from bot.store.survey import set_aside_damaged
from solver.errors import system_reason
from solver.folders import OWNER_ONLY, is_open_to_others, keep_private, make_private
from solver.wording import say_later

logger = logging.getLogger(__name__)

_DRIVERS = {"sqlite", "sqlite+aiosqlite"}
"""Both name a file; the second is what earlier versions asked for."""

PATIENCE = 30.0
"""Seconds that a transaction waits for another one to end."""

_READ_ONLY = {"mode": "ro", "uri": "true"}

PAGE_SIZE = 8192
"""Bytes of a page: all that SQLite knows of the tables fits into the first one.

Where it does not, any page that holds a part of it takes whole tables with it when it is damaged.
"""

_LOCK_SECONDS = 60.0
"""For which a start waits for another one, which may have a large database to look through."""

BEGIN = "sqlite_begin"
"""Execution option of a connection: how its transactions begin; empty for none at all."""
READ = "BEGIN"
WRITE = "BEGIN IMMEDIATE"
"""Locks at once: who reads first and locks later is refused if another wrote in between."""

_NO_ACCESS = say_later(
    "The database {path} cannot be written; the file and its folder need write access"
)
_REASONS = {
    sqlite3.SQLITE_CORRUPT: say_later(
        "The database {path} is damaged; put back a copy, or move it away to begin a new one"
    ),
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

UNREADABLE = object()
"""What is read of JSON that is none."""

FileId = tuple[int, int]
"""Identifies a file, whatever it is called: two names of one file have the same."""


class _DamagedTablesError(StoreError):
    """SQLite finds nothing wrong, but tables are not as they were made."""


_one_migration = Lock()
"""Alembic keeps the migration under way in a global."""


def database_path(url: str) -> Path:
    """The file that `url` names. Raises StoreError for anything but an SQLite file."""
    try:
        parts = make_url(url)
    except ArgumentError:
        parts = URL.create("nothing")
    plain = not (parts.host or parts.query) and parts.database not in {None, "", ":memory:"}
    if parts.drivername not in _DRIVERS or not plain:
        raise StoreError.say(
            "FARKLE_DATABASE_URL has to name a file as in sqlite:///farkle.db"
            " or sqlite:////home/ann/farkle.db; no other databases or options are supported yet"
        )
    return Path(str(parts.database)).absolute()


def connect(path: Path, *, read_only: bool = False, synchronous: str = "FULL") -> Engine:
    """Connections for threads to a database that is up to date.

    synchronous : SQLite's setting; with FULL what was acknowledged outlives a power cut
    """
    name = f"file:{quote(str(path))}" if read_only else str(path)
    url = URL.create("sqlite", database=name, query=_READ_ONLY if read_only else {})
    engine = create_engine(url, **_options())
    _set_up(engine, synchronous)
    # none is ever opened to another file of the same name
    file = file_id(path)
    event.listen(engine, "do_connect", lambda *_: check_same(path, file))
    event.listen(engine, "connect", lambda *_: check_same(path, file))
    return engine


def migrate(path: Path) -> None:
    """Bring the database up to date, making it if it is not there; one process at a time.

    Raises StoreError, and then leaves the file as it was.
    """
    try:
        make_private(path.parent)
        with (
            FileLock(f"{path}.lock", timeout=_LOCK_SECONDS, mode=OWNER_ONLY),
            _one_migration,
            explained(path),
        ):
            if path.exists():
                if not path.is_file():
                    raise StoreError.say(_REASONS[sqlite3.SQLITE_CANTOPEN], path=path)
                if path.stat().st_size and not is_whole(path, PATIENCE):
                    _rescue(path)
            # what is no database stays as it is
            _keep_private(path)
            try:
                _bring_up_to_date(path)
            except _DamagedTablesError:
                _rescue(path)
                _bring_up_to_date(path)
    except OSError as error:
        raise StoreError.say(
            "The database {file} cannot be written ({reason})",
            file=path,
            reason=system_reason(error),
        ) from error


def _bring_up_to_date(path: Path) -> None:
    """Make the tables or change them, and set games aside that are seen to be damaged."""
    engine = create_engine(
        URL.create("sqlite", database=str(path)),
        connect_args={"timeout": PATIENCE, "factory": _Connection},
        poolclass=NullPool,
    )
    _set_up(engine)
    with engine.connect().execution_options(**{BEGIN: WRITE}) as connection:
        size = connection.exec_driver_sql("PRAGMA page_size").scalar_one()
        is_new = _upgrade(connection, path)
        set_aside_damaged(connection)
        connection.commit()
    if is_new or size != PAGE_SIZE:
        _lay_out(path)
    with engine.connect().execution_options(**{BEGIN: ""}) as connection:
        connection.exec_driver_sql("PRAGMA journal_mode = WAL")


def _lay_out(path: Path) -> None:
    """Write the file anew, in pages of `PAGE_SIZE`; each table begins where `rescue` looks for it.

    Where other programs have it open, or the disk is full, it stays as it is.
    """
    with closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as connection:
        try:
            connection.execute("PRAGMA journal_mode = DELETE")  # a log fixes the size of pages
            connection.execute(f"PRAGMA page_size = {PAGE_SIZE}")
            connection.execute("VACUUM")
        except sqlite3.OperationalError as error:
            logger.warning("the database %s was not written anew: %s", path, error)


def _rescue(path: Path) -> None:
    """Put what can be read of a database with damaged pages in its place."""
    empty = path.with_name(f".{path.name}.rescued")
    for file in (empty, *beside(empty)):
        file.unlink(missing_ok=True)
    keep_private(empty)
    try:
        _bring_up_to_date(empty)
        if not rescue(path, empty, PATIENCE):
            raise StoreError.say(_REASONS[sqlite3.SQLITE_CORRUPT], path=path)
    finally:
        for file in (empty, *beside(empty)):
            file.unlink(missing_ok=True)


def file_id(path: Path) -> FileId | None:
    """The file of this name, None if there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def beside(path: Path) -> tuple[Path, Path]:
    """The files by which those who have a database open know what others write: log and index."""
    return path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm")


def check_same(path: Path, expected: FileId | None) -> None:
    """Raises StoreError unless the database is the file that it was when opened.

    SQLite would go on with the one that nobody can reach any more.
    """
    found = file_id(path)
    if found is None:
        raise StoreError.say(
            "The database {path} is gone: put it back, or end the program and start it again to"
            " begin a new one",
            path=path,
        )
    if found != expected:
        raise StoreError.say(
            "The database {path} was replaced while the program was running: start the program"
            " again to go on with the new one",
            path=path,
        )


def check_beside(path: Path, expected: tuple[FileId | None, ...]) -> None:
    """Raises StoreError unless the files beside the database are those that they were."""
    for file, known in zip(beside(path), expected, strict=True):
        if file_id(file) != known:
            raise StoreError.say(
                "{path}, a part of the database, was deleted or replaced while the program was"
                " running: start the program again; nothing is lost",
                path=file,
            )


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Whatever is wrong with the file becomes a StoreError."""
    try:
        yield
    except UnicodeDecodeError as error:  # a message of SQLite with damaged text in it
        raise StoreError.say(_REASONS[sqlite3.SQLITE_CORRUPT], path=path) from error
    except (DBAPIError, sqlite3.Error) as error:
        origin = error.orig if isinstance(error, DBAPIError) else error
        reason = _REASONS.get(getattr(origin, "sqlite_errorcode", 0) & 0xFF)
        if reason is None:
            raise
        raise StoreError.say(reason, path=path, seconds=PATIENCE) from error


def _upgrade(connection: Connection, path: Path) -> bool:
    """Bring the tables up to date; whether there was anything to do.

    Raises StoreError for those that are not of this program.
    """
    tables = _columns(connection)
    revision = _revision(connection) if "alembic_version" in tables else None
    if revision is None and metadata.tables.keys() <= tables.keys():
        raise _DamagedTablesError.say(_REASONS[sqlite3.SQLITE_CORRUPT], path=path)
    if revision is None and tables:
        raise StoreError(f"The database {path} belongs to another program; choose another file")
    if revision != NEWEST:
        # only here: Alembic takes longer to load than all else that a start does
        from bot.store.upgrades import upgrade  # noqa: PLC0415

        upgrade(connection, path, revision)
        tables = _columns(connection)
    for name, table in metadata.tables.items():
        if not tables.get(name, set()) >= set(table.columns.keys()):
            raise _DamagedTablesError.say(_REASONS[sqlite3.SQLITE_CORRUPT], path=path)
    return revision != NEWEST


def _columns(connection: Connection) -> dict[str, set[str]]:
    """The names of the columns that are there, by table."""
    rows = connection.exec_driver_sql(
        # other programs' virtual tables may need a module that is not here
        "SELECT s.name, c.name FROM sqlite_master AS s LEFT JOIN pragma_table_info("
        " CASE WHEN s.sql LIKE 'CREATE VIRTUAL%' THEN '' ELSE s.name END) AS c"
        " WHERE s.type = 'table' AND s.name NOT LIKE 'sqlite~_%' ESCAPE '~'"
    )
    found: dict[str, set[str]] = defaultdict(set)
    for table, column in rows:
        found[table].add(column)
    return dict(found)


def _revision(connection: Connection) -> str | None:
    """The revision of the tables, None where there is not exactly one."""
    found = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalars().all()
    return str(found[0]) if len(found) == 1 else None


def _set_up(engine: Engine, synchronous: str = "FULL") -> None:
    """SQLAlchemy's recipe for transactions on SQLite, and the settings of every connection."""

    def on_connect(connection: Any, _: object) -> None:
        connection.isolation_level = None  # keeps sqlite3 from beginning transactions of its own
        cursor = connection.cursor()
        cursor.execute("PRAGMA foreign_keys = ON")
        cursor.execute(f"PRAGMA synchronous = {synchronous}")
        cursor.close()

    event.listen(engine, "connect", on_connect)
    event.listen(engine, "begin", _on_begin)


class _Connection(sqlite3.Connection):
    """A connection with the functions that queries need, and which reads damaged text, too."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.text_factory = partial(str, encoding="utf-8", errors="replace")
        self.create_function("casefold", 1, str.casefold, deterministic=True)
        self.create_function("crc32", 1, crc32, deterministic=True)


def _json(text: str | bytes) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return UNREADABLE


def _keep_private(path: Path) -> None:
    """Have the owner alone read the database, which holds the secrets of running games."""
    for file in (path, *(one for one in beside(path) if one.exists())):
        try:
            if keep_private(file):
                logger.warning("others could read %s, which holds secrets; no more", file)
        except PermissionError:
            if is_open_to_others(file):
                logger.warning("others can read %s, which holds secrets", file)


def _on_begin(connection: Connection) -> None:
    if begin := connection.get_execution_options().get(BEGIN, READ):
        connection.exec_driver_sql(begin)


def _options() -> dict[str, Any]:
    return {
        "connect_args": {"timeout": PATIENCE, "factory": _Connection},
        "pool_size": MOST,
        "max_overflow": 0,
        "hide_parameters": True,  # errors go to logs, and the dice have secrets
        "json_serializer": partial(json.dumps, separators=(",", ":"), allow_nan=False),
        "json_deserializer": _json,
    }
