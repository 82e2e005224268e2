"""Bots against each other at a table of their own, seasons, and how dice have fallen."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any, Self

from pydantic import ValidationError

from bot.review.dice_record import DiceRecord, dice_record, loaded_record
from bot.services.chances import Oracle
from bot.services.place_settings import check_games
from bot.services.policies import policy_of
from bot.services.reckoning import Played, PlayedTurn, played
from bot.store.rows import Happened
from bot.store.store import Store, brings_dice
from bot.table.events import Begun, Event
from bot.table.replay import replay
from bot.tasks.answering import at_once
from bot.tasks.tasks import Asker, Delay
from solver.errors import FarkleError, InvalidRequestError
from solver.play.policies import MaxPoints, Optimal
from solver.rules.ruleset import FACES, Ruleset
from solver.turn.dice import Fate, fate, make_roll
from solver.turn.equations import turn_plan
from solver.wording import say, say_later

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
    """The turns in their order; seat 0 is the bot that began."""


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
        await at_once(policy_of, oracle.advisor, level, rules)
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
            async for answer in task.told(played, oracle.advisor, rules, order, number):
                if isinstance(answer, Delay):
                    if number == 1:
                        yield answer
                    continue
                game = _game(number, began, first, answer)
                played_so_far.append(game)
                yield game
            match = Match(levels, tuple(played_so_far))
            *_, second, most = sorted(match.score)
            if most - second > games - number:
                break
        yield match


def _game(number: int, began: int, first: tuple[float, ...] | None, play: Played) -> MatchGame:
    """A game as the bots are numbered, which sat from the one that began on.

    first : the chances of optimal play by seat, if they are known
    """
    bots = len(play.game.seats)
    seats = [(bot - began) % bots for bot in range(bots)]
    points = tuple(play.game.seats[seat].score for seat in seats)
    shares = tuple((play.game.shares or ())[seat] for seat in seats)
    biggest = tuple(
        max((turn.points for turn in play.turns if turn.seat == seat), default=0) for seat in seats
    )
    odds = tuple(first[seat] for seat in seats) if first is not None else None
    return MatchGame(number, began, odds, points, shares, biggest, play.turns)


def seconds_of_game(rules: Ruleset, levels: tuple[str, ...]) -> float:
    """About how long a game between bots takes to compute."""
    thinkers = sum(level in {Optimal.name, MaxPoints.name} for level in levels)
    return _GAME_SECONDS + _ROW_SECONDS * rules.turn_rows * thinkers


NOW, LAST, ALL = say_later("now"), say_later("last"), say_later("all")
"""What can be typed for the season under way, the one before it, and all time."""
_TYPED = re.compile(r"(\d{4})-?q?([1-4])", re.IGNORECASE)
_MONTHS = 3


@dataclass(frozen=True, slots=True)
class Season:
    """A quarter of a year."""

    year: int
    quarter: int
    """1 to 4."""

    @classmethod
    def of(cls, moment: datetime) -> Self:
        """The one in which a moment is."""
        day = moment.astimezone(UTC)
        return cls(day.year, (day.month - 1) // _MONTHS + 1)

    @property
    def before(self) -> "Season":
        """The one before it."""
        return Season.of(self.begins - timedelta(days=1))

    @property
    def begins(self) -> datetime:
        """The first moment of the season."""
        return datetime(self.year, (self.quarter - 1) * _MONTHS + 1, 1, tzinfo=UTC)

    @property
    def ends(self) -> datetime:
        """The first moment after it."""
        return Season(self.year + self.quarter // 4, self.quarter % 4 + 1).begins

    @property
    def name(self) -> str:
        """The season as it is typed and shown."""
        return f"{self.year}-Q{self.quarter}"


def read_season(text: str, now: datetime) -> Season | None:
    """A season as typed, None for all time. Raises InvalidRequestError."""
    word = text.strip().lower()
    if word in {ALL, say(ALL).lower()}:
        return None
    if word in {NOW, say(NOW).lower()}:
        return Season.of(now)
    if word in {LAST, say(LAST).lower()}:
        return Season.of(now).before
    hit = _TYPED.fullmatch(word)
    if hit and 1 < int(hit[1]) < datetime.max.year:
        return Season(int(hit[1]), int(hit[2]))
    raise InvalidRequestError.say(
        'season: takes now, last, all or a quarter such as {example}, not "{text}"',
        example=Season.of(now).name,
        text=text,
    )


_DICE = 6
"""Rolls of so many dice are told apart into farkles and others."""

_Known = tuple[tuple[int, ...], tuple[bool, float] | None]


def fallen(database: str, place: str | None) -> DiceRecord:
    """How the dice have fallen in a place, or everywhere. Raises StoreError."""
    games = asyncio.run(_games(database, place))
    fair = dice_record(roll for game in games if not brings_dice(game) for roll in _known(game))
    own = (history for game in games if brings_dice(game) for history in _replayed(game))
    return replace(fair, loaded=loaded_record(own))


def _replayed(game: Happened) -> Iterator[tuple[Begun, Sequence[Event]]]:
    """A game to which players brought their dice; nothing of one that cannot have happened."""
    with suppress(FarkleError):
        first, others, _ = replay(game)
        yield first, others


def farkle_chance(rules: Ruleset) -> float:
    """Chance that a roll of six dice is a farkle: it neither scores nor wins nor loses all."""
    return float(turn_plan(rules).farkle_chances[_DICE - 1])


def _known(game: Happened) -> Iterator[_Known]:
    """The rolls of a game; of six dice what they were by its rules, as `dice_record` takes it."""
    rules = _rules(json.dumps(game[0][1].get("rules"), sort_keys=True))
    fell: list[Any] = [data.get("dice") for kind, data in game if kind == "rolled"]
    for dice in map(tuple, fell) if all(map(_is_roll, fell)) else ():
        # nobody knows whether a roll of all dice was the first of its turn
        if rules and len(dice) == rules.dice == _DICE and not rules.has_first_throw:
            yield dice, (fate(rules, make_roll(dice)) is Fate.FARKLE, farkle_chance(rules))
        else:
            yield dice, None


def _is_roll(dice: object) -> bool:
    return isinstance(dice, list) and all(die in FACES for die in dice)


@lru_cache(maxsize=256)
def _rules(text: str) -> Ruleset | None:
    """Rules from JSON; None for those of which this version knows nothing."""
    try:
        return Ruleset.model_validate_json(text)
    except (ValidationError, FarkleError):
        return None


async def _games(database_url: str, place: str | None) -> list[Happened]:
    async with Store.look_into(database_url) as store:
        return await store.fair_games(place)
