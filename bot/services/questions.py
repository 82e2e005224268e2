"""What people ask at tables: nothing is changed by it."""

import asyncio
from dataclasses import dataclass, replace

from bot.services.chances import Chances, Oracle
from bot.services.seats import check_may_track, seat_of
from bot.services.tables import Caller, Table, Tables
from bot.table.commands import check_hints
from bot.table.state import Game, turn_after
from solver.errors import IllegalActionError, InvalidRequestError
from solver.play.advice import Advice, Odds, advise, odds
from solver.turn.dice import parse_dice
from solver.wording import say, say_number


@dataclass(frozen=True, slots=True)
class Hint:
    """What is best for the player to move."""

    game: Game
    advice: Advice | None
    """Of the roll on the table, if there is one."""
    odds: Odds | None
    """Of the decision before the next roll."""
    exact: bool
    """Whether the game has two players; else the strongest opponent is taken for the only one."""


class Questions:
    """Hints, advice and odds in the position of a game. Raises FarkleError."""

    def __init__(self, tables: Tables, oracle: Oracle) -> None:
        self._tables = tables
        self._oracle = oracle

    async def hint(self, caller: Caller, game_id: str | None) -> Hint:
        """What is best for the player to move, who alone may ask."""
        table = await self._tables.find(caller, game_id)
        check_hints(table.game)
        if table.game.tracked:
            check_may_track(table, caller)
        elif seat_of(table, caller) != table.game.mover:
            raise IllegalActionError(say("it is not your turn: hints are for the player to move"))
        return await asyncio.to_thread(self._hint, _with_players(table.game))

    async def shown(self, caller: Caller, game_id: str | None) -> tuple[Table, Chances | None]:
        """A table and its chances; in the middle of a turn only where hints are allowed."""
        table = await self._tables.find(caller, game_id)
        in_turn = table.game.turn.turn_total or table.game.turn.roll is not None
        if in_turn and not table.game.hints:
            return table, None
        return table, await self._oracle.chances(table)

    async def asked_at(self, caller: Caller) -> Table | None:
        """The game that a question without numbers is about: the one here, or the caller's own.

        Raises IllegalActionError for who plays a game in which hints are forbidden.
        """
        found = await self._tables.seen_at(caller.place)
        own = [one for one in found if one.seat_of(caller.person) is not None]
        if any(not one.game.hints for one in own):
            raise IllegalActionError(say("the host has forbidden hints in the game that you play"))
        found = own or [one for one in found if one.game.hints]
        if len(found) != 1 or len(found[0].game.seats) < 2:
            return None
        return found[0]

    async def odds(self, table: Table) -> Odds:
        """Roll or bank in the position of a game."""
        if table.game.turn.roll is not None:
            raise InvalidRequestError(
                say("dice lie on the table: /advise says what to keep of them")
            )
        game = table.game
        return await asyncio.to_thread(
            lambda: odds(self._oracle.needed(game.rules), game.position())
        )

    async def advice(self, table: Table, dice: str) -> Advice:
        """Advice on a roll in the position of a game, without `dice` on the roll on the table."""
        game = table.game
        roll = parse_dice(dice, most=game.rules.dice) if dice else game.turn.roll
        if roll is None:
            raise InvalidRequestError(say("nothing is rolled yet: give the dice, or ask for /odds"))
        if len(roll) != game.turn.dice:
            raise InvalidRequestError(
                say_number(
                    "{name} rolls {number} die now, not {told};"
                    " give all numbers, such as me:0, to ask about another game",
                    "{name} rolls {number} dice now, not {told};"
                    " give all numbers, such as me:0, to ask about another game",
                    game.turn.dice,
                    name=table.names[game.mover],
                    told=len(roll),
                )
            )
        return await asyncio.to_thread(
            lambda: advise(self._oracle.needed(game.rules), game.position(), roll)
        )

    def _hint(self, game: Game) -> Hint:
        strategy = self._oracle.needed(game.rules)
        position = game.position()
        exact = len(game.seats) == 2
        if game.turn.roll is None:
            return Hint(game, None, odds(strategy, position), exact)
        advice = advise(strategy, position, game.turn.roll)
        best = advice.options[0]
        turn = turn_after(game.rules, game.turn, best.set_aside)
        following = replace(
            position, turn_total=turn.turn_total, dice=turn.dice, hot_dice=turn.hot_dice
        )
        return Hint(game, advice, odds(strategy, following), exact)


def _with_players(game: Game) -> Game:
    """A game with somebody to play against. Raises IllegalActionError."""
    if len(game.seats) < 2:
        raise IllegalActionError(say("nobody else plays yet: others sit down with /join"))
    return game
