"""Dice that are chosen by presses so close together that the second did not see the first."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from bot.fronts.discord.buttons import TableButton

_SECONDS = 3.0
"""For how long a press may not have seen the one before."""

_PATIENCE = 2.0
"""Seconds that a press waits for the one before to be answered; Discord waits for three."""


@dataclass(slots=True)
class _Choice:
    """The dice that are chosen at a version of a game, and when they were."""

    version: int
    mask: int
    pressed: float
    answering: asyncio.Lock = field(default_factory=asyncio.Lock)


class Choices:
    """What was chosen in the last seconds; what was before is in the buttons themselves."""

    def __init__(self) -> None:
        self._last: dict[str, _Choice] = {}

    @asynccontextmanager
    async def choose(self, button: TableButton, die: int) -> AsyncIterator[int]:
        """The mask of the dice chosen with this press; presses are answered in their order."""
        now = time.monotonic()
        self._forget(now)
        last = self._last.pop(button.game, None)
        if last is None or last.version != button.version:
            last = _Choice(button.version, button.mask, now)
        self._last[button.game] = last
        # the button says which way it turns its die, and nothing of the others
        bit = 1 << die
        last.mask = last.mask & ~bit if button.mask & bit else last.mask | bit
        last.pressed = now
        mask = last.mask
        # one that Discord keeps waiting must not cost the next one its answer
        is_turn = False
        with contextlib.suppress(TimeoutError):
            is_turn = await asyncio.wait_for(last.answering.acquire(), _PATIENCE)
        try:
            yield mask
        finally:
            if is_turn:
                last.answering.release()

    def _forget(self, now: float) -> None:
        """Let go of what is too old, which comes first."""
        while self._last:
            game, first = next(iter(self._last.items()))
            if now - first.pressed < _SECONDS or first.answering.locked():
                return
            del self._last[game]
