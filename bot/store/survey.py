"""What can be seen of damaged games without reading their events: they are set aside at start."""

import logging
from collections.abc import Iterator
from functools import cache

from sqlalchemy import ColumnElement, Connection, Table, and_, exists, func, select, true, update
from sqlalchemy.dialects import sqlite

from bot.store.checksums import is_sound
from bot.store.errors import DamagedGameError
from bot.store.game_rows import COUNTED
from bot.store.schema import events, games, results, seats
from solver.wording import say, say_later

logger = logging.getLogger(__name__)


def set_aside_damaged(connection: Connection) -> None:
    """Set games aside whose rows are not as they were written, or not as many as there were."""
    for statement, reason in _statements():
        for (game,) in connection.exec_driver_sql(statement):
            logger.error("%s", DamagedGameError(str(game), say(reason)))


@cache
def _statements() -> list[tuple[str, str]]:
    """SQL that sets games aside, each with its reason, marked by `say_later`.

    To word them takes longer than to carry them out.
    """
    found = []
    for is_damaged, reason in _signs():
        changed = update(games).where(COUNTED, is_damaged).values(set_aside=0)
        changed = changed.returning(games.c.id)
        text = changed.compile(dialect=sqlite.dialect(), compile_kwargs={"literal_binds": True})
        found.append((str(text), reason))
    return found


def _signs() -> Iterator[tuple[ColumnElement[bool], str]]:
    """How damaged games are known, each way with its reason in words."""
    yield is_sound(games).is_not(true()), say_later("its row is not as it was written")
    yield _has_unsound(seats), say_later("its seats are not as they were written")
    yield _has_unsound(results), say_later("its results are not as they were written")
    yield _number(events) != games.c.version, say_later("events are missing")
    beside = results.c.seat == seats.c.number
    whose = and_(results.c.game_id == seats.c.game_id, beside)
    lost = select(results.c.game_id).outerjoin_from(results, seats, whose)
    yield games.c.id.in_(lost.where(seats.c.number.is_(None))), say_later("a seat is missing")
    told = _number(results)
    yield and_(told != 0, told != _number(seats)), say_later("a result is missing")
    # asked of the few games without results alone: nothing else looks at all events for it
    without_result = exists().where(events.c.game_id == games.c.id, events.c.kind == "ended")
    is_over = games.c.ended_at.is_not(None)
    yield and_(is_over, told == 0, ~without_result), say_later("its results are missing")


def _has_unsound(table: Table) -> ColumnElement[bool]:
    unsound = select(table.c.game_id).where(is_sound(table).is_not(true()))
    return games.c.id.in_(unsound)


def _number(table: Table) -> ColumnElement[int]:
    """How many rows of a table belong to a game."""
    rows = select(func.count()).select_from(table).where(table.c.game_id == games.c.id)
    return rows.correlate(games).scalar_subquery()
