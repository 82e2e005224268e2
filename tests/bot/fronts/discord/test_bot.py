"""The unmodified bot process at a loopback Discord, on real sockets."""

import asyncio
import io
import json
import re
import signal
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from discord.gateway import DiscordWebSocket
from discord.http import Route
from PIL import Image

from bot.fronts.discord import client
from bot.fronts.discord.front import DiscordFront
from bot.fronts.discord.settings import DiscordSettings
from bot.services.advisor import Advisor
from bot.settings import Settings
from bot.table.fair_dice import Proof, verify_proof
from bot.wiring import open_parts
from tests.bot import programs
from tests.bot.fronts.discord.loopback import PATIENCE, TOKEN, Json, Loopback, Message, user
from tests.bot.fronts.discord.play import best_dice, choose, is_choice, press, settled, shown
from tests.bot.fronts.discord.process import Bot, environment, running
from tests.bot.fronts.discord.specification import PATH
from tests.bot.waiting import until

ANN, BOB, EVE = user("11", "Ann"), user("12", "Bob"), user("13", "Eve_*x*")
FAST = "0.05"
"""Seconds that a bot takes for a move."""


def events(folder: Path, kind: str = "%") -> list[tuple[str, Json]]:
    """What happened according to the database."""
    with closing(sqlite3.connect(folder / "farkle.db")) as connection:
        found = connection.execute(
            "SELECT kind, data FROM events WHERE kind LIKE ? ORDER BY game_id, version", [kind]
        )
        return [(name, json.loads(data)) for name, data in found]


def destroy_database(folder: Path) -> None:
    for path in folder.glob("farkle.db*"):
        if path.suffix != ".lock":
            path.write_bytes(b"no database" * 4096)


@pytest.mark.skipif(not PATH.is_file(), reason=f"Discord's specification is not at {PATH}")
def test_the_specification_is_there() -> None:
    """Where it is not, requests are held only against what the loopback knows by itself."""
    assert PATH.stat().st_size > 1e6


@pytest.mark.slow
async def test_commands_are_sent_once(folder: Path, discord: Loopback) -> None:
    for _ in range(2):
        async with running(folder, discord, FARKLE_PACE=FAST) as bot:
            assert await bot.end(signal.SIGINT) == 0, bot.log
    assert discord.syncs == 1
    assert [one["intents"] for one in discord.identified] == [0, 0]
    names = {one["name"] for one in discord.commands}
    assert {"advise", "odds", "play", "track", "score", "roll", "keep", "bank", "hint"} <= names
    assert {"review", "match", "rules", "stats", "leaderboard", "dice", "show", "help"} <= names
    assert {one["name"] for one in discord.commands if one["type"] == 3} == {"Advise on these dice"}
    for one in discord.commands:
        assert set(one["contexts"]) == {0, 1, 2}
        assert set(one["integration_types"]) == {0, 1}


@pytest.mark.slow
async def test_advice(bot: Bot, discord: Loopback) -> None:
    message = await shown(await discord.slash(ANN, "advise", dice="6 5 3 3 3 2"))
    assert "keep **5** (50), roll 5 dice: 51.10 %, **best**" in message.text
    assert not message.ephemeral
    asked = await discord.slash(ANN, "odds", dice=2, turn=350, me=4200, them=5000)
    message = await shown(asked)
    assert "37.56 %" in message.text
    message = await shown(await discord.slash(ANN, "advise", dice="7 7"))
    assert message.ephemeral
    assert '"7" is not a die face' in message.text
    more: dict[str, Any] = {"turn": 300, "rules": "kcd", "more": "held-set:222"}
    message = await shown(await discord.slash(ANN, "advise", dice="5 5 2", **more))
    assert "set that is held cannot be 222" in message.text
    message = await shown(await discord.slash(ANN, "advise", dice="5 5 2", more="222"))
    assert "such as points-to-confirm:350 held-set:222 before:1, not" in message.text
    assert await discord.complete(ANN, "advise", "rules", "fac") == ["facebook"]
    name = "Advise on these dice"
    message = await shown(await discord.on_message(EVE, name, "I got 6 5 3 3 3 2, what now? 350!"))
    assert message.ephemeral
    assert "51.10 %" in message.text
    message = await shown(await discord.on_message(EVE, name, "hello at 12:30, 1,200 points"))
    assert "no dice in that message" in message.text
    assert bot.process.returncode is None


async def test_a_direct_message(bot: Bot, discord: Loopback) -> None:
    interaction = await discord.slash(
        ANN, "play", channel="600", guild=None, level="greedy", rules="kcd"
    )
    message = await shown(interaction)
    assert "Greedy bot" in message.text
    await shown(await discord.press(ANN, message, "Roll", guild=None))
    assert "Ann rolls" in message.text
    assert bot.process.returncode is None


@pytest.mark.slow
async def test_a_turn_by_buttons(bot: Bot, discord: Loopback) -> None:
    message = await shown(await discord.slash(ANN, "play", player2=BOB, rules="kcd"))
    assert len(discord.public()) == 1
    refused = await shown(await discord.press(BOB, message, "Roll"))
    assert refused.ephemeral
    assert refused.text == "It is Ann's turn, not yours."
    refused = await shown(await discord.press(EVE, message, "Roll"))
    assert "You do not play in this game, only Ann, Bob" in refused.text
    await shown(await discord.press(ANN, message, "Roll"))
    if is_choice(message):
        [name] = message.files
        assert Image.open(io.BytesIO(message.files[name])).width > 400
        assert message.data["attachments"][0]["description"].startswith("Rolled ")
        assert message.button("Choose")["disabled"]
        die = next(one for one in message.buttons if not one.get("disabled"))
        refused = await shown(await discord.press(BOB, message, custom_id=die["custom_id"]))
        assert refused.ephemeral
        hint = await shown(await discord.press(ANN, message, "Hint"))
        assert hint.ephemeral
        assert "**best**" in hint.text
        what = await choose(discord, ANN, message)
        await shown(await discord.press(ANN, message, "Bank" if what == "bank" else "Roll"))
    assert bot.process.returncode is None


@pytest.mark.slow
async def test_a_press_on_an_outdated_message_refreshes_it(
    bot: Bot, discord: Loopback, folder: Path
) -> None:
    message = await shown(await discord.slash(ANN, "play", player2=BOB, rules="kcd"))
    told = await shown(await discord.slash(ANN, "roll"))
    assert told.id != message.id
    before = events(folder)
    await shown(await discord.press(ANN, message, "Roll"))
    assert events(folder) == before
    assert message.labels == told.labels
    assert bot.process.returncode is None


async def test_two_presses_at_once_act_once(bot: Bot, discord: Loopback, folder: Path) -> None:
    message = await shown(await discord.slash(ANN, "play", player2=BOB, rules="kcd"))
    roll = message.button("Roll")["custom_id"]
    presses = [discord.press(ANN, message, custom_id=roll) for _ in range(5)]
    for interaction in await asyncio.gather(*presses):
        await shown(interaction)
    assert len(events(folder, "rolled")) == 1
    assert bot.process.returncode is None


@pytest.mark.slow
async def test_many_play_at_once(bot: Bot, discord: Loopback, folder: Path) -> None:
    async def play(number: int) -> None:
        by, channel = user(str(1000 + number), f"P{number}"), str(7000 + number)
        message = await shown(
            await discord.slash(by, "play", channel=channel, level="greedy", rules="kcd", goal=500)
        )
        await whole_game(discord, by, message)

    await asyncio.gather(*(play(number) for number in range(6)))
    assert len(events(folder, "revealed")) == 6
    assert bot.process.returncode is None


async def whole_game(discord: Loopback, by: Json, message: Message) -> None:
    """Play to the end by buttons."""
    for _ in range(300):
        await settled(message)
        if "Review" in message.labels:
            return
        assert message.text.count(" %") == 2, "the chances stay through the whole turn"
        what = "roll"
        if is_choice(message):
            what = await choose(discord, by, message)
        elif message.action("bank"):
            what = "bank"
        await press(discord, by, message, what)
    raise AssertionError(message.text)


@pytest.mark.slow
@pytest.mark.parametrize("bot", [{"FARKLE_WORKERS": "1"}], indirect=True, ids=["with a worker"])
async def test_a_whole_game_against_the_bot(bot: Bot, discord: Loopback) -> None:
    message = await shown(await discord.slash(ANN, "play", level="optimal", rules="kcd", goal=4000))
    await whole_game(discord, ANN, message)
    assert " wins!" in message.text
    assert len(discord.public()) == 1, "one message for the whole game"
    details = await shown(await discord.press(ANN, message, "Details"))
    assert details.ephemeral
    assert "The secret of the dice was" in details.text
    await until(lambda: "game.png" in message.files)  # it is drawn after the end is told
    chart = Image.open(io.BytesIO(message.files["game.png"]))
    assert chart.width > 500
    page = await shown(await discord.press(ANN, message, "Review"))
    assert page.ephemeral
    assert page.button("◀")["disabled"]
    first = page.text
    assert "accuracy" in first
    await shown(await discord.press(ANN, page, "Next"))
    assert "Costly decision 1 of " in page.text
    assert page.data["attachments"][0]["description"].startswith("Rolled")
    await shown(await discord.press(ANN, page, "◀"))
    assert page.text == first
    again = await shown(await discord.press(ANN, message, "Rematch"))
    assert again.id != message.id
    assert "New game" in again.text
    proof = await shown(await discord.slash(ANN, "proof"))
    [content] = proof.files.values()
    assert verify_proof(Proof.model_validate_json(content)).holds
    assert bot.process.returncode is None


async def test_a_lobby_by_buttons(bot: Bot, discord: Loopback, folder: Path) -> None:
    message = await shown(await discord.slash(ANN, "play", rules="kcd", goal=1000))
    assert "Waiting for another player to join." in message.text
    await press(discord, BOB, message, "join")
    assert "Ann starts when everybody is here." in message.text
    await shown(await discord.select(ANN, message, "cautious"))
    assert "Cautious bot joins." in message.text
    refused = await shown(await discord.select(EVE, message, "greedy"))
    assert "Only players of this game can add a bot." in refused.text
    await press(discord, EVE, message, "join")
    await press(discord, EVE, message, "leave")
    assert "Eve\\_\\*x\\* leaves." in message.text
    assert "Bob" in message.text
    rules = await shown(await discord.press(EVE, message, "Rules"))
    assert rules.ephemeral
    assert "What dice are worth" in rules.text
    details = await shown(await discord.press(BOB, message, "Details"))
    assert "SHA-256 commitment" in details.text
    refused = await shown(await discord.press(BOB, message, "Start"))
    assert refused.text == "Wait for Ann, who opened the table and starts the game."
    await press(discord, ANN, message, "roll")
    for _ in range(300):
        await settled(message)
        if "Rematch" in message.labels:
            break
        by = ANN if "▸ Ann" in message.text else BOB
        what = await choose(discord, by, message) if is_choice(message) else "roll"
        await press(discord, by, message, "bank" if message.action("bank") else what)
    assert " wins!" in message.text
    assert [one.id for one in discord.public()] == [message.id], "one message from first to last"
    assert events(folder, "left") == [("left", {"seat": 3})]
    assert bot.process.returncode is None


@pytest.mark.slow
async def test_resigning_is_asked_back(bot: Bot, discord: Loopback) -> None:
    message = await shown(await discord.slash(ANN, "play", player2=BOB, rules="kcd"))
    await shown(await discord.press(ANN, message, "Roll"))
    question = await shown(await discord.press(BOB, message, "Resign"))
    assert question.ephemeral
    assert question.text == "Give the game up?"
    told = await shown(await discord.press(BOB, question, "Yes"))
    assert "Bob resigns." in told.text
    assert "Ann wins" in told.text
    # the table is told in its message, and nothing is left to say yes to
    assert "Bob resigns." in message.text
    assert {"Rematch", "Details"} <= set(message.labels) <= {"Review", "Rematch", "Details"}
    assert (told.id, told.buttons) == (question.id, [])
    assert [one.id for one in discord.public()] == [message.id]
    assert bot.process.returncode is None


async def test_who_resigns_by_a_command_ends_the_table_that_is_there(
    bot: Bot, discord: Loopback
) -> None:
    message = await shown(await discord.slash(ANN, "play", player2=BOB, rules="kcd"))
    await shown(await discord.press(ANN, message, "Roll"))
    asked = await shown(await discord.slash(BOB, "resign"))
    assert "sure:yes" in asked.text
    told = await shown(await discord.slash(BOB, "resign", sure="yes"))
    assert told.text == "Bob resigns.\nAnn wins: Ann 0, Bob 0."
    assert (told.ephemeral, told.buttons) == (False, [])
    assert message.text.startswith("## 🏆 Ann wins!\n")
    assert "Rematch" in message.labels
    assert [one.id for one in discord.public()] == [message.id, told.id]
    assert bot.process.returncode is None


@pytest.mark.slow
async def test_real_dice(bot: Bot, discord: Loopback) -> None:
    await shown(await discord.slash(ANN, "track", player2=EVE, rules="classic"))
    told = await shown(await discord.slash(ANN, "score", points=550))
    assert "Ann banks 550" in told.text
    told = await shown(await discord.slash(ANN, "score", who=EVE, ending="farkle"))
    assert "Eve\\_\\*x\\* farkles" in told.text
    told = await shown(await discord.slash(EVE, "fix", who=ANN, score=600))
    assert "Corrected: Ann 550 -> 600." in told.text
    # a button stands under the name of who is to move, whoever presses it
    told = await shown(await discord.slash(EVE, "show"))
    assert "▸ Ann" in told.text
    await shown(await discord.press(EVE, told, "Farkle"))
    assert "Ann farkles" in told.text
    refused = await shown(await discord.slash(ANN, "score", points=300))
    assert refused.text.startswith("It is Eve\\_\\*x\\*'s turn: /score ")
    told = await shown(await discord.slash(EVE, "stats", who=ANN))
    assert "has not finished a game yet" in told.text
    assert bot.process.returncode is None


@pytest.mark.slow
async def test_what_takes_long_is_deferred(bot: Bot, discord: Loopback) -> None:
    interaction = await discord.slash(
        ANN | {"permissions": 1 << 5}, "rules new", name="tiny", base="classic", goal=2000
    )
    message = await shown(interaction)
    for _ in range(600):
        if "solved" in message.text.lower() and "%" in message.text:
            break
        await asyncio.sleep(0.1)
    else:
        raise AssertionError(message.text)
    # what was said first was not what came of it
    assert any(method == "PATCH" for method, _ in discord.requests)
    told = await shown(await discord.slash(ANN, "rules use", name="tiny"))
    assert told.ephemeral
    assert "Only those who manage this place can use /rules use" in told.text
    listed = await shown(await discord.slash(ANN, "rules list"))
    assert "tiny" in listed.text
    assert bot.process.returncode is None


@pytest.mark.slow
async def test_discord_is_busy_or_fails(bot: Bot, discord: Loopback) -> None:
    limited: Json = {"message": "You are being rate limited.", "retry_after": 0.2, "global": False}
    discord.failures.append(("callback", 429, limited, {"Via": "1.1 loopback"}))
    assert "51.10" in (await shown(await discord.slash(ANN, "advise", dice="653332"))).text
    discord.failures.append(("callback", 500, {"message": "500"}, {}))
    assert "51.10" in (await shown(await discord.slash(ANN, "advise", dice="653332"))).text
    assert bot.process.returncode is None


@pytest.mark.slow
async def test_a_press_is_answered_once_discord_takes_it(
    bot: Bot, discord: Loopback, folder: Path
) -> None:
    message = await shown(await discord.slash(ANN, "play", player2=BOB, rules="kcd"))
    limited: Json = {"message": "You are being rate limited.", "retry_after": 0.3, "global": False}
    refusals: list[tuple[int, Json, Json]] = [
        (429, limited, {"Via": "1.1 loopback"}),
        (500, {"message": "500"}, {}),
    ]
    for number, (status, refusal, headers) in enumerate(refusals, 1):
        by = ANN if "▸ Ann" in message.text else BOB
        what = await choose(discord, by, message) if is_choice(message) else "roll"
        discord.failures.append(("callback", status, refusal, headers))
        pressed = await press(discord, by, message, what)
        assert discord.failures == []
        assert (pressed.shown_after or 0) >= (0.3 if status == 429 else 1.0)
        assert len(events(folder, "rolled")) + len(events(folder, "banked")) == number
    assert bot.process.returncode is None


@pytest.mark.slow
async def test_an_interaction_that_comes_late_does_nothing(
    bot: Bot, discord: Loopback, folder: Path
) -> None:
    message = await shown(await discord.slash(ANN, "play", player2=BOB, rules="kcd"))
    discord.slow = 3.2
    late = await discord.press(ANN, message, "Roll")
    discord.slow = 0.0
    await asyncio.sleep(0.5)
    assert late.kind is None
    assert events(folder, "rolled") == []
    await shown(await discord.press(ANN, message, "Roll"))
    assert len(events(folder, "rolled")) == 1
    assert bot.process.returncode is None


@pytest.mark.slow
async def test_a_dead_token_falls_back_to_the_channel(folder: Path, discord: Loopback) -> None:
    async with running(folder, discord, FARKLE_PACE="0.6") as bot:
        message = await shown(await discord.slash(ANN, "play", level="cautious", rules="kcd"))
        for _ in range(50):
            what = "roll"
            if is_choice(message):
                what = await choose(discord, ANN, message)
            last = await press(discord, ANN, message, what)
            if "Go on" in message.labels:
                break
        discord.expire(last)
        await settled(message)
        assert "Cautious bot" in message.text
        assert ("PATCH", f"/channels/500/messages/{message.id}") in discord.requests
        assert await bot.end() == 0


@pytest.mark.slow
async def test_the_connection_breaks(bot: Bot, discord: Loopback) -> None:
    await discord.drop()
    missed = asyncio.create_task(discord.slash(ANN, "advise", dice="653332"))
    await discord.ready()
    assert discord.resumed == 1
    assert "51.10" in (await shown(await missed)).text
    await discord.drop(resumable=False)
    await discord.ready()
    assert (len(discord.identified), discord.resumed) == (2, 1)
    assert "51.10" in (await shown(await discord.slash(ANN, "advise", dice="653332"))).text
    assert bot.process.returncode is None


@pytest.mark.slow
async def test_killed_and_started_again_in_the_middle_of_a_turn(
    folder: Path, discord: Loopback
) -> None:
    async with running(folder, discord, FARKLE_PACE=FAST) as bot:
        message = await shown(await discord.slash(ANN, "play", player2=BOB, rules="kcd"))
        await shown(await discord.press(ANN, message, "Roll"))
        await bot.end(signal.SIGKILL)
    await discord.drop()
    before = events(folder)
    async with running(folder, discord, FARKLE_PACE=FAST) as bot:
        by = ANN if "▸ Ann" in message.text else BOB
        if is_choice(message):
            await choose(discord, by, message)
            await shown(await discord.press(by, message, "Roll"))
        else:
            await shown(await discord.press(by, message, "Roll"))
        assert events(folder)[: len(before)] == before
        assert len(events(folder)) > len(before)
        assert await bot.end() == 0


@pytest.mark.slow
async def test_two_shards(folder: Path) -> None:
    async with (
        Loopback(shards=2).serve() as discord,
        running(folder, discord, FARKLE_PACE=FAST) as bot,
    ):
        for guild, channel in (("400", "500"), ("401", "501")):
            interaction = await discord.slash(
                ANN, "advise", channel=channel, guild=guild, dice="653332"
            )
            assert "51.10" in (await shown(interaction)).text
        assert sorted(one["shard"] for one in discord.identified) == [[0, 2], [1, 2]]
        assert discord.problems == []
        assert await bot.end() == 0


async def test_answers_under_way_are_finished(folder: Path, discord: Loopback) -> None:
    async with running(folder, discord, FARKLE_PACE="0.3", FARKLE_LOG="debug") as bot:
        await shown(await discord.slash(ANN, "match", first="greedy", second="cautious"))
        table = await shown(await discord.slash(BOB, "play", channel="600", player2=EVE))
        begun = await discord.slash(ANN, "play", level="greedy", rules="kcd")
        many = [user(str(3000 + number), f"P{number}") for number in range(60)]
        pressed = [await discord.press(by, table, "Roll") for by in many]
        for _ in range(6000):
            if f"'id': '{pressed[-1].id}'" in bot.log:  # it has heard of it
                break
            await asyncio.sleep(0.01)
        assert await bot.end() == 0
        assert all(one.kind is not None for one in (begun, *pressed))
        assert TOKEN not in bot.log


@pytest.mark.slow
async def test_posts_and_mentions_where_the_host_wants_them(bot: Bot, discord: Loopback) -> None:
    refused = await shown(await discord.slash(BOB, "settings", posts="yes"))
    assert "Only people who manage this place" in refused.text
    host = ANN | {"permissions": 1 << 4}
    told = await shown(await discord.slash(host, "settings", posts="yes", mentions="yes"))
    assert "The player to move is mentioned." in told.text
    await shown(await discord.slash(ANN, "track", player2=BOB, rules="kcd"))
    before = {one.id for one in discord.public()}
    last = await discord.slash(ANN, "score", points=550)
    await shown(last)
    for _ in range(100):
        new = [one for one in discord.public() if one.id not in before]
        if len(new) > 1:
            break
        await asyncio.sleep(0.05)
    [table, post] = new
    assert "Ann banks 550" in table.text
    assert "Win probability: Ann " in post.text
    assert "<@12>, it is your turn" in post.text
    assert list(map(str, post.allowed["users"])) == ["12"]
    assert bot.process.returncode is None


@pytest.mark.slow
async def test_who_is_slow_is_reminded_before_a_turn_is_passed(bot: Bot, discord: Loopback) -> None:
    message = await shown(await discord.slash(ANN, "play", player2=BOB, rules="kcd", away=10))
    while "▸ Ann" in message.text:
        what = await choose(discord, ANN, message) if is_choice(message) else "roll"
        await press(discord, ANN, message, what)
    told = await shown(await discord.slash(EVE, "skip"))
    assert told.ephemeral, "who does not play does not call anybody"
    told = await shown(await discord.slash(ANN, "skip"))
    assert re.match(r"<@12>, Ann is waiting for you: in \d+ (s|min) your turn", told.text)
    assert (told.ephemeral, list(map(str, told.allowed["users"]))) == (False, ["12"])
    again = await shown(await discord.slash(ANN, "skip"))
    assert again.ephemeral, "once a turn is enough"
    assert re.match(r"Wait a little: Bob still has \d+ s to move", again.text)
    assert bot.process.returncode is None


@pytest.mark.slow
async def test_a_late_refusal_stays_private(bot: Bot, discord: Loopback, folder: Path) -> None:
    with closing(sqlite3.connect(folder / "farkle.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        both = [await discord.slash(by, "play", player2=EVE, rules="kcd") for by in (ANN, BOB)]
        for interaction in both:
            await asyncio.wait_for(interaction.answered.wait(), PATIENCE)
            assert interaction.kind == 5
        other.execute("ROLLBACK")
    told = [await shown(interaction) for interaction in both]
    [refused] = [one for one in told if one.ephemeral]
    assert "is running here already: finish it" in refused.text
    await asyncio.sleep(0.2)
    assert len(discord.public()) == 1
    assert bot.process.returncode is None


@pytest.mark.slow
async def test_playing_again_keeps_what_was_set(bot: Bot, discord: Loopback) -> None:
    given: dict[str, Any] = {"rules": "kcd", "goal": 1000, "hints": "no"}
    await shown(await discord.slash(ANN, "track", player2=BOB, **given))
    over = await shown(await discord.slash(ANN, "score", points=1000))
    again = await shown(await discord.press(BOB, over, "Rematch"))
    assert "real dice" in again.text
    assert "New game with real dice: Bob, Ann" in again.text
    hint = await shown(await discord.slash(BOB, "hint"))
    assert "The host has forbidden hints" in hint.text
    await shown(await discord.slash(BOB, "score", points=1000))
    await shown(await discord.slash(BOB, "forget", who="me"))
    last = [one for one in discord.public() if "Rematch" in one.labels][-1]
    refused = await shown(await discord.press(ANN, last, "Rematch"))
    assert refused.ephemeral
    assert "Not everybody who played is here" in refused.text
    assert bot.process.returncode is None


@pytest.mark.slow
async def test_whom_words_stand_for(bot: Bot, discord: Loopback) -> None:
    robot = user("77", "Robot") | {"bot": True}
    refused = await shown(await discord.slash(ANN, "play", player2=robot))
    assert "A Discord bot cannot play" in refused.text
    await shown(await discord.slash(ANN, "track", player2=BOB, rules="kcd", goal=1000))
    told = await shown(await discord.slash(BOB, "fix", score=600))
    assert "Corrected: Bob 0 -> 600." in told.text
    told = await shown(await discord.slash(BOB, "fix", next=BOB))
    assert "it is Bob's turn" in told.text
    await shown(await discord.slash(ANN, "score", who=BOB, points=400))
    told = await shown(await discord.slash(ANN, "stats", against=BOB))
    assert "Ann against Bob: 0 to 1" in told.text
    assert bot.process.returncode is None


async def test_an_old_command_is_explained(bot: Bot, discord: Loopback) -> None:
    discord.commands.append({"id": "9", "name": "gamble", "type": 1})
    told = await shown(await discord.slash(ANN, "gamble"))
    assert told.ephemeral
    now = "type / to see the commands there are now."
    assert told.text == f"This command is out of date: {now}"
    assert bot.process.returncode is None


@pytest.mark.slow
async def test_long_answers_fit(bot: Bot, discord: Loopback) -> None:
    """Every command is answered within Discord's limits, which the loopback checks."""
    others: dict[str, Any] = {
        f"player{k}": user(str(20 + k), f"_Zoë*{k}* " + "x" * 25) for k in range(2, 9)
    }
    message = await shown(await discord.slash(ANN, "play", rules="kcd", **others))
    assert len(message.text) > 500
    told = await shown(await discord.slash(ANN, "match", first="greedy", second="cautious"))
    assert "Greedy" in told.text
    for name in (
        "help",
        "games",
        "show",
        "leaderboard",
        "dice",
        "levels",
        "settings",
        "rules list",
    ):
        await shown(await discord.slash(ANN, name))
    for name in ("facebook", "zilch"):
        await shown(await discord.slash(ANN, "rules show", name=name))
    told = await shown(
        await discord.slash(ANN, "match", first="greedy", second="cautious", show="moves")
    )
    assert told.files or len(told.text) < 2000
    assert bot.process.returncode is None


@pytest.mark.slow
async def test_the_program_as_people_start_it(folder: Path, discord: Loopback) -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bot", "discord", env=environment(folder, discord, FARKLE_LOG="error")
    )
    try:
        await discord.ready()
        assert "Ann" in (await shown(await discord.slash(ANN, "play", level="greedy"))).text
        process.send_signal(signal.SIGTERM)
        assert await asyncio.wait_for(process.wait(), PATIENCE) == 0
    finally:
        if process.returncode is None:
            process.kill()


@pytest.mark.slow
async def test_ended_while_it_connects(folder: Path, discord: Loopback) -> None:
    for seconds in (0.0, 0.1, 0.2, 0.4):
        async with running(folder, discord, ready=False, FARKLE_PACE=FAST) as bot:
            await asyncio.sleep(seconds)
            assert await bot.end() in {0, -signal.SIGTERM}
            assert "Traceback" not in bot.log


async def test_whoever_misses_that_it_ends_is_told_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(client, "_SECONDS_TO_END", 0.01)
    begun, missed = asyncio.Event(), asyncio.Event()

    async def misses_it_once() -> None:
        begun.set()
        try:
            await asyncio.sleep(PATIENCE)
        except asyncio.CancelledError:
            missed.set()
        await asyncio.sleep(PATIENCE)

    task = asyncio.create_task(misses_it_once())
    await begun.wait()
    await asyncio.wait_for(client.end(task), PATIENCE)
    assert missed.is_set()
    assert task.cancelled()


async def test_a_gateway_that_says_nothing_does_not_hold_up_the_end(
    folder: Path, discord: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    close = DiscordWebSocket.close

    async def closes(socket: DiscordWebSocket, code: int) -> None:
        await close(socket, code=code)
        await asyncio.sleep(2 * PATIENCE)

    monkeypatch.setattr(DiscordWebSocket, "close", closes)
    # as a program of its own finds it
    monkeypatch.setattr(Route, "BASE", Route.BASE)
    monkeypatch.setattr(DiscordWebSocket, "DEFAULT_GATEWAY", None)
    chosen = DiscordSettings(farkle_discord_api=discord.api, farkle_discord_gateway=discord.gateway)
    async with open_parts(Settings(data=folder, workers=0), Advisor(folder)) as parts:
        front = DiscordFront(parts.commands, parts.pressing)
        runs = client.run_discord(client.FarkleClient(front, parts.store, folder), chosen, TOKEN)
        running = asyncio.create_task(runs)
        await discord.ready()
        signal.raise_signal(signal.SIGTERM)
        await asyncio.wait_for(running, PATIENCE)


async def status(folder: Path, discord: Loopback | None, **more: str) -> tuple[int, str]:
    """Exit status and the one line of a bot that cannot run."""
    done = await asyncio.to_thread(
        programs.run, ["discord"], environment(folder, discord, **more), ""
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.slow
async def test_what_keeps_it_from_running(
    folder: Path, discord: Loopback, tmp_path_factory: pytest.TempPathFactory
) -> None:
    quiet = {"FARKLE_LOG": "error"}
    code, said = await status(folder, discord, DISCORD_TOKEN="", **quiet)
    assert (code, said.count("\n")) == (2, 1)
    assert "no token is given" in said
    wrong = "a.wrong.token"
    code, said = await status(folder, discord, DISCORD_TOKEN=wrong, **quiet)
    assert (code, said.count("\n")) == (3, 1)
    assert "Discord does not know this token" in said
    assert wrong not in said
    nowhere = {"FARKLE_DISCORD_API": "http://127.0.0.1:9/api/v10"}
    code, said = await status(folder, discord, **nowhere, **quiet)
    assert (code, said.count("\n")) == (4, 1)
    assert "Discord cannot be reached" in said
    empty = tmp_path_factory.mktemp("empty")
    code, said = await status(empty, discord, **quiet)
    assert (code, said.count("\n")) == (5, 1)
    assert "facebook" in said
    url = f"sqlite:///{folder}"
    code, said = await status(folder, discord, FARKLE_DATABASE_URL=url, **quiet)
    assert (code, said.count("\n")) == (6, 1)
    assert "database" in said
    code, said = await status(folder, discord, DISCORD_TOKEN=" ".join(wrong))
    assert (code, said.count("\n")) == (2, 1)
    code, said = await status(folder, discord, FARKLE_LOG="loud")
    assert code == 2
    assert "FARKLE_LOG cannot be used" in said


@pytest.mark.slow
async def test_dice_chosen_at_once_all_count(bot: Bot, discord: Loopback, folder: Path) -> None:
    message = await shown(await discord.slash(ANN, "play", player2=BOB, rules="kcd"))
    dice: list[str] = []
    for _ in range(40):
        by = ANN if "▸ Ann" in message.text else BOB
        if is_choice(message) and len(dice := best_dice(message)) > 1:
            break
        what = await choose(discord, by, message) if is_choice(message) else "roll"
        await press(discord, by, message, what)
    ids = [button["custom_id"] for name in dice if (button := message.action(name))]
    presses = [discord.press(by, message, custom_id=one) for one in ids]
    for interaction in await asyncio.gather(*presses):
        await shown(interaction)
    [mask] = {int(one["custom_id"].split(":")[3]) for one in message.buttons}
    assert mask == sum(1 << int(name.removeprefix("die")) for name in dice)
    # one die is taken back and chosen again, and all are kept by who has not waited to see it
    await press(discord, by, message, dice[0])
    again = message.action(dice[0])
    assert again
    keep = again["custom_id"].removesuffix(dice[0]) + "roll"
    presses = [discord.press(by, message, custom_id=one) for one in (again["custom_id"], keep)]
    for interaction in await asyncio.gather(*presses):
        await shown(interaction)
    [*_, (_, kept)] = events(folder, "kept")
    assert len(kept["dice"]) == len(dice)
    assert bot.process.returncode is None


@pytest.mark.slow
async def test_why_not(bot: Bot, discord: Loopback) -> None:
    """What is disabled tells why, to who asks alone."""
    message = await shown(await discord.slash(ANN, "play", player2=BOB, rules="classic"))
    for _ in range(40):
        by = ANN if "▸ Ann" in message.text else BOB
        if is_choice(message):
            break
        await press(discord, by, message, "roll")
    told = await shown(await discord.press(EVE, message, "Why not?"))
    assert told.ephemeral
    assert "Set dice aside first: from " in told.text
    dull = [one["label"] for one in message.buttons if one.get("disabled")]
    if dull := sorted(label.split()[1] for label in dull if label[0] in "⚀⚁⚂⚃⚄⚅"):
        assert f"{' '.join(reversed(dull))} score" in told.text
    assert bot.process.returncode is None


@pytest.mark.mostly_slow
@pytest.mark.parametrize(("channel", "kind", "guild"), [("700", 3, None), ("701", 11, "400")])
async def test_groups_and_threads(
    bot: Bot, discord: Loopback, channel: str, kind: int, guild: str | None
) -> None:
    discord.kinds[channel] = kind
    asked = await discord.slash(ANN, "play", channel, guild=guild, player2=BOB, rules="kcd")
    message = await shown(asked)
    await shown(await discord.press(ANN, message, "Roll", guild=guild))
    assert "Ann rolls" in message.text
    assert bot.process.returncode is None


@pytest.mark.slow
async def test_where_it_is_installed_for_one_alone(folder: Path, discord: Loopback) -> None:
    """It cannot speak in the channel by itself: what it could not tell the next press tells."""
    discord.closed.add("500")
    async with running(folder, discord, FARKLE_PACE="0.6") as bot:
        message = await shown(await discord.slash(ANN, "play", level="cautious", rules="kcd"))
        for _ in range(50):
            what = await choose(discord, ANN, message) if is_choice(message) else "roll"
            last = await press(discord, ANN, message, what)
            if "Go on" in message.labels:
                break
        discord.expire(last)
        await asyncio.sleep(3)
        assert "Go on" in message.labels
        await press(discord, ANN, message, "refresh")
        await settled(message)
        assert "Traceback" not in bot.log
        assert await bot.end() == 0


@pytest.mark.slow
async def test_a_database_that_fails_is_told(folder: Path, discord: Loopback) -> None:
    async with running(folder, discord, FARKLE_PACE=FAST) as bot:
        message = await shown(await discord.slash(ANN, "play", player2=BOB, rules="kcd"))
        destroy_database(folder)
        await asyncio.sleep(5.5)
        for interaction in (
            await discord.press(ANN, message, "Roll"),
            await discord.slash(ANN, "roll"),
        ):
            told = await shown(interaction)
            assert told.ephemeral
            assert "database" in told.text
        told = await shown(await discord.slash(ANN, "help"))
        assert "/advise" in told.text
        await bot.end()


@pytest.mark.slow
async def test_rules_are_solved_before_a_game_of_them(folder: Path, discord: Loopback) -> None:
    async with running(folder, discord, FARKLE_PACE=FAST, FARKLE_NEEDED_SECONDS="60") as bot:
        asked = await discord.slash(ANN, "play", player2=BOB, rules="kcd", goal=500)
        assert "Solving kcd-500 rules for 2 players first" in (await shown(asked)).text
        for _ in range(1_200):
            if "Roll 6 dice" in discord.public()[-1].labels:
                break
            await asyncio.sleep(0.1)
        assert " %" in discord.public()[-1].text, "the bars of the win probability"
        assert "Traceback" not in bot.log
