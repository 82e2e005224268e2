# ruff: noqa: ASYNC240 - tests may wait for files
import asyncio
import os
import re
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from functools import partialmethod
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from sqlalchemy.dialects import sqlite

from bot.settings import CHECKOUT, Settings
from bot.store import database
from bot.store.rows import StoreError
from bot.store.store import OPEN_GAMES, UNTOLD, Store
from tests.bot.new_database import lay_database
from tests.bot.store.test_store import NOON, begin, started


def test_what_is_of_one_kind_of_database_is_in_its_file() -> None:
    own = re.compile(r"PRAGMA|VACUUM|BEGIN IMMEDIATE|INSERT OR|sqlite_master|\browid\b|pg_\w+_lock")
    found = {
        file.relative_to(CHECKOUT).as_posix()
        for folder in ("bot", "solver", "farkle_advisor")
        for file in (CHECKOUT / folder).rglob("*.py")
        if own.search(file.read_text(encoding="utf-8"))
    }
    assert found == {"bot/store/database.py", "bot/store/postgres.py"}


async def test_tables_of_the_version_before_are_brought_up_to_date(path: Path, url: str) -> None:
    store = await Store.open(url)
    game = await begin(store, "g")
    await store.close()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DROP TABLE done")
        connection.execute("UPDATE schema_version SET number = 1")
    looking = Store.look_into(url)
    with pytest.raises(StoreError, match="is brought over once the chat or the bot is started"):
        await looking.read(lambda connection: database.check_version(connection, path))
    await looking.close()
    store = await Store.open(url)
    assert await store.game("g") == game
    await store.forget_done(NOON)
    await store.close()
    kept = path.with_name("farkle.db.version-1")
    assert kept.stat().st_mode & 0o777 == 0o600
    with closing(sqlite3.connect(kept)) as connection:
        assert connection.execute("SELECT number FROM schema_version").fetchall() == [(1,)]
        assert connection.execute("SELECT id FROM games").fetchall() == [("g",)]
    await (await Store.open(url)).close()


async def test_a_start_asks_once_whether_the_tables_are_ours(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = Mock(wraps=database.check_ours)
    monkeypatch.setattr(database, "check_ours", counted)
    await (await Store.open(url)).close()
    assert counted.call_count == 1


async def test_every_command_finds_its_games_by_an_index(path: Path, url: str) -> None:
    await (await Store.open(url)).close()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DROP INDEX untold_games")  # as in a database of before
    await (await Store.open(url)).close()
    with closing(sqlite3.connect(path)) as connection:
        for query, index in ((OPEN_GAMES, "open_games"), (UNTOLD, "untold_games")):
            asked = query.params(place="here").compile(
                dialect=sqlite.dialect(), compile_kwargs={"literal_binds": True}
            )
            plan = [step for *_, step in connection.execute(f"EXPLAIN QUERY PLAN {asked}")]
            assert any(f"INDEX {index}" in step for step in plan), plan


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
        "postgresql+asyncpg://ann:hunter2@host",
        "mysql://ann:hunter2@host/farkle",
        "sqlite+pysqlcipher:////tmp/farkle.db",
        "sqlite://",
        "sqlite://farkle.db",
        "sqlite:///:memory:",
        "sqlite:///farkle.db?mode=ro",
    ],
)
async def test_other_urls_are_refused(url: str) -> None:
    with pytest.raises(StoreError, match=r"^FARKLE_DATABASE_URL has to name a ") as refused:
        await Store.open(url)
    assert "hunter2" not in str(refused.value)


async def test_a_server_that_is_not_there() -> None:
    url = "postgresql+asyncpg://ann:hunter2@127.0.0.1:1/farkle"
    with pytest.raises(
        StoreError, match=r"ann:\*\*\*@127.0.0.1:1/farkle cannot be reached"
    ) as away:
        await Store.open(url)
    assert "hunter2" not in str(away.value)


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


@pytest.mark.parametrize("page", [0, 4, 9])
async def test_a_damaged_file_is_refused_and_left_alone(path: Path, url: str, page: int) -> None:
    store = await Store.open(url)
    await begin(store, "g")
    await store.close()
    content = bytearray(path.read_bytes())
    content[page * 4096 : (page + 1) * 4096] = b"\xff" * 4096
    path.write_bytes(content)
    with pytest.raises(StoreError, match=r"^The database .*farkle\.db is damaged"):
        await Store.open(url)
    assert path.read_bytes() == content


@pytest.mark.parametrize(
    ("was", "now"),
    [(b"\tpoints INTEGER", b"\tpaints INTEGER"), (b"CREATE TABLE events", b"CREATE TABLE evenst")],
)
async def test_tables_that_are_no_more_what_they_were(
    path: Path, url: str, was: bytes, now: bytes
) -> None:
    """SQLite may find nothing wrong with that."""
    await (await Store.open(url)).close()
    content = path.read_bytes()
    assert was in content
    path.write_bytes(content.replace(was, now, 1))
    with pytest.raises(StoreError, match="is damaged"):
        await Store.open(url)


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
        connection.execute("UPDATE schema_version SET number = 999")
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
        assert (await store.open_games("here"))[0] == []
    await begin(store, "g")
    await store.close()


def test_the_url_is_a_setting(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("FARKLE_DATABASE_URL", raising=False)
    monkeypatch.setenv("FARKLE_DATA", str(tmp_path))
    assert database.database_path(Settings().database_url) == tmp_path / "farkle.db"
    for driver in ("sqlite", "sqlite+aiosqlite"):  # earlier versions asked for the second
        monkeypatch.setenv("FARKLE_DATABASE_URL", f"{driver}:///games.db")
        assert database.database_path(Settings().database_url) == Path.cwd() / "games.db"


def damaged(log: Path) -> None:
    content = bytearray(log.read_bytes())
    content[len(content) // 2] ^= 0xFF
    log.write_bytes(content)


def without_head(log: Path) -> None:
    log.write_bytes(b"\0" * 32 + log.read_bytes()[32:])


def broken_off(log: Path) -> None:
    """As by a crash in the middle of a transaction, which nobody was told of."""
    whole = log.read_bytes()
    log.write_bytes(whole + whole[32:132])


async def test_a_copy_without_a_log_has_lost_nothing(
    path: Path, url: str, caplog: pytest.LogCaptureFixture
) -> None:
    store = await Store.open(url)
    await begin(store, "g")
    await store.close()
    with closing(sqlite3.connect(path)) as connection:
        database.leave_log(connection)
    await (await Store.open(url)).close()
    assert [one for one in caplog.messages if "is lost" in one] == []


@pytest.mark.parametrize(
    ("happens", "is_told"),
    [
        (None, False),
        (broken_off, False),
        (damaged, True),
        (without_head, True),
        (Path.unlink, True),
    ],
)
async def test_a_log_that_is_damaged_or_gone_is_told(
    path: Path,
    url: str,
    tmp_path: Path,
    happens: Callable[[Path], object] | None,
    is_told: bool,
    caplog: pytest.LogCaptureFixture,
) -> None:
    store = await Store.open(url)
    for number in range(5):
        await begin(store, f"g{number}", most_open=9)
    left = tmp_path / "left" / path.name
    left.parent.mkdir()
    for end in ("", "-wal", "-shm"):
        shutil.copy(f"{path}{end}", f"{left}{end}")
    await store.close()
    if happens:
        happens(left.with_name(f"{left.name}-wal"))
    again = await Store.open(f"sqlite:///{left}")
    count = len(await again.all_open_games())
    await again.close()
    assert (count < 5) == is_told
    told = [one for one in caplog.messages if "what was written last is lost" in one]
    assert len(told) == is_told


@pytest.mark.parametrize("after", [1, 2])
@pytest.mark.parametrize("happens", ["checkpoint", "begin", "end"])
def test_what_another_program_does_meanwhile_cuts_no_log(
    path: Path,
    happens: str,
    after: int,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lay_database(path)
    log = path.with_name(f"{path.name}-wal")
    others: list[sqlite3.Connection] = []
    if happens != "begin":
        others.append(sqlite3.connect(path, timeout=0, isolation_level=None))
        others[0].execute("INSERT INTO place_settings VALUES ('here', 'games', '3')")
    looks = 0

    def meanwhile(file: Path, look: Callable[[Path], Any]) -> Any:
        nonlocal looks
        try:
            return look(file)
        finally:
            looks += file == log
            if file == log and looks == after:
                if happens == "begin":
                    others.append(sqlite3.connect(path))
                    others[0].execute("SELECT 1 FROM games").fetchall()
                elif happens == "checkpoint":
                    others[0].execute("PRAGMA wal_checkpoint(TRUNCATE)")
                else:
                    others.pop().close()

    for name in ("exists", "read_bytes"):
        look = getattr(Path, name)
        monkeypatch.setattr(Path, name, partialmethod(meanwhile, look))
    database.prepare(path)
    assert looks
    assert [one for one in caplog.messages if "is lost" in one] == []
    for other in others:
        other.close()
