"""The event store: games as rows of events that only grow, each append checked for its version."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict, fields
from datetime import datetime
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any, Self, TypeVar

from sqlalchemy import (
    ColumnElement,
    Select,
    Table,
    delete,
    func,
    insert,
    select,
    update,
)
from sqlalchemy.dialects.sqlite import insert as upsert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from bot.store.database import BEGIN, READ, WRITE, connect, database_path, explained, migrate
from bot.store.errors import GameRunningError, MissingGameError, StaleVersionError, StoreError
from bot.store.rows import GameResult, NewEvent, PlaceSettings, SeatRow, StoredEvent, StoredGame
from bot.store.schema import events, games, metadata, place_rules, place_settings, results, seats
from solver.wording import say, say_number

_Value = TypeVar("_Value")
_Stamp = tuple[int, ...]

_MOST_KEPT = 10_000
"""Places whose settings, or rules, are kept in memory."""

_GAME = [
    games.c.id,
    games.c.place,
    games.c.rules_name,
    games.c.ended_at.is_(None).label("open"),
    games.c.version,
    games.c.began_at,
    games.c.ended_at,
]
_SEAT = [seats.c.number, seats.c.person, seats.c.name, seats.c.level]
_SETTINGS = [one.name for one in fields(PlaceSettings)]
_EVENT = [events.c.version, events.c.at, events.c.kind, events.c.data]


UNSURE_SECONDS = 5.0
"""For how long a write of others may be missed that falls together with one's own."""


class Store:
    """Games in one database. Every method raises StoreError if the file cannot be used."""

    def __init__(self, path: Path, engine: AsyncEngine) -> None:
        self._path = path
        self._engine = engine
        self._turn_to_write = asyncio.Lock()
        """SQLite lets one write at a time, and those who wait sleep ever longer, in no order."""
        self._settings: dict[str, dict[str, Any]] = {}
        """What places have set: every press asks for it."""
        self._rules: dict[str, dict[str, str]] = {}
        """The rules that places have saved."""
        self._changes = 0
        """How many there were of settings and rules: what was read meanwhile may be out of date."""
        self._written: _Stamp = ()
        """The files of the database as they were after the last write that is known."""
        self._unsure_since: float | None = None
        """When this program itself wrote first since it looked; others may have at that moment."""
        self._foreign_writes = 0

    @classmethod
    async def open(cls, url: str) -> Self:
        """Open the database, made or brought up to date if need be. Raises StoreError."""
        path = database_path(url)
        await asyncio.to_thread(migrate, path)
        return cls(path, connect(path))

    @property
    def path(self) -> Path:
        """The file."""
        return self._path

    async def close(self) -> None:
        """Let go of the file."""
        await self._engine.dispose()

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[AsyncConnection]:
        """A transaction that sees the database as it is now, whatever others write."""
        async with self._connection(READ) as connection:
            yield connection

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[AsyncConnection]:
        """A transaction that writes: all of it or, after an exception, nothing."""
        async with self._turn_to_write:
            async with self._connection(WRITE) as connection, connection.begin():
                self._look()  # nobody else can write now
                yield connection
            # who writes in this very moment is taken for this program, and seen a little later
            self._written = self._stamp()
            if self._unsure_since is None:
                self._unsure_since = time.monotonic()

    def foreign_writes(self) -> int:
        """How often others were seen to have written to the database, without a query.

        While the number stays, what was read holds but for what this program itself has changed.
        """
        if not self._turn_to_write.locked():
            self._look()
        return self._foreign_writes

    async def scrub(self) -> None:
        """Rewrite the file without what was deleted, and empty its log."""
        async with self._connection("") as connection:
            await connection.exec_driver_sql("VACUUM")
            checkpoint = await connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
            if checkpoint.scalar_one():
                raise StoreError.say(
                    "The database {path} is read by another program, so what was deleted is"
                    " still in its log; try again",
                    path=self._path,
                )

    async def create_game(
        self,
        place: str,
        rules_name: str,
        seats: Sequence[SeatRow],
        events: Sequence[NewEvent],
        secret: bytes | None,
        most_open: int,
        at: datetime,
        game_id: str,
    ) -> StoredGame:
        """Begin a game. Raises GameRunningError if the place has `most_open` open ones already."""
        game = StoredGame(game_id, place, rules_name, True, len(events), at, None, tuple(seats))
        async with self.writing() as connection:
            is_open = (games.c.place == place, games.c.ended_at.is_(None))
            running = await connection.scalar(select(func.count()).where(*is_open))
            if (running or 0) >= most_open:
                raise GameRunningError(
                    say_number(
                        "a game is running here already: finish it, or /end it",
                        "{number} games are running here already, as many as there may be: /end"
                        " one",
                        most_open,
                    )
                )
            await connection.execute(
                insert(games).values(
                    id=game_id,
                    place=place,
                    rules_name=rules_name,
                    secret=secret,
                    version=len(events),
                    began_at=at,
                )
            )
            await _insert(connection, "seats", game_id, map(asdict, seats))
            await _insert_events(connection, game_id, 0, events, at)
        return game

    async def load(self, game_id: str) -> tuple[StoredGame, tuple[StoredEvent, ...]]:
        """A game and all that happened in it. Raises MissingGameError."""
        async with self.reading() as connection:
            found = await _games(connection, games.c.id == game_id)
            if not found:
                raise _missing(game_id)
            rows = await connection.execute(
                select(*_EVENT).where(events.c.game_id == game_id).order_by(events.c.version)
            )
            return found[0], tuple(StoredEvent(*row) for row in rows)

    async def append(
        self,
        game_id: str,
        expected_version: int,
        events: Sequence[NewEvent],
        at: datetime,
        *,
        new_seats: Sequence[SeatRow] = (),
        changed_seats: Sequence[SeatRow] = (),
        ended: bool = False,
        results: Sequence[GameResult] = (),
        reopens: bool = False,
    ) -> int:
        """Add what happened, all or nothing, and give the new version.

        reopens : whether the game is over and goes on, without the results it had

        Raises StaleVersionError if the game is at another version or over, MissingGameError.
        """
        if results and not ended:
            raise ValueError("only a game that ends has results")
        version = expected_version + len(events)
        is_over = games.c.ended_at.is_not(None) if reopens else games.c.ended_at.is_(None)
        async with self.writing() as connection:
            moved = await connection.execute(
                update(games)
                .where(games.c.id == game_id, games.c.version == expected_version, is_over)
                .values(version=version, ended_at=at if ended else None)
            )
            if not moved.rowcount:
                raise await _refusal(connection, game_id, expected_version, reopens=reopens)
            if reopens:
                await _delete_results(connection, game_id)
            await _insert_events(connection, game_id, expected_version, events, at)
            await _insert(connection, "seats", game_id, map(asdict, new_seats))
            await _change_seats(connection, game_id, changed_seats)
            await _insert(connection, "results", game_id, map(asdict, results))
        return version

    async def open_games(self, place: str) -> list[StoredGame]:
        """Games of a place that have not ended, the newest first."""
        async with self.reading() as connection:
            return await _games(connection, games.c.place == place, games.c.ended_at.is_(None))

    async def recent_games(self, place: str, limit: int) -> list[StoredGame]:
        """The last `limit` games of a place, open or not, the newest first."""
        async with self.reading() as connection:
            return await _games(connection, games.c.place == place, limit=limit)

    async def all_open_games(self) -> list[StoredGame]:
        """Games anywhere that have not ended, the newest first."""
        async with self.reading() as connection:
            return await _games(connection, games.c.ended_at.is_(None))

    async def secret(self, game_id: str) -> bytes | None:
        """The secret that the dice of a game come from, if it is played with one.

        Raises MissingGameError.
        """
        async with self.reading() as connection:
            found = await connection.execute(select(games.c.secret).where(games.c.id == game_id))
            row = found.one_or_none()
        if row is None:
            raise _missing(game_id)
        secret: bytes | None = row.secret
        return secret

    async def rolls(self, place: str | None = None) -> list[list[int]]:
        """The dice of every roll in games played with a secret, game by game in their order."""
        fair = [games.c.secret.is_not(None), *in_place(place)]
        query = select(events.c.data).join_from(games, events)
        rolled = query.where(events.c.kind == "rolled", *fair)
        async with self.reading() as connection:
            found = await connection.scalars(rolled.order_by(events.c.game_id, events.c.version))
            return [data["dice"] for data in found]

    async def place_settings(self, place: str) -> dict[str, Any]:
        """All that a place has set, by key."""
        query = select(place_settings.c.key, place_settings.c.value)
        return await self._kept(self._settings, place, query.where(place_settings.c.place == place))

    async def settings(self, place: str) -> PlaceSettings:
        """What holds in a place for its games and messages."""
        found = await self.place_settings(place)
        return PlaceSettings(**{name: found[name] for name in _SETTINGS if name in found})

    async def set_place_setting(self, place: str, key: str, value: Any) -> None:
        """Set something, given as JSON, for a place; never who did it."""
        await self._put(place_settings, {"place": place, "key": key, "value": value})
        self._changed(place)

    async def place_rules(self, place: str) -> dict[str, str]:
        """The rules that a place has saved, by name in alphabetical order."""
        query = select(place_rules.c.name, place_rules.c.text).where(place_rules.c.place == place)
        return await self._kept(self._rules, place, query.order_by(place_rules.c.name))

    async def save_place_rules(self, place: str, name: str, text: str, by: str | None) -> None:
        """Save rules for a place under a name, instead of any of that name."""
        await self._put(place_rules, {"place": place, "name": name, "text": text, "author": by})
        self._changed(place)

    async def delete_place_rules(self, place: str, name: str) -> bool:
        """Delete rules of a place; whether there were any of that name."""
        chosen = (place_rules.c.place == place, place_rules.c.name == name)
        async with self.writing() as connection:
            deleted = await connection.execute(delete(place_rules).where(*chosen))
        self._changed(place)
        return bool(deleted.rowcount)

    @asynccontextmanager
    async def _connection(self, begin: str) -> AsyncIterator[AsyncConnection]:
        with explained(self._path):
            async with self._engine.connect() as connection:
                yield await connection.execution_options(**{BEGIN: begin})

    def _stamp(self) -> _Stamp:
        """What is different after every write: when the files were written, and their lengths."""
        stamp: _Stamp = ()
        for path in (self._path, self._path.with_name(f"{self._path.name}-wal")):
            with suppress(OSError):
                found = path.stat()
                if found.st_size:  # who begins to read makes an empty log
                    stamp += (found.st_mtime_ns, found.st_size)
        return stamp

    def _look(self) -> None:
        """See whether others have written since the last write that is known, or may have."""
        unsure = self._unsure_since
        is_old = unsure is not None and time.monotonic() - unsure > UNSURE_SECONDS
        if (stamp := self._stamp()) != self._written or is_old:
            self._written, self._unsure_since = stamp, None
            self._foreign_writes += 1
            self._settings.clear()
            self._rules.clear()

    async def _kept(
        self, kept: dict[str, dict[str, _Value]], place: str, query: Select[Any]
    ) -> dict[str, _Value]:
        """What a place has by the two columns of the query, read once until it changes."""
        before = self.foreign_writes(), self._changes
        if place not in kept:
            async with self.reading() as connection:
                found = {row[0]: row[1] for row in await connection.execute(query)}
            if before != (self.foreign_writes(), self._changes):
                return found
            if len(kept) >= _MOST_KEPT:
                kept.clear()
            kept[place] = found
        return kept[place]

    def _changed(self, place: str) -> None:
        """What a place has set and saved is read again."""
        self._changes += 1
        self._settings.pop(place, None)
        self._rules.pop(place, None)

    async def _put(self, table: Table, row: dict[str, Any]) -> None:
        """Insert a row, or replace what its key has."""
        keys = table.primary_key.columns.keys()
        rest = {name: value for name, value in row.items() if name not in keys}
        statement = upsert(table).values(row).on_conflict_do_update(index_elements=keys, set_=rest)
        async with self.writing() as connection:
            await connection.execute(statement)


def in_place(place: str | None) -> list[ColumnElement[bool]]:
    """The condition that a game is of this place; none if it may be of any."""
    return [] if place is None else [games.c.place == place]


async def _games(
    connection: AsyncConnection, *where: ColumnElement[bool], limit: int | None = None
) -> list[StoredGame]:
    newest = select(*_GAME).where(*where).order_by(games.c.began_at.desc(), games.c.id)
    game = newest.limit(limit).subquery()
    query = select(game, *_SEAT).outerjoin_from(game, seats, game.c.id == seats.c.game_id)
    order = (game.c.began_at.desc(), game.c.id, seats.c.number)
    found = []
    for _, group in groupby(await connection.execute(query.order_by(*order)), attrgetter("id")):
        rows = list(group)
        taken = [SeatRow(*row[len(_GAME) :]) for row in rows if row.number is not None]
        fields = (*rows[0][: len(_GAME)], tuple(taken))
        found.append(StoredGame(*fields))
    return found


async def _insert(
    connection: AsyncConnection, table: str, game_id: str, rows: Iterable[dict[str, Any]]
) -> None:
    """Insert rows of a game, if there are any."""
    if listed := [{"game_id": game_id, **row} for row in rows]:
        await connection.execute(insert(metadata.tables[table]), listed)


async def _insert_events(
    connection: AsyncConnection, game_id: str, after: int, new: Sequence[NewEvent], at: datetime
) -> None:
    numbered = enumerate(new, start=after + 1)
    rows = ({"version": version, "at": at, **asdict(event)} for version, event in numbered)
    await _insert(connection, "events", game_id, rows)


async def _change_seats(
    connection: AsyncConnection, game_id: str, changed: Sequence[SeatRow]
) -> None:
    for seat in changed:
        chosen = (seats.c.game_id == game_id, seats.c.number == seat.number)
        done = await connection.execute(update(seats).where(*chosen).values(asdict(seat)))
        if not done.rowcount:
            raise ValueError(f"game {game_id} has no seat {seat.number} to change")


async def _delete_results(connection: AsyncConnection, game_id: str) -> None:
    await connection.execute(delete(results).where(results.c.game_id == game_id))


async def _refusal(
    connection: AsyncConnection, game_id: str, expected: int, *, reopens: bool
) -> StoreError:
    """Why nothing can be appended."""
    found = await _games(connection, games.c.id == game_id)
    if not found:
        return _missing(game_id)
    if found[0].open == reopens and found[0].version == expected:
        return StaleVersionError(say("The game goes on") if reopens else say("The game is over"))
    return StaleVersionError.say(
        "The game has gone on to version {version}; this was meant for {expected}",
        version=found[0].version,
        expected=expected,
    )


def _missing(game_id: str) -> MissingGameError:
    return MissingGameError.say("There is no game {game}", game=game_id)
