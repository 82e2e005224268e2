"""Dice that are chosen by presses so close together that the second did not see the first."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from bot.chat.presses import TablePress

_SECONDS = 3.0
"""For how long a press may not have seen the one before."""

_PATIENCE = 2.0
"""Seconds that a press waits at most for the one before to be answered; Discord waits for three."""


@dataclass(slots=True)
class _Choice:
    """The dice that are chosen at a version of a game, and when they were."""

    version: int
    mask: int
    pressed: float
    answering: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def turn(self, patience: float) -> bool:
        """Wait for the presses before; one that Discord keeps waiting costs no other its answer."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(min(patience, _PATIENCE)):
                return await self.answering.acquire()
        return False


class Choices:
    """What was chosen in the last seconds; what was before is in the buttons themselves."""

    def __init__(self) -> None:
        self._last: dict[tuple[str, int], _Choice] = {}
        """By game and message."""

    @asynccontextmanager
    async def choose(self, press: TablePress, patience: float = _PATIENCE) -> AsyncIterator[int]:
        """The mask of the dice chosen with this press; presses are answered in their order.

        patience : seconds after which it does not wait for those before any more
        """
        now = time.monotonic()
        self._forget(now)
        key = press.game, press.message
        last = self._last.pop(key, None)
        if last is None or last.version != press.version:
            last = _Choice(press.version, press.mask, now)
        self._last[key] = last
        last.mask = mask = press.chosen(last.mask)
        last.pressed = now
        is_turn = await last.turn(patience)
        try:
            yield mask
        finally:
            if is_turn:
                last.answering.release()

    async def chosen(self, press: TablePress, patience: float = _PATIENCE) -> int:
        """The mask of the dice chosen before this press, which may not have seen them all."""
        self._forget(time.monotonic())
        last = self._last.get((press.game, press.message))
        if last is None or last.version != press.version:
            return press.mask
        # what shows these dice must not come after what is made of them
        if await last.turn(patience):
            last.answering.release()
        return last.mask

    def forget(self, game: str) -> None:
        """Know of no dice that are chosen in a game, as it is shown with none."""
        for key in [key for key in self._last if key[0] == game]:
            del self._last[key]

    def _forget(self, now: float) -> None:
        """Let go of what is too old, which comes first."""
        while self._last:
            key, first = next(iter(self._last.items()))
            if now - first.pressed < _SECONDS or first.answering.locked():
                return
            del self._last[key]
