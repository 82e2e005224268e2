"""What buttons mean, each in an id of its own, so that buttons outlive restarts."""

import re
from collections.abc import Callable, Iterable
from dataclasses import MISSING, fields
from datetime import date
from typing import Annotated, ClassVar, get_args

import numpy as np
from pydantic import Field, ValidationError
from pydantic.dataclasses import dataclass

from bot.services.explorer import Exploration
from solver.game.position import Position
from solver.game.standings import Standing
from solver.turn.scoring import TurnState

LONGEST_ID = 100
_ALL_DICE = 0b1111111
_LISTS = {"bot"}
"""Actions of a table that are chosen from a list."""
_CHOOSES = re.compile(r"die(?P<die>[0-6])|pick(?P<dice>\d{1,3})", re.ASCII)
"""Actions that choose dice: one by its number in the roll, several as bits."""
_DIGEST, _NAME = 12, 24
"""Letters of the digest and, at most, of the name of rules in an id."""


def _text(pattern: str) -> object:
    return Field(pattern=f"^(?:{pattern})$")


_Game = Annotated[str, _text("[0-9a-f]{1,16}")]
_Language = Annotated[str, _text("[A-Za-z-]{2,12}")]
_Action = Annotated[str, _text("[a-z0-9]{1,12}")]


class _Press:
    """What all presses share: the id is the kind and each field that has no default."""

    kind: ClassVar[str]

    @property
    def id(self) -> str:
        """What tells it again when its button is pressed."""
        return ":".join([self.kind, *(str(getattr(self, name)) for name in _in_id(type(self)))])


@dataclass(frozen=True)
class TablePress(_Press):
    """On a table at a version, with the dice that are set aside so far as bits.

    It knows the language of the table, so that whoever presses it does not change that.
    """

    kind: ClassVar[str] = "t"
    game: _Game
    version: Annotated[int, Field(ge=0, le=999_999)]
    mask: Annotated[int, Field(ge=0, le=_ALL_DICE)]
    language: _Language
    action: _Action
    chose: str = ""
    """What was chosen, where it is a list."""
    message: int = 0
    """The message that it is below: each has dice chosen of its own."""

    @property
    def is_list(self) -> bool:
        """Whether it is an entry of a list that was chosen."""
        return self.action in _LISTS

    @property
    def chooses(self) -> bool:
        """Whether it chooses dice."""
        return _CHOOSES.fullmatch(self.action) is not None

    def chosen(self, mask: int) -> int:
        """The dice that are chosen once it is pressed, where those of the mask were."""
        found = _CHOOSES.fullmatch(self.action)
        if found is None:
            return mask
        if found["dice"]:
            return int(found["dice"]) & _ALL_DICE
        # a die says which way it turns, and nothing of the others
        bit = 1 << int(found["die"])
        return mask & ~bit if self.mask & bit else mask | bit


@dataclass(frozen=True)
class Confirm(_Press):
    """The answer yes to "are you sure?"."""

    kind: ClassVar[str] = "y"
    action: Annotated[str, _text("resign|end")]
    language: _Language
    """That of the table."""
    game: _Game
    message: Annotated[int, Field(ge=0)]
    """The one that shows the table, by number; 0 if it is not known."""


@dataclass(frozen=True)
class ReviewPage(_Press):
    """Turns the pages of a review."""

    kind: ClassVar[str] = "r"
    game: _Game
    page: Annotated[int, Field(ge=0, le=999)]
    to: Annotated[str, _text("back|on")]


@dataclass(frozen=True)
class Walk(_Press):
    """Leads to a position of a solved game, all of which its id carries."""

    kind: ClassVar[str] = "x"
    digest: Annotated[str, _text("[0-9a-f]{12}")]
    """The beginning of that of the rules."""
    language: _Language
    packed: Annotated[
        str,
        _text(r"-?[0-9]{1,7}(?:\.-?[0-9]{1,7}){7}|-?[0-9a-z]{1,5}(?:\.-?[0-9a-z]{1,5}){8,13}"),
    ]
    name: Annotated[str, _text("[^:]{1,24}")]
    """The name of the rules, or its beginning."""
    action: _Action

    @property
    def position(self) -> Position:
        """The position that it leads to."""
        return unpacked(self.packed)


@dataclass(frozen=True)
class DailyChoice(_Press):
    """An answer to the daily position of a day in the channel; anybody may press it, once."""

    kind: ClassVar[str] = "d"
    day: date
    choice: Annotated[int, Field(ge=1, le=9)]


@dataclass(frozen=True)
class DrillChoice(_Press):
    """An answer to a position that somebody practises on, or the wish for the next one."""

    kind: ClassVar[str] = "f"
    position: Annotated[str, _text("[0-9A-Z-]{5,60}")]
    """By its ID."""
    choice: Annotated[str, _text("[1-9]|next")]


@dataclass(frozen=True)
class TournamentPress(_Press):
    """Does something in a tournament; two numbers are the pairing that is to play."""

    kind: ClassVar[str] = "w"
    tournament: _Game
    language: _Language
    """That of the message."""
    action: Annotated[str, _text("join|leave|start|show|[0-9]{1,2}-[0-9]{1,2}")]

    @property
    def sides(self) -> tuple[int, int] | None:
        """The two who are to play, by number."""
        first, dash, second = self.action.partition("-")
        return (int(first), int(second)) if dash else None


Press = TablePress | Confirm | ReviewPage | Walk | DailyChoice | DrillChoice | TournamentPress
_KINDS: dict[str, type[Press]] = {one.kind: one for one in get_args(Press)}


def _in_id(kind: type[_Press]) -> Iterable[str]:
    return (one.name for one in fields(kind) if one.default is MISSING)  # type: ignore[arg-type]


def read_press(text: str) -> Press | None:
    """The press with this id, None if there is none."""
    letter, *parts = text.split(":")
    kind = _KINDS.get(letter)
    if kind is None:
        return None
    made: Callable[..., Press] = kind
    try:
        return made(**dict(zip(_in_id(kind), parts, strict=True)))
    except (ValidationError, ValueError):
        return None


def walk_press(found: Exploration, action: str, language: str) -> Walk:
    """The press that leads from a position to one a step away."""
    leads = {step.action: step.position or found.position for step in found.steps}
    digest, position = found.rules.digest[:_DIGEST], packed(leads[action])
    room = LONGEST_ID - len(f"x:{digest}:{language}:{position}::{action}")
    return Walk(digest, language, position, found.rules.name[: min(_NAME, room)], action)


def packed(position: Position) -> str:
    """A position in few letters: of two players in decimal figures, of several to the base 36."""
    order = [position.players[k] for k in position.in_order]
    boards = sum(one.on_board << k for k, one in enumerate(order))
    numbers = (
        *(one.score for one in order),
        position.turn_total,
        position.dice,
        position.farkles,
        position.opponent_farkles,
        position.hot_dice,
        boards + (len(order) - 1 - position.mover << len(order)),
    )
    base = 10 if len(order) == 2 else 36
    return ".".join(np.base_repr(number, base).lower() for number in numbers)


def unpacked(text: str) -> Position:
    """The position of which `packed` made so many numbers; whether it can be is not looked at."""
    parts = text.split(".")
    count = len(parts) - 6
    numbers = [int(part, 10 if count == 2 else 36) for part in parts]
    total, dice, farkles, opponent_farkles, hot_dice, boards = numbers[count:]
    order = [Standing(score, 0, bool(boards >> k & 1)) for k, score in enumerate(numbers[:count])]
    mover = (count - 1 - (boards >> count)) % count
    players = tuple(order[(k - mover) % count] for k in range(count))
    position = Position(players, mover, TurnState(total, dice, hot_dice))
    return position.change(farkles=farkles, opponent_farkles=opponent_farkles)
