"""The fold of events: endings with two and more players, and games against what the solver says."""

import math
import random
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest

from bot.review.worth import Worth
from bot.services.advisor import Advisor
from bot.table import commands
from bot.table.events import Event, Kept, Rolled, event_data, make_event
from bot.table.fold import apply, begin, fold, steps
from bot.table.state import Game, Stage
from bot.views.advice import position_text
from bot.views.events import events_text
from solver.errors import IllegalActionError
from solver.game.best import Strategy
from solver.game.position import check_two, first_position, points_to_beat
from solver.game.standings import value_shape
from solver.game.sweeps import solve
from solver.play.estimate import EstimatedStrategy
from solver.play.policies import make_policy
from solver.play.policy import Policy
from solver.rules.ruleset import Ruleset
from solver.turn.dice import make_roll, set_asides
from solver.turn.equations import EqualDice
from tests.conftest import variant
from tests.house_rules import ONE_BY_ONE, THIRD
from tests.solver.play.test_maps import guessed
from tests.usual import USUAL


def new_game(rules: Ruleset, players: int = 2, **settings: object) -> Game:
    return begin(commands.begin_game("g", rules, [None] * players, **settings))


def play(game: Game, *events: Event) -> Game:
    for event in events:
        game = apply(game, event)
    return game


def told(game: Game, *turns: int | str) -> Game:
    """Turns with real dice, one after the other."""
    for turn in turns:
        points, ending = (turn, "bank") if isinstance(turn, int) else (0, turn)
        game = play(game, *commands.score(game, game.mover, points, ending))  # type: ignore[arg-type]
    return game


def scores(game: Game) -> list[int]:
    return [seat.score for seat in game.seats]


def tracked(rules: Ruleset, players: int) -> Game:
    return new_game(rules, players, tracked=True)


def test_reaching_the_goal_wins_at_once() -> None:
    game = told(tracked(variant("classic", goal=1000), 3), 500, 500, "farkle", 500)
    assert game.over
    assert game.shares == (1, 0, 0)


def test_everybody_else_has_a_final_turn_and_may_overtake() -> None:
    rules = variant("classic", goal=1000, ending="final_turn")
    game = told(tracked(rules, 3), 500, 900, 300, 600)
    assert (game.stage, game.mover, game.waiting) == (Stage.FINAL, 1, (1, 2))
    game = told(game, 300)
    assert game.mover == 2
    game = told(game, 800)
    assert scores(game) == [1100, 1200, 1100]
    assert game.shares == (0, 1, 0)


def throws(game: Game, *rolls: tuple[str, str]) -> Game:
    """Rolls of the player to move, each with what is kept of it."""
    for fell, kept in rolls:
        dice = tuple(map(int, fell))
        game = play(game, *commands.roll(game, game.mover, dice))
        game = play(game, *commands.keep(game, game.mover, make_roll(map(int, kept))))
    return game


def test_the_last_throw_ends_the_turn() -> None:
    rules = variant("classic", goal=1000, throws=2, minimum_bank=150)
    game = throws(new_game(rules), ("123466", "1"), ("23456", "5"))
    assert (scores(game), game.mover) == ([150, 0], 1)
    first = throws(game, ("234566", "5"))
    lost = throws(first, ("23456", "5"))
    assert (scores(lost), lost.mover, lost.seats[1].farkled) == ([150, 0], 0, 1)
    # what follows by itself is taken back with the set-aside
    back = play(lost, *commands.undo(lost, 1))
    assert (back.mover, back.turn.turn_total, back.turn.roll) == (1, 50, (6, 5, 4, 3, 2))


def test_nothing_is_asked_after_the_last_throw(tmp_path: Path) -> None:
    rules = variant("classic", goal=1000, throws=2, dice=3)
    game = throws(new_game(rules), ("133", "1"))
    game = play(game, *commands.roll(game, 0, (2, 5)))
    values = np.random.default_rng(1).random(value_shape(rules))
    advisor = Advisor(tmp_path)
    with patch.object(advisor, "strategy", return_value=Strategy(rules, values, "made up")):
        assert advisor.hint(game).odds is None
    kept = events_text(["ann", "bob"], [*steps(game, commands.keep(game, 0, (5,)))])
    assert next(kept) == "ann keeps 5 for 50: turn total 150."


def test_what_has_to_be_confirmed_is_told_as_it_is_kept() -> None:
    rules = variant("classic", hot_dice="no_bank", confirm_points=100, dice=3)
    game = play(new_game(rules), *commands.roll(new_game(rules), 0, (2, 2, 2)))
    [told] = events_text(["ann", "bob"], [*steps(game, commands.keep(game, 0, (2, 2, 2)))])
    assert told.endswith("hot dice. 100 more points have to confirm what was set aside.")


def test_farkles_that_are_counted_no_further_may_be_more() -> None:
    penalty = {"in_a_row": 2, "points": 100, "then": "goes_on"}
    game = told(tracked(variant("classic", farkle_penalty=penalty), 2), *["farkle"] * 5)
    text = position_text(game.rules, game.position())
    assert "at least 1 farkle in a row, they have at least 1 farkle in a row" in text


def test_what_counts_in_first_throws_alone_does_not_later() -> None:
    table = {"dice": "222", "points": 700, "when": "first_throw"}
    game = new_game(variant("classic", scoring={"combination": [table]}))
    first = throws(game, ("222446", "222"))
    assert first.turn.turn_total == 700
    hot = throws(game, ("111555", "111555"), ("222446", "222"))
    assert hot.turn.turn_total == 1500 + 200


def test_a_round_is_completed() -> None:
    rules = variant("classic", goal=1000, ending="equal_turns")
    game = told(tracked(rules, 3), 500, 900, 300, 400, 300)
    assert game.waiting == (2,)
    assert told(game, "farkle").shares == (0, 1, 0)
    last = told(tracked(rules, 3), 500, 300, 900, 400, 300, 200)
    assert last.shares == (0, 0, 1)


@pytest.mark.slow
def test_whoever_is_beaten_has_a_final_turn_in_return() -> None:
    rules = variant("classic", goal=1000, ending="defended")
    game = told(tracked(rules, 2), 1000, 1200)
    assert (game.stage, game.waiting, scores(game)) == (Stage.FINAL, (0,), [1000, 1200])
    assert told(game, "farkle").shares == (0, 1)
    assert told(game, 100).shares == told(game, 200).shares == (0, 1)
    game = told(game, 250)
    assert (game.stage, game.waiting) == (Stage.FINAL, (1,))
    assert told(game, 50).shares == (1, 0)
    shared = variant("classic", goal=1000, ending="defended", ties="shared")
    assert told(tracked(shared, 2), 1000, 1200, 200).shares == (0.5, 0.5)
    # of scores that are far beyond the goal it counts how far they are apart
    far = told(tracked(rules, 2), *range(1000, 7000, 50))
    check_two(rules, far.position())
    assert points_to_beat(rules, far.position()) == far.seats[1].score - far.seats[0].score
    with pytest.raises(IllegalActionError, match="it is for two"):
        commands.join(new_game(rules))


def test_a_final_turn_may_be_one_throw() -> None:
    rules = variant("classic", goal=1000, ending="final_turn", final_throws=1)
    game = throws(told(tracked(rules, 3), 500, 400), ("123466", "1"))
    assert (game.turn.turn_total, game.over) == (100, False)
    last = told(play(game, *commands.bank(game, 2)), 500)
    assert last.stage is Stage.FINAL
    # what is set aside ends the turn
    one = throws(last, ("111234", "111"))
    assert (scores(one), one.mover) == ([1000, 1400, 100], 2)
    assert throws(one, ("111155", "111")).shares == (0, 1, 0)
    assert play(one, *commands.roll(one, 2, make_roll((2, 3, 4, 4, 6, 6)))).shares == (0, 1, 0)


@pytest.mark.parametrize(
    ("ties", "shares"), [("earlier", (1, 0, 0)), ("shared", (0.5, 0.5, 0)), ("played_on", None)]
)
def test_ties(ties: str, shares: tuple[float, ...] | None) -> None:
    rules = variant("classic", goal=1000, ending="final_turn", ties=ties)
    game = told(tracked(rules, 3), 1000, 1000, 500)
    assert game.shares == shares
    if shares is None:
        assert (game.stage, game.waiting) == (Stage.PLAY_OFF, (0, 1))
        again = told(game, 300, 300)
        assert (again.stage, again.shares) == (Stage.PLAY_OFF, None)
        assert told(again, "farkle", 50).shares == (0, 1, 0)
        assert scores(told(again, 500, 50)) == [1000, 1000, 500]


def test_who_has_points_in_the_last_turn_of_a_play_off_of_three_has_won() -> None:
    """Where its chances are estimated, too; before, whoever has farkled may still win."""
    keys = {"goal": 1000, "ending": "final_turn", "ties": "played_on"}
    game = told(tracked(variant("classic", **keys), 3), 1000, 1000, 1000, "farkle", "farkle")
    two = guessed(game.rules)
    worth = Worth(lambda _, players: two if players == 2 else EstimatedStrategy(two, players))
    assert game.contenders == (2, 0, 1)
    assert all(worth.shares(game))
    assert worth.shares(play(game, Rolled(dice=(1, 2, 3, 4, 6, 6)), Kept(dice=(1,)))) == (0, 0, 1)


def test_who_loses_everything_in_a_play_off_is_out() -> None:
    keys = {"goal": 1000, "ending": "final_turn", "ties": "played_on", "lose_everything": ("2222",)}
    game = told(tracked(variant("classic", **keys), 2), 1000, 1000)
    assert told(game, "lose").shares == (0, 1)


def test_a_roll_may_lose_the_game() -> None:
    ruin = {"dice": "222", "then": "loses_game"}
    rules = Ruleset(name="x", goal=1000, scoring={"combination": [ruin]})
    game = told(tracked(rules, 2), 500, 300)
    assert told(game, "out").shares == (0, 1)
    with pytest.raises(IllegalActionError, match="no roll loses the game under"):
        told(tracked(variant("classic"), 2), "out")
    alone = play(begin(commands.begin_game("g", rules, [None, None])), Rolled(dice=(2, 2, 2, 1)))
    assert (alone.stage, alone.shares) == (Stage.OVER, (0, 1))
    with pytest.raises(IllegalActionError, match="so it is for two"):
        commands.begin_game("g", rules, [None] * 3)


def test_penalties_and_losses() -> None:
    facebook = tracked(variant("facebook"), 2)
    game = told(facebook, 500, "farkle", "farkle", "farkle", "farkle", "farkle", "farkle")
    assert scores(game) == [0, -500]
    assert [seat.farkles for seat in game.seats] == [0, 0]
    assert game.last is not None
    assert game.last.lost == 500
    floor = tracked(variant("facebook", score_floor=0), 2)
    assert scores(told(floor, 300, *["farkle"] * 6)) == [0, 0]
    all_points = {"in_a_row": 3, "points": "everything"}
    everything = tracked(variant("facebook", score_floor=0, farkle_penalty=all_points), 2)
    assert scores(told(everything, 900, 400, *["farkle"] * 5)) == [0, 400]
    onward = tracked(variant("facebook", farkle_penalty=THIRD | {"then": "goes_on"}), 2)
    onward = told(onward, 900, 400, *["farkle"] * 10)
    assert scores(onward) == [600, 100]
    assert scores(told(onward, 300, "farkle", "farkle")) == [900, 0]


@pytest.mark.parametrize(("when", "left"), [("any", -400), ("all_dice", -200), ("first_throw", 0)])
def test_where_a_farkle_costs_points(when: str, left: int) -> None:
    penalty = {"in_a_row": 1, "points": 200, "when": when}
    rules = variant("classic", dice=2, goal=2000, farkle_penalty=penalty, score_floor=-1000)
    game = tracked(rules, 2)
    # one with a die left, one after hot dice
    for rolls in ([(1, 2), (3,)], [(1, 1), (2, 3)]):
        for dice in rolls[:-1]:
            game = play(game, *commands.roll(game, game.mover, dice))
            kept = tuple(one for one in dice if one == 1)
            game = play(game, *commands.keep(game, game.mover, kept))
        game = play(game, *commands.roll(game, game.mover, rolls[-1]))
        game = play(game, *commands.score(game, game.mover, 400, "bank"))
    assert (scores(game)[0], [seat.farkles for seat in game.seats]) == (left, [0, 0])
    if when == "any":
        return
    with pytest.raises(IllegalActionError, match="enter the turn roll by roll"):
        commands.score(game, game.mover, 0, "farkle")
    game = play(game, *commands.roll(game, game.mover, (2, 4)))
    assert scores(game)[0] == left - 200


def test_who_is_left_alone_has_won() -> None:
    rules = variant("classic", ending="final_turn", goal=1000)
    game = told(tracked(rules, 3), 1000)
    game = play(game, *commands.resign(game, 0))
    assert (game.stage, game.mover) == (Stage.PLAY, 1)
    assert play(game, *commands.resign(game, 1)).shares == (0, 0, 1)


def test_events_come_back_from_the_store_as_they_were() -> None:
    rules = variant("kcd")
    first = commands.begin_game("g", rules, [None, "greedy"], commitment="ab", away_seconds=60)
    game, events = begin(first), list[Event]()
    rng = random.Random(5)
    while not game.over:
        made = random_move(game, rng)
        events += made
        game = play(game, *made)
    stored = [make_event(event.kind, event_data(event)) for event in [first, *events]]
    assert stored == [first, *events]
    assert replace(fold(first, events), before=None) == replace(game, before=None)


def random_move(game: Game, rng: random.Random) -> list[Event]:
    if game.turn.roll is not None:
        game.position()
        choice = rng.choice(set_asides(game.rules, game.turn.roll))
        return [*commands.keep(game, game.mover, choice.dice)]
    if game.may_bank and rng.random() < 0.6:
        return [*commands.bank(game, game.mover)]
    number = commands.check_roll(game, game.mover)
    return [*commands.roll(game, game.mover, tuple(rng.choices(range(1, 7), k=number)))]


@pytest.mark.parametrize("players", [2, 3, 8])
@pytest.mark.parametrize("name", USUAL)
def test_random_games_end(name: str, players: int) -> None:
    rng = random.Random(players)
    game = new_game(variant(name, goal=2000), players)
    while not game.over:
        game = play(game, *random_move(game, rng))
    assert game.shares is not None
    assert math.isclose(sum(game.shares), 1)


def policy_game(rules: Ruleset, policies: list[Policy], rng: random.Random) -> Game:
    game = new_game(rules)
    while not game.over:
        dice = tuple(rng.choices(range(1, 7), k=commands.check_roll(game, game.mover)))
        game = play(game, *commands.roll(game, game.mover, dice))
        if game.turn.roll is not None:
            mover = game.mover
            choice = policies[mover].choose(EqualDice(rules), game.position(), game.turn.roll)
            last = game.last
            game = play(game, *commands.keep(game, mover, choice.set_aside))
            if choice.bank and game.last is last:
                game = play(game, *commands.bank(game, mover))
    return game


ENDINGS = [
    (name, rules)
    for name, rules in ONE_BY_ONE
    if rules.ending != "at_once" or rules.farkle_keeps_turn_total or "everything" in name
]


@pytest.mark.mostly_slow(9)
@pytest.mark.mostly_skipped
@pytest.mark.parametrize(
    "rules",
    [
        # every way to end and to settle ties in the quick suite, with all else in the slow one
        pytest.param(rules, id=name, marks=() if name.count(" ") == 1 else pytest.mark.slow)
        for name, rules in ENDINGS
    ],
)
def test_games_at_the_table_go_as_the_solver_says(rules: Ruleset, kernels: Path) -> None:
    """Games of optimal play: the wins of who begins are within 4 standard errors of the value."""
    strategy = Strategy(rules, solve(rules, cache=kernels).values, "test")
    policy = make_policy("optimal", strategy)
    rng, games, wins = random.Random(1), 50, 0.0
    for _ in range(games):
        shares = policy_game(rules, [policy, policy], rng).shares
        assert shares is not None
        wins += shares[0]
    expected = strategy.win_probability(first_position(rules))
    error = math.sqrt(max(expected * (1 - expected), 1e-4) / games)
    assert abs(wins / games - expected) < 4 * error
