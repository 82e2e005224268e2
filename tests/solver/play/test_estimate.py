"""The estimate for many players: against games, against exact values, and where it is plain."""

import time
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from solver.errors import InvalidPositionError
from solver.game.endgame import endgame
from solver.game.position import Position
from solver.game.standings import Standing
from solver.play.estimate import (
    Estimate,
    _alias,
    estimate,
)
from solver.play.match_players import policy_player
from solver.play.matches import play_games
from solver.play.policies import MaxPoints
from solver.rules.file import load_rules
from solver.rules.ruleset import Ruleset
from solver.strategy import Strategy
from solver.turn.scoring import TurnState
from tests.conftest import variant
from tests.house_rules import ONE_BY_ONE

GAMES = 20_000


def run(rules: Ruleset, *scores: int, mover: int = 0, **more: Any) -> Estimate:
    players = [Standing(score) for score in scores]
    turn = TurnState(*(more.pop(key, 0) for key in ("turn_total", "dice", "hot_dice")))
    turn = replace(turn, dice=turn.dice or rules.dice)
    return estimate(rules, players, mover, turn, **{"generator": np.random.default_rng(5)} | more)


PLAYED = [(name, rules) for name, rules in ONE_BY_ONE if rules.dice < 6][::4]


@pytest.mark.parametrize("rules", [rules for _, rules in PLAYED], ids=[name for name, _ in PLAYED])
def test_two_players_win_as_often_as_in_games_for_most_points(rules: Ruleset) -> None:
    start = Standing(on_board=not rules.has_opening)
    found = estimate(
        rules, [start] * 2, 0, TurnState(0, rules.dice), np.random.default_rng(1), GAMES
    )
    player = policy_player(rules, MaxPoints())
    wins = play_games(rules, player, player, GAMES, seed=4) / GAMES
    assert sum(found.win_probabilities) == pytest.approx(1)
    assert abs(found.win_probabilities[0] - wins) < 4.5 * (2 * 0.25 / GAMES) ** 0.5


@pytest.mark.slow
@pytest.mark.parametrize("preset", ["facebook", "kcd", "arnold"])
def test_model_error_with_two_players(strategies: dict[str, Strategy], preset: str) -> None:
    """The error that the docstring states, over random scores."""
    rules, draw = load_rules(preset), np.random.default_rng(1)
    errors = []
    for _ in range(150):
        own, other = (draw.integers(0, rules.goal // 50, 2) * 50).tolist()
        exact = strategies[preset].win_probability(Position(own, other))
        errors.append(abs(run(rules, own, other).win_probabilities[0] - exact))
    assert np.mean(errors) < 0.03
    assert np.quantile(errors, 0.95) < 0.05


@pytest.mark.parametrize("preset", ["facebook", "dice-10000"])
def test_four_equal_players(preset: str) -> None:
    rules = load_rules(preset)
    found = run(rules, 0, 0, 0, 0)
    assert sum(found.win_probabilities) == pytest.approx(1)
    assert list(found.win_probabilities) == sorted(found.win_probabilities, reverse=True)
    assert all(0.18 < one < 0.32 for one in found.win_probabilities)
    assert 0.002 < found.standard_error < 0.004
    assert found.games == 20_000


@pytest.mark.parametrize("preset", ["facebook", "arnold"])
def test_the_order_of_the_table_does_not_matter(preset: str) -> None:
    rules = load_rules(preset)
    one = run(rules, 3000, 7000, 5000)
    other = run(rules, 5000, 3000, 7000, mover=1, generator=np.random.default_rng(8))
    shifted = np.roll(other.win_probabilities, -1)
    assert np.abs(one.win_probabilities - shifted).max() < 4.5 * 2**0.5 * one.standard_error


def test_equal_turns_take_the_advantage_from_who_begins() -> None:
    rules = variant("arnold", ending="equal_turns", ties="shared")
    equal = run(rules, 0, 0, 0).win_probabilities
    at_once = run(variant("arnold", ending="at_once"), 0, 0, 0, games=10_000).win_probabilities
    assert equal[0] < 1 / 3 < at_once[0]
    assert at_once[2] < 1 / 3 < equal[2]


def test_someone_about_to_win() -> None:
    facebook = load_rules("facebook")
    bank = run(facebook, 9000, 2000, 0, turn_total=1000, dice=2)
    assert bank.win_probabilities == (1, 0, 0)
    assert bank.standard_error == 0
    rolls = run(facebook, 9000, 9000, 9000, turn_total=1000, dice=1, roll=True)
    assert 1 / 3 < rolls.win_probabilities[0] < 0.7
    ahead = run(facebook, 9600, 2000, 2000, mover=1)
    assert ahead.win_probabilities[0] > 0.9


def test_a_final_turn_under_way_is_exact_for_its_last_player() -> None:
    rules = load_rules("arnold")
    # player 2 got there first; player 0 failed, player 1 is the last
    found = run(rules, 9000, 9000, 10300, mover=1)
    chance = endgame(rules).last[1, 1300 // 50]
    assert found.win_probabilities[0] == 0
    assert found.win_probabilities[1] == pytest.approx(chance, abs=4.5 * found.standard_error)
    # with player 0 to come after, player 1 has to be beaten as well
    both = run(rules, 9000, 9000, 10300, mover=0)
    assert both.win_probabilities[0] < chance < both.win_probabilities[0] * 1.3
    assert both.win_probabilities[1] == pytest.approx(chance, abs=0.02)
    # in the middle of the turn: 1,350 would do with 2 dice left
    sure = run(rules, 9000, 9000, 10300, mover=1, turn_total=1350, dice=2)
    assert sure.win_probabilities == (0, 1, 0)


def test_farkles_in_a_row_cost() -> None:
    rules = load_rules("facebook")
    calm, danger = (
        estimate(
            rules,
            [Standing(3000, farkles), Standing(3000), Standing(3000)],
            0,
            TurnState(0, 6),
            np.random.default_rng(2),
        ).win_probabilities[0]
        for farkles in (0, 2)
    )
    assert danger < calm - 0.01


def test_who_is_not_on_the_board_is_behind() -> None:
    rules = load_rules("dice-10000")
    players = [Standing(0, 0, True), Standing(0, 0, False), Standing(0, 0, True)]
    found = estimate(rules, players, 2, TurnState(0, 6), np.random.default_rng(2)).win_probabilities
    assert found[1] < min(found[0], found[2]) - 0.03


def test_the_generator_decides() -> None:
    rules = load_rules("facebook")
    found = [
        run(rules, 0, 0, 0, generator=np.random.default_rng(seed), games=500) for seed in (1, 1, 2)
    ]
    assert found[0] == found[1] != found[2]


def test_four_players_from_the_start_are_quick() -> None:
    rules = load_rules("facebook")
    run(rules, 0, 0, 0, 0)
    best = min(_seconds(rules) for _ in range(5))
    assert best < 0.3  # a tenth of a second on an idle machine


def _seconds(rules: Ruleset) -> float:
    """Of this thread alone, however busy the machine is."""
    started = time.thread_time()
    run(rules, 0, 0, 0, 0)
    return time.thread_time() - started


def test_the_alias_method_keeps_the_chances() -> None:
    chances = np.random.default_rng(3).dirichlet(np.full(7, 0.3), size=4)
    keep, alias = (part.reshape(4, 7) for part in _alias(chances))
    found = keep / 7
    for row in range(4):
        np.add.at(found[row], alias[row], (1 - keep[row]) / 7)
    np.testing.assert_allclose(found, chances, atol=1e-12)


@pytest.mark.parametrize(
    ("scores", "changes", "sentence"),
    [
        ((0,), {}, "two players"),
        ((0, 0), {"mover": 2}, "to act is 0 to 1"),
        ((0, 0), {"dice": 7}, "1 to 6"),
        ((0, 0), {"turn_total": 30}, "multiple of 50"),
        ((0, 25), {}, "multiple of 50"),
        ((0, 10_000), {}, "is over"),
        ((0, 0), {"games": 0}, "1 or more"),
    ],
)
def test_impossible_games(scores: tuple[int, ...], changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InvalidPositionError, match=sentence):
        run(load_rules("facebook"), *scores, **changes)
