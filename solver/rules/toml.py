"""TOML that people write by hand: its data, the lines of its keys, and what is wrong with it.

A text is taken apart into statements before it is parsed, in one pass that looks at quotes and
brackets alone. So nothing is parsed that is long, deep or left open, and errors name their line.
"""

import math
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from solver.rules.options import Place
from solver.wording import say, say_later, short

MAX_BYTES = 50_000
"""Length of a file of rules: whatever is longer is something else."""

_MAX_DEPTH = 8
"""Brackets in brackets, and keys with dots between them; rules have two."""

_TOKEN = re.compile(
    r'''\#[^\n]*
    | """ (?: [^"\\] | \\. | "(?!"") )* """ "{0,2}
    | \'\'\' (?: [^'] | '(?!\'\') )* \'\'\' '{0,2}
    | " (?: [^"\\\n] | \\[^\n] )* "
    | ' [^'\n]* '
    | ["'\[\]{}.=,\n]''',
    re.VERBOSE | re.DOTALL,
)
_CONTROL = re.compile(r"[\0-\b\v\f\x0e-\x1f\x7f]|\r(?!\n)")
_PAIRS = {"]": "[", "}": "{"}

_NOT_CLOSED = say_later("the bracket that is opened here is not closed")
_NO_BRACES = say_later(
    "braces have to be closed on the line that opens them; write a longer table as a [table]"
)
_QUOTE_NOT_CLOSED = say_later("the quote that begins here is not closed")
_NO_KEY = say_later("this is neither a [table] nor a key with its value, such as goal = 10000")
_NO_TABLE = say_later("a table is written as [scoring], with nothing else on its line")
_BACKSLASH = say_later(
    "a backslash between double quotes begins a code such as \\n; write two of them, or use single"
    " quotes"
)
_REASONS = {
    "Expected '=' after a key": _NO_KEY,
    "Invalid initial character": _NO_KEY,
    "Invalid statement": _NO_KEY,
    "Expected newline": say_later(
        "{value} is not one value; a number is written as 10000, a word in quotes, and several of"
        " them are a list such as [500, 1000]"
    ),
    "Invalid value": say_later(
        "{value} is not a value; after = comes a number, true or false, a list in brackets, or a"
        " word in straight quotes"
    ),
    "Invalid date": say_later("{value} looks like a date but is not one"),
    "Unescaped": _BACKSLASH,
    "Invalid hex value": _BACKSLASH,
    "Escaped character": _BACKSLASH,
    "Unterminated string": _QUOTE_NOT_CLOSED,
    "Unclosed": _NOT_CLOSED,
    "Duplicate inline table key": say_later("a key in these braces is given twice"),
}
"""What is said of the parser's messages, by how they begin."""


class NotTomlError(Exception):
    """A text is no TOML: the line that says so, and why."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line = line


class _Statement(NamedTuple):
    """The header of a table, or a key with its value, and the line where it begins."""

    line: int
    text: str

    @property
    def is_header(self) -> bool:
        """Whether keys after it belong to its table."""
        return self.text.startswith("[")

    def parsed(self) -> dict[str, Any]:
        """The data of the statement. Raises NotTomlError."""
        try:
            return tomllib.loads(self.text)
        except tomllib.TOMLDecodeError as error:
            reason = str(error)
        except ValueError:  # thousands of digits, which Python refuses to read
            raise NotTomlError(self.line, say("a number is too long")) from None
        value = self.text.partition("=")[2].partition("#")[0].strip()
        if self.is_header:
            message = _NO_TABLE
        elif value or "=" not in self.text:
            reasons = (said for start, said in _REASONS.items() if reason.startswith(start))
            message = next(reasons, say_later("this is not valid TOML ({reason})"))
        else:
            message = say_later("after = the value is missing")
        plain = re.sub(r" \(at .*\)$", "", reason)
        raise NotTomlError(self.line, say(message, value=short(value), reason=short(plain)))


def parse(text: str) -> dict[str, Any]:
    """The data of a text. Raises NotTomlError."""
    statements = _statements(text)
    try:
        return tomllib.loads(text)
    except ValueError as error:
        raise _why_together(statements, str(error)) from None


def _why_together(statements: Sequence[_Statement], reason: str) -> NotTomlError:
    """Why statements are no TOML together, by the parser's reason.

    Raises NotTomlError where one is none by itself.
    """
    lines: dict[Place, int] = {}
    reported = re.search(r"\(at line (\d+),", reason)
    end = int(reported[1]) if reported else math.inf
    last, first = statements[-1], 1
    repeated: Place = ()
    for statement, places in _places(statements):
        if statement.line <= end:
            last = statement
            repeated = next((place for place in reversed(places) if place in lines), places[-1])
            first = lines.get(repeated, statement.line)
        for place in places:
            lines.setdefault(place, statement.line)
    return NotTomlError(
        last.line,
        say(
            "{key} is given twice, first in line {first}",
            key=short(".".join(repeated)),
            first=first,
        ),
    )


def key_lines(text: str) -> dict[Place, int]:
    """The line of every key of a text that is TOML, which tomllib does not tell."""
    lines: dict[Place, int] = {}
    for statement, places in _places(_statements(text)):
        for place in places:
            lines.setdefault(place, statement.line)
    return lines


def line_of(lines: Mapping[Place, int], place: Place) -> int:
    """The line of a key; for one that is not there that of its table, or the first."""
    while place and place not in lines:
        place = place[:-1]
    return lines.get(place, 1)


def too_long() -> NotTomlError:
    """Why a text is no rule set that is longer than any."""
    return NotTomlError(
        1, say("is too long for a rule set (more than {most:,} bytes)", most=MAX_BYTES)
    )


def _statements(text: str) -> list[_Statement]:
    """All statements, in the time of one look at each character.

    Raises NotTomlError where quotes or brackets are not closed, or there is too much of them.
    """
    statements, nesting = list[_Statement](), _Nesting()
    start = 0
    begins = 1
    for sign, line, end in _signs(text + "\n"):
        if sign == "[" and not nesting.brackets:
            nesting.in_header = not text[start:end].strip("[ \t\r")
        nesting.see(sign, line)
        if sign == "\n" and not nesting.brackets:
            if statement := text[start:end].strip():
                statements.append(_Statement(begins, statement))
            start, begins = end, line + 1
    if nesting.brackets:
        raise NotTomlError(nesting.brackets[0][1], say(_NOT_CLOSED))
    return statements


def _signs(text: str) -> Iterator[tuple[str, int, int]]:
    """Brackets, dots, =, commas and line ends that are in no quotes, with line and end of each.

    Raises NotTomlError for what is too long, or has signs that no text has, or an open quote.
    """
    if len(text) > MAX_BYTES + 1:
        raise too_long()
    if control := _CONTROL.search(text):
        message = say_later(
            "there is a character here that text cannot have (U+{code:04X}); delete it"
        )
        if control[0] == "\r":
            message = say_later("the lines end as on old Macs; save the file with other line ends")
        where = text.count("\n", 0, control.start()) + 1
        raise NotTomlError(where, say(message, code=ord(control[0])))
    line = 1
    for token in _TOKEN.finditer(text):
        sign = token[0]
        if sign in "\"'":
            raise NotTomlError(line, say(_QUOTE_NOT_CLOSED))
        if len(sign) == 1 and sign != "#":
            yield sign, line, token.end()
        line += sign.count("\n")


class _Nesting:
    """The brackets that are open in a statement."""

    def __init__(self) -> None:
        self.brackets: list[tuple[str, int]] = []
        """Each with its line."""
        self.in_header = False
        self._dots = 0
        """The number of dots in the key so far."""

    def see(self, sign: str, line: int) -> None:
        """Take the next sign of those that matter. Raises NotTomlError."""
        self._dots = self._dots + 1 if sign == "." else 0
        if sign in "[{":
            self.brackets.append((sign, line))
        elif sign in "]}" and (not self.brackets or self.brackets.pop()[0] != _PAIRS[sign]):
            raise NotTomlError(line, say("the bracket that is closed here was not opened"))
        elif self.brackets and sign in self._closing:
            bracket, opened = self.brackets[-1]
            message = _NOT_CLOSED if bracket == "[" else _NO_BRACES
            raise NotTomlError(opened, say(message))
        if max(len(self.brackets), self._dots) > _MAX_DEPTH:
            raise NotTomlError(line, say("this is nested more deeply than rules ever are"))

    @property
    def _closing(self) -> str:
        """Signs before which the last bracket has to be closed."""
        if self.in_header:
            return "=\n"
        return "=" if self.brackets[-1][0] == "[" else "\n"


def _places(statements: Iterable[_Statement]) -> Iterator[tuple[_Statement, list[Place]]]:
    """The keys that each statement gives, in its table, outer ones first. Raises NotTomlError.

    A table in a list is at the key of the list, and then at its number.
    """
    table: Place = ()
    numbers = Counter[Place]()
    for statement in statements:
        places = list(_paths(statement.parsed()))
        if statement.is_header:
            table = places[-1]
            if statement.text.startswith("[["):
                table = (*table, str(numbers[table]))
                numbers[places[-1]] += 1
                places.append(table)
        else:
            places = [(*table, *place) for place in places]
        if places:
            yield statement, places


def _paths(data: object) -> Iterator[Place]:
    """The keys of nested tables, outer ones first."""
    if isinstance(data, list):  # of a header such as [[table]]
        data = data[0] if data else {}
    if isinstance(data, dict):
        for key, value in data.items():
            yield (key,)
            if isinstance(value, dict) or (isinstance(value, list) and value == [{}]):
                yield from ((key, *path) for path in _paths(value))
