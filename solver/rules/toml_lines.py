"""Where the keys of a TOML document stand, which tomllib does not tell."""

import re
import tomllib
from collections.abc import Iterator, Mapping

Path = tuple[str, ...]

_END = re.compile(r"]|\"{3}|'{3}")  # what a value over several lines may end with


def key_lines(text: str) -> dict[Path, int]:
    """The line of every key of a valid TOML document, by the keys that lead to it.

    Lines are collected until tomllib takes them for a whole statement: a value that goes over
    several lines is none before its last.
    """
    lines: dict[Path, int] = {}
    table: Path = ()
    statement, start = "", 1
    for number, line in enumerate(text.split("\n"), 1):
        if not statement:
            start = number
        statement += line.removesuffix("\r") + "\n"
        if number > start and not _END.search(line):
            continue
        try:
            found = tomllib.loads(statement)
        except tomllib.TOMLDecodeError:
            continue
        if statement.lstrip().startswith("["):
            table = ()
        paths = [(*table, *path) for path in _paths(found)]
        if statement.lstrip().startswith("["):
            table = paths[-1]
        for path in paths:
            lines.setdefault(path, start)
        statement = ""
    return lines


def line_of(lines: Mapping[Path, int], place: Path) -> int:
    """The line of a key; for one that is not there that of its table, or the first."""
    while place and place not in lines:
        place = place[:-1]
    return lines.get(place, 1)


def _paths(data: object) -> Iterator[Path]:
    """The keys of nested tables, outer ones first."""
    if isinstance(data, list):  # of a header such as [[table]]
        data = data[0] if data else {}
    if isinstance(data, dict):
        for key, value in data.items():
            yield (key,)
            if isinstance(value, dict) or (isinstance(value, list) and value == [{}]):
                yield from ((key, *path) for path in _paths(value))
