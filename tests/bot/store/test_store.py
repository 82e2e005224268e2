import asyncio
import random
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from sqlalchemy import select
from sqlalchemy.exc import IntegrityError, StatementError

from bot.store import database
from bot.store.rows import (
    GameResult,
    GameRunningError,
    Happened,
    MissingGameError,
    SeatRow,
    StaleVersionError,
    StoredEvent,
    StoredGame,
)
from bot.store.schema import results as results_table
from bot.store.store import Store
from tests.bot.postgres import KINDS
from tests.bot.store import appender

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
ANN = SeatRow(0, "ann", "Ann", None)
BEN = SeatRow(1, "ben", "Ben", None)
BOT = SeatRow(2, None, "Robot", "cautious")
RESULT = GameResult(0, 1.0, 4_000, 12, 3, 1_250, 0.93, None)


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def rolled(*dice: int) -> tuple[str, dict[str, Any]]:
    return ("rolled", {"dice": list(dice)})


async def begin(
    store: Store,
    game_id: str,
    *,
    most_open: int = 9,
    place: str = "here",
    seats: Sequence[SeatRow] = (ANN, BOT),
    events: Happened = [("began", {})],  # noqa: B006 - nobody changes it
    secret: bytes | None = None,
    at: datetime = NOON,
) -> StoredGame:
    game = StoredGame(game_id, place, "kcd", True, len(events), at, None, tuple(seats))
    await store.create_game(game, events, secret, most_open)
    return game


async def game_results(store: Store, game_id: str) -> tuple[GameResult, ...]:
    """How a game ended, by seats; empty while it is open."""
    columns = [results_table.c[one.name] for one in fields(GameResult)]
    query = select(*columns).where(results_table.c.game_id == game_id)
    ordered = query.order_by(results_table.c.seat)
    rows = await store.read(lambda connection: connection.execute(ordered).all())
    return tuple(GameResult(*row) for row in rows)


async def test_a_game_is_read_as_it_was_written(store: Store) -> None:
    data = {"names": "Zoë 🎲", "nested": [{"x": None}, 0.1, True], "empty": {}}
    made = await begin(store, "g", seats=[BOT, ANN], events=[("a", data), rolled(1, 5)])
    record = await store.record("g")
    game, events = record.game, record.events
    assert game == replace(made, seats=(ANN, BOT))
    assert game == StoredGame("g", "here", "kcd", True, 2, NOON, None, (ANN, BOT))
    assert events == (
        StoredEvent(1, NOON, "a", data),
        StoredEvent(2, NOON, "rolled", {"dice": [1, 5]}),
    )


async def test_a_game_grows_and_ends(store: Store) -> None:
    await begin(store, "g")
    later = NOON + timedelta(minutes=1, microseconds=7)
    taken_over = replace(ANN, person=None, name="Robot II", level="optimal")
    assert await store.append("g", 1, [rolled(1), rolled(2)], later, sit=[BEN]) == 3
    assert await game_results(store, "g") == ()
    results = (RESULT, replace(RESULT, seat=1, share=0.0, luck=-0.2))
    end: dict[str, Any] = {
        "sat": [ANN, BEN],
        "sit": [taken_over, BEN],
        "ended": True,
        "results": results,
    }
    assert await store.append("g", 3, [("ended", {})], later, **end) == 4
    record = await store.record("g")
    game, events = record.game, record.events
    assert game == StoredGame("g", "here", "kcd", False, 4, NOON, later, (taken_over, BEN, BOT))
    assert [event.version for event in events] == [1, 2, 3, 4]
    assert await game_results(store, "g") == results


async def test_moments_are_utc_whatever_they_were_given_in(store: Store) -> None:
    await begin(store, "g", at=NOON.astimezone(timezone(timedelta(hours=5))))
    game = (await store.record("g")).game
    assert (game.began_at, game.began_at.tzinfo) == (NOON, UTC)
    with pytest.raises(StatementError, match="no time zone"):
        await begin(store, "h", at=NOON.replace(tzinfo=None))


async def test_what_does_not_fit_is_refused_as_a_whole(store: Store) -> None:
    await begin(store, "g")
    before = await store.record("g")
    with pytest.raises(IntegrityError):
        await store.append("g", 1, [rolled(1)], NOON, sit=[BEN, SeatRow(ANN.number, *"xyz")])
    with pytest.raises(ValueError, match="results"):
        await store.append("g", 1, [rolled(1)], NOON, results=[RESULT])
    assert await store.record("g") == before


async def test_stale_over_and_missing_games(store: Store) -> None:
    await begin(store, "g")
    for version in (0, 2):
        with pytest.raises(StaleVersionError, match="the game has moved on"):
            await store.append("g", version, [rolled(1)], NOON)
    await store.append("g", 1, [rolled(1)], NOON, ended=True)
    with pytest.raises(StaleVersionError, match="over"):
        await store.append("g", 2, [rolled(1)], NOON)
    for asked in (store.record("h"), store.secret("h"), store.append("h", 0, [], NOON)):
        with pytest.raises(MissingGameError, match="There is no game h"):
            await asked
    assert (await store.record("g")).game.version == 2


async def test_lists_of_games(store: Store) -> None:
    for number in range(6):
        place = "here" if number % 2 else "there"
        at = NOON + timedelta(hours=number)
        await begin(store, f"g{number}", place=place, at=at, seats=[ANN, BEN][:number])
    await store.append("g3", 1, [rolled(1)], NOON, ended=True)
    assert [game.id for game in (await store.open_games("here"))[0]] == ["g5", "g1"]
    assert [game.id for game in await store.recent_games("here", 2)] == ["g5", "g3"]
    assert [game.id for game in await store.all_open_games()] == ["g5", "g4", "g2", "g1", "g0"]
    assert [len(game.seats) for game in await store.all_open_games()] == [2, 2, 2, 1, 0]
    assert (await store.open_games("nowhere"))[0] == []


async def test_secrets_and_the_rolls_of_fair_games(store: Store) -> None:
    await begin(store, "fair", secret=b"\x00\xff", events=[rolled(1, 2), ("banked", {})])
    await begin(store, "typed in", events=[rolled(6, 6)])
    await begin(store, "far", place="there", secret=b"s", events=[rolled(3)])
    await store.append("fair", 2, [rolled(4)], NOON)
    assert await store.secret("fair") == b"\x00\xff"
    assert await store.secret("typed in") is None
    first, last = ("rolled", {"dice": [1, 2]}), ("rolled", {"dice": [4]})
    assert await store.fair_games("here") == [[first, last]]
    assert [len(game) for game in await store.fair_games()] == [2, 1]  # in the order of their ids
    brought: Happened = [("begun", {"kits": [{}]}), ("banked", {})]
    await begin(store, "own", place="own", secret=b"s", events=brought)
    assert [len(game) for game in await store.fair_games("own")] == [2], "all of it"


async def test_places_keep_settings_and_rules(store: Store) -> None:
    assert await store.place_settings("here") == {}
    for value in ("kcd", {"most": [1, None]}, None, 0):
        await store.set_place_setting("here", "rules", value)
        assert await store.place_settings("here") == {"rules": value}
    assert await store.place_settings("there") == {}
    await store.save_place_rules("here", "ours", "goal = 1", "ann")
    await store.save_place_rules("here", "ours", "goal = 2", "ben")
    await store.save_place_rules("here", "a", "goal = 3", None)
    assert await store.place_rules("here") == {"a": "goal = 3", "ours": "goal = 2"}
    assert await store.place_rules("there") == {}
    assert await store.delete_place_rules("here", "ours")
    assert not await store.delete_place_rules("here", "ours")
    assert list(await store.place_rules("here")) == ["a"]


async def test_what_other_programs_write_is_seen(store: Store, url: str) -> None:
    other = await Store.open(url)
    assert await store.place_rules("here") == {}
    assert await store.place_settings("here") == {}
    await begin(store, "g")
    for games in (3, 4):
        await other.set_place_setting("here", "games", games)
        await other.save_place_rules("here", "ours", f"goal = {games}", "ann")
        assert await store.place_settings("here") == {"games": games}
        assert await store.place_rules("here") == {"ours": f"goal = {games}"}
        await other.append("g", games - 2, [rolled(1)], NOON)
        assert (await store.open_games("here"))[0][0].version == games - 1
    await other.close()


async def test_of_twenty_appends_to_one_version_one_succeeds(store: Store) -> None:
    await begin(store, "g")
    appends = [store.append("g", 1, [rolled(n)], NOON) for n in range(20)]
    done = await asyncio.gather(*appends, return_exceptions=True)
    assert sorted(map(type, done), key=str) == [*[StaleVersionError] * 19, int]
    events = (await store.record("g")).events
    assert [event.data for event in events[1:]] == [{"dice": [done.index(2)]}]


@pytest.mark.slow
async def test_twenty_writers_lose_nothing(url: str) -> None:
    """Each transaction reads first, the count of open games, and then writes."""
    stores = [await Store.open(url) for _ in range(20)]

    async def write(writer: int) -> None:
        for number in range(20):
            await begin(stores[writer], f"{writer}-{number}", most_open=400)

    await asyncio.gather(*map(write, range(20)))
    with pytest.raises(GameRunningError, match="400 games are running here already"):
        await begin(stores[0], "one too many", most_open=400)
    games, _ = await stores[-1].open_games("here")
    assert {game.id for game in games} == {f"{w}-{n}" for w in range(20) for n in range(20)}
    assert all(game.seats == (ANN, BOT) for game in games)
    await asyncio.gather(*(store.close() for store in stores))


async def test_only_as_many_games_as_there_may_be(url: str) -> None:
    stores = [await Store.open(url) for _ in range(10)]
    begun = [begin(store, f"g{i}", most_open=3) for i, store in enumerate(stores)]
    done = await asyncio.gather(*begun, return_exceptions=True)
    assert sum(isinstance(game, StoredGame) for game in done) == 3
    assert sum(isinstance(error, GameRunningError) for error in done) == 7
    first = (await stores[0].open_games("here"))[0][0]
    await stores[0].append(first.id, 1, [rolled(1)], NOON, ended=True)
    await begin(stores[1], "now", most_open=3)
    await begin(stores[1], "elsewhere", place="there", most_open=1)
    with pytest.raises(GameRunningError, match="a game is running here already"):
        await begin(stores[1], "again", place="there", most_open=1)
    await asyncio.gather(*(store.close() for store in stores))


@pytest.mark.slow
async def test_a_cancelled_append_is_whole_or_nothing_and_holds_nobody_up(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "PATIENCE", 2.0)
    store = await Store.open(url)
    chance = random.Random(4)
    await begin(store, "g")
    outcomes = set()
    for _ in range(150):
        before = (await store.record("g")).game.version
        append = asyncio.create_task(store.append("g", before, [rolled(1), rolled(2)], NOON))
        for _ in range(chance.randrange(4)):
            await asyncio.sleep(chance.choice((0, chance.random() / 500)))
        append.cancel()
        await asyncio.wait([append])
        await store.set_place_setting("here", "a write", "that needs the lock")
        record = await store.record("g")
        game, events = record.game, record.events
        assert [event.version for event in events] == list(range(1, game.version + 1))
        assert game.version - before in ({0, 2} if append.cancelled() else {2})
        outcomes.add(append.cancelled())
    assert True in outcomes
    await store.close()


@pytest.mark.slow
async def test_a_killed_process_loses_nothing_it_acknowledged(url: str) -> None:
    """kill -9 at any moment, the making of the file included; then on where it was."""
    chance = random.Random(4)
    before = 0
    for lines in (0, 1, 15, 40):
        said = await asyncio.to_thread(_append_until_killed, url, lines, chance.random() / 50)
        acknowledged = max([before, *map(int, said[1:])])
        stored, events = await _stored(url)
        assert [event.version for event in events] == list(range(1, stored + 1))
        assert [event.data["n"] for event in events] == list(range(1, stored + 1))
        assert stored - acknowledged in {0, appender.AT_ONCE}
        assert len(said) >= lines
        before = stored
    assert before >= (14 + 39) * appender.AT_ONCE


def _append_until_killed(url: str, lines: int, wait: float) -> list[str]:
    """The lines that it printed as a whole; killed some seconds after so many of them."""
    with started(url) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write("go\n")
        process.stdin.flush()
        said = [process.stdout.readline() for _ in range(lines)]
        time.sleep(wait)
        process.kill()
        said += process.stdout.readlines()
    return [line for line in said if line.endswith("\n")]


async def _stored(url: str) -> tuple[int, tuple[StoredEvent, ...]]:
    """The version and the events, none if not even the game is there."""
    store = await Store.open(url)
    try:
        record = await store.record(appender.GAME)
        game, events = record.game, record.events
    except MissingGameError:
        return 0, ()
    finally:
        await store.close()
    return game.version, events


def started(url: str) -> subprocess.Popen[str]:
    """A process that is ready to open the store."""
    command = [sys.executable, "-m", appender.__name__, url]
    process = subprocess.Popen(command, stdin=-1, stdout=-1, text=True)
    assert process.stdout
    assert process.stdout.readline() == "ready\n"
    return process
