"""All that a database has as lines of JSON, the same from any database, and put into another.

The first line says what it is, each further one has a table and a row as it is kept, and the last
the number of rows with a hash over all lines before it.
"""

import json
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from itertools import groupby, islice
from operator import itemgetter
from typing import Any

from sqlalchemy import (
    Column,
    Connection,
    LargeBinary,
    Table,
    TypeDecorator,
    bindparam,
    delete,
    insert,
    select,
    type_coerce,
)
from sqlalchemy.exc import DBAPIError
from sqlalchemy.types import TypeEngine

from bot.store.errors import StoreError
from bot.store.schema import NEWEST, metadata, schema_version

_FIRST = {"what": "the games of farkle-advisor", "tables": NEWEST}
_AT_ONCE = 1000
"""Rows that are read or written together."""
_TABLES = {one.name: one for one in metadata.sorted_tables if one is not schema_version}


def export_lines(connection: Connection) -> Iterator[str]:
    """The lines, each with its end, of a database as a transaction sees it."""
    summed, number = blake2b(), 0
    first = _line(_FIRST)
    summed.update(first.encode())
    yield first
    for table in _TABLES.values():
        columns = [type_coerce(one, _kept(one)).label(one.name) for one in table.columns]
        query = select(*columns).order_by(*table.primary_key)
        for row in connection.execute(query, execution_options={"yield_per": _AT_ONCE}).mappings():
            written = _line([table.name, {key: _written(value) for key, value in row.items()}])
            summed.update(written.encode())
            number += 1
            yield written
    yield _line({"rows": number, "hash": summed.hexdigest()})


def import_lines(connection: Connection, lines: Iterable[str]) -> int:
    """Put rows into a database that has none, and say how many there were.

    Raises StoreError for lines that are not as they were written, and where a row is already: the
    transaction is to be given up then.
    """
    for table in _TABLES.values():
        if connection.execute(select(table).limit(1)).first():
            raise StoreError(f"The database has rows in {table.name} already: choose a new one")
    number, rest = 0, iter(lines)
    for name, of_table in groupby(_rows(rest), itemgetter(0)):
        table = _TABLES[name]
        values = {one.name: bindparam(one.name, type_=_kept(one)) for one in table.columns}
        while rows := [_read(table, row) for _, row in islice(of_table, _AT_ONCE)]:
            try:
                connection.execute(insert(table).values(values), rows)
            except DBAPIError as error:
                raise StoreError(f"There are {name} that the database does not take") from error
            number += len(rows)
    if any(map(str.strip, rest)):
        raise StoreError("The file goes on after its last line: import one file alone")
    return number


def delete_all(connection: Connection) -> None:
    """Delete every row of a database."""
    for table in reversed(_TABLES.values()):
        connection.execute(delete(table))


def _rows(lines: Iterable[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The rows of lines, each with the name of its table. Raises StoreError."""
    summed, read = blake2b(), 0
    for line in lines:
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            found = None
        match found:
            case {"what": _, "tables": _} if not read:
                if found != _FIRST:
                    raise StoreError("This was exported by another version of the program")
            case [str(name), dict(row)] if read and name in _TABLES:
                if row.keys() != set(_TABLES[name].columns.keys()):
                    raise _changed(read + 1)
                yield name, row
            case {"rows": _, "hash": _} if read:
                if found != {"rows": read - 1, "hash": summed.hexdigest()}:
                    raise _changed(read + 1)
                return
            case _ if not read:
                raise StoreError("This is no file of `farkle store export`")
            case _:
                raise _changed(read + 1)
        summed.update(line.encode())
        read += 1
    raise StoreError(f"The file ends after {read:,} lines, before its last one")


def _changed(number: int) -> StoreError:
    return StoreError(f"Line {number:,} of the file, or one before it, is not as it was written")


def _kept(column: Column[Any]) -> TypeEngine[Any]:
    """The type of a column as it is kept, before anything is made of it."""
    kind = column.type
    return kind.impl_instance if isinstance(kind, TypeDecorator) else kind


def _line(value: object) -> str:
    return json.dumps(value, separators=(",", ":")) + "\n"


def _written(value: object) -> object:
    """A value as JSON has it: bytes in hexadecimal digits."""
    return value.hex() if isinstance(value, bytes) else value


def _read(table: Table, row: dict[str, Any]) -> dict[str, Any]:
    """A row with the bytes that it has. Raises StoreError."""
    try:
        return {
            key: bytes.fromhex(value) if _is_bytes(table, key) and value is not None else value
            for key, value in row.items()
        }
    except (TypeError, ValueError):
        raise StoreError(f"There are {table.name} that are not as they were written") from None


def _is_bytes(table: Table, key: str) -> bool:
    return isinstance(table.columns[key].type, LargeBinary)
