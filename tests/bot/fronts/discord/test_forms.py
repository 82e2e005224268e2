"""What fell on a real table, or what a turn was worth, typed into a form of a button."""

import asyncio

import pytest

from tests.bot.fronts.discord.loopback import Interaction, Json, Loopback, Message, user
from tests.bot.fronts.discord.play import press, shown

ANN, BOB = user("11", "Ann"), user("12", "Bob")


async def typed(discord: Loopback, by: Json, message: Message, action: str, text: str) -> Message:
    """Press a button, type a line into its form, and see what is said."""
    form = await opened(discord, by, message, action)
    return await shown(await discord.submit(by, form, text))


async def opened(discord: Loopback, by: Json, message: Message, action: str) -> Interaction:
    """The form that a button opens."""
    button = message.action(action)
    assert button, message.labels
    form = await discord.press(by, message, custom_id=button["custom_id"])
    await asyncio.wait_for(form.shown.wait(), 60)
    assert form.form, form.private
    return form


@pytest.mark.usefixtures("parts")
async def test_a_game_with_real_dice_without_a_command(discord: Loopback) -> None:
    table = await shown(await discord.slash(ANN, "track", player2=BOB))
    assert "enter the dice, or the points of the turn" in table.text
    assert await typed(discord, ANN, table, "points", "550") is table
    assert "Ann banks 550 and now has 550." in table.text
    for wrong in ("many", "75"):
        refused = await typed(discord, ANN, table, "points", wrong)
        assert refused.ephemeral
        assert wrong in refused.text
    refused = await typed(discord, BOB, table, "fell", "6 5 3 3 7")
    assert refused.ephemeral
    assert await typed(discord, BOB, table, "fell", "1 1 1 5 2 3") is table
    assert "Bob rolls 5 3 2 1 1 1." in table.text
    await press(discord, BOB, table, "die0")
    await press(discord, BOB, table, "keep")
    assert await typed(discord, BOB, table, "fell", "1 2 2 3 4") is table
    assert "Bob rolls 4 3 2 2 1." in table.text
    assert len(discord.public()) == 1


@pytest.mark.usefixtures("parts")
async def test_a_form_that_is_late_changes_nothing(discord: Loopback) -> None:
    """Somebody else has told the turn meanwhile, and that is said."""
    table = await shown(await discord.slash(ANN, "track", player2=BOB))
    form = await opened(discord, ANN, table, "points")
    await typed(discord, BOB, table, "points", "300")
    late = await discord.submit(ANN, form, "300")
    await shown(late)
    assert "▸ Bob                     0" in table.text, "it counts once"
    assert [one.text for one in late.private] == []
