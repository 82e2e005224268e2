"""How a turn ends after a choice: the chances of a farkle and of each number of points banked."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from solver.game.best import BestPlay
from solver.turn.dice import TurnState
from solver.turn.equations import Decision
from solver.turn.points import turn_outcome

if TYPE_CHECKING:
    from solver.play.advice import Advice, Option


_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class TurnEnds:
    """The chances of how a turn ends that goes on as is best; what is missing to 1 is `out`."""

    farkle: float
    """That of a farkle which loses the turn total."""
    banked: tuple[tuple[int, float], ...]
    """Points that the turn brings, ascending, and the chance of each."""
    wins: float
    """That of a roll which wins the game."""
    loses: float
    """That of a roll which loses everything."""

    @property
    def out(self) -> float:
        """Return the chance of a roll which loses the game."""
        banked = sum(chance for _, chance in self.banked)
        rest = 1 - self.farkle - banked - self.wins - self.loses
        return rest if rest > _ROUNDING else 0.0

    @property
    def points(self) -> float:
        """Return what the turn banks on average, in points; a roll that wins or loses counts 0."""
        return sum(points * chance for points, chance in self.banked)


def with_endings(strategy: BestPlay, advice: "Advice") -> "Advice":
    """Return advice with how the turn ends after each choice.

    It is returned as it is where a badge that is used up may change the turn. Raises
    StrategyFileError.
    """
    position = advice.position
    if strategy.power_turn(position) is not None:
        return advice
    table, rules = strategy.turn(position).of_mover, advice.rules
    known: dict[TurnState, TurnEnds] = {}

    def ends(option: "Option") -> TurnEnds:
        if option.action is not Decision.ROLL:
            return TurnEnds(0.0, ((option.turn_total, 1.0),), 0.0, 0.0)
        state = advice.after(option)
        if state not in known:
            found = turn_outcome(rules, table, state)
            # a farkle that keeps the turn total banks it
            kept = np.concatenate(([0.0], found.farkled[1:]))
            chances = found.banked + kept
            points = np.flatnonzero(chances)
            banked = tuple((int(k) * rules.point_step, float(chances[k])) for k in points)
            known[state] = TurnEnds(float(found.farkled[0]), banked, found.wins, found.loses)
        return known[state]

    return replace(advice, options=tuple(replace(one, ends=ends(one)) for one in advice.options))
