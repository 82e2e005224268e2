"""The estimate for several players: against exact values, games, and what is plain."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from solver.errors import InvalidPositionError
from solver.game.best import Strategy
from solver.game.endgame import endgame
from solver.game.many_best import SharedStrategy
from solver.game.many_sweeps import solve_many
from solver.game.position import Position, first_position
from solver.game.standings import Standing
from solver.game.sweeps import solve
from solver.play.advice import advise, best_after, odds
from solver.play.estimate import WITHIN, EstimatedStrategy
from solver.play.rough import rough_strategy
from solver.rules.file import load_rules
from solver.rules.ruleset import Ruleset
from solver.turn.dice import TurnState, dice_set
from tests.conftest import EVERY, only_with_every, variant
from tests.house_rules import small
from tests.many_games import strategy_of

KCD = variant("kcd", goal=1000)
"""Rules whose turns are long enough, and whose three players are solved at once."""


def at(rules: Ruleset, *scores: int, mover: int = 0, **turn: int) -> Position:
    state = TurnState(turn.get("turn_total", 0), turn.get("dice", dice_set(rules).whole))
    boards = [not rules.has_opening or score > 0 for score in scores]
    players = tuple(map(Standing, scores, [0] * len(scores), boards))
    return Position(players, mover, state)


def chances(rules: Ruleset, *scores: int, **more: int) -> list[float]:
    """By the rough strategy of two."""
    found = EstimatedStrategy(rough_strategy(rules), len(scores))
    return [float(one) for one in found.chances(at(rules, *scores, **more))]


@pytest.fixture(scope="module")
def pairs(kernels: Path) -> Callable[[Ruleset], Strategy]:
    """Exact strategies of two players."""
    known: dict[Ruleset, Strategy] = {}

    def strategy(rules: Ruleset) -> Strategy:
        if rules not in known:
            known[rules] = Strategy(rules, solve(rules, cache=kernels).values, rules.name)
        return known[rules]

    return strategy


def errors(exact: SharedStrategy, two: Strategy, number: int) -> Any:
    """Largest error of any player's chance, of random positions, in percentage points."""
    rules, players = exact.rules, exact.players
    found, draw = EstimatedStrategy(two, players), np.random.default_rng(2)
    off = []
    for _ in range(number):
        scores = draw.integers(0, rules.winning_score // rules.point_step, players)
        here = at(rules, *(scores * rules.point_step).tolist(), mover=int(draw.integers(players)))
        off.append(np.abs(found.chances(here) - exact.chances(here)).max())
    return 100 * np.array(off)


TAMER = {"dice": 4, "goal": 500}
SMALL = [
    small(**TAMER),
    small(**TAMER, minimum_bank=100, instant_win=("66",)),
    small(**TAMER, opening_minimum=200),
    small(**TAMER, ending="final_turn"),
    small(**TAMER, ending="final_turn", ties="shared"),
    small(**TAMER, ending="equal_turns", ties="shared"),
    small(**TAMER, farkle_keeps_turn_total=True),
    small(**TAMER, lose_everything=("44",)),
]


@pytest.mark.slow
@pytest.mark.parametrize("rules", SMALL, ids=range(len(SMALL)))
def test_small_games_of_three_are_near_exact_ones(
    rules: Ruleset, pairs: Callable[[Ruleset], Strategy], kernels: Path
) -> None:
    off = errors(strategy_of(solve_many(rules, 3, cache=kernels)), pairs(rules), 30)
    # a game of two turns or three
    assert off.mean() < 1
    assert off.max() < 5


SHORTER = 1500 if EVERY else 1000
"""The goal where that takes several times as long."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("players", "changes"),
    [
        (3, {"goal": 1500}),
        pytest.param(4, {"goal": 800}, marks=only_with_every),
        pytest.param(3, {"goal": SHORTER, "ending": "final_turn"}, marks=only_with_every),
        pytest.param(3, {"goal": SHORTER, "ending": "equal_turns"}, marks=only_with_every),
    ],
    ids=["three", "four", "final turn", "equal turns"],
)
def test_what_is_said_of_errors_holds(
    pairs: Callable[[Ruleset], Strategy], kernels: Path, players: int, changes: dict[str, Any]
) -> None:
    rules = variant("kcd", **changes)
    exact = strategy_of(solve_many(rules, players, cache=kernels))
    for two in (pairs(rules), rough_strategy(rules)):
        assert EstimatedStrategy(two, players).within == WITHIN
        off = errors(exact, two, 50)
        assert np.quantile(off, 0.95) < 100 * WITHIN
        assert off.mean() < 0.4
        assert off.max() < 5


@pytest.mark.slow
def test_two_players_have_what_they_have_in_the_game_of_two(
    pairs: Callable[[Ruleset], Strategy],
) -> None:
    house: list[dict[str, Any]] = [
        {"farkle_penalty": {"in_a_row": 2, "points": 100}},
        {"caught_up": 100},
        {"goal_must_be": "exact", "beyond_goal": "given"},
    ]
    for rules in (SMALL[1], SMALL[5], *(small(**changes) for changes in house)):
        two = pairs(rules)
        found = EstimatedStrategy(two, 2)
        assert found.within is None
        for own, other, turn in ((0, 0, 0), (100, 300, 0), (250, 50, 150), (0, 350, 100)):
            here = at(rules, own, other, turn_total=turn)
            began = Position.of_two(own, other, turn, dice=rules.dice)
            exact = two.turn(began).value(here.turn)
            assert found.chances(here) == pytest.approx([exact, 1 - exact], abs=1e-9)


@pytest.mark.mostly_slow(6)
@pytest.mark.parametrize("players", [3, 4, pytest.param(8, marks=pytest.mark.slow)])
@pytest.mark.parametrize("ending", ["at_once", "final_turn", "equal_turns"])
def test_chances_add_up_to_one_and_a_position_has_one_answer(ending: str, players: int) -> None:
    draw, rules = np.random.default_rng(players), variant("kcd", goal=1000, ending=ending)
    for _ in range(3):
        scores = (draw.integers(0, 20, players) * 50).tolist()
        mover = int(draw.integers(players))
        found = chances(rules, *scores, mover=mover)
        assert sum(found) == pytest.approx(1, abs=1e-12)
        assert min(found) > 0
        assert chances(rules, *scores, mover=mover) == found


def test_where_people_sit_does_not_matter() -> None:
    one = chances(KCD, 300, 700, 500)
    other = chances(KCD, 500, 300, 700, mover=1)
    assert other == pytest.approx([one[2], one[0], one[1]], abs=1e-12)


@pytest.mark.slow
def test_who_moves_sooner_has_more() -> None:
    found = chances(load_rules("kcd"), 0, 0, 0, 0, 0)
    assert found == sorted(found, reverse=True)
    # who has as many turns as all others, and knows what they got in them, is better off
    even = chances(SMALL[5], 0, 0, 0)
    assert even == sorted(even)


@pytest.mark.slow
def test_more_points_are_never_worse() -> None:
    for mover in (0, 1, 2):
        own = [chances(KCD, score, 500, 650, mover=mover)[0] for score in range(0, 1000, 150)]
        assert own == sorted(own)
        others = [chances(KCD, 300, 500, score, mover=mover)[0] for score in range(0, 1000, 150)]
        assert others == sorted(others, reverse=True)


def test_a_turn_is_worth_the_mean_of_what_may_fall() -> None:
    strategy = EstimatedStrategy(rough_strategy(KCD), 3)
    here = at(KCD, 300, 700, 500, turn_total=200, dice=2)
    thrown = dice_set(KCD)
    mean = sum(
        ways / thrown.ways(2) * np.array(advise(strategy, here, roll).chances)
        for roll, ways in thrown.rolls(2)
    )
    assert strategy.turn(here).roll_values(here.turn) == pytest.approx(mean, abs=1e-12)


def test_who_is_about_to_lose_dares_more() -> None:
    """With two dice left 700 are banked, but not where two others are about to win."""
    strategy = EstimatedStrategy(rough_strategy(KCD), 3)
    for theirs, action in ((0, "bank"), (950, "roll")):
        weighed = odds(strategy, at(KCD, 0, theirs, theirs, turn_total=700, dice=2))
        assert weighed.action == action


def test_a_final_turn_under_way_is_exact_for_its_last_player() -> None:
    rules = SMALL[3]
    # player 2 got there first; player 0 failed, player 1 is the last
    found = chances(rules, 300, 300, 650, mover=1)
    chance = endgame(rules).last[1, 350 // 50]
    assert found == pytest.approx([0, chance, 1 - chance])
    # with player 0 to come after, player 1 has to be beaten as well
    both = chances(rules, 300, 300, 650, mover=0)
    assert both[0] < chance < both[0] * 1.3
    assert both[1] == pytest.approx(chance, abs=0.05)
    assert chances(rules, 300, 300, 650, mover=1, turn_total=400, dice=2) == [0, 1, 0]


def test_a_leader_far_beyond_the_goal_is_out_of_reach() -> None:
    rules = SMALL[3]
    for lead in range(700, 20 * rules.goal, 350):
        found = chances(rules, 300, 550, lead, mover=0)
        assert sum(found) == pytest.approx(1)
        assert found[2] >= chances(rules, 300, 550, lead - 50, mover=0)[2] - 1e-12
    assert found == pytest.approx([0, 0, 1], abs=1e-6)


def test_farkles_in_a_row_cost() -> None:
    rules = small(**TAMER, farkle_penalty={"in_a_row": 3, "points": 100})
    strategy, turn = EstimatedStrategy(rough_strategy(rules), 3), TurnState(0, 4)
    own = [
        strategy.chances(
            Position((Standing(200, farkles), Standing(200), Standing(-100)), 0, turn)
        )[0]
        for farkles in (0, 1, 2)
    ]
    assert own == sorted(own, reverse=True)
    assert own[2] < own[0] - 0.01


def test_a_penalty_may_lead_below_the_lowest_score() -> None:
    penalty = {"in_a_row": 3, "points": 500}
    rules = small(**TAMER, farkle_penalty=penalty, score_floor=-100)
    strategy, turn = EstimatedStrategy(rough_strategy(rules), 3), TurnState(0, 4)
    players = Standing(0, 2), Standing(-100, 2), Standing(-600, 2)
    own = [strategy.chances(Position(players, mover, turn)) for mover in range(3)]
    for mover, found in enumerate(own):
        assert sum(found) == pytest.approx(1)
        assert found[mover] == max(one[mover] for one in own)


def test_who_is_not_on_the_board_is_behind() -> None:
    rules = SMALL[2]
    strategy = EstimatedStrategy(rough_strategy(rules), 3)
    boards = replace(
        first_position(rules, 3),
        players=(Standing(on_board=True), Standing(on_board=False), Standing(on_board=True)),
        mover=2,
    )
    found = strategy.chances(boards)
    assert found[1] < min(found[0], found[2]) - 0.03


@pytest.mark.parametrize(
    ("scores", "changes", "sentence"),
    [
        ((0, 0, 0), {"mover": 3}, "to act is 0 to 2"),
        ((0, 0, 0), {"dice": 7}, "1 to 6"),
        ((0, 0, 0), {"turn_total": 30}, "multiple of 50"),
        ((0, 25, 0), {}, "multiple of 50"),
        ((0, 1000, 0), {}, "is over"),
    ],
)
def test_impossible_games(scores: tuple[int, ...], changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InvalidPositionError, match=sentence):
        chances(KCD, *scores, **changes)


def test_as_many_play_as_it_is_made_for() -> None:
    with pytest.raises(InvalidPositionError, match="for 3 players, not 2"):
        EstimatedStrategy(rough_strategy(KCD), 3).chances(at(KCD, 0, 0))


def test_what_a_roll_is_worth_is_what_the_best_advice_is(
    pairs: Callable[[Ruleset], Strategy],
) -> None:
    """For one player's chances and for those of both, with rolls that score and others."""
    exact = pairs(KCD)
    for strategy in exact, EstimatedStrategy(exact, 2), EstimatedStrategy(rough_strategy(KCD), 2):
        for turn_total, dice in (0, 6), (350, 2), (500, 3):
            here = at(KCD, 400, 650, mover=1, turn_total=turn_total, dice=dice)
            table = strategy.turn(here)
            for roll, _ in dice_set(KCD).rolls(dice):
                found = strategy.by_seat(here, best_after(strategy, table, here, roll))
                assert tuple(found.tolist()) == advise(strategy, here, roll).chances
