"""House rules as validated, frozen data, and the presets that ship with the project."""

import hashlib
import json
import tomllib
from collections.abc import Mapping
from difflib import get_close_matches
from functools import cached_property
from math import gcd
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from solver.errors import InvalidRulesError

FACES = range(1, 7)
PRESETS_FOLDERS = (
    Path(__file__).resolve().parents[1] / "data" / "rules",  # a checkout
    Path(__file__).resolve().parent / "presets",  # an installed wheel
)

Points = Annotated[int, Field(strict=True, ge=0, le=1_000_000)]
PointsPerFace = tuple[Points, Points, Points, Points, Points, Points]


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
    """The first complaint of pydantic as one sentence that names the key."""
    first = error.errors(include_url=False)[0]
    key = ".".join(str(part) for part in first["loc"])
    if first["type"] == "extra_forbidden":
        tables: dict[object, type[_Data]] = {"scoring": Scoring, "farkle_penalty": FarklePenalty}
        known = list(tables.get(first["loc"][0], Ruleset).model_fields)
        return f'unknown key "{key}"{did_you_mean(str(first["loc"][-1]), known)}'
    if first["type"] == "missing":
        return f'the key "{key}" is missing'
    if first["type"] == "value_error":
        return str(first["ctx"]["error"])
    return f"{key}: {first['msg']}, not {first['input']!r}"


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
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InvalidRulesError(f"{path}: cannot be read ({error.strerror})") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidRulesError(f"{path}: is not valid TOML ({error})") from None
    return _validated({"name": path.stem, **data}, str(path))


def load_rules(reference: str) -> Ruleset:
    """The rule set for a preset's name or a TOML file's path.

    Raises InvalidRulesError, with near matches for an unknown name.
    """
    for folder in PRESETS_FOLDERS:
        if reference in preset_names() and (path := folder / f"{reference}.toml").is_file():
            return read_rules(path)
    if reference.endswith(".toml") or Path(reference).is_file():
        return read_rules(Path(reference))
    raise InvalidRulesError(
        f'unknown rule set "{reference}"{did_you_mean(reference.lower(), preset_names())}'
    )
