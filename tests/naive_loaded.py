"""Loaded dice, the slow and obvious way: each die by itself, each of its faces one by one.

Written from the rules alone: a joker stands for one value inside a combination that has at least
one die which is no joker, unless jokers may score alone. Nothing here knows of types of dice.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations, product
from typing import Any

import numpy as np
import numpy.typing as npt

from solver.rules.ruleset import Ruleset
from tests import naive

Array = npt.NDArray[np.float64]
Faces = tuple[str, ...]
"""What dice show: "1" to "6", and "J" for a joker."""
Dice = tuple[int, ...]
"""Some of a player's dice, by their places."""
Choices = frozenset[tuple[int, Dice]]
"""What set-asides lead to: points, and the dice to roll next."""


@dataclass(frozen=True)
class Weights:
    """One die: how often each face falls, and which of them are jokers."""

    weights: tuple[int, ...] = (1, 1, 1, 1, 1, 1)
    jokers: frozenset[int] = field(default_factory=frozenset)

    def falls(self) -> Iterator[tuple[str, float]]:
        """Every face that can fall with its chance."""
        for face, weight in enumerate(self.weights, 1):
            if weight:
                shown = "J" if face in self.jokers else str(face)
                yield shown, weight / sum(self.weights)


@dataclass(frozen=True)
class Table:
    """What is agreed on besides the rules, and what a player's badge changes."""

    rules: Ruleset
    alone: bool = False
    """Whether a joker may score without a die that is none."""
    badge: tuple[tuple[naive.Dice, int], ...] = ()
    """Combinations that the badge adds, or whose points it changes."""


@cache
def combination(table: Table, shown: Faces) -> int:
    """Points of dice that are one combination; 0 where they are none."""
    if set(shown) == {"J"} and not table.alone:
        return 0
    if len(shown) > table.rules.dice:  # with one more die, which some badge adds to a roll
        return 0
    values = [range(1, 7) if face == "J" else [int(face)] for face in shown]
    every = [tuple(sorted(dice)) for dice in product(*values)]
    return max(dict(table.badge).get(dice, naive.combination(table.rules, dice)) for dice in every)


@cache
def points(table: Table, shown: Faces) -> int | None:
    """Most points of dice that all have to score, in combinations; None where they cannot."""
    if not shown:
        return 0
    found = []
    others = range(1, len(shown))
    for number in range(len(shown)):
        for picked in combinations(others, number):
            worth = combination(table, tuple(sorted(shown[k] for k in (0, *picked))))
            rest = tuple(sorted(shown[k] for k in others if k not in picked))
            if worth and (after := points(table, rest)) is not None:
                found.append(worth + after)
    return max(found, default=None)


@cache
def set_asides(table: Table, dice: Dice, shown: Faces) -> tuple[tuple[int, Dice], ...]:
    """Points of every legal set-aside of a roll, and the dice that are set aside."""
    found = {}
    for number in range(1, len(dice) + 1):
        for kept in combinations(range(len(dice)), number):
            worth = points(table, tuple(sorted(shown[k] for k in kept)))
            if worth is not None:
                found[kept] = worth
    if table.rules.hot_dice == "forced" and (whole := tuple(range(len(dice)))) in found:
        found = {whole: found[whole]}
    return tuple(
        (worth, tuple(dice[k] for k in kept))
        for kept, worth in found.items()
        if not (table.rules.set_aside_all and any(set(kept) < set(larger) for larger in found))
    )


class Player:
    """A player's dice and what rolls of them lead to."""

    def __init__(self, table: Table, dice: list[Weights]) -> None:
        self.table, self.dice = table, dice
        self.whole = tuple(range(len(dice)))
        everything = range(1, len(dice) + 1)
        self.remaining = [left for n in everything for left in combinations(self.whole, n)]
        """Every part of the dice that can be left, the fewest first."""
        self.outcomes = {left: self._outcomes(left) for left in self.remaining}
        """What a roll of some dice may lead to, with the chances; no choices are a farkle."""

    def rolls(self, left: Dice) -> Iterator[tuple[Faces, Choices, float]]:
        """What every roll of some dice shows and may lead to, with the chances."""
        for fallen in product(*(list(self.dice[k].falls()) for k in left)):
            shown = tuple(face for face, _ in fallen)
            chance = float(np.prod([chance for _, chance in fallen]))
            choices = frozenset(
                (worth, tuple(k for k in left if k not in kept) or self.whole)
                for worth, kept in set_asides(self.table, left, shown)
            )
            yield shown, choices, chance

    def _outcomes(self, left: Dice) -> dict[Choices, float]:
        found: dict[Choices, float] = {}
        for _, choices, chance in self.rolls(left):
            found[choices] = found.get(choices, 0.0) + chance
        return found

    def turn(self, bank: Array, farkle: Array) -> Array:
        """What turns are worth at their start that differ in what it is worth to end them.

        bank[i, ...] : of a bank of i point steps; -1 where it is not allowed. The last one stands
            for all that follow, and is the best there is
        farkle[...] : of a farkle
        """
        last = len(bank) - 1
        found: dict[tuple[int, Dice], Array] = {}

        def at(total: int, left: Dice) -> Array:
            return bank[last] if total >= last else found[total, left]

        for total in range(last - 1, -1, -1):
            for left in self.remaining:
                worth = np.zeros(bank.shape[1:])
                for choices, chance in self.outcomes[left].items():
                    after = [at(total + p // self.table.rules.point_step, to) for p, to in choices]
                    worth += chance * (np.max(after, axis=0) if after else farkle)
                found[total, left] = np.maximum(bank[total], worth)
        return found[0, self.whole]


class Thrower:
    """The rules as somebody plays them who throws own dice, for `naive.values_of_players`.

    Dice that are left are a number, which the twin takes for how many there are.
    """

    def __init__(self, player: Player) -> None:
        self._rules = player.table.rules
        self.dice = len(player.remaining)
        self.left = [0, *map(len, player.remaining)]
        numbers = {left: number for number, left in enumerate(player.remaining, 1)}
        self.results = {
            number: self._results(player, left, numbers) for left, number in numbers.items()
        }

    def __getattr__(self, name: str) -> Any:
        return getattr(self._rules, name)

    def _results(
        self, player: Player, left: Dice, numbers: dict[Dice, int]
    ) -> dict[naive.Result, float]:
        found: dict[naive.Result, float] = {}
        for shown, kept, chance in player.rolls(left):
            faces = tuple(sorted(int(face) for face in shown if face != "J"))
            what = naive.decided(self._rules, faces)
            if what is None:
                what = frozenset((worth, numbers[to]) for worth, to in kept)
            found[what] = found.get(what, 0.0) + chance
        return found


def value_iteration(players: tuple[Player, Player]) -> list[Array]:
    """V of a small game: for each player to act, at [own score, opponent's score] in steps."""
    rules = players[0].table.rules
    scores = naive.goal_score(rules) // rules.point_step
    rows = max(scores, naive.least_bank(rules) // rules.point_step)
    values = [np.full((scores, scores), 0.5) for _ in players]
    for _ in range(10_000):
        new = []
        for player, others in zip(players, reversed(values), strict=True):
            bank = np.full((rows + 1, scores, scores), -1.0)
            for total, own in product(range(rows + 1), range(scores)):
                if naive.may_bank(rules, total * rules.point_step, own * rules.point_step):
                    after = own + total
                    bank[total, own] = 1.0 if after >= scores else 1 - others[:, after]
            new.append(player.turn(bank, 1 - others.T))
        change = max(float(np.max(np.abs(a - b))) for a, b in zip(new, values, strict=True))
        values = new
        if change < 1e-14:
            return values
    raise ArithmeticError("no fixed point found")


def most_points(player: Player, rows: int) -> float:
    """Expected points of a turn that is banked at the latest after so many point steps."""
    step = player.table.rules.point_step
    least = naive.least_bank(player.table.rules) // step
    totals = np.arange(rows + 1, dtype=float)[:, np.newaxis] * step
    found: dict[tuple[int, Dice], Array] = {}
    for total in range(rows, -1, -1):
        for left in player.remaining:
            worth = np.zeros(1)
            for choices, chance in player.outcomes[left].items():
                after = [
                    found.get((total + p // step, to), np.array([float(total * step + p)]))
                    for p, to in choices
                ]
                worth += chance * (np.max(after, axis=0) if after else 0.0)
            found[total, left] = np.maximum(totals[total], worth) if total >= least else worth
    return float(found[0, player.whole][0])
