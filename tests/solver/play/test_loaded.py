"""Advice with loaded dice, and games that are played by it, die by die."""

import os
import random
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba import njit

from solver.errors import InvalidPositionError, InvalidRollError
from solver.game.best import Strategy
from solver.game.position import Position
from solver.game.standings import Solution
from solver.loaded.game import solve_matchup
from solver.loaded.matchup import Matchup
from solver.loaded.strategy import MatchupStrategy
from solver.play.advice import advise, odds
from solver.turn.dice import Die, make_dice_set, parse_dice
from solver.turn.equations import Decision
from tests import naive_loaded
from tests.conftest import EVERY
from tests.loaded_dice import GAME_DICE, coded, kcd, set_of

JOKER = frozenset({1})


@pytest.fixture(scope="module")
def strategy(matchup: Matchup, solution: Solution) -> MatchupStrategy:
    return MatchupStrategy(matchup, solution.values)


def test_a_turn_starts_with_what_was_solved(strategy: MatchupStrategy) -> None:
    """The values come from the kernels and the turns from NumPy."""
    for side, banked, opponent in product((0, 1), (0, 350, 750), (0, 500)):
        start = strategy.start(side, banked, opponent)
        found = odds(strategy, start)
        expected = strategy.win_probability(start)
        assert found.win_probability == pytest.approx(expected, rel=1e-11)
        assert found.bank is None


def test_the_average_over_all_rolls_is_the_value_of_rolling(strategy: MatchupStrategy) -> None:
    for side in (0, 1):
        thrown = strategy.matchup.dice[side]
        for dice in range(1, thrown.whole + 1):
            position = strategy.start(side, 200, 300).change(turn_total=250, dice=dice)
            mean = sum(
                ways * advise(strategy, position, roll).win_probability
                for roll, ways in thrown.rolls(dice)
                if ways
            )
            found = odds(strategy, position)
            assert found.roll == pytest.approx(mean / thrown.ways(dice), rel=1e-11)


def test_which_of_two_fives_to_keep_is_a_choice(strategy: MatchupStrategy) -> None:
    """Where two dice show a five, the heavy one, which falls on 1, is rolled again."""
    side = 0
    thrown = strategy.matchup.dice[side]
    ordinary, heavy = thrown.types.index(Die()), thrown.types.index(Die((10, 1, 1, 1, 1, 1)))
    position = strategy.start(side).change(
        dice=thrown.place(
            tuple(1 if k in (ordinary, heavy) else 0 for k in range(len(thrown.types)))
        ),
        turn_total=100,
    )
    fives = tuple(sorted((6 * ordinary + 5, 6 * heavy + 5), reverse=True))
    worth = {
        option.set_aside: option.win_probability
        for option in advise(strategy, position, fives).options
    }
    assert worth.keys() == {fives, fives[:1], fives[1:]}
    assert worth[6 * ordinary + 5,] > worth[6 * heavy + 5,]


def test_with_ordinary_dice_the_advice_is_the_ordinary_one(kernels: Path) -> None:
    rules = kcd(goal=600)
    thrown = make_dice_set([Die()] * 6)
    matchup = Matchup(rules, (thrown, thrown))
    solution = solve_matchup(matchup, cache=kernels)
    loaded = MatchupStrategy(matchup, solution.values)
    ordinary = Strategy(rules, solution.values[:1], "memory")
    position, roll = Position.of_two(100, 250, turn_total=150, dice=5), parse_dice("5 1 3 3 2")
    found = advise(loaded, replace(position, players=position.players[::-1], mover=1), roll)
    expected = advise(ordinary, position, roll)
    assert [option.set_aside for option in found.options] == [
        option.set_aside for option in expected.options
    ]
    np.testing.assert_allclose(
        [option.win_probability for option in found.options],
        [option.win_probability for option in expected.options],
        rtol=1e-12,
    )
    one, other = odds(loaded, position), odds(ordinary, position)
    assert one.roll == pytest.approx(other.roll, rel=1e-12)
    assert one.action == other.action == Decision.ROLL


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"banked": 820}, "your score cannot be 820"),
        ({"opponent": 800}, "the opponent's score cannot be 800"),
        ({"turn_total": 25}, "the turn total cannot be 25"),
        ({"turn_total": -50}, "the turn total cannot be -50"),
    ],
)
def test_positions_that_cannot_be_are_refused(
    changes: dict[str, Any], sentence: str, strategy: MatchupStrategy
) -> None:
    with pytest.raises(InvalidPositionError, match=sentence):
        strategy.check(strategy.start(0).change(**changes))
    strategy.check(strategy.start(0, 400, 750))


def test_a_turn_that_no_rolls_lead_to_has_a_value(strategy: MatchupStrategy) -> None:
    there = strategy.start(0).change(turn_total=50)
    strategy.check(there)
    assert not odds(strategy, there).reachable
    assert odds(strategy, strategy.start(0)).reachable


# ---- Games die by die ------------------------------------------------------------------------


@njit(cache=True)
def play(
    games: int,
    seed: int,
    began: int,
    goal: int,
    whole: int,
    falls: Any,
    codes: Any,
    points: Any,
    after: Any,
    banks: Any,
    worth: Any,
) -> int:
    """How many of the games the first side wins, rolled die by die and played by given tables.

    falls : [side, die, face], chances added up; codes : [side, die, face], what a face adds to the
    number of a multiset; points : [number], in steps, -1 where not all score; after : [side, mask
    of dice], the remaining dice by type; banks, worth : [side, own, opponent, total, remaining]
    """
    np.random.seed(seed)
    wins = 0
    number = falls.shape[1]
    shown = np.zeros(number, dtype=np.int64)
    for _ in range(games):
        scores = [0, 0]
        side = began
        while True:
            own, other = scores[side], scores[1 - side]
            total, left = 0, whole
            ended = False
            while not ended:
                for k in range(number):
                    if left >> k & 1:
                        chance, face = np.random.random(), 0
                        while chance >= falls[side, k, face]:
                            face += 1
                        shown[k] = codes[side, k, face]
                best, kept, gained = -1.0, 0, 0
                mask = left
                while mask:
                    number_of = 0
                    for k in range(number):
                        if mask >> k & 1:
                            number_of += shown[k]
                    if points[number_of] >= 0:
                        rest = left & ~mask
                        row = min(total + points[number_of], worth.shape[3] - 1)
                        value = worth[side, own, other, row, after[side, rest if rest else whole]]
                        if value > best:
                            best, kept, gained = value, mask, points[number_of]
                    mask = (mask - 1) & left
                if best < 0:
                    break
                total += gained
                left &= ~kept
                if left == 0:
                    left = whole
                row = min(total, worth.shape[3] - 1)
                ended = banks[side, own, other, row, after[side, left]]
            if ended:
                scores[side] += total
                if scores[side] >= goal:
                    wins += side == 0
                    break
            side = 1 - side
    return wins


WHOLE = "FARKLE_LOADED_GAMES" in os.environ
GAMES = int(os.environ.get("FARKLE_LOADED_GAMES", "150000"))
"""The games of each pair for each who begins; if they are said, at the full goal."""


@pytest.mark.slow
@pytest.mark.parametrize("pair", range(5 if EVERY or WHOLE else 2))
def test_games_rolled_die_by_die_are_won_as_often(pair: int, kernels: Path) -> None:
    chance = random.Random(pair)
    every = [naive_loaded.Weights(weights) for weights in GAME_DICE]
    every.append(naive_loaded.Weights((1,) * 6, JOKER))
    types = [chance.sample(every, 3) for _ in range(2)]
    dice = [[chance.choice(kinds) for _ in range(6)] for kinds in types]
    dice[0][0] = every[-1]
    rules = kcd(goal=4000 if WHOLE else 1500)
    one, other = set_of(dice[0]), set_of(dice[1])
    matchup = Matchup(rules, (one, other))
    strategy = MatchupStrategy(matchup, solve_matchup(matchup, cache=kernels).values)
    scores = rules.goal // 50
    rows = scores + 1  # from the goal on all is won
    most = max(one.whole, other.whole)
    worth = np.ones((2, scores, scores, rows, most), dtype=np.float32)
    banks = np.ones(worth.shape, dtype=np.bool_)
    for side, own, opponent in product(range(2), range(scores), range(scores)):
        table = strategy.turn(strategy.start(side, own * 50, opponent * 50))
        here = side, own, opponent
        values = table.win_probability[0, : scores - own]
        columns = values.shape[1]
        worth[here][: len(values), :columns] = values
        bank = table.ends.bank[: len(values), np.newaxis] >= table.roll[0, : len(values)]
        banks[here][: len(values), :columns] = bank
    points, falls, codes, after = coded(rules, dice, (one, other))
    for began in (0, 1):
        wins = play(GAMES, 7 + pair, began, scores, 63, falls, codes, points, after, banks, worth)
        first_wins = float(strategy.values[began, 0, 0])
        expected = 1 - first_wins if began else first_wins
        error = np.sqrt(expected * (1 - expected) / GAMES)
        off = (wins / GAMES - expected) / error
        assert abs(off) < 4, f"{expected:.6f} expected"


def test_a_roll_of_other_dice_is_refused(strategy: MatchupStrategy) -> None:
    start = strategy.start(0)
    thrown = strategy.matchup.dice[0]
    fallen = next(roll for roll, ways in thrown.rolls(thrown.whole) if ways)
    assert advise(strategy, start, fallen).roll == fallen
    for roll in (fallen[1:], (*fallen, 1), fallen[::-1], (*fallen[:-1], 0), (99, *fallen[1:]), ()):
        if roll != fallen:
            with pytest.raises(InvalidRollError):
                advise(strategy, start, roll)
