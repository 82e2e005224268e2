"""A game to which both players bring their dice, played by buttons at the loopback Discord."""

import io
import re
from typing import Any

import pytest
from PIL import Image

from bot.table.fair_dice import Proof, verify_proof
from tests.bot.fronts.discord.loopback import Json, Loopback, Message, user
from tests.bot.fronts.discord.play import press, settled, shown
from tests.bot.fronts.discord.process import Bot

ANN, BOB = user("11", "Ann"), user("12", "Bob")
SIGNS = "⚀⚁⚂⚃⚄⚅🃏"
SETS: dict[str, Any] = {"my_dice": "lucky*3,odd,devil*2", "my_badge": "carpenter:150", "goal": 600}


def dice_buttons(message: Message) -> list[Json]:
    return [one for one in message.buttons if one.get("label", "")[:1] in SIGNS]


async def keep(discord: Loopback, by: Json, message: Message) -> bool:
    """Choose a die that scores alone; where none does, keep what the hint names, and roll.

    Whether there is still to press a button.
    """
    for number, button in enumerate(dice_buttons(message)):
        if button["label"].split()[1] in {"1", "5"}:
            await press(discord, by, message, f"die{number}")
            return True
    hint = await shown(await discord.slash(by, "hint"))
    dice = re.split(" and |, bank", hint.text.partition("Keep ")[2])[0]
    told = await shown(await discord.slash(by, "keep", dice=dice, then="roll"))
    assert not told.ephemeral, told.text
    return False


async def play_on(discord: Loopback, message: Message, players: dict[str, Json]) -> Message:
    """Play by buttons to the end; the last message of the table."""
    seen: set[str] = set()
    for _ in range(200):
        message = discord.public()[-1]
        await settled(message)
        if "Review" in message.labels:
            # a bot may have won before a person had dice to choose from
            assert not seen or seen & set("🃏⚀⚁⚂⚃⚄⚅")
            return message
        name = message.text.partition("▸ ")[2].split()[0]
        by = players.get(name, ANN)
        if dice_buttons(message):
            seen |= {one["label"][0] for one in dice_buttons(message)}
            assert Image.open(io.BytesIO(message.files["dice.png"])).width > 100
            if not await keep(discord, by, message):
                continue
        if (bank := message.action("bank")) and not bank.get("disabled"):
            await press(discord, by, message, "bank")
        else:
            await press(discord, by, message, "roll")
    raise AssertionError(message.text)


@pytest.mark.slow
async def test_a_game_with_dice_of_their_own(bot: Bot, discord: Loopback) -> None:
    first = await shown(
        await discord.slash(ANN, "play", player2=BOB, their_dice="weighted*2,ordinary*4", **SETS)
    )
    await settled(first)
    assert "Ann has lucky\\*3,devil\\*2,odd + carpenter:150" in first.text
    assert "Join" not in first.labels
    message = await play_on(discord, first, {"Ann": ANN, "Bob": BOB})
    assert " wins!" in message.text
    page = await shown(await discord.press(ANN, message, "Review"))
    assert page.ephemeral
    proof = await shown(await discord.slash(ANN, "proof"))
    [content] = proof.files.values()
    verdict = verify_proof(Proof.model_validate_json(content))
    assert (verdict.holds, Proof.model_validate_json(content).scheme) == (True, "farkle-advisor/2")
    again = await shown(await discord.press(BOB, message, "Rematch"))
    await settled(again)
    assert "Bob has ordinary\\*4,weighted\\*2" in again.text, "everybody keeps their dice"
    assert bot.process.returncode is None


@pytest.mark.slow
async def test_a_bot_with_dice_and_a_person_who_joins(bot: Bot, discord: Loopback) -> None:
    first = await shown(await discord.slash(ANN, "play", level="optimal", **SETS))
    await settled(first)
    message = await play_on(discord, first, {"Ann": ANN})
    assert " wins!" in message.text
    table = await shown(await discord.slash(ANN, "play", **SETS))
    await settled(table)
    assert "Join" in table.labels
    joined = await shown(await discord.slash(BOB, "join", my_dice="weighted*2,ordinary*4"))
    assert "Bob joins and has ordinary\\*4,weighted\\*2" in joined.text
    refused = await shown(await discord.slash(user("13", "Eve"), "join"))
    assert "is for two" in refused.text
    assert bot.process.returncode is None


@pytest.mark.slow
async def test_dice_are_taken_by_buttons(bot: Bot, discord: Loopback) -> None:
    table = await shown(await discord.slash(ANN, "play", player2=BOB, draft="choose", goal=600))
    pairs = [label for label in table.labels if label.startswith("2 × ")]
    assert bool(table.entry("2 × ")) == (len(pairs) < 8)
    refused = await shown(await discord.press(BOB, table, "2 ×"))
    assert refused.ephemeral
    for by in (ANN, BOB, BOB, ANN, ANN, BOB):
        first = next(label for label in table.labels if label.startswith("2 × "))
        await shown(await discord.press(by, table, first))
        await settled(table)
    assert not [label for label in table.labels if label.startswith("2 × ")]
    assert "Roll 6 dice" in table.labels
    assert table.text.count(" %") == 2, "the chances of both"
    assert bot.process.returncode is None
