"""Names of dice as people write them: in two languages, shortened, in capitals, without umlauts."""

import re
import unicodedata
from collections.abc import Iterable
from functools import cache

from solver.named.catalogue import KnownDie, known_dice

Words = tuple[str, ...]
"""The words of a name in their order, simplified so that equal ones mean the same."""

_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})
_APOSTROPHES = "['’‘`´]"
_FILLERS = {"die", "dice", "the", "of", "der", "des", "das", "den"}
_COMPOUND = r"(wurfel|wuerfel)[ns]?$"
_ENDING = r"(?<=...)(e[rnsm]?|s)$"
"""The endings of plurals, possessives and German adjectives."""


def words_of(text: str) -> set[Words]:
    """The simplified words of a name, with umlauts as a and as ae; () if it has only fillers."""
    text = re.sub(_APOSTROPHES, "", unicodedata.normalize("NFKC", text).casefold())
    return {_words(text), _words(text.translate(_UMLAUTS))}


def matching(text: str, dice: Iterable[KnownDie], least: int = 2) -> list[KnownDie]:
    """The dice that a text may mean, in their order.

    These are the dice with that very name; if there are none, those of whose names it is a part,
    or else an inflected form.

    least : the fewest letters with which a word may be shortened
    """
    typed = words_of(text) - {()}
    dice = list(dice)
    for fits in (_is_same, _is_part, _is_inflected):
        matches = [
            die
            for die in dice
            if any(fits(words, name, least) for words in typed for name in _names(die))
        ]
        if matches:
            return matches
    return []


def dice_called(text: str) -> list[KnownDie]:
    """All dice of the games that a text may mean."""
    return matching(text, known_dice())


@cache
def _names(die: KnownDie) -> frozenset[Words]:
    names = (die.key, die.german_key, die.name, die.german, *die.also)
    return frozenset(words for name in names for words in words_of(name) if words)


def spellings(die: KnownDie) -> frozenset[str]:
    """All names of a die, in every language, as `words_of` has them."""
    return frozenset(" ".join(words) for words in _names(die))


def _words(text: str) -> Words:
    plain = "".join(
        letter
        for letter in unicodedata.normalize("NFKD", text)
        if not unicodedata.combining(letter)
    )
    words = (re.sub(_COMPOUND, "", word) for word in re.findall(r"[^\W_]+", plain))
    return tuple(word for word in words if word and word not in _FILLERS)


def _is_same(typed: Words, name: Words, _: int) -> bool:
    return "".join(typed) == "".join(name)


def _is_part(typed: Words, name: Words, least: int) -> bool:
    whole = "".join(typed)
    if len(whole) >= least and "".join(name).startswith(whole):
        return True
    return all(
        any(word == other or (len(word) >= least and other.startswith(word)) for other in name)
        for word in typed
    )


def _is_inflected(typed: Words, name: Words, _: int) -> bool:
    stems = {re.sub(_ENDING, "", word) for word in name}
    return all(re.sub(_ENDING, "", word) in stems for word in typed)
