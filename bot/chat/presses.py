"""What buttons mean, each in an id of its own, so that buttons outlive restarts."""

import re
from collections.abc import Callable
from dataclasses import MISSING, fields, replace
from functools import cache
from typing import Annotated, ClassVar, TypeVar

from pydantic import Field, ValidationError
from pydantic.dataclasses import dataclass

from bot.table.state import Game
from bot.views.card import Card

AnyCard = TypeVar("AnyCard", bound=Card)

LONGEST_ID = 100
_ALL_DICE = 0b1111111111
_LISTS = {"bot", "more"}
"""Lists of a table from which something is chosen; entries of the second are actions."""
_TYPED = {"points", "fell"}
"""Actions for which something is typed after the button is pressed."""
_USES_DICE = {"roll", "bank", "keep", "use"}
"""Actions that do something with the dice that are chosen."""
_CHOOSES = re.compile(r"die(?P<die>\d)|pick(?P<dice>\d{1,4})", re.ASCII)
"""Actions that choose dice: one by its number in the roll, several as bits."""


def matching(pattern: str) -> object:
    """Text of a press in which all is as this pattern."""
    return Field(pattern=f"^(?:{pattern})$")


GameId = Annotated[str, matching("[0-9a-f]{1,16}")]
LanguageTag = Annotated[str, matching("[A-Za-z-]{2,12}")]
ActionName = Annotated[str, matching("[a-z0-9]{1,12}")]


class Press:
    """What a button means: the id is the kind and each field that has no default."""

    kind: ClassVar[str]
    """A letter that no other press has."""
    kinds: ClassVar[dict[str, type["Press"]]] = {}
    """All that buttons can mean, by their letter."""

    @property
    def what(self) -> str:
        """What is pressed, as a word for statistics."""
        return type(self).__name__

    def __init_subclass__(cls) -> None:
        """Have buttons of this kind known again."""
        Press.kinds[cls.kind] = cls

    @property
    def is_list(self) -> bool:
        """Whether it is an entry of a list that was chosen."""
        return False

    def chosen_entry(self, entry: str) -> "Press":
        """What it means where it is this entry of a list. Raises ValueError for one of no list."""
        raise ValueError(entry)

    @property
    def id(self) -> str:
        """What tells it again when its button is pressed."""
        return ":".join([self.kind, *(str(getattr(self, name)) for name in _in_id(self.kind))])


@dataclass(frozen=True)
class TablePress(Press):
    """On a table at a version, with the dice that are set aside so far as bits.

    It knows the language of the table, so that whoever presses it does not change that.
    """

    kind: ClassVar[str] = "t"
    game: GameId
    version: Annotated[int, Field(ge=0, le=999_999)]
    mask: Annotated[int, Field(ge=0, le=_ALL_DICE)]
    language: LanguageTag
    action: ActionName
    chose: str = ""
    """What was chosen, where it is a list, or typed."""
    message: int = 0
    """The message that it is below: each has dice chosen of its own."""

    @property
    def what(self) -> str:
        """Dice, or another button of a table."""
        return "choose" if self.chooses else "press"

    @property
    def is_list(self) -> bool:
        """Whether it is an entry of a list that was chosen."""
        return self.action in _LISTS

    def chosen_entry(self, entry: str) -> "TablePress":
        """What it means where it is this entry of a list. Raises ValueError for no action."""
        if self.action == "more":
            return replace(self, action=entry)
        return replace(self, chose=entry)

    @property
    def asks(self) -> bool:
        """Whether something has to be typed for it, which is not there yet."""
        return self.action in _TYPED and not self.chose

    @property
    def chooses(self) -> bool:
        """Whether it chooses dice."""
        return _CHOOSES.fullmatch(self.action) is not None

    @property
    def in_turn(self) -> bool:
        """Whether it is answered after the presses before it, as dice are chosen or used by it."""
        return self.chooses or self.action in _USES_DICE

    def chosen(self, mask: int) -> int:
        """The dice that are chosen once it is pressed, where those of the mask were."""
        choice = _CHOOSES.fullmatch(self.action)
        if choice is None:
            return mask
        if choice["dice"]:
            return int(choice["dice"]) & _ALL_DICE
        # a die says which way it turns, and nothing of the others
        bit = 1 << int(choice["die"])
        return mask & ~bit if self.mask & bit else mask | bit


@dataclass(frozen=True)
class Confirm(Press):
    """The answer yes to "are you sure?"."""

    kind: ClassVar[str] = "y"
    action: Annotated[str, matching("resign|end")]
    language: LanguageTag
    """The language of the table."""
    game: GameId
    message: Annotated[int, Field(ge=0)]
    """The one that shows the table, by number; 0 if it is not known."""


@dataclass(frozen=True)
class AskPress(Press):
    """Asks for everything on a position that was answered briefly."""

    kind: ClassVar[str] = "a"
    position: Annotated[str, matching("[0-9A-Z-]{4,60}")]
    """The ID of the position."""
    action: ActionName


@dataclass(frozen=True)
class QuestionPress(Press):
    """Asks for everything on a roll that was told, in a position that has no ID."""

    kind: ClassVar[str] = "q"
    line: Annotated[str, matching("[^:;=]+(;[a-z-]+=[^:;=]+)*"), Field(max_length=LONGEST_ID - 6)]
    """The roll and the options of the command that told it."""
    action: ActionName


@dataclass(frozen=True)
class CommandPress(Press):
    """Gives a command that needs no options, or asks for a further page of its answer."""

    kind: ClassVar[str] = "c"
    action: Annotated[str, matching("play|daily|drill|(help|kcd) [a-z]{1,12} [1-9]")]
    """The name of the command, with its word and the page where it is one."""


@dataclass(frozen=True)
class NotesPress(Press):
    """Asks what a table in the answer to a command means."""

    kind: ClassVar[str] = "n"
    action: Annotated[str, matching("[a-z-]{2,20}")]
    """The name of the command."""


@dataclass(frozen=True)
class ReviewPage(Press):
    """Turns the pages of a review."""

    kind: ClassVar[str] = "r"
    game: GameId
    page: Annotated[int, Field(ge=0, le=999)]
    to: Annotated[str, matching("back|on")]


@cache
def _in_id(letter: str) -> tuple[str, ...]:
    every = fields(Press.kinds[letter])  # type: ignore[arg-type]
    return tuple(field.name for field in every if field.default is MISSING)


def read_press(text: str) -> Press | None:
    """The press with this id, None if there is none."""
    letter, *parts = text.split(":")
    kind = Press.kinds.get(letter)
    if kind is None:
        return None
    made: Callable[..., Press] = kind
    try:
        return made(**dict(zip(_in_id(letter), parts, strict=True)))
    except (ValidationError, ValueError):
        return None


def pressable(card: AnyCard, press: Callable[[str], Press]) -> AnyCard:
    """A card with the id of each button; `press`: what one does, by its action."""
    return _with_ids(card, lambda action: press(action).id)


def pressable_table(card: AnyCard, game: Game, language: str, mask: int = 0) -> AnyCard:
    """The card of a table, in its language, with these dice chosen, bit by bit."""
    mask &= (1 << len(game.turn.roll or ())) - 1
    press = TablePress(game.id, game.version, mask, language, "roll")
    all_but_action = press.id.removesuffix(press.action)
    return _with_ids(card, lambda action: all_but_action + action)


def _with_ids(card: AnyCard, id_of: Callable[[str], str]) -> AnyCard:
    buttons = tuple(button._replace(id=id_of(button.action)) for button in card.buttons)
    menu = replace(card.menu, id=id_of(card.menu.action)) if card.menu else None
    return replace(card, buttons=buttons, menu=menu)
