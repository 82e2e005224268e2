"""The dice and badges of Kingdom Come as people read them, as data and as tables."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from itertools import groupby
from operator import attrgetter
from typing import Any

from bot.layout import PHONE, columns, inside, percent, points_in_words, room, wrap
from bot.services.loaded import BadgePlan, LoadedDice
from bot.table.events import Used
from bot.table.state import Game, kept_text
from bot.views.sheet import Sheet, sheet
from bot.views.thresholds import stretch_text
from solver.named.badges import NamedBadge
from solver.named.catalogue import Badge, Exactness, KnownDie, Tier, Version
from solver.named.rolls import JOKER_LETTER
from solver.named.sets import NamedDie, named_die
from solver.play.advice import BadgeUse
from solver.rules.ruleset import FACES
from solver.turn.dice import JOKER, Die, Roll
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
    message = say_later("Your badge {mine}, theirs {theirs}.")
    if theirs is None:
        message = say_later("Your badge {mine}, theirs none.")
    elif mine is None:
        message = say_later("Your badge none, theirs {theirs}.")
    held = [badge for badge in badges if badge]
    lines = [say(message, mine=mine and mine.text, theirs=theirs and theirs.text)]
    lines += taken_lines(held)
    return [wrap(line) for line in dict.fromkeys(lines)]


def taken_lines(held: Sequence[NamedBadge]) -> list[str]:
    """What is taken for granted of badges that two players hold."""
    if cancels := next((badge for badge in held if badge.cancels), None):
        message = say_later(
            "{badge} is assumed to cancel the other badge from the start of the game; with"
            " @use, it takes away one use."
        )
        if cancels.cancels_one_use:
            message = say_later("{badge} is assumed to take one use from the other badge.")
        lines = [say(message, badge=cancels.badge.called)]
        return lines + (
            taken_lines([badge for badge in held if not badge.cancels]) * cancels.cancels_one_use
        )
    doubted = [badge.badge.told for badge in held if badge.badge.exactness is Exactness.UNCONFIRMED]
    return doubted + [
        say(text, badge=badge.badge.called) for badge in held for text in _taken(badge)
    ]


def _taken(badge: NamedBadge) -> Iterator[str]:
    """What is taken for granted of a badge because nothing else was said."""
    if badge.multiplies_three_only:
        yield _TAKEN_OF_THREE
    if badge.power and not badge.says_when and not badge.die:
        yield _TAKEN[badge.power.kind]
    if badge.may_triple:
        yield _TAKEN_OF_GOLD


def plan_lines(plan: BadgePlan | None) -> list[str]:
    """What a badge is worth, and when to use it in the first turn."""
    if plan is None:
        return []
    points = points_in_words(figure(100 * plan.worth, "z.2f"))
    worth = say("Your badge is worth {points}.", points=points)
    if plan.kind is None:
        return [wrap(worth)]
    when = say_later("Do not use it in the first turn.")
    if plan.before:
        when = say_later("Say that you use it before the first roll of the game.")
    elif plan.share is not None:
        when = say_later(
            "On the first roll of the game, using it is best {chance} of the time; /advise says so"
            " for any roll."
        )
    elif plan.at:
        when = _WHEN[plan.kind]
    rows = [
        (use.dice.text if use.dice else "", stretch_text(use.first, use.last)) for use in plan.at
    ]
    cells = worth, say(when, chance=percent(plan.share or 0.0))
    return [*map(wrap, cells), *columns(rows, right={1})]


def plan_data(plan: BadgePlan | None) -> dict[str, Any] | None:
    """A plan for a badge as plain data."""
    if plan is None:
        return None
    at = [
        {"dice": use.dice.text if use.dice else None, "first": use.first, "last": use.last}
        for use in plan.at
    ]
    use = {"kind": plan.kind and str(plan.kind), "worth": plan.worth, "at": at}
    return use | {"share_of_first_rolls": plan.share, "say_before_first_roll": plan.before}


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
            message = say_later("{name} uses {badge} and turns {dice} to {face}.")
            return say(message, dice=dice, face=turned_to(power), **parts)
        case PowerKind.REROLL:
            return say("{name} uses {badge} and rolls {dice} again.", dice=dice, **parts)
    return say("{name} uses {badge}.", **parts)


def uses_left_text(power: Power, uses: int) -> str:
    """How often a badge still can be used."""
    if not uses:
        return say("badge used up")
    if power.uses == 1:
        return say("badge not used yet")
    return say_number("badge: {number} [use|uses] left", uses)


_EFFECTS = {
    "headstart": say_later("points at the start"),
    "formation": say_later("{dice} score together"),
    "defence": say_later("cancels the opponent's badge"),
    "triple": say_later("{dice} score {times} times their points"),
    "resurrection": say_later("roll again after a farkle"),
    "doppelganger": say_later("doubles the points of the last roll"),
    "warlord": say_later("{share} % more points in a turn"),
    "might": say_later("one more die in a roll"),
    "fortune": say_later("roll up to {number} dice again"),
    "transmutation": say_later("turns a die to {face}"),
    "swap": say_later("roll any die again; gold: two equal dice"),
    "joker": say_later("turns a die into a joker"),
}
"""What badges do, by their kind."""

_TIERS = {
    Tier.TIN: say_later("tin"),
    Tier.SILVER: say_later("silver"),
    Tier.GOLD: say_later("gold"),
}

_MARKS = {
    Exactness.EXACT: "",
    Exactness.UNKNOWN_POINTS: "??",
    Exactness.OPEN: "?",
    Exactness.UNCONFIRMED: "???",
}
"""How well a badge is known, explained below the list."""


def dice_list_text(dice: Sequence[KnownDie]) -> str:
    """The dice by their shortest names with their prices, those that fall alike in one line."""
    alike: dict[Die | None, list[str]] = {}
    for known in dice:
        name = known.typed + ("*" if _others(known) else "")
        price = "" if known.price is None else f" {figure(known.price)}"
        alike.setdefault(known.versions.get(Version.PATCHED), []).append(name + price)
    unknown = alike.pop(None, [])
    rows = [(" ".join(_weights(die)), ", ".join(names)) for die, names in alike.items() if die]
    lines = [
        say(
            "The dice of Kingdom Come: weights of the faces 1 to 6, J for a joker; price in"
            " groschen."
        ),
        *columns(rows),
        say("Nobody knows how these fall: {dice}.", dice=", ".join(unknown)),
        say(
            "*: there are other weights for this die, such as @release; ask for that die alone to"
            " see them. You can also write any die by its weights, as in 1:2:1:1:1:3."
        ),
    ]
    return wrap("\n".join(lines))


def die_text(known: KnownDie) -> str:
    """One die with its chances in every version, and what is not known of it."""
    price = "" if known.price is None else say("{price:,} groschen", price=known.price)
    lines = [", ".join(filter(None, [f"{known.called} ({known.typed})", price]))]
    head = ["", *(str(face) for face in FACES)]
    rows = []
    for version in known.versions:
        named = named_die(known, version)
        if named.version is not version:
            continue  # as another one
        die, total = named.die, sum(named.die.weights)
        chances = (
            f"{figure(100 * weight / total, '.1f')} %{JOKER_LETTER if face in die.jokers else ''}"
            for face, weight in zip(FACES, die.weights, strict=True)
        )
        rows.append([named.typed, *chances])
    lines += columns([head, *rows], right=range(1, 7)) if rows else []
    return "\n".join([*lines, *([wrap(known.told)] if known.told else [])])


_DIE = "key", "name", "german", "german_key", "also", "internal", "price", "versions", "note"


def dice_list_data(dice: Sequence[KnownDie]) -> list[dict[str, Any]]:
    """The dice as plain data."""
    return [
        {name: getattr(known, name) for name in _DIE}
        | {
            "also": list(known.also),
            "versions": {
                str(version): {"weights": list(die.weights), "jokers": sorted(die.jokers)}
                for version, die in known.versions.items()
            },
        }
        for known in dice
    ]


def dice_sheet(dice: Sequence[KnownDie]) -> Sheet:
    """A row for each die and version."""
    rows = (
        (known.key, known.name, version, die.weights, sorted(die.jokers), known.price)
        for known in dice
        for version, die in known.versions.items()
    )
    return Sheet(("key", "name", "version", "weights", "jokers", "price"), tuple(rows))


def badges_text(badges: Sequence[Badge]) -> str:
    """How often badges act, for how much and how well known that is; below each what it does."""
    rows = [(say("badge"), say("tier"), say("uses"), say("price"), say("what it does"))]
    for name, alike in groupby(badges, key=attrgetter("called")):
        tiers = list(alike)
        exactness = max((badge.exactness for badge in tiers), key=list(Exactness).index)
        rows.append(
            (
                f"{name} {_MARKS[exactness]}".strip(),
                "/".join(say(_TIERS[badge.tier])[0].upper() for badge in tiers),
                _joined(figure(badge.uses) if badge.uses else say("always") for badge in tiers),
                _joined(figure(badge.price) for badge in tiers if badge.price is not None),
                badge_effect(tiers),
            )
        )
    key = say(
        "T, S and G: tin, silver, gold. Both players bring a badge of the same tier, or none. ?:"
        " not all that it does is known; ??: its points are not known; ???: it is not in the"
        " game's tables. See docs/kingdom-come.md."
    )
    # what a message has no room for is at its end, and the key is read first
    if room() <= PHONE:
        return "\n".join([wrap(key), *columns(rows)])
    table = columns([row[:-1] for row in rows])
    if len(table) == len(rows):
        table = [f"{line}\n{wrap(f'    {row[-1]}')}" for line, row in zip(table, rows, strict=True)]
    else:
        table = columns(rows)
    return "\n".join([*table, wrap(key)])


def faces_text(named: NamedDie) -> str:
    """How often a die shows each face, in words."""
    total = sum(named.die.weights)
    return ", ".join(
        f"{JOKER_LETTER if face in named.die.jokers else face}: {round(100 * weight / total)} %"
        for face, weight in zip(FACES, named.die.weights, strict=True)
    )


def badge_effect(tiers: Sequence[Badge]) -> str:
    """What a badge does in some tiers, in a few words."""
    dice = tiers[0].effect.get("combination", tiers[0].effect.get("multiplies", ()))
    parts = {"times": "times", "share": "share", "number": "dice", "face": "face"}
    each = {
        part: _joined(str(badge.effect.get(key, "")) for badge in tiers)
        for part, key in parts.items()
    }
    return say(_EFFECTS[tiers[0].kind], dice=" ".join(map(str, dice)), **each)


def _joined(parts: Iterable[str]) -> str:
    """Different ones with a slash between them."""
    return "/".join(dict.fromkeys(parts))


_BADGE = (
    *("name", "german", "kind", "tier", "uses", "price"),
    *("effect", "points", "exactness", "open"),
)


def badges_data(badges: Sequence[Badge]) -> list[dict[str, Any]]:
    """The badges as plain data."""
    return [
        {name: getattr(badge, name) for name in _BADGE}
        | {"effect": dict(badge.effect), "points": list(badge.points)}
        for badge in badges
    ]


def badges_sheet(badges: Sequence[Badge]) -> Sheet:
    """A row for each badge."""
    names = ("name", "tier", "kind", "uses", "price", "exactness", "points", "open")
    return sheet(names, badges_data(badges))


def doubts(dice: Sequence[NamedDie], *, joker_alone: bool) -> Iterator[str]:
    """What nobody knows of some dice, a sentence each.

    joker_alone : whether it was said that jokers score by themselves, so that nothing is assumed
    """
    if not joker_alone and any(named.die.jokers for named in dice):
        yield say(
            "Jokers: no source says how they score, so we assume that none scores by itself and"
            " that several can go with one die."
        )
    if any(named.key == "tengri" for named in dice):
        yield say(
            "Tengri's die: the tables of the game have a joker, wikis a plain 1 (tengri@plain);"
            " nobody has reported trying it."
        )
    if any(named.version is Version.KCD1 for named in dice):
        yield say("Dice of the first game: from its wiki, as its own tables were not found.")


def _weights(die: Die) -> list[str]:
    return [
        JOKER_LETTER + (str(weight) if weight > 1 else "") if face in die.jokers else str(weight)
        for face, weight in zip(FACES, die.weights, strict=True)
    ]


def _others(known: KnownDie) -> list[Version]:
    """The versions in which a die has other weights."""
    versions = dict.fromkeys(named_die(known, version).version for version in known.versions)
    return [version for version in versions if version is not Version.PATCHED]
