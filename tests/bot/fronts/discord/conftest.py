"""A Discord on this machine with a bot that is ready."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from bot.wiring import Parts
from tests.bot.clock import Clock
from tests.bot.fronts.discord.here import ready_here
from tests.bot.fronts.discord.loopback import Loopback
from tests.bot.fronts.discord.process import Bot, running


@pytest.fixture
def folder(tmp_path: Path, data: Path) -> Path:
    """A data folder in which the presets of the tests are solved."""
    strategies = tmp_path / "strategies"
    strategies.mkdir()
    for path in (data / "strategies").glob("[!.]*"):
        (strategies / path.name).symlink_to(path)
    (tmp_path / "kernels").symlink_to(data / "kernels")
    return tmp_path


@pytest.fixture
async def discord() -> AsyncIterator[Loopback]:
    """A Discord; at the end nothing may have happened that the real one would refuse."""
    async with Loopback().serve() as server:
        yield server
        assert server.problems == []


@pytest.fixture
async def bot(
    folder: Path, discord: Loopback, request: pytest.FixtureRequest
) -> AsyncIterator[Bot]:
    """The bot, ready, with the settings of a parameter; its log has no failures and no token."""
    more: Any = getattr(request, "param", {})
    async with running(folder, discord, FARKLE_PACE="0.05", FARKLE_LOG="info", **more) as process:
        yield process
        assert await process.end() == 0, process.log
        assert "Traceback" not in process.log
        assert discord.known_token not in process.log


@pytest.fixture
def clock() -> Clock:
    """The clock of the bot in this process."""
    return Clock(datetime(2026, 11, 22, 17, 59, tzinfo=UTC))


@pytest.fixture
async def parts(
    folder: Path, discord: Loopback, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Parts]:
    """The parts of a bot in this process, with kcd rules in the channel."""
    async with ready_here(folder, discord, clock, monkeypatch) as opened:
        yield opened
