"""What the program does beside advice and games: a folder for each, and here one line.

A feature's folder says what it adds to the `farkle` command (`COMMAND_LINE`: where each command is,
which is loaded when that is asked for), its `chat.py` what it adds to the chat (`feature`), and
its `store.py`, where it has one, how it keeps its rows in the database (`KEEPER`).
"""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from bot.chat.features import Core, Feature
    from bot.store.store import Keeper

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
"""The names of features, in the order in which help lists their commands."""


def in_chat(core: "Core") -> "list[Feature]":
    """What each feature adds to the chat."""
    return [
        cast("Feature", import_module(f"{__name__}.{name}.chat").feature(core)) for name in FEATURES
    ]


def keepers() -> "list[Keeper]":
    """How features keep their rows, those that have any; their tables are known then."""
    stores = [name for name in FEATURES if find_spec(f"{__name__}.{name}.store")]
    return [import_module(f"{__name__}.{name}.store").KEEPER for name in stores]


def on_command_line() -> dict[str, str]:
    """Where each command of theirs is: its module and its name there."""
    return {
        command: f"{__name__}.{name}.{where}"
        for name in FEATURES
        for command, where in import_module(f"{__name__}.{name}").COMMAND_LINE.items()
    }
