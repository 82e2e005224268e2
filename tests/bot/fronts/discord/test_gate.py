"""Presses begin in their order, so many at a time, and who waits long is told so."""

import asyncio

import pytest

from bot.fronts.discord import gate
from bot.fronts.discord.gate import Gate


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing begins, or makes room, because time has passed."""
    monkeypatch.setattr(gate, "_LONGEST", 600.0)


async def never() -> None:
    """What is not to be told."""
    raise AssertionError("it waited too long")


async def all_is_as_it_was(entrance: Gate) -> None:
    """There is room for one, and for no other."""
    leave, _ = await asyncio.wait_for(entrance.enter(600, never), 60)
    waiting = asyncio.create_task(entrance.enter(600, never))
    await rounds()
    assert not waiting.done()
    leave()
    (await waiting)[0]()


async def rounds() -> None:
    """Let the event loop go on for a while."""
    for _ in range(10):
        await asyncio.sleep(0)


async def test_so_many_at_a_time_and_in_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate, "_MOST", 3)
    entrance, begun = Gate(), []
    most = inside = 0

    async def press(number: int) -> None:
        nonlocal inside, most
        leave, _ = await entrance.enter(600, never)
        begun.append(number)
        inside += 1
        most = max(most, inside)
        await asyncio.sleep(0)
        inside -= 1
        leave()

    await asyncio.gather(*map(press, range(50)))
    assert begun == list(range(50))
    assert most == 3


async def test_to_leave_twice_makes_room_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate, "_MOST", 1)
    entrance = Gate()
    leave, _ = await entrance.enter(600, never)
    waiting = [asyncio.create_task(entrance.enter(600, never)) for _ in range(2)]
    leave()
    leave()
    await rounds()
    assert [one.done() for one in waiting] == [True, False]
    waiting[0].result()[0]()
    await waiting[1]


async def test_who_breaks_off_takes_no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate, "_MOST", 1)
    entrance = Gate()
    leave, _ = await entrance.enter(600, never)
    gone, stays = (asyncio.create_task(entrance.enter(600, never)) for _ in range(2))
    await rounds()
    gone.cancel()
    leave()
    (await stays)[0]()
    (await entrance.enter(600, never))[0]()


async def test_what_takes_long_holds_up_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate, "_MOST", 1)
    monkeypatch.setattr(gate, "_LONGEST", 0.01)
    entrance = Gate()
    leave, _ = await entrance.enter(600, never)
    other, _ = await asyncio.wait_for(entrance.enter(600, never), 60)
    leave()
    other()
    await all_is_as_it_was(entrance)


@pytest.mark.parametrize("patience", [0.01, -1])
async def test_who_waits_long_is_told_once_and_keeps_the_place(
    monkeypatch: pytest.MonkeyPatch, patience: float
) -> None:
    monkeypatch.setattr(gate, "_MOST", 1)
    entrance, told, begun = Gate(), asyncio.Event(), []

    async def tell() -> None:
        assert not told.is_set()
        told.set()

    async def press(number: int, patience: float) -> None:
        leave, _ = await entrance.enter(patience, tell)
        begun.append(number)
        leave()

    leave, _ = await entrance.enter(600, never)
    waiting = [asyncio.create_task(press(0, patience)), asyncio.create_task(press(1, 600))]
    await asyncio.wait_for(told.wait(), 60)
    await rounds()
    assert begun == []
    leave()
    await asyncio.gather(*waiting)
    assert begun == [0, 1]
    await all_is_as_it_was(entrance)


async def test_who_breaks_off_while_told_takes_no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate, "_MOST", 1)
    entrance, told = Gate(), asyncio.Event()

    async def tell() -> None:
        told.set()
        await asyncio.Event().wait()

    leave, _ = await entrance.enter(600, never)
    gone = asyncio.create_task(entrance.enter(0, tell))
    await asyncio.wait_for(told.wait(), 60)
    leave()
    await rounds()
    gone.cancel()
    await asyncio.wait({gone})
    assert gone.cancelled()
    await all_is_as_it_was(entrance)


async def test_to_be_told_holds_up_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """Discord may take seconds for it, which do not count as waiting for room either."""
    monkeypatch.setattr(gate, "_MOST", 1)
    monkeypatch.setattr(gate, "_LONGEST", 0.01)
    entrance, told, taken = Gate(), asyncio.Event(), asyncio.Event()

    async def tell() -> None:
        told.set()
        await taken.wait()

    leave, _ = await entrance.enter(600, never)
    loop = asyncio.get_running_loop()
    came = loop.time()
    slow = asyncio.create_task(entrance.enter(0, tell))
    other = asyncio.create_task(entrance.enter(600, never))
    await asyncio.wait_for(told.wait(), 60)
    leave()
    leave, _ = await asyncio.wait_for(other, 60)
    had_room = loop.time()
    leave()
    assert not slow.done()
    await asyncio.sleep(0.01)
    taken.set()
    leave, waited = await slow
    assert waited <= had_room - came
    leave()
    await all_is_as_it_was(entrance)


async def test_who_comes_as_room_is_made_does_not_overtake(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate, "_MOST", 1)
    entrance, begun = Gate(), []

    async def press(number: int) -> None:
        leave, _ = await entrance.enter(600, never)
        begun.append(number)
        leave()

    leave, _ = await entrance.enter(600, never)
    first = asyncio.create_task(press(0))
    await asyncio.sleep(0)
    leave()
    await asyncio.gather(first, press(1))
    assert begun == [0, 1]
