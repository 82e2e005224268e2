"""Messages as data: marked text, pictures and buttons, for chats that have messages."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import NamedTuple

from bot.layout import cleaned, defused, on_phone, plain_markdown, shorten_text
from solver.wording import say

_MOST_PLAIN = 1_700
"""Characters of a text before it is made safe, which adds some."""
LISTED = -1
"""The row of a button that is an entry of a list below all rows."""
LONGEST_LABEL = 40
"""Letters of a button that are shown."""


@dataclass(frozen=True, slots=True)
class Attachment:
    """A picture or a file below a message, and what it shows in words."""

    name: str
    content: bytes
    description: str
    dice: tuple[int, ...] = ()
    """The faces of the roll that it shows, if it does; 0 for a joker."""


class Style(Enum):
    """How a button stands out."""

    PLAIN = auto()
    MAIN = auto()
    BANK = auto()
    GRAVE = auto()
    """What cannot be taken back."""


class Button(NamedTuple):
    """A button below a table."""

    action: str
    label: str
    row: int = 0
    """The row that it is in, or LISTED."""
    style: Style = Style.PLAIN
    enabled: bool = True
    why: str = ""
    """Why it is disabled, where somebody may ask."""
    id: str = ""
    """What tells its press again, see bot/chat/presses.py."""


@dataclass(frozen=True, slots=True)
class Menu:
    """A list below a message from which one entry is chosen."""

    action: str
    label: str
    """What it says until then."""
    options: tuple[tuple[str, str, str], ...]
    """What is chosen, what it is called, and what that means."""
    id: str = ""


@dataclass(frozen=True, slots=True)
class Card:
    """A message."""

    text: str
    attachments: tuple[Attachment, ...] = ()
    buttons: tuple[Button, ...] = ()
    menu: Menu | None = None
    rest: tuple[str, ...] = field(default=(), kw_only=True)
    """Further pages of its text, each behind the last button of the one before."""

    def __post_init__(self) -> None:
        """Something is said, and whatever it is, Discord acts on nothing in it."""
        says_something = self.text.strip() or self.files
        text = self.text if says_something else say("There is nothing to say about that.")
        object.__setattr__(self, "text", shorten_text(defused(text)))

    @property
    def files(self) -> tuple[Attachment, ...]:
        """All that goes with the message."""
        return self.attachments


def text_card(make_text: Callable[[], str], line: str = "") -> Card:
    """Text as a message; what does not fit is in a file, laid out as on the console.

    line : a command and a word that are answered so again; what does not fit is on further pages
    """
    with on_phone():
        text = make_text()
    if len(text) <= _MOST_PLAIN:
        return Card(plain_markdown(text))
    if line:
        first, *rest = map(plain_markdown, _pages(text))
        return Card(first, buttons=(_on_to(line, 1),), rest=tuple(rest))
    with on_phone(0):
        whole = Attachment("answer.txt", cleaned(make_text()).encode(), say("The whole answer"))
    return Card(plain_markdown(shorten_text(text, _MOST_PLAIN)), (whole,))


def further_page(card: Card, line: str, page: int) -> Card:
    """A further page of a card, the first of which is 1. Raises IndexError where there is none."""
    is_last = page == len(card.rest)
    return Card(card.rest[page - 1], buttons=() if is_last else (_on_to(line, page + 1),))


def _on_to(line: str, page: int) -> Button:
    return Button(f"{line} {page}", say("Read on"))


def _pages(text: str) -> list[str]:
    """A long text in parts that fit into a message, each of whole lines."""
    pages = [""]
    for row in text.splitlines(keepends=True):
        if len(pages[-1]) + len(row) > _MOST_PLAIN:
            pages.append("")
        pages[-1] += row
    return pages
