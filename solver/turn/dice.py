"""Dice as people type them, and the chances of every roll."""

import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import cache
from itertools import combinations_with_replacement
from math import factorial, prod

from solver.errors import InvalidRollError
from solver.wording import say

MAX_DICE = 6

Roll = tuple[int, ...]
"""The faces of one roll in descending order; a multiset, as the order of dice means nothing."""

_SEPARATORS = " \t\n,;+/|-"
_DIE_FACES = {chr(0x2680 + face - 1): str(face) for face in range(1, 7)}
_DECORATION = "\ufe0f\ufe0e\u20e3\u200d"  # variation selectors and the keycap around a digit


def make_roll(faces: Iterable[int]) -> Roll:
    """The canonical form of a roll."""
    return tuple(sorted(faces, reverse=True))


def parse_dice(text: str, most: int = MAX_DICE) -> Roll:
    """Read one roll of 1 to `most` dice: "6 5 3 3 3 2", "653332", "6,5,3,3,3,2" or die faces.

    Raises InvalidRollError.
    """
    accepted = {"most": most, "example": " ".join("653332"[:most])}
    faces: list[int] = []
    for character in text:
        if character in _SEPARATORS or character in _DECORATION:
            continue
        digit = unicodedata.normalize("NFKC", _DIE_FACES.get(character, character))
        if digit not in {"1", "2", "3", "4", "5", "6"}:
            raise InvalidRollError(
                say(
                    '"{character}" is not a die face: faces are 1 to 6, and a roll is 1 to {most}'
                    " dice, such as {example}",
                    character=character,
                    **accepted,
                )
            )
        faces.append(int(digit))
    if not faces:
        raise InvalidRollError(
            say("no dice given: a roll is 1 to {most} dice, such as {example}", **accepted)
        )
    if len(faces) > most:
        raise InvalidRollError(
            say(
                "{number} dice are too many: a roll is 1 to {most} dice, such as {example}",
                number=len(faces),
                **accepted,
            )
        )
    return make_roll(faces)


@cache
def rolls(number: int) -> tuple[tuple[Roll, int], ...]:
    """Every distinct roll of `number` fair dice with the number of ways, out of 6**number."""
    return tuple(
        (
            make_roll(faces),
            factorial(number) // prod(factorial(count) for count in Counter(faces).values()),
        )
        for faces in combinations_with_replacement(range(1, 7), number)
    )


@cache
def parts(roll: Roll) -> frozenset[Roll]:
    """Every sub-multiset of a roll, the empty one and the roll itself among them."""
    if not roll:
        return frozenset([()])
    others = parts(roll[1:])
    return others | {(roll[0], *rest) for rest in others}
