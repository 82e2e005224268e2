"""The event store: games as rows of events that only grow, each append checked for its version."""

import asyncio
import logging
import sqlite3
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, fields
from datetime import datetime
from pathlib import Path
from typing import Any, Self

from sqlalchemy import (
    ColumnElement,
    Select,
    Table,
    bindparam,
    case,
    delete,
    func,
    select,
    update,
)
from sqlalchemy.dialects.sqlite import insert as upsert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from bot.store.checksums import is_sound, seal, sealed_insert, sealed_update
from bot.store.database import (
    BEGIN,
    READ,
    WRITE,
    beside,
    check_beside,
    check_same,
    connect,
    database_path,
    explained,
    file_id,
    migrate,
)
from bot.store.errors import (
    DamagedGameError,
    GameRunningError,
    StoreError,
)
from bot.store.game_rows import (
    COUNTED,
    ROWID,
    change_seats,
    delete_results,
    insert_events,
    insert_rows,
    missing_game,
    new_row,
    read_games,
    read_record,
    read_rolls,
    why_not_appended,
)
from bot.store.leases import Leases
from bot.store.rescue import damaged_copies
from bot.store.rows import (
    GameRecord,
    GameResult,
    NewEvent,
    PlaceSettings,
    RolledGame,
    SeatRow,
    StoredEvent,
    StoredGame,
)
from bot.store.schema import events, games, place_rules, place_settings
from bot.store.schema import seats as all_seats
from bot.store.scrub import Scrub
from bot.store.survey import set_aside_damaged
from bot.store.writes import MOST, WriteCount
from solver.wording import say, say_number

logger = logging.getLogger(__name__)

_MOST_KEPT = 10_000
"""Places whose settings, or rules, are kept in memory."""

_SETTINGS = {one.name: type(one.default) for one in fields(PlaceSettings)}
_THIS_MOVE = sealed_update(games, "version", "ended_at").where(
    games.c.id == bindparam("this"), games.c.version == bindparam("expected"), COUNTED
)
_MOVE_ON = _THIS_MOVE.where(games.c.ended_at.is_(None))
_REOPEN = _THIS_MOVE.where(games.c.ended_at.is_not(None))
_DAMAGED_TEXT = "\0"
"""What is read of damaged rules: no rules at all."""


class Store:
    """Games in one database. Every method raises StoreError if the file cannot be used."""

    def __init__(self, path: Path, engine: AsyncEngine) -> None:
        self._path = path
        self._engine = engine
        self._file = file_id(path)
        self._notes = connect(path, synchronous="NORMAL")
        self.leases = Leases(self.noting)
        self._turn_to_write = asyncio.Lock()
        """SQLite lets one write at a time, and those who wait sleep ever longer, in no order."""
        self._scrub = Scrub(path, self._alone)
        self._settings: dict[str, dict[str, Any]] = {}
        """What places have set: every press asks for it."""
        self._rules: dict[str, dict[str, str]] = {}
        """The rules that places have saved."""
        self._changes = 0
        """How many there were of settings and rules: what was read meanwhile may be out of date."""
        self._count = WriteCount(path)
        self._seen: int | None = None
        """The count of writes that was read last."""
        self._own: int | None = None
        """That of this program's last write, which may be under way."""
        self._foreign_writes = 0

    @classmethod
    async def open(cls, url: str) -> Self:
        """Open the database, made or brought up to date if need be. Raises StoreError."""
        path = database_path(url)
        await asyncio.to_thread(migrate, path)
        return cls(path, connect(path))

    @classmethod
    def look_into(cls, url: str) -> Self:
        """The database as it is, to be read alone. Raises StoreError if there is none."""
        path = database_path(url)
        if not path.is_file():
            raise StoreError(f"there is no database {path}")
        return cls(path, connect(path, read_only=True))

    @property
    def path(self) -> Path:
        """The file of the database."""
        return self._path

    async def close(self) -> None:
        """Let go of the file."""
        await self.leases.close()
        self._count.close()
        await self._notes.dispose()
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
            try:
                async with self._connection(WRITE) as connection, connection.begin():
                    before, self._own = self._look(), None  # nobody else can write now
                    yield connection
                    self._own = (before + 1) % MOST
                    await connection.exec_driver_sql(f"PRAGMA user_version = {self._own}")
                    self._check_there(connection)
            except BaseException:
                if self._own is not None:  # it may have been written or not
                    self._seen = self._own = None
                raise

    @asynccontextmanager
    async def noting(self) -> AsyncIterator[AsyncConnection]:
        """For statements that are each a transaction, and need not outlive a power cut.

        Nobody who looks for writes of others sees them.
        """
        async with self._turn_to_write:
            with explained(self._path):
                async with self._notes.connect() as connection:
                    yield await connection.execution_options(**{BEGIN: ""})

    @asynccontextmanager
    async def _alone(self) -> AsyncIterator[AsyncConnection]:
        """For statements that are no part of a transaction, while nothing is written here."""
        async with self._turn_to_write, self._connection("") as connection:
            yield connection

    def foreign_writes(self) -> int:
        """How often others were seen to have written to the database, without a query.

        While the number stays, what was read holds but for what this program itself has changed.
        """
        self.check_there()
        try:
            self._look()
        except sqlite3.Error:
            self._others_wrote()  # perhaps; whoever reads is told what is wrong
        return self._foreign_writes

    def check_complete(self) -> None:
        """Raises StoreError while a damaged database lies beside the one that took its place."""
        if damaged_copies(self._path):
            raise StoreError.say(
                "Nobody can tell for certain: the database was damaged, and not all of it may have"
                " been saved; the host can look at it and put it right"
            )

    def check_there(self) -> None:
        """Raises StoreError where the database is gone, or another file has taken its place."""
        check_same(self._path, self._file)

    async def scrub(self) -> None:
        """Rewrite the file without what was deleted, see `Scrub`."""
        await self._scrub.run()

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
            is_open = (games.c.place == place, games.c.ended_at.is_(None), COUNTED)
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
            row: dict[str, Any] = {
                "place": place,
                "rules_name": rules_name,
                "secret": secret,
                "began_at": at,
            }
            row |= {"id": game_id, "version": len(events), "ended_at": None}
            await connection.execute(sealed_insert(games), new_row(row))
            await insert_rows(connection, "seats", game_id, map(asdict, seats))
            await insert_events(connection, game_id, 0, events, at)
        return game

    async def load(self, game_id: str) -> tuple[StoredGame, tuple[StoredEvent, ...]]:
        """A game and all that happened in it. Raises MissingGameError and DamagedGameError."""
        record = await self.record(game_id)
        return record.game, record.events

    async def record(self, game_id: str, *, even_set_aside: bool = False) -> GameRecord:
        """All that is stored of a game, every row as it was written.

        even_set_aside : whether a game that was set aside is read like any other

        Raises MissingGameError, and DamagedGameError for one that is damaged or set aside.
        """
        async with self.reading() as connection:
            return await read_record(connection, game_id, set_aside=even_set_aside)

    async def game(self, game_id: str) -> StoredGame | None:
        """A game without what happened in it, None where there is none."""
        async with self.reading() as connection:
            found, _ = await read_games(connection, games.c.id == game_id, COUNTED)
        return next(iter(found), None)

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
        async with self.writing() as connection:
            moved = await connection.execute(
                _REOPEN if reopens else _MOVE_ON,
                {
                    "this": game_id,
                    "expected": expected_version,
                    **new_row({"version": version, "ended_at": at if ended else None}),
                },
            )
            if not moved.rowcount:
                raise await why_not_appended(connection, game_id, expected_version, reopens=reopens)
            if reopens:
                await delete_results(connection, game_id)
            await insert_events(connection, game_id, expected_version, events, at)
            await insert_rows(connection, "seats", game_id, map(asdict, new_seats))
            await change_seats(connection, game_id, changed_seats)
            await insert_rows(connection, "results", game_id, map(asdict, results))
        return version

    async def open_games(self, place: str) -> list[StoredGame]:
        """Games of a place that have not ended, the newest first."""
        return await self._listed(games.c.place == place, games.c.ended_at.is_(None))

    async def recent_games(self, place: str, limit: int) -> list[StoredGame]:
        """The last `limit` games of a place, open or not, the newest first."""
        return await self._listed(games.c.place == place, limit=limit)

    async def all_open_games(self, person: str | None = None) -> list[StoredGame]:
        """Games anywhere that have not ended, or those with this person, the newest first."""
        where = [games.c.ended_at.is_(None)]
        if person is not None:
            where.append(
                games.c.id.in_(select(all_seats.c.game_id).where(all_seats.c.person == person))
            )
        return await self._listed(*where)

    async def _listed(
        self, *where: ColumnElement[bool], limit: int | None = None
    ) -> list[StoredGame]:
        """Games that are not set aside; those that are damaged are now."""
        async with self.reading() as connection:
            found, damaged = await read_games(connection, *where, COUNTED, limit=limit)
        for one in damaged:
            await self._set_aside(one.error, ROWID.in_([one.rowid]))
        return found

    async def set_aside(self, error: DamagedGameError) -> None:
        """Keep a damaged game as it is, and count it no more."""
        await self._set_aside(error, games.c.id == error.game)

    async def _set_aside(self, error: DamagedGameError, this: ColumnElement[bool]) -> None:
        async with self.writing() as connection:
            done = await connection.execute(update(games).where(this, COUNTED).values(set_aside=0))
        if done.rowcount:
            logger.error("%s", error)

    async def set_aside_damaged(self) -> None:
        """Look through all games as at the start."""
        async with self.writing() as connection:
            await connection.run_sync(set_aside_damaged)

    async def idle_games(self, since: datetime) -> list[str]:
        """Ids of the open games anywhere in which nothing has happened since then."""
        last = (events.c.game_id == games.c.id) & (events.c.version == games.c.version)
        idle = (games.c.ended_at.is_(None), events.c.at <= since, COUNTED)
        query = select(games.c.id).join_from(games, events, last).where(*idle)
        async with self.reading() as connection:
            return list(await connection.scalars(query.order_by(games.c.began_at, games.c.id)))

    async def secret(self, game_id: str) -> bytes | None:
        """The secret that the dice of a game come from, if it is played with one.

        Raises MissingGameError.
        """
        async with self.reading() as connection:
            sound = is_sound(games)
            query = select(case((sound, games.c.secret)), sound).where(games.c.id == game_id)
            row = (await connection.execute(query)).one_or_none()
        if row is None:
            raise missing_game(game_id)
        if not row[1]:
            raise DamagedGameError(game_id, say("its row is not as it was written"))
        secret: bytes | None = row[0]
        return secret

    async def rolls(self, place: str | None = None) -> list[RolledGame]:
        """The dice of every roll in games played with a secret, game by game in their order."""
        self.check_complete()
        fair = [games.c.secret.is_not(None), COUNTED, *in_place(place)]
        async with self.reading() as connection:
            rolls, damaged = await read_rolls(connection, *fair)
        for error in damaged:
            await self.set_aside(error)
        return rolls

    async def place_settings(self, place: str) -> dict[str, Any]:
        """All that a place has set, by key."""
        query = select(place_settings.c.key, place_settings.c.value, is_sound(place_settings))
        return await self._kept(
            self._settings, place, query.where(place_settings.c.place == place), None
        )

    async def settings(self, place: str) -> PlaceSettings:
        """What holds in a place for its games and messages."""
        found = await self.place_settings(place)
        return PlaceSettings(
            **{name: found[name] for name in _SETTINGS if type(found.get(name)) is _SETTINGS[name]}
        )

    async def set_place_setting(self, place: str, key: str, value: Any) -> None:
        """Set something, given as JSON, for a place; never who did it."""
        await self._put(place_settings, {"place": place, "key": key, "value": value})
        self._changed(place)

    async def place_rules(self, place: str) -> dict[str, str]:
        """The rules that a place has saved, by name in alphabetical order.

        Damaged ones are no rules at all.
        """
        query = select(place_rules.c.name, place_rules.c.text, is_sound(place_rules))
        mine = query.where(place_rules.c.place == place).order_by(place_rules.c.name)
        return await self._kept(self._rules, place, mine, _DAMAGED_TEXT)

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
                self._check_there(connection)
                yield await connection.execution_options(**{BEGIN: begin})
                # by now SQLite has opened what is beside the database
                connection.info.setdefault("beside", tuple(map(file_id, beside(self._path))))

    def _check_there(self, connection: AsyncConnection) -> None:
        """Raises StoreError where others would not see what this connection does."""
        self.check_there()
        if known := connection.info.get("beside"):
            check_beside(self._path, known)

    def _look(self) -> int:
        """See whether others have written; gives the count of writes. Raises sqlite3.Error."""
        count = self._count.read()
        if count not in {self._seen, self._own}:
            self._others_wrote()
        self._seen = count
        return count

    def _others_wrote(self) -> None:
        self._foreign_writes += 1
        self._settings.clear()
        self._rules.clear()

    async def _kept(
        self, kept: dict[str, dict[str, Any]], place: str, query: Select[Any], damaged: Any
    ) -> dict[str, Any]:
        """What a place has by the columns of the query, read once until it changes.

        The third column says whether a row is sound, and `damaged` is the value where it is not.
        """
        before = self.foreign_writes(), self._changes
        if place not in kept:
            async with self.reading() as connection:
                rows = (await connection.execute(query)).all()
            found = {str(row[0]): row[1] if row[2] else damaged for row in rows}
            if not all(row[2] for row in rows):
                logger.error("what %s has set or saved is damaged in part", place)
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
        this = [table.c[name] == row[name] for name in keys]
        async with self.writing() as connection:
            await connection.execute(statement)
            await connection.execute(seal(table).where(*this))


def in_place(place: str | None) -> list[ColumnElement[bool]]:
    """The condition that a game is of this place; none if it may be of any."""
    return [] if place is None else [games.c.place == place]
