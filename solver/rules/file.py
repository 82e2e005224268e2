"""Rule sets as TOML files: the presets that ship with the project, and people's own."""

import codecs
import re
import shlex
import tomllib
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from solver.errors import InvalidRulesError, did_you_mean, system_reason
from solver.rules.complaints import complaints, idle_limits, left_open
from solver.rules.ruleset import MAX_NAME, Ruleset
from solver.rules.toml import MAX_BYTES, NotTomlError, key_lines, line_of, parse, too_long
from solver.wording import say, say_number, short

PRESETS_FOLDERS = (
    Path(__file__).resolve().parents[2] / "data" / "rules",  # a checkout
    Path(__file__).resolve().parents[1] / "presets",  # an installed wheel
)


class Finding(NamedTuple):
    """One complaint about a file: its line, the key to blame ("" if none) and a sentence."""

    line: int
    key: str
    sentence: str


def with_floor(rules: Ruleset, floor: int) -> Ruleset:
    """Rules with another score floor.

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
def preset_titles() -> frozenset[str]:
    """The titles of the rule sets that ship with the project, which are translated."""
    files = (tomllib.loads(path.read_text("utf-8")) for path in _presets().values())
    return frozenset(file["title"] for file in files)


@cache
def _presets() -> dict[str, Path]:
    """Files of the presets by name."""
    files = {path.stem: path for folder in PRESETS_FOLDERS for path in folder.glob("*.toml")}
    return dict(sorted(files.items()))


def read_rules(path: Path) -> Ruleset:
    """Read a rule set from a TOML file; its name is the file's unless the file says another.

    Raises InvalidRulesError, which tells the first of all that is wrong with it.
    """
    try:
        text = _read(path)
    except NotTomlError as error:
        raise InvalidRulesError(f"{path}: {error}") from None
    rules, findings = _checked(text, path, lambda _: None)
    if rules is not None:
        return rules
    first, *others = findings
    sentence = say("line {line}: {sentence}", line=first.line, sentence=first.sentence)
    if others:
        sentence += "; " + say_number(
            "{number} more [complaint|complaints]: farkle rules check {file}",
            len(others),
            file=shlex.quote(str(path)),
        )
    raise InvalidRulesError(f"{path}: {sentence}")


_read_preset = cache(read_rules)


def check_file(
    path: Path, further: Callable[[Ruleset], InvalidRulesError | None]
) -> tuple[Ruleset | None, list[Finding]]:
    """The rule set of a TOML file, or all that is wrong with it in the order of its lines.

    further : what else is wrong with rules that fit together, put down to the goal if to nothing
    """
    try:
        text = _read(path)
    except NotTomlError as error:
        return None, [Finding(error.line, "", str(error))]
    return _checked(text, path, further)


def _checked(
    text: str, path: Path, further: Callable[[Ruleset], InvalidRulesError | None]
) -> tuple[Ruleset | None, list[Finding]]:
    """The rule set that a text describes, as `check_file` tells of it."""
    try:
        data = _named(parse(text), path)
    except NotTomlError as error:
        return None, [Finding(error.line, "", str(error))]
    try:
        rules = Ruleset.model_validate(data)
        wrong = left_open(rules) + idle_limits(rules)
    except ValidationError:
        rules, wrong = None, complaints(data)
    placed = [(complaint.place, complaint.sentence()) for complaint in wrong]
    if rules is not None and not placed:
        if not (refused := further(rules)):
            return rules, []
        placed = [((refused.key or "goal",), str(refused))]
    lines = key_lines(text)
    findings = dict.fromkeys(
        Finding(line_of(lines, place), ".".join(place), sentence) for place, sentence in placed
    )
    return None, sorted(findings, key=lambda finding: finding.line)


def _named(data: dict[str, Any], path: Path) -> dict[str, Any]:
    name = re.sub(r"[^\w .+-]", "-", path.stem)[:MAX_NAME]
    return {"name": name, **data}


def _read(path: Path) -> str:
    """The text of a file. Raises NotTomlError."""
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        # a name that no file can have is a ValueError
        is_told = isinstance(error, OSError)
        reason = system_reason(error) if is_told else say("No such file or directory")
        raise NotTomlError(1, say("cannot be read ({reason})", reason=reason)) from None
    if len(content) > MAX_BYTES:
        raise too_long()
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise NotTomlError(1, say("is text in UTF-16; save it as UTF-8"))
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise NotTomlError(
            line, say("line {line} is not text in UTF-8; save the file as UTF-8", line=line)
        ) from None


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
        + did_you_mean(reference.lower(), preset_names(), say("; farkle rules lists them"))
    )
