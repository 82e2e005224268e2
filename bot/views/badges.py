"""When to use a badge as people read it, and as plain data."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from bot.services.badges import BadgePlan
from bot.services.loaded import LoadedDice
from bot.views.layout import columns, percent, wrap
from solver.named.badges import NamedBadge
from solver.named.rolls import set_aside_text
from solver.play.badge_uses import BadgeUse
from solver.turn.dice import Roll
from solver.turn.powers import PowerKind
from solver.wording import figure, say, say_later

_TAKEN = {
    PowerKind.WARLORD: say_later(
        "{badge} is taken to be used as a turn is banked; with @start it has to be said before the"
        " first roll."
    ),
    PowerKind.RESURRECTION: say_later(
        "{badge} is taken to roll the same dice again after a farkle, more than once in a turn if"
        " need be; with @once only once."
    ),
    PowerKind.MIGHT: say_later(
        "{badge} is taken to add an ordinary die to one roll, with +lucky a lucky one; afterwards"
        " it is gone."
    ),
    PowerKind.DOPPELGANGER: say_later(
        "{badge} is taken to double what is set aside of a roll, and not the most that it could"
        " give."
    ),
    PowerKind.TRANSMUTATION: say_later(
        "{badge} is taken to act on rolls that score; with @farkle on any."
    ),
    PowerKind.REROLL: say_later(
        "{badge} is taken to act on rolls that score; with @farkle on any."
    ),
}
"""What is taken for granted of badges where sources leave it open."""

_USES = {
    PowerKind.WARLORD: say_later("bank with the badge"),
    PowerKind.RESURRECTION: say_later("after a farkle, roll again"),
    PowerKind.MIGHT: say_later("roll with one more die"),
    PowerKind.DOPPELGANGER: say_later("keep {dice}, twice the points"),
    PowerKind.TRANSMUTATION: say_later("turn {dice} to {face}"),
    PowerKind.REROLL: say_later("roll {dice} again"),
}
"""What a use is called."""

_WHEN = {
    PowerKind.WARLORD: say_later("Best use of your badge in the first turn, at banks of:"),
    PowerKind.RESURRECTION: say_later(
        "Best use of your badge in the first turn, after a farkle with these dice at turn totals"
        " of:"
    ),
    PowerKind.MIGHT: say_later(
        "Best use of your badge in the first turn, with these dice to roll at turn totals of:"
    ),
}


def badge_lines(badges: Sequence[NamedBadge | None]) -> list[str]:
    """What both hold, if anything, and what is taken for granted of it."""
    if not any(badges):
        return []
    mine, theirs = (badge.text if badge else say("none") for badge in badges)
    lines = [say("Your badge {mine}, theirs {theirs}.", mine=mine, theirs=theirs)]
    held = [badge for badge in badges if badge]
    if cancels := next((badge for badge in held if badge.cancels), None):
        lines.append(
            say(
                "{badge} is taken to cancel the other badge from the start of the game.",
                badge=cancels.badge.called,
            )
        )
    else:
        lines += [
            say(_TAKEN[badge.power.kind], badge=badge.badge.called)
            for badge in held
            if badge.power and not badge.said and not badge.die
        ]
    return [wrap(line) for line in dict.fromkeys(lines)]


def plan_lines(plan: BadgePlan | None) -> list[str]:
    """When to use a badge in the first turn."""
    if plan is None:
        return []
    lines = [
        wrap(
            say(
                "Your badge is worth {points} percentage points.",
                points=figure(100 * plan.worth, ".2f"),
            )
        )
    ]
    if plan.before is not None:
        said = say("Say its use before the first roll of the game.")
        lines.append(wrap(said if plan.before else say("Do not use it in the first turn.")))
    elif plan.share is not None:
        lines.append(
            wrap(
                say(
                    "It is best used on the first roll of the game with a chance of {chance}:"
                    " /advise says it of any roll.",
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
                figure(one.first)
                if one.first == one.last
                else say("{first:,} to {last:,}", first=one.first, last=one.last),
            )
            for one in plan.at
        ]
        lines += columns(rows, right={1})
    return lines


def plan_data(plan: BadgePlan | None) -> dict[str, Any] | None:
    """The same as plain data."""
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
    shown = set_aside_text(dice.mine, roll, use.dice) if use.dice and roll else ""
    if use.kind is PowerKind.RESURRECTION and roll:
        return say("roll again")
    if use.kind is PowerKind.WARLORD and use.turn_total == 0:
        return say("say the badge before rolling")
    face = badge.power.amount if badge and badge.power else 0
    return say(_USES[use.kind], dice=shown, face=face)


def use_data(dice: LoadedDice, use: BadgeUse, roll: Roll = ()) -> dict[str, Any]:
    """A use as plain data; dice by name."""
    shown = set_aside_text(dice.mine, roll, use.dice) if use.dice and roll else None
    return {**asdict(use), "kind": str(use.kind), "dice": shown}
