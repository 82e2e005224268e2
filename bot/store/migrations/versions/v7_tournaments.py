"""Tournaments, who takes part, and the games of their pairings."""

import sqlalchemy as sa
from alembic import op

revision = "7"
down_revision = "6"


def upgrade() -> None:
    """From tables of games, places, leases, daily positions and drills."""
    op.create_table(
        "tournaments",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("place", sa.Text, nullable=False),
        sa.Column("form", sa.Text, nullable=False),
        sa.Column("rules", sa.JSON, nullable=False),
        sa.Column("hints", sa.Integer, nullable=False),
        sa.Column("draw", sa.JSON, nullable=False),
        sa.Column("made_at", sa.Text, nullable=False),
        sa.Column("ended_at", sa.Text),
        sa.Column("crc", sa.Integer, nullable=False, server_default="0"),
        sa.Index("tournaments_of_place", "place", "made_at"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "entrants",
        sa.Column("tournament_id", sa.Text, sa.ForeignKey("tournaments.id"), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("person", sa.Text),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("left", sa.Integer, nullable=False),
        sa.Column("crc", sa.Integer, nullable=False, server_default="0"),
        sa.Index("entrants_of_person", "person", "tournament_id", unique=True),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "tournament_games",
        sa.Column("game_id", sa.Text, sa.ForeignKey("games.id"), primary_key=True),
        sa.Column("tournament_id", sa.Text, nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("first", sa.Integer, nullable=False),
        sa.Column("second", sa.Integer, nullable=False),
        sa.Column("crc", sa.Integer, nullable=False, server_default="0"),
        sa.ForeignKeyConstraint(["tournament_id"], ["tournaments.id"]),
        sa.Index("games_of_tournament", "tournament_id", "number", unique=True),
        sqlite_with_rowid=False,
    )
