"""The rolls and set-asides of sets of different dice, found once for all sets of a shape.

Inside a turn the state is which dice remain, a multiset of types. What a roll of them offers
depends on the faces shown and on which dice show them, and not on how often they do. So the lists
of a turn are found once for a *shape*, the numbers of dice by type and which of their faces are
jokers, and every set of that shape adds its own chances.
"""

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations_with_replacement
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from solver.errors import InvalidDiceError
from solver.rules.patterns import dice_of
from solver.rules.ruleset import FACES, Ruleset
from solver.turn.dice import (
    JOKER,
    Badge,
    DiceSet,
    Die,
    Remaining,
    Roll,
    SetAside,
    all_points_with_jokers,
    bar_masks,
    legal_set_asides,
)
from solver.turn.equations import Floats, TurnPlan, states_of_moves

Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.intp]

Shape = tuple[tuple[int, int], ...]
"""The number of dice and the face that is a joker, JOKER for none, of each type of a set."""

_MOST_WAYS = 2**53
"""The number up to which floats hold every whole number."""

_SHAPES = 8
"""Shapes whose lists are kept in memory: of six different dice they take 10 MB."""


def shape_of(thrown: DiceSet) -> Shape:
    """The shape of a set."""
    return tuple(
        (number, min(die.jokers, default=JOKER))
        for die, number in zip(thrown.types, thrown.counts, strict=True)
    )


def any_set(shape: Shape) -> DiceSet:
    """A set of a shape, whose chances mean nothing."""
    dice = (Die(jokers=frozenset({joker} - {JOKER})) for _, joker in shape)
    return DiceSet(tuple(dice), tuple(number for number, _ in shape))


@dataclass(frozen=True, eq=False)
class RollLists:
    """The set-asides of all rolls of the sets of a shape, with targets and lists as in TurnPlan."""

    rules: Ruleset
    """The rules of a turn, see `Ruleset.of_turn`."""
    width: int
    """The number of cells of a turn total among the targets: those of the remaining dice, and
    behind them those that a badge adds."""
    targets: Ints
    """Offsets of the distinct targets, ascending, shape (targets,)."""
    options: Ints
    """Indices into `targets`, list after list, shape (options,)."""
    starts: Ints
    """The start of each list in `options`, shape (lists,)."""
    first_list: Ints
    """The first list of each column of dice, and the number of lists, shape (columns + 1,)."""
    lists: tuple[Ints, ...]
    """The list of each roll of each column, in the order of `_rolls`, counted from `first_list`;
    as many as there are for a farkle, one more for a roll that wins, two for one that loses. With a
    die that a badge adds its faces come first, each with all rolls."""
    moves: tuple[Ints, ...]
    """The offsets of all targets of each column that a set-aside leads to, best or not."""

    @property
    def columns(self) -> int:
        """Number of remaining dice that a turn tells apart."""
        return len(self.lists)

    def places(self, lanes: int) -> tuple[Ints, Ints, Ints]:
        """The offsets of options from the row of a turn total, if each number has some lanes.

        And the starts of the lists among them with the end, and `first_list`.
        """
        ends = np.append(self.starts, len(self.options))
        return self.targets[self.options] * lanes, ends, self.first_list

    @property
    def column_of_lists(self) -> Ints:
        """The column of each list."""
        return np.arange(self.columns).repeat(np.diff(self.first_list))

    def chances(self, thrown: DiceSet, added: Die | None = None) -> tuple[Floats, Floats]:
        """The chances of the lists of a set, each when rolling its own dice, shape (lists,).

        And of a farkle, a roll that wins and one that loses when rolling the dice of a column,
        shape (3, columns). Each is rounded once, as ways are added up exactly, which a proved bound
        of values reckons with.

        added : the die that a badge adds to each roll, if any
        """
        chances, others = np.empty(int(self.first_list[-1])), np.empty((3, self.columns))
        for column, of_rolls in enumerate(self.lists):
            ways = roll_ways(thrown, column + 1, added)
            first, end = self.first_list[column : column + 2]
            sums = np.zeros(end - first + len(others), dtype=ways.dtype)
            np.add.at(sums, of_rolls, ways)
            shares = (sums / ways.sum()).astype(np.float64)
            chances[first:end], others[:, column] = shares[:-3], shares[-3:]
        return chances, others

    def plan(self, thrown: DiceSet) -> TurnPlan:
        """The turn of a set as solver.turn.equations takes it."""
        chances, (farkles, wins, loses) = self.chances(thrown)
        # what cannot fall is left out
        falls = np.flatnonzero(chances)
        lengths = np.diff(self.starts, append=len(self.options))
        column = self.column_of_lists[falls]
        spread = np.zeros((self.columns, len(falls)))
        spread[column, np.arange(len(falls))] = chances[falls]
        return TurnPlan(
            targets=self.targets,
            options=self.options[(chances > 0).repeat(lengths)],
            starts=np.cumsum(lengths[falls]) - lengths[falls],
            chances=spread,
            farkle_chances=farkles,
            win_chances=wins,
            lose_chances=loses,
            counts=np.array(
                [
                    self.rules.counts_farkle(first=False, all_dice=column == self.columns)
                    for column in range(1, self.columns + 1)
                ]
            ),
            bonuses=tuple(bonus // self.rules.point_step for bonus in self.rules.hot_dice_bonus)
            or (0,),
            may_bank=self._may_bank(thrown),
            step=self.rules.point_step,
        )

    def _may_bank(self, thrown: DiceSet) -> Bools:
        left = [sum(dice) for dice in thrown.remaining[1:]]
        may = [number <= self.rules.bank_dice_left for number in left[:-1]]
        return np.array([*may, self.rules.hot_dice == "optional"])

    def possible_states(self, plan: TurnPlan, rows: int) -> npt.NDArray[np.bool_]:
        """Whether a turn can come to a state, shape (levels, rows, columns); rows in point steps.

        With dice that have all faces; `plan` is of some set.
        """
        column = np.arange(self.columns).repeat(list(map(len, self.moves)))
        return states_of_moves(plan, column, np.concatenate(self.moves), rows)


@lru_cache(maxsize=1024)
def _ways(die: Die, number: int) -> npt.NDArray[np.object_]:
    """The weight of each multiset of faces of equal dice, whole numbers of any size."""
    rolls = DiceSet((die,), (number,)).rolls(number)
    return np.array([ways for _, ways in rolls], dtype=np.object_)


def roll_ways(thrown: DiceSet, dice: Remaining, added: Die | None = None) -> npt.NDArray[Any]:
    """The ways of each roll of some dice, in the order of `_rolls`: whole numbers, also as floats.

    added : a die more, which varies first
    """
    parts = list(zip(thrown.types, thrown.remaining[dice], strict=True))
    if added is not None:
        parts.insert(0, (added, 1))
    every = prod(sum(die.weights) ** number for die, number in parts)
    ways = np.ones(1, dtype=np.float64 if every < _MOST_WAYS else np.object_)
    for die, number in parts:
        ways = np.multiply.outer(ways, _ways(die, number).astype(ways.dtype)).ravel()
    return ways


def roll_chances(thrown: DiceSet, dice: Remaining) -> Floats:
    """The chance of each roll of some dice, in the order of `_rolls`."""
    return (roll_ways(thrown, dice) / thrown.ways(dice)).astype(np.float64)


def _rolls(left: tuple[int, ...]) -> npt.NDArray[np.int64]:
    """The faces of every roll of some dice, type by type, shape (rolls, dice)."""
    rolls = np.zeros((1, 0), dtype=np.int64)
    for number in left:
        several = list(combinations_with_replacement(FACES, number))
        faces = np.array(several, dtype=np.int64).reshape(len(several), number)
        rolls = np.hstack((rolls.repeat(len(faces), axis=0), np.tile(faces, (len(rolls), 1))))
    return rolls


def set_asides_of(
    rules: Ruleset,
    thrown: DiceSet,
    roll: Roll,
    *,
    joker_alone: bool = False,
    badge: Badge = (),
    added: int = 0,
) -> tuple[SetAside, ...]:
    """Every legal set-aside of one roll of a set, most points first; empty where nothing scores.

    added : the number of dice that the set has more than the rules say
    """
    points = all_points_with_jokers(rules, joker_alone=joker_alone, badge=badge, added=added)
    return legal_set_asides(rules, thrown, roll, points)


def roll_lists(
    rules: Ruleset,
    shape: Shape,
    *,
    joker_alone: bool = False,
    badge: Badge = (),
    all_options: bool = False,
) -> RollLists:
    """Find the lists of a shape, under rules that say what they mean for its jokers.

    They are kept, and serve all goals. With `all_options` they hold also what leaves the same dice
    for less points, which may be best where more than two play.

    Raises InvalidDiceError where nothing can score.
    """
    return _find_lists(rules.of_turn, shape, joker_alone, badge, all_options)


@lru_cache(maxsize=_SHAPES)
def _find_lists(
    rules: Ruleset, shape: Shape, joker_alone: bool, badge: Badge, all_options: bool
) -> RollLists:
    thrown = any_set(shape)
    columns = thrown.whole
    points = all_points_with_jokers(rules, joker_alone=joker_alone, badge=badge)
    worth = worth_of(rules, points)
    offsets: list[Ints] = []
    ends: list[Ints] = []
    moves: list[Ints] = []
    for dice in range(1, columns + 1):
        shown = shown_by_rolls(thrown, dice)
        fates = decided(rules, shown)
        goes_on = fates < 0
        of_scoring, reached = targets_of_shown(
            rules, thrown, dice, shown[goes_on], worth, every=all_options
        )
        of_rolls = np.full((len(shown), of_scoring.shape[1]), -1, dtype=np.intp)
        of_rolls[goes_on] = of_scoring
        offsets.append(of_rolls)
        ends.append(fates.clip(0))
        moves.append(np.unique(reached))
    if not any(np.any(of_rolls >= 0) for of_rolls in offsets):
        raise InvalidDiceError.say("with these dice no roll ever scores, so nobody could win")
    return gathered(rules, columns, offsets, ends, moves)


def gathered(
    rules: Ruleset, width: int, offsets: list[Ints], ends: list[Ints], moves: list[Ints]
) -> RollLists:
    """The lists of rolls, rolls that offer as much together.

    offsets : for each column where its rolls lead to, shape (rolls, as many as any has); else -1
    ends : for each column and roll without any of these 0 for a farkle, 1 if it wins, 2 if it loses
    width, moves : as in `RollLists`
    """
    first_list, offered, lengths, lists = [0], [], [], []
    for of_rolls, fate in zip(offsets, ends, strict=True):
        distinct, own = _distinct_rows(of_rolls)
        rows, at = np.nonzero(distinct >= 0)
        places = distinct[rows, at]
        offered.append(places[np.lexsort((places, rows))])
        lengths.append(np.bincount(rows, minlength=len(distinct)))
        first_list.append(first_list[-1] + len(distinct))
        lists.append(own + fate)
    targets, options = np.unique(np.concatenate(offered), return_inverse=True)
    starts = np.cumsum(np.concatenate(lengths)) - np.concatenate(lengths)
    return RollLists(
        rules=rules,
        width=width,
        targets=targets.astype(np.intp),
        options=options.astype(np.intp),
        starts=starts.astype(np.intp),
        first_list=np.array(first_list, dtype=np.intp),
        lists=tuple(lists),
        moves=tuple(moves),
    )


def _distinct_rows(best: Ints) -> tuple[Ints, Ints]:
    """The distinct rows that hold anything, and which of them each row is; the last if nothing."""
    # it takes far longer to sort rows than a hash of each
    factors = np.random.default_rng(0).integers(-(2**62), 2**62, best.shape[1])
    _, first, own = np.unique(best @ factors, return_index=True, return_inverse=True)
    distinct, own = best[first], own.ravel()
    if not np.array_equal(distinct[own], best):  # two rows that have the same hash
        distinct, own = np.unique(best, axis=0, return_inverse=True)
        own = own.ravel()
    scores = np.any(distinct >= 0, axis=1)
    order = np.argsort(~scores, kind="stable")
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return distinct[order][: int(scores.sum())], place[own]


_ENDS = {"loses_turn": 0, "wins_game": 1, "loses_score": 2}
"""Ends of a turn by a roll, see `gathered`."""

_CODES = len(FACES) + 2
"""A multiset of faces and jokers is a number whose digits to this base count them; a badge may add
a die to six."""


def worth_of(rules: Ruleset, points: dict[Roll, int]) -> npt.NDArray[np.int32]:
    """The most steps of every multiset that scores with all its dice, by its number; else -1."""
    steps = np.full(_CODES ** (len(FACES) + 1), -1, dtype=np.int32)
    for faces, most in points.items():
        steps[sum(digit(face) for face in faces)] = most // rules.point_step
    return steps


def digit(face: int) -> int:
    """The digit that a die which shows a face, or JOKER, adds to the number of a multiset."""
    return int(_CODES ** ((face - 1) % (len(FACES) + 1)))


def decided(rules: Ruleset, shown: npt.NDArray[np.int64]) -> Ints:
    """The end of the turn by each roll, as in `gathered`; -1 where points decide.

    shown : as of `targets_of_shown`
    """
    ends = np.full(len(shown), -1, dtype=np.intp)
    if not rules.decisive:
        return ends
    counts = (shown[:, :, np.newaxis] == np.array([digit(face) for face in FACES])).sum(axis=1)
    for then, patterns in reversed(rules.decisive.items()):
        for dice in (dice for pattern in patterns for dice in dice_of(pattern)):
            needed = np.array([dice.count(face) for face in FACES])
            ends[np.all(counts >= needed, axis=1)] = _ENDS[then]
    return ends


def shown_by_rolls(thrown: DiceSet, dice: Remaining) -> npt.NDArray[np.int64]:
    """The digit of each die of every roll of some dice, see `digit`, shape (rolls, dice)."""
    left = thrown.remaining[dice]
    types = [k for k, number in enumerate(left) for _ in range(number)]
    rolls = _rolls(left)
    shown = np.empty_like(rolls)
    for place, k in enumerate(types):
        joker = min(thrown.types[k].jokers, default=JOKER)
        digits = np.array([digit(JOKER if face == joker else face) for face in FACES])
        shown[:, place] = digits[rolls[:, place] - 1]
    return shown


def targets_of_shown(
    rules: Ruleset,
    thrown: DiceSet,
    dice: Remaining,
    shown: npt.NDArray[np.int64],
    worth: npt.NDArray[np.int32],
    *,
    every: bool,
) -> tuple[Ints, Ints]:
    """The targets of the set-asides of each roll, else -1; and all that some roll may lead to.

    That with the most points that leaves each of the remaining dice, shape (rolls, columns); or
    each target once if `every`, shape (rolls, as many as some roll has).

    shown : what dice show, type by type; further columns are dice that do not remain
    """
    left, columns = thrown.remaining[dice], thrown.whole
    types = [k for k, number in enumerate(left) for _ in range(number)]
    types += [len(left)] * (shown.shape[1] - len(types))
    sums = np.zeros((1, len(shown)), dtype=np.int64)
    for digits in shown.T:
        sums = np.vstack((sums, sums + digits))
    # row m sets aside the dice whose bits are 1 in m
    points = worth[sums]
    bar_masks(rules, points)
    best = np.full((len(points) if every else columns, len(shown)), -1, dtype=np.intp)
    reached = []
    for mask, row in enumerate(points[1:], 1):
        kept = Counter(k for bit, k in enumerate(types) if mask >> bit & 1)
        after = thrown.place(tuple(number - kept[k] for k, number in enumerate(left)))
        # where none remain all are rolled again
        column = (after - 1) % columns
        offsets = np.where(row >= 0, row * columns + column, -1)
        here = best[mask if every else column]
        np.maximum(here, offsets, out=here)
        reached.append(np.unique(offsets[offsets >= 0]))
    targets = best.T
    if every:
        targets = np.sort(targets, axis=1)
        targets[:, 1:][targets[:, 1:] == targets[:, :-1]] = -1
        targets.sort(axis=1)
        targets = targets[:, np.any(targets >= 0, axis=0)]
    return targets, np.concatenate(reached)
