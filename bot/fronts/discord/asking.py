"""Who asks in Discord for what, where, in which language, and until when they wait."""

import math
import time
from dataclasses import replace
from typing import Any

import discord

from bot.chat.presses import Press, TablePress, read_press
from bot.fronts.discord.threads import channel_of
from bot.languages import best_language
from bot.services.tables import Caller, Person
from bot.store.rows import PlaceSettings
from bot.typed import cleaned
from bot.views.layout import LONGEST_NAME, safe_text
from solver.wording import Language, spoken

MOST_IN_FORM = 100
"""Letters that are typed into a form."""
DUE = "due"
"""When it has to be told so at the latest: a monotonic time among the extras of an interaction."""


def seconds_left(interaction: discord.Interaction[Any]) -> float:
    """Seconds until Discord has to be told something."""
    due: float = interaction.extras.get(DUE, math.inf)
    return due - time.monotonic()


def place_of(interaction: discord.Interaction) -> str:
    """In which channel somebody asks."""
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
