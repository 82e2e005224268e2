"""The tables as the newest migration leaves them; a test compares the two."""

from datetime import UTC, datetime

from sqlalchemy import (
    JSON,
    Column,
    Dialect,
    Float,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    TypeDecorator,
    text,
)


class UtcTime(TypeDecorator[datetime]):
    """An aware datetime, kept as ISO text in UTC of one width, so that text sorts by time."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> str | None:  # noqa: ARG002
        """To the file. Raises ValueError for a datetime without a time zone."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"{value!r} has no time zone")
        return value.astimezone(UTC).isoformat(timespec="microseconds")

    def process_result_value(self, value: str | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        """From the file; None for what is no moment, which damaged rows have."""
        try:
            found = datetime.fromisoformat(value or "")
        except (ValueError, TypeError):
            return None
        return found if found.tzinfo else None


NEWEST = "7"
"""The revision of these tables, which is that of the newest migration."""

metadata = MetaData()

games = Table(
    "games",
    metadata,
    Column("id", Text, primary_key=True),
    Column("place", Text, nullable=False),
    Column("rules_name", Text, nullable=False),
    Column("secret", LargeBinary),
    Column("version", Integer, nullable=False),
    Column("began_at", UtcTime, nullable=False),
    Column("ended_at", UtcTime),
    Column("crc", Integer, nullable=False, server_default="0"),
    Column("set_aside", Integer),
    Index("games_of_place", "place", "began_at"),
    Index("games_open", "place", sqlite_where=text("ended_at IS NULL")),
)
"""`version` counts the events; a game without `ended_at` is open.

`set_aside` is there for a damaged game: 0 until its place was told, then 1. `crc` in every table is
the checksum of a row, see `bot/store/checksums.py`.
"""

seats = Table(
    "seats",
    metadata,
    Column("game_id", Text, ForeignKey("games.id"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("person", Text),
    Column("name", Text, nullable=False),
    Column("level", Text),
    Column("crc", Integer, nullable=False, server_default="0"),
    Index("seats_of_person", "person", "game_id", unique=True),
    sqlite_with_rowid=False,
)
"""The table that names players; those of games know seats."""

events = Table(
    "events",
    metadata,
    Column("game_id", Text, ForeignKey("games.id"), primary_key=True),
    Column("version", Integer, primary_key=True),
    Column("at", UtcTime, nullable=False),
    Column("kind", Text, nullable=False),
    Column("data", JSON, nullable=False),
    Column("crc", Integer, nullable=False, server_default="0"),
    sqlite_with_rowid=False,
)

results = Table(
    "results",
    metadata,
    Column("game_id", Text, primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("share", Float, nullable=False),
    Column("points", Integer, nullable=False),
    Column("turns", Integer, nullable=False),
    Column("farkles", Integer, nullable=False),
    Column("biggest_turn", Integer, nullable=False),
    Column("accuracy", Float),
    Column("luck", Float),
    Column("crc", Integer, nullable=False, server_default="0"),
    ForeignKeyConstraint(["game_id", "seat"], ["seats.game_id", "seats.number"]),
    sqlite_with_rowid=False,
)
"""Rows come with the last event of a game, so that only finished games have any."""

place_settings = Table(
    "place_settings",
    metadata,
    Column("place", Text, primary_key=True),
    Column("key", Text, primary_key=True),
    Column("value", JSON, nullable=False),
    Column("crc", Integer, nullable=False, server_default="0"),
    sqlite_with_rowid=False,
)

place_rules = Table(
    "place_rules",
    metadata,
    Column("place", Text, primary_key=True),
    Column("name", Text, primary_key=True),
    Column("text", Text, nullable=False),
    Column("author", Text),
    Column("crc", Integer, nullable=False, server_default="0"),
    sqlite_with_rowid=False,
)

leases = Table(
    "leases",
    metadata,
    Column("name", Text, primary_key=True),
    Column("holder", Text, nullable=False),
    Column("until", UtcTime, nullable=False),
    sqlite_with_rowid=False,
)
"""Work that one of several programs does; one that ends without releasing it is not renewed."""

daily_positions = Table(
    "daily_positions",
    metadata,
    Column("place", Text, primary_key=True),
    Column("day", Text, primary_key=True),
    Column("rules", JSON, nullable=False),
    Column("position", Text, nullable=False),
    Column("choices", JSON, nullable=False),
    Column("posted_at", UtcTime),
    Column("crc", Integer, nullable=False, server_default="0"),
    sqlite_with_rowid=False,
)
"""What was asked in a place on a day: the rules as data, the position by its ID.

`posted_at` is there once a program has taken it upon itself to post it; the checksum is of the
rest.
"""

daily_answers = Table(
    "daily_answers",
    metadata,
    Column("place", Text, primary_key=True),
    Column("day", Text, primary_key=True),
    Column("person", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("choice", Integer, nullable=False),
    Column("cost", Float, nullable=False),
    Column("crc", Integer, nullable=False, server_default="0"),
    ForeignKeyConstraint(["place", "day"], ["daily_positions.place", "daily_positions.day"]),
    Index("daily_answers_of_person", "person", "day"),
    sqlite_with_rowid=False,
)
"""Whoever is forgotten has none any more. A cost of 0 is that of the best choice."""

reviews = Table(
    "reviews",
    metadata,
    Column("game_id", Text, primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("found", JSON, nullable=False),
    Column("crc", Integer, nullable=False, server_default="0"),
    sqlite_with_rowid=False,
)
"""What reviews found of the seats of finished games, once somebody has asked for it.

A row that is damaged or missing is made anew.
"""

drills = Table(
    "drills",
    metadata,
    Column("person", Text, primary_key=True),
    Column("position", Text, primary_key=True),
    Column("state", JSON, nullable=False),
    Column("crc", Integer, nullable=False, server_default="0"),
    sqlite_with_rowid=False,
)
"""Positions that somebody practises on, by their IDs. Whoever is forgotten has none any more."""

tournaments = Table(
    "tournaments",
    metadata,
    Column("id", Text, primary_key=True),
    Column("place", Text, nullable=False),
    Column("form", Text, nullable=False),
    Column("rules", JSON, nullable=False),
    Column("hints", Integer, nullable=False),
    Column("draw", JSON, nullable=False),
    Column("made_at", UtcTime, nullable=False),
    Column("ended_at", UtcTime),
    Column("crc", Integer, nullable=False, server_default="0"),
    Index("tournaments_of_place", "place", "made_at"),
    sqlite_with_rowid=False,
)
"""`rules` are data; `draw` are the numbers of the entrants as drawn, none before the start."""

entrants = Table(
    "entrants",
    metadata,
    Column("tournament_id", Text, ForeignKey("tournaments.id"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("person", Text),
    Column("name", Text, nullable=False),
    Column("left", Integer, nullable=False),
    Column("crc", Integer, nullable=False, server_default="0"),
    Index("entrants_of_person", "person", "tournament_id", unique=True),
    sqlite_with_rowid=False,
)
"""Who takes part; number 0 is the host, who may have left."""

tournament_games = Table(
    "tournament_games",
    metadata,
    Column("game_id", Text, ForeignKey("games.id"), primary_key=True),
    Column("tournament_id", Text, nullable=False),
    Column("number", Integer, nullable=False),
    Column("first", Integer, nullable=False),
    Column("second", Integer, nullable=False),
    Column("crc", Integer, nullable=False, server_default="0"),
    ForeignKeyConstraint(["tournament_id"], ["tournaments.id"]),
    Index("games_of_tournament", "tournament_id", "number", unique=True),
    sqlite_with_rowid=False,
)
"""Games of pairings, numbered from 1 in the order in which they were begun: the entrants by seat.

What comes of them is in `results`.
"""
