"""Loaded dice in the chat, in a game short enough to be solved at once."""

import pytest

from bot.languages import language
from solver.wording import ENGLISH, speak
from tests.bot.chat import Chat

GAME = "goal:600 my-dice:odd*4,devil*2"


@pytest.fixture
def chat(solving_chat: Chat) -> Chat:
    """Loaded dice need no solved rules."""
    return solving_chat


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
        ("/kcd my-dice:0:0:0:0:0:0*6", "is no die: its weights are six whole numbers"),
        ("/kcd my-dice:odd*6 my-badge:warlord", "write tin-warlord or silver-warlord"),
        ("/kcd my-dice:odd*6 my-badge:emperor their-badge:carpenter:150", "of one tier"),
        ("/kcd dice foo", 'no die called "foo"'),
        ("/kcd my-dice:odd*6 rules:facebook", "cannot be solved yet"),
        ("/advise 2 my-dice:favourable*6", "None of these dice shows a 2"),
        ("/advise 5 5 my-dice:odd*3,lucky*3", "Which die shows the 5"),
        ("/advise 5 5 joker-alone:yes", "oker-alone: goes with my-dice or their-dice"),
        ("/odds turn:300 my-dice:odd*6", "Say which dice are left to roll"),
        ("/odds them:300,200 my-dice:odd*6", "/odds without loaded dice"),
        ("/explore turn:300 my-dice:odd*6", "Say which dice are left to roll"),
        ("/explore my-badge:emperor", "oes with my-dice or their-dice"),
        ("/kcd my-dice:ordinary*6 their-dice:lucky*3,weighted*3 goal:9990", "not a multiple of"),
    ],
)
async def test_refusals(chat: Chat, line: str, sentence: str) -> None:
    assert sentence in (await chat.say(line))
