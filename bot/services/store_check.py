"""Everything in a database looked at: the file, every game played again, what places have saved."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from sqlalchemy import Connection, select

from bot.store.database import check_version
from bot.store.records import problems as review_problems
from bot.store.rows import DamagedGameError, GameRecord, GameResult, StoreError
from bot.store.schema import games, place_rules, place_settings
from bot.store.store import SETTINGS, Store
from bot.table import fair_dice
from bot.table.events import Begun, Event
from bot.table.replay import ImpossibleEventError, replay
from bot.table.state import Game
from solver.errors import FarkleError, InvalidRulesError
from solver.game.standings import OnShare
from solver.rules.file import make_rules
from solver.rules.toml import NotTomlError, parse
from solver.wording import say


def replayed(record: GameRecord, *, dice: bool = False) -> tuple[Begun, tuple[Event, ...], Game]:
    """How a game began, what happened then and how it stands.

    dice : whether the dice are rolled again, too

    Raises DamagedGameError for what cannot be so.
    """
    stored, secret = record.game, record.secret
    try:
        begun, others, game = replay(
            [(event.kind, event.data) for event in record.events], secret if dice else None
        )
    except ImpossibleEventError as error:
        raise DamagedGameError(stored.id, str(error)) from None
    if reason := _contradiction(record, begun, game):
        raise DamagedGameError(stored.id, reason)
    return begun, others, game


def _contradiction(record: GameRecord, begun: Begun, game: Game) -> str:
    """How a game's row, seats or results differ from its events; empty where they do not."""
    stored, last = record.game, record.events[-1].at
    ended_at = last if game.over else None
    own = (stored.id, stored.rules_name, stored.began_at, stored.ended_at)
    if own != (game.id, game.rules.name, record.events[0].at, ended_at):
        return say("its row does not fit its events")
    if not _is_secret(record.secret, begun.commitment):
        return say("its secret is not the one that was promised")
    sitting = [(seat.number, seat.level) for seat in stored.seats]
    if sitting != [(number, seat.level) for number, seat in enumerate(game.seats)]:
        return say("its seats do not fit its events")
    if [replace(result, accuracy=None, luck=None) for result in record.results] != results_of(game):
        return say("its results do not fit its events")
    return ""


def _is_secret(secret: bytes | None, promised: str | None) -> bool:
    with suppress(FarkleError):
        return (None if secret is None else fair_dice.commitment(secret)) == promised
    return False


def results_of(game: Game) -> list[GameResult]:
    """How a game has ended for each seat, without what a review finds."""
    shares = () if game.shares is None else game.shares
    return [
        GameResult(
            seat=number,
            share=share,
            points=seat.score,
            turns=seat.turns,
            farkles=seat.farkled,
            biggest_turn=seat.biggest_turn,
            accuracy=None,
            luck=None,
        )
        for number, (share, seat) in enumerate(zip(shares, game.seats, strict=False))
    ]


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
    """The games that are not played on, by id."""
    problems: tuple[Problem, ...]


async def check_store(store: Store, on_progress: OnShare) -> StoreReport:
    """Look at all that a database has; others may play meanwhile, and nothing is changed.

    on_progress : is told the share of games that are done
    """
    wrong: list[Problem] = []
    all_games: Sequence[Any] = ()
    try:
        wrong += [Problem(*problem) for problem in await store.read(store.database.problems)]
        await store.read(lambda connection: check_version(connection, store.database.name))
        wrong += await store.read(lambda connection: list(_place_problems(connection)))
        wrong += await store.read(partial(_feature_problems, store))
        all_games = await store.rows(select(games.c.id, games.c.set_aside).order_by(games.c.id))
    except StoreError as error:
        wrong.append(Problem("database", str(error)))
    for number, (game_id, set_aside) in enumerate(all_games, start=1):
        reason = await _why_damaged(store, game_id)
        if not reason and set_aside is not None:
            reason = (
                "it was set aside, and nothing is wrong with it now:"
                f" farkle store check --restore {game_id}"
            )
        if reason:
            wrong.append(Problem(f"game {game_id}", reason))
        on_progress(number / len(all_games))
    aside = tuple(game_id for game_id, set_aside in all_games if set_aside is not None)
    return StoreReport(len(all_games), aside, tuple(wrong))


async def _why_damaged(store: Store, game_id: str) -> str:
    try:
        replayed(await store.record(game_id, even_set_aside=True), dice=True)
    except DamagedGameError as error:
        return error.reason
    except StoreError as error:
        return str(error)
    return ""


def _feature_problems(store: Store, connection: Connection) -> list[Problem]:
    """What is wrong with reviews, and with what features keep."""
    checks = [review_problems, *(keeper.problems for keeper in store.keepers)]
    return [Problem(*problem) for check in checks for problem in check(connection)]


def _place_problems(connection: Connection) -> Iterator[Problem]:
    """What places have set and saved, where it makes no sense."""
    for place, key, value in connection.execute(select(place_settings)):
        if key in SETTINGS and type(value) is not SETTINGS[key]:
            yield Problem(f"setting {key} of {place}", f"it cannot be {value}")
    for place, name, text, _ in connection.execute(select(place_rules)):
        where = f"rules {name} of {place}"
        try:
            make_rules({**parse(text), "name": name}, "they are no rule set")
        except InvalidRulesError as error:
            yield Problem(where, str(error))
        except (NotTomlError, TypeError):
            yield Problem(where, "they are no TOML")
