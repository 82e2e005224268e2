"""The options of slash commands, without a chat that is opened."""

from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from typing import Any
from unittest.mock import MagicMock

from bot.chat.advice import PositionQuestions
from bot.chat.features import Core
from bot.chat.fields import Field
from bot.features import in_chat
from bot.wiring import commands_of


@cache
def slash_options() -> Mapping[str, tuple[Field, ...]]:
    """The options of every slash command but /rules, by its name."""
    parts: dict[str, Any] = {one.name: MagicMock() for one in fields(Core)}
    parts["questions"] = PositionQuestions(parts["oracle"], parts["rules"], parts["tables"])
    core = Core(**parts)
    return commands_of(core, in_chat(core)).fields
