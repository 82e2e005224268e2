"""What people type as it comes, pasted or sloppy: understood, or refused in one clear sentence."""

import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from bot.chat.advice import with_numbers
from bot.chat.commands import Line
from bot.languages import language
from bot.layout import whole_sentence
from solver.errors import InvalidRequestError
from solver.wording import speak
from tests.bot.odd_text import ODD, hidden_in
from tests.bot.speaking import Chat, open_chat
from tests.conftest import rules_file

SHARED = settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
ROLL = "/advise 6 5 3 3 3 2"
LATER = "/advise 5 2 turn:350 me:4200 them:5000"


SLOPPY = [
    ("/advise [6, 5, 3, 3, 3, 2]", ROLL),
    ("[6, 5, 3, 3, 3, 2]", ROLL),
    ("(6,5,3,3,3,2)", ROLL),
    ("6 5 3 3 3 2?", ROLL),
    ("/advise 653332!", ROLL),
    ('/advise "6 5 3 3 3 2"', ROLL),
    ("> /advise 653332", ROLL),
    ("> > 653332", ROLL),
    ("`/advise 653332`", ROLL),
    ("/ advise 653332", ROLL),
    ("/Advise, 653332", ROLL),
    ("/advise 3x3 2 5 6", ROLL),
    ("3×3 256", ROLL),
    ("/advise 1x6 3 X 3 5 2", ROLL),
    ("６ ５ ３ ３ ３ ２", ROLL),
    ("／ａｄｖｉｓｅ　６５３３３２", ROLL),
    ("/ad\u200bvise 65\u200b3332", ROLL),
    ("\ufeff/advise 653332", ROLL),
    ("⑥⑤③③③②", ROLL),
    ("/advise 653332 rules facebook", ROLL),
    ('/advise 653332 rules:"facebook"', ROLL),
    ("/advise 653332 goal:10000", ROLL),
    ("/advise 653332 0 0 0", ROLL),
    ("/advise 5 2 turn 350 me 4200 them 5000", LATER),
    ("/advise 5 2 turn: 350, me = 4200, them:5,000", LATER),
    ("/advise turn 350 them 5000 me 4,200 52", LATER),
    ("/advise 5 2 350 4200 5000", LATER),
    ("5 2 350 4,200 5,000", LATER),
    ("/advise [5, 2], 350, 4200, 5000", LATER),
    ("/advise 52 turn:350. me:4200, them:5000?", LATER),
    ("/advise 52 turn:３５０ me:4200 them:5000", LATER),
    ("/advise 52 350 4200 −500", "/advise 5 2 turn:350 me:4200 them:-500"),
    ("what should I keep of 5 2 with 350 in the turn?", "/advise 5 2 turn:350"),
    ("653332, I have 4200", f"{ROLL} me:4200"),
    ("6 5 3 3 3 2, ich habe 4200, Gegner 5000", f"{ROLL} me:4200 them:5000"),
    ("I have 4200, opponent 5000, rolled 6 5 3 3 3 2", f"{ROLL} me:4200 them:5000"),
    ("the opponent has 5,000 points, I rolled 653332", f"{ROLL} them:5000"),
    ("I’ve 1500, they 0, I rolled 653332", f"{ROLL} me:1500 them:0"),
    ("Ich habe 4200, der Gegner hat 5000, geworfen: 653332", f"{ROLL} me:4200 them:5000"),
    ("I have 653332 and they have 900", f"{ROLL} them:900"),
    ("/odds dice 2 turn 350", "/odds dice:2 turn:350"),
    ("/odds, hot dice 0 their farkles 1", "/odds hot-dice:0 their-farkles:1"),
    ("/odds began me turn 0 rules kcd", "/odds began:me turn:0 rules:kcd"),
    ("/odds began: me on board yes", "/odds began:me on-board:yes"),
    ("/explore me 2800 rules kcd", "/explore me:2800 rules:kcd"),
    ("/rules show Dice 10000", "/rules show dice-10000"),
    ("CZT1-7YZ9-SYP", "/position CZT1-7YZ9-SYP"),
    ("> czt1-7yz9-syp.", "/position CZT1-7YZ9-SYP"),
    ("/help.", "/help"),
    ("/help advise", "/help  advise"),
]


async def test_what_is_sloppy_is_what_was_meant(chat: Chat) -> None:
    for typed, meant in SLOPPY:
        sloppy, plain = await chat.answer(typed), await chat.answer(meant)
        assert "error" not in plain.data
        assert (typed, sloppy.data) == (typed, plain.data)
        assert sloppy.text == plain.text


REFUSED = [
    ("/advise 5 2 350 4200", "After the dice come three numbers, the turn total, your score and"),
    ("5 2 350 4200 5000 1", "After the dice come three numbers, the turn total, your score and"),
    ("/advise 5 2 350 4,20 5000", "After the dice come three numbers, the turn total, your"),
    ("/advise 5 2 0", '"0" is not a die face'),
    ("I have 5000 points, game 2 of 3", '"I have 5000 points, game 2 of 3" is not'),
    ("I am at 4200 in round 3, 4", '"I am at 4200 in round 3, 4" is not'),
    ("/advise 70", '"7" is not a die face'),
    ("/advise 5 2 1 1 1 1 1", "7 dice are too many"),
    ("/advise 3x35", '"x" is not a die face'),
    ("/advise 13x3", '"x" is not a die face'),
    ("/advise ½", '"½" is not a die face'),
    ("/advise 5 2 350 4200 5000 me:1", 'The option "me" is given twice'),
    ("/advise 5 2 turn", 'The option "turn:" needs a value after it.'),
    ("/advise 5 2 their Farkles", 'The option "their-farkles:" needs a value after it.'),
    ("/odds turn", 'The option "turn:" needs a value after it.'),
    ("/odds later", '/odds does not take "later"; write /odds dice:N.'),
    ("/odds goal:60000", "The goal can be at most 50,000, not 60,000."),
    ("/odds goal:525 rules:classic", "The goal cannot be 525 under classic rules: "),
    ("/odds goal:4000", "The rules facebook-4000 are not solved yet: "),
    ("/odds on-board:perhaps", 'on-board: takes yes or no, not "perhaps".'),
    (">", "Type a command such as /help."),
    ("7 7", '"7" is not a die face'),
    (
        "should I bank with 350 in the turn and 2 dice left?",
        '"should I bank with 350 in the turn and…" is not understood; type dice such as',
    ),
    ("I rolled 2 dice with 350 in the turn", '"I rolled 2 dice with 350 in the turn" is not'),
    ("with 350 in the turn I got 5 farkles", '"with 350 in the turn I got 5 farkles" is not'),
    ('/play @bob "Carl Maria"', '"Carl Maria" is not a name'),
    ("653332 me4200", 'Options are written with a colon: me:4200, not "me4200".'),
    ("What should I keep?", "No game is open here: /play or /track begins one."),
    ("bank?", "No game is open here: /play or /track begins one."),
]


async def test_to_ask_what_a_command_does_is_not_to_do_it(chat: Chat) -> None:
    await chat.first("/play")
    assert (await chat.answer("end?")).text.startswith("/end: end the game")
    assert (await chat.answer("undo ?")).text == (await chat.answer("/help undo")).text
    assert (await chat.answer("bank?")).text == (await chat.answer("/hint")).text
    assert (await chat.first("/show")).subject


async def test_what_is_not_plain_is_refused(chat: Chat) -> None:
    for typed, sentence in REFUSED:
        reply = await chat.answer(typed)
        assert reply.text.startswith(sentence), (typed, reply.text)
        assert reply.data == {"error": reply.text}


async def test_rules_whose_names_have_blanks(chat: Chat) -> None:
    for name in ("My Rules", "My Rules 2"):
        await chat.first(f"/rules new {name} base:kcd goal:500")
    longer = (await chat.answer("/rules show my rules 2")).data["digest"]
    for line in (
        "/rules new copy1 base:My Rules 2 minimum-bank:0",
        '/rules new copy2 base:"my rules 2" minimum-bank:none',
        "/rules new copy3 minimum-bank:0 base:my  rules 2",
    ):
        assert (await chat.first(line)).data["digest"] == longer
    for line in (
        "/play @bob rules:My Rules 2 level:cautious",
        "/play rules:my rules @bob goal:500 level:cautious",
        "/play @bob level:cautious rules:“My Rules”",
    ):
        told = (await chat.first(line)).text
        assert "bob, Cautious bot; My Rules" in told
        assert ("My Rules 2" in told) == ("Rules 2" in line)
        await chat.say("/end")
    shipped = await chat.say("/odds rules:Farkle Games me:500")
    assert shipped == await chat.say("/odds rules:farkle-games me:500")
    assert "farkle-games" in shipped
    refused = await chat.say("/odds rules:Your Rules")
    assert refused == '/odds does not take "Rules"; write /odds dice:N.'


async def test_quotes_hold_a_name_together(chat: Chat) -> None:
    await chat.first('/rules new "My Rules" base:kcd goal:500')
    assert (await chat.answer("/rules show My Rules")).data["name"] == "My Rules"
    await chat.say("/play ann level:greedy rules:“My Rules”")
    assert "Unknown" not in await chat.say('/rules delete "My Rules"')


async def test_a_file_may_be_the_base_at_the_console(chat: Chat, tmp_path: Path) -> None:
    file = rules_file(tmp_path / "mine.toml", goal=400)
    made = await chat.first(f"/rules new ours base:{file} goal:500")
    assert (made.data["goal"], made.data["dice"]) == (500, 3)
    gone = await chat.first("/rules new others base:nowhere.toml")
    assert gone.data["error"].startswith("nowhere.toml: cannot be read")


async def test_deleting_the_rules_in_use_says_what_holds_now(chat: Chat) -> None:
    for name in ("one", "other"):
        await chat.first(f"/rules new {name} base:kcd goal:500")
    await chat.say("/rules use one")
    other = await chat.answer("/rules delete other")
    assert (other.text, other.data) == ("other is deleted.", {"deleted": "other", "rules": None})
    used = await chat.answer("/rules delete one")
    assert used.text == "one is deleted. The rules here are facebook again."
    assert used.data == {"deleted": "one", "rules": "facebook"}


PIECES = st.sampled_from(
    ["/advise", "/odds", "/explore", "/track", "/play", "/score", "/fix", "/keep", "/roll",
     "/rules", "/rules show", "/stats", "/settings", "/levels", "/komi", "/points", "/show",
     "/help", "/proof", "6 5 3 3 3 2", "653332", "3x3", "5", "0", "350", "-50", "4,200", "９", "me",
     "me:", "me:0", "turn 350", "dice:2", "rules:kcd", "rules:", "rules kcd", "goal:4000", "goal 0",
     "@ann", "ann", "bob", "level:greedy", "farkle", "win", "bank", "game:x", "?", "!", ">", "[",
     "]", '"', "“", ":", "=", ",", "`", "began me", "on-board no", "hot dice 1", "\u200b", "\u202e"]
)  # fmt: skip


@SHARED
@given(st.lists(PIECES | ODD, max_size=7), st.sampled_from(["en", "de"]))
@example(["/odds", "rules", "rules"], "en")
@example(["/points", "hot dice 1", "rules kcd"], "de")
async def test_whatever_is_typed_is_answered(chat: Chat, pieces: list[str], code: str) -> None:
    """By an answer, or by one whole sentence; never by a failure of the program."""
    speak(language(code))
    for line in (" ".join(pieces), "/advise " + " ".join(pieces), "ann: " + "".join(pieces)):
        for reply in await chat.all(line):
            assert hidden_in(reply.text) == []
            if isinstance(reply.data, dict) and set(reply.data) == {"error"}:
                assert "\n" not in reply.text
                assert not re.match(r"[a-zäöü]+ ", reply.text), reply.text
                assert reply.text[-1] in ".!?…"
                assert "not your fault" not in reply.text
                assert "liegt nicht an dir" not in reply.text
    await chat.all("/end")


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("", "Say which dice to keep"),
        (" bank", "Say which dice to keep"),
        (" 1 bnak", '"1 bnak" cannot be kept'),
        (" 1 1 1 1 1 1 1", '"1 1 1 1 1 1 1" cannot be kept'),
    ],
)
async def test_what_is_no_dice_to_keep_is_told_what_is(chat: Chat, typed: str, told: str) -> None:
    await chat.all("ann: /track @bob rules:kcd")
    await chat.all("ann: /roll 6 6 4 3 2 5")
    found = await chat.answer(f"ann: /keep{typed}")
    # a straight, and the 5 of it
    may = "you can keep 6 5 4 3 2 (750), 5 (50)"
    assert found.text == f"{told}: from 6 6 5 4 3 2 {may}, and then roll or bank."
    await chat.all("/end")


@given(
    st.lists(st.integers(1, 6), min_size=1, max_size=6),
    st.tuples(*[st.integers(0, 200).map(lambda steps: 50 * steps)] * 3),
    st.sampled_from(["{dice} {0} {1} {2}", "{dice}, {0:,} {1:,} {2:,}", "[{dice}] {0}; {1}; {2}"]),
)
def test_three_numbers_after_the_dice(
    dice: list[int], numbers: tuple[int, int, int], form: str
) -> None:
    typed = form.format(*numbers, dice=", ".join(map(str, dice)))
    found = with_numbers(Line(tuple(typed.split()), {}))
    assert [int(str(n).replace(",", "")) for n in found.options.values()] == [*numbers]
    assert list(found.options) == ["turn", "me", "them"]
    assert re.sub(r"\D", "", found.words) == "".join(map(str, dice))
    with pytest.raises(InvalidRequestError, match='"them" is given twice'):
        with_numbers(Line(tuple(typed.split()), {"them": 0}))


@given(st.lists(st.integers(1, 6).map(str), max_size=9))
def test_dice_alone_are_dice(faces: list[str]) -> None:
    line = Line(tuple(faces), {})
    assert with_numbers(line) is line


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("no dice given", "No dice given."),
        ("me: takes a whole number", "me: takes a whole number."),
        ("three-pairs: takes more", "three-pairs: takes more."),
        ("/odds does not take that", "/odds does not take that."),
        ('"x" is no die', '"x" is no die.'),
        ("rules.toml: is gone", "rules.toml: is gone."),
        ("über 5 geht es nicht", "Über 5 geht es nicht."),
        ("Done.", "Done."),
        ("too long …", "Too long …"),
        ("7 dice are too many", "7 dice are too many."),
    ],
)
def test_a_refusal_is_a_whole_sentence(text: str, shown: str) -> None:
    assert whole_sentence(text) == shown
    assert whole_sentence(shown) == shown


@pytest.mark.slow
async def test_nobody_is_told_to_type_on_a_command_line(tmp_path: Path) -> None:
    async with open_chat(tmp_path) as chat:
        for line in (
            "/advise 653332", "/odds rules:kcd", "/komi", "/explore", "/explain", "/levels",
            "/memo rules:zilch", "/play level:optimal", "/match optimal greedy", "/help",
            "/duel optimal greedy", "/help proof", "/duel memo-go-for-it greedy rules:kcd",
        ):  # fmt: skip
            told = await chat.say(line)
            assert not re.search(r"(?<![/-])\bfarkle (?:solve|memo|study|verify|store)\b", told)
