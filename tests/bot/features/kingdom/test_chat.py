"""Loaded dice in the chat, in a game short enough to be solved at once."""

import pytest

from bot.languages import language
from bot.views.named_dice import taken_lines
from solver.named.badges import read_badge
from solver.wording import ENGLISH, speak
from tests.bot.speaking import Chat

GAME = "goal:600 my-dice:odd*4,devil*2"


@pytest.fixture
def chat(solving_chat: Chat) -> Chat:
    """Loaded dice need no solved rules."""
    return solving_chat


@pytest.mark.slow
async def test_who_wins_and_what_to_keep(chat: Chat) -> None:
    [answer] = await chat.all(f"/kcd {GAME}")
    assert "kcd rules to 600, you begin.\n" in answer.text
    assert "You win " in answer.text
    [other] = await chat.all(f"/kcd {GAME} began:them")
    assert other.data["win_probability"] == answer.data["win_probability_second"]
    [advice] = await chat.all(f"/advise 5 5 3 2 odd, J 5 devil {GAME}")
    assert advice.text.startswith("5 5 3 2 odd, 5 J: you 0, them 0, kcd rules to 600\n")
    assert "  keep " in advice.text
    [odds] = await chat.all(f"/odds turn:300 dice:odd,devil {GAME}")
    assert "farkle chance" in odds.text
    [walk] = await chat.all(f"/explore turn:300 dice:odd,devil {GAME}")
    assert walk.text.startswith(odds.text.rsplit("\n", 1)[0])
    [step] = [one for one in walk.data["steps"] if one["action"] == "turnup"]
    [there] = await chat.all(step["command"])
    assert there.data["position"] == step["position"]
    [choice] = await chat.all("/kcd goal:600 own:odd,devil my-badge:emperor")
    assert "4 sets of 6 dice" in choice.text
    assert "Your badge emperor, theirs none." in choice.text
    [bought] = await chat.all("/kcd goal:600 own:odd buy:110")
    assert "2 dice to buy; kcd rules to 600" in bought.text


@pytest.mark.mostly_slow
@pytest.mark.parametrize(
    "line",
    [
        f"/kcd {GAME}",
        "/kcd goal:600 own:odd,devil",
        "/kcd goal:600 own:devil*5 buy:110",
        f"/advise 5 5 3 2 odd, J 5 devil {GAME}",
        f"/odds turn:300 dice:odd,devil {GAME}",
        f"/explore turn:300 dice:odd,devil {GAME}",
        f"/play ann bob {GAME}",
    ],
)
async def test_what_is_said_of_jokers_is_no_longer_open(chat: Chat, line: str) -> None:
    for told, is_open in (("", True), (" joker-alone:no", True), (" joker-alone:yes", False)):
        replies = await chat.all(line + told)
        text = " ".join(" ".join(reply.text for reply in replies).split())
        assert ("Jokers: no source says how they score" in text) == is_open
        for reply in replies:
            if isinstance(reply.data, dict) and "unknown" in reply.data:
                assert bool(reply.data["unknown"]) == is_open
        if line.startswith("/play"):
            await chat.all("/end")


@pytest.mark.parametrize(
    ("badge", "sentences"),
    [
        ("emperor", ["three of a kind only"]),
        ("tyche@all", []),
        ("gold-warlord", ["used when banking", "double the points; with @triple"]),
        ("gold-warlord@triple", ["used when banking"]),
        ("gold-warlord@start", ["double the points; with @triple"]),
        ("tin-warlord", ["used when banking"]),
        ("gold-defence", ["cancel the other badge"]),
        ("priest:300", []),
    ],
)
def test_what_sources_leave_open_is_told_unless_it_is_said(
    badge: str, sentences: list[str]
) -> None:
    lines = taken_lines([read_badge(badge)])
    assert len(lines) == len(sentences)
    for line, sentence in zip(lines, sentences, strict=True):
        assert sentence in line


@pytest.mark.mostly_slow
@pytest.mark.parametrize(
    "dice",
    [
        "my-dice:odd*4, devil*2",
        "my-dice: 4 odd, 2 devil",
        "my-dice:odd*4 , 2:2:2:2:2:2@joker1*2",
        'my-dice:"4 odd dice and 2 devil\'s head dice"',
    ],
)
async def test_blanks_between_dice_as_people_type_them(chat: Chat, dice: str) -> None:
    for line in (f"/kcd {dice} goal:600", f"/kcd goal:600 began:me {dice}"):
        [answer] = await chat.all(line)
        assert "odd*4" in answer.text, answer.text
        assert answer.data["goal"] == 600
    [odds] = await chat.all(f"/odds dice:1 odd, devil turn:300 {dice} goal:600")
    assert "odd" in odds.data["position"]["dice"].split(",")
    assert odds.data["position"]["turn_total"] == 300


async def test_dice_that_never_farkle_have_no_limit_of_points(chat: Chat) -> None:
    [answer] = await chat.all("/kcd my-dice:antiochus@release*6 goal:600")
    assert "∞: with these dice you can roll on" in answer.text
    assert answer.data["win_probability"] == pytest.approx(1)
    assert answer.data["mine"]["points"] is None
    [choice] = await chat.all("/kcd own:antiochus@release*6 goal:600")
    assert choice.data["choices"][0]["dice"] == "antiochus@release*6"


@pytest.mark.parametrize("code", ["en", "de"])
async def test_lists_fit_into_a_message(chat: Chat, code: str) -> None:
    speak(language(code))
    for line in ("/kcd dice", "/kcd badges", "/kcd dice tengri"):
        text = await chat.say(line)
        assert 100 < len(text) < 1980
    speak(ENGLISH)


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("/kcd", "/kcd takes your dice"),
        ("/kcd my-dice:lucky*7", "A set is 6 dice, not 7"),
        ("/kcd my-dice:luckey*6", 'no die called "luckey"; did you mean lucky'),
        ("/kcd my-dice:0:0:0:0:0:0*6", "is not a die: a die has six weights"),
        ("/kcd my-dice:odd*6 my-badge:warlord", "write tin-warlord, silver-warlord or"),
        ("/kcd my-dice:odd*6 my-badge:emperor their-badge:carpenter:150", "of the same tier"),
        ("/kcd my-dice:glukswurfel*6", 'no die called "glukswurfel"; did you mean lucky'),
        ("/kcd my-dice:die of misfortune*6", 'know what "of misfortune*6" belongs to'),
        ("/advise 5 1 3 3 ordinary my-dice:ordinary*6", "A turn starts with all 6 dice, not 4"),
        ("/kcd their-dice:odd*6/lucky*6", "/play, /advise and /odds take those of several"),
        ("/kcd dice foo", 'no die called "foo"'),
        ("/kcd foo", '/kcd does not know "foo"; write /kcd dice'),
        ("/kcd badges gold-might", '/kcd does not know "badges gold-might"'),
        ("/kcd my-dice:odd*6 rules:facebook", "this would take about"),
        ("/advise 2 my-dice:favourable*6", "None of these dice shows a 2"),
        ("/advise 5 5 my-dice:odd*3,lucky*3", "Which die shows the 5"),
        ("/advise 5 5 odd", '"odd": only loaded dice have jokers and names'),
        ("/advise J 1 2 3 4 5 rules:kcd", '"J": only loaded dice have jokers'),
        ("/advise 5 5 joker-alone:yes", "oker-alone: goes with my-dice or their-dice"),
        ("/odds turn:300 my-dice:odd*6", "Say which dice are left to roll"),
        ("/explore turn:300 my-dice:odd*6", "Say which dice are left to roll"),
        ("/explore my-badge:emperor", "oes with my-dice or their-dice"),
        ("/kcd my-dice:ordinary*6 their-dice:lucky*3,weighted*3 goal:9990", "not a multiple of"),
    ],
)
async def test_refusals(chat: Chat, line: str, sentence: str) -> None:
    assert sentence in (await chat.say(line))
