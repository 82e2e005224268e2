"""One turn, its choices as arrays and its equations in NumPy.

The bot answers from these, and they are the kernels' slow twin:

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
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from solver.errors import InvalidRulesError
from solver.rules.ruleset import RULESETS, Ruleset
from solver.turn.dice import Hand, Roll, TurnState
from solver.turn.memory import Memory, remembered
from solver.turn.plan import plan_arrays

if TYPE_CHECKING:
    from solver.turn.power_cells import TurnCells

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.intp]
Number = TypeVar("Number", np.float64, np.bool_)

EVEN = 1e-11
"""Chances of a mover among several that differ by no more are equal: rounding must not choose
between options."""

_NEVER = -1e300
"""What rolling is worth where it is not allowed. Infinity would be no number less itself."""

SETTLED = 1e-17
"""Largest change of a value that is renewed no more."""

LEAST_GAIN = 1e-12
"""The least gain of win probability for which a badge is used."""


_MOST_ROLLS, _SAME_ROLLS = 10_000, 1e-9
_MOST_OPTIONS_COMPILED = 5_000
"""Options of its lists up to which a turn has code of its own, which compiles in seconds."""


@dataclass(frozen=True, eq=False)
class TurnPlan:
    """The choices of every roll as arrays over the targets (points, remaining dice) they lead to.

    A turn table is a matrix over turn totals and remaining dice, flat in memory, with a column
    less than their index, in each layer of what the turn remembers, see `solver.turn.memory`; seen
    from the row of one turn total, a target is one offset: ``points_steps * columns + column``. The
    whole set remains only as hot dice, so that the offset tells these. Rolls with equal targets are
    one list with the sum of their chances.

    Where the first to reach the goal wins at once, only the set-aside with most points is kept of
    those of a roll that use the same number of dice. That is exact: a player with more points in
    the turn can act as one with fewer would, always has at least as many, so reaches the goal no
    later and never falls lower. With a final turn it may be better not to reach the goal, and all
    set-asides are kept.
    """

    targets: npt.NDArray[np.intp]
    """Offsets of the distinct targets, ascending, shape (targets,)."""
    options: npt.NDArray[np.intp]
    """Indices into `targets`, list after list, shape (options,)."""
    starts: npt.NDArray[np.intp]
    """Where each list starts in `options`, shape (lists,)."""
    chances: npt.NDArray[np.float64]
    """Chance of each list when rolling the dice of a column, shape (columns, lists).

    A list belongs to one column of dice, so that each has one entry that is not 0."""
    farkle_chances: npt.NDArray[np.float64]
    """Chance of a farkle when rolling the dice of a column, shape (columns,)."""
    win_chances: npt.NDArray[np.float64]
    """Chance of a roll that wins the game."""
    lose_chances: npt.NDArray[np.float64]
    """Chance of a roll that loses everything."""
    counts: npt.NDArray[np.bool_]
    """Whether a farkle counts for the penalty."""
    bonuses: tuple[int, ...]
    """Steps on top for the first, second, ... hot dice of a turn; the last one for all further.
    A turn has one level for each, the number of hot dice so far, which stays at the last."""
    may_bank: npt.NDArray[np.bool_]
    """Whether a turn may be banked with the dice of a column left, shape (columns,)."""
    step: int
    """Points of one step."""
    most_throws: int = 0
    """Throws that a turn may have; 0 for any number."""
    memories: tuple[Memory, ...] = (Memory(),)
    """What a turn remembers beside its level, its start first: the layers of columns, last to
    first, each with one for all remaining dice."""
    throws_again: bool = False
    """Whether some dice that farkle are thrown again, so that chances are no sixths of sixths."""
    out_chances: npt.NDArray[np.float64] = field(default_factory=lambda: np.zeros(1))
    """Chance of a roll that loses the game, shape (columns,), or one 0 for all of them."""
    held_places: Mapping[Roll, tuple[int, bool]] = field(default_factory=lambda: {(): (0, False)})
    """The layers of what may be held, see `solver.turn.memory.held_places`."""
    cells: "TurnCells | None" = None
    """The cells of turns in which a badge may be used, of which all else here knows nothing."""

    @property
    def uses(self) -> int:
        """Return how often a badge may be used in a game."""
        return self.cells.uses if self.cells else 0

    @cached_property
    def only_hot(self) -> npt.NDArray[np.float64]:
        """Chance that a roll can only be set aside whole, shape (columns,)."""
        hot = np.logical_and.reduceat(self.is_hot[self.options], self.starts)
        return np.asarray(self.chances @ hot)

    @cached_property
    def reach(self) -> int:
        """Most steps that one set-aside adds to the turn total, bonus and all."""
        return int(np.max(self.targets // self.columns + self.is_hot * max(self.bonuses)))

    @property
    def farthest(self) -> int:
        """Return the most steps that one set-aside adds with a badge, if there is one, or as is."""
        return self.cells.reach if self.cells else self.reach

    @cached_property
    def counted_farkles(self) -> npt.NDArray[np.float64]:
        """Chance of a farkle that counts for the penalty, shape (columns,)."""
        return self.farkle_chances * self.counts

    @cached_property
    def other_ends(self) -> npt.NDArray[np.float64]:
        """Chance of a roll that loses everything, or of a farkle that does not count.

        There are never both, so that one value stands for either.
        """
        return np.asarray(self.lose_chances + self.farkle_chances * ~self.counts)

    @cached_property
    def goes_on(self) -> npt.NDArray[np.float64]:
        """Chance that a roll scores, shape (columns,)."""
        ends = 1 - self.win_chances - self.lose_chances - self.farkle_chances
        return np.asarray(ends - self.out_chances)

    @cached_property
    def in_vain(self) -> npt.NDArray[np.float64]:
        """Chance that a roll ends the turn and does not win, shape (columns,)."""
        return np.asarray(self.farkle_chances + self.lose_chances + self.out_chances)

    @property
    def width(self) -> int:
        """Number of columns of a layer."""
        return self.columns // len(self.memories)

    def column(self, turn: TurnState) -> int:
        """The column of a state."""
        if len(self.memories) == 1:
            return turn.dice - 1
        first: int = self.layer_of(turn).start
        return first + turn.dice - 1

    def row(self, turn: TurnState) -> int:
        """The row of a state in a turn table, in which every set-aside leads to a later one.

        While a straight is to be filled it is the one after the turn total, as the dice that are
        held for it bring no points.
        """
        _, fills = self.held_places[turn.held_set]
        return turn.turn_total // self.step + fills

    def layer_of(self, turn: TurnState) -> slice:
        """The columns of the layer of a state."""
        return self.layer(remembered(turn, self.memories[-1], self.held_places))

    def layer(self, memory: Memory) -> slice:
        """The columns in which a turn remembers something."""
        first = (len(self.memories) - 1 - self.memories.index(memory)) * self.width
        return slice(first, first + self.width)

    @property
    def usual(self) -> slice:
        """The columns of turns under way that need not be confirmed, after one throw."""
        return self.after_hot_dice(0)[1]

    def after_hot_dice(self, number: int) -> tuple[int, slice]:
        """The level and such columns of a turn after so many hot dice."""
        most = self.memories[-1]
        memory = Memory(min(1, most.throws), hot_dice=min(number, most.hot_dice))
        return min(number, self.levels - 1), self.layer(memory)

    @cached_property
    def must_bank(self) -> npt.NDArray[np.bool_]:
        """Whether the last throw was made, so that what may be banked is, shape (columns,)."""
        last = [self.most_throws == memory.throws > 0 for memory in reversed(self.memories)]
        return np.repeat(last, self.width) & self.may_bank

    def in_play(
        self, values: npt.NDArray[Number], layer: slice | None = None
    ) -> npt.NDArray[Number]:
        """The columns of a layer, the usual one if none is given, with the start of the turn.

        values : shape (..., turn totals, columns)
        """
        layer = layer or self.usual
        columns = values[..., layer].copy()
        if not self.memories[-1 - layer.start // self.width].hot_dice:
            columns[..., 0, -1] = values[..., 0, -1]
        return columns

    @cached_property
    def lengths(self) -> npt.NDArray[np.intp]:
        """Number of options of each list, shape (lists,)."""
        lengths: npt.NDArray[np.intp] = np.diff(self.starts, append=len(self.options))
        return lengths

    @cached_property
    def maxima(self) -> tuple[list[npt.NDArray[np.intp]], npt.NDArray[np.intp]]:
        """How the greatest value of each list is found by maxima of two, many at a time.

        Halves of lists that several of them have in common are compared once for all. Values are
        numbered: those of targets, then the greater ones of each pair in turn. Returns these pairs,
        all first ones and then all others, shape (2, pairs), in parts that need only values before
        them, and the number of each list.
        """
        numbers, lengths, pairs, following = self.options, self.lengths, [], len(self.targets)
        while lengths.max(initial=0) > 1:
            place = np.arange(len(numbers)) - (np.cumsum(lengths) - lengths).repeat(lengths)
            ahead = np.flatnonzero((place % 2 == 0) & (place + 1 < lengths.repeat(lengths)))
            both = numbers[ahead] * following + numbers[ahead + 1]
            distinct, which = np.unique(both, return_inverse=True)
            pairs.append(np.stack(np.divmod(distinct, following)))
            numbers = numbers.copy()
            numbers[ahead] = following + which
            numbers, lengths = numbers[place % 2 == 0], (lengths + 1) // 2
            following += len(distinct)
        return pairs, numbers

    @cached_property
    def is_hot(self) -> npt.NDArray[np.bool_]:
        """Whether each target is hot dice, shape (targets,)."""
        return self._are_hot(self.targets)

    def _are_hot(self, targets: npt.NDArray[np.intp]) -> npt.NDArray[np.bool_]:
        return np.asarray(targets % self.columns % self.width == self.width - 1)

    @property
    def must_roll_hot(self) -> bool:
        """Whether hot dice may not be banked."""
        return not self.may_bank[-1]

    @property
    def must_roll_others(self) -> bool:
        """Whether there are other dice with which a turn may not be banked.

        Where a turn remembers something, all the dice in other states of it are others.
        """
        return not self.may_bank[:-1].all() or (self.must_roll_hot and len(self.memories) > 1)

    @cached_property
    def column_of_lists(self) -> npt.NDArray[np.intp]:
        """The column of dice with which each list can be rolled, shape (lists,)."""
        columns: npt.NDArray[np.intp] = np.argmax(self.chances, axis=0)
        return columns

    @cached_property
    def rolls_to_bank(self) -> float:
        """Most rolls on average until dice may be banked, or the turn ends; inf if it may not."""
        return self._rolls_until(self.may_bank)

    @cached_property
    def rolls_to_end(self) -> float:
        """Most rolls on average in a turn that is never banked; inf if it may not end."""
        return self._rolls_until(np.zeros_like(self.may_bank))

    def _rolls_until(self, stops: npt.NDArray[np.bool_]) -> float:
        """Most rolls on average until dice of such a column are left, or the turn ends."""
        rolls = ~stops * 1.0
        column = (self.targets % self.columns)[self.options]
        for _ in range(_MOST_ROLLS):
            worst = np.maximum.reduceat(rolls[column], self.starts)
            renewed = np.where(stops, 0.0, 1 + self.chances @ worst)
            if np.max(np.abs(renewed - rolls)) <= _SAME_ROLLS:
                return float(renewed.max())
            rolls = renewed
        return np.inf

    @property
    def columns(self) -> int:
        """Number of remaining dice that a turn tells apart; the last are the whole set."""
        return len(self.farkle_chances)

    @property
    def by_lists(self) -> bool:
        """Whether there are so many lists that code of their own would take long to compile."""
        return len(self.options) > _MOST_OPTIONS_COMPILED

    @property
    def levels(self) -> int:
        """Number of levels of a turn."""
        return len(self.bonuses)

    def next_level(self, level: int) -> int:
        """The level that hot dice lead to."""
        return min(level + 1, self.levels - 1)

    def places(self, level: int, totals: int) -> npt.NDArray[np.intp]:
        """Where options lie from the row of a turn total on, shape (options,).

        In the rows of a level, `totals` of them, and of the next level behind it, flat.
        """
        return self.moved(level, totals)[self.options]

    def moved(
        self, level: int, totals: int, targets: npt.NDArray[np.intp] | None = None
    ) -> npt.NDArray[np.intp]:
        """The places of targets, in their shape; of all of the plan if none are given."""
        targets = self.targets if targets is None else targets
        further = (self.next_level(level) - level) * totals + self.bonuses[level]
        places: npt.NDArray[np.intp] = targets + self._are_hot(targets) * further * self.columns
        return places

    def lists(self) -> list[tuple[int, ...]]:
        """The lists as tuples of indices into `targets`."""
        return [tuple(part.tolist()) for part in np.split(self.options, self.starts[1:])]


def turn_plan(rules: Ruleset, *, all_options: bool = False) -> TurnPlan:
    """The turn's choices as arrays; with `all_options` also those that are never best.

    Raises InvalidRulesError where no roll is left that scores.
    """
    # more points leave more to take over, so that fewer may be better
    if plan := _turn_plan(rules.of_turn, all_options=all_options or rules.takes_over):
        return plan
    raise InvalidRulesError.say(
        "{rules}: no roll scores points; every roll wins the game, loses everything or is a farkle",
        rules=rules.name,
    )


@lru_cache(maxsize=RULESETS)
def _turn_plan(rules: Ruleset, *, all_options: bool) -> TurnPlan | None:
    """The plan of a turn, None where no roll is left that scores."""
    arrays = plan_arrays(rules, all_options=all_options)
    return TurnPlan(**arrays) if arrays else None


@dataclass(frozen=True)
class EqualDice(Hand):
    """The dice of the rules, which all who bring no others throw."""

    rules: Ruleset
    matchup: None = None

    @property
    def plan(self) -> TurnPlan:
        """Return what all rolls offer, as arrays, but for what is never best for two."""
        return turn_plan(self.rules)

    @property
    def plan_with_all(self) -> TurnPlan:
        """Return what all rolls offer, as arrays."""
        return turn_plan(self.rules, all_options=True)


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


class Endings(NamedTuple):
    """What ending a turn is worth, by turn total in point steps; the mover's values come first.

    From the last `plan.reach` turn totals on it is best to bank.
    """

    banks: Floats
    """Shape (turn totals, players); NaN where banking is not allowed.

    Or (turn totals, columns, players), where it matters which dice are left to the next player."""
    farkles: Floats
    """What farkles are worth, in the same shape."""
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
    # each list is of one column, of which some turns have hundreds
    chances, column = plan.chances.max(axis=0)[:, np.newaxis], plan.column_of_lists
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
        renewed = ended.copy()
        np.add.at(np.moveaxis(renewed, -2, 0), column, np.moveaxis(chances * best, -2, 0))
        if np.max(np.abs(renewed - rolls)) <= SETTLED:
            return renewed
        rolls = renewed


def possible_states(rules: Ruleset, rows: int) -> npt.NDArray[np.bool_]:
    """Whether a turn can come to a state, shape (levels, rows, columns).

    Levels and columns as in TurnPlan; rows are turn totals in point steps. A turn goes on whatever
    its total, so that all set-asides of all rolls lead on.
    """
    plan = turn_plan(rules, all_options=True)
    column = np.argmax(plan.chances, axis=0).repeat(plan.lengths)
    # where each number of dice leads to, once for all rolls
    _, moves = np.unique(column * len(plan.targets) + plan.options, return_index=True)
    targets = plan.targets[plan.options[moves]]
    return states_of_moves(plan, column[moves], targets, rows, counts_anew=rules.takes_over)


def states_of_moves(
    plan: TurnPlan,
    column: npt.NDArray[np.intp],
    targets: npt.NDArray[np.intp],
    rows: int,
    *,
    counts_anew: bool = False,
) -> npt.NDArray[np.bool_]:
    """States of a turn in which dice of a column lead to targets, both of shape (moves,).

    counts_anew : whether somebody else may go on from any of them, with no hot dice so far
    """
    reach = int(targets.max(initial=0)) // plan.columns + max(plan.bonuses)
    totals = rows + reach
    states = np.zeros((plan.levels, totals, plan.columns), dtype=np.bool_)
    states[0, 0, -1] = True
    places = [plan.moved(level, totals, targets) for level in range(plan.levels)]
    for row in range(rows):
        if counts_anew:
            states[0, row] |= states[:, row].any(axis=0)
        for level in range(plan.levels):
            ahead = states[level : plan.next_level(level) + 1].reshape(-1)[row * plan.columns :]
            ahead[places[level][states[level, row, column]]] = True
    return states[:, :rows]
