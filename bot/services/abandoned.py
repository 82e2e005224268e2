"""Games at which nobody plays any more: after some hours they end by themselves."""

import asyncio
import logging
from datetime import timedelta

from bot.services.games import Games
from bot.store.errors import StaleVersionError, StoreError
from solver.errors import FarkleError

logger = logging.getLogger(__name__)

EVERY = 3600.0
"""Seconds between two looks for such games."""
_HEARD = timedelta(hours=1)
"""How long after something was done a program may still hear that it is to be done."""


async def end_abandoned(games: Games, hours: int) -> None:
    """End all games, wherever they are, in which nobody has moved for so many hours.

    Raises StoreError.
    """
    since = games.tables.now() - timedelta(hours=hours)
    for game_id in await games.tables.store.idle_games(since):
        try:
            await games.end_idle(game_id, hours)
        except StaleVersionError:  # another program was faster
            continue
        except FarkleError as error:  # the others end all the same
            logger.warning("game %s, in which nobody moves, was not ended: %s", game_id, error)


async def keep_ending(games: Games, hours: int) -> None:
    """Look for abandoned games again and again."""
    while True:
        await asyncio.sleep(EVERY)
        try:
            await end_abandoned(games, hours)
            await games.tables.store.forget_done(games.tables.now() - _HEARD)
        except StoreError as error:
            logger.warning("did not look for abandoned games: %s", error)
