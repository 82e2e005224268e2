"""Bots against each other at a table of their own."""

import asyncio
import secrets
from collections.abc import AsyncIterator
from dataclasses import dataclass

from bot.services.chances import Oracle
from bot.services.place_settings import check_games
from bot.table import commands
from bot.table.events import Banked, Begun, Event, Kept, Rolled
from bot.table.state import Game, apply, begin
from solver.play.policies import Policy, TurnView
from solver.rules.ruleset import Ruleset

MOST_GAMES = 99


@dataclass(frozen=True, slots=True)
class MatchGame:
    """One game of a match."""

    number: int
    began: int
    """The bot that began, 0 or 1."""
    odds: tuple[float, float] | None
    """Each bot's chance before the first roll if both played optimally; exact."""
    begun: Begun
    events: tuple[Event, ...]
    game: Game
    """Seat 0 is the bot that began."""
    score: tuple[float, float]
    """Games won so far; a shared one counts half for each."""
    over: bool
    """Whether the match is decided."""


async def play_match(
    oracle: Oracle, levels: tuple[str, str], rules: Ruleset, games: int
) -> AsyncIterator[MatchGame]:
    """Best of so many games, the bots beginning by turns.

    Raises InvalidRequestError, or StrategyFileError where a level needs what is not solved.
    """
    check_games(games, MOST_GAMES)
    policies = [await asyncio.to_thread(oracle.policy, level, rules) for level in levels]
    score = [0.0, 0.0]
    for number in range(1, games + 1):
        began = (number - 1) % 2
        order = [policies[began], policies[1 - began]]
        begun, events, game = await asyncio.to_thread(_play, rules, levels, order, number)
        for seat, share in enumerate(game.shares or ()):
            score[began if seat == 0 else 1 - began] += share
        first = await asyncio.to_thread(oracle.start, rules)
        odds = None
        if first is not None:
            odds = (first, 1 - first) if began == 0 else (1 - first, first)
        left = games - number
        over = left == 0 or abs(score[0] - score[1]) > left
        yield MatchGame(number, began, odds, begun, events, game, (score[0], score[1]), over)
        if over:
            return


def _play(
    rules: Ruleset, levels: tuple[str, str], policies: list[Policy], number: int
) -> tuple[Begun, tuple[Event, ...], Game]:
    """A whole game with dice of the system's randomness."""
    dice = secrets.SystemRandom()
    begun = commands.begin_game(f"match-{number}", rules, list(levels))
    game, events = begin(begun), list[Event]()
    while not game.over:
        fallen = tuple(dice.randint(1, 6) for _ in range(game.turn.dice))
        made: list[Event] = [Rolled(dice=fallen)]
        game = apply(game, made[0])
        if game.turn.roll is not None:
            choice = policies[game.mover].choose(TurnView(rules, game.position(), game.turn.roll))
            made += [Kept(dice=choice.set_aside), *([Banked()] if choice.bank else [])]
            for event in made[1:]:
                game = apply(game, event)
        events += made
    return begun, tuple(events), game
