"""A checksum in every row, by which is known whether the row is still what the program wrote."""

import zlib
from collections.abc import Mapping, Sequence
from functools import cache, reduce
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Float,
    FromClause,
    Insert,
    Integer,
    LargeBinary,
    Table,
    Text,
    Update,
    bindparam,
    cast,
    func,
    insert,
    update,
)
from sqlalchemy.dialects import sqlite

SEALED = {
    "games": ("id", "place", "rules_name", "secret", "version", "began_at", "ended_at"),
    "seats": ("game_id", "number", "person", "name", "level"),
    "events": ("game_id", "version", "at", "kind", "data"),
    "results": (
        *("game_id", "seat", "share", "points", "turns", "farkles", "biggest_turn"),
        *("accuracy", "luck"),
    ),
    "place_settings": ("place", "key", "value"),
    "place_rules": ("place", "name", "text", "author"),
    "daily_positions": ("place", "day", "rules", "position", "choices"),
    "daily_answers": ("place", "day", "person", "name", "choice", "cost"),
    "reviews": ("game_id", "seat", "found"),
    "drills": ("person", "position", "state"),
    "tournaments": ("id", "place", "form", "rules", "hints", "draw", "made_at", "ended_at"),
    "entrants": ("tournament_id", "number", "person", "name", "left"),
    "tournament_games": ("game_id", "tournament_id", "number", "first", "second"),
}
"""The columns that the checksum of a row is made of, by table."""


def crc32(value: bytes) -> int:
    """What SQL calls by the same name."""
    return zlib.crc32(value)


def row_crc(table: FromClause, name: str, changed: Mapping[str, Any] | None = None) -> Any:
    """The checksum of a row, some columns of which have other values than the table.

    table : the table of that name, or an alias of it
    """
    # quote() tells types apart, and bytes of any kind become no text on their way
    values = [(changed or {}).get(column, table.c[column]) for column in SEALED[name]]
    parts: list[ColumnElement[str]] = [func.quote(value, type_=Text) for value in values]
    return func.crc32(cast(reduce(lambda a, b: a + "," + b, parts), LargeBinary), type_=Integer)


def is_sound(table: Table, alias: FromClause | None = None) -> ColumnElement[bool]:
    """The condition that a row is as it was written."""
    rows = table if alias is None else alias
    found: ColumnElement[bool] = rows.c.crc == row_crc(rows, table.name)
    return found


@cache
def sealed_insert(table: Table) -> Insert:
    """Inserts whole rows; each value is given under the name of its column after "new_"."""
    columns = [table.c[name] for name in SEALED[table.name]]
    new = {one.name: bindparam(f"new_{one.name}", type_=one.type) for one in columns}
    # as SQLite will keep it
    kept = {one.name: cast(new[one.name], Float) for one in columns if isinstance(one.type, Float)}
    return insert(table).values(**new, crc=row_crc(table, table.name, new | kept))


@cache
def sealed_update(table: Table, *names: str) -> Update:
    """Changes columns of sound rows, which stay sound; a condition is yet to be added.

    Each value is given under the name of its column after "new_".
    """
    new = {name: bindparam(f"new_{name}", type_=table.c[name].type) for name in names}
    changed = update(table).where(is_sound(table))
    return changed.values(**new, crc=row_crc(table, table.name, new))


def put(connection: Connection, table: Table, row: Mapping[str, Any]) -> None:
    """Insert a row, in place of one of its key, which may be damaged."""
    keys: Sequence[str] = table.primary_key.columns.keys()
    connection.execute(
        sqlite.insert(table).values(row).on_conflict_do_update(index_elements=keys, set_=row)
    )
    connection.execute(seal(table).where(*(table.c[key] == row[key] for key in keys)))


def seal(table: Table) -> Update:
    """Takes rows as they are for sound; a condition is yet to be added."""
    return update(table).values(crc=row_crc(table, table.name))
