"""What is asked for is done once, whichever programs hear of it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import Connection

from bot.store.kinds import Mode
from bot.store.rows import DoneElsewhereError, StaleVersionError, StoreError
from bot.store.store import Deed, Store, Work, doing
from tests.bot.postgres import KINDS
from tests.bot.store.test_store import NOON, begin, rolled


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
async def other(url: str) -> AsyncIterator[Store]:
    """Another program at the same database."""
    opened = await Store.open(url)
    yield opened
    await opened.close()


@pytest.mark.mostly_slow
async def test_of_two_programs_one_does_it(store: Store, other: Store) -> None:
    async def do(number: int, where: Store) -> str:
        """Two writes, as of a game and the moves of its bots."""
        doing.set(Deed(f"deed-{number}"))
        try:
            await begin(where, f"game-{number}-{id(where)}", most_open=1000)
            await where.set_place_setting(f"place-{number}", "daily", 7)
        except DoneElsewhereError:
            return "left"
        return "done"

    for number in range(20):
        told = await asyncio.gather(do(number, store), do(number, other))
        assert sorted(told) == ["done", "left"]
    assert len(await store.all_open_games()) == 20
    assert doing.get() is None


async def test_what_fails_is_not_done(store: Store, other: Store) -> None:
    await begin(store, "g")
    doing.set(Deed("deed"))
    with pytest.raises(StaleVersionError):
        await store.append("g", 7, [rolled(1)], NOON)

    def fail(_: Connection) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await store.write(fail)
    doing.set(Deed("deed"))
    assert await other.append("g", 1, [rolled(1)], NOON) == 2
    doing.set(Deed("deed"))
    with pytest.raises(DoneElsewhereError):
        await store.append("g", 2, [rolled(1)], NOON)
    doing.set(None)
    await store.forget_done(datetime.now(UTC) - timedelta(hours=1))
    doing.set(Deed("deed"))
    with pytest.raises(DoneElsewhereError):
        await store.append("g", 2, [rolled(1)], NOON)


async def test_what_is_not_committed_is_not_done(
    store: Store, other: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = store.database.run

    async def uncommitted(mode: Mode, work: Work[None]) -> None:
        def given_up(connection: Connection) -> None:
            work(connection)
            raise StoreError("the disk is full")

        await run(mode, given_up)

    doing.set(Deed("deed"))
    with monkeypatch.context() as patch:
        patch.setattr(store.database, "run", uncommitted)
        with pytest.raises(StoreError, match="the disk is full"):
            await store.set_place_setting("here", "daily", 7)
    await store.set_place_setting("here", "daily", 7)
    doing.set(Deed("deed"))
    with pytest.raises(DoneElsewhereError):
        await other.set_place_setting("here", "daily", 8)
    doing.set(None)
    assert await store.places_that_set("daily") == {"here": 7}


async def test_what_was_done_long_ago_is_forgotten(store: Store) -> None:
    for _ in range(2):
        doing.set(Deed("deed"))
        await store.set_place_setting("here", "daily", 7)
        doing.set(None)
        await store.forget_done(datetime.now(UTC) + timedelta(seconds=1))


async def test_one_program_has_what_all_would_have(store: Store, other: Store) -> None:
    waits, has = asyncio.Event(), asyncio.Event()

    def held(where: Store, what: str) -> AbstractAsyncContextManager[None]:
        return where.database.held([what], waits.set, pytest.fail)

    async def wait() -> None:
        async with held(other, "gateway"):
            has.set()

    async with held(store, "gateway"), held(store, "another"):
        assert not waits.is_set()
        waiting = asyncio.create_task(wait())
        await waits.wait()
        assert not has.is_set()
    await asyncio.wait_for(waiting, 60)
    assert has.is_set()
