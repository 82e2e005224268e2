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
from solver.game.best import BestPlay
from solver.game.position import Position
from solver.play.advice import advise, best_after, odds
from solver.turn.dice import Roll, TurnState
from solver.turn.equations import Floats, TurnTable
from solver.turn.powers import PowerKind

Shares = tuple[float, ...]
"""A win probability for each seat; they add up to 1."""


@dataclass(frozen=True)
class TurnWorth:
    """One turn of a game: what its states are worth."""

    count: int
    """The number of seats."""
    seats: tuple[int, ...]
    """The seats of those who play, the mover first."""
    position: Position
    """Where the turn is now, with all who play or the mover and the strongest of the others."""
    strategy: BestPlay

    @property
    def start(self) -> Shares:
        """The win probabilities at the start of the turn."""
        return self._shares(self.strategy.start_values(self.position))

    @cached_property
    def table(self) -> TurnTable:
        """The whole turn, solved."""
        return self.strategy.turn(self.position)

    @cached_property
    def _has_badges(self) -> bool:
        """Whether players have badges that are used up."""
        return self.strategy.power_turn(self.position) is not None

    def after_roll(self, roll: Roll, misses: int = 0) -> Shares:
        """The win probabilities after a roll and the best choice, or after a farkle.

        misses : how often these dice have farkled before, where they are thrown again
        """
        if self.strategy.players == 2 and not self._has_badges:
            values = best_after(self.strategy, self.table, self.position, roll, misses)
            return self._shares(values)
        advice = advise(self.strategy, self.position, roll, misses)
        if advice.best > advice.win_probability:
            return self._shares(np.array([advice.best]))
        return self._shares(np.array(advice.chances)[list(self.position.in_order)])

    def after_misses(self, misses: int, tries: int) -> Shares:
        """Once dice have farkled so often that are thrown again, `tries` times at most."""
        return self._shares(self.table.after_misses(self.position.turn, misses, tries))

    def value(self, turn: TurnState) -> Shares:
        """The win probabilities in a state of the turn with the better of bank and roll."""
        return self._shares(self.table.values_at(turn))

    def roll_and_bank(self, turn: TurnState) -> tuple[Shares, Shares | None]:
        """The shares after rolling and after banking, without a badge; None where it may not be."""
        at = replace(self.position, turn=turn, offered=None)
        if self._has_badges:
            roll, bank = self.strategy.without_badge(at)
        else:
            table = self.strategy.turn_of_checked(at)
            roll, bank = table.roll_values(turn), table.bank_values(turn)
        return self._shares(roll), None if bank is None else self._shares(bank)

    def uses(self, roll: Roll | None) -> list[tuple[PowerKind, Roll, Shares]]:
        """What a badge allows on a roll, or before the next one, with the dice that it takes.

        The position is that before the roll.
        """
        if roll is not None:
            uses = advise(self.strategy, self.position, roll).uses
        else:
            use = odds(self.strategy, self.position).use_now
            uses = (use,) if use else ()
        return [(use.kind, use.dice, self._shares(np.array([use.win_probability]))) for use in uses]

    def farkle_chance(self, turn: TurnState) -> float:
        """Chance that rolling in a state of the turn is a farkle."""
        return float(self.table.plan.farkle_chances[self.table.plan.column(turn)])

    def _shares(self, values: Floats) -> Shares:
        """Win probabilities by seat, from the mover's of two or those of all in order of turns."""
        listed = values.tolist()
        listed += [1 - listed[0]] if len(listed) == 1 else []
        shares = [0.0] * self.count
        for seat, share in zip(self.seats, listed, strict=True):
            shares[seat] = share
        return tuple(shares)


@dataclass(frozen=True)
class _OfPlayOff(TurnWorth):
    """A turn of a play-off of several that is played as if there were only the least to beat."""

    is_last: bool = False
    """Whether nobody has a turn after it, so that the win is the mover's who beats that."""

    def _shares(self, values: Floats) -> Shares:
        left = len(self.seats)
        own = float(values[0]) if self.is_last else min(1.0, 2 * float(values[0]) / left)
        shares = [0.0] * self.count
        for seat in self.seats:
            shares[seat] = (1 - own) / (left - 1)
        shares[self.seats[0]] = own
        return tuple(shares)


class Worth:
    """Win probabilities by seat in games of a rule set, with best play by all from then on."""

    def __init__(
        self, strategy: Callable[[Game, int], BestPlay], within: float | None = None
    ) -> None:
        """Take what gives the strategy of so many who play in a game.

        It raises StrategyFileError, and InvalidRequestError where nobody knows the chances.
        """
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
        if game.turn.misses:
            return turn.after_misses(game.turn.misses, game.tries)
        if not game.turn.turn_total:
            return turn.start
        state = game.turn.state
        uses_badge = game.held.uses is not None
        return turn.value(state) if game.may_bank or uses_badge else turn.roll_and_bank(state)[0]

    def turn(self, game: Game) -> TurnWorth:
        """The turn that a game is at. Raises StrategyFileError."""
        count, seats = len(game.seats), game.in_order
        playing_off = game.stage is Stage.PLAY_OFF
        if game.all_play_off and len(seats) > 2:
            whole = self._strategy(game, len(seats))
            if whole.within is None:
                return TurnWorth(count, seats, game.position_of_all(), whole)
        if playing_off and count > 2:
            pairs = self._strategy(game, 2).of_two
            is_last = len(game.waiting) == 1
            return _OfPlayOff(count, game.contenders, game.position(), pairs, is_last)
        strategy = self._strategy(game, len(seats))
        if playing_off:
            strategy = strategy.of_two
        if len(seats) > 2 or len(game.kits) > 2:
            return TurnWorth(count, seats, game.position_of_all(), strategy)
        position, floor = game.position(), strategy.rules.score_floor
        if min(position.banked, position.opponent) < floor:
            banked, opponent = max(position.banked, floor), max(position.opponent, floor)
            position = position.change(banked=banked, opponent=opponent)
        return TurnWorth(count, seats, position, strategy)
