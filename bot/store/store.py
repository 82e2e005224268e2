"""The event store: games as rows of events that only grow, each append checked for its version."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Self

from sqlalchemy import ColumnElement, Connection, case, select, update

from bot.store import moves
from bot.store.checksums import is_sound
from bot.store.database import database_path, migrate
from bot.store.errors import DamagedGameError, StoreError
from bot.store.game_rows import (
    COUNTED,
    ROWID,
    missing_game,
    read_games,
    read_record,
    read_rolls,
)
from bot.store.leases import Leases
from bot.store.places import Places
from bot.store.rescue import damaged_copies
from bot.store.rows import (
    GameRecord,
    GameResult,
    NewEvent,
    RolledGame,
    SeatRow,
    StoredEvent,
    StoredGame,
)
from bot.store.schema import events, games, seats
from bot.store.scrub import Scrub
from bot.store.survey import set_aside_damaged
from solver.wording import say

logger = logging.getLogger(__name__)


class Store(Places):
    """Games in one database, what places have set, and which program does what."""

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        super().__init__(path, read_only=read_only)
        self.leases = Leases(self.note)
        self._scrub = Scrub(path, self.alone)

    @classmethod
    async def open(cls, url: str) -> Self:
        """Open the database, made or brought up to date if need be. Raises StoreError."""
        path = database_path(url)
        await asyncio.to_thread(migrate, path)
        return cls(path)

    @classmethod
    def look_into(cls, url: str) -> Self:
        """The database as it is, to be read alone. Raises StoreError if there is none."""
        path = database_path(url)
        if not path.is_file():
            raise StoreError(f"there is no database {path}")
        return cls(path, read_only=True)

    async def close(self) -> None:
        """Let go of the file."""
        await self.leases.close()
        await super().close()

    def check_complete(self) -> None:
        """Raises StoreError while a damaged database lies beside the one that took its place."""
        if damaged_copies(self._path):
            raise StoreError.say(
                "This may not be all: the database was damaged, and some of it may be lost; the"
                " person who runs this program can look at it and repair it"
            )

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
        also: Callable[[Connection, str], object] | None = None,
    ) -> StoredGame:
        """Begin a game. Raises GameRunningError if the place has `most_open` open ones already.

        also : what is written with it, given its id; where it raises, no game is begun
        """
        game = StoredGame(game_id, place, rules_name, True, len(events), at, None, tuple(seats))

        def begin(connection: Connection) -> None:
            moves.begin(game, events, secret, most_open, connection)
            if also is not None:
                also(connection, game_id)

        await self.write(begin)
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
        move = moves.Move(
            game_id=game_id,
            expected_version=expected_version,
            events=events,
            at=at,
            new_seats=new_seats,
            changed_seats=changed_seats,
            without_seats=without_seats,
            ended=ended,
            results=results,
            reopens=reopens,
        )
        await self.write(move.append)
        return expected_version + len(events)

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
        found, _ = await self.read(lambda c: read_games(c, games.c.id == game_id, COUNTED))
        return next(iter(found), None)

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
            where.append(games.c.id.in_(select(seats.c.game_id).where(seats.c.person == person)))
        return await self._listed(*where)

    async def _listed(
        self, *where: ColumnElement[bool], limit: int | None = None
    ) -> list[StoredGame]:
        """Games that are not set aside; those that are damaged are now."""
        found, damaged = await self.read(lambda c: read_games(c, *where, COUNTED, limit=limit))
        for one in damaged:
            await self._set_aside(one.error, ROWID.in_([one.rowid]))
        return found

    async def set_aside(self, error: DamagedGameError) -> None:
        """Keep a damaged game as it is, and count it no more."""
        await self._set_aside(error, games.c.id == error.game)

    async def _set_aside(self, error: DamagedGameError, this: ColumnElement[bool]) -> None:
        change = update(games).where(this, COUNTED).values(set_aside=0)
        if await self.write(lambda connection: connection.execute(change).rowcount):
            logger.error("%s", error)

    async def set_aside_damaged(self) -> None:
        """Look through all games as at the start."""
        await self.write(set_aside_damaged)

    async def idle_games(self, since: datetime) -> list[str]:
        """Ids of the open games anywhere in which nothing has happened since then."""
        last = (events.c.game_id == games.c.id) & (events.c.version == games.c.version)
        idle = (games.c.ended_at.is_(None), events.c.at <= since, COUNTED)
        query = select(games.c.id).join_from(games, events, last).where(*idle)
        query = query.order_by(games.c.began_at, games.c.id)
        return await self.read(lambda connection: list(connection.scalars(query)))

    async def secret(self, game_id: str) -> bytes | None:
        """The secret that the dice of a game come from, if it is played with one.

        Raises MissingGameError.
        """

        def read(connection: Connection) -> bytes | None:
            sound = is_sound(games)
            query = select(case((sound, games.c.secret)), sound).where(games.c.id == game_id)
            row = connection.execute(query).one_or_none()
            if row is None:
                raise missing_game(game_id)
            if not row[1]:
                raise DamagedGameError(game_id, say("its row is not as it was written"))
            secret: bytes | None = row[0]
            return secret

        return await self.read(read)

    async def rolls(self, place: str | None = None) -> list[RolledGame]:
        """The dice of every roll in games played with a secret, game by game in their order."""
        self.check_complete()
        fair = [games.c.secret.is_not(None), COUNTED, *in_place(place)]
        rolls, damaged = await self.read(lambda connection: read_rolls(connection, *fair))
        for error in damaged:
            await self.set_aside(error)
        return rolls


def in_place(place: str | None) -> list[ColumnElement[bool]]:
    """The condition that a game is of this place; none if it may be of any."""
    return [] if place is None else [games.c.place == place]
