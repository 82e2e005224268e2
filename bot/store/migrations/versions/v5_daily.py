"""Daily positions of places, and what people answered."""

import sqlalchemy as sa
from alembic import op

revision = "5"
down_revision = "4"


def upgrade() -> None:
    """From tables of games, places and leases."""
    op.create_table(
        "daily_positions",
        sa.Column("place", sa.Text, primary_key=True),
        sa.Column("day", sa.Text, primary_key=True),
        sa.Column("rules", sa.JSON, nullable=False),
        sa.Column("position", sa.Text, nullable=False),
        sa.Column("choices", sa.JSON, nullable=False),
        sa.Column("posted_at", sa.Text),
        sa.Column("crc", sa.Integer, nullable=False, server_default="0"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "daily_answers",
        sa.Column("place", sa.Text, primary_key=True),
        sa.Column("day", sa.Text, primary_key=True),
        sa.Column("person", sa.Text, primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("choice", sa.Integer, nullable=False),
        sa.Column("cost", sa.Float, nullable=False),
        sa.Column("crc", sa.Integer, nullable=False, server_default="0"),
        sa.ForeignKeyConstraint(["place", "day"], ["daily_positions.place", "daily_positions.day"]),
        sa.Index("daily_answers_of_person", "person", "day"),
        sqlite_with_rowid=False,
    )
