"""Dice and rules to test loaded dice with: those of the game, and random ones."""

import random
from itertools import product
from typing import Any

import numpy as np

from solver.game.standings import Ints
from solver.rules.file import load_rules
from solver.rules.ruleset import Ruleset
from solver.turn.dice import Badge, DiceSet, Die, make_dice_set
from solver.turn.equations import Floats
from tests import naive_loaded

GAME_DICE = [
    (1, 1, 1, 1, 1, 1),
    (6, 1, 6, 1, 6, 1),
    (5, 3, 2, 3, 5, 3),
    (3, 3, 3, 3, 3, 6),
    (1, 5, 5, 5, 5, 1),
    (2, 8, 2, 8, 2, 8),
    (6, 0, 1, 1, 6, 4),
    (3, 2, 3, 2, 3, 4),
    (1, 5, 1, 1, 7, 1),
    (1, 10, 1, 1, 1, 1),
    (7, 2, 2, 2, 2, 4),
    (4, 5, 7, 1, 1, 1),
    (4, 6, 7, 8, 4, 3),
    (2, 3, 2, 3, 7, 3),
    (6, 1, 2, 3, 4, 6),
    (4, 5, 6, 7, 1, 1),
    (8, 8, 1, 1, 1, 1),
    (3, 1, 1, 1, 3, 3),
    (8, 2, 8, 2, 8, 2),
    (3, 1, 1, 1, 6, 3),
    (1, 3, 2, 2, 2, 1),
    (6, 1, 3, 3, 0, 0),
    (6, 6, 1, 1, 6, 3),
    (3, 1, 6, 1, 1, 3),
    (2, 1, 1, 1, 1, 3),
    (4, 2, 2, 2, 3, 3),
    (2, 1, 4, 1, 2, 1),
    (3, 4, 1, 1, 2, 1),
    (1, 5, 6, 2, 2, 2),
    (10, 1, 1, 1, 1, 1),
]
"""Weights of all different dice of Kingdom Come: Deliverance II without a joker, release 1.5."""

GAME_JOKERS = [(1, 1, 1, 1, 1, 1), (2, 1, 1, 1, 1, 1)]
"""The weights of dice whose first face is a joker."""

EVERY_DIE = [
    *(naive_loaded.Weights(weights) for weights in GAME_DICE),
    *(naive_loaded.Weights(weights, frozenset({1})) for weights in GAME_JOKERS),
]


def kcd(**changes: Any) -> Ruleset:
    """The rules of Kingdom Come, but for these."""
    return Ruleset.model_validate(load_rules("kcd").model_dump() | changes)


def random_die(chance: random.Random) -> naive_loaded.Weights:
    """A die of few faces or many, some of them jokers."""
    weights = [chance.choice([0, 0, 1, 1, 2, 3, 5, 8]) for _ in range(6)]
    weights[chance.randrange(6)] += 1
    jokers = {face for face in range(1, 7) if chance.random() < 0.07}
    return naive_loaded.Weights(tuple(weights), frozenset(jokers))


def with_joker(chance: random.Random, die: naive_loaded.Weights) -> naive_loaded.Weights:
    """A die of which one face that falls is a joker."""
    face = chance.choice([face for face, weight in enumerate(die.weights, 1) if weight])
    return naive_loaded.Weights(die.weights, frozenset({face}))


def random_dice(chance: random.Random, number: int) -> list[naive_loaded.Weights]:
    """Dice of which some may be equal, and most can score without a joker."""
    types = [random_die(chance) for _ in range(chance.randint(1, number))]
    types.append(naive_loaded.Weights((2, 1, 1, 0, 2, 1)))
    return [chance.choice(types) for _ in range(number - 1)] + [types[-1]]


def set_of(dice: list[naive_loaded.Weights]) -> DiceSet:
    """The set of these dice for the solver."""
    return make_dice_set(Die(die.weights, die.jokers) for die in dice)


def random_badge(chance: random.Random, number: int) -> Badge:
    """A formation, another triple, or mostly none."""
    badges = [((3, 5), 150), ((4, 5, 6), 250), ((1, 1, 1), 3000), ((1, 3, 5), 300)]
    return tuple(one for one in badges if len(one[0]) <= number and chance.random() < 0.2)


def coded(
    rules: Ruleset, dice: list[list[naive_loaded.Weights]], sets: tuple[DiceSet, DiceSet]
) -> tuple[Ints, Floats, Ints, Ints]:
    """Six dice of two players as a loop over games takes them that rolls die by die.

    Returns the points of dice in steps of 50 or -1 by the sum of the codes of what they show; what
    a uniform number makes of each die, the sum of the weights of its faces so far, and the codes of
    its faces, both of shape (2, 6, 6); and by the dice that are left, as bits, what the strategy
    calls them, shape (2, 64).
    """
    points = np.full(7**7, -1, dtype=np.int64)
    for count in product(range(7), repeat=7):
        if 1 <= sum(count) <= 6:
            shown = tuple("J" * count[6]) + tuple("".join(str(f + 1) * count[f] for f in range(6)))
            found = naive_loaded.points(naive_loaded.Table(rules), tuple(sorted(shown)))
            if found is not None:
                points[sum(n * 7**k for k, n in enumerate(count))] = found // 50
    falls = np.array([[np.cumsum(np.array(d.weights) / sum(d.weights)) for d in ds] for ds in dice])
    falls[:, :, -1] = 1.0
    codes = np.array(
        [
            [[7**6 if f in d.jokers else 7 ** (f - 1) for f in range(1, 7)] for d in ds]
            for ds in dice
        ]
    )
    after = np.zeros((2, 64), dtype=np.int64)
    for side, thrown in enumerate(sets):
        types = [thrown.types.index(Die(d.weights, d.jokers).reduced) for d in dice[side]]
        for mask in range(1, 64):
            left = [types[k] for k in range(6) if mask >> k & 1]
            numbers = tuple(left.count(k) for k in range(len(thrown.types)))
            after[side, mask] = thrown.place(numbers) - 1
    return points, falls, codes, after
