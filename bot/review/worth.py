"""What a game under way is worth to every seat, by the strategy of as many as play.

Who has resigned wins nothing, and the others play on as if they were all; so a game of three comes
to be one of two.

In a play-off at a table of more than two, where it is not one of all and they are solved, a turn is
played as if there were only the least to beat. Where two are left that is exact; of more, who moves
has as many times an even share as such a turn is worth more than a half, and the others share the
rest.

A score below the score floor of a strategy counts as the floor.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from bot.table.state import Game, Stage
from solver.errors import IllegalActionError, InvalidRequestError
from solver.game.many_best import SharedPosition, SharedStrategy
from solver.game.position import Position
from solver.loaded.matchup import Matchup
from solver.loaded.strategy import Held
from solver.play.estimate import EstimatedStrategy
from solver.play.many_advice import advise_shared
from solver.play.seats import (
    Solved,
    seat_chance,
    seat_roll,
    seat_turn,
    seat_uses,
    seat_without,
)
from solver.turn.dice import Remaining, Roll
from solver.turn.equations import Floats, TurnTable
from solver.turn.powers import PowerKind
from solver.turn.scoring import TurnState

Shares = tuple[float, ...]
"""A win probability for each seat; they add up to 1."""


@dataclass(frozen=True)
class TurnWorth:
    """One turn of a game: what its states are worth."""

    count: int
    """Of seats."""
    seats: tuple[int, ...]
    """Of those who play, the mover first."""
    position: Position | SharedPosition
    """Where the turn is now; a Position where two play."""

    @property
    def start(self) -> Shares:
        """At the start of the turn."""
        raise NotImplementedError

    @cached_property
    def table(self) -> TurnTable:
        """The whole turn, solved."""
        raise NotImplementedError

    def after_roll(self, roll: Roll) -> Shares:
        """After a roll and the best choice, or after the farkle that it is."""
        raise NotImplementedError

    def value(self, turn: TurnState) -> Shares:
        """With the better of bank and roll."""
        return self._shares(self.table.values_at(turn))

    def roll_value(self, turn: TurnState) -> Shares:
        """Of rolling."""
        return self._shares(self.table.roll_values(turn))

    def bank_value(self, turn: TurnState) -> Shares | None:
        """Of banking; None where that is not allowed."""
        bank = self.table.bank_values(turn)
        return None if bank is None else self._shares(bank)

    def uses(self, roll: Roll | None) -> list[tuple[PowerKind, Roll, Shares]]:
        """What a badge allows on a roll, or before the next one, with the dice that it takes."""
        raise NotImplementedError

    def farkle_chance(self, dice: Remaining) -> float:
        """Chance that rolling so many dice is a farkle."""
        return float(self.table.plan.farkle_chances[dice - 1])

    def _shares(self, value: float | Floats) -> Shares:
        """By seat, given the mover's of two or those of all who play, the mover first."""
        values = np.ravel(value).tolist()
        values += [1 - values[0]] if len(values) == 1 else []
        found = [0.0] * self.count
        for seat, one in zip(self.seats, values, strict=True):
            found[seat] = one
        return tuple(found)


@dataclass(frozen=True)
class _OfTwo(TurnWorth):
    position: Position
    strategy: Solved
    held: Held
    """What is left of badges that are used up."""

    @property
    def start(self) -> Shares:
        return self._shares(seat_chance(self.strategy, self.seats[0], self.position, self.held))

    @cached_property
    def table(self) -> TurnTable:
        return seat_turn(self.strategy, self.seats[0], self.position, self.held)

    def after_roll(self, roll: Roll) -> Shares:
        found = seat_roll(self.strategy, self.seats[0], self.position, roll, self.held)
        return self._shares(found)

    def roll_value(self, turn: TurnState) -> Shares:
        if (found := self._without(turn)) is None:
            return super().roll_value(turn)
        return self._shares(found[0])

    def bank_value(self, turn: TurnState) -> Shares | None:
        if (found := self._without(turn)) is None:
            return super().bank_value(turn)
        return None if found[1] is None else self._shares(found[1])

    def uses(self, roll: Roll | None) -> list[tuple[PowerKind, Roll, Shares]]:
        """As it says above; the position is that before the roll."""
        found = seat_uses(self.strategy, self.seats[0], self.position, roll, self.held)
        return [(one.kind, one.dice, self._shares(one.win_probability)) for one in found]

    def _without(self, turn: TurnState) -> tuple[float, float | None] | None:
        """Of rolling and of banking without a badge that is used up, where players have some."""
        return seat_without(self.strategy, self.seats[0], self.position, turn, self.held)


@dataclass(frozen=True)
class _OfMany(TurnWorth):
    shared: SharedPosition
    strategy: SharedStrategy

    @property
    def start(self) -> Shares:
        whole = self.strategy.whole(self.shared.mover)
        return self._shares(self.table.values_at(TurnState(0, whole)))

    @cached_property
    def table(self) -> TurnTable:
        return self.strategy.turn(self.shared)

    def uses(self, roll: Roll | None) -> list[tuple[PowerKind, Roll, Shares]]:  # noqa: ARG002
        """None: badges are for games of two."""
        return []

    def after_roll(self, roll: Roll) -> Shares:
        chances = np.array(advise_shared(self.strategy, self.shared, roll).chances)
        return self._shares(chances[list(self.shared.in_order)])


@dataclass(frozen=True)
class _OfPlayOff(_OfTwo):
    def _shares(self, value: float | Floats) -> Shares:
        left = len(self.seats)
        own = min(1.0, 2 * float(np.ravel(value)[0]) / left)
        found = [0.0] * self.count
        for seat in self.seats:
            found[seat] = (1 - own) / (left - 1)
        found[self.seats[0]] = own
        return tuple(found)


class Worth:
    """Win probabilities by seat in games of a rule set, with best play by all from then on."""

    def __init__(
        self, strategy: Callable[[int], Solved | SharedStrategy], within: float | None = None
    ) -> None:
        """Of what gives the strategy of a number of players, and raises StrategyFileError."""
        self._strategy = strategy
        self.within = within
        """What 95 in 100 of them are off by at most; None where they are exact."""

    def shares(self, game: Game) -> Shares:
        """The win probability of every seat as the game is now.

        Raises InvalidRequestError where somebody sits there alone, IllegalActionError where it was
        ended without a result, and StrategyFileError where it is not solved for as many as play.
        """
        if len(game.seats) < 2:
            raise InvalidRequestError.say("win probabilities need two players or more")
        if game.shares is not None:
            return game.shares
        if game.over:
            raise IllegalActionError.say(
                "the game was ended without a result, so nobody can win it"
            )
        turn = self.turn(game)
        if game.turn.roll is not None:
            return turn.after_roll(game.turn.roll)
        if not game.turn.turn_total:
            return turn.start
        state = game.turn.state
        uses_badge = game.held.uses is not None
        return turn.value(state) if game.may_bank or uses_badge else turn.roll_value(state)

    def strategy_of(self, game: Game, players: int) -> Solved | SharedStrategy:  # noqa: ARG002
        """The strategy of so many who play in a game. Raises StrategyFileError."""
        return self._strategy(players)

    def turn(self, game: Game) -> TurnWorth:
        """The turn that a game is at. Raises StrategyFileError."""
        count = len(game.seats)
        order = [(game.mover + k) % count for k in range(count)]
        seats = tuple(k for k in order if game.seats[k].playing)
        position, playing_off = game.position(), game.stage is Stage.PLAY_OFF
        if game.all_play_off and len(seats) > 2:
            whole = self._strategy(len(seats))
            if isinstance(whole, SharedStrategy) and not isinstance(whole, EstimatedStrategy):
                shared = game.shared_position()
                return _OfMany(count, seats, shared, shared, whole)
        if playing_off and count > 2:
            return _OfPlayOff(count, _left(game), position, self._two(), game.held)
        strategy = self._two() if playing_off else self.strategy_of(game, len(seats))
        if isinstance(strategy, SharedStrategy):
            shared = game.shared_position()
            here = position if len(seats) == 2 else shared
            return _OfMany(count, seats, here, shared, strategy)
        floor = strategy.rules.score_floor
        above = replace(
            position, banked=max(position.banked, floor), opponent=max(position.opponent, floor)
        )
        return _OfTwo(count, seats, above, strategy, game.held)

    def _two(self) -> Solved:
        found = self._strategy(2)
        if isinstance(found, EstimatedStrategy):
            return found.pairs
        if isinstance(found, SharedStrategy):  # never, as they are two
            raise TypeError(found)
        return found


class WorthOfDice(Worth):
    """The same of games to which more than two players bring dice of their own."""

    def __init__(self, solved: Callable[[Matchup], SharedStrategy]) -> None:
        """Of what gives the strategy of those who play, and raises StrategyFileError."""
        super().__init__(self._no_number)
        self._solved = solved

    def strategy_of(self, game: Game, players: int) -> SharedStrategy:  # noqa: ARG002
        """As it says above."""
        if (matchup := game.many_matchup) is None:
            raise not_solved_with_dice()
        return self._solved(matchup)

    def _no_number(self, _: int) -> SharedStrategy:
        raise not_solved_with_dice()


def not_solved_with_dice() -> InvalidRequestError:
    """That nobody knows the chances of a game of several with dice of their own."""
    return InvalidRequestError.say(
        "this game of more than two players with their own dice is not solved, so its win"
        " probabilities are not known"
    )


def _left(game: Game) -> tuple[int, ...]:
    """Who can still win a play-off, the mover first."""
    most = max((points for _, points in game.played_off), default=0)
    best = [seat for seat, points in game.played_off if points == most]
    return (game.mover, *(seat for seat in game.waiting if seat != game.mover), *best)
