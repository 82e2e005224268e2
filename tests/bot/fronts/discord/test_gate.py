"""Presses begin in their order, so many at a time, and none waits for ever."""

import asyncio

import pytest

from bot.fronts.discord import gate
from bot.fronts.discord.gate import Gate


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing begins, or makes room, because time has passed."""
    monkeypatch.setattr(gate, "_LONGEST", 600.0)


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
        leave = await entrance.enter(600)
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
    leave = await entrance.enter(600)
    waiting = [asyncio.create_task(entrance.enter(600)) for _ in range(2)]
    leave()
    leave()
    await rounds()
    assert [one.done() for one in waiting] == [True, False]
    waiting[0].result()()
    await waiting[1]


async def test_who_breaks_off_takes_no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate, "_MOST", 1)
    entrance = Gate()
    leave = await entrance.enter(600)
    gone, stays = (asyncio.create_task(entrance.enter(600)) for _ in range(2))
    await rounds()
    gone.cancel()
    leave()
    (await stays)()
    (await entrance.enter(600))()


@pytest.mark.parametrize(("longest", "patience"), [(0.01, 600), (600, 0.01), (600, -1)])
async def test_what_takes_long_holds_up_nobody(
    monkeypatch: pytest.MonkeyPatch, longest: float, patience: float
) -> None:
    monkeypatch.setattr(gate, "_MOST", 1)
    monkeypatch.setattr(gate, "_LONGEST", longest)
    entrance = Gate()
    leave = await entrance.enter(600)
    other = await asyncio.wait_for(entrance.enter(patience), 60)
    leave()
    other()
    # all is as it was
    leave = await entrance.enter(600)
    waiting = asyncio.create_task(entrance.enter(600))
    leave()
    (await waiting)()
