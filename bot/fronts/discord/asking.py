"""Who asks in Discord for what and until when, and what Discord refuses.

Who types in the thread of a game is in the place of its channel, as records and rules are those of
the channel. What Discord refuses is a line in the log, and the bot goes on.
"""

import logging
import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import aiohttp
import discord

from bot.chat.commands import failure
from bot.chat.presses import Press, TablePress, read_press
from bot.languages import best_language
from bot.layout import LONGEST_NAME, cleaned, plain_markdown, safe_text
from bot.services.tables import Caller, Person
from bot.store.rows import PlaceSettings
from bot.views.card import Card
from solver.wording import Language, spoken


def channel_of(interaction: discord.Interaction[Any]) -> int | None:
    """The channel that somebody speaks in; of a thread that this bot has begun, its own."""
    channel = interaction.channel
    if isinstance(channel, discord.Thread):
        own = interaction.client.user
        if own is not None and channel.owner_id == own.id:
            return channel.parent_id
    return interaction.channel_id


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


@contextmanager
def maybe_lost() -> Iterator[None]:
    """Let pass that Discord takes no answer, as `check_lost` does."""
    try:
        yield
    except UNREACHABLE as error:
        check_lost(error)


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


MOST_IN_FORM = 100
"""Letters that are typed into a form."""
DUE = "due"
"""When it has to be told so at the latest: a monotonic time among the extras of an interaction."""


def seconds_left(interaction: discord.Interaction[Any]) -> float:
    """Seconds until Discord has to be told something."""
    due: float = interaction.extras.get(DUE, math.inf)
    return due - time.monotonic()


def place_of(interaction: discord.Interaction) -> str:
    """The place of the channel in which somebody asks."""
    return f"discord:{channel_of(interaction)}"


def caller_of(interaction: discord.Interaction) -> Caller:
    """Who gives a command, and in which channel."""
    alone = interaction.guild_id is None
    permissions = interaction.permissions
    return Caller(
        place=place_of(interaction),
        person=person_of(interaction.user),
        manages=alone or permissions.manage_channels or permissions.manage_guild,
    )


def language_of_all(
    interaction: discord.Interaction[Any], settings: PlaceSettings, begun: str
) -> Language:
    """What all read: in the language set here, the server's, or that of who asks.

    begun : the language in which what is told began, which comes before that of who asks
    """
    server = interaction.guild_locale
    if settings.language:
        return spoken()
    # every server has this locale until somebody chooses one
    if server not in {None, discord.Locale.american_english}:
        return best_language(server.value)
    return best_language(begun) if begun else spoken()


def person_of(user: discord.abc.User) -> Person:
    """A user as a player."""
    name = safe_text(str(user.display_name), LONGEST_NAME)
    return Person(f"discord:{user.id}", name or f"user {user.id}")


def user_id(person: str | None) -> int | None:
    """Discord's id of a person; None for bots and for who was forgotten."""
    front, _, number = (person or "").partition(":")
    return int(number) if front == "discord" and number.isdigit() else None


def sent(interaction: discord.Interaction[Any], name: str) -> object:
    """A part of what was sent with an interaction, None where it is missing."""
    data: Any = interaction.data
    return data.get(name) if data else None


def press_of(interaction: discord.Interaction[Any]) -> Press | None:
    """The press of a button or of an entry of a list, by its id; None if there is no such."""
    press = read_press(str(sent(interaction, "custom_id")))
    if interaction.type is discord.InteractionType.modal_submit:
        typed = _typed(sent(interaction, "components"))
        if isinstance(press, TablePress) and press.asks and typed:
            return replace(press, chose=typed, message=_shown(interaction))
        return None
    is_list = press is not None and press.is_list
    expected = discord.ComponentType.string_select if is_list else discord.ComponentType.button
    if press is None or sent(interaction, "component_type") != expected.value:
        return None
    if is_list:
        chosen = sent(interaction, "values")
        try:
            press = press.chosen_entry(
                str(chosen[0]) if isinstance(chosen, list) and chosen else ""
            )
        except ValueError:
            return None
    if isinstance(press, TablePress):
        return replace(press, message=_shown(interaction))
    return press


def _shown(interaction: discord.Interaction[Any]) -> int:
    """The number of the message below which something was pressed, 0 if there is none."""
    return interaction.message.id if interaction.message else 0


def _typed(components: object) -> str:
    """What was typed into a form of one line, empty if that makes no sense."""
    match components:
        case [{"component": {"value": str(typed)}}]:
            return cleaned(typed)[:MOST_IN_FORM].strip()
    return ""
