"""What a rule set is like to play, in a few numbers, so that rule sets can be compared.

Who begins and what a turn for the most points is worth are exact. So are, of games that are not too
large, the turns of a game and what a careless player wins against best play, the turns only where
ties are not played on. All else is counted in games of optimal play by both, see solver.play.tally,
and told with a standard error. Games of rounds, and in which a turn depends on the one before it,
are not counted but played turn by turn, see bot.services.comparing.
"""

import math
from dataclasses import dataclass

from solver.rules.ruleset import Ruleset

CLOSE = 0.005
"""Decisions are close whose choices differ by less win probability than this."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number, and the standard error of it where it is none that was computed exactly."""

    value: float
    standard_error: float | None = None


@dataclass(frozen=True, slots=True)
class Tally:
    """What games of optimal play by both are like."""

    games: int
    turns: Estimate
    """The turns of a game, those of both players."""
    points: Estimate
    """The points that a turn banks, 0 for one that banks nothing; penalties aside."""
    farkles: Estimate
    """Share of the turns that end in a farkle."""
    decisions: Estimate
    """The decisions in a game, those of both players: states in which one may bank or roll."""
    close: Estimate
    """Share of them in which the choices differ by less than CLOSE."""


UNKNOWN = Estimate(math.nan)
"""What is not known."""

CARELESS = ("cautious", "greedy")
"""Levels that a careless player may play at."""

GAMES = 10_000
"""The number of games that are played for each rule set by default."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """What one rule set is like to play."""

    rules: Ruleset
    first_player: float
    """Win probability of who begins; exact."""
    points: float
    """Expected points of a turn for the most points at the start of the game; exact."""
    farkles: float
    """Chance that such a turn ends in a farkle; exact."""
    tally: Tally
    """The tally of games of optimal play; turns have no standard error where they are exact."""
    careless: str
    """The level of a careless player."""
    careless_wins: Estimate
    """Win probability of that player against optimal play, as first as often as second."""

    @property
    def careless_loses(self) -> float:
        """The win probability that the careless player lacks to an even chance."""
        return 0.5 - self.careless_wins.value
