"""A farkle that keeps the turn total, after hot dice that must be rolled: by hand.

One die, of which only a 1 scores, 100 points, and is hot dice: it must be rolled again. So a turn
total can never be banked, and every point is one that a farkle keeps.
"""

from pathlib import Path
from typing import Any

import pytest

from bot.table import commands
from bot.table.events import Kept, Rolled
from bot.table.fold import apply, begin
from bot.views.rules_text import rules_text
from solver.game.best import Strategy
from solver.game.position import Position, first_position
from solver.game.sweeps import solve
from solver.play.advice import advise, odds
from solver.rules.ruleset import Ruleset
from tests import naive
from tests.house_rules import small


def ones(**changes: Any) -> Ruleset:
    scoring = {"single": (100, 0, 0, 0, 0, 0), "three_of_a_kind": 0}
    keys: dict[str, Any] = {"dice": 1, "goal": 200, "hot_dice": "no_bank", "scoring": scoring}
    return small(**keys | {"farkle_keeps_turn_total": True} | changes)


def strategy_of(rules: Ruleset, kernels: Path) -> Strategy:
    return Strategy(rules, solve(rules, cache=kernels).values, "test")


@pytest.mark.parametrize("hot_dice", ["no_bank", "forced"])
def test_it_is_kept(hot_dice: str, kernels: Path) -> None:
    rules = ones(hot_dice=hot_dice)
    strategy = strategy_of(rules, kernels)
    after_one = Position.of_two(turn_total=100, dice=1, hot_dice=1)
    farkle = advise(strategy, after_one, (3,))
    assert farkle.farkle
    assert farkle.keeps_turn_total
    # the other player is about to move, and 100 are kept
    assert farkle.win_probability == 1 - strategy.win_probability(Position.of_two(0, 100, dice=1))
    assert odds(strategy, after_one).bank is None
    # a turn brings k times 100 with chance 5 / 6^(k + 1), and 200 win; V(100, 0) = v, V(0, 100) = w
    # V(100, 100) = 1/6 + 5/6 (1 - V(100, 100)), so it is 6/11
    # v = 1/6 + 5/6 (1 - w), so 1 - v = 5/6 w; w = 1/36 + 5/36 (1 - 6/11) + 5/6 (1 - v)
    w = (1 / 36 + 5 / 36 * 5 / 11) / (1 - 25 / 36)
    assert strategy.win_probability(Position.of_two(0, 100, dice=1)) == pytest.approx(w, abs=1e-9)
    twin = naive.value_iteration(rules)
    assert twin[True, (0, 0, True), (100, 0, True)] == pytest.approx(w, abs=1e-12)


def test_the_table_keeps_it_too() -> None:
    game = begin(commands.begin_game("g", ones(), [None, None]))
    for event in (Rolled(dice=(1,)), Kept(dice=(1,))):
        game = apply(game, event)
    assert not game.may_bank
    game = apply(game, Rolled(dice=(4,)))
    assert (game.seats[0].score, game.seats[0].farkled, game.mover) == (100, 1, 1)


def test_less_than_the_minimum_is_lost(kernels: Path) -> None:
    rules = ones(minimum_bank=200, goal=400)
    strategy = strategy_of(rules, kernels)
    for total, kept in ((100, 0), (200, 200), (300, 300)):
        farkle = advise(strategy, Position.of_two(turn_total=total, dice=1, hot_dice=1), (3,))
        assert farkle.keeps_turn_total == bool(kept)
        left = 1 - strategy.win_probability(Position.of_two(0, kept, dice=1))
        assert farkle.win_probability == pytest.approx(left, abs=1e-12)


def test_a_roll_that_loses_everything_keeps_nothing(kernels: Path) -> None:
    rules = ones(goal=100, lose_everything=("6",))
    # a turn wins with 1/6 (4/6 + 1/6 (4/6 + ...)) = 1/6 * 4/5
    wins = 1 / 6 * 4 / 5
    strategy = strategy_of(rules, kernels)
    start = strategy.win_probability(first_position(rules))
    assert start == pytest.approx(1 / (2 - wins), abs=1e-9)


def test_the_explanation_says_so() -> None:
    said = "That goes for a turn total after hot dice too, although you cannot bank it yourself"
    for rules, is_said in (
        (ones(), True),
        (ones(hot_dice="forced"), True),
        (ones(hot_dice="optional"), False),
        (small(hot_dice="no_bank"), False),
    ):
        assert (said in " ".join(rules_text(rules).split())) == is_said
