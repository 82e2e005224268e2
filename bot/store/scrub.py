"""The file of a database, rewritten without what was deleted."""

import asyncio
import time
from collections.abc import Awaitable, Callable

REST = 100.0
"""How long a file is not rewritten again, in units of the time that it took."""


class Scrub:
    """Rewrites the file when it is asked to, and not again and again.

    Nobody can write meanwhile, and it takes as long as the database is large. So there is a rest
    after it; whoever asks then has to wait, and all who wait share the next one.
    """

    def __init__(self, rewrite: Callable[[], Awaitable[None]]) -> None:
        self._rewrite = rewrite
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
                await self._rewrite()
            finally:
                now = time.monotonic()
                self._rest_until = now + REST * (now - began)
            self._began = began
