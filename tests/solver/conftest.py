"""What tests of loaded dice share: a match-up of two small sets, solved."""

from pathlib import Path

import pytest

from solver.game.standings import Solution
from solver.loaded.game import solve_matchup
from solver.loaded.matchup import Matchup
from solver.turn.dice import Die, make_dice_set
from tests.loaded_dice import kcd

JOKER = Die((2, 1, 1, 1, 1, 1), frozenset({1}))
HEAVY = Die((10, 1, 1, 1, 1, 1))


@pytest.fixture(scope="session")
def matchup() -> Matchup:
    """Four dice each to 800: two ordinary ones with a joker and a heavy die, against odd ones."""
    one = make_dice_set([Die(), Die(), JOKER, HEAVY])
    return Matchup(kcd(dice=4, goal=800), (one, make_dice_set([Die((8, 2, 8, 2, 8, 2))] * 4)))


@pytest.fixture(scope="session")
def solution(matchup: Matchup, kernels: Path) -> Solution:
    """That match-up, solved."""
    return solve_matchup(matchup, cache=kernels)
