"""Results of finished games, and what each place keeps: settings and rules of its own."""

import sqlalchemy as sa
from alembic import op

revision = "2"
down_revision = "1"


def upgrade() -> None:
    """From games alone."""
    op.create_table(
        "results",
        sa.Column("game_id", sa.Text, primary_key=True),
        sa.Column("seat", sa.Integer, primary_key=True),
        sa.Column("share", sa.Float, nullable=False),
        sa.Column("points", sa.Integer, nullable=False),
        sa.Column("turns", sa.Integer, nullable=False),
        sa.Column("farkles", sa.Integer, nullable=False),
        sa.Column("biggest_turn", sa.Integer, nullable=False),
        sa.Column("accuracy", sa.Float),
        sa.Column("luck", sa.Float),
        sa.ForeignKeyConstraint(["game_id", "seat"], ["seats.game_id", "seats.number"]),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "place_settings",
        sa.Column("place", sa.Text, primary_key=True),
        sa.Column("key", sa.Text, primary_key=True),
        sa.Column("value", sa.JSON, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "place_rules",
        sa.Column("place", sa.Text, primary_key=True),
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("author", sa.Text),
        sqlite_with_rowid=False,
    )
