"""What fails, for how long, and what is left of it when it is over."""

import asyncio
import contextlib
import random
import signal
import sqlite3
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta, tzinfo
from typing import Any

import psutil

from tests.nemesis.evening import Evening

_REFUSALS: list[tuple[str, int, dict[str, Any], dict[str, str]]] = [
    ("/callback", 500, {"message": "500: Internal Server Error", "code": 0}, {}),
    ("/webhooks/", 502, {"message": "502: Bad Gateway", "code": 0}, {}),
    (
        "/callback",
        429,
        {"message": "You are being rate limited.", "retry_after": 0.3, "global": False},
        {"Via": "1.1 google", "Retry-After": "1"},
    ),
]
_JUMP = timedelta(hours=1)
_FULL = 8_192
"""Bytes that a file may have where the disk is full."""


def jump_on_signals() -> None:
    """Have the clock of this program be an hour ahead from SIGUSR1 on, until SIGUSR2."""
    ahead = timedelta()

    class Clock(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> "Clock":
            return cls.fromtimestamp(time.time(), tz) + ahead

    def jump(number: int, _: object) -> None:
        nonlocal ahead
        ahead = _JUMP if number == signal.SIGUSR1 else timedelta()

    for name, module in list(sys.modules.items()):
        if name.startswith("bot.") and vars(module).get("datetime") is datetime:
            vars(module)["datetime"] = Clock
    for number in (signal.SIGUSR1, signal.SIGUSR2):
        signal.signal(number, jump)


class Nemesis:
    """What does it."""

    def __init__(self, evening: Evening, away: float, seed: int) -> None:
        """`away` are the seconds for which the database is away at most."""
        self._evening, self._away = evening, away
        self._discord = evening.discord
        self._chance = random.Random(seed)
        self.done: Counter[str] = Counter()
        self.over: list[tuple[str, float]] = []
        """When each was over, as monotonic times."""
        self._kinds: list[tuple[str, Callable[[], Awaitable[None]]]] = [
            ("killed", self._kill),
            ("stopped", self._stop),
            ("taken over", self._take_over),
            ("refused by Discord", self._refuse),
            ("clock set", self._set_clock),
            ("database away", self._take_database),
        ]
        if not evening.asked:
            self._kinds.append(("connection lost", self._drop))
        if not evening.server:
            self._kinds.append(("disk full", self._fill_disk))

    async def rage(self, every: float, enough: asyncio.Event) -> None:
        """Have something fail, each kind as often, every so many seconds until it is enough."""
        waiting: list[tuple[str, Callable[[], Awaitable[None]]]] = []
        while True:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(enough.wait(), self._chance.uniform(0.5, 1.5) * every)
            if enough.is_set():
                return
            if not waiting:
                waiting = self._chance.sample(self._kinds, len(self._kinds))
            name, fault = waiting.pop()
            await fault()
            self.done[name] += 1
            self.over.append((name, time.monotonic()))

    def _one(self) -> psutil.Process:
        bot, _ = self._chance.choice(self._evening.running)
        return psutil.Process(bot.process.pid)

    async def _kill(self) -> None:
        await self._evening.end(signal.SIGKILL)
        await self._evening.start()

    async def _take_over(self) -> None:
        await self._evening.start(waits=True)
        await self._evening.end(self._chance.choice([signal.SIGKILL, signal.SIGTERM]))
        if not self._evening.asked:
            await self._discord.ready()

    async def _stop(self) -> None:
        stopped = self._one()
        stopped.suspend()
        await asyncio.sleep(self._chance.uniform(0.2, 4))
        stopped.resume()

    async def _refuse(self) -> None:
        for _ in range(self._chance.randint(1, 20)):
            self._discord.failures.append(self._chance.choice(_REFUSALS))

    async def _drop(self) -> None:
        await self._discord.drop(resumable=self._chance.random() < 0.5)
        await self._discord.ready()

    async def _set_clock(self) -> None:
        one = self._one()
        one.send_signal(signal.SIGUSR1)
        await asyncio.sleep(self._chance.uniform(0.5, 2))
        one.send_signal(signal.SIGUSR2)

    async def _fill_disk(self) -> None:
        one = self._one()
        one.rlimit(psutil.RLIMIT_FSIZE, (_FULL, psutil.RLIM_INFINITY))
        await asyncio.sleep(self._chance.uniform(0.5, 2))
        one.rlimit(psutil.RLIMIT_FSIZE, (psutil.RLIM_INFINITY, psutil.RLIM_INFINITY))

    async def _take_database(self) -> None:
        seconds = self._chance.uniform(0.1, 1) * self._away
        if self._evening.server:
            await asyncio.to_thread(self._evening.server.stop)
            try:
                await asyncio.sleep(seconds)
            finally:
                await asyncio.to_thread(self._evening.server.start)
            return
        with contextlib.closing(sqlite3.connect(self._evening.path, timeout=30)) as connection:
            with contextlib.suppress(sqlite3.OperationalError):
                connection.execute("BEGIN EXCLUSIVE")
            await asyncio.sleep(seconds)
