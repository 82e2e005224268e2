"""A database without games, made once and copied: to make its tables takes long."""

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from bot.features import keepers
from bot.store.database import prepare
from solver.folders import OWNER_ONLY, make_private


def lay_database(file: Path) -> None:
    """Put a database there as the first start of a program makes it, unless there is a file."""
    if not file.exists():
        make_private(file.parent)
        file.touch(OWNER_ONLY)
        file.write_bytes(_made())


@cache
def _made() -> bytes:
    keepers()  # all tables are known once these are loaded
    with TemporaryDirectory() as folder:
        file = Path(folder) / "farkle.db"
        prepare(file)
        return file.read_bytes()
