"""What rolls offer to a player who may use a power, as lists of where set-asides lead.

A set-aside leads to the same uses left or, where it uses the power, to one less. All of it depends
on the shape of a set, as in solver.turn.remaining, and not on its chances.
"""

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from solver.rules.ruleset import FACES, Ruleset
from solver.turn.dice import JOKER, DiceSet, Die, Remaining
from solver.turn.equations import Floats
from solver.turn.powers import Power, PowerKind
from solver.turn.remaining import (
    Ints,
    RollLists,
    Shape,
    any_set,
    best_of_shown,
    digit,
    distinct_rows,
    list_chances,
    roll_lists,
    roll_ways,
    shown_by_rolls,
    worth_of,
)
from solver.turn.scoring import Badge, all_points_with_jokers

_KEPT = 4
"""Shapes whose offers are kept in memory."""


@dataclass(frozen=True, eq=False)
class Offers:
    """The options of rolls, list after list, and where each leads."""

    columns: int
    """Number of remaining dice that a turn tells apart."""
    steps: Ints
    """That an option adds to the turn total, shape (options,)."""
    column: Ints
    """The dice that it leaves, less 1; `columns` for taking a farkle, shape (options,)."""
    used: npt.NDArray[np.bool_]
    """Whether it uses the power, shape (options,)."""
    starts: Ints
    """Where each list starts among the options, and the end, shape (lists + 1,)."""
    first_list: Ints
    """The first list of each column, and the number of lists, shape (columns + 1,)."""
    lists: tuple[Ints, ...]
    """For each column the list of each roll, counted from `first_list`, the last for a farkle. With
    a die that is added its faces come first, each with all rolls."""

    @property
    def reach(self) -> int:
        """Most steps that an option adds."""
        return int(self.steps.max(initial=0))

    def places(self, layers: int, lanes: int = 1) -> Ints:
        """Where options lie from the row of a turn total and the layer of the uses left on.

        A row has so many layers of `columns` + 1 cells, the last of which is worth a farkle, each
        with so many lanes; the layer before is that of one use less.
        """
        width = self.columns + 1
        found: Ints = self.steps * (layers * width) - self.used * width + self.column
        return found * lanes

    def chances(self, thrown: DiceSet, added: Die | None = None) -> tuple[Floats, Floats]:
        """The chances of the lists of a set, and of a farkle by column.

        added : the die that is added to each roll, if any
        """
        rolls = (roll_ways(thrown, dice + 1, added) for dice in range(self.columns))
        chances, (farkles, _, _) = list_chances(self.first_list, self.lists, rolls)
        return chances, farkles

    def lists_of(self, layers: int, thrown: DiceSet, added: Die | None = None) -> "Lists":
        """Return them as a set falls, with a die that is added if any, in so many layers."""
        return Lists(self, self.places(layers), *self.chances(thrown, added))


@dataclass(frozen=True, eq=False)
class Lists:
    """Offers as the dice of a set fall, in the cells of a turn in layers."""

    offers: Offers
    places: Ints
    """As of `Offers.places`."""
    chances: Floats
    """Of each list, (lists,)."""
    farkles: Floats
    """Chance of a farkle by column, (columns,)."""

    def best(self, options: Floats) -> Floats:
        """Return what each list is worth, given what each option is."""
        found: Floats = np.maximum.reduceat(options, self.offers.starts[:-1])
        return found

    def rolled(self, best: Floats) -> Floats:
        """Return what rolls that score are worth by column, given what each list is worth."""
        columns = self.offers.columns
        of_lists = np.arange(columns).repeat(np.diff(self.offers.first_list))
        return np.bincount(of_lists, best * self.chances, minlength=columns).astype(np.float64)


def offers_of(lists: RollLists) -> Offers:
    """What rolls offer without a power."""
    targets = lists.targets[lists.options]
    return Offers(
        columns=lists.columns,
        steps=targets // lists.columns,
        column=targets % lists.columns,
        used=np.zeros(len(targets), dtype=np.bool_),
        starts=np.append(lists.starts, len(targets)).astype(np.intp),
        first_list=lists.first_list,
        lists=lists.lists,
    )


def power_offers(
    rules: Ruleset, shape: Shape, power: Power, *, joker_alone: bool = False, badge: Badge = ()
) -> Offers:
    """What the rolls of a shape offer to who may use a power on them.

    Of `MIGHT` it is what rolls with the die that is added offer once it is. Of a power that acts
    elsewhere, and of `REROLL`, it is what rolls offer anyway. Raises InvalidDiceError where nothing
    can score.
    """
    die = Die(jokers=power.die.jokers)
    same = replace(power, uses=1, at_start=False, once=False, die=die)
    return _find_offers(rules.of_turn, shape, same, joker_alone, badge)


@lru_cache(maxsize=_KEPT)
def _find_offers(
    rules: Ruleset, shape: Shape, power: Power, joker_alone: bool, badge: Badge
) -> Offers:
    plain = offers_of(roll_lists(rules, shape, joker_alone=joker_alone, badge=badge))
    if power.kind is PowerKind.DOPPELGANGER:
        return _doubled(plain)
    if power.kind not in {PowerKind.TRANSMUTATION, PowerKind.MIGHT}:
        return plain
    thrown = any_set(shape)
    points = all_points_with_jokers(
        rules,
        joker_alone=joker_alone,
        badge=badge,
        more=int(power.kind is PowerKind.MIGHT),
    )
    worth = worth_of(rules, points)
    columns = range(1, thrown.whole + 1)
    if power.kind is PowerKind.MIGHT:
        return _gathered([_with_die(rules, thrown, dice, power.die, worth) for dice in columns])
    return _gathered([_turned(rules, thrown, dice, power, worth) for dice in columns])


def _doubled(plain: Offers) -> Offers:
    """Every option also with twice the steps, by a use."""
    lengths = np.diff(plain.starts)
    order = np.argsort(np.tile(np.arange(len(lengths)).repeat(lengths), 2), kind="stable")
    return replace(
        plain,
        steps=np.concatenate((plain.steps, 2 * plain.steps))[order],
        column=np.tile(plain.column, 2)[order],
        used=np.arange(2).repeat(len(plain.steps)).astype(np.bool_)[order],
        starts=2 * plain.starts,
    )


def _with_die(
    rules: Ruleset, thrown: DiceSet, dice: Remaining, die: Die, worth: npt.NDArray[np.int32]
) -> npt.NDArray[np.int32]:
    """The most steps that rolls with one more die leave, face after face of it, as `_gathered`."""
    shown = shown_by_rolls(thrown, dice)
    found = []
    for face in FACES:
        added = digit(JOKER if face in die.jokers else face)
        with_it = np.hstack((shown, np.full((len(shown), 1), added)))
        best, _ = best_of_shown(rules, thrown, dice, with_it, worth)
        found.append(best)
    rolls = np.vstack(found)
    return np.hstack((rolls, np.full_like(rolls, -1), np.full((len(rolls), 1), -1, np.int32)))


def _turned(
    rules: Ruleset, thrown: DiceSet, dice: Remaining, power: Power, worth: npt.NDArray[np.int32]
) -> npt.NDArray[np.int32]:
    """The most steps that rolls leave as they are, and with one die turned, as `_gathered`."""
    shown = shown_by_rolls(thrown, dice)
    best, _ = best_of_shown(rules, thrown, dice, shown, worth)
    used = np.full_like(best, -1)
    for place in range(shown.shape[1]):
        turned = shown.copy()
        turned[:, place] = digit(power.amount)
        np.maximum(used, best_of_shown(rules, thrown, dice, turned, worth)[0], out=used)
    farkles = ~np.any(best >= 0, axis=1)
    if not power.after_farkle:
        used[farkles] = -1
    taken = np.where(farkles & np.any(used >= 0, axis=1), 0, -1).astype(np.int32)
    return np.hstack((best, used, taken[:, np.newaxis]))


def _gathered(best: list[npt.NDArray[np.int32]]) -> Offers:
    """Offers of rolls, given for each column the most steps that leave each of the remaining dice.

    best : shape (rolls, 2 * (columns + 1) + 1): without a use, with one, and 0 in the last where a
        farkle may be taken as it is; -1 for nothing
    """
    columns = len(best)
    places = columns + 1
    steps, column, used, lengths, lists = [], [], [], [], []
    first_list = [0]
    for rolls in best:
        distinct, own = distinct_rows(rolls)
        rows, place = np.nonzero(distinct >= 0)
        steps.append(distinct[rows, place])
        used.append((place >= places) & (place < 2 * places))
        left = (place % places - 1) % columns
        column.append(np.where(place == 2 * places, columns, left))
        lengths.append(np.bincount(rows, minlength=len(distinct)))
        first_list.append(first_list[-1] + len(distinct))
        lists.append(own)
    ends = np.cumsum(np.concatenate(lengths))
    return Offers(
        columns=columns,
        steps=np.concatenate(steps).astype(np.intp),
        column=np.concatenate(column).astype(np.intp),
        used=np.concatenate(used),
        starts=np.concatenate(([0], ends)).astype(np.intp),
        first_list=np.array(first_list, dtype=np.intp),
        lists=tuple(lists),
    )
