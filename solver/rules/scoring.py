"""What dice are worth, as validated, frozen data with what there is to say of every key."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations_with_replacement
from typing import Annotated, Any, Literal, get_args

from pydantic import Field

from solver.rules.options import (
    MAX_POINTS,
    NUMBER,
    TEXT,
    Data,
    Kind,
    Option,
    Place,
    Points,
    PointsPerFace,
    PointsPerFaceOrNone,
    described,
    options_of,
    read_number,
    some_of,
)
from solver.rules.patterns import FACES, Dice, by_face, dice_of, in_words, tidy
from solver.wording import figure, say, say_later

Price = int | tuple[int, ...] | Literal["sum"]
"""Points of dice, points by the face of the first letter of their pattern, or those of all faces
together."""


Then = Literal["scores", "roll_on", "wins_game", "loses_score", "loses_turn"]
"""What dice that show a pattern mean: they score, they score and have to be confirmed, or a roll
that has them among its dice wins the game, loses everything or loses the turn. Of a roll that means
several of these three the first counts."""


When = Literal["any", "all_dice", "first_throw"]
"""The throws in which dice that show a pattern count: in all, in those of all dice, or in the first
of a turn alone. Whatever counts in a throw counts in those that are named after it."""

WHENS: tuple[When, ...] = get_args(When)


_FOLLOWS: dict[Then, str] = {
    "roll_on": say_later("{points}, to be confirmed"),
    "wins_game": say_later("wins the game at once"),
    "loses_score": say_later("loses everything"),
    "loses_turn": say_later("is a farkle"),
}


def worth_of(dice: Dice, points: int | Literal["sum"]) -> int:
    """Points of dice that show a pattern with such a price."""
    return sum(dice) if points == "sum" else points


_DICE = replace(
    TEXT,
    should_be=say_later(
        "{key}: {value} is not a pattern of one to six dice; equal letters stand for equal faces"
        ' and digits for those faces, as in "aaabb" or "1234"'
    ),
)
_PRICE = replace(
    NUMBER,
    parts={"points": MAX_POINTS},
    should_be=say_later(
        "{key}: should be a whole number from 1 to {points}, six numbers by the face of the first"
        ' letter, or "sum", not {value}'
    ),
)


class Combination(Data):
    """Dice that show a pattern, see `solver.rules.patterns`, and what they are worth together.

    Points are a number; six of them, by the face of the first letter, where 0 does not score; or
    "sum", the sum of the faces. Those that decide about a turn, as `then` says, have none.
    """

    dice: Annotated[str, Field(pattern="^[1-6a-z]{1,6}$"), _DICE] = described(...)
    points: Annotated[
        Annotated[int, Field(strict=True, ge=1, le=MAX_POINTS)]
        | tuple[Points, Points, Points, Points, Points, Points]
        | Literal["sum"]
        | None,
        _PRICE,
    ] = described(None)
    then: Then = described("scores")
    when: When = described("any")

    @property
    def in_words(self) -> str:
        """The pattern, and what dice are worth that show it, or what they do."""
        points = self.points if isinstance(self.points, tuple) else (self.points,)
        worth = ", ".join(
            say("the sum of the faces") if one == "sum" else figure(one or 0) for one in points
        )
        if self.then != "scores":
            worth = say(_FOLLOWS[self.then], points=worth)
        return say("{dice} ({worth})", dice=in_words(self.dice), worth=worth)

    def __str__(self) -> str:
        points = self.points or self.then
        shown = ",".join(map(str, points)) if isinstance(points, tuple) else points
        words = "roll_on" if self.then == "roll_on" else "", self.when if self.when != "any" else ""
        return f"{self.dice}={','.join([str(shown), *filter(None, words)])}".replace("_", "-")


def _combinations(text: str) -> Any:
    """The data of combinations as they are typed, or the text where it is none."""
    if text.lower() == "none":
        return []
    found: list[dict[str, Any]] = []
    for item in re.split(r"[\s,;]+", text.lower().strip("[] ,;")):
        pattern, sign, points = item.rpartition("=")
        if sign:
            found.append({"dice": pattern, "points": []})
        elif not found:
            return text
        word = points.replace("-", "_")
        key = "then" if word == "roll_on" else "when" if word in WHENS else ""
        if key and found[-1]["points"]:
            found[-1][key] = word
        else:
            found[-1]["points"].append(word if word in get_args(Then) else read_number(points))
    for one in found:
        if len(one["points"]) == 1:
            (one["points"],) = one["points"]
            if one["points"] in get_args(Then) and "then" not in one:
                one["then"] = one.pop("points")
    return found


_COMBINATIONS = Kind(
    _combinations,
    say_later(
        "combinations with commas between them, such as aaabb=250, with six numbers by the face of"
        " a, sum, wins-game, loses-score or loses-turn (behind it roll-on, first-throw or"
        " all-dice), or none"
    ),
    should_be=say_later("{key}: should be a list of tables with dice and points, not {value}"),
)


class Scoring(Data):
    """What dice are worth. 0 points: the combination does not score.

    Points per face are six numbers for the faces 1 to 6, or one number for all of them.
    """

    single: PointsPerFace = described(
        (100, 0, 0, 0, 50, 0),
        "100,0,0,0,50,0",
        say_later("of one die; all faces: single:100,0,0,0,50,0"),
        usage="ones:100 fives:50",
        note="the points for the faces 1 to 6",
        ask="One die",
        pattern="a",
    )
    """One die, for each face."""
    three_of_a_kind: PointsPerFace = described(
        (1000, 200, 300, 400, 500, 600),
        "300",
        say_later("or six numbers: 1000,200,300,400,500,600"),
        ask="Three of a kind",
        pattern="aaa",
    )
    """Three of a kind, for each face; has to be said where no single die scores."""
    more_of_a_kind: Literal["none", "linear", "doubling"] = described(
        "none",
        "doubling",
        say_later("none, linear or doubling"),
        ask="Four of a kind and more",
        meanings={
            "none": "scores nothing as such",
            "linear": "each further die adds the points of three",
            "doubling": "each further die doubles the points",
        },
        dice=4,
    )
    """Each die beyond three: "none", nothing more; "linear", the triple again; "doubling", twice
    the points."""
    four_of_a_kind: PointsPerFaceOrNone = described(
        None,
        "2000",
        say_later("replaces that; also five-, six-of-a-kind; none"),
        ask="Other points for four of a kind, or none",
        pattern="aaaa",
    )
    """Four of a kind, for each face. If left out: as `more_of_a_kind` says."""
    five_of_a_kind: PointsPerFaceOrNone = described(
        None, "3000", ask="Other points for five of a kind, or none", pattern="aaaaa"
    )
    """Five of a kind, for each face. If left out: as `more_of_a_kind` says."""
    six_of_a_kind: PointsPerFaceOrNone = described(
        None, "4000", ask="Other points for six of a kind, or none", pattern="aaaaaa"
    )
    """Six of a kind, for each face. If left out: as `more_of_a_kind` says."""
    straight_1_6: Points = described(
        0,
        "1500",
        say_later("1 to 6; straight-1-5:500 straight-2-6:750"),
        usage="straight:1500",
        pattern="123456",
    )
    """All six faces."""
    straight_1_5: Points = described(0, "500", pattern="12345")
    """The faces 1 to 5."""
    straight_2_6: Points = described(0, "750", pattern="23456")
    """The faces 2 to 6."""
    three_pairs: Points = described(
        0,
        "750",
        say_later("three different pairs"),
        pattern="aabbcc",
    )
    """Three pairs of different faces."""
    three_pairs_include: Annotated[
        tuple[Literal["four_and_two", "six_of_a_kind"], ...],
        some_of("four_and_two", "six_of_a_kind"),
    ] = described(
        (),
        "none",
        say_later("what else: four_and_two,six_of_a_kind or none"),
        ask="Does {word} count as three pairs?",
        meanings={
            "four_and_two": "four of a kind and a pair",
            "six_of_a_kind": "six of a kind",
        },
        dice=6,
        when=lambda rules: rules.scoring.three_pairs,
    )
    """What else counts as three pairs: "four_and_two", four of a kind with a pair; "six_of_a_kind",
    six of a kind."""
    four_and_two: Points = described(
        0,
        "1500",
        say_later("four of a kind and a pair"),
        pattern="aaaabb",
        when=lambda rules: "four_and_two" not in rules.scoring.three_pairs_include,
    )
    """Four of a kind with a pair of another face."""
    two_triplets: Points = described(
        0,
        "2500",
        say_later("two different triples"),
        pattern="aaabbb",
    )
    """Two different triples."""
    nothing: Points = described(
        0,
        "500",
        say_later("a roll of all dice in which nothing scores"),
        note="a roll of all dice in which nothing scores",
        ask="All the dice, and nothing scores",
    )
    """A roll of all the dice in which nothing scores; all of them are set aside."""
    nothing_when: Literal["all_dice", "first_throw"] = described(
        "all_dice",
        "first_throw",
        say_later("nothing:500 in the first throw of a turn alone"),
        note="all_dice or first_throw",
        ask="When does that score",
        meanings={
            "all_dice": "in every throw of all dice",
            "first_throw": "in the first throw of a turn alone",
        },
        when=lambda rules: rules.scoring.nothing,
    )
    """When that scores: "all_dice", in every throw of all dice; "first_throw", in the first throw
    of a turn alone."""

    combination: Annotated[tuple[Combination, ...], _COMBINATIONS] = described(
        (),
        "aaabb=250,1234=400",
        say_later("equal letters: equal faces; aaaa=loses-turn"),
        usage="combination:aaabb=250",
        ask='Other combinations, such as aaabb=250 or 1234=400 (letters: equal faces), or "none"',
    )
    """Tables with `dice` and `points`: in `dice` a digit is a die of that face, and equal letters
    are dice of one face, which no other letter and no digit has; `points` are a number, "sum" for
    the sum of the faces, or six numbers by the face of the first letter; with a `then` of
    "roll_on" beside them no bank comes before dice of a further roll are set aside. Or with `dice`
    and `then`: a roll with such dice among others is one that wins ("wins_game", as `instant_win`),
    that loses everything ("loses_score", as `lose_everything`), or a farkle whatever scores
    ("loses_turn").

    A roll that wins does not lose, and one that loses everything is no farkle.

    With points and `then = "roll_on"` it has to be confirmed: a turn in which the dice just set
    aside count as such a combination may not be banked, before something was set aside of a further
    roll. Of several ways to count dice for as many points that with the fewest of these counts.

    With `when = "first_throw"` a table counts in the first throw of a turn alone, with "all_dice"
    in every throw of all dice, which are the first one and those after hot dice; in other throws it
    is as if it were not there. Points for a roll in which nothing scores go by what counts in it.

    All its dice are set aside together. Where dice score by several keys or tables, the most points
    count; a table that never counts for that is refused."""

    def _prices(self) -> Iterator[tuple[Place, str, Price]]:
        """The pattern that each key stands for, and each combination, with where it is said."""
        for option in SCORING_OPTIONS.values():
            if option.pattern:
                points = getattr(self, option.key)
                price = self._beyond_three(option) if points is None else points
                yield option.place, option.pattern, price
        for key in self.three_pairs_include:
            yield SCORING_OPTIONS[key].place, SCORING_OPTIONS[key].pattern, self.three_pairs
        place = SCORING_OPTIONS["combination"].place
        # of as many points those that need not be confirmed come first
        in_order = sorted(enumerate(self.combination), key=lambda one: one[1].then == "roll_on")
        for number, one in in_order:
            if one.points is not None:
                yield (*place, str(number)), one.dice, one.points

    def _beyond_three(self, option: Option) -> tuple[int, ...]:
        """Points of more than three of a kind by face, as those of three say."""
        more = len(option.pattern) - 3
        times = {"none": 0, "linear": 1 + more, "doubling": 2**more}[self.more_of_a_kind]
        return tuple(times * points for points in self.three_of_a_kind)

    def patterns(self) -> Iterator[tuple[Place, str, int | Literal["sum"]]]:
        """Every pattern that scores, in its one spelling, with where it is said and its points."""
        for place, pattern, price in self._prices():
            if isinstance(price, tuple):
                for face, of_face in by_face(pattern):
                    yield place, tidy(of_face), price[face - 1]
            else:
                yield place, tidy(pattern), price

    def dearest(self, number_of_dice: int) -> dict[Dice, tuple[int, Place]]:
        """The most points of dice that show a pattern, and where they are said first."""
        found: dict[Dice, tuple[int, Place]] = {}
        for place, pattern, points in self.patterns():
            if points and len(pattern) <= number_of_dice:
                for dice in dice_of(pattern):
                    worth = worth_of(dice, points)
                    if dice not in found or found[dice][0] < worth:
                        found[dice] = worth, place
        return found

    def at(self, when: When) -> "Scoring":
        """What dice are worth in a throw, by tables that count in any."""
        kept = (one for one in self.combination if WHENS.index(one.when) <= WHENS.index(when))
        tables = tuple(one.model_copy(update={"when": "any"}) for one in kept)
        nothing = 0 if self.nothing_at_first and when != "first_throw" else self.nothing
        return self.model_copy(
            update={"combination": tables, "nothing": nothing, "nothing_when": "all_dice"}
        )

    @property
    def nothing_at_first(self) -> bool:
        """Whether a roll in which nothing scores is worth points in the first throw alone."""
        return self.nothing > 0 and self.nothing_when == "first_throw"

    @property
    def is_always_alike(self) -> bool:
        """Whether dice are worth as much in any throw of all that are left."""
        return not self.nothing_at_first and all(one.when == "any" for one in self.combination)

    def counting(self, number_of_dice: int) -> list[int]:
        """The numbers of those combinations that are the dearest of some dice, or need no price."""
        own = SCORING_OPTIONS["combination"].place
        dearest = set()
        for when in WHENS:
            numbers = [
                number
                for number, one in enumerate(self.combination)
                if WHENS.index(one.when) <= WHENS.index(when)
            ]
            places = {place for _, place in self.at(when).dearest(number_of_dice).values()}
            dearest |= {one for k, one in enumerate(numbers) if (*own, str(k)) in places}
        return [
            number
            for number, one in enumerate(self.combination)
            if number in dearest
            or (one.points is None and one.then != "scores" and len(one.dice) <= number_of_dice)
        ]

    def to_confirm(self, number_of_dice: int) -> frozenset[Dice]:
        """Combinations that have to be confirmed."""
        own = SCORING_OPTIONS["combination"].place
        places = {
            (*own, str(number))
            for number, one in enumerate(self.combination)
            if one.then == "roll_on"
        }
        dearest = self.dearest(number_of_dice).items() if places else ()
        return frozenset(dice for dice, (_, place) in dearest if place in places)

    def combinations(self, number_of_dice: int) -> dict[Dice, int]:
        """Points of every scoring combination."""
        found = {dice: points for dice, (points, _) in self.dearest(number_of_dice).items()}
        if self.nothing:
            scores = [Counter(dice) for dice in found]
            for roll in combinations_with_replacement(FACES, number_of_dice):
                if not any(dice <= Counter(roll) for dice in scores):
                    found[roll] = self.nothing
        return found


SCORING_OPTIONS = options_of(Scoring, "scoring")
"""What there is to say of the keys of a scoring."""

COMBINATION_OPTIONS = options_of(Combination, *SCORING_OPTIONS["combination"].place)
"""What there is to say of the keys of a combination."""
