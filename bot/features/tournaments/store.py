"""Tournaments of places: who takes part, the draw, and the games of their pairings.

What comes of a game is read from its results, so that nothing is written when one ends. Where
entrants or games are missing, a tournament is not told of, and can be ended.
"""

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from datetime import UTC, datetime
from itertools import groupby
from operator import attrgetter

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    ForeignKey,
    Index,
    Integer,
    func,
    insert,
    select,
    update,
)

from bot.features.tournaments.bracket import Entrant, Form, Tournament, TournamentGame
from bot.store.records import SOMEONE
from bot.store.rows import StaleVersionError, StoreError
from bot.store.schema import TEXT, Json, UtcTime, games, make_table, results
from bot.store.store import COUNTED, Keeper, Store, put, writes

logger = logging.getLogger(__name__)

tournaments = make_table(
    "tournaments",
    Column("id", TEXT, primary_key=True),
    Column("place", TEXT, nullable=False),
    Column("form", TEXT, nullable=False),
    Column("rules", Json, nullable=False),
    Column("hints", Integer, nullable=False),
    Column("draw", Json, nullable=False),
    Column("made_at", UtcTime, nullable=False),
    Column("ended_at", UtcTime),
    Index("tournaments_of_place", "place", "made_at"),
)
"""`rules` are data; `draw` are the numbers of the entrants as drawn, none before the start."""

entrants = make_table(
    "entrants",
    Column("tournament_id", TEXT, ForeignKey("tournaments.id"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("person", TEXT),
    Column("name", TEXT, nullable=False),
    Column("left", Integer, nullable=False),
    Index("entrants_of_person", "person", "tournament_id", unique=True),
)
"""Who takes part; number 0 is the host, who may have left."""

tournament_games = make_table(
    "tournament_games",
    Column("game_id", TEXT, ForeignKey("games.id"), primary_key=True),
    Column("tournament_id", TEXT, ForeignKey("tournaments.id"), nullable=False),
    Column("number", Integer, nullable=False),
    Column("first", Integer, nullable=False),
    Column("second", Integer, nullable=False),
    Index("games_of_tournament", "tournament_id", "number", unique=True),
)
"""Games of pairings, numbered from 1 in the order in which they were begun: the entrants by seat.

What comes of them is in `results`.
"""

_FORMS = set(map(str, Form))
_OPEN = tournaments.c.ended_at.is_(None)


@writes
def make(connection: Connection, new: Tournament, at: datetime) -> bool:
    """Keep a new tournament with its host, unless one of its place is not over."""
    if (before := _read(connection, tournaments.c.place == new.place)) is not None:
        if not before.over:
            return False
        _end(connection, before.id, at)
    about = {"id": new.id, "place": new.place, "form": new.form.value, "rules": new.rules}
    start = {"hints": int(new.hints), "draw": [], "made_at": at, "ended_at": None}
    connection.execute(insert(tournaments).values(**about, **start))
    for entrant in new.entrants:
        _sit(connection, new.id, entrant)
    return True


async def known(store: Store, place: str, tournament_id: str | None = None) -> Tournament | None:
    """The one of a place that has an id, or was made last. Raises StoreError for a damaged one."""
    this = tournaments.c.place == place
    if tournament_id is not None:
        this &= tournaments.c.id == tournament_id
    return await store.read(lambda connection: _read(connection, this))


async def after(store: Store, game_id: str, at: datetime) -> Tournament | None:
    """The one that a game which is over belongs to, ended where that was the last one.

    None where it was ended before, and where it is damaged: that is no reason not to tell how the
    game went.
    """
    wanted = select(tournament_games.c.tournament_id).where(tournament_games.c.game_id == game_id)
    this = tournaments.c.id == wanted.scalar_subquery()
    try:
        tournament = await store.read(lambda connection: _read(connection, this))
        if tournament is not None and tournament.over and not tournament.ended:
            await end(store, tournament.id, at)
    except StoreError as error:
        logger.warning("game %s: %s", game_id, error)
        return None
    is_stopped = tournament is not None and tournament.ended and not tournament.complete
    return None if is_stopped else tournament


@writes
def join(connection: Connection, tournament_id: str, person: str, name: str, most: int) -> bool:
    """Have somebody take part, unless it has begun, or so many do."""
    state = _read(connection, tournaments.c.id == tournament_id)
    if state is None or state.started or state.ended or len(state.present) >= most:
        return False
    before = (entry.number for entry in state.entrants if entry.person == person)
    number = next(before, max(entry.number for entry in state.entrants) + 1)
    _sit(connection, tournament_id, Entrant(number, person, name))
    return True


@writes
def leave(connection: Connection, tournament_id: str, number: int, at: datetime) -> str | None:
    """Note that an entrant has left, unless a game of theirs is under way: its id.

    So nothing that ends later changes what their leaving has decided. The tournament ends where
    nothing is left to do in it.
    """
    tournament = _read(connection, tournaments.c.id == tournament_id)
    if tournament is None:
        return None
    if playing := tournament.game_of(number):
        return playing.id
    _sit(connection, tournament_id, replace(tournament.entrant(number), left=True))
    _end_if_over(connection, tournament_id, at)
    return None


def _forget(connection: Connection, person: str) -> None:
    """Have somebody leave all tournaments without a name; one in which nothing is left to do ends.

    Raises StaleVersionError where a game of theirs is under way: that is given up before.
    """
    his = entrants.c.person == person
    joined = select(entrants.c.tournament_id).where(his, entrants.c.left == 0)
    query = select(tournaments.c.id).where(tournaments.c.id.in_(joined), _OPEN)
    going_on = connection.scalars(query).all()
    for number in going_on:
        tournament = None
        with suppress(StoreError):  # a damaged one has no games to wait for
            tournament = _read(connection, tournaments.c.id == number)
        entrant = tournament and tournament.entrant_of(person)
        if tournament and entrant and tournament.game_of(entrant.number):
            raise StaleVersionError.say("a game of the tournament has just begun: try again")
    left = {"person": None, "name": SOMEONE, "left": 1}
    connection.execute(update(entrants).where(his).values(left))
    for number in going_on:
        with suppress(StoreError):
            _end_if_over(connection, number, datetime.now(UTC))


def _problems(connection: Connection) -> Iterator[tuple[str, str]]:
    for number in connection.scalars(select(tournaments.c.id).order_by(tournaments.c.id)).all():
        try:
            _read(connection, tournaments.c.id == number)
        except StoreError as error:
            yield f"tournament {number}", str(error)


KEEPER = Keeper(_forget, _problems)


def _end_if_over(connection: Connection, tournament_id: str, at: datetime) -> None:
    """End a tournament in which nothing is left to do, or that all have left."""
    tournament = _read(connection, tournaments.c.id == tournament_id)
    if tournament is not None and (tournament.over or not tournament.present):
        _end(connection, tournament_id, at)


@writes
def start(
    connection: Connection,
    tournament_id: str,
    drawn: Callable[[Sequence[int]], Sequence[int]],
    least: int,
) -> bool:
    """Draw who plays whom, unless that is done, or fewer are there.

    drawn : brings the numbers of the entrants into an order
    """
    state = _read(connection, tournaments.c.id == tournament_id)
    if state is None or state.started or state.ended or len(state.present) < least:
        return False
    numbers = list(drawn([entrant.number for entrant in state.present]))
    this = update(tournaments).where(tournaments.c.id == tournament_id)
    connection.execute(this.values(draw=numbers))
    return True


@writes
def put_away(connection: Connection, place: str, at: datetime) -> bool:
    """End what is open in a place, damaged or not; false where nothing is."""
    here = select(tournaments.c.id).where(tournaments.c.place == place, _OPEN)
    ended = [_end(connection, each, at) for each in connection.scalars(here).all()]
    return any(ended)


def begins(tournament_id: str, sides: tuple[int, int]) -> Callable[[Connection, str], None]:
    """What is written with a game of a pairing, given its id.

    It raises StaleVersionError where the two have nothing to play, or somebody was faster.
    """

    def note(connection: Connection, game_id: str) -> None:
        tournament = _read(connection, tournaments.c.id == tournament_id)
        pairing = tournament.between(*sides) if tournament else None
        if not tournament or not pairing or not tournament.may_begin(pairing):
            raise StaleVersionError.say("these two have no game to play now")
        first, second = sides
        number = len(tournament.games) + 1
        game = {"game_id": game_id, "tournament_id": tournament_id, "number": number}
        connection.execute(insert(tournament_games).values(**game, first=first, second=second))

    return note


def _end(connection: Connection, tournament_id: str, at: datetime) -> bool:
    """End a tournament, with all games in time that are over by now, whatever clocks say."""
    over = select(func.max(games.c.ended_at)).join_from(tournament_games, games)
    last = connection.scalar(over.where(tournament_games.c.tournament_id == tournament_id))
    this = update(tournaments).where(tournaments.c.id == tournament_id, _OPEN)
    return bool(connection.execute(this.values(ended_at=max(at, last or at))).rowcount)


end = writes(_end)


def _sit(connection: Connection, tournament_id: str, entrant: Entrant) -> None:
    row = {"tournament_id": tournament_id, **asdict(entrant), "left": int(entrant.left)}
    put(connection, entrants, row)


def _read(connection: Connection, which: ColumnElement[bool]) -> Tournament | None:
    """The newest tournament of which a condition holds; a damaged one that was put away is none.

    Raises StoreError for a damaged one that was not.
    """
    query = select(tournaments).where(which)
    row = connection.execute(query.order_by(tournaments.c.made_at.desc()).limit(1)).one_or_none()
    if row is None:
        return None
    sat = select(entrants).where(entrants.c.tournament_id == row.id)
    sitting = connection.execute(sat.order_by(entrants.c.number)).all()
    matches = _games(connection, row.id, row.ended_at)
    is_read = isinstance(row.draw, list) and isinstance(row.rules, dict) and row.form in _FORMS
    missing = {0, *row.draw} - {seat.number for seat in sitting} if is_read else {0}
    if missing or matches is None:
        if row.ended_at is not None:
            return None
        raise StoreError.say(
            "Tournament {tournament} is damaged: someone who manages this place can close it with"
            " /tournament end",
            tournament=row.id,
        )
    about = row.id, row.place, Form(row.form), row.rules, bool(row.hints)
    seats = (Entrant(seat.number, seat.person, seat.name, bool(seat.left)) for seat in sitting)
    ended = row.ended_at is not None
    return Tournament(*about, tuple(seats), tuple(row.draw), tuple(matches), ended)


def _games(
    connection: Connection, tournament_id: str, ended_at: datetime | None
) -> list[TournamentGame] | None:
    """The games of a tournament, each with what came of it; None where one is damaged.

    A game that was set aside is over without a result, and so is one that was still under way when
    the tournament was ended.
    """
    query = (
        select(
            tournament_games,
            (games.c.ended_at.is_(None) & COUNTED).label("open"),
            COUNTED.label("counted"),
            games.c.ended_at,
            results.c.seat,
            results.c.share,
            results.c.biggest_turn,
        )
        .join_from(tournament_games, games)
        .outerjoin(results, results.c.game_id == games.c.id)
        .where(tournament_games.c.tournament_id == tournament_id)
        .order_by(tournament_games.c.number, results.c.seat)
    )
    matches: list[TournamentGame] = []
    for number, rows in groupby(connection.execute(query), attrgetter("number")):
        seats = list(rows)
        first = seats[0]
        if number != len(matches) + 1:
            return None
        shares, biggest = None, (0, 0)
        in_time = not (ended_at and first.ended_at) or first.ended_at <= ended_at
        if first.counted and in_time and [row.seat for row in seats] == [0, 1]:
            shares = (seats[0].share, seats[1].share)
            biggest = (seats[0].biggest_turn, seats[1].biggest_turn)
        sides = first.first, first.second
        matches.append(TournamentGame(first.game_id, sides, bool(first.open), shares, biggest))
    return matches
