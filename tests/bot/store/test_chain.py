"""Events as a chain: none is changed, left out, added or put elsewhere without being noticed."""

# ruff: noqa: S608 - the SQL of tests is their own

import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from bot.store.rows import DamagedGameError
from bot.store.store import START, Store, link
from tests.bot.store.test_store import NOON, begin, rolled

EVENT = "g", 2, "noon", "rolled", "[1,5]"


def test_a_hash_is_of_all_of_an_event_and_of_the_one_before() -> None:
    own = link(START, *EVENT)
    others = [
        link(b"other", *EVENT),
        link(START, "h", *EVENT[1:]),
        link(START, "g", 3, *EVENT[2:]),
        link(START, "g", 2, "later", *EVENT[3:]),
        link(START, "g", 2, "noon", "kept", "[1,5]"),
        link(START, "g", 2, "noon", "rolled", "[5,1]"),
    ]
    assert own == link(START, *EVENT)
    assert len({own, *others}) == 7


@pytest.mark.parametrize(
    ("statement", "number"),
    [
        ("UPDATE events SET data = '{\"dice\":[6]}' WHERE version = 3", 3),
        ("UPDATE events SET kind = 'kept' WHERE version = 3", 3),
        ("UPDATE events SET at = '2026-11-20T12:00:00.000001+00:00' WHERE version = 3", 3),
        ("UPDATE events SET at = 'noon' WHERE version = 3", 3),
        ("UPDATE events SET data = 'x{' WHERE version = 3", 3),
        ("UPDATE events SET hash = X'00' WHERE version = 3", 3),
        ("DELETE FROM events WHERE version = 3", 3),
        ("DELETE FROM events WHERE version = 5", 5),
        ("UPDATE games SET version = 4", 5),
        # a whole event of another place in the game
        (
            "UPDATE events SET (kind, data, at, hash) = (SELECT kind, data, at, hash FROM events"
            " WHERE version = 2) WHERE version = 4",
            4,
        ),
    ],
)
async def test_what_was_changed_is_noticed(
    store: Store, path: Path, statement: str, number: int
) -> None:
    await begin(store, "g")
    for version in range(1, 5):
        await store.append("g", version, [rolled(version)], NOON)
    with closing(sqlite3.connect(path)) as connection, connection:
        assert connection.execute(statement).rowcount == 1
    with pytest.raises(DamagedGameError, match=f"event {number} "):
        await store.record("g")


async def test_random_changes_of_events_are_noticed(store: Store, path: Path) -> None:
    """One character or number at a time, after which all is as it was."""
    chance = random.Random(38)
    await begin(store, "g")
    for version in range(1, 7):
        await store.append("g", version, [rolled(version, 6)], NOON)
    whole = await store.record("g")
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for _ in range(60):
            version = chance.randrange(2, 8)
            column = chance.choice(["at", "kind", "data"])
            this = f"FROM events WHERE version = {version}"
            [was] = connection.execute(f"SELECT {column} {this}").fetchone()
            place = chance.randrange(len(was))
            now = was[:place] + chance.choice("0123456789abcxyz[]{}") + was[place + 1 :]
            change = f"UPDATE events SET {column} = ? WHERE version = {version}"
            connection.execute(change, [now])
            if now != was:
                with pytest.raises(DamagedGameError):
                    await store.record("g")
            connection.execute(change, [was])
    assert await store.record("g") == whole
