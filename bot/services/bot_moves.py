"""What bots do at tables, by the policy of their level."""

from bot.services.chances import Oracle
from bot.services.tables import Table, Tables
from bot.table.commands import kept
from bot.table.drafting import laid_out
from bot.table.events import Accepted, Banked, Picked, TookOver
from bot.table.state import Game
from solver.named.drafts import rule_of_thumb


def bot_pick(game: Game) -> Picked:
    """The pair that a bot takes, by a rule of thumb."""
    place, _ = max(laid_out(game), key=lambda one: rule_of_thumb(one[1]))
    return Picked(place=place)


async def bot_move(tables: Tables, oracle: Oracle, table: Table) -> Table:
    """The table after one roll of a bot and what it does with it.

    Or what it does with what a player left to it. A bot knows of the dice only what lies there.
    """
    game = table.game
    if game.is_drafting:
        return table.then(bot_pick(game))
    if game.may_use and (dice := await oracle.badge_use(table)) is not None:
        return table.then(await tables.used(game, game.mover, dice))
    if game.is_farkle:
        return table.then(Accepted())
    return await _roll_or_choose(tables, oracle, table)


async def _roll_or_choose(tables: Tables, oracle: Oracle, table: Table) -> Table:
    """The table after a bot that uses no badge has rolled or has chosen."""
    game = table.game
    if game.turn.roll is None:
        if game.may_bank and await oracle.banked(table):
            return table.then(Banked())
        if game.offered and await oracle.taken_over(table):
            table = table.then(TookOver())
        table = table.then(*await tables.rolled(table.game, game.mover))
        if table.game.may_use:
            return table  # whether to use its badge on the roll comes next
    if table.game.turn.roll is None:
        return table
    choice = await oracle.decided(table)
    after = table.then(*kept(table.game, choice.set_aside))
    goes_on = after.game.last is table.game.last
    return after.then(Banked()) if choice.bank and goes_on and not after.game.may_use else after
