"""Badges that are used up, against value iteration die by die."""

import random
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from solver.loaded.game import solve_matchup
from solver.loaded.matchup import Matchup
from solver.turn.powers import Power, PowerKind
from tests import naive_loaded, naive_powers
from tests.loaded_dice import kcd, random_badge, random_dice, set_of
from tests.powers import KINDS, badge_of, random_power


def check_against_twin(
    seed: int, powers: tuple[Power | None, Power | None], number: int, goal: int, kernels: Path
) -> None:
    chance = random.Random(seed)
    rules = kcd(
        dice=number,
        goal=goal,
        minimum_bank=chance.choice([0, 0, 100]),
        minimum_binds_win=chance.random() < 0.5,
        goal_must_be=chance.choice(["reached", "exceeded"]),
        set_aside_all=chance.random() < 0.2,
    )
    alone = chance.random() < 0.3
    dice = [random_dice(chance, number), random_dice(chance, number)]
    combinations = random_badge(chance, number), random_badge(chance, number)
    matchup = Matchup(rules, (set_of(dice[0]), set_of(dice[1])), alone, combinations, powers)
    solution = solve_matchup(matchup, cache=kernels)
    one, other = (
        naive_powers.Holder(naive_loaded.Table(rules, alone, badge), some, badge_of(power))
        for badge, some, power in zip(combinations, dice, powers, strict=True)
    )
    expected = naive_powers.value_iteration((one, other))
    for side, (a, b) in product((0, 1), product(*map(range, solution.values.shape[:2]))):
        uses = (a, b) if side == 0 else (b, a)
        mine, theirs = (one, other) if side == 0 else (other, one)
        places = [_places(rules, mine.scores(uses[0])), _places(rules, theirs.scores(uses[1]))]
        found = solution.values[a, b, side][np.ix_(*places)]
        np.testing.assert_allclose(found, expected[side][uses], atol=1e-9)
    assert solution.error_bound < 1e-9


def _places(rules, scores):
    up = rules.point_step - 1 if rules.goal_must_be == "exceeded" else 0
    return [(score + up) // rules.point_step for score in scores]


@pytest.mark.parametrize("kind", KINDS)
def test_small_games_are_those_of_the_twin(kind: PowerKind, kernels: Path) -> None:
    chance = random.Random(kind)
    powers = random_power(chance, kind, 2), random_power(chance, chance.choice(KINDS), 1)
    check_against_twin(len(kind), powers, 2, 200, kernels)
