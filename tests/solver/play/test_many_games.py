"""Games of three rolled die by die: nobody gains by playing otherwise, the start is right."""

import math
import os
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from solver.game.best import Strategy
from solver.game.many_best import SharedStrategy
from solver.game.many_sweeps import solve_many
from solver.game.position import Position, first_position
from solver.game.standings import Standing
from solver.game.sweeps import solve
from solver.play.policies import Optimal, make_policy
from solver.rules.ruleset import Ruleset
from solver.turn.dice import TurnState
from tests.conftest import variant
from tests.house_rules import small
from tests.many_games import Player, Seen, exact, policy, strategy_of, wins
from tests.simulation import Decisions

GAMES = int(os.environ.get("FARKLE_GAMES", "600"))
"""Games that are played of each rule set; two million of all of them take hours."""

PRESETS = [
    variant("kcd", goal=1500),
    variant("classic", goal=2000),
    variant("arnold", goal=1000),
    variant("patch", goal=1000),
    variant("cardgames", goal=1500),
]
"""Those that are solved for three, at goals at which that takes seconds."""
CHOSEN = PRESETS if "FARKLE_GAMES" in os.environ else PRESETS[:1]
"""One of them, unless more games are asked for."""

THRESHOLDS = 150, 200, 250, 300, 350, 400, 500, 600, 800, 1000
NAMED = (
    *("greedy", "cautious", "max-points", "memo", "turn-points", "turn-points-bank-wins"),
    *(f"threshold:{points}" for points in THRESHOLDS),
)
OTHERWISE = "against the leader", "in another order", "early", "late"


def solved(rules: Ruleset, kernels: Path, players: int = 3) -> SharedStrategy:
    return strategy_of(solve_many(rules, players, cache=kernels))


def exchanged(best: Player, seen: Seen) -> Decisions:
    """As if the two others sat the other way round."""
    own, one, other = ((seen.seat + k) % 3 for k in range(3))
    order = {own: own, one: other, other: one}
    return best(replace(seen, standings=tuple(seen.standings[order[k]] for k in range(3))))


@pytest.fixture(scope="module")
def kcd(kernels: Path) -> SharedStrategy:
    return solved(variant("kcd", goal=1500), kernels)


@pytest.fixture(scope="module")
def best(kcd: SharedStrategy) -> Player:
    return exact(kcd)


@pytest.fixture(scope="module")
def others(kcd: SharedStrategy, best: Player, kernels: Path) -> dict[str, Player]:
    """Twenty other ways to play."""
    rules = kcd.rules
    two = Strategy(rules, solve(rules, cache=kernels).values, rules.name)
    found = {name: policy(rules, make_policy(name)) for name in NAMED}
    ways: tuple[Callable[[Seen], Decisions], ...] = (
        policy(rules, Optimal(two)),
        partial(exchanged, best),
        exact(kcd, by=0.01),
        exact(kcd, by=-0.01),
    )
    return found | dict(zip(OTHERWISE, ways, strict=True))


@pytest.mark.mostly_skipped
@pytest.mark.slow
@pytest.mark.parametrize("name", [*NAMED, *OTHERWISE])
def test_nobody_gains_by_playing_otherwise(
    best: Player, others: dict[str, Player], name: str
) -> None:
    """Against two who play exactly, from each seat as often as from the others."""
    each, won = GAMES // 3, 0.0
    for seat in range(3):
        players = [best, best, best]
        players[seat] = others[name]
        won += wins(variant("kcd", goal=1500), players, each, seed=seat)[seat]
    assert won / (3 * each) < 1 / 3 + 4 * math.sqrt(2 / 9 / (3 * each))


@pytest.mark.slow
def test_best_play_beats_others(best: Player, others: dict[str, Player]) -> None:
    """What finds nothing above would find this."""
    rules, each, won = variant("kcd", goal=1500), 1_000, 0.0
    for seat in range(3):
        players = [others["greedy"]] * 3
        players[seat] = best
        won += wins(rules, players, each, seed=seat)[seat]
    assert won / (3 * each) > 1 / 3 + 4 * math.sqrt(2 / 9 / (3 * each))


def assert_as_solved(rules: Ruleset, kernels: Path, games: int) -> None:
    strategy = solved(rules, kernels)
    start = strategy.chances(first_position(rules, 3))
    found = wins(rules, [exact(strategy)] * 3, games, seed=1) / games
    assert found.sum() == pytest.approx(1)
    assert np.all(np.abs(found - start) < 4 * np.sqrt(start * (1 - start) / games))


@pytest.mark.slow
@pytest.mark.parametrize("rules", CHOSEN, ids=lambda rules: f"{rules.name} {rules.goal}")
def test_presets_are_won_as_often_as_the_start_says(rules: Ruleset, kernels: Path) -> None:
    assert_as_solved(rules, kernels, GAMES)


@pytest.mark.mostly_slow
@pytest.mark.parametrize(
    "rules",
    [
        small(goal=200, dice=2),
        small(goal=150, dice=2, ending="final_turn", ties="shared", opening_minimum=100),
        small(goal=150, dice=2, ending="equal_turns", ties="earlier"),
    ],
    ids=["at once", "final turn", "equal turns"],
)
def test_small_games_are_won_as_often(rules: Ruleset, kernels: Path) -> None:
    assert_as_solved(rules, kernels, 2_000)


@pytest.mark.parametrize(("score", "least"), [(0, 150), (100, 150), (200, 100)])
def test_least_bank_of_a_last_turn(kernels: Path, score: int, least: int) -> None:
    """A minimum that does not bind a bank that wins binds every one that stays below the goal."""
    rules = small(goal=300, dice=2, ending="final_turn", minimum_bank=150, minimum_binds_win=False)
    players = tuple(Standing(points) for points in (300, score, 50))
    turn = solved(rules, kernels).turn(Position(players, mover=1, turn=TurnState(0, 2)))
    totals = range(50, 300, 50)
    may = [total for total in totals if turn.bank_values(TurnState(total, 2)) is not None]
    assert may == [total for total in totals if total >= least]
