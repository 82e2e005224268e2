"""The daily position of a place: one answer each, streaks, and posts at the hour, once."""

import asyncio
import itertools
import random
from collections.abc import AsyncIterator
from datetime import UTC, date, datetime, timedelta
from functools import partial
from pathlib import Path
from unittest.mock import AsyncMock

import pytest
from sqlalchemy import Connection, Text, literal

from bot.features.practice.daily import Asked, BoardLine, Daily, Solution, Verdict, board, streak_of
from bot.features.practice.store import DailyAnswer, daily_answers, daily_positions
from bot.services.advisor import Advisor
from bot.services.situation import RULES_SETTING
from bot.services.store_check import check_store
from bot.services.tables import Caller, Person
from bot.settings import Settings
from bot.store.records import forget
from bot.wiring import Parts, open_parts
from solver.errors import InvalidRequestError
from solver.play.daily import DailyPosition
from tests.bot.clock import Clock

HERE, THERE = "discord:500", "discord:600"
MONDAY = date(2026, 11, 23)
RULES = ["kcd", "facebook"]


class Program:
    """One of several programs at a database, and what it has posted."""

    def __init__(self, parts: Parts, clock: Clock) -> None:
        parts.games.tables.now = clock
        self.store = parts.store
        self.daily = Daily(parts.games.tables, parts.games.oracle, parts.rules)
        self.posted: list[tuple[str, Asked]] = []
        self.since: list[datetime | None] = []
        self.works = True

    async def look(self) -> None:
        await self.daily.post_due("discord", self._post)

    async def _post(self, place: str, post: Asked, since: datetime | None) -> bool:
        await asyncio.sleep(0)
        self.since.append(since)
        if self.works:
            self.posted.append((place, post))
        return self.works

    async def answer(
        self, name: str, choice: int, place: str = HERE, day: date | None = None
    ) -> Verdict | Solution:
        return await self.daily.answer(by(name, place), choice + 1, day)

    async def asked(self, place: str = HERE) -> DailyPosition:
        return (await self.daily.today(by("eve", place))).daily


def by(name: str, place: str = HERE) -> Caller:
    return Caller(place, Person(f"discord:{name}", name))


@pytest.fixture
def clock() -> Clock:
    return Clock(datetime(2026, 11, 23, 17, 59, tzinfo=UTC))


@pytest.fixture
async def program(tmp_path: Path, data: Path, clock: Clock) -> AsyncIterator[Program]:
    """The programs at which two places have their position at 18:00, under kcd rules."""
    settings = Settings(data=tmp_path, workers=0)
    async with open_parts(settings, Advisor(data / "strategies")) as parts:
        for place in (HERE, THERE):
            await parts.store.set_place_setting(place, RULES_SETTING, "kcd")
            await parts.store.set_place_setting(place, "daily", 18)
        yield Program(parts, clock)


@pytest.fixture
async def other(
    tmp_path: Path,
    data: Path,
    clock: Clock,
    program: Program,  # noqa: ARG001 - made before
) -> AsyncIterator[Program]:
    settings = Settings(data=tmp_path, workers=0)
    async with open_parts(settings, Advisor(data / "strategies")) as parts:
        yield Program(parts, clock)


def wrong(daily: DailyPosition) -> int:
    """A choice that is not the best."""
    return (daily.best + 1) % len(daily.choices)


# ---- Answers ---------------------------------------------------------------------------------


async def test_a_day_begins_at_the_hour(program: Program, clock: Clock) -> None:
    before = await program.asked()
    assert before.day == MONDAY - timedelta(days=1)
    clock.wait(minutes=1)
    after = await program.asked()
    assert after.day == MONDAY
    assert (before.position, before.roll) != (after.position, after.roll)
    clock.wait(hours=23, minutes=59)
    assert await program.asked() == after
    assert (await program.asked("console")).day == MONDAY + timedelta(days=1)


async def test_everybody_has_one_answer(program: Program) -> None:
    daily = await program.asked()
    best, other = daily.best, wrong(daily)
    assert await program.answer("ann", other) == Verdict(daily, other, True, 0)
    assert await program.answer("ann", best) == Verdict(daily, other, False, 0)
    assert await program.answer("bob", best) == Verdict(daily, best, True, 1)
    assert (await program.daily.today(by("ann"))).answer == other
    assert (await program.daily.today(by("carl"))).answer is None
    for number in (-1, len(daily.choices)):
        with pytest.raises(InvalidRequestError, match=r"^the answers have the numbers 1 to "):
            await program.answer("carl", number)
    lines = await program.daily.board(HERE)
    assert [(one.name, one.found, one.answered) for one in lines] == [
        ("bob", 1, 1),
        ("ann", 0, 1),
    ]
    assert lines[1].average_cost == pytest.approx(daily.cost(other))


async def test_presses_at_once_are_one_answer(program: Program, other: Program) -> None:
    daily = await program.asked()
    told = await asyncio.gather(
        *(one.answer("ann", k % len(daily.choices)) for k in range(8) for one in (program, other))
    )
    assert sum(isinstance(one, Verdict) and one.is_first for one in told) == 1
    assert len({one.choice for one in told if isinstance(one, Verdict)}) == 1


async def test_the_same_position_in_another_place_is_not_answered_anew(program: Program) -> None:
    """Else the verdict of one place would be the answer in another."""
    daily = await program.asked()
    await program.answer("ann", wrong(daily))
    assert await program.asked(THERE) == daily
    told = await program.answer("ann", daily.best, THERE)
    assert told == Verdict(daily, wrong(daily), False, 0)
    [line] = await program.daily.board(THERE)
    assert (line.name, line.answered, line.found) == ("ann", 1, 0)


async def test_what_is_over_tells_its_solution(program: Program, clock: Clock) -> None:
    daily = await program.asked()
    await program.answer("ann", daily.best)
    await program.answer("bob", wrong(daily))
    clock.wait(minutes=1)
    told = await program.answer("carl", daily.best, day=daily.day)
    assert told == Solution(daily, 2, 1, ())
    assert len(await program.daily.board(HERE)) == 2


async def test_a_day_that_somebody_makes_up_is_refused(program: Program) -> None:
    for day in (MONDAY + timedelta(days=400), date.min):
        with pytest.raises(InvalidRequestError, match="that position is no longer known"):
            await program.answer("ann", 0, day=day)
    assert await program.daily.board(HERE) == []


async def test_rules_that_change_do_not_change_what_is_asked(program: Program) -> None:
    daily = await program.asked()
    await program.store.set_place_setting(HERE, RULES_SETTING, "facebook")
    assert await program.asked() == daily
    assert isinstance(await program.answer("ann", daily.best), Verdict)


async def test_who_is_forgotten_has_no_answers(program: Program) -> None:
    daily = await program.asked()
    for name in ("ann", "bob"):
        await program.answer(name, daily.best)
    await forget(program.store, "discord:ann")
    query = daily_answers.select()
    rows = await program.store.read(lambda connection: connection.execute(query).all())
    assert [row.name for row in rows] == ["bob"]


@pytest.mark.parametrize("column", ["rules", "choices"])
async def test_a_damaged_row_is_made_anew(program: Program, column: str) -> None:
    daily = await program.asked()
    changed = daily_positions.update().values({column: literal("7", Text)})
    await program.store.write(partial(Connection.execute, statement=changed))
    [problem] = (await check_store(program.store, lambda _: None)).problems
    assert (problem.where, problem.what) == ("daily positions", "1 of 1 rows make no sense")
    assert await program.asked() == daily
    assert not (await check_store(program.store, lambda _: None)).problems


# ---- Posts -----------------------------------------------------------------------------------


@pytest.mark.slow
async def test_it_is_posted_at_the_hour_once_by_one_program(
    program: Program, other: Program, clock: Clock
) -> None:
    for _ in range(2):
        await asyncio.gather(program.look(), other.look())
    assert program.posted + other.posted == []
    clock.wait(minutes=1)
    for _ in range(3):
        await asyncio.gather(program.look(), other.look(), program.look())
    posted = program.posted + other.posted
    assert sorted(place for place, _ in posted) == [HERE, THERE]
    assert {post.daily.day for _, post in posted} == {MONDAY}
    assert [post.solution for _, post in posted] == [None, None]


@pytest.mark.slow
async def test_the_next_post_begins_with_the_solution(program: Program, clock: Clock) -> None:
    for number in range(3):
        clock.wait(minutes=1)
        await program.look()
        daily = await program.asked()
        await program.answer("ann", daily.best)
        await program.answer("bob", daily.best if number else wrong(daily))
        clock.wait(hours=23, minutes=59)
    clock.wait(minutes=1)
    await program.look()
    posts = [post for place, post in program.posted if place == HERE]
    assert len(posts) == 4
    last = posts[-1].solution
    assert last is not None
    assert last.daily == posts[-2].daily
    assert (last.answers, last.found) == (2, 2)
    assert last.streaks == (("ann", 3), ("bob", 2))
    second = posts[1].solution
    assert second is not None
    assert (second.answers, second.found, second.streaks) == (2, 1, ())


async def test_a_bot_that_was_off_posts_when_it_is_back_on_the_same_day(
    program: Program, clock: Clock
) -> None:
    clock.wait(hours=6)  # 23:59
    await program.look()
    assert {post.daily.day for _, post in program.posted} == {MONDAY}
    program.posted.clear()
    clock.wait(days=1, minutes=1)  # 00:00, and that of the day before is late
    await program.look()
    assert program.posted == []


async def test_what_does_not_reach_discord_is_tried_again(program: Program, clock: Clock) -> None:
    clock.wait(hours=1)
    program.works = False
    await program.look()
    program.works = True
    await program.look()
    await program.look()
    assert sorted(place for place, _ in program.posted) == [HERE, THERE]


class Killed(BaseException):
    """The end of a program in the middle of something."""


async def test_what_a_killed_program_was_posting_is_posted_once_by_another(
    program: Program, other: Program, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock.wait(hours=1)
    monkeypatch.setattr(program, "_post", AsyncMock(side_effect=Killed))
    with pytest.raises(Killed):
        await program.look()
    await other.look()
    assert [place for place, _ in other.posted] == [THERE], "the other may be at it still"
    clock.wait(minutes=2)
    for _ in range(3):
        await other.look()
        clock.wait(minutes=2)
    assert sorted(place for place, _ in other.posted) == [HERE, THERE]
    assert [since is None for since in other.since] == [True, False], "the second may be there"


async def test_who_wants_none_has_none(program: Program, clock: Clock) -> None:
    await program.store.set_place_setting(THERE, "daily", -1)
    for odd in ("18", None, 24, True):
        await program.store.set_place_setting(f"discord:{odd}", "daily", odd)
    await program.store.set_place_setting("console", "daily", 0)
    clock.wait(hours=1)
    await program.look()
    assert [place for place, _ in program.posted] == [HERE]


async def test_an_hour_that_is_put_off_brings_nothing_back(program: Program, clock: Clock) -> None:
    clock.wait(minutes=1)
    await program.look()
    monday, before = await program.asked(), MONDAY - timedelta(days=1)
    clock.wait(hours=1)
    await program.store.set_place_setting(HERE, "daily", 22)
    assert await program.asked() == monday
    assert isinstance(await program.answer("ann", monday.best, day=MONDAY), Verdict)
    with pytest.raises(InvalidRequestError, match="that position is no longer known"):
        await program.answer("ann", 0, day=before)  # which nobody was asked
    for hours in (24, 3):  # it is asked until the next one is
        assert await program.asked() == monday
        clock.wait(hours=hours)
        await program.look()
    posts = [post for place, post in program.posted if place == HERE]
    assert [post.daily.day for post in posts] == [MONDAY, MONDAY + timedelta(days=1)]
    assert posts[1].solution is not None
    assert posts[1].solution.daily == monday


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
async def test_whoever_turns_at_hours_and_clocks_no_solution_is_told_too_early(
    program: Program, clock: Clock, seed: int
) -> None:
    """Nothing that was told counts any more, no day comes back, and each is posted once."""
    chance, told = random.Random(seed), set()
    asked, people, latest = [(await program.asked()).day], itertools.count(), clock.at
    for _ in range(100):
        match chance.randrange(6):
            case 0:
                hour = chance.choice([-1, *range(24)])
                await program.store.set_place_setting(HERE, "daily", hour)
            case 1:  # also back, by less than a day in all
                latest = max(latest, clock.at)
                clock.wait(hours=chance.choice([-20, -3, 0.1, 3, 24, 50]))
                clock.at = max(clock.at, latest - timedelta(hours=20))
            case 2:
                await program.look()
            case 3:
                await program.store.set_place_setting(HERE, RULES_SETTING, chance.choice(RULES))
            case 4:
                asked.append((await program.asked()).day)
            case _:
                day = chance.choice(asked)
                found = await program.answer(f"p{next(people)}", 0, day=day)
                if isinstance(found, Solution):
                    told.add(day)
                else:
                    assert day == (await program.asked()).day
                    assert day not in told
        here = [post for place, post in program.posted if place == HERE]
        told |= {post.solution.daily.day for post in here if post.solution}
    assert asked == sorted(asked)
    days = [post.daily.day for post in here]
    assert days == sorted(set(days))


async def test_a_clock_that_was_days_ahead_is_not_waited_for(
    program: Program, clock: Clock
) -> None:
    daily = await program.asked()
    clock.wait(days=400)
    ahead = await program.asked()
    clock.wait(days=-400)
    assert await program.asked() == daily
    with pytest.raises(InvalidRequestError, match="that position is no longer known"):
        await program.answer("ann", ahead.best, day=ahead.day)
    told = await program.answer("ann", daily.best)
    assert isinstance(told, Verdict)
    assert told.streak == 1


# ---- Streaks and the board -------------------------------------------------------------------

DAYS = [MONDAY + timedelta(days=number) for number in (0, 1, 3, 4)]
"""On one day nobody was asked, which ends no streak."""


def answers(name: str, costs: dict[int, float]) -> list[DailyAnswer]:
    return [DailyAnswer(DAYS[k], name, name.title(), 0, cost) for k, cost in costs.items()]


@pytest.mark.parametrize(
    ("costs", "streak"),
    [
        ({}, 0),
        ({0: 0, 1: 0, 2: 0, 3: 0}, 4),
        ({0: 0, 1: 0, 2: 0}, 3),  # today may still come
        ({0: 0, 1: 0}, 0),
        ({1: 0, 2: 0.1, 3: 0}, 1),
        ({2: 0, 3: 0.1}, 0),
        ({3: 0}, 1),
    ],
)
def test_streaks(costs: dict[int, float], streak: int) -> None:
    assert streak_of(DAYS, answers("ann", costs)) == streak


def test_who_found_most_is_first_and_then_who_gave_away_least() -> None:
    given = [
        *answers("ann", {0: 0.25, 1: 0, 3: 0.5}),
        *answers("bob", {2: 0, 3: 0}),
        *answers("eve", {0: 0.125, 3: 0}),
    ]
    assert board(DAYS, given) == [
        BoardLine("Bob", 2, 2, 2, 0.0),
        BoardLine("Eve", 2, 1, 1, 0.0625),
        BoardLine("Ann", 3, 1, 0, 0.25),
    ]
