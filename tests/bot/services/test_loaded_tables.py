"""Three people and more at a table, each with dice of their own."""

from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest

from bot.chat.commands import Reply, replies_to
from bot.fronts.lines import spoken_by
from bot.languages import language
from bot.services import tables
from bot.table.fair_dice import Proof, verify_proof
from solver.loaded.files import open_matchup
from solver.wording import ENGLISH, speak
from tests.bot.known_dice import fixed_secrets
from tests.bot.speaking import Chat, open_chat

SETS = "my-dice:lucky*3,odd,devil*2 their-dice:weighted*2,ordinary*4/odd*6"
GOAL = "goal:600"


@pytest.fixture
async def chat(tmp_path: Path, kernels: Path) -> AsyncIterator[Chat]:
    """A chat in which nothing is solved yet."""
    (tmp_path / "kernels").symlink_to(kernels)
    async with open_chat(tmp_path) as opened:
        yield opened


@pytest.fixture
async def patient(tmp_path: Path, kernels: Path) -> AsyncIterator[Chat]:
    """A chat in which people wait for what takes a few seconds."""
    (tmp_path / "kernels").symlink_to(kernels)
    async with open_chat(tmp_path, needed=20.0) as opened:
        yield opened


async def played_out(chat: Chat, last: Reply) -> Reply:
    """The last reply of a game in which people bank what scores most of each roll."""
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
    assert "A game this long for more than two players with their own dice" in said
    assert "Win probability" not in said
    last = await played_out(chat, first)
    winner = max(last.data["players"], key=lambda one: one["score"])
    assert winner["score"] >= 600
    assert f"{winner['name']} wins" in last.text
    proof = Proof.model_validate_json(await chat.say("ann: /proof"))
    assert len(proof.sets) == 3
    assert proof.sets[2] == ((4, 1, 4, 1, 4, 1),) * 6
    assert verify_proof(proof).holds
    assert "win probabilities are not known" in await chat.say("ann: /review")
    assert not (tmp_path / "matchups").exists()
    thrown = (await chat.answer("carl: /dice")).data["loaded"]
    assert {one["die"] for one in thrown} >= {"odd"}
    async with open_chat(tmp_path) as other:
        assert "carl" in await other.say("carl: /stats"), "it is read again from its events"


@pytest.mark.slow
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
    assert len(list((tmp_path / "matchups").glob("*.solved"))) == 1
    told = "only at your strongest opponent" if code == "en" else "nur den stärksten Gegner"
    for line in ("/odds", "/explore", "/explain", "/hint", "/advise 5 lucky, 3 odd, 2 2 2 2"):
        assert told in " ".join((await chat.say(f"ann: {line}")).split()), line
    await chat.say("ann: /resign sure:yes")
    assert told not in await chat.say("bob: /hint"), "two are left"
    speak(ENGLISH)


async def test_a_rematch_is_of_the_dice_of_those_who_played(chat: Chat) -> None:
    """What waited for who left is nobody's dice, and no third player is waited for."""
    await chat.say(f"ann: /play @bob @carl {SETS} {GOAL}")
    left = (await chat.all("bob: /leave"))[-1]
    last = await played_out(chat, left)
    caller, _ = spoken_by("carl: again")
    again = chat.pressing.play_again(caller, last.subject.table)
    begun, *_ = [reply.subject.table async for reply in replies_to(again)]
    dice = (kit.dice.text for kit in begun.game.kits)
    assert dict(zip(begun.names, dice, strict=True)) == {
        "carl": "odd*6",
        "ann": "lucky*3,devil*2,odd",
    }


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
    assert 1 <= len(list((tmp_path / "matchups").glob("*.solved"))) <= 2, "against ann, bob or both"


async def test_who_joins_brings_dice(chat: Chat) -> None:
    first = await chat.say(f"ann: /play {SETS} {GOAL}")
    assert "who joins has ordinary*4,weighted*2; who joins has odd*6." in " ".join(first.split())
    for line, sentence in [
        ("bob: /join my-dice:lucky*6", "bob joins and has lucky*6."),
        ("carl: /join my-dice:odd*6 my-badge:emperor", "badges work only with two players"),
        ("carl: /join", "carl joins."),
        ("dora: /join", "this game has dice for 3 players"),
    ]:
        text = " ".join((await chat.say(line)).split())
        assert sentence.lower() in text.lower(), (line, text)


@pytest.mark.slow
async def test_three_are_solved_where_that_takes_seconds(patient: Chat, tmp_path: Path) -> None:
    """They are told their chances, and a review says what made them what they were in the end."""
    first = (await patient.all(f"ann: /play @bob @carl {SETS} {GOAL}"))[-1]
    said = " ".join(first.text.split())
    assert "ann has lucky*3,devil*2,odd; bob has ordinary*4,weighted*2; carl has odd*6." in said
    assert "Win probability" in said
    assert "is not solved" not in said
    assert len(list((tmp_path / "matchups").glob("*.solved"))) == 1
    begun = first.subject.chances.win_probabilities
    assert sum(begun) == pytest.approx(1, abs=1e-12)
    [asked] = await patient.all(f"dora: /odds {SETS} {GOAL}")
    assert asked.data["chances"] == pytest.approx(begun, abs=1e-12)
    rolled = (await patient.all("ann: /roll"))[-1]
    who = rolled.data["to_move"]
    hint = (await patient.all(f"{who}: /hint"))[-1].text
    assert "The others would then win " in hint
    assert "only at your strongest opponent" not in hint
    assert "after 0 hot dice" not in hint
    explained = (await patient.all(f"{who}: /explain"))[-1]
    assert explained.text.startswith(hint)
    found = explained.subject
    game = rolled.subject.table.game
    position, play = found.turn.position, open_matchup(tmp_path / "matchups", game.many_matchup)
    table, columns = play.turn(position).of_mover, [one - 1 for one in found.turn.columns]
    assert (play.players, len(columns)) == (3, 8)
    assert np.array_equal(found.turn.roll, table.roll[0, : len(found.turn.totals)][:, columns])
    walk = (await patient.all(f"{who}: /explore"))[-1]
    assert walk.data["chances"] == pytest.approx(play.chances(game.position_of_all()), abs=1e-12)
    for step in walk.data["steps"][:-1:4]:
        there = (await patient.all(f"dora: {step['command']}"))[-1]
        assert there.data["position"] == step["position"]
    last = await played_out(patient, rolled)
    found = (await patient.all("carl: /review"))[-1].subject
    shares = last.subject.table.game.shares
    for number, player in enumerate(found.players):
        changed = player.luck - player.total_loss + player.told + player.given_up
        changed += player.others_luck + player.others_choices + player.rest
        assert shares[number] - begun[number] == pytest.approx(changed, abs=1e-9)


@pytest.mark.slow
async def test_an_optimal_bot_plays_against_all(
    patient: Chat, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "secrets", fixed_secrets("a bot of three"))
    begun = (await patient.all(f"ann: /play @bob bot level:optimal {SETS} {GOAL}"))[-1]
    await played_out(patient, begun)
    found = (await patient.all("ann: /review"))[-1].subject
    assert found.players[2].total_loss == pytest.approx(0, abs=1e-9)
    assert found.players[0].total_loss > 0.01
    assert len(list((tmp_path / "matchups").glob("*.solved"))) == 1


@pytest.mark.slow
async def test_two_are_left_by_who_resigns(patient: Chat, tmp_path: Path) -> None:
    await patient.say(f"ann: /play @bob @carl {SETS} {GOAL}")
    resigned = (await patient.all("ann: /resign sure:yes"))[-1]
    assert resigned.subject.chances.win_probabilities[0] == 0, "told at once"
    hint = (await patient.all("bob: /hint"))[-1]
    assert "Roll." in hint.text
    assert len(list((tmp_path / "matchups").glob("*.solved"))) == 2
    told = (await patient.all("bob: /show"))[-1].subject.chances.win_probabilities
    assert told[0] == 0
    [asked] = await patient.all(
        f"dora: /odds my-dice:weighted*2,ordinary*4 their-dice:odd*6 {GOAL}"
    )
    assert told[1] == pytest.approx(asked.data["win_probability"], abs=1e-11)


@pytest.mark.slow
async def test_german_tells_of_all(patient: Chat) -> None:
    speak(language("de"))
    told = await patient.say(
        f"ann: /advise 5 2 3 lucky, 1 odd, J 4 devil {SETS} {GOAL} me:100 them:250,300"
    )
    assert "Die anderen gewinnen dann zu " in told
    refused = await patient.say(f"ann: /odds {SETS} {GOAL} me:100 them:250,300,50")
    assert "nennt die Würfel von 2 Spielern, und them: die Punktestände von 3" in " ".join(
        refused.split()
    )
    speak(ENGLISH)
