"""Drills: a person's own worst decisions again, spaced, and new positions of the spots they err in.

What is asked waits until it is answered. Own decisions come first, those that are due before those
that were never asked, but after every two of them a position is drawn.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from operator import itemgetter
from typing import Any, Self

from fsrs import Card, Rating, Scheduler

from bot.features.practice import store as stored
from bot.features.practice.daily import index_of, solved_rules
from bot.features.practice.store import StoredDrill
from bot.review.review import kept, read_kept
from bot.services.advisor import Advisor
from bot.services.chances import Oracle
from bot.services.house_rules import HouseRules
from bot.services.levels import LookingBack, weak_spot
from bot.services.tables import Caller, Tables
from bot.store.records import reviewed_games
from bot.store.rows import DamagedGameError, MissingGameError, PlayedGame, StoreError
from bot.tasks.answering import at_once
from bot.tasks.tasks import Delay, TaskCancelledError
from bot.tasks.workers import TaskError
from solver.errors import FarkleError, InvalidRequestError
from solver.loaded.kits import Kit, solved_of
from solver.loaded.matchup import Matchup
from solver.play.advice import Advice, PositionId, advise, read_id, with_why
from solver.play.daily import CLEAR, Question, chance_of
from solver.play.drills import Spot, drawn, spot_of
from solver.rules.ruleset import Ruleset
from solver.wording import say

_OWN_IN_A_ROW = 2
"""Own decisions after which a position is drawn."""
_TRIES = 5
"""Positions that are let go one after the other where they cannot be read."""


@dataclass(frozen=True, slots=True)
class Drilled:
    """A position that somebody practises on."""

    question: Question
    id: str
    again: bool
    """Whether it was answered before."""
    turn: int | None
    """The turn of the own game in which it came up; None for one that was drawn."""
    played_on: datetime | None
    """When that game ended; None also where that is not known any more."""
    chosen: int | None
    """What was chosen then."""

    @property
    def spot(self) -> Spot:
        """Where it comes up."""
        asked = self.question
        return spot_of(asked.rules, asked.position, asked.thrown)


@dataclass(frozen=True, slots=True)
class Wish:
    """The game from which somebody wants new positions."""

    rules: Ruleset
    players: int = 2
    kits: tuple[Kit, ...] = ()
    """What players bring, the one to act first; none where all throw the dice of the rules."""
    joker_alone: bool = False
    """Whether jokers of these may score without a die that is none."""

    @property
    def matchup(self) -> Matchup | None:
        """What they bring as it is solved. Raises FarkleError for what cannot be."""
        return solved_of(self.rules, self.kits, joker_alone=self.joker_alone)

    @classmethod
    def of(cls, question: Question) -> Self:
        """The game in which a decision comes up."""
        players = len(question.position.players)
        return cls(question.rules, players, question.kits, question.joker_alone)


@dataclass(frozen=True, slots=True)
class DrillQuestion:
    """What is asked now, and what it follows from."""

    drill: Drilled
    weak: Spot | None
    """The spot in which the person errs most; None where nothing was lost."""
    games: int
    """Games that were reviewed."""
    decisions: int
    """The number of decisions in these games, without those that were forced."""
    lessons: int
    """Decisions of these to practise on."""
    waiting: int
    """Positions that come after this one: own decisions, and what was missed and is due."""
    left: int
    """Games that are not reviewed yet."""


@dataclass(frozen=True, slots=True)
class DrillVerdict:
    """What an answer comes to."""

    drill: Drilled
    choice: int
    is_first: bool
    """Whether it is the answer that counts; else one was given before."""
    due: datetime | None
    """When it is asked again; None for never."""
    now: datetime
    advice: Advice | None
    """What the best choice is, with why; None where the rules are not solved any more."""


class Drill:
    """The positions that people practise on."""

    def __init__(
        self, tables: Tables, oracle: Oracle, rules: HouseRules, back: LookingBack
    ) -> None:
        self._store = tables.store
        self._tables = tables
        self._oracle = oracle
        self._rules = rules
        self._back = back

    async def asked(
        self, caller: Caller, wish: Wish | None = None
    ) -> AsyncIterator[Delay | DrillQuestion]:
        """What is asked of the caller now, after their games were reviewed; how long that takes.

        Where games cannot be reviewed now, it is made of those that were.

        wish : what is to be asked; own decisions and new positions if None

        Raises FarkleError.
        """
        person, failed = caller.person.id, None
        try:
            async for delay in self._back.catch_up(caller, person):
                yield delay
        except TaskCancelledError:
            raise
        except (TaskError, InvalidRequestError) as error:
            failed = error
        games = await reviewed_games(self._store, person)
        if failed and not games and not await stored.drills_of(self._store, person):
            raise failed
        drill, puzzle = await self._waiting(caller, games, wish)
        known = await stored.drills_of(self._store, person)
        others = [other for other in known if other.position != drill.position]
        waiting = len(_due(others, self._tables.now())) + len(_new(games, known))
        lessons = sum(len(game.lessons) for game in games)
        left = await self._back.left(person)
        decisions = sum(game.decisions for game in games)
        yield DrillQuestion(puzzle, weak_spot(games), len(games), decisions, lessons, waiting, left)

    async def like(self, caller: Caller, position: str) -> Wish | None:
        """The game of a new position that has no ID, from which others are wanted then."""
        known = await stored.drills_of(self._store, caller.person.id)
        last = next((drill for drill in known if drill.position == position), None)
        if last is None or last.game_id or not last.whole:
            return None
        return Wish.of(_read(last))

    async def answer(
        self, caller: Caller, choice: int, position: str | None = None
    ) -> DrillVerdict:
        """Note what somebody answers, by the number of the choice from 1; only once.

        position : by its ID; what is asked now if None

        Raises FarkleError.
        """
        now, person = self._tables.now(), caller.person.id
        if position is not None:
            known = await stored.drills_of(self._store, person)
            position = next((row.position for row in known if _is_meant(row, position)), position)
        given = partial(answered, choice=choice, now=now)
        answer, is_first = await stored.answer(self._store, person, position, given)
        if answer is None or answer.choice is None:
            raise InvalidRequestError.say("no question is open for you: /drill asks one")
        drill = await self._read(answer)
        asked = drill.question.rules, advised, self._oracle.advisor, drill.question
        advice = await self._oracle.answered(caller.asker, *asked)
        return DrillVerdict(drill, answer.choice, is_first, answer.due, now, advice)

    async def _waiting(
        self, caller: Caller, games: Sequence[PlayedGame], wish: Wish | None
    ) -> tuple[StoredDrill, Drilled]:
        """What waits for an answer, or waits from now on."""

        def fits(row: StoredDrill) -> bool:
            with suppress(FarkleError):
                return wish is None or wish == Wish.of(_read(row))
            return False

        for _ in range(_TRIES):
            known = await stored.drills_of(self._store, caller.person.id)
            waiting = [row for row in known if row.choice is None]
            drill = waiting[-1] if waiting and fits(waiting[-1]) else None
            if drill is None:
                alike = list(filter(fits, known))
                drill = await self._next(caller, games, alike, wish)
                drill = await stored.ask(self._store, drill, fits)
            try:
                return drill, await self._read(drill)
            except StoreError:
                raise
            except FarkleError as error:  # as of rules that this program knows no more
                wrong = error
                await stored.drop(self._store, drill)
        raise wrong

    async def _read(self, kept: StoredDrill) -> Drilled:
        """A position that was kept. Raises FarkleError where this program cannot read it."""
        game = await self._store.game(kept.game_id) if kept.game_id else None
        again = kept.answered_at is not None
        played_on = game.ended_at if game else None
        return Drilled(_read(kept), kept.position, again, kept.turn, played_on, kept.chosen)

    async def _next(
        self,
        caller: Caller,
        games: Sequence[PlayedGame],
        known: Sequence[StoredDrill],
        wish: Wish | None,
    ) -> StoredDrill:
        now, person = self._tables.now(), caller.person.id
        done = [(drill.answered_at, drill) for drill in known if drill.answered_at is not None]
        last = [drill for _, drill in sorted(done, key=itemgetter(0))[-_OWN_IN_A_ROW:]]
        if len(last) < _OWN_IN_A_ROW or not all(drill.game_id for drill in last):
            if due := _due(known, now):
                return replace(due[0], asked_at=now, choice=None)
            for game, number in () if wish else _new(games, known):
                if own := await self._own(person, game, number, now):
                    return own
        wish = wish or Wish(await self._rules_of(caller, games))
        seed = " ".join([person, now.isoformat(), *(drill.position for drill in known)])
        asked = drawn_for, self._oracle.advisor, wish, weak_spot(games), seed
        if wish.players > 2:
            question = await self._oracle.tasks.aside(caller.asker, *asked)
        else:
            question = await self._oracle.answered(caller.asker, wish.rules, *asked)
        rules = wish.rules.model_dump(mode="json")
        return StoredDrill(person, rules=rules, asked_at=now, **kept(question))

    async def _own(
        self, person: str, game: PlayedGame, number: int, now: datetime
    ) -> StoredDrill | None:
        """A decision of an own game; None where that cannot be read any more."""
        try:
            table = await self._tables.load(game.game_id)
        except (DamagedGameError, MissingGameError):
            return None
        lesson = game.lessons[number]
        rules = table.game.rules.model_dump(mode="json")
        return StoredDrill(person, rules=rules, game_id=game.game_id, asked_at=now, **lesson)

    async def _rules_of(self, caller: Caller, games: Sequence[PlayedGame]) -> Ruleset:
        """The rules that positions are drawn under: of the last game, else of the place."""
        solved = self._oracle.advisor.solved
        for game in games[:1]:
            with suppress(DamagedGameError, MissingGameError):
                table = await self._tables.load(game.game_id)
                if await at_once(solved, table.game.rules):
                    return table.game.rules
        return await solved_rules(self._rules, self._oracle, caller.place)


def answered(asked: StoredDrill, choice: int, now: datetime) -> StoredDrill:
    """A position as it is kept once it was answered, by the number of the choice from 1.

    One that was drawn and found at once is not asked again.

    Raises InvalidRequestError for a number that no choice has.
    """
    index = index_of(choice, asked.choices, "/drill")
    cost = _cost(asked.choices, index)
    memory, due = spaced(asked.memory, cost, now)
    if asked.game_id is None and asked.memory is None and cost == 0:
        return replace(asked, choice=index, answered_at=now, due=None)
    return replace(asked, choice=index, answered_at=now, memory=memory, due=due)


def drawn_for(advisor: Advisor, wish: Wish, spot: Spot | None, seed: str) -> Question:
    """A new position of a spot in a game. Raises FarkleError."""
    play = advisor.play_of(wish.rules, wish.players, wish.matchup)
    question = drawn(play, spot, chance_of(seed))
    return replace(question, kits=wish.kits, joker_alone=wish.joker_alone)


def advised(advisor: Advisor, question: Question) -> Advice | None:
    """What the best choice is and why; None where the game is not solved any more."""
    players, matchup = len(question.position.players), question.matchup
    try:
        play = advisor.play_of(question.rules, players, matchup)
        advice = advise(play, question.position, question.roll)
    except FarkleError:
        return None
    return advice if matchup else with_why(play, advice)


def _is_meant(kept: StoredDrill, typed: str) -> bool:
    """Whether a position is the one that is named. Raises InvalidRequestError for what is none."""
    if kept.position == typed:
        return True
    return not kept.whole and _read_alike(kept.position) == _read_alike(typed)


def _read_alike(typed: str) -> PositionId:
    return read_id(typed)._replace(text="")


def _read(kept: StoredDrill) -> Question:
    """A position that was kept. Raises FarkleError where this program cannot read it."""
    return read_kept(kept.rules, asdict(kept), say("the position"))


def _due(known: Sequence[StoredDrill], now: datetime) -> list[StoredDrill]:
    """What was answered and is to be asked again, what has waited longest first."""
    due = [(drill.due, drill) for drill in known if drill.due is not None and drill.due <= now]
    return [drill for _, drill in sorted(due, key=itemgetter(0))]


def _new(games: Sequence[PlayedGame], known: Sequence[StoredDrill]) -> list[tuple[PlayedGame, int]]:
    """Own decisions that were never asked, each by its game and number; the worst first."""
    asked = {drill.position for drill in known}
    lessons = {
        lesson["position"]: (game, number)
        for game in games
        for number, lesson in enumerate(game.lessons)
        if lesson["position"] not in asked
    }

    def cost(own: tuple[PlayedGame, int]) -> float:
        lesson = own[0].lessons[own[1]]
        return _cost(lesson["choices"], lesson["chosen"])

    return sorted(lessons.values(), key=cost, reverse=True)


def _cost(choices: Sequence[dict[str, Any]], chosen: int) -> float:
    """What a choice gives away, of choices as they are kept."""
    worth: list[float] = [choice["win_probability"] for choice in choices]
    return max(worth) - worth[chosen]


_SOON = timedelta(minutes=10)
_SCHEDULER = Scheduler(
    learning_steps=(_SOON,),
    relearning_steps=(_SOON,),
    maximum_interval=365,
    enable_fuzzing=False,  # so that the same answers have the same intervals
)

_ELSEWHERE = {"card_id": 0, "due": datetime.min.isoformat()}
"""What a card of the scheduler has besides, and what is kept elsewhere or needed by nobody."""


def spaced(
    memory: Mapping[str, Any] | None, cost: float, now: datetime
) -> tuple[dict[str, Any], datetime]:
    """What is remembered after an answer that cost so much, and when it is asked again.

    That is as the model of memory of FSRS 6 has it, with its parameters:
    https://github.com/open-spaced-repetition/awesome-fsrs/wiki/The-Algorithm.

    memory : what was remembered before; None at the first answer
    cost : win probability that was given away
    now : in UTC
    """
    before: Any = {**_ELSEWHERE, **memory} if memory else None
    card = Card.from_dict(before) if before else Card(0, due=now)
    after, _ = _SCHEDULER.review_card(card, _rating(cost), now)
    kept = {name: value for name, value in after.to_dict().items() if name not in _ELSEWHERE}
    return kept, after.due


def _rating(cost: float) -> Rating:
    """How well it was known: what is nearly as good as the best was not quite forgotten."""
    if cost <= 0:
        return Rating.Good
    return Rating.Hard if cost < CLEAR else Rating.Again
