"""The files of a database: who may read them, and what if they are taken away."""

# ruff: noqa: ASYNC240 - tests may wait for files
import asyncio
import logging
import os
import shutil
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from sqlalchemy import Connection

from bot.store.rows import StoreError
from bot.store.store import Store
from solver.folders import keep_private
from tests.bot.store.test_store import NOON, begin, rolled


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@contextmanager
def umask(value: int) -> Iterator[None]:
    before = os.umask(value)
    try:
        yield
    finally:
        os.umask(before)


@pytest.mark.parametrize("mask", [0o000, 0o077, 0o277])
async def test_its_owner_alone_reads_it(path: Path, url: str, mask: int) -> None:
    with umask(mask):
        store = await Store.open(url)
        await begin(store, "g")
    files = list(path.parent.iterdir())
    assert {file.name for file in files} == {
        *("farkle.db", "farkle.db-wal", "farkle.db-shm", "farkle.db.lock")
    }
    assert {mode(file) for file in files} == {0o600}
    assert mode(path.parent) == 0o700
    await store.close()


async def test_who_only_reads_leaves_nothing_beside_it(path: Path, url: str) -> None:
    store = await Store.open(url)
    await begin(store, "g")
    await store.close()
    before = set(path.parent.iterdir())
    reading, other = Store.look_into(url), Store.look_into(url)
    assert await reading.count_open() == await other.count_open() == 1
    await reading.close()
    assert await other.count_open() == 1
    await other.close()
    assert set(path.parent.iterdir()) == before


async def test_a_database_that_others_can_read_is_tightened(
    path: Path, url: str, caplog: pytest.LogCaptureFixture
) -> None:
    await (await Store.open(url)).close()
    path.chmod(0o644)
    path.parent.chmod(0o755)
    with caplog.at_level(logging.WARNING):
        store = await Store.open(url)
        await store.close()
        assert "others could read" in caplog.text
        caplog.clear()
        await (await Store.open(url)).close()
        assert caplog.text == ""
    assert mode(path) == 0o600
    assert mode(path.parent) == 0o755  # others may have files there


async def test_locks_outlive_another_opening(path: Path, url: str) -> None:
    """A file that is opened and closed once more by its process would lose its locks."""
    store = await Store.open(url)
    begin = f"sqlite3.connect({str(path)!r}, timeout=0).execute('BEGIN IMMEDIATE')"

    def write(_: Connection) -> None:
        keep_private(path)
        command = [sys.executable, "-c", f"import sqlite3; {begin}"]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
        assert "database is locked" in ended.stderr

    await store.write(write)
    await store.close()


async def test_a_deleted_database_takes_no_more_moves(path: Path, url: str) -> None:
    store = await Store.open(url)
    await begin(store, "g")
    away = path.with_name("away")
    path.rename(away)
    for asked in (
        store.append("g", 1, [rolled(1)], NOON),
        store.record("g"),
        store.settings("here"),
    ):
        with pytest.raises(StoreError, match=r"The database .* is gone: put it back, or end"):
            await asked
    assert not path.exists()
    # the same one is back
    away.rename(path)
    assert await store.append("g", 1, [rolled(1)], NOON) == 2
    await store.close()


async def test_a_replaced_database_is_not_mistaken_for_the_old_one(path: Path, url: str) -> None:
    store = await Store.open(url)
    await begin(store, "g")
    copy = path.with_name("copy")
    shutil.copy(path, copy)
    copy.replace(path)
    for asked in (store.append("g", 1, [rolled(1)], NOON), store.record("g")):
        with pytest.raises(StoreError, match="was replaced while the program was running: start"):
            await asked
    await store.close()


async def test_a_database_that_goes_during_a_move(path: Path, url: str) -> None:
    store = await Store.open(url)
    await begin(store, "g")
    with pytest.raises(StoreError, match="is gone"):
        await store.write(lambda _: path.rename(path.with_name("away")))
    path.with_name("away").rename(path)
    assert (await store.record("g")).game.version == 1
    await store.close()


@pytest.mark.parametrize("which", ["-wal", "-shm"])
async def test_what_lies_beside_the_database_is_deleted(path: Path, url: str, which: str) -> None:
    store = await Store.open(url)
    await begin(store, "g")
    path.with_name(path.name + which).unlink()
    for asked in (store.append("g", 1, [rolled(1)], NOON), store.record("g")):
        with pytest.raises(StoreError, match=rf"db{which}, a part of the database, was"):
            await asked
    await store.close()
    # what was acknowledged before is there after a restart
    store = await Store.open(url)
    assert (await store.record("g")).game.version == 1
    assert await store.append("g", 1, [rolled(1)], NOON) == 2
    await store.close()


@pytest.mark.slow
async def test_another_process_keeps_what_lies_beside(path: Path, url: str) -> None:
    """Others open and close the database meanwhile, as `farkle store check` does."""
    store = await Store.open(url)
    await begin(store, "g")
    for version in range(1, 4):
        ask = f"sqlite3.connect({str(path)!r}).execute('VACUUM')"
        command = [sys.executable, "-c", f"import sqlite3; {ask}"]
        await asyncio.to_thread(subprocess.run, command, check=True)
        with closing(sqlite3.connect(path)) as other:
            other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        await store.append("g", version, [rolled(1)], NOON)
        await store.scrub()
    await store.close()
