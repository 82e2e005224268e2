"""What Discord refuses and what makes no sense: each is a line in the log, and the bot goes on."""

import logging
from collections.abc import Callable
from typing import Any

import aiohttp
import discord

from bot.chat.commands import failure
from bot.views.card import Card
from bot.views.layout import plain_markdown

logger = logging.getLogger(__name__)

_UNKNOWN_INTERACTION, _UNKNOWN_WEBHOOK, _INVALID_TOKEN, _ANSWERED = 10062, 10015, 50027, 40060
_UNKNOWN_MESSAGE = 10008
OVER = {_UNKNOWN_INTERACTION, _UNKNOWN_WEBHOOK, _INVALID_TOKEN, _ANSWERED, _UNKNOWN_MESSAGE}
"""What Discord says of an interaction that is over, or of a message that is gone."""
_EMPTY, _MALFORMED = 50006, 50035
OURS = {_EMPTY, _MALFORMED}
"""What Discord says of a message that is a mistake of this program."""
UNREACHABLE = (
    *(discord.HTTPException, aiohttp.ClientError, OSError, TimeoutError),
    discord.InteractionResponded,  # an answer was sent, and nobody knows whether it arrived
)
"""What Discord, or the way there, does to an answer."""


def check_lost(error: Exception) -> None:
    """Let pass that Discord takes no answer, or not so; raises what is a mistake of ours."""
    code = getattr(error, "code", 0)
    if code in OURS:
        raise error
    logger.info("Discord took no answer: %s", str(error) or type(error).__name__)


async def tell_failure(interaction: discord.Interaction[Any], error: Exception) -> None:
    """Tell what went wrong to the one who asked alone, if Discord takes that."""
    if isinstance(error, discord.HTTPException) and error.code not in OURS:
        logger.info("Discord took no answer: %s", error)
        return
    text = Card(plain_markdown(failure(error).text)).text
    try:
        if interaction.type is discord.InteractionType.autocomplete:
            await interaction.response.autocomplete([])
        elif interaction.response.is_done():
            await interaction.followup.send(text, ephemeral=True)
        else:
            await interaction.response.send_message(text, ephemeral=True)
    except UNREACHABLE as lost:
        logger.info("Discord took no answer: %s", lost)


def guarded(parse: Callable[[Any], None]) -> Callable[[Any], None]:
    """Reads interactions as `parse` does; one that makes no sense is a line in the log."""

    def parse_whole(data: Any) -> None:
        try:
            parse(_whole(data))
        except Exception as error:  # whatever was sent
            logger.warning("an interaction makes no sense: %s: %s", type(error).__name__, error)

    return parse_whole


def _whole(data: Any) -> Any:
    """An interaction with what discord.py takes for granted: a channel, and who it is from.

    Raises an exception for one that lacks what nobody can know.
    """
    discord.utils.snowflake_time(int(data["id"]))
    who = data["member"] if data.get("guild_id") else data
    who["user"]["username"]
    if data.get("channel") is None:
        # one of which no more is known can be answered, and written to
        known = {"type": 0, "name": "", "position": 0} if data.get("guild_id") else {"type": 1}
        return data | {"channel": {"id": data["channel_id"], **known}}
    return data


def in_one_line(record: logging.LogRecord) -> bool:
    """Spare a record of discord.py's its traceback where Discord, or the way there, failed."""
    error = record.exc_info[1] if record.exc_info else None
    of_discord = isinstance(error, (*UNREACHABLE, discord.DiscordException))
    if of_discord and record.name.startswith("discord"):
        record.msg, record.args = "%s: %s", (record.getMessage(), error)
        record.exc_info = record.exc_text = None
    return True
