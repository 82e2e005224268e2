"""Who speaks in Discord and where, as the services know people and places."""

import discord

from bot.services.tables import Caller, Person

_LONGEST_NAME = 30


def caller_of(interaction: discord.Interaction, at_version: int | None = None) -> Caller:
    """Who gives a command, and in which channel."""
    alone = interaction.guild_id is None
    permissions = interaction.permissions
    return Caller(
        place=f"discord:{interaction.channel_id}",
        person=person_of(interaction.user),
        manages=alone or permissions.manage_channels or permissions.manage_guild,
        at_version=at_version,
    )


def person_of(user: discord.abc.User) -> Person:
    """A user as a player."""
    name = " ".join("".join(c if c.isprintable() else " " for c in user.display_name).split())
    return Person(f"discord:{user.id}", name[:_LONGEST_NAME] or f"user {user.id}")


def user_id(person: str | None) -> int | None:
    """Discord's id of a person; None for bots and for who was forgotten."""
    front, _, number = (person or "").partition(":")
    return int(number) if front == "discord" and number.isdigit() else None
