"""The tables that are of no feature, and the number that says which version of all a database has.

Features lay out theirs beside these once their `store.py` is loaded, as they are listed.
"""

import json
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.schema import SchemaItem
from sqlalchemy.types import TypeEngine

UNREADABLE_MOMENT = datetime.min.replace(tzinfo=UTC)
"""What is read where a row has no moment: before all that happened."""

UNREADABLE = object()
"""What is read of JSON that is none."""


def moment_text(moment: datetime) -> str:
    """A moment as it is kept. Raises ValueError for one without a time zone."""
    if moment.tzinfo is None:
        raise ValueError(f"{moment!r} has no time zone")
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


def json_text(value: Any) -> str:
    """JSON as it is kept. Raises ValueError for numbers that are not finite."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False)


TEXT: TypeEngine[str] = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
"""Text in the order of its letters' numbers, on any database."""


class UtcTime(sa.TypeDecorator[datetime]):
    """An aware datetime, kept as ISO text in UTC of one width, so that text sorts by time."""

    impl = TEXT
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: sa.Dialect) -> str | None:  # noqa: ARG002
        """Write a moment as text. Raises ValueError for a datetime without a time zone."""
        return None if value is None else moment_text(value)

    def process_result_value(self, value: str | None, dialect: sa.Dialect) -> datetime | None:  # noqa: ARG002
        """Read a moment; `UNREADABLE_MOMENT` of text that was changed to no moment."""
        if value is None:
            return None
        try:
            moment = datetime.fromisoformat(value)
        except ValueError:
            return UNREADABLE_MOMENT
        return moment if moment.tzinfo else UNREADABLE_MOMENT


class Json(sa.TypeDecorator[Any]):
    """JSON, kept as its text on any database."""

    impl = TEXT
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: sa.Dialect) -> str:  # noqa: ARG002
        """Write a value as JSON. Raises ValueError for what is not finite."""
        return json_text(value)

    def process_result_value(self, value: str | None, dialect: sa.Dialect) -> Any:  # noqa: ARG002
        """Read a value; `UNREADABLE` of text that was changed to no JSON."""
        try:
            return json.loads(value or "")
        except (ValueError, RecursionError):
            return UNREADABLE


NUMBER: TypeEngine[float] = sa.Double().with_variant(sa.REAL(), "sqlite")
"""SQLite has one type of eight bytes, of another name than elsewhere."""

NEWEST = 2
"""The version of these tables. Whoever changes them once they were released brings those of the
version before up to date."""

metadata = sa.MetaData()
OPEN = sa.text("ended_at IS NULL")
_UNTOLD = sa.text("set_aside = 0")


def make_table(name: str, *items: SchemaItem) -> sa.Table:
    """A table, of which SQLite holds the types as other databases do, in the order of its key."""
    return sa.Table(name, metadata, *items, sqlite_strict=True, sqlite_with_rowid=False)


schema_version = make_table("schema_version", sa.Column("number", sa.Integer, primary_key=True))
"""One row."""

games = make_table(
    "games",
    sa.Column("id", TEXT, primary_key=True),
    sa.Column("place", TEXT, nullable=False),
    sa.Column("rules_name", TEXT, nullable=False),
    sa.Column("secret", sa.LargeBinary),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("began_at", UtcTime, nullable=False),
    sa.Column("ended_at", UtcTime),
    sa.Column("set_aside", sa.Integer),
    sa.Index("games_of_place", "place", "began_at"),
    sa.Index(
        "open_games", "place", "set_aside", "began_at", sqlite_where=OPEN, postgresql_where=OPEN
    ),
    sa.Index("untold_games", "place", sqlite_where=_UNTOLD, postgresql_where=_UNTOLD),
)
"""`version` counts the events; a game without `ended_at` is open.

`set_aside` is there for a damaged game: 0 until its place was told, then 1.
"""

seats = make_table(
    "seats",
    sa.Column("game_id", TEXT, sa.ForeignKey("games.id"), primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("person", TEXT),
    sa.Column("name", TEXT, nullable=False),
    sa.Column("level", TEXT),
    sa.Index("seats_of_person", "person", "game_id", unique=True),
)
"""The table that names players; those of games know seats."""

events = make_table(
    "events",
    sa.Column("game_id", TEXT, sa.ForeignKey("games.id"), primary_key=True),
    sa.Column("version", sa.Integer, primary_key=True),
    sa.Column("at", UtcTime, nullable=False),
    sa.Column("kind", TEXT, nullable=False),
    sa.Column("data", Json, nullable=False),
    sa.Column("hash", sa.LargeBinary, nullable=False),
)
"""What happened in games; the hash is of an event and of the hash before, see `link`."""

results = make_table(
    "results",
    sa.Column("game_id", TEXT, primary_key=True),
    sa.Column("seat", sa.Integer, primary_key=True),
    sa.Column("share", NUMBER, nullable=False),
    sa.Column("points", sa.Integer, nullable=False),
    sa.Column("turns", sa.Integer, nullable=False),
    sa.Column("farkles", sa.Integer, nullable=False),
    sa.Column("biggest_turn", sa.Integer, nullable=False),
    sa.Column("accuracy", NUMBER),
    sa.Column("luck", NUMBER),
    sa.ForeignKeyConstraint(["game_id", "seat"], ["seats.game_id", "seats.number"]),
)
"""Rows come with the last event of a game, so that only finished games have any."""

place_settings = make_table(
    "place_settings",
    sa.Column("place", TEXT, primary_key=True),
    sa.Column("key", TEXT, primary_key=True),
    sa.Column("value", Json, nullable=False),
)

place_rules = make_table(
    "place_rules",
    sa.Column("place", TEXT, primary_key=True),
    sa.Column("name", TEXT, primary_key=True),
    sa.Column("text", TEXT, nullable=False),
    sa.Column("author", TEXT),
)

reviews = make_table(
    "reviews",
    sa.Column("game_id", TEXT, primary_key=True),
    sa.Column("seat", sa.Integer, primary_key=True),
    sa.Column("found", Json, nullable=False),
)
"""What reviews found of the seats of finished games, once somebody has asked for it."""

done = make_table(
    "done", sa.Column("id", TEXT, primary_key=True), sa.Column("at", UtcTime, nullable=False)
)
"""What was asked for lately and is done, see `bot.store.store.Deed`."""


def make_indexes(connection: sa.Connection) -> None:
    """Make the indexes that a database of before lacks."""
    for table in metadata.tables.values():
        for index in table.indexes:
            index.create(connection, checkfirst=True)
