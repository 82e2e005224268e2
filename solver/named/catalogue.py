"""The dice and badges of Kingdom Come: Deliverance as data, see dice.toml and badges.toml."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from solver.turn.dice import Die
from solver.wording import spoken

_FOLDER = Path(__file__).parent


class Version(StrEnum):
    """Which table of a game the weights of a die are from."""

    PATCHED = "patched"
    """The second game since its patches; of a die that is only in the first game, that one's."""
    RELEASE = "release"
    """The second game as it came out."""
    KCD1 = "kcd1"
    """The first game."""
    PLAIN = "plain"
    """A version with a 1 in place of a joker about which sources contradict each other."""


@dataclass(frozen=True, slots=True, eq=False)
class KnownDie:
    """One die of the games."""

    key: str
    """The shortest name, in English."""
    name: str
    """What the game calls it."""
    german: str
    german_key: str
    versions: Mapping[Version, Die]
    """Each as the die that it falls like (`Die.reduced`); empty where nobody knows its weights."""
    also: Sequence[str] = ()
    """Other names in use."""
    internal: str = ""
    """The name in the tables of the second game; "" for dice of the first game alone."""
    price: int | None = None
    """The price in groschen; None for dice of the first game alone."""
    note: str = ""
    """What sources contradict each other in, in English; "" if nothing."""
    note_german: str = ""

    @property
    def told(self) -> str:
        """The note in the language that is spoken."""
        return self.note_german if spoken().code == "de" else self.note

    @property
    def called(self) -> str:
        """The name of the die in the language that is spoken."""
        return self.german if spoken().code == "de" else self.name

    @property
    def typed(self) -> str:
        """The shortest name of the die in the language that is spoken."""
        return self.german_key if spoken().code == "de" else self.key


class Tier(StrEnum):
    """What a badge is made of; both players have one of the same tier, or none."""

    TIN = "tin"
    SILVER = "silver"
    GOLD = "gold"


class Exactness(StrEnum):
    """How well it is known what a badge does."""

    EXACT = "exact"
    UNKNOWN_POINTS = "unknown points"
    """All but how many points it is worth."""
    OPEN = "open"
    """What the badge does is known, but for a detail that is written nowhere."""
    UNCONFIRMED = "unconfirmed"
    """The badge is spoken of, but is not among the items of the game."""


class Badge(NamedTuple):
    """One badge of the second game."""

    kind: str
    """What it does, a word of badges.toml."""
    tier: Tier
    name: str
    german: str
    uses: int
    """The number of uses in a game; 0 for a badge that acts by itself."""
    effect: Mapping[str, Any]
    """The other fields of badges.toml, such as the combination of a formation."""
    price: int | None = None
    """The price in groschen; None where the game has no price for it."""
    points: Sequence[int] = ()
    """What sources guess that it is worth, where the game does not say."""
    open: str = ""
    """What the sources leave open, in English."""
    open_german: str = ""

    @property
    def told(self) -> str:
        """What is open in the language that is spoken."""
        return self.open_german if spoken().code == "de" else self.open

    @property
    def called(self) -> str:
        """The name of the badge in the language that is spoken."""
        return self.german if spoken().code == "de" else self.name

    @property
    def exactness(self) -> Exactness:
        """How well it is known what it does."""
        if self.price is None:
            return Exactness.UNCONFIRMED
        if self.points:
            return Exactness.UNKNOWN_POINTS
        return Exactness.OPEN if self.open else Exactness.EXACT


@cache
def known_dice() -> tuple[KnownDie, ...]:
    """All dice, in the order of dice.toml."""
    return tuple(_die(entry) for entry in _read("dice.toml")["die"])


@cache
def dice_by_key() -> dict[str, KnownDie]:
    """All dice by their shortest names in English."""
    return {die.key: die for die in known_dice()}


@cache
def known_badges() -> tuple[Badge, ...]:
    """All badges, each in its tiers."""
    return tuple(
        _badge(entry, tier)
        for entry in _read("badges.toml")["badge"]
        for tier in Tier
        if tier in entry
    )


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads((_FOLDER / name).read_text("utf-8"))


def _die(entry: dict[str, Any]) -> KnownDie:
    names = {field.name for field in fields(KnownDie)}
    values = {key: value for key, value in entry.items() if key in names}
    return KnownDie(**values, versions=_versions(entry))


def _versions(entry: dict[str, Any]) -> dict[Version, Die]:
    jokers = frozenset({entry["joker"]} if "joker" in entry else ())
    weights = {
        Version.PATCHED: entry.get("weights", entry.get("kcd1")),
        Version.RELEASE: entry.get("release", entry.get("weights")),
        Version.KCD1: entry.get("kcd1"),
    }
    versions = {
        version: Die(tuple(faces), jokers).reduced for version, faces in weights.items() if faces
    }
    if entry.get("joker_doubted"):
        versions[Version.PLAIN] = Die(tuple(entry["weights"])).reduced
    return versions


def _badge(entry: dict[str, Any], tier: Tier) -> Badge:
    values = {key: value for key, value in entry.items() if key in Badge._fields} | entry[tier]
    effect = {key: values.pop(key) for key in entry[tier] if key not in Badge._fields}
    effect = {key: tuple(v) if isinstance(v, list) else v for key, v in effect.items()}
    return Badge(**values, tier=tier, effect=effect)
