"""The log: a line for each thing that happens, failures with their traceback under an id.

Nothing in it forges a line or moves a terminal's cursor, and secrets are left out.
"""

import json
import logging
import os
import re
import sys
from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path

from solver.folders import keep_private, make_private

logger = logging.getLogger(__name__)

_FORM = "%(asctime)s %(levelname)s %(name)s: %(message)s"
_MOST_BYTES = 1_000_000
"""The size at which a new log file is begun; the one before it is kept, too."""

_SECRETS = (
    # of dice, in digits or as Python shows bytes; of answers to an interaction
    r"\b[0-9a-fA-F]{64}\b"
    r"|\bb'(?:[^'\\]|\\.)*'|\bb\"(?:[^\"\\]|\\.)*\""
    r"|(?<=/)(?:webhooks|interactions)/\d+/[\w.-]+|(?<='token': ')[^']+"
)


counted: Counter[str] = Counter()
"""How often answers failed and were refused, since the program began; refusals by their kind."""


def failed(what: str, error: BaseException) -> str:
    """Log that the program itself failed; the id under which a host finds it."""
    counted["failed"] += 1
    number = os.urandom(4).hex()
    logger.error("%s: failed in %s", number, what, exc_info=error)
    return number


class LogFormatter(logging.Formatter):
    """A line for each record, its traceback below it."""

    def __init__(self, hidden: Iterable[str] = ()) -> None:
        """`hidden`: what is left out wherever it stands, such as a token."""
        super().__init__(_FORM)
        self._hidden = tuple(filter(None, hidden))

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - as logging has it
        """The line, whatever is in its message."""
        record.message = _printable(record.message)
        return super().formatMessage(record)

    def format(self, record: logging.LogRecord) -> str:
        """The line and what is below it."""
        return self.without_secrets("\n".join(map(_printable, super().format(record).split("\n"))))

    def without_secrets(self, text: str) -> str:
        """Return a text in which tokens and secrets of dice are left out."""
        for secret in self._hidden:
            text = text.replace(secret, "[token]")
        return re.sub(_SECRETS, "[secret]", text)


class JsonFormatter(LogFormatter):
    """A line of JSON for each record, its traceback in it."""

    def format(self, record: logging.LogRecord) -> str:
        """The line, with the moment in UTC."""
        moment = datetime.fromtimestamp(record.created, UTC)
        entry = {
            "time": moment.isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info:
            entry["traceback"] = self.formatException(record.exc_info)
        return json.dumps({key: self.without_secrets(value) for key, value in entry.items()})


class LogFile(RotatingFileHandler):
    """A file for its owner alone, made when there is something to write; what is old goes."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, maxBytes=_MOST_BYTES, backupCount=1, encoding="utf-8", delay=True)

    def _open(self) -> TextIOWrapper:
        path = Path(self.baseFilename)
        make_private(path.parent)
        keep_private(path)
        return path.open("a", encoding="utf-8", errors="backslashreplace")

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - as logging has it
        """Where no file can be written, standard error is what is left."""
        print(self.format(record), file=sys.stderr)  # noqa: T201


def open_log(
    handler: logging.Handler,
    level: str,
    hidden: Iterable[str] = (),
    form: type[LogFormatter] = LogFormatter,
) -> None:
    """Log to a handler alone, from a level on."""
    root = logging.getLogger()
    for other in list(root.handlers):
        if isinstance(other.formatter, LogFormatter):
            root.removeHandler(other)
            other.close()
    handler.setFormatter(form(hidden))
    root.addHandler(handler)
    root.setLevel(level.upper())


def where() -> str:
    """Which file the log is, in the words after a sentence; empty if it is none."""
    files = [handler for handler in logging.getLogger().handlers if isinstance(handler, LogFile)]
    return f" ({files[0].baseFilename})" if files else ""


def _printable(text: str) -> str:
    """Text in which what cannot be seen is written out, as Python's escape sequences."""
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode("ascii")
        for letter in text
    )
