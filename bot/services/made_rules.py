"""The rules that were made in the chat, for programs that only look: nothing is written."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from sqlalchemy import Connection, select, union

from bot.services.house_rules import HouseRules
from bot.store.database import check_version
from bot.store.schema import place_rules, place_settings
from bot.store.store import Store
from solver.errors import InvalidRequestError
from solver.wording import short


@asynccontextmanager
async def rules_of(
    database_url: str, strategies: Path, kernels: Path, place: str
) -> AsyncIterator[HouseRules]:
    """The rule sets of a place, while the context lasts.

    Raises StoreError where there is no database, or it cannot be read, and InvalidRequestError for
    a place that has set nothing and made no rules.
    """
    opened = Store.look_into(database_url)
    try:
        known = await _places(opened)
        if place not in known:
            some = f"there are some in {', '.join(known)}" if known else "nor anywhere else"
            raise InvalidRequestError(f'no rules were made in the place "{short(place)}"; {some}')
        yield HouseRules(opened, strategies, kernels, allow_files=True)
    finally:
        await opened.close()


async def _places(opened: Store) -> list[str]:
    """Where rules were made, or something else was set. Raises StoreError for another version."""
    both = union(select(place_rules.c.place), select(place_settings.c.place))

    def places(connection: Connection) -> list[str]:
        check_version(connection, opened.database.name)
        return sorted(connection.scalars(both))

    return await opened.read(places)
