"""A database of before events were chained, brought over: a new one of its rows, the old one kept.

Both are SQLite files, as there was nothing else then.
"""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from bot.store.backups import keep_as
from bot.store.database import explained, leave_log, prepare
from bot.store.errors import StoreError
from bot.store.game_rows import START, link
from bot.store.kinds import PATIENCE
from bot.store.schema import done, events, metadata

_LAST = "7"
"""The version that is brought over, as Alembic wrote it."""


def bring_over(path: Path) -> tuple[Path, int]:
    """Put a database of today's tables in the place of an earlier one.

    Returns where the earlier one is kept, and the number of games. Raises StoreError, and then
    leaves all as it was: for one of another version, or that is in use.
    """
    kept, new = path.with_name(f"{path.name}.before"), path.with_name(f"{path.name}.new")
    if kept.exists():
        raise StoreError(f"{kept} is in the way: move it away first")
    if not path.is_file():
        raise StoreError(f"there is no database {path}")
    new.unlink(missing_ok=True)
    with explained(path), closing(sqlite3.connect(path, timeout=PATIENCE)) as old:
        _check_version(old, path)
        leave_log(old)  # refused while others have it open
        prepare(new)
        with closing(sqlite3.connect(new)) as fresh, fresh:
            for table in metadata.sorted_tables:
                if table.name not in {"schema_version", events.name, done.name}:
                    _copy(old, fresh, table.name, table.columns.keys())
            _copy_events(old, fresh)
            [games] = fresh.execute("SELECT count(*) FROM games").fetchone()
    keep_as(path, kept)
    new.replace(path)
    new.with_name(f"{new.name}.lock").unlink(missing_ok=True)
    return kept, games


def _check_version(old: sqlite3.Connection, path: Path) -> None:
    try:
        versions = old.execute("SELECT version_num FROM alembic_version").fetchall()
    except sqlite3.OperationalError:
        versions = []
    if versions != [(_LAST,)]:
        raise StoreError(f"The database {path} is not of the version that can be brought over")


def _copy(old: sqlite3.Connection, new: sqlite3.Connection, table: str, columns: list[str]) -> None:
    """Copy rows as they are; those whose values are of the wrong type, which are damaged, are not.

    The games that they belonged to are set aside once somebody looks at them.
    """
    names = ", ".join(f'"{one}"' for one in columns)
    insert = f"INSERT INTO {table} VALUES ({', '.join('?' * len(columns))})"  # noqa: S608
    for row in old.execute(f"SELECT {names} FROM {table}"):  # noqa: S608 - the names are our own
        _insert(new, insert, row)


def _copy_events(old: sqlite3.Connection, new: sqlite3.Connection) -> None:
    """Copy what happened in games, each event with its hash."""
    rows = old.execute(
        "SELECT game_id, version, at, kind, data FROM events ORDER BY game_id, version"
    )
    game, before = "", START
    for game_id, version, at, kind, data in rows:
        if game_id != game:
            game, before = game_id, START
        try:
            before = link(before, game_id, version, at, kind, data)
        except TypeError:
            before = START  # it fits nothing: the game is damaged
        row = game_id, version, at, kind, data, before
        _insert(new, "INSERT INTO events VALUES (?, ?, ?, ?, ?, ?)", row)


def _insert(new: sqlite3.Connection, insert: str, row: tuple[Any, ...]) -> None:
    try:
        new.execute(insert, row)
    except sqlite3.IntegrityError:  # the types are checked all the same
        return
