"""Games to which players bring their dice: what is best in them, as in questions on loaded dice."""

import re
from dataclasses import replace

from bot.services.loaded import LoadedDice
from bot.table.badges import TAKES_DICE, check_use
from bot.table.state import Game
from solver.errors import IllegalActionError, InvalidRollError
from solver.game.best import BestPlay
from solver.loaded.kits import Kit, badges_of
from solver.named.rolls import read_roll, read_set_aside
from solver.named.sets import NamedSet
from solver.turn.dice import Remaining, Roll
from solver.turn.powers import PowerKind
from solver.wording import say_number

_NOW = re.compile(r"\b(?:now|jetzt)\b", re.IGNORECASE)
"""What stands between the dice that are rolled again and what they show then."""


def _left_to(game: Game, seat: int) -> Kit:
    """What a seat has brought, the badge with the uses that are left."""
    kit = game.kits[seat]
    badge = kit.badge
    if badge is None or len(game.kits) > 2 or badges_of(game.kits)[seat] is None or not badge.power:
        return kit
    uses = game.seats[seat].uses if seat < len(game.seats) else badge.uses_left
    return replace(kit, badge=replace(badge, left=None if uses == badge.badge.uses else uses))


def brought_to(game: Game, play: BestPlay) -> LoadedDice | None:
    """Return what those bring to a game whose best play is asked, the player to move first.

    These are all who play, else the player to move and the strongest of the others. None where
    nobody brings dice.
    """
    if not game.kits:
        return None
    seats = [game.mover, game.rival_of(game.mover)]
    if play.players > 2:
        order = ((game.mover + k) % len(game.seats) for k in range(len(game.seats)))
        seats = [seat for seat in order if game.seats[seat].playing]
    kits = tuple(_left_to(game, seat) for seat in seats)
    return LoadedDice(game.rules, kits, game.joker_alone)


def read_fallen(game: Game, typed: str, mover: str) -> Roll:
    """A roll of the dice that are to be rolled now, as typed. Raises FarkleError."""
    return _fell(game.kits[game.mover].dice, typed, game.turn.dice, mover)


def read_kept(game: Game, typed: str) -> Roll:
    """Dice of the roll on the table, as typed; none where there is no roll.

    Raises InvalidRollError.
    """
    roll = game.turn.roll
    return () if roll is None else read_set_aside(game.kits[game.mover].shown(roll), roll, typed)


def read_use(game: Game, typed: str, mover: str) -> tuple[Roll, Roll]:
    """The dice on which a badge is used, and in a tracked game what fell by it, as typed.

    None where nothing is to be read. Raises InvalidRollError and IllegalActionError.
    """
    power, kit = game.power, game.kits[game.mover] if game.kits else None
    before, *after = _NOW.split(typed, maxsplit=1)
    if power is None or kit is None or not game.may_use or not typed:
        return (), ()
    thrown = kit.dice.dice_set
    if power.kind in TAKES_DICE:
        dice = read_kept(game, before)
        if not after:
            return dice, ()
        types = check_use(game, game.mover, dice)
        left = thrown.place(tuple(types.count(k) for k in range(len(thrown.types))))
        return dice, _fell(kit.dice, after[0], left, mover) if types else ()
    if not game.tracked:
        raise IllegalActionError.say("this badge is used without dice: /use alone does it")
    if power.kind is not PowerKind.MIGHT:
        return (), read_fallen(game, typed, mover)
    wider = kit.with_added
    left = wider.dice_set.place((*thrown.remaining[game.turn.dice], 1))
    return (), _fell(wider, typed, left, mover)


def _fell(named: NamedSet, typed: str, dice: Remaining, mover: str) -> Roll:
    """A roll of some dice of a set, as typed. Raises InvalidRollError."""
    roll, thrown = read_roll(named, typed, dice), named.dice_set
    if thrown.thrown_in(roll) != dice:
        raise InvalidRollError(
            say_number(
                "now {name} rolls {number} die, {set}, not {told}",
                "now {name} rolls {number} dice, {set}, not {told}",
                sum(thrown.remaining[dice]),
                name=mover,
                set=named.left(dice).text,
                told=len(roll),
            )
        )
    return roll
