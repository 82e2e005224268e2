"""Dice that are chosen by presses so close together that the second did not see the first."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field

from bot.chat.presses import TablePress

_SECONDS = 3.0
"""For how long a press may not have seen the one before."""

_PATIENCE = 2.0
"""Seconds that a press waits at most for the one before to be answered; Discord waits for three."""


@dataclass(slots=True)
class _Message:
    """The dice that are chosen in a message at a version of its game, and who answers there."""

    version: int = -1
    mask: int = 0
    pressed: float = 0.0
    answering: asyncio.Lock = field(default_factory=asyncio.Lock)


class Choices:
    """What was chosen in the last seconds; what was before is in the buttons themselves."""

    def __init__(self) -> None:
        self.remembers = True
        """Whether all presses below a message come to this program; if not, each button is trusted
        to know the dice that are chosen."""
        self._last: dict[tuple[str, int], _Message] = {}
        """By game and message, what was pressed last at the end."""

    @asynccontextmanager
    async def turn(self, press: TablePress, patience: float = _PATIENCE) -> AsyncIterator[None]:
        """Answer the presses below a message in the order in which they came.

        It has to be entered before anything else is waited for. A press that Discord keeps waiting
        costs no other its answer.

        patience : seconds after which a press does not wait for those before any more
        """
        message = self._message(press)
        async with AsyncExitStack() as turn:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(min(patience, _PATIENCE)):
                    await turn.enter_async_context(message.answering)
            yield

    def choose(self, press: TablePress) -> int:
        """The mask of the dice that are chosen with this press."""
        mask = press.chosen(self.chosen(press))
        message = self._message(press)
        message.version, message.mask = press.version, mask
        return mask

    def chosen(self, press: TablePress) -> int:
        """The mask of the dice that were chosen before this press, which may not have seen all."""
        last = self._last.get((press.game, press.message))
        if not self.remembers or last is None or last.version != press.version:
            return press.mask
        return last.mask

    def forget(self, game: str) -> None:
        """Know of no dice that are chosen in a game, as it is shown with none."""
        for key, message in self._last.items():
            if key[0] == game:
                message.version = -1

    def _message(self, press: TablePress) -> _Message:
        """The message below which this is pressed now; lets go of those that are too old."""
        now, key = time.monotonic(), (press.game, press.message)
        message = self._last.pop(key, None) or _Message()
        while self._last:
            oldest, first = next(iter(self._last.items()))
            if now - first.pressed < _SECONDS or first.answering.locked():
                break
            del self._last[oldest]
        if now - message.pressed >= _SECONDS and not message.answering.locked():
            message.version = -1
        message.pressed = now
        self._last[key] = message
        return message
