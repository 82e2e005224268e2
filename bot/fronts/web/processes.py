"""Processes that answer questions: what only asks is worked out beside the one that has the games.

Each is a server of its own at a socket that this program alone reaches, and reads what is stored.
What takes long, what is refused and what fails is left to the first one, which has the limits and
the log.
"""

import asyncio
import contextlib
import logging
import socket
import tempfile
from collections.abc import AsyncIterator, Callable
from functools import partial

from aiohttp import ClientError, ClientSession, DummyCookieJar, UnixConnector, web

from bot.fronts.web.settings import MOST_RATE, WebSettings
from bot.tasks.answering import beside
from bot.tasks.workers import TaskFailedError, Workers
from solver.errors import FarkleError, InvalidRequestError, system_reason

logger = logging.getLogger(__name__)

_BASE = "http://farkle"
"""An address as a client needs one; questions go to a socket, and `Host` says for which site."""
_SENT = "Accept-Language", "Cookie", "Host"
"""Headers of a question that its answer depends on."""
_OF_ITS_WAY = "Connection", "Content-Length", "Date", "Keep-Alive", "Server", "Transfer-Encoding"
"""Headers of an answer that belong to one connection, so that they are not handed on."""
_AGAIN_SECONDS = 5.0
"""Seconds after which a process that has ended is begun again."""
_MOST_SECONDS = 30.0
"""Seconds after which a process that has not answered counts as stuck, and is ended."""


class Processes:
    """The processes, and the ways to them."""

    def __init__(self, chosen: WebSettings) -> None:
        self._chosen = chosen
        self._workers = Workers(memory=0, nice=0)
        self._sessions: list[ClientSession | None] = [None] * chosen.processes
        """The client of each process; None while that is not ready."""
        self._running: dict[ClientSession, asyncio.Task[None]] = {}

    @property
    def ready(self) -> int:
        """Return how many of them answer."""
        return sum(session is not None for session in self._sessions)

    async def answer(self, request: web.Request, address: str) -> web.Response | None:
        """Return what a process answers to a question, None if it does not or cannot.

        A question that is asked again comes to the process which works at it.

        address : from where it is asked
        """
        key = request.headers.get("Cookie"), address, request.raw_path
        session = self._sessions[hash(key) % len(self._sessions)]
        if session is None:
            return None
        headers = {name: request.headers[name] for name in _SENT if name in request.headers}
        headers["X-Forwarded-For"] = address
        try:
            asked = session.get(request.rel_url, headers=headers, allow_redirects=False)
            async with asyncio.timeout(_MOST_SECONDS), asked as answer:
                body = await answer.read()
        except TimeoutError:
            if stuck := self._running.get(session):
                stuck.cancel()
            return None
        except (ClientError, OSError):
            return None
        if answer.status >= 400:
            return None
        returned = answer.headers.copy()
        for name in _OF_ITS_WAY:
            returned.popall(name, None)
        return web.Response(body=body, status=answer.status, headers=returned)

    async def keep(self, number: int, path: str, serve: Callable[..., None]) -> None:
        """Keep a process there, and begin it again whenever it ends.

        number : which of them it is
        path : of its socket
        serve : a function of a module that serves by settings until it is interrupted, and calls
            its last argument when it is ready
        """
        own = {"processes": 0, "rate": MOST_RATE, "socket": path}
        chosen = self._chosen.model_copy(update=own)
        while True:
            way = UnixConnector(path, limit=0)
            async with ClientSession(_BASE, connector=way, cookie_jar=DummyCookieJar()) as session:
                ready = partial(self._ready, number, session)
                running = asyncio.create_task(self._workers.run(serve, chosen, hear=ready))
                self._running[session] = running
                try:
                    await running
                except (FarkleError, TaskFailedError) as error:
                    logger.warning("a process that answers questions ended: %s", error)
                except asyncio.CancelledError:
                    here = asyncio.current_task()
                    if here and here.cancelling():
                        raise
                    logger.warning("a process that answers questions was stuck, and was ended")
                finally:
                    self._sessions[number] = None
                    del self._running[session]
            await asyncio.sleep(_AGAIN_SECONDS)

    def _ready(self, number: int, session: ClientSession, _address: str) -> None:
        self._sessions[number] = session

    async def close(self) -> None:
        """End the processes."""
        await self._workers.close()


@contextlib.asynccontextmanager
async def processes(
    chosen: WebSettings, serve: Callable[..., None]
) -> AsyncIterator[Processes | None]:
    """Run as many processes as settings say, None where that is none; `serve` as for `keep`.

    Raises InvalidRequestError where there can be no sockets to reach them by.
    """
    if not chosen.processes:
        yield None
        return
    if not hasattr(socket, "AF_UNIX"):
        raise InvalidRequestError.say(
            "FARKLE_WEB_PROCESSES: this system has no sockets with a path, so that it can only be 0"
        )
    started = Processes(chosen)
    with contextlib.ExitStack() as stack:
        try:
            made = tempfile.TemporaryDirectory(prefix="farkle-")
            folder = stack.enter_context(made)
            with socket.socket(socket.AF_UNIX) as tried:  # the folder's name may be too long
                tried.bind(f"{folder}/tried")
        except OSError as error:
            raise InvalidRequestError.say(
                "FARKLE_WEB_PROCESSES: no socket can be made in the folder of temporary files"
                " ({reason}); TMPDIR names another",
                reason=system_reason(error),
            ) from None
        numbers = range(chosen.processes)
        try:
            async with beside(*(started.keep(k, f"{folder}/{k}", serve) for k in numbers)):
                yield started
        finally:
            await started.close()
