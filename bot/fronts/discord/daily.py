"""The daily position in Discord: one message a day in each channel that wants it."""

import asyncio
import logging
from functools import partial
from typing import Any

import discord

from bot import log
from bot.chat.cards import daily_pressable
from bot.fronts.discord.answers import files_of
from bot.fronts.discord.failures import UNREACHABLE, check_lost
from bot.fronts.discord.frames import card_view
from bot.fronts.discord.front import DiscordFront
from bot.languages import best_language
from bot.services.daily import Post
from bot.store.errors import StoreError
from bot.store.store import Store
from bot.views.daily import post_card
from solver.wording import said_in

logger = logging.getLogger(__name__)

EVERY = 20.0
"""Seconds between two looks for what is due."""
_FRONT = "discord"


async def keep_posting(client: discord.Client, front: DiscordFront, store: Store) -> None:
    """Post what is due, again and again, once Discord is there; what was begun is ended."""
    await client.wait_until_ready()
    while True:
        try:
            due = front.pressing.daily.post_due(_FRONT, partial(_post, client, store))
            await front.to_its_end(due)
        except StoreError as error:
            logger.warning("did not look for daily positions that are due: %s", error)
        except Exception as error:  # whatever one post is, there is a next one
            log.failed("a daily position", error)
        await asyncio.sleep(EVERY)


async def _post(client: discord.Client, store: Store, place: str, post: Post) -> bool:
    """Post in a channel; true where that is done with, or never will be."""
    number = place.partition(":")[2]
    settings = await store.settings(place)
    language = best_language(settings.language or settings.daily_language)
    card = said_in(language, post_card, post)
    day = post.asked.daily.day
    card = daily_pressable(card, day)
    view: Any = card_view(card)  # each kind of view has an overload of its own
    channel = client.get_partial_messageable(int(number))
    try:
        await channel.send(
            card.text,
            view=view,
            files=files_of(card.attachments),
            # Discord takes it for the same message if it is sent again after a fault on the way
            nonce=f"{number[-18:]}{day.toordinal()}",
        )
    except (discord.Forbidden, discord.NotFound) as error:
        logger.info("the daily position cannot be posted in %s: %s", place, error)
    except UNREACHABLE as error:
        check_lost(error)
        return False
    return True
