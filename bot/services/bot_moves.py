"""What bots do at tables, by the policy of their level."""

import asyncio

from bot.services.chances import Oracle
from bot.services.tables import Table, Tables
from bot.table.events import Banked, Kept
from bot.table.state import Game
from solver.play.policies import Move, Policy, TurnView


class BotMoves:
    """Makes the moves of bots, which know of the dice only what lies on the table."""

    def __init__(self, tables: Tables, oracle: Oracle) -> None:
        self._tables = tables
        self._oracle = oracle

    async def next(self, table: Table) -> Table:
        """The table after one roll of a bot and what it does with it.

        Or what it does with what a player left to it.
        """
        game = table.game
        if game.turn.roll is None:
            if game.may_bank and await asyncio.to_thread(self._banks, game):
                return table.then(Banked())
            table = table.then(await self._tables.rolled(game, game.mover))
        if table.game.turn.roll is None:
            return table
        choice = await asyncio.to_thread(self._choose, table.game)
        kept = Kept(dice=choice.set_aside)
        return table.then(kept, Banked()) if choice.bank else table.then(kept)

    def _policy(self, game: Game) -> Policy:
        return self._oracle.policy(game.seats[game.mover].level or "", game.rules)

    def _banks(self, game: Game) -> bool:
        return self._policy(game).banks(game.rules, game.position())

    def _choose(self, game: Game) -> Move:
        return self._policy(game).choose(
            TurnView(game.rules, game.position(), game.turn.roll or ())
        )
