"""Scores that no bank may leave, goals to be met exactly, and turns that change the other's score.

By hand and at tables.

One die, of which a 1 scores 100 points and a 2 scores 200; it may be rolled again.
"""

from itertools import product
from pathlib import Path
from typing import Any

import pytest

from bot.table import commands
from bot.table.events import Kept, Rolled
from bot.table.fold import apply, begin, steps
from bot.table.state import Game
from bot.views.advice import bank_text, no_bank_text
from bot.views.events import events_text
from solver.errors import IllegalActionError, InvalidRulesError
from solver.game.best import Strategy
from solver.game.many import check_many
from solver.game.position import Position, first_position
from solver.game.standings import Standing, other_after
from solver.game.sweeps import solve
from solver.play.advice import Reason, odds, why
from solver.play.contests import duel
from solver.play.policies import Optimal, make_policy
from solver.rules.ruleset import Ruleset
from tests import naive
from tests.conftest import only_with_every
from tests.house_rules import ONE_BY_ONE, small

HOUSE = dict(ONE_BY_ONE)


def twos(**changes: Any) -> Ruleset:
    scoring = {"single": (100, 200, 0, 0, 0, 0), "three_of_a_kind": 0}
    exact = {"goal_must_be": "exact"} if "no_bank_at" not in changes else {}
    return small(**{"dice": 1, "goal": 300, "scoring": scoring, **exact, **changes})


def strategy_of(rules: Ruleset, kernels: Path) -> Strategy:
    return Strategy(rules, solve(rules, cache=kernels).values, "test")


def told(rules: Ruleset, *turns: int) -> Game:
    """A game with real dice after turns that were banked."""
    game = begin(commands.begin_game("g", rules, [None, None], tracked=True))
    for points in turns:
        for event in commands.score(game, game.mover, points, "bank"):
            game = apply(game, event)
    return game


def rolled(game: Game, *faces: int) -> Game:
    for face in faces:
        game = apply(apply(game, Rolled(dice=(face,))), Kept(dice=(face,)))
    return game


@pytest.mark.parametrize(
    ("beyond", "left"), [("lost", 200), ("back", 200), ("around", 100), ("no_bank", None)]
)
def test_a_bank_beyond_the_goal(beyond: str, left: int | None, kernels: Path) -> None:
    rules = twos(beyond_goal=beyond)
    strategy = strategy_of(rules, kernels)
    # 200 and 200 more are 100 too many
    game = rolled(told(rules, 200, 100), 2)
    position = game.position()
    assert (position.banked, position.opponent, position.turn_total) == (200, 100, 200)
    found = odds(strategy, position)
    if left is None:
        assert not game.may_bank
        assert found.bank is None
        assert no_bank_text(rules, position) == "400 points would be more than the goal"
        with pytest.raises(IllegalActionError, match="400 points would be more than the goal"):
            commands.bank(game, 0)
        return
    [banked] = commands.bank(game, 0)
    after = apply(game, banked)
    assert ([seat.score for seat in after.seats], after.over) == ([left, 100], False)
    assert bank_text(rules, position) == f"goes beyond the goal: {left} to 100"
    worth = 1 - strategy.win_probability(Position.of_two(100, left, dice=1))
    assert found.bank == pytest.approx(worth, abs=1e-12)


def test_whoever_meets_the_goal_wins(kernels: Path) -> None:
    rules = twos()
    game = rolled(told(rules, 200, 100), 1)
    assert bank_text(rules, game.position()) == "wins the game"
    assert odds(strategy_of(rules, kernels), game.position()).bank == 1
    [banked] = commands.bank(game, 0)
    assert apply(game, banked).shares == (1, 0)


def test_a_score_that_no_bank_may_leave(kernels: Path) -> None:
    rules = twos(no_bank_at=("200",))
    game = rolled(told(rules, 100), 2)
    assert not rolled(told(rules), 2).may_bank
    assert rolled(told(rules), 1).may_bank
    with pytest.raises(IllegalActionError, match="no bank may leave a score of 200"):
        commands.score(told(rules), 0, 200, "bank")
    assert no_bank_text(rules, game.position()) == "no bank may leave a score of 200"
    assert odds(strategy_of(rules, kernels), game.position()).bank is None


@pytest.mark.parametrize(("cost", "left"), [("everything", 0), (150, 50)])
def test_who_is_caught_up_falls_back(cost: int | str, left: int, kernels: Path) -> None:
    rules = twos(goal_must_be="reached", caught_up=cost)
    strategy = strategy_of(rules, kernels)
    game = rolled(told(rules, 200), 2)
    assert bank_text(rules, game.position()) == f"200 to {left}, they fall back"
    worth = 1 - strategy.win_probability(Position.of_two(left, 200, dice=1))
    assert odds(strategy, game.position()).bank == pytest.approx(worth, abs=1e-12)
    banked = commands.bank(game, 1)
    after = apply(game, banked[0])
    assert [seat.score for seat in after.seats] == [left, 200]
    assert [*events_text(["ann", "bob"], [*steps(game, banked)])][1] == (
        f"ann is caught up and falls back to {left}."
    )
    [undone] = commands.undo(after, 1)
    assert [seat.score for seat in apply(after, undone).seats] == [200, 0]
    # who has passed the other is not caught up, nor is who has the goal
    assert bank_text(rules, rolled(told(rules, 100), 2).position()) == "200 to 100"
    assert bank_text(rules, rolled(told(rules, 200), 2, 1).position()) == "wins the game"


def test_why_a_bank_that_catches_up_is_best(kernels: Path) -> None:
    rules = HOUSE["caught up, everything"]
    strategy, seen = strategy_of(rules, kernels), 0
    for own, total, dice in product(range(0, 250, 50), (50, 100, 150), (1, 2, 3)):
        found = why(strategy, Position.of_two(own, own + total, total, dice=dice))
        level = Position.of_two(own + total, own + total, dice=3)
        without = 1 - strategy.win_probability(level)
        decides = (found.bank or 0.0) >= found.roll > without
        assert (found.reason is Reason.CAUGHT) == decides
        seen += decides
    assert seen


def test_points_beyond_the_goal_go_to_the_other(kernels: Path) -> None:
    rules = twos(beyond_goal="given")
    strategy = strategy_of(rules, kernels)
    game = told(rules, 200)
    [farkle] = commands.score(game, 1, 0, "farkle")
    game = rolled(apply(game, farkle), 2)
    assert bank_text(rules, game.position()) == (
        "goes beyond the goal: 200 to 200, they get the points"
    )
    worth = 1 - strategy.win_probability(Position.of_two(200, 200, dice=1))
    assert odds(strategy, game.position()).bank == pytest.approx(worth, abs=1e-12)
    banked = commands.bank(game, 0)
    assert [seat.score for seat in apply(game, banked[0]).seats] == [200, 200]
    assert [*events_text(["ann", "bob"], [*steps(game, banked)])] == [
        "ann banks 200 points and goes beyond the goal; the score stays 200.",
        "bob is given these points and has 200 now.",
    ]
    # with 100 more that is the goal, and the other one wins
    won = rolled(told(rules, 200, 100), 2)
    assert odds(strategy, won.position()).bank == 0
    assert apply(won, commands.bank(won, 0)[0]).shares == (0, 1)


@pytest.mark.mostly_slow(4)
@pytest.mark.parametrize("name", [name for name in HOUSE if HOUSE[name].changes_other])
def test_the_other_player_stands_as_the_docstrings_say(name: str) -> None:
    rules, step = HOUSE[name], HOUSE[name].point_step
    everyone = naive.standings(rules)
    changed = 0
    for before, total in product(everyone, range(0, 2 * rules.goal + 1, step)):
        if naive.may_bank(rules, total, before[0], on_board=before[2]):
            after = naive.after_bank(rules, before, total)
            if after[0] < rules.winning_score:
                right = [naive.other_after(rules, before, after, one, total) for one in everyone]
                ended = Standing(*before), Standing(*after)
                for one, other in zip(everyone, right, strict=True):
                    found = other_after(rules, *ended, Standing(*one), total)
                    assert found == Standing(*other)
                    changed += other != one
    assert changed


def test_more_than_two_cannot_change_the_score_of_the_other() -> None:
    for rules in (twos(beyond_goal="given"), twos(goal_must_be="reached", caught_up=100)):
        with pytest.raises(InvalidRulesError, match="may change the other player's score"):
            check_many(rules, 3)
        with pytest.raises(IllegalActionError, match="so it is for two"):
            commands.begin_game("g", rules, [None] * 3)


def test_more_than_two_have_estimates_of_an_exact_goal() -> None:
    with pytest.raises(InvalidRulesError, match="is solved for two players only"):
        check_many(twos(), 3)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "exact, lost, farkle keeps, penalty",
        *(
            pytest.param(name, marks=only_with_every)
            for name in HOUSE
            if name.startswith(("exact, ", "no bank at", "caught up"))
        ),
    ],
)
def test_best_play_against_itself_is_worth_what_it_says(name: str, kernels: Path) -> None:
    rules = HOUSE[name]
    strategy = strategy_of(rules, kernels)
    best, greedy = Optimal(strategy), make_policy("greedy")
    start = strategy.win_probability(first_position(rules))
    found = duel(rules, best, best, cache=kernels)
    assert found.as_first == pytest.approx(start, abs=1e-9)
    assert duel(rules, best, greedy, cache=kernels).as_first >= start - 1e-9
