"""House rules as validated, frozen data: what each option means in play is said here."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations, combinations_with_replacement
from math import gcd
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from solver.wording import say, say_later

FACES = range(1, 7)
MAX_POINTS = 1_000_000
MAX_NAME = 60
RULESETS = 64
"""Rule sets of which what is worked out is kept in memory; of more it is worked out again."""
DEFAULT_FLOOR = -5


def _for_every_face(value: object) -> object:
    """One number stands for the same points for all six faces."""
    return (value,) * 6 if isinstance(value, int) and not isinstance(value, bool) else value


Points = Annotated[int, Field(strict=True, ge=0, le=MAX_POINTS)]
PointsPerFace = Annotated[
    tuple[Points, Points, Points, Points, Points, Points], BeforeValidator(_for_every_face)
]
Pattern = Annotated[str, Field(pattern="^([1-6]{1,6}|x{2,6})$")]
"""Dice that a roll contains: "2222" is four or more twos, "xxxxxx" six of a kind of any face."""

PER_FACE = (
    "single",
    "three_of_a_kind",
    "four_of_a_kind",
    "five_of_a_kind",
    "six_of_a_kind",
)
"""Keys that take points for each face."""


_BESIDE_THE_TURN = (
    *("title", "source", "goal_must_be", "minimum_bank", "opening_minimum", "minimum_binds_win"),
    *("farkle_keeps_turn_total", "ties", "score_floor"),
)
"""Options that matter neither to rolls nor to set-asides."""


class Key(str):
    """A key of a rule set among the parts of a message, to be named as its reader writes keys."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Contradiction:
    """What is wrong with options that are well-formed one by one."""

    keys: tuple[str, ...]
    """What it depends on, first the one to blame, which the message calls `key`."""
    message: str
    """Marked by `say_later`."""
    parts: Mapping[str, Any] = field(default_factory=dict)
    """What `say` takes with the message, but `key`."""


class ContradictionsError(ValueError):
    """Everything in a rule set that cannot be solved or does not fit together."""

    def __init__(self, found: list[Contradiction]) -> None:
        super().__init__(found[0].message)
        self.found = found


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Scoring(_Data):
    """What dice are worth. 0 points: the combination does not score.

    Points per face are six numbers for the faces 1 to 6, or one number for all of them.
    """

    single: PointsPerFace = (100, 0, 0, 0, 50, 0)
    three_of_a_kind: PointsPerFace = (1000, 200, 300, 400, 500, 600)
    more_of_a_kind: Literal["none", "linear", "doubling"] = "none"
    """Each die beyond three: scores nothing more, adds the triple, or doubles the points."""
    four_of_a_kind: PointsPerFace | None = None
    """These points instead of what `more_of_a_kind` says; likewise for five and six."""
    five_of_a_kind: PointsPerFace | None = None
    six_of_a_kind: PointsPerFace | None = None
    straight_1_6: Points = 0
    straight_1_5: Points = 0
    straight_2_6: Points = 0
    three_pairs: Points = 0
    """Three pairs of different faces."""
    three_pairs_include: tuple[Literal["four_and_two", "six_of_a_kind"], ...] = ()
    """What else counts as three pairs: four of a kind with a pair, six of a kind."""
    four_and_two: Points = 0
    """Four of a kind with a pair of another face."""
    two_triplets: Points = 0
    """Two different triples."""
    nothing: Points = 0
    """A roll of all the dice in which nothing scores; all of them are set aside."""

    def of_a_kind(self, face: int, number: int) -> int:
        """Points of `number` dice of one `face` kept as one combination; 0 if it is none."""
        triple = self.three_of_a_kind[face - 1]
        if number == 1:
            return self.single[face - 1]
        if number == 2:
            return 0
        explicit = {4: self.four_of_a_kind, 5: self.five_of_a_kind, 6: self.six_of_a_kind}
        if (points := explicit.get(number)) is not None:
            return points[face - 1]
        if number == 3:
            return triple
        return {
            "none": 0,
            "linear": triple * (number - 2),
            "doubling": triple << (number - 3),
        }[self.more_of_a_kind]


class FarklePenalty(_Data):
    """The last of `in_a_row` farkles in a row costs `points`, and the count starts again at 0.

    "everything" takes a score above 0 down to 0.
    """

    in_a_row: Annotated[int, Field(strict=True, ge=1, le=5)]
    points: Annotated[int, Field(strict=True, ge=1, le=MAX_POINTS)] | Literal["everything"]


class Ruleset(_Data):
    """The rules of one two-player game of Farkle.

    `name`, `title` and `source` describe; everything else decides play. Points are in the
    game's own units throughout the project.
    """

    name: str = Field(min_length=1, max_length=MAX_NAME, pattern=r"^[\w .+-]+$")
    title: str = ""
    source: str = ""
    goal: Annotated[int, Field(strict=True, ge=1, le=MAX_POINTS)]
    goal_must_be: Literal["reached", "exceeded"] = "reached"
    """Whether a score of exactly the goal is enough."""
    dice: Annotated[int, Field(strict=True, ge=1, le=6)] = 6
    loaded_dice: tuple[tuple[int, int, int, int, int, int], ...] = ()
    """The place for weights of the six faces, die by die: they cannot be solved yet."""
    minimum_bank: Points = 0
    """Least turn total that may be banked."""
    opening_minimum: Points = 0
    """Least turn total of a player's first bank, which puts the player on the board for good."""
    minimum_binds_win: bool = Field(default=True, strict=True)
    """Whether the minimums hold for a bank that reaches the goal as well."""
    set_aside_all: bool = Field(default=False, strict=True)
    """Every die that scores must be set aside: only set-asides that cannot be extended are legal,
    those to which no further dice of the roll could be added."""
    hot_dice: Literal["optional", "no_bank", "forced"] = "optional"
    """When all dice are set aside, all may be rolled again. "no_bank": they must be. "forced": they
    must be, and a roll that scores with all its dice must be set aside whole."""
    hot_dice_bonus: Annotated[tuple[Points, ...], Field(max_length=12)] = ()
    """Points on top for the first, second, ... hot dice of a turn; the last number holds for all
    further ones."""
    farkle_keeps_turn_total: bool = Field(default=False, strict=True)
    """A farkle adds the turn total to the score, where it is enough for a bank: at least the
    minimum, unless the bank is free of that. A lower one is lost. It does not matter which dice
    were rolled: after hot dice that must be rolled ("no_bank", "forced") a farkle keeps the turn
    total too, though it might not have been banked there. It still counts as a farkle, and a
    penalty comes after, unless what is kept has reached the goal. Other rolls that end a turn keep
    nothing."""
    farkle_penalty: FarklePenalty | None = None
    instant_win: tuple[Pattern, ...] = ()
    """Rolls that win the game at once."""
    lose_everything: tuple[Pattern, ...] = ()
    """Rolls that end the turn and take a score above 0 down to 0; the count of farkles in a row
    starts again at 0, and who is on the board stays there. A roll that wins at once does not lose.
    """
    ending: Literal["at_once", "final_turn", "equal_turns"] = "at_once"
    """A bank that reaches the goal wins at once; or gives the other player one final turn to beat
    that score; or does so only for the player who began, so that both have as many turns."""
    ties: Literal["earlier", "shared", "played_on"] = "earlier"
    """Equal scores after a final turn: the player who reached the goal first wins; each wins half;
    or both play one more turn each, first the one whose turn it is, until one gets more points in
    it than the other. In these turns farkles in a row cost nothing, a minimum holds unless a
    winning bank is free of it, and a roll that loses everything loses the game."""
    score_floor: Annotated[int, Field(strict=True, ge=-MAX_POINTS, le=0)] = 0
    """0 is a rule of play: no score falls below 0. Any other only keeps the game finite when
    penalties go on for ever: the solver takes a lower score for the floor. DEFAULT_FLOOR penalties
    deep if not given."""
    scoring: Scoring = Scoring()

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash(tuple(self._options.values()))

    @property
    def _options(self) -> dict[str, Any]:
        """All that was given, and nothing of what was worked out from it."""
        return {name: self.__dict__[name] for name in Ruleset.model_fields}

    def __copy__(self) -> Self:
        # whoever copies may change options; what was worked out would stay as it was
        copied = super().__copy__()
        object.__setattr__(copied, "__dict__", self._options)
        return copied

    def __getstate__(self) -> dict[Any, Any]:
        # the hash is another one in another process
        return super().__getstate__() | {"__dict__": self._options}

    @model_validator(mode="before")
    @classmethod
    def _prepare(cls, data: Any) -> Any:
        """Refuse what cannot be solved yet, and choose a floor where none is given."""
        if not isinstance(data, dict):
            return data
        if found := list(not_yet(data)):
            raise ContradictionsError(found)
        data = {key: value for key, value in data.items() if key not in NOT_YET}
        penalty = data.get("farkle_penalty")
        points = penalty.get("points") if isinstance(penalty, dict) else None
        if "score_floor" not in data and type(points) is int and 0 < points <= MAX_POINTS:
            data["score_floor"] = -min(-DEFAULT_FLOOR, MAX_POINTS // points) * points
        return data

    @model_validator(mode="after")
    def _fit_together(self) -> Self:
        if found := [*self._patterns_and_dice(), *self._points_and_steps(), *self._idle_options()]:
            raise ContradictionsError(found)
        return self

    def _patterns_and_dice(self) -> Iterator[Contradiction]:
        if self.loaded_dice:
            yield LOADED_DICE
        for name in ("instant_win", "lose_everything"):
            for pattern in getattr(self, name):
                if len(pattern) > self.dice:
                    yield Contradiction(
                        (name, "dice"),
                        say_later('{key}: "{pattern}" needs {number} dice and there are {dice}'),
                        {"pattern": pattern, "number": len(pattern), "dice": self.dice},
                    )

    def _points_and_steps(self) -> Iterator[Contradiction]:
        if not self.combinations:
            yield Contradiction(
                ("scoring", "dice"),
                say_later("{key}: no combination of {dice} dice scores any points"),
                {"dice": self.dice},
            )
            return
        for name in ("goal", "minimum_bank", "opening_minimum", "score_floor"):
            points = getattr(self, name)
            if points % self.point_step:
                yield Contradiction(
                    (name, "dice", "scoring", "farkle_penalty", "hot_dice_bonus"),
                    say_later(
                        "{key}: {points} is not a multiple of {step}, the step in which points come"
                        " under these rules"
                    ),
                    {"points": points, "step": self.point_step},
                )
            if name.startswith(("minimum", "opening")) and points > self.goal:
                yield Contradiction(
                    (name, "goal"),
                    say_later("{key}: {points} is more than the goal of {goal}"),
                    {"points": points, "goal": self.goal},
                )

    def _idle_options(self) -> Iterator[Contradiction]:
        if self.score_floor and not self.penalty_points:
            yield Contradiction(
                ("score_floor", "farkle_penalty"),
                say_later(
                    "{key}: {floor} has no meaning without a {penalty} in points, as no score falls"
                    " below 0"
                ),
                {"floor": self.score_floor, "penalty": Key("farkle_penalty")},
            )
        if self.ties != "earlier" and self.ending == "at_once":
            yield Contradiction(
                ("ties", "ending"),
                say_later(
                    '{key}: "{ties}" has no meaning when the first to reach the goal wins at once;'
                    ' it goes with {ending} = "final_turn" or "equal_turns"'
                ),
                {"ties": self.ties, "ending": Key("ending")},
            )

    @cached_property
    def combinations(self) -> dict[tuple[int, ...], int]:
        """Points of every scoring combination, by its dice in ascending order."""
        scoring = self.scoring
        found: Counter[tuple[int, ...]] = Counter()
        for face in FACES:
            for number in range(1, self.dice + 1):
                found[(face,) * number] = scoring.of_a_kind(face, number)
        found[1, 2, 3, 4, 5, 6] = scoring.straight_1_6
        found[1, 2, 3, 4, 5] = scoring.straight_1_5
        found[2, 3, 4, 5, 6] = scoring.straight_2_6
        for faces in combinations(FACES, 3):
            found[tuple(sorted(faces * 2))] = scoring.three_pairs
        pairs = dict.fromkeys(scoring.three_pairs_include, scoring.three_pairs)
        for face in FACES:
            found[(face,) * 6] = max(found[(face,) * 6], pairs.get("six_of_a_kind", 0))
            for other in set(FACES) - {face}:
                dice = tuple(sorted((face,) * 4 + (other,) * 2))
                found[dice] = max(scoring.four_and_two, pairs.get("four_and_two", 0))
                found[tuple(sorted((face, other) * 3))] = scoring.two_triplets
        found = Counter({dice: n for dice, n in found.items() if n and len(dice) <= self.dice})
        if scoring.nothing:
            scores = [Counter(dice) for dice in found]
            for roll in combinations_with_replacement(FACES, self.dice):
                if not any(dice <= Counter(roll) for dice in scores):
                    found[roll] = scoring.nothing
        return dict(found)

    @cached_property
    def of_turn(self) -> "Ruleset":
        """The rules without what does not matter to the rolls and set-asides of a turn.

        Equal for rules that differ in such things alone: what is worked out serves all of them.
        """
        found = {
            name: value for name, value in self._options.items() if name not in _BESIDE_THE_TURN
        }
        ending = "at_once" if self.ending == "at_once" else "final_turn"
        return Ruleset.model_construct(
            **found | {"name": "-", "goal": self.point_step, "ending": ending}
        )

    @cached_property
    def point_step(self) -> int:
        """The greatest step of which all points, bonuses and the penalty are multiples."""
        return gcd(self.penalty_points, *self.hot_dice_bonus, *self.combinations.values())

    @property
    def penalty_points(self) -> int:
        """What the last farkle in a row costs; 0 if nothing, or everything."""
        points = self.farkle_penalty.points if self.farkle_penalty else 0
        return points if isinstance(points, int) else 0

    @property
    def farkle_limit(self) -> int:
        """Number of farkle counts that a position tells apart: 0 .. farkle_limit - 1."""
        return self.farkle_penalty.in_a_row if self.farkle_penalty else 1

    @property
    def winning_score(self) -> int:
        """Least score that reaches the goal."""
        return self.goal + (self.point_step if self.goal_must_be == "exceeded" else 0)

    @property
    def has_opening(self) -> bool:
        """Whether it matters who is on the board."""
        return self.least_bank(on_board=False) > self.least_bank()

    @property
    def has_roles(self) -> bool:
        """Whether it matters who began."""
        return self.ending == "equal_turns"

    def goal_ends_game(self, *, last_of_round: bool) -> bool:
        """Whether a bank that reaches the goal wins at once; else others have a final turn.

        last_of_round : whether its player is the last of those who have as many turns
        """
        return self.ending == "at_once" or (self.ending == "equal_turns" and last_of_round)

    def least_bank(self, *, on_board: bool = True, wins: bool = False) -> int:
        """Least turn total that may be banked, where the bank reaches the goal or does not."""
        if wins and not self.minimum_binds_win:
            return self.point_step
        opening = 0 if on_board else self.opening_minimum
        return max(self.point_step, self.minimum_bank, opening)

    def least_bank_at(self, score: int, *, on_board: bool = True) -> int:
        """Least turn total that a player with `score` banked may bank."""
        wins = max(self.least_bank(on_board=on_board, wins=True), self.winning_score - score)
        return min(self.least_bank(on_board=on_board), wins)

    def may_bank(self, turn_total: int, score: int, *, on_board: bool = True) -> bool:
        """Whether a player with `score` banked may bank `turn_total`, hot dice aside."""
        return turn_total >= self.least_bank_at(score, on_board=on_board)

    @property
    def floor_is_played(self) -> bool:
        """Whether the score floor is a rule of play: that a penalty takes no score below 0.

        Any other floor only decides how far down the game is solved.
        """
        return self.penalty_points > 0 and self.score_floor == 0

    @cached_property
    def digest(self) -> str:
        """SHA-256 (hex) of what decides play; equal for rules that only are worded differently."""
        return _sha256(self._canonical)

    @cached_property
    def digest_but_goal(self) -> str:
        """The same where the goal is left open."""
        return _sha256(self._canonical | {"goal": None})

    @property
    def _canonical(self) -> dict[str, Any]:
        """What decides play."""
        canonical: dict[str, Any] = {
            "combinations": {
                "".join(map(str, dice)): points for dice, points in self.combinations.items()
            },
            **self.model_dump(
                exclude={"name", "title", "source", "score_floor", "scoring"},
                exclude_defaults=True,
            ),
        }
        if self.floor_is_played:
            canonical["score_floor"] = 0
        return canonical


def _sha256(canonical: dict[str, Any]) -> str:
    text = json.dumps(canonical, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


NOT_YET: dict[str, tuple[object, str]] = {
    "players": (2, say_later("any number of players but two")),
    "take_over_dice": (
        False,
        say_later("taking over the dice and the turn total that a player left"),
    ),
    "beat_previous_turn": (False, say_later("a turn total that must beat the previous one")),
    "jokers": (False, say_later("jokers")),
    "combine_throws": (False, say_later("combinations across throws")),
}
"""Options that are known and refused: the value that turns each off, and what it is."""

LOADED_DICE = Contradiction(
    ("loaded_dice",), say_later("{key}: loaded dice cannot be solved yet; leave the key out")
)


def not_yet(data: Mapping[str, Any]) -> Iterator[Contradiction]:
    """The options in `data` that cannot be solved yet."""
    for key, (off, what) in NOT_YET.items():
        if key in data and data[key] != off:
            yield Contradiction(
                (key,),
                say_later("{key}: {what} cannot be solved yet; leave the key out"),
                {"what": say(what)},
            )
