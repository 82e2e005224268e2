"""All that is PostgreSQL's own: how its database is reached and made, and what may be wrong."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from hashlib import blake2b
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.exc import ArgumentError, DBAPIError, DisconnectionError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from bot.store.database import prepare_tables
from bot.store.kinds import MOST_READS, PATIENCE, Database, Mode
from bot.store.rows import StoreError
from bot.store.schema import metadata
from solver.wording import say_later

try:
    import asyncpg
except ImportError:
    asyncpg = None

T = TypeVar("T")

logger = logging.getLogger(__name__)

_MOST_WRITES = 4
_LOOK_SECONDS = 0.5
"""Seconds between two looks whether what another program holds is free."""
_HEARTBEAT_SECONDS = 5.0
"""Seconds between two looks whether the locks are still held, and the most for an answer."""
_HOLDING = {
    # so that what a machine that went silent held is free for others after some seconds
    "tcp_keepalives_idle": "5",
    "tcp_keepalives_interval": "3",
    "tcp_keepalives_count": "3",
    "tcp_user_timeout": "15000",
}
"""How the server looks after the connection of who holds something."""
_AWAY = say_later("The database {name} cannot be reached or used ({reason})")
_OF_PEOPLE = {"person", "author", "place"}
"""Columns by which a table may name people, as places may be called after them."""
_OUR_FAULTS = "22", "23", "42"
"""What statements begin with as SQLSTATE that are a mistake of ours, or refused by a table."""
_FORBIDDEN = "42501"
"""The SQLSTATE where whoever is connected may not do something, as make tables."""


def _key(name: str) -> int:
    """The number by which a lock is known to the server."""
    digest = blake2b(f"farkle-advisor {name}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


_LOCKS = {
    Mode.WRITE: sa.func.pg_advisory_xact_lock,
    Mode.BRIEF: sa.func.pg_advisory_xact_lock,
    Mode.APPEND: sa.func.pg_advisory_xact_lock_shared,
}
"""What each takes that writes until it ends."""


def _check_open(connection: Any, *_: object) -> None:
    """Have a connection made anew that the server has closed while nobody asked, as to restart."""
    if connection.driver_connection.is_closed():
        raise DisconnectionError


class Postgres(Database):
    """A database of a server of PostgreSQL, which as many machines may use as one likes.

    Those who append to games, which each check the version, share a lock; who writes anything else
    has it alone, so that what was read before is so when it is written.
    """

    def __init__(self, url: str) -> None:
        """Raises StoreError for an address that names no database, and without the driver."""
        try:
            parts = sa.make_url(url).set(drivername="postgresql+asyncpg")
        except (ValueError, ArgumentError):
            parts = sa.make_url("postgresql://")
        # other programs say sslmode
        query = {key.removesuffix("mode"): value for key, value in parts.query.items()}
        parts = parts.set(query=query)
        if not parts.database or query.keys() - {"ssl", "host"}:
            raise StoreError.say(
                "FARKLE_DATABASE_URL has to name a database of PostgreSQL as in {example}",
                example="postgresql+asyncpg://ann@host/farkle?ssl=require",
            )
        if asyncpg is None:
            raise StoreError.say(
                "PostgreSQL needs a driver: install farkle-advisor with its extra postgres"
            )
        self._url = parts
        self.url = parts.render_as_string(hide_password=False)
        self.name = parts.set(query={}).render_as_string()
        self.stem = parts.database
        self._reading = asyncio.Semaphore(MOST_READS)
        self._writing = asyncio.Semaphore(_MOST_WRITES)
        self._engine = create_async_engine(
            parts,
            pool_size=MOST_READS + _MOST_WRITES,
            max_overflow=0,
            hide_parameters=True,  # errors go to logs, and the dice have secrets
            isolation_level="AUTOCOMMIT",
            connect_args={"timeout": PATIENCE, "command_timeout": 10 * PATIENCE},
        )
        sa.event.listen(self._engine.sync_engine, "checkout", _check_open)

    async def prepare(self) -> None:
        """Make the tables, one program at a time."""
        try:
            await self.run(Mode.WRITE, lambda connection: prepare_tables(connection, self.name))
        except BaseException:
            await self.close()
            raise

    async def run(self, mode: Mode, work: Callable[[sa.Connection], T]) -> T:
        """What some work makes of a transaction."""
        turn = self._writing if mode in _LOCKS else self._reading
        with self._explained():
            async with turn, self._engine.connect() as connection:
                if mode is Mode.EACH:
                    return await connection.run_sync(work)
                isolation = "REPEATABLE READ" if mode is Mode.READ else "READ COMMITTED"
                await connection.execution_options(isolation_level=isolation)
                async with connection.begin():
                    if lock := _LOCKS.get(mode):
                        await connection.execute(sa.select(lock(_key("writing"))))
                    return await connection.run_sync(work)

    async def close(self) -> None:
        """Close all connections."""
        await self._engine.dispose()

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Whatever is wrong with the server becomes a StoreError."""
        try:
            yield
        except DBAPIError as error:
            state = str(getattr(error.orig, "sqlstate", None) or "")
            if state.startswith(_OUR_FAULTS) and state != _FORBIDDEN:
                raise
            raise self._away(error.orig or error) from error
        except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
            raise self._away(error) from error

    def _away(self, error: BaseException) -> StoreError:
        reason = str(error).rpartition("Error'>: ")[2].strip().split("\n")[0]
        return StoreError.say(_AWAY, name=self.name, reason=reason or type(error).__name__)

    @asynccontextmanager
    async def held(
        self,
        names: Sequence[str],
        when_waiting: Callable[[], object],
        when_lost: Callable[[], object],
    ) -> AsyncGenerator[None]:
        """One program has locks of the server's, as long as it is connected."""
        engine = create_async_engine(
            self._url,
            pool_size=1,
            max_overflow=0,
            isolation_level="AUTOCOMMIT",
            connect_args={
                "timeout": _HEARTBEAT_SECONDS,
                "command_timeout": _HEARTBEAT_SECONDS,
                "server_settings": _HOLDING,
            },
        )
        locks = [sa.select(sa.func.pg_try_advisory_lock(_key(name))) for name in names]
        try:
            with self._explained():
                is_told = False
                async with engine.connect() as connection:
                    for lock in locks:
                        while not await connection.scalar(lock):
                            if not is_told:
                                is_told = True
                                when_waiting()
                            await asyncio.sleep(_LOOK_SECONDS)
            # the pool keeps the one connection, and with it the locks
            keeping = asyncio.create_task(self._keep(engine, locks, when_lost))
            try:
                yield
            finally:
                keeping.cancel()
                await asyncio.gather(keeping, return_exceptions=True)
        finally:
            await engine.dispose()

    async def _keep(
        self,
        engine: AsyncEngine,
        locks: Sequence[sa.Select[tuple[bool]]],
        when_lost: Callable[[], object],
    ) -> None:
        """Look whether the locks are still held, and take them again after the server was away.

        Who holds one already gets it once more, which is undone with the connection. A server that
        says nothing is away: a connection that is silent is given up.
        """
        while True:
            await asyncio.sleep(_HEARTBEAT_SECONDS)
            try:
                with self._explained():
                    async with (
                        asyncio.timeout(2 * _HEARTBEAT_SECONDS),
                        engine.connect() as connection,
                    ):
                        is_ours = all([await connection.scalar(lock) for lock in locks])
            except StoreError as error:
                logger.warning("%s", error)
                continue
            if not is_ours:
                when_lost()
                return

    def check_unused(self, connection: sa.Connection) -> None:
        """Raises StoreError where others are connected."""
        activity = sa.table("pg_stat_activity", sa.column("datname"), sa.column("pid"))
        others = sa.select(sa.func.count()).where(
            activity.c.datname == sa.func.current_database(),
            activity.c.pid != sa.func.pg_backend_pid(),
        )
        if connection.scalar(others):
            raise StoreError(
                f"The database {self.name} is in use: end the programs that have it open first"
            )

    def rewrite(self, connection: sa.Connection) -> None:
        """Write the tables anew that name people; the server's log of writes is its own matter."""
        for table in metadata.sorted_tables:
            if _OF_PEOPLE & set(table.columns.keys()):
                connection.exec_driver_sql(f"VACUUM FULL {table.name}")
