"""What dice are worth, as validated, frozen data with what there is to say of every key."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement
from typing import Annotated, Any, Literal, get_args

from pydantic import Field

from solver.rules.options import (
    MAX_POINTS,
    NUMBER,
    TEXT,
    Data,
    Faces,
    Kind,
    Place,
    Points,
    PointsPerFace,
    PointsPerFaceOrNone,
    YesNo,
    described,
    options_of,
    read_number,
    some_of,
)
from solver.rules.patterns import (
    FACES,
    FREED,
    MAX_DICE,
    Dice,
    by_face,
    dice_of,
    faces_of,
    in_words,
    most_points,
    standing_for,
    tidy,
    using,
)
from solver.wording import figure, say, say_later


@dataclass(frozen=True, slots=True)
class Times:
    """A multiple of the points that dice are worth as other combinations."""

    number: int


Of = int | Literal["sum"] | Times
"""Points of dice, those of all faces together, or of their parts."""

Price = Of | tuple[int, ...]
"""The points of dice, or a tuple of points by the face of the first letter of their pattern."""


Then = Literal["scores", "roll_on", "wins_game", "loses_game", "loses_score", "loses_turn"]
"""What dice that show a pattern mean: they score, they score and have to be confirmed, or a roll
that has them among its dice wins the game, loses it, loses everything or loses the turn. Of a roll
that means several of these four the first counts."""


When = Literal["any", "all_dice", "first_throw"]
"""The throws in which dice that show a pattern count: in all, in those of all dice, or in the first
of a turn alone. Whatever counts in a throw counts in those that are named after it."""

WHENS: tuple[When, ...] = get_args(When)


_FOLLOWS: dict[Then, str] = {
    "roll_on": say_later("{points}, to be confirmed"),
    "wins_game": say_later("wins the game at once"),
    "loses_game": say_later("loses the game"),
    "loses_score": say_later("loses everything"),
    "loses_turn": say_later("is a farkle"),
}


def worth_of(dice: Dice, points: Of, parts: Mapping[Dice, int]) -> int:
    """Points of dice that show a pattern with such a price; 0 where they do not score.

    parts : most points of dice, in descending order, as combinations that have prices of their own
    """
    if isinstance(points, Times):
        return points.number * parts.get(dice[::-1], 0)
    return sum(dice) if points == "sum" else points


_DICE = replace(
    TEXT,
    should_be=say_later(
        "{key}: {value} is not a pattern of 1 to {most} dice; equal letters stand for equal faces"
        ' and digits for those faces, as in "aaabb" or "1234"'
    ),
    parts={"most": MAX_DICE},
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

    dice: Annotated[str, Field(pattern=f"^[1-6a-z]{{1,{MAX_DICE}}}$"), _DICE] = described(...)
    points: Annotated[
        Annotated[int, Field(strict=True, ge=1, le=MAX_POINTS)]
        | tuple[Points, Points, Points, Points, Points, Points]
        | Literal["sum"]
        | None,
        _PRICE,
    ] = described(None)
    then: Then = described("scores")
    uses: Annotated[Annotated[int, Field(strict=True, ge=1)] | None, NUMBER] = described(None)
    times: Annotated[Annotated[int, Field(strict=True, ge=2, le=100)] | None, NUMBER] = described(
        None
    )
    when: When = described("any")

    @property
    def price(self) -> Price | None:
        """What its dice are worth; None where they decide about a turn."""
        return self.points if self.times is None else Times(self.times)

    @property
    def in_words(self) -> str:
        """The pattern, and what dice are worth that show it, or what they do."""
        points = self.points if isinstance(self.points, tuple) else (self.points,)
        worth = ", ".join(
            say("the sum of the faces") if price == "sum" else figure(price or 0)
            for price in points
        )
        if self.times is not None:
            worth = say("{number} times what they bring otherwise", number=self.times)
        if self.uses is not None:
            worth = say("{worth}, of which {number} are set aside", worth=worth, number=self.uses)
        if self.then != "scores":
            worth = say(_FOLLOWS[self.then], points=worth)
        return say("{dice} ({worth})", dice=in_words(self.dice), worth=worth)

    def __str__(self) -> str:
        points = f"x{self.times}" if self.times else self.points or self.then
        shown = ",".join(map(str, points)) if isinstance(points, tuple) else points
        words = (
            f"uses_{self.uses}" if self.uses else "",
            "roll_on" if self.then == "roll_on" else "",
            self.when if self.when != "any" else "",
        )
        return f"{self.dice}={','.join([str(shown), *filter(None, words)])}".replace("_", "-")


def _combinations(text: str) -> Any:
    """The data of combinations as they are typed, or the text where it is none."""
    if text.lower() == "none":
        return []
    tables: list[dict[str, Any]] = []
    for item in re.split(r"[\s,;]+", text.lower().strip("[] ,;")):
        pattern, sign, points = item.rpartition("=")
        if sign:
            tables.append({"dice": pattern, "points": []})
        elif not tables:
            return text
        word = points.replace("-", "_")
        key = "then" if word == "roll_on" else "when" if word in WHENS else ""
        if key and tables[-1]["points"]:
            tables[-1][key] = word
        elif uses := re.fullmatch("uses_([0-9])", word):
            tables[-1]["uses"] = int(uses[1])
        else:
            tables[-1]["points"].append(word if word in get_args(Then) else read_number(points))
    return [table | _worth(table.pop("points"), table) for table in tables]


def _worth(typed: list[Any], beside: Mapping[str, Any]) -> dict[str, Any]:
    """What a combination is worth or does, as it was typed beside what else was."""
    if len(typed) != 1:
        return {"points": typed}
    (word,) = typed
    if isinstance(word, str) and (times := re.fullmatch("x([0-9]{1,3})", word)):
        return {"times": int(times[1])}
    return {"then" if word in get_args(Then) and "then" not in beside else "points": word}


_COMBINATIONS = Kind(
    _combinations,
    say_later(
        "combinations with commas between them, such as aaabb=250, six numbers by face,"
        " sum, x2 (perhaps uses-1, roll-on, first-throw, all-dice), wins-game, loses-game,"
        " loses-score, loses-turn; or none"
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
        ask=say_later("One die"),
        pattern="a",
    )
    """One die, for each face."""
    three_of_a_kind: PointsPerFace = described(
        (1000, 200, 300, 400, 500, 600),
        "300",
        say_later("or six numbers: 1000,200,300,400,500,600"),
        pattern="aaa",
    )
    """Three of a kind, for each face; has to be said where no single die scores."""
    more_of_a_kind: Literal["none", "linear", "doubling"] = described(
        "none",
        "doubling",
        say_later("none, linear or doubling"),
        ask=say_later("Four of a kind and more"),
        meanings={
            "none": say_later("scores nothing as such"),
            "linear": say_later("each further die adds the points of three"),
            "doubling": say_later("each further die doubles the points"),
        },
        dice=4,
    )
    """Each die beyond three: "none", nothing more; "linear", the triple again; "doubling", twice
    the points; has to be said with more than six dice.

    Seven of a kind and more have no other key; a `combination` may have another price for them."""
    four_of_a_kind: PointsPerFaceOrNone = described(
        None,
        "2000",
        say_later("replaces that; also five-, six-of-a-kind; none"),
        ask=say_later("Other points for four of a kind, or none"),
        pattern="aaaa",
    )
    """Four of a kind, for each face. If left out: as `more_of_a_kind` says."""
    five_of_a_kind: PointsPerFaceOrNone = described(
        None, "3000", ask=say_later("Other points for five of a kind, or none"), pattern="aaaaa"
    )
    """Five of a kind, for each face. If left out: as `more_of_a_kind` says."""
    six_of_a_kind: PointsPerFaceOrNone = described(
        None, "4000", ask=say_later("Other points for six of a kind, or none"), pattern="aaaaaa"
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
        ask=say_later("Does {word} count as three pairs?"),
        meanings={
            "four_and_two": say_later("four of a kind and a pair"),
            "six_of_a_kind": say_later("six of a kind"),
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
        ask=say_later("All the dice, and nothing scores"),
    )
    """A roll of all the dice in which nothing scores; all of them are set aside."""
    nothing_when: Literal["all_dice", "first_throw"] = described(
        "all_dice",
        "first_throw",
        say_later("nothing:500 in the first throw of a turn alone"),
        note="all_dice or first_throw",
        ask=say_later("When does that score"),
        meanings={
            "all_dice": say_later("in every throw of all dice"),
            "first_throw": say_later("in the first throw of a turn alone"),
        },
        when=lambda rules: rules.scoring.nothing,
    )
    """When that scores: "all_dice", in every throw of all dice; "first_throw", in the first throw
    of a turn alone."""

    jokers: Faces = described(
        (),
        "6",
        say_later("faces that stand for any other, or none"),
        note="faces that stand for any other",
        ask=say_later("Faces that are jokers and stand for any other, such as 6, or none"),
    )
    """Faces that are jokers, such as ["6"]: a die that shows one may count as any other face in a
    combination, of which at least one die counts as the face it shows, unless `joker_alone`.

    A joker stands for one face in one combination, whether it is set aside there or, with `uses`,
    rolled again; another joker may stand for another one. A price by the face and a "sum" go by the
    faces that dice count as, and `times` multiplies what these faces are worth without jokers. A
    roll in which nothing scores is one in which nothing scores by jokers either. Whether a roll
    wins, loses or is a farkle whatever it scores, and which dice confirm, goes by what dice show.
    Dice of one's own and badges bring no further jokers then, and badges no combinations."""
    joker_alone: YesNo = described(
        False,
        "yes",
        say_later("jokers score without a die that is none"),
        note="whether jokers score without a die that is none",
        ask=say_later("Does a joker score by itself, as any face?"),
        when=lambda rules: rules.scoring.jokers,
        needs=("jokers",),
        idle=say_later("{key}: no face is a joker; it goes with {jokers}"),
    )
    """Whether all dice of a combination may count as other faces than they show, so that a joker
    alone is worth as much as the best single die."""

    combination: Annotated[tuple[Combination, ...], _COMBINATIONS] = described(
        (),
        "aaabb=250,1234=400",
        say_later("equal letters: equal faces; aaaa=loses-turn"),
        usage="combination:aaabb=250",
        ask=say_later(
            'Other combinations, such as aaabb=250 or 1234=400 (letters: equal faces), or "none"'
        ),
    )
    """Tables with `dice` and `points`: in `dice` a digit is a die of that face, and equal
    letters are dice of one face, which no other letter and no digit has; `points` are a number,
    "sum" for the sum of the faces, or six numbers by the face of the first letter; `times` in
    their place says how often what the dice score otherwise; with a `then` of "roll_on" beside
    them no bank comes before dice of a further roll are set aside, and with `uses` only so many
    of the dice are set aside, the others being rolled again. Or with `dice` and `then`: a roll
    with such dice among others is one that wins ("wins_game", as `instant_win`), that loses the
    game ("loses_game"), that loses everything ("loses_score", as `lose_everything`), or a
    farkle whatever scores ("loses_turn").

    A roll that wins does not lose, one that loses the game loses nothing else, and one that loses
    everything is no farkle. Only two players can play where a roll loses the game.

    With points and `then = "roll_on"` it has to be confirmed: a turn in which the dice just set
    aside count as such a combination may not be banked, before something was set aside of a further
    roll. Of several ways to count dice for as many points that with the fewest of these counts.

    With points and `uses` a combination needs all its dice in the roll, but only so many of them,
    whichever the player likes, are set aside: of "55" with 100 points and `uses = 1` two 5s count
    as a 1, and one of them is rolled again with the dice that are left. No die counts in two
    combinations, set aside or not; so dice that are set aside are worth the most points for which
    they can count with any of the others in the roll.

    With `when = "first_throw"` a table counts in the first throw of a turn alone, with "all_dice"
    in every throw of all dice, which are the first one and those after hot dice; in other throws it
    is as if it were not there. Points for a roll in which nothing scores go by what counts in it.

    With `times = 2` in place of points a combination is worth twice the most points that its dice
    are worth as other combinations, of which none has `times` or `uses`; where these are not all of
    them, it does not score.

    Otherwise all its dice are set aside. Where dice score by several keys or tables, the most
    points count; a table that never counts for that is refused."""

    def _prices(self) -> Iterator[tuple[Place, str, Price, int]]:
        """The pattern that each key stands for, and each combination, with where it is said.

        And its price, and how many of its dice it uses up.
        """
        for option in SCORING_OPTIONS.values():
            if option.pattern:
                points = getattr(self, option.key)
                price = self._beyond_three(len(option.pattern)) if points is None else points
                yield option.place, option.pattern, price, len(option.pattern)
        option = SCORING_OPTIONS["more_of_a_kind"]
        if self.more_of_a_kind != option.default:
            for number in range(7, MAX_DICE + 1):
                yield option.place, "a" * number, self._beyond_three(number), number
        for key in self.three_pairs_include:
            option = SCORING_OPTIONS[key]
            yield option.place, option.pattern, self.three_pairs, len(option.pattern)
        place = SCORING_OPTIONS["combination"].place
        # of as many points those that need not be confirmed come first
        in_order = sorted(enumerate(self.combination), key=lambda pair: pair[1].then == "roll_on")
        for number, table in in_order:
            if table.price is not None:
                yield (*place, str(number)), table.dice, table.price, table.uses or len(table.dice)

    def _beyond_three(self, number: int) -> tuple[int, ...]:
        """Points of more than three of a kind by face, as those of three say."""
        further = number - 3
        times = {"none": 0, "linear": 1 + further, "doubling": 2**further}[self.more_of_a_kind]
        return tuple(times * points for points in self.three_of_a_kind)

    def patterns(self) -> Iterator[tuple[Place, str, Of, int]]:
        """Every pattern that scores, in its one spelling, with where it is said and its points.

        And how many of its dice it uses up.
        """
        for place, pattern, price, uses in self._prices():
            if isinstance(price, tuple):
                for face, of_face in by_face(pattern):
                    yield place, tidy(of_face), price[face - 1], uses
            else:
                yield place, tidy(pattern), price, uses

    def dearest(self, number_of_dice: int) -> dict[Dice, tuple[int, Place]]:
        """The most points of dice that show a pattern, and where they are said first."""
        prices: dict[Dice, tuple[int, Place]] = {}
        parts, alone = self.in_parts(number_of_dice), self.joker_alone
        jokers, doubtful = [*map(int, self.jokers)], self._doubtful
        for place, pattern, points, uses in self.patterns():
            if points and len(pattern) <= number_of_dice:
                for shown in dice_of(pattern):
                    worth = worth_of(shown, points, parts)
                    ways = using(shown, uses) if worth else ()
                    for dice in (d for way in ways for d in standing_for(way, jokers, alone=alone)):
                        if dice not in prices or prices[dice][0] < worth:
                            prices[dice] = worth, place

        def merit(dice: Dice) -> tuple[int, bool]:
            points, place = prices.get(dice, (0, ()))
            return points, place not in doubtful

        # dice that are worth as much by themselves need no others
        used = {dice: tuple(face for face in dice if face < FREED) for dice in prices}
        return {
            dice: price
            for dice, price in prices.items()
            if used[dice] == dice or merit(used[dice]) < merit(dice)
        }

    @property
    def as_shown(self) -> "Scoring":
        """What dice are worth without jokers."""
        return self.model_copy(update={"jokers": (), "joker_alone": False})

    def in_parts(self, number_of_dice: int) -> dict[Dice, int]:
        """Most points of faces as combinations with prices of their own, where others need that."""
        if all(table.times is None for table in self.combination):
            return {}
        plain = tuple(table for table in self.combination if table.times is None)
        others = self.as_shown.model_copy(update={"combination": plain}).dearest(number_of_dice)
        whole = {dice: points for dice, (points, _) in others.items() if dice[-1] < FREED}
        return most_points(whole, FACES, number_of_dice)

    def at(self, when: When) -> "Scoring":
        """What dice are worth in a throw, by tables that count in any."""
        kept = (table for table in self.combination if WHENS.index(table.when) <= WHENS.index(when))
        tables = tuple(table.model_copy(update={"when": "any"}) for table in kept)
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
        return not self.nothing_at_first and all(table.when == "any" for table in self.combination)

    def counting(self, number_of_dice: int) -> list[int]:
        """The numbers of those combinations that are the dearest of some dice, or need no price."""
        own = SCORING_OPTIONS["combination"].place
        dearest = set()
        for when in WHENS:
            if all(table.when != when for table in self.combination):
                continue
            numbers = [
                number
                for number, table in enumerate(self.combination)
                if WHENS.index(table.when) <= WHENS.index(when)
            ]
            places = {place for _, place in self.at(when).dearest(number_of_dice).values()}
            dearest |= {number for k, number in enumerate(numbers) if (*own, str(k)) in places}
        return [
            number
            for number, table in enumerate(self.combination)
            if number in dearest
            or (
                table.price is None and table.then != "scores" and len(table.dice) <= number_of_dice
            )
        ]

    def to_confirm(self, number_of_dice: int) -> frozenset[Dice]:
        """Combinations that have to be confirmed."""
        doubtful = self._doubtful
        dearest = self.dearest(number_of_dice).items() if doubtful else ()
        return frozenset(dice for dice, (_, place) in dearest if place in doubtful)

    @property
    def _doubtful(self) -> frozenset[Place]:
        """Where combinations are said that have to be confirmed."""
        own = SCORING_OPTIONS["combination"].place
        tables = enumerate(self.combination)
        return frozenset((*own, str(number)) for number, table in tables if table.then == "roll_on")

    def combinations(self, number_of_dice: int) -> dict[Dice, int]:
        """Points of every scoring combination."""
        points_of = {dice: points for dice, (points, _) in self.dearest(number_of_dice).items()}
        if self.nothing:
            scores = [Counter(faces_of(dice)) for dice in points_of]
            for roll in combinations_with_replacement(FACES, number_of_dice):
                shown = Counter(roll)
                if not any(dice <= shown for dice in scores):
                    points_of[roll] = self.nothing
        return points_of


SCORING_OPTIONS = options_of(Scoring, "scoring")
"""What there is to say of the keys of a scoring."""

COMBINATION_OPTIONS = options_of(Combination, *SCORING_OPTIONS["combination"].place)
"""What there is to say of the keys of a combination."""
