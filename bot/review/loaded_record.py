"""How loaded dice have fallen, die by die, against the weights that they have."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from bot.review.dice_record import UNUSUAL, VERY_UNUSUAL, Fairness, chi_square_tail
from bot.table.badges import throws
from bot.table.events import Begun, Event
from bot.table.state import Game
from solver.named.sets import NamedDie
from solver.rules.ruleset import FACES

_FEWEST = 5
"""Times that each face has to be expected (Cochran 1954)."""


@dataclass(frozen=True, slots=True)
class LoadedCount:
    """How often each face of a die of one kind fell."""

    die: NamedDie
    counts: tuple[int, ...]
    """Of the faces 1 to 6; of a die with several jokers all of them on the first."""

    @property
    def dice(self) -> int:
        """Number of dice rolled."""
        return sum(self.counts)

    @property
    def expected(self) -> tuple[float, ...]:
        """Times that each face is expected."""
        weights = self.die.die.weights
        return tuple(self.dice * weight / sum(weights) for weight in weights)

    @property
    def p_value(self) -> float:
        """Chance that such a die falls at least as far from its weights (Pearson)."""
        told = [(n, mean) for n, mean in zip(self.counts, self.expected, strict=True) if mean]
        return chi_square_tail(sum((n - mean) ** 2 / mean for n, mean in told), len(told) - 1)

    @property
    def fairness(self) -> Fairness:
        """What the counts of its faces say."""
        if min(filter(None, self.expected), default=0) < _FEWEST:
            return Fairness.TOO_FEW
        if self.p_value >= UNUSUAL:
            return Fairness.FAIR
        return Fairness.UNUSUAL if self.p_value >= VERY_UNUSUAL else Fairness.VERY_UNUSUAL


def loaded_record(games: Iterable[tuple[Begun, Sequence[Event]]]) -> tuple[LoadedCount, ...]:
    """Count the dice of games to which players bring theirs, what was rolled most first."""
    counts: defaultdict[NamedDie, Counter[int]] = defaultdict(Counter)
    for first, events in games:
        for die, face in _fallen(first, events):
            counts[die][face] += 1
    found = [
        LoadedCount(die, tuple(shown[face] for face in FACES)) for die, shown in counts.items()
    ]
    return tuple(sorted(found, key=lambda one: (-one.dice, one.die.key, one.die.die.weights)))


def _fallen(first: Begun, events: Sequence[Event]) -> Iterator[tuple[NamedDie, int]]:
    """Every die that fell in a game, with its face."""
    for game, types, fallen in throws(first, events):
        if game.kits:
            yield from _named(game, types, fallen)


def _named(game: Game, types: list[int], fallen: Sequence[int]) -> Iterator[tuple[NamedDie, int]]:
    names = game.kits[game.mover].with_added
    for of_type, die in zip(sorted(types), sorted(fallen), strict=True):
        yield names.first_name(of_type), (die - 1) % len(FACES) + 1
