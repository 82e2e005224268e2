"""How people play by buttons: what tests and the benchmark share."""

import asyncio

from solver.rules.file import load_rules
from solver.turn.dice import set_asides
from tests.bot.fronts.discord.loopback import PATIENCE, Interaction, Json, Loopback, Message


async def shown(interaction: Interaction, seconds: float = PATIENCE) -> Message:
    """What was said to an interaction first."""
    await asyncio.wait_for(interaction.shown.wait(), seconds)
    found = interaction.private[-1] if interaction.private else interaction.original
    assert found is not None
    return found


async def settled(message: Message, seconds: float = PATIENCE) -> Message:
    """The message once a person is to move or the game is over."""
    for _ in range(int(seconds / 0.05)):
        if "Go on" not in message.labels and not message.data["flags"] & 128:
            return message
        await asyncio.sleep(0.05)
    raise AssertionError(message.text)


def is_choice(message: Message) -> bool:
    """Whether dice are to be kept."""
    return any(label[0] in "⚀⚁⚂⚃⚄⚅" for label in message.labels)


def best_dice(message: Message) -> list[str]:
    """The actions of the dice that are worth most under kcd rules."""
    dice = [int(label.split()[1]) for label in message.labels if label[0] in "⚀⚁⚂⚃⚄⚅"]
    left = list(set_asides(load_rules("kcd"), tuple(dice))[0].dice)
    actions = []
    for number, face in enumerate(dice):
        if face in left:
            left.remove(face)
            actions.append(f"die{number}")
    return actions


async def press(discord: Loopback, by: Json, message: Message, action: str) -> Interaction:
    """Press the button of an action, or choose it from the list, and wait until that is shown."""
    if button := message.action(action):
        interaction = await discord.press(by, message, custom_id=button["custom_id"])
    else:
        interaction = await discord.select(by, message, action)
    await shown(interaction)
    return interaction


async def choose(discord: Loopback, by: Json, message: Message) -> str:
    """Choose what is worth most under kcd rules; whether it can be banked or only rolled on."""
    for action in best_dice(message):
        await press(discord, by, message, action)
    return "bank" if message.action("bank") else "roll"


def posts(discord: Loopback) -> list[Message]:
    """What all can see and press."""
    return [one for one in discord.public() if one.buttons]


async def posted(discord: Loopback, number: int) -> Message:
    """The last of so many posts."""
    for _ in range(3000):
        if len(posts(discord)) >= number:
            return posts(discord)[-1]
        await asyncio.sleep(0.02)
    raise AssertionError(f"there is no post {number}")
