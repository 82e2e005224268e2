"""Processes that compute one thing after the other, and are killed when nobody waits for it.

Each is started when it is needed, kept for what comes next, and replaced when it dies. What is
computed is a function of a module with its arguments; both come there and the result comes back by
pickle, over pipes that nobody else has. A process of concurrent.futures cannot be stopped, and one
of multiprocessing begins either as a copy of all threads or with the modules of the current folder.
"""

import asyncio
import logging
import pickle
import signal
from collections.abc import Callable
from typing import Any, TypeVar

from bot.processes import send, send_signal, start
from solver.errors import FarkleError, system_reason
from solver.wording import spoken

logger = logging.getLogger(__name__)

T = TypeVar("T")

WORKER = ("-m", "bot.tasks.worker")
"""What Python runs to compute."""
HEADER = 8
"""Bytes that hold the length of a message, the least significant first."""


class TaskError(FarkleError):
    """What was to be computed was not, for a reason that is not its own."""


class TaskFailedError(Exception):
    """A function failed in a worker; the traceback there is a note of this one."""


class Workers:
    """The processes; as many as compute at a time. For one event loop."""

    def __init__(self, memory: int = 2048) -> None:
        """`memory`: MiB of addresses that each may use, where the system can limit that."""
        self._memory = memory
        self._idle: list[asyncio.subprocess.Process] = []
        self._alive: set[asyncio.subprocess.Process] = set()
        self._closed = False

    async def run(self, make: Callable[..., T], *args: Any) -> T:
        """What a function of a module makes; cancel this, and the process that makes it is killed.

        Raises what the function raises if that is a FarkleError, TaskFailedError for anything else,
        and TaskError if the process dies.
        """
        request = pickle.dumps((make, args, spoken().code))
        process = await self._process()
        try:
            answer = await _ask(process, request)
        except (asyncio.IncompleteReadError, OSError):
            await self._kill(process)
            raise _died(process) from None
        except BaseException:
            await self._kill(process)
            raise
        self._idle.append(process)
        return _result(answer, make)

    async def close(self) -> None:
        """End all processes, whatever they compute; no more are started."""
        self._closed = True
        self._idle.clear()
        await asyncio.gather(*map(self._kill, list(self._alive)))

    async def _process(self) -> asyncio.subprocess.Process:
        """A process that waits for something to compute."""
        while self._idle:
            if (process := self._idle.pop()).returncode is None:
                return process
            self._alive.discard(process)
        if self._closed:
            raise asyncio.CancelledError
        try:
            process = await start(*WORKER, str(self._memory), stderr=asyncio.subprocess.DEVNULL)
        except OSError as error:
            raise TaskError.say(
                "that cannot be computed now: no process can be started ({reason})",
                reason=system_reason(error),
            ) from None
        self._alive.add(process)
        return process

    async def _kill(self, process: asyncio.subprocess.Process) -> None:
        send_signal(process, signal.SIGKILL)
        await process.wait()
        self._alive.discard(process)


async def _ask(process: asyncio.subprocess.Process, request: bytes) -> bytes:
    """Send a request and wait for the answer. Raises OSError or IncompleteReadError."""
    if process.stdout is None:
        raise OSError  # never, as it is a pipe
    await send(process, len(request).to_bytes(HEADER, "little") + request)
    length = int.from_bytes(await process.stdout.readexactly(HEADER), "little")
    return await process.stdout.readexactly(length)


def _result(answer: bytes, make: Callable[..., T]) -> T:  # noqa: ARG001 - tells the type
    """What a function made. Raises what it raised."""
    kind, found = pickle.loads(answer)  # noqa: S301 - written by the worker
    if kind == "made":
        made: T = found
        return made
    if isinstance(found, FarkleError):
        raise found
    name, told = found
    error = TaskFailedError(name)
    error.add_note(told)
    raise error


def _died(process: asyncio.subprocess.Process) -> TaskError:
    status = process.returncode or 0
    logger.error("a worker died (status %d)", status)
    if status < 0:
        return TaskError.say(
            "the process that computed that was killed (signal {signal}), perhaps because memory"
            " ran out; try again",
            signal=-status,
        )
    return TaskError.say(
        "the process that computed that stopped unexpectedly (status {status}); try again",
        status=status,
    )
