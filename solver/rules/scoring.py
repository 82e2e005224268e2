"""What dice are worth, as validated, frozen data with what there is to say of every key."""

from collections import Counter
from itertools import combinations, combinations_with_replacement
from typing import Annotated, Literal

from solver.rules.options import (
    FACES,
    Data,
    Option,
    Points,
    PointsPerFace,
    PointsPerFaceOrNone,
    described,
    options_of,
    some_of,
)
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
    )
    """One die, for each face."""
    three_of_a_kind: PointsPerFace = described(
        (1000, 200, 300, 400, 500, 600),
        "300",
        say_later("or six numbers: 1000,200,300,400,500,600"),
        ask="Three of a kind",
        dice=3,
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
        dice=4,
    )
    """Four of a kind, for each face. If left out: as `more_of_a_kind` says."""
    five_of_a_kind: PointsPerFaceOrNone = described(
        None, "3000", ask="Other points for five of a kind, or none", dice=5
    )
    """Five of a kind, for each face. If left out: as `more_of_a_kind` says."""
    six_of_a_kind: PointsPerFaceOrNone = described(
        None, "4000", ask="Other points for six of a kind, or none", dice=6
    )
    """Six of a kind, for each face. If left out: as `more_of_a_kind` says."""
    straight_1_6: Points = described(
        0,
        "1500",
        say_later("1 to 6; straight-1-5:500 straight-2-6:750"),
        usage="straight:1500",
        sample=(1, 2, 3, 4, 5, 6),
    )
    """All six faces."""
    straight_1_5: Points = described(0, "500", sample=(1, 2, 3, 4, 5))
    """The faces 1 to 5."""
    straight_2_6: Points = described(0, "750", sample=(2, 3, 4, 5, 6))
    """The faces 2 to 6."""
    three_pairs: Points = described(
        0,
        "750",
        say_later("three different pairs"),
        sample=(1, 1, 2, 2, 3, 3),
        name=say_later("three pairs"),
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
        sample=(1, 1, 1, 1, 2, 2),
        name=say_later("four of a kind and a pair"),
        when=lambda rules: "four_and_two" not in rules.scoring.three_pairs_include,
    )
    """Four of a kind with a pair of another face."""
    two_triplets: Points = described(
        0,
        "2500",
        say_later("two different triples"),
        sample=(1, 1, 1, 2, 2, 2),
        name=say_later("two triplets"),
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

    def combinations(self, number_of_dice: int) -> dict[tuple[int, ...], int]:
        """Points of every scoring combination, by its dice in ascending order."""
        found: Counter[tuple[int, ...]] = Counter()
        for face in FACES:
            for number in range(1, number_of_dice + 1):
                found[(face,) * number] = self.of_a_kind(face, number)
        for option in filter(Option.is_straight, SCORING_OPTIONS.values()):
            found[option.sample] = getattr(self, option.key)
        for faces in combinations(FACES, 3):
            found[tuple(sorted(faces * 2))] = self.three_pairs
        pairs = dict.fromkeys(self.three_pairs_include, self.three_pairs)
        for face in FACES:
            found[(face,) * 6] = max(found[(face,) * 6], pairs.get("six_of_a_kind", 0))
            for other in set(FACES) - {face}:
                dice = tuple(sorted((face,) * 4 + (other,) * 2))
                found[dice] = max(self.four_and_two, pairs.get("four_and_two", 0))
                found[tuple(sorted((face, other) * 3))] = self.two_triplets
        found = Counter({dice: n for dice, n in found.items() if n and len(dice) <= number_of_dice})
        if self.nothing:
            scores = [Counter(dice) for dice in found]
            for roll in combinations_with_replacement(FACES, number_of_dice):
                if not any(dice <= Counter(roll) for dice in scores):
                    found[roll] = self.nothing
        return dict(found)


SCORING_OPTIONS = options_of(Scoring, "scoring")
"""What there is to say of the keys of a scoring."""
