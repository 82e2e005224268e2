"""What is said to an interaction, without a Discord."""

from itertools import count
from types import SimpleNamespace
from typing import Any
from unittest.mock import AsyncMock, Mock

import discord
from discord.ui import LayoutView

from tests.bot.fronts.discord.components import texts_of

_NUMBERS = count(1)


class Heard:
    """An interaction that keeps what is said to it."""

    def __init__(self, name: str, number: int = 11) -> None:
        self.id = next(_NUMBERS)
        self.type = discord.InteractionType.application_command
        self.user = SimpleNamespace(id=number, display_name=name)
        self.channel_id, self.guild_id, self.guild_locale = 500, None, None
        self.permissions = discord.Permissions.none()
        self.message = self.channel = None
        self.extras: dict[str, Any] = {}
        self.response, self.followup = response(), AsyncMock()
        self.edit_original_response = AsyncMock()
        self.delete_original_response = AsyncMock()

    @property
    def said(self) -> list[str]:
        """Every text."""
        calls = [
            *self.response.send_message.call_args_list,
            *self.response.edit_message.call_args_list,
            *self.followup.send.call_args_list,
            *self.edit_original_response.call_args_list,
        ]
        return [one.args[0] if one.args else text_of(one.kwargs) for one in calls]


def response() -> AsyncMock:
    """A response that is done once one was sent."""
    heard = AsyncMock()
    heard.is_done = Mock(side_effect=lambda: any(one[0] != "is_done" for one in heard.mock_calls))
    return heard


def text_of(told: dict[str, Any]) -> str:
    """The text of a message as it was handed to discord.py, that of its parts too."""
    view = told.get("view")
    parts = view.to_components() if isinstance(view, LayoutView) else []  # type: ignore[no-untyped-call]
    return "\n".join([told.get("content") or "", *texts_of(parts)]).strip("\n")
