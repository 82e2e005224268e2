"""Transactions: those that write come in turn, and each of them stands or falls alone."""

import asyncio
import gc
import random
import sqlite3
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, text
from sqlalchemy.exc import IntegrityError

from bot.languages import best_language
from bot.store import database
from bot.store.kinds import MOST_READS as MOST
from bot.store.kinds import Mode
from bot.store.rows import MissingGameError, SeatRow, StaleVersionError, StoreError
from bot.store.schema import place_settings
from bot.store.store import Store, Work, put
from solver.wording import speak
from tests.bot.new_database import lay_database
from tests.bot.postgres import KINDS
from tests.bot.store.test_store import NOON, begin, rolled


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def pausing(begun: asyncio.Event, free: asyncio.Event) -> Work[None]:
    """Work that is held up, in a thread or in the loop, as by a statement that takes long."""
    loop = asyncio.get_running_loop()

    def pause(connection: Connection) -> None:
        loop.call_soon_threadsafe(begun.set)
        driver: Any = connection.connection.dbapi_connection
        if threading.current_thread() is threading.main_thread():
            driver.run_async(lambda _: free.wait())
        else:
            asyncio.run_coroutine_threadsafe(free.wait(), loop).result()

    return pause


@asynccontextmanager
async def waiting(store: Store) -> AsyncIterator[None]:
    """Whatever is written inside waits until the end."""
    begun, free = asyncio.Event(), asyncio.Event()
    holding = asyncio.create_task(store.write(pausing(begun, free)))
    await begun.wait()
    try:
        yield
        await asyncio.sleep(0)
    finally:
        free.set()
        await holding


async def versions(store: Store) -> dict[str, int]:
    """The versions of all games, whose events are whole."""
    found = {}
    for game in (await store.open_games("here"))[0]:
        record = await store.record(game.id)
        stored, events = record.game, record.events
        assert len(events) == stored.version
        found[game.id] = stored.version
    return found


@pytest.mark.parametrize("kind", ["sqlite"])  # a server has no order
async def test_of_two_that_contradict_each_other_the_first_holds(store: Store) -> None:
    await begin(store, "g")
    async with waiting(store):
        moves = [asyncio.create_task(store.append("g", 1, [rolled(n)], NOON)) for n in (1, 2, 3)]
        moves.append(asyncio.create_task(store.append("g", 2, [rolled(4)], NOON)))
    done = await asyncio.gather(*moves, return_exceptions=True)
    assert [type(one) for one in done] == [int, StaleVersionError, StaleVersionError, int]
    events = (await store.record("g")).events
    assert [event.data["dice"] for event in events[1:]] == [[1], [4]]


@pytest.mark.parametrize("kind", ["sqlite"])
async def test_what_one_that_fails_had_written_is_taken_back(store: Store) -> None:
    await begin(store, "g")
    taken = SeatRow(0, *"xyz")
    async with waiting(store):
        fails = asyncio.create_task(store.append("g", 1, [rolled(1)], NOON, sit=[taken]))
        holds = asyncio.create_task(store.append("g", 1, [rolled(2)], NOON))
    done = await asyncio.gather(fails, holds, return_exceptions=True)
    assert [type(one) for one in done] == [IntegrityError, int]
    events = (await store.record("g")).events
    assert [event.data for event in events[1:]] == [{"dice": [2]}]


@pytest.mark.parametrize("kind", ["sqlite"])  # of a server an OSError says it is out of reach
async def test_where_the_database_gives_up_those_beside_it_are_written(store: Store) -> None:
    """As it does where the disk is full: who is refused is told why."""

    def give_up(connection: Connection) -> None:
        connection.exec_driver_sql("ROLLBACK")
        raise OSError("no space is left")

    await begin(store, "g")
    await begin(store, "h")
    async with waiting(store):
        moves: list[asyncio.Task[Any]] = [
            asyncio.create_task(store.append("g", 1, [rolled(1)], NOON)),
            asyncio.create_task(store.write(give_up, Mode.APPEND)),
            asyncio.create_task(store.append("h", 1, [rolled(2)], NOON)),
        ]
    done = await asyncio.gather(*moves, return_exceptions=True)
    assert [str(one) for one in done] == ["2", "no space is left", "2"]
    assert await versions(store) == {"g": 2, "h": 2}
    assert await store.append("h", 2, [rolled(3)], NOON) == 3


@pytest.mark.parametrize("kind", ["sqlite"])  # a server answers later
async def test_a_move_on_a_quick_disk_waits_for_nothing(
    store: Store, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await begin(store, "g")
    monkeypatch.setattr(database, "_QUICK_SECONDS", 60.0)

    def give_up(connection: Connection) -> None:
        connection.exec_driver_sql("ROLLBACK")
        raise OSError("no space is left")

    def at_once(version: int) -> bool:
        try:
            store.append("g", version, [rolled(version)], NOON).send(None)
        except StopIteration as done:
            return bool(done.value == version + 1)
        return False

    assert at_once(1)
    with pytest.raises(OSError, match="no space is left"):
        await store.write(give_up, Mode.APPEND)
    assert at_once(2)
    with closing(sqlite3.connect(path)) as other:
        other.execute("BEGIN IMMEDIATE")
        move = asyncio.create_task(store.append("g", 3, [rolled(3)], NOON))
        await asyncio.sleep(0.1)
        assert not move.done()
        other.commit()
        assert await move == 4
    assert at_once(4)
    events = (await store.record("g")).events
    assert [event.data["dice"] for event in events[1:]] == [[1], [2], [3], [4]]


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


@pytest.mark.slow
async def test_whatever_breaks_off_every_move_is_whole_or_not_there(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many at once, of which some are stale and some cancelled at any moment."""
    monkeypatch.setattr(database, "_QUICK_SECONDS", -1.0)  # what is made at once breaks off nowhere
    chance = random.Random(6)
    for number in range(5):
        await begin(store, f"g{number}")
    kept: dict[str, list[int]] = {f"g{number}": [] for number in range(5)}
    unsure: dict[str, set[int]] = {name: set() for name in kept}
    marks = iter(range(100_000))

    async def move(name: str) -> None:
        for _ in range(15):
            version = (await store.record(name)).game.version + (chance.random() < 0.1)
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
        events = (await store.record(name)).events
        found = [event.data["dice"][0] for event in events[1:]]
        assert found[::2] == found[1::2]
        assert set(marked) <= set(found[::2]) <= set(marked) | unsure[name]
    assert any(kept.values())
    assert any(unsure.values())


async def test_a_read_sees_nothing_of_what_is_written_meanwhile(store: Store) -> None:
    await begin(store, "g")
    begun, free = asyncio.Event(), asyncio.Event()
    hold = pausing(begun, free)
    number = text("SELECT count(*) FROM games")

    def read(connection: Connection) -> tuple[int, int]:
        before = connection.scalar(number)
        hold(connection)
        return before, connection.scalar(number)

    reading = asyncio.create_task(store.read(read))
    await begun.wait()
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
    begun, free, ended = asyncio.Event(), asyncio.Event(), asyncio.Event()
    hold = pausing(begun, free)

    def slow(connection: Connection) -> None:
        hold(connection)
        connection.scalar(text("SELECT count(*) FROM games"))
        ended.set()

    reading = asyncio.create_task(store.read(slow))
    await begun.wait()
    reading.cancel()
    await asyncio.wait([reading])
    assert await versions(store) == {"g": 1}
    assert not ended.is_set()
    free.set()
    await ended.wait()


@pytest.mark.parametrize("fails", [False, True])
async def test_one_that_is_cancelled_once_it_has_begun_ends_as_a_whole(
    path: Path, url: str, fails: bool
) -> None:
    """Closing waits for it, and nothing holds the database up after it."""
    lay_database(path)
    store = await Store.open(url)
    begun, free = asyncio.Event(), asyncio.Event()
    hold = pausing(begun, free)

    def slow(connection: Connection) -> None:
        for number in (1, 2):
            row = {"place": "here", "key": f"k{number}", "value": number}
            put(connection, place_settings, row)
            if number == 1:
                hold(connection)
            if fails:
                raise MissingGameError("none")

    writing = asyncio.create_task(store.write(slow))
    await begun.wait()
    writing.cancel()
    await asyncio.wait([writing])
    assert writing.cancelled()
    closing = asyncio.create_task(store.close())
    await asyncio.sleep(0)
    assert not closing.done()
    free.set()
    await closing
    again = await Store.open(url)
    await again.set_place_setting("there", "k", 1)
    assert await again.place_settings("here") == ({} if fails else {"k1": 1, "k2": 2})
    await again.close()


async def test_a_program_that_ends_in_a_transaction_leaves_all_of_it_or_nothing(
    path: Path, url: str
) -> None:
    """All of its tasks are cancelled then, wherever they are."""
    lay_database(path)

    store = await Store.open(url)
    before, begun, free = asyncio.all_tasks(), asyncio.Event(), asyncio.Event()
    hold = pausing(begun, free)

    def slow(connection: Connection) -> None:
        for number in (1, 2):
            put(connection, place_settings, {"place": "here", "key": f"k{number}", "value": number})
            hold(connection)

    writing = asyncio.create_task(store.write(slow))
    await begun.wait()
    running = asyncio.all_tasks() - before
    for task in running:
        task.cancel()
    await asyncio.wait(running)
    assert writing.cancelled()
    closing = asyncio.create_task(store.close())
    free.set()
    await closing
    again = await Store.open(url)
    await again.set_place_setting("there", "k", 1)
    assert await again.place_settings("here") in ({}, {"k1": 1, "k2": 2})
    await again.close()


@pytest.mark.parametrize("kind", ["sqlite"])
async def test_closing_ends_the_threads(path: Path, url: str) -> None:
    lay_database(path)
    before = set(threading.enumerate())
    store = await Store.open(url)
    await asyncio.gather(*(store.all_open_games() for _ in range(4)))
    of_connections = {
        one for one in set(threading.enumerate()) - before if not one.name.startswith("asyncio")
    }
    assert len(of_connections) > 1
    await store.close()
    for thread in of_connections:
        await asyncio.to_thread(thread.join, 60)
    assert not any(thread.is_alive() for thread in of_connections)


async def test_who_comes_after_the_end_is_told_so(store: Store) -> None:
    """As a bot's move, a post of the day or a web page may, while the program ends."""
    await begin(store, "g")
    under_way = asyncio.create_task(store.set_place_setting("here", "games", 3))
    await asyncio.sleep(0)
    await store.close()
    await under_way
    before = threading.active_count()
    for late in (
        lambda: store.append("g", 1, [rolled(1)], NOON),
        lambda: store.set_place_setting("here", "games", 4),
        lambda: store.settings("here"),
        lambda: store.record("g"),
        store.count_open,
        store.scrub,
    ):
        with pytest.raises(StoreError, match="the program ends"):
            await late()
    assert threading.active_count() == before, "nothing is opened again"


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


async def test_one_that_fails_after_nobody_waits_for_it_is_no_fault(
    store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    begun, free = asyncio.Event(), asyncio.Event()
    pause = pausing(begun, free)

    def fail(connection: Connection) -> None:
        pause(connection)
        raise ValueError

    writing = asyncio.create_task(store.write(fail))
    await begun.wait()
    writing.cancel()
    await asyncio.gather(writing, return_exceptions=True)
    free.set()
    await store.close()
    del writing
    gc.collect()
    assert "never retrieved" not in caplog.text
