"""What goes on beside a program that answers many people: copies of its database."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from bot.settings import Settings
from bot.store.backups import keep_backups
from bot.wiring import Parts


@asynccontextmanager
async def hosted(settings: Settings, parts: Parts) -> AsyncIterator[None]:
    """The program with what goes on beside it."""
    beside: list[asyncio.Task[None]] = []
    if days := settings.backup_days:
        copies = keep_backups(parts.store.path, settings.backups, days)
        beside.append(asyncio.create_task(copies))
    try:
        yield
    finally:
        for one in beside:
            one.cancel()
        await asyncio.gather(*beside, return_exceptions=True)
