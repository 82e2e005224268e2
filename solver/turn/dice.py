"""Dice: as people type them, the set that a player throws, and the chances of its rolls."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations_with_replacement, product
from math import gcd, prod

from solver.errors import InvalidDiceError, InvalidRollError
from solver.rules.patterns import MAX_DICE
from solver.rules.ruleset import FACES, Ruleset
from solver.wording import say_number

MAX_WEIGHT = 1_000_000

JOKER = 0
"""Among the faces of a roll: a joker, which stands for any value inside a combination."""

Roll = tuple[int, ...]
"""The faces of one roll in descending order; a multiset, as the order of dice means nothing.

Where a set has dice of several types, the face f of type k is 6 * k + f, so that a roll tells which
die shows it; `DiceSet.faces` gives the faces alone. Badges turn dice to what they do not show as
they fall: to a face which is a joker, as if their type came again behind all others, or to a joker
that they do not have, as if it came once more behind these.
"""

Remaining = int
"""The dice of a set that are still to roll: an index into `DiceSet.remaining`. 0 is none of them;
of equal dice it is their number."""

_SEPARATORS = " \t\n,;+/|-[](){}.?!'\"“”„`"
_TIMES = re.compile(r"(?<!\w)(10|[1-9])\s*[x×*]\s*([1-6])(?!\s*[x×*]|\w)", re.IGNORECASE)
"""So many dice of a face, as in 3x5."""
DIE_SIGNS = {chr(0x2680 + face - 1): str(face) for face in FACES}
"""Pictures of die faces among letters, and the digits they stand for."""
_DECORATION = "\ufe0f\ufe0e\u20e3\u200d"  # variation selectors and the keycap around a digit


def make_roll(faces: Iterable[int]) -> Roll:
    """The canonical form of a roll."""
    return tuple(sorted(faces, reverse=True))


def dice_text(dice: Roll) -> str:
    """Faces with a space between them."""
    return " ".join(map(str, dice))


def parse_dice(text: str, most: int = MAX_DICE) -> Roll:
    """Read one roll of 1 to `most` dice: "6 5 3 3 3 2", "653332", "[6, 5, 3]" or die faces.

    Three 5s may be "3x5". Raises InvalidRollError.
    """
    accepted = {"most": most, "example": " ".join("6533322211"[:most])}
    faces: list[int] = []
    plain = "".join(map(_plain, text))
    for character in _TIMES.sub(lambda found: found[2] * int(found[1]), plain):
        if character in _SEPARATORS:
            continue
        if character not in {"1", "2", "3", "4", "5", "6"}:
            raise InvalidRollError.say(
                '"{character}" is not a die face: faces are 1 to 6, and a roll is 1 to {most}'
                " dice, such as {example}",
                character=character,
                **accepted,
            )
        faces.append(int(character))
    if not faces:
        raise InvalidRollError.say(
            "no dice given: a roll is 1 to {most} dice, such as {example}", **accepted
        )
    if len(faces) > most:
        raise InvalidRollError.say(
            "{number} dice are too many: a roll is 1 to {most} dice, such as {example}",
            number=len(faces),
            **accepted,
        )
    return make_roll(faces)


def _plain(character: str) -> str:
    """A character as a keyboard has it; nothing for one that nobody sees."""
    if character in _DECORATION or unicodedata.category(character) == "Cf":
        return ""
    found = unicodedata.normalize("NFKC", DIE_SIGNS.get(character, character))
    return found if len(found) == 1 else character


@dataclass(frozen=True, slots=True)
class Die:
    """A die by the weights of its faces 1 to 6, whole numbers: how often each falls out of all.

    Raises InvalidDiceError for weights or faces that no die has.
    """

    weights: tuple[int, ...] = (1,) * len(FACES)
    jokers: frozenset[int] = frozenset()
    """The faces that are jokers."""

    def __post_init__(self) -> None:
        weights = list(self.weights)
        is_sound = len(weights) == len(FACES) and all(
            type(weight) is int and 0 <= weight <= MAX_WEIGHT for weight in weights
        )
        if not is_sound or not any(weights):
            raise InvalidDiceError.say(
                "a die has six weights, one for each face: whole numbers from 0 to {most:,}, not"
                " all of them 0, and not {weights}",
                most=MAX_WEIGHT,
                weights=weights,
            )
        if not self.jokers <= set(FACES):
            raise InvalidDiceError.say(
                "the jokers of a die are among its faces 1 to 6, not {faces}",
                faces=sorted(self.jokers),
            )

    @property
    def reduced(self) -> "Die":
        """The die that all dice stand for which fall alike.

        Weights have no common divisor, all jokers are on the first face that is one, and faces that
        never fall are no jokers.
        """
        jokers = [face for face in sorted(self.jokers) if self.weights[face - 1]]
        weights = list(self.weights)
        for face in jokers[1:]:
            weights[jokers[0] - 1] += weights[face - 1]
            weights[face - 1] = 0
        divisor = gcd(*weights)
        return Die(tuple(weight // divisor for weight in weights), frozenset(jokers[:1]))


@dataclass(frozen=True)
class DiceSet:
    """The dice that one player throws: so many of each type."""

    types: tuple[Die, ...]
    counts: tuple[int, ...]

    @cached_property
    def remaining(self) -> tuple[tuple[int, ...], ...]:
        """What may be left of the set, as numbers of dice by type: nothing first, all last."""
        found = product(*(range(count + 1) for count in self.counts))
        return tuple(sorted(found, key=lambda left: (sum(left), left)))

    @cached_property
    def _places(self) -> dict[tuple[int, ...], Remaining]:
        return {left: place for place, left in enumerate(self.remaining)}

    def place(self, left: tuple[int, ...]) -> Remaining:
        """The remaining dice that are so many of each type."""
        return self._places[left]

    @cached_property
    def has_jokers(self) -> bool:
        """Whether a joker can fall."""
        return any(die.jokers for die in self.types)

    @property
    def whole(self) -> Remaining:
        """All dice of the set."""
        return len(self.remaining) - 1

    def without(self, dice: Remaining, set_aside: Roll) -> Remaining:
        """What is left of some dice once others were set aside, which are among them."""
        if len(self.types) == 1:
            return dice - len(set_aside)
        gone = self._types_of(set_aside)
        left = tuple(number - gone[k] for k, number in enumerate(self.remaining[dice]))
        return self.place(left)

    def thrown_in(self, roll: Roll) -> Remaining:
        """The dice that a roll is of."""
        numbers = self._types_of(roll)
        return self.place(tuple(numbers[k] for k in range(len(self.types))))

    def check_roll(self, dice: Remaining, roll: Roll, *, turned: bool = False) -> None:
        """Refuse a roll that is not one of some dice of the set. Raises InvalidRollError.

        turned : whether a badge may have turned dice to what they do not show as they fall
        """
        counts, highest = self._types_of(roll), len(FACES) * len(self.types)
        is_of = tuple(counts[k] for k in range(len(self.types))) == self.remaining[dice]
        is_sound = is_of and roll == make_roll(roll) and roll[-1] > 0
        if not is_sound or (roll[0] > highest and not turned):
            raise InvalidRollError(
                say_number(
                    "a roll of {number} [die is a face from 1 to 6,|dice is as many faces from 1"
                    " to 6, the highest first,] not {roll}",
                    sum(self.remaining[dice]),
                    roll=" ".join(map(str, roll)),
                )
            )

    def type_of(self, die: int) -> int:
        """The type of one die of a roll."""
        return (die - 1) // len(FACES) % len(self.types)

    def shown_by(self, of_type: int, face: int) -> int:
        """A die of a type in a roll that shows a face or JOKER, as it falls or turned to it."""
        jokers, number = self.types[of_type].jokers, len(self.types)
        if face == JOKER and jokers:
            return len(FACES) * of_type + min(jokers)
        if face == JOKER:
            return len(FACES) * (of_type + 2 * number) + 1
        is_turned = face in jokers
        return len(FACES) * (of_type + is_turned * number) + face

    def with_die(self, die: Die) -> "DiceSet":
        """The set with one die more, which is a type by itself, the last one, whatever it is."""
        return DiceSet((*self.types, die), (*self.counts, 1))

    def is_faces(self, roll: Roll) -> bool:
        """Whether the dice of a roll are their faces, as no type has to be told apart."""
        return self._is_plain and (not roll or roll[0] <= len(FACES))

    @cached_property
    def _is_plain(self) -> bool:
        return len(self.types) == 1 and not self.has_jokers

    def faces(self, roll: Roll) -> Roll:
        """The faces of a roll, whatever dice show them; jokers are JOKER."""
        if self.is_faces(roll):
            return roll
        return make_roll(map(self._face, roll))

    def _face(self, die: int) -> int:
        place, face = divmod(die - 1, len(FACES))
        turned, of_type = divmod(place, len(self.types))
        is_joker = turned > 1 or (not turned and face + 1 in self.types[of_type].jokers)
        return JOKER if is_joker else face + 1

    def _types_of(self, roll: Roll) -> Counter[int]:
        """How many dice of each type are in a roll."""
        return Counter(map(self.type_of, roll))

    def ways(self, dice: Remaining) -> int:
        """Weight of all rolls of some dice together."""
        counted = zip(self.types, self.remaining[dice], strict=True)
        return prod(sum(die.weights) ** number for die, number in counted)

    def rolls(self, dice: Remaining) -> tuple[tuple[Roll, int], ...]:
        """Every distinct roll of some dice with its weight, out of `ways`; impossible ones too."""
        if len(self.types) == 1:
            return _rolls(self.types[0], dice)
        by_type = [
            [
                (tuple(len(FACES) * k + face for face in faces), ways)
                for faces, ways in _rolls(die, number)
            ]
            for k, (die, number) in enumerate(zip(self.types, self.remaining[dice], strict=True))
        ]
        return tuple(
            (make_roll(die for faces, _ in part for die in faces), prod(ways for _, ways in part))
            for part in product(*by_type)
        )


def make_dice_set(dice: Iterable[Die]) -> DiceSet:
    """The set of some dice, 1 to MAX_DICE of them: those that fall alike are one type.

    The order of dice means nothing; types of which there are more come first.

    Raises InvalidDiceError.
    """
    types = Counter(die.reduced for die in dice)
    if not 1 <= (number := types.total()) <= MAX_DICE:
        raise InvalidDiceError.say(
            "a set has 1 to {most} dice, not {number}", most=MAX_DICE, number=number
        )
    order = sorted(types, key=lambda die: (-types[die], sorted(die.jokers), die.weights))
    return DiceSet(tuple(order), tuple(types[die] for die in order))


def dice_set(rules: Ruleset) -> DiceSet:
    """The dice that players throw under the rules."""
    return _fair_dice(rules.dice)


@cache
def _fair_dice(number: int) -> DiceSet:
    return make_dice_set([Die()] * number)


@cache
def _rolls(die: Die, number: int) -> tuple[tuple[Roll, int], ...]:
    """Every distinct roll of `number` equal dice with its weight."""
    if not number:
        return (((), 1),)
    fewer = dict(_rolls(die, number - 1))
    found = []
    for faces in combinations_with_replacement(FACES, number):
        roll = faces[::-1]
        # in each order of the dice, one of those that show the first face of the roll comes first
        first = roll[0]
        ways = fewer[roll[1:]] * die.weights[first - 1] * number // roll.count(first)
        found.append((roll, ways))
    return tuple(found)


@cache
def parts(roll: Roll) -> frozenset[Roll]:
    """Every sub-multiset of a roll, the empty one and the roll itself among them."""
    if not roll:
        return frozenset([()])
    others = parts(roll[1:])
    return others | {(roll[0], *rest) for rest in others}
