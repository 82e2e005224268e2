"""What reviews found of finished games."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict

from pydantic import TypeAdapter
from sqlalchemy import ColumnElement, Connection, and_, not_, select

from bot.store.game_rows import COUNTED
from bot.store.rows import PlayedGame, SeatReview, as_dict, sound, unsound
from bot.store.schema import games, results, reviews, seats
from bot.store.store import Store, in_place
from bot.store.transactions import put

_PLAYED = TypeAdapter(PlayedGame)
_SEAT = TypeAdapter(SeatReview)
_BESIDE = and_(reviews.c.game_id == seats.c.game_id, reviews.c.seat == seats.c.number)


async def unreviewed(store: Store, person: str, place: str | None = None) -> list[str]:
    """Ids of the finished games of a person that no review was kept of, the newest first.

    place : where they were played; None for anywhere
    """
    known = select(reviews.c.seat).where(_BESIDE).exists()
    query = select(games.c.id).join_from(games, seats).where(*_finished(person, place), not_(known))
    query = query.order_by(games.c.ended_at.desc(), games.c.id)
    return [row.id for row in await store.rows(query)]


async def keep_review(
    store: Store, game_id: str, version: int, found: Sequence[SeatReview]
) -> None:
    """Keep what a review found of all seats of a game, unless that has gone on since.

    version : of the game that was reviewed
    """

    def keep(connection: Connection) -> None:
        this = (games.c.id == game_id, games.c.version == version)
        over = (games.c.ended_at.is_not(None), COUNTED)
        if connection.scalar(select(games.c.id).where(*this, *over)) is None:
            return
        for one in found:
            put(connection, reviews, {"game_id": game_id, "seat": one.seat, "found": asdict(one)})

    await store.write(keep)


async def reviewed_games(store: Store, person: str, place: str | None = None) -> list[PlayedGame]:
    """The games of a person that a review was kept of, the newest first."""
    share = select(results.c.share).where(
        results.c.game_id == seats.c.game_id, results.c.seat == seats.c.number
    )
    more = games.c.id, games.c.ended_at, share.scalar_subquery()
    query = select(reviews.c.found, *more).select_from(seats.join(games).join(reviews, _BESIDE))
    query = query.where(*_finished(person, place))
    query = query.order_by(games.c.ended_at.desc(), games.c.id)
    rows = (
        {**as_dict(found), "game_id": game_id, "ended_at": ended_at, "share": won}
        for found, game_id, ended_at, won in await store.rows(query)
    )
    return sound(_PLAYED, rows)


def problems(connection: Connection) -> Iterator[tuple[str, str]]:
    """What is wrong with the reviews of all games: where, and what."""
    rows = [as_dict(found) for found in connection.scalars(select(reviews.c.found))]
    return (("reviews", what) for what in unsound(_SEAT, rows))


def _finished(person: str, place: str | None) -> list[ColumnElement[bool]]:
    """The condition that a person has played a game to its end, and no bot for them."""
    themselves = (seats.c.person == person, seats.c.level.is_(None))
    return [*themselves, games.c.ended_at.is_not(None), COUNTED, *in_place(place)]
