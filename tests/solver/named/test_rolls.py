from collections import Counter
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.languages import language
from solver.errors import InvalidRollError
from solver.named.rolls import read_roll, read_set_aside, roll_text, set_aside_text
from solver.named.sets import NamedSet, read_set
from solver.rules.ruleset import FACES
from solver.turn.dice import JOKER, Roll, make_roll, parts
from solver.wording import said_in
from tests.solver.named.made_up import rolls, sets

LANGUAGES = ["en", "de"]
MIXED = read_set("lucky*3,ordinary*2,odd")
DEVIL = read_set("ordinary*3,favourable*2,devil")


def shown(named: NamedSet, roll: Roll) -> Counter[tuple[str, int]]:
    """How often each die shows each face."""
    return Counter(
        (named.first_name((die - 1) // 6).key, named.dice_set.faces((die,))[0]) for die in roll
    )


@pytest.mark.parametrize(
    "text",
    [
        "5 lucky, 1 odd, 3 3 ordinary",
        "lucky 5, odd 1, ordinary 3 3",
        "5 lucky 1 odd 33 ordinary",
        "Lucky 5 odd 1 ordinary 3 3",
        "5l, 1od, 33or",
        "5 Glückswürfel; 1 ungerade; 3 3 gewöhnlich",
        "⚄ lucky + ⚀ odd and ⚂⚂ ordinary dice",
        "1 odd, 3 3 ord, lucky: 5",
    ],
)
def test_rolls_as_people_write_them(text: str) -> None:
    expected = {("lucky", 5): 1, ("odd", 1): 1, ("ordinary", 3): 2}
    assert shown(MIXED, read_roll(MIXED, text)) == expected


def test_names_may_be_left_out_where_only_one_die_can_be_meant() -> None:
    assert shown(MIXED, read_roll(MIXED, "555555"))["lucky", 5] == 3
    two = read_roll(MIXED, "6 6 1 lucky, 2 odd, 4 4")
    assert shown(MIXED, two)["ordinary", 4] == 2
    assert roll_text(MIXED, two) == "6 6 1 lucky, 2 odd, 4 4"
    left = MIXED.dice_set.remaining.index((0, 2, 0))
    assert shown(MIXED, read_roll(MIXED, "4 1", left)) == {("ordinary", 4): 1, ("ordinary", 1): 1}
    assert shown(DEVIL, read_roll(DEVIL, "2 2 2 J")) == {("ordinary", 2): 3, ("devil", JOKER): 1}
    for sign in ("j", "J", "joker", "🃏", "😈", "★"):
        assert shown(DEVIL, read_roll(DEVIL, f"2 2 2 {sign}"))["devil", JOKER] == 1


@pytest.mark.parametrize(
    ("named", "text", "sentence"),
    [
        (
            MIXED,
            "5 5",
            "which die shows the 5: lucky, ordinary or odd? Name it, as in 5 lucky",
        ),
        (MIXED, "5 5 odd", "the roll has odd*2, and only 1 of these can be rolled"),
        (
            MIXED,
            "5 pie",
            'no die of this set is called "pie": it is lucky*3,ordinary*2,odd',
        ),
        (MIXED, "o 5", '"o" could be ordinary or odd: write one of these'),
        (
            MIXED,
            "5 lucky 3 3",
            '"5 lucky 3 3" does not say which die shows what: write it as in'
            " 6 lucky, 6 ordinary, 6 odd",
        ),
        (DEVIL, "2 favourable", "favourable has no 2: it shows 1, 3, 4, 5, 6"),
        (
            DEVIL,
            "2 2 2 2 2",
            "5 dice cannot show a 2: only 4 dice can, as favourable has no 2",
        ),
        (DEVIL, "1 devil", "devil has a joker in place of the 1: write J"),
        (DEVIL, "J favourable", "favourable has no J: it shows 1, 3, 4, 5, 6"),
        (
            DEVIL,
            "J J",
            "2 dice cannot show a J: only 1 die can, as ordinary or favourable has no J",
        ),
        (MIXED, "J", "none of these dice shows a J: they are lucky*3,ordinary*2,odd"),
    ],
)
def test_refusals(named: NamedSet, text: str, sentence: str) -> None:
    with pytest.raises(InvalidRollError) as error:
        read_roll(named, text)
    assert str(error.value) == sentence


def test_set_asides_name_dice_only_where_the_roll_has_others() -> None:
    roll = read_roll(MIXED, "5 5 1 lucky, 5 odd, 3 2 ordinary")
    assert shown(MIXED, read_set_aside(MIXED, roll, "1")) == {("lucky", 1): 1}
    assert set_aside_text(MIXED, roll, read_set_aside(MIXED, roll, "5 odd, 1")) == "5 odd, 1"
    assert set_aside_text(MIXED, roll, read_set_aside(MIXED, roll, "555")) == "5 5 5"
    for text in ("5", "5 5"):
        with pytest.raises(InvalidRollError, match="which die shows the 5"):
            read_set_aside(MIXED, roll, text)
    with pytest.raises(InvalidRollError, match="not all in the roll: 5 5 1 lucky, 5 odd"):
        read_set_aside(MIXED, roll, "1 1")


@pytest.mark.mostly_slow
@pytest.mark.parametrize("code", LANGUAGES)
@given(data=st.data())
def test_what_is_printed_is_read_again(code: str, data: st.DataObject) -> None:
    named = data.draw(sets())
    remaining, roll = data.draw(rolls(named))
    kept = data.draw(st.sampled_from(sorted(parts(roll) - {()})))

    def both_ways() -> None:
        assert read_roll(named, roll_text(named, roll, remaining), remaining) == roll
        assert read_roll(named, roll_text(named, roll)) == roll
        assert read_set_aside(named, roll, set_aside_text(named, roll, kept)) == kept

    said_in(language(code), both_ways)


@settings(max_examples=40)
@given(data=st.data())
def test_what_is_read_without_names_is_the_only_roll_that_it_can_be(data: st.DataObject) -> None:
    """Against all ways to give the faces to the dice, one by one."""
    named = data.draw(sets())
    _, roll = data.draw(rolls(named))
    faces = [("J" if face == JOKER else str(face)) for face in named.dice_set.faces(roll)]
    dice = [
        (k, die)
        for k, die in enumerate(named.dice_set.types)
        for _ in range(named.dice_set.counts[k])
    ]
    possible = set()
    for chosen in permutations(dice, len(faces)):
        found = []
        for (k, die), face in zip(chosen, faces, strict=True):
            number = min(die.jokers, default=0) if face == "J" else int(face)
            if not number or not die.weights[number - 1] or (face != "J" and number in die.jokers):
                break
            found.append(len(FACES) * k + number)
        else:
            possible.add(make_roll(found))
    text = " ".join(faces)
    if len(possible) == 1:
        assert {read_roll(named, text)} == possible
    else:
        with pytest.raises(InvalidRollError, match="which die shows"):
            read_roll(named, text)


WORDS = st.sampled_from([*"1234567J, ;:@-", "lucky", "odd", "ordinary", "die", "1:1:1:1:1:1", "🃏"])


@pytest.mark.parametrize("code", LANGUAGES)
@given(text=st.text(max_size=40) | st.lists(WORDS, max_size=20).map("".join))
def test_any_text_is_a_roll_or_is_refused_in_a_sentence(code: str, text: str) -> None:
    def read() -> object:
        try:
            roll = read_roll(MIXED, text)
            return read_set_aside(MIXED, roll, text)
        except InvalidRollError as error:
            return str(error)

    assert said_in(language(code), read)
