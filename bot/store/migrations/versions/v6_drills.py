"""What reviews found, and positions that people practise on."""

import sqlalchemy as sa
from alembic import op

revision = "6"
down_revision = "5"


def upgrade() -> None:
    """From tables with daily positions."""
    op.create_table(
        "reviews",
        sa.Column("game_id", sa.Text, primary_key=True),
        sa.Column("seat", sa.Integer, primary_key=True),
        sa.Column("decisions", sa.Integer, nullable=False),
        sa.Column("loss", sa.Float, nullable=False),
        sa.Column("without_luck", sa.Float),
        sa.Column("spots", sa.JSON, nullable=False),
        sa.Column("lessons", sa.JSON, nullable=False),
        sa.Column("crc", sa.Integer, nullable=False, server_default="0"),
        sa.ForeignKeyConstraint(["game_id", "seat"], ["seats.game_id", "seats.number"]),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "drills",
        sa.Column("person", sa.Text, primary_key=True),
        sa.Column("position", sa.Text, primary_key=True),
        sa.Column("rules", sa.JSON, nullable=False),
        sa.Column("choices", sa.JSON, nullable=False),
        sa.Column("game_id", sa.Text),
        sa.Column("turn", sa.Integer),
        sa.Column("chosen", sa.Integer),
        sa.Column("asked_at", sa.Text, nullable=False),
        sa.Column("answered_at", sa.Text),
        sa.Column("choice", sa.Integer),
        sa.Column("memory", sa.JSON),
        sa.Column("due", sa.Text),
        sa.Column("crc", sa.Integer, nullable=False, server_default="0"),
        sqlite_with_rowid=False,
    )
