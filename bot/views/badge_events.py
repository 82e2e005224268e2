"""Uses of badges at a table, in plain words for everybody who reads along."""

from bot.table.dice_names import kept_text
from bot.table.events import Used
from bot.table.state import Game
from bot.views.badges import turned_to
from bot.views.layout import inside
from solver.turn.powers import Power, PowerKind
from solver.wording import say, say_later, say_number


def use_event_text(name: str, game: Game, event: Used) -> str:
    """What a player uses a badge for; what comes of it is told after that."""
    kit, power = game.kits[game.mover], game.side.power
    parts = {"name": name, "badge": kit.badge.badge.called if kit.badge else ""}
    if power is None:
        return ""
    dice = inside(kept_text(game, event.dice))
    match power.kind:
        case PowerKind.WARLORD if power.at_start:
            return say("{name} says that {badge} is used in this turn.", **parts)
        case PowerKind.DOPPELGANGER:
            return say("{name} uses {badge}, twice the points for {dice}.", dice=dice, **parts)
        case PowerKind.TRANSMUTATION:
            told = say_later("{name} uses {badge} and turns {dice} to {face}.")
            return say(told, dice=dice, face=turned_to(power), **parts)
        case PowerKind.REROLL:
            return say("{name} uses {badge} and rolls {dice} again.", dice=dice, **parts)
    return say("{name} uses {badge}.", **parts)


def uses_left_text(power: Power, uses: int) -> str:
    """How often a badge still can be used."""
    if not uses:
        return say("badge used up")
    if power.uses == 1:
        return say("badge not used yet")
    return say_number("badge: {number} use left", "badge: {number} uses left", uses)
