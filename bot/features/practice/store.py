"""How practice keeps its rows in the database."""

from collections.abc import Iterator

from sqlalchemy import Connection

from bot.features.practice import daily_store, drill_store
from bot.store.store import Keeper

_BOTH = daily_store, drill_store


def _forget(connection: Connection, person: str) -> None:
    for one in _BOTH:
        one.forget(connection, person)


def _problems(connection: Connection) -> Iterator[tuple[str, str]]:
    for one in _BOTH:
        yield from one.problems(connection)


KEEPER = Keeper(_forget, _problems, daily_store.carry)
