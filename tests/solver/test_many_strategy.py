"""Strategy files of several players, and the answers from them."""

import os
from dataclasses import replace
from itertools import product
from pathlib import Path
from random import Random

import numpy as np
import pytest

from solver.errors import InvalidPositionError, MissingStrategyError, StrategyFileError
from solver.game.many import ManySolution
from solver.game.many_sweeps import check, solve_many
from solver.game.position import Position, first_position
from solver.game.standings import Standing, after_turn, standing_index
from solver.many_strategy import ManyManifest, open_many, save_many
from solver.play.advice import Advice, advise, odds
from solver.rules.ruleset import Ruleset
from solver.solved import open_solved
from solver.turn.dice import Roll, TurnState, dice_set, make_roll
from solver.turn.equations import Decision
from tests.house_rules import small
from tests.many_games import strategy_of
from tests.naive_many import Game as Twin

RULES = {
    "at once": small(goal=250, dice=2, opening_minimum=100, lose_everything=("44",)),
    "final turn": small(goal=150, dice=2, ending="final_turn", ties="shared", opening_minimum=100),
    "equal turns": small(goal=150, dice=2, ending="equal_turns", farkle_keeps_turn_total=True),
    "play-offs": small(goal=150, dice=2, ending="final_turn", ties="played_on"),
}


@pytest.fixture(scope="module")
def solved(kernels: Path) -> dict[str, ManySolution]:
    return {name: solve_many(rules, 3, cache=kernels) for name, rules in RULES.items()}


def starts(rules: Ruleset) -> list[Position]:
    """Every position at the start of a turn in which nobody has reached the goal."""
    everyone = [Standing(score) for score in range(0, rules.winning_score, rules.point_step)]
    everyone += [Standing(on_board=False)] if rules.has_opening else []
    turn = TurnState(0, dice_set(rules).whole)
    movers = range(3) if rules.has_roles else [0]
    return [
        Position(standings, mover, turn)
        for standings in product(everyone, repeat=3)
        for mover in movers
    ]


@pytest.mark.mostly_slow(4)
@pytest.mark.parametrize("name", RULES)
def test_turns_in_numpy_are_those_of_the_kernels(
    name: str, solved: dict[str, ManySolution]
) -> None:
    solution = solved[name]
    rules, strategy = solution.rules, strategy_of(solution)
    assert solution.mixed == 0
    for position in starts(rules):
        order = position.in_order
        places = [standing_index(rules, position.players[k]) for k in order]
        first_two = solution.values[(position.mover, *places)]
        chances = strategy.chances(position)
        assert chances.sum() == pytest.approx(1, abs=1e-12)
        np.testing.assert_allclose(chances[list(order[:2])], first_two, rtol=0, atol=1e-11)


@pytest.mark.parametrize("name", RULES)
def test_a_roll_is_worth_the_mean_of_what_may_fall(
    name: str, solved: dict[str, ManySolution]
) -> None:
    rules, strategy = RULES[name], strategy_of(solved[name])
    thrown = dice_set(rules)
    for players in ((0, 50, 100), (100, 100, 0)):
        position = Position(tuple(map(Standing, players)), 1, TurnState(50, 1))
        found = odds(strategy, position)
        mean = sum(
            ways / thrown.ways(1) * np.array(advise(strategy, position, roll).chances)
            for roll, ways in thrown.rolls(1)
        )
        np.testing.assert_allclose(found.roll_chances, mean, rtol=0, atol=1e-12)
        assert found.chances in (found.roll_chances, found.bank_chances)
        assert found.bank_chances is not None
        assert (found.roll, found.bank) == (found.roll_chances[1], found.bank_chances[1])


def test_options_are_ranked_by_what_the_mover_has(solved: dict[str, ManySolution]) -> None:
    strategy = strategy_of(solved["at once"])
    position = Position((Standing(100), Standing(150), Standing()), 1, TurnState(0, 2))
    found = advise(strategy, position, (5, 1))
    own = [option.chances[1] for option in found.options]
    assert own == sorted(own, reverse=True)
    # both dice reach the goal, which is the end
    assert found.options[0].action is Decision.WIN
    assert found.chances == (0.0, 1.0, 0.0)


def test_the_last_turn_is_a_turn_with_a_target(solved: dict[str, ManySolution]) -> None:
    strategy = strategy_of(solved["final turn"])
    players = Standing(200), Standing(150), Standing(100)
    last = Position(players, 2, TurnState(150, 1), waiting=(2,))
    # 250 beat both; whoever had a turn already has lost
    assert strategy.chances(last).tolist() == [0.0, 0.0, 1.0]
    level = Position(players, 2, TurnState(100, 1), waiting=(2,))
    bank = odds(strategy, level).bank_chances
    assert bank == (0.5, 0.0, 0.5)


@pytest.mark.slow
def test_a_play_off_is_the_twins(solved: dict[str, ManySolution]) -> None:
    rules, goal = RULES["play-offs"], RULES["play-offs"].winning_score
    strategy, twin = strategy_of(solved["play-offs"]), Twin(rules, 3)
    for points in ((), (0,), (100,), (0, 0), (100, 50), (50, 100), (100, 100)):
        # seat 1 begins it
        seats = [(1 + k) % 3 for k in range(3)]
        waiting = tuple(seats[len(points) :])
        had = dict(zip(seats, points, strict=False))
        players = tuple(Standing(goal + had.get(k, 0)) for k in range(3))
        position = Position(players, waiting[0], TurnState(0, 2), waiting)
        found = strategy.chances(position)[seats]
        np.testing.assert_allclose(found, twin.play_off(points, 3, {}), rtol=0, atol=1e-9)


def test_a_file_holds_what_was_solved(solved: dict[str, ManySolution], tmp_path: Path) -> None:
    solution = solved["final turn"]
    manifest, file = save_many(solution, tmp_path)
    strategy = open_many(tmp_path, solution.rules, 3)
    for position in starts(solution.rules)[::7]:
        np.testing.assert_array_equal(
            strategy.chances(position), strategy_of(solution).chances(position)
        )
    assert open_solved(file, ManyManifest, anew=True).manifest == manifest
    assert manifest.players == 3
    # two of three chances for each standing of the three players, and the final turns
    places = solution.values.shape[1]
    assert manifest.values == (2 * places**3 + sum(last.size for last in solution.lasts))


def test_damage_is_found(solved: dict[str, ManySolution], tmp_path: Path) -> None:
    solution = solved["at once"]
    manifest, file = save_many(solution, tmp_path)
    whole = bytearray(file.read_bytes())
    whole[-3] ^= 1
    os.chmod(file, 0o600)  # noqa: PTH101
    file.write_bytes(whole)
    with pytest.raises(StrategyFileError, match="is damaged"):
        open_many(tmp_path, solution.rules, 3)
    with pytest.raises(MissingStrategyError, match="not solved yet for 4 players"):
        open_many(tmp_path, solution.rules, 4)
    assert manifest.file == file.name


def test_positions_that_cannot_be(solved: dict[str, ManySolution]) -> None:
    strategy = strategy_of(solved["at once"])
    turn = TurnState(0, 2)
    for players, mover, message in (
        ((0, 0), 0, "for 3 players, not 2"),
        ((0, 0, 0), 3, "0 to 2, not 3"),
        ((0, 30, 0), 0, "a score cannot be 30"),
        ((0, 300, 0), 0, "another player has 300 points"),
        ((300, 50, 0), 2, "another player has 300 points"),
        ((300, 50, 300), 2, "you have 300 points"),
    ):
        with pytest.raises(InvalidPositionError, match=message):
            strategy.chances(Position(tuple(map(Standing, players)), mover, turn))


def test_values_fit_their_equations(solved: dict[str, ManySolution], kernels: Path) -> None:
    solution = solved["equal turns"]
    found = check(solution.rules, 3, solution.values, cache=kernels)
    assert found.residual < 1e-12
    assert found.mixed_states == 0
    wrong = solution.values.copy()
    wrong[0, 1, 1, 1] += 1e-6
    assert check(solution.rules, 3, wrong, cache=kernels).mixed_states


@pytest.mark.slow
@pytest.mark.parametrize("name", ["final turn", "equal turns"])
def test_games_are_won_as_often_as_it_says(name: str, solved: dict[str, ManySolution]) -> None:
    """Dice, advice and the rules of how games end, and nothing of the equations."""
    rules, games = RULES[name], 2_500
    strategy = strategy_of(solved[name])
    random = Random(20261122)
    # a cache by hand, as positions come again and again
    known: dict[tuple[Position, Roll], Advice] = {}

    def rolled(position: Position) -> Advice:
        roll = make_roll(random.randint(1, 6) for _ in range(position.turn.dice))
        if (position, roll) not in known:
            known[position, roll] = advise(strategy, position, roll)
        return known[position, roll]

    def points(position: Position) -> tuple[int, bool]:
        """Points banked in a turn, and whether it was a farkle."""
        while True:
            advice = rolled(position)
            total = position.turn.turn_total
            if not advice.options:
                keeps = rules.farkle_keeps_turn_total and total > 0
                return total if keeps else 0, True
            best = advice.options[0]
            if best.action is not Decision.ROLL:
                return best.turn_total, False
            turn = TurnState(best.turn_total, best.dice_left)
            position = replace(position, turn=turn)

    start = first_position(rules, 3)
    wins = np.zeros(3)
    for _ in range(games):
        position, reached = start, list[int]()
        waiting: tuple[int, ...] = ()
        while True:
            won, farkled = points(position)
            me = position.mover
            players = list(position.players)
            players[me] = after_turn(rules, players[me], won, farkles=farkled)
            if players[me].score >= rules.winning_score and won:
                reached.append(me)
            if waiting:
                waiting = waiting[1:]
            elif reached:
                others = [(me + k) % 3 for k in (1, 2)]
                waiting = tuple(k for k in others if not rules.has_roles or k > me)
            if reached and not waiting:
                break
            mover = waiting[0] if waiting else (me + 1) % 3
            position = Position(tuple(players), mover, start.turn, waiting)
        most = max(one.score for one in players)
        level = [k for k in reached if players[k].score == most]
        for k in level if rules.ties == "shared" else level[:1]:
            wins[k] += 1 / (len(level) if rules.ties == "shared" else 1)
    chances = strategy.chances(start)
    errors = 4 * np.sqrt(chances * (1 - chances) / games)
    assert np.all(np.abs(wins / games - chances) < errors)
