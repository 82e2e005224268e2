"""Rule sets as TOML files: the presets that ship with the project, and people's own."""

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from solver.errors import InvalidRulesError, did_you_mean, system_reason
from solver.rules.complaints import Place, complaints, short
from solver.rules.ruleset import Ruleset
from solver.wording import say

PRESETS_FOLDERS = (
    Path(__file__).resolve().parents[2] / "data" / "rules",  # a checkout
    Path(__file__).resolve().parents[1] / "presets",  # an installed wheel
)

MAX_BYTES = 50_000
"""Length of a file of rules: whatever is longer is something else."""


_PARSER_WORDS = {
    "Cannot overwrite a value": "A key is given twice",
    "Cannot mutate immutable namespace": "Nothing can be added to the table",
}

_END = re.compile(r"]|\"{3}|'{3}")  # what a value over several lines may end with


class _NotTomlError(Exception):
    """A file is not there or is not TOML: the line that says so, and why."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line = line


@dataclass(frozen=True, slots=True)
class Finding:
    """One complaint about a file: its line, the key to blame ("" if none) and a sentence."""

    line: int
    key: str
    sentence: str


def with_floor(rules: Ruleset, floor: int) -> Ruleset:
    """The same rules with another score floor.

    Raises InvalidRulesError where the floor does not fit the rules.
    """
    return make_rules(rules.model_dump() | {"score_floor": floor}, rules.name)


def make_rules(data: Mapping[str, Any], origin: str) -> Ruleset:
    """The rule set that `data` describes.

    Raises InvalidRulesError, whose sentence starts with `origin`.
    """
    try:
        return Ruleset.model_validate(data)
    except ValidationError:
        first = complaints(data)[0]
        raise InvalidRulesError(f"{origin}: {first.sentence()}") from None


def preset_names() -> list[str]:
    """Names of the rule sets that ship with the project, in alphabetical order."""
    return list(_presets())


@cache
def _presets() -> dict[str, Path]:
    """Files of the presets by name."""
    found = {path.stem: path for folder in PRESETS_FOLDERS for path in folder.glob("*.toml")}
    return dict(sorted(found.items()))


def read_rules(path: Path) -> Ruleset:
    """Read a rule set from a TOML file; its name is the file's unless the file says another.

    Raises InvalidRulesError.
    """
    try:
        data = _parse(_read(path))
    except _NotTomlError as error:
        raise InvalidRulesError(f"{path}: {error}") from None
    return make_rules(_named(data, path), str(path))


_read_preset = cache(read_rules)


def check_file(
    path: Path, further: Callable[[Ruleset], str]
) -> tuple[Ruleset | None, list[Finding]]:
    """The rule set of a TOML file, or all that is wrong with it in the order of its lines.

    further : a sentence on what else is wrong with rules that fit together, put down to the goal
    """
    try:
        text = _read(path)
        data = _named(_parse(text), path)
    except _NotTomlError as error:
        return None, [Finding(error.line, "", str(error))]
    found = [(one.place, one.sentence()) for one in complaints(data)]
    if not found:
        rules = make_rules(data, str(path))
        if not (sentence := further(rules)):
            return rules, []
        found = [(("goal",), sentence)]
    lines = key_lines(text)
    findings = dict.fromkeys(
        Finding(line_of(lines, place), ".".join(place), sentence) for place, sentence in found
    )
    return None, sorted(findings, key=lambda finding: finding.line)


def _named(data: dict[str, Any], path: Path) -> dict[str, Any]:
    name = re.sub(r"[^\w .+-]", "-", path.stem)[:60]
    return {"name": name, **data}


def _read(path: Path) -> str:
    """The text of a file. Raises _NotTomlError."""
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        # a name that no file can have is a ValueError
        is_told = isinstance(error, OSError)
        reason = system_reason(error) if is_told else say("No such file or directory")
        raise _NotTomlError(1, say("cannot be read ({reason})", reason=reason)) from None
    if len(content) > MAX_BYTES:
        raise _NotTomlError(
            1, say("is too long for a rule set (more than {most:,} bytes)", most=MAX_BYTES)
        )
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise _NotTomlError(line, say("is not valid TOML (it is not text in UTF-8)")) from None


def _parse(text: str) -> dict[str, Any]:
    """The data of a TOML document. Raises _NotTomlError."""
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise _NotTomlError(1, say("is not valid TOML (nested too deep)")) from None
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"\(at line (\d+), column \d+\)$", str(error))
        number = int(line[1]) if line else text.rstrip("\n").count("\n") + 1
        raise _NotTomlError(
            number, say("is not valid TOML ({reason})", reason=_plain(str(error)))
        ) from None
    except ValueError:
        # a date that is none, or a number of thousands of digits, which Python refuses to read
        digits = re.search(r"\d{4000}", text.replace("_", "0"))
        if digits:
            number = text[: digits.start()].count("\n") + 1
            raise _NotTomlError(number, say("is not valid TOML (a number is too long)")) from None
        raise _NotTomlError(
            1, say("is not valid TOML (a value is not what it looks like)")
        ) from None


def _plain(message: str) -> str:
    """The parser's message without the brackets and quotes of Python."""
    message = re.sub(r" \(at (.*)\)$", r" at \1", message)
    message = re.sub(
        r"\(('[^()]*',?)\)", lambda keys: ".".join(re.findall("'(.*?)'", keys[1])), message
    )
    for theirs, ours in _PARSER_WORDS.items():
        message = message.replace(theirs, ours)
    return short(message, 200)


def key_lines(text: str) -> dict[Place, int]:
    """The line of every key of a valid TOML document, which tomllib does not tell.

    Lines are collected until tomllib takes them for a whole statement: a value that goes over
    several lines is none before its last.
    """
    lines: dict[Place, int] = {}
    table: Place = ()
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
        paths = list(_paths(found))
        if statement.lstrip().startswith("["):
            table = paths[-1]
        else:
            paths = [(*table, *path) for path in paths]
        for path in paths:
            lines.setdefault(path, start)
        statement = ""
    return lines


def line_of(lines: Mapping[Place, int], place: Place) -> int:
    """The line of a key; for one that is not there that of its table, or the first."""
    while place and place not in lines:
        place = place[:-1]
    return lines.get(place, 1)


def _paths(data: object) -> Iterator[Place]:
    """The keys of nested tables, outer ones first."""
    if isinstance(data, list):  # of a header such as [[table]]
        data = data[0] if data else {}
    if isinstance(data, dict):
        for key, value in data.items():
            yield (key,)
            if isinstance(value, dict) or (isinstance(value, list) and value == [{}]):
                yield from ((key, *path) for path in _paths(value))


def load_rules(reference: str) -> Ruleset:
    """The rule set for a preset's name or a TOML file's path; a preset is read once.

    Raises InvalidRulesError, with near matches for an unknown name.
    """
    if reference.lower() in _presets():
        return _read_preset(_presets()[reference.lower()])
    try:
        if reference.endswith(".toml") or Path(reference).is_file():
            return read_rules(Path(reference))
    except (OSError, ValueError):
        pass  # no name that a file can have
    raise InvalidRulesError(
        say('unknown rule set "{name}"', name=short(reference))
        + did_you_mean(reference.lower(), preset_names())
    )
