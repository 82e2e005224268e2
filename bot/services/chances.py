"""Win probabilities of games under way: exact where they are solved, else an estimate."""

import asyncio
import contextlib
import logging
import threading
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, replace
from math import fsum
from typing import Any, TypeVar

from bot.review.highlights import GameChart
from bot.review.moments import Reader, TurnChange, read_events, starts_anew
from bot.review.review import Review, accuracy
from bot.review.worth import Shares, Worth
from bot.services.advisor import Advisor, is_quick
from bot.services.loaded import is_light, solved_arrays
from bot.services.reckoning import charted, estimated, reviewed
from bot.services.store_check import results_of
from bot.services.tables import Recent, Table
from bot.store.rows import GameResult
from bot.table.events import Event, Undone
from bot.table.state import Game, Stage
from bot.tasks.answering import at_once
from bot.tasks.pressure import Degree
from bot.tasks.tasks import Asker, Delay, Tasks
from solver.errors import FarkleError, InvalidRequestError
from solver.game.position import first_position
from solver.loaded.matchup import Matchup
from solver.play.policies import MaxPoints, Optimal
from solver.rules.ruleset import Ruleset
from solver.wording import say_later

logger = logging.getLogger(__name__)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Chances:
    """Each player's chance to win."""

    win_probabilities: tuple[float, ...]
    within: float | None
    """What 95 in 100 estimates are off by at most; None where the chances are exact."""
    last: TurnChange | None = None
    """What the turn that just ended did, where that is known exactly."""


Events = tuple[Event, ...]


class GameReaders:
    """The readers by game; threads may use them, one at a time."""

    def __init__(self) -> None:
        self._known = Recent[tuple[Events, Reader]]()
        """The events that were read, and what has read them, by game."""
        self._lock = threading.Lock()

    def followed(self, worth: Worth, table: Table) -> tuple[Shares, TurnChange | None]:
        """The win probabilities in a game by seat, and what its last finished turn changed."""
        game_id, events = table.game.id, table.events
        with self._lock:
            done, known = self._known.pop(game_id, ((), None))
            reader = _read(worth, table, done, known)
            reader.forget()
            if known and len(done) > len(events) and done[: len(events)] == events:
                # who asks looks at an older state
                self._known[game_id] = done, known
            elif not table.game.over:
                self._known[game_id] = events, reader
            # what is asked about may be a game of before, as it was when its turn began
            is_now = reader.game.turn == table.game.turn
            shares = reader.shares if is_now else worth.shares(table.game)
            return shares, reader.changes[-1] if reader.changes else None

    def whole(self, worth: Worth, table: Table) -> Reader:
        """What has read a game from its first event to its last, which may not be stored yet."""
        with self._lock:
            reader = _read(worth, table, *self._known.pop(table.game.id, ((), None)))
            self._known[table.game.id] = table.events, reader
            return reader

    def forget(self, game_id: str) -> None:
        """Let go of what was read of a game that is over."""
        self._known.pop(game_id, None)


def _read(worth: Worth, table: Table, done: Events, reader: Reader | None) -> Reader:
    """Return what has read a game: the given reader of its first events, or another one."""
    if reader and _is_read_on(table, done):
        for index, step in enumerate(table.steps_since(len(done) + 1), start=len(done)):
            reader.read(index, step)
        return reader
    return read_events(worth, table.begun, table.events)


def _is_read_on(table: Table, done: Events) -> bool:
    """Return whether what has read these events can go on from there: they began this game."""
    later = table.events[len(done) :]
    has_begun_so = table.events[: len(done)] == done
    return has_begun_so and not any(isinstance(step, Undone) or starts_anew(step) for step in later)


class Oracle:
    """Tells chances: exact ones at once, others from a worker; the event loop never waits long."""

    def __init__(
        self, advisor: Advisor, tasks: Tasks | None = None, needed_seconds: float = 0.0
    ) -> None:
        """`needed_seconds` are what a solve may take that somebody waits for before a game."""
        self.needed_seconds = needed_seconds
        self.advisor = advisor
        self.tasks = tasks or Tasks(workers=0)
        self._estimates = Recent[tuple[Game, Chances]]()
        """The state that was estimated last, now or as its turn began, and its chances, by game."""
        self._between = Recent[tuple[Game, Chances]]()
        """The last state between turns that was told of, and its chances, by game."""
        self._estimating: dict[str, asyncio.Task[Chances | None]] = {}
        """The estimates that are still being made, by game."""
        self._readers = GameReaders()

    def best_level(self, rules: Ruleset) -> str:
        """The strongest level that bots can play at under the rules."""
        return Optimal.name if self.advisor.solved(rules) else MaxPoints.name

    def start(self, rules: Ruleset, players: int) -> tuple[float, ...] | None:
        """The chances of so many players in the order of their turns, if that is solved."""
        strategy = self.advisor.solved_for(rules, players)
        if strategy is None:
            return None
        start = first_position(rules, players)
        return tuple(strategy.by_seat(start, strategy.start_values(start)).tolist())

    def is_exact(self, game: Game) -> bool:
        """Whether all chances of a game are exact, those before somebody resigned as well."""
        numbers = game.numbers_playing
        return len(game.seats) > 1 and all(
            self.advisor.is_solved_in(game, number) for number in numbers
        )

    def is_reviewable(self, game: Game) -> bool:
        """Whether a game with a result can be looked back on: exactly, or by estimates."""
        if game.shares is None or not game.was_played:
            return False
        rules = game.rules
        may_be_rough = not (game.brings_dice or rules.looks_back or rules.rounds)
        return self.is_exact(game) or (may_be_rough and self.advisor.may_estimate(rules))

    async def chances(self, table: Table) -> Chances | None:
        """The chances now; None while nobody can play yet, or where they cannot be told."""
        game = table.game
        if len(game.seats) < 2 or (game.over and game.shares is None):
            self._forget(game)
            return None
        chances = None
        # what was done at the table is done, whatever becomes of them
        with contextlib.suppress(FarkleError):
            chances = await at_once(self._exact, table) or await self._estimated(table)
        if game.over:
            self._forget(game)
        elif chances:
            self._remember(game, chances)
        return chances

    async def at_start(self, table: Table) -> Chances | None:
        """The chances when the turn under way began, as they were told then if they were."""
        game = table.game
        known = self._between.get(game.id)
        if known and known[0] == _between_turns(game):
            return known[1]
        if game.over or (known and not await at_once(self.is_exact, game)):
            return None  # a turn is not held up by an estimate that was not there in time
        begun = replace(game.at_turn_start, before=None)
        return await self.chances(replace(table, game=begun))

    async def chart(self, table: Table) -> GameChart | None:
        """The chances after every turn, of a game with a result; None where they cannot be told."""
        game = table.game
        if game.shares is None or game.last is None:
            return None
        asked = self.advisor, table.names, table.begun, table.events
        # what was done at the table is told, whatever becomes of its chart
        with contextlib.suppress(FarkleError):
            if is_quick(game.rules) and await at_once(self.is_exact, game):
                return await at_once(charted, *asked)
            if self._may_estimate(game):
                return await self.tasks.soon(asker_of(table), charted, *asked)
        return None

    async def review(self, table: Table, asker: Asker) -> AsyncIterator[Delay | Review]:
        """Every decision of a game that is over, and before it how long there is to wait.

        Raises StrategyFileError, InvalidRequestError and TaskError.
        """
        if table.game.pool and not table.game.kits:
            raise InvalidRequestError.say(
                "nothing was played in that game: not all dice were taken"
            )
        if not table.game.was_played:
            raise InvalidRequestError.say(
                "nothing was played in game {game}, so there is nothing to review",
                game=table.game.id,
            )
        async for delay in self.ready(asker, await at_once(self.needs, table.game, rival=False)):
            yield delay
        asked = self.advisor, table.begun, table.events
        async for answer in self.tasks.told(asker, say_later("review"), reviewed, *asked):
            yield answer

    async def check_solvable(self, asker: Asker, matchup: Matchup) -> None:
        """Raises InvalidRequestError for dice that would take longer than a task may here."""
        seconds = await at_once(lambda: matchup.seconds)
        async with self.tasks.task(asker, say_later("loaded dice"), each=seconds):
            pass

    def needs(self, game: Game, *, rival: bool = True) -> Matchup | None:
        """The dice that are to be solved against each other before a game is advised on.

        rival : whether, where more than two cannot be waited for, those of the strongest opponent
        """
        many = game.many_matchup
        if many is not None and self.is_quick(many):
            return many
        return game.side.matchup if rival else game.matchup

    def is_quick(self, many: Matchup) -> bool:
        """Whether a game of more than two with dice of their own is, or soon will be, solved."""
        if self.advisor.knows(many):
            return True
        folders = self.advisor.matchups
        is_kept = folders is None or many.bytes < folders.most_bytes
        return is_kept and many.seconds <= self.needed_seconds

    async def ready(self, asker: Asker, matchup: Matchup | None) -> AsyncIterator[Delay]:
        """Have sets of dice solved against each other; nothing to do where there are none.

        How long there is to wait. Raises FarkleError for what cannot be solved here.
        """
        if matchup is None or (folders := self.advisor.matchups) is None:
            return
        if await at_once(self.advisor.knows, matchup):
            return
        seconds = await at_once(lambda: matchup.seconds)
        what, work = say_later("loaded dice"), (solved_arrays, folders, matchup)
        async for answer in self.tasks.told(asker, what, *work, each=seconds):
            if isinstance(answer, Delay):
                yield answer
            elif matchup.players == 2 or not await at_once(self.advisor.knows, matchup):
                # those of many are mapped from their file where there is one
                self.advisor.keep_pair(matchup, *answer)

    async def of_bot(self, table: Table, make: Callable[[Advisor, Game], T]) -> T:
        """What the bot that is to move makes of the moment, by a function of `reckoning`.

        Raises StrategyFileError and TaskError.
        """
        game, asker = replace(table.game, before=None), asker_of(table)
        matchup = game.side.matchup
        return await self.answered(asker, game.rules, make, self.advisor, game, matchup=matchup)

    async def answered(
        self,
        asker: Asker,
        rules: Ruleset,
        make: Callable[..., T],
        *args: Any,
        players: int = 2,
        matchup: Matchup | None = None,
    ) -> T:
        """What a function of a module makes of a turn: at once, unless that takes long.

        It does under some rules, with some badges, and for several where not even two are solved.

        matchup : what players bring, if they do

        Raises what the function raises, and TaskError.
        """
        is_long = not is_quick(rules)
        if matchup is not None:
            is_long = is_long or not await at_once(is_light, matchup)
        elif players > 2:
            is_long = is_long or await at_once(self.advisor.solved, rules) is None
        if is_long:
            return await self.tasks.aside(asker, make, *args)
        return await at_once(make, *args)

    async def answered_in(self, game: Game, asker: Asker, make: Callable[..., T], *args: Any) -> T:
        """What a function makes of a turn of a game, see `answered`."""
        matchup = game.side.matchup
        return await self.answered(
            asker, game.rules, make, *args, players=game.playing, matchup=matchup
        )

    def _exact(self, table: Table) -> Chances | None:
        """The chances if they are exact."""
        game = table.game
        if game.shares is None and not self.advisor.is_solved_in(game, game.playing):
            return None
        is_quickly_told = _is_light(game)
        if not (is_quickly_told or game.over or game.turn == game.first_turn):
            return None  # between turns it is told again
        worth = self.advisor.worth_in(game)
        if is_quickly_told and self.is_exact(game):
            shares, last = self._readers.followed(worth, table)
            return Chances(shares, None, last)
        return Chances(worth.shares(game), None)

    async def _estimated(self, table: Table) -> Chances | None:
        """The chances as they are estimated, once for a position.

        What takes too long is there when it is asked for next.
        """
        game = table.game
        known = self._estimates.get(game.id)
        if known is not None and known[0] == replace(game, before=None):
            return known[1]
        if game.id in self._estimating or not self._may_estimate(game):
            return None
        task = self._estimating[game.id] = asyncio.create_task(self._estimate(table))
        task.add_done_callback(lambda _: self._estimating.pop(game.id, None))
        done, _ = await asyncio.wait({task}, timeout=self.tasks.limits.patience)
        return task.result() if done else None

    def _may_estimate(self, game: Game) -> bool:
        """Whether there is time for an estimate, which takes longest the first time.

        Dice that players bring are solved, and not estimated.
        """
        if game.brings_dice:
            return False
        calm = self.tasks.pressure.degree < Degree.OVERLOADED
        return calm and self.advisor.may_estimate(game.rules)

    async def _estimate(self, table: Table) -> Chances | None:
        game = replace(table.game, before=None)
        try:
            asked = estimated, self.advisor, game
            shares, off = await self.tasks.aside(asker_of(table), *asked)
        except FarkleError:
            return None
        chances = Chances(shares, off)
        self._remember(table.game, chances)
        known = self._estimates.get(game.id)
        if known is None or known[0].version <= game.version:
            self._estimates[game.id] = game, chances
        return chances

    def _forget(self, game: Game) -> None:
        """Let go of what was remembered of a game that is over."""
        self._estimates.pop(game.id, None)
        self._readers.forget(game.id)
        self._between.pop(game.id, None)

    def _remember(self, game: Game, chances: Chances) -> None:
        """Keep the chances between two turns for as long as the second goes on."""
        if game.turn == game.first_turn:
            self._between[game.id] = _between_turns(game), replace(chances, last=None)

    def results(self, table: Table) -> list[GameResult]:
        """What is kept of a game with a result, by seat."""
        game = table.game
        results = results_of(game)
        try:
            if results and self.is_exact(game) and _is_light(game):
                reader = self._readers.whole(self.advisor.worth_in(game), table)
                both = zip(results, reader.losses, reader.luck, strict=True)
                return [
                    replace(result, accuracy=accuracy(losses), luck=fsum(luck))
                    for result, losses, luck in both
                ]
        except Exception:  # a game that is over is kept, whatever its review comes to
            logger.exception("game %s is kept without what its review says", game.id)
        return results


def _between_turns(game: Game) -> Game:
    """What decides the chances before the turn under way: the game without what rolls change."""
    stage = Stage.PLAY if game.stage is Stage.LOBBY else game.stage
    begun = game.at_turn_start
    return replace(begun, stage=stage, before=None, version=0, rolls=0, seeds=())


def _is_light(game: Game) -> bool:
    """Whether a turn of a game is solved in no time, whatever players bring to it."""
    return game.matchup is None or is_light(game.matchup)


def asker_of(table: Table) -> Asker:
    """The one for whom what a table needs is computed: the first person who sat down."""
    people = (seat.person for seat in table.stored.seats if seat.person)
    return Asker(next(people, ""), table.stored.place)
