"""Drills: the worst first, each answer once, spaced; forgotten with the person."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import Connection, Text, literal, select

from bot.features.practice.drill import Drill, DrillQuestion, DrillVerdict, Wish, answered
from bot.features.practice.store import StoredDrill, drills, drills_of
from bot.features.practice.view import drill_page, verdict_page
from bot.languages import language
from bot.services.advisor import Advisor
from bot.services.levels import LookingBack
from bot.services.rule_options import with_goal
from bot.services.store_check import check_store
from bot.services.tables import Caller, Person
from bot.settings import Settings
from bot.store.records import forget, reviewed_games, unreviewed
from bot.store.schema import reviews
from bot.store.store import put
from bot.tasks.tasks import Delay
from bot.views.card import LONGEST_LABEL, Card
from bot.wiring import Parts, open_parts
from solver.errors import InvalidRequestError
from solver.loaded.kits import Kit
from solver.named.sets import read_set
from solver.play.advice import advise
from solver.play.drills import Spot
from solver.rules.file import load_rules
from solver.turn.equations import Decision
from solver.wording import said_in
from tests.bot.speaking import Chat

KCD = load_rules("kcd")
SHORT = with_goal(KCD, 800, named=False)
LUCKY, ORDINARY = Kit(read_set("lucky*3,ordinary*3")), Kit(read_set("ordinary*6"))
NOON = datetime(2026, 11, 22, 12, tzinfo=UTC)
BADLY_PLAYED = (
    ("ann", "/track @bob rules:kcd"),
    ("ann", "/roll 1 1 1 5 2 3"),
    ("ann", "/keep 5 bank"),
    ("bob", "/score 1500"),
    ("ann", "/roll 2 2 2 5 4 6"),
    ("ann", "/keep 5 bank"),
    ("bob", "/resign sure:yes"),
)
WORST = (5, 3, 2, 1, 1, 1), (6, 5, 4, 2, 2, 2)
"""The rolls after which Ann chose badly, the worse one first."""


class Program:
    """One of several programs at a database, with a clock that stands still until it is moved."""

    def __init__(self, parts: Parts) -> None:
        self.now = NOON
        parts.games.tables.now = lambda: self.now
        self.store, self.chat = parts.store, Chat(parts)
        self.oracle = parts.games.oracle
        self.back = LookingBack(parts.games.tables, parts.games.oracle)
        self.drill = Drill(parts.games.tables, parts.games.oracle, parts.rules, self.back)

    async def play(self) -> None:
        for name, line in BADLY_PLAYED:
            await self.chat.say(f"{name}: {line}")

    async def asked(self, name: str = "ann") -> DrillQuestion:
        told = [one async for one in self.drill.asked(by(name))]
        assert isinstance(told[-1], DrillQuestion)
        assert all(isinstance(one, Delay) for one in told[:-1])
        return told[-1]

    async def answer(self, *, best: bool, name: str = "ann") -> DrillVerdict:
        """Answer what is asked with the best choice or with the worst one."""
        question = (await self.asked(name)).drill.question
        worst = max(range(len(question.choices)), key=question.cost)
        return await self.drill.answer(by(name), (question.best if best else worst) + 1)

    async def rows(self, name: str = "ann") -> list[StoredDrill]:
        return await drills_of(self.store, by(name).person.id)


def by(name: str) -> Caller:
    return Caller("console", Person(f"console:{name}", name))


@pytest.fixture
async def program(tmp_path: Path, data: Path, kernels: Path) -> AsyncIterator[Program]:
    (tmp_path / "kernels").symlink_to(kernels)
    settings = Settings(data=tmp_path, workers=0)
    async with open_parts(settings, Advisor(data / "strategies")) as parts:
        yield Program(parts)


@pytest.fixture
async def other(
    tmp_path: Path,
    data: Path,
    program: Program,  # noqa: ARG001 - made before
) -> AsyncIterator[Program]:
    settings = Settings(data=tmp_path, workers=0)
    async with open_parts(settings, Advisor(data / "strategies")) as parts:
        yield Program(parts)


# ---- What is asked ---------------------------------------------------------------------------


async def test_the_worst_decision_comes_first_and_waits_for_an_answer(program: Program) -> None:
    await program.play()
    first = await program.asked()
    assert first.drill.question.roll == WORST[0]
    assert (first.games, first.lessons, first.waiting, first.left) == (1, 2, 1, 0)
    assert first.drill.chosen is not None
    assert first.drill.question.choices[first.drill.chosen].set_aside == (5,)
    assert replace(await program.asked(), drill=first.drill) == first
    assert (await program.asked()).drill == first.drill
    await program.answer(best=True)
    assert (await program.asked()).drill.question.roll == WORST[1]


async def test_what_is_found_comes_later_and_what_is_missed_soon(program: Program) -> None:
    await program.play()
    found, missed = await program.answer(best=True), await program.answer(best=False)
    assert found.due is not None
    assert found.due >= NOON + timedelta(days=1)
    assert missed.due == NOON + timedelta(minutes=10)
    program.now += timedelta(minutes=9)
    await program.answer(best=True)  # of a position that is drawn
    assert (await program.asked()).drill.turn is None
    await program.answer(best=True)
    program.now += timedelta(minutes=1)
    again = await program.asked()
    assert (again.drill.question.roll, again.drill.again) == (WORST[1], True)


async def test_after_two_own_decisions_a_position_of_the_weak_spot_is_drawn(
    program: Program,
) -> None:
    await program.play()
    for _ in range(2):
        await program.answer(best=False)
    program.now += timedelta(days=1)  # both are due
    drawn = await program.asked()
    assert drawn.drill.turn is None
    assert drawn.drill.spot is drawn.weak is Spot.MANY_DICE
    assert drawn.waiting == 2
    await program.answer(best=True)
    for _ in range(2):
        assert (await program.asked()).drill.turn is not None
        await program.answer(best=True)
    assert (await program.asked()).drill.turn is None


async def test_without_errors_positions_are_drawn(program: Program) -> None:
    asked = await program.asked()
    assert (asked.weak, asked.games, asked.drill.turn) == (None, 0, None)
    verdict = await program.answer(best=True)
    assert verdict.due is None  # found at once: it is not asked again
    assert (await program.asked()).drill.question != verdict.drill.question
    program.now += timedelta(minutes=1)
    await program.answer(best=True)
    await program.asked()
    assert len(await program.rows()) == 2, "what was answered last, and what is asked"
    await program.answer(best=False)
    program.now += timedelta(minutes=10)
    assert (await program.asked()).drill.again


async def test_what_is_there_is_asked_while_games_cannot_be_reviewed(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(*_: object) -> AsyncIterator[Delay]:
        raise InvalidRequestError("too many tasks")
        yield

    with monkeypatch.context() as busy:
        busy.setattr(program.back, "catch_up", refuse)
        with pytest.raises(InvalidRequestError, match="too many tasks"):
            await program.asked()
    await program.play()
    first = await program.asked()
    monkeypatch.setattr(program.back, "catch_up", refuse)
    assert (await program.asked()).drill == first.drill
    await program.answer(best=True)
    assert (await program.asked()).drill.question.roll == WORST[1]


async def test_games_of_rules_that_are_not_solved_are_passed_by(program: Program) -> None:
    for name, line in BADLY_PLAYED:
        await program.chat.say(f"{name}: {line.replace('rules:kcd', 'rules:facebook goal:49950')}")
    asked = await program.asked()
    assert (asked.games, asked.left) == (0, 0)
    assert await unreviewed(program.store, "console:ann") != []


# ---- Several players, and dice that they bring ---------------------------------------------------

GAMES = {
    "three": Wish(KCD, 3),
    "dice of two": Wish(SHORT, 2, (LUCKY, ORDINARY)),
    "dice of three": Wish(SHORT, 3, (LUCKY, ORDINARY, LUCKY)),
}


async def wished(program: Program, wish: Wish) -> DrillQuestion:
    """What is asked of Ann of such a game, which is solved if need be."""
    async for _ in program.oracle.ready(by("ann").asker, wish.matchup):
        pass
    return [one async for one in program.drill.asked(by("ann"), wish)][-1]  # type: ignore[return-value]


def shown(asked: DrillQuestion, verdict: DrillVerdict) -> tuple[Card, str]:
    return drill_page(asked).card, verdict_page(verdict).text


@pytest.mark.mostly_slow
@pytest.mark.parametrize("kind", list(GAMES))
async def test_every_game_can_be_practised(program: Program, kind: str) -> None:
    wish = GAMES[kind]
    first = (await wished(program, wish)).drill
    question = first.question
    assert Wish.of(question) == wish
    assert question.id is None
    play = program.oracle.advisor.play_of(wish.rules, wish.players, wish.matchup)
    told = advise(play, question.position, question.roll).options[0]
    best = question.choices[question.best]
    assert (best.set_aside, best.bank) == (told.set_aside, told.action is not Decision.ROLL)
    assert best.win_probability == pytest.approx(told.win_probability, abs=1e-12)
    assert (await wished(program, wish)).drill == first, "it waits for an answer"
    worst = max(range(len(question.choices)), key=question.cost)
    verdict = await program.drill.answer(by("ann"), worst + 1, first.id)
    assert verdict.advice is not None
    assert verdict.advice.options[0].set_aside == best.set_aside
    assert verdict.due == NOON + timedelta(minutes=10)
    assert await program.drill.like(by("ann"), first.id) == wish
    program.now += timedelta(seconds=1)
    second = (await wished(program, wish)).drill
    assert second.question != question
    await program.drill.answer(by("ann"), second.question.best + 1)
    program.now += timedelta(minutes=10)
    again = (await wished(program, wish)).drill
    assert (again.question, again.again) == (question, True)
    for code in ("en", "de"):
        card, text = said_in(language(code), shown, await wished(program, wish), verdict)
        assert all(0 < len(one.label) <= LONGEST_LABEL for one in card.buttons)
        assert text


async def test_a_wish_leaves_what_waits_where_it_is(program: Program) -> None:
    await program.play()
    own = await program.asked()
    program.now += timedelta(seconds=1)
    other = await wished(program, GAMES["three"])
    assert other.drill.turn is None
    assert (await program.drill.answer(by("ann"), 1)).drill.id == other.drill.id
    assert replace(await program.asked(), waiting=own.waiting) == own


OWN_DICE = "my-dice:lucky*3,ordinary*3 goal:800"
WITH_OWN_DICE = {
    "two": ["ann: /track @bob", "bob: /score 800"],
    "three": ["ann: /track @bob @eve", "bob: /score 50", "eve: /score 800"],
}


@pytest.mark.mostly_slow(2)
@pytest.mark.parametrize("kind", list(WITH_OWN_DICE))
async def test_own_decisions_with_own_dice_are_asked(program: Program, kind: str) -> None:
    begin, *others = WITH_OWN_DICE[kind]
    players = 1 + len(others)
    kits = LUCKY, *[ORDINARY] * (players - 1)
    async for _ in program.oracle.ready(by("ann").asker, Wish(SHORT, players, kits).matchup):
        pass
    badly = ["ann: /roll 1 1 1 lucky 5 2 3 ordinary", "ann: /keep 5 bank"]
    for line in (f"{begin} {OWN_DICE}", *badly, *others):
        await program.chat.say(line)
    asked = await program.asked()
    question = asked.drill.question
    assert (asked.games, asked.drill.turn) == (1, 1)
    assert len(question.position.players) == len(question.kits) == players
    assert asked.drill.chosen is not None
    assert question.choices[asked.drill.chosen].points == 50
    play = program.oracle.advisor.pair(question.matchup)  # type: ignore[arg-type]
    told = advise(play, question.position, question.roll).options[0]
    assert question.choices[question.best].win_probability == pytest.approx(told.win_probability)
    text = await program.chat.say("ann: /drill")
    assert "Your dice lucky*3,ordinary*3" in text
    assert "keep 5" in text
    assert "%" not in text


# ---- Answers ---------------------------------------------------------------------------------


async def test_one_answer_counts(program: Program, other: Program) -> None:
    await program.play()
    drill = (await program.asked()).drill
    told = await asyncio.gather(
        *(
            one.drill.answer(by("ann"), k % 6 + 1, drill.id)
            for k in range(8)
            for one in (program, other)
        )
    )
    assert sum(one.is_first for one in told) == 1
    assert len({one.choice for one in told}) == 1
    with pytest.raises(InvalidRequestError, match="^no question is open for you"):
        await program.drill.answer(by("ann"), 1)
    with pytest.raises(InvalidRequestError, match="^no question is open for you"):
        await program.drill.answer(by("bob"), 1, drill.id)
    typed = drill.id.replace("-", "").lower()
    assert (await program.drill.answer(by("ann"), 1, typed)).choice == told[0].choice


async def test_a_number_of_no_choice_is_refused_and_changes_nothing(program: Program) -> None:
    await program.asked()
    before = await program.rows()
    for number in (-1, 0, 99):
        with pytest.raises(InvalidRequestError, match="^the answers have the numbers 1 to "):
            await program.drill.answer(by("ann"), number)
    assert await program.rows() == before


async def test_programs_ask_the_same(program: Program, other: Program) -> None:
    await program.play()
    asked = await asyncio.gather(*(one.asked() for one in (program, other) for _ in range(3)))
    assert len({one.drill.id for one in asked}) == 1
    assert len(await program.rows()) == 1


@pytest.mark.parametrize("is_own", [True, False])
def test_what_was_drawn_and_found_at_once_is_done_with(is_own: bool) -> None:
    choices = [{"win_probability": worth} for worth in (0.5, 0.4)]
    game = "g" if is_own else None
    asked = StoredDrill("ann", "X", {}, choices, NOON, game)
    found = answered(asked, 1, NOON)
    assert (found.due is None) is not is_own
    assert (found.choice, found.answered_at) == (0, NOON)
    missed = answered(asked, 2, NOON)
    assert missed.due is not None
    assert answered(replace(missed, choice=None), 1, missed.due).due is not None


# ---- What is kept ----------------------------------------------------------------------------


async def test_who_is_forgotten_has_no_drills_and_no_games(program: Program) -> None:
    await program.play()
    await program.answer(best=False)
    await program.answer(best=False, name="bob")
    await forget(program.store, "console:ann")
    assert await program.rows() == []
    assert len(await program.rows("bob")) == 1
    assert (await program.asked()).games == 0


async def test_a_game_that_goes_on_is_reviewed_anew(program: Program) -> None:
    await program.play()
    assert (await program.asked()).lessons == 2
    await program.chat.say("bob: /undo")  # the resignation, which ended it
    assert await reviewed_games(program.store, "console:ann") == []
    await program.chat.say("bob: /score 100")
    await program.chat.say("bob: /resign sure:yes")
    assert (await program.asked()).games == 1


async def test_what_this_program_cannot_read_is_let_go(program: Program) -> None:
    await program.play()
    before = (await program.asked()).drill
    [row] = await program.rows()
    state = {"rules": {**row.rules, "dice": 99}, "asked_at": NOON.isoformat()}
    changed = drills.select().with_only_columns(drills.c.state)
    kept = await program.store.read(lambda c: c.execute(changed).scalar_one())
    await program.store.write(partial(put, table=drills, row={
        "person": row.person, "position": row.position, "state": {**kept, **state}}))  # fmt: skip
    assert (await program.rows())[0].rules["dice"] == 99
    assert (await program.asked()).drill == before


@pytest.mark.parametrize("damage", ["{", "7", "{}"])
async def test_damaged_rows_are_left_out(program: Program, damage: str) -> None:
    await program.play()
    assert (await program.asked()).games == 1
    for changed in (
        reviews.update().values(found=literal(damage, Text)),
        drills.update().values(state=literal(damage, Text)),
    ):
        await program.store.write(partial(Connection.execute, statement=changed))
    problems = (await check_store(program.store, lambda _: None)).problems
    assert [one.where for one in problems] == ["reviews", "drills"]
    assert await program.rows() == []
    assert (await program.asked()).games == 0


async def test_no_id_of_a_person_is_kept_with_reviews(program: Program) -> None:
    await program.play()
    await program.asked()
    rows = await program.store.read(lambda c: c.execute(select(reviews)).all())
    assert len(rows) == 2
    assert "ann" not in str(rows)
