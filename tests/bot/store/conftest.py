"""A store in a file of its own."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from bot.store.store import Store
from tests.bot.new_database import lay_database


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "made by the store" / "farkle.db"


@pytest.fixture
def url(path: Path) -> str:
    return f"sqlite:///{path}"


@pytest_asyncio.fixture
async def store(path: Path, url: str) -> AsyncIterator[Store]:
    lay_database(path)
    store = await Store.open(url)
    yield store
    await store.close()
