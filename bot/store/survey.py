"""What can be seen of damaged games without reading their events: they are set aside at start."""

import logging
from collections.abc import Iterator

from sqlalchemy import ColumnElement, Connection, Table, and_, exists, func, select, true, update

from bot.store.checksums import is_sound
from bot.store.errors import DamagedGameError
from bot.store.game_rows import COUNTED
from bot.store.schema import events, games, results, seats
from solver.wording import say

logger = logging.getLogger(__name__)


def set_aside_damaged(connection: Connection) -> None:
    """Set games aside whose rows are not as they were written, or not as many as there were."""
    for is_damaged, reason in _signs():
        changed = update(games).where(COUNTED, is_damaged).values(set_aside=0)
        for game in connection.scalars(changed.returning(games.c.id)):
            logger.error("%s", DamagedGameError(str(game), reason))


def _signs() -> Iterator[tuple[ColumnElement[bool], str]]:
    """How damaged games are known, each way with its reason in words."""
    yield is_sound(games).is_not(true()), say("its row is not as it was written")
    yield _has_unsound(seats), say("its seats are not as they were written")
    yield _has_unsound(results), say("its results are not as they were written")
    yield _number(events) != games.c.version, say("events are missing")
    beside = results.c.seat == seats.c.number
    whose = and_(results.c.game_id == seats.c.game_id, beside)
    lost = select(results.c.game_id).outerjoin_from(results, seats, whose)
    yield games.c.id.in_(lost.where(seats.c.number.is_(None))), say("a seat is missing")
    told = _number(results)
    yield and_(told != 0, told != _number(seats)), say("a result is missing")
    # asked of the few games without results alone: nothing else looks at all events for it
    without_result = exists().where(events.c.game_id == games.c.id, events.c.kind == "ended")
    is_over = games.c.ended_at.is_not(None)
    yield and_(is_over, told == 0, ~without_result), say("its results are missing")


def _has_unsound(table: Table) -> ColumnElement[bool]:
    unsound = select(table.c.game_id).where(is_sound(table).is_not(true()))
    return games.c.id.in_(unsound)


def _number(table: Table) -> ColumnElement[int]:
    """How many rows of a table belong to a game."""
    rows = select(func.count()).select_from(table).where(table.c.game_id == games.c.id)
    return rows.correlate(games).scalar_subquery()
