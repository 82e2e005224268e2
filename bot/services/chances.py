"""Win probabilities of games under way: exact for two players, an estimate for more."""

import asyncio
import contextlib
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from bot.review.chart import GameChart
from bot.review.moments import Reader, TurnChange, read_events, read_on, win_probability
from bot.review.review import PlayerReview, Review, review
from bot.services.advisor import Advisor
from bot.services.reckoning import GAMES, banked, charted, decided, estimated_on, reviewed
from bot.services.tables import Table
from bot.store.rows import GameResult
from bot.table.events import Undone
from bot.table.state import Game
from bot.tasks.answering import at_once
from bot.tasks.pressure import Degree
from bot.tasks.tasks import ASIDE_SECONDS, Delay, Tasks
from bot.tasks.turns import Asker
from solver.errors import FarkleError
from solver.game.position import first_position
from solver.play.estimate import distinct_turns
from solver.play.policies import MaxPoints, Move, Optimal
from solver.rules.ruleset import Ruleset
from solver.strategy import Strategy
from solver.wording import say_later

T = TypeVar("T")

_OUTCOME_SECONDS = 3e-5
"""About what a turn total takes of a turn for most points."""
_MOST_TOLD = 500
"""Games of which is remembered what was told of their chances."""
_QUICK_ROWS = 1_000
"""Turn totals of a turn that is solved at once."""


@dataclass(frozen=True, slots=True)
class Chances:
    """Each player's chance to win."""

    win_probabilities: tuple[float, ...]
    standard_error: float | None
    """Of an estimate; None where the chances are exact."""
    last: TurnChange | None = None
    """What the turn that just ended did, where that is known exactly."""


class Oracle:
    """Tells chances: exact ones at once, others from a worker; the event loop never waits."""

    def __init__(self, advisor: Advisor, tasks: Tasks | None = None) -> None:
        self.advisor = advisor
        self.tasks = tasks or Tasks(workers=0)
        self._generator = np.random.default_rng()
        self._estimates: dict[str, tuple[int, Chances]] = {}
        """By game: its version and what was estimated then."""
        self._told: dict[str, dict[int, tuple[float, ...]]] = {}
        """By game, of the last ones: estimates by version, for its chart to show the same."""
        self._estimating: dict[str, asyncio.Task[Chances | None]] = {}
        """By game: what is not estimated yet."""
        self._readers: dict[str, tuple[int, Reader]] = {}
        """By game: how many of its events were read, and by whom."""
        self._reading = threading.Lock()

    def best_level(self, rules: Ruleset) -> str:
        """The strongest level that bots can play at under the rules."""
        return Optimal.name if self.advisor.solved(rules) else MaxPoints.name

    def start(self, rules: Ruleset) -> float | None:
        """The chance of the player who begins, if the rules are solved."""
        strategy = self.advisor.solved(rules)
        return strategy.win_probability(first_position(rules)) if strategy else None

    def is_exact(self, game: Game) -> bool:
        """Whether chances of a game are exact."""
        return len(game.seats) == 2 and self.advisor.solved(game.rules) is not None

    async def chances(self, table: Table) -> Chances | None:
        """The chances now; None while nobody can play yet, or where they cannot be told."""
        game = table.game
        if len(game.seats) < 2 or (game.over and game.shares is None):
            self._forget(game)
            return None
        found = None
        # what was done at the table is done, whatever becomes of them
        with contextlib.suppress(FarkleError):
            found = await at_once(self._exact, table) or await self._estimated(table)
        if game.over:
            self._forget(game)
        return found

    async def chart(self, table: Table) -> GameChart | None:
        """The chances after every turn, of a game with a result; None where they cannot be told."""
        game = table.game
        if game.shares is None:
            return None
        told = dict(self._told.get(game.id, {}))
        asked = self.advisor, table.names, table.begun, table.events, self._generator, told
        # what was done at the table is told, whatever becomes of its chart
        with contextlib.suppress(FarkleError, TimeoutError):
            if is_quick(game.rules) and await at_once(self.is_exact, game):
                chart, _ = await at_once(charted, *asked)
                return chart
            if self._may_estimate(game.rules):
                async with asyncio.timeout(self.tasks.limits.patience):
                    chart, self._generator = await self.tasks.aside(
                        asker_of(table), charted, *asked
                    )
                    return chart
        return None

    def review(self, table: Table, asker: Asker) -> AsyncIterator[Delay | Review]:
        """Every decision of a game that is over, and before it how long there is to wait.

        Raises StrategyFileError, InvalidRequestError and TaskError.
        """
        asked = self.advisor, table.begun, table.events
        return self.tasks.told(asker, say_later("review"), reviewed, *asked)

    async def results(self, table: Table) -> list[GameResult]:
        """What is kept of a game with a result, by seat."""
        return await at_once(self._results, table)

    async def decided(self, table: Table) -> Move:
        """What the bot that is to move does with the roll. Raises StrategyFileError, TaskError."""
        game = replace(table.game, before=None)
        return await self.answered(asker_of(table), game.rules, decided, self.advisor, game)

    async def banked(self, table: Table) -> bool:
        """Whether the bot that is to move banks. Raises StrategyFileError, TaskError."""
        game = replace(table.game, before=None)
        return await self.answered(asker_of(table), game.rules, banked, self.advisor, game)

    async def answered(self, asker: Asker, rules: Ruleset, make: Callable[..., T], *args: Any) -> T:
        """What a function of a module makes of a turn: at once, unless the rules make it long.

        Raises what it raises, and TaskError.
        """
        if is_quick(rules):
            return await at_once(make, *args)
        return await self.tasks.aside(asker, make, *args)

    def _exact(self, table: Table) -> Chances | None:
        """The chances if they are exact."""
        game = table.game
        strategy = self.advisor.solved(game.rules) if len(game.seats) == 2 else None
        if strategy is None:
            return None if game.shares is None else Chances(game.shares, None)
        return Chances(win_probability(strategy, game), None, self._last_turn(strategy, table))

    async def _estimated(self, table: Table) -> Chances | None:
        """The chances as they are estimated: once, so that nobody sees two for one position."""
        game = table.game
        version, known = self._estimates.get(game.id, (0, None))
        if known is not None and version == game.version:
            return known
        return await self._in_time(table) if self._may_estimate(game.rules) else None

    def _may_estimate(self, rules: Ruleset) -> bool:
        """Whether there is time for an estimate, which takes longest the first time."""
        quick = seconds_of_estimate(rules) <= ASIDE_SECONDS / 2
        return quick and self.tasks.pressure.degree < Degree.OVERLOADED

    async def _in_time(self, table: Table) -> Chances | None:
        """An estimate, unless it takes too long; then it is there when it is asked for next."""
        game_id = table.game.id
        if game_id in self._estimating:
            return None
        task = self._estimating[game_id] = asyncio.create_task(self._estimate(table))
        task.add_done_callback(lambda _: self._estimating.pop(game_id, None))
        done, _ = await asyncio.wait({task}, timeout=self.tasks.limits.patience)
        return task.result() if done else None

    async def _estimate(self, table: Table) -> Chances | None:
        game = replace(table.game, before=None)
        asked = estimated_on, game, GAMES, self._generator
        try:
            (shares, error), self._generator = await self.tasks.aside(asker_of(table), *asked)
        except FarkleError:
            return None
        found = Chances(shares, error)
        self._told.setdefault(game.id, {})[game.version] = shares
        if len(self._told) > _MOST_TOLD:
            del self._told[next(iter(self._told))]
        version, _ = self._estimates.get(game.id, (0, None))
        if version < game.version:
            self._estimates[game.id] = game.version, found
        return found

    def _forget(self, game: Game) -> None:
        """Let go of what was remembered of a game that is over."""
        self._estimates.pop(game.id, None)
        self._readers.pop(game.id, None)

    def _last_turn(self, strategy: Strategy, table: Table) -> TurnChange | None:
        """What the last finished turn changed; only what happened since the last time is read."""
        game_id, events = table.game.id, table.events
        with self._reading:
            done, reader = self._readers.pop(game_id, (0, None))
            if reader is not None and done > len(events):
                # who asks looks at an older state
                self._readers[game_id] = done, reader
                changes = read_events(strategy, table.begun, events).changes
                return changes[-1] if changes else None
            later = events[done:]
            if reader is None or any(isinstance(event, Undone) for event in later):
                reader = read_events(strategy, table.begun, events)
            else:
                read_on(reader, done, later)
            reader.forget()
            if not table.game.over:
                self._readers[game_id] = len(events), reader
            return reader.changes[-1] if reader.changes else None

    def _results(self, table: Table) -> list[GameResult]:
        game = table.game
        if game.shares is None:
            return []
        strategy = self.advisor.solved(game.rules)
        players: Sequence[PlayerReview | None] = [None] * len(game.seats)
        if len(game.seats) == 2 and strategy:
            players = review(strategy, table.begun, table.events).players
        return [
            GameResult(
                seat=number,
                share=game.shares[number],
                points=seat.score,
                turns=seat.turns,
                farkles=seat.farkled,
                biggest_turn=seat.biggest_turn,
                accuracy=found.accuracy if found else None,
                luck=found.luck if found else None,
            )
            for number, (seat, found) in enumerate(zip(game.seats, players, strict=True))
        ]


def is_quick(rules: Ruleset) -> bool:
    """Whether a turn of the rules is solved in milliseconds."""
    return turn_rows(rules) <= _QUICK_ROWS


def turn_rows(rules: Ruleset) -> int:
    """How many turn totals are solved for one turn, for each of its levels."""
    steps = (rules.winning_score - rules.score_floor) // rules.point_step
    return steps * max(1, len(rules.hot_dice_bonus))


def seconds_of_estimate(rules: Ruleset) -> float:
    """About how long the first estimate under rules takes: turns from many scores are solved."""
    rows = turn_rows(rules)
    return _OUTCOME_SECONDS * rows * distinct_turns(rules) / 2


def asker_of(table: Table) -> Asker:
    """For whom something is computed that a table needs: the first person who sat down."""
    people = (seat.person for seat in table.stored.seats if seat.person)
    return Asker(next(people, ""), table.stored.place)
