"""The options of slash commands as Discord is told of them, which loads discord.py."""

from collections.abc import Mapping
from functools import cache
from unittest.mock import MagicMock

from bot.chat.fields import Field
from bot.features import in_chat
from bot.fronts.discord.slash import options_of


@cache
def slash_options() -> Mapping[str, tuple[Field, ...]]:
    """The options of every slash command but /rules, by its name."""
    of_features = (command for one in in_chat(MagicMock()) for command in one.commands)
    return options_of(of_features)
