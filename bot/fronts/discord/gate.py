"""Presses begin in the order in which they came, so many at a time.

Every step of an answer waits for its turn of the event loop. With all presses under way at once
each step waits for all others, and those that take most steps, such as a bank, come too late.
"""

import asyncio
from collections.abc import Callable

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

    async def enter(self, patience: float) -> Callable[[], None]:
        """Wait for the turn to begin; what is returned makes room for the next, once.

        patience : seconds after which it begins in any case
        """
        try:
            async with asyncio.timeout(patience if self._room.locked() else None):
                await self._room.acquire()
        except TimeoutError:
            return lambda: None
        is_inside = True

        def leave() -> None:
            nonlocal is_inside
            if is_inside:
                is_inside = False
                later.cancel()
                self._room.release()

        later = asyncio.get_running_loop().call_later(_LONGEST, leave)
        return leave
