"""A draft: pairs of dice of Kingdom Come that are dealt, or laid out and taken in turn."""

import random
from collections.abc import Sequence

from solver.errors import InvalidDiceError
from solver.named.catalogue import Version, known_dice
from solver.named.sets import NamedDie, NamedSet, make_set, named_die
from solver.turn.dice import Die

LAID_OUT = 8
"""Pairs from which both take theirs."""
PAIR = 2
_WORTH = {1: 2, 5: 1}
"""The worth of faces that score by themselves; a joker is worth as much as a 1."""


def pairs_of(dice: int) -> int:
    """How many pairs a set of so many dice is. Raises InvalidDiceError."""
    if dice % PAIR:
        raise InvalidDiceError.say(
            "dice are drafted in pairs, but a set under these rules has {number} dice", number=dice
        )
    return dice // PAIR


def check_pool(pool: Sequence[NamedDie], dice: int) -> None:
    """Raises InvalidDiceError for fewer pairs than two players take for sets of so many dice."""
    if len(pool) < (least := 2 * pairs_of(dice)):
        raise InvalidDiceError.say(
            "a draft needs at least {least} pairs, not {number}",
            least=least,
            number=len(pool),
        )


def drawn(chance: random.Random, number: int) -> tuple[NamedDie, ...]:
    """`number` dice of the second game by chance, no two of which fall alike."""
    by_type: dict[Die, NamedDie] = {}
    for known in known_dice():
        if known.internal and Version.PATCHED in known.versions:
            by_type.setdefault(known.versions[Version.PATCHED], named_die(known))
    return tuple(chance.sample(list(by_type.values()), number))


def dealt(chance: random.Random, dice: int) -> tuple[NamedSet, NamedSet]:
    """Two sets of so many dice, pairs of which are dealt by chance. Raises InvalidDiceError."""
    number = pairs_of(dice)
    pool = drawn(chance, 2 * number)
    return set_of_pairs(pool[:number]), set_of_pairs(pool[number:])


def set_of_pairs(dice: Sequence[NamedDie]) -> NamedSet:
    """The set with a pair of each of some dice."""
    return make_set([*dice] * PAIR)


def order_of_picks(pairs: int) -> tuple[int, ...]:
    """Whose turn it is to take a pair, pick by pick: 0 1 1 0 0 1 for three pairs each."""
    return tuple((pick + 1) // 2 % 2 for pick in range(2 * pairs))


def rule_of_thumb(die: NamedDie) -> float:
    """What bots judge a die by: how often it shows what scores by itself, or a joker."""
    faces = enumerate(die.die.weights, 1)
    worth = sum(weight * (2 if f in die.die.jokers else _WORTH.get(f, 0)) for f, weight in faces)
    return worth / sum(die.die.weights)
