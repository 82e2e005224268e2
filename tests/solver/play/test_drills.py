"""Positions to practise on: each is of its spot, clear, and one that a person can think about."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver.game.best import BestPlay, Strategy
from solver.game.many_sweeps import solve_many
from solver.game.position import Position, check_position
from solver.loaded.game import solve_matchup
from solver.loaded.matchup import Matchup
from solver.loaded.strategy import ManyMatchupStrategy, MatchupStrategy
from solver.play.advice import advise
from solver.play.daily import CLEAR, FEWEST, MOST, Choice, chance_of, is_clear
from solver.play.drills import Spot, drawn, fewer_choices, spot_of
from solver.play.estimate import EstimatedStrategy
from solver.rules.file import load_rules
from solver.turn.dice import Die, make_dice_set
from solver.turn.equations import Decision
from tests.conftest import variant
from tests.loaded_dice import kcd
from tests.many_games import strategy_of as of_players

FACEBOOK, KCD = load_rules("facebook"), load_rules("kcd")
OPENING = variant("facebook", opening_minimum=500)
SHORT = kcd(dice=5, goal=800)
ODD = make_dice_set([Die((8, 2, 8, 2, 8, 2))] * 3 + [Die()] * 2)
FAIR = make_dice_set([Die()] * 5)


@pytest.mark.parametrize(
    ("position", "spot"),
    [
        (Position.of_two(banked=7500), Spot.NEAR_GOAL),  # of 10,000
        (Position.of_two(banked=7450), Spot.MANY_DICE),
        (Position.of_two(opponent=7500), Spot.NEAR_GOAL),
        (Position.of_two(banked=7000, turn_total=500, dice=2), Spot.NEAR_GOAL),
        (Position.of_two(farkles=1, turn_total=300, dice=3), Spot.FARKLES),
        (Position.of_two(opponent_farkles=2), Spot.MANY_DICE),
        (Position.of_two(turn_total=1000), Spot.HOT_DICE),
        (Position.of_two(turn_total=100, dice=4), Spot.MANY_DICE),
        (Position.of_two(turn_total=300, dice=3), Spot.FEW_DICE),
        (
            Position.of_two(turn_total=300, dice=3, on_board=False),
            Spot.FEW_DICE,
        ),  # no opening minimum
    ],
)
def test_spots(position: Position, spot: Spot) -> None:
    assert spot_of(FACEBOOK, position) is spot


def test_spots_depend_on_the_rules() -> None:
    assert spot_of(KCD, Position.of_two(banked=3000)) is Spot.NEAR_GOAL  # of 4,000
    off_board = Position.of_two(on_board=False, turn_total=200, dice=2)
    assert spot_of(OPENING, off_board) is Spot.OPENING
    assert spot_of(OPENING, off_board.change(on_board=True)) is Spot.FEW_DICE
    assert spot_of(KCD, Position.of_two(farkles=1)) is Spot.MANY_DICE  # they cost nothing


@pytest.mark.parametrize(
    ("name", "spot"),
    [
        *((name, spot) for name in ("facebook", "classic") for spot in (Spot.NEAR_GOAL, None)),
        ("facebook", Spot.FARKLES),
        ("facebook", Spot.HOT_DICE),
        ("kcd", Spot.FEW_DICE),
    ],
)
def test_what_is_drawn_is_of_the_spot(
    strategies: dict[str, Strategy], name: str, spot: Spot | None
) -> None:
    strategy = strategies[name]
    found = drawn(strategy, spot, chance_of("seed"))
    assert found == drawn(strategy, spot, chance_of("seed"))
    assert found != drawn(strategy, spot, chance_of("another"))
    check_position(strategy.rules, found.position)
    assert spot in {None, spot_of(found.rules, found.position)}
    assert FEWEST <= len(found.choices) <= MOST
    assert is_clear(found.choices)
    told = advise(strategy, found.position, found.roll).options[0]
    best = found.choices[found.best]
    assert best.set_aside == told.set_aside
    assert best.bank is (told.action is not Decision.ROLL)
    assert best.win_probability == pytest.approx(told.win_probability)


@pytest.fixture(scope="module")
def others(strategies: dict[str, Strategy], kernels: Path) -> dict[str, BestPlay]:
    """Games of more than two, and of dice that players bring."""
    pair, three = Matchup(SHORT, (ODD, FAIR)), Matchup(SHORT, (ODD, FAIR, ODD))
    of_three = solve_many(SHORT, 3, plans=three.plans, cache=kernels)
    return {
        "estimated": EstimatedStrategy(strategies["kcd"], 3),
        "three": of_players(solve_many(SHORT, 3, cache=kernels)),
        "dice of two": MatchupStrategy(pair, solve_matchup(pair, cache=kernels).values),
        "dice of three": ManyMatchupStrategy(three, of_three.values, *of_three.lasts),
    }


@pytest.mark.slow
@pytest.mark.parametrize("spot", [None, Spot.FEW_DICE])
@pytest.mark.parametrize("kind", ["estimated", "three", "dice of two", "dice of three"])
def test_several_players_and_own_dice_are_drawn_as_well(
    others: dict[str, BestPlay], kind: str, spot: Spot | None
) -> None:
    strategy = others[kind]
    for seed in ("one", "two"):
        found = drawn(strategy, spot, chance_of(seed))
        assert found == drawn(strategy, spot, chance_of(seed))
        position = found.position
        strategy.check(position)
        hand = strategy.hand(position.mover)
        hand.check_roll(position.dice, found.roll)
        assert spot in {None, spot_of(found.rules, position, hand.dice)}
        if spot:
            assert len(found.roll) <= 3
        assert FEWEST <= len(found.choices) <= MOST
        advice = advise(strategy, position, found.roll)
        ranked = sorted(found.choices, key=lambda one: -one.win_probability)
        assert ranked[0].win_probability - ranked[1].win_probability >= (strategy.within or CLEAR)
        option = advice.options[0]
        best = found.choices[found.best]
        assert (best.set_aside, best.bank) == (option.set_aside, option.action != Decision.ROLL)
        assert (best.points, best.turn_total) == (option.points, option.turn_total)
        assert best.dice_left == option.dice_left
        assert best.win_probability == pytest.approx(option.win_probability, abs=1e-12)
        worth = {one.set_aside: one.win_probability for one in advice.options}
        for kept, value in worth.items():
            own = [one.win_probability for one in found.choices if one.set_aside == kept]
            assert max(own) == pytest.approx(value, abs=1e-12)


def test_where_a_spot_does_not_come_up_another_one_is_drawn(
    strategies: dict[str, Strategy],
) -> None:
    found = drawn(strategies["kcd"], Spot.OPENING, chance_of("seed"))
    assert spot_of(KCD, found.position) is not Spot.OPENING


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20), st.data())
def test_of_many_choices_the_best_are_shown_and_the_chosen_one(
    worth: list[float], data: st.DataObject
) -> None:
    choices = [Choice((1,), k, False, k, 1, value) for k, value in enumerate(worth)]
    chosen = data.draw(st.sampled_from(choices))
    shown = fewer_choices(choices, chosen)
    assert chosen in shown
    assert list(shown) == sorted(shown, key=lambda one: one.points)  # as they stood
    assert len(shown) == min(MOST, len(choices))
    left_out = [one.win_probability for one in choices if one not in shown]
    kept = [one.win_probability for one in shown if one is not chosen]
    assert max(left_out, default=0) <= min(kept, default=1)
