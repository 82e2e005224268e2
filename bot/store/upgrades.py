"""Upgrades of the tables by Alembic, which a start loads only where they are not the newest."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

from bot.store.errors import StoreError


def migrations() -> Config:
    """Alembic's configuration, which needs no file."""
    config = Config()
    config.set_main_option("script_location", "bot.store:migrations")
    return config


def upgrade(connection: Connection, path: Path, revision: str | None) -> None:
    """Bring tables of a revision up to date; None stands for an empty file.

    Raises StoreError for a revision that this program does not know.
    """
    config = migrations()
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    if revision is not None and revision not in known:
        raise StoreError(
            f"The database {path} was made by a newer version of this program; install that one"
        )
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
