"""Messages as data: marked text, pictures and buttons, for chats that have messages."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum, auto

from bot.typed import cleaned
from bot.views.layout import defused, on_phone, plain_markdown, shorten_text
from solver.wording import say

_MOST_PLAIN = 1_700
"""Characters of a text before it is made safe, which adds some."""
_MOST_IN_LIST = 25
"""Entries of a list, as Discord has them."""
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


class Style(Enum):
    """How a button stands out."""

    PLAIN = auto()
    MAIN = auto()
    BANK = auto()
    GRAVE = auto()
    """What cannot be taken back."""


@dataclass(frozen=True, slots=True)
class Button:
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


def listed(action: str, buttons: Iterable[Button]) -> tuple[tuple[Button, ...], Menu | None]:
    """Buttons that are in rows, and a list of the others that can be pressed, if there are any."""
    every = tuple(buttons)
    others = [one for one in every if one.row == LISTED and one.enabled][:_MOST_IN_LIST]
    options = tuple((one.action, one.label, "") for one in others)
    in_rows = tuple(one for one in every if one.row != LISTED)
    return in_rows, Menu(action, say("More"), options) if options else None


@dataclass(frozen=True, slots=True)
class Card:
    """A message."""

    text: str
    attachments: tuple[Attachment, ...] = ()
    buttons: tuple[Button, ...] = ()
    menu: Menu | None = None

    def __post_init__(self) -> None:
        """Something is said, and whatever it is, Discord acts on nothing in it."""
        text = (
            self.text
            if self.text.strip() or self.files
            else say("There is nothing to say about that.")
        )
        object.__setattr__(self, "text", shorten_text(defused(text)))

    @property
    def files(self) -> tuple[Attachment, ...]:
        """All that goes with the message."""
        return self.attachments


def text_card(make_text: Callable[[], str]) -> Card:
    """Text as a message; what does not fit is in a file, laid out as on the console."""
    with on_phone():
        text = make_text()
    if len(text) <= _MOST_PLAIN:
        return Card(plain_markdown(text))
    with on_phone(is_phone=False):
        whole = Attachment("answer.txt", cleaned(make_text()).encode(), say("The whole answer"))
    return Card(plain_markdown(shorten_text(text, _MOST_PLAIN)), (whole,))
