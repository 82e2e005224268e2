"""The Discord of tests on this machine, for features too."""

from tests.bot.fronts.discord.conftest import bot, clock, discord, folder, parts

__all__ = ["bot", "clock", "discord", "folder", "parts"]
