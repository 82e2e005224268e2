"""Leases: which of several programs at one database does what only one of them should do."""

import asyncio
import os
import platform
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Connection, delete, or_, select
from sqlalchemy.dialects.sqlite import Insert, insert

from bot.store.database import PATIENCE
from bot.store.errors import StoreError
from bot.store.schema import leases

SECONDS = 10.0
"""After how long without renewal a lease passes on, as its holder was killed or hangs."""

_HERE: set[str] = set()
"""Holders in this process."""


class Leases:
    """What is done by one program at a time, each piece of work under a name.

    A lease keeps work from being done twice; it is not what keeps it right: a slow holder may
    lose its lease, and appends are refused by version and files appear whole all the same.
    """

    def __init__(
        self,
        note: Callable[[Callable[[Connection], Any]], Awaitable[Any]],
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """`note` runs statements that are each a transaction."""
        self._note = note
        self._now = now
        self._holder = f"{platform.node()}:{os.getpid()}:{secrets.token_hex(4)}"
        _HERE.add(self._holder)
        self._held: set[str] = set()
        self._releases: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def held(self, name: str) -> AsyncIterator[bool]:
        """Hold a lease while inside; false where somebody has it, here or in another program.

        Raises StoreError.
        """
        if name in self._held:
            yield False
            return
        self._held.add(name)
        renewing, ours = None, True
        try:
            ours = await self._take(name)
            if ours:
                renewing = asyncio.create_task(self._renew(name))
            yield ours
        finally:
            self._held.discard(name)
            if renewing:
                renewing.cancel()
            # who leaves does not wait for that; once the store is closed it runs out by itself
            if ours and self._holder in _HERE:
                self._begin(self._release(name))

    def is_held(self, name: str) -> bool:
        """Whether a lease is held in this program."""
        return name in self._held

    async def close(self) -> None:
        """Wait until all that was held is released."""
        _HERE.discard(self._holder)
        await asyncio.gather(*self._releases)

    async def _take(self, name: str) -> bool:
        """Take or renew a lease; whether nobody else has it."""

        def take(connection: Connection) -> bool:
            statement = self._taking(name)
            if connection.execute(statement).rowcount:
                return True
            other = connection.scalar(select(leases.c.holder).where(leases.c.name == name))
            if other is not None and not _has_ended(other):
                return False
            left = (leases.c.name == name, leases.c.holder == other)
            connection.execute(delete(leases).where(*left))
            return bool(connection.execute(statement).rowcount)

        return bool(await self._note(take))

    def _taking(self, name: str) -> Insert:
        """The statement that takes or renews a lease, where nobody else has it."""
        now = self._now()
        until = now + timedelta(seconds=SECONDS)
        taken = insert(leases).values(name=name, holder=self._holder, until=until)
        free = or_(
            leases.c.holder == self._holder,
            leases.c.until <= now,
            # by a clock that has been put back since; others may be as late as that with this
            leases.c.until > until + timedelta(seconds=PATIENCE),
        )
        return taken.on_conflict_do_update(
            index_elements=["name"], set_=dict(taken.excluded), where=free
        )

    async def _renew(self, name: str) -> None:
        while True:
            await asyncio.sleep(SECONDS / 3)
            with suppress(StoreError):  # there is a next time
                await self._take(name)

    async def _release(self, name: str) -> None:
        own = (leases.c.name == name, leases.c.holder == self._holder)

        def release(connection: Connection) -> None:
            if name not in self._held:  # nobody here has taken it anew
                connection.execute(delete(leases).where(*own))

        with suppress(StoreError):  # it runs out by itself
            await self._note(release)

    def _begin(self, release: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(release)
        self._releases.add(task)
        task.add_done_callback(self._releases.discard)


def _has_ended(holder: str) -> bool:
    """Whether a holder is known to be gone: it ran on this machine and does no more."""
    node, pid, _ = holder.rsplit(":", 2)
    if node != platform.node() or os.name != "posix":
        return False
    if int(pid) == os.getpid():  # as that of every program in a container may be
        return holder not in _HERE
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return False
