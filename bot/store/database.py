"""One SQLite file: how it is opened and brought up to date, and what is wrong with it in words."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from filelock import FileLock
from sqlalchemy import URL, Connection, Engine, NullPool, create_engine, event, inspect, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from bot.store.errors import StoreError
from solver.wording import say_later

DRIVER = "sqlite+aiosqlite"
PATIENCE = 30.0
"""Seconds that a transaction waits for another one to end."""

_CONNECTIONS = 12
"""Kept open; whoever needs one more waits for it."""

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
        "The database {path} is damaged or no database; put back a copy, or move it away to begin"
        " a new one"
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

_one_migration = Lock()
"""Alembic keeps the migration under way in a global."""


def database_path(url: str) -> Path:
    """The file that `url` names. Raises StoreError for anything but an SQLite file."""
    try:
        parts = make_url(url)
    except ArgumentError:
        parts = URL.create("nothing")
    plain = not (parts.host or parts.query) and parts.database not in {None, "", ":memory:"}
    if parts.drivername != DRIVER or not plain:
        raise StoreError(
            f"FARKLE_DATABASE_URL has to name a file as in {DRIVER}:///farkle.db"
            f" or {DRIVER}:////home/ann/farkle.db; no other databases or options are supported yet"
        )
    return Path(str(parts.database)).absolute()


def connect(path: Path) -> AsyncEngine:
    """Connections to a database that is up to date."""
    engine = create_async_engine(
        URL.create(DRIVER, database=str(path)),
        connect_args={"timeout": PATIENCE},
        # to open one more for a moment costs more than to wait for one that is open
        pool_size=_CONNECTIONS,
        max_overflow=0,
        hide_parameters=True,  # errors go to logs, and the dice have secrets
        json_serializer=partial(json.dumps, separators=(",", ":"), allow_nan=False),
    )
    _set_up(engine.sync_engine)
    event.listen(engine.sync_engine, "invalidate", _on_invalidate)
    return engine


def migrate(path: Path) -> None:
    """Bring the database up to date, making it if it is not there; one process at a time.

    Raises StoreError, and then leaves the file as it was.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(f"{path}.lock"), _one_migration, explained(path):
            engine = create_engine(
                URL.create("sqlite", database=str(path)),
                connect_args={"timeout": PATIENCE},
                poolclass=NullPool,
            )
            _set_up(engine)
            with engine.connect().execution_options(**{BEGIN: WRITE}) as connection:
                _upgrade(connection, path)
                connection.commit()
            with engine.connect().execution_options(**{BEGIN: ""}) as connection:
                connection.exec_driver_sql("PRAGMA journal_mode = WAL")
    except OSError as error:
        raise StoreError(
            f"The database {path} cannot be written ({error.strerror or error})"
        ) from error


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Whatever is wrong with the file becomes a StoreError."""
    try:
        yield
    except (DBAPIError, sqlite3.Error) as error:
        origin = error.orig if isinstance(error, DBAPIError) else error
        reason = _REASONS.get(getattr(origin, "sqlite_errorcode", 0) & 0xFF)
        if reason is None:
            raise
        raise StoreError.say(reason, path=path, seconds=PATIENCE) from error


def migrations() -> Config:
    """Alembic's configuration, which needs no file."""
    config = Config()
    config.set_main_option("script_location", "bot.store:migrations")
    return config


def _upgrade(connection: Connection, path: Path) -> None:
    config = migrations()
    revision = MigrationContext.configure(connection).get_current_revision()
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    if revision is None and inspect(connection).get_table_names():
        raise StoreError(f"The database {path} belongs to another program; choose another file")
    if revision is not None and revision not in known:
        raise StoreError(
            f"The database {path} was made by a newer version of this program; install that one"
        )
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def _set_up(engine: Engine) -> None:
    """SQLAlchemy's recipe for transactions on SQLite, and the settings of every connection."""
    event.listen(engine, "connect", _on_connect)
    event.listen(engine, "begin", _on_begin)


def _on_connect(connection: Any, _: object) -> None:
    connection.isolation_level = None  # keeps sqlite3 from beginning transactions of its own
    connection.create_function("casefold", 1, str.casefold, deterministic=True)
    cursor = connection.cursor()
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.execute("PRAGMA synchronous = FULL")  # what was acknowledged outlives a power cut
    cursor.close()


def _on_begin(connection: Connection) -> None:
    if begin := connection.get_execution_options().get(BEGIN, READ):
        connection.exec_driver_sql(begin)


def _on_invalidate(connection: Any, _: object, __: object) -> None:
    """Unlock: SQLite keeps a closed connection's lock while any statement of it is alive.

    Such statements are those of a task that was cancelled, until Python collects its garbage.
    """
    connection.rollback()
