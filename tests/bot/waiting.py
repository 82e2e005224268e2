"""What tests wait for, which comes a little later on a busy machine."""

import asyncio
import os
import time
from collections.abc import Callable
from pathlib import Path

PATIENCE = 240.0
"""Seconds after which what has not come is stuck."""


async def until(holds: Callable[[], object]) -> None:
    """Wait for something to hold, without holding up the event loop."""
    for _ in range(int(PATIENCE / 0.01)):
        if holds():
            return
        await asyncio.sleep(0.01)
    raise TimeoutError("it never held")


def is_gone(process: int) -> bool:
    """Whether no process has this number."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    return False


def rest(begun: Path) -> None:
    """What a worker does that is waited for in vain: it tells by a file that it has begun."""
    begun.touch()
    time.sleep(600)
