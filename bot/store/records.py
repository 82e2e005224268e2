"""Who won how often, what reviews found of finished games, and how a person is forgotten."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from itertools import groupby, takewhile
from operator import itemgetter
from secrets import token_hex
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import ColumnElement, Connection, Select, and_, delete, func, not_, select, update

from bot.store.rows import PlayedGame, SeatReview, as_dict, sound, unsound
from bot.store.schema import games, place_rules, place_settings, results, reviews, seats
from bot.store.store import COUNTED, Store, in_place, put, writes

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


@writes
def keep_review(
    connection: Connection, game_id: str, version: int, seat_reviews: Sequence[SeatReview]
) -> None:
    """Keep what a review found of all seats of a game, unless that has gone on since.

    version : of the game that was reviewed
    """
    this = (games.c.id == game_id, games.c.version == version)
    over = (games.c.ended_at.is_not(None), COUNTED)
    if connection.scalar(select(games.c.id).where(*this, *over)) is None:
        return
    for row in seat_reviews:
        put(connection, reviews, {"game_id": game_id, "seat": row.seat, "found": asdict(row)})


async def reviewed_games(store: Store, person: str, place: str | None = None) -> list[PlayedGame]:
    """The games of a person that a review was kept of, the newest first."""
    share = select(results.c.share).where(
        results.c.game_id == seats.c.game_id, results.c.seat == seats.c.number
    )
    columns = games.c.id, games.c.ended_at, share.scalar_subquery()
    query = select(reviews.c.found, *columns).select_from(seats.join(games).join(reviews, _BESIDE))
    query = query.where(*_finished(person, place))
    query = query.order_by(games.c.ended_at.desc(), games.c.id)
    rows = (
        {**as_dict(review), "game_id": game_id, "ended_at": ended_at, "share": won}
        for review, game_id, ended_at, won in await store.rows(query)
    )
    return sound(_PLAYED, rows)


def problems(connection: Connection) -> Iterator[tuple[str, str]]:
    """What is wrong with the reviews of all games: where, and what."""
    rows = [as_dict(review) for review in connection.scalars(select(reviews.c.found))]
    return (("reviews", what) for what in unsound(_SEAT, rows))


def _finished(person: str, place: str | None) -> list[ColumnElement[bool]]:
    """The condition that a person has played a game to its end, and no bot for them."""
    themselves = (seats.c.person == person, seats.c.level.is_(None))
    return [*themselves, games.c.ended_at.is_not(None), COUNTED, *in_place(place)]


@dataclass(frozen=True, slots=True)
class PersonStats:
    """What a person has done; a game that was shared adds its share to the wins."""

    games: int
    wins: float
    accuracy: float | None
    """The mean over the games that have one."""
    biggest_turn: int
    longest_streak: int
    """Games won outright in a row."""
    farkles: int
    turns: int

    @property
    def win_rate(self) -> float | None:
        """Wins per game; None before the first one."""
        return self.wins / self.games if self.games else None


@dataclass(frozen=True, slots=True)
class HeadToHead:
    """The games in which two people both sat, and the wins of each, shared ones by their share."""

    games: int
    wins: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Ranking:
    """A line of the leaderboard, under the name that the person had last."""

    person: str
    """The level of a bot."""
    name: str
    games: int
    wins: float
    is_bot: bool = False

    @property
    def win_rate(self) -> float:
        """Wins per game."""
        return self.wins / self.games


_played = results.join(seats).join(games)

_MOST_IN_A_ROW = 100

SOMEONE = "someone"
"""What who is forgotten is called."""

_THEMSELVES = seats.c.level.is_(None)
"""What a bot did that played on for somebody is nobody's."""


async def person_stats(store: Store, person: str, place: str | None = None) -> PersonStats:
    """What a person has done, in one place or in all."""
    query = _results_of(person, place).order_by(games.c.ended_at, games.c.id)
    rows = await store.rows(query)
    accuracies = [row.accuracy for row in rows if row.accuracy is not None]
    streaks = [len(list(row)) for won, row in groupby(row.share == 1 for row in rows) if won]
    return PersonStats(
        games=len(rows),
        wins=sum(row.share for row in rows),
        accuracy=sum(accuracies) / len(accuracies) if accuracies else None,
        biggest_turn=max((row.biggest_turn for row in rows), default=0),
        longest_streak=max(streaks, default=0),
        farkles=sum(row.farkles for row in rows),
        turns=sum(row.turns for row in rows),
    )


async def won_in_a_row(store: Store, person: str, place: str) -> int:
    """How many of their last games in a place somebody has won, up to the first one they have not.

    Of more than a hundred a hundred. Raises StoreError.
    """
    newest_first = games.c.ended_at.desc(), games.c.id.desc()
    query = _results_of(person, place).order_by(*newest_first).limit(_MOST_IN_A_ROW)
    rows = await store.rows(query)
    return len(list(takewhile(lambda row: row.share == 1, rows)))


def _results_of(person: str, place: str | None) -> Select[Any]:
    query = select(results).select_from(_played)
    return query.where(seats.c.person == person, _THEMSELVES, COUNTED, *in_place(place))


async def head_to_head(
    store: Store, first: str, second: str, place: str | None = None
) -> HeadToHead:
    """How two people did in the games in which both sat, in one place or in all."""
    own, other = results.alias(), results.alias()
    own_seat, other_seat = seats.alias(), seats.alias()
    both = (
        own_seat.join(own)
        .join(games, games.c.id == own_seat.c.game_id)
        .join(other_seat, other_seat.c.game_id == own_seat.c.game_id)
        .join(other, (other.c.game_id == own.c.game_id) & (other.c.seat == other_seat.c.number))
    )
    total = (func.count(), _total(own.c.share), _total(other.c.share))
    people = (
        own_seat.c.person == first,
        other_seat.c.person == second,
        own_seat.c.level.is_(None),
        other_seat.c.level.is_(None),
        COUNTED,
    )
    query = select(*total).select_from(both).where(*people, *in_place(place))
    [(count, own_wins, other_wins)] = await store.rows(query)
    return HeadToHead(count, (own_wins, other_wins))


async def leaderboard(
    store: Store,
    place: str | None = None,
    *,
    bots: bool | None = None,
    within: tuple[datetime, datetime] | None = None,
) -> list[Ranking]:
    """People who have finished a game, the highest win rate first, then the most games.

    bots : True to list bots, too, each level as one; False to count games without any bot alone
    within : from when on, and until when, the games ended
    """
    where = [COUNTED, *in_place(place)]
    if within is not None:
        where += [games.c.ended_at >= within[0], games.c.ended_at < within[1]]
    if bots is False:
        beside = select(seats.c.game_id).where(seats.c.level.is_not(None))
        where.append(games.c.id.not_in(beside))
    people = await _standings(
        store, seats.c.person, seats.c.person.is_not(None), _THEMSELVES, *where
    )
    if bots:
        # those that played on for people are nobody's, forgotten or not
        themselves = seats.c.person.is_(None), seats.c.name != SOMEONE
        levels = await _standings(
            store, seats.c.level, *themselves, seats.c.level.is_not(None), *where
        )
        people += [replace(level, name=level.person, is_bot=True) for level in levels]
    return sorted(people, key=lambda s: (-s.win_rate, -s.games, s.name, s.person))


async def _standings(
    store: Store, player: ColumnElement[Any], *where: ColumnElement[bool]
) -> list[Ranking]:
    """What each of some players has done, by a column of their seats, under the last name."""
    query = select(
        player, seats.c.name, func.count(), _total(results.c.share), func.max(games.c.ended_at)
    )
    query = query.select_from(_played).where(*where).group_by(player, seats.c.name)
    rankings: dict[str, Ranking] = {}
    for person, name, number, wins, _ in sorted(await store.rows(query), key=itemgetter(4)):
        known = rankings.get(person, Ranking(person, name, 0, 0.0))
        games_now, wins_now = known.games + number, known.wins + wins
        rankings[person] = replace(known, name=name, games=games_now, wins=wins_now)
    return list(rankings.values())


async def find_person(store: Store, place: str | None, name: str) -> str | None:
    """The person who sat down last under this name, in capitals or not; None if nobody did."""
    query = select(seats.c.person, seats.c.name, func.max(games.c.began_at)).join_from(seats, games)
    query = query.where(seats.c.person.is_not(None), _THEMSELVES, COUNTED, *in_place(place))
    rows = await store.rows(query.group_by(seats.c.person, seats.c.name))
    sat = [row for row in rows if row.name.casefold() == name.casefold()]
    return max(sat, key=itemgetter(2)).person if sat else None


def _total(column: ColumnElement[float]) -> ColumnElement[float]:
    return func.coalesce(func.sum(column), 0.0)


async def forget(store: Store, person: str) -> int:
    """Take a person's id and names out of the file, down to its bytes; the number of games changed.

    The games stay whole: the seat goes on as someone's, its results are nobody's. A place that is
    called after its only person goes, and its games are in another. Features forget what they keep.

    Raises StaleVersionError where one of them has to wait: it is tried again.
    """

    def take_out(connection: Connection) -> int:
        for keeper in store.keepers:
            keeper.forget(connection, person)
        my_rules = update(place_rules).where(place_rules.c.author == person)
        mine = update(seats).where(seats.c.person == person)
        authored = connection.execute(my_rules.values(author=None)).rowcount
        sat = connection.execute(mine.values(person=None, name=SOMEONE)).rowcount
        if authored or sat:  # it is somebody, and not the name of a place of many
            for table in place_rules, place_settings:
                connection.execute(delete(table).where(table.c.place == person))
            elsewhere = f"{person.partition(':')[0]}:{token_hex(8)}"
            connection.execute(update(games).where(games.c.place == person).values(place=elsewhere))
        return sat

    changed = await store.write(take_out)
    await store.scrub()
    return changed
