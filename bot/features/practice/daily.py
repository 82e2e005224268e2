"""The daily position of a place: what is asked, who found it, and when it is posted.

A day begins at the hour at which the place has its position posted, in UTC, so that there is a
whole day to answer; where none is posted, at midnight. Whatever hour is set, what is over is never
asked again: a position is over once the next one is asked, and its solution is told only then.
"""

import contextlib
import logging
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import date, datetime, timedelta

from bot.features.practice import store as stored
from bot.features.practice.store import DailyAnswer, StoredDaily
from bot.review.review import read_kept
from bot.services.advisor import Advisor
from bot.services.chances import Oracle
from bot.services.house_rules import HouseRules
from bot.services.situation import DEFAULT_RULES
from bot.services.tables import Caller, Tables
from bot.store.rows import StoreError
from bot.tasks.answering import at_once
from bot.tasks.tasks import Asker
from solver.errors import FarkleError, InvalidRequestError
from solver.play.daily import DailyPosition, daily_position
from solver.rules.ruleset import Ruleset
from solver.wording import say

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Asked:
    """The position of today, with what the one who looks at it has answered."""

    daily: DailyPosition
    answer: int | None = None
    solution: "Solution | None" = None
    """The solution of the position before, where this one is posted and there was one."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What an answer comes to."""

    daily: DailyPosition
    choice: int
    """The first answer of the person, which counts."""
    is_first: bool
    """Whether that was given just now; a later one is refused."""
    streak: int
    """On how many days in a row the best choice was found."""


@dataclass(frozen=True, slots=True)
class Solution:
    """What came of a position that is over."""

    daily: DailyPosition
    answers: int
    found: int
    streaks: tuple[tuple[str, int], ...]
    """Who found the best choice on two days in a row or more: the name, and how many days."""


SendPost = Callable[[str, Asked, datetime | None], Awaitable[bool]]
"""Sends a position to a place, unless it was sent there since a moment, and returns whether that is
done; what failed is tried again the next time."""


@dataclass(frozen=True, slots=True)
class BoardLine:
    """A line of the board: how often somebody answered, and how well."""

    name: str
    answered: int
    found: int
    streak: int
    """On how many days in a row, up to now."""
    average_cost: float
    """Win probability that an answer gave away on average."""


class Daily:
    """The daily positions of all places."""

    def __init__(self, tables: Tables, oracle: Oracle, rules: HouseRules) -> None:
        self._store = tables.store
        self._tables = tables
        self._oracle = oracle
        self._rules = rules
        self._refused: set[tuple[str, date]] = set()
        """Places and days in which nothing could be asked; each is logged once."""

    async def today(self, caller: Caller) -> Asked:
        """What is asked in the place of the caller now. Raises FarkleError."""
        asked = await self._asked(caller.place, await self._day(caller.place), caller.asker)
        given = await stored.answers(self._store, caller.place)
        own = (
            row.choice for row in given if (row.day, row.person) == (asked.day, caller.person.id)
        )
        return Asked(_read(asked), next(own, None))

    async def answer(
        self, caller: Caller, choice: int, day: date | None = None
    ) -> Verdict | Solution:
        """Note what somebody answers, by the number of the choice from 1; only once.

        day : on which it was asked; of one that is over the solution is told

        Raises FarkleError.
        """
        today = await self._day(caller.place)
        if day is not None and day < today:
            over = await self._known(caller.place, day, today)
            with contextlib.suppress(FarkleError):  # that today has none keeps no solution back
                await self._asked(caller.place, today, caller.asker)
            return await self._solution(over)
        if day is None:
            asked = await self._asked(caller.place, today, caller.asker)
        else:  # nothing is drawn for a day that a button makes up
            asked = await self._known(caller.place, day, today)
        daily, person = _read(asked), caller.person
        index = index_of(choice, daily.choices, "/daily")
        given = DailyAnswer(asked.day, person.id, person.name, index, daily.cost(index))
        first, is_first = await stored.answered(self._store, asked, given)
        days, answers = await self._all(caller.place)
        streak = streak_of(days, [answer for answer in answers if answer.person == person.id])
        return Verdict(daily, first.choice, is_first, streak)

    async def board(self, place: str) -> list[BoardLine]:
        """Who has answered in a place, the one who found most first."""
        return board(*await self._all(place))

    async def post_due(self, front: str, post: SendPost) -> None:
        """Have posted what is due in the places of a front, once, whoever else looks for it.

        Due is what was not posted on the day of its hour, as of a program that was off. It is
        claimed before it is sent, so that nobody else sends it: where a program is killed in
        between, it is due again a little later, and looked for before it is sent.

        Raises StoreError.
        """
        now = self._tables.now()
        await stored.free_lost(self._store, now, front)
        hours = await self._store.places_that_set("daily")
        due = [
            place
            for place, hour in hours.items()
            if place.startswith(f"{front}:") and type(hour) is int and 0 <= hour <= now.hour
        ]
        due = [*set(due) - await stored.posted(self._store, now.date())] if due else []
        for place in sorted(due):
            await self._post(place, now.date(), post)

    async def _post(self, place: str, day: date, post: SendPost) -> None:
        """Post what is asked in a place, unless another program does."""
        if await self._day(place) > day:
            return
        try:
            asked = await self._asked(place, day, Asker("", place))
            before = await stored.last_before(self._store, place, day)
            solution = await self._solution(before) if before else None
            message = Asked(_read(asked), solution=solution)
        except StoreError:
            raise
        except FarkleError as error:  # the others have theirs all the same
            if (place, day) not in self._refused:
                self._refused.add((place, day))
                logger.warning("no daily position for %s: %s", place, error)
            return
        now = self._tables.now()
        since = await stored.claim(self._store, place, day, now)
        if since is None:
            return
        try:
            posted = await post(place, message, since if since < now else None)
        except Exception:
            await stored.done(self._store, place, day, posted=False)
            raise
        await stored.done(self._store, place, day, posted=posted)

    async def _day(self, place: str) -> date:
        """The day that it is in a place: where its hour is put off, the one that was asked last.

        What a clock that was days ahead had asked is not waited for.
        """
        hour = (await self._store.settings(place)).daily
        day = (self._tables.now() - timedelta(hours=max(hour, 0))).date()
        next_day = day + timedelta(days=1)
        return next_day if next_day in await stored.days(self._store, place) else day

    async def _asked(self, place: str, day: date, asker: Asker) -> StoredDaily:
        """What is asked in a place on a day, drawn where nobody has asked before."""
        question = await stored.daily(self._store, place, day)
        if question is not None:
            return question
        rules = await solved_rules(self._rules, self._oracle, place)
        daily = await self._oracle.answered(asker, rules, drawn, self._oracle.advisor, rules, day)
        choices = list(map(asdict, daily.choices))
        assert daily.id is not None  # noqa: S101 - no score is below 0
        rules_data = daily.rules.model_dump(mode="json")
        new = StoredDaily(place, daily.day, rules_data, daily.id, choices)
        return await stored.kept(self._store, new)

    async def _known(self, place: str, day: date, today: date) -> StoredDaily:
        question = await stored.daily(self._store, place, day)
        if question is None or day > today:
            raise InvalidRequestError.say(
                "that position is no longer known here: /daily shows today's"
            )
        return question

    async def _solution(self, asked: StoredDaily) -> Solution:
        days, answers = await self._all(asked.place)
        days = [day for day in days if day <= asked.day]
        those = [answer for answer in answers if answer.day == asked.day]
        streaks = [
            (answer.name, streak_of(days, [old for old in answers if old.person == answer.person]))
            for answer in those
        ]
        long = sorted(((n, k) for n, k in streaks if k > 1), key=lambda pair: (-pair[1], pair[0]))
        hits = sum(answer.cost == 0 for answer in those)
        return Solution(_read(asked), len(those), hits, tuple(long))

    async def _all(self, place: str) -> tuple[list[date], list[DailyAnswer]]:
        days, today = await stored.days(self._store, place), await self._day(place)
        return [day for day in days if day <= today], await stored.answers(self._store, place)


async def solved_rules(rules: HouseRules, oracle: Oracle, place: str) -> Ruleset:
    """The rules of a place, or the default ones where those are not solved."""
    ruleset = await rules.resolve(place)
    if await at_once(oracle.advisor.solved, ruleset):
        return ruleset
    return await rules.resolve(place, DEFAULT_RULES)


def index_of(number: int, choices: Sequence[object], command: str) -> int:
    """The index of a choice by its number, which counts from 1. Raises InvalidRequestError."""
    if not 1 <= number <= len(choices):
        raise InvalidRequestError.say(
            "the answers have the numbers 1 to {most}, not {number}: {command} shows them",
            most=len(choices),
            number=number,
            command=command,
        )
    return number - 1


def drawn(advisor: Advisor, rules: Ruleset, day: date) -> DailyPosition:
    """The position of a day under the rules. Raises FarkleError."""
    return daily_position(advisor.strategy(rules), day)


def board(days: Sequence[date], answers: Iterable[DailyAnswer]) -> list[BoardLine]:
    """How everybody does who has answered: who found most first, of these who gave away least.

    days : all on which something was asked, in their order
    """
    people: dict[str, list[DailyAnswer]] = {}
    for answer in answers:
        people.setdefault(answer.person, []).append(answer)
    lines = [
        BoardLine(
            name=max(own, key=lambda answer: answer.day).name,
            answered=len(own),
            found=sum(answer.cost == 0 for answer in own),
            streak=streak_of(days, own),
            average_cost=sum(answer.cost for answer in own) / len(own),
        )
        for own in people.values()
    ]
    return sorted(lines, key=lambda line: (-line.found, line.average_cost, line.name))


def streak_of(days: Sequence[date], own: Iterable[DailyAnswer]) -> int:
    """On how many of the last days in a row somebody found the best choice.

    The last day may still be answered.
    """
    hits = {answer.day: answer.cost == 0 for answer in own}
    streak = 0
    for day in reversed(days):
        if hits.get(day):
            streak += 1
        elif day in hits or day != days[-1]:
            break
    return streak


def _read(kept: StoredDaily) -> DailyPosition:
    """A position that was kept. Raises FarkleError where this program cannot read it."""
    daily = read_kept(kept.rules, asdict(kept), say("the daily position"))
    return DailyPosition(daily.rules, daily.position, daily.roll, daily.choices, day=kept.day)
