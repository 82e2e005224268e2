"""Rolls and set-asides that tell dice apart: `5 lucky, 1 odd, 3 3 ordinary` or `lucky 5, odd 1`.

A die is named where more than one could show the face, by its name or any part of it that no other
die of the set has. J stands for a joker.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations, groupby, islice
from operator import itemgetter

from solver.errors import InvalidDiceError, InvalidRollError, one_of
from solver.named.catalogue import Version
from solver.named.names import matching
from solver.named.sets import ADDED, NamedSet, read_die
from solver.rules.ruleset import FACES
from solver.turn.dice import DIE_SIGNS, JOKER, Die, Remaining, Roll, make_roll
from solver.wording import say_later, say_number, short

JOKER_LETTER = "J"

_SIGNS = DIE_SIGNS | dict.fromkeys(
    "\U0001f0cf\U0001f0bf\U0001f0df\U0001f608\U0001f47f\U0001f479★☆", JOKER_LETTER
)
"""Signs of faces, and of jokers: playing cards, devils and stars."""

_GROUPS = re.compile(r"[,;\n&+]|\s(?:and|und)\s", re.IGNORECASE)
_TOKEN = re.compile(
    r"(?P<weights>\d+(?::\d+){5}(?:@\w+)?)|(?P<face>\d)|(?P<joker>jokers?\b|j(?=[j\d]|\b))"
    r"|(?P<name>[^\W\d_][\w'’@.-]*)|(?P<other>[^\s:=/|_-])",
    re.IGNORECASE,
)


Way = tuple[tuple[int, int], ...]
"""Dice as pairs of their type and the face that they show."""

_MOST_WAYS = 60
"""The most ways that are looked at to say which dice may be meant."""


@dataclass(frozen=True, slots=True)
class _Group:
    """Faces that were typed together, and the type of the dice, None where it was not named."""

    faces: tuple[int, ...]
    of_type: int | None


@dataclass(frozen=True, slots=True)
class _Choice:
    """What dice may show: at most so many of each type and face, and of each type."""

    faces: tuple[Mapping[int, int], ...]
    """The number of dice that may show each face, by type."""
    dice: tuple[int, ...]
    """The number of dice, by type."""

    def ways(self, unnamed: tuple[int, ...]) -> Iterator[Way]:
        """All ways in which dice may show some faces."""
        return _ways(self, sorted(Counter(unnamed).items(), reverse=True), self.dice)


def read_roll(named: NamedSet, text: str, dice: Remaining | None = None) -> Roll:
    """The roll that a text stands for, of some dice of a set, of any of them if None.

    Raises InvalidRollError.
    """
    choice = _of_dice(named, dice)
    groups = _read(named, text, sum(choice.dice))
    for group in groups:
        _check_faces(named, group)
    return _only(named, groups, choice)


def read_set_aside(named: NamedSet, roll: Roll, text: str) -> Roll:
    """The dice of a roll that a text stands for.

    Raises InvalidRollError.
    """
    return _only(named, _read(named, text, len(roll)), _of_roll(named, roll), roll)


def roll_text(named: NamedSet, roll: Roll, dice: Remaining | None = None) -> str:
    """The shortest text that `read_roll` reads as this roll, in the language that is spoken.

    Of a roll in which a die was turned to what it never shows the shortest that tells its dice.
    """
    choice = _of_dice(named, dice)
    anything = (dict.fromkeys((JOKER, *FACES), number) for number in choice.dice)
    turned = _Choice(tuple(anything), choice.dice)
    return _shortest(named, roll, choice) or _shortest(named, roll, turned)


def set_aside_text(named: NamedSet, roll: Roll, kept: Roll) -> str:
    """The shortest text that `read_set_aside` reads as these dice of a roll."""
    return _shortest(named, kept, _of_roll(named, roll))


def _of_dice(named: NamedSet, dice: Remaining | None) -> _Choice:
    """What some dice of a set may show, any of them if None."""
    thrown = named.dice_set
    left = thrown.remaining[thrown.whole if dice is None else dice]
    shown = (dict.fromkeys(_faces(named, k), number) for k, number in enumerate(left))
    return _Choice(tuple(shown), left)


def _faces(named: NamedSet, of_type: int) -> list[int]:
    """What the dice of a type may show."""
    die = named.dice_set.types[of_type]
    return [
        JOKER if face in die.jokers else face
        for face, weight in zip(FACES, die.weights, strict=True)
        if weight
    ]


def _of_roll(named: NamedSet, roll: Roll) -> _Choice:
    """What may be set aside of a roll."""
    shown = [Counter[int]() for _ in named.dice_set.types]
    for die in roll:
        shown[named.dice_set.type_of(die)][_face(named, die)] += 1
    return _Choice(tuple(shown), tuple(faces.total() for faces in shown))


def _face(named: NamedSet, die: int) -> int:
    """What one die of a roll shows."""
    return named.dice_set.faces((die,))[0]


def _ways(choice: _Choice, unnamed: list[tuple[int, int]], left: tuple[int, ...]) -> Iterator[Way]:
    if not unnamed:
        yield ()
        return
    (face, number), rest = unnamed[0], unnamed[1:]
    most = [min(shown.get(face, 0), n) for shown, n in zip(choice.faces, left, strict=True)]
    for parts in _shares(number, most):
        after = tuple(n - part for n, part in zip(left, parts, strict=True))
        here = tuple((k, face) for k, part in enumerate(parts) for _ in range(part))
        for others in _ways(choice, rest, after):
            yield here + others


def _shares(number: int, most: list[int]) -> Iterator[tuple[int, ...]]:
    """All ways to share out a number."""
    if not most:
        if number == 0:
            yield ()
        return
    for part in range(min(number, most[0]), -1, -1):
        for rest in _shares(number - part, most[1:]):
            yield (part, *rest)


def _shortest(named: NamedSet, roll: Roll, choice: _Choice) -> str:
    """The shortest text by which some dice are told from all others that there may be.

    "" where there may be no such dice.
    """
    shown = [(named.dice_set.type_of(die), _face(named, die)) for die in roll]
    types = sorted({k for k, _ in shown})
    texts = []
    for number in range(len(types) + 1):
        for named_types in combinations(types, number):
            groups = [_Group(tuple(f for own, f in shown if own == k), k) for k in named_types]
            unnamed = tuple(sorted((f for k, f in shown if k not in named_types), reverse=True))
            left = _without(choice, groups)
            if left and len(list(islice(left.ways(unnamed), 2))) == 1:
                texts.append(_text(named, [*groups, _Group(unnamed, None)]))
    return min(texts, key=len, default="")


def _text(named: NamedSet, groups: list[_Group]) -> str:
    parts = []
    for group in groups:
        faces = [_face_text(face) for face in group.faces]
        if group.of_type is not None:
            faces.append(named.first_name(group.of_type).typed)
        parts += [" ".join(faces)] if faces else []
    return ", ".join(parts)


def _face_text(face: int) -> str:
    return JOKER_LETTER if face == JOKER else str(face)


def _without(choice: _Choice, groups: list[_Group]) -> _Choice | None:
    """What is left once the named dice are taken, None where there are not so many."""
    faces, dice = [Counter(counts) for counts in choice.faces], list(choice.dice)
    for group in groups:
        if group.of_type is not None:
            faces[group.of_type].subtract(group.faces)
            dice[group.of_type] -= len(group.faces)
    if min(dice) < 0 or any(number < 0 for counts in faces for number in counts.values()):
        return None
    return _Choice(tuple(faces), tuple(dice))


def _only(named: NamedSet, groups: list[_Group], choice: _Choice, roll: Roll | None = None) -> Roll:
    """The dice that are meant, if only some can be, out of a roll or out of a set.

    Raises InvalidRollError.
    """
    left = _without(choice, groups)
    unnamed = tuple(face for group in groups if group.of_type is None for face in group.faces)
    ways = list(islice(left.ways(unnamed), _MOST_WAYS)) if left else []
    if not ways:
        if roll is not None:
            raise InvalidRollError.say(
                "these dice are not all in the roll: {roll}", roll=roll_text(named, roll)
            )
        raise _too_many(named, groups, choice)
    if len(ways) > 1:
        raise _which(named, ways)
    shown = list(ways[0])
    for group in groups:
        if group.of_type is not None:
            shown += [(group.of_type, face) for face in group.faces]
    return make_roll(named.dice_set.shown_by(k, face) for k, face in shown)


def _which(named: NamedSet, ways: list[Way]) -> InvalidRollError:
    """The error for a roll that does not say which die shows a face."""
    counts = [Counter(way) for way in ways]
    dice = dict.fromkeys(die for way in counts for die in way)
    differ = [die for die in dice if len({way[die] for way in counts}) > 1]
    face = max(face for _, face in differ)
    names = [named.first_name(k).typed for k, shown in sorted(differ) if shown == face]
    return InvalidRollError.say(
        "which die shows the {face}: {names}? Name it, as in {example}",
        face=_face_text(face),
        names=one_of(names),
        example=f"{_face_text(face)} {names[0]}",
    )


def _too_many(named: NamedSet, groups: list[_Group], choice: _Choice) -> InvalidRollError:
    """What a roll asks of dice that they cannot show."""
    for group in groups:
        if group.of_type is not None:
            typed = sum(len(other.faces) for other in groups if other.of_type == group.of_type)
            if typed > (number := choice.dice[group.of_type]):
                return InvalidRollError.say(
                    "the roll has {die}*{told}, and only {number} of these can be rolled",
                    number=number,
                    told=typed,
                    die=named.first_name(group.of_type).typed,
                )
    faces = Counter(face for group in groups for face in group.faces)
    for face, typed in sorted(faces.items(), reverse=True):
        can = [k for k, shown in enumerate(choice.faces) if shown.get(face) and choice.dice[k]]
        others = [k for k, number in enumerate(choice.dice) if number and k not in can]
        number = sum(choice.dice[k] for k in can)
        if not can:
            return InvalidRollError.say(
                "none of these dice shows a {face}: they are {set}",
                face=_face_text(face),
                set=named.text,
            )
        if typed > number:
            return InvalidRollError(
                say_number(
                    "{told} dice cannot show a {face}: only {number} [die|dice] can, as {names}"
                    " has no {face}",
                    number,
                    told=typed,
                    face=_face_text(face),
                    names=one_of([named.first_name(k).typed for k in others]),
                )
            )
    return InvalidRollError.say(
        "the dice of {set} cannot show that: each die shows one of these faces", set=named.text
    )


def _check_faces(named: NamedSet, group: _Group) -> None:
    """Raises InvalidRollError where a named die has not a face that it is said to show."""
    if group.of_type is None:
        return
    die, has = named.first_name(group.of_type), _faces(named, group.of_type)
    for face in group.faces:
        if face in has:
            continue
        if face in die.die.jokers:
            raise InvalidRollError.say(
                "{die} has a joker in place of the {face}: write J", die=die.typed, face=face
            )
        raise InvalidRollError.say(
            "{die} has no {face}: it shows {faces}",
            die=die.typed,
            face=_face_text(face),
            faces=", ".join(map(_face_text, sorted(has))),
        )


def _read(named: NamedSet, text: str, most: int) -> list[_Group]:
    """What a text says, as it was typed. Raises InvalidRollError."""
    plain = "".join(_SIGNS.get(letter, letter) for letter in text)
    plain = unicodedata.normalize("NFKC", plain.replace("\ufe0f", "").replace("\ufe0e", ""))
    groups = [group for part in _GROUPS.split(plain) for group in _read_group(named, part)]
    number = sum(len(group.faces) for group in groups)
    if 0 < number <= most:
        return groups
    message = say_later("no dice given: a roll is 1 to {most} dice, such as {example}")
    if number:
        message = say_later(
            "{number} dice are too many: a roll is 1 to {most} dice, such as {example}"
        )
    raise InvalidRollError.say(message, number=number, most=most, example=_example(named))


def _read_group(named: NamedSet, text: str) -> list[_Group]:
    """What stands between two commas. Raises InvalidRollError."""
    tokens: list[tuple[bool, str]] = []
    for match in _TOKEN.finditer(text):
        kind, token = match.lastgroup, match[0]
        if kind == "other" or (kind == "face" and not re.fullmatch("[1-6]", token)):
            raise InvalidRollError.say(
                '"{token}" is not a die face: faces are 1 to 6 and J for a joker, and dice are'
                " named as in {example}",
                token=short(token),
                example=_example(named),
            )
        tokens.append((kind in {"face", "joker"}, token))
    runs = [(is_face, [t for _, t in run]) for is_face, run in groupby(tokens, key=itemgetter(0))]
    if len(runs) == 1 and runs[0][0]:
        return [_Group(_face_numbers(runs[0][1]), None)]
    if len(runs) % 2:
        raise InvalidRollError.say(
            '"{text}" does not say which die shows what: write it as in {example}',
            text=short(text.strip()),
            example=_example(named),
        )
    pairs = zip(runs[::2], runs[1::2], strict=True)
    return [
        _Group(_face_numbers(run if is_face else other), _type(named, other if is_face else run))
        for (is_face, run), (_, other) in pairs
    ]


def _face_numbers(tokens: list[str]) -> tuple[int, ...]:
    return tuple(int(token) if token.isdigit() else JOKER for token in tokens)


def _type(named: NamedSet, words: list[str]) -> int:
    """The type of the dice that a name stands for. Raises InvalidRollError."""
    text = " ".join(words)
    dice = list(named.names)
    if named.added and text.casefold() in {ADDED, named.added.typed}:
        return named.type_of(named.added)
    if ":" in text:
        matches = [die for die in dice if not die.key and die.die == _weights(text)]
    else:
        name, _, version = text.partition("@")
        known = [die.known for die in dice if die.known]
        meant = {entry.key for entry in matching(name, known, least=1)}
        matches = [die for die in dice if die.key in meant]
        # without a version the plain one is meant, if there is one
        exact = [
            die for die in matches if die.version == (version.strip().lower() or Version.PATCHED)
        ]
        matches = exact if exact or version else matches
    types = {named.type_of(die) for die in matches}
    if not types:
        raise InvalidRollError.say(
            'no die of this set is called "{name}": it is {set}', name=short(text), set=named.text
        )
    if len(types) > 1:
        raise InvalidRollError.say(
            '"{name}" could be {dice}: write one of these',
            name=short(text),
            dice=one_of([die.typed for die in matches]),
        )
    return types.pop()


def _weights(text: str) -> Die:
    """The die of some weights. Raises InvalidRollError."""
    try:
        return read_die(text).die
    except InvalidDiceError as error:
        raise InvalidRollError(str(error)) from None


def _example(named: NamedSet) -> str:
    """A roll of a set, as it is written."""
    faces = [max(_faces(named, k)) for k in range(len(named.dice_set.types))]
    if len(faces) == 1:
        return " ".join([_face_text(faces[0])] * len(named.dice))
    return ", ".join(
        f"{_face_text(face)} {named.first_name(k).typed}" for k, face in enumerate(faces)
    )
