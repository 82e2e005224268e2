"""The typed options of commands, for fronts that ask for each by itself, as data."""

from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

from bot.services.rule_options import MOST_GOAL
from bot.services.situation import ME_OR_THEM, POSITION_FIELDS, FieldKind, PositionField
from solver.play.policies import LEVELS
from solver.wording import say_later

_MOST_WORDS = 300
MOST_POINTS = 100_000


class Kind(Enum):
    """What an option takes."""

    TEXT = auto()
    NUMBER = auto()
    PERSON = auto()


@dataclass(frozen=True, slots=True)
class Field:
    """An option of a command."""

    name: str
    kind: Kind = Kind.TEXT
    meaning: str = ""
    """If not given, what the command itself says of its option."""
    least: int = 0
    """The least number, or of letters where `most` is given."""
    most: int | None = None
    required: bool = False
    choices: tuple[str, ...] = ()
    completes: str = ""
    """What to suggest: "rules", "game" or "command"."""
    else_me: bool = False
    """Whether it is the one who asks where it is left out and a later word is given."""
    is_word: bool = False
    """Whether the value is one of the words of the command and not a named option."""


def number(name: str, least: int = 0, most: int = MOST_POINTS, **more: Any) -> Field:
    """A whole number."""
    return Field(name, Kind.NUMBER, least=least, most=most, **more)


def word(name: str, meaning: str, *, most: int = _MOST_WORDS, **more: Any) -> Field:
    """A word of the command."""
    return Field(name, Kind.TEXT, meaning, 1, most, is_word=True, **more)


def person(name: str, meaning: str, **more: Any) -> Field:
    """A person as a word of the command."""
    return Field(name, Kind.PERSON, meaning, is_word=True, **more)


def _of_position(field: PositionField) -> Field:
    """The option by which a field of a position is given."""
    match field.kind:
        case FieldKind.NUMBER:
            return number(field.name, field.least, field.most)
        case FieldKind.SCORES:
            return Field(field.name)
        case FieldKind.YES_NO:
            return Field(field.name, choices=YES_NO)
        case FieldKind.PLAYER:
            return Field(field.name, choices=tuple(ME_OR_THEM))
        case FieldKind.RULES:
            return RULES


YES_NO = (say_later("yes"), say_later("no"))
GAME = Field("game", completes="game")
RULES = Field("rules", completes="rules")
GOAL = number("goal", 1, MOST_GOAL)
LEVEL = Field("level", choices=tuple(LEVELS))
DICE = Field("dice")
ROLL = word("dice", say_later("the faces, such as 6 5 3 3 3 2 or 653332"), most=60, required=True)
SETS = (
    Field("my-dice"),
    Field("their-dice"),
    Field("my-badge"),
    Field("their-badge"),
    Field("joker-alone", choices=YES_NO),
)
POSITION = (*map(_of_position, POSITION_FIELDS), GOAL)
