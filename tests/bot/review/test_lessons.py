"""What a game teaches, against the review it is made of and advice on each decision."""

from math import fsum
from typing import Any

import pytest

from bot.review.review import lessons_of, read_kept, review
from bot.review.worth import Worth
from bot.store.rows import SeatReview
from bot.table import commands
from bot.table.state import Game
from solver.game.best import Strategy
from solver.game.position import Position
from solver.play.advice import advise
from solver.play.daily import CLEAR, MOST, Question
from solver.play.drills import spot_of
from solver.play.estimate import EstimatedStrategy
from solver.turn.dice import Roll
from solver.turn.equations import Decision
from tests.bot.review.test_review import Choose, Table, at_random, best, chance, either, play


def nearly_best(strategy: Strategy) -> Choose:
    """Play the second best set-aside wherever that costs little."""

    def choose(game: Game) -> tuple[Roll, bool]:
        first, *others = advise(strategy, game.position(), game.turn.roll or ()).options
        close = [one for one in others if 0 < first.win_probability - one.win_probability < CLEAR]
        chosen = close[0] if close else first
        return chosen.set_aside, chosen.action is not Decision.ROLL

    return choose


def lessons(strategy: Strategy, table: Table) -> list[SeatReview]:
    return lessons_of(table.review(strategy))


def question_of(strategy: Strategy, lesson: dict[str, Any]) -> Question:
    """What is asked of a lesson, as it is read where it was kept."""
    return read_kept(strategy.rules.model_dump(mode="json"), lesson, "the position")


@pytest.fixture
def badly_played(strategies: dict[str, Strategy]) -> tuple[Strategy, Table]:
    strategy, rng = strategies["kcd"], chance(7)
    table = Table(strategy.rules)
    play(table, either(rng, best(strategy), at_random(rng)), rng)
    return strategy, table


def test_they_are_the_decisions_that_cost_most(badly_played: tuple[Strategy, Table]) -> None:
    strategy, table = badly_played
    found = table.review(strategy)
    told = lessons(strategy, table)
    assert len(told[0].lessons) == len(told[1].lessons) == 3
    for own, player in zip(told, found.players, strict=True):
        assert [one["turn"] for one in own.lessons] == [moment.turn for moment in player.worst]
        for lesson, moment in zip(own.lessons, player.worst, strict=True):
            judged = moment.judgement
            assert judged is not None
            question = question_of(strategy, lesson)
            assert question.cost(lesson["chosen"]) == pytest.approx(-moment.gain)
            chosen = question.choices[lesson["chosen"]]
            assert chosen.set_aside == judged.chosen.set_aside
            assert chosen.turn_total == judged.chosen.turn_total
            # under these rules it does not matter how often the dice were hot
            position = judged.position.change(hot_dice=0)
            assert (question.position, question.roll) == (position, judged.roll)


def test_choices_are_worth_what_advice_says(badly_played: tuple[Strategy, Table]) -> None:
    strategy, table = badly_played
    for own in lessons(strategy, table):
        for lesson in own.lessons:
            question = question_of(strategy, lesson)
            position, roll = question.position, question.roll
            told = {one.set_aside: one.win_probability for one in
                    advise(strategy, position, roll).options}  # fmt: skip
            asked = question.choices
            best_one = max(one.win_probability for one in asked)
            assert best_one == pytest.approx(max(told.values()))
            assert all(one.win_probability <= told[one.set_aside] + 1e-12 for one in asked)
            assert 2 <= len(asked) <= MOST


def test_spots_and_sums_are_those_of_the_review(badly_played: tuple[Strategy, Table]) -> None:
    strategy, table = badly_played
    found = table.review(strategy)
    for own, player in zip(lessons(strategy, table), found.players, strict=True):
        assert (own.decisions, own.loss) == (player.decisions, player.total_loss)
        assert own.without_luck == player.luck_adjusted_result
        assert sum(number for number, _ in own.spots.values()) == player.decisions
        assert fsum(loss for _, loss in own.spots.values()) == pytest.approx(player.total_loss)
        for spot, (number, _) in own.spots.items():
            judged = [one.judgement for one in found.moments if one.seat == own.seat]
            here = [
                one
                for one in judged
                if one
                and not one.forced
                and isinstance(one.position, Position)
                and spot_of(found.rules, one.position) == spot
            ]
            assert len(here) == number


def test_who_plays_best_has_no_lesson(strategies: dict[str, Strategy]) -> None:
    strategy, rng = strategies["kcd"], chance(1)
    table = Table(strategy.rules)
    play(table, best(strategy), rng)
    for own in lessons_of(table.review(strategy)):
        assert (own.lessons, own.loss) == ([], 0)
        assert own.decisions


def test_what_cost_little_is_no_lesson(strategies: dict[str, Strategy]) -> None:
    """A decision that costs less than the best of a daily position is ahead is one of taste."""
    strategy = strategies["kcd"]
    costs = []
    for seed in range(4):
        rng = chance(seed)
        table = Table(strategy.rules)
        play(table, either(rng, *[nearly_best(strategy)] * 15, at_random(rng)), rng)
        found = table.review(strategy)
        for own, player in zip(lessons(strategy, table), found.players, strict=True):
            costly = [one for one in player.worst if -one.gain >= CLEAR]
            assert len(own.lessons) == len(costly)
            costs += [-one.gain for one in player.worst]
    assert min(costs) < CLEAR < max(costs)


def test_of_three_the_decisions_of_all_are_lessons(strategies: dict[str, Strategy]) -> None:
    """Those of three, and then of the two who are left."""
    strategy = strategies["kcd"]
    table = Table(strategy.rules, tracked=True, levels=3)
    table.roll(1, 1, 1, 5, 2, 3)
    table.keep(5, bank=True)
    estimated = EstimatedStrategy(strategy, 3)
    worth = Worth(lambda _, players: strategy if players == 2 else estimated)
    table.do(commands.resign(table.game, 2))
    table.score(500)
    table.roll(1, 1, 1, 5, 2, 3)
    table.keep(5, bank=True)
    found = lessons_of(review(worth, table.first, table.events))
    assert found[0].decisions == 2
    assert sorted(one["turn"] for one in found[0].lessons) == [1, 2]
    assert sum(number for number, _ in found[0].spots.values()) == 2
    for lesson in found[0].lessons:
        question = question_of(strategy, lesson)
        of_all = [3, 2][lesson["turn"] - 1]
        assert len(question.position.players) == of_all
        assert (question.id is None) is (of_all == 3)
        play = strategy if of_all == 2 else estimated
        told = advise(play, question.position, question.roll).options[0]
        best_one = question.choices[question.best]
        assert (best_one.set_aside, best_one.turn_total) == (told.set_aside, told.turn_total)
        assert best_one.win_probability == pytest.approx(told.win_probability, abs=1e-12)
