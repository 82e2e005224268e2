"""Rewriting the file: what was deleted is gone, and nobody has it rewritten without end."""

# ruff: noqa: ASYNC240 - tests may wait for files
import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path
from unittest import mock

import pytest
from sqlalchemy import Connection

from bot.store import store as storing
from bot.store.records import forget
from bot.store.rows import SeatRow
from bot.store.store import Store
from tests.bot.store.test_store import NOON, begin, rolled


async def test_those_who_wait_share_the_next_one(url: str) -> None:
    """However many ask, one is under way and one more comes after its rest."""
    store = await Store.open(url)
    rewrite, rested = store.database.rewrite, asyncio.Event()
    rewritten, rests = [], []

    def noted(connection: Connection) -> None:
        rewritten.append(connection)
        rewrite(connection)

    async def rest(seconds: float) -> None:
        rests.append(seconds)
        if len(rests) > 1:
            await rested.wait()

    with (
        mock.patch.object(store.database, "rewrite", noted),
        mock.patch.object(asyncio, "sleep", rest),
        mock.patch.object(storing, "REST", 1e6),
    ):
        await store.scrub()
        asked = [asyncio.create_task(store.scrub()) for _ in range(5)]
        await asyncio.wait(asked, timeout=0)  # all have asked
        # moves are made while they wait
        await begin(store, "g")
        await store.append("g", 1, [rolled(1)], NOON)
        assert len(rewritten) == 1
        rested.set()
        await asyncio.gather(*asked)
    assert len(rewritten) == 2
    assert len(rests) == 2
    assert rests[1] > 60 > rests[0]
    await store.close()


@pytest.mark.slow
async def test_nothing_is_left_of_who_was_forgotten(path: Path, url: str) -> None:
    """Their id and names are in no byte of the files, though pages were split over them."""
    store = await Store.open(url)
    people = [SeatRow(0, f"person-{number:03}", f"name {number:03}", None) for number in range(40)]
    for number in range(400):
        await begin(
            store, f"{number * 7919 % 10007:05}", place=f"{number}", seats=[people[number % 40]]
        )
    for one in people[::13]:
        await forget(store, one.person or "")
        held = b"".join(file.read_bytes() for file in path.parent.glob("farkle.db*"))
        assert (one.person or "").encode() not in held
        assert one.name.encode() not in held
    assert b"person-001" in path.read_bytes()
    await store.close()
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("SELECT count(*) FROM seats WHERE person IS NULL").fetchone() == (
            40,
        )
