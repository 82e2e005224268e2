"""Duels between policies, against a slow twin written from the rules alone."""

from pathlib import Path

import numpy as np
import pytest

from solver.game.standings import Solution, Standing, role, standing_index
from solver.game.sweeps import solve
from solver.play.contests import settled
from solver.play.duel import duel
from solver.play.policies import Cautious, Greedy, MaxPoints, Optimal, Policy, make_policy
from solver.rules.file import load_rules
from solver.rules.ruleset import Ruleset
from solver.strategy import Strategy
from tests.duels import Player, Twin
from tests.house_rules import ONE_BY_ONE
from tests.monte_carlo import first_player_wins

SMALL = [(name, rules) for name, rules in ONE_BY_ONE if rules.dice < 5]


def best(rules: Ruleset, cache: Path) -> Optimal:
    return Optimal(Strategy(rules, solve(rules, cache=cache).values, rules.name))


def assert_agree(rules: Ruleset, players: tuple[Player, Policy], cache: Path) -> None:
    """The contest and the twin agree in every state."""
    found = settled(rules, *players, cache=cache)
    sides = found.one, found.other
    expected = Twin(rules, players).values()
    mine = [
        sides[state.mover][
            role(rules, began=state.began),
            standing_index(rules, Standing(*state.own)),
            standing_index(rules, Standing(*state.other)),
        ]
        for state in expected
    ]
    np.testing.assert_allclose(mine, list(expected.values()), rtol=0, atol=1e-9)


@pytest.mark.parametrize("rules", dict(SMALL).values(), ids=dict(SMALL))
@pytest.mark.slow
def test_policies_of_points_against_each_other(rules: Ruleset, kernels: Path) -> None:
    assert_agree(rules, (MaxPoints(), Cautious()), kernels)
    assert_agree(rules, (make_policy("threshold:250"), make_policy("turn-points")), kernels)


@pytest.mark.parametrize("rules", dict(SMALL).values(), ids=dict(SMALL))
@pytest.mark.slow
def test_best_play_against_policies(rules: Ruleset, kernels: Path) -> None:
    assert_agree(rules, (best(rules, kernels), Greedy()), kernels)
    assert_agree(rules, (None, Cautious()), kernels)


def test_best_play_against_itself_is_worth_its_value(tiny: Solution, kernels: Path) -> None:
    player = Optimal(Strategy(tiny.rules, tiny.values, "tiny"))
    found = duel(tiny.rules, player, player, cache=kernels)
    assert abs(found.as_first - first_player_wins(tiny)) < 1e-9
    assert abs(found.as_first + found.as_second - 1) < 1e-11
    assert found.change < 1e-11


@pytest.mark.slow
def test_always_banking_a_total_that_wins_is_as_good_as_published(
    solutions: dict[str, Solution], kernels: Path
) -> None:
    """M. Busche and T. W. Neller, Optimal Play of the Farkle Dice Game (2017)."""
    rules = load_rules("classic")
    player = Optimal(Strategy(rules, solutions["classic"].values, "classic"))
    found = duel(rules, make_policy("turn-points-bank-wins"), player, cache=kernels)
    assert round(found.as_first, 6) == 0.513812
