"""Text of strangers, such as names, made fit for a chat and for columns of a fixed-width font."""

import re
import unicodedata


def safe_text(text: str, width: int) -> str:
    """A stranger's text on one line, at most `width` columns, with nothing that a chat acts on.

    Control and formatting characters are left out, mentions broken up, code marks replaced.
    """
    text = unicodedata.normalize("NFC", text)
    letters: list[str] = []
    marks = 0
    for letter in text:
        category = unicodedata.category(letter)
        # of marks piled on one letter, which reach into other lines, two are kept
        marks = marks + 1 if category in {"Mn", "Me"} else 0
        if category in {"Cc", "Zl", "Zp", "Zs"}:
            letters.append(" ")
        elif category[0] != "C" and marks <= 2:
            letters.append(letter)
    text = " ".join("".join(letters).split()).replace("`", "'")
    return re.sub("@(?=.)|<(?=[@#:/])", "\\g<0>\N{ZERO WIDTH SPACE}", shorten(text, width))


def text_width(text: str) -> int:
    """Columns that text takes in a fixed-width font."""
    return sum(map(_letter_width, text))


def _letter_width(letter: str) -> int:
    if unicodedata.category(letter) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if unicodedata.east_asian_width(letter) in {"W", "F"} else 1


def shorten(text: str, width: int) -> str:
    """Text cut to so many columns, with an ellipsis where something is left out."""
    if text_width(text) <= width:
        return text
    kept = ""
    for letter in text:
        if text_width(kept + letter) > width - 1:
            break
        kept += letter
    return kept.rstrip() + "…"


def pad(text: str, width: int) -> str:
    """Text with spaces up to so many columns."""
    return text + " " * (width - text_width(text))
