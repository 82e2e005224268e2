"""The proof of the dice of a game that is over."""

from bot.services.tables import Table
from bot.table.badges import thrown_places, throws
from bot.table.fair_dice import Proof, prove
from solver.rules.ruleset import FACES
from solver.turn.dice import Roll


def proof_of(table: Table, secret: bytes) -> Proof:
    """How every roll of a game follows from its secret."""
    game, rolls = table.game, throws(table.begun, table.events)
    sides = [game.side_of(number) for number, _ in enumerate(game.kits)]
    if not sides:
        return prove(game.id, secret, game.seeds, [(None, (), dice) for *_, dice in rolls])
    sets = []
    for side in filter(None, sides):
        counts = [*side.dice.counts, 1][: len(side.types)]
        dice = zip(side.types, counts, strict=True)
        sets.append([die.weights for die, count in dice for _ in range(count)])
    proven = [
        (before.mover, thrown_places(before, types), _faces(dice)) for before, types, dice in rolls
    ]
    return prove(game.id, secret, game.seeds, proven, sets)


def _faces(dice: Roll) -> list[int]:
    return [(die - 1) % len(FACES) + 1 for die in dice]
