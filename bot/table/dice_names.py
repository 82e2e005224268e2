"""The dice of a table in words: faces, with the die by name where players bring their own."""

from bot.table.state import Game
from solver.turn.dice import Roll, make_roll


def rolled_text(game: Game, roll: Roll) -> str:
    """A roll of the dice that the player to move rolls now, or has just rolled."""
    if not game.kits:
        return _faces(roll)
    return game.kits[game.mover].roll_text(make_roll(roll), game.turn.dice)


def kept_text(game: Game, dice: Roll) -> str:
    """Dice of the roll on the table."""
    if not game.kits or game.turn.roll is None:
        return _faces(make_roll(dice))
    return game.kits[game.mover].set_aside_text(game.turn.roll, dice)


def between(game: Game) -> str:
    """What stands between several: a comma, unless there are some in them."""
    return "; " if game.kits else ", "


def _faces(dice: Roll) -> str:
    return " ".join(map(str, dice))
