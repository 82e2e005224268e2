"""What goes on beside a program that answers many: copies of its database, and who watches it."""

import asyncio
import os
import socket
import sys
from collections.abc import AsyncIterator, Coroutine, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import Any

from bot.fronts.watching import Watching
from bot.settings import Settings
from bot.store.backups import keep_backups
from bot.tasks.answering import beside
from bot.wiring import Parts

if sys.platform != "win32":
    import uvloop


def run(served: Coroutine[Any, Any, None]) -> None:
    """Run what serves by the quickest loop that there is."""
    (asyncio if sys.platform == "win32" else uvloop).run(served)


@asynccontextmanager
async def hosted(
    settings: Settings, parts: Parts, posted: Mapping[str, Any] | None = None
) -> AsyncIterator[Watching]:
    """Whoever watches a program, with what goes on beside it.

    posted : what answers requests to its HTTP server, by their paths, see `Watching.serve`

    Raises InvalidRequestError.
    """
    backups = settings.backups if settings.backup_days else None
    watching = Watching(parts.store, parts.tasks, backups)
    async with AsyncExitStack() as stack:
        if settings.http_address:
            await stack.enter_async_context(watching.serve(*settings.http_address, posted or {}))
        works = []
        if settings.backup_days:
            database = parts.store.database
            works.append(keep_backups(database, settings.backups, settings.backup_days))
        if address := os.environ.get("NOTIFY_SOCKET"):
            works.append(_keep_notifying(address, watching))
        async with beside(*works):
            yield watching


_LOOK_SECONDS = 1.0
"""Seconds between two looks whether people can reach the front."""


async def _keep_notifying(address: str, watching: Watching) -> None:
    """Tell systemd when people can reach the front, and again and again that it is alive."""
    watched = os.environ.get("WATCHDOG_PID", str(os.getpid())) == str(os.getpid())
    seconds = int(os.environ.get("WATCHDOG_USEC", "0")) / 1e6 if watched else 0.0
    # it wants to hear twice in the time that it waits
    wait = min(_LOOK_SECONDS, seconds / 2) if seconds else _LOOK_SECONDS
    path = f"\0{address[1:]}" if address.startswith("@") else address
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as channel:
        channel.setblocking(False)
        was_ready = False
        try:
            while True:
                if watching.is_ready() and not was_ready:
                    was_ready = True
                    _tell(channel, path, "READY=1")
                if seconds:
                    _tell(channel, path, "WATCHDOG=1")
                await asyncio.sleep(wait)
        finally:
            _tell(channel, path, "STOPPING=1")


def _tell(channel: socket.socket, path: str, word: str) -> None:
    with suppress(OSError):  # nobody listens, or not yet
        channel.sendto(word.encode(), path)
