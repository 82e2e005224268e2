"""What the program does beside advice and games: a folder for each, and here one line.

A feature's folder says what it adds to the `farkle` command (`COMMAND_LINE`: where each command is,
which is loaded when that is asked for), and its `chat.py` what it adds to the chat (`feature`).
"""

from importlib import import_module
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from bot.chat.features import Core, Feature

FEATURES = (
    "pictures",
    "points",
    "memo",
    "kingdom",
    "duels",
    "practice",
    "records",
    "tournaments",
)
"""In the order in which help lists their commands."""


def in_chat(core: "Core") -> "list[Feature]":
    """What each feature adds to the chat."""
    return [
        cast("Feature", import_module(f"{__name__}.{name}.chat").feature(core)) for name in FEATURES
    ]


def on_command_line() -> dict[str, str]:
    """Where each command of theirs is: its module and its name there."""
    return {
        command: f"{__name__}.{name}.{where}"
        for name in FEATURES
        for command, where in import_module(f"{__name__}.{name}").COMMAND_LINE.items()
    }
