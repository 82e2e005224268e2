"""Pig, Piglet, two-dice Pig and small games with taking over, as equations on paper.

Every equation is written from the rules as they are told, and solved by numpy; where there is a
choice, what is left out is seen to be no better afterwards. Piglet is from T. Neller and C.
Presser, "Optimal Play of the Dice Game Pig" (2004): a coin in place of the die, a head is a point,
a tail loses the turn.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from solver.game.best import Strategy
from solver.game.position import Position
from solver.game.sweeps import solve
from solver.play.advice import odds
from solver.rules.file import load_rules
from solver.rules.ruleset import Ruleset
from solver.strategy import open_strategy, save_strategy
from solver.turn.dice import TurnState
from tests.house_rules import small

ONES = {"single": (1, 0, 0, 0, 0, 0), "three_of_a_kind": 0}
HEADS = {"single": (1, 1, 1, 0, 0, 0), "three_of_a_kind": 0}


def preset(name: str, goal: int) -> Ruleset:
    return Ruleset.model_validate({**load_rules(name).model_dump(), "goal": goal})


def piglet(goal: int) -> Ruleset:
    return small(name="piglet", dice=1, goal=goal, scoring=HEADS)


def opened(rules: Ruleset, folder: Path, kernels: Path) -> Strategy:
    save_strategy(solve(rules, cache=kernels), folder)
    return open_strategy(folder, rules)


def test_piglet_to_two(kernels: Path, tmp_path: Path) -> None:
    """V(own, other, total) = V(own, other, total + 1) / 2 + (1 - V(other, own, 0)) / 2, if flipped.

    From two points on it is 1. So V(1, 1, 0) = 1 - V(1, 1, 0) / 2 = 2/3, V(1, 0, 0) = 4/5 and
    V(0, 1, 0) = 2/5 tie each other, and V(0, 0, 0) = 1 - 3/4 V(0, 0, 0) = 4/7.
    """
    strategy = opened(piglet(2), tmp_path, kernels)
    right = {(0, 0, 0): 4 / 7, (0, 1, 0): 2 / 5, (1, 0, 0): 4 / 5, (1, 1, 0): 2 / 3}
    right |= {(0, 0, 1): 5 / 7, (0, 1, 1): 3 / 5}
    for (own, other, total), chance in right.items():
        answer = odds(strategy, Position.of_two(own, other, dice=1, turn_total=total))
        assert answer.roll == pytest.approx(chance, abs=1e-12)
        if total:  # to flip on with one head is better than to hold it
            held = 1 - right[other, own + 1, 0]
            assert answer.bank == pytest.approx(held, abs=1e-12)
            assert held < chance


def test_two_dice_pig_to_five(kernels: Path) -> None:
    """Without a 1 a throw brings 4 (2 2) or wins; 10 of 36 have one 1 and lose the turn."""
    four, one, two = 1 / 36, 10 / 36, 1 / 36
    lost = one + two
    # V(0, 0), V(4, 0), V(0, 4), V(4, 4); with 4 in the turn all but a 1 wins, and 4 is not banked
    system = np.eye(4)
    system[0, 0] += lost + four * lost
    system[1, 2] += one  # the other one has 0 against 4
    system[1, 0] += two  # against 0, as two 1s take the score
    system[2, 1] += lost + four * lost
    system[3, 3] += one
    system[3, 1] += two  # the other one has 4 against 0
    # what is no chance of the other one is won
    level, ahead, behind, both = np.linalg.solve(system, np.ones(4))
    # rolled on with 4 in the turn, and banked
    assert 1 - lost * level > 1 - behind
    assert 1 - lost * ahead > 1 - both
    values = solve(preset("two-dice-pig", 5), cache=kernels).values[0]
    assert values[0, 0] == pytest.approx(level, abs=1e-12)
    assert values[4, 0] == pytest.approx(ahead, abs=1e-12)
    assert values[0, 4] == pytest.approx(behind, abs=1e-12)
    assert values[4, 4] == pytest.approx(both, abs=1e-12)


def by_equations(
    goal: int, throws: Mapping[int, float], turn_lost: float, score_lost: float = 0.0
) -> Any:
    """The chances to win at the start of a turn, by both scores, of best play in a game like Pig.

    throws : the chance of each number of points that a throw brings
    turn_lost, score_lost : the chances that it loses the turn, and the score with it

    The equations of a policy are solved, and it is made better with the values found until they
    have nothing better, as R. Howard did it (1960).
    """
    states = [
        (own, other, total)
        for own in range(goal)
        for other in range(goal)
        for total in range(goal - own)
    ]
    place = {state: number for number, state in enumerate(states)}
    roll, won = np.zeros((len(states), len(states))), np.zeros(len(states))
    bank = np.zeros_like(roll)
    for (own, other, total), row in place.items():
        for points, chance in throws.items():
            if own + total + points >= goal:
                won[row] += chance
            else:
                roll[row, place[own, other, total + points]] += chance
        roll[row, place[other, own, 0]] -= turn_lost
        roll[row, place[other, 0, 0]] -= score_lost
        bank[row, place[other, own + total, 0]] = -1
    won += turn_lost + score_lost
    banks: Any = np.zeros(len(states), dtype=bool)
    starts = np.array([total == 0 for *_, total in states])
    while True:
        chosen = np.where(banks[:, None], bank, roll)
        values = np.linalg.solve(np.eye(len(states)) - chosen, np.where(banks, 1.0, won))
        better = (1 + bank @ values > won + roll @ values + 1e-13) & ~starts
        if (better == banks).all():
            return values[starts].reshape(goal, goal)
        banks = better


PAIRS = {
    points: number / 36
    for points, number in Counter(map(sum, product(range(2, 7), repeat=2))).items()
}
"""The chances of two dice without a 1, by their points."""


@pytest.mark.parametrize(
    ("rules", "throws", "lost"),
    [
        pytest.param(piglet(10), {1: 0.5}, (0.5,), id="Piglet"),
        pytest.param(preset("pig", 12), dict.fromkeys(range(2, 7), 1 / 6), (1 / 6,), id="Pig"),
        pytest.param(preset("two-dice-pig", 14), PAIRS, (10 / 36, 1 / 36), id="two-dice Pig"),
    ],
)
def test_games_like_pig_by_their_equations(
    kernels: Path, rules: Ruleset, throws: Mapping[int, float], lost: tuple[float, ...]
) -> None:
    found = solve(rules, cache=kernels).values[0]
    assert found == pytest.approx(by_equations(rules.goal, throws, *lost), abs=1e-11)


def left_to(rules: Ruleset, own: int, other: int) -> Position:
    """Who is to move may take over 1 point and one die."""
    return replace(Position.of_two(own, other, dice=rules.dice), offered=TurnState(1, 1))


def assert_values(strategy: Strategy, right: Mapping[tuple[int, int], float]) -> None:
    for (own, other), value in right.items():
        start = Position.of_two(own, other, dice=strategy.rules.dice)
        assert strategy.win_probability(start) == pytest.approx(value, abs=1e-12)


def test_two_dice_with_what_was_banked(kernels: Path, tmp_path: Path) -> None:
    """Two dice, a 1 is a point, to two: a bank of 1 leaves the next one 1 point and one die.

    At 1 to 1 it is left lying: a 1 wins either way, and two dice have it more often.
    """
    rules = small(name="two", dice=2, goal=2, scoring=ONES, take_over="banked")
    one, none = 10 / 36, 25 / 36
    # at 1 to 1, 1 to 0, 0 to 1 and 0 to 0, where a single 1 is banked, and at 0 to 1 with 1 taken
    # over; the first column is both, and so on
    system = np.eye(5)
    system[0, 0] += none
    system[1, 2] += none
    system[2, :2] += one, none
    system[3, 3:] += none, one
    system[4, 1] += 5 / 6
    both, ahead, behind, level, taken = np.linalg.solve(system, np.ones(5))
    assert 1 / 6 + 5 / 6 * (1 - both) < both  # who has 1 begins with two dice
    assert 1 / 6 + 5 / 6 * (1 - ahead) < 1 - both  # nobody rolls on with the other die
    assert 1 / 6 + 5 / 6 * (1 - level) < 1 - taken
    assert taken > behind  # who has 0 takes it over
    strategy = opened(rules, tmp_path, kernels)
    assert_values(strategy, {(1, 1): both, (1, 0): ahead, (0, 1): behind, (0, 0): level})
    answer = odds(strategy, left_to(rules, 0, 1))
    assert answer.take_over == pytest.approx(taken, abs=1e-12)
    assert answer.roll == pytest.approx(behind, abs=1e-12)


def test_a_coin_with_what_was_lost(kernels: Path, tmp_path: Path) -> None:
    """Piglet to two in which a head that is flipped on with and lost is left to the other one.

    Who has 1 leaves it lying: one head wins either way, and to miss with it would leave it to the
    other one, for whom then one head wins in place of two.
    """
    rules = piglet(2).model_copy(update={"take_over": "lost"})
    half = 1 / 2
    # at 1 to 1, 1 to 0, 0 to 1 and 0 to 0, and at 0 to 0 with 1 left; heads are flipped on with
    system = np.eye(5)
    system[0, 0] += half
    system[1, 2] += half
    system[2, 1] += half + half * half
    system[3, 3] += half
    system[3, 4] += half * half
    system[4, 4] += half
    both, ahead, behind, level, left = np.linalg.solve(system, np.ones(5))
    behind_left = half + half * (1 - ahead)
    assert half + half * (1 - behind_left) < ahead  # it is left lying by who has 1
    assert half + half * (1 - ahead) > 1 - both  # nobody banks 1
    assert half + half * (1 - left) > 1 - behind
    assert left > level  # who has 0 takes it over
    assert behind_left > behind
    strategy = opened(rules, tmp_path, kernels)
    assert_values(strategy, {(1, 1): both, (1, 0): ahead, (0, 1): behind, (0, 0): level})
    for other, value in ((0, left), (1, behind_left)):
        answer = odds(strategy, left_to(rules, 0, other))
        assert answer.take_over == pytest.approx(value, abs=1e-12)
    ahead_left = odds(strategy, left_to(rules, 1, 0))
    assert ahead_left.take_over == pytest.approx(half + half * (1 - behind_left), abs=1e-12)
    assert ahead_left.roll == pytest.approx(ahead, abs=1e-12)
