"""Best play of a match-up that is solved: its values, and every turn between them, in NumPy."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt

from solver.game.position import Position, check_position, check_turn, leads_to
from solver.game.standings import score_count
from solver.loaded.many_strategy import ManyMatchupStrategy
from solver.loaded.matchup import Matchup, uses_shape
from solver.loaded.power_turn import PowerTurn
from solver.turn.equations import Endings, Floats, TurnTable, solve_turn
from solver.turn.scoring import TurnPlan, TurnState


@dataclass(frozen=True, slots=True)
class Held:
    """What is left of the badges in a game under way."""

    uses: tuple[int, int] | None = None
    """Left of side 0 and of side 1; None for all."""
    spent: bool = False
    """Whether the side to act has used its badge in this turn, and may not again before the next.
    """
    changed: bool = False
    """Whether the badge has changed the roll on the table, which it does once at most."""


ALL_LEFT = Held()
"""Nothing of any badge is used."""


class MatchupStrategy:
    """Optimal play of a match-up by both sides.

    A position is that of the side to act: its `dice` are an index into the remaining dice of that
    side's set.
    """

    def __init__(self, matchup: Matchup, values: Floats) -> None:
        """`values` are those of a `MatchupSolution`."""
        self.matchup = matchup
        self.rules = matchup.rules
        self.values = values
        self.plan: Callable[[int], TurnPlan] = lru_cache(maxsize=2)(self._plan)
        """The turn of a side."""
        self._turn = lru_cache(maxsize=64)(self._solve_turn)
        self._power_turn = lru_cache(maxsize=16)(self._solve_power_turn)
        self._possible = lru_cache(maxsize=2)(self._find_possible)

    @cached_property
    def by_seat(self) -> ManyMatchupStrategy:
        """Return this without badges as play of several, of whom two are left."""
        roles = self.matchup.size.roles
        return ManyMatchupStrategy(self.matchup, self.values[:roles, ..., np.newaxis])

    def win_probability(
        self, side: int, banked: int = 0, opponent: int = 0, held: Held = ALL_LEFT
    ) -> float:
        """Win probability of the side that is about to start a turn at a possible score."""
        if held.spent:  # a use was said before the first roll
            start = self.start(side, banked, opponent)
            return self.turn(side, start, held).value(start.turn)
        step = self.rules.point_step
        place = (*self._left(held), side, banked // step, opponent // step)
        return float(self.values[place])

    def turn(self, side: int, position: Position, held: Held = ALL_LEFT) -> TurnTable:
        """The table of the turn that a possible position of a side belongs to.

        Where badges are used up it is the part in which so much is left of them.
        """
        if any(self.matchup.powers):
            return self.power_turn(side, position, held).table
        return self._turn(side, position.banked, position.opponent)

    def power_turn(self, side: int, position: Position, held: Held = ALL_LEFT) -> PowerTurn:
        """The turn of a position of a match-up in which badges are used up."""
        place = position.banked, position.opponent
        return self._power_turn(side, *place, self._left(held), held.spent)

    def start(self, side: int, banked: int = 0, opponent: int = 0) -> Position:
        """The position of a side that is about to start a turn."""
        return Position(banked, opponent, dice=self.matchup.dice[side].whole)

    def check(self, side: int, position: Position) -> None:
        """Refuse a position that has no value. Raises InvalidPositionError."""
        check_position(self.rules, replace(position, turn_total=0, dice=self.rules.dice))
        thrown = self.matchup.dice[side]
        check_turn(self.rules, position.turn, thrown, lambda: self._possible(side)[np.newaxis])

    def is_reachable(self, side: int, turn: TurnState) -> bool:
        """Whether rolls of a side lead to a state of a turn that has a value."""
        return leads_to(self._possible(side), self.rules, turn)

    def possible(self, side: int, rows: int) -> npt.NDArray[np.bool_]:
        """States that a turn of a side may come to, shape (rows, columns); rows in point steps."""
        found = self._possible(side)
        return found[np.minimum(np.arange(rows), len(found) - 1)]

    def _plan(self, side: int) -> TurnPlan:
        return self.matchup.lists(side).plan(self.matchup.dice[side])

    def _find_possible(self, side: int) -> npt.NDArray[np.bool_]:
        """States of a turn, by turn total and dice; the last row is for all that follow.

        With a badge that makes other points of dice, all but dice that are gone for none.
        """
        lists, power = self.matchup.lists(side), self.matchup.powers[side]
        if power and power.makes_points:
            found = np.ones((2, lists.columns), dtype=np.bool_)
            found[0, :-1] = False
            return found
        rows = score_count(self.rules) + 2 * int(lists.targets[-1]) // lists.columns
        return lists.possible_states(rows)

    def _left(self, held: Held) -> tuple[int, ...]:
        shape = uses_shape(self.matchup)
        if held.uses is None:
            return tuple(number - 1 for number in shape)
        return held.uses[: len(shape)]

    def _solve_power_turn(
        self, side: int, banked: int, opponent: int, uses: tuple[int, int], spent: bool
    ) -> PowerTurn:
        one, other = uses
        theirs = self.values[:, other, 1] if side == 0 else self.values[one, :, 0]
        plan = self.plan(side)
        scores = banked, opponent
        return PowerTurn(self.matchup, plan, side, theirs, uses[side], *scores, spent=spent)

    def _solve_turn(self, side: int, banked: int, opponent: int) -> TurnTable:
        rules, step, plan = self.rules, self.rules.point_step, self.plan(side)
        missing = (rules.winning_score - banked) // step
        least = rules.least_bank() // step
        bank = np.ones(max(missing, least) + plan.reach)
        theirs = self.values[1 - side, opponent // step]
        bank[:missing] = 1 - theirs[banked // step :][:missing]
        farkle = np.full(len(bank), 1 - theirs[banked // step])
        bank[: rules.least_bank_at(banked) // step] = np.nan
        return solve_turn(plan, Endings.alone(bank, farkle, lost=0.0))
