"""How often one way to play wins against another one, as solver.play.contests works it out."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from solver.game.standings import Progress
from solver.rules.ruleset import Ruleset

MOST_GAMES = 10_000_000
"""The most games that are played at a time."""

OnContest = Callable[[float | Progress], None]
"""Is called with the share of all turns that is evaluated, then with how the sweeps go."""


@dataclass(frozen=True, slots=True)
class Duel:
    """What one policy wins against another one under some rules; a shared win counts half."""

    rules: Ruleset
    one: str
    """The name of the policy that is told about."""
    other: str
    as_first: float
    """Win probability of `one` when it begins."""
    as_second: float
    """When the other one does."""
    change: float
    """Largest change of the chance to win, of either player in any state, in the last sweep."""
    sweeps: int
    """0 where nothing was worked out, and the chances are rates of games that were played."""
    played: "Played | None" = None
    """Games of these two that were played as well, or instead."""

    @property
    def is_exact(self) -> bool:
        """Whether the chances are worked out."""
        return self.sweeps > 0

    @property
    def overall(self) -> float:
        """The mean of both: each begins as often."""
        return (self.as_first + self.as_second) / 2


@dataclass(frozen=True, slots=True)
class Played:
    """Games that two policies have played, half of them begun by each."""

    games: int
    seed: int
    began: float
    """Share of the games that the first one began and won; a shared win counts half."""
    replied: float

    @property
    def rates(self) -> tuple[tuple[float, float], ...]:
        """Win rates with their standard errors: beginning, second and overall."""
        halves = [(rate, rate * (1 - rate) / (self.games / 2)) for rate in self._halves]
        overall = sum(rate for rate, _ in halves) / 2, sum(square for _, square in halves) / 4
        return tuple((rate, math.sqrt(square)) for rate, square in (*halves, overall))

    def agrees(self, duel: Duel) -> bool:
        """Whether nothing but chance is between these games and exact win probabilities.

        In a million duels about three fail this by chance.
        """
        exact = duel.as_first, duel.as_second
        errors = [math.sqrt(chance * (1 - chance) / (self.games / 2)) for chance in exact]
        return all(
            abs(rate - chance) <= 5 * error + 2 / self.games
            for rate, chance, error in zip(self._halves, exact, errors, strict=True)
        )

    @property
    def _halves(self) -> tuple[float, float]:
        return self.began, self.replied
