"""Rerolls of some dice of a roll by a use of a power: the choices and their outcomes.

The dice that are kept of a roll, together with the types of those that are rolled again, are a
*node*: its value is the mean over what may fall. A roll offers some nodes besides its set-asides.
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
    """The places of the dice that each choice rolls again, by type and then face, lowest first."""
    offered: Ints
    """The node of each roll and choice, -1 where it may not be chosen, shape (rolls, choices)."""
    blocks: tuple[tuple[Numbers, Ints], ...]
    """The nodes one after another, those in which equal dice are rolled again together: these dice,
    and the roll that each outcome leads to, shape (nodes, outcomes)."""

    def chances(self, thrown: DiceSet) -> list[Floats]:
        """The chances of the outcomes of each block with the dice of a set."""
        return [roll_chances(thrown, thrown.place(again)) for again, _ in self.blocks]

    def values(self, thrown: DiceSet, worth: Floats) -> Floats:
        """The worth of each choice for each roll, -1 where it is forbidden, as in `offered`.

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
    """The index of a roll of some dice in the order of all their rolls."""
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
    """All numbers of dice, by type, that may be rolled again at once."""
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
    """All ways to choose `again` dice of each type, as places in a roll, type by type."""
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
    """The number of multisets of n faces."""
    return comb(n + len(FACES) - 1, n)


@lru_cache
def _places(n: int) -> dict[tuple[int, ...], int]:
    """The index of each multiset of n faces in the order of rolls."""
    return {faces: k for k, faces in enumerate(combinations_with_replacement(FACES, n))}


@lru_cache
def _kept(n: int, gone: tuple[int, ...]) -> Ints:
    """The index of what is left of each multiset of n faces without those at some places."""
    places = _places(n - len(gone))
    return np.array(
        [places[tuple(f for p, f in enumerate(faces) if p not in gone)] for faces in _places(n)],
        dtype=np.intp,
    )


@lru_cache
def _merged(n: int, added: int) -> Ints:
    """The index of each multiset of n faces with each of `added` ones, shape (first, second)."""
    places = _places(n + added)
    return np.array(
        [
            [places[tuple(sorted(faces + other))] for other in _places(added)]
            for faces in _places(n)
        ],
        dtype=np.intp,
    )
