"""Three people and more at a table, each with dice of their own."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.fronts.chat.commands import Reply
from bot.languages import language
from bot.services import tables
from bot.table.fair_dice import Proof, verify_proof
from solver.wording import ENGLISH, speak
from tests.bot.chat import Chat, open_chat
from tests.bot.test_playthroughs import fixed_secrets

SETS = "my-dice:lucky*3,odd,devil*2 their-dice:weighted*2,ordinary*4/odd*6"
GOAL = "goal:600"


@pytest.fixture
async def chat(tmp_path: Path, kernels: Path) -> AsyncIterator[Chat]:
    """A chat in which nothing is solved yet."""
    (tmp_path / "kernels").symlink_to(kernels)
    async with open_chat(tmp_path) as opened:
        yield opened


async def played_out(chat: Chat, last: Reply) -> Reply:
    """What is told at the end of a game in which people bank what scores most of each roll."""
    for _ in range(300):
        if (who := last.data["to_move"]) is None:
            return last
        game = last.subject.table.game
        line = "/roll"
        if game.turn.roll is not None:
            most = game.set_asides()[0].dice
            kept = game.kits[game.mover].set_aside_text(game.turn.roll, most)
            line = f"/keep {kept} bank"
        last = (await chat.all(f"{who}: {line}"))[-1]
    raise AssertionError("the game does not end")


async def test_three_people_play_with_dice_of_their_own(chat: Chat, tmp_path: Path) -> None:
    first = await chat.answer(f"ann: /play @bob @carl {SETS} {GOAL}")
    said = " ".join(first.text.split())
    assert "ann has lucky*3,devil*2,odd; bob has ordinary*4,weighted*2; carl has odd*6." in said
    assert "With dice of their own more than two are not solved" in said
    assert "Win probability" not in said
    last = await played_out(chat, first)
    winner = max(last.data["players"], key=lambda one: one["score"])
    assert winner["score"] >= 600
    assert f"{winner['name']} wins" in last.text
    proof = Proof.model_validate_json(await chat.say("ann: /proof"))
    assert len(proof.sets) == 3
    assert proof.sets[2] == ((4, 1, 4, 1, 4, 1),) * 6
    assert verify_proof(proof).holds
    assert "nobody knows its" in await chat.say("ann: /review")
    assert not (tmp_path / "matchups").exists()
    thrown = (await chat.answer("carl: /dice")).data["loaded"]
    assert {one["die"] for one in thrown} >= {"odd"}
    async with open_chat(tmp_path) as other:
        assert "carl" in await other.say("carl: /stats"), "it is read again from its events"


@pytest.mark.parametrize("code", ["en", "de"])
async def test_hints_are_against_the_strongest_as_if_alone(
    chat: Chat, code: str, tmp_path: Path
) -> None:
    speak(language(code))
    await chat.say(f"ann: /track @bob @carl {SETS} {GOAL}")
    for line in ("ann: /score 150", "bob: /score 100", "carl: /score 250"):
        await chat.say(line)
    assert not (tmp_path / "matchups").exists()
    [odds] = await chat.all("ann: /odds")
    game = "my-dice:lucky*3,odd,devil*2 their-dice:odd*6 me:150 them:250 goal:600"
    [asked] = await chat.all(f"carl: /odds {game}")
    assert odds.data["win_probability"] == asked.data["win_probability"]
    assert len(list((tmp_path / "matchups").iterdir())) == 1
    told = "strongest of them alone" if code == "en" else "stärksten Gegner allein"
    for line in ("/odds", "/explore", "/explain", "/hint", "/advise 5 lucky, 3 odd, 2 2 2 2"):
        assert told in " ".join((await chat.say(f"ann: {line}")).split()), line
    await chat.say("ann: /resign")
    assert told not in await chat.say("bob: /hint"), "two are left"
    speak(ENGLISH)


async def test_bots_that_count_points_wait_for_nothing(
    chat: Chat, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "secrets", fixed_secrets("bots of three"))
    lines = [f"ann: /play bot {SETS} level:max-points goal:2000", "ann: /join level:greedy"]
    for line in lines:
        begun = (await chat.all(line))[-1]
    last = await played_out(chat, begun)
    assert [one["level"] for one in last.data["players"]] == [None, "max-points", "greedy"]
    assert all(seat.turns for seat in last.subject.table.game.seats)
    assert not (tmp_path / "matchups").exists()


async def test_an_optimal_bot_plays_against_the_strongest(
    chat: Chat, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "secrets", fixed_secrets("a bot of three"))
    begun = (await chat.all(f"ann: /play @bob bot level:optimal {SETS} {GOAL}"))[-1]
    last = await played_out(chat, begun)
    assert last.data["players"][2]["level"] == "optimal"
    assert 1 <= len(list((tmp_path / "matchups").iterdir())) <= 2, "against ann, bob or both"


async def test_who_joins_brings_dice(chat: Chat) -> None:
    first = await chat.say(f"ann: /play {SETS} {GOAL}")
    assert "who joins has ordinary*4,weighted*2; who joins has odd*6." in " ".join(first.split())
    for line, sentence in [
        ("bob: /join my-dice:lucky*6", "bob sits down and has lucky*6."),
        ("carl: /join my-dice:odd*6 my-badge:emperor", "badges are for games of two"),
        ("carl: /join", "carl sits down."),
        ("dora: /join", "this game has dice for 3 players"),
    ]:
        text = " ".join((await chat.say(line)).split())
        assert sentence.lower() in text.lower(), (line, text)
