"""Everything in a database looked at: the file, every game played again, what places have saved."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields

from sqlalchemy import Connection, select, true
from sqlalchemy.exc import DBAPIError

from bot.services.soundness import replayed
from bot.store.checksums import is_sound
from bot.store.errors import DamagedGameError, MissingGameError, StoreError
from bot.store.rescue import damaged_copies
from bot.store.rows import PlaceSettings
from bot.store.schema import (
    NEWEST,
    daily_answers,
    daily_positions,
    drills,
    entrants,
    games,
    place_rules,
    place_settings,
    reviews,
    tournament_games,
    tournaments,
)
from bot.store.store import Store
from solver.errors import InvalidRulesError
from solver.rules.file import make_rules
from solver.rules.toml import NotTomlError, parse

_KINDS = {one.name: type(one.default) for one in fields(PlaceSettings)}
_NOT_AS_WRITTEN = "it is not as it was written"


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that is wrong."""

    where: str
    """Such as "game 1a2b3c4d"."""
    what: str


@dataclass(frozen=True, slots=True)
class StoreReport:
    """What came of looking at a database."""

    games: int
    """How many it has."""
    set_aside: tuple[str, ...]
    """Those that are not played on, by id."""
    problems: tuple[Problem, ...]


async def check_store(store: Store, on_progress: Callable[[float], None]) -> StoreReport:
    """Look at all that a database has; others may play meanwhile, and nothing is changed.

    on_progress : is told the share of games that are done
    """
    problems = []
    found: list[tuple[str, bool]] = []
    try:
        problems += [*_copies(store), *await store.read(lambda c: list(_file_problems(c)))]
        if not problems or problems[-1].where != "schema":
            problems += await store.read(lambda c: list(_place_problems(c)))
            problems += await store.read(lambda c: list(_tournament_problems(c)))
            found = await store.read(_all_games)
    except StoreError as error:
        problems.append(Problem("database", str(error)))
    for number, (game_id, was_set_aside) in enumerate(found, start=1):
        reason = await _why_damaged(store, game_id)
        if not reason and was_set_aside:
            reason = (
                "it was set aside, and nothing is wrong with it now:"
                f" farkle store check --restore {game_id}"
            )
        if reason:
            problems.append(Problem(f"game {game_id}", reason))
        on_progress(number / len(found))
    set_aside = tuple(game_id for game_id, was_set_aside in found if was_set_aside)
    return StoreReport(len(found), set_aside, tuple(problems))


def _copies(store: Store) -> Iterator[Problem]:
    """What the database was rescued from."""
    for copy in damaged_copies(store.path):
        yield Problem(
            "database",
            f"it was rescued from {copy}: once nothing in there is needed, remove that, and the"
            " chat counts games again",
        )


def _file_problems(connection: Connection) -> Iterator[Problem]:
    """What SQLite itself finds, and whether the tables are those of this version."""
    for (line,) in connection.exec_driver_sql("PRAGMA integrity_check"):
        if line != "ok":
            yield Problem("database", line)
    for table, *_ in connection.exec_driver_sql("PRAGMA foreign_key_check"):
        yield Problem(f"table {table}", "a row belongs to a game or seat that is not there")
    try:
        versions = connection.exec_driver_sql("SELECT version_num FROM alembic_version")
        revision = versions.scalar()
    except DBAPIError:
        revision = None
    if revision != NEWEST:
        yield Problem(
            "schema",
            f"it has version {revision}, and this program {NEWEST}, which brings"
            " older ones up to date when the chat begins",
        )


def _all_games(connection: Connection) -> list[tuple[str, bool]]:
    """Ids of all games, and whether they were set aside."""
    rows = connection.execute(select(games.c.id, games.c.set_aside).order_by(games.c.id))
    return [(str(row.id), row.set_aside is not None) for row in rows]


async def _why_damaged(store: Store, game_id: str) -> str:
    try:
        replayed(await store.record(game_id, even_set_aside=True), dice=True)
    except DamagedGameError as error:
        return error.reason
    except MissingGameError:
        return "its row is not as it was written"  # down to its id
    except StoreError as error:
        return str(error)
    return ""


def _place_problems(connection: Connection) -> Iterator[Problem]:
    """What places have set and saved, where it is not as it was written or makes no sense."""
    rows = connection.execute(select(place_settings, is_sound(place_settings)))
    for place, key, value, _, sound in map(tuple, rows):
        if not sound:
            yield Problem(f"setting {key} of {place}", _NOT_AS_WRITTEN)
        elif key in _KINDS and type(value) is not _KINDS[key]:
            yield Problem(f"setting {key} of {place}", f"it cannot be {value}")
    rules = connection.execute(select(place_rules, is_sound(place_rules)))
    for place, name, text, _, _, sound in map(tuple, rules):
        where = f"rules {name} of {place}"
        if not sound:
            yield Problem(where, _NOT_AS_WRITTEN)
            continue
        try:
            make_rules({**parse(text), "name": name}, "they are no rule set")
        except InvalidRulesError as error:
            yield Problem(where, str(error))
        except (NotTomlError, TypeError):
            yield Problem(where, "they are no TOML")
    yield from _practice_problems(connection)


def _practice_problems(connection: Connection) -> Iterator[Problem]:
    """What was asked and answered, and what reviews found, where it is not as it was written."""
    for table, what in ((daily_positions, "position"), (daily_answers, "answer")):
        columns = table.c.place, table.c.day
        for place, day in connection.execute(
            select(*columns).where(is_sound(table).is_not(true()))
        ):
            yield Problem(f"daily {what} of {day} in {place}", _NOT_AS_WRITTEN)
    for table, what in ((reviews, "review of game"), (drills, "drill of")):
        whose = table.primary_key.columns.values()[0]
        for owner in connection.scalars(select(whose).where(is_sound(table).is_not(true()))):
            yield Problem(f"{what} {owner}", _NOT_AS_WRITTEN)


def _tournament_problems(connection: Connection) -> Iterator[Problem]:
    """Rows of tournaments that are not as they were written."""
    ids = tournaments.c.id, entrants.c.tournament_id, tournament_games.c.tournament_id
    for column in ids:
        unsound = select(column).where(is_sound(column.table).is_not(true()))
        for tournament in connection.scalars(unsound.distinct().order_by(column)):
            yield Problem(f"{column.table.name} of {tournament}", _NOT_AS_WRITTEN)
