"""What games of optimal play are like, as data: see solver.play.tally, which plays them."""

from dataclasses import dataclass

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
    """That a turn banks, 0 for one that banks nothing; penalties aside."""
    farkles: Estimate
    """Share of the turns that end in a farkle."""
    decisions: Estimate
    """The decisions in a game, those of both players: states in which one may bank or roll."""
    close: Estimate
    """Share of them in which the choices differ by less than CLOSE."""
