"""What is wrong with a rule set as people write it: one plain sentence for each complaint."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from solver.errors import did_you_mean, either
from solver.rules.ruleset import (
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
from solver.wording import say, say_later

TABLES: dict[str, type[BaseModel]] = {"scoring": Scoring, "farkle_penalty": FarklePenalty}
"""The keys of a rule set that are tables."""

_WHOLE = {
    "farkle_penalty.points": say_later(
        '{key}: should be a whole number from 1 to {points} or "everything", not {value}'
    ),
    "hot_dice_bonus": say_later(
        "{key}: should be a list of numbers such as [500, 1000], not {value}"
    ),
    "instant_win": say_later('{key}: should be a list such as ["xxxxxx"], not {value}'),
    "lose_everything": say_later('{key}: should be a list such as ["2222"], not {value}'),
    "scoring.three_pairs_include": say_later(
        '{key}: should be a list such as ["four_and_two"], not {value}'
    ),
    "name": say_later("{key}: should be 1 to 60 letters, digits, spaces and . + - _, not {value}"),
}
"""What the value of a key should be, where that is more than a number or a word."""

_VALUE = {
    "greater_than_equal": say_later("{key}: should be at least {least}, not {value}"),
    "less_than_equal": say_later("{key}: should be at most {most}, not {value}"),
    "int_type": say_later("{key}: should be a whole number, not {value}"),
    "bool_type": say_later("{key}: should be true or false, not {value}"),
    "string_type": say_later("{key}: should be text, not {value}"),
    "model_type": say_later("{key}: should be a table, not {value}"),
}
_FACE = {
    "greater_than_equal": say_later(
        "{key}: the points for a {face} should be at least {least}, not {value}"
    ),
    "less_than_equal": say_later(
        "{key}: the points for a {face} should be at most {most}, not {value}"
    ),
    "int_type": say_later("{key}: the points for a {face} should be a whole number, not {value}"),
}
_BONUS = {
    "greater_than_equal": say_later(
        "{key}: number {number} should be at least {least}, not {value}"
    ),
    "less_than_equal": say_later("{key}: number {number} should be at most {most}, not {value}"),
    "int_type": say_later("{key}: number {number} should be a whole number, not {value}"),
}
"""What a value should be, what the points for a face and what one of the bonuses for hot dice, by
pydantic's name of what is wrong."""

_UNKNOWN_KEY = "extra_forbidden"


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
        found.append(Complaint(("loaded_dice",), say(LOADED_DICE)))
    data = {key: data[key] for key in data if key not in {*NOT_YET, "loaded_dice"}}
    try:
        Ruleset.model_validate(data)
    except ValidationError as error:
        single, joint = _taken_apart(error)
        single.sort(key=lambda one: one["type"] != _UNKNOWN_KEY)
        found += [Complaint(_place(one), _sentence(one, data)) for one in single]
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
    if error["type"] == _UNKNOWN_KEY:
        return say('unknown key "{key}"', key=key) + _where_it_belongs(place)
    value: Any = data
    for part in place:
        if not isinstance(value, Mapping) or part not in value:
            return say('the key "{key}" is missing', key=key)
        value = value[part]
    if place[-1] in PER_FACE:
        return _about_faces(key, value, error)
    item = next((part for part in error["loc"] if isinstance(part, int)), None)
    if item is not None:
        return _about_item(key, item, error)
    return _about_whole(key, value, error)


def _about_whole(key: str, value: Any, error: ErrorDetails) -> str:
    if error["type"] == "too_long":
        return say(
            "{key}: takes at most {most} numbers, not {number}",
            key=key,
            most=error["ctx"]["max_length"],
            number=len(value),
        )
    if key in _WHOLE:
        return say(_WHOLE[key], key=key, points=MAX_POINTS, value=shown(value))
    return _about_value(key, value, error)


def _where_it_belongs(place: tuple[str, ...]) -> str:
    """The tail of a sentence about an unknown key."""
    name = place[-1]
    own = TABLES[place[0]] if len(place) > 1 else Ruleset
    if len(place) > 1 and name in Ruleset.model_fields:
        return say("; {key} belongs above the first [table]", key=name)
    for table, model in TABLES.items():
        if own is not model and name in model.model_fields:
            return say("; {key} belongs under [{table}]", key=name, table=table)
    return did_you_mean(short(name), [key for key in own.model_fields if key != "loaded_dice"])


def _about_faces(key: str, value: object, error: ErrorDetails) -> str:
    if type(value) is int:
        return _about_value(key, value, error)
    if not isinstance(value, list | tuple) or len(value) != 6:
        return say(
            "{key}: takes 6 numbers, the points for the faces 1 to 6, or one number for all, not"
            " {value}",
            key=key,
            value=shown(value),
        )
    face = next((part for part in error["loc"] if isinstance(part, int)), 0)
    return _about_value(key, error["input"], error, _FACE, face=face + 1)


def _about_item(key: str, item: int, error: ErrorDetails) -> str:
    value = error["input"]
    if key in {"instant_win", "lose_everything"}:
        return say(
            '{key}: {value} is not a pattern of dice; "2222" stands for four or more 2s and'
            ' "xxxxxx" for six of a kind',
            key=key,
            value=shown(value),
        )
    if key == "hot_dice_bonus":
        return _about_value(key, value, error, _BONUS, number=item + 1)
    return _about_value(key, value, error)


def _about_value(
    key: str,
    value: object,
    error: ErrorDetails,
    sentences: Mapping[str, str] = _VALUE,
    **which: int,
) -> str:
    kind, context = error["type"], error.get("ctx", {})
    if kind == "literal_error":
        words = [f'"{word}"' for word in re.findall(r"'(\w+)'", context["expected"])]
        if len(words) < 3:
            return say(
                "{key}: should be {words}, not {value}",
                key=key,
                words=reduce(either, words),
                value=shown(value),
            )
        return say(
            "{key}: should be one of {words}, not {value}",
            key=key,
            words=", ".join(words),
            value=shown(value),
        )
    if kind not in sentences:
        return say("{key}: should be something else, not {value}", key=key, value=shown(value))
    return say(
        sentences[kind],
        key=key,
        least=context.get("ge"),
        most=context.get("le"),
        value=shown(value),
        **which,
    )


def shown(value: object) -> str:
    """A value as it stands in a TOML file, or what it is where that is long."""
    if value is None:  # no value of TOML's: the answer "none" to a question
        return "none"
    if isinstance(value, Mapping):
        return say("a table")
    if isinstance(value, list | tuple):
        items = ", ".join(map(shown, value[:8]))
        is_short = len(value) <= 8 and len(items) <= 60
        return f"[{items}]" if is_short else say("a list of {number}", number=len(value))
    if isinstance(value, bool | str):
        return short(json.dumps(value, ensure_ascii=False))
    try:
        return short(str(value))
    except ValueError:  # Python does not write out integers of thousands of digits
        return say("a huge number")


def short(text: str, most: int = 60) -> str:
    """One line of at most `most` characters."""
    line = "".join(character if character.isprintable() else "?" for character in text)
    return line if len(line) <= most else line[: most - 1] + "…"
