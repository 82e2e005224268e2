"""Presses begin in the order in which they came, so many at a time.

Every step of an answer waits for its turn of the event loop. With all presses under way at once
each step waits for all others, and those that take most steps, such as a bank, come too late.
"""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

LEAVE = "leave"
"""What to call once an answer is made, before it is sent: among the extras of an interaction."""

_MOST = 16
"""Presses whose answers are made at a time."""
_LONGEST = 0.3
"""Seconds after which one that takes long, or waits for something, makes room for the next."""


class Gate:
    """Who waits to begin. For one event loop."""

    def __init__(self) -> None:
        self._room = asyncio.Semaphore(_MOST)

    async def enter(
        self, patience: float, late: Callable[[], Coroutine[Any, Any, None]]
    ) -> tuple[Callable[[], None], float]:
        """Wait for the turn to begin.

        What is returned makes room for the next, once; and how many seconds it has waited.

        patience : seconds after which `late` is run, if there is no room yet; it goes on waiting,
            and begins when that is done as well
        """
        loop = asyncio.get_running_loop()
        came, telling, timer = loop.time(), None, None

        def tell() -> None:
            nonlocal telling
            telling = loop.create_task(late())

        if self._room.locked():
            timer = loop.call_later(max(0.0, patience), tell)
        try:
            await self._room.acquire()
        except BaseException:
            if telling is not None:
                telling.cancel()
            raise
        finally:
            if timer is not None:
                timer.cancel()
        waited, is_inside = loop.time() - came, True

        def leave() -> None:
            nonlocal is_inside
            if is_inside:
                is_inside = False
                later.cancel()
                self._room.release()

        later = loop.call_later(_LONGEST, leave)
        if telling is not None:
            try:
                await telling
            except BaseException:
                leave()
                raise
        return leave, waited
