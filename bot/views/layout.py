"""How text is laid out: lines, columns, numbers, names, and the marks of a message."""

import re
import textwrap
import unicodedata
from collections.abc import Iterable, Sequence
from functools import reduce

from bot.typed import cleaned
from solver.turn.dice import Roll
from solver.wording import figure, say, say_number

MOST_IN_MESSAGE = 2000
"""Characters of a message, as Discord has them."""

_MARKS = re.compile(r"[_\\~|*`\[]|^>(?:>>)?\s|^#{1,3}|^\s*-", re.MULTILINE)
_ACTED_ON = re.compile(
    r"@(?=everyone|here|[!&]?\d)|<(?=\S)|:(?=//)|discord(?:app)?(?=\.\w)", re.IGNORECASE
)
"""Where Discord would see mentions, times, emoji, commands, links or invites begin."""

_OPENS = re.compile(r"[^\W\d_]+(?![\w:=./@-])")
"""A word that begins a sentence; what is typed, such as `me:` or `three-pairs`, is none."""

LONGEST_NAME = 30
"""Characters of the name that somebody is shown under."""


def percent(probability: float) -> str:
    """A probability with two decimals; the ends only for what is certain."""
    if 0 < probability < 0.00005:
        return f"< {figure(0.01, '.2f')} %"
    if 0.99995 <= probability < 1:
        return f"> {figure(99.99, '.2f')} %"
    return f"{figure(probability * 100, '.2f')} %"


def rough_percent(probability: float) -> str:
    """A probability with one decimal."""
    return f"{figure(probability * 100, '.1f')} %"


def wrap(text: str, width: int = 79) -> str:
    """Break lines that are too long at spaces, but not before a percent sign.

    What goes on is set two spaces further in.
    """
    wrapped = []
    for line in text.replace(" %", "\N{NO-BREAK SPACE}%").split("\n"):
        inner = line[: len(line) - len(line.lstrip())] + "  "
        lines = textwrap.wrap(
            line, width, subsequent_indent=inner, break_long_words=False, break_on_hyphens=False
        )
        wrapped += lines if len(line) > width else [line]
    return "\n".join(wrapped).replace("\N{NO-BREAK SPACE}%", " %")


def whole_sentence(text: str) -> str:
    """A refusal as it is shown where it stands alone: with a capital and a full stop.

    Behind a prefix, as on the command line, it begins small. What is typed stays as it is typed.
    """
    if _OPENS.match(text):
        text = text[:1].upper() + text[1:]
    return text if text[-1:] in {"", ".", "!", "?", "…", ":"} else f"{text}."


def dice_text(dice: Roll) -> str:
    """Faces with a space between them."""
    return " ".join(map(str, dice))


def inside(dice: str) -> str:
    """Dice as they stand in a sentence: in brackets where there are commas between them."""
    return f"({dice})" if "," in dice else dice


def columns(rows: Iterable[Sequence[str]], right: Iterable[int] = ()) -> list[str]:
    """Align rows of cells, two spaces in and two between; the columns in `right` at their end."""
    table = [list(row) for row in rows]
    last = max((len(row) for row in table), default=0)
    widths = [max(text_width(row[k]) for row in table if k < len(row)) for k in range(last)]
    aligned = set(right)
    return [
        "  "
        + "  ".join(pad(cell, widths[k], right=k in aligned) for k, cell in enumerate(row)).rstrip()
        for row in table
    ]


def dice_count(number: int) -> str:
    """A number of dice in words."""
    return say_number("{number} die", "{number} dice", number)


def and_text(names: Sequence[str]) -> str:
    """Names, of which there is one at least, with "and" between them."""
    return reduce(lambda others, last: say("{others} and {last}", others=others, last=last), names)


def safe_text(text: str, width: int) -> str:
    """A stranger's text on one line, at most `width` columns, with nothing hidden in it.

    Code marks are replaced, as they would end the code that a score sheet is.
    """
    return shorten(" ".join(cleaned(text).split()).replace("`", "'"), width)


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


def pad(text: str, width: int, *, right: bool = False) -> str:
    """Text with spaces up to so many columns, behind it or before it."""
    blank = " " * (width - text_width(text))
    return blank + text if right else text + blank


def escape_markdown(text: str) -> str:
    """Text that is shown as it is, names with marks, links and mentions in them too."""
    return defused(_MARKS.sub(r"\\\g<0>", cleaned(text)))


def defused(text: str) -> str:
    """Text of which Discord makes no mention, time, emoji, command, link or invite.

    A blank of no width is put where one would begin, as discord.py does.
    """
    return _ACTED_ON.sub("\\g<0>\N{ZERO WIDTH SPACE}", cleaned(text))


def shorten_text(text: str, most: int = MOST_IN_MESSAGE) -> str:
    """The first lines of a text that fit."""
    if len(text) <= most:
        return text
    kept = text[: most - 2]
    return kept[: kept.rfind("\n")] + "\n…" if "\n" in kept else kept + "…"


def plain_markdown(text: str) -> str:
    """Text of the console as a message: sentences as they are, columns in a fixed-width font."""
    text = defused(text)
    if any("  " in line.strip() for line in text.splitlines()):
        inner = text.replace("```", "'''")
        return f"```text\n{shorten_text(inner, MOST_IN_MESSAGE - 12)}\n```"
    # what was broken for a narrow terminal is one sentence again
    sentences: list[str] = []
    for line in text.splitlines():
        if line.startswith("  ") and sentences:
            sentences[-1] += " " + line.strip()
        else:
            sentences.append(line)
    return shorten_text("\n".join(escape_markdown(sentence) for sentence in sentences))
