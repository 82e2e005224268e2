"""Bots against each other at a table of their own."""

from collections.abc import AsyncIterator
from dataclasses import dataclass

from bot.services.chances import Oracle
from bot.services.needed import turn_rows
from bot.services.place_settings import check_games
from bot.services.reckoning import Played, PlayedTurn, played
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
    """One game of a match; bots are numbered from 0, as they were named."""

    number: int
    began: int
    """The bot that began; the others follow in their order."""
    odds: tuple[float, ...] | None
    """Each bot's chance before the first roll if all played optimally; exact."""
    points: tuple[int, ...]
    """The score of each bot at the end."""
    shares: tuple[float, ...]
    """Each bot's share of the win."""
    biggest: tuple[int, ...]
    """The points of the biggest turn of each bot."""
    turns: tuple[PlayedTurn, ...]
    """By seat: seat 0 is the bot that began."""


@dataclass(frozen=True, slots=True)
class Match:
    """A match that is decided."""

    levels: tuple[str, ...]
    games: tuple[MatchGame, ...]

    @property
    def score(self) -> tuple[float, ...]:
        """Games won by each bot; of a shared one everybody has an equal part."""
        return tuple(map(sum, zip(*(game.shares for game in self.games), strict=True)))


async def play_match(
    oracle: Oracle, asker: Asker, levels: tuple[str, ...], rules: Ruleset, games: int
) -> AsyncIterator[Delay | MatchGame | Match]:
    """Best of so many games, the bots beginning by turns; a game at a time, in turns with others.

    The match comes last. Raises InvalidRequestError, also where that is too much to ask for,
    StrategyFileError where a level needs what is not solved, and TaskError.
    """
    check_games(games, MOST_GAMES)
    for level in levels:
        await at_once(oracle.advisor.policy, level, rules)
    bots = len(levels)
    first = await at_once(oracle.start, rules, bots)
    played_so_far: list[MatchGame] = []
    each = seconds_of_game(rules, levels)
    async with oracle.tasks.task(asker, say_later("match"), games, each) as task:
        if task.left > _LONG:
            yield Delay(task.what, 0, task.left)
        for number in range(1, games + 1):
            began = (number - 1) % bots
            order = levels[began:] + levels[:began]
            async for one in task.told(played, oracle.advisor, rules, order, number):
                if isinstance(one, Delay):
                    if number == 1:
                        yield one
                    continue
                found = _game(number, began, first, one)
                played_so_far.append(found)
                yield found
            match = Match(levels, tuple(played_so_far))
            *_, second, most = sorted(match.score)
            if most - second > games - number:
                break
        yield match


def _game(number: int, began: int, first: tuple[float, ...] | None, one: Played) -> MatchGame:
    """A game as the bots are numbered, which sat from the one that began on.

    first : the chances of optimal play by seat, if they are known
    """
    bots = len(one.game.seats)
    seats = [(bot - began) % bots for bot in range(bots)]
    points = tuple(one.game.seats[seat].score for seat in seats)
    shares = tuple((one.game.shares or ())[seat] for seat in seats)
    biggest = tuple(
        max((turn.points for turn in one.turns if turn.seat == seat), default=0) for seat in seats
    )
    odds = tuple(first[seat] for seat in seats) if first is not None else None
    return MatchGame(number, began, odds, points, shares, biggest, one.turns)


def seconds_of_game(rules: Ruleset, levels: tuple[str, ...]) -> float:
    """About how long a game between bots takes to compute."""
    thinkers = sum(level in {Optimal.name, MaxPoints.name} for level in levels)
    return _GAME_SECONDS + _ROW_SECONDS * turn_rows(rules) * thinkers
