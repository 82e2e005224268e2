"""Games, who sits in them, and what happened."""

import sqlalchemy as sa
from alembic import op

revision = "1"
down_revision = None


def upgrade() -> None:
    """From an empty file."""
    op.create_table(
        "games",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("place", sa.Text, nullable=False),
        sa.Column("rules_name", sa.Text, nullable=False),
        sa.Column("secret", sa.LargeBinary),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("began_at", sa.Text, nullable=False),
        sa.Column("ended_at", sa.Text),
    )
    op.create_index("games_of_place", "games", ["place", "began_at"])
    op.create_index("games_open", "games", ["place"], sqlite_where=sa.text("ended_at IS NULL"))
    op.create_table(
        "seats",
        sa.Column("game_id", sa.Text, sa.ForeignKey("games.id"), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("person", sa.Text),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("level", sa.Text),
        sqlite_with_rowid=False,
    )
    op.create_index("seats_of_person", "seats", ["person", "game_id"], unique=True)
    op.create_table(
        "events",
        sa.Column("game_id", sa.Text, sa.ForeignKey("games.id"), primary_key=True),
        sa.Column("version", sa.Integer, primary_key=True),
        sa.Column("at", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("data", sa.JSON, nullable=False),
        sqlite_with_rowid=False,
    )
