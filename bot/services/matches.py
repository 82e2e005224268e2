"""Bots against each other at a table of their own."""

from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from bot.services.chances import Oracle, turn_rows
from bot.services.place_settings import check_games
from bot.services.reckoning import played
from bot.table.events import Begun, Event
from bot.table.state import Game
from bot.tasks.answering import at_once
from bot.tasks.tasks import Delay
from bot.tasks.turns import Asker
from solver.play.policies import MaxPoints, Optimal
from solver.rules.ruleset import Ruleset
from solver.wording import say_later

MOST_GAMES = 99

_LONG = 10.0
"""Seconds from which on is said how long a match takes."""
_GAME_SECONDS = 0.03
"""About what a game takes whose turns are solved in no time."""
_ROW_SECONDS = 2e-4
"""About what a turn total more in each turn of one bot adds to a game."""


@dataclass(frozen=True, slots=True)
class MatchGame:
    """One game of a match."""

    number: int
    began: int
    """The bot that began, by its number from 0; the others follow in their order."""
    odds: tuple[float, ...] | None
    """Each bot's chance before the first roll if both played optimally; exact."""
    game: Game
    """Seat 0 is the bot that began."""
    score: tuple[float, ...]
    """Games won so far; of a shared one everybody has an equal part."""
    over: bool
    """Whether the match is decided."""
    moves: tuple[str, ...] = ()
    """Every turn in words, if that was asked for: they take about as long as the game."""


async def play_match(
    oracle: Oracle,
    asker: Asker,
    levels: tuple[str, ...],
    rules: Ruleset,
    games: int,
    tell: Callable[[int, Begun, Sequence[Event]], Iterable[str]] | None = None,
) -> AsyncIterator[Delay | MatchGame]:
    """Best of so many games, the bots beginning by turns; a game at a time, in turns with others.

    tell : a function of a module that puts the turns of a game into words, given who began

    Raises InvalidRequestError, also where that is too much to ask for, StrategyFileError where a
    level needs what is not solved, and TaskError.
    """
    check_games(games, MOST_GAMES)
    for level in levels:
        await at_once(oracle.advisor.policy, level, rules)
    bots = len(levels)
    first = await at_once(oracle.start, rules, bots)
    score = [0.0] * bots
    each = seconds_of_game(rules, levels)
    async with oracle.tasks.task(asker, say_later("match"), games, each) as task:
        if task.left > _LONG:
            yield Delay(task.what, 0, task.left)
        for number in range(1, games + 1):
            began = (number - 1) % bots
            order = levels[began:] + levels[:began]
            told = partial(tell, began) if tell else None
            async for one in task.told(played, oracle.advisor, rules, order, number, told):
                if isinstance(one, Delay):
                    if number == 1:
                        yield one
                    continue
                for seat, share in enumerate(one.game.shares or ()):
                    score[(began + seat) % bots] += share
                odds = None
                if first is not None:
                    odds = first[bots - began :] + first[: bots - began]
                *_, second, most = sorted(score)
                left = games - number
                over = left == 0 or most - second > left
                yield MatchGame(number, began, odds, one.game, tuple(score), over, one.moves)
                if over:
                    return


def seconds_of_game(rules: Ruleset, levels: tuple[str, ...]) -> float:
    """About how long a game between bots takes to compute."""
    thinkers = sum(level in {Optimal.name, MaxPoints.name} for level in levels)
    return _GAME_SECONDS + _ROW_SECONDS * turn_rows(rules) * thinkers
