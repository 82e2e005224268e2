"""Chances of games that are not solved: of all who play, and the same each time."""

from dataclasses import replace
from pathlib import Path

import pytest

from bot.services.advisor import Advisor
from bot.services.reckoning import charted, estimated
from bot.table import commands
from bot.table.events import Begun, Event, Scored, TurnEnding
from bot.table.fold import fold
from bot.table.state import Game, Stage
from solver.play.estimate import WITHIN
from solver.turn.dice import after_set_aside, set_asides
from tests.house_rules import small

RULES = small(dice=4, goal=600)


@pytest.fixture
def advisor(tmp_path: Path) -> Advisor:
    return Advisor(tmp_path)


def begun(players: int = 3) -> Begun:
    return commands.begin_game("test", RULES, [None] * players, tracked=True)


def played(first: Begun, *points: int) -> Game:
    return fold(first, scored(*points))


def scored(*points: int) -> list[Event]:
    return [Scored(points=one, ending=TurnEnding.BANK) for one in points]


def test_who_has_resigned_has_nothing_and_the_others_play_on(advisor: Advisor) -> None:
    game = played(begun(4), 100, 200, 300, 50)
    left = fold(begun(3), scored(100, 300, 50))
    [event] = commands.resign(game, 1)
    shares, within = estimated(advisor, fold(begun(4), [*scored(100, 200, 300, 50), event]))
    assert shares[1] == 0
    assert [shares[0], *shares[2:]] == pytest.approx(estimated(advisor, left)[0], abs=1e-12)
    assert within == WITHIN


def test_a_roll_on_the_table_is_worth_its_best_set_aside(advisor: Advisor) -> None:
    game = played(begun(), 100, 200, 300)
    rolled = replace(game, turn=replace(game.turn, roll=(5, 4, 1, 1)))
    after = [
        replace(game, turn=replace(game.turn, turn_total=state.turn_total, dice=state.dice))
        for kept in set_asides(RULES, (5, 4, 1, 1))
        for state in [after_set_aside(RULES, game.turn.state, kept)]
    ]
    best = max((estimated(advisor, one)[0] for one in after), key=lambda shares: shares[0])
    assert estimated(advisor, rolled)[0] == pytest.approx(best, abs=1e-12)


def test_a_chart_shows_what_is_told(advisor: Advisor) -> None:
    points = 100, 200, 300, 50, 250
    chart = charted(advisor, ("ann", "bob", "carl"), begun(), scored(*points))
    for number, turn in enumerate(chart.turns):
        assert turn.win_probabilities == estimated(advisor, played(begun(), *points[:number]))[0]


def test_who_has_won_is_no_estimate(advisor: Advisor) -> None:
    assert estimated(advisor, played(begun(), 600)) == ((1, 0, 0), None)


def test_two_players_by_rules_that_are_not_solved(advisor: Advisor) -> None:
    shares, within = estimated(advisor, played(begun(2), 300, 100))
    assert 0.6 < shares[0] < 1
    assert sum(shares) == pytest.approx(1)
    assert within == WITHIN
    assert played(begun(2)).stage is Stage.LOBBY
