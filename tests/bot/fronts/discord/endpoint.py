"""How Discord brings interactions to bots that it is not connected with: as signed requests."""

import asyncio
import itertools
import json
import socket
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, closing
from pathlib import Path
from typing import Any

import aiohttp
from nacl.signing import SigningKey

from tests.bot.fronts.discord.loopback import ANSWER_SECONDS, Json, Loopback
from tests.bot.fronts.discord.process import Bot, running
from tests.bot.waiting import PATIENCE

PATH = "/interactions"
_LOOK_SECONDS = 0.02


def free_port() -> int:
    """A port of this machine that nobody has now."""
    with closing(socket.create_server(("127.0.0.1", 0))) as free:
        return int(free.getsockname()[1])


class Endpoint:
    """Signs interactions and hands them to programs in turn: to the next where one takes none."""

    def __init__(self, session: aiohttp.ClientSession) -> None:
        self.key = SigningKey.generate()
        self.ports: list[int] = []
        """Where programs listen."""
        self.failed = 0
        """Interactions that no program took."""
        self.passed_on = 0
        """How often a program did not take one, and another one was asked."""
        self._session = session
        self._turn = itertools.count()

    def signed(self, body: bytes, moment: float | None = None) -> dict[str, str]:
        """The headers of a body that is signed at a moment, now if not given."""
        stamp = str(int(time.time() if moment is None else moment))
        signature = self.key.sign(stamp.encode() + body).signature.hex()
        return {"X-Signature-Timestamp": stamp, "X-Signature-Ed25519": signature}

    async def post(self, port: int, body: bytes, headers: dict[str, str]) -> tuple[int, str]:
        """What a program answers. Raises aiohttp.ClientError where nobody listens."""
        address = f"http://127.0.0.1:{port}{PATH}"
        async with self._session.post(address, data=body, headers=headers) as answer:
            return answer.status, await answer.text()

    async def deliver(self, sent: Json) -> None:
        """Bring an interaction to a program."""
        body = json.dumps(sent).encode()
        headers, first = self.signed(body), next(self._turn)
        for step in range(len(self.ports)):
            port = self.ports[(first + step) % len(self.ports)]
            try:
                status, _ = await self.post(port, body, headers)
            except (aiohttp.ClientError, TimeoutError):
                status = 503
            if status == 202:
                return
            self.passed_on += 1
        self.failed += 1

    async def is_ready(self, port: int) -> bool:
        """Whether the program that listens there can be asked."""
        address = f"http://127.0.0.1:{port}/readyz"
        try:
            async with self._session.get(address) as answer:
                return answer.status == 200
        except (aiohttp.ClientError, TimeoutError):
            return False

    async def becomes_ready(self, port: int) -> None:
        """Wait until the program that listens there can be asked."""
        async with asyncio.timeout(PATIENCE):
            while not await self.is_ready(port):  # noqa: ASYNC110 - it is asked by HTTP
                await asyncio.sleep(_LOOK_SECONDS)

    @asynccontextmanager
    async def bot(self, data: Path, discord: Loopback, **more: Any) -> AsyncIterator[Bot]:
        """A program more that answers requests, once it is ready; `Bot.port` is where."""
        port = free_port()
        more |= {"arguments": ("discord", "--http"), "FARKLE_HTTP": str(port)}
        async with running(data, discord, ready=False, **more) as bot:
            bot.port = port
            await self.becomes_ready(port)
            self.ports.append(port)
            try:
                yield bot
            finally:
                if port in self.ports:
                    self.ports.remove(port)


@asynccontextmanager
async def endpoint(
    discord: Loopback, data: Path, number: int, **more: Any
) -> AsyncIterator[tuple[Endpoint, list[Bot]]]:
    """A Discord that asks so many programs on one database by requests."""
    # a connection for each request, as of a balancer that keeps none
    connector = aiohttp.TCPConnector(force_close=True, limit=0)
    patience = aiohttp.ClientTimeout(total=ANSWER_SECONDS)
    async with (
        aiohttp.ClientSession(connector=connector, timeout=patience) as session,
        AsyncExitStack() as stack,
    ):
        made = Endpoint(session)
        discord.deliver, discord.verify_key = made.deliver, made.key.verify_key.encode().hex()
        bots = [
            await stack.enter_async_context(made.bot(data, discord, **more)) for _ in range(number)
        ]
        yield made, bots
