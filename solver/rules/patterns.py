"""Patterns of dice: which dice show one, and how it is said.

A digit stands for a die of that face. Equal letters stand for dice of one face, and each letter has
a face of its own, which no other letter and no digit of its pattern has: "aabb" is two pairs,
"aaabb" three of a kind and a pair, "1234" four dice in a row, "11a" two 1s and a die that is none.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from itertools import combinations, combinations_with_replacement, permutations

from solver.errors import one_of
from solver.wording import and_text, say, say_later

FACES = range(1, 7)
MAX_DICE = 10
"""Dice that are rolled at most."""

Dice = tuple[int, ...]
"""Faces in ascending order, behind them those of dice that count and are rolled again (FREED)."""

FREED = 10
"""Added to the face of a die that counts in a combination, which does not use it up."""

COUNTS = (
    say_later("one"),
    say_later("two"),
    say_later("three"),
    say_later("four"),
    say_later("five"),
    say_later("six"),
    say_later("seven"),
    say_later("eight"),
    say_later("nine"),
    say_later("ten"),
)
"""Numbers of dice in words, from one."""

_PAIRS = (
    *(say_later("a pair"), say_later("two pairs"), say_later("three pairs")),
    *(say_later("four pairs"), say_later("five pairs")),
)
_TRIPLETS = {2: say_later("two triplets"), 3: say_later("three triplets")}
_ALIKE = {
    3: say_later("three of a kind"),
    4: say_later("four of a kind"),
    5: say_later("five of a kind"),
    6: say_later("six of a kind"),
    7: say_later("seven of a kind"),
    8: say_later("eight of a kind"),
    9: say_later("nine of a kind"),
    10: say_later("ten of a kind"),
}


_remembered = lru_cache(maxsize=4096)
"""What is asked of the same few patterns whenever rules are checked."""


@_remembered
def dice_of(pattern: str) -> tuple[Dice, ...]:
    """All dice that show a pattern, in ascending order."""
    letters = [*dict.fromkeys(filter(str.isalpha, pattern))]
    every = set()
    for chosen in permutations(_free(pattern), len(letters)):
        shown = dict(zip(letters, chosen, strict=True))
        every.add(tuple(sorted(shown.get(sign) or int(sign) for sign in pattern)))
    return tuple(sorted(every))


def using(dice: Dice, uses: int) -> set[Dice]:
    """Dice that are one combination in each way to use up so many of them."""
    if uses == len(dice):
        return {dice}
    ways = set()
    for used in combinations(dice, uses):
        freed = (Counter(dice) - Counter(used)).elements()
        ways.add((*used, *(FREED + face for face in freed)))
    return ways


def standing_for(dice: Dice, jokers: Collection[int], *, alone: bool) -> set[Dice]:
    """What dice may show that count as these in one combination, these themselves among it.

    Jokers stand for any face, but at least one of the dice shows what it counts as, unless `alone`.
    """
    if not jokers:
        return {dice}
    every: set[Dice] = {()}
    for die in dice:
        freed = die // FREED * FREED
        shown = {die, *(freed + joker for joker in jokers)}
        every = {tuple(sorted((*before, face))) for before in every for face in shown}
    return {shown for shown in every if alone or not set(dice).isdisjoint(shown)}


def faces_of(dice: Dice) -> Dice:
    """What all dice show that are one combination, in ascending order."""
    return tuple(sorted(face % FREED for face in dice))


def spelled(dice: Dice) -> str:
    """Dice that are one combination: "555", and "5+5" where the second 5 is rolled again."""
    freed = [face - FREED for face in dice if face > FREED]
    used = "".join(map(str, dice[: len(dice) - len(freed)]))
    return "+".join((used, *(["".join(map(str, freed))] if freed else [])))


def most_points(
    combinations: Mapping[Dice, int], faces: Iterable[int], most: int
) -> dict[Dice, int]:
    """Most points of every multiset of 1 to `most` dice that scores with all its dice.

    Its dice are in descending order. The best partition into combinations, by adding one
    combination after another.
    """
    # a digit counts the dice of a face: multisets add as their numbers do
    signs = dict.fromkeys([*faces, *(face for dice in combinations for face in dice)])
    digits = {face: (most + 1) ** place for place, face in enumerate(signs)}
    added = [
        (sum(digits[face] for face in dice), len(dice), points)
        for dice, points in combinations.items()
    ]
    best: list[dict[int, int]] = [{0: 0}, *({} for _ in range(most))]
    for number, known in enumerate(best):
        for dice, points in known.items():
            for digits_sum, size, worth in added:
                if number + size <= most:
                    known_sums, both = best[number + size], dice + digits_sum
                    if both not in known_sums or known_sums[both] < points + worth:
                        known_sums[both] = points + worth
    return {
        roll: best[number][dice]
        for number in range(1, most + 1)
        for roll in combinations_with_replacement(sorted(digits, reverse=True), number)
        if (dice := sum(digits[face] for face in roll)) in best[number]
    }


@_remembered
def by_face(pattern: str) -> tuple[tuple[int, str], ...]:
    """The patterns in which the first letter of a pattern is one face, with each of its faces.

    A pattern without letters has none.
    """
    first = next(filter(str.isalpha, pattern), "")
    faces = _free(pattern) if first else []
    return tuple((face, pattern.replace(first, str(face))) for face in faces)


def _free(pattern: str) -> list[int]:
    """Faces that letters may stand for."""
    return [face for face in FACES if str(face) not in pattern]


@_remembered
def tidy(pattern: str) -> str:
    """The one spelling of all patterns that the same dice show."""
    if len(dice_of(pattern)) == 1:
        return "".join(map(str, dice_of(pattern)[0]))
    counts = Counter(filter(str.isalpha, pattern)).most_common()
    digits = "".join(sorted(filter(str.isdecimal, pattern)))
    return digits + "".join(
        letter * count for letter, (_, count) in zip("abcdef", counts, strict=False)
    )


def in_words(pattern: str) -> str:
    """A pattern in words: "three of a kind and a pair", "1 2 3 4", "5 5 and a pair"."""
    digits = " ".join(sorted(filter(str.isdecimal, pattern)))
    sizes = Counter(Counter(filter(str.isalpha, pattern)).values())
    parts = [digits] if digits else []
    for size, number in sorted(sizes.items(), reverse=True):
        if size == 3 and number in _TRIPLETS:
            parts.append(say(_TRIPLETS[number]))
        elif size >= 3:
            parts += [say(_ALIKE[size])] * number
        elif size == 2:
            parts.append(say(_PAIRS[number - 1]))
        elif number > 1:
            parts.append(say("{number} different faces", number=say(COUNTS[number - 1])))
        else:
            parts.append(say("another face") if parts else say("a die"))
    return and_text(parts)


def canonical(patterns: tuple[str, ...]) -> list[str]:
    """Patterns in one order, each once, of those that mean the same."""
    return sorted({"".join(sorted(pattern)) for pattern in patterns})


def shown_in(patterns: tuple[str, ...], dice: Dice) -> bool:
    """Whether dice have among them those of one of some patterns."""
    shown = Counter(dice)
    return any(Counter(needed) <= shown for pattern in patterns for needed in dice_of(pattern))


def any_of(patterns: list[str], dice: int) -> str:
    """Patterns that a roll contains in words: "four or more 2s or six of a kind"."""
    return one_of(_contained(pattern, whole=len(pattern) == dice) for pattern in patterns)


def _contained(pattern: str, *, whole: bool) -> str:
    number, face = say(COUNTS[len(pattern) - 1]), pattern[0]
    if len(set(pattern)) > 1:
        return " ".join(pattern) if pattern.isdecimal() else in_words(pattern)
    if face.isalpha():
        if whole:
            return say("{number} of a kind", number=number)
        return say("{number} or more of a kind", number=number)
    if len(pattern) == 1:
        return say("a {face}", face=face)
    if whole:
        return say("{number} {face}s", number=number, face=face)
    return say("{number} or more {face}s", number=number, face=face)
