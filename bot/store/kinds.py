"""A database of any kind: what the store asks of it."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from enum import Enum, auto
from pathlib import Path
from typing import TypeVar

from sqlalchemy import Connection

T = TypeVar("T")

MOST_READS = 12
"""Most that run at once, each by a connection of its own."""

PATIENCE = 30.0
"""Seconds that a transaction waits for another one to end."""


class Mode(Enum):
    """How statements belong together."""

    EACH = auto()
    """Each of them is a transaction."""
    READ = auto()
    """They see the database as it is when the first one is run."""
    WRITE = auto()
    """They are done as a whole, and no other program writes meanwhile."""
    APPEND = auto()
    """They are done as a whole, beside others of this kind that each check what they build upon."""
    BRIEF = auto()
    """They are done as with WRITE, on a few rows by their keys, so that nobody waits for them."""


class Database(ABC):
    """A database, which is connected to when it is needed. Its errors are StoreErrors."""

    url: str
    name: str
    """What people are told of it, without a password."""
    file: Path | None = None
    """The file that it is, if it is one."""
    stem: str
    """What its backups are called after."""

    @abstractmethod
    async def prepare(self) -> None:
        """Make the tables if there are none, and see that they are those of this program."""

    def check_is_there(self) -> None:  # noqa: B027 - of a server nothing is known before
        """Raises StoreError where there is nothing to be looked into."""

    @abstractmethod
    async def run(self, mode: Mode, work: Callable[[Connection], T]) -> T:
        """What some work makes of a transaction, which is given up after an exception."""

    def run_here(self, mode: Mode, work: Callable[[Connection], T]) -> tuple[T] | None:  # noqa: ARG002
        """What some work of a few rows makes where nobody has to wait for it.

        None where it has to be run: nothing of it was done.
        """
        return None

    @abstractmethod
    async def close(self) -> None:
        """Let go of the database, once nothing runs any more."""

    @abstractmethod
    def held(
        self,
        names: Sequence[str],
        when_waiting: Callable[[], object],
        when_lost: Callable[[], object],
    ) -> AbstractAsyncContextManager[None]:
        """One program of all that use the database has what is called so, others wait for it.

        Each is waited for in its turn, so that whoever needs several names them in one order. They
        are free again as soon as the program ends, however it ends.

        when_waiting : is called where another program has it
        when_lost : is called where another program got it while this one could not be heard
        """

    def problems(self, connection: Connection) -> list[tuple[str, str]]:  # noqa: ARG002
        """Return where the database finds itself damaged, and how; a server looks by itself."""
        return []

    @abstractmethod
    def rewrite(self, connection: Connection) -> None:
        """Write anew, without what was deleted, what may hold names of people."""

    def check_unused(self, connection: Connection) -> None:  # noqa: B027 - a file is replaced
        """Raises StoreError where other programs have the database of a server open."""
