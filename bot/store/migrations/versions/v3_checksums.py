"""Checksums of rows, and which games were set aside as damaged."""

import zlib

import sqlalchemy as sa
from alembic import op

revision = "3"
down_revision = "2"

_ROWS = {
    "games": ["id", "place", "rules_name", "secret", "version", "began_at", "ended_at"],
    "seats": ["game_id", "number", "person", "name", "level"],
    "events": ["game_id", "version", "at", "kind", "data"],
    "results": [
        *["game_id", "seat", "share", "points", "turns", "farkles", "biggest_turn"],
        *["accuracy", "luck"],
    ],
    "place_settings": ["place", "key", "value"],
    "place_rules": ["place", "name", "text", "author"],
}


def upgrade() -> None:
    """From rows without them, which are taken for sound."""
    connection = op.get_bind()
    driver = connection.connection.driver_connection
    assert driver is not None  # noqa: S101 - migrations run over a connection
    driver.create_function("crc32", 1, zlib.crc32, deterministic=True)
    for table, columns in _ROWS.items():
        op.add_column(table, sa.Column("crc", sa.Integer, nullable=False, server_default="0"))
        row = " || ',' || ".join(f"quote({column})" for column in columns)
        op.execute(f"UPDATE {table} SET crc = crc32(CAST({row} AS BLOB))")  # noqa: S608
    op.add_column("games", sa.Column("set_aside", sa.Integer))
