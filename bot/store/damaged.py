"""Damaged games: who is yet to be told that they were set aside, and how they are taken back."""

from collections.abc import Callable

from sqlalchemy import Connection, func, select, update

from bot.store.checksums import seal
from bot.store.game_rows import read_record
from bot.store.rows import GameRecord
from bot.store.schema import events, games, results, seats
from bot.store.store import Store


async def untold(store: Store) -> list[str]:
    """The places that have not been told yet of a game that was set aside."""
    query = select(games.c.place).where(games.c.set_aside == 0)
    return await store.read(lambda connection: list(connection.scalars(query)))


async def tell_set_aside(store: Store, place: str) -> str | None:
    """A game of a place that was set aside and not told of yet; now it is."""
    is_untold = (games.c.place == place, games.c.set_aside == 0)
    number = select(func.count()).where(*is_untold)
    if not await store.read(lambda connection: connection.scalar(number)):
        return None
    first = select(games.c.id).where(*is_untold).order_by(games.c.id).limit(1)
    told = update(games).where(games.c.id == first.scalar_subquery()).values(set_aside=1)
    telling = told.returning(games.c.id)
    found = await store.write(lambda connection: connection.scalars(telling).all())
    return str(found[0]) if found else None


async def restore(store: Store, game_id: str, check: Callable[[GameRecord], object]) -> None:
    """Take a game as its rows are now for sound, and count it again if it was set aside.

    check : raises DamagedGameError where that cannot be, and then nothing is changed

    Raises MissingGameError and DamagedGameError.
    """

    def take_back(connection: Connection) -> None:
        for table in (seats, events, results):
            connection.execute(seal(table).where(table.c.game_id == game_id))
        this = games.c.id == game_id
        connection.execute(update(games).where(this).values(set_aside=None))
        connection.execute(seal(games).where(this))
        check(read_record(connection, game_id, set_aside=True))

    await store.write(take_back)
