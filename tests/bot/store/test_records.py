import random
from collections import Counter
from dataclasses import replace
from datetime import timedelta
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection

from bot.store.records import (
    HeadToHead,
    PersonStats,
    Ranking,
    find_person,
    forget,
    head_to_head,
    leaderboard,
    person_stats,
    won_in_a_row,
)
from bot.store.rows import GameResult, SeatRow
from bot.store.store import Store
from tests.bot.postgres import KINDS
from tests.bot.store.test_store import NOON, begin, game_results, rolled

PEOPLE = ["ann", "ben", "cem", "dot"]
Game = dict[str, Any]


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


async def play(store: Store, count: int) -> list[Game]:
    """Games of two or three of the people and a robot, told again as plain dictionaries."""
    chance = random.Random(1)
    told = []
    for number in range(count):
        who = chance.sample(PEOPLE, chance.choice([2, 3]))
        best = chance.sample(range(len(who)), chance.choice([1, 1, 1, 2]))
        share = [1 / len(best) if seat in best else 0.0 for seat in range(len(who))]
        results = [
            GameResult(
                seat,
                share[seat],
                chance.randrange(5_000),
                chance.randrange(1, 20),
                chance.randrange(9),
                chance.randrange(3_000),
                chance.choice([None, chance.random()]),
                chance.uniform(-1, 1),
            )
            for seat in range(len(who))
        ]
        robot = SeatRow(len(who), None, "Robot", "optimal")
        seats = [SeatRow(i, p, f"{p.title()} {number}", None) for i, p in enumerate(who)] + [robot]
        place, ended = chance.choice(["here", "there"]), number % 7 != 0
        await begin(store, f"g{number:02}", seats=seats, place=place, most_open=count)
        if ended:
            everyone = [*results, GameResult(robot.number, 0.0, 0, 1, 1, 0, 1.0, 0.0)]
            at = NOON + timedelta(minutes=number)
            game_id = f"g{number:02}"
            await store.append(game_id, 1, [rolled(1)], at, ended=True, results=everyone)
            own = dict(zip(who, results, strict=True))
            told.append({"number": number, "place": place, "results": own})
    return told


def told_in(games: list[Game], place: str | None, *people: str) -> list[Game]:
    """The games there in which all of these sat."""
    here = [game for game in games if place in {None, game["place"]}]
    return [game for game in here if set(people) <= set(game["results"])]


@pytest.mark.mostly_slow
@pytest.mark.parametrize("place", [None, "here", "there"])
async def test_records_against_the_games_as_told(store: Store, place: str | None) -> None:
    games = await play(store, 50)
    standings = []
    for person in PEOPLE:
        own = [game["results"][person] for game in told_in(games, place, person)]
        outright = "".join("W" if result.share == 1 else " " for result in own)
        accuracies = [result.accuracy for result in own if result.accuracy is not None]
        stats = await person_stats(store, person, place)
        assert stats == PersonStats(
            games=len(own),
            wins=sum(result.share for result in own),
            accuracy=sum(accuracies) / len(accuracies),
            biggest_turn=max(result.biggest_turn for result in own),
            longest_streak=max(map(len, outright.split())),
            farkles=sum(result.farkles for result in own),
            turns=sum(result.turns for result in own),
        )
        assert stats.win_rate == stats.wins / stats.games
        if place is not None:
            streak = len(outright) - len(outright.rstrip("W"))
            assert await won_in_a_row(store, person, place) == streak
        last = told_in(games, place, person)[-1]["number"]
        standings.append(Ranking(person, f"{person.title()} {last}", stats.games, stats.wins))
    standings.sort(key=lambda standing: (-standing.win_rate, -standing.games))
    assert await leaderboard(store, place) == standings
    for first, second in combinations(PEOPLE, 2):
        both = told_in(games, place, first, second)
        wins = [sum(game["results"][person].share for game in both) for person in (first, second)]
        expected = HeadToHead(len(both), (wins[0], wins[1]))
        assert await head_to_head(store, first, second, place) == expected


@pytest.mark.mostly_slow
@pytest.mark.parametrize("bots", [None, True, False])
@pytest.mark.parametrize("days", [None, (20, 60)])
async def test_leaderboards_with_and_without_bots_by_season(
    store: Store, bots: bool | None, days: tuple[int, int] | None
) -> None:
    """Counted again from the games as they were told."""
    chance = random.Random(2)
    games: Counter[str] = Counter()
    wins: Counter[str] = Counter()
    for number in range(60):
        who = [
            *chance.sample(PEOPLE, 2),
            *chance.sample(["greedy", "optimal"], chance.choice([0, 1])),
        ]
        shares = chance.sample([1.0, *[0.0] * (len(who) - 1)], len(who))
        seats = [
            SeatRow(k, None if one not in PEOPLE else one, one, None if one in PEOPLE else one)
            for k, one in enumerate(who)
        ]
        if replaced := number % 10 == 0:
            seats[0] = replace(seats[0], level="cautious")
        await begin(store, f"g{number:02}", seats=seats, most_open=60)
        results = [GameResult(k, share, 9, 9, 0, 9, None, None) for k, share in enumerate(shares)]
        at, game_id = NOON + timedelta(days=number), f"g{number:02}"
        await store.append(game_id, 1, [rolled(1)], at, ended=True, results=results)
        has_bot = len(who) > 2 or replaced
        if (days and not days[0] <= number < days[1]) or (bots is False and has_bot):
            continue
        for k, (one, share) in enumerate(zip(who, shares, strict=True)):
            if (one in PEOPLE or bots) and not (replaced and k == 0):
                games[one] += 1
                wins[one] += int(share)
    within = (NOON + timedelta(days=days[0]), NOON + timedelta(days=days[1])) if days else None
    found = await leaderboard(store, "here", bots=bots, within=within)
    assert {one.person: (one.games, one.wins) for one in found} == {
        one: (games[one], wins[one]) for one in games
    }
    assert {one.person for one in found if one.is_bot} == {*games} - {*PEOPLE}
    assert [one.win_rate for one in found] == sorted((one.win_rate for one in found), reverse=True)
    assert await leaderboard(store, "nowhere", bots=bots, within=within) == []


async def test_nobody_has_no_records(store: Store) -> None:
    assert await person_stats(store, "ann") == PersonStats(0, 0, None, 0, 0, 0, 0)
    assert (await person_stats(store, "ann")).win_rate is None
    assert await head_to_head(store, "ann", "ben") == HeadToHead(0, (0, 0))
    assert await leaderboard(store) == []
    assert await find_person(store, None, "Ann") is None


async def test_people_are_found_by_their_last_name_in_capitals_or_not(store: Store) -> None:
    for number, (person, name) in enumerate([("1", "Ömer"), ("2", "ömer"), ("1", "Weiß")]):
        at = NOON + timedelta(days=number)
        place = "here" if number else "there"
        seats = [SeatRow(0, person, name, None), SeatRow(1, None, "Robot", "optimal")]
        await begin(store, f"g{number}", seats=seats, at=at, place=place)
    assert await find_person(store, None, "ÖMER") == "2"
    assert await find_person(store, "there", "ÖMER") == "1"
    assert await find_person(store, "here", "WEISS") == "1"
    assert await find_person(store, "there", "weiß") is None
    assert await find_person(store, None, "robot") is None


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["sqlite"])
async def test_forgetting_leaves_no_trace_and_no_hole(store: Store, path: Path) -> None:
    person, names = "person-4711", ["Annabella Groß", "Annabella the 2nd"]
    for number in range(200):
        seats = [SeatRow(0, person, names[number % 2], None), SeatRow(1, "ben", "Ben", None)]
        await begin(store, f"g{number:03}", seats=seats, most_open=200)
        results = [GameResult(seat, float(not seat), 9, 9, 0, 9, None, None) for seat in (0, 1)]
        await store.append(f"g{number:03}", 1, [rolled(1)], NOON, ended=True, results=results)
    await begin(store, "without", seats=[SeatRow(0, "ben", "Ben", None)])
    await store.save_place_rules("here", "ours", "goal = 1", person)
    await store.save_place_rules("here", "theirs", "goal = 2", "ben")
    before = await head_to_head(store, "ben", person)
    assert before == HeadToHead(200, (0, 200))
    assert await traces(store, path, person, *names)

    assert await forget(store, person) == 200
    assert await traces(store, path, person, *names) == []
    assert await traces(store, path, "ben", "Ben")
    assert await forget(store, person) == 0

    record = await store.record("g007")
    game, events = record.game, record.events
    assert game.seats == (SeatRow(0, None, "someone", None), SeatRow(1, "ben", "Ben", None))
    assert (len(events), len(await game_results(store, "g007"))) == (2, 2)
    assert (await person_stats(store, "ben")).games == 200
    assert (await person_stats(store, person)).games == 0
    assert await leaderboard(store) == [Ranking("ben", "Ben", 200, 0)]
    assert await store.place_rules("here") == {"ours": "goal = 1", "theirs": "goal = 2"}


async def traces(store: Store, path: Path, *words: str) -> list[str]:
    """Columns with a value that contains one of the words, and files with its bytes."""

    def columns(connection: Connection) -> list[str]:
        found = []
        listed = connection.exec_driver_sql(
            "SELECT t.name, c.name FROM sqlite_master t, pragma_table_info(t.name) c"
            " WHERE t.type = 'table'"
        )
        for table, column in map(tuple, listed):
            values = connection.exec_driver_sql(f'SELECT "{column}" FROM "{table}"')  # noqa: S608
            if any(word in str(value) for value in values.scalars() for word in words):
                found.append(f"{table}.{column}")
        return found

    found = await store.read(columns)
    for file in path.parent.iterdir():
        content = file.read_bytes()
        found += [file.name for word in words if word.encode() in content]
    return found
