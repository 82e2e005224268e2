"""Solves in a process of their own, so that the chat stays small and never waits for numba."""

import asyncio
import contextlib
import json
import logging
import os
import signal
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from bot.processes import send, send_signal, start
from solver.batch.jobs import Job, Watch
from solver.batch.subjects import Subject
from solver.errors import SolveError, system_reason
from solver.game.standings import Progress
from solver.wording import spoken

logger = logging.getLogger(__name__)

WORKER = ("-m", "bot.solving.worker")
"""What Python runs to solve: a module, not imported here, that loads numba."""

GRACE = 3.0
"""Seconds that a worker has to end after an interrupt, before it is killed."""


class SolveState(StrEnum):
    """Where a solve is."""

    WAITING = "waiting"
    """For other solves to end."""
    ELSEWHERE = "elsewhere"
    """The same rules are being solved, perhaps by another program; their file is waited for."""
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"
    TIMED_OUT = "timed out"


@dataclass(frozen=True, slots=True)
class SolveProgress:
    """How far a solve is."""

    name: str
    state: SolveState
    seconds: float = 0.0
    """Since the worker began."""
    far: Progress | None = None
    """How far it is; None while the worker gets ready."""
    win_probability: float | None = None
    """Of the first player, once it is done."""
    sentence: str = ""
    """What went wrong, if it failed or ran out of time."""
    expected: float | None = None
    """About how many seconds the solve takes, or, while it waits, what comes before it."""

    @property
    def is_last(self) -> bool:
        """Whether nothing comes after it."""
        going_on = {SolveState.WAITING, SolveState.ELSEWHERE, SolveState.RUNNING}
        return self.state not in going_on


async def solve_apart(game: Subject[Any], strategies: Path, kernels: Path, watch: Watch) -> None:
    """Solve a game with the dice of its rules, in a process that ends if this is cancelled.

    strategies, kernels : the folders of strategy files and of compiled code

    Raises SolveError.
    """
    rules, request = game.rules, _request(game, strategies, kernels)
    try:
        process = await start(*WORKER, stderr=asyncio.subprocess.STDOUT, cwd=os.sep)
    except OSError as error:
        raise SolveError.say(
            "{rules}: cannot be solved, no process can be started ({reason})",
            rules=rules.name,
            reason=system_reason(error),
        ) from None
    try:
        last = await _follow(process, request, Job(0, game.name, game), watch)
        status = await process.wait()
    finally:
        await _end(process)
    if "error" in last:
        raise SolveError(str(last["error"]))
    if status < 0:
        raise SolveError.say(
            "{rules}: the solve was killed (signal {signal}), perhaps because memory ran out;"
            " solve it again",
            rules=rules.name,
            signal=-status,
        )
    if status or "solved" not in last:
        raise SolveError.say(
            "{rules}: the solve stopped unexpectedly (status {status}); solve it again",
            rules=rules.name,
            status=status,
        )


def _request(game: Subject[Any], strategies: Path, kernels: Path) -> bytes:
    """What the worker, which is in another folder, is told to do."""
    request = {
        "rules": game.rules.model_dump(mode="json"),
        "players": game.players,
        "strategies": str(strategies.absolute()),
        "kernels": str(kernels.absolute()),
        "language": spoken().code,
    }
    return json.dumps(request).encode() + b"\n"


async def _follow(
    process: asyncio.subprocess.Process, request: bytes, job: Job, watch: Watch
) -> dict[str, Any]:
    """Tell the worker what to do and read what it says until it ends; returns the last message."""
    last: dict[str, Any] = {}
    if process.stdout is None:
        return last  # never, as it is a pipe
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        await send(process, request)
    # standard input stays open: its end tells the worker that nobody waits any more
    async for line in process.stdout:
        try:
            message = json.loads(line)
        except ValueError:
            message = None
        if not isinstance(message, dict):
            logger.debug("solve worker: %s", line.decode(errors="replace").rstrip())
            continue
        last = message
        if "begun" in message:
            watch.begin(job)
        elif "sweep" in message:
            watch.progress(job, Progress(**message))
    return last


async def _end(process: asyncio.subprocess.Process) -> None:
    """End a worker with all its children: asked first, then killed."""
    if process.returncode is not None:
        return
    try:
        send_signal(process, signal.SIGINT)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), GRACE)
    finally:
        if process.returncode is None:
            send_signal(process, signal.SIGKILL)
            await process.wait()
