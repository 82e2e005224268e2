"""Games of two players with different dice, against value iteration die by die."""

import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from solver.errors import InvalidDiceError, InvalidRulesError
from solver.game.standings import DEFAULT_TOLERANCE, LEAST, Progress, Solution
from solver.game.sweeps import solve
from solver.loaded.game import solve_matchup
from solver.loaded.matchup import Matchup
from solver.turn.dice import Badge, Die, make_dice_set
from tests import naive_loaded
from tests.conftest import EVERY
from tests.loaded_dice import kcd, random_badge, random_dice, set_of, with_joker


def check_against_twin(seed: int, number: int, goal: int, kernels: Path) -> None:
    chance = random.Random(seed)
    rules = kcd(
        dice=number,
        goal=goal,
        minimum_bank=chance.choice([0, 0, 150]),
        minimum_binds_win=chance.random() < 0.5,
        goal_must_be=chance.choice(["reached", "exceeded"]),
        set_aside_all=chance.random() < 0.2,
    )
    alone = chance.random() < 0.3
    dice = [random_dice(chance, number), random_dice(chance, number)]
    if not any(die.jokers for one in dice for die in one):
        dice[0][0] = with_joker(chance, dice[0][0])
    if seed % 5 == 0:
        dice[1] = dice[0]
    badges = random_badge(chance, number), random_badge(chance, number)
    matchup = Matchup(rules, (set_of(dice[0]), set_of(dice[1])), alone, badges)
    solution = solve_matchup(matchup, cache=kernels)
    one, other = (
        naive_loaded.Player(naive_loaded.Table(rules, alone, badge), some)
        for badge, some in zip(badges, dice, strict=True)
    )
    expected = np.array(naive_loaded.value_iteration((one, other)))
    np.testing.assert_allclose(solution.values, expected, atol=1e-12)
    error = np.max(np.abs(solution.values - expected) / np.maximum(expected, LEAST))
    assert error <= solution.error_bound <= DEFAULT_TOLERANCE
    exchanged = solve_matchup(matchup.from_seat(1), cache=kernels)
    np.testing.assert_allclose(exchanged.values[::-1], solution.values, atol=1e-12)
    assert matchup.from_seat(1).digest == matchup.digest


@pytest.mark.mostly_slow
@pytest.mark.parametrize("seed", [*range(5), pytest.param(5, marks=pytest.mark.slow)])
def test_small_games_are_those_of_the_twin(seed: int, kernels: Path) -> None:
    check_against_twin(seed, 2 + seed % 2, [300, 400, 500][seed % 3], kernels)


@pytest.mark.mostly_skipped
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6, 50) if EVERY else range(11, 20))
def test_many_games_are_those_of_the_twin(seed: int, kernels: Path) -> None:
    number = random.Random(seed).choice([2, 3, 3, 4, 4])
    check_against_twin(seed, number, random.Random(seed).choice([400, 600, 1000]), kernels)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [100, 101] if EVERY else [100])
def test_games_of_five_dice_are_those_of_the_twin(seed: int, kernels: Path) -> None:
    check_against_twin(seed, 5, 400, kernels)


def test_exchanging_the_sets_exchanges_the_answers(
    matchup: Matchup, solution: Solution, kernels: Path
) -> None:
    found = solve_matchup(matchup.from_seat(1), cache=kernels)
    np.testing.assert_allclose(found.values[::-1], solution.values, atol=1e-12)
    assert matchup.from_seat(1).digest == matchup.digest


def test_the_number_of_threads_changes_nothing(
    matchup: Matchup, solution: Solution, kernels: Path
) -> None:
    far: list[Progress] = []
    found = solve_matchup(matchup, cache=kernels, threads=1, on_progress=far.append)
    assert np.array_equal(found.values, solution.values)
    shares = [progress.done for progress in far]
    assert shares == sorted(shares)
    assert shares[-1] == pytest.approx(1)


def test_ordinary_dice_have_the_values_of_the_rules_bit_for_bit(kernels: Path) -> None:
    rules = kcd(goal=500)
    ordinary = make_dice_set([Die((3, 3, 3, 3, 3, 3))] * 6)
    found = solve_matchup(Matchup(rules, (ordinary, ordinary)), cache=kernels)
    expected = solve(rules, cache=kernels).values
    assert np.array_equal(found.values, np.concatenate((expected, expected)))


@pytest.mark.slow
def test_loaded_kernels_have_the_values_of_the_rules_at_full_size(kernels: Path) -> None:
    """A badge that gives a combination the points that it has anyway changes nothing but the way.

    It is one badge on one side, so that the sides are not solved as mirror images either.
    """
    rules = kcd()
    ordinary = make_dice_set([Die()] * 6)
    same = (((1, 1, 1), rules.combinations[1, 1, 1]),)
    matchup = Matchup(rules, (ordinary, ordinary), badges=(same, ()))
    assert not matchup.is_fair
    found = solve_matchup(matchup, cache=kernels)
    expected = solve(rules, cache=kernels).values[0]
    assert expected.shape == found.values[0].shape == (80, 80)
    np.testing.assert_allclose(found.values, [expected, expected], rtol=1e-10, atol=1e-14)


def test_what_is_nearly_ordinary_has_nearly_these_values(kernels: Path) -> None:
    rules = kcd(goal=500)
    thrown = make_dice_set([Die((1_000_000,) * 5 + (999_999,)), *[Die()] * 5])
    found = solve_matchup(Matchup(rules, (thrown, thrown)), cache=kernels)
    expected = solve(rules, cache=kernels).values[0]
    np.testing.assert_allclose(found.values, [expected, expected], atol=1e-5)


@pytest.mark.parametrize("seed", range(4))
def test_a_set_with_a_dominated_die_never_wins_more(seed: int, kernels: Path) -> None:
    """From no score, whoever plays and whoever begins: a joker stands for what it replaces.

    That may be any face where it scores alone. Else one that scores by itself is worth more, and
    two jokers need a die beside them; so it is one die then, and a face that never scores alone.
    """
    chance = random.Random(f"dominated {seed}")
    alone = seed % 2 == 0
    rules = kcd(dice=3, goal=chance.choice([300, 500]))
    mine, theirs = random_dice(chance, 3), random_dice(chance, 3)
    mine = [replace(die, jokers=frozenset()) for die in mine] if not alone else mine
    face = chance.choice((1, 2, 3, 4, 5, 6) if alone else (2, 3, 4, 6))
    weights = tuple(max(1, w) if f == face else w for f, w in enumerate(mine[0].weights, 1))
    worse = replace(mine[0], weights=weights, jokers=mine[0].jokers - {face})
    better = replace(worse, jokers=worse.jokers | {face})
    low, high = (
        solve_matchup(
            Matchup(rules, (set_of([die, *mine[1:]]), set_of(theirs)), alone), cache=kernels
        ).values
        for die in (worse, better)
    )
    assert np.all(high[0] >= low[0] - 1e-12)
    assert np.all(high[1] <= low[1] + 1e-12)
    assert high[0, 0, 0] > low[0, 0, 0] + 1e-6


def test_a_joker_that_may_score_alone_is_never_worse_than_a_face(kernels: Path) -> None:
    rules = kcd(dice=4, goal=600)
    plain, joker = Die((2, 1, 2, 1, 1, 2)), Die((2, 1, 2, 1, 1, 2), frozenset({3}))
    other = make_dice_set([Die()] * 4)
    found = [
        solve_matchup(
            Matchup(rules, (make_dice_set([die, *[plain] * 3]), other), joker_alone=True),
            cache=kernels,
        ).values
        for die in (plain, joker)
    ]
    assert np.all(found[1][0] >= found[0][0] - 1e-12)
    assert np.all(found[1][1] <= found[0][1] + 1e-12)
    assert found[1][0, 0, 0] > found[0][0, 0, 0]


def test_dice_that_never_score_lose_to_all_that_do(kernels: Path) -> None:
    rules = kcd(dice=1, goal=300)
    never, some = make_dice_set([Die((0, 1, 0, 0, 0, 0))]), make_dice_set([Die()])
    found = solve_matchup(Matchup(rules, (never, some)), cache=kernels)
    np.testing.assert_allclose(found.values[0], 0, atol=1e-12)
    np.testing.assert_allclose(found.values[1], 1, atol=1e-12)
    with pytest.raises(InvalidDiceError, match="no roll ever scores, so nobody could win"):
        solve_matchup(Matchup(rules, (never, never)), cache=kernels)
    ones = kcd(dice=1, goal=300, scoring={"single": (100, 0, 0, 0, 0, 0)})
    joker = make_dice_set([Die(jokers=frozenset({1}))])
    with pytest.raises(InvalidDiceError, match="no roll ever scores"):
        solve_matchup(Matchup(ones, (joker, some)), cache=kernels)


def test_dice_of_which_no_roll_leaves_points_lose_to_all_that_do(kernels: Path) -> None:
    """Half of the rolls are farkles here, and all others lose everything."""
    rules = kcd(dice=2, goal=200, lose_everything=("2",))
    never, some = make_dice_set([Die((0, 1, 1, 0, 0, 0))] * 2), make_dice_set([Die()] * 2)
    found = solve_matchup(Matchup(rules, (some, never)), cache=kernels)
    np.testing.assert_allclose(found.values[0], 1, atol=1e-12)
    np.testing.assert_allclose(found.values[1], 0, atol=1e-12)
    with pytest.raises(InvalidDiceError, match="no roll ever scores, so nobody could win"):
        solve_matchup(Matchup(rules, (never, never)), cache=kernels)
    with pytest.raises(InvalidDiceError, match="no roll ever scores, so nobody could win"):
        Matchup(rules, (never,) * 3).plans  # noqa: B018


@pytest.mark.parametrize("binds", [True, False])
def test_dice_that_score_too_little_for_a_bank_lose(binds: bool, kernels: Path) -> None:
    """Only a 1 scores here, once a turn; that is a bank where it wins, if that needs no minimum."""
    rules = kcd(dice=3, goal=400, minimum_bank=150, minimum_binds_win=binds)
    little = make_dice_set(
        Die(weights) for weights in ((1, 0, 0, 0, 0, 0), (0, 1, 0, 0, 0, 0), (0, 0, 1, 0, 0, 0))
    )
    matchup = Matchup(rules, (little, make_dice_set([Die()] * 3)))
    solution = solve_matchup(matchup, cache=kernels)
    near = 8 if binds else 6  # from which score in steps of 50 a 1 is enough
    np.testing.assert_allclose(solution.values[0, :near], 0, atol=1e-11)
    np.testing.assert_allclose(solution.values[0, near:], 1, atol=1e-11)
    np.testing.assert_allclose(solution.values[1, :, :near], 1, atol=1e-11)
    assert solution.error_bound <= DEFAULT_TOLERANCE


@pytest.mark.parametrize(
    "badge", [(((3, 5), 125),), (((3, 7), 100),), (((1,) * 5, 100),), (((), 100),), (((3,), 0),)]
)
def test_badges_that_are_no_combination_are_refused(badge: Badge, matchup: Matchup) -> None:
    with pytest.raises(InvalidRulesError, match="a badge makes 1 to 4 faces worth a multiple"):
        Matchup(matchup.rules, matchup.dice, badges=((), badge))


def test_digests_cover_the_rules_and_both_sets(matchup: Matchup) -> None:
    rules, (one, other) = matchup.rules, matchup.dice
    badge = (((3, 5), 150),)
    different = [
        matchup,
        Matchup(kcd(dice=4, goal=900), (one, other)),
        Matchup(rules, (one, one)),
        Matchup(rules, (other, other)),
        Matchup(rules, (one, other), joker_alone=True),
        Matchup(rules, (one, other), badges=(badge, ())),
        Matchup(rules, (one, other), badges=((), badge)),
        Matchup(rules, (one, other), badges=(badge, badge)),
    ]
    assert different[5].from_seat(1).digest == different[5].digest
    assert len({each.digest for each in different}) == len(different)
    # what is not played does not matter
    odd = Matchup(rules, (other, other), joker_alone=True)
    assert odd.digest == Matchup(rules, (other, other)).digest
