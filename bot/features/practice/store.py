"""What was asked in places on each day, what people answered, and what they practise on."""

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from datetime import date, datetime, timedelta
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    ForeignKeyConstraint,
    Index,
    Integer,
    Table,
    and_,
    delete,
    select,
    true,
    update,
)

from bot.store.rows import as_dict, sound, unsound
from bot.store.schema import NUMBER, TEXT, Json, UtcTime, make_table, place_settings
from bot.store.store import Keeper, Store, put, writes

daily_positions = make_table(
    "daily_positions",
    Column("place", TEXT, primary_key=True),
    Column("day", TEXT, primary_key=True),
    Column("rules", Json, nullable=False),
    Column("position", TEXT, nullable=False),
    Column("choices", Json, nullable=False),
    Column("posted_at", UtcTime),
)
"""What was asked in a place on a day: the rules as data, the position by its ID.

`posted_at` is there once a program has taken it upon itself to post it.
"""

SENDING = "daily-sending"
"""The setting of a place that says since when something may have been posted there of which
nobody knows yet whether it was."""

daily_answers = make_table(
    "daily_answers",
    Column("place", TEXT, primary_key=True),
    Column("day", TEXT, primary_key=True),
    Column("person", TEXT, primary_key=True),
    Column("name", TEXT, nullable=False),
    Column("choice", Integer, nullable=False),
    Column("cost", NUMBER, nullable=False),
    ForeignKeyConstraint(["place", "day"], ["daily_positions.place", "daily_positions.day"]),
    Index("daily_answers_of_person", "person", "day"),
)
"""Whoever is forgotten has none any more. A cost of 0 is that of the best choice."""

drills = make_table(
    "drills",
    Column("person", TEXT, primary_key=True),
    Column("position", TEXT, primary_key=True),
    Column("state", Json, nullable=False),
)
"""Positions that somebody practises on, by their IDs. Whoever is forgotten has none any more."""


@dataclass(frozen=True, slots=True)
class StoredDaily:
    """What was asked in a place on a day."""

    place: str
    day: date
    rules: dict[str, Any]
    position: str
    """The ID of the position."""
    choices: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class DailyAnswer:
    """What somebody answered; the cost, a win probability, is 0 for the best choice."""

    day: date
    person: str
    name: str
    choice: int
    cost: float


@dataclass(frozen=True, slots=True)
class StoredDrill:
    """A position that somebody practises on."""

    person: str
    position: str
    """The ID of the position, or a key where it has none."""
    rules: dict[str, Any]
    choices: list[dict[str, Any]]
    asked_at: datetime
    game_id: str | None = None
    """The game in which it came up; None for one that was drawn, as for the next two."""
    turn: int | None = None
    chosen: int | None = None
    """What was chosen then, as an index of the choices."""
    answered_at: datetime | None = None
    """When it was answered last."""
    choice: int | None = None
    """The last answer; None while one is waited for."""
    memory: dict[str, Any] | None = None
    """What the next interval follows from, see `drill.py`."""
    due: datetime | None = None
    """When it is asked again; None for never."""
    whole: dict[str, Any] | None = None
    """What is asked, but for the rules and the choices, where it has no ID."""


LOST = timedelta(minutes=1)
"""The time after which nobody is posting what was claimed any more: a program was killed."""
_ASKED = [daily_positions.c[name] for name in StoredDaily.__dataclass_fields__]
_ANSWER = [daily_answers.c[name] for name in DailyAnswer.__dataclass_fields__]
_DAILY, _GIVEN = TypeAdapter(StoredDaily), TypeAdapter(DailyAnswer)


@writes
def kept(connection: Connection, asked: StoredDaily) -> StoredDaily:
    """What is asked in a place on a day: this, unless something was asked before."""
    if question := _asked(connection, _on(daily_positions, asked.place, asked.day)):
        return question
    put(connection, daily_positions, {**asdict(asked), "day": asked.day.isoformat()})
    return asked


async def daily(store: Store, place: str, day: date) -> StoredDaily | None:
    """What was asked in a place on a day, if anything was."""
    that = _on(daily_positions, place, day)
    return await store.read(lambda connection: _asked(connection, that))


async def last_before(store: Store, place: str, day: date) -> StoredDaily | None:
    """What was asked last in a place before a day."""
    columns = daily_positions.c
    earlier = and_(columns.place == place, columns.day < day.isoformat())
    return await store.read(lambda connection: _asked(connection, earlier))


async def days(store: Store, place: str) -> list[date]:
    """The days on which something was asked in a place, in their order."""
    columns = daily_positions.c
    query = select(columns.day).where(columns.place == place)
    return [date.fromisoformat(row.day) for row in await store.rows(query.order_by(columns.day))]


async def posted(store: Store, day: date) -> set[str]:
    """The places in which something was posted on a day."""
    columns = daily_positions.c
    query = select(columns.place).where(
        columns.day == day.isoformat(), columns.posted_at.is_not(None)
    )
    return {row.place for row in await store.rows(query)}


def carry(before: Connection, after: Connection) -> None:
    """Note in a copy what was posted since it was made, or may have been."""
    posted, is_sending = daily_positions.c.posted_at.is_not(None), place_settings.c.key == SENDING
    after.execute(delete(place_settings).where(is_sending))
    for table, known in (daily_positions, posted), (place_settings, is_sending):
        for row in before.execute(select(table).where(known)).mappings().all():
            put(after, table, dict(row))


@writes
def claim(connection: Connection, place: str, day: date, at: datetime) -> datetime | None:
    """Take it upon oneself to post what was asked; None where somebody has done that.

    Returns since when it may have been posted already: `at`, or when it was claimed first, as
    whoever posts may be killed, or not hear what became of it. That is known until `done` says so.
    """
    free = daily_positions.c.posted_at.is_(None)
    this = update(daily_positions).where(_on(daily_positions, place, day), free)
    if not connection.execute(this.values(posted_at=at)).rowcount:
        return None
    known = connection.scalar(select(place_settings.c.value).where(*_sending(place)))
    if known and (since := datetime.fromisoformat(known)).date() == day:
        return since
    put(connection, place_settings, {"place": place, "key": SENDING, "value": at.isoformat()})
    return at


async def free_lost(store: Store, now: datetime, front: str) -> None:
    """Let others post what was claimed for the places of a front, and is not being posted."""
    claimed = await store.places_that_set(SENDING)
    lost = [
        update(daily_positions)
        .where(_on(daily_positions, place, datetime.fromisoformat(since).date()))
        .where(daily_positions.c.posted_at < now - LOST)
        .values(posted_at=None)
        for place, since in claimed.items()
        if place.startswith(f"{front}:") and now - datetime.fromisoformat(since) > LOST
    ]
    if lost:
        await store.write(lambda connection: [connection.execute(statement) for statement in lost])


@writes
def done(connection: Connection, place: str, day: date, *, posted: bool) -> None:
    """What was claimed is posted; or nobody knows that it is, and it is tried again."""
    this = update(daily_positions).where(_on(daily_positions, place, day))
    known = delete(place_settings).where(*_sending(place))
    connection.execute(known if posted else this.values(posted_at=None))


@writes
def answered(
    connection: Connection, asked: StoredDaily, answer: DailyAnswer
) -> tuple[DailyAnswer, bool]:
    """The first answer of a person to what is asked; whether it is this one.

    One to the same position in another place counts as the answer here, too.
    """
    person = daily_answers.c.person == answer.person
    if here := _answers(connection, and_(_on(daily_answers, asked.place, asked.day), person)):
        return here[0], False
    same = and_(
        person,
        daily_answers.c.day == asked.day.isoformat(),
        daily_positions.c.position == asked.position,
    )
    elsewhere = _answers(connection, same)
    first = elsewhere[0] if elsewhere else answer
    row = {**asdict(first), "place": asked.place, "day": asked.day.isoformat()}
    put(connection, daily_answers, {**row, "name": answer.name})
    return first, not elsewhere


async def answers(store: Store, place: str) -> list[DailyAnswer]:
    """Everything that was answered in a place, day by day."""
    here = daily_answers.c.place == place
    return await store.read(lambda connection: _answers(connection, here))


def _forget(connection: Connection, person: str) -> None:
    """Delete all that somebody answered or practised on, or was asked in a place of their own."""
    connection.execute(delete(drills).where(drills.c.person == person))
    connection.execute(delete(daily_answers).where(daily_answers.c.person == person))
    others = select(daily_answers).where(daily_answers.c.place == person).exists()
    connection.execute(delete(daily_positions).where(daily_positions.c.place == person, ~others))


def _problems(connection: Connection) -> Iterator[tuple[str, str]]:
    """What is wrong with the positions and the answers of all places, and of all people."""
    for table, kind, columns in (
        (daily_positions, _DAILY, _ASKED),
        (daily_answers, _GIVEN, [*_ANSWER]),
    ):
        rows = connection.execute(select(*columns).select_from(table)).mappings().all()
        yield from ((table.name.replace("_", " "), what) for what in unsound(kind, rows))
    yield from (("drills", what) for what in unsound(_DRILL, _rows(connection, true())))


KEEPER = Keeper(_forget, _problems, carry)


def _sending(place: str) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    return place_settings.c.place == place, place_settings.c.key == SENDING


def _on(table: Table, place: str, day: date) -> ColumnElement[bool]:
    return and_(table.c.place == place, table.c.day == day.isoformat())


def _asked(connection: Connection, which: ColumnElement[bool]) -> StoredDaily | None:
    """The last position of which a condition holds."""
    query = select(*_ASKED).where(which)
    last = query.order_by(daily_positions.c.day.desc()).limit(1)
    return next(iter(sound(_DAILY, connection.execute(last).mappings())), None)


def _answers(connection: Connection, which: ColumnElement[bool]) -> list[DailyAnswer]:
    """The answers of which a condition holds, each with the position that it is to."""
    query = select(*_ANSWER).join_from(daily_answers, daily_positions)
    rows = query.where(which).order_by(*daily_answers.primary_key)
    return sound(_GIVEN, connection.execute(rows).mappings())


_DRILL = TypeAdapter(StoredDrill)
_KEYS = "person", "position"


async def drills_of(store: Store, person: str) -> list[StoredDrill]:
    """All positions of a person, what was asked first first."""
    return await store.read(lambda connection: _read(connection, person))


@writes
def ask(
    connection: Connection, asked: StoredDrill, fits: Callable[[StoredDrill], bool]
) -> StoredDrill:
    """Have a position wait for an answer, unless another one that fits does: what waits then.

    What was done with, and is not asked again, is forgotten once something else was answered: what
    comes next depends on what was answered last.
    """
    known = _read(connection, asked.person)
    if waiting := next((row for row in known if row.choice is None and fits(row)), None):
        waiting = replace(waiting, asked_at=asked.asked_at)
        put(connection, drills, _row(waiting))
        return waiting
    last = max((row.answered_at for row in known if row.answered_at), default=None)
    for row in known:
        if row.due is None and row.choice is not None and row.answered_at != last:
            _drop(connection, row)
    put(connection, drills, _row(asked))
    return asked


def _drop(connection: Connection, drill: StoredDrill) -> None:
    """Forget a position."""
    this = and_(*(drills.c[name] == getattr(drill, name) for name in _KEYS))
    connection.execute(delete(drills).where(this))


drop = writes(_drop)


@writes
def answer(
    connection: Connection,
    person: str,
    position: str | None,
    given: Callable[[StoredDrill], StoredDrill],
) -> tuple[StoredDrill | None, bool]:
    """Answer a position, the one asked last if None; the position, and whether it waited.

    given : makes of what is asked what was answered, and may refuse
    """
    candidates = [
        row
        for row in _read(connection, person)
        if (row.choice is None if position is None else row.position == position)
    ]
    if not candidates or candidates[-1].choice is not None:
        return next(iter(candidates), None), False
    done = given(candidates[-1])
    put(connection, drills, _row(done))
    return done, True


def _read(connection: Connection, person: str) -> list[StoredDrill]:
    rows = sound(_DRILL, _rows(connection, drills.c.person == person))
    return sorted(rows, key=lambda row: (row.asked_at, row.position))


def _rows(connection: Connection, which: ColumnElement[bool]) -> list[dict[str, Any]]:
    """The rows of which a condition holds, as data."""
    return [
        {**as_dict(row.state), "person": row.person, "position": row.position}
        for row in connection.execute(select(drills).where(which))
    ]


def _row(drill: StoredDrill) -> dict[str, Any]:
    state = _DRILL.dump_python(drill, mode="json")
    return {**{name: state.pop(name) for name in _KEYS}, "state": state}
