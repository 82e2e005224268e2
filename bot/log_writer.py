"""Writes the file of the log: its owner alone can read it, and what is old goes."""

from io import TextIOWrapper
from logging import LogRecord
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import NoReturn

from solver.folders import keep_private, make_private

_MOST_BYTES = 1_000_000
"""The size at which a new log file is begun; the one before it is kept, too."""


class LogWriter(RotatingFileHandler):
    """A file that is made when there is something to write."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, maxBytes=_MOST_BYTES, backupCount=1, encoding="utf-8", delay=True)

    def _open(self) -> TextIOWrapper:
        path = Path(self.baseFilename)
        make_private(path.parent)
        keep_private(path)
        return path.open("a", encoding="utf-8", errors="backslashreplace")

    def handleError(self, record: LogRecord) -> NoReturn:  # noqa: ARG002, N802 - as logging has it
        """Raise what was raised: the handler before it has another place to write."""
        raise  # noqa: PLE0704
