"""A rule set's set-asides by enumeration: for people, and as flat arrays for a turn's equations."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement

import numpy as np
import numpy.typing as npt

from solver.dice import Roll, make_roll, parts, rolls
from solver.rules import Ruleset


@dataclass(frozen=True, slots=True)
class SetAside:
    """Dice kept from a roll, each of which scores, and the most points they are worth."""

    dice: Roll
    points: int


@dataclass(frozen=True, slots=True, eq=False)
class TurnPlan:
    """The choices of every roll as arrays over the targets (points, dice left) they lead to.

    A turn table is a matrix over turn totals and dice, flat in memory; seen from the row of one
    turn total, a target is one offset: ``points_steps * dice + (dice_left - 1)``.
    Of all set-asides of a roll that use the same number of dice only the one with most points
    is kept: with the same dice a higher turn total is never worse as long as any score at or
    over the goal wins. Rolls with equal targets are one list with the sum of their chances.
    """

    targets: npt.NDArray[np.intp]
    """Offsets of the distinct targets, ascending, shape (targets,)."""
    options: npt.NDArray[np.intp]
    """Indices into `targets`, list after list, shape (options,)."""
    starts: npt.NDArray[np.intp]
    """Where each list starts in `options`, shape (lists,)."""
    chances: npt.NDArray[np.float64]
    """Chance of each list when rolling n dice in row n - 1, shape (dice, lists).

    A list belongs to one number of dice, so that a column has one entry that is not 0."""
    farkle_chances: npt.NDArray[np.float64]
    """Chance of a farkle when rolling n dice at n - 1, shape (dice,)."""
    reach: int
    """Most steps that one set-aside adds to the turn total."""

    def lists(self) -> list[tuple[int, ...]]:
        """The lists as tuples of indices into `targets`."""
        return [tuple(part.tolist()) for part in np.split(self.options, self.starts[1:])]


@cache
def all_points(rules: Ruleset) -> dict[Roll, int]:
    """Most points of every multiset of 1 to `rules.dice` dice that scores with all its dice.

    The best partition into combinations, by taking away one combination after another.
    """
    combinations = [(make_roll(dice), points) for dice, points in rules.combinations.items()]
    best: dict[Roll, int] = {(): 0}
    for number in range(1, rules.dice + 1):
        for faces in combinations_with_replacement(range(6, 0, -1), number):
            found = [
                points + best[rest]
                for dice, points in combinations
                if (rest := _without(faces, dice)) is not None and rest in best
            ]
            if found:
                best[faces] = max(found)
    del best[()]
    return best


def _without(faces: Roll, dice: Roll) -> Roll | None:
    """`faces` less `dice`, or None where `dice` are not all among them; both descending."""
    rest = list(faces)
    for die in dice:
        if die not in rest:
            return None
        rest.remove(die)
    return tuple(rest)


def set_asides(rules: Ruleset, roll: Roll) -> tuple[SetAside, ...]:
    """Every legal set-aside of a roll, most points first; empty for a farkle."""
    return all_set_asides(rules)[roll]


@cache
def all_set_asides(rules: Ruleset) -> dict[Roll, tuple[SetAside, ...]]:
    """The set-asides of every roll of 1 to `rules.dice` dice."""
    scoring = {dice: SetAside(dice, points) for dice, points in all_points(rules).items()}
    return {
        roll: tuple(
            sorted(
                (scoring[part] for part in parts(roll) if part in scoring),
                key=lambda kept: (-kept.points, len(kept.dice), kept.dice),
            )
        )
        for number in range(1, rules.dice + 1)
        for roll, _ in rolls(number)
    }


def farkle_probability(rules: Ruleset, number: int) -> Fraction:
    """Chance that a roll of `number` dice has no set-aside."""
    ways = sum(ways for roll, ways in rolls(number) if not set_asides(rules, roll))
    return Fraction(ways, 6**number)


def hot_dice(rules: Ruleset, dice_left: int) -> int:
    """Dice to roll next: all of them again when none is left."""
    return dice_left or rules.dice


@cache
def turn_plan(rules: Ruleset) -> TurnPlan:
    """The turn's choices as arrays."""
    kept_of = all_set_asides(rules)
    chances: dict[tuple[int, tuple[int, ...]], int] = {}
    farkles = np.zeros(rules.dice)
    reach = 0
    for number in range(1, rules.dice + 1):
        for roll, ways in rolls(number):
            most: dict[int, int] = {}
            for kept in kept_of[roll]:
                used = len(kept.dice)
                most[used] = max(most.get(used, 0), kept.points // rules.point_step)
            if not most:
                farkles[number - 1] += ways / 6**number
                continue
            reach = max(reach, *most.values())
            offsets = tuple(
                sorted(
                    points * rules.dice + hot_dice(rules, number - used) - 1
                    for used, points in most.items()
                )
            )
            key = number, offsets
            chances[key] = chances.get(key, 0) + ways
    targets = sorted({offset for _, offsets in chances for offset in offsets})
    index = {offset: position for position, offset in enumerate(targets)}
    weights = np.zeros((rules.dice, len(chances)))
    options: list[int] = []
    starts: list[int] = []
    for position, ((number, offsets), ways) in enumerate(chances.items()):
        weights[number - 1, position] = ways / 6**number
        starts.append(len(options))
        options += [index[offset] for offset in offsets]
    return TurnPlan(
        targets=np.array(targets, dtype=np.intp),
        options=np.array(options, dtype=np.intp),
        starts=np.array(starts, dtype=np.intp),
        chances=weights,
        farkle_chances=farkles,
        reach=reach,
    )
