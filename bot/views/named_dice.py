"""The dice and badges of Kingdom Come as people read them, as data and as tables."""

from collections.abc import Iterable, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any

from bot.views.layout import PHONE, columns, room, wrap
from bot.views.sheet import Sheet, sheet
from solver.named.catalogue import Badge, Exactness, KnownDie, Tier, Version
from solver.named.rolls import JOKER_LETTER
from solver.named.sets import NamedDie, named_die
from solver.rules.ruleset import FACES
from solver.turn.dice import Die
from solver.wording import figure, say, say_later

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
        rows.append(
            [
                named.typed,
                *(
                    f"{figure(100 * weight / total, '.1f')} %"
                    + (JOKER_LETTER if face in die.jokers else "")
                    for face, weight in zip(FACES, die.weights, strict=True)
                ),
            ]
        )
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
    """What badges do, how often and for how much, and how well that is known; a line for a name."""
    rows = [(say("badge"), say("tier"), say("what it does"), say("uses"), say("price"))]
    for name, alike in groupby(badges, key=attrgetter("called")):
        tiers = list(alike)
        exactness = max((one.exactness for one in tiers), key=list(Exactness).index)
        rows.append(
            (
                f"{name} {_MARKS[exactness]}".strip(),
                "/".join(say(_TIERS[one.tier])[0].upper() for one in tiers),
                badge_effect(tiers),
                _joined(figure(one.uses) if one.uses else say("always") for one in tiers),
                _joined(figure(one.price) for one in tiers if one.price is not None),
            )
        )
    more = say(
        "T, S and G: tin, silver, gold. Both players bring a badge of the same tier, or none. ?:"
        " not all that it does is known; ??: its points are not known; ???: it is not in the"
        " game's tables. See docs/kingdom-come.md."
    )
    # what a message has no room for is at its end, and the key is read first
    first, then = (
        ([wrap(more)], columns(rows)) if room() <= PHONE else (columns(rows), [wrap(more)])
    )
    return "\n".join([*first, *then])


def badge_effect(tiers: Sequence[Badge]) -> str:
    """What a badge does in some tiers, in a few words."""
    kind = tiers[0].kind

    def each(key: str) -> str:
        return _joined(str(one.effect.get(key, "")) for one in tiers)

    dice = tiers[0].effect.get("combination", tiers[0].effect.get("multiplies", ()))
    return say(
        _EFFECTS[kind],
        dice=" ".join(map(str, dice)),
        times=each("times"),
        share=each("share"),
        number=each("dice"),
        face=each("face"),
    )


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


def doubts(dice: Sequence[NamedDie], *, joker_alone: bool) -> list[str]:
    """What nobody knows of some dice, a sentence each.

    joker_alone : whether it was said that jokers score by themselves, so that nothing is assumed
    """
    found = []
    if not joker_alone and any(named.die.jokers for named in dice):
        found.append(
            say(
                "Jokers: no source says how they score, so we assume that none scores by itself"
                " and that several can go with one die."
            )
        )
    if any(named.key == "tengri" for named in dice):
        found.append(
            say(
                "Tengri's die: the tables of the game have a joker, wikis a plain 1"
                " (tengri@plain); nobody has reported trying it."
            )
        )
    if any(named.version is Version.KCD1 for named in dice):
        found.append(
            say("Dice of the first game: from its wiki, as its own tables were not found.")
        )
    return found


def _weights(die: Die) -> list[str]:
    return [
        JOKER_LETTER + (str(weight) if weight > 1 else "") if face in die.jokers else str(weight)
        for face, weight in zip(FACES, die.weights, strict=True)
    ]


def _others(known: KnownDie) -> list[Version]:
    """The versions in which a die has other weights."""
    versions = dict.fromkeys(named_die(known, one).version for one in known.versions)
    return [one for one in versions if one is not Version.PATCHED]
