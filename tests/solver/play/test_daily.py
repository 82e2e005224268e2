"""The daily position: every condition on each of many days, and the same one everywhere."""

from collections import Counter
from datetime import date, timedelta

import pytest

from solver.game.best import Strategy
from solver.game.position import check_position
from solver.play.advice import advise, position_id
from solver.play.daily import DailyPosition, Kind, daily_position, kind_of, rules_of_thumb
from solver.play.memo import Memo
from solver.play.policies import Greedy, MaxPoints
from solver.play.policy import Move
from solver.turn.dice import set_asides
from solver.turn.equations import Decision, EqualDice

FIRST = date(2026, 11, 22)
DAYS = [FIRST + timedelta(days=number) for number in range(25)]


@pytest.fixture(scope="module")
def asked(strategies: dict[str, Strategy]) -> list[tuple[Strategy, DailyPosition]]:
    """Fifty days, of two rule sets half each."""
    known = strategies["kcd"], strategies["facebook"]
    return [(one, daily_position(one, day)) for one in known for day in DAYS]


def worth(strategy: Strategy, daily: DailyPosition) -> dict[tuple[tuple[int, ...], bool], float]:
    """What each choice is worth: a bank by the game that goes on, a roll by its own position."""
    rules, position, turn = strategy.rules, daily.position, strategy.turn(daily.position)
    found = {}
    for kept in set_asides(rules, daily.roll):
        left = position.dice - len(kept.dice) or rules.dice
        hot = position.hot_dice + (left == rules.dice)
        total = position.turn_total + kept.points
        after = position.change(turn_total=total, dice=left, hot_dice=hot)
        found[kept.dice, False] = turn.roll_value(after.turn)
        if total >= rules.least_bank_at(position.banked, on_board=position.on_board):
            theirs = position.change(
                banked=position.opponent,
                opponent=position.banked + total,
                farkles=position.opponent_farkles,
                opponent_farkles=0,
                turn_total=0,
                dice=rules.dice,
                hot_dice=0,
                on_board=position.opponent_on_board,
                opponent_on_board=True,
            )
            won = position.banked + total >= rules.winning_score
            found[kept.dice, True] = 1.0 if won else 1 - strategy.win_probability(theirs)
    return found


@pytest.mark.slow
def test_a_person_can_think_about_it_and_the_best_choice_is_clear(
    asked: list[tuple[Strategy, DailyPosition]],
) -> None:
    for strategy, daily in asked:
        check_position(strategy.rules, daily.position)
        expected = worth(strategy, daily)
        found = {(one.set_aside, one.bank): one.win_probability for one in daily.choices}
        assert found == pytest.approx(expected, abs=1e-9)
        assert 3 <= len(found) == len(daily.choices) <= 6
        best, second = sorted(expected.values(), reverse=True)[:2]
        assert best - second >= 0.005
        assert 0.05 <= best <= 0.95
        assert daily.cost(daily.best) == 0
        assert min(daily.cost(k) for k in range(len(found)) if k != daily.best) >= 0.005


@pytest.mark.slow
def test_it_is_what_advice_says(asked: list[tuple[Strategy, DailyPosition]]) -> None:
    for strategy, daily in asked:
        first = advise(strategy, daily.position, daily.roll).options[0]
        best = daily.choices[daily.best]
        assert (best.set_aside, best.bank) == (first.set_aside, first.action != Decision.ROLL)


@pytest.mark.slow
def test_the_best_choice_is_not_obvious(asked: list[tuple[Strategy, DailyPosition]]) -> None:
    """It leaves points on the table, or is another one than every rule of thumb's."""
    kinds = Counter[Kind | None]()
    for strategy, daily in asked:
        best = daily.choices[daily.best]
        most = max(one.points for one in set_asides(strategy.rules, daily.roll))
        shown = EqualDice(strategy.rules), daily.position, daily.roll
        thumbs = Greedy(), MaxPoints(), Memo()
        found = Move(best.set_aside, best.bank) in [thumb.choose(*shown) for thumb in thumbs]
        assert best.points < most or not found
        kinds[kind_of(strategy, daily, rules_of_thumb(strategy.rules))] += 1
    assert set(kinds) == set(Kind)
    assert min(kinds.values()) >= 5


@pytest.mark.slow
def test_each_day_has_its_own(asked: list[tuple[Strategy, DailyPosition]]) -> None:
    told = [position_id(one.rules, one.position, one.roll) for _, one in asked]
    assert None not in told
    assert len(set(told)) >= 45


def test_it_is_the_same_in_every_version_and_on_every_machine(
    strategies: dict[str, Strategy],
) -> None:
    """What was answered counts by its number, and several programs may ask."""
    for name, expected in (("kcd", "J8FZ-Q9SC-E"), ("facebook", "CZT6-9TP0-M28")):
        daily = daily_position(strategies[name], FIRST)
        assert position_id(daily.rules, daily.position, daily.roll) == expected
        assert daily == daily_position(strategies[name], FIRST)


def test_choices_stand_in_the_order_of_their_points(strategies: dict[str, Strategy]) -> None:
    daily = daily_position(strategies["kcd"], FIRST)
    told = [(one.set_aside, one.bank, one.turn_total, one.dice_left) for one in daily.choices]
    assert daily.roll == (6, 4, 1, 1)
    assert told == [
        ((1, 1), False, 300, 2),
        ((1, 1), True, 300, 2),
        ((1,), False, 200, 3),
        ((1,), True, 200, 3),
    ]
