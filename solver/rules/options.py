"""What there is to say of a rule option beside its field, and the kinds of values options take.

Each field of `solver.rules.ruleset` carries a RuleOption. Whoever reads, checks, writes, asks for
or explains rules goes through these and knows no option by name.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Annotated, Any, Literal, NamedTuple, get_args

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
)
from pydantic.fields import FieldInfo

from solver.errors import one_of
from solver.rules.patterns import MAX_DICE, in_words
from solver.wording import say, say_later, short

MAX_POINTS = 1_000_000
NO_GOAL = MAX_POINTS
"""What stands in place of a goal where a game has rounds."""

Place = tuple[str, ...]
"""The keys that lead to a value, outermost first; before those of a table in a list its number."""


class Key(str):
    """A key of a rule set among the parts of a message, to be named as its reader writes keys.

    In a message `{key:shared,played_on}` is the key with either of two values.
    """

    __slots__ = ()


class _Named(NamedTuple):
    """A key as a reader writes it, alone or with values."""

    place: Place
    name_key: Callable[..., str]

    def __format__(self, values: str) -> str:
        return self.name_key(self.place, *(values.split(",") if values else ()))


def keys_of(place: Place) -> Place:
    """The keys alone of those that lead to a value, without numbers of tables in a list."""
    return tuple(key for key in place if not key.isdecimal())


def in_toml(place: Place, *words: str) -> str:
    """A key as in a TOML file, alone or with the words that it may be set to."""
    key = short(".".join(keys_of(place)))
    values = [word if word.isdecimal() else json.dumps(word) for word in words]
    return f"{key} = {one_of(values)}" if words else key


class Complaint(NamedTuple):
    """One thing that is wrong with a rule set."""

    place: Place
    """The key to blame, which the message calls `key`."""
    message: str
    """Marked by `say_later`."""
    parts: Mapping[str, Any] = {}
    """What `say` takes with the message, but `key`; other keys in it are of type Key."""
    tail: str = ""
    """What is said after the message, such as near matches."""
    needs: tuple[str, ...] = ()
    """Other options on which it depends whether anything is wrong."""

    def sentence(self, name_key: Callable[..., str] = in_toml) -> str:
        """What is wrong, with keys as `name_key` writes them, alone or with values after them."""
        parts = {
            name: _Named((part,), name_key) if isinstance(part, Key) else part
            for name, part in self.parts.items()
        }
        return say(self.message, key=_Named(self.place, name_key), **parts) + self.tail


# ---- Kinds of values -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Kind:
    """A kind of value: how text becomes one, and what is accepted."""

    read: Callable[[str], Any]
    """The value of a text, or of one item of a list; what is none stays as it was typed."""
    accepts: str
    """What goes after "takes", to be said with `parts`."""
    parts: Mapping[str, Any] = field(default_factory=dict)
    should_be: str = ""
    """A complaint on something else in a file, said with `parts`; empty for numbers and words."""
    of_item: Mapping[str, str] = field(default_factory=dict)
    """Complaints on an item of a list, by pydantic's name of what is wrong; "" for all others."""
    is_list: bool = False
    size: int | None = None
    """Number of items that there have to be, of which a single one stands for all."""
    words: tuple[str, ...] = ()
    """The words that are accepted; () for a kind that is not one of words."""

    def value(self, text: str, items: Callable[[str], list[str]]) -> Any:
        """The value that a text stands for; what is none stays as it was typed.

        items : takes the text of a list apart
        """
        if not self.is_list:
            return self.read(text)
        if text.lower() == "none":
            return None if self.size else []
        values = [self.read(item) for item in items(text)]
        return next(iter(values), None) if self.size and len(values) < 2 else values


def read_number(text: str) -> Any:
    """A whole number, None for "none", and anything else as it is."""
    plain = text.replace("\N{MINUS SIGN}", "-")
    if re.fullmatch(r"[+-]?(\d{1,100}|\d{1,3}([,._']\d{3}){1,99})", plain, re.ASCII):
        return int(re.sub(r"[,._']", "", plain))
    return None if text.lower() == "none" else text


def _points(text: str) -> Any:
    """A number of points, of which none are 0."""
    return 0 if text.lower() == "none" else read_number(text)


def _word(text: str) -> str:
    return text.lower().replace("-", "_")


TEXT = Kind(str, "")
NUMBER = Kind(read_number, say_later("a whole number"))
POINTS = Kind(_points, say_later("a whole number, or none"))
YES_NO = Kind(
    lambda text: {"yes": True, "true": True, "no": False, "false": False}.get(text.lower(), text),
    say_later("yes or no"),
)
NUMBERS = Kind(
    read_number,
    say_later("numbers with commas between them, or none"),
    {"example": "500, 1000"},
    should_be=say_later("{key}: should be a list of numbers such as [{example}], not {value}"),
    of_item={
        "greater_than_equal": say_later(
            "{key}: number {number} should be at least {least}, not {value}"
        ),
        "less_than_equal": say_later(
            "{key}: number {number} should be at most {most}, not {value}"
        ),
        "int_type": say_later("{key}: number {number} should be a whole number, not {value}"),
    },
    is_list=True,
)
TIMES = replace(NUMBERS, parts={"example": "2, 3"})
PER_FACE = Kind(
    read_number,
    say_later("one number for all faces, or six with commas between them for the faces 1 to 6"),
    should_be=say_later(
        "{key}: takes 6 numbers, the points for the faces 1 to 6, or one number for all, not"
        " {value}"
    ),
    of_item={
        "greater_than_equal": say_later(
            "{key}: the points for a {number} should be at least {least}, not {value}"
        ),
        "less_than_equal": say_later(
            "{key}: the points for a {number} should be at most {most}, not {value}"
        ),
        "int_type": say_later(
            "{key}: the points for a {number} should be a whole number, not {value}"
        ),
    },
    is_list=True,
    size=6,
)
PER_FACE_OR_NONE = replace(
    PER_FACE,
    accepts=say_later(
        "one number for all faces, or six with commas between them for the faces 1 to 6, or none"
    ),
)
_A_LIST = say_later('{key}: should be a list such as ["{example}"], not {value}')


_PATTERN = f"[1-6]{{1,{MAX_DICE}}}|x{{2,{MAX_DICE}}}"
PATTERNS = Kind(
    str.lower,
    say_later(
        "rolls with commas between them, such as xxxxxx (six of a kind) or 2222 (four 2s), or none"
    ),
    should_be=_A_LIST,
    of_item={
        "": say_later(
            '{key}: {value} is not a pattern of dice; "2222" stands for four or more 2s and'
            ' "xxxxxx" for six of a kind'
        )
    },
    is_list=True,
)
"""Rolls that contain some dice, see `solver.rules.ruleset.Pattern`."""


SCORES = Kind(
    str,
    say_later(
        "scores with commas between them, such as 4900, 4050-4950 (all of these) or *50 (all that"
        " end in 50), or none"
    ),
    should_be=_A_LIST,
    of_item={
        "": say_later(
            '{key}: {value} stands for no scores; "4900" is one, "4050-4950" all from one to'
            ' another, and "*50" all that end in 50'
        )
    },
    is_list=True,
)
"""Some scores, see `solver.rules.ruleset.Ruleset.no_bank_at`."""


def in_scores(score: int, scores: str) -> bool:
    """Whether a score is among some, as `no_bank_at` says them."""
    if scores.startswith("*"):
        return f"{score:06}".endswith(scores[1:])
    first, _, last = scores.partition("-")
    return int(first) <= score <= int(last or first)


def _one_of(words: tuple[str, ...]) -> Kind:
    *others, last = words
    return Kind(
        _word,
        say_later("{others} or {last}"),
        {"others": ", ".join(others), "last": last},
        words=words,
    )


def some_of(*words: str) -> Kind:
    """Any of some words."""
    first, *others = words
    accepts = say_later("{first}, {second} or both with a comma between them, or none")
    if len(others) > 1:
        accepts = say_later("some of {first} to {second} with commas between them, or none")
    return Kind(
        _word,
        accepts,
        {"first": first, "second": others[-1], "example": first},
        should_be=_A_LIST,
        is_list=True,
        words=words,
    )


# ---- Types of fields -------------------------------------------------------------------------


class Data(BaseModel):
    """Frozen data with no other keys than its fields."""

    # tables are checked with the rules that they are part of
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


def _for_every_face(value: object) -> object:
    """One number stands for the same points for all six faces."""
    return (value,) * 6 if isinstance(value, int) and not isinstance(value, bool) else value


YesNo = Annotated[bool, Field(strict=True)]
Points = Annotated[int, Field(strict=True, ge=0, le=MAX_POINTS), POINTS]
PointsPerFace = Annotated[
    tuple[Points, Points, Points, Points, Points, Points],
    BeforeValidator(_for_every_face),
    PER_FACE,
]
PointsPerFaceOrNone = Annotated[PointsPerFace | None, PER_FACE_OR_NONE]
Numbers = Annotated[tuple[Points, ...], Field(max_length=12), NUMBERS]
Times = Annotated[
    tuple[Annotated[int, Field(strict=True, ge=1, le=20)], ...], Field(max_length=12), TIMES
]
Pattern = Annotated[str, Field(pattern=f"^({_PATTERN})$")]
"""Dice that a roll contains: "2222" is four or more twos, "xxxxxx" six of a kind of any face."""
Patterns = Annotated[tuple[Pattern, ...], PATTERNS]
Faces = Annotated[tuple[Literal["1", "2", "3", "4", "5", "6"], ...], some_of(*"123456")]


SomeScores = Annotated[
    str,
    BeforeValidator(lambda value: str(value) if type(value) is int else value),
    Field(pattern=r"^(\d{1,7}(-\d{1,7})?|\*\d{1,6})$"),
]
"""A score, all scores from one to another, or all that end in some digits."""
Scores = Annotated[tuple[SomeScores, ...], SCORES]


# ---- Options ---------------------------------------------------------------------------------


def as_typed(key: str) -> str:
    """A key as it is typed in a chat."""
    return key.replace("_", "-")


_checks = cache(TypeAdapter)
"""What checks the values of a type; made when it is asked for, as that takes milliseconds."""

Told = tuple[object, str, bool]
"""What an option comes to under some rules: a value that is equal for rules which play the same as
far as it goes, and fit for JSON; a sentence, empty where the option means nothing; and whether an
explanation of the rules has to say it, as the simplest game does without."""


class RuleOption(NamedTuple):
    """What there is to say of an option beside its field; what is empty is not said."""

    example: str = ""
    """A value as it is typed in a chat, where the option can be typed."""
    help: str = ""
    """What the example says."""
    usage: str = ""
    """What the help shows in place of the key with the example."""
    slash: str = ""
    """What it is called among the options of a slash command; most are typed under `more` there."""
    note: str = ""
    """A comment in files, for a key that does not explain itself; of words that is their help."""
    ask: str = ""
    """The question of `farkle rules new`; `{word}` in it is each of the words one after the other.
    Where it is empty, the pattern in words is the question."""
    meanings: Mapping[str, str] = {}
    """What may be answered, and what it means in few words."""
    told: Mapping[Any, str] = {}
    """The sentence on what each value comes to in play, if nothing else matters; `...` has others.

    In a sentence `{number}` is the value, or the number of dice for words, see `say_number`. With
    None among the values the option has no sentence where it does not apply."""
    typical: str | None = None
    """The answer to offer where neither the rules to start from nor the simplest give one."""
    dice: int = 1
    """Least number of dice with which it means anything."""
    when: Callable[[Any], Any] | None = None
    """Whether it means anything under a rule set, of which only a part may be known yet."""
    needs: tuple[str, ...] = ()
    """Options on which that depends."""
    idle: str = ""
    """A complaint where it is given all the same: with `value` and the keys that it needs."""
    pattern: str = ""
    """The combinations that it gives points to, see `solver.rules.patterns`."""
    in_steps: bool = False
    """Whether it has to be a multiple of the step in which points come."""
    up_to_goal: bool = False
    """Whether it cannot be more than the goal."""

    key: str = ""
    place: Place = ()
    type: Any = object
    kind: Kind = TEXT
    default: Any = None
    """What holds where nothing is said. These five are those of its field."""

    @property
    def typed(self) -> str:
        """The key as it is typed in a chat."""
        return as_typed(self.key)

    @property
    def question(self) -> str:
        """What asks for it, with … for each word, "" where nothing does."""
        said = (
            say(self.ask, word="…") if self.ask else in_words(self.pattern) if self.pattern else ""
        )
        return said[:1].upper() + said[1:]

    def of(self, rules: Any) -> Any:
        """The value of the option under `rules`; None where they have no such table."""
        for key in self.place:
            rules = getattr(rules, key, None)
        return rules

    def fits(self, value: Any) -> bool:
        """Whether data is a value of its type, be it too large, too small or too long."""
        try:
            _checks(self.type).validate_python(value)
        except ValidationError as error:
            beyond = {"greater_than_equal", "less_than_equal"}
            if not self.kind.size:
                beyond.add("too_long")
            return all(detail["type"] in beyond for detail in error.errors(include_url=False))
        return True

    def applies(self, rules: Any) -> bool:
        """Whether it means anything under `rules`."""
        least = max(self.dice, len(self.pattern))
        return bool(rules.dice >= least and (self.when is None or self.when(rules)))


def described(default: Any, /, example: str = "", help: str = "", **said: Any) -> Any:  # noqa: A002
    """A field that is an option: its default, ... for none, and what a RuleOption takes."""
    made: FieldInfo = Field(default)
    made.metadata.append(RuleOption(example, help, **said))
    return made


def options_of(model: type[BaseModel], *table: str) -> dict[str, RuleOption]:
    """The options among the fields of a model, by their keys; `table` are those that lead there."""
    options = {}
    for key, made in model.model_fields.items():
        for option in made.metadata:
            if isinstance(option, RuleOption):
                kind = _kind_of(made)
                accepted = (mark for mark in made.metadata if not isinstance(mark, RuleOption))
                options[key] = option._replace(
                    note=option.note or ("" if kind.is_list or not kind.words else option.help),
                    key=key,
                    place=(*table, key),
                    type=Annotated[(made.annotation, kind, *accepted)],
                    kind=kind,
                    default=made.get_default(),
                )
    return options


def _kind_of(made: FieldInfo) -> Kind:
    """The kind of values that the type of a field says."""
    for kind in made.metadata:
        if isinstance(kind, Kind):
            return kind
    if made.annotation in {bool, int}:
        return YES_NO if made.annotation is bool else NUMBER
    words = get_args(made.annotation)
    return _one_of(words) if words else TEXT
