"""Duels between policies, against a slow twin written from the rules alone."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.game.best import Strategy
from solver.game.position import Position
from solver.game.standings import Solution, Standing, role, standing_index
from solver.game.sweeps import solve
from solver.play.best_response import best_response
from solver.play.contests import duel, settled
from solver.play.maps import turn_map
from solver.play.matches import play_duel
from solver.play.policies import Cautious, Greedy, MaxPoints, Optimal, make_policy
from solver.play.policy import Policy
from solver.rules.file import load_rules
from solver.rules.ruleset import Ruleset
from solver.turn.equations import EqualDice
from tests.conftest import EVERY, mostly_slow, only_with_every, rarely, variant
from tests.duels import Player, Twin
from tests.house_rules import ONE_BY_ONE
from tests.monte_carlo import first_player_wins

POLICIES_OF_POINTS = (
    "max-points",
    "greedy",
    "cautious",
    "threshold:150",
    "turn-points",
    "turn-points-bank-wins",
)
SMALL = [(name, rules) for name, rules in ONE_BY_ONE if rules.dice < 5]


LONG = (
    *("final turn, hot dice forced", "play-off, opening", "farkle keeps from an opening"),
    *("a roll of nothing before a final turn", "final_turn earlier", "final_turn played_on"),
    *("final turn, bank with one die left", "final turn, pairs to confirm", "final turn, exceeded"),
    *("final turn, bonus", "final_turn shared", "equal_turns shared"),
    *("234=400,all-dice in some throws", "exact, back, penalty", "exact, no bank beyond"),
    *("bank with one die left, no hot dice", "final turn, no bank", "no bank in the end"),
    *("three throws, bank with one die left", "final turn, a roll loses the game"),
    *("final turn, penalty", "penalty not below 0", "equal_turns earlier", "equal_turns played_on"),
    *("pairs to confirm, no hot dice", "rolls win or lose the game", "lose everything and counts"),
    *("300 points or a 1 confirm", "defended, instant win, penalty", "exact, back, one die left"),
    *("defended", "defended, a farkle keeps", "defended, one throw"),
    *("last die until it scores", "farkles of all dice cost everything"),
    *("caught up, 100, keeps, penalty",),
)
"""That take the twin minutes, or half of one."""


def shared(which: int, among: int = 3) -> dict[str, Ruleset]:
    """The rule sets of one of several kinds of contests: all of them if EVERY, else its share."""
    if EVERY:
        return dict(SMALL)
    return {name: rules for name, rules in SMALL[which::among] if name not in LONG}


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


SOME = ["penalty and floor", "bonus three times", "opening and penalty"]


@pytest.mark.slow
@pytest.mark.parametrize("name", mostly_slow(zip(SOME, SOME, strict=True), first=1))
def test_some_contests(name: str, kernels: Path) -> None:
    rules = dict(SMALL)[name]
    assert_agree(rules, (None, make_policy("threshold:200")), kernels)


@pytest.mark.mostly_skipped(4)
@pytest.mark.parametrize("name", rarely(shared(0), "caught up, 50, two roles"))
@pytest.mark.slow
def test_policies_of_points_against_each_other(name: str, kernels: Path) -> None:
    rules = dict(SMALL)[name]
    assert_agree(rules, (MaxPoints(), Cautious()), kernels)
    # where a farkle keeps the turn total one that plays for points rolls on till it ends
    other = "greedy" if rules.farkle_keeps_turn_total else "turn-points"
    assert_agree(rules, (make_policy("threshold:250"), make_policy(other)), kernels)


@pytest.mark.mostly_skipped(4)
@pytest.mark.parametrize("name", rarely(shared(1), "opening and penalty"))
@pytest.mark.slow
def test_best_play_against_policies(name: str, kernels: Path) -> None:
    rules = dict(SMALL)[name]
    assert_agree(rules, (best(rules, kernels), Greedy()), kernels)
    assert_agree(rules, (None, Cautious()), kernels)


def test_best_play_against_itself_is_worth_its_value(tiny: Solution, kernels: Path) -> None:
    player = Optimal(Strategy(tiny.rules, tiny.values, "tiny"))
    found = duel(tiny.rules, player, player, cache=kernels)
    assert abs(found.as_first - first_player_wins(tiny)) < 1e-9
    assert abs(found.as_first + found.as_second - 1) < 1e-11
    assert found.change < 1e-11


def test_nothing_is_better_against_best_play_than_best_play(tiny: Solution, kernels: Path) -> None:
    strategy = Strategy(tiny.rules, tiny.values, "tiny")
    found, _ = best_response(Optimal(strategy), strategy, cache=kernels)
    assert abs(found.best.as_first - first_player_wins(tiny)) < 1e-9
    assert abs(found.gain) < 1e-9


# a tie that is played on is worth to a responder what it is worth to optimal play
ENDINGS = [
    name
    for name, rules in SMALL
    if rules.ties != "played_on"
    and name.startswith(("final_turn", "equal_turns", "bonus", "penalty", "farkle 2"))
]


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [name for number, name in enumerate(ENDINGS) if number % 5 == 0 or name in shared(2)],
)
def test_who_plays_the_best_response_wins_as_often_as_it_says(name: str, kernels: Path) -> None:
    rules = dict(SMALL)[name]
    strategy = best(rules, kernels).strategy
    found, responder = best_response(Cautious(), strategy, cache=kernels)
    played = play_duel(rules, responder, Cautious(), kernels, 8_000, seed=5)
    assert played.agrees(found.best)
    assert found.gain > -1e-9


@pytest.mark.slow
def test_examples_say_where_to_bank_and_what_it_gains(tiny: Solution, kernels: Path) -> None:
    strategy = Strategy(tiny.rules, tiny.values, "tiny")
    found, _ = best_response(Cautious(), strategy, cache=kernels)
    start = found.usual[0]
    assert (start.best, start.optimal) == (found.best.as_first, found.optimal.as_first)
    assert all(one.best >= one.optimal - 1e-9 for one in found.usual + found.greatest)
    gains = [one.best - one.optimal for one in found.greatest]
    assert gains == sorted(gains, reverse=True)
    assert gains[0] >= max(one.best - one.optimal for one in found.usual) - 1e-12
    for one in found.usual:
        assert one.optimal_banks == turn_map(strategy, one.position).bank_from


@settings(max_examples=60)
@given(data=st.data())
def test_policies_look_at_nothing_else(data: st.DataObject) -> None:
    """What a policy says it does not look at does not change its decisions."""
    rules = data.draw(st.sampled_from([rules for _, rules in SMALL]))
    policy = make_policy(data.draw(st.sampled_from([*POLICIES_OF_POINTS])))
    scores = st.sampled_from(range(rules.score_floor, rules.winning_score, rules.point_step))
    counts = st.integers(0, rules.farkle_limit - 1)
    one = Position.of_two(banked=data.draw(scores), dice=rules.dice)
    other = one.change(
        opponent=data.draw(scores),
        farkles=data.draw(counts),
        opponent_farkles=data.draw(counts),
        opponent_on_board=data.draw(st.booleans()),
        began=data.draw(st.booleans()),
    )
    assert not policy.looks_at
    found = [policy.decisions(EqualDice(rules), position) for position in (one, other)]
    assert np.array_equal(found[0].worth, found[1].worth)
    assert np.array_equal(found[0].bank, found[1].bank)


PRESETS = {
    "arnold to 2,000": (variant("arnold", goal=2000), "threshold:500"),
    "facebook to 2,000": (variant("facebook", goal=2000, score_floor=-1000), "max-points"),
    **{
        f"kcd to 2,000, {name}": (variant("kcd", goal=2000), name)
        for name in ("max-points", "turn-points", "threshold:500")
    },
}
"""Games of six dice, and a policy: at full size they would take minutes."""


@pytest.mark.mostly_skipped
@pytest.mark.slow
@pytest.mark.parametrize(
    ("rules", "name"),
    [
        # of the games without a penalty kcd is the shorter one
        pytest.param(*one, id=name, marks=only_with_every if name.startswith("arnold") else ())
        for name, one in PRESETS.items()
    ],
)
def test_games_of_presets_go_as_they_should(rules: Ruleset, name: str, kernels: Path) -> None:
    player, other = best(rules, kernels), make_policy(name)
    found = duel(rules, player, other, cache=kernels)
    assert play_duel(rules, player, other, kernels, 20_000, seed=1).agrees(found)
    assert found.overall > 0.5


@pytest.mark.slow
def test_always_banking_a_total_that_wins_is_as_good_as_published(
    solutions: dict[str, Solution], kernels: Path
) -> None:
    """M. Busche and T. W. Neller, Optimal Play of the Farkle Dice Game (2017)."""
    rules = load_rules("classic")
    player = Optimal(Strategy(rules, solutions["classic"].values, "classic"))
    found = duel(rules, make_policy("turn-points-bank-wins"), player, cache=kernels)
    assert round(found.as_first, 6) == 0.513812
