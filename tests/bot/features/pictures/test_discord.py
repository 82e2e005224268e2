"""/explain and /explore at a loopback Discord."""

import asyncio
import io
import re
from pathlib import Path

import pytest
from PIL import Image

from tests.bot.fronts.discord.loopback import Interaction, Json, Loopback, Message, user
from tests.bot.fronts.discord.play import press, shown
from tests.bot.fronts.discord.process import Bot, running

ANN, BOB, EVE = user("11", "Ann"), user("12", "Bob"), user("13", "Eve")


@pytest.mark.slow
async def test_a_picture_of_the_turn_at_hand(bot: Bot, discord: Loopback) -> None:
    asked = await discord.slash(ANN, "explain", turn=350, dice=2, me=4200, them=5000)
    message = await shown(asked)
    assert not message.ephemeral
    assert "Now bank 350: 37.56 %" in message.text
    assert "from 1,100 on" in message.text
    assert Image.open(io.BytesIO(message.files["turn.png"])).size == (800, 1000)
    assert message.data["attachments"][0]["description"].startswith("A map of the turn")
    await shown(await discord.slash(ANN, "play", player2=BOB, rules="kcd"))
    alone = await shown(await discord.slash(ANN, "explain"))
    assert alone.ephemeral
    assert "kcd rules" in alone.text
    assert "turn.png" in alone.files
    assert bot.process.returncode is None


@pytest.mark.slow
async def test_a_walk_by_buttons(bot: Bot, discord: Loopback) -> None:
    message = await shown(await discord.slash(ANN, "explore", me=4000, them=5000))
    assert "you 4,000, them 5,000, 6 dice to roll, facebook rules" in message.text
    assert "**bank** nothing to bank yet" in message.text
    assert len(message.buttons) == 5, "one row of steps"
    steps = [
        ("turn", "you 4,000, them 5,000, 6 dice"),
        ("me", "you 4,000, them 5,000, 6 dice"),
        ("meup2", "you 5,000, them 5,000, 6 dice"),
        ("them", "you 5,000, them 5,000, 6 dice"),
        ("themdown", "you 5,000, them 4,950, 6 dice"),
        ("turn", "you 5,000, them 4,950, 6 dice"),
        ("turnup2", "you 5,000, them 4,950, turn total 1,000, 6 dice"),
        ("dice", "turn total 1,000, 6 dice"),
        ("dicedown", "turn total 1,000, 5 dice"),
        ("farkles", "turn total 1,000, 5 dice"),
        ("farklesup", "turn total 1,000, 1 farkle in a row, 5 dice"),
        ("sides", "you 4,950, them 5,000, they have 1 farkle in a row, 6 dice"),
    ]
    for number, (action, text) in enumerate(steps):
        # anybody may walk on
        await press(discord, (ANN, BOB)[number % 2], message, action)
        assert text in message.text, message.text
        assert number or message.button("Turn −50")["disabled"]
    assert len(discord.public()) == 1, "one message for the whole walk"
    assert bot.process.returncode is None


@pytest.mark.slow
async def test_a_walk_of_three_by_buttons(bot: Bot, discord: Loopback) -> None:
    message = await shown(
        await discord.slash(ANN, "explore", me=1000, them="2000,1500", rules="kcd")
    )
    assert "you 1,000, them 2,000 and 1,500, 6 dice to roll, kcd rules" in message.text
    assert "The others would then win" in message.text
    steps = [
        ("meup", "you 1,050, them 2,000 and 1,500, 6 dice"),
        ("them", "you 1,050, them 2,000 and 1,500, 6 dice"),
        ("themdown2", "you 1,050, them 1,750 and 1,500, 6 dice"),
        ("sides", "you 1,750, them 1,500 and 1,050, 6 dice"),
    ]
    for action, text in steps:
        await press(discord, BOB, message, action)
        assert text in message.text, message.text
    assert bot.process.returncode is None


@pytest.mark.slow
async def test_buttons_work_after_a_restart(folder: Path, discord: Loopback) -> None:
    async with running(folder, discord) as bot:
        message = await shown(await discord.slash(ANN, "explore", me=1000, rules="kcd"))
        assert await bot.end() == 0, bot.log
    async with running(folder, discord) as bot:
        await press(discord, BOB, message, "meup")
        assert "you 1,050, them 0, 6 dice to roll, kcd rules" in message.text
        assert await bot.end() == 0, bot.log


@pytest.mark.slow
async def test_a_walk_of_others(bot: Bot, discord: Loopback) -> None:
    for walk in (without_hints, in_one_language, with_made_up_ids, by_many_at_once):
        await walk(discord)
    assert bot.process.returncode is None


async def without_hints(discord: Loopback) -> None:
    """Who plays where they are forbidden gets none this way."""
    message = await shown(await discord.slash(EVE, "explore", rules="kcd"))
    await shown(await discord.slash(ANN, "play", player2=BOB, rules="kcd", hints="no"))
    before = message.text
    refused = await shown(await press(discord, BOB, message, "meup"))
    assert refused.ephemeral
    assert "The host has forbidden hints" in refused.text
    assert message.text == before
    await press(discord, EVE, message, "meup")
    assert "you 50, them 0" in message.text


async def in_one_language(discord: Loopback) -> None:
    """A message that all can see stays as it was, whoever presses."""

    def in_german(sent: Json) -> Json:
        return sent | {"locale": "de"}

    discord.twist = in_german
    message = await shown(await discord.slash(EVE, "explore", rules="kcd"))
    assert "du 0, Gegner 0" in message.text
    discord.twist = lambda sent: sent
    await press(discord, user("14", "Carl"), message, "meup2")
    assert "du 250, Gegner 0" in message.text
    assert message.button("Du +250")


async def with_made_up_ids(discord: Loopback) -> None:
    """Positions that cannot be, and rules that are not solved, are refused in a sentence."""
    message = await shown(await discord.slash(EVE, "explore", rules="kcd"))
    good = message.button("You +50")["custom_id"]
    told = []
    for wrong in (
        re.sub(r":50\.0\.", ":55.0.", good),
        re.sub(r":50\.0\.", ":9999999.0.", good),
        re.sub(r"^x:.{12}", "x:000000000000", good),
    ):
        assert wrong != good
        answer = await shown(await discord.press(EVE, message, custom_id=wrong))
        assert answer.ephemeral
        told.append(answer.text)
    assert "Your score cannot be 55" in told[0]
    assert "Your score cannot be 9,999,999" in told[1]
    assert "The rules kcd are not solved yet" in told[2]


async def by_many_at_once(discord: Loopback) -> None:
    message = await shown(await discord.slash(EVE, "explore", rules="kcd"))
    button = message.button("You +250")["custom_id"]
    people = [user(str(100 + number), f"P{number}") for number in range(20)]
    presses: list[Interaction] = await asyncio.gather(
        *(discord.press(one, message, custom_id=button) for one in people)
    )
    seen: list[Message] = [await shown(one) for one in presses]
    assert all("you 250, them 0" in one.text for one in seen)
