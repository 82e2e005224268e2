import csv
from operator import attrgetter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.languages import language
from solver.errors import InvalidDiceError
from solver.named.catalogue import (
    Exactness,
    Tier,
    Version,
    dice_by_key,
    known_badges,
    known_dice,
)
from solver.named.sets import NamedDie, NamedSet, make_set, read_dice, read_die, read_set
from solver.turn.dice import Die
from solver.wording import ENGLISH, said_in
from tests.solver.named.made_up import EVERY_DIE, dice, sets

REFERENCE = Path(__file__).parents[2] / "reference"
LANGUAGES = ["en", "de"]


def spoken_text(code: str, named: NamedSet) -> str:
    return said_in(language(code), lambda: named.text)


def test_the_dice_are_those_of_the_game() -> None:
    """Chances and prices as they are published, of every die that a player can hold."""
    with (REFERENCE / "kcd_dice.csv").open(encoding="utf-8", newline="") as file:
        rows = {row["internal"]: row for row in csv.DictReader(file)}
    known = {die.internal: die for die in known_dice() if die.internal}
    assert set(known) == set(rows)
    for internal, row in rows.items():
        die = known[internal].versions[Version.PATCHED]
        total = sum(die.weights)
        for face, weight in enumerate(die.weights, 1):
            assert abs(100 * weight / total - float(row[str(face)])) <= 0.0501, (row, face)
        assert (known[internal].name, known[internal].price) == (row["name"], int(row["price"]))


def test_what_patches_changed_and_what_the_first_game_had() -> None:
    dice = dice_by_key()
    changed = {
        key
        for key, die in dice.items()
        if die.internal
        and Version.RELEASE in die.versions
        and die.versions[Version.RELEASE] != die.versions[Version.PATCHED]
    }
    assert changed == {"ci", "lu", "fer", "holy", "painted", "three", "antiochus"}
    missing = {k for k, d in dice.items() if d.internal and Version.RELEASE not in d.versions}
    assert missing == {"monk", "pearl", "painter-b", "painter-g", "painter-r", "tengri"}
    assert dice["antiochus"].versions[Version.RELEASE] == Die((0, 0, 1, 0, 0, 0))
    assert read_die("ambrose").die == read_die("ambrose@kcd1").die == Die((4, 3, 1, 1, 2, 3))
    assert read_die("odd@kcd1") == read_die("odd"), "4 to 1 is 8 to 2"
    assert read_die("tengri").die == Die((2, 1, 1, 1, 1, 1), frozenset({1}))
    assert read_die("tengri@plain").die == Die((2, 1, 1, 1, 1, 1))
    jokers = {key for key, die in dice.items() if any(d.jokers for d in die.versions.values())}
    assert jokers == {"devil", "tengri"}


def test_badges() -> None:
    badges = known_badges()
    tiers = [sum(badge.tier is tier for badge in badges) for tier in Tier]
    assert tiers == [10, 12, 14]
    unknown = {badge.name for badge in badges if badge.exactness is Exactness.UNKNOWN_POINTS}
    assert unknown == {
        "Headstart",
        "Carpenter's advantage",
        "Executioner's advantage",
        "Priest's advantage",
    }
    assert {b.name for b in badges if b.exactness is Exactness.UNCONFIRMED} == {"Joker"}
    exact = {(b.name, b.tier) for b in badges if b.exactness is Exactness.EXACT}
    assert exact == {("Warlord", Tier.TIN), ("Warlord", Tier.SILVER)}


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("lucky*3,odd,ordinary*2", "lucky*3,ordinary*2,odd"),
        ("3 lucky, odd, 2 ordinary", "lucky*3,ordinary*2,odd"),
        ("lucky x3, odd, ordinary x 2", "lucky*3,ordinary*2,odd"),
        ("3x Lucky + ODD and 2 ordinary dice", "lucky*3,ordinary*2,odd"),
        ("3 lucky 1 odd 2 ordinary", "lucky*3,ordinary*2,odd"),
        ("lucky 3 odd 1 ordinary 2", "lucky*3,ordinary*2,odd"),
        ("lucky odd ordinary lucky ordinary lucky", "lucky*3,ordinary*2,odd"),
        ("Glückswürfel*3; ungerade; 2 gewöhnliche", "lucky*3,ordinary*2,odd"),
        ("3 Glueckswuerfel und ungerader Würfel und 2 gewohnlich", "lucky*3,ordinary*2,odd"),
        ("holy-trinity*3, Saint Antiochus' die, aranka’s×2", "holy*3,aranka*2,antiochus"),
        ("6 Die of misfortune", "misfortune*6"),
        ("st. stephens die*6", "stephen*6"),
        ("mother of pearl*6", "pearl*6"),
        ("holytr*6", "holy*6"),
        ("painter*6", "painter-b*6"),
        ("3 greasers, 3 wagoner's", "greaser*3,wagoner*3"),
        ("biased*3, lucky playing*3", "favourable*3,unbalanced*3"),
        ("three@release*2, ci@kcd1*2, odd@release*2", "ci@release*2,odd*2,three@release*2"),
        ("1:2:1:1:1:3*5, 2:2:2:2:2:2@joker", "1:2:1:1:1:3*5,1:1:1:1:1:1@joker1"),
        ("6 2:4:2:2:2:6", "1:2:1:1:1:3*6"),
    ],
)
def test_sets_as_people_write_them(text: str, meant: str) -> None:
    assert read_set(text).text == meant
    assert read_set(text.upper()) == read_set(text)


def test_dice_that_fall_alike_are_one_type_and_keep_their_names() -> None:
    named = read_set("ci*2,lu,fer,odd,painter-r")
    assert named.text == "ci*2,fer,lu,odd,painter-r"
    assert sorted(named.dice_set.counts) == [1, 1, 4]
    assert read_set("hugo,stephen,molar,premolar,wisdom,ordinary").dice_set.counts == (6,)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("luckey*6", 'there is no die called "luckey"; did you mean lucky or unlucky?'),
        ("glukswurfel*6", 'there is no die called "glukswurfel"; did you mean lucky or unlucky?'),
        ("lucky*7", "a set is 6 dice, not 7: such as lucky*3,ordinary*2,odd"),
        (
            "lucky*3,odd",
            "a set is 6 dice, not 4: if the others are ordinary, write lucky*3,ordinary*2,odd",
        ),
        ("trinity*6", '"trinity" could be holy or three: write one of these'),
        ("3 lucky*2", '"3 lucky*2" has two numbers of dice: write lucky*3'),
        ("0 lucky", '"0 lucky" means no dice at all: leave it out, or write how many'),
        ("lucky@moon*6", "there is no Lucky Die as @moon, only as @patched, @release, @kcd1"),
        ("monk@release*6", "there is no Monk's Die as @release, only as @patched"),
        ("ordinary*99999", "99,999 dice are too many: nobody owns more than 200"),
        ("", "no dice given: dice are named as in lucky*3,ordinary*2,odd"),
    ],
)
def test_refusals(text: str, sentence: str) -> None:
    with pytest.raises(InvalidDiceError) as error:
        read_set(text)
    assert str(error.value) == sentence


@pytest.mark.parametrize(
    "text",
    [
        "0:0:0:0:0:0*6",
        "1:1:1*6",
        "1:2:3:4:5:6:7",
        "1:1:1:1:1:1@devil",
        "1:1:1:1:1:99999999",
        "balatro*6",
        "?",
        "die",
    ],
)
def test_no_such_die(text: str) -> None:
    with pytest.raises(InvalidDiceError):
        read_set(text)


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_die_is_read_by_each_of_its_names(code: str) -> None:
    for named in EVERY_DIE:
        assert read_die(said_in(language(code), attrgetter("typed"), named)) == named
        if named.version is Version.PATCHED:
            for name in (said_in(language(code), attrgetter("called"), named), named.typed):
                for written in (name, name.upper(), name.replace(" ", "-")):
                    assert read_die(written).die == named.die, written


@pytest.mark.parametrize("code", LANGUAGES)
@given(named=sets())
def test_what_is_printed_is_read_again(code: str, named: NamedSet) -> None:
    text = spoken_text(code, named)
    assert " " not in text, "it is one word of a command"
    assert read_set(text) == named
    assert spoken_text(code, read_set(text)) == text


@given(st.lists(dice, min_size=6, max_size=6), st.randoms())
def test_the_order_of_dice_means_nothing(chosen: list[NamedDie], random: st.randoms) -> None:  # type: ignore[valid-type]
    one = make_set(chosen)
    random.shuffle(chosen)  # type: ignore[attr-defined]
    assert make_set(chosen) == one
    assert make_set(chosen).dice_set == one.dice_set


WORDS = st.sampled_from(
    [*"123x*×@:,; &+", "lucky", "Würfel", "die", "1:1:1:1:1:1", "release", "odd", "and", "joker2"]
)


@pytest.mark.parametrize("code", LANGUAGES)
@given(text=st.text(max_size=60) | st.lists(WORDS, max_size=25).map("".join))
def test_any_text_is_dice_or_is_refused_in_a_sentence(code: str, text: str) -> None:
    def read() -> list[NamedDie] | str:
        try:
            return read_dice(text)
        except InvalidDiceError as error:
            return str(error)

    found = said_in(language(code), read)
    assert found
    if isinstance(found, list):
        again = said_in(ENGLISH, lambda: make_set(found).text)
        assert make_set(read_dice(again)) == make_set(found)
