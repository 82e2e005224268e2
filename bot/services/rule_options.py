"""House rules in one line: options such as `goal:5000` or `farkle-penalty:3x1000` on top of others.

The options are the keys of a Ruleset with - for _, those of [scoring] among them. A value holds no
spaces: numbers and words of a list have commas between them.
"""

import re
import unicodedata
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, get_args

from bot.typed import cleaned
from solver.errors import InvalidRequestError, InvalidRulesError, did_you_mean
from solver.rules.complaints import Complaint, Place, complaints, short
from solver.rules.file import make_rules, preset_names
from solver.rules.ruleset import FACES, LOADED_DICE, MAX_POINTS, NOT_YET, PER_FACE, Ruleset, Scoring
from solver.wording import say, say_later

ReadValue = Callable[[str], Any]
"""Reads the value of an option. Raises ValueError for one that it cannot be."""

SINGLE = ("ones", "twos", "threes", "fours", "fives", "sixes")
"""Options for the points of one die of a face."""


@dataclass(frozen=True, slots=True)
class RuleOption:
    """One option of a line of house rules."""

    place: Place
    """The keys of the rule set that lead to its value."""
    read: ReadValue
    accepts: str
    """What goes after "takes", to be said with `parts`."""
    parts: Mapping[str, Any] = field(default_factory=dict)


def _number(text: str) -> int:
    plain = text.replace("\N{MINUS SIGN}", "-")
    if not re.fullmatch(r"[+-]?(\d+|\d{1,3}([,._']\d{3})+)", plain, re.ASCII):
        raise ValueError
    return int(re.sub(r"[,._']", "", plain))


def _number_or_none(text: str) -> int:
    """A number of points; none are 0."""
    return 0 if text.lower() == "none" else _number(text)


def _points(text: str, least: int = 0) -> int:
    if not least <= (points := _number(text)) <= MAX_POINTS:
        raise ValueError
    return points


def _items(text: str) -> list[str]:
    """What stands between the commas; nothing for "none"."""
    return [] if text.lower() == "none" else text.strip("[]").lower().split(",")


def _list_of_numbers(text: str) -> list[int]:
    if not all(re.fullmatch(r"[+-]?\d+", item, re.ASCII) for item in _items(text)):
        raise ValueError
    return [int(item) for item in _items(text)]


def _per_face(text: str) -> int | list[int]:
    """One number for all faces, or six."""
    numbers = _list_of_numbers(text)
    if len(numbers) not in {1, 6}:
        raise ValueError
    return numbers if len(numbers) > 1 else numbers[0]


def _per_face_or_none(text: str) -> int | list[int] | None:
    return None if text.lower() == "none" else _per_face(text)


def _patterns(text: str) -> list[str]:
    found = _items(text)
    if not all(re.fullmatch("[1-6]{1,6}|x{2,6}", pattern) for pattern in found):
        raise ValueError
    return found


def _yes_or_no(text: str) -> bool:
    meanings = {"yes": True, "true": True, "no": False, "false": False}
    if text.lower() not in meanings:
        raise ValueError
    return meanings[text.lower()]


def _penalty(text: str) -> dict[str, Any] | None:
    if text.lower() == "none":
        return None
    parts = re.fullmatch(r"([1-5])[x×*](.+)", text.lower())
    if not parts:
        raise ValueError
    points = parts[2] if parts[2] == "everything" else _points(parts[2], least=1)
    return {"in_a_row": int(parts[1]), "points": points}


def _choice(words: tuple[str, ...]) -> ReadValue:
    def read(text: str) -> str:
        word = text.lower().replace("-", "_")
        if word not in words:
            raise ValueError
        return word

    return read


def _choices(words: tuple[str, ...]) -> ReadValue:
    one = _choice(words)
    return lambda text: [one(item) for item in _items(text)]


_FACES = say_later("one number for all faces, or six with commas between them for the faces 1 to 6")
_FACES_OR_NONE = say_later(
    "one number for all faces, or six with commas between them for the faces 1 to 6, or none"
)
_DICE = say_later(
    "rolls with commas between them, such as xxxxxx (six of a kind) or 2222 (four 2s), or none"
)
_LISTS: dict[str, tuple[ReadValue, str]] = {
    "farkle_penalty": (
        _penalty,
        say_later(
            "1 to 5 farkles in a row and what they cost, such as 3x1000 or 3xeverything, or none"
        ),
    ),
    "hot_dice_bonus": (_list_of_numbers, say_later("numbers with commas between them, or none")),
    "instant_win": (_patterns, _DICE),
    "lose_everything": (_patterns, _DICE),
    "three_pairs_include": (
        _choices(("four_and_two", "six_of_a_kind")),
        say_later("four_and_two, six_of_a_kind or both with a comma between them, or none"),
    ),
}


def _option(model: type[Ruleset] | type[Scoring], key: str) -> RuleOption:
    place = (key,) if model is Ruleset else ("scoring", key)
    field = model.model_fields[key]
    if key in _LISTS:
        return RuleOption(place, *_LISTS[key])
    if key in PER_FACE:
        if field.default is None:
            return RuleOption(place, _per_face_or_none, _FACES_OR_NONE)
        return RuleOption(place, _per_face, _FACES)
    if field.annotation is bool:
        return RuleOption(place, _yes_or_no, say_later("yes or no"))
    if words := get_args(field.annotation):
        *others, last = words
        parts = {"others": ", ".join(others), "last": last}
        return RuleOption(place, _choice(words), say_later("{others} or {last}"), parts)
    may_be_none = model is Scoring or key in {"minimum_bank", "opening_minimum"}
    read = _number_or_none if may_be_none else _number
    accepts = say_later("a whole number, or none") if may_be_none else say_later("a whole number")
    return RuleOption(place, read, accepts)


def _as_typed(key: str) -> str:
    return key.replace("_", "-")


_DESCRIBING = {"name", "title", "source", "loaded_dice", "scoring"}

RULE_OPTIONS: dict[str, RuleOption] = {
    **{
        _as_typed(key): _option(Ruleset, key)
        for key in Ruleset.model_fields
        if key not in _DESCRIBING
    },
    **{_as_typed(key): _option(Scoring, key) for key in Scoring.model_fields},
    **{
        word: RuleOption(
            ("scoring", "single", word),
            _points,
            say_later("a number of points, 0 to {most:,}"),
            {"most": MAX_POINTS},
        )
        for word in SINGLE
    },
    "straight": _option(Scoring, "straight_1_6"),
}
"""Every option by its name as typed, but `base`."""

MOST_GOAL = 50_000
"""That may be played to."""

MAX_NAME = 40
"""Characters in the name of house rules."""

COMMANDS = frozenset(
    {"base", "cancel", "check", "default", "delete", "diff", "help", "list", "new", "show"}
    | {"solve", "stop", "use"}
)
"""Words that no name begins with, as they say what to do with rules."""

OPTION_HELP = (
    ("base:classic", say_later("the rules to start from; house rules work too")),
    ("goal:5000", say_later("the goal; goal-must-be:exceeded for more than it")),
    ("dice:6", say_later("number of dice, 1 to 6")),
    ("minimum-bank:350", say_later("least turn total to bank")),
    ("opening-minimum:1000", say_later("least first bank")),
    ("minimum-binds-win:no", say_later("a bank that reaches the goal needs neither")),
    ("set-aside-all:yes", say_later("every die that scores must be set aside")),
    ("hot-dice:no_bank", say_later("optional, no_bank or forced")),
    ("hot-dice-bonus:500,1000", say_later("bonus for the 1st, 2nd, ... hot dice of a turn")),
    ("farkle-penalty:3x1000", say_later("3 farkles in a row cost that; 3xeverything; none")),
    ("farkle-keeps-turn-total:yes", say_later("a farkle banks what may be banked")),
    ("instant-win:xxxxxx,222", say_later("rolls that win: six of a kind, three 2s; or none")),
    ("lose-everything:2222", say_later("rolls that lose the whole score, or none")),
    ("ending:final_turn", say_later("at_once, final_turn or equal_turns")),
    ("ties:earlier", say_later("earlier, shared or played_on")),
    ("score-floor:0", say_later("no score falls below 0")),
    ("ones:100 fives:50", say_later("of one die; all faces: single:100,0,0,0,50,0")),
    ("three-of-a-kind:300", say_later("or six numbers: 1000,200,300,400,500,600")),
    ("more-of-a-kind:doubling", say_later("none, linear or doubling")),
    ("four-of-a-kind:2000", say_later("replaces that; also five-, six-of-a-kind; none")),
    ("straight:1500", say_later("1 to 6; straight-1-5:500 straight-2-6:750")),
    ("three-pairs:750", say_later("three different pairs")),
    ("three-pairs-include:none", say_later("what else: four_and_two,six_of_a_kind or none")),
    ("four-and-two:1500", say_later("four of a kind and a pair")),
    ("two-triplets:2500", say_later("two different triples")),
    ("nothing:500", say_later("a roll of all dice in which nothing scores")),
)
"""How options are written, and what they say."""


def checked_name(name: str) -> str:
    """A name for house rules, with single spaces. Raises InvalidRequestError."""
    name = unicodedata.normalize("NFC", " ".join(name.split()))
    if not name:
        raise InvalidRequestError.say("give the rules a name, such as sunday")
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
    typed = {_as_typed(key.lower()): text for key, text in options.items()}
    values = {key: _value(key, text) for key, text in typed.items() if not _is_off(key, text)}
    if {"straight", "straight-1-6"} <= values.keys():
        raise InvalidRequestError.say(
            "the options straight and straight-1-6 are the same; give one of them"
        )
    data = {"name": name, **_inherited(base, typed)}
    for key, value in values.items():
        place = RULE_OPTIONS[key].place
        if len(place) < 3:
            (data if len(place) == 1 else data["scoring"])[place[-1]] = value
    single = data["scoring"]["single"]
    faces = [single] * 6 if isinstance(single, int) else list(single)
    for face, key in enumerate(SINGLE):
        faces[face] = values.get(key, faces[face])
    data["scoring"]["single"] = faces
    _drop_idle(data, typed)
    if found := complaints(data):
        raise InvalidRulesError(_sentence(found, typed, base))
    return make_rules(data, name)


def with_goal(rules: Ruleset, goal: int | None, *, named: bool = True) -> Ruleset:
    """The rules with another goal, if one is given. Raises InvalidRulesError.

    named : whether their name says it, where it is not told beside the name
    """
    if goal is None or goal == rules.goal:
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
            reason=wrong[0].sentence(),
        )
    return Ruleset.model_validate(changed)


def _value(key: str, text: str) -> Any:
    """The value of an option. Raises InvalidRequestError."""
    if key not in RULE_OPTIONS:
        guess = did_you_mean(short(key), ["base", *RULE_OPTIONS])
        raise InvalidRequestError(say('unknown option "{option}"', option=short(key)) + guess)
    option = RULE_OPTIONS[key]
    try:
        return option.read(text.strip())
    except ValueError:
        raise InvalidRequestError.say(
            '{option}: takes {accepted}, not "{given}"',
            option=key,
            accepted=say(option.accepts, **option.parts),
            given=short(text),
        ) from None


def _is_off(key: str, text: str) -> bool:
    """Whether an option only turns off what cannot be solved yet.

    Raises InvalidRulesError if it turns it on.
    """
    known = key.replace("-", "_")
    if known == "loaded_dice":
        raise InvalidRulesError.say(LOADED_DICE.message, key=key)
    if known not in NOT_YET:
        return False
    off, what = NOT_YET[known]
    if text.strip().lower() in ({"no", "false"} if off is False else {str(off)}):
        return True
    raise InvalidRulesError.say(
        "{option}: {what} cannot be solved yet; leave the option out",
        option=key,
        what=say(what),
    )


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
    if "ties" not in typed and data["ending"] == "at_once":
        data.pop("ties")
    dice = data["dice"]
    for key in ("instant_win", "lose_everything"):
        if _as_typed(key) not in typed and dice in FACES:
            data[key] = [pattern for pattern in data[key] if len(pattern) <= dice]


def _sentence(found: Sequence[Complaint], typed: Collection[str], base: Ruleset) -> str:
    """The first complaint that blames an option that was typed, else the first of all."""
    one = next((one for one in found if _option_of(one.place) in typed), found[0])
    said, option = one.sentence(_option_of), _option_of(one.place)
    if option in typed or option not in RULE_OPTIONS or len(one.place) > 1:
        return said
    value = getattr(base, one.place[0])
    return say(
        "{complaint}; {option}:{value} comes from the rules {rules}",
        complaint=said,
        option=option,
        value=value,
        rules=base.name,
    )


def _option_of(place: Place) -> str:
    """A key as an option is typed."""
    return _as_typed(place[-1])
