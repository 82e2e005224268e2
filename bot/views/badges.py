"""When to use a badge, and its uses at a table, as people read it and as plain data."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from bot.services.badges import BadgePlan
from bot.services.loaded import LoadedDice
from bot.table.dice_names import kept_text
from bot.table.events import Used
from bot.table.state import Game
from bot.views.layout import columns, inside, percent, wrap
from bot.views.thresholds import stretch_text
from solver.named.badges import NamedBadge
from solver.named.catalogue import Exactness
from solver.named.rolls import JOKER_LETTER
from solver.play.advice import BadgeUse
from solver.turn.dice import JOKER, Roll
from solver.turn.powers import Power, PowerKind
from solver.wording import figure, say, say_later, say_number

_TAKEN = {
    PowerKind.WARLORD: say_later(
        "{badge} is assumed to be used when banking; with @start, you say it before the first roll."
    ),
    PowerKind.RESURRECTION: say_later(
        "{badge} is assumed to roll the same dice again after a farkle, as often in a turn as"
        " needed; with @once, only once."
    ),
    PowerKind.MIGHT: say_later(
        "{badge} is assumed to add an ordinary die to one roll, with +lucky a lucky one;"
        " after that roll it is gone."
    ),
    PowerKind.DOPPELGANGER: say_later(
        "{badge} is assumed to double what you set aside of a roll, not the most it could give."
    ),
    PowerKind.TRANSMUTATION: say_later(
        "{badge} is assumed to work on rolls that score; with @farkle, on any roll."
    ),
    PowerKind.REROLL: say_later(
        "{badge} is assumed to work on rolls that score; with @farkle, on any roll."
    ),
}
"""What is taken for granted of badges where sources leave it open, unless it is said."""

_TAKEN_OF_THREE = say_later(
    "{badge} is assumed to multiply three of a kind only; with @all, four and more as well."
)
_TAKEN_OF_GOLD = say_later(
    "The gold {badge} is assumed to double the points; with @triple, they count three times."
)

USES = {
    PowerKind.WARLORD: say_later("bank with the badge"),
    PowerKind.RESURRECTION: say_later("after a farkle, roll again"),
    PowerKind.MIGHT: say_later("roll with one more die"),
    PowerKind.DOPPELGANGER: say_later("keep {dice}, twice the points"),
    PowerKind.TRANSMUTATION: say_later("turn {dice} to {face}"),
    PowerKind.REROLL: say_later("roll {dice} again"),
}
"""What a use is called."""

_WHEN = {
    PowerKind.WARLORD: say_later("In the first turn, your badge is used best when you bank:"),
    PowerKind.RESURRECTION: say_later(
        "In the first turn, your badge is used best after a farkle with these dice, at turn totals"
        " of:"
    ),
    PowerKind.MIGHT: say_later(
        "In the first turn, your badge is used best with these dice to roll, at turn totals of:"
    ),
}


def badge_lines(badges: Sequence[NamedBadge | None]) -> list[str]:
    """What both hold, if anything, and what is taken for granted of it."""
    if not any(badges):
        return []
    mine, theirs = badges
    told = say_later("Your badge {mine}, theirs {theirs}.")
    if theirs is None:
        told = say_later("Your badge {mine}, theirs none.")
    elif mine is None:
        told = say_later("Your badge none, theirs {theirs}.")
    held = [badge for badge in badges if badge]
    lines = [say(told, mine=mine and mine.text, theirs=theirs and theirs.text)]
    lines += taken_lines(held)
    return [wrap(line) for line in dict.fromkeys(lines)]


def taken_lines(held: Sequence[NamedBadge]) -> list[str]:
    """What is taken for granted of badges that two players hold."""
    if cancels := next((badge for badge in held if badge.cancels), None):
        told = say_later(
            "{badge} is assumed to cancel the other badge from the start of the game; with"
            " @use, it takes away one use."
        )
        if cancels.cancels_one_use:
            told = say_later("{badge} is assumed to take one use from the other badge.")
        lines = [say(told, badge=cancels.badge.called)]
        return lines + (
            taken_lines([one for one in held if not one.cancels]) * cancels.cancels_one_use
        )
    doubted = [one.badge.told for one in held if one.badge.exactness is Exactness.UNCONFIRMED]
    return doubted + [say(told, badge=one.badge.called) for one in held for told in _taken(one)]


def _taken(badge: NamedBadge) -> Iterator[str]:
    """What is taken for granted of a badge because nothing else was said."""
    if badge.multiplies_three_only:
        yield _TAKEN_OF_THREE
    if badge.power and not badge.says_when and not badge.die:
        yield _TAKEN[badge.power.kind]
    if badge.may_triple:
        yield _TAKEN_OF_GOLD


def plan_lines(plan: BadgePlan | None) -> list[str]:
    """When to use a badge in the first turn."""
    if plan is None:
        return []
    lines = [
        wrap(
            say(
                "Your badge is worth {points} %.",
                points=figure(100 * plan.worth, ".2f"),
            )
        )
    ]
    if plan.before is not None:
        said = say("Say that you use it before the first roll of the game.")
        lines.append(wrap(said if plan.before else say("Do not use it in the first turn.")))
    elif plan.share is not None:
        lines.append(
            wrap(
                say(
                    "On the first roll of the game, using it is best {chance} of the time; /advise"
                    " says so for any roll.",
                    chance=percent(plan.share),
                )
            )
        )
    elif not plan.at:
        lines.append(wrap(say("Do not use it in the first turn.")))
    else:
        lines.append(wrap(say(_WHEN[plan.kind])))
        rows = [
            (
                one.dice.text if one.dice else "",
                stretch_text(one.first, one.last),
            )
            for one in plan.at
        ]
        lines += columns(rows, right={1})
    return lines


def plan_data(plan: BadgePlan | None) -> dict[str, Any] | None:
    """A plan for a badge as plain data."""
    if plan is None:
        return None
    at = [
        {"dice": one.dice.text if one.dice else None, "first": one.first, "last": one.last}
        for one in plan.at
    ]
    return {
        "kind": str(plan.kind),
        "worth": plan.worth,
        "at": at,
        "share_of_first_rolls": plan.share,
        "say_before_first_roll": plan.before,
    }


def use_text(dice: LoadedDice, use: BadgeUse, roll: Roll = ()) -> str:
    """What a use is, on a roll where it is on one."""
    badge = dice.played[0]
    shown = dice.kit.set_aside_text(roll, use.dice) if use.dice and roll else ""
    if use.kind is PowerKind.RESURRECTION and roll:
        return say("roll again")
    if use.kind is PowerKind.WARLORD and use.turn_total == 0:
        return say("say the badge before rolling")
    return say(USES[use.kind], dice=shown, face=turned_to(badge.power if badge else None))


def turned_to(power: Power | None) -> str:
    """What a badge turns dice to."""
    return JOKER_LETTER if power is None or power.amount == JOKER else str(power.amount)


def use_data(dice: LoadedDice, use: BadgeUse, roll: Roll = ()) -> dict[str, Any]:
    """A use as plain data; dice by name."""
    shown = dice.kit.set_aside_text(roll, use.dice) if use.dice and roll else None
    return {**asdict(use), "kind": str(use.kind), "dice": shown}


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
