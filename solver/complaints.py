"""What is wrong with a rule set as people write it: one plain sentence for each complaint."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from solver.errors import did_you_mean
from solver.rules import (
    LOADED_DICE,
    MAX_POINTS,
    NOT_YET,
    PER_FACE,
    Contradiction,
    ContradictionsError,
    FarklePenalty,
    Ruleset,
    Scoring,
    not_yet,
)

TABLES: dict[str, type[BaseModel]] = {"scoring": Scoring, "farkle_penalty": FarklePenalty}
"""The keys of a rule set that are tables."""

_WHOLE = {
    "farkle_penalty.points": f'should be a whole number from 1 to {MAX_POINTS} or "everything"',
    "hot_dice_bonus": "should be a list of numbers such as [500, 1000]",
    "instant_win": 'should be a list such as ["xxxxxx"]',
    "lose_everything": 'should be a list such as ["2222"]',
    "scoring.three_pairs_include": 'should be a list such as ["four_and_two"]',
    "name": "should be 1 to 60 letters, digits, spaces and . + - _",
}
"""What the value of a key should be, where that is more than a number or a word."""

_PATTERN = (
    'is not a pattern of dice; "2222" stands for four or more 2s and "xxxxxx" for six of a kind'
)


@dataclass(frozen=True, slots=True)
class Complaint:
    """One thing that is wrong: the keys that lead to it, outermost first, and a sentence."""

    place: tuple[str, ...]
    sentence: str


def complaints(data: Mapping[str, Any]) -> list[Complaint]:
    """Everything wrong with the data of a rule set, what explains most first; empty if valid.

    What depends on a value that is wrong by itself is not said: it may be right once that is.
    """
    found = [Complaint(keys, sentence) for keys, sentence in not_yet(data)]
    if data.get("loaded_dice"):
        found.append(Complaint(("loaded_dice",), LOADED_DICE))
    data = {key: data[key] for key in data if key not in {*NOT_YET, "loaded_dice"}}
    try:
        Ruleset.model_validate(data)
    except ValidationError as error:
        single, joint = _taken_apart(error)
        found += sorted(
            (Complaint(_place(one), _sentence(one, data)) for one in single),
            key=lambda one: not one.sentence.startswith("unknown key"),
        )
        wrong = {str(one["loc"][0]) for one in single}
        if wrong:
            # a goal has to be there, whatever it is
            sound = {"goal": MAX_POINTS, **{key: data[key] for key in data if key not in wrong}}
            joint = _joint(sound)
        found += [
            Complaint(keys[:1], sentence) for keys, sentence in joint if wrong.isdisjoint(keys)
        ]
    return list(dict.fromkeys(found))


def _taken_apart(error: ValidationError) -> tuple[list[ErrorDetails], list[Contradiction]]:
    """Complaints about single values, and the contradictions between them."""
    single: list[ErrorDetails] = []
    joint: list[Contradiction] = []
    for one in error.errors(include_url=False):
        reason = one.get("ctx", {}).get("error")
        if isinstance(reason, ContradictionsError):
            joint += reason.found
        else:
            single.append(one)
    return single, joint


def _joint(data: Mapping[str, Any]) -> list[Contradiction]:
    try:
        Ruleset.model_validate(data)
    except ValidationError as error:
        return _taken_apart(error)[1]
    return []


def _place(error: ErrorDetails) -> tuple[str, ...]:
    """The keys that lead to a value, without places in lists and pydantic's names of types."""
    first, *others = error["loc"]
    return (str(first), *map(str, others[:1])) if first in TABLES else (str(first),)


def _sentence(error: ErrorDetails, data: Mapping[str, Any]) -> str:
    """One of pydantic's complaints in plain words."""
    place = _place(error)
    key = short(".".join(place))
    kind = error["type"]
    if kind == "extra_forbidden":
        return f'unknown key "{key}"{_where_it_belongs(place)}'
    value: Any = data
    for part in place:
        if not isinstance(value, Mapping) or part not in value:
            return f'the key "{key}" is missing'
        value = value[part]
    if place[-1] in PER_FACE:
        return _about_faces(key, value, error)
    item = next((part for part in error["loc"] if isinstance(part, int)), None)
    if item is not None:
        return f"{key}: {_about_item(place[-1], item, error)}"
    if kind == "too_long":
        return f"{key}: takes at most {error['ctx']['max_length']} numbers, not {len(value)}"
    return f"{key}: {_WHOLE.get(key) or _expectation(error)}, not {shown(value)}"


def _where_it_belongs(place: tuple[str, ...]) -> str:
    """The tail of a sentence about an unknown key."""
    name = place[-1]
    own = TABLES[place[0]] if len(place) > 1 else Ruleset
    if len(place) > 1 and name in Ruleset.model_fields:
        return f"; {name} belongs above the first [table]"
    for table, model in TABLES.items():
        if own is not model and name in model.model_fields:
            return f"; {name} belongs under [{table}]"
    return did_you_mean(short(name), [key for key in own.model_fields if key != "loaded_dice"])


def _about_faces(key: str, value: object, error: ErrorDetails) -> str:
    if type(value) is int:
        return f"{key}: {_expectation(error)}, not {shown(value)}"
    if not isinstance(value, list | tuple) or len(value) != 6:
        return (
            f"{key}: takes 6 numbers, the points for the faces 1 to 6, or one number for all,"
            f" not {shown(value)}"
        )
    face = next((part for part in error["loc"] if isinstance(part, int)), 0)
    return f"{key}: the points for a {face + 1} {_expectation(error)}, not {shown(error['input'])}"


def _about_item(name: str, item: int, error: ErrorDetails) -> str:
    value = shown(error["input"])
    if name in {"instant_win", "lose_everything"}:
        return f"{value} {_PATTERN}"
    if name == "hot_dice_bonus":
        return f"number {item + 1} {_expectation(error)}, not {value}"
    return f"{_expectation(error)}, not {value}"


def _expectation(error: ErrorDetails) -> str:
    """What a value should be."""
    context = error.get("ctx", {})
    if error["type"] == "literal_error":
        words = [f'"{word}"' for word in re.findall(r"'(\w+)'", context["expected"])]
        return f"should be {' or '.join(words) if len(words) < 3 else 'one of ' + ', '.join(words)}"
    return {
        "greater_than_equal": f"should be at least {context.get('ge')}",
        "less_than_equal": f"should be at most {context.get('le')}",
        "int_type": "should be a whole number",
        "bool_type": "should be true or false",
        "string_type": "should be text",
        "model_type": "should be a table",
    }.get(error["type"], "should be something else")


def shown(value: object) -> str:
    """A value as it stands in a TOML file, or what it is where that is long."""
    if value is None:  # no value of TOML's: the answer "none" to a question
        return "none"
    if isinstance(value, Mapping):
        return "a table"
    if isinstance(value, list | tuple):
        items = ", ".join(map(shown, value[:8]))
        return f"[{items}]" if len(value) <= 8 and len(items) <= 60 else f"a list of {len(value)}"
    if isinstance(value, bool | str):
        return short(json.dumps(value, ensure_ascii=False))
    try:
        return short(str(value))
    except ValueError:  # Python does not write out integers of thousands of digits
        return "a huge number"


def short(text: str, most: int = 60) -> str:
    """One line of at most `most` characters."""
    line = "".join(character if character.isprintable() else "?" for character in text)
    return line if len(line) <= most else line[: most - 1] + "…"
