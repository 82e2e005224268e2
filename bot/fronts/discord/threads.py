"""A thread for each game, where the place wants that: below its table, with every turn of it.

The thread of a message has the id of that message, so that nothing has to be kept. Who types in it
is in the place of its channel, as records and rules are those of the channel.
"""

from typing import Any, Literal

import discord

from bot.fronts.discord.failures import UNREACHABLE, check_lost
from bot.services.tables import Table
from bot.views.layout import safe_text
from solver.errors import IllegalActionError

_MINUTES: Literal[60] = 60
"""Without a word after which Discord puts a thread away; the next turn brings it back."""
_MOST_NAME = 90


def channel_of(interaction: discord.Interaction[Any]) -> int | None:
    """The channel that somebody speaks in; of a thread that this bot has begun, its own."""
    channel = interaction.channel
    if isinstance(channel, discord.Thread):
        own = interaction.client.user
        if own is not None and channel.owner_id == own.id:
            return channel.parent_id
    return interaction.channel_id


def can_begin(interaction: discord.Interaction[Any]) -> bool:
    """Whether a message there can have a thread at all."""
    return isinstance(interaction.channel, discord.TextChannel)


async def begin_thread(
    interaction: discord.Interaction[Any], message: int, table: Table
) -> IllegalActionError | None:
    """Begin the thread of a message that shows a table; what to say where that is not allowed."""
    channel = interaction.channel
    if not isinstance(channel, discord.TextChannel):
        return None
    name = safe_text(" – ".join(table.names), _MOST_NAME)
    begun = channel.get_partial_message(message)
    try:
        await begun.create_thread(name=name, auto_archive_duration=_MINUTES)
    except discord.Forbidden:
        return IllegalActionError.say(
            "the game stays in this channel: to give it a thread I need the permission Create"
            " Public Threads; /settings threads:no turns threads off"
        )
    except UNREACHABLE as error:
        check_lost(error)
    return None


async def tell_in_thread(
    interaction: discord.Interaction[Any],
    message: int,
    text: str,
    mentions: discord.AllowedMentions,
) -> bool:
    """Say something in the thread of a message; false where there is none, or it is closed."""
    thread = interaction.client.get_partial_messageable(message)
    try:
        await thread.send(text, allowed_mentions=mentions)
    except UNREACHABLE as error:
        check_lost(error)
        return False
    return True
