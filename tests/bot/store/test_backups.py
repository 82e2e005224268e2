"""Copies of a database: made under load, kept for some days, and put back."""

# ruff: noqa: ASYNC240 - tests may wait for files
import asyncio
import os
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from bot.features import keepers
from bot.features.practice import store as daily
from bot.features.practice.store import StoredDaily
from bot.store.backups import back_up, back_up_of_day, keep_backups, put_back
from bot.store.database import prepare
from bot.store.rows import StoreError
from bot.store.schema import metadata
from bot.store.store import Store
from tests.bot.store.test_store import NOON, begin, rolled
from tests.bot.waiting import until

ASKED = StoredDaily("here", NOON.date(), {}, "CZT1", [{"keep": "5"}])
GAMES = [f"game-{number}" for number in range(4)]


def rows(path: Path) -> dict[str, list[Any]]:
    with closing(sqlite3.connect(path)) as connection:
        return {
            name: connection.execute(f"SELECT * FROM {name} ORDER BY 1, 2").fetchall()  # noqa: S608
            for name in metadata.tables
            if name != "schema_version"
        }


async def histories(path: Path) -> dict[str, tuple[Any, ...]]:
    """The events of each game, whose hashes are looked at as they are read."""
    store = Store.look_into(f"sqlite:///{path}")
    try:
        return {game: (await store.record(game)).events for game in GAMES}
    finally:
        await store.close()


async def test_a_backup_taken_under_load_is_the_history_of_a_moment(
    store: Store, path: Path, tmp_path: Path
) -> None:
    """Put back, it has all that was acknowledged before, and nothing by halves."""
    acknowledged = dict.fromkeys(GAMES, 1)
    enough = asyncio.Event()

    async def play(game: str) -> None:
        while not enough.is_set():
            new = [rolled(1), rolled(2, 5), rolled(3)]
            acknowledged[game] = await store.append(game, acknowledged[game], new, NOON)
            await asyncio.sleep(0)  # a move that is written at once waits for nothing else

    for game in GAMES:
        await begin(store, game)
    playing = [asyncio.create_task(play(game)) for game in GAMES]
    before, copies = [], [tmp_path / f"copy-{number}.db" for number in range(3)]
    for copy in copies:
        before.append(dict(acknowledged))
        await asyncio.to_thread(back_up, path, copy)
        after = dict(acknowledged)
        await until(lambda: acknowledged != after)  # noqa: B023 - they play on at once
    enough.set()
    await asyncio.gather(*playing)
    await store.close()
    whole = await histories(path)
    for copy, least in zip(copies, before, strict=True):
        kept, knows = put_back(copy, path)
        assert kept is not None
        assert knows
        for game, events in (await histories(path)).items():
            assert len(events) >= least[game]
            assert len(events) % 3 == 1
            assert events == whole[game][: len(events)]
    assert [len(one) for one in whole.values()] == list(acknowledged.values())
    # each database that was replaced is kept
    assert len(list(path.parent.glob("farkle.db.replaced-*"))) == len(copies)
    store = await Store.open(f"sqlite:///{path}")
    await store.append(GAMES[0], len((await store.record(GAMES[0])).events), [rolled(1)], NOON)
    await store.close()


async def test_a_backup_is_its_owners_and_whole_in_one_file(
    store: Store, path: Path, tmp_path: Path
) -> None:
    await begin(store, "g")
    back_up(path, tmp_path / "new" / "copy.db")
    [copy] = (tmp_path / "new").iterdir()
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert rows(copy) == rows(path)
    # a copy of the file alone has nothing of it
    (tmp_path / "plain.db").write_bytes(path.read_bytes())
    assert rows(tmp_path / "plain.db")["games"] == []


async def test_what_was_forgotten_is_in_no_later_backup(
    store: Store, path: Path, tmp_path: Path
) -> None:
    await store.set_place_setting("here", "secret", "zoe-who-leaves")
    await store.set_place_setting("here", "secret", "")
    back_up(path, tmp_path / "copy.db")
    assert b"zoe-who-leaves" not in (tmp_path / "copy.db").read_bytes()


async def test_a_database_in_use_is_not_replaced(
    store: Store, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.store.backups._IN_USE_SECONDS", 0.05)
    await begin(store, "g")
    back_up(path, tmp_path / "copy.db")
    with pytest.raises(StoreError, match="is in use: end the programs that have it open first"):
        put_back(tmp_path / "copy.db", path)
    assert await store.append("g", 1, [rolled(1)], NOON) == 2
    assert {one.name for one in path.parent.iterdir()} == {
        *("farkle.db", "farkle.db-wal", "farkle.db-shm", "farkle.db.lock")
    }


def flipped(content: bytes) -> bytes:
    return content[:4096] + bytes(4096) + content[8192:]


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (lambda _: b"Dear diary, " * 1000, "is damaged or not a database"),
        (flipped, "is damaged"),
        (lambda content: content[:-4096], "is damaged"),
    ],
)
async def test_what_is_no_whole_backup_is_not_put_back(
    store: Store, path: Path, tmp_path: Path, spoil: Callable[[bytes], bytes], told: str
) -> None:
    await begin(store, "g")
    await store.close()
    copy, before = tmp_path / "copy.db", path.read_bytes()
    back_up(path, copy)
    copy.write_bytes(spoil(copy.read_bytes()))
    with pytest.raises(StoreError, match=told):
        put_back(copy, path)
    with pytest.raises(StoreError, match="there is no database"):
        put_back(tmp_path / "nothing.db", path)
    with closing(sqlite3.connect(tmp_path / "other.db")) as other:
        other.execute("CREATE TABLE other (a)")
    with pytest.raises(StoreError, match=r"other\.db belongs to another program"):
        put_back(tmp_path / "other.db", path)
    (tmp_path / "empty.db").touch()
    with pytest.raises(StoreError, match=r"empty\.db is empty: it is no database"):
        put_back(tmp_path / "empty.db", path)
    assert path.read_bytes() == before
    assert {one.name for one in path.parent.iterdir()} == {"farkle.db", "farkle.db.lock"}


async def test_a_damaged_database_is_replaced_and_kept(path: Path, tmp_path: Path) -> None:
    prepare(path)
    back_up(path, tmp_path / "copy.db")
    path.write_bytes(b"nothing" * 10_000)
    path.with_name("farkle.db-wal").write_bytes(b"log")
    kept, knows = put_back(tmp_path / "copy.db", path)
    assert kept is not None
    assert not knows
    assert kept.read_bytes() == b"nothing" * 10_000
    assert rows(path) == rows(tmp_path / "copy.db")
    path.unlink()
    assert put_back(tmp_path / "copy.db", path) == (None, True)


async def test_what_was_posted_since_the_backup_is_not_posted_again(
    store: Store, path: Path, tmp_path: Path
) -> None:
    tomorrow = NOON.date() + timedelta(days=1)
    await daily.kept(store, ASKED)
    back_up(path, tmp_path / "copy.db")
    for asked in ASKED, replace(ASKED, day=tomorrow):
        await daily.kept(store, asked)
        assert await daily.claim(store, "here", asked.day, NOON)
    await store.close()
    put_back(tmp_path / "copy.db", path, keepers())
    store = await Store.open(f"sqlite:///{path}")
    for day in ASKED.day, tomorrow:
        assert await daily.posted(store, day) == {"here"}
        assert not await daily.claim(store, "here", day, NOON)
    await store.close()


@pytest.mark.parametrize("is_noted", [False, True])
async def test_what_was_being_posted_is_still_to_be_told(
    store: Store, path: Path, tmp_path: Path, *, is_noted: bool
) -> None:
    """A backup of the second in which it was sent; of whose end the database knows, or does not."""
    place, day = "discord:5", ASKED.day
    await daily.kept(store, replace(ASKED, place=place))
    assert await daily.claim(store, place, day, NOON) == NOON
    back_up(path, tmp_path / "copy.db")
    if is_noted:
        await daily.done(store, place, day, posted=True)
    await store.close()
    put_back(tmp_path / "copy.db", path, keepers())
    store = await Store.open(f"sqlite:///{path}")
    later = NOON + timedelta(minutes=2)
    await daily.free_lost(store, later, "discord")
    since = await daily.claim(store, place, day, later)
    assert since == (None if is_noted else NOON), "it is looked for before it is sent"
    await store.close()


def test_there_is_a_database_at_any_moment_of_a_restore(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare(path)
    back_up(path, tmp_path / "copy.db")
    was = rows(path)

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    replace_file = Path.replace
    monkeypatch.setattr(
        Path,
        "replace",
        lambda new, to: killed() if to == path else replace_file(new, to),
    )
    with pytest.raises(KeyboardInterrupt):
        put_back(tmp_path / "copy.db", path)
    assert rows(path) == was


async def test_a_running_bot_keeps_copies_of_the_last_days(
    store: Store, path: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder, database = tmp_path / "backups", store.database
    await begin(store, "g")
    for day in range(9):
        now = NOON + timedelta(days=day)
        assert back_up_of_day(database, folder, 7, now) is not None
        assert back_up_of_day(database, folder, 7, now + timedelta(hours=1)) is None
    kept = sorted(one.name for one in folder.iterdir())
    assert len(kept) == 7
    assert kept[-1] == f"farkle-daily-{(NOON + timedelta(days=8)).date()}.db"
    assert rows(folder / kept[0])["games"] == rows(path)["games"]

    caplog.set_level("INFO")
    keeping = asyncio.create_task(keep_backups(database, tmp_path / "today", 7))
    await until(lambda: "a backup of the database" in caplog.text)
    keeping.cancel()
    (tmp_path / "file").touch()
    keeping = asyncio.create_task(keep_backups(database, tmp_path / "file" / "folder", 7))
    await until(lambda: "no backup was made: The backup" in caplog.text)
    keeping.cancel()
    (folder / "farkle-daily-1999-01-01.db").mkdir()
    keeping = asyncio.create_task(keep_backups(database, folder, 7))
    await until(lambda: "1999-01-01" in caplog.text)
    assert not keeping.done()
    keeping.cancel()
    with suppress(asyncio.CancelledError):
        await keeping


async def test_what_a_crash_left_is_in_nobody_s_way(
    store: Store, path: Path, tmp_path: Path
) -> None:
    """A program in a container has the same number after each crash."""
    await begin(store, "g")
    copy = tmp_path / "copy.db"
    copy.with_name(f".{copy.name}.{os.getpid()}").write_bytes(b"half a copy")
    back_up(path, copy)
    # SQLite would take the log of one database for that of another
    log = path.with_name(f"{path.name}-wal").read_bytes()
    await store.close()
    path.with_name(f"{path.name}.new-wal").write_bytes(log)
    put_back(copy, path)
    assert rows(path) == rows(copy)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full disk here")
@pytest.mark.usefixtures("store")
def test_a_full_disk_leaves_no_half_copy(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "fsync", lambda _: os.write(os.open("/dev/full", os.O_WRONLY), b"x"))
    with pytest.raises(StoreError, match="cannot be written \\(No space left on device\\)"):
        back_up(path, tmp_path / "copy.db")
    assert not list(tmp_path.glob("*copy*"))


@pytest.mark.usefixtures("store")
def test_the_disk_of_the_copy_is_named_where_it_is_full(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fill(_: sqlite3.Connection, __: Path) -> None:
        with closing(sqlite3.connect(":memory:")) as full:
            full.execute("PRAGMA max_page_count = 1")
            full.execute("CREATE TABLE more (a)")

    monkeypatch.setattr("bot.store.backups.write_copy", fill)
    with pytest.raises(StoreError, match="copy.db cannot be written \\(No space left on device"):
        back_up(path, tmp_path / "copy.db")
    assert not list(tmp_path.glob("*copy*"))


def test_a_backup_of_the_version_before_leaves_nothing_beside_it(
    path: Path, tmp_path: Path
) -> None:
    prepare(path)
    back_up(path, copy := tmp_path / "copy.db")
    with closing(sqlite3.connect(copy)) as connection, connection:
        connection.execute("DROP TABLE done")
        connection.execute("UPDATE schema_version SET number = 1")
    kept, _ = put_back(copy, path)
    assert kept
    assert {one.name for one in path.parent.iterdir()} == {
        path.name,
        f"{path.name}.lock",
        kept.name,
    }


def test_nobody_finds_no_database_while_one_is_put_back(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare(path)
    back_up(path, tmp_path / "copy.db")
    there, rename = [], Path.rename

    def replace(new: Path, name: Path) -> None:
        there.append((path.exists(), name))
        rename(new, name)

    monkeypatch.setattr(Path, "replace", replace)
    kept, _ = put_back(tmp_path / "copy.db", path)
    assert there[-1] == (True, path)
    assert kept is not None
    assert kept.exists()
