"""Rows of games: read as far as they make sense, and the events of each as one chain."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, fields
from datetime import datetime
from hashlib import blake2b
from itertools import groupby
from operator import itemgetter
from typing import Any

import sqlalchemy as sa

from bot.store.rows import (
    DamagedGameError,
    GameRecord,
    GameResult,
    MissingGameError,
    NewEvent,
    RolledGame,
    SeatRow,
    StaleVersionError,
    StoredEvent,
    StoredGame,
    StoreError,
)
from bot.store.schema import (
    UNREADABLE_MOMENT,
    events,
    games,
    json_text,
    moment_text,
    results,
    reviews,
    seats,
)
from solver.wording import say

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
_RESULT = [results.c[one.name] for one in fields(GameResult)]


def games_query(*where: sa.ColumnElement[bool], limit: int | None = None) -> sa.Select[Any]:
    """Games with their seats, the newest first, for `games_of`."""
    newest = sa.select(*_GAME).where(*where).order_by(games.c.began_at.desc(), games.c.id)
    game = newest.limit(limit).subquery()
    query = sa.select(game, *_SEAT).outerjoin_from(game, seats, game.c.id == seats.c.game_id)
    return query.order_by(game.c.began_at.desc(), game.c.id, seats.c.number)


def games_of(rows: Iterable[sa.Row[Any]]) -> list[StoredGame]:
    """The games of rows of `games_query`."""
    found = []
    for _, group in groupby(rows, itemgetter(0)):
        sitting = [tuple(row) for row in group]
        number = len(_GAME)
        taken = tuple(SeatRow(*row[number:]) for row in sitting if row[number] is not None)
        found.append(StoredGame(*(*sitting[0][:number], taken)))
    return found


def read_games(connection: sa.Connection, *where: sa.ColumnElement[bool]) -> list[StoredGame]:
    """Games with their seats, the newest first."""
    return games_of(connection.execute(games_query(*where)))


def read_record(connection: sa.Connection, game_id: str, *, set_aside: bool) -> GameRecord:
    """All that is stored of a game.

    set_aside : whether a game that was set aside is read like any other

    Raises MissingGameError, and DamagedGameError for one that is damaged or set aside.
    """
    this = games.c.id == game_id
    found = read_games(connection, this)
    if not found:
        raise missing_game(game_id)
    secret, was_set_aside = connection.execute(
        sa.select(games.c.secret, games.c.set_aside).where(this)
    ).one()
    happened = _read_events(connection, found[0])
    if was_set_aside is not None and not set_aside:
        raise DamagedGameError(game_id, say("it was found to be damaged before"))
    ends = sa.select(*_RESULT).where(results.c.game_id == game_id).order_by(results.c.seat)
    ended = tuple(GameResult(*row) for row in connection.execute(ends))
    return GameRecord(found[0], happened, secret, ended)


def _read_events(connection: sa.Connection, game: StoredGame) -> tuple[StoredEvent, ...]:
    """The events of a game, none of them missing or changed. Raises DamagedGameError."""
    query = sa.select(*_EVENT, *_KEPT).where(events.c.game_id == game.id)
    found = []
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
        found.append(StoredEvent(expected, row.at, row.kind, row.data))
    if len(found) != game.version or not found:
        last = min(len(found), game.version) + 1
        reason = (
            say("event {number} does not belong to it", number=last)
            if len(found) > game.version
            else say("event {number} is missing", number=last)
        )
        raise DamagedGameError(game.id, reason)
    return tuple(found)


def read_rolls(connection: sa.Connection, *where: sa.ColumnElement[bool]) -> list[RolledGame]:
    """The dice of every roll of games, game by game in their order, but for damaged ones."""
    told = events.c.kind.in_(("begun", "rolled"))
    query = sa.select(games.c.id, events.c.kind, events.c.data).join_from(games, events)
    rows = connection.execute(query.where(*where, told).order_by(games.c.id, events.c.version))
    rolled = []
    for game_id, group in groupby(rows.all(), itemgetter(0)):
        happened = [(kind, data) for _, kind, data in group]
        begun = happened[0][1]
        if not all(isinstance(data, dict) for _, data in happened):
            continue
        if begun.get("kits") or begun.get("pool"):
            of_game = sa.select(events.c.kind, events.c.data).where(events.c.game_id == game_id)
            rows = connection.execute(of_game.order_by(events.c.version))
            rolled.append(RolledGame(begun.get("rules"), (), [tuple(row) for row in rows]))
        else:
            fell = [data.get("dice") for kind, data in happened if kind == "rolled"]
            if all(map(_is_roll, fell)):
                rolled.append(RolledGame(begun.get("rules"), fell))
    return rolled


def _is_roll(dice: object) -> bool:
    return isinstance(dice, list) and all(die in range(1, 7) for die in dice)


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
    connection: sa.Connection, game_id: str, after: int, new: Sequence[NewEvent], at: datetime
) -> None:
    """Insert what happened after some version. Raises DamagedGameError where that is not there."""
    before = START
    if after:
        found = connection.scalar(_HASH, {"game": game_id, "number": after})
        if found is None:
            raise DamagedGameError(game_id, say("event {number} is missing", number=after))
        before = found
    moment, rows = moment_text(at), []
    for version, event in enumerate(new, start=after + 1):
        before = link(before, game_id, version, moment, event.kind, json_text(event.data))
        row = {"game_id": game_id, "version": version, "at": at, "hash": before, **asdict(event)}
        rows.append(row)
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


def change_seats(connection: sa.Connection, game_id: str, changed: Sequence[SeatRow]) -> None:
    """Change seats that are there. Raises ValueError for others."""
    for seat in changed:
        this = (seats.c.game_id == game_id, seats.c.number == seat.number)
        if not connection.execute(sa.update(seats).where(*this).values(asdict(seat))).rowcount:
            raise ValueError(f"game {game_id} has no seat {seat.number} to change")


def delete_seats(connection: sa.Connection, game_id: str, number: int) -> None:
    """Delete the seats from this one on."""
    connection.execute(sa.delete(seats).where(seats.c.game_id == game_id, seats.c.number >= number))


def delete_results(connection: sa.Connection, game_id: str) -> None:
    """Delete how a game ended, and what its review found."""
    connection.execute(sa.delete(reviews).where(reviews.c.game_id == game_id))
    connection.execute(sa.delete(results).where(results.c.game_id == game_id))


def why_not_appended(
    connection: sa.Connection, game_id: str, expected: int, *, reopens: bool
) -> StoreError:
    """Why nothing can be appended."""
    found = read_games(connection, games.c.id == game_id)
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
