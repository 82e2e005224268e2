"""Positions that people practise on, and when each is asked again."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import ColumnElement, Connection, and_, delete, select, true

from bot.store.rows import StoredDrill, as_dict, sound, unsound
from bot.store.schema import drills
from bot.store.store import Store
from bot.store.transactions import put

_DRILL = TypeAdapter(StoredDrill)
_KEYS = "person", "position"


async def drills_of(store: Store, person: str) -> list[StoredDrill]:
    """All positions of a person, what was asked first first."""
    return await store.read(lambda connection: _read(connection, person))


async def ask(store: Store, asked: StoredDrill, fits: Callable[[StoredDrill], bool]) -> StoredDrill:
    """Have a position wait for an answer, unless another one that fits does: what waits then.

    What was done with, and is not asked again, is forgotten once something else was answered: what
    comes next depends on what was answered last.
    """

    def note(connection: Connection) -> StoredDrill:
        known = _read(connection, asked.person)
        if waiting := next((one for one in known if one.choice is None and fits(one)), None):
            waiting = replace(waiting, asked_at=asked.asked_at)
            put(connection, drills, _row(waiting))
            return waiting
        last = max((one.answered_at for one in known if one.answered_at), default=None)
        for one in known:
            if one.due is None and one.choice is not None and one.answered_at != last:
                connection.execute(delete(drills).where(_this(one)))
        put(connection, drills, _row(asked))
        return asked

    return await store.write(note)


async def drop(store: Store, drill: StoredDrill) -> None:
    """Forget a position."""
    this = delete(drills).where(_this(drill))
    await store.write(lambda connection: connection.execute(this).rowcount)


async def answer(
    store: Store,
    person: str,
    position: str | None,
    given: Callable[[StoredDrill], StoredDrill],
) -> tuple[StoredDrill | None, bool]:
    """Answer a position, the one asked last if None; the position, and whether it waited.

    given : makes of what is asked what was answered, and may refuse
    """

    def note(connection: Connection) -> tuple[StoredDrill | None, bool]:
        found = [
            one
            for one in _read(connection, person)
            if (one.choice is None if position is None else one.position == position)
        ]
        if not found or found[-1].choice is not None:
            return next(iter(found), None), False
        done = given(found[-1])
        put(connection, drills, _row(done))
        return done, True

    return await store.write(note)


def forget(connection: Connection, person: str) -> None:
    """Delete all that somebody practised on."""
    connection.execute(delete(drills).where(drills.c.person == person))


def problems(connection: Connection) -> Iterator[tuple[str, str]]:
    """What is wrong with the positions of all people."""
    return (("drills", what) for what in unsound(_DRILL, _rows(connection, true())))


def _read(connection: Connection, person: str) -> list[StoredDrill]:
    found = sound(_DRILL, _rows(connection, drills.c.person == person))
    return sorted(found, key=lambda one: (one.asked_at, one.position))


def _rows(connection: Connection, which: ColumnElement[bool]) -> list[dict[str, Any]]:
    """The rows of which a condition holds, as data."""
    return [
        {**as_dict(row.state), "person": row.person, "position": row.position}
        for row in connection.execute(select(drills).where(which))
    ]


def _row(drill: StoredDrill) -> dict[str, Any]:
    state = _DRILL.dump_python(drill, mode="json")
    return {**{name: state.pop(name) for name in _KEYS}, "state": state}


def _this(drill: StoredDrill) -> ColumnElement[bool]:
    return and_(*(drills.c[name] == getattr(drill, name) for name in _KEYS))
