"""Tournaments at the database: several programs, damage, who is forgotten, games without result."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from bot.features.tournaments import store as stored
from bot.features.tournaments.bracket import Form, State, Tournament
from bot.features.tournaments.service import TournamentNews, Tournaments
from bot.features.tournaments.view import tournament_data, tournament_text
from bot.services.advisor import Advisor
from bot.services.games import News
from bot.services.store_check import check_store
from bot.services.tables import Caller, Person
from bot.settings import Settings
from bot.store.records import forget, leaderboard
from bot.store.rows import StoreError
from bot.table import commands
from bot.wiring import Parts, end_abandoned, open_parts
from solver.errors import FarkleError, IllegalActionError, InvalidRequestError
from solver.rules.file import load_rules

HERE = "discord:500"


def by(name: str, place: str = HERE, *, manages: bool = False) -> Caller:
    return Caller(place, Person(f"discord:{name}", name), manages=manages)


def standing(news: News) -> Tournament | None:
    """The tournament after one of its games."""
    found: TournamentNews | None = news.after[0].subject if news.after else None
    return found.tournament if found else None


class Program:
    """One of several programs at a database."""

    def __init__(self, parts: Parts) -> None:
        self.parts = parts
        self.store = parts.store
        self.tournaments = Tournaments(parts.games)

    async def begun(self, form: Form, *names: str) -> Tournament:
        """A tournament of these people, the first of whom is the host."""
        await self.tournaments.make(by(names[0]), form, load_rules("kcd"))
        for name in names[1:]:
            await self.tournaments.join(by(name))
        found = (await self.tournaments.start(by(names[0]))).tournament
        assert found
        return found

    async def now(self) -> Tournament:
        found = (await self.tournaments.shown(by("eve"))).tournament
        assert found
        return found

    async def play(self, name: str, *against: str) -> News:
        """The first thing told of a game that somebody begins."""
        caller = by(name)
        found, pairing = await self.tournaments.pairing(caller, against)
        news = [one async for one in self.tournaments.play(caller, found, pairing)]
        return news[0]

    async def resign(self, name: str) -> News:
        [news] = [news async for news in self.parts.games.resign(by(name), None)]
        return news


async def opened(folder: Path, data: Path) -> AsyncIterator[Program]:
    async with open_parts(Settings(data=folder, workers=0), Advisor(data / "strategies")) as parts:
        yield Program(parts)


@pytest.fixture
async def program(tmp_path: Path, data: Path) -> AsyncIterator[Program]:
    async for one in opened(tmp_path, data):
        yield one


@pytest.fixture
async def other(
    tmp_path: Path,
    data: Path,
    program: Program,  # noqa: ARG001 - made before
) -> AsyncIterator[Program]:
    async for one in opened(tmp_path, data):
        yield one


async def test_one_pairing_is_begun_once(program: Program, other: Program) -> None:
    """Whoever presses at the same time, in whichever program: one game, which all see."""
    await program.begun(Form.ROUND_ROBIN, "ann", "bob")
    tried = [one.play(name) for one in (program, other) for name in ("ann", "bob")]
    told = await asyncio.gather(*tried, return_exceptions=True)
    assert sum(isinstance(one, News) for one in told) == 1
    assert sum(isinstance(one, FarkleError) for one in told) == 3
    for one in (program, other):
        assert len((await one.store.open_games(HERE))[0]) == 1
        assert [pair.state for pair in (await one.now()).due] == [State.PLAYING]


async def test_several_games_at_a_time(program: Program, other: Program) -> None:
    """More than may be open here otherwise; results come from the games, in any program."""
    found = await program.begun(Form.ROUND_ROBIN, "ann", "bob", "cem", "dot")
    names = [[found.entrant(side).name for side in one.sides if isinstance(side, int)]
             for one in found.due]  # fmt: skip
    for one, against in names:
        await program.play(one, against)
    assert len((await program.store.open_games(HERE))[0]) == 2
    for number, (_, loser) in enumerate(names, start=1):
        told = standing(await other.resign(loser))
        assert told
        assert sum(row.games for row in told.table) == 2 * number
    assert {row.entrant.name for row in (await program.now()).table[:2]} == {
        one for one, _ in names
    }
    ranked = {one.name: one.wins for one in await leaderboard(program.store, HERE)}
    assert ranked == {name: float(name == pair[0]) for pair in names for name in pair}


async def test_join_and_start_at_the_same_time(program: Program, other: Program) -> None:
    """Who joins takes part or is refused, and is never left between."""
    await program.tournaments.make(by("ann"), Form.ROUND_ROBIN, load_rules("kcd"))
    await program.tournaments.join(by("bob"))
    joins = [other.tournaments.join(by(name)) for name in ("cem", "dot", "eve")]
    done = await asyncio.gather(
        *joins[:2], program.tournaments.start(by("ann")), *joins[2:], return_exceptions=True
    )
    refused = sum(isinstance(one, IllegalActionError) for one in done)
    assert all(isinstance(one, IllegalActionError | TournamentNews) for one in done)
    found = await other.now()
    assert sorted(found.draw) == [one.number for one in found.entrants]
    assert len(found.draw) == 5 - refused


async def test_a_game_that_comes_to_nought_is_played_again(program: Program) -> None:
    await program.begun(Form.KNOCK_OUT, "ann", "bob")
    await program.play("ann")
    later = program.parts.games.tables.now() + timedelta(hours=30)
    program.parts.games.tables.now = lambda: later
    await end_abandoned(program.parts.games, 24)
    assert [one.state for one in (await program.now()).due] == [State.DUE]
    news = await program.play("bob")
    with closing(sqlite3.connect(program.store.database.name)) as connection, connection:
        these = "UPDATE events SET kind = 'banked' WHERE game_id = ?"
        connection.execute(these, [news.table.game.id])
    with pytest.raises(StoreError, match="is damaged and was set aside"):
        await program.parts.games.tables.load(news.table.game.id)
    assert [one.state for one in (await program.now()).due] == [State.DUE]
    with pytest.raises(StoreError, match="is damaged and was set aside"):
        await program.play("ann")  # which the place is told once
    await program.play("ann")
    told = await program.resign("ann")
    found = standing(told)
    assert found
    assert [one.name for one in found.winners] == ["bob"]
    with pytest.raises(IllegalActionError, match="the tournament is over"):
        await program.play("ann")
    await program.tournaments.make(by("cem"), Form.KNOCK_OUT, load_rules("kcd"))


async def test_who_leaves_gives_up_the_game_under_way(program: Program) -> None:
    await program.begun(Form.KNOCK_OUT, "ann", "bob")
    with pytest.raises(IllegalActionError, match="begin their game themselves; only ann, who"):
        await program.play("eve", "ann", "bob")
    news = await program.play("ann")
    with pytest.raises(IllegalActionError, match="only ann, who made the tournament"):
        await program.tournaments.leave(by("bob"), None, "ann")
    told = await program.tournaments.leave(by("ann"), None, "bob")
    assert told.tournament
    assert [one.name for one in told.tournament.winners] == ["ann"]
    assert (await program.parts.games.tables.load(news.table.game.id)).game.over
    assert told.tournament.pairings[0].state is State.PLAYED


async def test_a_tournament_that_was_ended_is_won_by_nobody_later(program: Program) -> None:
    await program.begun(Form.KNOCK_OUT, "ann", "bob")
    news = await program.play("ann")
    await program.tournaments.end(by("ann"))
    told = await program.resign("ann")
    assert told.table.game.over
    assert standing(told) is None
    found = (await program.tournaments.shown(by("ann"))).tournament
    assert found
    assert found.games[0].id == news.table.game.id
    assert (found.ended, found.complete, found.winners) == (True, False, ())


async def test_a_game_counts_that_is_over_before_the_end_is_written(program: Program) -> None:
    begun = await program.begun(Form.ROUND_ROBIN, "ann", "bob", "cem")
    await program.play("ann", "bob")
    before = program.parts.games.tables.now()
    await program.resign("ann")
    [cem] = (entrant.number for entrant in begun.entrants if entrant.name == "cem")
    await stored.leave(program.store, begun.id, cem, before)
    found = await program.now()
    assert found.complete
    assert [one.name for one in found.winners] == ["bob"]


async def test_a_game_counts_that_is_over_before_all_is_put_away(program: Program) -> None:
    await program.begun(Form.ROUND_ROBIN, "ann", "bob", "cem")
    await program.play("ann", "bob")
    before = program.parts.games.tables.now()
    await program.resign("ann")
    played = (await program.now()).games
    assert await stored.put_away(program.store, HERE, before)
    assert not await stored.put_away(program.store, HERE, before)
    found = await program.now()
    assert found.ended
    assert found.games == played


async def test_a_game_begun_while_somebody_leaves_is_given_up_too(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever left can win nothing any more, whenever the program ends."""
    drawn = await program.begun(Form.KNOCK_OUT, "ann", "bob", "cem", "dot")
    first = drawn.pairings[0].sides
    gone, stays = (drawn.entrant(side) for side in first if isinstance(side, int))
    leave, news = stored.leave, list[News]()

    async def slow(*asked: Any) -> str | None:
        if not news:
            news.append(await program.play(stays.name))
            assert await leave(*asked) == news[0].table.game.id
            assert (await program.now()).entrant(gone.number) == gone, "the game is open"
        return await leave(*asked)

    monkeypatch.setattr(stored, "leave", slow)
    await program.tournaments.leave(by(gone.name))
    found = await program.now()
    assert (found.pairings[0].state, found.pairings[0].winner) == (State.PLAYED, stays.number)
    assert (await program.parts.games.tables.load(news[0].table.game.id)).game.over
    assert found.entrant(gone.number).left


async def test_a_namesake_is_somebody_else(program: Program) -> None:
    await program.tournaments.make(by("ann"), Form.ROUND_ROBIN, load_rules("kcd"))
    await program.tournaments.join(Caller(HERE, Person("discord:77", "Max")))
    with pytest.raises(InvalidRequestError, match='"max" does not take part'):
        await program.tournaments.leave(by("ann"), None, Person("discord:99", "max"))
    told = await program.tournaments.leave(by("ann"), None, "max")
    assert told.tournament
    assert [one.name for one in told.tournament.present] == ["ann"]


@pytest.mark.parametrize("others", [(), ("bob",)])
async def test_a_forgotten_host_leaves_the_place_to_others(
    program: Program, others: tuple[str, ...]
) -> None:
    await program.tournaments.make(by("ann"), Form.KNOCK_OUT, load_rules("kcd"))
    for name in others:
        await program.tournaments.join(by(name))
        await program.tournaments.leave(by(name))
    await forget(program.store, "discord:ann")
    assert (await program.now()).ended
    await program.tournaments.make(by("cem"), Form.KNOCK_OUT, load_rules("kcd"))


async def test_who_is_forgotten_has_given_up_before(program: Program) -> None:
    await program.begun(Form.KNOCK_OUT, "ann", "bob")
    await program.play("ann")
    with pytest.raises(StoreError, match="has just begun: try again"):
        await forget(program.store, "discord:bob")
    assert [one async for one in program.parts.games.leave_all(by("bob"))]
    await forget(program.store, "discord:bob")
    assert [one.name for one in (await program.now()).winners] == ["ann"]


async def test_who_is_forgotten_has_left(program: Program) -> None:
    await program.begun(Form.ROUND_ROBIN, "ann", "bob", "cem")
    news = await program.play("bob")
    [told] = [one async for one in program.parts.games.leave_all(by("bob"))]
    assert standing(told)
    assert await forget(program.store, "discord:bob") == 1
    program.parts.games.tables.drop()
    found = await program.now()
    assert [(one.person, one.name, one.left) for one in found.entrants][1] == (
        None,
        "someone",
        True,
    )
    assert [{found.entrant(side).name for side in one.sides if isinstance(side, int)}
            for one in found.due] == [{"ann", "cem"}]  # fmt: skip
    assert news.table.game.id
    report = await check_store(program.store, lambda _: None)
    assert report.problems == ()


@pytest.mark.mostly_slow(2)
@pytest.mark.parametrize(
    "damage",
    [
        "DELETE FROM entrants WHERE number = 1",
        "UPDATE tournament_games SET number = 2",
        "UPDATE tournaments SET draw = '[0,'",
        "UPDATE tournaments SET rules = '7'",
        "UPDATE tournaments SET form = 'none'",
    ],
)
async def test_a_damaged_one_is_put_away(program: Program, damage: str) -> None:
    await program.begun(Form.ROUND_ROBIN, "ann", "bob")
    await program.play("ann")
    with closing(sqlite3.connect(program.store.database.name)) as connection, connection:
        connection.execute(damage)
    for asked in (program.now(), program.play("ann"), program.tournaments.end(by("ann"))):
        with pytest.raises(
            StoreError, match="is damaged: someone who manages this place can close it"
        ):
            await asked
    # the game itself goes on
    told = await program.resign("bob")
    assert told.table.game.shares
    assert standing(told) is None
    problems = (await check_store(program.store, lambda _: None)).problems
    assert [one.what for one in problems if one.where.startswith("tournament ")]
    await program.tournaments.end(by("ann", manages=True))
    await program.tournaments.make(by("bob"), Form.ROUND_ROBIN, load_rules("kcd"))


async def test_nobody_comes_or_goes_in_a_game_of_a_tournament(program: Program) -> None:
    await program.begun(Form.ROUND_ROBIN, "ann", "bob")
    game = (await program.play("ann")).table.game
    for change in (
        lambda: commands.join(game),
        lambda: commands.leave(game, 0),
        lambda: commands.substitute(game, 0, "greedy"),
        lambda: commands.skip(game),
    ):
        with pytest.raises(IllegalActionError, match="tournament"):
            change()
    assert commands.resign(game, 0)[0].kind != "ended", "who resigns has lost"


async def test_who_leaves_in_a_game_is_told_of_with_that_game(program: Program) -> None:
    await program.begun(Form.ROUND_ROBIN, "ann", "bob", "cem")
    began = await program.play("ann", "bob")
    told = await program.tournaments.leave(by("bob"))
    assert [one.table.game.id for one in told.given_up] == [began.table.game.id]
    lines = tournament_text(told).splitlines()
    # whoever of the two begins
    assert lines[1] in {"ann wins: ann 0, bob 0.", "ann wins: bob 0, ann 0."}
    assert lines[:3:2] == ["bob resigns.", "bob no longer takes part."]
    assert tournament_data(told)["given_up"] == [began.table.game.id]
    told = await program.tournaments.leave(by("cem"))
    assert told.given_up == ()


async def test_a_lobby_that_all_have_left_is_over(program: Program) -> None:
    await program.tournaments.make(by("ann"), Form.KNOCK_OUT, load_rules("kcd"))
    told = await program.tournaments.leave(by("ann"))
    assert told.tournament is None or told.tournament.over
    await program.tournaments.make(by("bob"), Form.KNOCK_OUT, load_rules("kcd"))


async def test_a_place_has_its_own(program: Program) -> None:
    found = await program.begun(Form.ROUND_ROBIN, "ann", "bob")
    elsewhere = by("ann", "discord:600")
    for asked in (
        program.tournaments.shown(elsewhere),
        program.tournaments.end(elsewhere, found.id),
    ):
        with pytest.raises(InvalidRequestError, match="there is no tournament here"):
            await asked
    with pytest.raises(IllegalActionError, match="going on here already"):
        await program.begun(Form.ROUND_ROBIN, "cem", "dot")
    made = await asyncio.gather(
        *(
            program.tournaments.make(by(name, "discord:600"), Form.KNOCK_OUT, load_rules("kcd"))
            for name in ("ann", "bob", "cem")
        ),
        return_exceptions=True,
    )
    assert sum(isinstance(one, IllegalActionError) for one in made) == 2
