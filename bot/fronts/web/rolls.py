"""Rolls that are tapped together: of equal dice, or of dice with names."""

from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass

from bot.fronts.web.page import Page
from solver.errors import FarkleError
from solver.named.catalogue import Version
from solver.named.rolls import JOKER_LETTER
from solver.named.sets import NamedDie, read_dice
from solver.rules.ruleset import FACES
from solver.turn.dice import JOKER

_FACES = {str(face): face for face in FACES} | {JOKER_LETTER: JOKER}


@dataclass(frozen=True, slots=True)
class Tray:
    """What can be tapped to make a roll, and the roll so far."""

    rows: tuple[tuple[str, tuple[tuple[int, str], ...]], ...]
    """Dice that can be added, by name, each face with where a tap leads, "" where none does."""
    rolled: tuple[tuple[int, str, str], ...]
    """The dice of the roll: the face, the name, and where a tap leads that takes it away."""
    missing: int
    """Dice that are still to be told for a whole roll."""


def plain_roll(page: Page, given: Mapping[str, str], dice: str, whole: int) -> Tray:
    """Return a roll of equal dice, given by its digits."""
    is_full = len(dice) >= whole

    def to(rest: str) -> str:
        return page.link("/", given, dice=rest)

    adds = tuple((face, "" if is_full else to(f"{dice}{face}")) for face in FACES)
    rolled = ((int(face), "", to(dice[:k] + dice[k + 1 :])) for k, face in enumerate(dice))
    return Tray((("", adds),), tuple(rolled), whole - len(dice))


def loaded_roll(page: Page, given: Mapping[str, str]) -> Tray | None:
    """Return the roll of an address that names its dice; None where it was typed otherwise."""
    dice = {key_of(one): one for one in dice_of(given.get("my-dice", ""))}
    left = Counter(map(key_of, dice_of(given.get("my-dice", ""))))
    parts = [one.strip().partition(" ") for one in given.get("dice", "").split(",") if one.strip()]
    roll = [(face, name) for face, _, name in parts]
    left.subtract(name for _, name in roll)
    if not dice or min(left.values()) < 0 or not {face for face, _ in roll} <= _FACES.keys():
        return None

    def to(found: list[tuple[str, str]]) -> str:
        return page.link("/", given, dice=",".join(map(" ".join, found)))

    rows = tuple(
        (one.typed, tuple((_FACES[face], to([*roll, (face, key)])) for face in _shown(one)))
        for key, one in dice.items()
        if left[key]
    )
    rolled = tuple(
        (_FACES[face], dice[name].typed, to(roll[:k] + roll[k + 1 :]))
        for k, (face, name) in enumerate(roll)
    )
    return Tray(rows, rolled, left.total())


def dice_of(text: str) -> list[NamedDie]:
    """Return the dice that a text names, none where it cannot be read."""
    with suppress(FarkleError):
        return read_dice(text)
    return []


def key_of(named: NamedDie) -> str:
    """Return what a die is called in addresses, whatever the language."""
    if not named.key:
        return named.typed
    is_plain = named.version is Version.PATCHED
    return named.key if is_plain else f"{named.key}@{named.version}"


def set_text(dice: Iterable[NamedDie]) -> str:
    """Return dice as they stand in addresses."""
    counted = Counter(map(key_of, dice))
    return ",".join(name + (f"*{number}" if number > 1 else "") for name, number in counted.items())


def _shown(named: NamedDie) -> list[str]:
    """The faces that a die can show, as they are typed."""
    faces = (face for face in FACES if named.die.weights[face - 1])
    return [JOKER_LETTER if face in named.die.jokers else str(face) for face in faces]
