"""House rules as validated, frozen data, and the presets that ship with the project."""

import hashlib
import json
import re
import tomllib
from collections.abc import Mapping
from difflib import get_close_matches
from functools import cached_property
from math import gcd
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import ErrorDetails

from solver.errors import InvalidRulesError

FACES = range(1, 7)
PRESETS_FOLDERS = (
    Path(__file__).resolve().parents[1] / "data" / "rules",  # a checkout
    Path(__file__).resolve().parent / "presets",  # an installed wheel
)

Points = Annotated[int, Field(strict=True, ge=0, le=1_000_000)]
PointsPerFace = tuple[Points, Points, Points, Points, Points, Points]


PER_FACE = ("single", "three_of_a_kind")
"""Keys that take points for each face."""


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Scoring(_Data):
    """What dice are worth. 0 points: the combination does not score.

    The tuples give the points for the faces 1 to 6 in this order.
    """

    single: PointsPerFace = (100, 0, 0, 0, 50, 0)
    three_of_a_kind: PointsPerFace = (1000, 200, 300, 400, 500, 600)
    more_of_a_kind: Literal["none", "linear", "doubling"] = "none"
    """Each die beyond three: scores nothing more, adds the triple, or doubles the points."""
    straight_1_6: Points = 0
    straight_1_5: Points = 0
    straight_2_6: Points = 0
    three_pairs: Points = 0
    """Three different pairs; four of a kind with a pair is not three pairs."""

    def of_a_kind(self, face: int, number: int) -> int:
        """Points of `number` dice of one `face` kept as one combination; 0 if it is none."""
        triple = self.three_of_a_kind[face - 1]
        if number == 1:
            return self.single[face - 1]
        if number == 3:
            return triple
        if number > 3 and self.more_of_a_kind == "linear":
            return triple * (number - 2)
        if number > 3 and self.more_of_a_kind == "doubling":
            return triple << (number - 3)
        return 0


class FarklePenalty(_Data):
    """The last of `in_a_row` farkles in a row costs `points`, and the count starts again at 0."""

    in_a_row: Annotated[int, Field(strict=True, ge=1, le=5)]
    points: Annotated[int, Field(strict=True, ge=1, le=1_000_000)]


class Ruleset(_Data):
    """The rules of one two-player game of Farkle.

    `name`, `title` and `source` describe; everything else decides play. Points are in the
    game's own units throughout the project. `score_floor` is no rule of play: below it the
    solver takes a score for the floor, which keeps the game finite when penalties go on
    for ever.
    """

    name: str = Field(min_length=1, max_length=60, pattern=r"^[\w .+-]+$")
    title: str = ""
    source: str = ""
    goal: Annotated[int, Field(strict=True, ge=1, le=1_000_000)]
    dice: Annotated[int, Field(strict=True, ge=1, le=6)] = 6
    minimum_bank: Points = 0
    """Least turn total that may be banked, also when it would reach the goal."""
    farkle_penalty: FarklePenalty | None = None
    score_floor: Annotated[int, Field(strict=True, ge=-1_000_000, le=0)] = 0
    scoring: Scoring = Scoring()

    @model_validator(mode="after")
    def _agree(self) -> Self:
        if not self.combinations:
            raise ValueError(f"scoring: no combination of {self.dice} dice scores any points")
        for name in ("goal", "minimum_bank", "score_floor"):
            if getattr(self, name) % self.point_step:
                raise ValueError(
                    f"{name}: {getattr(self, name)} is not a multiple of {self.point_step},"
                    " the step in which points come under these rules"
                )
        if self.minimum_bank > self.goal:
            raise ValueError(
                f"minimum_bank: {self.minimum_bank} is more than the goal of {self.goal}"
            )
        if self.score_floor and not self.farkle_penalty:
            raise ValueError(
                f"score_floor: {self.score_floor} has no meaning without a farkle_penalty,"
                " as no score falls below 0"
            )
        return self

    @cached_property
    def combinations(self) -> dict[tuple[int, ...], int]:
        """Points of every scoring combination, by its dice in ascending order."""
        scoring = self.scoring
        found: dict[tuple[int, ...], int] = {}
        for face in FACES:
            for number in range(1, self.dice + 1):
                found[(face,) * number] = scoring.of_a_kind(face, number)
        found[1, 2, 3, 4, 5, 6] = scoring.straight_1_6
        found[1, 2, 3, 4, 5] = scoring.straight_1_5
        found[2, 3, 4, 5, 6] = scoring.straight_2_6
        for low in FACES:
            for middle in range(low + 1, 7):
                for high in range(middle + 1, 7):
                    found[low, low, middle, middle, high, high] = scoring.three_pairs
        return {dice: points for dice, points in found.items() if points and len(dice) <= self.dice}

    @cached_property
    def point_step(self) -> int:
        """The greatest step of which all points and the penalty are multiples."""
        penalty = self.farkle_penalty.points if self.farkle_penalty else 0
        return gcd(penalty, *self.combinations.values())

    @property
    def farkle_limit(self) -> int:
        """Number of farkle counts that a position tells apart: 0 .. farkle_limit - 1."""
        return self.farkle_penalty.in_a_row if self.farkle_penalty else 1

    @cached_property
    def digest(self) -> str:
        """SHA-256 (hex) of what decides play; equal for rules that only are worded differently."""
        canonical: dict[str, Any] = {
            "combinations": {
                "".join(map(str, dice)): points for dice, points in self.combinations.items()
            },
            **self.model_dump(
                exclude={"name", "title", "source", "score_floor", "scoring"},
                exclude_defaults=True,
            ),
        }
        text = json.dumps(canonical, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    def with_floor(self, floor: int) -> "Ruleset":
        """The same rules with another score floor.

        Raises InvalidRulesError where the floor does not fit the rules.
        """
        return _validated(self.model_dump() | {"score_floor": floor}, self.name)


def _validated(data: Mapping[str, Any], origin: str) -> Ruleset:
    try:
        return Ruleset.model_validate(data)
    except ValidationError as error:
        raise InvalidRulesError(f"{origin}: {_sentence(error)}") from None


def _sentence(error: ValidationError) -> str:
    """The complaint of pydantic that says most, as one sentence that names the key."""
    found = error.errors(include_url=False)
    first = next((one for one in found if one["type"] == "extra_forbidden"), found[0])
    kind, place = first["type"], first["loc"]
    key = _short(".".join(str(part) for part in place))
    if kind == "extra_forbidden":
        tables: dict[object, type[_Data]] = {"scoring": Scoring, "farkle_penalty": FarklePenalty}
        known = list(tables.get(place[0], Ruleset).model_fields)
        return f'unknown key "{key}"{did_you_mean(str(place[-1]), known)}'
    if kind == "value_error":
        return str(first["ctx"]["error"])
    if len(place) > 1 and place[-2] in PER_FACE and kind != "missing":
        key = f"{place[0]}.{place[1]}: the points for a {int(place[2]) + 1}"
        return f"{key} {_expectation(kind, first)}"
    if any(part in PER_FACE for part in place):
        return f"{place[0]}.{place[1]}: takes 6 numbers, the points for the faces 1 to 6"
    if kind == "missing":
        return f'the key "{key}" is missing'
    return f"{key}: {_expectation(kind, first)}"


def _expectation(kind: str, complaint: ErrorDetails) -> str:
    """What a value should be and is not."""
    context = complaint.get("ctx", {})
    expected = {
        "greater_than_equal": f"should be at least {context.get('ge')}",
        "less_than_equal": f"should be at most {context.get('le')}",
        "int_type": "should be a whole number",
        "string_type": "should be text",
        "model_type": "should be a table",
    }.get(kind, complaint["msg"].removeprefix("Input "))
    return f"{expected}, not {_short(repr(complaint['input']))}"


def _short(text: str, most: int = 60) -> str:
    """One line of at most `most` characters."""
    line = "".join(character if character.isprintable() else "?" for character in text)
    return line if len(line) <= most else line[: most - 1] + "…"


def did_you_mean(word: str, known: list[str]) -> str:
    """The tail of a sentence about an unknown word: near matches if any, else all that is known."""
    near = get_close_matches(word, known, n=3, cutoff=0.6)
    if near:
        return f"; did you mean {' or '.join(near)}?"
    return f"; known are {', '.join(known)}"


def preset_names() -> list[str]:
    """Names of the rule sets that ship with the project, in alphabetical order."""
    return sorted(path.stem for folder in PRESETS_FOLDERS for path in folder.glob("*.toml"))


def read_rules(path: Path) -> Ruleset:
    """Read a rule set from a TOML file; its name is the file's unless the file says another.

    Raises InvalidRulesError.
    """
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise InvalidRulesError(f"{path}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise InvalidRulesError(f"{path}: is not valid TOML (it is not text in UTF-8)") from None
    except RecursionError:
        raise InvalidRulesError(f"{path}: is not valid TOML (nested too deep)") from None
    except ValueError as error:
        reason = _short(str(error), 200)
        raise InvalidRulesError(f"{path}: is not valid TOML ({reason})") from None
    name = re.sub(r"[^\w .+-]", "-", path.stem)[:60]
    return _validated({"name": name, **data}, str(path))


def load_rules(reference: str) -> Ruleset:
    """The rule set for a preset's name or a TOML file's path.

    Raises InvalidRulesError, with near matches for an unknown name.
    """
    for folder in PRESETS_FOLDERS:
        path = folder / f"{reference.lower()}.toml"
        if reference.lower() in preset_names() and path.is_file():
            return read_rules(path)
    try:
        if reference.endswith(".toml") or Path(reference).is_file():
            return read_rules(Path(reference))
    except (OSError, ValueError):
        pass  # no name that a file can have
    raise InvalidRulesError(
        f'unknown rule set "{_short(reference)}"{did_you_mean(reference.lower(), preset_names())}'
    )
