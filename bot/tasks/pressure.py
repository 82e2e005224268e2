"""How much the machine can bear: measured by how late everything is, and asked where work begins.

What matters least is left out first: the pictures of dice, which each press would send again, then
new heavy work, then other pictures, then charts, estimates and posts, and new games with them.
Moves are made as long as anything is.
"""

import asyncio
import math
import time
from enum import IntEnum

from solver.errors import InvalidRequestError

_TICK = 0.1
"""Seconds between two looks at the clock."""
_MEMORY = 2.0
"""Seconds over which is averaged: a moment's delay says nothing."""
_DICE_SHARE = 0.04
"""What share of the delay that is too much for heavy work is too much for pictures of dice: a move
waits for the loop ten times or so until it is written and shown."""


class BusyError(InvalidRequestError):
    """More was asked for than there is time for now."""


class Degree(IntEnum):
    """How busy it is."""

    CALM = 0
    BUSY = 1
    """No new heavy work."""
    STRAINED = 2
    """No pictures at all."""
    OVERLOADED = 3
    """No charts, estimates and posts, and no new games."""


class Pressure:
    """How late the event loop is, and how long moves wait to be written."""

    def __init__(self, late_seconds: float = math.inf) -> None:
        """`late_seconds` on average are too many for heavy work.

        Twice as many are for pictures, and eight times as many for the rest.
        """
        self._late = late_seconds
        self.delay = 0.0
        """Seconds by which it is late, on average."""
        self._loop_delay = 0.0
        self._noted: list[float] = []

    @property
    def degree(self) -> Degree:
        """How busy it is now."""
        limits = (self._late, 2 * self._late, 8 * self._late)
        return Degree(sum(self.delay >= limit for limit in limits))

    @property
    def spares_dice(self) -> bool:
        """Whether no pictures of dice are made: the loop is late, whatever the database is."""
        is_late = self._loop_delay >= self._late * _DICE_SHARE
        return is_late or self.degree >= Degree.BUSY

    def note(self, seconds: float) -> None:
        """A move waited so long to be written."""
        self._noted.append(seconds)

    def tick(self, elapsed: float) -> None:
        """Note the seconds since the last tick, which ought to have been `_TICK`."""
        delay = max(0.0, elapsed - _TICK)
        share = 1 - math.exp(-elapsed / _MEMORY)
        self._loop_delay += (delay - self._loop_delay) * share
        if self._noted:
            delay = max(delay, sum(self._noted) / len(self._noted))
            self._noted.clear()
        self.delay += (delay - self.delay) * share

    async def watch(self) -> None:
        """Look at the clock until this is cancelled."""
        before = time.monotonic()
        while True:
            await asyncio.sleep(_TICK)
            now = time.monotonic()
            self.tick(now - before)
            before = now

    def check(self, most: Degree = Degree.CALM) -> None:
        """Raises InvalidRequestError where it is busier than that."""
        if self.degree > most:
            raise too_busy()


def too_busy() -> BusyError:
    """The error for whoever asks for more than there is time for."""
    return BusyError.say("too much is going on here right now; try again in a minute")
