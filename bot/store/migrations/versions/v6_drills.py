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
        sa.Column("found", sa.JSON, nullable=False),
        sa.Column("crc", sa.Integer, nullable=False, server_default="0"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "drills",
        sa.Column("person", sa.Text, primary_key=True),
        sa.Column("position", sa.Text, primary_key=True),
        sa.Column("state", sa.JSON, nullable=False),
        sa.Column("crc", sa.Integer, nullable=False, server_default="0"),
        sqlite_with_rowid=False,
    )
