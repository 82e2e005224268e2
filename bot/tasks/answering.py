"""The lane of what answers at once, threads that no heavy work is ever given to, and its end."""

import asyncio
import logging
import os
import signal
from collections.abc import AsyncIterator, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from contextvars import copy_context
from functools import partial
from typing import Any, ParamSpec, TypeVar

logger = logging.getLogger(__name__)

P = ParamSpec("P")
T = TypeVar("T")

_THREADS = ThreadPoolExecutor(max_workers=4, thread_name_prefix="answer")


async def at_once(make: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """What a function makes that takes milliseconds, while the event loop goes on."""
    run = partial(copy_context().run, awaited, make, *args, **kwargs)
    return await asyncio.get_running_loop().run_in_executor(_THREADS, run)


def awaited(make: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """Return what a function makes in a thread that somebody awaits.

    A StopIteration becomes a RuntimeError, as in a coroutine: asyncio does not pass it on from a
    thread, and whoever awaits the thread would wait for ever.
    """
    try:
        return make(*args, **kwargs)
    except StopIteration as error:
        raise RuntimeError("what was looked for is not there") from error


@asynccontextmanager
async def beside(*works: Coroutine[Any, Any, object]) -> AsyncIterator[None]:
    """A context beside which works go on, which are broken off at its end."""
    tasks = [asyncio.create_task(work) for work in works]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        for ended in await asyncio.gather(*tasks, return_exceptions=True):
            if isinstance(ended, Exception):
                logger.error("what went on beside the program failed", exc_info=ended)


async def until_ended() -> None:
    """Return at SIGINT or SIGTERM, which containers send; a second one ends the program at once."""
    ended, loop = asyncio.Event(), asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError):  # Windows has no handlers: Ctrl-C raises
            loop.add_signal_handler(number, ended.set)
    await ended.wait()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.remove_signal_handler(number)
        # the first process of a container is deaf to what it has no handler for
        signal.signal(number, lambda number, _: os._exit(128 + number))
