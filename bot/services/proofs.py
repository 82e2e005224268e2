"""The proof of the dice of a game that is over."""

from itertools import accumulate

from bot.services.tables import Table
from bot.table.events import Rolled
from bot.table.fair_dice import Proof, prove, prove_loaded
from bot.table.state import Game, apply, begin
from solver.rules.ruleset import FACES
from solver.turn.dice import Roll


def proof_of(table: Table, secret: bytes) -> Proof:
    """How every roll of a game follows from its secret."""
    game = begin(table.begun)
    rolls: list[tuple[Game, Roll]] = []
    for event in table.events:
        if isinstance(event, Rolled):
            rolls.append((game, event.dice))
        game = apply(game, event)
    if not game.kits:
        return prove(game.id, secret, game.seeds, [dice for _, dice in rolls])
    sets = []
    for kit in game.kits:
        thrown = kit.dice.dice_set
        counted = zip(thrown.types, thrown.counts, strict=True)
        sets.append([die.weights for die, number in counted for _ in range(number)])
    proven = [(before.mover, _places(before, dice), _faces(dice)) for before, dice in rolls]
    return prove_loaded(game.id, secret, game.seeds, sets, proven)


def _places(game: Game, dice: Roll) -> list[int]:
    """Which dice of the set of the player to move a roll is of: the first ones of each type."""
    first = [0, *accumulate(game.dice.counts)]
    left = game.dice.remaining[game.turn.dice]
    places = [first[k] + number for k, count in enumerate(left) for number in range(count)]
    return places[: len(dice)]


def _faces(dice: Roll) -> list[int]:
    return [(die - 1) % len(FACES) + 1 for die in dice]
