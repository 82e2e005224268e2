"""A bot of discord.py and nothing else, the floor for tests.benchmarks.discord.

`python -m tests.benchmarks.bare_bot API GATEWAY`, with the token in DISCORD_TOKEN. It imports
nothing of this project, which Python's collections would have to go through as well.
"""

import logging
import os
import sys
from typing import Any

import discord
import uvloop
from yarl import URL

Interaction = discord.Interaction[discord.Client]


class Counter(discord.ui.View):
    """A button that counts how often it was pressed."""

    def __init__(self) -> None:
        super().__init__(timeout=None)
        self._presses = 0

    @discord.ui.button(label="Press", custom_id="press")
    async def press(self, interaction: Interaction, _: discord.ui.Button[Any]) -> None:
        """Say how often."""
        self._presses += 1
        await interaction.response.edit_message(content=f"pressed {self._presses} times")


class BareBot(discord.Client):
    """The bot, with one command."""

    def __init__(self) -> None:
        super().__init__(intents=discord.Intents.none())
        self._tree = discord.app_commands.CommandTree(self)
        self._tree.command(name="play", description="Send a button")(play)

    async def setup_hook(self) -> None:
        """Tell Discord of the command."""
        await self._tree.sync()


async def play(interaction: Interaction) -> None:
    """Send a button."""
    await interaction.response.send_message("not pressed", view=Counter())


async def run(token: str) -> None:
    """Answer until it is killed."""
    async with BareBot() as bot:
        await bot.start(token)


def main() -> None:
    """Run the bot at the addresses that are given."""
    api, gateway = sys.argv[1:]
    discord.http.Route.BASE = api
    discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = URL(gateway)
    # it warns of voice and of intents, neither of which it needs
    logging.getLogger("discord").setLevel(logging.ERROR)
    uvloop.run(run(os.environ["DISCORD_TOKEN"]))


if __name__ == "__main__":
    main()
