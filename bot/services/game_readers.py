"""What has read the games that are followed: of each only what happened since is read."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from bot.review.moments import Reader, TurnChange, read_events, read_on, starts_anew
from bot.review.worth import Shares, Worth
from bot.services.tables import Table
from bot.table.events import Event, Undone

Events = tuple[Event, ...]


class GameReaders:
    """The readers by game; threads may use them, one at a time."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[Events, Reader]] = {}
        """By game: the events that were read, and what has read them."""
        self._lock = threading.RLock()

    @contextmanager
    def unless_taken(self) -> Iterator[bool]:
        """Whether no other thread reads now; then none does while the context lasts."""
        is_free = self._lock.acquire(blocking=False)
        try:
            yield is_free
        finally:
            if is_free:
                self._lock.release()

    def left(self, table: Table) -> int | None:
        """How many events of a game are not read yet; None where reading would begin anew."""
        done, _ = self._known.get(table.game.id, ((), None))
        return len(table.events) - len(done) if done and _is_read_on(table, done) else None

    def followed(self, worth: Worth, table: Table) -> tuple[Shares, TurnChange | None]:
        """The win probabilities in a game by seat, and what its last finished turn changed."""
        game_id, events = table.game.id, table.events
        with self._lock:
            done, known = self._known.pop(game_id, ((), None))
            reader = _read(worth, table, done, known)
            reader.forget()
            if known and len(done) > len(events) and done[: len(events)] == events:
                # who asks looks at an older state
                self._known[game_id] = done, known
            elif not table.game.over:
                self._known[game_id] = events, reader
            # what is asked about may be a game of before, as it was when its turn began
            is_now = reader.game is table.game
            shares = reader.shares if is_now else worth.shares(table.game)
            return shares, reader.changes[-1] if reader.changes else None

    def whole(self, worth: Worth, table: Table) -> Reader:
        """What has read a game from its first event to its last; it is the caller's own."""
        with self._lock:
            done, known = self._known.get(table.game.id, ((), None))
            # the last events may not be stored yet
            known = known and known.apart()
        return _read(worth, table, done, known)

    def forget(self, game_id: str) -> None:
        """Let go of what was read of a game that is over."""
        self._known.pop(game_id, None)


def _read(worth: Worth, table: Table, done: Events, reader: Reader | None) -> Reader:
    """Return what has read a game: the given reader of its first events, or another one."""
    if reader and _is_read_on(table, done):
        read_on(reader, len(done), table.events[len(done) :])
        return reader
    return read_events(worth, table.begun, table.events, judges=False)


def _is_read_on(table: Table, done: Events) -> bool:
    """Return whether what has read these events can go on from there: they began this game."""
    later = table.events[len(done) :]
    has_begun_so = table.events[: len(done)] == done
    return has_begun_so and not any(isinstance(one, Undone) or starts_anew(one) for one in later)
