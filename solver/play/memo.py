"""People who play what they can keep in mind: a table of gains, when to go for it, a rule of thumb.

All of them bank whatever wins, if they may, and roll in a last turn until they have beaten the
other player. Before that they do not look at scores, but to go for it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np

from solver.game.position import Position, least_bank, points_to_beat
from solver.game.standings import Bools
from solver.play.policy import Decisions, Policy, by_number
from solver.rules.ruleset import Ruleset
from solver.turn.dice import Hand, Remaining
from solver.turn.equations import EqualDice, Floats, turn_plan
from solver.turn.memo import memo_table

_REMEMBERED = 4096
"""Turns whose decisions are kept."""

_MORE = 1e12
"""More than any points."""
_WINS = 1e15
"""What a turn total is worth that wins: more than all else."""


@dataclass(frozen=True, slots=True)
class GoForIt:
    """When not to bank short of the win, by number of dice, of 1 die first; None for never."""

    own: tuple[int | None, ...]
    """Own score from which on, before the turn."""
    other: tuple[int | None, ...]
    """Score of the opponent from which on."""

    def dice(self, position: Position) -> frozenset[Remaining]:
        """The numbers of dice with which to go for it."""
        return frozenset(
            dice + 1
            for dice, (own, other) in enumerate(zip(self.own, self.other, strict=True))
            if (own is not None and position.banked >= own)
            or (other is not None and position.opponent >= other)
        )


class Memo(Policy):
    """Plays by the table to memorise: keeps what makes turn total and gain greatest.

    It banks where the gain counts as 0. Of equal sums it takes the one that is banked, else the one
    with more dice left. So with the point step for unit it is never wrong between bank and roll: a
    sum of turn total and gain stands for what is that much or up to a unit less.
    """

    name = "memo"
    looks_at: tuple[str, ...] = ()

    def __init__(self, unit: int | None = None) -> None:
        """`unit` as for memo_table."""
        self.unit = unit

    def decisions(self, hand: Hand, position: Position) -> Decisions:
        """The decisions of the turn that a position belongs to."""
        risked = self.risked(hand.rules, position)
        return by_number(hand, _memo_decisions(self.unit, risked, _target(hand.rules, position)))

    def risked(self, rules: Ruleset, position: Position) -> frozenset[Remaining]:  # noqa: ARG002
        """The numbers of dice with which nothing is banked short of the win."""
        return frozenset()

    def without_goal(self, rules: Ruleset) -> Decisions:
        """The decisions of a turn that no goal ends, of a player on the board."""
        return by_number(
            EqualDice(rules), _memo_decisions(self.unit, frozenset(), _no_target(rules))
        )


class MemoGoForIt(Memo):
    """Plays by the table, but near the end it may go for it: it banks nothing short of the win."""

    name = "memo-go-for-it"
    looks_at: tuple[str, ...] = ("opponent",)

    def __init__(self, go_for_it: GoForIt, unit: int | None = None) -> None:
        """`unit` as for memo_table."""
        super().__init__(unit)
        self.go_for_it = go_for_it

    def risked(self, rules: Ruleset, position: Position) -> frozenset[Remaining]:
        """The numbers of dice that the thresholds say; none once somebody has reached the goal."""
        if max(position.banked, position.opponent) >= rules.winning_score:
            return frozenset()
        return self.go_for_it.dice(position)


Keep = Literal["most points", "fewest dice", "bank first", "points for dice"]
"""Which dice a rule of thumb sets aside.

"most points": what scores most.
"fewest dice": all for hot dice if it can; else as few dice as it can, of these the most points.
"bank first": all for hot dice if it can; else what is banked by its numbers, of that the most
points; else as with the fewest dice.
"points for dice": what makes the turn total most if each die left to roll beyond some counts as a
number of points; after hot dice all of them are left. Of equal sums it takes the one that is
banked, of these the one with the most points; else the one with the most dice left."""


@dataclass(frozen=True, slots=True)
class Thumb:
    """A rule of thumb; its numbers are in points.

    With dice left to roll the turn is banked from `bank[k]` on, for the first of `most_dice` that
    is not less than their number; with more dice it goes on.
    """

    keep: Keep
    most_dice: tuple[Remaining, ...]
    bank: tuple[int, ...]
    per_die: int = 0
    """Points that a die left counts as, where it does."""
    beyond: int = 0
    """Dice left that count as nothing."""

    def bank_from(self, dice: Remaining) -> int | None:
        """The least turn total to bank with so many dice left; None for never."""
        groups = zip(self.most_dice, self.bank, strict=True)
        return next((bank for most, bank in groups if dice <= most), None)


def banked_dice(rules: Ruleset, fewest: int, most: int) -> list[int]:
    """The numbers of dice, of some, for which a rule of thumb says when to bank.

    These are all, hot dice too, unless the rules let a turn be banked with few dice alone.
    """
    is_told = rules.bank_dice_left >= rules.dice - 1
    return [dice for dice in range(fewest, most + 1) if is_told or rules.may_leave(dice)]


class RuleOfThumb(Policy):
    """Plays by a rule of thumb."""

    name = "rule-of-thumb"
    looks_at: tuple[str, ...] = ()

    def __init__(self, thumb: Thumb) -> None:
        self.thumb = thumb

    def decisions(self, hand: Hand, position: Position) -> Decisions:
        """The decisions of the turn that a position belongs to."""
        return by_number(hand, _thumb_decisions(self.thumb, _target(hand.rules, position)))

    def without_goal(self, rules: Ruleset) -> Decisions:
        """The decisions of a turn that no goal ends, of a player on the board."""
        return by_number(EqualDice(rules), _thumb_decisions(self.thumb, _no_target(rules)))


class _Target(NamedTuple):
    """What a turn under some rules is for; turn totals in point steps."""

    rules: Ruleset
    least: int
    """The least turn total that may be banked."""
    enough: int | None = None
    """The least turn total whose bank wins; None where none does."""
    is_last: bool = False
    """Whether no bank of less is of any use, in a last turn."""


def _no_target(rules: Ruleset) -> _Target:
    return _Target(rules, rules.least_bank() // rules.point_step)


def _target(rules: Ruleset, position: Position) -> _Target:
    least, step = least_bank(rules, position), rules.point_step
    margin = points_to_beat(rules, position)
    if margin is not None:
        enough = margin + step
    elif rules.is_exact and rules.goal - position.banked < least:
        return _Target(rules, least // step)  # no bank can meet it
    elif position.banked < rules.winning_score:
        enough = rules.winning_score - position.banked
    else:
        return _Target(rules, least // step)
    return _Target(rules, least // step, max(enough, least) // step, margin is not None)


@lru_cache(maxsize=_REMEMBERED)
def _memo_decisions(
    unit: int | None, go_for_it: frozenset[Remaining], target: _Target
) -> Decisions:
    rules = target.rules
    # a turn of one throw is banked, and nothing more is to gain in it
    table = None if rules.throws == 1 else memo_table(rules, unit)
    beyond = max(column.breaks[-1].turn_total for column in table.columns) if table else 0
    left = np.arange(1, rules.dice + 1)

    def rows(totals: Floats, may_bank: Bools) -> tuple[Floats, Bools]:
        gains = table.gains(totals.astype(np.int64)) if table else np.zeros((1, rules.dice))
        banks = (gains <= 0) & may_bank
        ties = np.where(banks, rules.dice + 1, left) / (rules.dice + 2)
        banks[:, [dice - 1 for dice in go_for_it]] = False
        return totals[:, np.newaxis] + gains + ties, banks

    return _decisions(rows, beyond, target)


@lru_cache(maxsize=_REMEMBERED)
def _thumb_decisions(thumb: Thumb, target: _Target) -> Decisions:
    rules = target.rules
    left = np.arange(1, rules.dice + 1)
    froms = [thumb.bank_from(dice) for dice in left.tolist()]

    def rows(totals: Floats, may_bank: Bools) -> tuple[Floats, Bools]:
        total = totals[:, np.newaxis]
        banks = np.stack([totals >= (np.inf if f is None else f) for f in froms], axis=1)
        banks &= may_bank
        if thumb.keep == "points for dice":
            # of what is banked the most points: with equal sums that leaves the fewest dice
            ties = np.where(banks, 2 * rules.dice + 1 - left, left) / (2 * rules.dice + 1)
            return total + thumb.per_die * np.maximum(left - thumb.beyond, 0) + ties, banks
        first = np.zeros(banks.shape)
        if thumb.keep != "most points":
            first += left
        if thumb.keep == "bank first":
            first[banks] = rules.dice
            first[:, -1] = rules.dice + 1
        return _MORE * first + total, banks

    return _decisions(rows, max(thumb.bank), target)


def _decisions(
    make_rows: Callable[[Floats, Bools], tuple[Floats, Bools]], beyond: int, target: _Target
) -> Decisions:
    """The arrays of a turn by a rule, whose last rows win.

    make_rows : what states are worth and where to bank, given turn totals in points and where that
        is allowed
    beyond : points from which on all rows are alike, but for their turn total
    """
    rules, least, enough, is_last = target
    plan = turn_plan(rules)
    last = beyond // plan.step if enough is None else enough
    totals = np.arange(last + 2 * plan.reach, dtype=np.float64) * plan.step
    may_bank = np.ones((len(totals), rules.dice), dtype=np.bool_)
    may_bank[:least] = False
    may_leave = plan.may_bank[plan.usual]
    may_bank[:, ~may_leave] = False
    worth, banks = make_rows(totals, may_bank)
    if is_last:
        banks[:] = False
    if enough is not None:
        # dice that must be rolled do not win yet
        worth[enough:, may_leave], banks[enough:, may_leave] = _WINS, True
        if rules.is_exact:
            worth[enough + 1 :] = 0.0
    banks[:, ~may_leave] = False
    return Decisions(worth[np.newaxis], banks[np.newaxis])
