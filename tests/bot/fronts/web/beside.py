"""Processes beside the pages that do not do what they are for, quick to be loaded."""

import signal
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

from solver.errors import InvalidRequestError


def never_answer(chosen: Any, tell: Callable[[str], None]) -> None:
    """Listen, and answer nothing."""
    Path(chosen.socket).unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(chosen.socket)
        listening.listen()
        tell("")
        signal.pause()


def refuse(_chosen: Any, _tell: Callable[[str], None]) -> None:
    """Begin nothing."""
    raise InvalidRequestError("not now")
