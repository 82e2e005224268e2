"""One turn played for the most expected points where no goal ends it: its tail solved, not cut off.

A bank of t points is worth t. A farkle costs y points on top of the turn total, so it is worth -y,
or t - y where it keeps the turn total. A roll that loses everything is worth -s, where s is what is
lost besides the turn total. A roll that wins at once ends the turn with what it has, t, or with a
number of points that is given. The equations are those of solver.turn.equations;
E(t, n) = roll(t, n) - t is the gain of rolling.

*The tail.* From some turn total on, E is a line for each level and number of dice,

    E(t, n) = gain_n - slope_n * t.

The slope is the chance that the turn total is lost before the player may bank: with D_n the
chance of a roll that loses it (a farkle, unless that keeps it, a roll that loses everything, and
one that wins where that is worth so many points whatever the turn total),

    slope_n = D_n                               where hot dice may be banked
            = D_n + H_n * D_all / (1 - H_all)   where they must be rolled

H_n is the chance of a roll that can only be set aside whole. For where t is great nothing is worth
risking it: whatever may be banked is, and hot dice that must be rolled are avoided where a roll
allows. There are two exceptions. A number of dice with slope 0 risks nothing, so that it is rolled
as long as its gain is positive: six dice under zilch rules, all dice where a farkle keeps the turn
total. And where slopes are equal, gains decide. So with the slopes known the gains are those of a
small problem of optimal stopping without t, whose states are the levels and numbers of dice:

    gain_n = constant_n + sum over scoring r of P(r) * max over c in r of
             c_p * (1 - slope of what follows) + gain of what follows

over the c with the least slope; what is banked has slope and gain 0; constant_n = -F_n y - L_n s,
and I_n w where a roll that wins, whose chance is I_n, is worth w.
`_gains` solves it by policy iteration, exactly but for rounding.

*Where it begins.* These lines solve the equations at every t at which the choices they stand for
are best. Each such comparison is one between two lines of t, won by the one that falls less, so
that it holds from one point on, which is known: banking beats rolling n dice from
t = gain_n / slope_n on. That is the threshold A_n / F_n - y of one-step look-ahead where A_n are
the mean points of a roll. The last of these points is `Tail.begins`.

*Why that is the value.* Let V solve the equations from `begins` on, and let somebody play in any
way. V before a roll is at least the mean of V after it, so V(t, n) is at least what the turn brings
if it ends within k rolls, less what V is after k rolls where it does not. Unless a turn can go on
for ever without risk, which `is_endless` finds and is refused, every way to play ends the turn
within a few rolls with a chance above 0, so that the chance of k rolls falls geometrically,
while V grows no faster than t, by `reach` in a roll: that rest goes to 0. So nobody gets more
than V, and who plays as the equations say gets V.

Below `begins` the turn total only grows, and `solve_turn` goes down from there, exactly.

Source: M. Busche, "Maximizing Expected Scores in the Game of Zilch" (2010), for the equations, the
penalty y and the constant gain of six dice.
"""

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt

from solver.errors import InvalidRulesError
from solver.rules.ruleset import Ruleset
from solver.turn.dice import TurnState
from solver.turn.equations import (
    Endings,
    Floats,
    TurnPlan,
    TurnTable,
    possible_states,
    solve_turn,
    turn_plan,
)
from solver.turn.points import BankFrom, TurnOutcome, bank_decisions, bank_from, turn_outcome

Ints = npt.NDArray[np.intp]
Bools = npt.NDArray[np.bool_]

_MOST_ROWS = 100_000
"""Turn totals of all levels that are worked out."""

_EQUAL = 1e-13
"""Gains that differ by less, relative to the largest, are equal."""

_RARE = 1e-4
"""Chance of a turn that goes on beyond the table, so that its end is told by its least points."""
_MOST_FURTHER = 20_000
"""Turn totals of all levels that are added to the table for that."""


@dataclass(frozen=True, eq=False)
class Tail:
    """The gain of rolling at great turn totals: gain - slope * turn total, in points."""

    begins: float
    """The turn total in points from which on it holds."""
    gain: Floats
    """Shape (levels, columns)."""
    slope: Floats
    """Shape (columns,)."""
    rolls: Bools
    """Where the turn goes on, shape (levels, columns); elsewhere it is banked."""
    moves: Floats
    """Chance that a roll in one state leads to another one that is rolled too; both are
    level * columns + column, shape (states, states)."""
    plan: TurnPlan

    def gains(self, turn_totals: Floats) -> Floats:
        """The gains of rolling, shape (levels, turn totals, columns)."""
        return self.gain[:, np.newaxis] - self.slope * turn_totals[:, np.newaxis]

    def beyond(self, level: int, rolled: Floats) -> Floats:
        """How often numbers of dice are rolled, see `turn_outcome`.

        rolled : the chances that each number of dice is rolled now, shape (columns,)
        """
        return np.asarray(rolled @ self._often[level])

    @cached_property
    def _often(self) -> Floats:
        """How often each number of dice is rolled from each state, (levels, columns, columns)."""
        levels, columns = self.gain.shape
        often = np.linalg.inv(np.eye(levels * columns) - self.moves)
        return np.asarray(often.reshape(levels, columns, levels, columns).sum(axis=2))


@dataclass(frozen=True, eq=False)
class EndlessTurn:
    """A turn for most points without a goal."""

    rules: Ruleset
    farkle_cost: float
    """Points that a farkle costs on top of the turn total."""
    on_board: bool
    at_stake: float
    """Points that a roll that loses everything costs on top of the turn total."""
    table: TurnTable
    """The table of the turn in points, where `win_probability` is the expected end of the turn. It
    goes so far that a turn hardly ever goes on beyond it."""
    tail: Tail

    @property
    def points(self) -> float:
        """Expected points of the whole turn, with what farkles cost taken off."""
        return float(self.table.roll[0, 0, -1])

    def gain(self, turn: TurnState) -> float:
        """Expected further points of rolling, at any turn total; less than 0: bank if you may.

        After the last throw, where the turn total is banked and nothing rolled, all of it as lost.
        """
        if self.table.must_bank(turn):
            return -float(turn.turn_total)
        level, row, column = self.table.index(turn)
        total = self.table.plan.row(turn) * self.rules.point_step
        if turn.turn_total >= self.tail.begins:
            gain = float(self.tail.gains(np.array([float(total)]))[level, 0, column])
            return gain + total - turn.turn_total
        return float(self.table.roll[level, row, column] - turn.turn_total)

    @cached_property
    def outcome(self) -> TurnOutcome:
        """The chances of how the turn ends."""
        return turn_outcome(self.rules, self.table, beyond=self.tail.beyond)

    @property
    def farkle_probability(self) -> float:
        """Chance that the turn ends in a farkle."""
        return float(self.outcome.farkled.sum())

    @property
    def counted_probability(self) -> float:
        """Chance that the turn ends in a farkle that counts for the penalty."""
        return self.farkle_probability - self.outcome.spared

    @cached_property
    def banks(self) -> Bools:
        """Where the turn is banked, a tie too, shape (levels, turn totals, columns).

        The last turn total stands for all that follow.
        """
        return bank_decisions(self.table)

    def bank_from(self, hot_dice: int = 0) -> tuple[BankFrom, ...]:
        """When to bank, for each number of dice that can be left, most first.

        hot_dice : of the turn so far
        """
        plan = self.table.plan
        level, usual = plan.after_hot_dice(hot_dice)
        # whatever can be left at all can be after so many rolls
        number = min(hot_dice, self.rules.hot_dice_counted - 1)
        states = math.ceil(plan.columns / (plan.memories[-1].hot_dice + 1))
        rows = self.banks.shape[1] + (number + 1) * states * plan.reach
        which = np.minimum(np.arange(rows), self.banks.shape[1] - 1)
        possible = possible_states(self.rules, rows)[level]
        banks = self.banks[level, which, usual]
        return bank_from(banks, plan.in_play(possible, usual), self.rules.point_step)


@lru_cache(maxsize=8)
def endless_turn(
    rules: Ruleset,
    farkle_cost: float = 0.0,
    *,
    on_board: bool = True,
    at_stake: float = 0.0,
    win: float | None = None,
    plan: TurnPlan | None = None,
) -> EndlessTurn:
    """The turn for most points, with every turn total that there is.

    farkle_cost : points that a farkle costs on top of the turn total
    on_board : whether the opening minimum is behind the player
    at_stake : points that a roll that loses everything costs on top of the turn total
    win : points that a roll is worth that wins at once; None for the turn total
    plan : what the rolls of a player's dice offer; None for those of the rules

    Raises InvalidRulesError where a turn can go on for ever without risk, or so far that it is too
    much to work out.
    """
    plan, step = plan or turn_plan(rules), rules.point_step
    if is_endless(plan):
        raise InvalidRulesError.say(
            "{rules}: under these rules you can roll on for ever without any risk, so there is no"
            " limit to the points of a turn",
            rules=rules.name,
        )
    least = rules.least_bank(on_board=on_board)
    keeps = rules.farkle_keeps_turn_total
    at_stake = 0.0 if rules.spares_farkles else at_stake
    ended = -(plan.counted_farkles * farkle_cost + plan.other_ends * at_stake)
    loses = plan.in_vain - (plan.farkle_chances if keeps else 0.0)
    if win is not None:
        ended, loses = ended + plan.win_chances * win, loses + plan.win_chances
    tail = _tail(plan, ended, loses, least)
    first = math.ceil(tail.begins / step)
    if (first + plan.reach) * plan.levels > _MOST_ROWS:
        raise InvalidRulesError.say(
            "{rules}: under these rules it pays to roll on up to a turn total of {points:,.0f}, in"
            " steps of {step}, which is too far to work out",
            rules=rules.name,
            points=tail.begins,
            step=step,
        )
    first += _further(tail)
    rows = first + plan.reach
    totals = np.arange(rows, dtype=np.float64) * step
    bank, farkle = totals.copy(), np.full(rows, -float(farkle_cost))
    if keeps:
        farkle[least // step :] += totals[least // step :]
    bank[: least // step] = np.nan
    ends = Endings.alone(bank, farkle, -float(at_stake), win=totals if win is None else win)
    last = totals[first:]
    table = solve_turn(plan, ends, beyond=last[:, np.newaxis] + tail.gains(last))
    return EndlessTurn(rules, farkle_cost, on_board, at_stake, table, tail)


def _further(tail: Tail) -> int:
    """How many turn totals beyond its beginning most turns stay in, in point steps."""
    going_on = float(np.max(np.abs(np.linalg.eigvals(tail.moves))))
    if not 0 < going_on < 1:
        return 0
    rolls = math.ceil(math.log(_RARE) / math.log(going_on))
    return min(rolls * tail.plan.reach, _MOST_FURTHER // tail.plan.levels)


def is_endless(plan: TurnPlan) -> bool:
    """Whether all the dice can be rolled again and again without any risk that the turn ends."""
    left = plan.targets[plan.options] % plan.columns
    safe = plan.in_vain + plan.win_chances == 0
    while safe.any():
        stays = np.logical_or.reduceat(safe[left], plan.starts)
        still = safe.copy()
        still[plan.column_of_lists[~stays]] = False
        if np.array_equal(still, safe):
            # fewer and fewer dice end in hot dice, so that all the dice are among them
            return True
        safe = still
    return False


def most_gains(plan: TurnPlan, cost: float) -> Floats:
    """What rolling on gains at most where a farkle costs no less than that, shape (columns,).

    For rules without bonuses for hot dice, which may be banked.
    """
    costs = -cost * plan.counted_farkles
    gain, rolls, _ = _gains(_Choices(plan, np.zeros(plan.columns)), costs, np.zeros(plan.columns))
    gains: Floats = np.where(rolls, gain, 0.0)[0]
    return gains


def _tail(plan: TurnPlan, ended: Floats, loses: Floats, least: int) -> Tail:
    """The tail of a turn, see above.

    ended : what rolls that end the turn bring on top of the turn total on average, shape (columns,)
    loses : chance that a roll loses the turn total, likewise
    least : the least turn total that may be banked
    """
    slope = _slope(plan, loses)
    choices = _Choices(plan, slope)
    gain, rolls, moves = _gains(choices, ended, slope)
    begins = float(least)
    values = choices.values(np.where(rolls, gain, 0.0))
    falls = plan.may_bank & (slope > 0)
    if falls.any():
        begins = max(begins, float(np.max(gain[:, falls] / slope[falls])))
    if choices.avoided.any():
        best = np.maximum.reduceat(values, plan.starts, axis=1).repeat(plan.lengths, axis=1)
        ahead = (choices.all_values(gain) - best)[:, choices.avoided]
        begins = max(begins, float(np.max(ahead / choices.steeper[choices.avoided])))
    return Tail(begins, gain, slope, rolls, moves, plan)


def _slope(plan: TurnPlan, loses: Floats) -> Floats:
    """How much of the turn total a roll costs on average, shape (columns,).

    Of dice that must be rolled all that they lead to costs, of what costs least.
    """
    column = plan.targets[plan.options] % plan.columns
    slope = loses
    while True:
        costs = np.where(plan.may_bank, 0.0, slope)[column]
        following: Floats = loses + plan.chances @ np.minimum.reduceat(costs, plan.starts)
        if np.max(np.abs(following - slope)) <= _EQUAL / 1000:
            return following
        slope = following


class _Choices:
    """What each set-aside of each list adds and leads to, on each level."""

    def __init__(self, plan: TurnPlan, slope: Floats) -> None:
        """`slope` is that of each column; it is paid where that must be rolled."""
        self.plan = plan
        targets = plan.targets[plan.options]
        self.slope = np.where(plan.may_bank, 0.0, slope)[targets % plan.columns]
        """Share of the turn total that is lost behind each option whose dice must be rolled."""
        self.hot = plan.is_hot[plan.options]
        levels = range(plan.levels)
        bonus = np.array([plan.bonuses[level] for level in levels])[:, np.newaxis]
        self.points = (targets // plan.columns + self.hot * bonus) * float(plan.step)
        """The points that each option adds, shape (levels, options)."""
        level = np.array(levels)[:, np.newaxis]
        following = np.array([plan.next_level(k) for k in levels])[:, np.newaxis]
        self.state = np.where(self.hot, following, level) * plan.columns + targets % plan.columns
        """The state that each option leads to, shape (levels, options)."""
        self.steeper = self.slope - np.minimum.reduceat(self.slope, plan.starts).repeat(
            plan.lengths
        )
        self.avoided = self.steeper > _EQUAL
        """Dice that must be rolled where something else can be set aside that costs less."""
        self.column = plan.column_of_lists

    def values(self, gain: Floats) -> Floats:
        """What each option gains, given the gains of states; -inf for what is avoided."""
        gains = self.all_values(gain)
        gains[:, self.avoided] = -np.inf
        return gains

    def all_values(self, gain: Floats) -> Floats:
        """What each option gains at turn total 0, also what is avoided."""
        gains: Floats = self.points * (1 - self.slope) + gain.ravel()[self.state]
        return gains

    def chances(self, picks: Ints) -> tuple[Floats, Floats]:
        """Where rolls lead by some options, shape (states, states), and the points they add.

        picks : an option for each level and list; points have the shape (states,)
        """
        plan = self.plan
        size = plan.levels * plan.columns
        moves, points = np.zeros((size, size)), np.zeros(size)
        weight = plan.chances.max(axis=0)
        for level, pick in enumerate(picks):
            here = level * plan.columns + self.column
            kept = self.points[level, pick] * (1 - self.slope[pick])
            np.add.at(moves, (here, self.state[level, pick]), weight)
            np.add.at(points, here, weight * kept)
        return moves, points


def _gains(choices: _Choices, ended: Floats, slope: Floats) -> tuple[Floats, Bools, Floats]:
    """The gains of the tail by policy iteration, what is rolled, and where that leads, see Tail."""
    plan = choices.plan
    shape = plan.levels, plan.columns
    must = np.zeros(shape, dtype=np.bool_)
    must[:] = ~plan.may_bank
    may = np.broadcast_to((slope == 0) & ~must, shape)
    rolls, gain = must, np.zeros(shape)
    costs = np.broadcast_to(ended, shape).ravel()
    picks = _best(choices, gain, None)
    while True:
        moves, points = choices.chances(picks)
        on = moves * rolls.ravel()
        gain = np.asarray(np.linalg.solve(np.eye(len(on)) - on, points + costs)).reshape(shape)
        better = _best(choices, np.where(rolls, gain, 0.0), picks)
        going = must | (may & (gain > _EQUAL * np.max(np.abs(gain))))
        if np.array_equal(better, picks) and np.array_equal(going, rolls):
            return gain, rolls, on
        picks, rolls = better, going


def _best(choices: _Choices, gain: Floats, before: Ints | None) -> Ints:
    """The best option of each list on each level; the one before, where it is as good."""
    plan = choices.plan
    values = choices.values(gain)
    best = np.maximum.reduceat(values, plan.starts, axis=1)
    index = np.where(values == best.repeat(plan.lengths, axis=1), np.arange(len(plan.options)), -1)
    picks: Ints = np.maximum.reduceat(index, plan.starts, axis=1)
    if before is None:
        return picks
    kept = np.take_along_axis(values, before, axis=1)
    return np.where(best - kept > _EQUAL * np.max(np.abs(best)), picks, before)
