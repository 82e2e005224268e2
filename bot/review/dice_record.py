"""Whether the dice of many rolls look fair: counts of faces, farkles and a chi-square test."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from solver.rules.ruleset import FACES

SIX_DICE_FARKLE_CHANCE = 5 / 216
"""1 in 43.2: six dice where single 1s and 5s, three of a kind, a straight and three pairs score, as
under Facebook rules. The chance under other rules is `turn_plan(rules).farkle_chances[5]`."""

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
    farkle_chance: float = SIX_DICE_FARKLE_CHANCE
    """Chance that a roll of six dice is a farkle."""

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
        return chi_square_p_value(self.chi_square)

    @property
    def expected_farkles(self) -> float:
        """Farkles expected in the rolls of six dice."""
        return self.six_dice_rolls * self.farkle_chance

    @property
    def farkles_p_value(self) -> float:
        """Chance of at least as many farkles, or at most as many if fewer than expected."""
        return _binomial_tail(self.six_dice_rolls, self.six_dice_farkles, self.farkle_chance)

    @property
    def fairness(self) -> Fairness:
        """What the counts of the faces say."""
        if self.dice < FEWEST_DICE:
            return Fairness.TOO_FEW
        if self.p_value >= UNUSUAL:
            return Fairness.FAIR
        return Fairness.UNUSUAL if self.p_value >= VERY_UNUSUAL else Fairness.VERY_UNUSUAL


def dice_record(rolls: Iterable[tuple[Sequence[int], bool | None]]) -> DiceRecord:
    """Count rolls, each the faces 1 to 6 and whether it was a farkle, None where nobody knows."""
    rolls = list(rolls)
    counts = Counter(face for dice, _ in rolls for face in dice)
    six = [known for dice, known in rolls if len(dice) == 6 and known is not None]
    return DiceRecord(len(rolls), tuple(counts[face] for face in FACES), len(six), sum(six))


def chi_square_p_value(statistic: float) -> float:
    """Chance of a larger statistic with 5 degrees of freedom.

    Abramowitz and Stegun, Handbook of Mathematical Functions, 26.4.4, for 5 degrees.
    """
    root = math.sqrt(statistic)
    tail = math.sqrt(2 / math.pi) * math.exp(-statistic / 2) * (root + root**3 / 3)
    return min(1.0, math.erfc(root / math.sqrt(2)) + tail)


def _binomial_tail(trials: int, hits: int, chance: float) -> float:
    """Chance of at least `hits`, or at most if they are fewer than expected."""
    if not 0 < chance < 1:
        return 1.0 if hits == trials * chance else 0.0
    tail = range(hits + 1) if hits < trials * chance else range(hits, trials + 1)
    whole = math.lgamma(trials + 1)
    logs = (
        whole
        - math.lgamma(k + 1)
        - math.lgamma(trials - k + 1)
        + k * math.log(chance)
        + (trials - k) * math.log1p(-chance)
        for k in tail
    )
    return min(1.0, math.fsum(map(math.exp, logs)))
