"""The choices of a turn as flat arrays: what all rolls offer, and where each set-aside leads."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from solver.errors import InvalidRulesError
from solver.rules.ruleset import RULESETS, Ruleset
from solver.turn.dice import (
    Fate,
    Hand,
    Remaining,
    Roll,
    SetAside,
    TurnState,
    all_set_asides,
    dice_set,
    fate_by,
    left_to_confirm,
    thrown_again,
)
from solver.turn.memory import Memory, held_after, held_places, memories, remembered

Number = TypeVar("Number", np.float64, np.bool_)


_MOST_ROLLS, _SAME_ROLLS = 10_000, 1e-9


_MOST_OPTIONS_COMPILED = 20_000
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
    only_hot: npt.NDArray[np.float64]
    """Chance that a roll can only be set aside whole."""
    reach: int
    """Most steps that one set-aside adds to the turn total, bonus and all."""
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
        last = [self.most_throws == one.throws > 0 for one in reversed(self.memories)]
        return np.repeat(last, self.width) & self.may_bank

    def in_play(
        self, values: npt.NDArray[Number], layer: slice | None = None
    ) -> npt.NDArray[Number]:
        """The columns of a layer, the usual one if none is given, with the start of the turn.

        values : shape (..., turn totals, columns)
        """
        layer = layer or self.usual
        found = values[..., layer].copy()
        if not self.memories[-1 - layer.start // self.width].hot_dice:
            found[..., 0, -1] = values[..., 0, -1]
        return found

    @cached_property
    def lengths(self) -> npt.NDArray[np.intp]:
        """Number of options of each list, shape (lists,)."""
        found: npt.NDArray[np.intp] = np.diff(self.starts, append=len(self.options))
        return found

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
        found: npt.NDArray[np.intp] = np.argmax(self.chances, axis=0)
        return found

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
            found = np.where(stops, 0.0, 1 + self.chances @ worst)
            if np.max(np.abs(found - rolls)) <= _SAME_ROLLS:
                return float(found.max())
            rolls = found
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
        found: npt.NDArray[np.intp] = targets + self._are_hot(targets) * further * self.columns
        return found

    def lists(self) -> list[tuple[int, ...]]:
        """The lists as tuples of indices into `targets`."""
        return [tuple(part.tolist()) for part in np.split(self.options, self.starts[1:])]


def allowed_banks(
    rules: Ruleset, score: int, rows: int, *, on_board: bool = True
) -> npt.NDArray[np.bool_]:
    """Which turn totals a player with `score` may bank, in point steps from 0, shape (rows,)."""
    allowed = np.arange(rows) >= rules.least_bank_at(score, on_board=on_board) // rules.point_step
    barred = (np.array(sorted(rules.barred), dtype=np.intp) - score) // rules.point_step
    allowed[barred[(barred >= 0) & (barred < rows)]] = False
    if rules.is_barred(rules.winning_score + rules.point_step):
        allowed[max(0, (rules.goal - score) // rules.point_step + 1) :] = False
    return allowed


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
    step, thrown = rules.point_step, dice_set(rules)
    layers, width = memories(rules), thrown.whole
    columns = len(layers) * width
    most_throws = layers[-1].throws
    # where a turn remembers its hot dice, what leads to them has their bonus
    bonuses = () if rules.hot_dice_times else rules.hot_dice_bonus
    chances: Counter[tuple[int, tuple[int, ...]]] = Counter()
    fates: Counter[tuple[Fate, int]] = Counter()
    tries = [1] * columns
    for column in range(columns):
        memory, dice = layers[-1 - column // width], column % width + 1
        first = memory.throws < min(1, most_throws)
        held = memory.held_with(rules, dice)
        impossible = (first and dice < width) or not memory.is_left(rules, dice)
        if impossible or memory.throws == rules.throws > 0:
            # no turn begins with fewer dice, dice that are held leave but a few, and after the last
            # throw what is not banked is lost
            fates[Fate.FARKLE, column] = thrown.ways(dice)
            continue
        tries[column] = rules.tries(dice, first=first)
        here = rules.of_throw(dice, first=first, held=held)
        choices = all_set_asides(rules, first=first, held=held)
        for roll, ways in thrown.rolls(dice):
            found = fate_by(here, roll, choices[roll])
            fates[found, column] += ways
            if found is Fate.SCORES:
                offsets = _offsets(rules, memory, dice, choices[roll], all_options=all_options)
                chances[column, offsets] += ways
    if not chances:
        return None
    targets = sorted({offset for _, offsets in chances for offset in offsets})
    index = {offset: position for position, offset in enumerate(targets)}
    every = [thrown.ways(column % width + 1) for column in range(columns)]
    farkles = [
        thrown_again(Fraction(fates[Fate.FARKLE, column], every[column]), number)
        for column, number in enumerate(tries)
    ]

    def chance_of(ways: int, column: int) -> float:
        # rounded once
        return float(farkles[column][1] * ways / every[column])

    weights = np.zeros((columns, len(chances)))
    options: list[int] = []
    starts: list[int] = []
    only_hot = np.zeros(columns)
    for position, ((column, offsets), ways) in enumerate(chances.items()):
        chance = chance_of(ways, column)
        weights[column, position] = chance
        starts.append(len(options))
        options += [index[offset] for offset in offsets]
        if all(offset % width == width - 1 for offset in offsets):
            only_hot[column] += chance

    def chances_of(found: Fate) -> npt.NDArray[np.float64]:
        return np.array([chance_of(fates[found, column], column) for column in range(columns)])

    bonuses = tuple(bonus // step for bonus in bonuses) or (0,)
    most_bonus = max(bonuses)
    reach = max(
        offset // columns + (most_bonus if offset % width == width - 1 else 0) for offset in targets
    )
    return TurnPlan(
        targets=np.array(targets, dtype=np.intp),
        options=np.array(options, dtype=np.intp),
        starts=np.array(starts, dtype=np.intp),
        chances=weights,
        farkle_chances=np.array([float(farkle) for farkle, _ in farkles]),
        win_chances=chances_of(Fate.WINS),
        lose_chances=chances_of(Fate.LOSES),
        out_chances=chances_of(Fate.OUT),
        counts=np.array(
            [
                rules.counts_farkle(first=one.throws < min(1, most_throws), all_dice=dice == width)
                for one in reversed(layers)
                for dice in range(1, width + 1)
            ]
        ),
        only_hot=only_hot,
        reach=reach,
        bonuses=bonuses,
        may_bank=np.array(
            [
                not (one.to_confirm or one.fills)
                and one.throws >= min(1, most_throws)
                and (one.throws == rules.throws > 0 or rules.may_leave(dice))
                for one in reversed(layers)
                for dice in range(1, width + 1)
            ]
        ),
        step=step,
        most_throws=rules.throws,
        memories=layers,
        throws_again=max(tries) > 1 or 0 in tries,
        held_places=held_places(rules),
    )


def _offsets(
    rules: Ruleset,
    memory: Memory,
    dice: Remaining,
    choices: tuple[SetAside, ...],
    *,
    all_options: bool,
) -> tuple[int, ...]:
    """Where the set-asides of a roll lead to, see TurnPlan."""
    thrown, layers = dice_set(rules), memories(rules)
    width, times = thrown.whole, rules.times_after(memory.hot_dice)
    bonus = rules.bonus_after(memory.hot_dice) if rules.hot_dice_times else 0
    keeps_all = all_options or rules.ending != "at_once"
    reached: dict[tuple[int, int], int] = {}
    # most points come first
    for kept in choices:
        left = thrown.without(dice, kept.dice)
        still = left_to_confirm(rules, memory.to_confirm, kept, left)
        held = held_after(rules, memory.held_with(rules, dice), kept.dice, left)
        place = held_places(rules)[held]
        after = memory.after(layers[-1], to_confirm=still, is_hot=not left, held=place)
        column = (len(layers) - 1 - layers.index(after)) * width + (left or width) - 1
        points = (times * kept.points + (0 if left else bonus)) // rules.point_step
        points += place[1] - memory.fills
        reached.setdefault((column, points if keeps_all else 0), points)
    return tuple(sorted(n * len(layers) * width + column for (column, _), n in reached.items()))


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
    found = np.zeros((plan.levels, totals, plan.columns), dtype=np.bool_)
    found[0, 0, -1] = True
    places = [plan.moved(level, totals, targets) for level in range(plan.levels)]
    for row in range(rows):
        if counts_anew:
            found[0, row] |= found[:, row].any(axis=0)
        for level in range(plan.levels):
            ahead = found[level : plan.next_level(level) + 1].reshape(-1)[row * plan.columns :]
            ahead[places[level][found[level, row, column]]] = True
    return found[:, :rows]


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
