"""Win probabilities of games under way: exact for two players, an estimate for more."""

import asyncio
import contextlib
import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from bot.review.chart import ChartPoint, GameChart
from bot.review.moments import (
    Reader,
    TurnChange,
    effective_events,
    read_events,
    read_on,
    win_probability,
)
from bot.review.review import PlayerReview, Review, review
from bot.services.advisor import Advisor
from bot.services.tables import Table
from bot.store.rows import GameResult
from bot.table.events import Undone
from bot.table.state import Game, Stage, begin, turn_after
from solver.errors import FarkleError, StrategyFileError
from solver.game.endgame import last_turn
from solver.game.position import first_position
from solver.game.standings import by_seat
from solver.play.estimate import estimate
from solver.play.policies import MaxPoints, Optimal, Policy, TurnView, make_policy
from solver.rules.ruleset import Ruleset
from solver.strategy import Strategy
from solver.turn.scoring import after_set_aside, set_asides

_GAMES = 20_000
"""Games simulated for an estimate."""
_GOAL = 10_000
_CHART_GAMES = 2_000
"""Games simulated for one point of a chart."""


@dataclass(frozen=True, slots=True)
class Chances:
    """Each player's chance to win."""

    win_probabilities: tuple[float, ...]
    standard_error: float | None
    """Of an estimate; None where the chances are exact."""
    last: TurnChange | None = None
    """What the turn that just ended did, where that is known exactly."""


class Oracle:
    """Tells chances, in threads: the event loop never waits for a table."""

    def __init__(self, advisor: Advisor) -> None:
        self.advisor = advisor
        self._generator = np.random.default_rng()
        self._estimates: dict[str, tuple[int, Chances]] = {}
        """By game: its version and what was estimated then."""
        self._readers: dict[str, tuple[int, Reader]] = {}
        """By game: how many of its events were read, and by whom."""
        self._reading = threading.Lock()

    def strategy(self, rules: Ruleset) -> Strategy | None:
        """The strategy of the rules if they are solved."""
        try:
            return self.advisor.strategy(rules)
        except StrategyFileError:
            return None

    def policy(self, level: str, rules: Ruleset) -> Policy:
        """The policy of a bot's level.

        Raises InvalidRequestError for an unknown level, StrategyFileError where the level needs
        a strategy that is not there.
        """
        optimal = level == Optimal.name
        return make_policy(level, self.advisor.needed(rules) if optimal else self.strategy(rules))

    def best_level(self, rules: Ruleset) -> str:
        """The strongest level that bots can play at under the rules."""
        return Optimal.name if self.strategy(rules) else MaxPoints.name

    def start(self, rules: Ruleset) -> float | None:
        """The chance of the player who begins, if the rules are solved."""
        strategy = self.strategy(rules)
        return strategy.win_probability(first_position(rules)) if strategy else None

    def is_exact(self, game: Game) -> bool:
        """Whether chances of a game are exact."""
        return len(game.seats) == 2 and self.strategy(game.rules) is not None

    async def chances(self, table: Table) -> Chances | None:
        """The chances now; None while nobody can play yet, or where they cannot be told."""
        # what was done at the table is done, whatever becomes of them
        with contextlib.suppress(FarkleError):
            return await asyncio.to_thread(self._chances, table)
        return None

    async def chart(self, table: Table) -> GameChart | None:
        """The chances after every turn, of a game with a result; None where they cannot be told."""
        if table.game.shares is None:
            return None
        # what was done at the table is told, whatever becomes of its chart
        with contextlib.suppress(FarkleError):
            return await asyncio.to_thread(self._chart, table)
        return None

    async def review(self, table: Table) -> Review:
        """Every decision of a game that is over. Raises StrategyFileError."""
        return await asyncio.to_thread(
            lambda: review(self.advisor.needed(table.game.rules), table.begun, table.events)
        )

    async def results(self, table: Table) -> list[GameResult]:
        """What is kept of a game with a result, by seat."""
        return await asyncio.to_thread(self._results, table)

    def _chances(self, table: Table) -> Chances | None:
        game = table.game
        if len(game.seats) < 2 or (game.over and game.shares is None):
            self._forget(game)
            return None
        strategy = self.strategy(game.rules)
        if len(game.seats) == 2 and strategy:
            return Chances(win_probability(strategy, game), None, self._last_turn(strategy, table))
        # estimated once, so that nobody sees two numbers for one position
        version, known = self._estimates.get(game.id, (0, None))
        if known is None or version != game.version:
            known = self._estimate(game, _GAMES)
            if version < game.version:
                self._estimates[game.id] = game.version, known
        if game.over:
            self._forget(game)
        return known

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

    def _estimate(self, game: Game, games: int) -> Chances:
        if game.shares is not None:
            return Chances(game.shares, None)
        if game.stage is Stage.PLAY_OFF:
            return _in_play_off(game)
        rules, turn, goes_on = game.rules, game.turn, False
        if turn.roll is not None:
            # as whoever plays for points would go on
            view = TurnView(rules, game.position(), turn.roll)
            choice = make_policy("max-points").choose(view)
            turn, goes_on = turn_after(rules, turn, choice.set_aside), not choice.bank
        playing = [k for k, seat in enumerate(game.seats) if seat.playing]
        seats = [game.seats[k] for k in playing]
        # longer games take longer to play, and need no more of them
        games = max(1_000, min(games, games * _GOAL // rules.goal))
        found = estimate(
            rules,
            [replace(seat.standing, score=max(seat.score, rules.score_floor)) for seat in seats],
            playing.index(game.mover),
            turn.state,
            self._generator,
            games=games,
            waiting=[playing.index(seat) for seat in game.waiting],
            roll=goes_on,
        )
        chances = dict(zip(playing, found.win_probabilities, strict=True))
        return Chances(
            tuple(chances.get(k, 0.0) for k in range(len(game.seats))), found.standard_error
        )

    def _chart(self, table: Table) -> GameChart:
        points: list[ChartPoint] = []
        strategy = self.strategy(table.game.rules) if len(table.game.seats) == 2 else None
        chances: tuple[float, ...]
        before: Game | None = None
        for _, _, game in [
            (0, None, begin(table.begun)),
            *effective_events(table.begun, table.events),
        ]:
            ended = before is None or game.last is not before.last or game.over > before.over
            before = game
            sitting_down = game.stage is Stage.LOBBY
            if not (ended or sitting_down) or len(game.seats) < 2:
                continue
            if sitting_down:
                points.clear()
            if strategy:
                chances = win_probability(strategy, game)
            else:
                chances = self._estimate(game, _CHART_GAMES).win_probabilities
            scores = tuple(seat.score for seat in game.seats)
            points.append(ChartPoint(str(len(points)), chances, scores))
        players = len(table.game.seats)
        return GameChart(
            table.names, tuple(point for point in points if len(point.scores) == players)
        )

    def _results(self, table: Table) -> list[GameResult]:
        game = table.game
        if game.shares is None:
            return []
        strategy = self.strategy(game.rules)
        reviewed: Sequence[PlayerReview | None] = [None] * len(game.seats)
        if len(game.seats) == 2 and strategy:
            reviewed = review(strategy, table.begun, table.events).players
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
            for number, (seat, found) in enumerate(zip(game.seats, reviewed, strict=True))
        ]


def _in_play_off(game: Game) -> Chances:
    """Chances in a play-off: exact for two; of more each one is as good until it has played.

    The least that others have to beat takes its chance from those who have less.
    """
    others = [seat for seat in game.waiting if seat != game.mover]
    most = max((points for _, points in game.played_off), default=0)
    best = [seat for seat, points in game.played_off if points == most]
    left = [game.mover, *others, *best]
    shares = dict.fromkeys(left, 1 / len(left))
    if len(left) == 2:
        rules, turn = game.rules, game.turn
        table = last_turn(rules, most if game.played_off else None, on_board=True)
        states = [turn.state]
        if turn.roll is not None:
            kept = set_asides(rules, turn.roll)
            states = [after_set_aside(rules, turn.state, one) for one in kept]
        chance = max(table.value(state) for state in states)
        shares = dict(zip([game.mover, left[1]], by_seat(chance, 0), strict=True))
    found = tuple(shares.get(seat, 0.0) for seat in range(len(game.seats)))
    return Chances(found, None if len(left) == 2 else 0.5 / len(left))
