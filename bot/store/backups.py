"""Copies of a database of SQLite, made while programs use it, and put back.

A plain copy of the file of a running program lacks what is still in its log.
"""

import asyncio
import contextlib
import logging
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock
from sqlalchemy import URL, NullPool, create_engine, delete, select

from bot.store.database import (
    check_whole,
    explained,
    file_of,
    leave_log,
    prepare,
    write_copy,
)
from bot.store.errors import StoreError
from bot.store.kinds import PATIENCE
from bot.store.schema import SENDING, daily_positions, place_settings
from bot.store.transactions import put
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
            write_copy(connection, new)
        with explained(new):
            check_whole(new)


def put_back(copy: Path, path: Path) -> tuple[Path | None, bool]:
    """Put a copy in the place of a database, brought up to date if it is of an earlier version.

    Returns where the database that was there is kept, None if there was none, and whether what it
    had posted by itself is known to the copy, so that it is not posted again.

    Raises StoreError, and then leaves all as it was: for what is no whole copy, and for a database
    that is in use.
    """
    _check_is_there(copy)
    with explained(copy):
        check_whole(copy)
    make_private(path.parent)
    new = path.with_name(f"{path.name}.new")
    clear(new)  # what somebody broke off may lie beside it
    try:
        back_up(copy, new)
        prepare(new)
        with FileLock(f"{path}.lock", timeout=PATIENCE, mode=OWNER_ONLY):
            knows = not path.exists() or (_close(path) and _take_over_posts(path, new))
            with closing(_opened(new)) as connection:
                leave_log(connection)
            kept = _set_aside(path)
            new.replace(path)
    finally:
        clear(new)
    return kept, knows


async def keep_backups(path: Path, folder: Path, number: int) -> None:
    """Have a copy of each day in a folder, of which so many are kept."""
    while True:
        try:
            await asyncio.to_thread(back_up_of_day, path, folder, number, datetime.now(UTC))
        except (StoreError, OSError) as error:
            logger.warning("no backup was made: %s", error)
        await asyncio.sleep(LOOK_SECONDS)


def back_up_of_day(path: Path, folder: Path, number: int, now: datetime) -> Path | None:
    """Have a copy of a day, and delete those before the last `number`.

    Returns the copy that was made, None where it is there already. Raises StoreError.
    """
    days = f"{path.stem}-daily-"
    copy = folder / f"{days}{now.date().isoformat()}.db"
    made = not copy.exists()
    if made:
        back_up(path, copy)
        logger.info("a backup of the database: %s", copy)
    for old in sorted(folder.glob(f"{days}*.db"))[:-number]:
        if old != copy:  # a clock may have been ahead
            old.unlink(missing_ok=True)
    return copy if made else None


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


def _take_over_posts(path: Path, new: Path) -> bool:
    """Note in a copy what was posted by itself since, or may have been; false if none can tell."""
    posted = select(daily_positions).where(daily_positions.c.posted_at.is_not(None))
    is_sending = place_settings.c.key == SENDING
    before, after = (
        create_engine(URL.create("sqlite", database=str(file)), poolclass=NullPool)
        for file in (path, new)
    )
    try:
        with before.connect() as connection:
            rows, sending = (
                [dict(row) for row in connection.execute(query).mappings()]
                for query in (posted, select(place_settings).where(is_sending))
            )
    except Exception as error:  # a damaged database may hold anything
        logger.warning("what %s had posted cannot be read: %s", path, error)
        return False
    with after.begin() as connection:
        connection.execute(delete(place_settings).where(is_sending))
        for table, known in (daily_positions, rows), (place_settings, sending):
            for row in known:
                put(connection, table, row)
    return True


def keep_as(path: Path, kept: Path) -> None:
    """Give a file a second name, or where a disk cannot do that, another one."""
    try:
        kept.hardlink_to(path)
    except OSError:
        path.rename(kept)


def clear(path: Path) -> None:
    """Delete a database that was begun, with what lies beside it."""
    for end in ("", "-wal", "-shm", "-journal", ".lock"):
        path.with_name(f"{path.name}{end}").unlink(missing_ok=True)


def _set_aside(path: Path) -> Path | None:
    """Give a database a name to be kept under, with what lies beside it; the name.

    It has its own as well until another takes that, as a program that finds none makes one.
    """
    if not path.exists():
        return None
    moment = datetime.now(UTC).strftime("%Y%m%d-%H%M%S-%f")
    kept = path.with_name(f"{path.name}.replaced-{moment}")
    keep_as(path, kept)
    for end in ("-wal", "-shm"):
        with contextlib.suppress(FileNotFoundError):
            path.with_name(f"{path.name}{end}").rename(f"{kept}{end}")
    return kept
