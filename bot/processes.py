"""Other processes of this program: how they are started, and signalled with all their children."""

import asyncio
import contextlib
import os
import signal
import sys
from pathlib import Path


async def start(*arguments: str, stderr: int, cwd: str | None = None) -> asyncio.subprocess.Process:
    """A Python process with pipes, in a session of its own. Raises OSError.

    It imports nothing from the current folder, in which anything may be.
    """
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-P",
        *arguments,
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(_import_path())},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=stderr,
        start_new_session=True,
    )


async def send(process: asyncio.subprocess.Process, data: bytes) -> None:
    """Write to a process that `start` began. Raises OSError where it takes nothing any more."""
    # what was closed before is an error of its own for each kind of event loop
    if process.stdin is None or process.stdin.is_closing():
        raise BrokenPipeError
    process.stdin.write(data)
    await process.stdin.drain()


def send_signal(process: asyncio.subprocess.Process, number: signal.Signals) -> None:
    """Signal a process that `start` began, with all its children, if it is still there."""
    # it began a session, so that its group has its own number
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, number)


def _import_path() -> list[str]:
    """Where this process imports from, but for the current folder."""
    own, here = str(Path(__file__).parents[1]), ""
    with contextlib.suppress(OSError):
        here = str(Path.cwd())
    return [one for one in sys.path if Path(one).is_absolute() and (one != here or one == own)]
