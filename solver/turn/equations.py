"""One turn's equations in NumPy: what the bot answers from, and the kernels' slow twin.

    W(t, n) = roll(t, n)                when t may not be banked
            = bank(t)                   when it must be, after the last throw
            = max(bank(t), roll(t, n))  otherwise
    roll(t, n) = I_n + L_n * lost + F_n * farkle(t)
               + sum over scoring r of P(r) * max over c in r of W(t + c_p, h(n - c_n))

bank(t), farkle(t) and lost are the values of ending the turn so; rolls win the game with chance
I_n, lose everything with L_n and are farkles with F_n; a set-aside c of the roll r uses c_n dice
for c_p points; h(0) = all dice, h(n) = n (hot dice). n stands for the remaining dice, of equal ones
their number. Where the bonus for hot dice changes, W has a
level for the hot dice so far, and a set-aside of all the dice leads to the next level.

A value is an array with the mover's first: that alone, where what the others have follows from it
or does not matter, or the chances of all players. The mover takes the option with the greatest own
value. Where others have values too, options that are equal for the mover, to within EVEN, are taken
in this order: to bank before to roll; then the set-aside with more points, and of as many points
the one that leaves more dice to roll.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from solver.turn.dice import TurnState
from solver.turn.plan import TurnPlan

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.intp]

EVEN = 1e-11
"""Chances of a mover among several that differ by no more are equal: rounding must not choose
between options."""

_NEVER = -1e300
"""What rolling is worth where it is not allowed. Infinity would be no number less itself."""

_SETTLED = 1e-17
"""By how much a value changes at most that is repeated no more."""

LEAST_GAIN = 1e-12
"""The least gain of win probability for which a badge is used."""


class Decision(StrEnum):
    """What to do at a turn total; WIN is a bank that wins the game.

    TAKE_OVER is to roll on, before the first roll of a turn, with what the player before left. LOST
    is what came to too little by the last throw of the turn.
    """

    ROLL = "roll"
    BANK = "bank"
    WIN = "win"
    TAKE_OVER = "take over"
    LOST = "lost"


@dataclass(frozen=True, slots=True, eq=False)
class Endings:
    """What ending a turn is worth, by turn total in point steps; the mover's values come first.

    From the last `plan.reach` turn totals on it is best to bank.
    """

    banks: Floats
    """Shape (turn totals, players); NaN where banking is not allowed.

    Or (turn totals, columns, players), where it matters which dice are left to the next player."""
    farkles: Floats
    """In the same shape."""
    lost: Floats
    """What a roll is worth that loses everything, or a farkle that does not count for the penalty,
    shape (players,)."""
    win: Floats
    """What a roll is worth that wins the game, shape (players,) or (turn totals, players)."""
    weighs: bool = False
    """Whether at the last turn totals, which are worth as much as all beyond, it may be better to
    roll on than to bank: so it is where the goal has to be met exactly."""
    side_by_side: bool = False
    """Whether the last axis has several turns in place of the players, each the mover's alone."""

    @classmethod
    def alone(
        cls, bank: Floats, farkle: Floats, lost: float, win: Floats | float = 1.0
    ) -> "Endings":
        """Return endings of the mover alone, given by turn total, `win` also as one for all."""
        return cls(
            bank[:, np.newaxis],
            farkle[:, np.newaxis],
            np.array([lost]),
            np.asarray(win)[..., np.newaxis],
        )

    @classmethod
    def by_dice(cls, banks: Floats, farkles: Floats, lost: Floats) -> "Endings":
        """Return endings of the mover alone that depend on the dice, (turn totals, columns)."""
        return cls(banks[..., np.newaxis], farkles[..., np.newaxis], lost, np.ones(1))

    @classmethod
    def shared(cls, banks: Floats, farkles: Floats, lost: Floats) -> "Endings":
        """Return endings with the chances of all players, one of whom wins."""
        return cls(banks, farkles, lost, np.eye(len(lost))[0])

    @property
    def bank(self) -> Floats:
        """Return what banking is worth to the mover, shape (turn totals,) or with columns."""
        return self.banks[..., 0]

    @property
    def farkle(self) -> Floats:
        """Return what a farkle is worth to the mover, shape (turn totals,) or with columns."""
        return self.farkles[..., 0]

    @property
    def cells(self) -> Floats:
        """Return `banks` with an axis of columns, of which one stands for all that are equal."""
        return self.banks if self.banks.ndim == 3 else self.banks[:, np.newaxis]


@dataclass(frozen=True, slots=True, eq=False)
class TurnTable:
    """All decisions of one turn.

    Arrays count turn totals in point steps and have remaining dice n in column n - 1; states are in
    points. A value in the singular is the mover's.
    """

    values: Floats
    """W(t, n), shape (levels, turn totals, columns, players)."""
    rolls: Floats
    """What rolling is worth, in the same shape; no more than any bank where one is due."""
    ends: Endings
    plan: TurnPlan

    @property
    def win_probability(self) -> Floats:
        """Return W(t, n) of the mover, shape (levels, turn totals, columns)."""
        return self.values[..., 0]

    @property
    def roll(self) -> Floats:
        """Return what rolling is worth to the mover, shape (levels, turn totals, columns)."""
        return self.rolls[..., 0]

    @property
    def of_mover(self) -> "TurnTable":
        """Return the mover's values alone; rolling is worth no more where banking is as good."""
        rolls, banks = self.rolls[..., :1], self.ends.cells[..., :1]
        even = (rolls > banks) & (rolls <= banks + _even(self.rolls))
        ends = Endings(
            self.ends.banks[..., :1],
            self.ends.farkles[..., :1],
            self.ends.lost[:1],
            self.ends.win[..., :1],
            self.ends.weighs,
        )
        return TurnTable(self.values[..., :1], np.where(even, banks, rolls), ends, self.plan)

    def values_at(self, turn: TurnState) -> Floats:
        """Return W of all players in a state of the turn."""
        return np.asarray(self.values[self.index(turn)])

    def roll_values(self, turn: TurnState) -> Floats:
        """Return what rolling is worth to all players."""
        return np.asarray(self.rolls[self.index(turn)])

    def bank_values(self, turn: TurnState) -> Floats | None:
        """Return what banking is worth to all players; None where it is not allowed."""
        if not (self.plan.may_bank[self.plan.column(turn)] and self.may_bank(turn.turn_total)):
            return None
        return self._ended(self.ends.banks, turn)

    def farkle_values(self, turn: TurnState) -> Floats:
        """Return what a farkle of the dice of a state is worth to all players."""
        if not self.plan.counts[self.plan.column(turn)]:
            return self.ends.lost
        return self._ended(self.ends.farkles, turn)

    def after_misses(self, turn: TurnState, misses: int, tries: int) -> Floats:
        """Return what rolling is worth to all players once the dice have farkled so often.

        misses : fewer than `tries`, how many times dice are thrown that farkle; 0 for any number
        """
        rolls, farkle = self.roll_values(turn), self.farkle_values(turn)
        chance = float(self.plan.farkle_chances[self.plan.column(turn)])
        if not misses or chance in {0.0, 1.0}:
            return rolls
        scores, left = (rolls - chance * farkle) / (1 - chance), chance ** (1 - misses / tries)
        return np.asarray(left * farkle + (1 - left) * scores)

    def value(self, turn: TurnState) -> float:
        """Return W in a state of the turn."""
        return float(self.win_probability[self.index(turn)])

    def roll_value(self, turn: TurnState) -> float:
        """Return the value of rolling."""
        return float(self.roll[self.index(turn)])

    def bank_value(self, turn: TurnState) -> float | None:
        """Return the value of banking; None where it is not allowed."""
        banks = self.bank_values(turn)
        return None if banks is None else float(banks[0])

    def may_bank(self, turn_total: int) -> bool:
        """Whether banking is allowed, if the dice that are left allow it."""
        return not math.isnan(self.ends.cells[self._row(turn_total), -1, 0])

    def must_bank(self, turn: TurnState) -> bool:
        """Whether the last throw was made, and its turn total is banked."""
        return bool(self.plan.must_bank[self.plan.column(turn)]) and self.may_bank(turn.turn_total)

    def decision(self, turn: TurnState) -> Decision:
        """Return what to do; a tie is banked."""
        bank, is_last = self.bank_value(turn), 0 < self.plan.most_throws == turn.throws
        if bank is None and is_last:
            return Decision.LOST
        if bank is None or bank + _even(self.ends.banks) < self.roll_value(turn):
            return Decision.ROLL
        return Decision.WIN if bank == 1 else Decision.BANK

    def _ended(self, ends: Floats, turn: TurnState) -> Floats:
        """Return what ending the turn in a state is worth, `ends` being banks or farkles."""
        _, row, column = self.index(turn)
        return np.asarray(ends[row, column] if ends.ndim == 3 else ends[row])

    def _row(self, turn_total: int) -> int:
        """Beyond the table everything is as in its last row."""
        return min(turn_total // self.plan.step, len(self.ends.banks) - 1)

    def index(self, turn: TurnState) -> tuple[int, int, int]:
        """Where a state of the turn stands in the arrays."""
        level = min(turn.hot_dice, self.plan.levels - 1)
        row = min(self.plan.row(turn), len(self.ends.banks) - 1)
        return level, row, self.plan.column(turn)


def solve_turn(plan: TurnPlan, ends: Endings, beyond: Floats | None = None) -> TurnTable:
    """Solve one turn backwards over its turn totals, or several side by side.

    plan : with all options, where others than the mover have values too
    beyond : what rolling is worth to the mover at the last turn totals, shape (levels, plan.reach,
        columns), where more points are worth more for ever; values are then no probabilities
    """
    totals, *_, players = ends.banks.shape
    columns, solved = plan.columns, totals - plan.reach
    shape = plan.levels, totals, columns, players
    values, rolls = np.empty(shape), np.empty(shape)
    ended = rolls_that_end(plan, ends.farkles, ends.lost, ends.win)
    ended = where_no_bank_is_due(plan, ends.cells, ended)
    even = _even(ends.banks, alone=ends.side_by_side)
    if beyond is None:
        banks, weighs = ends.banks[solved:], ends.weighs
        rolls[:, solved:] = rolls_beyond(plan, banks, ended[solved:], even, weighs=weighs)
    else:
        rolls[:, solved:, :, 0] = beyond
    banks = np.where(np.isnan(ends.cells), -np.inf, ends.cells)
    banks = np.broadcast_to(banks, (totals, columns, players)).copy()
    banks[:, ~plan.may_bank] = -np.inf
    values[:, solved:] = _better(rolls[:, solved:], banks[solved:], even)
    arrays = values, rolls, banks, ended
    _solve_levels(plan, even, *([each[..., 0] for each in arrays] if players == 1 else arrays))
    if beyond is None:
        # sums of chances may come out one rounding above 1, and what is left of 1 below 0
        np.clip(values, 0.0, 1.0, out=values)
        np.clip(rolls, 0.0, 1.0, out=rolls)
    return TurnTable(values, rolls, ends, plan)


def _solve_levels(
    plan: TurnPlan, even: float, values: Floats, rolls: Floats, banks: Floats, ended: Floats
) -> None:
    """Fill the turn totals before the last ones; without an axis of players for one alone."""
    _, totals, columns, *players = values.shape
    solved, chances = totals - plan.reach, plan.chances
    for level in range(plan.levels - 1, -1, -1):
        best = (_first_of_even if even else _greatest)(plan, plan.moved(level, totals), players)
        space = values[level : plan.next_level(level) + 1].reshape(-1, *players)
        rows = [*enumerate(zip(rolls[level, :solved], values[level], banks, ended, strict=False))]
        for t, (roll, value, bank, end) in reversed(rows):
            np.dot(chances, best(space[t * columns :]), out=roll)
            np.add(roll, end, out=roll)
            if even:
                value[:] = _better(roll, bank, even)
            else:
                np.maximum(roll, bank, out=value)


def _greatest(plan: TurnPlan, places: Ints, turns: list[int]) -> Callable[[Floats], Floats]:
    """Return what finds the greatest value of each list, given the values of a row and all after.

    places : of the targets
    turns : the length of the axis of turns side by side, if there is one
    """
    pairs, lists = plan.maxima
    known = np.empty((len(places) + sum(both.shape[1] for both in pairs), *turns))
    targets, greatest, end = known[: len(places)], np.empty((len(lists), *turns)), len(places)
    # values two by two, and where the greater ones go
    take, steps = known.take, []
    for both in pairs:
        begin, end = end, end + both.shape[1]
        taken = np.empty((*both.shape, *turns))
        steps.append((both, taken, *taken, known[begin:end]))

    def best(space: Floats) -> Floats:
        # mode="clip" spares a copy; no target lies outside
        space.take(places, 0, targets, "clip")
        for both, taken, ones, others, greater in steps:
            take(both, 0, taken, "clip")
            np.maximum(ones, others, out=greater)
        return take(lists, 0, greatest, "clip")

    return best


def _first_of_even(plan: TurnPlan, places: Ints, _: list[int]) -> Callable[[Floats], Floats]:
    """Return what finds the values of that option of each list which is best for the mover."""
    places, numbers = places[plan.options], np.arange(len(plan.options))

    def best(space: Floats) -> Floats:
        options = space.take(places, axis=0, mode="clip")
        most = np.maximum.reduceat(options[:, 0], plan.starts)
        even = options[:, 0] >= most.repeat(plan.lengths) - EVEN
        # of a list's options, which ascend, the last one is the first in the order
        chosen = np.maximum.reduceat(np.where(even, numbers, -1), plan.starts)
        return np.asarray(options[chosen])

    return best


def _better(rolls: Floats, banks: Floats, even: float) -> Floats:
    """Return the values of banking where they are no worse for the mover, else of rolling."""
    if not even:
        return np.maximum(rolls, banks)
    return np.where(rolls[..., :1] <= banks[..., :1] + even, banks, rolls)


def _even(values: Floats, *, alone: bool = False) -> float:
    """Return by how much own values may differ that count as equal.

    alone : whether all values are own ones, of turns side by side
    """
    return EVEN if values.shape[-1] > 1 and not alone else 0.0


def rolls_that_end(plan: TurnPlan, farkle: Floats, lost: Floats, win: Floats) -> Floats:
    """Return what rolls are worth that end the turn, times their chances, (..., columns, players).

    farkle, lost, win : as in Endings, with an axis of players, or of turns, at the end
    """

    def each(chances: Floats, worth: Floats) -> Floats:
        return chances[:, np.newaxis] * (worth if worth.ndim == 3 else worth[..., np.newaxis, :])

    ended: Floats = each(plan.win_chances, win) + each(plan.other_ends, lost)
    return ended + each(plan.counted_farkles, farkle)


def where_no_bank_is_due(plan: TurnPlan, banks: Floats, ended: Floats) -> Floats:
    """Return what rolls are worth that end the turn: less than any bank where that is due.

    banks : NaN where banking is not allowed, shape (turn totals, 1 or columns, players or turns)
    ended : as of `rolls_that_end`
    """
    if not plan.must_bank.any():
        return ended
    return np.where(plan.must_bank[:, np.newaxis] & ~np.isnan(banks), _NEVER, ended)


def rolls_beyond(
    plan: TurnPlan, bank: Floats, ended: Floats, even: float = EVEN, *, weighs: bool = False
) -> Floats:
    """Return what rolling is worth at the last turn totals, in the shape of `ended`.

    Whatever scores is banked at once, as more points are worth nothing more, unless hot dice have
    to be rolled: then x = roll(t, all dice) is a chance to end the turn so and a chance to be at x
    again. Where other dice have to be rolled, too, they are until some may be banked. `ended` is as
    of `rolls_that_end`, `weighs` as in Endings, `even` by how much own values differ that are.
    """
    by_dice = bank.ndim == ended.ndim
    if plan.must_roll_others or weighs or by_dice:
        banks = bank if by_dice else bank[..., np.newaxis, :]
        return _rolls_until_banked(plan, banks, ended, even, weighs=weighs or by_dice)
    scores = plan.goes_on
    bank = bank[..., np.newaxis, :]
    if not plan.must_roll_hot:
        return np.asarray(ended + scores[:, np.newaxis] * bank)
    rolls: Floats = ended + (scores - plan.only_hot)[:, np.newaxis] * bank
    hot = rolls[..., -1:, :] / (1 - plan.only_hot[-1])
    rolls += plan.only_hot[:, np.newaxis] * hot
    return rolls


def _rolls_until_banked(
    plan: TurnPlan, bank: Floats, ended: Floats, even: float, *, weighs: bool
) -> Floats:
    """Return what rolling is worth where points are worth nothing more.

    weighs : whether dice that may be banked are rolled where that is better
    """
    bank = np.where(np.isnan(bank), -np.inf, bank)
    columns = (plan.targets % plan.columns)[plan.options]
    may_bank = plan.may_bank[:, np.newaxis]
    rolls = ended
    while True:
        banked = _better(rolls, bank, even) if weighs else bank
        options = np.where(may_bank, banked, rolls)[..., columns, :]
        best = np.maximum.reduceat(options, plan.starts, axis=-2)
        if even:
            is_even = options[..., :1] >= best[..., :1].repeat(plan.lengths, axis=-2) - even
            # as in _first_of_even
            which = np.where(is_even, np.arange(len(columns))[:, np.newaxis], -1)
            chosen = np.maximum.reduceat(which, plan.starts, axis=-2)
            best = np.take_along_axis(options, chosen, axis=-2)
        found = ended + plan.chances @ best
        if np.max(np.abs(found - rolls)) <= _SETTLED:
            return np.asarray(found)
        rolls = found
