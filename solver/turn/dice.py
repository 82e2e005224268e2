"""Dice: rolls as people type them, the sets that players throw, and all set-asides of a roll.

Set-asides are found by enumeration; `after_set_aside` says where each of them leads.
"""

import re
import unicodedata
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from functools import cache, cached_property, lru_cache
from itertools import combinations_with_replacement, islice, product
from math import gcd, prod
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from solver.errors import InvalidDiceError, InvalidRollError
from solver.rules.patterns import FREED, MAX_DICE, most_points, standing_for
from solver.rules.ruleset import FACES, RULESETS, Ruleset
from solver.turn.memory import held_after
from solver.wording import say_number

if TYPE_CHECKING:
    from solver.turn.equations import TurnPlan
    from solver.turn.powers import Power

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
"""A number of dice with a face, as in 3x5."""
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
    for character in _TIMES.sub(lambda match: match[2] * int(match[1]), plain):
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
    plain = unicodedata.normalize("NFKC", DIE_SIGNS.get(character, character))
    return plain if len(plain) == 1 else character


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
        """All remaining dice of the set, as numbers of dice by type: nothing first, all last."""
        products = product(*(range(count + 1) for count in self.counts))
        return tuple(sorted(products, key=lambda left: (sum(left), left)))

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
        """The remaining dice of some once others, which are among them, were set aside."""
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

    @cached_property
    def _is_plain(self) -> bool:
        return len(self.types) == 1 and not self.has_jokers

    def faces(self, roll: Roll) -> Roll:
        """The faces of a roll, whatever dice show them; jokers are JOKER."""
        if self._is_plain and (not roll or roll[0] <= len(FACES)):
            return roll
        return make_roll(map(self._face, roll))

    def _face(self, die: int) -> int:
        place, face = divmod(die - 1, len(FACES))
        turned, of_type = divmod(place, len(self.types))
        is_joker = turned > 1 or (not turned and face + 1 in self.types[of_type].jokers)
        return JOKER if is_joker else face + 1

    def _types_of(self, roll: Roll) -> Counter[int]:
        """The number of dice of each type in a roll."""
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


@lru_cache(maxsize=1024)
def _rolls(die: Die, number: int) -> tuple[tuple[Roll, int], ...]:
    """Every distinct roll of `number` equal dice with its weight."""
    if not number:
        return (((), 1),)
    fewer = dict(_rolls(die, number - 1))
    rolls = []
    for faces in combinations_with_replacement(FACES, number):
        roll = faces[::-1]
        # in each order of the dice, one of those that show the first face of the roll comes first
        first = roll[0]
        ways = fewer[roll[1:]] * die.weights[first - 1] * number // roll.count(first)
        rolls.append((roll, ways))
    return tuple(rolls)


@cache
def parts(roll: Roll) -> frozenset[Roll]:
    """Every sub-multiset of a roll, the empty one and the roll itself among them."""
    if not roll:
        return frozenset([()])
    others = parts(roll[1:])
    return others | {(roll[0], *rest) for rest in others}


class SetAside(NamedTuple):
    """Dice kept from a roll, each of which scores, and the most points they are worth in it.

    Those of `Hand.set_asides` are worth what they count in a turn, after its hot dice.
    """

    dice: Roll
    points: int
    to_confirm: bool = False
    """Whether that has to be confirmed before the turn may be banked."""
    freed: Roll = ()
    """Dice of the roll that count with them and are rolled again."""


@dataclass(frozen=True, slots=True)
class TurnState:
    """The state of a turn between two rolls."""

    turn_total: int
    """The turn total in points."""
    dice: Remaining
    """The dice that are rolled next."""
    hot_dice: int = 0
    """The number of times that all dice were set aside; matters if bonuses or points change."""
    to_confirm: int = False
    """The points, or True, left to be confirmed before a bank, see `Ruleset.needs`."""
    throws: int = 0
    """The number of throws that the turn has had, if the rules limit them."""
    held_set: Roll = ()
    """The dice that are held, one of `Ruleset.sets`."""

    @property
    def fields(self) -> tuple[int, Remaining, int, int, int, Roll]:
        """Return what a state is made of, in this order."""
        so_far = self.turn_total, self.dice, self.hot_dice, self.to_confirm
        return *so_far, self.throws, self.held_set

    @property
    def is_first(self) -> bool:
        """Whether the throw to come is the first of its turn."""
        return not (self.turn_total or self.held_set)


_BESIDE = 16
"""More than there are combinations in a set-aside."""


_MANY = 16 * _BESIDE


class Fate(StrEnum):
    """The effect of a roll before any choice."""

    SCORES = "scores"
    FARKLE = "farkle"
    WINS = "wins"
    LOSES = "loses"
    OUT = "out"
    """The roll loses the game."""


_FATES = {
    "wins_game": Fate.WINS,
    "loses_game": Fate.OUT,
    "loses_score": Fate.LOSES,
    "loses_turn": Fate.FARKLE,
}


def all_points(rules: Ruleset) -> dict[Roll, int]:
    """Most points of every multiset of 1 to `rules.dice` dice that scores with all its dice."""
    return _whole(_all_points(rules.of_turn))


def _whole(every: Iterable[SetAside]) -> dict[Roll, int]:
    """The points of those that need no dice beside them."""
    return {kept.dice: kept.points for kept in every if not kept.freed}


@lru_cache(maxsize=RULESETS)
def _all_points(rules: Ruleset) -> tuple[SetAside, ...]:
    return _points_up_to(rules, rules.dice)


def _points_up_to(rules: Ruleset, most: int) -> tuple[SetAside, ...]:
    """Every multiset of so many dice that scores with all of them, with any it needs beside it."""
    # of as many points first those with the most combinations that confirm the others, then those
    # with the fewest that have to be confirmed
    confirm = {int(face) for face in rules.confirm_faces}
    combinations = {
        make_roll(dice): points * _MANY
        + (-1 if dice in rules.to_confirm else 0 if confirm.isdisjoint(dice) else _BESIDE)
        for dice, points in rules.combinations.items()
    }
    worths = most_points(combinations, FACES, most)
    return tuple(
        SetAside(
            tuple(face for face in dice if face < FREED),
            (worth + _BESIDE) // _MANY,
            to_confirm=(worth + _BESIDE) % _MANY < _BESIDE,
            freed=tuple(face - FREED for face in dice if face > FREED),
        )
        for dice, worth in worths.items()
    )


def _beside(rules: Ruleset, held: Roll, most: int) -> tuple[SetAside, ...]:
    """Every multiset of so many dice that scores beside what is held, by the rules beside it."""
    if rules.combine_throws:
        return tuple(SetAside(*pair) for pair in rules.beside(held).items())
    return _points_up_to(rules, most)


Badge = tuple[tuple[Roll, int], ...]
"""Combinations that a badge adds for its player, or whose points it changes: dice and points."""


@lru_cache(maxsize=RULESETS)
def all_points_with_jokers(
    rules: Ruleset, *, joker_alone: bool = False, badge: Badge = (), added: int = 0
) -> dict[Roll, int]:
    """Most points of every multiset of dice, JOKER among the faces, that scores with all its dice.

    A joker stands for one value inside a combination. A combination has at least one die that is no
    joker, unless `joker_alone`. There are up to `added` dice more than the rules say; the
    combinations are those of the rules.
    """
    combinations: dict[Roll, int] = {}
    changed = {tuple(sorted(dice)): points for dice, points in badge}
    for dice, points in (rules.combinations | changed).items():
        for shown in standing_for(dice, (JOKER,), alone=joker_alone):
            combinations[shown] = max(points, combinations.get(shown, 0))
    return most_points(combinations, (*FACES, JOKER), rules.dice + added)


def fate(rules: Ruleset, roll: Roll, *, first: bool = False, held: Roll = ()) -> Fate:
    """The fate of a roll: a roll that wins goes before one that loses, and both before points.

    first : whether it is the first throw of a turn
    held : the set that is held, one of `Ruleset.sets`
    """
    choices = set_asides(rules, roll, first=first, held=held)
    return fate_by(rules.of_throw(len(roll), first=first, held=held), roll, choices)


def fate_by(rules: Ruleset, roll: Roll, choices: tuple[SetAside, ...]) -> Fate:
    """The fate of a roll by its set-asides."""
    if rules.decisive:
        faces = dice_set(rules).faces(roll)
        if (decided := fate_of_faces(rules, faces)) is not None:
            return decided
    return Fate.SCORES if choices else Fate.FARKLE


def fate_of_faces(rules: Ruleset, faces: Roll) -> Fate | None:
    """The fate of a roll by its faces alone; None where it depends on the score."""
    return _FATES.get(rules.decided(faces))


def set_asides(
    rules: Ruleset, roll: Roll, *, first: bool = False, held: Roll = ()
) -> tuple[SetAside, ...]:
    """Every legal set-aside of a roll, most points first; empty where nothing scores.

    first : whether it is the first throw of a turn
    held : the set that is held, one of `Ruleset.sets`
    """
    return all_set_asides(rules, first=first, held=held)[roll]


def all_set_asides(
    rules: Ruleset, *, first: bool = False, held: Roll = ()
) -> dict[Roll, tuple[SetAside, ...]]:
    """The set-asides of every roll of any remaining dice, or of every first one of a turn.

    held : the set that is held, which leaves the fewer dice
    """
    if held:
        return _beside_sets(rules.of_turn)[held]
    return _all_set_asides(rules.of_turn, first=first and rules.has_first_throw)


@lru_cache(maxsize=RULESETS)
def _beside_sets(rules: Ruleset) -> dict[Roll, dict[Roll, tuple[SetAside, ...]]]:
    """The set-asides of every roll beside all that may be held."""
    beside = {}
    for held in rules.sets[1:]:
        most = rules.dice - len(held)
        least = most if rules.combine_throws else 1
        beside[held] = _set_asides_of(rules, range(least, most + 1), held=held)
    return beside


@lru_cache(maxsize=RULESETS)
def _all_set_asides(rules: Ruleset, *, first: bool) -> dict[Roll, tuple[SetAside, ...]]:
    return _set_asides_of(rules, range(rules.dice if first else 1, rules.dice + 1), first=first)


def _set_asides_of(
    rules: Ruleset, numbers: range, *, first: bool = False, held: Roll = ()
) -> dict[Roll, tuple[SetAside, ...]]:
    """The set-asides of every roll of some numbers of dice."""
    thrown, by_roll, before = dice_set(rules), {}, None
    for remaining in numbers:
        here = rules.of_throw(remaining, first=first, held=held)
        if here is not before:
            before = here
            scoring = _beside(here, held, numbers[-1]) if held else _all_points(here.of_turn)
            points, every = _whole(scoring), _in_order(scoring)
            needed = _counted(kept.dice + kept.freed for kept in every)
        rolls = [roll for roll, _ in thrown.rolls(remaining)]
        # of all at once, as this is much of a start
        is_in = np.all(_counted(rolls)[:, :, np.newaxis] >= needed[:, np.newaxis], axis=0)
        legal = (every[place] for place in np.nonzero(is_in)[1].tolist())
        for roll, number in zip(rolls, is_in.sum(axis=1).tolist(), strict=True):
            kept = list(islice(legal, number))
            if rules.has_freed:
                kept = _first_of_each(kept)
            by_roll[roll] = _allowed(rules, kept, roll, is_hot=roll in points)
            if rules.fill_straight and remaining == rules.dice:
                is_whole = rules.hot_dice == "forced" and roll in points
                if (part := make_roll({*roll})) in rules.sets and not is_whole:
                    by_roll[roll] += (SetAside(part, 0),)
    return by_roll


def _first_of_each(legal: Iterable[SetAside]) -> list[SetAside]:
    """The first of those set-asides that take the same dice."""
    firsts: dict[Roll, SetAside] = {}
    for kept in legal:
        firsts.setdefault(kept.dice, kept)
    return list(firsts.values())


def _counted(rolls: Iterable[Roll]) -> npt.NDArray[np.int8]:
    """The number of dice of each face in some rolls, shape (faces, rolls)."""
    rolls = list(rolls)
    return np.array([[roll.count(face) for roll in rolls] for face in FACES], dtype=np.int8)


def legal_set_asides(
    rules: Ruleset, thrown: DiceSet, roll: Roll, points: dict[Roll, int]
) -> tuple[SetAside, ...]:
    """Every legal set-aside of a roll of a set, most points first; `points` as in `all_points`."""
    legal = [
        SetAside(part, points[faces])
        for part in parts(roll)
        if (faces := thrown.faces(part)) in points
    ]
    return _allowed(rules, _in_order(legal), roll, is_hot=thrown.faces(roll) in points)


def _in_order(legal: Iterable[SetAside]) -> list[SetAside]:
    """Most points first, then the fewest dice, then what needs nothing else."""
    return sorted(
        legal,
        key=lambda kept: (
            -kept.points,
            len(kept.dice),
            kept.dice,
            kept.to_confirm,
            len(kept.freed),
        ),
    )


def _allowed(
    rules: Ruleset, legal: list[SetAside], roll: Roll, *, is_hot: bool
) -> tuple[SetAside, ...]:
    """The set-asides of a roll that the rules leave; `is_hot` where all its dice score."""
    if rules.hot_dice == "forced" and is_hot:
        legal = [kept for kept in legal if kept.dice == roll]
    elif rules.set_aside_all:
        legal = _not_extendable(legal)
    return tuple(legal)


def bar_masks(rules: Ruleset, points: npt.NDArray[np.int32]) -> None:
    """Set the worth of set-asides that the rules forbid to -1.

    points : by the bits of the dice that are set aside and by roll, all dice last; below 0 where
        these do not score
    """
    if rules.hot_dice == "forced":
        points[:-1, points[-1] >= 0] = -1
    if rules.set_aside_all:
        points[_extendable(points >= 0)] = -1


def _extendable(legal: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Whether more dice could be added to each of the set-asides, both by the bits of a mask."""
    extendable = np.zeros_like(legal)
    masks = np.arange(len(legal))
    for bit in range(len(legal).bit_length() - 1):
        without = masks[masks >> bit & 1 == 0]
        larger = without | 1 << bit
        extendable[without] |= legal[larger] | extendable[larger]
    return extendable


def _not_extendable(legal: list[SetAside]) -> list[SetAside]:
    """The set-asides that are no part of another."""
    counts = [Counter(kept.dice) for kept in legal]
    return [
        kept for kept, dice in zip(legal, counts, strict=True) if not any(dice < c for c in counts)
    ]


def farkle_probability(
    rules: Ruleset, dice: Remaining, *, first: bool = False, held: Roll = ()
) -> Fraction:
    """Chance that a roll of `dice` is a farkle.

    first : whether it is the first throw of a turn
    held : what is held, one of `Ruleset.sets` that leaves such dice
    """
    thrown = dice_set(rules)
    farkles = (
        ways
        for roll, ways in thrown.rolls(dice)
        if fate(rules, roll, first=first, held=held) is Fate.FARKLE
    )
    once = Fraction(sum(farkles), thrown.ways(dice))
    return thrown_again(once, rules.tries(dice, first=first))[0]


def thrown_again(farkle: Fraction, tries: int) -> tuple[Fraction, Fraction | int]:
    """The chance of a farkle that is thrown again, and the factor by which all else is likelier.

    farkle : the chance of it in one of so many tries, 0 of which are any number
    """
    if tries == 1 or farkle == 1:
        return farkle, 1
    every = farkle**tries if tries else Fraction(0)
    return every, (1 - every) / (1 - farkle)


def after_set_aside(rules: Ruleset, turn: TurnState, kept: SetAside) -> TurnState:
    """The state after a legal set-aside of a roll of `turn.dice`."""
    thrown = dice_set(rules)
    left = thrown.without(turn.dice, kept.dice)
    after = after_points(rules, turn, kept.points, left, thrown)
    if len(rules.needs) == len(rules.sets) == 1:
        return after
    return replace(
        after,
        to_confirm=left_to_confirm(rules, turn.to_confirm, kept, left),
        held_set=held_after(rules, turn.held_set, kept.dice, left),
    )


def left_to_confirm(rules: Ruleset, before: int, kept: SetAside, left: Remaining) -> int:
    """The points, or True, left to be confirmed after a set-aside that leaves dice, or none."""
    nothing = rules.needs[0]
    if kept.to_confirm or (rules.hot_to_confirm and not left):
        return rules.needs[-1]
    if before and rules.confirm_faces:
        if not {str(face) for face in kept.dice}.isdisjoint(rules.confirm_faces):
            return nothing
        if not rules.confirm_points:
            return before
    return before - kept.points if before > kept.points else nothing


def after_points(
    rules: Ruleset, turn: TurnState, points: int, left: Remaining, thrown: DiceSet
) -> TurnState:
    """The state after a set-aside of some points that leaves some dice of a set, or none."""
    total, throws = turn.turn_total + points, turn.throws + (rules.throws > 0)
    if left:
        return TurnState(total, left, turn.hot_dice, throws=throws)
    total += rules.bonus_after(turn.hot_dice)
    return TurnState(total, thrown.whole, turn.hot_dice + 1, throws=throws)


class Hand(ABC):
    """A player with the dice that are thrown: here those of the rules, all alike.

    See `solver.turn.equations.EqualDice` for that, and `solver.loaded.kits.Side` for dice of one's
    own.
    """

    rules: Ruleset
    matchup: Any
    """What all bring to the game; None where all throw the dice of the rules."""

    @property
    def dice(self) -> DiceSet:
        """Return all dice."""
        return dice_set(self.rules)

    @property
    def power(self) -> "Power | None":
        """Return what a badge allows some times in the game."""
        return None

    @property
    def types(self) -> tuple[Die, ...]:
        """Return the types of the dice, the last one of the die that a badge adds to a roll."""
        return self.dice.types

    @property
    @abstractmethod
    def plan(self) -> "TurnPlan":
        """Return what all rolls offer, as arrays, but for what is never best for two."""

    @property
    def plan_with_all(self) -> "TurnPlan":
        """Return what all rolls offer, as arrays; no more than `plan` where that has all."""
        return self.plan

    @property
    def numbers(self) -> tuple[int, ...]:
        """Return the number of dice of each column of the plan."""
        numbers = tuple(map(sum, self.dice.remaining[1:]))
        return numbers * len(self.plan.memories)

    def fate(self, roll: Roll, turn: TurnState) -> Fate:
        """Return what a roll does to the turn, which was as `turn` says before it."""
        return fate(self.rules, roll, first=turn.is_first, held=turn.held_set)

    def set_asides(self, roll: Roll, turn: TurnState | None = None) -> tuple[SetAside, ...]:
        """Return every legal set-aside of a roll, most points first; none of a farkle.

        turn : as it was before the roll; None for one under way, without hot dice so far
        """
        first, held = (turn.is_first, turn.held_set) if turn else (False, ())
        choices = set_asides(self.rules, roll, first=first, held=held)
        times = self.rules.times_after(turn.hot_dice if turn else 0)
        if times == 1:
            return choices
        return tuple(kept._replace(points=times * kept.points) for kept in choices)

    def after(self, turn: TurnState, kept: SetAside, times: int = 1) -> TurnState:  # noqa: ARG002
        """Return where a legal set-aside of a roll of `turn.dice` leads.

        times : by what a badge multiplies its points
        """
        return after_set_aside(self.rules, turn, kept)

    def check_roll(self, dice: Remaining, roll: Roll) -> None:
        """Refuse a roll that is not one of some of the dice. Raises InvalidRollError."""
        self.dice.check_roll(dice, roll)

    def shown(self, roll: Roll) -> DiceSet:  # noqa: ARG002
        """Return the dice that a roll is of, with the die that a badge added to it."""
        return self.dice

    def thrown(self, dice: Remaining) -> tuple[int, ...]:
        """Return the types of some remaining dice, one by one, in their order."""
        return tuple(k for k, number in enumerate(self.dice.remaining[dice]) for _ in range(number))

    def can_fall(self, thrown: Sequence[int], roll: Roll) -> bool:
        """Whether dice of these types, in their order, can fall as a roll."""
        types = self.types
        if not all(0 < die <= len(FACES) * len(types) for die in roll):
            return False
        shown = [divmod(die - 1, len(FACES)) for die in roll]
        is_shown = all(types[k].weights[face] for k, face in shown)
        return is_shown and sorted(k for k, _ in shown) == list(thrown)

    def turned(self, roll: Roll, die: int) -> Roll:
        """Return a roll of which one die was turned to the face that its badge turns dice to."""
        face = self.power.amount if self.power else 0
        dice = self.shown(roll)
        shown = dice.shown_by(dice.type_of(die), face)
        return make_roll([*without(roll, (die,)), shown])

    def can_turn(self, roll: Roll, turn: TurnState, dice: Roll = ()) -> bool:
        """Whether a die of a roll, one of `dice` if any are told, can be turned to score or win."""
        fates = (self.fate(self.turned(roll, die), turn) for die in set(dice or roll))
        return any(fate in {Fate.SCORES, Fate.WINS} for fate in fates)

    def may_reroll(self, dice: Roll) -> bool:
        """Whether its badge may roll these dice of a roll again at once."""
        power = self.power
        if power is None or not 1 <= len(dice) <= power.amount:
            return False
        return not power.alike or (len(dice) == 2 and len(set(self.dice.faces(dice))) == 1)

    def can_reroll(self, roll: Roll) -> bool:
        """Whether there are dice in a roll that its badge may roll again."""
        return any(self.may_reroll(dice) for dice in parts(roll))


def without(roll: Roll, dice: Iterable[int]) -> Roll:
    """Return the dice of a roll that are not among some of them."""
    return make_roll((Counter(roll) - Counter(dice)).elements())
