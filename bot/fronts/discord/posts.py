"""What is posted by itself in Discord's channels, such as one position a day."""

import asyncio
import logging
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import discord

from bot import log
from bot.chat.commands import Reply
from bot.fronts.discord.answers import files_of
from bot.fronts.discord.failures import UNREACHABLE, check_lost
from bot.fronts.discord.frames import card_view, own_message
from bot.fronts.discord.front import DiscordFront
from bot.languages import best_language
from bot.store.errors import StoreError
from bot.store.store import Store
from solver.wording import said_in

logger = logging.getLogger(__name__)

EVERY = 20.0
"""Seconds between two looks for what is due."""
_FRONT = "discord"
_APART = timedelta(minutes=5)
"""By which Discord's clock may be behind that of this machine."""


async def keep_posting(client: discord.Client, front: DiscordFront, store: Store) -> None:
    """Post what is due, again and again, once Discord is there; what was begun is ended."""
    await client.wait_until_ready()
    while True:
        for one in front.pressing.features:
            try:
                if one.posts:
                    await front.to_its_end(one.posts(_FRONT, partial(_post, client, store)))
            except StoreError as error:
                logger.warning("did not look for posts that are due: %s", error)
            except Exception as error:  # whatever one post is, there is a next one
                log.failed("a post", error)
        await asyncio.sleep(EVERY)


async def _post(
    client: discord.Client,
    store: Store,
    place: str,
    reply: Reply,
    key: str,
    since: datetime | None,
) -> bool:
    """Post in a channel; true where that is done with, or never will be.

    since : when it may have been posted already, if it may
    """
    number = place.partition(":")[2]
    settings = await store.settings(place)
    language = best_language(settings.language or reply.began_in or "")
    card = said_in(language, reply.card)
    view: Any = card_view(card)  # each kind of view has an overload of its own
    channel = client.get_partial_messageable(int(number))
    ids = {one.id for one in card.buttons}
    try:
        if since and await own_message(channel, client.user, ids.__contains__, since - _APART):
            return True
        await channel.send(
            card.text,
            view=view,
            files=files_of(card.attachments),
            # for some minutes Discord takes it for the same message if it is sent again
            nonce=f"{number[-18:]}{key}",
        )
    except (discord.Forbidden, discord.NotFound) as error:
        logger.info("nothing can be posted in %s: %s", place, error)
    except UNREACHABLE as error:
        check_lost(error)
        return False
    return True
