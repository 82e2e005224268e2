"""Whole games of two under house rules, as events."""

import random
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from math import fsum

import pytest

from bot.review.moments import Reader, read_events
from bot.review.worth import Worth
from bot.table import commands
from bot.table.events import Banked, Begun, Event, Rolled, TookOver, event_data
from bot.table.fold import apply, begin
from bot.table.replay import replay
from bot.table.state import Game
from solver.game.best import BestPlay, Strategy
from solver.game.position import Position, first_position
from solver.play.advice import Odds, advise, odds
from solver.turn.dice import Roll, dice_set
from solver.turn.equations import Decision


@lru_cache(10_000)
def asked(strategy: BestPlay, position: Position) -> Odds:
    """The odds of a position, to which many games of a few rules come."""
    return odds(strategy, position)


@lru_cache(10_000)
def advised(strategy: BestPlay, position: Position, roll: Roll) -> tuple[Roll, ...]:
    """What may be set aside, the best first."""
    return tuple(option.set_aside for option in advise(strategy, position, roll).options)


def played(strategy: BestPlay, dice: random.Random, slip: float) -> tuple[Begun, list[Event], Game]:
    """A game of best play but for slips: a choice at random with so much of a chance."""
    begun = commands.begin_game("g", strategy.rules, [None] * strategy.players, tracked=True)
    game, events = begin(begun), list[Event]()

    def then(event: Event) -> None:
        nonlocal game
        events.append(event)
        game = apply(game, event)

    while not game.over:
        if game.turn.roll is None:
            answer = asked(strategy, game.position_in(strategy))
            assert game.turn.misses or (answer.bank is not None) == game.may_bank
            choices = [Decision.ROLL]
            choices += [Decision.TAKE_OVER] if game.offered else []
            choices += [Decision.BANK] if game.may_bank else []
            action = dice.choice(choices) if dice.random() < slip else answer.action
            if action is Decision.TAKE_OVER:
                then(TookOver())
            elif game.may_bank and action is not Decision.ROLL:
                then(Banked())
                continue
            then(Rolled(dice=tuple(dice.randint(1, 6) for _ in range(game.turn.dice))))
        else:
            found = advised(strategy, game.position_in(strategy), game.turn.roll)
            kept = dice.choice(found) if dice.random() < slip else found[0]
            for event in commands.kept(game, kept):
                then(event)
    return begun, events, game


def adding_up(strategy: BestPlay, begun: Begun, events: Sequence[Event], game: Game) -> Reader:
    """What has read a game that is over, whose events lead there from the store and add up."""
    stored = [(begun.kind, event_data(begun)), *((one.kind, event_data(one)) for one in events)]
    assert game.shares
    assert replay(stored)[2].shares == game.shares
    reader = read_events(Worth(lambda _game, _number: strategy), begun, events)
    gains = fsum(one.after[0] - one.before[0] for one in reader.moments)
    assert reader.start[0] + gains == pytest.approx(game.shares[0], abs=1e-12)
    assert all(one.judgement.loss >= 0 for one in reader.moments if one.judgement)
    return reader


def wins_as_often_as_it_says(strategy: Strategy, seed: int, games: int) -> None:
    """Whoever begins wins so many games of best play as often as the start says."""
    dice = random.Random(seed)
    wins = fsum((played(strategy, dice, 0.0)[2].shares or (0.0,))[0] for _ in range(games))
    expected = strategy.win_probability(first_position(strategy.rules))
    assert abs(wins / games - expected) < 4 * 0.5 / games**0.5


def worth_of_its_rolls(strategy: Strategy, position: Position) -> float:
    """What the rolls of a position are worth on average, each with the best choice."""
    thrown, dice = dice_set(strategy.rules), position.dice
    return fsum(
        ways / thrown.ways(dice) * advise(strategy, position, roll).win_probability
        for roll, ways in thrown.rolls(dice)
    )


def picks(roll: Counter[int]) -> list[Counter[int]]:
    """Every way to pick one or more of the dice."""
    found = [Counter[int]()]
    for face, count in roll.items():
        found = [one | Counter({face: k}) for one in found for k in range(count + 1)]
    return [+one for one in found if one.total()]


def on_average(points: Sequence[int], expected: float) -> None:
    """Hold points of simulated turns against their mean, within four standard errors."""
    mean = sum(points) / len(points)
    spread = (sum((one - mean) ** 2 for one in points) / len(points)) ** 0.5
    assert abs(mean - expected) < 4 * spread / len(points) ** 0.5
