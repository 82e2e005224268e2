"""How bots play with dice of their own: the levels of solver.play.policies, for one side."""

from functools import lru_cache

import numpy as np

from solver.errors import InvalidRequestError, MissingStrategyError
from solver.game.position import Position
from solver.loaded.kits import Side
from solver.loaded.power_turn import LEAST_GAIN
from solver.loaded.strategy import OwnDice
from solver.play.advice import advise
from solver.play.badge_uses import uses_now, uses_on_roll
from solver.play.policies import Cautious, Greedy, MaxPoints, Optimal, greedy_threshold
from solver.play.policy import Decisions, Move
from solver.rules.ruleset import Ruleset
from solver.turn.dice import Roll
from solver.turn.points import bank_decisions, points_table
from solver.turn.powers import PowerKind
from solver.turn.scoring import SetAside, TurnPlan

LOADED_LEVELS = (Optimal.name, MaxPoints.name, Greedy.name, Cautious.name)
"""The levels that can play with any dice; a table to memorise is one of equal dice."""


class LoadedPolicy:
    """A level of play for one side of a match-up."""

    def __init__(
        self,
        level: str,
        side: Side,
        strategy: OwnDice | None = None,
    ) -> None:
        """`strategy` is what the level optimal plays by.

        Raises InvalidRequestError for a level that cannot play with any dice, and
        MissingStrategyError.
        """
        check_level(level)
        if level == Optimal.name and strategy is None:
            raise MissingStrategyError.say("these dice are not solved against each other yet")
        self._level, self._side = level, side
        self._strategy = strategy if level == Optimal.name else None

    def decisions(self, position: Position) -> Decisions:
        """The decisions of the turn that a position of the side belongs to."""
        rules = self._side.matchup.rules
        if self._strategy:
            table = self._strategy.turn(position)
            return Decisions(table.win_probability, bank_decisions(table))
        plan = _plan(self._side)
        if self._level == MaxPoints.name:
            return _points(rules, plan, position.banked)
        threshold = greedy_threshold(rules) if self._level == Greedy.name else 0
        enough = min(threshold, rules.winning_score - position.banked)
        return _most_points(rules, plan, max(enough, rules.least_bank_at(position.banked)))

    def choose(self, position: Position, roll: Roll) -> Move:
        """What to do after a roll that scores; of equal choices the one with more points."""
        found, side, rules = self.decisions(position), self._side, self._side.matchup.rules

        def rank(kept: SetAside) -> tuple[float, int]:
            after = side.after(position.turn, kept)
            return float(found.worth[found.place(rules, after)]), after.turn_total

        kept = max(side.set_asides(roll), key=rank)
        after = side.after(position.turn, kept)
        legal = rules.may_bank(after.turn_total, position.banked, on_board=True)
        return Move(kept.dice, bool(found.bank[found.place(rules, after)]) and legal)

    def badge_use(self, position: Position, roll: Roll | None) -> Roll | None:
        """The dice of the roll, if one lies there, on which to use the badge now.

        () where it is used on none, None to keep it. Only the level optimal uses badges.
        """
        solved = self._strategy
        if solved is None:
            return None
        if roll is None:
            used = uses_now(solved, position, position.turn)
            return () if used else None
        advice = advise(solved, position, roll)
        found = uses_on_roll(solved, advice)
        if not found or found[0].win_probability <= advice.win_probability + LEAST_GAIN:
            return None
        return () if found[0].kind is PowerKind.RESURRECTION else found[0].dice

    def banks(self, position: Position) -> bool:
        """Whether to bank before a roll, where that is legal."""
        found = self.decisions(position)
        return bool(found.bank[found.place(self._side.matchup.rules, position.turn)])


def check_level(level: str) -> None:
    """Raises InvalidRequestError for a level that cannot play with any dice."""
    if level not in LOADED_LEVELS:
        raise InvalidRequestError.say(
            "the level {level} plays by a table of equal dice; with other dice there are {levels}",
            level=level,
            levels=", ".join(LOADED_LEVELS),
        )


@lru_cache(maxsize=16)
def _plan(side: Side) -> TurnPlan:
    matchup = side.matchup
    return matchup.plan(side.number)


@lru_cache(maxsize=128)
def _points(rules: Ruleset, plan: TurnPlan, score: int) -> Decisions:
    table = points_table(rules, plan, score)
    return Decisions(table.win_probability, bank_decisions(table))


@lru_cache(maxsize=128)
def _most_points(rules: Ruleset, plan: TurnPlan, least: int) -> Decisions:
    """Take the most points, and bank from `least` points on."""
    enough = -(-least // rules.point_step)
    totals = np.arange(enough + 2 * plan.reach)[:, np.newaxis]
    shape = 1, len(totals), plan.columns
    bank = np.broadcast_to(totals >= enough, shape).copy()
    return Decisions(np.broadcast_to(totals.astype(np.float64), shape).copy(), bank)
