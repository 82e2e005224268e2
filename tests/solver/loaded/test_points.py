"""Points of a turn with loaded dice."""

import math
import random
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from solver.errors import InvalidDiceError, InvalidRulesError
from solver.loaded.points import TurnPoints, points_of_sets
from solver.rules.ruleset import Ruleset
from solver.turn.dice import DiceSet, Die, make_dice_set
from solver.turn.endless import endless_turn
from solver.turn.equations import Endings, solve_turn
from solver.turn.remaining import roll_lists, shape_of
from tests import naive_loaded
from tests.loaded_dice import EVERY_DIE, GAME_DICE, kcd, random_badge, random_dice, set_of

NEVER_BAD = Die((0, 0, 9, 0, 0, 0))
"""Three of them always score."""


def turn_points(rules: Ruleset, thrown: DiceSet, **more: Any) -> TurnPoints:
    return points_of_sets(rules, [thrown], **more)[0]


def test_six_ordinary_dice_are_worth_what_everybody_finds() -> None:
    rules = kcd()
    found = turn_points(rules, make_dice_set([Die()] * 6))
    assert found.points == pytest.approx(564.4376204, abs=5e-8)
    assert found.points == pytest.approx(endless_turn(rules).points, rel=1e-13)
    assert found.error_bound < 1e-8


@pytest.mark.parametrize("seed", [0, 2, pytest.param(3, marks=pytest.mark.slow), 4, 6])
def test_points_are_those_of_a_turn_gone_through_die_by_die(seed: int) -> None:
    chance = random.Random(seed)
    rules = kcd(dice=2 + seed % 2, goal=10_000, minimum_bank=chance.choice([0, 150]))
    dice, alone = random_dice(chance, rules.dice), seed % 3 == 0
    badge = random_badge(chance, rules.dice)
    found = turn_points(rules, set_of(dice), joker_alone=alone, badge=badge)
    player = naive_loaded.Player(naive_loaded.Table(rules, alone, badge), dice)
    # hardly any turn of so few dice comes so far
    assert found.points == pytest.approx(naive_loaded.most_points(player, 1000), rel=1e-9)
    assert found.error_bound <= 1e-9 * found.points


def test_sets_side_by_side_are_as_they_are_by_themselves() -> None:
    rules = kcd(dice=4)
    sets = [
        set_of([one] * 3 + [other]) for one, other in zip(EVERY_DIE, EVERY_DIE[5:], strict=False)
    ]
    found = points_of_sets(rules, sets)
    assert [one.dice for one in found] == sets
    for one in found:
        assert one.points == pytest.approx(turn_points(rules, one.dice).points, rel=1e-11)


def test_where_some_dice_never_farkle_the_value_is_as_exact() -> None:
    rules = kcd(dice=4, goal=10_000)
    dice = [naive_loaded.Weights(NEVER_BAD.weights)] * 3 + [
        naive_loaded.Weights((0, 2, 0, 1, 0, 0))
    ]
    found = turn_points(rules, set_of(dice))
    # three 3s, and then one die that never scores
    assert found.points == pytest.approx(300)
    assert found.error_bound <= 1e-8


def test_turns_without_end_have_no_limit() -> None:
    rules = kcd(dice=3)
    sets = [make_dice_set([NEVER_BAD] * n + [Die()] * (3 - n)) for n in (3, 2, 0)]
    assert len({shape_of(one) for one in sets}) == 2, "one of them stands beside others"
    endless, *others = points_of_sets(rules, sets)
    assert (endless.points, endless.error_bound) == (math.inf, 0)
    for one in others:
        assert one.points == pytest.approx(turn_points(rules, one.dice).points, rel=1e-11)
    assert turn_points(kcd(), make_dice_set([NEVER_BAD] * 6)).points == math.inf


def test_sets_are_told_in_the_order_in_which_they_are_given() -> None:
    rules = kcd(dice=3)
    dice = [Die(weights) for weights in (*GAME_DICE[:4], GAME_DICE[0], (2, 2, 2, 2, 2, 2))]
    sets = [make_dice_set(some) for some in combinations(dice, 3)]
    shares: list[float] = []
    found = points_of_sets(rules, sets, on_progress=shares.append)
    assert [one.dice for one in found] == sets
    # three ordinary dice and three others: 1 + 3 + 3 + 1 sets
    assert len({round(one.points, 6) for one in found}) == 8
    assert shares == sorted(shares)
    assert shares[-1] == 1


def test_what_cannot_be_solved_is_refused_with_its_reason() -> None:
    with pytest.raises(InvalidDiceError, match="played with 6 dice, and the set has 5"):
        turn_points(kcd(), make_dice_set([Die()] * 5))
    rules = kcd(hot_dice="forced")
    with pytest.raises(InvalidRulesError, match="be ranked by their points yet .* is hot_dice"):
        turn_points(rules, make_dice_set([Die((2, 1, 1, 1, 1, 1))] * 6))


def test_good_dice_are_rolled_at_turn_totals_beyond_the_first_table() -> None:
    """Dice of one type are solved in the ordinary way to the turn's end, far as that is."""
    rules = kcd()
    weights = (4, 1, 1, 1, 1, 1)
    found = turn_points(rules, make_dice_set([Die(weights)] * 6))
    plan = roll_lists(rules, ((6, 0),)).plan(make_dice_set([Die(weights)] * 6))
    rows = 20_000
    totals = np.arange(rows) * 50.0
    bank = np.where(totals > 0, totals, np.nan)
    # nothing is rolled from the last turn totals on, to which no turn in a billion comes
    rows_beyond = totals[-plan.reach :, np.newaxis].repeat(plan.columns, axis=1)
    beyond = rows_beyond[np.newaxis].astype(np.float64)
    table = solve_turn(plan, Endings.alone(bank, np.zeros(rows), 0.0), beyond=beyond)
    assert found.points == pytest.approx(table.roll[0, 0, -1], rel=1e-9)
    assert 0 < found.error_bound <= 1e-9 * found.points
