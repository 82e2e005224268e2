"""Writes that wait are committed together, and each of them stands or falls alone."""

import asyncio
import random
import sqlite3
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, RootTransaction, text

from bot.languages import best_language
from bot.store import database
from bot.store.errors import MissingGameError, StaleVersionError, StoreError
from bot.store.readers import MOST
from bot.store.rows import SeatRow
from bot.store.store import Store
from solver.wording import speak
from tests.bot.new_database import lay_database
from tests.bot.store.test_store import NOON, begin, rolled


def commits(path: Path) -> int:
    """How many there were that wrote."""
    with closing(sqlite3.connect(path)) as connection:
        [number] = connection.execute("PRAGMA user_version").fetchone()
        return int(number)


@asynccontextmanager
async def waiting(store: Store) -> AsyncIterator[None]:
    """Whatever is written inside waits until the end."""
    begun, free = threading.Event(), threading.Event()

    def hold(_: Connection) -> None:
        begun.set()
        free.wait()

    holding = asyncio.create_task(store.alone(hold))
    await asyncio.to_thread(begun.wait)
    try:
        yield
        await asyncio.sleep(0)
    finally:
        free.set()
        await holding


async def versions(store: Store) -> dict[str, int]:
    """The versions of all games, whose events are whole."""
    found = {}
    for game in await store.open_games("here"):
        stored, events = await store.load(game.id)
        assert len(events) == stored.version
        found[game.id] = stored.version
    return found


async def test_those_that_wait_are_committed_together(store: Store, path: Path) -> None:
    for number in range(9):
        await begin(store, f"g{number}")
    before = commits(path)
    async with waiting(store):
        moves = [
            asyncio.create_task(store.append(f"g{number}", number % 3, [rolled(1)], NOON))
            for number in range(10)
        ]
    done = await asyncio.gather(*moves, return_exceptions=True)
    # one is at version 1, the next where it should be, one not there
    stale = StaleVersionError
    assert [type(one) for one in done] == [*[stale, int, stale] * 3, MissingGameError]
    assert commits(path) == before + 1
    moved = {f"g{number}": 2 if number % 3 == 1 else 1 for number in range(9)}
    assert await versions(store) == moved


async def test_of_two_that_contradict_each_other_the_first_holds(store: Store) -> None:
    await begin(store, "g")
    async with waiting(store):
        moves = [asyncio.create_task(store.append("g", 1, [rolled(n)], NOON)) for n in (1, 2, 3)]
        moves.append(asyncio.create_task(store.append("g", 2, [rolled(4)], NOON)))
    done = await asyncio.gather(*moves, return_exceptions=True)
    assert [type(one) for one in done] == [int, StaleVersionError, StaleVersionError, int]
    _, events = await store.load("g")
    assert [event.data["dice"] for event in events[1:]] == [[1], [4]]


async def test_what_one_that_fails_had_written_is_taken_back(store: Store) -> None:
    await begin(store, "g")
    nobody = SeatRow(7, *"xyz")
    async with waiting(store):
        fails = asyncio.create_task(store.append("g", 1, [rolled(1)], NOON, changed_seats=[nobody]))
        holds = asyncio.create_task(store.append("g", 1, [rolled(2)], NOON))
    done = await asyncio.gather(fails, holds, return_exceptions=True)
    assert [type(one) for one in done] == [ValueError, int]
    _, events = await store.load("g")
    assert [event.data for event in events[1:]] == [{"dice": [2]}]


async def test_one_that_does_not_fit_on_the_disk_takes_no_others_down(store: Store) -> None:
    for number in range(3):
        await begin(store, f"g{number}")

    def bound(connection: Connection) -> None:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
        connection.exec_driver_sql(f"PRAGMA max_page_count = {pages + 5}")

    await store.alone(bound)
    async with waiting(store):
        moves = [
            asyncio.create_task(store.append(f"g{number}", 1, [rolled(*[6] * size)], NOON))
            for number, size in enumerate((1, 100_000, 1))
        ]
    done = await asyncio.gather(*moves, return_exceptions=True)
    assert (done[0], done[2]) == (2, 2)
    assert isinstance(done[1], StoreError)
    assert str(done[1]).endswith("cannot grow; the disk is full")
    assert await versions(store) == {"g0": 2, "g1": 1, "g2": 2}


async def test_what_cannot_be_committed_together_is_committed_one_by_one(
    store: Store, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(4):
        await begin(store, f"g{number}")
    commit, failures = Connection.commit, iter([True, False, True])

    def failing(self: Connection) -> None:
        if next(failures, False):
            raise sqlite3.OperationalError("disk I/O error")
        commit(self)

    monkeypatch.setattr(Connection, "commit", failing)
    before = commits(path)
    async with waiting(store):
        moves = [
            asyncio.create_task(store.append(f"g{number}", 1, [rolled(1)], NOON))
            for number in range(4)
        ]
    done = await asyncio.gather(*moves, return_exceptions=True)
    assert [type(one) for one in done] == [int, sqlite3.OperationalError, int, int]
    assert commits(path) == before + 3
    assert await versions(store) == {"g0": 2, "g1": 1, "g2": 2, "g3": 2}


async def test_who_cannot_begin_is_told_at_once_with_all_others(
    path: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "PATIENCE", 0.05)
    store = await Store.open(url)
    await begin(store, "g")
    begins, connection_begin = [], Connection.begin

    def noted(self: Connection) -> RootTransaction:
        begins.append(self)
        return connection_begin(self)

    monkeypatch.setattr(Connection, "begin", noted)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        async with waiting(store):
            moves = [asyncio.create_task(store.append("g", 1, [rolled(1)], NOON)) for _ in range(9)]
        done = await asyncio.gather(*moves, return_exceptions=True)
        assert all(isinstance(one, StoreError) for one in done)
        assert all("held by another program" in str(one) for one in done)
        assert len(begins) == 1
    assert await store.append("g", 1, [rolled(1)], NOON) == 2
    await store.close()


async def test_everybody_is_refused_in_their_own_language(store: Store) -> None:
    async def said(language: str) -> str:
        speak(best_language(language))
        with pytest.raises(MissingGameError) as refused:
            await store.append("none", 1, [rolled(1)], NOON)
        return str(refused.value)

    async with waiting(store):
        tasks = [asyncio.create_task(said(language)) for language in ("en", "de", "en")]
    english, german, again = await asyncio.gather(*tasks)
    assert english == again == "There is no game none"
    assert german == "Ein Spiel none gibt es nicht"


async def test_one_that_is_cancelled_before_it_begins_is_not_written(store: Store) -> None:
    await begin(store, "g")
    seen = store.foreign_writes()
    async with waiting(store):
        move = asyncio.create_task(store.append("g", 1, [rolled(1)], NOON))
        await asyncio.sleep(0)
        move.cancel()
        await asyncio.wait([move])
    assert move.cancelled()
    assert await versions(store) == {"g": 1}
    assert store.foreign_writes() == seen


async def test_one_that_is_cancelled_while_it_runs_counts_as_one_of_others(store: Store) -> None:
    """What this program has in memory may be out of date then."""
    await begin(store, "g")
    assert await store.place_settings("here") == {}
    begun, free = threading.Event(), threading.Event()
    seen = store.foreign_writes()

    def late(connection: Connection) -> None:
        begun.set()
        free.wait()
        connection.exec_driver_sql("UPDATE games SET place = 'there'")

    move = asyncio.create_task(store.write(late))
    await asyncio.to_thread(begun.wait)
    move.cancel()
    await asyncio.wait([move])
    assert move.cancelled()
    free.set()
    await store.note(lambda _: None)  # which comes after it
    assert store.foreign_writes() > seen


@pytest.mark.slow
async def test_whatever_breaks_off_every_move_is_whole_or_not_there(store: Store) -> None:
    """Many at once, of which some are stale and some cancelled at any moment."""
    chance = random.Random(6)
    for number in range(5):
        await begin(store, f"g{number}", events=[])
    kept: dict[str, list[int]] = {f"g{number}": [] for number in range(5)}
    unsure: dict[str, set[int]] = {name: set() for name in kept}
    marks = iter(range(100_000))

    async def move(name: str) -> None:
        for _ in range(15):
            version = (await store.load(name))[0].version + (chance.random() < 0.1)
            mark = next(marks)
            new: list[Any] = [rolled(mark), rolled(mark)]
            task = asyncio.create_task(store.append(name, version, new, NOON))
            if chance.random() < 0.4:
                await asyncio.sleep(chance.random() / 200)
                task.cancel()
            await asyncio.wait([task])
            if task.cancelled():
                unsure[name].add(mark)
            elif task.exception() is None:
                kept[name].append(mark)
            else:
                assert isinstance(task.exception(), StaleVersionError)

    await asyncio.gather(*(move(name) for name in kept for _ in range(2)))
    for name, marked in kept.items():
        _, events = await store.load(name)
        found = [event.data["dice"][0] for event in events]
        assert found[::2] == found[1::2]
        assert set(marked) <= set(found[::2]) <= set(marked) | unsure[name]
    assert any(kept.values())
    assert any(unsure.values())


async def test_a_read_is_one_transaction_beside_the_event_loop(store: Store) -> None:
    """What is made of many rows holds up nobody, and sees nothing of what is written meanwhile."""
    await begin(store, "g")
    begun, free = threading.Event(), threading.Event()
    number = text("SELECT count(*) FROM games")

    def read(connection: Connection) -> tuple[int, int]:
        before = connection.scalar(number)
        begun.set()
        assert free.wait(60)
        return before, connection.scalar(number)

    reading = asyncio.create_task(store.read(read))
    await asyncio.to_thread(begun.wait)
    await begin(store, "h")
    free.set()
    assert await reading == (1, 1)
    assert await store.read(lambda connection: connection.scalar(number)) == 2


async def test_more_reads_than_connections_and_some_that_fail(store: Store) -> None:
    await begin(store, "g")

    def read(connection: Connection, fails: bool) -> int:
        if fails:
            raise MissingGameError("none")
        return int(connection.scalar(text("SELECT count(*) FROM games")) or 0)

    works = [partial(read, fails=k % 3 == 0) for k in range(5 * MOST)]
    found = await asyncio.gather(*map(store.read, works), return_exceptions=True)
    assert [isinstance(one, MissingGameError) for one in found] == [
        k % 3 == 0 for k in range(5 * MOST)
    ]
    assert {one for one in found if isinstance(one, int)} == {1}


async def test_a_read_that_nobody_waits_for_holds_up_no_other(store: Store) -> None:
    await begin(store, "g")
    begun, free, ended = threading.Event(), threading.Event(), threading.Event()

    def slow(connection: Connection) -> None:
        begun.set()
        assert free.wait(60)
        connection.scalar(text("SELECT count(*) FROM games"))
        ended.set()

    reading = asyncio.create_task(store.read(slow))
    await asyncio.to_thread(begun.wait)
    reading.cancel()
    await asyncio.wait([reading])
    assert await versions(store) == {"g": 1}
    assert not ended.is_set()
    free.set()
    assert await asyncio.to_thread(ended.wait, 60)


async def test_closing_ends_the_threads_that_read(path: Path, url: str) -> None:
    lay_database(path)
    before = set(threading.enumerate())
    store = await Store.open(url)
    await asyncio.gather(*(versions(store) for _ in range(4)))
    reading = [one for one in set(threading.enumerate()) - before if "worker_thread" in one.name]
    assert len(reading) > 1
    await store.close()
    for thread in reading:
        await asyncio.to_thread(thread.join, 60)
    assert not any(thread.is_alive() for thread in reading)


async def test_rows_that_a_failure_left_unread_do_not_hold_the_past(store: Store) -> None:
    for game in ("a", "b", "c"):
        await begin(store, game)

    def fails(connection: Connection) -> None:
        rows = connection.execute(text("SELECT id FROM games"))
        raise MissingGameError(str(next(iter(rows))))

    with pytest.raises(MissingGameError) as caught:
        await store.read(fails)
    await begin(store, "d")
    number = text("SELECT count(*) FROM games")
    assert await store.read(lambda connection: connection.scalar(number)) == 4
    assert caught.tb is not None
