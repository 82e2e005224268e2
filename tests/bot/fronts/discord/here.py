"""The bot in the process of a test, at a loopback Discord, where its clock can be moved."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import discord as discord_py
import pytest
from yarl import URL

from bot.fronts.discord import client as running
from bot.fronts.discord.client import FarkleClient, keep_posting
from bot.fronts.discord.front import DiscordFront
from bot.services.advisor import Advisor
from bot.services.situation import RULES_SETTING
from bot.settings import Settings
from bot.wiring import Parts, open_parts
from tests.bot.clock import Clock
from tests.bot.fronts.discord.loopback import TOKEN, Loopback
from tests.bot.new_database import lay_database

PLACE = "discord:500"


@asynccontextmanager
async def ready_here(
    folder: Path, discord: Loopback, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Parts]:
    """The parts of a bot that is ready, with kcd rules in the channel."""
    monkeypatch.setattr(discord_py.http.Route, "BASE", discord.api)
    gateway: Any = discord_py.gateway.DiscordWebSocket
    monkeypatch.setattr(gateway, "DEFAULT_GATEWAY", URL(discord.gateway))
    monkeypatch.setattr(running, "EVERY", 0.1)
    lay_database(folder / "farkle.db")
    settings = Settings(data=folder, workers=0)
    async with open_parts(settings, Advisor(folder / "strategies"), patience=60) as opened:
        opened.games.tables.now = clock
        await opened.store.set_place_setting(PLACE, RULES_SETTING, "kcd")
        front = DiscordFront(opened.commands, opened.pressing)
        async with FarkleClient(front, opened.store, folder) as client:
            tasks = [
                asyncio.create_task(client.start(TOKEN)),
                asyncio.create_task(keep_posting(client)),
            ]
            await discord.ready()
            yield opened
            await front.finish(10)
            tasks[1].cancel()
            await client.close()
            await asyncio.gather(*tasks, return_exceptions=True)
