"""Slow, obvious twins, written from the rules of the game and not from the code they check."""

from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import product

import numpy as np
import numpy.typing as npt

from solver.rules import Ruleset

State = tuple[int, int, int, int]


def of_a_kind(rules: Ruleset, face: int, number: int) -> int:
    """Points of exactly `number` dice of one face taken together."""
    scoring = rules.scoring
    if number == 1:
        return scoring.single[face - 1]
    if number == 3:
        return scoring.three_of_a_kind[face - 1]
    if number < 3 or scoring.more_of_a_kind == "none":
        return 0
    fewer = of_a_kind(rules, face, number - 1)
    if scoring.more_of_a_kind == "doubling":
        return fewer + fewer
    return fewer + scoring.three_of_a_kind[face - 1] if fewer else 0


@cache
def points(rules: Ruleset, dice: tuple[int, ...]) -> int | None:
    """Most points of dice that all have to score, in ascending order; None where they cannot."""
    if not dice:
        return 0
    scoring = rules.scoring
    found = []
    whole = {
        (1, 2, 3, 4, 5, 6): scoring.straight_1_6,
        (1, 2, 3, 4, 5): scoring.straight_1_5,
        (2, 3, 4, 5, 6): scoring.straight_2_6,
    }
    for straight, worth in whole.items():
        rest = list(dice)
        if worth and all(face in rest for face in straight):
            for face in straight:
                rest.remove(face)
            after = points(rules, tuple(rest))
            if after is not None:
                found.append(worth + after)
    if scoring.three_pairs and sorted(Counter(dice).values()) == [2, 2, 2]:
        found.append(scoring.three_pairs)
    face = dice[0]
    for number in range(1, dice.count(face) + 1):
        worth = of_a_kind(rules, face, number)
        after = points(rules, dice[number:])
        if worth and after is not None:
            found.append(worth + after)
    return max(found, default=None)


@cache
def set_asides(rules: Ruleset, roll: tuple[int, ...]) -> frozenset[tuple[tuple[int, ...], int]]:
    """Every part of a roll, in ascending order, that scores with all its dice, with its points."""
    found = set()
    for chosen in product((False, True), repeat=len(roll)):
        dice = tuple(sorted(face for face, keep in zip(roll, chosen, strict=True) if keep))
        worth = points(rules, dice)
        if dice and worth is not None:
            found.add((dice, worth))
    return frozenset(found)


@cache
def outcomes(rules: Ruleset, number: int) -> dict[frozenset[tuple[int, int]], float]:
    """What a roll of `number` dice may lead to: sets of (points, dice left) with their chances."""
    chances: Counter[frozenset[tuple[int, int]]] = Counter()
    for roll in product(range(1, 7), repeat=number):
        chances[
            frozenset(
                (worth, number - len(dice) or rules.dice)
                for dice, worth in set_asides(rules, tuple(sorted(roll)))
            )
        ] += 1
    return {choices: count / 6**number for choices, count in chances.items()}


def value_iteration(rules: Ruleset, tolerance: float = 1e-13) -> npt.NDArray[np.float64]:
    """V[f, e, b, d] of a small game by iterating W over every state (t, n, b, d, f, e).

    All states with the same turn total and dice to roll are one array over (f, e, b, d); turn
    totals go from high to low within an iteration, which only makes it faster.
    """
    step = rules.point_step
    scores = list(range(rules.score_floor, rules.goal, step))
    limit = rules.farkle_penalty.in_a_row if rules.farkle_penalty else 1
    minimum = max(rules.minimum_bank, step)
    last_total = max(rules.goal - rules.score_floor, minimum)
    shape = limit, limit, len(scores), len(scores)
    f, e, b, d = np.meshgrid(*(np.arange(size) for size in shape), indexing="ij")

    farkled = b.copy()
    if rules.farkle_penalty:
        fallen = np.maximum(b - rules.farkle_penalty.points // step, 0)
        farkled = np.where(f + 1 == limit, fallen, b)
    farkles = (f + 1) % limit
    value = {
        (t, n): np.full(shape, 0.5)
        for t in range(0, last_total, step)
        for n in range(1, rules.dice + 1)
    }
    lost_or_won = np.ones(shape)
    start = 0, rules.dice
    while True:
        before = value[start].copy()
        for t, n in sorted(value, reverse=True):
            farkle = 1 - value[start][e, farkles, d, farkled]
            roll = np.zeros(shape)
            for choices, chance in outcomes(rules, n).items():
                if choices:
                    roll += chance * np.max(
                        [value.get((t + worth, left), lost_or_won) for worth, left in choices],
                        axis=0,
                    )
                else:
                    roll += chance * farkle
            after = b + t // step
            wins = after >= len(scores)
            bank = 1 - value[start][e, 0, d, np.where(wins, 0, after)]
            if t < minimum:
                value[t, n] = roll
            else:
                value[t, n] = np.where(wins, 1.0, np.maximum(bank, roll))
        if np.max(np.abs(value[start] - before) / value[start]) < tolerance:
            return value[start]


def turn_values(
    rules: Ruleset, bank: list[float | None], farkle: float
) -> Iterator[tuple[int, int, float]]:
    """W(t, n) of one turn by plain recursion; None where banking is not allowed; 1 beyond."""

    @cache
    def value(t: int, n: int) -> float:
        if t >= len(bank):
            return 1.0
        roll = sum(
            chance
            * max(
                (value(t + worth // rules.point_step, left) for worth, left in choices),
                default=farkle,
            )
            for choices, chance in outcomes(rules, n).items()
        )
        return max(roll, bank[t] or 0.0)

    for t in range(len(bank) - 1, -1, -1):
        for n in range(1, rules.dice + 1):
            yield t, n, value(t, n)
