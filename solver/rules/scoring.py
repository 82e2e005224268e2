"""What dice are worth, as validated, frozen data with what there is to say of every key."""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations_with_replacement
from typing import Annotated, Literal

from solver.rules.options import (
    Data,
    Option,
    Points,
    PointsPerFace,
    PointsPerFaceOrNone,
    described,
    options_of,
    some_of,
)
from solver.rules.patterns import FACES, Dice, by_face, dice_of, tidy
from solver.wording import say_later


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

    def prices(self) -> Iterator[tuple[str, int | tuple[int, ...]]]:
        """Every pattern that a key stands for, with points or those by the face of its letter."""
        for option in SCORING_OPTIONS.values():
            if option.pattern:
                points = getattr(self, option.key)
                yield option.pattern, self._beyond_three(option) if points is None else points
        for key in self.three_pairs_include:
            yield SCORING_OPTIONS[key].pattern, self.three_pairs

    def _beyond_three(self, option: Option) -> tuple[int, ...]:
        """Points of more than three of a kind by face, as those of three say."""
        more = len(option.pattern) - 3
        times = {"none": 0, "linear": 1 + more, "doubling": 2**more}[self.more_of_a_kind]
        return tuple(times * points for points in self.three_of_a_kind)

    def patterns(self) -> Iterator[tuple[str, int]]:
        """Every pattern that scores, in its one spelling, with its points."""
        for pattern, points in self.prices():
            if isinstance(points, int):
                yield tidy(pattern), points
            else:
                for face, of_face in by_face(pattern):
                    yield tidy(of_face), points[face - 1]

    def combinations(self, number_of_dice: int) -> dict[Dice, int]:
        """Points of every scoring combination: of dice with more than one price, the dearest."""
        found: Counter[Dice] = Counter()
        for pattern, points in self.patterns():
            if points and len(pattern) <= number_of_dice:
                for dice in dice_of(pattern):
                    found[dice] = max(found[dice], points)
        if self.nothing:
            scores = [Counter(dice) for dice in found]
            for roll in combinations_with_replacement(FACES, number_of_dice):
                if not any(dice <= Counter(roll) for dice in scores):
                    found[roll] = self.nothing
        return dict(found)


SCORING_OPTIONS = options_of(Scoring, "scoring")
"""What there is to say of the keys of a scoring."""
