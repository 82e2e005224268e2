"""A database with damaged pages: what can be read of it goes on in a new one, the old one is kept.

SQLite itself goes on with such a file, misses rows without a word and may write over others. It
opens none without its first page; but what that says of tables is the same in all databases that
this program has laid out (`bot/store/database.py`), so that the first page of a new one serves.
"""

import glob
import logging
import os
import shutil
import sqlite3
from collections.abc import Sequence
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bot.store.schema import metadata
from solver.folders import keep_private

logger = logging.getLogger(__name__)

_UNREADABLE = (sqlite3.DatabaseError, UnicodeDecodeError)
"""What reading damaged pages ends in; the second is of a message that has damaged text in it."""
_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}


def is_whole(path: Path, timeout: float) -> bool:
    """Whether SQLite finds nothing wrong with the pages of a database.

    timeout : seconds to wait for others who write

    Raises sqlite3.Error for what cannot be read at all.
    """
    with closing(sqlite3.connect(path, timeout=timeout)) as connection:
        try:
            [answer, *_] = connection.execute("PRAGMA integrity_check(1)").fetchone()
        except UnicodeDecodeError:
            return False
        except sqlite3.DatabaseError as error:
            if error.sqlite_errorcode & 0xFF not in _DAMAGED:
                raise
            return False
    return bool(answer == "ok")


def damaged_copies(path: Path) -> list[Path]:
    """The damaged databases that lie beside the one that took their place, the oldest first."""
    return sorted(path.parent.glob(f"{glob.escape(path.name)}.damaged-*"))


def rescue(path: Path, empty: Path, timeout: float) -> bool:
    """Put what can be read of a damaged database into an empty one, which takes its place.

    empty : a database in the same folder with the tables of this program

    Returns whether that was done; rows without checksums are left alone, as nobody can tell which
    of them are sound. Raises sqlite3.Error where nothing can be read, and then changes nothing.
    """
    with closing(_open(empty, timeout)) as new:
        if not _is_legible(path, new, timeout) and _copy_with_head(path, empty, new, timeout):
            new.close()
            _replace(path, empty)
            return True
        with closing(_open(path, timeout)) as old:
            old.execute("BEGIN IMMEDIATE")  # nobody writes until all is done
            if "crc" not in _columns(old, "games"):
                return False
            _copy_tables(old, new)
            new.close()
            _replace(path, empty)
    return True


def _replace(path: Path, empty: Path) -> None:
    """Keep a damaged database under another name, and give its own to what was read of it."""
    now = datetime.now(UTC)
    kept = path.with_name(f"{path.name}.damaged-{now:%Y%m%d-%H%M%S-%f}")
    try:
        os.link(path, kept)
    except OSError:
        shutil.copy2(path, kept)
    empty.replace(path)
    for name in ("-wal", "-shm"):
        path.with_name(path.name + name).unlink(missing_ok=True)
    logger.error(
        "the database %s is damaged: what could be read of it goes on in its place, and it is kept"
        " as %s",
        path,
        kept,
    )


def _open(path: Path, timeout: float) -> sqlite3.Connection:
    """A connection that reads as much as it can."""
    connection = sqlite3.connect(path, timeout=timeout, isolation_level=None)
    connection.text_factory = lambda text: text.decode("utf-8", "replace")
    with suppress(sqlite3.Error):
        connection.execute("PRAGMA writable_schema = ON")  # or one cut short is not opened at all
    return connection


def _schema(connection: sqlite3.Connection) -> set[Any]:
    """What SQLite knows of tables and of where they begin, nothing where that cannot be read."""
    with suppress(*_UNREADABLE):
        return set(connection.execute("SELECT name, rootpage, sql FROM sqlite_schema"))
    return set()


def _is_legible(path: Path, new: sqlite3.Connection, timeout: float) -> bool:
    """Whether what a damaged database says of its tables is what a new one says of them.

    Whatever was in its log is in the file afterwards: the log must not meet the new file.
    """
    with closing(_open(path, timeout)) as old:
        with suppress(sqlite3.Error):
            old.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return _schema(old) == _schema(new)


def _copy_with_head(path: Path, empty: Path, new: sqlite3.Connection, timeout: float) -> bool:
    """Copy what can be read of a database with the first page of an empty one.

    Returns whether the version of the tables is found where it should be; otherwise nothing is
    copied, and neither while others have it open, or its log could not be brought into it.
    """
    if path.with_name(f"{path.name}-wal").exists():
        return False
    size = new.execute("PRAGMA page_size").fetchone()[0]
    head = bytearray(empty.read_bytes()[:size])
    head[18:20] = b"\1\1"  # it has no log
    head[28:32] = (path.stat().st_size // size).to_bytes(4, "big")  # pages, none of which are free
    headed = empty.with_name(f"{empty.name}-headed")
    try:
        keep_private(headed)
        shutil.copyfile(path, headed)
        with headed.open("r+b") as file:
            file.write(head)
        with closing(_open(headed, timeout)) as old:
            version = "SELECT version_num FROM alembic_version"
            try:
                if old.execute(version).fetchall() != new.execute(version).fetchall():
                    return False
            except _UNREADABLE:
                return False
            _copy_tables(old, new)
    finally:
        headed.unlink(missing_ok=True)
    return True


def _copy_tables(old: sqlite3.Connection, new: sqlite3.Connection) -> None:
    """Copy all rows that can be read."""
    new.execute("BEGIN")
    for table in metadata.sorted_tables:
        _copy(old, new, table.name, [column.name for column in table.primary_key])
    _copy_lost_games(old, new)
    new.execute("COMMIT")


def _columns(connection: sqlite3.Connection, table: str) -> list[str]:
    """The names of a table's columns, none where they cannot be read."""
    with suppress(*_UNREADABLE):
        return [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
    return []


def _copy(old: sqlite3.Connection, new: sqlite3.Connection, table: str, key: Sequence[str]) -> None:
    """Copy the rows of a table that can be read: from the front, from the end, game by game."""
    known = _columns(new, table)
    columns = [one for one in _columns(old, table) if one in known]
    if not columns:
        return
    rows = f"SELECT {', '.join(columns)} FROM {table}"  # noqa: S608 - the names are our own
    marks = ", ".join("?" * len(columns))
    insert = f"INSERT OR IGNORE INTO {table} ({', '.join(columns)}) VALUES ({marks})"  # noqa: S608
    order = "rowid" if table == "games" else ", ".join(key)
    if _copy_rows(old, new, f"{rows} ORDER BY {order}", insert):
        return
    backwards = "rowid DESC" if table == "games" else ", ".join(f"{one} DESC" for one in key)
    _copy_rows(old, new, f"{rows} ORDER BY {backwards}", insert)
    if "game_id" in columns:
        for (game_id,) in new.execute("SELECT id FROM games").fetchall():
            _copy_rows(old, new, f"{rows} WHERE game_id = ?", insert, [game_id])


def _copy_lost_games(old: sqlite3.Connection, new: sqlite3.Connection) -> None:
    """Copy the rows of games of which there are events: an index may still lead to them."""
    names = _columns(new, "games")
    columns, marks = ", ".join(names), ", ".join("?" * len(names))
    lost = "SELECT DISTINCT game_id FROM events WHERE game_id NOT IN (SELECT id FROM games)"
    insert = f"INSERT OR IGNORE INTO games ({columns}) VALUES ({marks})"  # noqa: S608
    for (game_id,) in new.execute(lost).fetchall():
        query = f"SELECT {columns} FROM games WHERE id = ?"  # noqa: S608
        _copy_rows(old, new, query, insert, [game_id])


def _copy_rows(
    old: sqlite3.Connection,
    new: sqlite3.Connection,
    query: str,
    insert: str,
    values: Sequence[Any] = (),
) -> bool:
    """Copy the rows of a query as far as they can be read; whether that was all of them."""
    try:
        found = old.execute(query, values)
    except _UNREADABLE:
        return False
    while True:
        try:
            row = found.fetchone()
        except _UNREADABLE:
            return False
        if row is None:
            return True
        new.execute(insert, row)
