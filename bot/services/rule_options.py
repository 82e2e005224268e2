"""House rules in one line: options such as `goal:5000` or `farkle-penalty:3x1000` on top of others.

The options are the keys of a Ruleset with - for _, those of [scoring] among them. A value holds no
spaces: numbers and words of a list have commas between them.
"""

import re
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pydantic import ValidationError

from bot.layout import cleaned
from solver.errors import InvalidRequestError, InvalidRulesError, did_you_mean, one_of
from solver.rules.complaints import complaints
from solver.rules.file import make_rules, preset_names
from solver.rules.fitting import NOT_OF_ROUNDS
from solver.rules.options import (
    NUMBER,
    PATTERNS,
    Complaint,
    Kind,
    Place,
    Points,
    RuleOption,
    as_typed,
    read_number,
)
from solver.rules.ruleset import ELSEWHERE, FACES, MAX_POINTS, OPTIONS, Ruleset, Scoring, unchecked
from solver.wording import say, say_later, short

SINGLE = (
    *(say_later("ones"), say_later("twos"), say_later("threes")),
    *(say_later("fours"), say_later("fives"), say_later("sixes")),
)
"""Dice of one face, and the options for the points of one of them."""


RULE_OPTIONS: dict[str, RuleOption] = {
    **{option.typed: option for option in OPTIONS.values() if option.example},
    **{
        word: RuleOption(
            place=("scoring", "single", word),
            type=Points,
            kind=replace(
                NUMBER,
                accepts=say_later("a number of points, 0 to {most:,}"),
                parts={"most": MAX_POINTS},
            ),
        )
        for word in SINGLE
    },
    "straight": OPTIONS["straight_1_6"],
}
"""Every option by its name as typed, but `base`."""

_REFUSED = Kind(lambda text: {"no": False, "false": False}.get(text.lower(), read_number(text)), "")
_KNOWN = RULE_OPTIONS | {
    as_typed(key): RuleOption(place=(key,), kind=_REFUSED) for key in ELSEWHERE
}
"""All options, with what is no part of rules, and is told so."""

MOST_GOAL = 50_000
"""The highest goal that may be played to."""

MAX_NAME = 40
"""Characters in the name of house rules."""

COMMANDS = frozenset(
    {"base", "cancel", "check", "default", "delete", "diff", "find", "help", "like", "list"}
    | {"new", "show", "solve", "stop", "use"}
)
"""Words that no name begins with, as they say what to do with rules."""

OPTION_HELP = (
    ("base:classic", say_later("the rules to start from; house rules work too")),
    *(
        (option.usage or f"{option.typed}:{option.example}", option.help)
        for option in OPTIONS.values()
        if option.help
    ),
)
"""How options are written, and what they say."""


def checked_name(name: str) -> str:
    """A name for house rules, with single spaces. Raises InvalidRequestError."""
    name = unicodedata.normalize("NFC", " ".join(name.split()))
    if not name:
        raise InvalidRequestError.say(
            "the name of the rules is missing: it takes 1 to {most} letters, digits, spaces and"
            " . + - _, such as sunday",
            most=MAX_NAME,
        )
    if (
        len(name) > MAX_NAME
        or cleaned(name) != name
        or not re.fullmatch(r"[\w .+-]+", name)
        or not name[0].isalnum()
        or ".." in name
        or name.lower().endswith(".toml")
    ):
        raise InvalidRequestError.say(
            "a rule set's name has 1 to {most} letters, digits, spaces and . + - _, begins with a"
            ' letter or digit and is not a file; "{name}" will not do',
            most=MAX_NAME,
            name=short(name),
        )
    if name.lower() in preset_names():
        raise InvalidRequestError.say(
            "rules that come with the program are called {name}: choose another name",
            name=name.lower(),
        )
    if (first := name.split()[0].lower()) in COMMANDS:
        raise InvalidRequestError.say(
            'a rule set\'s name cannot begin with "{word}", which is a command of /rules',
            word=first,
        )
    return name


def rules_from_options(name: str, base: Ruleset, options: Mapping[str, str]) -> Ruleset:
    """The rules `base` with the options on top, as they were typed, under a new name.

    Raises InvalidRequestError or InvalidRulesError, whose sentence names the option to blame.
    """
    typed = {as_typed(key.lower()): text for key, text in options.items()}
    values = {key: _value(key, text) for key, text in typed.items()}
    if {"straight", "straight-1-6"} <= values.keys():
        raise InvalidRequestError.say(
            "the options straight and straight-1-6 are the same; give one of them"
        )
    data = {"name": name, **_inherited(base, typed)}
    for key, value in values.items():
        place = _KNOWN[key].place
        if len(place) < 3:
            (data if len(place) == 1 else data["scoring"])[place[-1]] = value
    single = data["scoring"]["single"]
    faces = [single] * 6 if isinstance(single, int) else list(single)
    for face, key in enumerate(SINGLE):
        faces[face] = values.get(key, faces[face])
    data["scoring"]["single"] = faces
    _drop_idle(data, typed)
    if faults := complaints(data):
        raise InvalidRulesError(_sentence(faults, typed, base))
    return make_rules(data, name)


def with_goal(rules: Ruleset, goal: int, *, named: bool = True) -> Ruleset:
    """The rules with a goal, which may be theirs. Raises InvalidRulesError.

    named : whether their name says it, where it is not told beside the name
    """
    if goal == rules.goal:
        return rules
    if goal > MOST_GOAL:
        raise InvalidRulesError.say(
            "the goal can be at most {most:,}, not {goal:,}", most=MOST_GOAL, goal=goal
        )
    name = f"{rules.name}-{goal}" if named else rules.name
    changed = rules.model_dump() | {"goal": goal, "name": name}
    if wrong := complaints(changed):
        raise InvalidRulesError.say(
            "the goal cannot be {goal:,} under {rules} rules: {reason}",
            goal=goal,
            rules=rules.name,
            reason=wrong[0].sentence(_option_of),
        )
    return Ruleset.model_validate(changed)


def _value(key: str, text: str) -> Any:
    """The value of an option. Raises InvalidRequestError."""
    if key not in _KNOWN:
        guess = did_you_mean(short(key), ["base", *RULE_OPTIONS])
        raise InvalidRequestError(say('unknown option "{option}"', option=short(key)) + guess)
    option, kind = _KNOWN[key], _KNOWN[key].kind
    value = kind.value(text.strip(), lambda items: items.strip("[]").split(","))
    # a complaint on points of one face would name all of them
    if not option.fits(value) or (key in SINGLE and not 0 <= value <= MAX_POINTS):
        raise InvalidRequestError.say(
            '{option}: takes {accepted}, not "{given}"',
            option=key,
            accepted=say(kind.accepts, **kind.parts),
            given=short(text),
        )
    return value


def _inherited(base: Ruleset, typed: Collection[str]) -> dict[str, Any]:
    """The data of the rules to start from, without a floor that only follows from the rest."""
    data = base.model_dump(exclude={"name", "title", "source", "score_floor"})
    follows = make_rules({"name": base.name, **data}, base.name).score_floor
    chosen = base.score_floor != follows and "farkle-penalty" not in typed
    if base.floor_is_played or chosen:
        data["score_floor"] = base.score_floor
    return data


def _drop_idle(data: dict[str, Any], typed: Collection[str]) -> None:
    """Leave out what was inherited and has no meaning beside what was typed."""
    ends_anew = data["rounds"] if "rounds" in typed else "goal" in typed and data.pop("rounds")
    if ends_anew:
        for key in NOT_OF_ROUNDS:
            if as_typed(key) not in typed:
                data.pop(key, None)
    rules = unchecked(data)
    for key, option in OPTIONS.items():
        if option.typed in typed:
            continue
        if option.kind is PATTERNS and rules.dice in FACES:
            data[key] = [pattern for pattern in data[key] if len(pattern) <= rules.dice]
        elif option.idle and not option.applies(rules):
            (data if len(option.place) == 1 else data["scoring"]).pop(key, None)
    if "combination" not in typed:
        data["scoring"]["combination"] = _counting(data["scoring"], rules.dice)


def _counting(scoring: Mapping[str, Any], dice: int) -> list[Any]:
    """The combinations that count beside the other keys of a scoring, for so many dice."""
    combinations = list(scoring["combination"])
    try:
        counting = Scoring.model_validate(scoring).counting(dice)
    except ValidationError:  # about which there is more to say
        return combinations
    return [combinations[number] for number in counting]


def _sentence(faults: Sequence[Complaint], typed: Collection[str], base: Ruleset) -> str:
    """The first complaint that blames an option that was typed, else the first of all."""
    first = next((fault for fault in faults if _option_of(fault.place) in typed), faults[0])
    said, option = first.sentence(_option_of), _option_of(first.place)
    if option in typed or option not in RULE_OPTIONS or len(first.place) > 1:
        return said
    value = getattr(base, first.place[0])
    return say(
        "{complaint}; {option}:{value} comes from the rules {rules}",
        complaint=said,
        option=option,
        value=value,
        rules=base.name,
    )


def _option_of(place: Place, *words: str) -> str:
    """A key as an option is typed, alone or with the words that it may be set to.

    One of a table in a list is a part of the list's; a word of another table follows its others.
    """
    key = as_typed(place[0] if place[0] in OPTIONS else place[:2][-1])
    if not words:
        return key
    return f"{key}:{one_of(words)}" if len(place) < 2 else f"{key}:…,{as_typed(*words)}"
