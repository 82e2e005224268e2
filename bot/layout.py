"""How text is laid out: lines, columns, numbers, names, and the marks of a message.

What people typed becomes fit to be shown: nothing is hidden in it, and nothing that a terminal
obeys.
"""

import re
import textwrap
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import chain, groupby
from sys import maxsize

from solver.errors import InvalidRequestError
from solver.wording import figure, say, say_number

MOST_IN_MESSAGE = 2000
"""Characters of a message, as Discord has them."""

WIDTH = 79
"""Columns of text for a terminal."""

_room: ContextVar[int | None] = ContextVar("room", default=None)
"""Columns that there are; None where tables are as wide as their cells make them."""

_WIDEST_MARK = 2
"""Columns of a cell that is no name, but a mark before one."""

_LEAST_TEXT = 16
"""Columns in which the text of a cell can still be read."""

PHONE = 32
"""Columns of a fixed-width font that a phone shows beside a picture of who speaks."""

_SHORT_NAME = 10
"""Columns of the name of a row that is repeated rather than put above its row."""

_for_message: ContextVar[int] = ContextVar("for_message", default=0)
"""Columns of tables in what is made for a message; 0 where it is made for a terminal."""
_TOO_LONG = 100
"""Letters of a text that are left out until it fits into a message."""
_IN_TABLE = "\x02"
"""Ends a line of a table in text for a phone, where it tells that from a list."""

# Python compiles a pattern when it is first needed, and keeps it
_MARKS = r"(?m)[_\\~|*`\[]|^>(?:>>)?\s|^#{1,3}|^\s*-"
_ACTED_ON = r"(?i)@(?=everyone|here|[!&]?\d)|<(?=\S)|:(?=//)|discord(?:app)?(?=\.\w)"
"""Where Discord would see mentions, times, emoji, commands, links or invites begin."""

_OPENS = r"[^\W\d_]+(?![\w:=./@-])"
"""A word that begins a sentence; what is typed, such as `me:` or `three-pairs`, is none."""

LONGEST_NAME = 30
"""Characters of the name that somebody is shown under."""


_ROUNDING = 1e-12
"""What sums of chances are off by at most, so that what is as near to 0 or 1 is told as that."""

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

_HIDDEN = (
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
    return "" if category[0] == "C" or re.match(_HIDDEN, letter) else letter


def check_length(text: str) -> None:
    """Raises InvalidRequestError where more was typed than a command needs."""
    if len(text) > MOST_TYPED:
        raise InvalidRequestError.say(
            "a line has at most {most:,} characters, not {length:,}",
            most=MOST_TYPED,
            length=len(text),
        )


def percent(probability: float, within: float | None = None) -> str:
    """Return a probability with two decimals; the ends only for what is certain but for rounding.

    An estimate, which is `within` of the true one, has one decimal.
    """
    form, least = (".2f", 0.01) if within is None else (".1f", 0.1)
    if _ROUNDING < probability < least / 200:
        return f"< {figure(least, form)} %"
    if 1 - least / 200 <= probability < 1 - _ROUNDING:
        return f"> {figure(100 - least, form)} %"
    return f"{figure(probability * 100, form)} %"


def cost_in_words(cost: float, within: float | None = None) -> str:
    """A difference of probabilities as sentences have it, where "%" might be a share of one."""
    return points_in_words(percent(cost, within).removesuffix(" %"))


def points_in_words(points: str) -> str:
    """A number of percentage points in a sentence."""
    return say("{points} percentage points", points=points)


def rough_percent(probability: float) -> str:
    """A probability with one decimal."""
    return f"{figure(probability * 100, '.1f')} %"


def fit_to(width: int | None) -> None:
    """Lay everything out in so many columns from here on, in this task or thread.

    With 0 of them whoever shows it breaks lines: each sentence is one.
    """
    _room.set(width)


def room() -> int:
    """The columns that text is laid out in."""
    return _for_message.get() or _room.get() or WIDTH


@contextmanager
def on_phone(width: int = PHONE) -> Iterator[None]:
    """Lay out what is made within for a message: narrow tables, and sentences in one line each.

    Such text goes through `plain_markdown`.

    width : columns of the tables; 0 lays text out as it is read elsewhere
    """
    before = _for_message.set(width)
    try:
        yield
    finally:
        _for_message.reset(before)


def wrap(text: str, width: int | None = None, hang: int = 2) -> str:
    """Break lines that are too long at spaces, but not before a percent sign.

    What goes on is set two spaces further in, or so many.

    width : that of sentences if not given: `WIDTH`, or less where there is less room
    """
    if width is None and (_for_message.get() or _room.get() == 0):
        return text
    width = width or min(WIDTH, room())
    wrapped = []
    for line in text.replace(" %", "\N{NO-BREAK SPACE}%").split("\n"):
        if len(line) <= width:
            wrapped.append(line)
            continue
        inner = line[: len(line) - len(line.lstrip())] + " " * hang
        wrapped += textwrap.wrap(
            line, width, subsequent_indent=inner, break_long_words=False, break_on_hyphens=False
        )
    return "\n".join(wrapped).replace("\N{NO-BREAK SPACE}%", " %")


def whole_sentence(text: str) -> str:
    """A refusal as it is shown where it stands alone: with a capital and a full stop.

    Behind a prefix, as on the command line, it begins small. What is typed stays as it is typed.
    """
    if re.match(_OPENS, text):
        text = text[:1].upper() + text[1:]
    return text if text[-1:] in {"", ".", "!", "?", "…", ":"} else f"{text}."


def inside(dice: str) -> str:
    """Dice as they stand in a sentence: in brackets where there are commas between them."""
    return f"({dice})" if "," in dice else dice


def columns(
    rows: Iterable[Sequence[str]], right: Iterable[int] = (), spare: Iterable[int] = ()
) -> list[str]:
    """Align rows of cells, two spaces in and two between; the columns in `right` at their end.

    Where there is too little room, columns in `spare` are left out, the first of them first. If
    that is not enough, text in the last column is broken, or the other cells of a row go below its
    first one, or two rows become two columns, or the columns are spread over several tables, each
    with the first column. On a phone, rows with text that is too wide make a list.
    """
    table, ends, width = [list(row) for row in rows], set(right), _for_message.get()
    most = width or _room.get() or maxsize
    indent, gaps = (0, (2, 1)) if width else (2, (2,))
    kept = list(range(len(_widths(table))))
    for left_out in (None, *spare):
        if left_out is not None:
            kept.remove(left_out)
        cells, aligned = _chosen(table, ends, kept)
        for gap in gaps:
            lines = _aligned(cells, aligned, indent, gap)
            if _widest(lines) <= most:
                return [line + _IN_TABLE for line in lines] if width else lines
    if width:
        return _narrow_in_message(cells, aligned, width) or _aligned(table, ends)
    narrow = _in_room(cells, aligned, most, indent)
    return list(chain.from_iterable(narrow)) if narrow else _spread(cells, aligned, most)


def beneath(heads: Sequence[str], cells: Sequence[str]) -> list[str]:
    """A line of heads above one of cells, at most six beside each other; in a message a column."""
    most = len(heads) if _for_message.get() else 6
    parts = (slice(first, first + most) for first in range(0, len(heads), most))
    tables = (columns([heads[part], cells[part]], right=range(most)) for part in parts)
    return list(chain.from_iterable(tables))


def _narrow_in_message(
    cells: Sequence[Sequence[str]], ends: set[int], most: int
) -> list[str] | None:
    """The lines of a table in a message that is too wide for it; None where a list is better."""
    *_, last = widths = _widths(cells)
    is_text = len(widths) - 1 not in ends and last > _LEAST_TEXT
    if is_text or (widths[0] > _LEAST_TEXT and ends != set(range(1, len(widths)))):
        return None
    narrow = _in_room(cells, ends, most, indent=0) if widths[0] > _SHORT_NAME else None
    lines = list(chain.from_iterable(narrow or []))
    lines = lines or [line[2:] for line in _spread(cells, ends, most)]
    return None if _widest(lines) > most else [line + _IN_TABLE for line in lines]


def _widths(table: Sequence[Sequence[str]]) -> list[int]:
    last = max(map(len, table), default=0)
    return [max(text_width(row[k]) for row in table if k < len(row)) for k in range(last)]


def _widest(lines: Iterable[str]) -> int:
    return max(map(text_width, lines), default=0)


def _chosen(
    table: Sequence[Sequence[str]], right: Collection[int], kept: Sequence[int]
) -> tuple[list[list[str]], set[int]]:
    """Some columns of a table, and which of them are aligned at their end."""
    cells = [[row[k] for k in kept if k < len(row)] for row in table]
    return cells, {place for place, k in enumerate(kept) if k in right}


def _aligned(
    table: Sequence[Sequence[str]], right: Collection[int], indent: int = 2, gap: int = 2
) -> list[str]:
    """A line for each row."""
    widths = _widths(table)
    return [
        " " * indent
        + (" " * gap)
        .join(pad(cell, widths[k], right=k in right) for k, cell in enumerate(row))
        .rstrip()
        for row in table
    ]


def _in_room(
    table: Sequence[Sequence[str]], right: Collection[int], most: int, indent: int
) -> list[list[str]] | None:
    """The lines of each row where one is not enough for all; None if columns are too many."""
    *widths, last = _widths(table)
    for_text = most - indent - sum(width + 2 for width in widths)
    if len(widths) not in right and last > _LEAST_TEXT <= for_text:
        broken = [_broken(row, len(widths), for_text) for row in table]
        aligned = _aligned(list(chain.from_iterable(broken)), right, indent)
        if _widest(aligned) <= most:  # no word is wider than the room
            lines = iter(aligned)
            return [[next(lines) for _ in rows] for rows in broken]
    for gap in 2, 1:
        whole = _aligned(table, right, indent, gap)
        if _widest(whole) <= most:
            return [[line] for line in whole]
    if not widths or 0 in right:
        return None
    others, ends = _chosen(table, right, range(1, len(widths) + 1))
    is_mark = widths[0] <= _WIDEST_MARK
    further = indent + (widths[0] + 2 if is_mark else 4)
    below = _in_room(others, ends, most, further)
    firsts = [" " * indent + "".join(row[:1]) for row in table]
    if below and is_mark:
        return [
            [(pad(first, further) + "".join(lines[:1])[further:]).rstrip(), *lines[1:]]
            for first, lines in zip(firsts, below, strict=True)
        ]
    return below and [
        [line for line in (first, *lines) if line.strip()]
        for first, lines in zip(firsts, below, strict=True)
    ]


def _broken(row: Sequence[str], last: int, width: int) -> list[list[str]]:
    """A row and, below its last cell, the text that it has no room for."""
    first, *others = wrap("".join(row[last:]), width, hang=0).split("\n")
    return [[*row[:last], first], *([*[""] * last, other] for other in others)]


def _spread(table: Sequence[Sequence[str]], right: Collection[int], most: int) -> list[str]:
    """Two rows, in a message a few, as columns; else tables, each with the first column."""
    if len(table) < len(table[0]) and len(set(map(len, table))) == 1:
        turned = _aligned(list(zip(*table, strict=True)), range(len(table)))
        if len(table) == 2 or (_for_message.get() and _widest(turned) <= most):
            return turned
    widths = _widths(table)
    parts = [[0]]
    for k in range(1, len(widths)):
        if len(parts[-1]) > 1 and sum(widths[j] + 2 for j in (*parts[-1], k)) > most:
            parts.append([0])
        parts[-1].append(k)
    lines = []
    for part in parts:
        # a row is left out where it has nothing, but elsewhere it has
        others = part[1:]
        kept = [
            row for row in table if any(row[k] for k in others if k < len(row)) or not any(row[1:])
        ]
        lines += _aligned(*_chosen(kept, right, part))
    return lines


def dice_count(number: int) -> str:
    """A number of dice in words."""
    return say_number("{number} [die|dice]", number)


def safe_text(text: str, width: int) -> str:
    """A stranger's text on one line, at most `width` columns, with nothing hidden in it.

    Code marks are replaced, as they would end the code that a score sheet is.
    """
    return shorten(" ".join(cleaned(text).split()).replace("`", "'"), width)


def text_width(text: str) -> int:
    """Columns that text takes in a fixed-width font."""
    return len(text) if text.isascii() else sum(map(_letter_width, text))


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
    return defused(re.sub(_MARKS, lambda mark: "\\" + mark[0], cleaned(text)))


def defused(text: str) -> str:
    """Text of which Discord makes no mention, time, emoji, command, link or invite.

    A blank of no width is put where one would begin, as discord.py does.
    """
    return re.sub(_ACTED_ON, lambda start: start[0] + "\N{ZERO WIDTH SPACE}", cleaned(text))


def shorten_text(text: str, most: int = MOST_IN_MESSAGE) -> str:
    """The first lines of a text that fit."""
    if len(text) <= most:
        return text
    kept = text[: most - 2]
    return kept[: kept.rfind("\n")] + "\n…" if "\n" in kept else kept + "…"


def plain_markdown(text: str) -> str:
    """Text that was made for a phone as a message: sentences, lists, and tables as code."""
    shown: list[str] = []
    for is_table, lines in groupby(text.split("\n"), lambda line: line.endswith(_IN_TABLE)):
        if is_table:
            shown += _code(list(lines))
            continue
        for is_inset, part in groupby(map(defused, lines), _is_in_block):
            rows = list(part)
            shown += _list(rows) if is_inset else map(escape_markdown, rows)
    message = "\n".join(shown)
    if len(message) <= MOST_IN_MESSAGE:
        return message
    return plain_markdown(shorten_text(text, len(text) - _TOO_LONG))


def blocks(text: str) -> Iterator[tuple[bool, list[str]]]:
    """Yield sentences, and rows of tables and lists between them, and whether they are rows."""
    for is_block, lines in groupby(text.split("\n"), _is_in_block):
        yield is_block, list(lines)


def _is_in_block(line: str) -> bool:
    """Whether a line is one of a table or a list, and no sentence between them."""
    return line.startswith("  ") or _has_cells(line)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _has_cells(line: str) -> bool:
    return "  " in line.strip()


def cells(row: str) -> list[str]:
    """Return the cells of a row that `columns` has aligned."""
    return re.split(" {2,}", row.strip())


def _list(rows: Sequence[str]) -> list[str]:
    """Lines that are set in as a list: what comes first in each is marked, if there is more."""
    if not any(map(_has_cells, rows)):
        return [f"- {escape_markdown(row.strip())}" for row in rows]
    if max(map(text_width, rows)) <= PHONE:
        return _code(rows)
    has_head = _indent(rows[0]) > min(map(_indent, rows))
    lines = []
    for number, row in enumerate(rows):
        first, *others = cells(row)
        first, others = escape_markdown(first), [escape_markdown(o) for o in others if o != "-"]
        if has_head and not number:
            lines.append(f"-# {' · '.join([first, *others])}")
        else:
            lines.append(f"**{first}** {' · '.join(others)}" if others else first)
    return lines


def _code(rows: Iterable[str]) -> list[str]:
    """Lines in a block of code, which nothing in them ends."""
    plain = (defused(row.removesuffix(_IN_TABLE)).replace("```", "'''") for row in rows)
    return ["```text\n" + "\n".join(plain) + "\n```"]
