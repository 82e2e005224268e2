"""Games at which nobody plays any more: after some hours they end by themselves."""

import asyncio
import logging
from datetime import timedelta

from bot.services.games import Games
from bot.store.errors import StoreError
from solver.errors import FarkleError

logger = logging.getLogger(__name__)

EVERY = 3600.0
"""Seconds between two looks for such games."""


async def end_abandoned(games: Games, hours: int) -> None:
    """End all games, wherever they are, in which nobody has moved for so many hours.

    One program does it: where another one is at it nothing happens here. Raises StoreError.
    """
    store, now = games.tables.store, games.tables.now()
    idle = await store.idle_games(now - timedelta(hours=hours))
    if not idle:
        return
    async with store.leases.held("abandoned games") as ours:
        for game_id in idle if ours else ():
            try:
                await games.end_idle(game_id, hours)
            except FarkleError as error:  # the others end all the same
                logger.warning("game %s, in which nobody moves, was not ended: %s", game_id, error)


async def keep_ending(games: Games, hours: int) -> None:
    """Look for abandoned games again and again."""
    while True:
        await asyncio.sleep(EVERY)
        try:
            await end_abandoned(games, hours)
        except StoreError as error:
            logger.warning("did not look for abandoned games: %s", error)
