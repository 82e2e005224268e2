"""What bots do at tables, by the policy of their level."""

import asyncio

from bot.services.chances import Oracle
from bot.services.tables import Table, Tables
from bot.table.events import Banked, Kept
from bot.table.state import Game
from solver.play.policies import Move, Policy, TurnView


async def bot_move(tables: Tables, oracle: Oracle, table: Table) -> Table:
    """The table after one roll of a bot and what it does with it.

    Or what it does with what a player left to it. A bot knows of the dice only what lies there.
    """

    def policy(game: Game) -> Policy:
        return oracle.policy(game.seats[game.mover].level or "", game.rules)

    def banks(game: Game) -> bool:
        return policy(game).banks(game.rules, game.position())

    def choose(game: Game) -> Move:
        return policy(game).choose(TurnView(game.rules, game.position(), game.turn.roll or ()))

    game = table.game
    if game.turn.roll is None:
        if game.may_bank and await asyncio.to_thread(banks, game):
            return table.then(Banked())
        table = table.then(await tables.rolled(game, game.mover))
    if table.game.turn.roll is None:
        return table
    choice = await asyncio.to_thread(choose, table.game)
    kept = Kept(dice=choice.set_aside)
    return table.then(kept, Banked()) if choice.bank else table.then(kept)
