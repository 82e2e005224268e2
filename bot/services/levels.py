"""How well somebody plays, of many games: what a decision costs, and what luck had no share in."""

from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import fsum, sqrt

from bot.review.review import band
from bot.services.chances import Oracle
from bot.services.reckoning import lessons_in
from bot.services.tables import Caller, Table, Tables
from bot.store.records import PersonStats, keep_review, person_stats, reviewed_games, unreviewed
from bot.store.rows import DamagedGameError, MissingGameError, PlayedGame
from bot.tasks.answering import at_once
from bot.tasks.tasks import Delay, TaskCancelledError
from bot.tasks.workers import TaskError
from solver.errors import InvalidRequestError, StrategyFileError
from solver.play.drills import Spot
from solver.wording import say_later

MOST_GAMES = 20
"""Games that are reviewed at a time."""

_LOADED = 100
"""Games that are looked at for these."""
_SECONDS = 0.3
"""About what a review takes."""
_LONG = 10.0
"""Seconds from which on is said how long it takes."""


class LookingBack:
    """Reviews what people have played, game by game, for what levels and drills are made of.

    A game is reviewed once, when somebody first asks for what follows from it; what was found of
    its seats is kept.
    """

    def __init__(self, tables: Tables, oracle: Oracle) -> None:
        self._tables = tables
        self._oracle = oracle
        self._passed: set[str] = set()
        """Games that cannot be reviewed exactly, until the program starts anew."""

    async def catch_up(
        self, caller: Caller, person: str, place: str | None = None
    ) -> AsyncIterator[Delay]:
        """Review some games of a person that were not, the newest first; how long there is to wait.

        place : where they were played; None for anywhere

        Raises TaskError, InvalidRequestError where that is too much now, and StoreError.
        """
        tables = await self._to_review(person, place)
        if not tables:
            return
        what = say_later("review")
        async with self._oracle.tasks.task(caller.asker, what, len(tables), _SECONDS) as task:
            if task.left > _LONG:
                yield Delay(task.what, 0, task.left)
            for table in tables:
                game, asked = table.game, (self._oracle.advisor, table.begun, table.events)
                try:
                    async for answer in task.told(lessons_in, *asked):
                        if not isinstance(answer, Delay):
                            await keep_review(self._tables.store, game.id, game.version, answer)
                        elif table is tables[0]:
                            yield answer
                except TaskCancelledError:
                    raise
                except StrategyFileError:  # it is solved no more, or not for the two who were left
                    self._passed.add(game.id)
                except TaskError:  # the next time the others have their turn
                    self._passed.add(game.id)
                    raise

    async def record(
        self, caller: Caller, person: str, place: str | None
    ) -> AsyncIterator["Delay | PlayerRecord"]:
        """What somebody has done, after some games more were reviewed; how long that takes.

        Where there is no time for reviews now, those that were made before count.
        """
        with suppress(TaskError, InvalidRequestError):
            async for delay in self.catch_up(caller, person, place):
                yield delay
        stats = await person_stats(self._tables.store, person, place)
        level = level_of(await reviewed_games(self._tables.store, person, place))
        yield PlayerRecord(stats, level, await self.left(person, place))

    async def left(self, person: str, place: str | None = None) -> int:
        """How many games of a person could be reviewed yet, as far as is known."""
        games = await unreviewed(self._tables.store, person, place)
        return sum(game not in self._passed for game in games)

    async def _to_review(self, person: str, place: str | None) -> list[Table]:
        """Games that are over, whose dice were all taken, and whose chances are exact."""
        games = await unreviewed(self._tables.store, person, place)
        tables: list[Table] = []
        for game_id in [game for game in games if game not in self._passed][:_LOADED]:
            with suppress(DamagedGameError, MissingGameError):
                table = await self._tables.load(game_id)
                game = table.game
                is_whole = game.over and (game.kits or not game.pool)
                if is_whole and await at_once(self._oracle.is_exact, game):
                    tables.append(table)
                else:
                    self._passed.add(game_id)
            if len(tables) == MOST_GAMES:
                break
        return tables


_FEWEST_GAMES = 5
"""The fewest games for which is told how far their mean may be off."""
_NORMAL_95 = 1.96
_AVERAGE = 20
"""Average decisions that count in every spot."""


@dataclass(frozen=True, slots=True)
class PlayerLevel:
    """What the reviews of games come to, those of a person in games with exact chances."""

    games: int
    decisions: int
    """Decisions that were not forced."""
    mean_loss: float
    """Win probability that a decision gave away on average."""
    within: float | None
    """What 95 in 100 such means are off by at most; None for too few games."""
    with_result: int
    """Games that have a result."""
    won: float
    """How many of these were won, with the shares of ties."""
    won_without_luck: float
    """The sum of their luck-adjusted results."""
    weak: Spot | None
    """The spot in which the person errs most; None where nothing was lost."""

    @property
    def band(self) -> str:
        """The level in a word, as a review of one game has it."""
        return band(self.mean_loss)


@dataclass(frozen=True, slots=True)
class PlayerRecord:
    """What somebody has done, and how well."""

    stats: PersonStats
    level: PlayerLevel | None
    """None before the first decision of a game that was reviewed."""
    left: int
    """Games that are not reviewed yet."""


def level_of(games: Sequence[PlayedGame]) -> PlayerLevel | None:
    """What games come to; None without a decision.

    The mean is over all decisions together. How far it may be off follows from how much it differs
    from game to game, as of a ratio of two sums.
    """
    decisions = sum(game.decisions for game in games)
    if not decisions:
        return None
    mean = fsum(game.loss for game in games) / decisions
    number, within = len(games), None
    if number >= _FEWEST_GAMES:
        spread = fsum((game.loss - mean * game.decisions) ** 2 for game in games)
        within = _NORMAL_95 * sqrt(spread * number / (number - 1)) / decisions
    over = [game for game in games if game.share is not None and game.without_luck is not None]
    return PlayerLevel(
        games=number,
        decisions=decisions,
        mean_loss=mean,
        within=within,
        with_result=len(over),
        won=fsum(game.share or 0.0 for game in over),
        won_without_luck=fsum(game.without_luck or 0.0 for game in over),
        weak=weak_spot(games),
    )


def weak_spot(games: Sequence[PlayedGame]) -> Spot | None:
    """The spot in which a decision cost most on average; None where nothing was lost.

    Each average is over some decisions more that cost what all do on average, so that a few
    decisions make no spot a weak one.
    """
    totals = {spot: [game.spots[spot] for game in games if spot in game.spots] for spot in Spot}
    counts = {spot: sum(number for number, _ in entries) for spot, entries in totals.items()}
    losses = {spot: fsum(loss for _, loss in entries) for spot, entries in totals.items()}
    if not any(losses.values()):
        return None
    mean = fsum(losses.values()) / sum(counts.values())
    return max(
        (spot for spot in Spot if counts[spot]),
        key=lambda spot: (losses[spot] + _AVERAGE * mean) / (counts[spot] + _AVERAGE),
    )
