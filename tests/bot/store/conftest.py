"""A store of its own for each test: in a file, or on a server of PostgreSQL."""

from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from bot.store.store import Store
from tests.bot.new_database import lay_database
from tests.bot.postgres import WHY_NOT, server


@pytest.fixture(scope="session")
def new_postgres() -> Iterator[Callable[[], str]]:
    """Makes a database of PostgreSQL; gives its address."""
    if WHY_NOT:
        pytest.skip(WHY_NOT)
    with server() as made:
        yield made.new_database


@pytest.fixture
def kind() -> str:
    """Which database it is; files that are about both have a fixture of this name with `KINDS`."""
    return "sqlite"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "made by the store" / "farkle.db"


@pytest.fixture
def url(kind: str, path: Path, request: pytest.FixtureRequest) -> str:
    if kind == "sqlite":
        return f"sqlite:///{path}"
    new_database: Any = request.getfixturevalue("new_postgres")
    return str(new_database())


@pytest_asyncio.fixture
async def store(kind: str, path: Path, url: str) -> AsyncIterator[Store]:
    if kind == "sqlite":
        lay_database(path)
    store = await Store.open(url)
    yield store
    await store.close()
