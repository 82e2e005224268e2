"""How often a database was written to: asked before every answer, so without a thread."""

import sqlite3
from pathlib import Path

MOST = 2**31
"""One more than the greatest number that there is room for; then it begins anew."""


class WriteCount:
    """The number that every transaction which writes leaves in the head of the file.

    Reading it sees every commit of any process that has returned, as every new transaction does.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection: sqlite3.Connection | None = None

    def read(self) -> int:
        """The number now. Raises sqlite3.Error where the file cannot be read at once."""
        if self._connection is None:
            self._connection = sqlite3.connect(
                f"{self._path.as_uri()}?mode=rw",  # which makes no file
                uri=True,
                timeout=0,
                isolation_level=None,
            )
        [(number,)] = self._connection.execute("PRAGMA user_version").fetchall()
        return int(number)

    def close(self) -> None:
        """Let go of the file; the next look opens it again."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None
