"""The event store: games as rows of events that only grow, each append checked for its version.

The events of each are one chain: every one carries a hash over itself and the one before. Whatever
is read or written is a transaction: reads run side by side, writes as the kind of database takes
them. What is made of rows is made in the event loop, or in a thread where that is faster: it may
use what it was given and nothing that others change.
"""

import asyncio
import json
import logging
import time
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from functools import partial, wraps
from hashlib import blake2b
from itertools import groupby
from operator import itemgetter
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from bot.store import schema
from bot.store.database import SqliteFile, database_path
from bot.store.kinds import Database, Mode
from bot.store.postgres import Postgres
from bot.store.rows import (
    DamagedGameError,
    DoneElsewhereError,
    GameRecord,
    GameResult,
    GameRunningError,
    Happened,
    MissingGameError,
    PlaceSettings,
    SeatRow,
    StaleVersionError,
    StoredEvent,
    StoredGame,
    StoreError,
)
from bot.store.schema import (
    UNREADABLE_MOMENT,
    done,
    events,
    games,
    json_text,
    moment_text,
    place_rules,
    place_settings,
    results,
    reviews,
    seats,
)
from solver.wording import say

P = ParamSpec("P")
T = TypeVar("T")

START = b""
"""What the first event of a game has instead of a hash before it."""

_BYTES = 16


def link(before: bytes, game_id: str, version: int, at: str, kind: str, data: str) -> bytes:
    """The hash of an event after one of the hash `before`; moment and data as they are kept."""
    text = json.dumps([game_id, version, at, kind, data])
    return blake2b(before + text.encode(), digest_size=_BYTES).digest()


COUNTED = games.c.set_aside.is_(None)
"""The games that are not set aside."""

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
_EVENT = [events.c.version, events.c.at, events.c.kind, events.c.data, events.c.hash]
_KEPT = [sa.type_coerce(events.c[name], sa.Text).label(f"{name}_text") for name in ("at", "data")]
"""Moment and data as they are kept, of which the hash is."""
_RESULT = [results.c[field.name] for field in fields(GameResult)]


def games_query(*where: sa.ColumnElement[bool], limit: int | None = None) -> sa.Select[Any]:
    """Games with their seats, the newest first, for `games_of`."""
    newest = sa.select(*_GAME).where(*where).order_by(games.c.began_at.desc(), games.c.id)
    game = newest.limit(limit).subquery()
    query = sa.select(game, *_SEAT).outerjoin_from(game, seats, game.c.id == seats.c.game_id)
    return query.order_by(game.c.began_at.desc(), game.c.id, seats.c.number)


def games_of(rows: Iterable[sa.Row[Any]]) -> list[StoredGame]:
    """The games of rows of `games_query`."""
    stored_games = []
    for _, group in groupby(rows, itemgetter(0)):
        sitting = [tuple(row) for row in group]
        number = len(_GAME)
        taken = tuple(SeatRow(*row[number:]) for row in sitting if row[number] is not None)
        stored_games.append(StoredGame(*(*sitting[0][:number], taken)))
    return stored_games


def read_games(connection: sa.Connection, *where: sa.ColumnElement[bool]) -> list[StoredGame]:
    """Games with their seats, the newest first."""
    return games_of(connection.execute(games_query(*where)))


def read_record(connection: sa.Connection, game_id: str, *, set_aside: bool) -> GameRecord:
    """All that is stored of a game.

    set_aside : whether a game that was set aside is read like any other

    Raises MissingGameError, and DamagedGameError for one that is damaged or set aside.
    """
    this = games.c.id == game_id
    stored_games = read_games(connection, this)
    if not stored_games:
        raise missing_game(game_id)
    secret, was_set_aside = connection.execute(
        sa.select(games.c.secret, games.c.set_aside).where(this)
    ).one()
    happened = _read_events(connection, stored_games[0])
    if was_set_aside is not None and not set_aside:
        raise DamagedGameError(game_id, say("it was found to be damaged before"))
    ends = sa.select(*_RESULT).where(results.c.game_id == game_id).order_by(results.c.seat)
    ended = tuple(GameResult(*row) for row in connection.execute(ends))
    return GameRecord(stored_games[0], happened, secret, ended)


def _read_events(connection: sa.Connection, game: StoredGame) -> tuple[StoredEvent, ...]:
    """The events of a game, none of them missing or changed. Raises DamagedGameError."""
    query = sa.select(*_EVENT, *_KEPT).where(events.c.game_id == game.id)
    stored_events = []
    before = START
    for expected, row in enumerate(connection.execute(query.order_by(events.c.version)), start=1):
        if row.version != expected:
            raise DamagedGameError(game.id, say("event {number} is missing", number=expected))
        is_read = isinstance(row.data, dict) and row.at != UNREADABLE_MOMENT
        linked = link(before, game.id, expected, row.at_text, row.kind, row.data_text)
        if row.hash != linked or not is_read:
            reason = say("event {number} is not as it was written", number=expected)
            raise DamagedGameError(game.id, reason)
        before = row.hash
        stored_events.append(StoredEvent(expected, row.at, row.kind, row.data))
    if len(stored_events) != game.version or not stored_events:
        last = min(len(stored_events), game.version) + 1
        reason = (
            say("event {number} does not belong to it", number=last)
            if len(stored_events) > game.version
            else say("event {number} is missing", number=last)
        )
        raise DamagedGameError(game.id, reason)
    return tuple(stored_events)


def read_happened(connection: sa.Connection, *where: sa.ColumnElement[bool]) -> dict[str, Happened]:
    """What happened in games that are not damaged, by their ids in order."""
    query = sa.select(games.c.id, events.c.kind, events.c.data).join_from(games, events)
    rows = connection.execute(query.where(*where).order_by(games.c.id, events.c.version))
    of_games = {
        game: [(row.kind, row.data) for row in group]
        for game, group in groupby(rows, itemgetter(0))
    }
    return {
        game: happened
        for game, happened in of_games.items()
        if all(isinstance(data, dict) for _, data in happened)
    }


def brings_dice(happened: Happened) -> bool:
    """Whether players brought dice to a game, or took them in turn."""
    return any(happened[0][1].get(name) for name in ("kits", "pool"))


def insert_rows(
    connection: sa.Connection, table: sa.Table, game_id: str, rows: Iterable[Any]
) -> None:
    """Insert rows of a game, given as dataclasses, if there are any."""
    if listed := [{"game_id": game_id, **asdict(row)} for row in rows]:
        connection.execute(sa.insert(table), listed)


_HASH = sa.select(events.c.hash).where(
    events.c.game_id == sa.bindparam("game"), events.c.version == sa.bindparam("number")
)
_NEW_EVENTS = sa.insert(events)
"""What every move asks and writes; made once."""


def insert_events(
    connection: sa.Connection, game_id: str, after: int, new: Happened, at: datetime
) -> None:
    """Insert what happened after some version. Raises DamagedGameError where that is not there."""
    before = START
    if after:
        digest = connection.scalar(_HASH, {"game": game_id, "number": after})
        if digest is None:
            raise DamagedGameError(game_id, say("event {number} is missing", number=after))
        before = digest
    moment, rows = moment_text(at), []
    for version, (kind, data) in enumerate(new, start=after + 1):
        before = link(before, game_id, version, moment, kind, json_text(data))
        row = {"game_id": game_id, "version": version, "at": at, "hash": before}
        rows.append(row | {"kind": kind, "data": data})
    if rows:
        connection.execute(_NEW_EVENTS, rows)


def chain_anew(connection: sa.Connection, game_id: str) -> None:
    """Take the events of a game as they are now for what was written."""
    query = sa.select(*_EVENT, *_KEPT).where(events.c.game_id == game_id)
    before = START
    for row in connection.execute(query.order_by(events.c.version)).all():
        before = link(before, game_id, row.version, row.at_text, row.kind, row.data_text)
        this = (events.c.game_id == game_id, events.c.version == row.version)
        connection.execute(sa.update(events).where(*this).values(hash=before))


def change_seats(
    connection: sa.Connection, game_id: str, sat: Sequence[SeatRow], sit: Sequence[SeatRow]
) -> None:
    """Write the seats that differ from those that were there."""
    if gone := [seat.number for seat in sat if seat not in sit]:
        these = seats.c.game_id == game_id, seats.c.number.in_(gone)
        connection.execute(sa.delete(seats).where(*these))
    insert_rows(connection, seats, game_id, [seat for seat in sit if seat not in sat])


def why_not_appended(
    connection: sa.Connection, game_id: str, expected: int, *, reopens: bool
) -> StoreError:
    """Why nothing can be appended."""
    stored_games = read_games(connection, games.c.id == game_id)
    if not stored_games:
        return missing_game(game_id)
    if stored_games[0].open == reopens and stored_games[0].version == expected:
        return StaleVersionError(say("The game goes on") if reopens else say("The game is over"))
    if stored_games[0].version == expected:
        return DamagedGameError(game_id, say("it was found to be damaged before"))
    return StaleVersionError.say("the game has moved on: look at how it stands now")


def missing_game(game_id: str) -> MissingGameError:
    """The error that there is no game of this id."""
    return MissingGameError.say("There is no game {game}", game=game_id)


@dataclass(slots=True)
class Deed:
    """Something that is asked for, by the id that its front has for it."""

    id: str
    is_ours: bool = False
    """Whether this program has claimed it, with what it has written first for it."""


doing: ContextVar[Deed | None] = ContextVar("doing", default=None)
"""What is done now, where several programs may have heard of it."""


Work = Callable[[sa.Connection], T]
"""Statements, and what is made of their rows."""


def put(connection: sa.Connection, table: sa.Table, row: Mapping[str, Any]) -> None:
    """Write a row in place of the one of its key, if there is one."""
    keys = table.primary_key.columns.keys()
    this = [table.c[key] == row[key] for key in keys]
    rest = {name: value for name, value in row.items() if name not in keys}
    if not connection.execute(sa.update(table).where(*this).values(rest)).rowcount:
        connection.execute(sa.insert(table).values(row))


SETTINGS = {field.name: type(field.default) for field in fields(PlaceSettings)}
"""The type of what a place may set, by its key."""

_OF_PLACE = sa.select(place_settings.c.key, place_settings.c.value).where(
    place_settings.c.place == sa.bindparam("place")
)
"""What a place has set; made once, as every command asks for it."""

REST = 100.0
"""How long a file is not rewritten again, in units of the time that it took."""


def database_of(url: str, *, read_only: bool = False) -> Database:
    """The database of an address. Raises StoreError for one that names none.

    read_only : whether a file is only read, and not made
    """
    if url.startswith("postgresql"):
        return Postgres(url)
    return SqliteFile(database_path(url), read_only=read_only)


logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Keeper:
    """A feature that keeps rows of its own in the database.

    Its tables are beside the others once its `store.py` is loaded, which whoever opens, copies or
    exports a database has to do before.
    """

    forget: Callable[[sa.Connection, str], None]
    """Takes a person out of them. Raises StaleVersionError where that has to be tried again."""
    problems: Callable[[sa.Connection], Iterable[tuple[str, str]]]
    """Finds what is wrong in them: where, and what."""
    carry: Callable[[sa.Connection, sa.Connection], object] = lambda _before, _after: None
    """Notes in a copy that is put back what was posted since, so that it is not posted again."""


class Store:
    """Games in one database, and what places have set.

    Every method raises StoreError if the database cannot be used.
    """

    def __init__(self, database: Database, keepers: Sequence[Keeper] = ()) -> None:
        self.database = database
        self.keepers = keepers
        self.errors = 0
        """How many transactions the database did not take."""
        self._running: set[asyncio.Task[Any]] = set()
        self._is_closed = False
        self._scrubbing = asyncio.Lock()
        self._scrubbed = self._rest_until = 0.0

    @classmethod
    async def open(cls, url: str, keepers: Sequence[Keeper] = ()) -> Self:
        """Open the database, made if need be. Raises StoreError."""
        database = database_of(url)
        await database.prepare()
        return cls(database, keepers)

    @classmethod
    def look_into(cls, url: str, keepers: Sequence[Keeper] = ()) -> Self:
        """The database as it is, to be read alone. Raises StoreError if there is none."""
        database = database_of(url, read_only=True)
        database.check_is_there()
        return cls(database, keepers)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Let go of the database once nothing runs any more; nothing is begun after that."""
        while self._running:
            await asyncio.wait(self._running)
        self._is_closed = True
        await self.database.close()

    async def read(self, work: Work[T]) -> T:
        """What is made of a transaction that sees the database as it is now."""
        return await self._made(Mode.READ, work)

    async def rows(
        self, query: sa.Executable, *, is_brief: bool = False, **values: object
    ) -> Sequence[Any]:
        """What one query finds: it sees the database as it is now by itself.

        is_brief : whether it asks for a few rows by their key, as every press does
        values : of the parameters that the query names
        """

        def found(connection: sa.Connection) -> Sequence[Any]:
            return connection.execute(query, values).all()

        return await self._made(Mode.EACH, found, is_brief=is_brief)

    async def write(self, work: Work[T], mode: Mode = Mode.WRITE) -> T:
        """A transaction that writes: all of it or, after an exception, nothing.

        It is committed when this returns. Who is cancelled meanwhile does not know whether it was
        written. Raises DoneElsewhereError where another program has done what this is part of, see
        `doing`.
        """
        deed, is_first = doing.get(), False

        def claimed(connection: sa.Connection) -> T:
            nonlocal is_first
            if deed and not deed.is_ours:
                try:
                    connection.execute(sa.insert(done).values(id=deed.id, at=datetime.now(UTC)))
                except IntegrityError:
                    raise DoneElsewhereError.say("another program has done that already") from None
                is_first = deed.is_ours = True
            return work(connection)

        try:
            return await self._made(mode, claimed, is_brief=mode is not Mode.WRITE)
        except Exception:  # nothing of it is written
            if deed and is_first:
                deed.is_ours = False
            raise

    async def _made(self, mode: Mode, work: Work[T], *, is_brief: bool = False) -> T:
        """What is made in a task of its own, so that who is cancelled does not break it off.

        is_brief : whether it is made without waiting where that can be

        Raises StoreError, also for whoever comes once the program lets go of the database.
        """
        if self._is_closed:
            raise StoreError.say("the program ends, and nothing is read or written any more")
        try:
            if is_brief and (made := self.database.run_here(mode, work)):
                return made[0]
            running = asyncio.create_task(self.database.run(mode, work))
            self._running.add(running)
            running.add_done_callback(self._over)
            return await asyncio.shield(running)
        except StoreError as error:
            self.errors += type(error) is StoreError  # others are a matter of games
            raise

    def _over(self, running: asyncio.Task[Any]) -> None:
        self._running.discard(running)
        if not running.cancelled():
            running.exception()  # whoever waited may be gone, and then nobody looks at it

    async def scrub(self) -> None:
        """Write the database anew: nothing that was deleted before is in it or its log any more.

        Nobody can write meanwhile, and it takes as long as the database is large. So there is a
        rest after it; whoever asks then has to wait, and all who wait share the next one. Raises
        StoreError where what was deleted may still be there.
        """
        asked = time.monotonic()
        async with self._scrubbing:
            if self._scrubbed > asked:
                return
            await asyncio.sleep(self._rest_until - time.monotonic())
            began = time.monotonic()
            try:
                await self._made(Mode.EACH, self.database.rewrite)
            finally:
                now = time.monotonic()
                self._rest_until = now + REST * (now - began)
            self._scrubbed = began

    async def place_settings(self, place: str) -> dict[str, Any]:
        """All that a place has set, by key."""
        return await self._pairs(_OF_PLACE, place=place)

    async def settings(self, place: str) -> PlaceSettings:
        """What holds in a place for its games and messages; what makes no sense is not set."""
        pairs = await self.place_settings(place)
        return PlaceSettings(
            **{name: pairs[name] for name in SETTINGS if type(pairs.get(name)) is SETTINGS[name]}
        )

    async def places_that_set(self, key: str) -> dict[str, Any]:
        """What each place has set under a key that has set it at all."""
        rows = place_settings.c
        query = sa.select(rows.place, rows.value).where(rows.key == key)
        return await self._pairs(query)

    async def set_place_setting(self, place: str, key: str, value: Any) -> None:
        """Set something, given as JSON, for a place; never who did it."""
        row = {"place": place, "key": key, "value": value}
        await self.write(lambda connection: put(connection, place_settings, row))

    async def place_rules(self, place: str) -> dict[str, str]:
        """The rules that a place has saved, by name in alphabetical order."""
        rows = place_rules.c
        query = sa.select(rows.name, rows.text).where(rows.place == place).order_by(rows.name)
        return await self._pairs(query)

    async def save_place_rules(self, place: str, name: str, text: str, by: str | None) -> None:
        """Save rules for a place under a name, instead of any of that name."""
        row = {"place": place, "name": name, "text": text, "author": by}
        await self.write(lambda connection: put(connection, place_rules, row))

    async def delete_place_rules(self, place: str, name: str) -> bool:
        """Delete rules of a place; whether there were any of that name."""
        these = sa.delete(place_rules).where(
            place_rules.c.place == place, place_rules.c.name == name
        )
        return bool(await self.write(lambda connection: connection.execute(these).rowcount))

    async def _pairs(self, query: sa.Select[tuple[str, Any]], **values: object) -> dict[str, Any]:
        return {str(name): value for name, value in await self.rows(query, is_brief=True, **values)}

    async def create_game(
        self,
        game: StoredGame,
        happened: Happened,
        secret: bytes | None,
        most_open: int,
        also: Callable[[sa.Connection, str], object] | None = None,
    ) -> None:
        """Begin a game. Raises GameRunningError if the place has `most_open` open ones already.

        also : what is written with it, given its id; where it raises, no game is begun
        """
        names = "id", "place", "rules_name", "version", "began_at"
        row = {name: getattr(game, name) for name in names} | {"secret": secret}

        def begin(connection: sa.Connection) -> None:
            is_open = (games.c.place == game.place, games.c.ended_at.is_(None), COUNTED)
            running = connection.scalar(sa.select(sa.func.count()).where(*is_open)) or 0
            if running >= most_open:
                raise GameRunningError.of(most_open)
            connection.execute(sa.insert(games).values(row))
            insert_rows(connection, schema.seats, game.id, game.seats)
            insert_events(connection, game.id, 0, happened, game.began_at)
            if also is not None:
                also(connection, game.id)

        await self.write(begin, Mode.BRIEF)

    async def append(
        self,
        game_id: str,
        expected_version: int,
        events: Happened,
        at: datetime,
        *,
        sat: Sequence[SeatRow] = (),
        sit: Sequence[SeatRow] = (),
        ended: bool = False,
        results: Sequence[GameResult] = (),
        reopens: bool = False,
    ) -> int:
        """Add what happened, all or nothing, and give the new version.

        sat, sit : the seats before and now, of which those are written that differ
        reopens : whether the game is over and goes on, without the results it had

        Raises StaleVersionError if the game is at another version or over, MissingGameError.
        """
        if results and not ended:
            raise ValueError("only a game that ends has results")
        version = expected_version + len(events)
        changes = {"version": version, "ended_at": at if ended else None}
        this = {"game": game_id, "expected": expected_version}
        change = _REOPENED if reopens else _APPENDED

        def move(connection: sa.Connection) -> None:
            if not connection.execute(change, this | changes).rowcount:
                raise why_not_appended(connection, game_id, expected_version, reopens=reopens)
            if reopens:
                for table in reviews, schema.results:
                    connection.execute(sa.delete(table).where(table.c.game_id == game_id))
            insert_events(connection, game_id, expected_version, events, at)
            change_seats(connection, game_id, sat, sit)
            insert_rows(connection, schema.results, game_id, results)

        await self.write(move, Mode.APPEND)
        return version

    async def record(self, game_id: str, *, even_set_aside: bool = False) -> GameRecord:
        """All that is stored of a game, every row as it was written.

        even_set_aside : whether a game that was set aside is read like any other

        Raises MissingGameError, and DamagedGameError for one that is damaged or set aside.
        """
        return await self.read(partial(read_record, game_id=game_id, set_aside=even_set_aside))

    async def game(self, game_id: str) -> StoredGame | None:
        """A game without what happened in it, None where there is none."""
        return next(iter(games_of(await self.rows(_GAME_OF_ID, is_brief=True, game=game_id))), None)

    async def open_games(self, place: str) -> tuple[list[StoredGame], bool]:
        """Games of a place that have not ended, the newest first.

        Also whether one was set aside that the place was not told of, see `untold`.
        """
        stored_games = games_of(await self.rows(OPEN_GAMES, is_brief=True, place=place))
        return stored_games, bool(await self.rows(UNTOLD, is_brief=True, place=place))

    async def recent_games(self, place: str, limit: int) -> list[StoredGame]:
        """The last `limit` games of a place, open or not, the newest first."""
        query = games_query(games.c.place == place, COUNTED, limit=limit)
        return games_of(await self.rows(query, is_brief=True))

    async def all_open_games(self, person: str | None = None) -> list[StoredGame]:
        """Games anywhere that have not ended, or those with this person, the newest first."""
        where = [games.c.ended_at.is_(None)]
        if person is not None:
            sits = sa.select(schema.seats.c.game_id).where(schema.seats.c.person == person)
            where.append(games.c.id.in_(sits))
        return games_of(await self.rows(games_query(*where, COUNTED)))

    async def count_open(self) -> int:
        """The number of games anywhere that have not ended."""
        query = sa.select(sa.func.count()).where(games.c.ended_at.is_(None), COUNTED)
        [[number]] = await self.rows(query)
        return int(number)

    async def set_aside(self, error: DamagedGameError) -> None:
        """Keep a damaged game as it is, and count it no more."""
        change = sa.update(games).where(games.c.id == error.game, COUNTED).values(set_aside=0)
        if await self.write(lambda connection: connection.execute(change).rowcount):
            logger.error("%s", error)

    async def untold(self, place: str) -> str | None:
        """A game of a place that was set aside and that the place was not told of; now it is."""

        def tell(connection: sa.Connection) -> str | None:
            game_id: str | None = connection.scalar(UNTOLD, {"place": place})
            this = games.c.id == game_id
            connection.execute(sa.update(games).where(this).values(set_aside=1))
            return game_id

        return await self.write(tell)

    async def restore(self, game_id: str, check: Callable[[GameRecord], object]) -> None:
        """Take a game as its rows are now for sound, and count it again if it was set aside.

        check : raises DamagedGameError where that cannot be, and then nothing is changed

        Raises MissingGameError and DamagedGameError.
        """

        def take_back(connection: sa.Connection) -> None:
            chain_anew(connection, game_id)
            connection.execute(sa.update(games).where(games.c.id == game_id).values(set_aside=None))
            check(read_record(connection, game_id, set_aside=False))

        await self.write(take_back)

    async def idle_games(self, since: datetime) -> list[str]:
        """Ids of the open games anywhere in which nothing has happened since then."""
        rows = schema.events.c
        last = (rows.game_id == games.c.id) & (rows.version == games.c.version)
        idle = (games.c.ended_at.is_(None), rows.at <= since, COUNTED)
        query = sa.select(games.c.id).join_from(games, schema.events, last).where(*idle)
        query = query.order_by(games.c.began_at, games.c.id)
        return [row.id for row in await self.rows(query)]

    async def forget_done(self, before: datetime) -> None:
        """Forget what was done before a moment: nobody hears of it any more."""
        old = sa.delete(schema.done).where(schema.done.c.at < before)
        await self.write(lambda connection: connection.execute(old))

    async def secret(self, game_id: str) -> bytes | None:
        """The secret that the dice of a game come from, if it is played with one.

        Raises MissingGameError.
        """
        query = sa.select(games.c.secret).where(games.c.id == game_id)
        for row in await self.rows(query, is_brief=True):
            secret: bytes | None = row.secret
            return secret
        raise missing_game(game_id)

    async def fair_games(self, place: str | None = None) -> list[Happened]:
        """How games played with a secret began and what was rolled, in the order of their ids.

        All that happened where players brought dice, which may have thrown others in a turn.
        """
        fair = [games.c.secret.is_not(None), COUNTED, *in_place(place)]

        def rolled(connection: sa.Connection) -> list[Happened]:
            rolls = read_happened(connection, *fair, events.c.kind.in_(("begun", "rolled")))
            for game in [game for game, happened in rolls.items() if brings_dice(happened)]:
                rolls |= read_happened(connection, games.c.id == game)
            return list(rolls.values())

        return await self.read(rolled)


_GAME_OF_ID = games_query(games.c.id == sa.bindparam("game"), COUNTED)
"""A game by its id; made once, as every press asks for one."""
OPEN_GAMES = games_query(
    games.c.place == sa.bindparam("place"), games.c.ended_at.is_(None), COUNTED
)
UNTOLD = (
    sa.select(games.c.id)
    .where(games.c.place == sa.bindparam("place"), games.c.set_aside == sa.literal_column("0"))
    .order_by(games.c.id)
    .limit(1)
)
"""What every command asks for; the index of those that are set aside wants its number told."""


_MOVED_ON = (
    sa.update(games)
    .where(games.c.id == sa.bindparam("game"), games.c.version == sa.bindparam("expected"), COUNTED)
    .values(version=sa.bindparam("version"), ended_at=sa.bindparam("ended_at"))
)
_APPENDED = _MOVED_ON.where(games.c.ended_at.is_(None))
_REOPENED = _MOVED_ON.where(games.c.ended_at.is_not(None))
"""How a game moves on; made once, as every move does."""


def in_place(place: str | None) -> list[sa.ColumnElement[bool]]:
    """The condition that a game is of this place; none if it may be of any."""
    return [] if place is None else [games.c.place == place]


def writes(
    work: Callable[Concatenate[sa.Connection, P], T],
) -> Callable[Concatenate[Store, P], Coroutine[Any, Any, T]]:
    """Turn a function of a connection into one of a store, which calls it in a transaction."""

    @wraps(work)
    async def written(store: Store, /, *args: P.args, **options: P.kwargs) -> T:
        return await store.write(lambda connection: work(connection, *args, **options))

    return written
