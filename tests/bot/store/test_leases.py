"""Leases: one holder at a time, whatever becomes of it."""

import asyncio
import platform
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

import pytest
from sqlalchemy import select

from bot.store.leases import SECONDS, Leases
from bot.store.schema import leases as rows
from bot.store.store import Store
from tests.bot.clock import Clock
from tests.bot.store import lease_holder
from tests.bot.store.lease_holder import LEASE

FAR = "another machine:1:00000000"


@pytest.fixture
def clock() -> Clock:
    return Clock(datetime(2026, 11, 20, 12, tzinfo=UTC))


@pytest.fixture
async def other(url: str, store: Store) -> AsyncIterator[Store]:  # noqa: ARG001 - made before
    """A second program on the same database."""
    opened = await Store.open(url)
    yield opened
    await opened.close()


async def holders(store: Store) -> list[str]:
    query = select(rows.c.holder)
    return await store.read(lambda connection: list(connection.scalars(query)))


async def taken(leases: Leases) -> bool:
    """Whether the lease can be had."""
    async with leases.held(LEASE) as ours:
        return ours


@contextmanager
def held_by_process(url: str) -> Iterator[subprocess.Popen[str]]:
    """A process that holds the lease."""
    command = [sys.executable, "-m", lease_holder.__name__, url]
    with subprocess.Popen(command, stdout=-1, text=True) as process:
        assert process.stdout
        assert process.stdout.readline() == "True\n"
        try:
            yield process
        finally:
            process.kill()


async def test_one_at_a_time_here_and_there(store: Store, other: Store) -> None:
    for _ in range(3):
        async with store.leases.held(LEASE) as ours:
            assert ours
            assert not await taken(store.leases)
            assert not await taken(other.leases)
            async with other.leases.held("other work") as theirs:
                assert theirs
    await store.leases.close()
    await other.leases.close()
    assert await holders(store) == []


async def test_of_many_who_want_it_one_has_it(url: str, store: Store) -> None:
    stores = [store, *[await Store.open(url) for _ in range(3)]]
    inside, times = 0, 0

    async def work(one: Store) -> None:
        nonlocal inside, times
        for _ in range(10):
            async with one.leases.held(LEASE) as ours:
                if ours:
                    inside += 1
                    assert inside == 1
                    await asyncio.sleep(0)
                    times += 1
                    inside -= 1

    await asyncio.gather(*(work(one) for one in stores for _ in range(2)))
    assert times >= 10
    for one in stores[1:]:
        await one.close()


async def test_whoever_breaks_off_releases_it(store: Store, other: Store) -> None:
    begun = asyncio.Event()

    async def work() -> None:
        async with store.leases.held(LEASE):
            begun.set()
            await asyncio.sleep(3600)

    task = asyncio.create_task(work())
    await begun.wait()
    assert not await taken(other.leases)
    task.cancel()
    await asyncio.wait([task])
    assert await taken(store.leases)
    await store.leases.close()
    assert await taken(other.leases)


async def test_a_killed_holders_lease_passes_on_at_once_on_this_machine(
    store: Store, url: str
) -> None:
    with held_by_process(url) as process:
        assert not await taken(store.leases)
        process.kill()
        process.wait()
        assert await taken(store.leases)


async def test_a_killed_holders_lease_passes_on_in_time_elsewhere(
    store: Store, url: str, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    with held_by_process(url) as process:
        process.kill()
    # as seen from another container
    monkeypatch.setattr(platform, "node", lambda: "another machine")
    clock.at = datetime.now(UTC)
    leases = Leases(store.note, clock)
    assert not await taken(leases)
    clock.wait(seconds=SECONDS)
    assert await taken(leases)
    await leases.close()


async def test_it_is_kept_as_long_as_it_is_renewed(
    store: Store, other: Store, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    renewals = asyncio.Semaphore(0)
    due, take = asyncio.Queue[None](), Leases._take

    async def when_told(_: float) -> None:
        await due.get()

    async def noted(self: Leases, name: str) -> bool:
        done = await take(self, name)
        renewals.release()
        return done

    mine, theirs = Leases(store.note, clock), Leases(other.note, clock)
    monkeypatch.setattr(asyncio, "sleep", when_told)
    async with mine.held(LEASE) as ours:
        assert ours
        monkeypatch.setattr(Leases, "_take", noted)
        for _ in range(5):
            clock.wait(seconds=SECONDS * 0.9)
            due.put_nowait(None)
            await renewals.acquire()
            assert not await take(theirs, LEASE)
        # not in time
        clock.wait(seconds=SECONDS)
        assert await take(theirs, LEASE)
    await mine.close()
    # who lost it does not release that of another
    assert await take(theirs, LEASE)
    await theirs.close()


async def test_a_clock_that_was_ahead_holds_nobody_up_for_long(
    store: Store, other: Store, clock: Clock
) -> None:
    wrong = Clock(clock.at)
    wrong.wait(hours=1)
    ahead = Leases(other.note, wrong)
    async with ahead.held(LEASE) as ours:
        assert ours
        assert await taken(Leases(store.note, clock))
    await ahead.close()
