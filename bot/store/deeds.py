"""What somebody asks for is done once, whichever programs hear of it."""

from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import TypeVar

from sqlalchemy import Connection, insert
from sqlalchemy.exc import IntegrityError

from bot.store.errors import DoneElsewhereError
from bot.store.schema import done

T = TypeVar("T")


class Deed:
    """Something that is asked for, by the id that its front has for it."""

    def __init__(self, id: str) -> None:  # noqa: A002 - it is one
        self._id = id
        self._is_ours = False

    async def done(
        self,
        transact: Callable[[Callable[[Connection], T]], Awaitable[T]],
        work: Callable[[Connection], T],
    ) -> T:
        """What some work makes in a transaction, the first of which claims the deed.

        transact : has work done in one, and returns once it is committed

        Raises DoneElsewhereError where another program has done it, and what `transact` does.
        """
        is_first = False

        def claimed(connection: Connection) -> T:
            nonlocal is_first
            is_first = not self._is_ours
            if is_first:
                try:
                    connection.execute(insert(done).values(id=self._id, at=datetime.now(UTC)))
                except IntegrityError:
                    raise DoneElsewhereError.say("another program has done that already") from None
            self._is_ours = True
            try:
                return work(connection)
            except BaseException:  # nothing of it is written
                self._is_ours = not is_first
                raise

        try:
            return await transact(claimed)
        except Exception:  # nor where it is not committed
            self._is_ours = self._is_ours and not is_first
            raise


doing: ContextVar[Deed | None] = ContextVar("doing", default=None)
"""What is done now, where several programs may have heard of it."""
