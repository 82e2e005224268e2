"""Whether the dice of many rolls look fair: counts of faces, farkles and a chi-square test."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from solver.rules.ruleset import FACES

FEWEST_DICE = 30
"""With 5 of each face expected the chi-square distribution is near enough (Cochran 1954)."""
UNUSUAL, VERY_UNUSUAL = 0.05, 0.001


class Fairness(StrEnum):
    """What the counts of the faces say."""

    TOO_FEW = "too few"
    FAIR = "fair"
    UNUSUAL = "unusual"
    VERY_UNUSUAL = "very unusual"


@dataclass(frozen=True, slots=True)
class DiceRecord:
    """Counts over many rolls and how likely fair dice are to give such."""

    rolls: int
    counts: tuple[int, ...]
    """Times that 1, 2 ... 6 came up."""
    six_dice_rolls: int
    """Rolls of six dice of which is known whether they were farkles."""
    six_dice_farkles: int
    farkle_chances: tuple[tuple[float, int], ...]
    """Of these rolls: the chance of a farkle under the rules that were played, and how many."""

    @property
    def dice(self) -> int:
        """Number of dice rolled."""
        return sum(self.counts)

    @property
    def expected_count(self) -> float:
        """Times that each face is expected."""
        return self.dice / 6

    @property
    def chi_square(self) -> float:
        """Pearson's statistic of the counts, 5 degrees of freedom; 0 without dice."""
        if not self.dice:
            return 0.0
        return sum((n - self.expected_count) ** 2 for n in self.counts) / self.expected_count

    @property
    def p_value(self) -> float:
        """Chance that fair dice give counts at least as uneven."""
        return chi_square_tail(self.chi_square, len(FACES) - 1)

    @property
    def expected_farkles(self) -> float:
        """Farkles expected in the rolls of six dice."""
        return math.fsum(chance * rolls for chance, rolls in self.farkle_chances)

    @property
    def farkle_chance(self) -> float:
        """Of a farkle in these rolls, on average."""
        return self.expected_farkles / self.six_dice_rolls if self.six_dice_rolls else 0.0

    @property
    def farkles_p_value(self) -> float:
        """Chance of at least as many farkles, or at most as many if fewer than expected."""
        hits, expected = self.six_dice_farkles, self.expected_farkles
        # what is left out beyond is less than a float can hold
        most = max(hits, round(expected + 40 * math.sqrt(expected) + 100))
        chances = np.ones(1)
        for chance, rolls in self.farkle_chances:
            chances = np.convolve(chances, _binomial(rolls, chance, most))[: most + 1]
        return min(
            1.0, float(chances[: hits + 1].sum() if hits < expected else chances[hits:].sum())
        )

    @property
    def fairness(self) -> Fairness:
        """What the counts of the faces say."""
        if self.dice < FEWEST_DICE:
            return Fairness.TOO_FEW
        if self.p_value >= UNUSUAL:
            return Fairness.FAIR
        return Fairness.UNUSUAL if self.p_value >= VERY_UNUSUAL else Fairness.VERY_UNUSUAL


def dice_record(rolls: Iterable[tuple[Sequence[int], tuple[bool, float] | None]]) -> DiceRecord:
    """Count rolls.

    rolls : each the faces 1 to 6; of six dice also whether that was a farkle, and how likely one
        is, under the rules that were played, None where nobody knows
    """
    rolls = list(rolls)
    counts = Counter(face for dice, _ in rolls for face in dice)
    six = [known for dice, known in rolls if len(dice) == 6 and known is not None]
    return DiceRecord(
        rolls=len(rolls),
        counts=tuple(counts[face] for face in FACES),
        six_dice_rolls=len(six),
        six_dice_farkles=sum(farkle for farkle, _ in six),
        farkle_chances=tuple(sorted(Counter(chance for _, chance in six).items())),
    )


def chi_square_tail(statistic: float, degrees: int) -> float:
    """Chance of a larger statistic with so many degrees of freedom, 1 with none.

    Abramowitz and Stegun, Handbook of Mathematical Functions, 26.4.4 and 26.4.5.
    """
    half = statistic / 2
    if degrees % 2:
        terms = (half ** (k - 0.5) / math.gamma(k + 0.5) for k in range(1, (degrees + 1) // 2))
        return min(1.0, math.erfc(math.sqrt(half)) + math.exp(-half) * math.fsum(terms))
    terms = (half**k / math.factorial(k) for k in range(degrees // 2))
    return min(1.0, math.exp(-half) * math.fsum(terms)) if degrees else 1.0


def _binomial(trials: int, chance: float, most: int) -> np.ndarray:
    """Chances of 0, 1, ... hits, of `most` at most."""
    if not 0 < chance < 1:
        certain = np.zeros(min(trials, most) + 1)
        hits = round(trials * chance)
        certain[hits:][:1] = 1.0
        return certain
    whole = math.lgamma(trials + 1)
    logs = [
        whole
        - math.lgamma(k + 1)
        - math.lgamma(trials - k + 1)
        + k * math.log(chance)
        + (trials - k) * math.log1p(-chance)
        for k in range(min(trials, most) + 1)
    ]
    return np.exp(logs)
