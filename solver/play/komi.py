"""The fair start: the head start in points that comes closest to an even game.

The player who begins is favoured under most rules, so that the second one gets the points; where
the second one is favoured, the first one gets them. Points that a player is given count as points
on the score sheet: who has them is on the board, and may bank what the minimum for that allows.
"""

from dataclasses import dataclass

from solver.game.best import Strategy
from solver.game.position import first_position


@dataclass(frozen=True, slots=True)
class HeadStart:
    """A head start, and how it leaves the game."""

    points: int
    """The second player's points; less than 0 where the first one gets them."""
    win_probability: float
    """The chance to win of the player who begins."""


@dataclass(frozen=True, slots=True)
class Komi:
    """The head starts of a rule set."""

    rules: str
    best: HeadStart
    """The one that comes closest to even; of equal ones the smaller."""
    without: HeadStart
    head_starts: tuple[HeadStart, ...]
    """All of them, from the largest for the first player to the largest for the second."""

    @property
    def neighbours(self) -> tuple[HeadStart, ...]:
        """The best one between the next ones, in ascending order."""
        place = self.head_starts.index(self.best)
        return self.head_starts[max(place - 1, 0) : place + 2]


def komi(strategy: Strategy) -> Komi:
    """The head start that comes closest to even, with best play by both.

    Raises StrategyFileError.
    """
    rules, start = strategy.rules, first_position(strategy.rules)
    step, goal = rules.point_step, rules.winning_score
    head_starts = []
    for points in range(step - goal, goal, step):
        position = start
        if points > 0:
            position = start.change(opponent=points, opponent_on_board=True)
        elif points < 0:
            position = start.change(banked=-points, on_board=True)
        head_starts.append(HeadStart(points, strategy.win_probability(position)))
    best = min(head_starts, key=lambda start: (abs(start.win_probability - 0.5), abs(start.points)))
    return Komi(rules.name, best, head_starts[goal // step - 1], tuple(head_starts))
