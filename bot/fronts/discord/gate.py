"""Presses begin in the order in which they came, so many at a time.

Every step of an answer waits for its turn of the event loop. With all presses under way at once
each step waits for all others, and those that take most steps, such as a bank, come too late.
"""

import asyncio
from collections.abc import Awaitable, Callable

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
        self, patience: float, late: Callable[[], Awaitable[None]]
    ) -> Callable[[], None]:
        """Wait for the turn to begin; what is returned makes room for the next, once.

        patience : seconds after which `late` is called, if it has not begun; it goes on waiting
        """
        if self._room.locked():
            await self._wait(patience, late)
        else:
            await self._room.acquire()
        is_inside = True

        def leave() -> None:
            nonlocal is_inside
            if is_inside:
                is_inside = False
                later.cancel()
                self._room.release()

        later = asyncio.get_running_loop().call_later(_LONGEST, leave)
        return leave

    async def _wait(self, patience: float, late: Callable[[], Awaitable[None]]) -> None:
        entering = asyncio.ensure_future(self._room.acquire())
        try:
            await asyncio.wait({entering}, timeout=max(0.0, patience))
            if not entering.done():
                await late()
            await entering
        except BaseException:
            # whoever breaks off takes no room
            if not entering.cancel() and not entering.cancelled():
                self._room.release()
            raise
