"""Games of several players with different dice, against a slow twin and against other solves."""

import random
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from solver.errors import InvalidDiceError, InvalidRequestError, InvalidRulesError
from solver.game.many import ManySolution
from solver.game.many_sweeps import check, solve_many
from solver.game.position import Position
from solver.game.standings import Progress, Standing
from solver.loaded.game import solve_matchup
from solver.loaded.matchup import Matchup
from solver.loaded.strategy import ManyMatchupStrategy
from solver.play.advice import Advice, advise, odds
from solver.turn.dice import Die, Roll, TurnState, make_dice_set
from solver.turn.equations import Decision
from tests import naive_loaded
from tests.conftest import EVERY
from tests.loaded_dice import kcd, random_dice, set_of, with_joker
from tests.naive_loaded_many import Game


def solve(matchup: Matchup, cache: Path, **more: Any) -> ManySolution:
    rules, players = matchup.rules, matchup.players
    return solve_many(rules, players, plans=matchup.plans, cache=cache, **more)


def check_against_twin(seed: int, number: int, goal: int, *, kernels: Path, seats: int = 3) -> None:
    chance = random.Random(f"several {seed}")
    rules = kcd(
        dice=number,
        goal=goal,
        minimum_bank=chance.choice([0, 0, 100]),
        minimum_binds_win=chance.random() < 0.5,
        set_aside_all=chance.random() < 0.2,
    )
    alone = chance.random() < 0.3
    dice = [random_dice(chance, number) for _ in range(seats)]
    if seed % 3 == 0:
        dice[1][0] = with_joker(chance, dice[1][0])
    if seed % 4 == 0:
        dice[2] = dice[0]
    matchup = Matchup(rules, tuple(map(set_of, dice)), alone)
    solution = solve(matchup, kernels)
    assert (solution.mixed, solution.restless) == (0, 0)
    table = naive_loaded.Table(rules, alone)
    twin = Game([naive_loaded.Player(table, some) for some in dice])
    expected = twin.solve()
    assert expected is not None
    step = rules.point_step
    for (mover, scores), value in expected.items():
        order = [(mover + k) % seats for k in range(seats)]
        # of the same dice the mover's seat is none of the position
        role = mover % len(solution.values)
        found = solution.values[(role, *(scores[seat] // step for seat in order))]
        np.testing.assert_allclose(found, [value[seat] for seat in order[:-1]], rtol=0, atol=1e-9)
    if seed % 5 == 0:
        strategy = ManyMatchupStrategy(matchup, *solution.arrays)
        for mover, scores in chance.sample(list(expected), 10):
            turn = TurnState(0, matchup.dice[mover].whole)
            position = Position(tuple(map(Standing, scores)), mover, turn)
            np.testing.assert_allclose(
                strategy.chances(position), expected[mover, scores], rtol=0, atol=1e-9
            )


@pytest.mark.parametrize("seed", range(5))
def test_small_games_are_those_of_the_twin(seed: int, kernels: Path) -> None:
    check_against_twin(seed, 2, [150, 200][seed % 2], kernels=kernels)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5, 17))
def test_a_dozen_games_are_those_of_the_twin(seed: int, kernels: Path) -> None:
    check_against_twin(seed, 2 + seed % 2, [200, 250, 300][seed % 3], kernels=kernels)


@pytest.mark.slow
def test_a_game_of_four_is_that_of_the_twin(kernels: Path) -> None:
    check_against_twin(20, 2, 150, kernels=kernels, seats=4)


HEAVY = make_dice_set([Die((10, 1, 1, 1, 1, 1)), Die(), Die()])
JOKER = make_dice_set([Die((2, 1, 1, 1, 1, 1), frozenset({1})), Die(), Die((1, 2, 1, 2, 1, 2))])
FAIR = make_dice_set([Die()] * 3)
SMALL = kcd(dice=3, goal=400)
SEATED = Matchup(SMALL, (HEAVY, JOKER, FAIR))


@pytest.fixture(scope="module")
def solved(kernels: Path) -> ManySolution:
    """Three sets of three dice to 400, one of them with a joker."""
    return solve(SEATED, kernels)


@pytest.fixture(scope="module")
def strategy(solved: ManySolution) -> ManyMatchupStrategy:
    return ManyMatchupStrategy(SEATED, *solved.arrays)


@pytest.mark.parametrize(
    ("dice", "goal"), [(3, 600), pytest.param(6, 1000, marks=pytest.mark.slow)]
)
def test_equal_fair_dice_are_the_ordinary_game(dice: int, goal: int, kernels: Path) -> None:
    """As well where each seat is solved by itself, as different dice are."""
    rules = kcd(dice=dice, goal=goal)
    expected = solve_many(rules, 3, cache=kernels).values
    matchup = Matchup(rules, (make_dice_set([Die()] * dice),) * 3)
    found = solve(matchup, kernels).values
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)
    found = solve_many(rules, 3, plans=matchup.plans * 3, cache=kernels).values
    np.testing.assert_allclose(found, expected.repeat(3, axis=0), rtol=0, atol=1e-12)


def test_two_seats_are_a_match_up(kernels: Path) -> None:
    dice = HEAVY, JOKER
    found = solve(Matchup(SMALL, dice), kernels)
    expected = solve_matchup(Matchup(SMALL, dice), cache=kernels)
    np.testing.assert_allclose(found.values[..., 0], expected.values, rtol=0, atol=1e-12)


def test_what_everybody_has_is_one(strategy: ManyMatchupStrategy) -> None:
    """And turns in NumPy are those of the kernels."""
    step, values = SMALL.point_step, strategy.matchup.size.scores
    for mover, *scores in product(range(3), *[range(0, values, 3)] * 3):
        turn = TurnState(0, strategy.whole(mover))
        players = tuple(Standing(score * step) for score in scores)
        chances = strategy.chances(position := Position(players, mover, turn))
        assert chances.sum() == pytest.approx(1, abs=1e-12)
        first, second, _ = position.in_order
        kernel = strategy.turn(position).ends.farkles[0]
        assert kernel.sum() == pytest.approx(1, abs=1e-12)
        place = mover, *(scores[k] for k in position.in_order)
        stored = strategy._values[place]
        np.testing.assert_allclose(chances[[first, second]], stored, rtol=0, atol=1e-12)


def test_values_fit_their_equations(solved: ManySolution, kernels: Path) -> None:
    found = check(SMALL, 3, solved.values, plans=SEATED.plans, cache=kernels)
    assert (found.mixed_states, solved.mixed) == (0, 0)
    assert found.residual < 1e-12
    off = solved.values.copy()
    off[1, 2, 3, 4, 0] += 1e-6
    assert check(SMALL, 3, off, plans=SEATED.plans, cache=kernels).mixed_states


def test_the_number_of_threads_changes_nothing(solved: ManySolution, kernels: Path) -> None:
    told: list[Progress] = []
    found = solve(SEATED, kernels, threads=1, on_progress=told.append)
    assert np.array_equal(found.values, solved.values)
    shares = [progress.done for progress in told]
    assert shares == sorted(shares)


def test_told_from_another_seat_it_is_the_same_game(solved: ManySolution, kernels: Path) -> None:
    turned = SEATED.from_seat(1)
    assert turned.dice == (JOKER, FAIR, HEAVY)
    assert turned.digest == SEATED.digest
    found = solve(turned, kernels)
    np.testing.assert_allclose(np.roll(found.values, 1, axis=0), solved.values, rtol=0, atol=1e-12)
    other = Matchup(SMALL, (HEAVY, FAIR, JOKER))
    assert other.digest != SEATED.digest


def play(strategy: ManyMatchupStrategy, dice: random.Random, known: dict[object, object]) -> int:
    """A game rolled die by die; returns the seat that wins."""
    matchup, rules = strategy.matchup, strategy.rules
    scores, mover = [0] * matchup.players, 0
    while True:
        thrown = matchup.dice[mover]
        turn = TurnState(0, thrown.whole)
        while True:
            roll = fallen(matchup, mover, turn.dice, dice)
            key = mover, tuple(scores), turn, roll
            if key not in known:
                position = Position(tuple(map(Standing, scores)), mover, turn)
                known[key] = advise(strategy, position, roll)
            advice = known[key]
            assert isinstance(advice, Advice)
            if not advice.options:
                break
            best = advice.options[0]
            turn = TurnState(best.turn_total, best.dice_left)
            if best.action is not Decision.ROLL:
                scores[mover] += turn.turn_total
                break
        if scores[mover] >= rules.winning_score:
            return mover
        mover = (mover + 1) % matchup.players


def fallen(matchup: Matchup, seat: int, left: int, dice: random.Random) -> Roll:
    thrown = matchup.dice[seat]
    found = [
        6 * k + face
        for k, (die, number) in enumerate(zip(thrown.types, thrown.remaining[left], strict=True))
        for face in dice.choices(range(1, 7), die.weights, k=number)
    ]
    return tuple(sorted(found, reverse=True))


@pytest.mark.slow
def test_games_are_won_as_often_as_it_says(strategy: ManyMatchupStrategy) -> None:
    games = 30_000 if EVERY else 6_000
    dice, known = random.Random(f"games {games}"), dict[object, object]()
    won = np.bincount([play(strategy, dice, known) for _ in range(games)], minlength=3) / games
    chances = strategy.chances(strategy.start(0))
    errors = np.sqrt(chances * (1 - chances) / games)
    assert np.all(np.abs(won - chances) < 4 * errors)


def test_advice_names_dice_and_odds_fit_it(strategy: ManyMatchupStrategy) -> None:
    players = Standing(100), Standing(250), Standing(150)
    thrown = strategy.matchup.dice[1]
    left = next(k for k, dice in enumerate(thrown.remaining) if sum(dice) == 2)
    position = Position(players, 1, TurnState(50, left))
    weighed = odds(strategy, position)
    mean = sum(
        ways / thrown.ways(left) * np.array(advise(strategy, position, roll).chances)
        for roll, ways in thrown.rolls(left)
    )
    np.testing.assert_allclose(weighed.roll_chances, mean, rtol=0, atol=1e-12)
    assert weighed.bank_chances is not None
    assert weighed.win_probability == max(weighed.roll_chances[1], weighed.bank_chances[1])


def test_what_cannot_be_solved() -> None:
    six = make_dice_set([Die()] * 6)
    with pytest.raises(InvalidRulesError, match=r"163,840,000 positions at .*minutes"):
        Matchup(kcd(), (six, six, six, make_dice_set([Die((1, 2, 1, 1, 1, 1))] * 6)))
    with pytest.raises(InvalidRequestError, match="the number of players is 2 to 8, not 1"):
        Matchup(SMALL, (FAIR,))
    with pytest.raises(InvalidDiceError, match="played with 3 dice, and the set has 6"):
        Matchup(SMALL, (FAIR, FAIR, six))
    with pytest.raises(
        InvalidRulesError, match="play-offs of more than two players are solved only"
    ):
        Matchup(kcd(dice=3, ending="final_turn", ties="played_on"), (FAIR, FAIR, HEAVY))
    with pytest.raises(InvalidRulesError, match="a penalty for farkles is solved for two"):
        Matchup(kcd(dice=3, farkle_penalty={"in_a_row": 2, "points": 100}), (FAIR, FAIR, HEAVY))
    never = make_dice_set([Die((0, 1, 0, 0, 0, 0))])
    with pytest.raises(InvalidDiceError, match="no roll ever scores"):
        Matchup(kcd(dice=1, goal=150), (never,) * 3).plans  # noqa: B018
