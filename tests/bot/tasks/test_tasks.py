"""Tasks: limits and turns, and that what is cancelled is gone."""

import asyncio
import os
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot.tasks import tasks as limits
from bot.tasks.pressure import Pressure
from bot.tasks.tasks import (
    Asker,
    Delay,
    Kind,
    Task,
    TaskCancelledError,
    TaskLimits,
    Tasks,
    delay_text,
    duration,
)
from bot.tasks.workers import TaskError
from solver.errors import InvalidRequestError
from tests.bot.waiting import PATIENCE, rest, until

ANN, BOB, MALLORY = (Asker(name, f"{name}'s") for name in ("ann", "bob", "mallory"))

Open = Callable[..., Tasks]


@pytest.fixture
async def opened() -> AsyncIterator[Open]:
    """Makes tasks, and ends them."""
    made: list[Tasks] = []

    def make(workers: int = 1, **limits: Any) -> Tasks:
        made.append(Tasks(TaskLimits(**limits), workers))
        return made[-1]

    yield make
    for tasks in made:
        await tasks.close()


def note(file: Path, what: str) -> None:
    """What a worker does: it can be seen in which order."""
    with file.open("a") as opened:
        opened.write(f"{what}\n")


async def made(task: Task, make: Callable[..., Any], *args: Any) -> Any:
    return [one async for one in task.told(make, *args)][-1]


async def test_parts_of_tasks_take_turns(opened: Open, tmp_path: Path) -> None:
    """Four matches of one person are one of two who wait."""
    tasks, file = opened(), tmp_path / "order"

    async def match(asker: Asker, parts: int) -> None:
        async with tasks.task(asker, "match", parts, 0.01) as task:
            for _ in range(parts):
                await made(task, note, file, asker.person)

    await tasks.aside(MALLORY, time.sleep, 0)
    many = [asyncio.create_task(match(MALLORY, 20)) for _ in range(4)]
    await until(file.exists)
    # of whom there is always something that waits, however late the loop hears what was done
    await asyncio.gather(*(match(ANN, 4) for _ in range(3)))
    order = file.read_text().split()
    first = order.index("ann")
    # one of the other's, and two where her turn of a round came first and comes last in the next
    between = "".join(order[first:]).split("ann")
    assert all(len(others) <= 2 * len("mallory") for others in between), order[first:]
    await asyncio.gather(*many)
    assert len(file.read_text().split()) == 92


async def test_limits_are_told_in_one_sentence(opened: Open) -> None:
    tasks = opened(workers=0, person=2, place=3, seconds=60)
    stop = asyncio.Event()

    async def wait(asker: Asker, what: str) -> None:
        async with tasks.task(asker, what, 10, 2):
            await stop.wait()

    running = [asyncio.create_task(wait(MALLORY, what)) for what in ("match", "review")]
    await asyncio.sleep(0)
    with pytest.raises(InvalidRequestError) as caught:
        await wait(Asker("mallory", "elsewhere"), "match")
    assert str(caught.value) == (
        "you have 2 tasks running (match, review), the most one person may have; the first is"
        " done in about 40 s, and /cancel stops them"
    )
    running.append(asyncio.create_task(wait(Asker("ann", MALLORY.place), "match")))
    await asyncio.sleep(0)
    with pytest.raises(InvalidRequestError) as caught:
        await wait(Asker("bob", MALLORY.place), "match")
    assert str(caught.value).startswith("3 tasks are running here (2 × match, review), the most")
    async with tasks.task(BOB, "match"):
        pass
    stop.set()
    await asyncio.gather(*running)


async def test_what_takes_too_long_is_refused_before_it_begins(opened: Open) -> None:
    tasks = opened(workers=0, seconds=60)
    with pytest.raises(InvalidRequestError) as caught:
        async with tasks.task(BOB, "match", 99, 4):
            pass
    assert str(caught.value) == "match: this would take about 7 min, but the limit here is 60 s"


async def test_what_takes_too_long_is_ended(opened: Open) -> None:
    tasks = opened()
    process = await tasks.aside(ANN, os.getpid)
    async with tasks.task(ANN, "match") as task:
        task.most = 0.5
        with pytest.raises(TaskError) as caught:
            await made(task, time.sleep, 600)
    told = "match: that took longer than the 0.5 seconds of computing allowed here; whoever runs"
    assert str(caught.value) == f"{told} this program can allow more (FARKLE_TASK_SECONDS)"
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


async def test_part_of_an_answer_that_takes_too_long_has_no_name(
    opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.tasks.tasks.ASIDE_SECONDS", 0.5)
    with pytest.raises(TaskError, match="^that took longer than the 0.5 seconds that part of an"):
        await opened().aside(ANN, time.sleep, 600)


async def test_a_person_stops_what_is_theirs(opened: Open, tmp_path: Path) -> None:
    tasks, begun = opened(), tmp_path / "begun"
    process = await tasks.aside(ANN, os.getpid)

    async def run(asker: Asker, what: str, make: Callable[..., Any], *args: Any) -> None:
        async with tasks.task(asker, what) as task:
            await made(task, make, *args)

    asked = [run(MALLORY, what, rest, begun) for what in ("match", "review")]
    theirs = [asyncio.create_task(one) for one in asked]
    await until(begun.exists)
    ours = asyncio.create_task(run(ANN, "match", abs, -1))
    await asyncio.sleep(0)
    assert not ours.done()
    assert await tasks.cancel("mallory") == ["match", "review"]
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)
    for task in theirs:
        with pytest.raises(TaskCancelledError, match="cancelled"):
            await task
    await ours
    assert await tasks.cancel("mallory") == []


async def test_a_task_stopped_between_its_parts_does_not_go_on(opened: Open) -> None:
    tasks = opened(workers=0)
    async with tasks.task(ANN, "match", 2) as task:
        await made(task, time.sleep, 0)
        assert await tasks.cancel("ann") == ["match"]
        with pytest.raises(TaskCancelledError):
            await made(task, time.sleep, 0)


async def test_who_waits_is_told_what_for(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.tasks.tasks._PATIENCE", 0.05)
    tasks, stop = opened(workers=0), asyncio.Event()

    async def solve(asker: Asker, seconds: float) -> None:
        async with tasks.task(asker, "solve", 1, seconds, Kind.SOLVING) as task, task.turn():
            await stop.wait()

    running = [asyncio.create_task(solve(BOB, 100)), asyncio.create_task(solve(ANN, 32))]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    async with tasks.task(MALLORY, "solve", 1, 5, Kind.SOLVING) as task:
        told: list[Any] = []

        async def wait() -> None:
            async for one in task.told(time.sleep, 0):
                told.append(one)  # noqa: PERF401 - to be seen on the way

        waiting = asyncio.create_task(wait())
        await until(lambda: bool(told))
        assert isinstance(told[0], Delay)
        assert (told[0].what, told[0].before) == ("solve", 2)
        assert delay_text(told[0]) == "Solve: waiting for 2 other tasks, about 3 min."
        stop.set()
        await waiting
        assert told[1:] == [None]
    await asyncio.gather(*running)


async def test_whoever_stops_listening_ends_the_task(opened: Open, tmp_path: Path) -> None:
    tasks, begun = opened(), tmp_path / "begun"
    process = await tasks.aside(ANN, os.getpid)

    async def listen() -> None:
        async for _ in tasks.told(ANN, "review", rest, begun):
            pass

    listening = asyncio.create_task(listen())
    await until(begun.exists)
    listening.cancel()
    await asyncio.gather(listening, return_exceptions=True)
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)
    assert await tasks.aside(ANN, os.getpid) != process


def held_up(goes_on: Path, file: Path, what: str) -> str:
    """What a worker does that takes until a file is there."""
    while not goes_on.exists():
        time.sleep(0.01)
    note(file, what)
    return what


@pytest.fixture
def goes_on_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was left out is not stopped, however busy this machine is."""
    monkeypatch.setattr(limits, "_MOST_LEFT_SECONDS", PATIENCE)


@pytest.mark.slow
@pytest.mark.usefixtures("goes_on_for_long")
async def test_what_may_be_left_out_costs_nobody_a_worker(opened: Open, tmp_path: Path) -> None:
    tasks, file, goes_on = opened(patience=PATIENCE), tmp_path / "order", tmp_path / "goes on"
    process = await tasks.aside(ANN, os.getpid)
    assert await tasks.soon(ANN, abs, -1) == 1
    tasks.limits = replace(tasks.limits, patience=0.2)
    begun = asyncio.create_task(tasks.soon(ANN, held_up, goes_on, file, "begun"))
    waits = asyncio.create_task(tasks.soon(ANN, held_up, goes_on, file, "in vain"))
    assert await begun is None
    assert await waits is None
    goes_on.touch()
    # the worker is the same, and what had not begun never does
    assert await tasks.aside(ANN, os.getpid) == process
    assert file.read_text() == "begun\n"


def sleeps(seconds: int) -> str:
    time.sleep(seconds)
    return "late"


def fails_held_up(goes_on: Path, file: Path) -> str:
    held_up(goes_on, file, "in vain")
    raise ZeroDivisionError("in vain")


@pytest.mark.slow
@pytest.mark.usefixtures("goes_on_for_long")
async def test_what_goes_on_alone_fails_alone(
    opened: Open, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    tasks, goes_on = opened(patience=0.2), tmp_path / "goes on"
    process = await tasks.aside(ANN, os.getpid)
    assert await tasks.soon(ANN, fails_held_up, goes_on, tmp_path / "order") is None
    goes_on.touch()
    assert await tasks.aside(ANN, os.getpid) == process
    assert "what was left out failed" in caplog.text
    assert "in vain" in caplog.text
    assert await tasks.soon(ANN, sleeps, 600) is None
    os.kill(process, 9)
    assert await tasks.aside(ANN, os.getpid) != process
    caplog.clear()
    assert await tasks.soon(ANN, sleeps, 600) is None
    await tasks.close()
    assert not caplog.text


async def test_what_goes_on_alone_does_not_go_on_for_long(
    opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "_MOST_LEFT_SECONDS", 0.6)
    tasks = opened(patience=0.2)
    process = await tasks.aside(ANN, os.getpid)
    assert await tasks.soon(ANN, sleeps, 600) is None
    assert await tasks.aside(BOB, os.getpid) != process


@pytest.mark.slow
async def test_threads_are_not_waited_for(opened: Open, tmp_path: Path) -> None:
    tasks, file, goes_on = opened(workers=0, patience=0.1), tmp_path / "order", tmp_path / "goes on"
    assert await tasks.soon(ANN, held_up, goes_on, file, "late") is None
    assert await tasks.aside(BOB, abs, -1) == 1
    assert not file.exists()
    goes_on.touch()


async def test_parts_of_commands_are_not_without_limit(opened: Open) -> None:
    tasks = opened()
    first = [asyncio.create_task(tasks.aside(MALLORY, time.sleep, 0)) for _ in range(50)]
    other = asyncio.create_task(tasks.aside(ANN, abs, -1))
    found = await asyncio.gather(*first, return_exceptions=True)
    refused = [one for one in found if isinstance(one, InvalidRequestError)]
    assert len(refused) == 19, "one runs, and thirty wait"
    assert await other == 1


async def test_new_tasks_are_refused_first() -> None:
    pressure = Pressure(0.1)
    tasks = Tasks(workers=0, pressure=pressure)
    for _ in range(100):
        pressure.note(0.15)
        pressure.tick(0.1)
    with pytest.raises(InvalidRequestError, match="too much is going on here right now"):
        async with tasks.task(ANN, "match"):
            pass
    # what a move needs is made
    assert await tasks.aside(ANN, abs, -1) == 1


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0, "1 s"), (0.2, "1 s"), (7.1, "8 s"), (41, "45 s"), (90, "90 s"), (91, "2 min")],
)
def test_durations(seconds: float, said: str) -> None:
    assert duration(seconds) == said
