"""How often a database was written to: asked before every answer, so without a thread."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

from sqlalchemy import Connection

MOST = 2**31
"""One more than the greatest number that there is room for; then it begins anew."""

_NUMBER = "PRAGMA user_version"


class WriteCount:
    """The number that every commit which writes leaves in the head of the file.

    Reading it sees every commit of any process that has returned, as every new transaction does.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection: sqlite3.Connection | None = None
        self._lock = Lock()
        """The writing thread commits while the event loop looks."""
        self._number: int | None = None
        """The number as it was read last."""
        self._own: int | None = None
        """That of this program's last commit, which may be under way."""
        self.seen = 0
        """How often others were seen to have written."""

    def look(self) -> None:
        """See whether others have written since."""
        with self._lock:
            try:
                self._look(self._read())
            except sqlite3.Error:
                self.seen += 1  # perhaps; whoever reads is told what is wrong

    @contextmanager
    def raised(self, connection: Connection) -> Iterator[None]:
        """Raise the number in a transaction that writes, which is to be committed inside."""
        before = int(connection.exec_driver_sql(_NUMBER).scalar_one())
        with self._lock:
            self._look(before)
            self._own = own = (before + 1) % MOST  # nobody else can write now
        try:
            connection.exec_driver_sql(f"{_NUMBER} = {own}")
            yield
        except BaseException:
            self.forget()  # it may have been written or not
            raise

    def forget(self) -> None:
        """Take what was written last for the work of others, as what it was is not known here."""
        with self._lock:
            self._number = self._own = None

    def close(self) -> None:
        """Let go of the file; the next look opens it again."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _look(self, number: int) -> None:
        if number not in {self._number, self._own}:
            self.seen += 1
        self._number = number

    def _read(self) -> int:
        """The number now. Raises sqlite3.Error where the file cannot be read at once."""
        if self._connection is None:
            self._connection = sqlite3.connect(
                f"{self._path.as_uri()}?mode=rw",  # which makes no file
                uri=True,
                timeout=0,
                isolation_level=None,
            )
        [(number,)] = self._connection.execute(_NUMBER).fetchall()
        return int(number)
