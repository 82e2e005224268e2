"""/explain and /explore as people type them."""

import io
import re
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bot.features.pictures.service import Explanation
from bot.features.pictures.view import explanation_card
from bot.fronts.console import answer_pipe
from bot.fronts.lines import Lines
from bot.services.advisor import Advisor
from bot.settings import Settings
from bot.wiring import open_parts
from solver.game.best import Strategy
from solver.game.position import Position
from solver.play.estimate import EstimatedStrategy
from tests.bot.speaking import Chat


async def test_a_turn_explained(chat: Chat) -> None:
    reply = await chat.answer("/explain turn:350 dice:2 me:4200 them:5000")
    assert not reply.private
    assert reply.text.splitlines() == [
        "you 4,200, them 5,000, turn total 350, facebook rules",
        "Now bank 350: 37.56 %; rolling 2 dice costs 0.71 percentage points.",
        "When to bank, by dice to roll:",
        "  6 dice  from 4,350 on",
        "  5 dice  from 2,600 on",
        "  4 dice  from 1,100 on",
        "  3 dice  from 450 on",
        "  2 dice  from 300 on",
        "   1 die  from 350 on",
    ]
    assert reply.subject.picture.startswith(b"\x89PNG")
    assert reply.data["action"] == "bank"
    assert reply.data["bank_from"][4] == {"dice": 2, "turn_total": 300, "roll_again": ()}


@pytest.mark.mostly_slow(9)
@pytest.mark.parametrize("command", ["explain", "explore", "odds"])
@pytest.mark.parametrize("turn", ["turn:50 dice:2", "turn:300 dice:5 rules:kcd"])
async def test_a_turn_that_no_rolls_lead_to_is_noted(chat: Chat, command: str, turn: str) -> None:
    reply = await chat.answer(f"/{command} {turn}")
    assert reply.data["reachable"] is False
    text = " ".join(reply.text.split())
    assert re.search(r"Note: . dice cannot be left at a turn total of \d+, only .* can; this", text)
    assert "Note" not in await chat.say(f"/{command} turn:300 dice:2")


@pytest.mark.slow
async def test_the_best_choice_costs_nothing_and_the_other_what_it_says(
    chat: Chat, strategies: dict[str, Strategy]
) -> None:
    """As the strategy has it, where banking is worse and where it is not allowed."""
    text = await chat.say("/explain turn:100 dice:5 rules:kcd me:500")
    table = strategies["kcd"].turn(Position.of_two(500, 0))
    state = Position.of_two(500, 0, 100, dice=5).turn
    roll, bank = table.roll_value(state), table.bank_value(state)
    assert bank is not None
    less = f"{100 * (roll - bank):.2f}"
    assert (
        f"Now roll 5 dice: {100 * roll:.2f} %; banking 100 costs {less} percentage points" in text
    )
    text = await chat.say("/explain")
    assert "Now roll 6 dice: 53.49 %; banking is not allowed." in text
    text = await chat.say("/explain me:2800 them:3500 rules:kcd")
    assert "  2 dice  from 850 on, not at 1,100 to 1,150" in text


@pytest.mark.slow
async def test_the_game_here_is_explained_to_who_asks(chat: Chat) -> None:
    await chat.all("ann: /track @bob rules:kcd")
    await chat.all("ann: /roll 6 5 3 3 3 2")
    for name, head in (("ann", ""), ("bob", "As ann sees it:\n")):
        reply = await chat.answer(f"{name}: /explain")
        assert reply.private
        assert reply.text.startswith(f"{head}6 5 3 3 3 2: you 0, them 0, kcd rules\nNow keep ")
        assert "The next best, keep " in reply.text
    reply = await chat.answer("ann: /explore")
    assert reply.private
    assert reply.text.startswith("you 0, them 0, 6 dice to roll, kcd rules\n")
    # with a position it is a question of its own, under the rules of the game
    reply = await chat.answer("ann: /explore me:100")
    assert not reply.private
    assert reply.text.startswith("you 100, them 0, 6 dice to roll, kcd rules\n")


@pytest.mark.parametrize("command", ["/explain", "/explore", "/explore me:200"])
async def test_whoever_plays_without_hints_gets_none(chat: Chat, command: str) -> None:
    await chat.all("ann: /play @bob rules:kcd hints:no")
    assert "The host has forbidden hints" in await chat.say(f"ann: {command}")
    assert "The host has forbidden hints" not in await chat.say(f"carl: {command}")


@pytest.mark.slow
async def test_a_turn_of_several_is_explained_by_an_estimate_that_says_so(
    chat: Chat, strategies: dict[str, Strategy]
) -> None:
    await chat.all("ann: /play @bob @carl rules:kcd")
    here = (await chat.answer("ann: /explain")).subject
    assert isinstance(here, Explanation)
    reply = await chat.answer("/explain rules:kcd me:1000 them:2000,1500 turn:300 dice:3")
    told = " ".join(reply.text.split())
    assert told.startswith("you 1,000, them 2,000 and 1,500, turn total 300, kcd rules Now ")
    assert "The others would then win" in told
    assert "These chances are estimates" in told
    play = EstimatedStrategy(strategies["kcd"], 3)
    for found in (here, reply.subject):
        position, turn = found.turn.position, found.turn
        assert (len(position.players), found.hint.exact) == (3, True)
        table = play.turn(position).of_mover
        rows = len(turn.totals)
        assert np.array_equal(turn.roll, table.roll[0, :rows])
        assert np.array_equal(turn.bank[:, 0], table.ends.bank[:rows], equal_nan=True)
        assert (found.picture or b"").startswith(b"\x89PNG")


@pytest.mark.mostly_slow(9)
@pytest.mark.parametrize(
    "line",
    [
        "/explore me:4000 them:5000 turn:350 dice:2 farkles:1",
        "/explore rules:arnold",
        "/explore me:-500 them:0 their-farkles:2",
        "/explore rules:kcd me:1000 them:3800,1500 turn:300 dice:3",
    ],
)
async def test_the_ways_on_can_be_typed(chat: Chat, line: str) -> None:
    reply = await chat.answer(line)
    assert len(reply.data["steps"]) >= 6
    for step in reply.data["steps"]:
        assert step["command"] in reply.text
        there = await chat.answer(step["command"])
        assert there.data["position"] == step["position"], step
        # and back again, where it is a small step up or down
        if re.search("up$", step["action"]):
            back = step["action"].removesuffix("up") + "down"
            found = [one for one in there.data["steps"] if one["action"] == back]
            assert found


async def test_hot_dice_that_cannot_be_are_refused(chat: Chat) -> None:
    reply = await chat.answer("/explore hot-dice:-1")
    assert reply.text == "The number of hot dice cannot be -1: it is 0 to 1,000."


async def test_the_ways_on_name_the_rules_and_the_goal_that_were_asked_about(chat: Chat) -> None:
    reply = await chat.answer("/explore rules:kcd goal:4000 me:1000 them:2000")
    for step in reply.data["steps"]:
        assert step["command"].endswith(" rules:kcd goal:4000")
        assert step["command"] in reply.text


async def test_pictures_are_left_out_under_pressure(tmp_path: Path, data: Path) -> None:
    advisor = Advisor(data / "strategies")
    async with open_parts(Settings(data=tmp_path, workers=0), advisor, late=0.1) as parts:
        chat = Chat(parts)
        pressure = parts.tasks.pressure
        assert (await chat.answer("/explain")).subject.picture
        for _ in range(100):
            pressure.note(0.25)
            pressure.tick(0.1)
        reply = await chat.answer("/explain")
        assert reply.subject.picture is None
        assert "Now roll 6 dice" in reply.text


@pytest.mark.slow
async def test_the_console_keeps_every_picture_and_says_where(
    chat: Chat, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "console"
    pictures = folder / "pictures"
    turns = ["/roll 1 1 1 2 3 4", "/keep 1 1 1", "/bank", "bob: /roll 2 2 3 3 4 6", "/resign"]
    lines = ["/explain", "/explain me:500", "/track @bob rules:kcd", *turns]
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(lines)))
    await answer_pipe(Lines(chat.commands, folder, as_json=False))
    told = capsys.readouterr().out
    files = [Path(one) for one in re.findall(r"The picture is in (.*)\.\n", told)]
    names = ["turn-1.png", "turn-2.png", "game-1.png"]
    assert files == [pictures / name for name in names]
    assert sorted(files) == sorted(pictures.iterdir())
    kept = [file.read_bytes() for file in files]
    assert len(set(kept)) == len(files)
    assert all(picture.startswith(b"\x89PNG") for picture in kept)
    assert pictures.stat().st_mode & 0o77 == 0
    shutil.rmtree(pictures)
    pictures.write_text("no folder")
    monkeypatch.setattr("sys.stdin", io.StringIO("/explain\n"))
    await answer_pipe(Lines(chat.commands, folder, as_json=False))
    told = capsys.readouterr().out
    assert "Now roll 6 dice" in told
    assert f"The picture cannot be written to {pictures / 'turn-1.png'} (" in told


async def test_cards_have_the_picture_if_there_is_one(chat: Chat) -> None:
    found = (await chat.answer("/explain")).subject
    [attached] = explanation_card(found).attachments
    assert (attached.name, attached.content) == ("turn.png", found.picture)
    assert explanation_card(replace(found, picture=None)).attachments == ()
