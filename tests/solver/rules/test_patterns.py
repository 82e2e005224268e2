from itertools import combinations_with_replacement, product

from hypothesis import given
from hypothesis import strategies as st

from bot.languages import language
from solver.rules.patterns import FACES, dice_of, in_words, tidy
from solver.wording import said_in
from tests import naive

some_patterns = st.text("abcdx12356", min_size=1, max_size=6)


def is_shown(pattern: str, dice: tuple[int, ...]) -> bool:
    """Whether the dice in some order are a pattern sign by sign."""
    digits = {int(sign) for sign in pattern if sign.isdigit()}
    ways = naive.shows(dice, pattern, {})
    return any(digits.isdisjoint(faces.values()) for faces in ways)


@given(some_patterns)
def test_dice_of_a_pattern_are_those_that_show_it(pattern: str) -> None:
    every = combinations_with_replacement(FACES, len(pattern))
    assert list(dice_of(pattern)) == [dice for dice in every if is_shown(pattern, dice)]


@given(some_patterns)
def test_one_spelling_of_patterns_that_the_same_dice_show(pattern: str) -> None:
    assert dice_of(tidy(pattern)) == dice_of(pattern)
    renamed = pattern.translate(str.maketrans("abcdx", "zyxwa"))[::-1]
    assert tidy(renamed) == tidy(pattern) == tidy(tidy(pattern))


def test_spellings_and_words_tell_patterns_apart() -> None:
    every = {tidy("".join(signs)) for signs in product("abc12", repeat=4)}
    assert len({dice_of(pattern) for pattern in every}) == len(every)
    assert len({in_words(pattern) for pattern in every}) == len(every)


def test_patterns_in_words() -> None:
    said = {
        "aaabb": "three of a kind and a pair",
        "bbaaa": "three of a kind and a pair",
        "4312": "1 2 3 4",
        "aabbcc": "three pairs",
        "aaaabb": "four of a kind and a pair",
        "aaabbb": "two triplets",
        "55aab": "5 5, a pair and another face",
        "abcd": "four different faces",
        "12345": "1 2 3 4 5",
    }
    assert {pattern: in_words(pattern) for pattern in said} == said
    german = said_in(language("de"), lambda: in_words("aaabb"))
    assert german == "Dreierpasch und ein Paar"
