"""The whole program on a database of PostgreSQL."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from sqlalchemy import make_url, text
from sqlalchemy.event import listen, remove
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import Pool

from bot.chat.commands import Reply
from bot.cli.main import farkle
from bot.features.practice import store as daily
from bot.features.practice.store import StoredDaily
from bot.services.advisor import Advisor
from bot.settings import Settings
from bot.store import postgres
from bot.store.backups import keep_backups
from bot.store.rows import StoreError
from bot.store.store import Store, database_of
from bot.wiring import open_parts
from tests.bot.damage import make_world
from tests.bot.features import lines_of_features
from tests.bot.speaking import Chat
from tests.bot.store.test_store import NOON
from tests.bot.waiting import until


@pytest.fixture
def kind() -> str:
    return "postgresql"


@asynccontextmanager
async def chat_on(url: str, folder: Path, strategies: Path) -> AsyncIterator[Chat]:
    settings = Settings(data=folder, database_url=url, workers=0, needed_seconds=0)
    async with open_parts(settings, Advisor(strategies)) as parts:
        yield Chat(parts)


async def said(*arguments: str, url: str = "") -> Result:
    return await asyncio.to_thread(
        CliRunner().invoke, farkle, arguments, env={"FARKLE_DATABASE_URL": url}
    )


async def test_everything_is_done_on_it(url: str, tmp_path: Path, data: Path) -> None:
    async with chat_on(url, tmp_path, data / "strategies") as chat:
        for line in (
            "ann: /settings games:3",
            "ann: /play level:greedy rules:kcd",
            "ann: /seed blue",
            "ann: /roll",
            "ann: /show",
            "ann: /resign sure:yes",
            "ann: /track @bob rules:kcd",
            "ann: /score 500",
            "bob: /score farkle",
            "ann: /undo",
            *lines_of_features(),
            "ann: /rules new sunday goal:2000",
            "ann: /stats",
            "ann: /stats ann bob",
            "ann: /leaderboard",
            "ann: /dice",
            "ann: /games",
            "ann: /proof",
        ):
            told = [reply.data async for reply in _replies(chat, line)]
            assert told, line
            errors = [one["error"] for one in told if isinstance(one, dict) and "error" in one]
            assert not errors, (line, errors)
    checked = await said("store", "check", "--json", url=url)
    assert checked.exit_code == 0, checked.output
    assert json.loads(checked.stdout)["games"] >= 2
    forgotten = await said("forget", "console:bob", url=url)
    assert forgotten.exit_code == 0, forgotten.output
    async with chat_on(url, tmp_path, data / "strategies") as chat:
        assert "bob" not in await chat.say("ann: /leaderboard")


async def _replies(chat: Chat, line: str) -> AsyncIterator[Reply]:
    first = line.startswith("ann: /rules")  # it is solved then, which takes its time
    for reply in [await chat.first(line)] if first else await chat.all(line):
        yield reply


async def test_tables_of_the_version_before_are_brought_up_to_date(url: str) -> None:
    store = await Store.open(url)
    await store.set_place_setting("here", "games", 7)
    await store.close()
    engine = create_async_engine(url)
    async with engine.begin() as connection:
        await connection.execute(text("DROP TABLE done"))
        await connection.execute(text("UPDATE schema_version SET number = 1"))
    await engine.dispose()
    store = await Store.open(url)
    assert (await store.settings("here")).games == 7
    await store.forget_done(NOON)
    await store.close()


@pytest.mark.slow
async def test_all_is_copied_there_and_back(
    url: str, sound: Path, tmp_path: Path, new_postgres: Callable[[], str]
) -> None:
    await make_world(sound)
    here, back = f"sqlite:///{sound / 'farkle.db'}", f"sqlite:///{tmp_path / 'back.db'}"
    for source, target in (here, url), (url, new_postgres()), (url, back):
        copied = await said("store", "copy", source, target)
        assert copied.exit_code == 0, copied.exception
    exported = [(await said("store", "export", "-", url=one)).stdout for one in (here, url, back)]
    assert exported[0] == exported[1] == exported[2]
    assert len(exported[0].splitlines()) > 200
    assert "has rows in games already" in str((await said("store", "copy", here, back)).exception)
    assert (await said("store", "check", url=url)).exit_code == 0


@pytest.mark.slow
async def test_a_backup_is_put_back(
    url: str, sound: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FARKLE_DATA", str(tmp_path))
    await make_world(sound)
    here = f"sqlite:///{sound / 'farkle.db'}"
    assert (await said("store", "copy", here, url)).exit_code == 0
    before = (await said("store", "export", "-", url=url)).stdout
    made = json.loads((await said("store", "backup", "--json", url=url)).stdout)
    copy = Path(made["backup"])
    assert copy.parent == tmp_path / "backups"
    assert [one.name for one in copy.parent.iterdir()] == [copy.name]
    assert (await said("store", "export", "-", url=f"sqlite:///{copy}")).stdout == before

    store = await Store.open(url)
    await store.set_place_setting("since", "games", 7)
    refused = await said("store", "restore", str(copy), url=url)
    assert "is in use: end the programs that have it open first" in str(refused.exception)
    assert [one.name for one in copy.parent.iterdir()] == [copy.name]
    assert (await store.settings("since")).games == 7
    day, asked = NOON.date(), StoredDaily("since", NOON.date(), {}, "CZT1", [{"keep": "5"}])
    await daily.kept(store, asked)
    assert await daily.claim(store, "since", day, NOON)
    await store.close()

    done = json.loads((await said("store", "restore", str(copy), "--json", url=url)).stdout)
    assert done["knows_posts"]
    store = await Store.open(url)
    assert (await store.settings("since")).games == 1
    assert not await daily.claim(store, "since", day, NOON)  # it is not posted again
    await store.close()
    now = (await said("store", "export", "-", url=url)).stdout.splitlines()
    new = [line for line in now[1:-1] if line not in before]
    assert [json.loads(line)[0] for line in new] == ["daily_positions", "place_settings"]
    replaced = await said("store", "export", "-", url=f"sqlite:///{done['before']}")
    assert '"since","key":"games"' in replaced.stdout


async def test_a_backup_is_put_into_a_new_database(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where the server is another one; before that, what it lacks is said."""
    monkeypatch.setenv("FARKLE_DATA", str(tmp_path))
    here = f"sqlite:///{tmp_path / 'farkle.db'}"
    store = await Store.open(here)
    await store.set_place_setting("here", "games", 7)
    await store.close()
    assert (await said("store", "backup", str(tmp_path / "copy.db"), url=here)).exit_code == 0
    for command in ["backup"], ["export", "-"]:
        told = str((await said("store", *command, url=url)).exception)
        assert "is empty; tables are made once the chat or the bot is started" in told
    assert "is empty" in (await said("store", "check", url=url)).stdout
    assert (await said("store", "restore", str(tmp_path / "copy.db"), url=url)).exit_code == 0
    assert '"here"' in (await said("store", "export", "-", url=url)).stdout


async def test_who_may_make_no_tables_is_told(url: str) -> None:
    engine = create_async_engine(url)
    async with engine.begin() as connection:
        for statement in "CREATE ROLE guest LOGIN", "REVOKE CREATE ON SCHEMA public FROM PUBLIC":
            await connection.execute(text(statement))
    await engine.dispose()
    guest = make_url(url).set(username="guest").render_as_string()
    with pytest.raises(StoreError, match="permission denied for schema public"):
        await Store.open(guest)


async def test_who_lacks_tables_is_told_of_another_database(url: str) -> None:
    await (await Store.open(url)).close()
    engine = create_async_engine(url)
    for table, told in ("results", "is damaged; "), ("games", "it lacks games; "):
        async with engine.begin() as connection:
            await connection.execute(text(f"DROP TABLE {table} CASCADE"))
        with pytest.raises(StoreError, match=f"{told}put back a copy, or choose an empty one$"):
            await Store.open(url)
    await engine.dispose()


async def test_a_running_bot_keeps_copies_of_it(store: Store, tmp_path: Path) -> None:
    await store.set_place_setting("here", "games", 7)
    keeping = asyncio.create_task(keep_backups(store.database, tmp_path, 7))
    await until(lambda: list(tmp_path.glob("*-daily-*.db")))
    keeping.cancel()
    [copy] = tmp_path.iterdir()  # noqa: ASYNC240 - a test may wait for files
    kept = Store.look_into(f"sqlite:///{copy}")
    assert (await kept.settings("here")).games == 7
    await kept.close()


class Way:
    """A way to a server on which everything can go silent, and which is not closed then."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._open = asyncio.Event()
        self._open.set()
        self._tasks: list[asyncio.Task[None]] = []

    def silence(self) -> None:
        self._open.clear()

    def go_on(self) -> None:
        self._open.set()

    async def connected(self, here: asyncio.StreamReader, out: asyncio.StreamWriter) -> None:
        there, to = await asyncio.open_connection("127.0.0.1", self._port)
        for reader, writer in (here, to), (there, out):
            self._tasks.append(asyncio.create_task(self._pass_on(reader, writer)))

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            while text := await reader.read(1 << 16):
                await self._open.wait()
                writer.write(text)
        writer.close()

    async def end(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


@pytest.mark.slow
async def test_a_server_that_goes_silent_is_away(
    url: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Nothing hangs, and once the server is heard again it is known who has what was held."""
    monkeypatch.setattr(postgres, "_HEARTBEAT_SECONDS", 1.0)
    parts = make_url(url)
    way = Way(parts.port or 0)
    serving = await asyncio.start_server(way.connected, "127.0.0.1", 0)
    port = serving.sockets[0].getsockname()[1]
    far = database_of(parts.set(port=port).render_as_string(hide_password=False))
    other, lost = await Store.open(url), asyncio.Event()
    async with far.held(["gateway", "another"], pytest.fail, lost.set):
        way.silence()
        await until(lambda: caplog.text.count("cannot be reached or used") >= 2)
        end = text("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'")
        await other.rows(end)
        async with other.database.held(["gateway"], lambda: None, pytest.fail):
            way.go_on()
            await asyncio.wait_for(lost.wait(), 60)
    serving.close()
    await way.end()
    await other.close()


_OTHERS = "FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
_END_OTHERS = text(f"SELECT pg_terminate_backend(pid) {_OTHERS}")


async def test_a_server_that_ends_what_rests_is_used_again_at_once(store: Store, url: str) -> None:
    resting: list[Any] = []
    note = Pool, "connect", lambda connection, _: resting.append(connection.driver_connection)
    listen(*note)
    async with await Store.open(url) as opened:
        await asyncio.gather(*(opened.settings("here") for _ in range(5)))
        remove(*note)
        assert await store.rows(_END_OTHERS)
        await until(lambda: resting and all(one.is_closed() for one in resting))
        await opened.set_place_setting("here", "games", 7)
        assert (await opened.settings("here")).games == 7


@pytest.mark.slow  # one look at the lock takes five seconds
async def test_a_server_that_goes_away_is_told_and_used_again(store: Store, url: str) -> None:
    lost = asyncio.Event()
    other = await Store.open(url)
    async with store.database.held(["gateway"], pytest.fail, lost.set):
        await asyncio.gather(*(store.settings("here") for _ in range(5)))
        assert await other.rows(_END_OTHERS)
        # the server may take a moment to end the connection that had it
        async with other.database.held(["gateway"], lambda: None, pytest.fail):
            await asyncio.wait_for(lost.wait(), 60)
    await store.set_place_setting("here", "games", 7)
    assert (await other.settings("here")).games == 7
    await other.close()
