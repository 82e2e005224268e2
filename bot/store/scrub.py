"""The file of a database, rewritten without what was deleted."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from sqlalchemy import Connection

from bot.store.errors import StoreError
from bot.store.rescue import damaged_copies

REST = 100.0
"""How long a file is not rewritten again, in units of the time that it took."""


class Scrub:
    """Rewrites the file when it is asked to, and not again and again.

    Nobody can write meanwhile, and it takes as long as the database is large. So there is a rest
    after it; whoever asks then has to wait, and all who wait share the next one.
    """

    def __init__(
        self, path: Path, alone: Callable[[Callable[[Connection], None]], Awaitable[None]]
    ) -> None:
        """`alone` runs statements without a transaction, while nobody here writes."""
        self._path = path
        self._alone = alone
        self._lock = asyncio.Lock()
        self._began = self._rest_until = 0.0

    async def run(self) -> None:
        """Nothing that was deleted before is in the file or its log any more.

        Raises StoreError where it may still be.
        """
        asked = time.monotonic()
        async with self._lock:
            if self._began > asked:
                return
            await asyncio.sleep(self._rest_until - time.monotonic())
            began = time.monotonic()
            try:
                await self._alone(self._rewrite)
            finally:
                now = time.monotonic()
                self._rest_until = now + REST * (now - began)
            self._began = began

    def _rewrite(self, connection: Connection) -> None:
        connection.exec_driver_sql("VACUUM")
        if connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").scalar_one():
            raise StoreError.say(
                "The database {path} is read by another program, so what was deleted is"
                " still in its log; try again",
                path=self._path,
            )
        if copies := damaged_copies(self._path):
            raise StoreError.say(
                "What was deleted is still in {path}, from which the database was rescued; the host"
                " has to remove that",
                path=copies[0],
            )
