"""Heavy work in the chat: in processes that can be stopped, and left out before moves are late."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from bot.features.records import service as matches
from bot.fronts.lines import spoken_by
from bot.services.reckoning import Played, played
from bot.tasks.pressure import Degree
from bot.tasks.tasks import Task
from tests.bot.load import press_on
from tests.bot.speaking import Chat, open_chat
from tests.bot.waiting import is_gone, until

MATCH = "ann: /match optimal optimal games:99 show:moves rules:kcd"


@pytest.fixture
async def working(data: Path, tmp_path: Path) -> AsyncIterator[Chat]:
    """A chat with a worker process."""
    async with open_chat(tmp_path, data / "strategies", workers=1) as opened:
        yield opened


def endless_second_game(*match: Any) -> Played:
    """Play the first game of a match as it is played; the second is never over."""
    *_, number = match
    if number > 1:
        time.sleep(1e6)
    return played(*match)


@pytest.mark.slow
async def test_a_match_is_stopped_with_its_process(
    working: Chat, monkeypatch: pytest.MonkeyPatch
) -> None:
    # between two games the process has nothing to compute, and then it is kept
    monkeypatch.setattr(matches, "played", endless_second_game)
    begun: list[Task] = []
    made = working.tasks.made

    async def begin(task: Task, make: Callable[..., Any], *args: Any) -> Any:
        begun.append(task)
        return await made(task, make, *args)

    monkeypatch.setattr(working.tasks, "made", begin)
    processes: list[int] = []
    start = asyncio.create_subprocess_exec

    async def noted(*args: Any, **options: Any) -> asyncio.subprocess.Process:
        process = await start(*args, **options)
        processes.append(process.pid)
        return process

    monkeypatch.setattr(asyncio, "create_subprocess_exec", noted)
    heard: list[str] = []

    async def match() -> None:
        caller, line = spoken_by(MATCH)
        async for reply in working.commands.answer(line, caller):
            heard.append(reply.text)  # noqa: PERF401 - to be seen on the way

    running = asyncio.create_task(match())
    await until(lambda: bool(heard))
    await until(lambda: len(begun) == 2)
    assert await working.say("bob: /cancel") == "Nothing is being computed for you."
    assert await working.say("ann: /cancel") == "Cancelled: match."
    assert len(processes) == 1
    assert is_gone(processes[0])
    await running
    assert heard[-1] == "match: cancelled."
    # who listens no more is not computed for either, and then there is another process
    running = asyncio.create_task(match())
    await until(lambda: len(processes) == 2)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    await until(lambda: is_gone(processes[1]))


@pytest.mark.slow
async def test_workers_make_what_threads_make(data: Path, tmp_path: Path) -> None:
    """A review, a chart of three players and the statistics of dice, there and here."""
    asked = ("ann: /review game:{two}", "ann: /dice", "ann: /review game:{three}")
    told = []
    games: dict[str, str] = {}
    for workers in (0, 1):
        async with open_chat(tmp_path, data / "strategies", workers=workers) as chat:
            if not workers:
                games["two"] = await whole_game(chat, "ann: /play level:greedy rules:kcd goal:4000")
                games["three"] = await whole_game(chat, "ann: /play greedy greedy rules:kcd")
            told.append([(await chat.answer(line.format(**games))).data for line in asked])
    assert told[0] == told[1]
    assert told[0][1]["dice"] > 50


async def whole_game(chat: Chat, line: str) -> str:
    """Play a game by keeping the first die that scores and banking; returns its id."""
    table = (await chat.all(line))[-1].data
    while table["to_move"]:
        line = "/roll"
        if roll := table["roll"]:
            line = next(
                f"/keep {die}" for die in (1, 5, *roll) if die in roll and roll.count(die) > 0
            )
        replies = await chat.all(f"ann: {line}")
        if "error" in replies[-1].data:
            replies = await chat.all("ann: /resign sure:yes")
        table = replies[-1].data
    return str(table["game"])


async def test_what_is_left_out_first(chat: Chat, monkeypatch: pytest.MonkeyPatch) -> None:
    """Heavy work, then estimates and new games; moves are made and told in any case."""
    pressure = chat.tasks.pressure
    monkeypatch.setattr(pressure, "_late", 0.1)
    await chat.say("ann: /settings games:3")
    [first] = await chat.all("ann: /play @bob @carl rules:kcd")
    assert first.data["within"] is not None
    assert press_on(pressure, 0.15) is Degree.BUSY
    busy = "Too much is going on here right now; try again in a minute."
    assert await chat.say("ann: /match greedy cautious") == busy
    assert (await chat.say("ann: /rules new mine goal:2000")).endswith(busy)
    [second] = await chat.all("dora: /play @emil @frida rules:kcd")
    assert second.data["within"] is not None
    assert press_on(pressure, 0.85) is Degree.OVERLOADED
    assert await chat.say("gina: /play @hans rules:kcd") == busy
    assert "rolls" in await chat.say("dora: /roll")
    resigned = (await chat.all("dora: /resign sure:yes"))[-1].data
    assert resigned["to_move"] == "emil"
    assert resigned["within"] is None
