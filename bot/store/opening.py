"""Which database an address names."""

from bot.store.database import SqliteFile, database_path
from bot.store.kinds import Database


def database_of(url: str) -> Database:
    """The database of an address. Raises StoreError for one that names none."""
    if not url.startswith("postgresql"):
        return SqliteFile(database_path(url))
    # its driver is installed where it is needed
    from bot.store.postgres import Postgres  # noqa: PLC0415

    return Postgres(url)
