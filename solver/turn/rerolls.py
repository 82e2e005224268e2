"""Dice of a roll that are rolled again by a use of a power: which may be, and what may fall.

What is kept of a roll, together with the types of the dice that are rolled again, is a *node*: its
value is the mean over what may fall. A roll offers some nodes besides its set-asides.
"""

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, combinations, combinations_with_replacement
from math import comb, prod

import numpy as np

from solver.rules.ruleset import FACES
from solver.turn.dice import DiceSet, Remaining, Roll
from solver.turn.equations import Floats
from solver.turn.powers import Power
from solver.turn.remaining import Ints, Shape, any_set, roll_chances, shown_by_rolls

Numbers = tuple[int, ...]
"""The number of dice of each type."""

_KEPT = 2
"""Shapes whose nodes are kept in memory."""


@dataclass(frozen=True, eq=False)
class Rerolls:
    """The nodes of the rolls of some dice of a shape."""

    choices: tuple[tuple[int, ...], ...]
    """Which dice of a roll are rolled again, counted by type and face, from the lowest."""
    offered: Ints
    """The node of each roll and choice, -1 where it may not be chosen, shape (rolls, choices)."""
    blocks: tuple[tuple[Numbers, Ints], ...]
    """The nodes one after another, those in which equal dice are rolled again together: these dice,
    and the roll that each outcome leads to, shape (nodes, outcomes)."""

    def chances(self, thrown: DiceSet) -> list[Floats]:
        """The chances of the outcomes of each block with the dice of a set."""
        return [roll_chances(thrown, thrown.place(again)) for again, _ in self.blocks]

    def values(self, thrown: DiceSet, worth: Floats) -> Floats:
        """What each choice is worth to each roll, -1 where it may not be, as `offered`.

        worth : of each roll once it lies on the table, shape (rolls,)
        """
        pairs = zip(self.blocks, self.chances(thrown), strict=True)
        means = [worth[rolls] @ block for (_, rolls), block in pairs]
        values: Floats = np.concatenate([*means, [-1.0]])[self.offered]
        return values


@lru_cache(maxsize=_KEPT)
def find_rerolls(shape: Shape, power: Power) -> tuple[Rerolls, ...]:
    """The nodes of the rolls of all remaining dice of a shape, those of 1 to all columns."""
    thrown = any_set(shape)
    return tuple(_of_dice(thrown, dice, power) for dice in range(1, thrown.whole + 1))


def place_of_roll(thrown: DiceSet, dice: Remaining, roll: Roll) -> int:
    """Where a roll of some dice stands among all of them."""
    place = 0
    for k, number in enumerate(thrown.remaining[dice]):
        faces = (die - len(FACES) * k for die in roll if (die - 1) // len(FACES) == k)
        place = place * _number(number) + _places(number)[tuple(sorted(faces))]
    return place


def operations(shape: Shape, power: Power) -> int:
    """About how many outcomes and choices of nodes there are, all remaining dice together."""
    number = 0
    for left in any_set(shape).remaining[1:]:
        rolls = prod(_number(n) for n in left)
        for again in _numbers(left, power):
            outcomes = prod(_number(n - s) * _number(s) for n, s in zip(left, again, strict=True))
            number += outcomes + rolls * prod(comb(n, s) for n, s in zip(left, again, strict=True))
    return number


def _numbers(left: Numbers, power: Power) -> list[Numbers]:
    """The dice that may be rolled again at once, by type."""
    types = [k for k, number in enumerate(left) for _ in range(number)]
    sizes = [2] if power.alike else range(1, power.amount + 1)
    chosen = {
        tuple(Counter(dice)[k] for k in range(len(left)))
        for size in sizes
        for dice in combinations(types, size)
    }
    return sorted(chosen)


def _of_dice(thrown: DiceSet, dice: Remaining, power: Power) -> Rerolls:
    left = thrown.remaining[dice]
    firsts = [0, *accumulate(left)]
    shown = shown_by_rolls(thrown, dice)
    # where each roll stands among the multisets of faces of each type
    shape = [_number(n) for n in left]
    places = np.unravel_index(np.arange(len(shown)), shape)
    blocks: list[tuple[Numbers, Ints]] = []
    choices: list[tuple[int, ...]] = []
    offered = []
    before = 0
    for again in _numbers(left, power):
        kept_shape = [_number(n - s) for n, s in zip(left, again, strict=True)]
        for chosen in _positions(left, again):
            kept = [
                _kept(n, tuple(p - first for p in chosen if first <= p < first + n))[place]
                for n, first, place in zip(left, firsts, places, strict=False)
            ]
            nodes = before + np.ravel_multi_index(kept, kept_shape)
            if power.alike:
                first, second = chosen
                nodes = np.where(shown[:, first] == shown[:, second], nodes, -1)
            choices.append(chosen)
            offered.append(nodes)
        blocks.append((again, _outcomes(left, again)))
        before += prod(kept_shape)
    return Rerolls(
        choices=tuple(choices),
        offered=np.stack(offered, axis=1) if offered else np.empty((len(shown), 0), np.intp),
        blocks=tuple(blocks),
    )


def _positions(left: Numbers, again: Numbers) -> list[tuple[int, ...]]:
    """The dice of a roll, type by type, that are so many of each type, in all ways."""
    types = [k for k, number in enumerate(left) for _ in range(number)]
    return [
        chosen
        for chosen in combinations(range(len(types)), sum(again))
        if all(sum(types[p] == k for p in chosen) == number for k, number in enumerate(again))
    ]


def _outcomes(left: Numbers, again: Numbers) -> Ints:
    """The roll of each node of a block and outcome, shape (nodes, outcomes)."""
    rolls = np.zeros((1, 1), dtype=np.intp)
    for n, s in zip(left, again, strict=True):
        merged = _merged(n - s, s)
        size = _number(n)
        nodes, outcomes = len(rolls) * len(merged), rolls.shape[1] * merged.shape[1]
        added = rolls[:, np.newaxis, :, np.newaxis] * size + merged[:, np.newaxis, :][np.newaxis]
        rolls = added.reshape(nodes, outcomes)
    return rolls


def _number(n: int) -> int:
    """How many multisets of n faces there are."""
    return comb(n + len(FACES) - 1, n)


@lru_cache
def _places(n: int) -> dict[tuple[int, ...], int]:
    """Where each multiset of n faces stands in the order of rolls."""
    return {faces: k for k, faces in enumerate(combinations_with_replacement(FACES, n))}


@lru_cache
def _kept(n: int, gone: tuple[int, ...]) -> Ints:
    """What is left of each multiset of n faces without those at some places."""
    places = _places(n - len(gone))
    return np.array(
        [places[tuple(f for p, f in enumerate(faces) if p not in gone)] for faces in _places(n)],
        dtype=np.intp,
    )


@lru_cache
def _merged(n: int, added: int) -> Ints:
    """The multisets of n faces with those of `added` more, shape (first, second)."""
    places = _places(n + added)
    return np.array(
        [
            [places[tuple(sorted(faces + other))] for other in _places(added)]
            for faces in _places(n)
        ],
        dtype=np.intp,
    )
