"""Copies of a database, made while programs use it and put back, and all of it as lines of JSON.

A copy is a file of SQLite: a plain copy of the file of a running program lacks what is still in its
log. Of the lines the first says what it is, each further one has a table and a row as it is kept,
and the last the number of rows with a hash over all lines before it. A database of before events
were chained, which is a file of SQLite, is brought over as a new one of its rows.
"""

import asyncio
import contextlib
import json
import logging
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime
from errno import ENOSPC
from functools import partial
from hashlib import blake2b
from itertools import groupby, islice
from operator import itemgetter
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import Any, TextIO

import sqlalchemy as sa
from filelock import FileLock
from sqlalchemy.exc import DBAPIError
from sqlalchemy.types import TypeEngine

from bot.store.database import (
    check_ours,
    check_version,
    check_whole,
    explained,
    file_of,
    kept_before,
    leave_log,
    prepare,
    version_of,
    write_copy,
)
from bot.store.kinds import PATIENCE, Database, Mode
from bot.store.rows import StoreError
from bot.store.schema import NEWEST, done, games, metadata, schema_version
from bot.store.store import Keeper, Store, chain_anew, database_of
from solver.errors import system_reason
from solver.folders import OWNER_ONLY, make_private

_FIRST = {"what": "the games of farkle-advisor", "tables": NEWEST}
_AT_ONCE = 1000
"""Rows that are read or written together."""


def _tables() -> dict[str, sa.Table]:
    """All tables of rows, those first that others refer to."""
    return {table.name: table for table in metadata.sorted_tables if table is not schema_version}


def export_lines(connection: sa.Connection) -> Iterator[str]:
    """The lines, each with its end, of a database as a transaction sees it."""
    summed, number = blake2b(), 0
    first = _line(_FIRST)
    summed.update(first.encode())
    yield first
    for table in _tables().values():
        columns = [
            sa.type_coerce(column, _kept(column)).label(column.name) for column in table.columns
        ]
        query = sa.select(*columns).order_by(*table.primary_key)
        for row in connection.execute(query, execution_options={"yield_per": _AT_ONCE}).mappings():
            written = _line([table.name, dict(row)])
            summed.update(written.encode())
            number += 1
            yield written
    yield _line({"rows": number, "hash": summed.hexdigest()})


class TakenError(StoreError):
    """A database that is to be new has rows already."""


def import_lines(connection: sa.Connection, lines: Iterable[str]) -> int:
    """Put rows into a database that has none, and say how many there were.

    Raises StoreError for lines that are not as they were written, and where a row is already: the
    transaction is to be given up then.
    """
    for table in _tables().values():
        if connection.execute(sa.select(table).limit(1)).first():
            raise TakenError(f"The database has rows in {table.name} already: choose a new one")
    number, rest = 0, iter(lines)
    for name, of_table in groupby(_rows(rest), itemgetter(0)):
        table = metadata.tables[name]
        values = {
            column.name: sa.bindparam(column.name, type_=_kept(column)) for column in table.columns
        }
        while rows := [_read(table, row) for _, row in islice(of_table, _AT_ONCE)]:
            try:
                connection.execute(sa.insert(table).values(values), rows)
            except (DBAPIError, OverflowError, UnicodeEncodeError) as error:
                raise StoreError(f"There are {name} that the database does not take") from error
            number += len(rows)
    if any(map(str.strip, rest)):
        raise StoreError("The file goes on after its last line: import one file alone")
    return number


def _rows(lines: Iterable[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The rows of lines, each with the name of its table. Raises StoreError."""
    summed, read, tables = blake2b(), 0, _tables()
    for line in lines:
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            entry = None
        match entry:
            case {"what": _, "tables": _} if not read:
                if entry != _FIRST:
                    raise StoreError("This was exported by another version of the program")
            case [str(name), dict(row)] if read and name in tables:
                if row.keys() != set(tables[name].columns.keys()):
                    raise _changed(read + 1)
                yield name, row
            case {"rows": _, "hash": _} if read:
                if entry != {"rows": read - 1, "hash": summed.hexdigest()}:
                    raise _changed(read + 1)
                return
            case _ if not read:
                raise StoreError("This is no file of `farkle store export`")
            case _:
                raise _changed(read + 1)
        summed.update(line.encode())
        read += 1
    raise StoreError(
        f"The file ends after {read:,} line{'' if read == 1 else 's'}, before its last one"
    )


def _changed(number: int) -> StoreError:
    return StoreError(f"Line {number:,} of the file, or one before it, is not as it was written")


def _kept(column: sa.Column[Any]) -> TypeEngine[Any]:
    """The type of a column as it is kept, before anything is made of it."""
    kind = column.type
    return kind.impl_instance if isinstance(kind, sa.TypeDecorator) else kind


def _line(value: object) -> str:
    """A line of JSON, with bytes in hexadecimal digits."""
    return json.dumps(value, separators=(",", ":"), default=bytes.hex) + "\n"


def _read(table: sa.Table, row: dict[str, Any]) -> dict[str, Any]:
    """A row with the bytes that it has. Raises StoreError."""
    hexadecimal = {
        column.name for column in table.columns if isinstance(column.type, sa.LargeBinary)
    }
    try:
        return {
            key: bytes.fromhex(value) if key in hexadecimal and value is not None else value
            for key, value in row.items()
        }
    except (TypeError, ValueError):
        raise StoreError(f"There are {table.name} that are not as they were written") from None


logger = logging.getLogger(__name__)

LOOK_SECONDS = 600.0
"""Seconds between two looks whether a copy of the day is there."""

_IN_USE_SECONDS = 2.0
"""Seconds for which a database that is to be replaced may still be open elsewhere."""


def back_up(path: Path, copy: Path) -> None:
    """Write a whole copy of a database as it is at one moment; others may write meanwhile.

    What was deleted is not in it. It is looked through before it takes its name. Raises
    StoreError, and then leaves no half copy, and one of this name that was there as it was.
    """
    _check_is_there(path)
    with _new_file(copy) as new:
        with explained(path), closing(_opened(path)) as connection:
            try:
                write_copy(connection, new)
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_FULL:
                    raise
                # it is the disk of the copy that is full
                raise _unwritable(copy, OSError(ENOSPC, os.strerror(ENOSPC))) from error
        with explained(new):
            check_whole(new)


def back_up_any(database: Database, copy: Path) -> None:
    """Write a whole copy as `back_up` does; of a server's database all rows into a new file."""
    if database.file:
        back_up(database.file, copy)
        return
    with _new_file(copy) as new:
        asyncio.run(copy_all(database.url, f"sqlite:///{new}"))
        with explained(new), closing(_opened(new)) as connection:
            leave_log(connection)
        _clear_beside(new)


async def copy_all(source: str, target: str, *, replaces: bool = False) -> int:
    """Copy all rows from one database to another, as `import_all` takes them; how many there are.

    Raises StoreError.
    """
    with TemporaryFile("w+", encoding="utf-8") as lines:
        await export_all(source, lines)
        lines.seek(0)
        return await import_all(target, lines, replaces=replaces)


async def export_all(url: str, stream: TextIO) -> int:
    """Write all that a database has as lines; how many there are. Raises StoreError."""
    async with Store.look_into(url) as opened:

        def write(connection: sa.Connection) -> int:
            check_version(connection, opened.database.name)
            return sum(1 for line in export_lines(connection) if stream.write(line))

        return await opened.read(write)


async def import_all(url: str, lines: Iterable[str], *, replaces: bool = False) -> int:
    """Put lines into a new database, or in the place of all that one has; how many rows.

    Raises StoreError, and then leaves all as it was, and no file that was not there: where lines
    are not as they were written, and where what is replaced is in use.
    """
    file = database_of(url).file
    made = file if file and not file.exists() else None

    def put_in(connection: sa.Connection) -> int:
        if replaces:
            opened.database.check_unused(connection)
            for table in reversed(_tables().values()):
                connection.execute(sa.delete(table))
        return import_lines(connection, lines)

    try:
        async with await Store.open(url) as opened:
            return await opened.write(put_in)
    except TakenError:  # another program has made it meanwhile
        raise
    except BaseException:
        if made:
            clear(made)
        raise


async def put_rows_back(
    copy: Path, database: Database, folder: Path, keepers: Sequence[Keeper]
) -> tuple[Path, bool]:
    """Put the rows of a copy in the place of those of a server's database, all or none.

    Returns where in a folder those are kept that were there, and what `put_back` does.

    Raises StoreError as `put_back` does.
    """
    _check_copy(copy)
    await database.prepare()  # a new one has no tables yet
    try:
        # what another program still writes would be neither kept nor put back
        await database.run(Mode.READ, database.check_unused)
    finally:
        await database.close()
    kept = folder / f"{database.stem}-replaced-{moment()}.db"
    with TemporaryDirectory() as name:
        new = Path(name) / "new.db"
        back_up(copy, new)
        prepare(new, copy)
        await asyncio.to_thread(back_up_any, database, kept)
        knows = _carry(kept, new, keepers)
        await copy_all(f"sqlite:///{new}", database.url, replaces=True)
    return kept, knows


def put_back(copy: Path, path: Path, keepers: Sequence[Keeper] = ()) -> tuple[Path | None, bool]:
    """Put a copy in the place of a database, brought up to date if it is of an earlier version.

    Returns where the database that was there is kept, None if there was none, and whether what it
    had posted by itself is known to the copy, so that it is not posted again.

    Raises StoreError, and then leaves all as it was: for what is no whole copy, and for a database
    that is in use.
    """
    _check_copy(copy)
    make_private(path.parent)
    new = path.with_name(f"{path.name}.new")
    clear(new)  # what somebody broke off may lie beside it
    try:
        back_up(copy, new)
        prepare(new, copy)
        with FileLock(f"{path}.lock", timeout=PATIENCE, mode=OWNER_ONLY):
            knows = not path.exists() or (_close(path) and _carry(path, new, keepers))
            with closing(_opened(new)) as connection:
                leave_log(connection)
            kept = _set_aside(path)
            new.replace(path)
    finally:
        clear(new)
        kept_before(new).unlink(missing_ok=True)  # the backup itself is that
    return kept, knows


async def keep_backups(database: Database, folder: Path, number: int) -> None:
    """Have a copy of each day in a folder, of which so many are kept."""
    while True:
        try:
            await asyncio.to_thread(back_up_of_day, database, folder, number, datetime.now(UTC))
        except (StoreError, OSError) as error:
            logger.warning("no backup was made: %s", error)
        await asyncio.sleep(LOOK_SECONDS)


def back_up_of_day(database: Database, folder: Path, number: int, now: datetime) -> Path | None:
    """Have a copy of a day, and delete those before the last `number`.

    Returns the copy that was made, None where it is there already. Raises StoreError.
    """
    days = f"{database.stem}-daily-"
    copy = folder / f"{days}{now.date().isoformat()}.db"
    made = not copy.exists()
    if made:
        back_up_any(database, copy)
        logger.info("a backup of the database: %s", copy)
    for old in sorted(folder.glob(f"{days}*.db"))[:-number]:
        if old != copy:  # a clock may have been ahead
            old.unlink(missing_ok=True)
    return copy if made else None


def _check_copy(copy: Path) -> None:
    _check_is_there(copy)
    with explained(copy):
        check_whole(copy)


def _check_is_there(path: Path) -> None:
    if not path.is_file():
        raise StoreError(f"there is no database {path}")
    if not path.stat().st_size:  # which SQLite takes for a sound database
        raise StoreError(f"{path} is empty: it is no database")
    with explained(path), _engine_of(path).connect() as connection:
        check_ours(connection, path)


def _opened(path: Path) -> sqlite3.Connection:
    """A connection to a file that is there; what is not is not made."""
    return sqlite3.connect(f"{file_of(path)}?mode=rw", uri=True, timeout=PATIENCE)


def _engine_of(path: Path) -> sa.Engine:
    return sa.create_engine(sa.URL.create("sqlite", database=str(path)), poolclass=sa.NullPool)


@contextlib.contextmanager
def _new_file(path: Path) -> Iterator[Path]:
    """An empty file for its owner alone, which takes its name once it is written to the disk."""
    try:
        make_private(path.parent)
        new = path.with_name(f".{path.name}.{os.getpid()}")
        new.unlink(missing_ok=True)  # of a program of this number that was broken off
        new.touch(OWNER_ONLY)
        try:
            yield new
            with new.open("rb") as file:
                os.fsync(file.fileno())
            new.replace(path)
        finally:
            new.unlink(missing_ok=True)
    except OSError as error:
        raise _unwritable(path, error) from error


def _unwritable(path: Path, error: OSError) -> StoreError:
    return StoreError.say(
        "The backup {file} cannot be written ({reason})", file=path, reason=system_reason(error)
    )


def _close(path: Path) -> bool:
    """Whether a database can be read; nothing lies beside it then. Raises StoreError if in use."""
    try:
        with closing(sqlite3.connect(path, timeout=_IN_USE_SECONDS)) as connection:
            leave_log(connection)
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY:
            raise StoreError(
                f"The database {path} is in use: end the programs that have it open first"
            ) from None
        return False
    except sqlite3.DatabaseError:  # which may be why it is replaced
        return False
    return True


def _carry(path: Path, new: Path, keepers: Sequence[Keeper]) -> bool:
    """Note in a copy what was posted by itself since; false if that cannot be read."""
    try:
        with _engine_of(path).connect() as old, _engine_of(new).begin() as there:
            for keeper in keepers:
                keeper.carry(old, there)
    except Exception as error:  # a damaged database may hold anything
        logger.warning("what %s had posted cannot be read: %s", path, error)
        return False
    return True


def keep_as(path: Path, kept: Path) -> None:
    """Give a file a second name, or where a disk cannot do that, another one."""
    try:
        kept.hardlink_to(path)
    except OSError:
        path.rename(kept)


def clear(path: Path) -> None:
    """Delete a database that was begun, with what lies beside it."""
    path.unlink(missing_ok=True)
    _clear_beside(path)


def _clear_beside(path: Path) -> None:
    for end in ("-wal", "-shm", "-journal", ".lock"):
        path.with_name(f"{path.name}{end}").unlink(missing_ok=True)


def moment() -> str:
    """Return now as part of a file's name, to the microsecond."""
    return datetime.now(UTC).strftime("%Y%m%d-%H%M%S-%f")


def _set_aside(path: Path) -> Path | None:
    """Give a database a name to be kept under, with what lies beside it; the name.

    It has its own as well until another takes that, as a program that finds none makes one.
    """
    if not path.exists():
        return None
    kept = path.with_name(f"{path.name}.replaced-{moment()}")
    keep_as(path, kept)
    for end in ("-wal", "-shm"):
        with contextlib.suppress(FileNotFoundError):
            path.with_name(f"{path.name}{end}").rename(f"{kept}{end}")
    return kept


_LAST = "7"
"""The version that is brought over, as Alembic wrote it."""


def bring_over(path: Path) -> tuple[Path, int]:
    """Put a database of today's tables in the place of an earlier one.

    Returns where the earlier one is kept, and the number of games. Raises StoreError, and then
    leaves all as it was: for one of another version, or that is in use.
    """
    kept, new = path.with_name(f"{path.name}.before"), path.with_name(f"{path.name}.new")
    _check_is_there(path)
    with explained(path), _engine_of(path).connect() as connection:
        if version_of(connection) is not None:
            check_version(connection, path)
            raise StoreError(f"The database {path} is up to date already")
    if kept.exists():
        raise StoreError(f"{kept} is in the way: move it away first")
    clear(new)
    try:
        with explained(path), closing(_opened(path)) as old:
            # damaged text cannot be written then, as values of the wrong type cannot
            old.text_factory = partial(str, encoding="utf-8", errors="surrogateescape")
            _check_version(old, path)
            leave_log(old)  # refused while others have it open
            prepare(new)
            with closing(_opened(new)) as fresh, fresh:
                for table in _earlier_tables():
                    _copy(old, fresh, table)
            with _engine_of(new).begin() as connection:
                ids = connection.scalars(sa.select(games.c.id)).all()
                for game in ids:
                    chain_anew(connection, game)
        keep_as(path, kept)
        new.replace(path)
    finally:
        clear(new)
    return kept, len(ids)


def _earlier_tables() -> list[sa.Table]:
    return [table for table in _tables().values() if table is not done]


def _check_version(old: sqlite3.Connection, path: Path) -> None:
    try:
        versions = old.execute("SELECT version_num FROM alembic_version").fetchall()
        for table in _earlier_tables():
            old.execute(f"SELECT 1 FROM {table.name} LIMIT 0")  # noqa: S608 - our own
    except sqlite3.OperationalError:
        versions = []
    if versions != [(_LAST,)]:
        raise StoreError(f"The database {path} is not of the version that can be brought over")


def _copy(old: sqlite3.Connection, new: sqlite3.Connection, table: sa.Table) -> None:
    """Copy rows as they are; those with values of the wrong type or damaged text are not.

    The games that they belonged to are set aside once somebody looks at them.
    """
    names = ", ".join(f'"{column.name}"' for column in table.columns)
    # what is not there yet is made of the rest
    query = f"SELECT {names} FROM {table.name}".replace('"hash"', "x''")  # noqa: S608 - our own
    insert = f"INSERT INTO {table.name} VALUES ({', '.join('?' * len(table.columns))})"  # noqa: S608
    for row in old.execute(query):
        # the types are checked all the same
        with contextlib.suppress(sqlite3.IntegrityError, UnicodeEncodeError):
            new.execute(insert, row)
