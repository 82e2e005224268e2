"""Games between policies, against exact values."""

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from solver.game.best import Strategy
from solver.game.position import Position
from solver.game.standings import Solution
from solver.play.match_players import MatchPlayer, MatchTurns, policy_player
from solver.play.matches import play_games, strengths_of_levels
from solver.play.policies import Cautious, Greedy, MaxPoints, Optimal
from solver.play.strengths import load_strengths, save_strengths, strengths_path
from solver.rules.ruleset import Ruleset
from tests.conftest import mostly_slow
from tests.house_rules import ONE_BY_ONE
from tests.monte_carlo import first_player_wins
from tests.test_simulation import optimal

GAMES = 4000
ENDINGS = [
    (name, rules)
    for name, rules in ONE_BY_ONE
    if name.startswith(
        (
            *("final_turn", "equal_turns", "farkle keeps", "bonus", "opening"),
            *("three throws", "two throws,", "pairs to confirm, bonus", "aa=150,roll-on,first"),
            *("a roll of nothing at first", "a 5 confirms", "300 points or a 1"),
            *("first throw until", "last die", "caught up", "exact, given"),
            *("held sets, doubling, first",),
        )
    )
]


def slow_twin(rules: Ruleset) -> tuple[MatchPlayer, float]:
    """Optimal play, and the value of the start."""
    found, expected = optimal(rules)

    def player(positions: Sequence[Position]) -> MatchTurns:
        worth, bank = zip(*found(positions), strict=True)
        which, nothing = np.arange(len(positions)), np.empty((0, 0))
        return MatchTurns(which, np.array(worth), np.array(bank), nothing, nothing, np.empty(0))

    return player, expected


def check(rate: float, expected: float, games: int) -> None:
    assert abs(rate - expected) < 4 * math.sqrt(expected * (1 - expected) / games)


@pytest.mark.mostly_slow
@pytest.mark.mostly_skipped(2)
@pytest.mark.parametrize("rules", mostly_slow(ENDINGS, first=1))
def test_games_are_played_by_the_rules(rules: Ruleset) -> None:
    player, expected = slow_twin(rules)
    check(play_games(rules, player, player, GAMES, seed=1) / GAMES, expected, GAMES)


@pytest.mark.slow
def test_optimal_play_by_strategy_wins_as_often_as_its_value_says(tiny: Solution) -> None:
    rules = tiny.rules
    player = policy_player(rules, Optimal(Strategy(rules, tiny.values, "tiny")))
    rate = play_games(rules, player, player, 5000, seed=2) / 5000
    check(rate, first_player_wins(tiny), 5000)


@pytest.mark.slow
def test_no_level_beats_optimal_play(tiny: Solution) -> None:
    rules = tiny.rules
    best = policy_player(rules, Optimal(Strategy(rules, tiny.values, "tiny")))
    for policy in (MaxPoints(), Greedy(), Cautious()):
        player = policy_player(rules, policy)
        wins = play_games(rules, player, best, 1500, 3) / 1500
        assert wins < first_player_wins(tiny) + 4 * 0.5 / math.sqrt(1500)


@pytest.mark.slow
def test_the_seed_decides(tiny: Solution) -> None:
    player = policy_player(tiny.rules, Greedy())
    found = [play_games(tiny.rules, player, player, 2000, seed) for seed in (1, 1, 2)]
    assert found[0] == found[1] != found[2]


@pytest.mark.slow
def test_strengths_are_kept(tiny: Solution, kernels: Path, tmp_path: Path) -> None:
    rules = tiny.rules
    strategy = Strategy(rules, tiny.values, "tiny")
    found = strengths_of_levels(strategy, cache=kernels, games=10_001)
    assert found.games == 10_002
    assert load_strengths(tmp_path, rules) is None
    save_strengths(tmp_path, rules, found)
    assert load_strengths(tmp_path, rules) == found.levels
    even = found.levels["optimal"]
    assert abs(even.win_rate - 0.5) < 4 * even.standard_error
    check(even.began, first_player_wins(tiny), 5001)
    assert found.levels["cautious"].win_rate < 0.5
    strengths_path(tmp_path, rules).write_text("{}")
    assert load_strengths(tmp_path, rules) is None
