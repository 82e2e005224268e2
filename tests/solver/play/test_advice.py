from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.services.advisor import Advisor
from bot.services.situation import Situation
from bot.views.thresholds import turn_data
from solver.errors import FarkleError, InvalidPositionError, InvalidRollError
from solver.game.best import Strategy
from solver.game.position import Position, reachable
from solver.play.advice import advise, odds
from solver.play.maps import turn_map
from solver.turn.dice import dice_set, make_roll
from solver.turn.equations import Decision


def test_the_example_of_the_literature(strategies: dict[str, Strategy]) -> None:
    advice = advise(strategies["facebook"], Position.of_two(), (6, 5, 3, 3, 3, 2))
    assert [
        (option.set_aside, option.points, option.turn_total, option.dice_left, option.action)
        for option in advice.options
    ] == [
        ((5,), 50, 50, 5, Decision.ROLL),
        ((5, 3, 3, 3), 350, 350, 2, Decision.BANK),
        ((3, 3, 3), 300, 300, 3, Decision.ROLL),
    ]
    found = [option.win_probability for option in advice.options]
    assert found == pytest.approx([0.511005, 0.509711, 0.506680], abs=6e-7)
    assert advice.win_probability == found[0]
    assert not advice.farkle


def test_a_third_farkle_in_a_row_costs_the_penalty(strategies: dict[str, Strategy]) -> None:
    strategy = strategies["facebook"]
    first = advise(strategy, Position.of_two(1000, 2000), (6, 4, 4, 3, 3, 2))
    assert first.farkle
    assert first.options == ()
    then = strategy.win_probability(Position.of_two(2000, 1000, opponent_farkles=1))
    assert first.win_probability == 1 - then
    third = advise(strategy, Position.of_two(1000, 2000, farkles=2), (6, 4, 4, 3, 3, 2))
    assert third.win_probability == 1 - strategy.win_probability(Position.of_two(2000, 500))
    lowest = advise(strategy, Position.of_two(-2300, 2000, farkles=2), (6, 4, 4, 3, 3, 2))
    assert lowest.win_probability == 1 - strategy.win_probability(Position.of_two(2000, -2500))


def test_a_bank_that_reaches_the_goal_wins(strategies: dict[str, Strategy]) -> None:
    strategy = strategies["facebook"]
    advice = advise(strategy, Position.of_two(9600, 9900), (6, 5, 3, 3, 3, 2))
    assert Decision.WIN not in {option.action for option in advice.options}
    advice = advise(strategy, Position.of_two(9700, 9900), (6, 5, 3, 3, 3, 2))
    assert {o.points: o.action for o in advice.options} == {
        350: Decision.WIN,
        300: Decision.WIN,
        50: Decision.ROLL,
    }
    assert advice.win_probability == 1


def test_odds_of_a_turn_total_that_wins_already(strategies: dict[str, Strategy]) -> None:
    strategy = strategies["facebook"]
    found = odds(strategy, Position.of_two(9700, 5000, 350, dice=2))
    assert found.action == Decision.WIN
    assert found.bank == found.win_probability == 1
    farkled = 1 - strategy.win_probability(Position.of_two(5000, 9700, opponent_farkles=1))
    assert found.roll == pytest.approx(5 / 9 + 4 / 9 * farkled)


def test_any_turn_total_that_can_be_reached_has_odds(strategies: dict[str, Strategy]) -> None:
    for strategy in strategies.values():
        rules = strategy.rules
        last = (reachable(rules).shape[1] - 1) * rules.point_step
        close_to_goal = Position.of_two(rules.goal - rules.point_step, 0, last, dice=rules.dice)
        found = odds(strategy, close_to_goal)
        assert found.action != Decision.ROLL
        assert found.bank == found.win_probability == pytest.approx(1)
        assert advise(strategy, close_to_goal, (1,) * 6).win_probability == pytest.approx(1)


@settings(max_examples=20)
@given(data=st.data())
def test_the_value_of_rolling_is_the_mean_of_the_advice(
    strategies: dict[str, Strategy], data: st.DataObject
) -> None:
    """Odds before a roll follow from the advice after every roll, also where no rolls lead."""
    name = data.draw(st.sampled_from(sorted(strategies)))
    strategy, rules = strategies[name], strategies[name].rules
    scores = st.integers(rules.score_floor // 50, rules.goal // 50 - 1).map(lambda k: k * 50)
    farkles = st.integers(0, rules.farkle_limit - 1)
    row, dice = data.draw(st.integers(1, 60)), data.draw(st.integers(1, rules.dice))
    turn_total = row * rules.point_step
    banked, opponent, own, their = (data.draw(one) for one in (scores, scores, farkles, farkles))
    position = Position.of_two(banked, opponent, turn_total, own, their, dice)
    before = odds(strategy, position)
    assert before.reachable == reachable(rules)[0, row, dice - 1]
    mean = sum(
        ways / 6**dice * advise(strategy, position, roll).win_probability
        for roll, ways in dice_set(rules).rolls(dice)
    )
    assert before.roll == pytest.approx(mean, rel=1e-12)
    if before.bank is None:
        assert before.action == Decision.ROLL
    else:
        assert (before.action == Decision.ROLL) == (before.roll > before.bank)
        assert before.win_probability == max(before.roll, before.bank)


def test_the_cells_of_a_turn_are_all_totals_and_dice(strategies: dict[str, Strategy]) -> None:
    turn = turn_map(strategies["facebook"], Position.of_two(9000, 9500))
    cells = turn_data(turn)["cells"]
    assert [(cell["turn_total"], cell["dice"]) for cell in cells] == [
        (total, dice) for total in range(0, 1000, 50) for dice in range(1, 7)
    ]
    assert {cell["action"] for cell in cells} == {Decision.ROLL, Decision.BANK}


@pytest.mark.parametrize(
    ("dice", "situation", "error"),
    [
        ("", {}, InvalidRollError),
        ("1234561", {}, InvalidRollError),
        ("1 2 3", {}, InvalidPositionError),
        ("1 2 3", {"turn_total": 60}, InvalidPositionError),
        ("1 2 3 4 5 6", {"banked": 10_000}, InvalidPositionError),
        ("1 2 3 4 5 6", {"farkles": 3}, InvalidPositionError),
        ("1 2 3 4 5 6", {"rules": "nobody"}, FarkleError),
    ],
)
def test_the_service_refuses_what_cannot_be(
    data: Any, dice: str, situation: dict[str, Any], error: type[FarkleError]
) -> None:
    with pytest.raises(error):
        Advisor(data / "strategies").advise(dice, Situation(**situation))


def test_advice_takes_any_roll_of_the_dice_left(strategies: dict[str, Strategy]) -> None:
    advice = advise(strategies["classic"], Position.of_two(0, 0, 350, dice=2), make_roll([5, 1]))
    assert advice.options[0].dice_left in {1, 6}
    assert {option.points for option in advice.options} == {150, 100, 50}


_anything = st.integers(-3000, 12000) | st.integers(-60, 240).map(lambda steps: 50 * steps)


@given(
    position=st.builds(
        Position.of_two,
        banked=_anything,
        opponent=_anything,
        turn_total=_anything,
        farkles=st.integers(-1, 3),
        opponent_farkles=st.integers(-1, 3),
        dice=st.integers(-1, 7),
        hot_dice=st.integers(-1, 2),
    ),
    roll=st.lists(st.integers(-1, 8), max_size=7).map(tuple),
    name=st.sampled_from(["facebook", "kcd"]),
)
def test_whatever_is_asked_is_answered_or_refused(
    strategies: dict[str, Strategy], position: Position, roll: tuple[int, ...], name: str
) -> None:
    strategy = strategies[name]
    with suppress(InvalidPositionError):
        found = odds(strategy, position)
        assert 0 <= found.win_probability <= 1
        assert 0 <= strategy.win_probability(position) <= 1
    with suppress(InvalidPositionError, InvalidRollError):
        advice = advise(strategy, position, roll)
        assert 0 <= advice.win_probability <= 1
        assert len(roll) == position.dice
        assert all(1 <= option.dice_left <= 6 for option in advice.options)
        assert all(set(option.set_aside) <= set(roll) for option in advice.options)


def test_a_position_that_cannot_be_has_no_answer(strategies: dict[str, Strategy]) -> None:
    strategy, roll = strategies["facebook"], (6, 5, 3, 3, 3, 2)
    for position in (
        Position.of_two(1010),
        Position.of_two(0, 10_000),
        Position.of_two(farkles=3),
        Position.of_two(dice=7),
    ):
        for ask in (odds, Strategy.turn, Strategy.win_probability):
            with pytest.raises(InvalidPositionError):
                ask(strategy, position)
        with pytest.raises(InvalidPositionError):
            advise(strategy, position, roll)
    for fallen in (roll[:3], (*roll, 1), roll[::-1], (7, 5, 3, 3, 3, 2), (6, 5, 3, 3, 3, 0), ()):
        with pytest.raises(InvalidRollError, match="a roll of 6 dice is as many faces"):
            advise(strategy, Position.of_two(), fallen)
    with pytest.raises(InvalidRollError, match="a roll of 1 die is a face from 1 to 6, not 5 5"):
        advise(strategy, Position.of_two(turn_total=250, dice=1), (5, 5))
