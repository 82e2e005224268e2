"""Chances are told while a game goes on, and kept when it is over."""

import asyncio
import random
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from bot.services import chances
from bot.services.chances import Oracle
from bot.tasks.answering import at_once
from solver.game.best import Values
from tests.bot.services.test_loaded_games import data_of
from tests.bot.speaking import Chat
from tests.bot.waiting import until

Handed = list[Callable[..., Any]]


def oracles(handed: Handed) -> list[Oracle]:
    """Those whose exact chances were computed in a thread."""
    return [make.__self__ for make in handed if make.__name__ == "_exact"]  # type: ignore[attr-defined]


@pytest.fixture
def handed(monkeypatch: pytest.MonkeyPatch) -> Handed:
    """What is computed in a thread."""
    found: Handed = []

    async def noted(make: Callable[..., Any], /, *args: Any, **more: Any) -> Any:
        found.append(make)
        return await at_once(make, *args, **more)

    monkeypatch.setattr(chances, "at_once", noted)
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("undone", "rows"), [(0.0, 0), (0.0, 300), (0.1, 300)])
async def test_what_is_kept_of_a_game_is_what_its_review_says(
    chat: Chat,
    tmp_path: Path,
    undone: float,
    rows: int,
    handed: Handed,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Read move by move as it went on, in threads or not, as in one go when it is over."""
    monkeypatch.setattr(chances, "_SMALL_ROWS", rows)
    chance = random.Random(1)
    table = await data_of(chat, "ann: /track @bob rules:kcd")
    while (who := table["to_move"]) is not None:
        if table["version"] > 1 and chance.random() < undone:
            line = "/undo"
        elif table["roll"] is not None:
            options = (await data_of(chat, f"{who}: /hint"))["options"]
            one = chance.choice(options[:2])
            line = f"/keep {one['set_aside']} {'bank' if one['action'] == 'bank' else ''}"
        elif table["dice"] == 6 and not table["turn_total"] and chance.random() < 0.2:
            line = "/score 400"
        else:
            line = "/roll " + " ".join(str(chance.randint(1, 6)) for _ in range(table["dice"]))
        table = await data_of(chat, f"{who}: {line}")
    assert undone or (len(oracles(handed)) > 8) == (rows == 0)
    players = (await data_of(chat, "ann: /review"))["players"]
    with closing(sqlite3.connect(tmp_path / "farkle.db")) as connection:
        query = "SELECT accuracy, luck FROM results ORDER BY seat"
        kept = connection.execute(query).fetchall()
    assert kept == [pytest.approx((one["accuracy"], one["luck"]), abs=1e-12) for one in players]


async def turn(chat: Chat, who: str) -> Any:
    """A turn of three ones with real dice; the players after it, with their chances."""
    await chat.say(f"{who}: /roll 1 1 1 2 3 4")
    return (await data_of(chat, f"{who}: /keep 1 1 1 bank"))["players"]


@pytest.mark.parametrize("hinders", ["", "another file", "somebody reads", "forgotten", "too much"])
async def test_only_what_takes_no_time_is_computed_in_the_event_loop(
    chat: Chat, handed: Handed, monkeypatch: pytest.MonkeyPatch, hinders: str
) -> None:
    await data_of(chat, "ann: /track @bob rules:facebook")
    for _ in range(2):
        await turn(chat, "ann")
        await turn(chat, "bob")
    oracle = oracles(handed)[0]
    if hinders == "another file":
        monkeypatch.setattr(Values, "are_unchanged", False)
    elif hinders == "forgotten":
        oracle._readers._known.clear()
    elif hinders == "too much":
        monkeypatch.setattr(chances, "_FEW_EVENTS", 2)
    handed.clear()
    if hinders == "somebody reads":
        with ThreadPoolExecutor() as other:
            other.submit(oracle._readers._lock.acquire).result()
            asked = asyncio.create_task(turn(chat, "ann"))
            await until(lambda: oracles(handed))
            other.submit(oracle._readers._lock.release).result()
            assert await asked
    else:
        assert await turn(chat, "ann")
    assert bool(oracles(handed)) == bool(hinders)


async def test_a_turn_that_is_taken_back_is_read_elsewhere(chat: Chat, handed: Handed) -> None:
    await data_of(chat, "ann: /track @bob rules:kcd")
    told = [await turn(chat, who) for who in ("ann", "bob", "ann")]
    handed.clear()
    await chat.say("ann: /undo")
    assert oracles(handed)
    after = await data_of(chat, "ann: /bank")
    assert after["players"] == told[-1]


async def test_final_turns_are_solved_elsewhere(chat: Chat, handed: Handed) -> None:
    await data_of(chat, "ann: /track @bob rules:arnold")
    for who in ("ann", "bob", "ann"):
        handed.clear()
        await turn(chat, who)
        assert oracles(handed)
