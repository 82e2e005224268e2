"""What is wrong with a rule set as people write it, one plain sentence for each complaint."""

import json
import re
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from solver.errors import did_you_mean, one_of
from solver.rules.options import Complaint, Key, Place, RuleOption, keys_of
from solver.rules.ruleset import (
    ELSEWHERE,
    FACES,
    MAX_POINTS,
    OPTIONS,
    PENALTY_OPTIONS,
    TABLES,
    ContradictionsError,
    Ruleset,
    told_elsewhere,
)
from solver.rules.scoring import COMBINATION_OPTIONS, SCORING_OPTIONS, Combination
from solver.wording import say, say_later, short

_VALUE = {
    "greater_than_equal": say_later("{key}: should be at least {least}, not {value}"),
    "less_than_equal": say_later("{key}: should be at most {most}, not {value}"),
    "int_type": say_later("{key}: should be a whole number, not {value}"),
    "bool_type": say_later("{key}: should be true or false, not {value}"),
    "string_type": say_later("{key}: should be text, not {value}"),
    "model_type": say_later("{key}: should be a table, not {value}"),
}
"""What a value should be, by pydantic's name of what is wrong."""

_UNKNOWN_KEY = "extra_forbidden"
_OPTIONS = {
    option.place: option
    for options in (OPTIONS, PENALTY_OPTIONS, COMBINATION_OPTIONS)
    for option in options.values()
}
_TABLES_IN_LISTS = {SCORING_OPTIONS["combination"].place: Combination}
"""The keys of lists of tables."""


def complaints(data: Mapping[str, Any]) -> list[Complaint]:
    """Everything wrong with the data of a rule set, what explains most first; empty if valid.

    What depends on a value that is wrong by itself is left out: it may be right once that is.
    """
    wrong_values = list(told_elsewhere(data))
    data = {key: data[key] for key in data if key not in ELSEWHERE}
    single, joint = _taken_apart(data)
    single.sort(key=lambda error: error["type"] != _UNKNOWN_KEY)
    for complaint in (_complaint(error, data) for error in single):
        if complaint not in wrong_values[-1:]:  # a value that is none of two types is wrong once
            wrong_values.append(complaint)
    wrong = {str(error["loc"][0]) for error in single}
    if wrong:
        # a goal has to be there, whatever it is
        sound = {"goal": MAX_POINTS, **{key: data[key] for key in data if key not in wrong}}
        _, joint = _taken_apart(sound)
    return wrong_values + [
        about for about in joint if wrong.isdisjoint((*about.place, *about.needs))
    ]


def left_open(rules: Ruleset) -> list[Complaint]:
    """What a file should say that gave these rules, as what goes without saying may not be meant.

    Where no single die scores, three of a kind; with more than six dice, more of a kind.
    """
    said = rules.scoring.model_fields_set
    if rules.dice > len(FACES) and "more_of_a_kind" not in said:
        message = say_later(
            "{key}: with {dice} dice say what seven of a kind and more bring, too: {more} ="
            ' "none", "linear" or "doubling"'
        )
        return [
            Complaint(("scoring",), message, {"dice": rules.dice, "more": Key("more_of_a_kind")})
        ]
    if any(rules.scoring.single) or "three_of_a_kind" in said:
        return []
    message = say_later(
        "{key}: where no single die scores, say what three of a kind brings, too: {triples} = 0 or"
        " [1000, 200, 300, 400, 500, 600]"
    )
    return [Complaint(("scoring",), message, {"triples": Key("three_of_a_kind")})]


def idle_limits(rules: Ruleset) -> list[Complaint]:
    """Limits of dice in a file that gave these rules which are none, as so many are never left.

    Rules that are kept, or come of others with more dice, may have them: they limit nothing.
    """
    message = say_later(
        "{key}: {number} is as good as any number here, as at most {most} of the dice can be left;"
        " leave it out"
    )
    return [
        Complaint((key,), message, {"number": number, "most": most})
        for key, most in rules.idle_limits.items()
        if (number := getattr(rules, key)) < OPTIONS[key].default
    ]


def _taken_apart(data: Mapping[str, Any]) -> tuple[list[ErrorDetails], list[Complaint]]:
    """What is wrong with single values of a rule set, and the contradictions between them."""
    single: list[ErrorDetails] = []
    joint: list[Complaint] = []
    try:
        Ruleset.model_validate(data)
    except ValidationError as error:
        for detail in error.errors(include_url=False):
            reason = detail.get("ctx", {}).get("error")
            if isinstance(reason, ContradictionsError):
                joint += reason.complaints
            else:
                single.append(detail)
    return single, joint


def _place(error: ErrorDetails) -> Place:
    """The keys that lead to a value, without places in lists and pydantic's names of types."""
    place = tuple(map(str, error["loc"]))
    if place[0] not in TABLES:
        return place[:1]
    return place[: 4 if place[:2] in _TABLES_IN_LISTS else 2]


def _complaint(error: ErrorDetails, data: Mapping[str, Any]) -> Complaint:
    """One of pydantic's complaints in plain words."""
    place = _place(error)
    if error["type"] == _UNKNOWN_KEY:
        return Complaint(place, say_later('unknown key "{key}"'), tail=_where_it_belongs(place))
    value: Any = data
    for part in place:
        if isinstance(value, list | tuple):
            value = value[int(part)]
        elif not isinstance(value, Mapping) or part not in value:
            return Complaint(place, say_later('the key "{key}" is missing'))
        else:
            value = value[part]
    item = next((part for part in error["loc"][len(place) :] if isinstance(part, int)), None)
    option = RuleOption() if place[-1].isdecimal() else _OPTIONS.get(keys_of(place), RuleOption())
    return Complaint(place, *_about(option, value, item, error))


def _where_it_belongs(place: Place) -> str:
    """The tail of a sentence about an unknown key."""
    name = place[-1]
    own = TABLES[place[0]] if len(place) > 1 else Ruleset
    own = _TABLES_IN_LISTS.get(place[:2], own) if len(place) > 2 else own
    if len(place) > 1 and name in Ruleset.model_fields:
        return say("; {key} belongs above the first [table]", key=name)
    for table, model in TABLES.items():
        if own is not model and name in model.model_fields:
            return say("; {key} belongs under [{table}]", key=name, table=table)
    return did_you_mean(short(name), list(own.model_fields))


_Said = tuple[str, dict[str, Any]]
"""The message of a complaint and its parts."""


def _about(option: RuleOption, value: Any, item: int | None, error: ErrorDetails) -> _Said:
    """What is wrong with a value, or with one item of it."""
    kind = option.kind
    is_one = kind.size and type(value) is int
    is_whole = not kind.size or (isinstance(value, list | tuple) and len(value) == kind.size)
    if item is not None and kind.is_list and not is_one and is_whole:
        return _about_value(error["input"], error, kind.of_item or _VALUE, number=item + 1)
    if error["type"] == "too_long" and kind.is_list and not kind.size:
        return say_later("{key}: takes at most {most} numbers, not {number}"), {
            "most": error["ctx"]["max_length"],
            "number": len(value),
        }
    if kind.should_be and not is_one:
        example = option.example.split(",")[0]
        return kind.should_be, {"example": example, **kind.parts, "value": shown(value)}
    return _about_value(value, error)


def _about_value(
    value: object, error: ErrorDetails, messages: Mapping[str, str] = _VALUE, **which: int
) -> _Said:
    kind, context = error["type"], error.get("ctx", {})
    parts = {"value": shown(value), **which}
    if kind == "literal_error":
        words = [f'"{word}"' for word in re.findall(r"'(\w+)'", context["expected"])]
        if len(words) < 3:
            message = say_later("{key}: should be {words}, not {value}")
            return message, {"words": one_of(words), **parts}
        message = say_later("{key}: should be one of {words}, not {value}")
        return message, {"words": ", ".join(words), **parts}
    bounds = {"least": context.get("ge"), "most": context.get("le")}
    unknown = messages.get("", say_later("{key}: {value} is not possible here"))
    return messages.get(kind, unknown), bounds | parts


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
