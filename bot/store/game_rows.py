"""Rows of games: read as far as they are sound, and written with their checksums."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, fields
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    Integer,
    Row,
    case,
    delete,
    literal_column,
    select,
    type_coerce,
)
from sqlalchemy.types import NullType

from bot.store.checksums import is_sound, sealed_insert, sealed_update
from bot.store.errors import DamagedGameError, MissingGameError, StaleVersionError, StoreError
from bot.store.rows import (
    GameRecord,
    GameResult,
    NewEvent,
    RolledGame,
    SeatRow,
    StoredEvent,
    StoredGame,
)
from bot.store.schema import events, games, metadata, results, reviews, seats
from solver.wording import say

ROWID: ColumnElement[int] = literal_column("games.rowid", Integer)
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
_EVENT = [events.c.version, events.c.at, events.c.kind, events.c.data, is_sound(events)]
_RESULT = [results.c[one.name] for one in fields(GameResult)]


class Damaged(NamedTuple):
    """A game whose row, or one of its seats, is not as it was written."""

    rowid: int
    error: DamagedGameError


def read_games(
    connection: Connection, *where: ColumnElement[bool], limit: int | None = None
) -> tuple[list[StoredGame], list[Damaged]]:
    """Games with their seats, and those of them that are damaged."""
    chosen = (ROWID.label("number_of_row"), *_GAME, is_sound(games).label("sound"))
    newest = select(*chosen).where(*where).order_by(games.c.began_at.desc(), games.c.id)
    game = newest.limit(limit).subquery()
    sitting = select(game, *_SEAT, is_sound(seats).label("sound_seat"))
    query = sitting.outerjoin_from(game, seats, game.c.id == seats.c.game_id)
    order = (game.c.began_at.desc(), game.c.id, seats.c.number)
    found, damaged = [], []
    rows = connection.execute(query.order_by(*order))
    for rowid, group in groupby(rows, itemgetter(0)):
        listed = list(group)
        first = listed[0]
        taken = [row for row in listed if row.number is not None]
        reason = ""
        if not first.sound or not _is_game(first):
            reason = say("its row is not as it was written")
        elif not all(row.sound_seat and _is_seat(row) for row in taken):
            reason = say("its seats are not as they were written")
        if reason:
            damaged.append(Damaged(rowid, DamagedGameError(str(first.id), reason)))
        else:
            taken_seats = tuple(SeatRow(*tuple(row)[len(_GAME) + 2 : -1]) for row in taken)
            facts = (*tuple(first)[1 : len(_GAME) + 1], taken_seats)
            found.append(StoredGame(*facts))
    return found, damaged


def _is_game(row: Row[Any]) -> bool:
    """Whether the values of a row are of the right kinds; older versions had no checksums."""
    texts = all(isinstance(text, str) for text in (row.id, row.place, row.rules_name))
    moments = row.began_at is not None and bool(row.open) == (row.ended_at is None)
    return texts and moments and isinstance(row.version, int)


def _is_seat(row: Row[Any]) -> bool:
    texts = all(isinstance(text, str | None) for text in (row.person, row.level))
    return texts and isinstance(row.number, int) and isinstance(row.name, str)


def read_record(connection: Connection, game_id: str, *, set_aside: bool) -> GameRecord:
    """All that is stored of a game, every row as it was written.

    set_aside : whether a game that was set aside is read like any other

    Raises MissingGameError, and DamagedGameError for one that is damaged or set aside.
    """
    this = games.c.id == game_id
    found, damaged = read_games(connection, this)
    if damaged:
        raise damaged[0].error
    if not found:
        raise missing_game(game_id)
    facts = select(type_coerce(games.c.secret, NullType()), games.c.set_aside).where(this)
    secret, was_set_aside = (connection.execute(facts)).one()
    if not isinstance(secret, bytes | None):
        raise DamagedGameError(game_id, say("its secret is not a secret"))
    rows = connection.execute(
        select(*_EVENT).where(events.c.game_id == game_id).order_by(events.c.version)
    )
    happened = checked_events(found[0], rows.all())
    ends = select(*_RESULT, is_sound(results)).where(results.c.game_id == game_id)
    ended = (connection.execute(ends.order_by(results.c.seat))).all()
    if not all(row[-1] for row in ended):
        raise DamagedGameError(game_id, say("its results are not as they were written"))
    if was_set_aside is not None and not set_aside:
        raise DamagedGameError(game_id, say("it was found to be damaged before"))
    return GameRecord(
        found[0], happened, secret, tuple(GameResult(*tuple(row)[:-1]) for row in ended)
    )


def read_rolls(
    connection: Connection, *where: ColumnElement[bool]
) -> tuple[list[RolledGame], list[DamagedGameError]]:
    """The dice of every roll of games, game by game in their order, but for damaged games."""
    data = case((events.c.kind.in_(("begun", "rolled")), events.c.data))
    columns = games.c.id, games.c.version, events.c.kind, data, is_sound(events)
    query = select(*columns).join_from(games, events)
    found = connection.execute(query.where(*where).order_by(games.c.id, events.c.version))
    rolled: list[RolledGame] = []
    damaged = []
    for game_id, group in groupby(found.all(), itemgetter(0)):
        rows = list(group)
        told: dict[str, list[Any]] = {"begun": [], "rolled": []}
        for _, _, kind, content, _ in rows:
            if kind in told:
                told[kind].append(content)
        fell: list[Any] = [
            one.get("dice") if isinstance(one, dict) else 0 for one in told["rolled"]
        ]
        begun = next((one for one in told["begun"] if isinstance(one, dict)), {})
        counted = len(rows) == rows[0][1]
        named = begun.get("kits") or begun.get("pool")
        if named and counted and all(row[4] for row in rows):
            all_of_it = select(events.c.kind, events.c.data).where(events.c.game_id == game_id)
            told_of = connection.execute(all_of_it.order_by(events.c.version)).all()
            rolled.append(RolledGame(begun.get("rules"), (), [(k, data) for k, data in told_of]))
        elif counted and all(row[4] for row in rows) and all(map(_is_roll, fell)):
            rolled.append(RolledGame(begun.get("rules"), fell))
        else:
            reason = say("its events are not as they were written")
            damaged.append(DamagedGameError(game_id, reason))
    return rolled, damaged


def _is_roll(dice: object) -> bool:
    return isinstance(dice, list) and all(die in range(1, 7) for die in dice)


def checked_events(game: StoredGame, rows: Sequence[Row[Any]]) -> tuple[StoredEvent, ...]:
    """The events of a game, none missing. Raises DamagedGameError."""
    for expected, row in enumerate(rows, start=1):
        if row.version != expected:
            raise DamagedGameError(game.id, say("event {number} is missing", number=expected))
        is_text = isinstance(row.kind, str) and isinstance(row.data, dict)
        if not (row[-1] and row.at and is_text):
            raise DamagedGameError(
                game.id, say("event {number} is not as it was written", number=expected)
            )
    if len(rows) != game.version:
        last = min(len(rows), game.version) + 1
        reason = (
            say("event {number} is missing", number=last)
            if len(rows) < game.version
            else say("event {number} does not belong to it", number=last)
        )
        raise DamagedGameError(game.id, reason)
    return tuple(StoredEvent(*tuple(row)[:-1]) for row in rows)


def new_row(row: dict[str, Any]) -> dict[str, Any]:
    """A row as `sealed_insert` takes it."""
    return {f"new_{name}": value for name, value in row.items()}


def insert_rows(
    connection: Connection, table: str, game_id: str, rows: Iterable[dict[str, Any]]
) -> None:
    """Insert rows of a game, if there are any."""
    if listed := [new_row({"game_id": game_id, **row}) for row in rows]:
        connection.execute(sealed_insert(metadata.tables[table]), listed)


def insert_events(
    connection: Connection, game_id: str, after: int, new: Sequence[NewEvent], at: datetime
) -> None:
    """Insert what happened after some version."""
    numbered = enumerate(new, start=after + 1)
    rows = (
        {"version": version, "at": at, "kind": event.kind, "data": event.data}
        for version, event in numbered
    )
    insert_rows(connection, "events", game_id, rows)


def change_seats(connection: Connection, game_id: str, changed: Sequence[SeatRow]) -> None:
    """Change seats that are there. Raises ValueError for others."""
    for seat in changed:
        chosen = (seats.c.game_id == game_id, seats.c.number == seat.number)
        row = asdict(seat)
        update = sealed_update(seats, *row).where(*chosen)
        done = connection.execute(update, new_row(row))
        if not done.rowcount:
            raise ValueError(f"game {game_id} has no seat {seat.number} to change")


def delete_seats(connection: Connection, game_id: str, number: int) -> None:
    """Delete the seats from this one on."""
    connection.execute(delete(seats).where(seats.c.game_id == game_id, seats.c.number >= number))


def delete_results(connection: Connection, game_id: str) -> None:
    """Delete how a game ended, and what its review found."""
    connection.execute(delete(reviews).where(reviews.c.game_id == game_id))
    connection.execute(delete(results).where(results.c.game_id == game_id))


def why_not_appended(
    connection: Connection, game_id: str, expected: int, *, reopens: bool
) -> StoreError:
    """Why nothing can be appended."""
    found, damaged = read_games(connection, games.c.id == game_id)
    if damaged:
        return damaged[0].error
    if not found:
        return missing_game(game_id)
    if found[0].open == reopens and found[0].version == expected:
        return StaleVersionError(say("The game goes on") if reopens else say("The game is over"))
    if found[0].version == expected:
        return DamagedGameError(game_id, say("it was found to be damaged before"))
    return StaleVersionError.say(
        "The game is at version {version} by now; this was meant for version {expected}",
        version=found[0].version,
        expected=expected,
    )


def missing_game(game_id: str) -> MissingGameError:
    """That there is no game of this id."""
    return MissingGameError.say("There is no game {game}", game=game_id)
