"""The whole program on a database of PostgreSQL."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from sqlalchemy import text

from bot.chat.commands import Reply
from bot.cli.main import farkle
from bot.services.advisor import Advisor
from bot.settings import Settings
from bot.store.errors import StoreError
from bot.store.store import Store
from bot.wiring import open_parts
from tests.bot.damage import make_world
from tests.bot.speaking import Chat


@pytest.fixture
def kind() -> str:
    return "postgresql"


@asynccontextmanager
async def chat_on(url: str, folder: Path, strategies: Path) -> AsyncIterator[Chat]:
    settings = Settings(data=folder, database_url=url, workers=0, needed_seconds=0)
    async with open_parts(settings, Advisor(strategies)) as parts:
        yield Chat(parts.commands, parts.tasks)


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
            "ann: /daily answer 1",
            "ann: /daily board",
            "ann: /drill",
            "ann: /tournament new rules:kcd",
            "bob: /tournament join",
            "ann: /tournament start",
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
    refused = await said("store", "backup", url=url)
    assert "pg_dump makes a backup of it" in str(refused.exception)
    forgotten = await said("forget", "console:bob", url=url)
    assert forgotten.exit_code == 0, forgotten.output
    async with chat_on(url, tmp_path, data / "strategies") as chat:
        assert "bob" not in await chat.say("ann: /leaderboard")


async def _replies(chat: Chat, line: str) -> AsyncIterator[Reply]:
    first = line.startswith("ann: /rules")  # it is solved then, which takes its time
    for reply in [await chat.first(line)] if first else await chat.all(line):
        yield reply


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
    assert "has games already" in str((await said("store", "copy", here, back)).exception)
    assert (await said("store", "check", url=url)).exit_code == 0


@pytest.mark.slow  # one look at the lock takes five seconds
async def test_a_server_that_goes_away_is_told_and_used_again(store: Store, url: str) -> None:
    lost = asyncio.Event()
    end = text(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )
    other = await Store.open(url)
    async with store.database.held("gateway", pytest.fail, lost.set):
        await asyncio.gather(*(store.settings("here") for _ in range(5)))
        assert await other.rows(end)
        # the server may take a moment to end the connection that had it
        async with other.database.held("gateway", lambda: None, pytest.fail):
            await asyncio.wait_for(lost.wait(), 60)
    # all connections are made anew once one is found to be broken
    with pytest.raises(StoreError, match="cannot be reached or used"):
        await store.set_place_setting("here", "games", 7)
    await store.set_place_setting("here", "games", 7)
    assert (await other.settings("here")).games == 7
    await other.close()
