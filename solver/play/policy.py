"""What a policy is: a way to play, given by what each state of a turn is worth and where to bank.

A roll goes to the set-aside that leads to the most, of equal ones to that with more points, then to
that with fewer dice. A policy is a function of the position and the roll alone, so that it cannot
know the dice to come. Whatever a player throws, it is asked in the same way.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from solver.errors import InvalidRequestError
from solver.game.position import Position, banks_allowed
from solver.rules.ruleset import Ruleset
from solver.turn.dice import Hand, Roll, TurnState
from solver.turn.equations import Floats, turn_plan
from solver.turn.memory import held_places
from solver.turn.points import points_table

_REMEMBERED = 512
"""Decisions that are kept for dice of one's own."""


@dataclass(frozen=True, slots=True)
class Move:
    """The dice to set aside, and whether to bank then."""

    set_aside: Roll
    bank: bool


@dataclass(frozen=True, slots=True, eq=False)
class Decisions:
    """What to do in one turn, by turn total in point steps and remaining dice n in column n - 1.

    The last level and the last turn total stand for all further ones.
    """

    worth: Floats
    """What a state is worth against others of the turn, shape (levels, turn totals, columns)."""
    bank: npt.NDArray[np.bool_]
    """Where to bank, if it is legal, in the same shape."""

    def place(self, rules: Ruleset, turn: TurnState) -> tuple[int, int, int]:
        """Where a state stands in the arrays."""
        levels, totals, _ = self.worth.shape
        _, fills = held_places(rules)[turn.held_set]
        row = min(turn.turn_total // rules.point_step + fills, totals - 1)
        return min(turn.hot_dice, levels - 1), row, turn_plan(rules).column(turn)


class Policy:
    """A way to play, given by its Decisions; it is asked only about rolls that score.

    In a last turn, and in those of a play-off, decisions may depend on what is to be beaten and on
    the board alone.
    """

    name: str
    looks_at: tuple[str, ...] = ("farkles", "opponent", "opponent_farkles", "opponent_on_board")
    """The fields of a position that decisions depend on while nobody has reached the goal, beside
    `banked` and `on_board`, which they always may; `began` is one of them only where it is named.
    The fewer they are, the quicker a policy is evaluated exactly."""

    def decisions(self, hand: Hand, position: Position) -> Decisions:
        """The decisions of the turn that a position belongs to; the position must be possible."""
        raise NotImplementedError

    def choose(self, hand: Hand, position: Position, roll: Roll) -> Move:
        """What to do after a roll of what is thrown; always legal.

        position : as before the roll; its dice are those rolled, and `opponent` is the score of the
            strongest one
        """
        rules, decisions = hand.rules, self.decisions(hand, position)
        best = -np.inf, -1
        choice = None
        for kept in hand.set_asides(roll, position.turn):
            after = hand.after(position.turn, kept)
            state = decisions.place(rules, after)
            if (rank := (float(decisions.worth[state]), after.turn_total)) > best:
                best = rank
                rows = after.turn_total // rules.point_step + 1
                allowed = banks_allowed(rules, position, rows)[-1]
                column = hand.plan.column(after)
                legal = hand.plan.may_bank[column] and allowed
                must = hand.plan.must_bank[column]
                choice = Move(kept.dice, bool(legal and (must or decisions.bank[state])))
        if choice is None:
            raise InvalidRequestError("a policy is asked only about a roll of which dice score")
        return choice

    def takes_over(self, hand: Hand, position: Position) -> bool:
        """Whether to roll on with what the player before left, if that is anything.

        Where nothing else is said that is where a turn for the most points is worth more with it.
        """
        if position.offered is None:
            return False
        turn = points_table(hand.rules, hand.plan, max(position.banked, 0))
        return turn.roll_value(position.offered) > float(turn.roll[0, 0, -1])

    def banks(self, hand: Hand, position: Position) -> bool:
        """Whether to bank before a roll, where that is legal."""
        decisions = self.decisions(hand, position)
        return bool(decisions.bank[decisions.place(hand.rules, position.turn)])


def by_number(hand: Hand, decisions: Decisions) -> Decisions:
    """Return decisions that look at the number of dice alone, for what a player throws."""
    if hand.numbers == tuple(range(1, decisions.worth.shape[-1] + 1)):
        return decisions
    masks = (tuple(mask.tolist()) for mask in (hand.plan.may_bank, hand.plan.must_bank))
    return _by_number(hand.numbers, *masks, decisions)


@lru_cache(maxsize=_REMEMBERED)
def _by_number(
    numbers: tuple[int, ...],
    may_bank: tuple[bool, ...],
    must_bank: tuple[bool, ...],
    decisions: Decisions,
) -> Decisions:
    columns = np.array(numbers) - 1
    banks = decisions.bank[..., columns] & may_bank | must_bank
    return Decisions(decisions.worth[..., columns], banks)
