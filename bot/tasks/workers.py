"""Processes that compute one thing after the other, and are killed when nobody waits for it.

Each is started when it is needed, kept for what comes next, and replaced when it dies. What is
computed is a function of a module with its arguments; both come there and the result comes back by
pickle, over pipes that nobody else has. A process of concurrent.futures cannot be stopped, and one
of multiprocessing begins either as a copy of all threads or with the modules of the current folder.
"""

import asyncio
import logging
import os
import pickle
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from solver.errors import FarkleError, system_reason
from solver.wording import say_later, spoken

logger = logging.getLogger(__name__)

T = TypeVar("T")

WORKER = ("-m", "bot.tasks.worker")
"""What Python runs to compute."""
HEADER = 8
"""Bytes that hold the length of a message, the least significant first."""


class TaskError(FarkleError):
    """What was to be computed was not, for a reason that is not its own."""


class WorkerDiedError(TaskError):
    """The process that computed ended before it had answered."""

    status = 0
    """The exit status of the process; of a signal the negative number."""


class TaskFailedError(Exception):
    """A function failed in a worker; the traceback there is a note of this one."""


class Workers:
    """The processes; as many as compute at a time. For one event loop."""

    def __init__(self, memory: int = 2048, grace: float = 0.0, nice: int = 19) -> None:
        """How processes are limited, and stopped.

        memory : MiB of addresses that each may use, where the system can limit that; 0 for any
        nice : by how much lower their priority is, so that answers in the chat stay quick
        grace : seconds that one which computes has to end after an interrupt, before it is killed
        """
        self._limits, self._grace = (str(memory), str(nice)), grace
        self._idle: list[asyncio.subprocess.Process] = []
        self._alive: set[asyncio.subprocess.Process] = set()
        self._closed = False

    async def run(
        self, make: Callable[..., T], *args: Any, hear: Callable[[Any], None] | None = None
    ) -> T:
        """What a function of a module makes; cancel this, and the process that makes it is killed.

        hear : if given, takes what the function tells on the way, by what is its last argument

        Raises what the function raises if that is a FarkleError, TaskFailedError for anything else,
        WorkerDiedError if the process dies, and TaskError if none can be started.
        """
        request = pickle.dumps((make, args, spoken().code, hear is not None))
        process = await self._process()
        try:
            if process.stdin is None or process.stdin.is_closing():
                raise BrokenPipeError  # an error of its own for each kind of event loop
            process.stdin.write(len(request).to_bytes(HEADER, "little") + request)
            await process.stdin.drain()
            kind, content = await _answer(process)
            while hear and kind == "told":
                hear(content)
                kind, content = await _answer(process)
        except (asyncio.IncompleteReadError, OSError):
            await self._kill(process)
            raise _died(process) from None
        except BaseException:
            await self._interrupt(process)
            raise
        self._idle.append(process)
        if kind == "raised":
            raise _error(content)
        made: T = content
        return made

    async def close(self) -> None:
        """End all processes, whatever they compute; no more are started."""
        self._closed = True
        self._idle.clear()
        await asyncio.gather(*map(self._kill, list(self._alive)))

    async def _process(self) -> asyncio.subprocess.Process:
        """A process that waits for something to compute."""
        while self._idle:
            process = self._idle.pop()
            # its output ends before its status is heard of
            is_over = process.stdout is None or process.stdout.at_eof()
            if process.returncode is None and not is_over:
                return process
            self._alive.discard(process)
        if self._closed:
            raise asyncio.CancelledError
        try:
            # it imports nothing from the current folder, in which anything may be
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-P", *WORKER, *self._limits),
                env={**os.environ, "PYTHONPATH": os.pathsep.join(_import_path())},
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError as error:
            raise TaskError.say(
                "that cannot be computed now: no process can be started ({reason})",
                reason=system_reason(error),
            ) from None
        self._alive.add(process)
        return process

    async def _interrupt(self, process: asyncio.subprocess.Process) -> None:
        """End a process with all its children: asked first where there is time, then killed."""
        try:
            if self._grace:
                _send_signal(process, signal.SIGINT)
                with suppress(TimeoutError):
                    await asyncio.wait_for(process.wait(), self._grace)
        finally:
            await self._kill(process)

    async def _kill(self, process: asyncio.subprocess.Process) -> None:
        _send_signal(process, signal.SIGKILL)
        await process.wait()
        self._alive.discard(process)


async def _answer(process: asyncio.subprocess.Process) -> tuple[str, Any]:
    """What comes next. Raises OSError or IncompleteReadError."""
    if process.stdout is None:
        raise OSError  # never, as it is a pipe
    length = int.from_bytes(await process.stdout.readexactly(HEADER), "little")
    answer = await process.stdout.readexactly(length)
    message: tuple[str, Any] = pickle.loads(answer)  # noqa: S301 - written by the worker
    return message


def _error(raised: Any) -> Exception:
    """What a function raised."""
    if isinstance(raised, FarkleError):
        return raised
    name, trace = raised
    error = TaskFailedError(name)
    error.add_note(trace)
    return error


def _died(process: asyncio.subprocess.Process) -> WorkerDiedError:
    status = process.returncode or 0
    logger.error("a worker died (status %d)", status)
    sentence = say_later(
        "the process that computed that stopped unexpectedly (status {status}); try again"
    )
    if status < 0:
        sentence = say_later(
            "the process that computed that was killed (signal {signal}), perhaps because memory"
            " ran out; try again"
        )
    error = WorkerDiedError.say(sentence, status=status, signal=-status)
    error.status = status
    return error


def _send_signal(process: asyncio.subprocess.Process, number: signal.Signals) -> None:
    """Signal a process with all its children, if it is still there."""
    # it began a session, so that its group has its own number
    with suppress(ProcessLookupError):
        os.killpg(process.pid, number)


def _import_path() -> list[str]:
    """Where this process imports from, but for the current folder."""
    own, here = str(Path(__file__).parents[2]), ""
    with suppress(OSError):
        here = str(Path.cwd())
    return [path for path in sys.path if Path(path).is_absolute() and (path != here or path == own)]
