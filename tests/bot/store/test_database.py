# ruff: noqa: ASYNC240, S608 - tests may wait for files; their SQL is their own
import asyncio
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, create_engine

from bot.settings import Settings
from bot.store import database
from bot.store.errors import StoreError
from bot.store.records import person_stats
from bot.store.rows import NewEvent, SeatRow, StoredEvent
from bot.store.schema import NEWEST, metadata
from bot.store.store import Store
from bot.store.upgrades import migrations
from tests.bot.store.test_store import NOON, begin, rolled, started

REVISIONS = [
    step.revision
    for step in ScriptDirectory.from_config(migrations()).walk_revisions()
    if int(step.revision) < 3  # rows of later ones have checksums
]
GAME = f"INSERT INTO games VALUES ('g', 'here', 'kcd', NULL, 1, '{NOON.isoformat()}', NULL)"
SEAT = "INSERT INTO seats VALUES ('g', 0, 'ann', 'Ann', NULL)"
EVENT = f"""INSERT INTO events VALUES ('g', 1, '{NOON.isoformat()}', 'rolled', '{{"dice":[1]}}')"""


async def test_migrations_end_at_the_schema(store: Store) -> None:
    assert ScriptDirectory.from_config(migrations()).get_current_head() == NEWEST

    def look(connection: Connection) -> tuple[list[Any], str]:
        context = MigrationContext.configure(connection)
        mode = connection.exec_driver_sql("PRAGMA journal_mode").scalar_one()
        return compare_metadata(context, metadata), mode

    assert await store.read(look) == ([], "wal")


@pytest.mark.slow
def test_a_start_does_not_load_what_upgrades(url: str) -> None:
    script = """
import asyncio, sys
from bot.store.store import Store

async def look():
    await (await Store.open(sys.argv[1])).close()

asyncio.run(look())
sys.exit("alembic" in sys.modules)
"""
    for loads in (1, 0):  # the first one makes the tables
        assert subprocess.run([sys.executable, "-c", script, url], check=False).returncode == loads


@pytest.mark.parametrize("revision", REVISIONS)
async def test_what_an_older_version_wrote_is_kept(path: Path, url: str, revision: str) -> None:
    path.parent.mkdir()
    engine = create_engine(f"sqlite:///{path}")
    with engine.begin() as connection:
        config = migrations()
        config.attributes["connection"] = connection
        command.upgrade(config, revision)
        for row in (GAME, SEAT, EVENT):
            connection.exec_driver_sql(row)
    engine.dispose()
    for _ in range(2):
        store = await Store.open(url)
        game, events = await store.load("g")
        assert game.seats == (SeatRow(0, "ann", "Ann", None),)
        assert events[0] == StoredEvent(1, NOON, "rolled", {"dice": [1]})
        assert (await person_stats(store, "ann")).games == 0
        await store.append("g", game.version, [rolled(2)], NOON)
        await store.close()


async def test_an_empty_file_becomes_a_database(path: Path, url: str) -> None:
    path.parent.mkdir()
    path.touch()
    store = await Store.open(url)
    await begin(store, "g")
    await store.close()


@pytest.mark.slow
def test_processes_may_open_a_new_database_at_once(url: str) -> None:
    processes = [started(url) for _ in range(3)]
    for process in processes:
        assert process.stdin
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in processes:
        assert process.stdout
        assert process.stdout.readline() == "open\n"
    for process in processes:
        process.kill()
        process.communicate()


async def test_tasks_may_open_new_databases_at_once(tmp_path: Path) -> None:
    urls = [f"sqlite:///{tmp_path / f'{number % 3}.db'}" for number in range(12)]
    stores = await asyncio.gather(*map(Store.open, urls))
    for number, store in enumerate(stores):
        await begin(store, f"g{number}", most_open=4)
        await store.close()


@pytest.mark.parametrize(
    "url",
    [
        "",
        "farkle.db",
        "postgresql+asyncpg://ann:hunter2@host/farkle",
        "sqlite+pysqlcipher:////tmp/farkle.db",
        "sqlite://",
        "sqlite://farkle.db",
        "sqlite:///:memory:",
        "sqlite:///farkle.db?mode=ro",
    ],
)
async def test_other_urls_are_refused(url: str) -> None:
    with pytest.raises(StoreError, match=r"^FARKLE_DATABASE_URL has to name a file") as refused:
        await Store.open(url)
    assert "hunter2" not in str(refused.value)


async def test_what_is_no_database_is_refused_and_left_alone(path: Path, url: str) -> None:
    path.parent.mkdir()
    path.write_text("Dear diary, " * 100)
    path.chmod(0o644)
    with pytest.raises(
        StoreError, match=r"^The database .*farkle\.db is damaged or not a database;"
    ):
        await Store.open(url)
    assert path.read_text() == "Dear diary, " * 100
    assert path.stat().st_mode & 0o777 == 0o644


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no such file here")
async def test_what_is_no_file_is_refused_and_left_alone(path: Path, url: str) -> None:
    path.parent.mkdir()
    os.mkfifo(path)
    path.chmod(0o666)
    with pytest.raises(StoreError, match=r"farkle\.db cannot be opened; it has to be a file in"):
        await Store.open(url)
    assert path.stat().st_mode & 0o777 == 0o666


@pytest.mark.slow
async def test_a_damaged_file(path: Path, url: str) -> None:
    """What is overwritten is not told of, the rest is, and the file is kept as it was."""
    store = await Store.open(url)
    long = NewEvent("began", {"names": "x" * 1500})  # events of all games take several pages
    for number in range(15):
        await begin(store, f"g{number:02}", most_open=15, events=[long])
    games = {game.id: await store.load(game.id) for game in await store.open_games("here")}
    store.check_complete()
    await store.scrub()
    await store.close()
    whole = path.read_bytes()
    size = database.PAGE_SIZE
    for byte in (b"\xff", b"\0"):
        path.write_bytes(byte * len(whole))
        with pytest.raises(StoreError, match="is damaged or not a database"):
            await Store.open(url)
        assert path.read_bytes() == byte * len(whole)
    left = []
    for number, cut in enumerate(range(0, len(whole), size)):
        byte = (b"\xff", b"\0")[number % 2]
        damaged = whole[:cut] + byte * size + whole[cut + size :]
        path.write_bytes(damaged)
        store = await Store.open(url)
        found = await store.open_games("here")
        left.append(len(found))
        for game in found:
            known, happened = games[game.id]
            now, events = await store.load(game.id)
            assert (replace(now, seats=known.seats), events) == (known, happened)
            assert set(now.seats) <= set(known.seats)  # which the events know
        [kept] = path.parent.glob("farkle.db.damaged-*")
        assert kept.read_bytes() == damaged
        with pytest.raises(StoreError, match="the database was damaged"):
            store.check_complete()
        await store.close()
        kept.unlink()
    assert {one.name for one in path.parent.iterdir()} == {"farkle.db", "farkle.db.lock"}
    assert left[0] == 15  # how tables are made and where they begin is known
    # a page each of games and seats, and those of events; the rest are indexes and other tables
    assert left.count(15) > 20
    assert sum(0 < number < 15 for number in left) > 2


@pytest.mark.parametrize(
    ("was", "now"),
    [
        (b"\tpoints INTEGER", b"\tpaints INTEGER"),
        (b"\tkind TEXT", b"\tkine TEXT"),
        (b"CREATE TABLE events", b"CREATE TABLE evenst"),
        (b"eventsevents", b"evenstevenst"),
        (b"alembic_version", b"alembic-version"),
    ],
)
async def test_tables_that_are_no_more_what_they_were(
    path: Path, url: str, was: bytes, now: bytes
) -> None:
    """SQLite may find nothing wrong with that."""
    store = await Store.open(url)
    await begin(store, "g")
    await store.close()
    content = path.read_bytes()
    assert was in content[: database.PAGE_SIZE]
    path.write_bytes(content.replace(was, now, 1))
    store = await Store.open(url)
    assert (await store.load("g"))[0].version == 1
    assert await store.append("g", 1, [rolled(1)], NOON) == 2
    assert len(list(path.parent.glob("farkle.db.damaged-*"))) == 1
    await store.close()


async def test_a_log_that_meets_no_head(path: Path, url: str, tmp_path: Path) -> None:
    """What is in the log alone is not left out without a word."""
    store = await Store.open(url)
    await begin(store, "g")
    saved = tmp_path / "killed"
    saved.mkdir()
    for file in path.parent.iterdir():
        (saved / file.name).write_bytes(file.read_bytes())
    await store.close()
    killed = saved / path.name
    whole = killed.read_bytes()
    killed.write_bytes(b"\xff" * database.PAGE_SIZE + whole[database.PAGE_SIZE :])
    store = await Store.open(f"sqlite:///{killed}")  # the log has the first page
    assert (await store.load("g"))[0].version == 1
    await store.close()


async def test_small_pages_become_large_ones(
    path: Path, url: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """What earlier versions made is written anew, once nobody else has it open."""

    def size() -> int:
        with closing(sqlite3.connect(path)) as connection:
            found: int = connection.execute("PRAGMA page_size").fetchone()[0]
            return found

    with monkeypatch.context() as earlier:
        earlier.setattr(database, "PAGE_SIZE", 4096)
        store = await Store.open(url)
        await begin(store, "g")
        assert size() == 4096
    other = await Store.open(url)
    assert size() == 4096
    assert "was not written anew: database is locked" in caplog.text
    assert await other.append("g", 1, [rolled(1)], NOON) == 2
    await other.close()
    await store.close()
    store = await Store.open(url)
    assert size() == database.PAGE_SIZE
    assert await store.append("g", 2, [rolled(2)], NOON) == 3
    await store.close()
    # and a damaged head is known
    content = path.read_bytes()
    path.write_bytes(bytes(100) + content[100:])
    store = await Store.open(url)
    assert (await store.load("g"))[0].version == 3
    await store.close()


async def test_all_that_is_known_of_tables_is_in_the_first_page(path: Path, url: str) -> None:
    await (await Store.open(url)).close()
    with closing(sqlite3.connect(path)) as connection:
        made = connection.execute("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL").fetchall()
    first = path.read_bytes()[: database.PAGE_SIZE]
    assert all(sql.encode() in first for (sql,) in made)


@pytest.mark.parametrize("is_virtual", [False, True])
async def test_other_programs_databases_are_refused_and_left_alone(
    path: Path, url: str, is_virtual: bool
) -> None:
    """A virtual table cannot be looked at without the module of its program."""
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE recipes (soup TEXT)")
        if is_virtual:
            connection.execute("PRAGMA writable_schema = ON")
            sql = "CREATE VIRTUAL TABLE recipes USING herbs"
            connection.execute("UPDATE sqlite_schema SET rootpage = 0, sql = ?", [sql])
            connection.commit()
    before = path.read_bytes()
    with pytest.raises(StoreError, match="belongs to another program"):
        await Store.open(url)
    assert path.read_bytes() == before


async def test_a_newer_schema_is_refused(path: Path, url: str) -> None:
    await (await Store.open(url)).close()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = '999'")
    with pytest.raises(StoreError, match="made by a newer version of this program"):
        await Store.open(url)


async def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for path in (tmp_path / "file" / "farkle.db", tmp_path):
        with pytest.raises(StoreError, match=r"^The database .* cannot be (written|opened)"):
            await Store.open(f"sqlite:///{path}")


async def test_a_database_that_others_hold(
    path: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "PATIENCE", 0.1)
    store = await Store.open(url)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="was held by another program"):
            await begin(store, "g")
        assert await store.open_games("here") == []
    await begin(store, "g")
    await store.close()


def test_the_url_is_a_setting(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("FARKLE_DATABASE_URL", raising=False)
    monkeypatch.setenv("FARKLE_DATA", str(tmp_path))
    assert database.database_path(Settings().database_url) == tmp_path / "farkle.db"
    for driver in ("sqlite", "sqlite+aiosqlite"):  # earlier versions asked for the second
        monkeypatch.setenv("FARKLE_DATABASE_URL", f"{driver}:///games.db")
        assert database.database_path(Settings().database_url) == Path.cwd() / "games.db"
