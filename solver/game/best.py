"""Best play of a solved game, whoever plays it and with what dice: what answers are made of."""

from collections.abc import Hashable
from functools import partial
from typing import Any

import numpy as np

from solver.errors import InvalidPositionError
from solver.game.position import (
    Position,
    check_dice,
    check_hot_dice,
    check_turn,
    impossible_turn,
    reachable,
    rules_at,
)
from solver.game.standings import Bools
from solver.rules.ruleset import Ruleset
from solver.turn.dice import Remaining
from solver.turn.equations import Floats, TurnTable
from solver.turn.hand import EqualDice, Hand
from solver.turn.scoring import TurnPlan


class BestPlay:
    """Best play of a game by all who play it.

    Players are known by their place in the order of turns, as in `Position.players`. Here all throw
    the dice of the rules; who lets players bring their own says what each throws.
    """

    within: float | None = None
    """What 95 in 100 chances are off by at most, where they are estimates."""

    matchup: Hashable | None = None
    """What players bring; None where all throw the dice of the rules."""

    def __init__(self, rules: Ruleset, players: int) -> None:
        self.rules, self.players = rules, players

    def turn(self, position: Position) -> TurnTable:
        """Return the turn that a position belongs to, with values of the mover alone or of all.

        Raises InvalidPositionError for a position that has no value, and StrategyFileError.
        """
        raise NotImplementedError

    def turn_left_alone(self, position: Position) -> TurnTable:
        """Return the turn as it would be if nobody could take over what it leaves."""
        return self.turn(position)

    def turn_of_checked(self, position: Position) -> TurnTable:
        """Return the turn of a position that follows from one that was checked."""
        return self.turn(position)

    def check_players(self, position: Position) -> None:
        """Refuse players who cannot be where they are. Raises InvalidPositionError."""
        raise NotImplementedError

    def refresh(self) -> None:
        """Take the values anew if their file is not what it was. Raises StrategyFileError."""

    def hand(self, mover: int) -> Hand:  # noqa: ARG002 - all throw the same dice
        """Return a player with the dice that are thrown."""
        return EqualDice(self.rules)

    def hand_at(self, position: Position) -> Hand:
        """Return the player to move with the dice that are thrown in the turn of a position."""
        rules = rules_at(self.rules, position)
        return self.hand(position.mover) if rules is self.rules else EqualDice(rules)

    def plan(self, mover: int) -> TurnPlan:
        """Return what the rolls of a player offer, with all options where all have values."""
        hand = self.hand(mover)
        return hand.plan if self.players == 2 else hand.plan_with_all

    def whole(self, mover: int) -> Remaining:
        """Return all dice of a player, as remaining dice."""
        return self.hand(mover).dice.whole

    def possible(self, mover: int) -> Bools:  # noqa: ARG002
        """Return the states that a turn of a player comes to, (levels, turn totals, columns)."""
        return reachable(self.rules)

    def possible_rows(self, position: Position, rows: int) -> Bools:
        """Return the states that the turn of a position comes to, of so many turn totals.

        As of `possible`, where the last turn total stands for all that follow.
        """
        rules = rules_at(self.rules, position)
        found = self.possible(position.mover) if rules is self.rules else reachable(rules)
        return found[:, np.minimum(np.arange(rows), found.shape[1] - 1)]

    def is_reachable(self, position: Position) -> bool:
        """Whether rolls lead to the turn of a position that has a value."""
        return not impossible_turn(rules_at(self.rules, position), position.turn)

    def check(self, position: Position) -> None:
        """Refuse a position that has no value. Raises InvalidPositionError."""
        if len(position.players) != self.players:
            raise InvalidPositionError.say(
                "this strategy is for {players} players, not {number}",
                players=self.players,
                number=len(position.players),
            )
        self.check_players(position)
        self.check_turn(position)

    def check_turn(self, position: Position) -> None:
        """Refuse a turn that has no value. Raises InvalidPositionError."""
        mover = position.mover
        check_dice(self.rules, position.dice)
        check_hot_dice(position.hot_dice)
        thrown, possible = self.hand(mover).dice, partial(self.possible, mover)
        check_turn(rules_at(self.rules, position), position.turn, thrown, possible)

    @property
    def of_two(self) -> "BestPlay":
        """Return what is known of games of two of the players."""
        return self

    def start_values(self, position: Position) -> Floats:
        """Return values at the start of the turn of a position, as those of the turn.

        Raises InvalidPositionError and StrategyFileError.
        """
        return self.begun(position, self.turn(position))

    def win_probability(self, position: Position) -> float:
        """Return the win probability of the player about to start the turn of a position.

        Raises InvalidPositionError and StrategyFileError.
        """
        return float(self.start_values(position)[0])

    def chances(self, position: Position) -> Floats:
        """Return the win probability of every player in the order of turns, with best play by all.

        Raises InvalidPositionError and StrategyFileError.
        """
        table = self.turn(position)
        if position.offered is None:
            return self.by_seat(position, table.values_at(position.turn))
        return self.by_seat(position, self.begun(position, table))

    def begun(self, position: Position, table: TurnTable) -> Floats:
        """Return what the start of a turn is worth, with what may be taken over if that is better.

        table : that of the turn
        """
        afresh = np.asarray(table.rolls[0, 0, -1])
        if position.offered is None:
            return afresh
        return np.asarray(np.maximum(afresh, table.roll_values(position.offered)))

    def by_seat(self, position: Position, values: Floats) -> Floats:
        """Return by player what a turn has: values with the mover first, or the mover's of two."""
        if len(values) < self.players:
            values = np.array([*values, 1 - values[0]])
        found = np.empty(self.players)
        found[list(position.in_order)] = values
        return found

    def power_turn(self, position: Position) -> Any:  # noqa: ARG002
        """Return the layers of a turn in which badges are used up; None where nobody has one.

        They are a `solver.loaded.power_turn.PowerTurn`.
        """
        return None

    def without_badge(self, position: Position) -> tuple[Floats, Floats | None]:
        """Return what rolling and banking are worth where no badge is used, as a turn's values.

        Banking is None where it is not allowed.
        """
        table = self.turn(position)
        return table.roll_values(position.turn), table.bank_values(position.turn)
