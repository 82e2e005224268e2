"""Sets of dice by name, as people write them: `lucky*3,odd,ordinary*2` or `3 lucky, odd, ...`.

A die is named in English or German, in full or by a part of its name that no other has; a version
follows an @, as in `three@release`. Any other die is its weights, as in `1:2:1:1:1:3`, with the
face that is a joker as in `1:1:1:1:1:1@joker1`.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher, get_close_matches
from functools import cached_property
from itertools import islice

from solver.errors import InvalidDiceError, did_you_mean, one_of
from solver.named.catalogue import KnownDie, Version, dice_by_key, known_dice
from solver.named.names import dice_called, spellings, words_of
from solver.turn.dice import MAX_WEIGHT, DiceSet, Die, Remaining, make_dice_set
from solver.wording import say, say_later, short

ADDED = "extra"
"""The key of a die that a badge adds to one roll."""
USUAL = 6
"""Dice of a set where no rules say it."""
MOST_OWNED = 200
"""Dice that somebody may own: more are a slip of the finger."""

_ADDED_NAME = say_later("extra")
_BETWEEN = re.compile(r"[,;\n&+]|\s(?:and|und)\s", re.IGNORECASE)
_TIMES = r"[x*×]"
_NUMBER = r"\d{1,6}"
_ITEM = re.compile(
    rf"(?:(?P<before>{_NUMBER})\s*{_TIMES}?\s*)?(?P<name>[^\W\d].*?|\d+(?::\d*)+(?:@\w*)?)"
    rf"(?:\s*{_TIMES}\s*(?P<times>{_NUMBER})|\s+(?P<after>{_NUMBER}))?",
    re.IGNORECASE,
)
_WEIGHTS_ITEM = re.compile(
    rf"(?:(?P<before>{_NUMBER})\s*(?:{_TIMES}\s*|\s))?(?P<name>\d+(?::\d*)+(?:@\w*)?)"
    rf"(?:\s*{_TIMES}\s*(?P<times>{_NUMBER})|\s+(?P<after>{_NUMBER}))?",
    re.IGNORECASE,
)
_NUMBER_FIRST = re.compile(rf"\s+(?={_NUMBER}\s*{_TIMES}?\s*[^\W\d])", re.IGNORECASE)
_NUMBER_LAST = re.compile(r"(?<=\d)\s+(?=[^\W\d])")
"""Blanks between items that have no commas between them."""


@dataclass(frozen=True, slots=True)
class NamedDie:
    """A die as somebody calls it."""

    key: str
    """The key in the catalogue; "" for a die that is given by its weights."""
    version: Version
    die: Die
    """The die, in the form of `Die.reduced`."""

    @property
    def known(self) -> KnownDie | None:
        """The entry of the die in the catalogue; None if it is given by its weights."""
        return dice_by_key().get(self.key)

    @property
    def typed(self) -> str:
        """The shortest name of the die in the language that is spoken; `read_die` reads it."""
        known = self.known
        if self.key == ADDED:
            return say(_ADDED_NAME)
        if known is None:
            jokers = (f"@joker{face}" for face in self.die.jokers)
            return "".join([":".join(map(str, self.die.weights)), *jokers])
        plain = self.version is Version.PATCHED
        return known.typed if plain else f"{known.typed}@{self.version}"

    @property
    def called(self) -> str:
        """What the game calls it, in the language that is spoken."""
        known = self.known
        if known is None or self.version is Version.PATCHED:
            return known.called if known else self.typed
        return f"{known.called} ({self.version})"


@dataclass(frozen=True)
class NamedSet:
    """The dice of a player by name, more numerous ones first."""

    dice: tuple[NamedDie, ...]
    added: NamedDie | None = None
    """What a badge adds to them for one roll; the last type of `dice_set` by itself."""

    @cached_property
    def counted(self) -> tuple[tuple[NamedDie, int], ...]:
        """Each name with its number of dice."""
        return tuple(Counter(self.dice).items())

    @cached_property
    def dice_set(self) -> DiceSet:
        """The set as the solver has it: dice that fall alike are one type, whatever their names."""
        own = make_dice_set(named.die for named in self.dice)
        return own.with_die(self.added.die) if self.added else own

    def type_of(self, named: NamedDie) -> int:
        """The type of `dice_set` that a name stands for."""
        types = self.dice_set.types
        return len(types) - 1 if named == self.added else types.index(named.die)

    def first_name(self, of_type: int) -> NamedDie:
        """What the dice of a type are called, by the first of their names."""
        return next(named for named in self.names if self.type_of(named) == of_type)

    @property
    def names(self) -> tuple[NamedDie, ...]:
        """What its dice are called, each name once."""
        return tuple(dict.fromkeys((*self.dice, *([self.added] if self.added else []))))

    def left(self, dice: Remaining) -> "NamedSet":
        """The dice that remain, by the first names of their types."""
        counts = self.dice_set.remaining[dice]
        return make_set(
            self.first_name(k) for k, number in enumerate(counts) for _ in range(number)
        )

    @property
    def text(self) -> str:
        """The shortest form of the set in the language that is spoken; `read_set` reads it."""
        counted = (*self.counted, *([(self.added, 1)] if self.added else []))
        return ",".join(
            named.typed + (f"*{number}" if number > 1 else "") for named, number in counted
        )

    @property
    def price(self) -> int | None:
        """What it costs in groschen, None where a price is not known."""
        prices = [named.known.price if named.known else None for named in self.dice]
        return None if None in prices else sum(filter(None, prices))


def added_die(die: Die) -> NamedDie:
    """A die that a badge adds to a roll."""
    return NamedDie(ADDED, Version.PATCHED, die)


def make_set(dice: Iterable[NamedDie]) -> NamedSet:
    """The set of some dice; their order means nothing."""
    counts = Counter(dice)
    return NamedSet(tuple(sorted(counts.elements(), key=lambda die: (-counts[die], *_order(die)))))


def named_die(known: KnownDie, version: Version = Version.PATCHED) -> NamedDie:
    """A die of the catalogue in a version that it has; one that never changed has no version."""
    die = known.versions[version]
    first = next(version for version, weights in known.versions.items() if weights == die)
    return NamedDie(known.key, first, die)


def ordinary_die() -> NamedDie:
    """The die whose faces all fall alike."""
    return named_die(dice_by_key()["ordinary"])


def read_set(text: str, number: int = USUAL) -> NamedSet:
    """The set of `number` dice that a text names.

    Raises InvalidDiceError.
    """
    named = make_set(read_dice(text))
    if (given := len(named.dice)) == number:
        return named
    message = say_later("a set is {number} dice, not {found}: such as {example}")
    if given < number:
        message = say_later(
            "a set is {number} dice, not {found}: if the others are ordinary, write {whole}"
        )
    whole = make_set([*named.dice, *[ordinary_die()] * (number - given)]).text
    parts = {"number": number, "found": given, "whole": whole, "example": _example(number)}
    raise InvalidDiceError.say(message, **parts)


def read_dice(text: str) -> list[NamedDie]:
    """All dice that a text names, in its order, any number of them up to MOST_OWNED.

    Raises InvalidDiceError.
    """
    plain = unicodedata.normalize("NFKC", text)
    items = [item.strip() for item in _BETWEEN.split(plain) if item.strip()]
    dice = [die for item in items for die in _read_item(item)]
    if not dice:
        raise InvalidDiceError.say(
            "no dice given: dice are named as in {example}", example=_example(USUAL)
        )
    if len(dice) > MOST_OWNED:
        raise _too_many(len(dice))
    return dice


def read_die(text: str) -> NamedDie:
    """The die that a name, a name with a version or weights stand for.

    Raises InvalidDiceError.
    """
    name, _, version = text.partition("@")
    if ":" in name:
        return _custom(text, name, version)
    return _in_version(find_die(name), version.strip().lower())


def find_die(name: str) -> KnownDie:
    """The die of the catalogue that a name stands for.

    Raises InvalidDiceError.
    """
    matches = dice_called(name)
    if not matches:
        raise InvalidDiceError(
            say('there is no die called "{name}"', name=short(name.strip())) + _nearest(name)
        )
    if len({tuple(die.versions.items()) for die in matches}) > 1:
        raise InvalidDiceError.say(
            '"{name}" could be {dice}: write one of these',
            name=short(name.strip()),
            dice=one_of([die.typed for die in matches][:6]),
        )
    return matches[0]


def _read_item(item: str) -> list[NamedDie]:
    """The dice of one item; of several where nothing stands between them but blanks.

    Raises InvalidDiceError.
    """
    parted = (_NUMBER_FIRST if item[0].isdigit() else _NUMBER_LAST).split(item)
    if len(parted) > 1:
        return [die for part in parted for die in _read_item(part)]
    match = _WEIGHTS_ITEM.fullmatch(item) or _ITEM.fullmatch(item)
    if not match:
        raise InvalidDiceError.say(
            '"{item}" does not name dice: write them as in {example}',
            item=short(item),
            example=_example(USUAL),
        )
    numbers = [int(match[part]) for part in ("before", "times", "after") if match[part]]
    if len(numbers) > 1:
        raise InvalidDiceError.say(
            '"{item}" has two numbers of dice: write {name}*{number}',
            item=short(item),
            name=short(match["name"].strip()),
            number=numbers[0],
        )
    number = numbers[0] if numbers else 1
    words = match["name"].split()
    is_one = numbers or len(words) == 1 or dice_called(match["name"])
    if not is_one and all(dice_called(word) for word in words):
        return [read_die(word) for word in words]
    if number > MOST_OWNED:
        raise _too_many(number)
    if not number:
        raise InvalidDiceError.say(
            '"{item}" means no dice at all: leave it out, or write how many', item=short(item)
        )
    return [read_die(match["name"])] * number


def _too_many(number: int) -> InvalidDiceError:
    return InvalidDiceError.say(
        "{number:,} dice are too many: nobody owns more than {most}",
        number=number,
        most=MOST_OWNED,
    )


def _in_version(known: KnownDie, version: str) -> NamedDie:
    """A die in a version as typed. Raises InvalidDiceError."""
    if not known.versions:
        raise InvalidDiceError.say(
            "nobody knows how {die} falls: give the weights you want to assume, such as"
            " 1:1:1:1:1:1@joker1 for a die whose 1 is a joker",
            die=known.called,
        )
    if not version:
        return named_die(known)
    if version not in {str(known_version) for known_version in known.versions}:
        raise InvalidDiceError.say(
            "there is no {die} as @{version}, only as {versions}",
            die=known.called,
            version=short(version, 20),
            versions=", ".join(f"@{known_version}" for known_version in known.versions),
        )
    return named_die(known, Version(version))


def _custom(text: str, weights: str, joker: str) -> NamedDie:
    """A die by its weights. Raises InvalidDiceError."""
    face = re.fullmatch(r"(?:joker([1-6])?)?", joker.strip(), re.IGNORECASE)
    numbers = [number.strip() for number in weights.split(":")]
    is_sound = len(numbers) == 6 and all(re.fullmatch(r"\d{1,7}", number) for number in numbers)
    if (
        not face
        or not is_sound
        or not any(map(int, numbers))
        or max(map(int, numbers)) > MAX_WEIGHT
    ):
        raise InvalidDiceError.say(
            '"{text}" is not a die: a die has six weights, whole numbers from 0 to {most:,} and'
            " not all 0, such as 1:2:1:1:1:3, or 1:1:1:1:1:1@joker1 if the 1 is a joker",
            text=short(text),
            most=MAX_WEIGHT,
        )
    jokers = frozenset({int(face[1] or 1)} if joker.strip() else ())
    return NamedDie("", Version.PATCHED, Die(tuple(map(int, numbers)), jokers).reduced)


def _order(named: NamedDie) -> tuple[bool, str, Version, tuple[int, ...], list[int]]:
    """The key that sorts dice by name, those given by weights last."""
    return (not named.key, named.key, named.version, named.die.weights, sorted(named.die.jokers))


def _nearest(name: str) -> str:
    """The tail of a sentence about a name that no die has."""
    names = {spelled: die for die in known_dice() for spelled in spellings(die)}
    typed = {" ".join(words) for words in words_of(name)}
    near = [word for text in typed for word in get_close_matches(text, names, n=5, cutoff=0.5)]
    if near:
        near.sort(key=lambda key: -max(SequenceMatcher(None, key, text).ratio() for text in typed))
        words = list(dict.fromkeys(names[word].typed for word in near))
        return did_you_mean(words[0], words[:3])
    return say("; known are {words}", words=", ".join([die.typed for die in known_dice()][:60]))


def _example(number: int) -> str:
    """A set of so many dice, as it is written."""
    dice = dice_by_key()
    keys = ["lucky", "lucky", "lucky", "odd", "ordinary", "ordinary"][:number]
    return make_set(named_die(dice[key]) for key in keys).text


def with_ordinary(owned: Iterable[NamedDie], number: int) -> list[NamedDie]:
    """The dice that somebody owns, with as many ordinary ones as a set may need."""
    dice = list(owned)
    plain = sum(named.die == Die() for named in dice)
    return dice + [ordinary_die()] * max(0, number - plain)


def number_of_sets(owned: Iterable[NamedDie], number: int) -> int:
    """How many different sets of so many dice there are; dice that fall alike are alike."""
    ways = [1] + [0] * number
    for count in Counter(named.die for named in owned).values():
        ways = [
            sum(ways[k - taken] for taken in range(min(k, count) + 1)) for k in range(number + 1)
        ]
    return ways[number]


def sets_from(owned: Iterable[NamedDie], number: int) -> list[NamedSet]:
    """Every different set of so many dice; of dice that fall alike those named first are taken."""
    by_type: dict[Die, list[NamedDie]] = {}
    for named in owned:
        by_type.setdefault(named.die, []).append(named)
    return [make_set(dice) for dice in _taken(list(by_type.values()), number)]


def _taken(types: list[list[NamedDie]], number: int) -> Iterator[list[NamedDie]]:
    """All ways to take so many dice, a number of the first ones of each type."""
    if not types:
        if number == 0:
            yield []
        return
    first, *others = types
    for taken in range(min(number, len(first)) + 1):
        for rest in _taken(others, number - taken):
            yield [*islice(first, taken), *rest]
