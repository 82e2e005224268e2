"""What people typed, fit to be shown: nothing hidden in it, and nothing that a terminal obeys."""

import re
import unicodedata

from solver.errors import InvalidRequestError

MOST_TYPED = 1_000
"""Characters that a command may have."""

_MOST_MARKS = 2
"""The most marks that are piled on one letter; more would reach into other lines."""

_PLAIN = re.compile("[\n -~\xa1-\xac\xae-\u024f–—‘-‟…−▸\u2588-\u2593⚀-⚅]*")
"""Text that is as it should be, as nearly all is."""

_NARROW = {0xFF01 + number: 0x21 + number for number in range(94)} | {0x3000: 0x20}
"""Full-width letters, digits and marks, as keyboards of East Asia have them, to plain ones."""

_BLANK = {"Cc", "Zl", "Zp", "Zs"}
_PILED = {"Mn", "Me"}

_HIDDEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0"
    "\U000e0100-\U000e01ef]"
)
"""Letters and marks that nobody sees. Most of what is hidden is no letter: Unicode's categories C,
which have direction marks, joiners, lone surrogates and tags."""


def cleaned(text: str) -> str:
    """Text without what nobody sees; line breaks stay, other control characters become spaces.

    Cleaning a second time changes nothing.
    """
    if _PLAIN.fullmatch(text):
        return text
    seen = "".join(map(_shown, text))
    letters: list[str] = []
    marks = 0
    for letter in unicodedata.normalize("NFC", seen):
        marks = marks + 1 if unicodedata.category(letter) in _PILED else 0
        if marks <= _MOST_MARKS:
            letters.append(letter)
    return "".join(letters)


def narrowed(text: str) -> str:
    """Cleaned text as a plain keyboard types it: full-width letters, digits and marks are usual."""
    return cleaned(text).translate(_NARROW)


def _shown(letter: str) -> str:
    category = unicodedata.category(letter)
    if category in _BLANK:
        return letter if letter == "\n" else " "
    return "" if category[0] == "C" or _HIDDEN.match(letter) else letter


def check_length(text: str) -> None:
    """Raises InvalidRequestError where more was typed than a command needs."""
    if len(text) > MOST_TYPED:
        raise InvalidRequestError.say(
            "a line has at most {most:,} characters, not {length:,}",
            most=MOST_TYPED,
            length=len(text),
        )
