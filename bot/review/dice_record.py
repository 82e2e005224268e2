"""Whether the dice of many rolls fell by their weights: counts, farkles and a chi-square test."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from bot.table.badges import throws
from bot.table.events import Begun, Event
from solver.named.sets import NamedDie
from solver.rules.ruleset import FACES

_FEWEST = 5
"""Times that each face has to be expected, so that the chi-square distribution is near enough
(Cochran 1954)."""
FEWEST_DICE = _FEWEST * len(FACES)
"""Dice with six equal faces of which something can be said."""
UNUSUAL, VERY_UNUSUAL = 0.05, 0.001


class Fairness(StrEnum):
    """What the counts of the faces say."""

    TOO_FEW = "too few"
    FAIR = "fair"
    UNUSUAL = "unusual"
    VERY_UNUSUAL = "very unusual"


class FaceCounts:
    """How often each face fell of dice that have the same weights."""

    counts: tuple[int, ...]
    """How often the faces 1 to 6 came up; several jokers of a die count on the first."""

    @property
    def weights(self) -> tuple[int, ...]:
        """How often each face falls in so many throws."""
        return (1,) * len(FACES)

    @property
    def dice(self) -> int:
        """Number of dice rolled."""
        return sum(self.counts)

    @property
    def expected(self) -> tuple[float, ...]:
        """Times that each face is expected."""
        return tuple(self.dice * weight / sum(self.weights) for weight in self.weights)

    @property
    def chi_square(self) -> float:
        """Pearson's statistic of the counts; 0 without dice."""
        both = zip(self.counts, self.expected, strict=True)
        return sum((n - mean) ** 2 / mean for n, mean in both if mean)

    @property
    def degrees_of_freedom(self) -> int:
        """The degrees of freedom of the statistic."""
        return sum(weight > 0 for weight in self.weights) - 1

    @property
    def p_value(self) -> float:
        """Chance that such dice fall at least as far from their weights."""
        return chi_square_tail(self.chi_square, self.degrees_of_freedom)

    @property
    def fairness(self) -> Fairness:
        """What the counts of the faces say."""
        if min(filter(None, self.expected), default=0) < _FEWEST:
            return Fairness.TOO_FEW
        if self.p_value >= UNUSUAL:
            return Fairness.FAIR
        return Fairness.UNUSUAL if self.p_value >= VERY_UNUSUAL else Fairness.VERY_UNUSUAL


@dataclass(frozen=True, slots=True)
class LoadedCount(FaceCounts):
    """The faces of the dice of one kind that players brought."""

    die: NamedDie
    counts: tuple[int, ...]

    @property
    def weights(self) -> tuple[int, ...]:
        """The weights of the die."""
        return self.die.die.weights


@dataclass(frozen=True, slots=True)
class DiceRecord(FaceCounts):
    """Counts over many rolls and how likely fair dice are to give such."""

    rolls: int
    counts: tuple[int, ...]
    six_dice_rolls: int
    """Rolls of six dice of which is known whether they were farkles."""
    six_dice_farkles: int
    farkle_chances: tuple[tuple[float, int], ...]
    """Chances of a farkle under the rules that were played, each with its number of rolls."""
    loaded: tuple[LoadedCount, ...] = ()
    """The dice that players brought, which are not among the others."""

    @property
    def expected_farkles(self) -> float:
        """Farkles expected in the rolls of six dice."""
        return math.fsum(chance * rolls for chance, rolls in self.farkle_chances)

    @property
    def farkle_chance(self) -> float:
        """The chance of a farkle in these rolls, on average."""
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


def loaded_record(games: Iterable[tuple[Begun, Sequence[Event]]]) -> tuple[LoadedCount, ...]:
    """Count the dice of games to which players bring theirs, what was rolled most first."""
    counts: defaultdict[NamedDie, Counter[int]] = defaultdict(Counter)
    for first, events in games:
        for die, face in _fallen(first, events):
            counts[die][face] += 1
    records = [
        LoadedCount(die, tuple(shown[face] for face in FACES)) for die, shown in counts.items()
    ]
    return tuple(
        sorted(records, key=lambda record: (-record.dice, record.die.key, record.die.die.weights))
    )


def _fallen(first: Begun, events: Sequence[Event]) -> Iterator[tuple[NamedDie, int]]:
    """Every die that fell in a game of dice with names, with its face."""
    for game, types, fallen in throws(first, events):
        names = game.kit.with_added
        for of_type, die in zip(sorted(types), sorted(fallen), strict=True):
            yield names.first_name(of_type), (die - 1) % len(FACES) + 1


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
