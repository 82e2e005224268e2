"""The event store: games as rows of events that only grow, each append checked for its version."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from functools import partial
from typing import Any, Self

import sqlalchemy as sa

from bot.store import schema
from bot.store.database import database_of
from bot.store.game_rows import (
    COUNTED,
    chain_anew,
    change_seats,
    delete_results,
    delete_seats,
    games_of,
    games_query,
    insert_events,
    insert_rows,
    missing_game,
    read_record,
    read_rolls,
    why_not_appended,
)
from bot.store.kinds import Database, Mode
from bot.store.rows import (
    DamagedGameError,
    GameRecord,
    GameResult,
    GameRunningError,
    NewEvent,
    PlaceSettings,
    RolledGame,
    SeatRow,
    StoredEvent,
    StoredGame,
)
from bot.store.schema import games, place_rules, place_settings
from bot.store.transactions import Transactions, put

_SETTINGS = {one.name: type(one.default) for one in fields(PlaceSettings)}

_OF_PLACE = sa.select(place_settings.c.key, place_settings.c.value).where(
    place_settings.c.place == sa.bindparam("place")
)
"""What a place has set; made once, as every command asks for it."""


_RECENT = 15.0
"""Seconds after which it is noticed what another program has set for a place."""
_MOST_KEPT = 10_000
"""Places whose settings are kept in memory."""


class Places(Transactions):
    """The settings and rules of places in one database."""

    def __init__(self, database: Database, *, read_only: bool = False) -> None:
        super().__init__(database, read_only=read_only)
        self._lately: dict[str, tuple[float, PlaceSettings]] = {}
        """By place, until when something is taken for what holds there."""

    async def place_settings(self, place: str) -> dict[str, Any]:
        """All that a place has set, by key."""
        return await self._pairs(_OF_PLACE, place=place)

    async def settings(self, place: str) -> PlaceSettings:
        """What holds in a place for its games and messages; what makes no sense is not set."""
        found = await self.place_settings(place)
        return PlaceSettings(
            **{name: found[name] for name in _SETTINGS if type(found.get(name)) is _SETTINGS[name]}
        )

    async def settings_lately(self, place: str, patience: float) -> PlaceSettings:
        """What holds in a place, or held some seconds ago if another program has set it since.

        A turn is several presses, each of which asks.

        patience : seconds that reading it may take. Raises TimeoutError after them.
        """
        now = time.monotonic()
        until, found = self._lately.get(place, (0.0, None))
        if found is None or until < now:
            async with asyncio.timeout(patience):
                found = await self.settings(place)
            if len(self._lately) >= _MOST_KEPT:
                self._lately.clear()
            self._lately[place] = now + _RECENT, found
        return found

    async def places_that_set(self, key: str) -> dict[str, Any]:
        """What each place has set under a key that has set it at all."""
        rows = place_settings.c
        query = sa.select(rows.place, rows.value).where(rows.key == key)
        return await self._pairs(query)

    async def set_place_setting(self, place: str, key: str, value: Any) -> None:
        """Set something, given as JSON, for a place; never who did it."""
        row = {"place": place, "key": key, "value": value}
        await self.write(lambda connection: put(connection, place_settings, row))
        self._lately.pop(place, None)

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
        return {str(name): value for name, value in await self.glance(query, **values)}


REST = 100.0
"""How long a file is not rewritten again, in units of the time that it took."""


class Scrub:
    """Rewrites the file when it is asked to, and not again and again.

    Nobody can write meanwhile, and it takes as long as the database is large. So there is a rest
    after it; whoever asks then has to wait, and all who wait share the next one.
    """

    def __init__(self, rewrite: Callable[[], Awaitable[None]]) -> None:
        self._rewrite = rewrite
        self._lock = asyncio.Lock()
        self._began = self._rest_until = 0.0

    async def run(self) -> None:
        """Nothing that was deleted before is in the file or its log any more.

        Raises StoreError where it may still be.
        """
        asked = time.monotonic()
        async with self._lock:
            if self._began > asked:
                return
            await asyncio.sleep(self._rest_until - time.monotonic())
            began = time.monotonic()
            try:
                await self._rewrite()
            finally:
                now = time.monotonic()
                self._rest_until = now + REST * (now - began)
            self._began = began


logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Keeper:
    """A feature that keeps rows of its own in the database."""

    forget: Callable[[sa.Connection, str], None]
    """Takes a person out of them. Raises StaleVersionError where that has to be tried again."""
    problems: Callable[[sa.Connection], Iterable[tuple[str, str]]]
    """Finds what is wrong in them: where, and what."""
    carry: Callable[[sa.Connection, sa.Connection], object] = lambda _before, _after: None
    """Notes in a copy that is put back what was posted since, so that it is not posted again."""


class Store(Places):
    """Games in one database, and what places have set."""

    def __init__(
        self, database: Database, keepers: Sequence[Keeper] = (), *, read_only: bool = False
    ) -> None:
        super().__init__(database, read_only=read_only)
        self._scrub = Scrub(self.rewrite)
        self.keepers = keepers

    @classmethod
    async def open(cls, url: str, keepers: Sequence[Keeper] = ()) -> Self:
        """Open the database, made if need be. Raises StoreError."""
        database = database_of(url)
        await database.prepare()
        return cls(database, keepers)

    @classmethod
    def look_into(cls, url: str, keepers: Sequence[Keeper] = ()) -> Self:
        """The database as it is, to be read alone. Raises StoreError if there is none."""
        database = database_of(url)
        database.check_is_there()
        return cls(database, keepers, read_only=True)

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
        also: Callable[[sa.Connection, str], object] | None = None,
    ) -> StoredGame:
        """Begin a game. Raises GameRunningError if the place has `most_open` open ones already.

        also : what is written with it, given its id; where it raises, no game is begun
        """
        game = StoredGame(game_id, place, rules_name, True, len(events), at, None, tuple(seats))
        row = {
            "id": game_id,
            "place": place,
            "rules_name": rules_name,
            "secret": secret,
            "version": game.version,
            "began_at": at,
        }

        def begin(connection: sa.Connection) -> None:
            is_open = (games.c.place == place, games.c.ended_at.is_(None), COUNTED)
            running = connection.scalar(sa.select(sa.func.count()).where(*is_open)) or 0
            if running >= most_open:
                raise GameRunningError.of(most_open)
            connection.execute(sa.insert(games).values(row))
            insert_rows(connection, schema.seats, game_id, seats)
            insert_events(connection, game_id, 0, events, at)
            if also is not None:
                also(connection, game_id)

        await self.write(begin, Mode.BRIEF)
        return game

    async def append(
        self,
        game_id: str,
        expected_version: int,
        events: Sequence[NewEvent],
        at: datetime,
        *,
        new_seats: Sequence[SeatRow] = (),
        changed_seats: Sequence[SeatRow] = (),
        without_seats: int | None = None,
        ended: bool = False,
        results: Sequence[GameResult] = (),
        reopens: bool = False,
    ) -> int:
        """Add what happened, all or nothing, and give the new version.

        without_seats : the number from which on the seats there were are given up
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
                delete_results(connection, game_id)
            insert_events(connection, game_id, expected_version, events, at)
            if without_seats is not None:
                delete_seats(connection, game_id, without_seats)
            insert_rows(connection, schema.seats, game_id, new_seats)
            change_seats(connection, game_id, changed_seats)
            insert_rows(connection, schema.results, game_id, results)

        await self.write(move, Mode.APPEND)
        return version

    async def load(self, game_id: str) -> tuple[StoredGame, tuple[StoredEvent, ...]]:
        """A game and all that happened in it. Raises MissingGameError and DamagedGameError."""
        record = await self.record(game_id)
        return record.game, record.events

    async def record(self, game_id: str, *, even_set_aside: bool = False) -> GameRecord:
        """All that is stored of a game, every row as it was written.

        even_set_aside : whether a game that was set aside is read like any other

        Raises MissingGameError, and DamagedGameError for one that is damaged or set aside.
        """
        return await self.read(partial(read_record, game_id=game_id, set_aside=even_set_aside))

    async def game(self, game_id: str) -> StoredGame | None:
        """A game without what happened in it, None where there is none."""
        return next(iter(games_of(await self.glance(_GAME_OF_ID, game=game_id))), None)

    async def open_games(self, place: str) -> tuple[list[StoredGame], bool]:
        """Games of a place that have not ended, the newest first.

        Also whether one was set aside that the place was not told of, see `untold`.
        """
        found = games_of(await self.glance(OPEN_GAMES, place=place))
        return found, bool(await self.glance(UNTOLD, place=place))

    async def recent_games(self, place: str, limit: int) -> list[StoredGame]:
        """The last `limit` games of a place, open or not, the newest first."""
        query = games_query(games.c.place == place, COUNTED, limit=limit)
        return games_of(await self.glance(query))

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
            found: str | None = connection.scalar(UNTOLD, {"place": place})
            this = games.c.id == found
            connection.execute(sa.update(games).where(this).values(set_aside=1))
            return found

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
        for row in await self.glance(query):
            secret: bytes | None = row.secret
            return secret
        raise missing_game(game_id)

    async def rolls(self, place: str | None = None) -> list[RolledGame]:
        """The dice of every roll in games played with a secret, game by game in their order."""
        fair = [games.c.secret.is_not(None), COUNTED, *in_place(place)]
        return await self.read(lambda connection: read_rolls(connection, *fair))


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
