"""Best play of several players with dice of their own, in NumPy: every turn between the values."""

from dataclasses import replace
from functools import lru_cache

import numpy as np

from solver.game.many import Size
from solver.game.many_best import SharedPosition, SharedStrategy, check_shared_position
from solver.game.position import check_turn, leads_to
from solver.game.standings import Bools, Standing, score_count
from solver.loaded.matchup import Matchup
from solver.turn.dice import DiceSet, Roll
from solver.turn.equations import Floats
from solver.turn.scoring import Fate, SetAside, TurnPlan, TurnState


class ManyMatchupStrategy(SharedStrategy):
    """Play of several players of whom each maximises the own chance to win.

    Seats are players in their order; dice are an index into the remaining dice of the mover's set.
    """

    def __init__(self, matchup: Matchup, values: Floats, *, first: int = 0) -> None:
        """`values` are those of a `ManyMatchupSolution`, those of the seat `first` first."""
        self.matchup, self._first = matchup, first
        super().__init__(matchup.rules, matchup.players, values, (np.ones((1, 1)),))
        self._plan = lru_cache(maxsize=matchup.players)(self._find_plan)
        self._possible = lru_cache(maxsize=matchup.players)(self._find_possible)

    def find_size(self) -> Size:
        """As it says above."""
        return self.matchup.size

    def plan(self, mover: int) -> TurnPlan:
        """As it says above."""
        return self._plan(self.matchup.dice.index(self.matchup.dice[mover]))

    def thrown(self, mover: int) -> DiceSet:
        """As it says above."""
        return self.matchup.dice[mover]

    def role(self, mover: int) -> int:
        """As it says above."""
        return (mover - self._first) % self._size.roles

    def fate(self, mover: int, roll: Roll) -> Fate:
        """As it says above."""
        return Fate.SCORES if self.set_asides(mover, roll) else Fate.FARKLE

    def set_asides(self, mover: int, roll: Roll) -> tuple[SetAside, ...]:
        """As it says above."""
        return self.matchup.set_asides(mover, roll)

    def after(self, mover: int, turn: TurnState, kept: SetAside) -> TurnState:
        """As it says above."""
        left = self.matchup.left(mover, turn.dice, kept.dice)
        return TurnState(turn.turn_total + kept.points, left)

    def check(self, position: SharedPosition) -> None:
        """As it says above."""
        start = replace(position, turn=TurnState(0, self.rules.dice))
        check_shared_position(self.rules, start)
        mover, thrown = position.mover, self.thrown(position.mover)
        check_turn(self.rules, position.turn, thrown, lambda: self._possible(mover)[np.newaxis])

    def is_reachable(self, position: SharedPosition) -> bool:
        """Whether rolls of the mover lead to the turn of a position that has a value."""
        return leads_to(self._possible(position.mover), self.rules, position.turn)

    def possible(self, mover: int, rows: int) -> Bools:
        """States that a turn of a player may come to, shape (rows, columns)."""
        found = self._possible(mover)
        return found[np.minimum(np.arange(rows), len(found) - 1)]

    @property
    def values_by_seat(self) -> Floats:
        """Those of a `ManyMatchupSolution`, in memory."""
        return np.roll(self._values, self._first, axis=0)

    def first_position(self) -> SharedPosition:
        """The start of a game."""
        players = (Standing(),) * self.players
        return SharedPosition(players, 0, TurnState(0, self.whole(0)))

    def _find_plan(self, seat: int) -> TurnPlan:
        return self.matchup.lists(seat, all_options=True).plan(self.matchup.dice[seat])

    def _find_possible(self, seat: int) -> Bools:
        lists = self.matchup.lists(seat, all_options=True)
        reach = int(lists.targets[-1]) // lists.columns
        return lists.possible_states(score_count(self.rules) + 2 * reach)
