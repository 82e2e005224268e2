"""How a running bot is, for whoever watches it: whether it is well, and numbers for Prometheus.

No person, place or message is in any of it.
"""

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, suppress
from importlib.metadata import version
from pathlib import Path

from aiohttp import web
from prometheus_client import CollectorRegistry, Histogram, ProcessCollector, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.registry import Collector

from bot import log
from bot.store.rows import StoreError
from bot.store.store import Store
from bot.tasks.tasks import Tasks
from solver.errors import InvalidRequestError

_BUCKETS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 3.0, 5.0, 10.0)
"""Seconds; Discord waits for three."""
Posted = Callable[[web.Request], Awaitable[web.StreamResponse]]
"""Answers what is posted to a page."""
_PATIENCE = 3.0
"""Seconds that the database has to answer whoever asks how it is."""


class Watching(Collector):
    """What is known of a running bot, and its pages."""

    def __init__(self, store: Store, tasks: Tasks, backups: Path | None) -> None:
        """`backups`: None where none are made."""
        self._store, self._tasks, self._backups = store, tasks, backups
        self.is_ready: Callable[[], bool] = bool
        """Whether people can reach the front, which puts in place of this what it knows."""
        self.note: Callable[[str, float], object] | None = None
        """Is told each command by its name, or each press by what it does, and the seconds until it
        was answered; None while no pages show that."""
        self._open_games = 0
        self._registry = CollectorRegistry()
        self._seconds = Histogram(
            "farkle_answer_seconds",
            "Seconds until a command or press was answered",
            ["what"],
            buckets=_BUCKETS,
            registry=None,
        )

    def _answered(self, what: str, seconds: float) -> None:
        """Note that a command, by its name, or a press, by what it does, was answered."""
        self._seconds.labels(what).observe(seconds)

    def collect(self) -> Iterator[Metric]:
        """Yield the numbers as they are now."""
        info = GaugeMetricFamily("farkle_info", "The version of the program", labels=["version"])
        info.add_metric([version("farkle-advisor")], 1)
        yield info
        failed = log.counted["failed"]
        yield CounterMetricFamily("farkle_failures", "Faults of the program", failed)
        refused = CounterMetricFamily(
            "farkle_refusals", "What people asked for in vain, by kind", labels=["kind"]
        )
        for error, count in dict(log.counted).items():  # others may count meanwhile
            if error != "failed":
                refused.add_metric([error], count)
        yield refused
        yield CounterMetricFamily(
            "farkle_store_errors", "Transactions that the database did not take", self._store.errors
        )
        tasks = GaugeMetricFamily("farkle_tasks", "Heavy work", labels=["kind", "state"])
        for kind, line in self._tasks.lines.items():
            name = kind.name.lower().replace("_", "-")
            tasks.add_metric([name, "running"], len(line.running))
            tasks.add_metric([name, "waiting"], len(line.turns))
        yield tasks
        pressure = self._tasks.pressure
        numbers: tuple[tuple[str, str, float], ...] = (
            ("ready", "Whether the bot can be reached", self.is_ready()),
            ("loop_delay_seconds", "By how much the event loop is late", pressure.delay),
            ("pressure", "How much is left out: from 0, nothing, to 3", pressure.degree),
            ("open_games", "Games that have not ended", self._open_games),
        )
        if self._backups is not None:
            last = _last_file(self._backups)
            numbers += (("backup_timestamp_seconds", "When the last backup was made", last),)
        for name, meaning, number in numbers:
            yield GaugeMetricFamily(f"farkle_{name}", meaning, float(number))

    async def not_ready(self) -> list[str]:
        """Why the bot is not ready, a line each; none if it is."""
        reasons = [] if self.is_ready() else ["front: nobody can reach it"]
        try:
            async with asyncio.timeout(_PATIENCE):
                self._open_games = await self._store.count_open()
        except TimeoutError:
            reasons.append("database: it does not answer")
        except StoreError:  # whose sentence names files
            reasons.append("database: it cannot be used, see the log")
        return reasons

    async def _metrics(self, _: web.Request) -> web.Response:
        await self.not_ready()
        text = await asyncio.to_thread(generate_latest, self._registry)
        return web.Response(body=text, headers={"Content-Type": CONTENT_TYPE_LATEST})

    async def _readyz(self, _: web.Request) -> web.Response:
        reasons = await self.not_ready()
        return web.Response(
            text="\n".join(reasons or ["ready"]) + "\n", status=503 if reasons else 200
        )

    async def _healthz(self, _: web.Request) -> web.Response:
        return web.Response(text="alive\n")

    @asynccontextmanager
    async def serve(
        self, host: str, port: int, posted: Mapping[str, Posted]
    ) -> AsyncIterator[None]:
        """Tell it by HTTP, beside what answers posts, by its path.

        Raises InvalidRequestError where nothing can listen there.
        """
        self._registry.register(self)
        ProcessCollector(registry=self._registry)
        self._registry.register(self._seconds)
        self.note = self._answered
        app = web.Application()
        app.add_routes(
            [
                web.get("/healthz", self._healthz),
                web.get("/readyz", self._readyz),
                web.get("/metrics", self._metrics),
                *(web.post(path, answer) for path, answer in posted.items()),
            ]
        )
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=1.0)
        await runner.setup()
        try:
            try:
                await web.TCPSite(runner, host, port).start()
            except OSError as error:
                raise InvalidRequestError.say(
                    "FARKLE_HTTP: nothing can listen at {address} ({reason})",
                    address=f"{host}:{port}",
                    reason=os.strerror(error.errno or 0) if (error.errno or 0) > 0 else str(error),
                ) from None
            yield
        finally:
            await runner.cleanup()


def _last_file(folder: Path) -> float:
    """The moment at which the last backup of a folder was written, 0 without any."""
    with suppress(OSError):
        return max((file.stat().st_mtime for file in folder.glob("*.db")), default=0.0)
    return 0.0
