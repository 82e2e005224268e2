"""Best play of several players with dice of their own, in NumPy: every turn between the values."""

import numpy as np

from solver.game.many import Size
from solver.game.many_best import SharedStrategy
from solver.loaded.matchup import Matchup
from solver.loaded.strategy import OwnDice
from solver.turn.equations import Floats


class ManyMatchupStrategy(OwnDice, SharedStrategy):
    """Play of several players, each with dice, of whom each maximises the own chance to win."""

    def __init__(self, matchup: Matchup, values: Floats, *lasts: Floats, first: int = 0) -> None:
        """Take the arrays of a `ManySolution`, those of the seat `first` first."""
        OwnDice.__init__(self, matchup, matchup.players)
        self._first = first
        SharedStrategy.__init__(self, matchup.rules, matchup.players, values, lasts)

    def find_size(self) -> Size:
        """Return how large the game is."""
        return self.matchup.whole_size

    def role(self, mover: int) -> int:
        """Return the place of a player along the axis of who began."""
        return (mover - self._first) % self._size.roles

    @property
    def _highest(self) -> int:
        beyond = self._size.beyond
        return self._size.scores + (self._size.scores + beyond if beyond else 0)

    def seat(self, player: int) -> int:
        """Return the place of a player along the axis of who has the first final turn."""
        return (player - self._first) % len(self._lasts[0])

    @property
    def arrays(self) -> tuple[Floats, ...]:
        """Return the arrays of a `ManySolution`, in memory."""
        return tuple(np.roll(array, self._first, axis=0) for array in (self._values, *self._lasts))
