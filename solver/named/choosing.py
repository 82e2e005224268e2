"""Which sets can be taken from the dice that somebody owns."""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice

from solver.named.catalogue import dice_by_key
from solver.named.sets import NamedDie, NamedSet, make_set, named_die
from solver.turn.dice import Die


def with_ordinary(owned: Iterable[NamedDie], number: int) -> list[NamedDie]:
    """The dice that somebody owns, with as many ordinary ones as a set may need."""
    dice = list(owned)
    plain = sum(named.die == Die() for named in dice)
    return dice + [named_die(dice_by_key()["ordinary"])] * max(0, number - plain)


def number_of_sets(owned: Iterable[NamedDie], number: int) -> int:
    """How many different sets of so many dice there are; dice that fall alike are alike."""
    ways = [1] + [0] * number
    for count in Counter(named.die for named in owned).values():
        ways = [
            sum(ways[k - taken] for taken in range(min(k, count) + 1)) for k in range(number + 1)
        ]
    return ways[number]


def sets_from(owned: Iterable[NamedDie], number: int) -> list[NamedSet]:
    """Every different set of so many dice; of dice that fall alike those named first are taken."""
    by_type: dict[Die, list[NamedDie]] = {}
    for named in owned:
        by_type.setdefault(named.die, []).append(named)
    return [make_set(dice) for dice in _taken(list(by_type.values()), number)]


def _taken(types: list[list[NamedDie]], number: int) -> Iterator[list[NamedDie]]:
    """All ways to take so many dice, a number of the first ones of each type."""
    if not types:
        if number == 0:
            yield []
        return
    first, *others = types
    for taken in range(min(number, len(first)) + 1):
        for rest in _taken(others, number - taken):
            yield [*islice(first, taken), *rest]
