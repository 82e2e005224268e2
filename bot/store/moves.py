"""What begins a game and what moves it on, each as the statements of one transaction."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, bindparam, func, select

from bot.store.checksums import sealed_insert, sealed_update
from bot.store.errors import GameRunningError
from bot.store.game_rows import (
    COUNTED,
    change_seats,
    delete_results,
    delete_seats,
    insert_events,
    insert_rows,
    new_row,
    why_not_appended,
)
from bot.store.rows import GameResult, NewEvent, SeatRow, StoredGame
from bot.store.schema import games
from solver.wording import say_number

_THIS_MOVE = sealed_update(games, "version", "ended_at").where(
    games.c.id == bindparam("this"), games.c.version == bindparam("expected"), COUNTED
)
_MOVE_ON = _THIS_MOVE.where(games.c.ended_at.is_(None))
_REOPEN = _THIS_MOVE.where(games.c.ended_at.is_not(None))


def begin(
    game: StoredGame,
    events: Sequence[NewEvent],
    secret: bytes | None,
    most_open: int,
    connection: Connection,
) -> None:
    """Begin a game. Raises GameRunningError if its place has `most_open` open ones already."""
    is_open = (games.c.place == game.place, games.c.ended_at.is_(None), COUNTED)
    running = connection.scalar(select(func.count()).where(*is_open))
    if (running or 0) >= most_open:
        raise GameRunningError(
            say_number(
                "a game is running here already: finish it, or /end it",
                "{number} games are running here already, as many as there may be: /end one",
                most_open,
            )
        )
    row: dict[str, Any] = {
        "id": game.id,
        "place": game.place,
        "rules_name": game.rules_name,
        "secret": secret,
        "version": game.version,
        "began_at": game.began_at,
        "ended_at": None,
    }
    connection.execute(sealed_insert(games), new_row(row))
    insert_rows(connection, "seats", game.id, map(asdict, game.seats))
    insert_events(connection, game.id, 0, events, game.began_at)


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """What happened in a game, all or nothing of which is kept."""

    game_id: str
    expected_version: int
    events: Sequence[NewEvent]
    at: datetime
    new_seats: Sequence[SeatRow]
    changed_seats: Sequence[SeatRow]
    without_seats: int | None
    """The number from which on the seats there were are given up."""
    ended: bool
    results: Sequence[GameResult]
    reopens: bool
    """Whether the game is over and goes on, without the results it had."""

    def append(self, connection: Connection) -> None:
        """Add it to the game.

        Raises StaleVersionError if the game is at another version or over, MissingGameError.
        """
        game_id, before = self.game_id, self.expected_version
        changes = {
            "version": before + len(self.events),
            "ended_at": self.at if self.ended else None,
        }
        this = {"this": game_id, "expected": before, **new_row(changes)}
        if not connection.execute(_REOPEN if self.reopens else _MOVE_ON, this).rowcount:
            raise why_not_appended(connection, game_id, before, reopens=self.reopens)
        if self.reopens:
            delete_results(connection, game_id)
        insert_events(connection, game_id, before, self.events, self.at)
        if self.without_seats is not None:
            delete_seats(connection, game_id, self.without_seats)
        insert_rows(connection, "seats", game_id, map(asdict, self.new_seats))
        change_seats(connection, game_id, self.changed_seats)
        insert_rows(connection, "results", game_id, map(asdict, self.results))
