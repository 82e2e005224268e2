"""What is counted in games, against games that are rolled die by die from the rules."""

import math
import random
from collections import Counter
from collections.abc import Callable, Generator
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from solver.game.best import Strategy
from solver.game.position import Position
from solver.game.standings import Solution
from solver.game.sweeps import solve
from solver.play.advice import Odds, odds
from solver.play.compare import CLOSE, Tally
from solver.play.tally import compare, expected_turns, tally
from solver.rules.ruleset import Ruleset
from solver.strategy import save_strategy
from tests.conftest import variant
from tests.simulation import Game, Turn

GAMES = 250
Place = tuple[int, int, int]
"""Hot dice, the turn total in point steps, and the number of dice less one."""


class Asked:
    """What a turn is worth at each place, as decisions of a simulation are."""

    def __init__(self, at: Callable[[Place], Odds], shape: Place) -> None:
        self.at, self.shape = at, shape

    def __getitem__(self, place: Place) -> float:
        return self.at(place).win_probability


class Noted:
    """Where to bank, and a note of every decision that is asked for."""

    def __init__(self, at: Callable[[Place], Odds], notes: Counter[str]) -> None:
        self.at, self.notes = at, notes

    def __getitem__(self, place: Place) -> bool:
        found = self.at(place)
        if found.bank is None:
            return False
        self.notes["decisions"] += 1
        self.notes["close"] += abs(found.bank - found.roll) < CLOSE
        return found.bank >= found.roll


class NotedGame(Game):
    """A game whose turns are counted."""

    notes: Counter[str]

    def _turn(self, start: Position) -> Generator[Position, Any, Turn]:
        turn: Turn = yield from super()._turn(start)
        self.notes["turns"] += 1
        self.notes["farkles"] += turn.end == "farkle"
        self.notes["points"] += turn.points
        return turn


@cache
def rolled(solution: Solution, seed: int) -> list[Counter[str]]:
    """What happens in games in which both players ask for the odds before every roll."""
    rules = solution.rules
    strategy = Strategy(rules, solution.values, "rolled")
    rows = 3 * rules.winning_score // rules.point_step

    @cache
    def at(start: Position, place: Place) -> Odds:
        hot, row, dice = place
        turn_total = row * rules.point_step
        return odds(strategy, start.change(turn_total=turn_total, dice=dice + 1, hot_dice=hot))

    dice, found = random.Random(seed), []
    for _ in range(GAMES):
        game = NotedGame(rules, dice)
        game.notes = Counter()
        going = game.play()
        position = next(going)
        try:
            while True:
                here = partial(at, position)
                levels = strategy.turn(position).roll.shape[0]
                worth: Any = Asked(here, (levels, rows, rules.dice))
                bank: Any = Noted(here, game.notes)
                position = going.send((worth, bank))
        except StopIteration:
            found.append(game.notes)
    return found


def check(counted: Tally, notes: list[Counter[str]]) -> None:
    """Both counts are within four standard errors of each other."""
    for name, of in [
        ("turns", ""),
        ("decisions", ""),
        ("farkles", "turns"),
        ("points", "turns"),
        ("close", "decisions"),
    ]:
        above = np.array([one[name] for one in notes], dtype=np.float64)
        below = np.array([one[of] if of else 1 for one in notes], dtype=np.float64)
        share = above.sum() / below.sum()
        error = math.sqrt(np.sum((above - share * below) ** 2)) / below.sum()
        estimate = getattr(counted, name)
        assert estimate.standard_error > 0, name
        both = math.hypot(error, estimate.standard_error)
        assert abs(estimate.value - share) < 4 * both, name
        assert estimate.standard_error == pytest.approx(error, rel=0.2), name


@pytest.mark.slow
def test_games_are_counted_as_they_are_rolled(tiny: Solution, kernels: Path) -> None:
    check(tally(tiny.rules, tiny.values, kernels, GAMES, seed=1), rolled(tiny, 2))


def test_what_the_last_throw_banks_by_itself_is_no_decision(kernels: Path) -> None:
    solution = solve(variant("classic", dice=3, goal=400, throws=1), cache=kernels)
    counted = tally(solution.rules, solution.values, kernels, GAMES, seed=5)
    assert (counted.decisions.value, counted.close.value) == (0, 0)
    assert counted.points.value > 0


LATE = variant(
    "arnold",
    name="late",
    dice=2,
    goal=400,
    opening_minimum=100,
    hot_dice="no_bank",
    farkle_keeps_turn_total=True,
    ties="played_on",
)


@pytest.mark.slow
def test_final_turns_play_offs_and_kept_points_are_counted(kernels: Path) -> None:
    solution = solve(LATE, cache=kernels)
    check(tally(LATE, solution.values, kernels, GAMES, seed=3), rolled(solution, 4))


SHARED = variant(
    "facebook",
    name="shared",
    dice=2,
    goal=400,
    minimum_bank=100,
    opening_minimum=150,
    ending="equal_turns",
    ties="shared",
    farkle_keeps_turn_total=True,
    lose_everything=("22",),
    farkle_penalty={"in_a_row": 2, "points": 100},
    score_floor=-200,
)


CATCHING = variant(
    "classic",
    name="catching",
    dice=2,
    goal=400,
    goal_must_be="exact",
    beyond_goal="given",
    caught_up="everything",
    scoring={"single": (100, 0, 50, 0, 50, 0), "three_of_a_kind": 0},
)


@pytest.mark.slow
@pytest.mark.parametrize("rules", [None, SHARED, CATCHING], ids=["tiny", "shared", "catching"])
def test_expected_turns_are_those_of_games_that_are_rolled(
    tiny: Solution, kernels: Path, rules: Ruleset | None
) -> None:
    solution = solve(rules, cache=kernels) if rules else tiny
    turns = np.array([one["turns"] for one in rolled(solution, 2)], dtype=np.float64)
    expected = expected_turns(solution.rules, solution.values, kernels)
    assert abs(turns.mean() - expected) < 4 * turns.std() / math.sqrt(GAMES)


@pytest.mark.slow
def test_a_comparison_says_what_the_solve_and_the_turns_say(
    tiny: Solution, kernels: Path, tmp_path: Path
) -> None:
    rules: Ruleset = tiny.rules
    save_strategy(tiny, tmp_path)
    shares: list[float] = []
    found = compare(rules, tmp_path, kernels, games=500, on_progress=shares.append)
    strategy = Strategy(rules, tiny.values, "tiny")
    assert found.first_player == strategy.win_probability(Position.of_two(dice=3))
    assert found.tally.games == 500
    assert found.tally.turns.standard_error is None
    assert found.careless_wins.standard_error is None
    assert 0.1 < found.careless_wins.value < 0.5
    assert found.careless_loses == 0.5 - found.careless_wins.value
    assert shares == sorted(shares)
    again = compare(rules, tmp_path, kernels, games=500)
    assert again == found
    other = compare(rules, tmp_path, kernels, games=500, seed=2, careless="greedy")
    assert other.tally != found.tally
    assert other.careless_wins != found.careless_wins
