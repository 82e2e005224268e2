"""The typed options of commands, for fronts that ask for each by itself, as data."""

from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

from bot.services.rule_options import MOST_GOAL
from bot.services.situation import (
    ME_OR_THEM,
    MOST_POINTS,
    POSITION_FIELDS,
    FieldKind,
    PositionField,
)
from solver.play.policies import LEVELS
from solver.wording import say, say_later

_MOST_WORDS = 300


class Kind(Enum):
    """What an option takes."""

    TEXT = auto()
    NUMBER = auto()
    PERSON = auto()


@dataclass(frozen=True, slots=True)
class Field:
    """An option of a command."""

    name: str
    meaning: str
    """Marked by `say_later`."""
    kind: Kind = Kind.TEXT
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
    is_rare: bool = False
    """Whether it goes without a place of its own where a chat has too few."""


def number(name: str, meaning: str, least: int = 0, most: int = MOST_POINTS, **rest: Any) -> Field:
    """A whole number."""
    return Field(name, meaning, Kind.NUMBER, least, most, **rest)


def word(name: str, meaning: str, *, most: int = _MOST_WORDS, **rest: Any) -> Field:
    """A word of the command."""
    return Field(name, meaning, Kind.TEXT, 1, most, is_word=True, **rest)


def person(name: str, meaning: str, **rest: Any) -> Field:
    """A person as a word of the command."""
    return Field(name, meaning, Kind.PERSON, is_word=True, **rest)


def yes_no(name: str, meaning: str) -> Field:
    """Yes or no."""
    return Field(name, meaning, choices=YES_NO)


def level(meaning: str = say_later("the level of the bot")) -> Field:
    """The level of a bot."""
    return Field("level", meaning, choices=tuple(LEVELS))


def rules(meaning: str = say_later("a rule set")) -> Field:
    """The name of a rule set."""
    return Field("rules", meaning, completes="rules")


def goal(meaning: str = say_later("another goal")) -> Field:
    """Points to reach."""
    return number("goal", meaning, 1, MOST_GOAL)


def _of_position(field: PositionField) -> Field:
    """The option by which a field of a position is given."""
    match field.kind:
        case FieldKind.NUMBER:
            least, most = field.least, field.most
            return number(field.name, field.meaning, least, most, is_rare=field.is_rare)
        case FieldKind.SCORES:
            return Field(field.name, field.meaning)
        case FieldKind.YES_NO:
            return yes_no(field.name, field.meaning)
        case FieldKind.PLAYER:
            return Field(field.name, field.meaning, choices=tuple(ME_OR_THEM))
        case FieldKind.RULES:
            return rules(field.meaning)


YES_NO = (say_later("yes"), say_later("no"))
GAME = Field("game", say_later("which game, where several are open"), completes="game")
DICE = Field("dice", say_later("dice to roll"))
ROLL = word("dice", say_later("the faces, such as 6 5 3 3 3 2 or 653332"), most=60, required=True)
SETS = (
    Field("my-dice", say_later("your six dice, such as lucky*3,odd,ordinary*2")),
    Field(
        "their-dice", say_later("the opponent's dice, ordinary if left out; for several SET/SET")
    ),
    Field("my-badge", say_later("your badge, such as emperor, carpenter:150 or gold-might:2")),
    Field("their-badge", say_later("the opponent's badge")),
    yes_no(
        "joker-alone", say_later("yes or no: whether jokers score by themselves; no source says")
    ),
)
"""What players bring."""
POSITION = (*map(_of_position, POSITION_FIELDS), goal(), *SETS)
"""The options that describe a position."""
_BRIEF = {
    "dice": say_later("Dice"),
    "turn": say_later("Turn total"),
    "me": say_later("Your score"),
    "them": say_later("Their score"),
    "rules": say_later("Rules"),
    "goal": say_later("Goal"),
    "hints": say_later("Hints"),
}
"""What a form calls some fields."""


def label(name: str, meaning: str) -> str:
    """What a form calls a field, which is what it means unless there is less to say."""
    said = say(_BRIEF.get(name, meaning))
    return said[:1].upper() + said[1:]
