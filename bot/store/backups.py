"""Copies of a database, made while programs use it, and put back. Each is a file of SQLite.

A plain copy of the file of a running program lacks what is still in its log.
"""

import asyncio
import contextlib
import logging
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime
from errno import ENOSPC
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import TextIO

from filelock import FileLock
from sqlalchemy import URL, Connection, NullPool, create_engine

from bot.store.database import (
    check_version,
    check_whole,
    explained,
    file_of,
    kept_before,
    leave_log,
    prepare,
    write_copy,
)
from bot.store.errors import StoreError
from bot.store.kinds import PATIENCE, Database
from bot.store.moving import delete_all, export_lines, import_lines
from bot.store.opening import database_of
from bot.store.store import Keeper, Store
from solver.errors import system_reason
from solver.folders import OWNER_ONLY, make_private

logger = logging.getLogger(__name__)

LOOK_SECONDS = 600.0
"""Between two looks whether a copy of the day is there."""

_IN_USE_SECONDS = 2.0
"""For which a database that is to be replaced may still be open elsewhere."""


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


async def copy_all(source: str, target: str) -> int:
    """Copy all rows from one database to a new one; how many there are. Raises StoreError."""
    with TemporaryFile("w+", encoding="utf-8") as lines:
        await export_all(source, lines)
        lines.seek(0)
        return await import_all(target, lines)


async def export_all(url: str, stream: TextIO) -> int:
    """Write all that a database has as lines; how many there are. Raises StoreError."""
    opened = Store.look_into(url)

    def write(connection: Connection) -> int:
        check_version(connection, opened.database.name)
        return sum(1 for line in export_lines(connection) if stream.write(line))

    try:
        return await opened.read(write)
    finally:
        await opened.close()


async def import_all(url: str, lines: Iterable[str], *, replaces: bool = False) -> int:
    """Put lines into a new database, or in the place of all that one has; how many rows.

    Raises StoreError, and then leaves all as it was, and no file that was not there: where lines
    are not as they were written, and where what is replaced is in use.
    """
    file = database_of(url).file
    made = file if file and not file.exists() else None

    def put_in(connection: Connection) -> int:
        if replaces:
            opened.database.check_unused(connection)
            delete_all(connection)
        return import_lines(connection, lines)

    try:
        opened = await Store.open(url)
        try:
            return await opened.write(put_in)
        finally:
            await opened.close()
    except BaseException:
        if made:
            clear(made)
        raise


def put_rows_back(
    copy: Path, database: Database, folder: Path, keepers: Sequence[Keeper]
) -> tuple[Path, bool]:
    """Put the rows of a copy in the place of those of a server's database, all or none.

    Returns where in a folder those are kept that were there, and what `put_back` does.

    Raises StoreError as `put_back` does.
    """
    _check_copy(copy)
    asyncio.run(database.prepare())  # a new one has no tables yet
    # what another program still writes would be neither kept nor put back
    asyncio.run(_check_unused(database))
    kept = folder / f"{database.stem}-replaced-{_moment()}.db"
    with TemporaryDirectory() as name:
        new, whole = Path(name) / "new.db", Path(name) / "whole.db"
        back_up(copy, new)
        prepare(new)
        back_up_any(database, kept)
        knows = _carry(kept, new, keepers)
        back_up(new, whole)
        with TemporaryFile("w+", encoding="utf-8") as lines:
            asyncio.run(export_all(f"sqlite:///{whole}", lines))
            lines.seek(0)
            asyncio.run(import_all(database.url, lines, replaces=True))
    return kept, knows


async def _check_unused(database: Database) -> None:
    """Raises StoreError where other programs have a server's database open."""
    opened = Store.look_into(database.url)
    try:
        await opened.read(opened.database.check_unused)
    finally:
        await opened.close()


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
        prepare(new)
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
    if not copy.stat().st_size:  # which SQLite takes for a sound database
        raise StoreError(f"{copy} is empty: it is no backup")


def _check_is_there(path: Path) -> None:
    if not path.is_file():
        raise StoreError(f"there is no database {path}")


def _opened(path: Path) -> sqlite3.Connection:
    """A connection to a file that is there; what is not is not made."""
    return sqlite3.connect(f"{file_of(path)}?mode=rw", uri=True, timeout=PATIENCE)


@contextlib.contextmanager
def _new_file(path: Path) -> Iterator[Path]:
    """An empty file for its owner alone, which takes its name once it is written to the disk."""
    try:
        make_private(path.parent)
        new = path.with_name(f".{path.name}.{os.getpid()}")
        new.unlink(missing_ok=True)  # of a program of this number that was broken off
        new.touch(OWNER_ONLY)
    except OSError as error:
        raise _unwritable(path, error) from error
    try:
        yield new
        with new.open("rb") as file:
            os.fsync(file.fileno())
        new.replace(path)
    except OSError as error:
        raise _unwritable(path, error) from error
    finally:
        new.unlink(missing_ok=True)


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
    before, after = (
        create_engine(URL.create("sqlite", database=str(file)), poolclass=NullPool)
        for file in (path, new)
    )
    try:
        with before.connect() as old, after.begin() as there:
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


def _moment() -> str:
    return datetime.now(UTC).strftime("%Y%m%d-%H%M%S-%f")


def _set_aside(path: Path) -> Path | None:
    """Give a database a name to be kept under, with what lies beside it; the name.

    It has its own as well until another takes that, as a program that finds none makes one.
    """
    if not path.exists():
        return None
    kept = path.with_name(f"{path.name}.replaced-{_moment()}")
    keep_as(path, kept)
    for end in ("-wal", "-shm"):
        with contextlib.suppress(FileNotFoundError):
            path.with_name(f"{path.name}{end}").rename(f"{kept}{end}")
    return kept
