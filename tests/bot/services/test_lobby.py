"""Before the first roll: who comes, who goes, and what becomes of their seats."""

from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest

from bot.review.moments import read_events
from bot.services import chances
from bot.services.advisor import Advisor
from bot.services.games import Games, News
from bot.services.reckoning import charted
from bot.services.tables import Caller, Person, Table
from bot.settings import Settings
from bot.store.records import person_stats
from bot.table.events import Setup
from bot.wiring import open_parts
from solver.errors import FarkleError
from solver.loaded.kits import Kit, matchup_of
from solver.loaded.matchup import Matchup, uses_shape
from solver.named.badges import read_badge
from solver.named.sets import read_set
from solver.rules.file import load_rules
from tests.loaded_dice import kcd

ANN, BOB, CARL, DORA = (
    Person(f"discord:{k}", name) for k, name in enumerate(("Ann", "Bob", "Carl", "Dora"))
)
PLACE = "discord:500"


@pytest.fixture
async def games(tmp_path: Path) -> AsyncIterator[Games]:
    """Tables in a folder, at which no strategy is known."""
    async with open_parts(
        Settings(data=tmp_path, workers=0), Advisor(tmp_path / "strategies")
    ) as parts:
        yield parts.games


async def last(news: AsyncIterator[News]) -> Table:
    found = [one.table async for one in news]
    return found[-1]


def by(person: Person) -> Caller:
    return Caller(PLACE, person)


async def test_a_bot_that_was_added_is_removed_by_who_plays(games: Games) -> None:
    table = await last(games.play(by(ANN), [ANN], Setup(rules=load_rules("kcd"))))
    await last(games.join(by(BOB), None))
    for level in ("greedy", "cautious"):
        table = await last(games.join(by(ANN), None, level))
    with pytest.raises(FarkleError, match="or someone who manages this place"):
        await last(games.get_up(by(CARL), None, "greedy bot"))
    table = await last(games.get_up(by(BOB), None, "greedy bot"))
    assert table.names == ("Ann", "Bob", "Cautious bot")
    with pytest.raises(FarkleError, match="only Ann"):
        await last(games.get_up(by(BOB), None, "Ann"))
    await last(games.roll(by(ANN), None))
    with pytest.raises(FarkleError, match="only Cautious bot, or someone who manages"):
        await last(games.get_up(by(BOB), None, "cautious bot"))


async def test_who_gets_up_leaves_no_gap(games: Games) -> None:
    table = await last(games.play(by(ANN), [ANN], Setup(rules=load_rules("kcd"))))
    for person in (BOB, CARL):
        table = await last(games.join(by(person), None))
    for person in (CARL, BOB):
        await last(games.seed(by(person), None, f"seed of {person.name}"))
    table = await last(games.get_up(by(BOB), None))
    assert table.names == ("Ann", "Carl")
    assert table.game.seeds == ((1, "seed of Carl"),)
    games.tables.drop()
    stored = await games.tables.current(table.game.id)
    assert (stored.stored, stored.game) == (table.stored, table.game), "as it is kept"
    table = await last(games.join(by(BOB), None))
    assert table.names == ("Ann", "Carl", "Bob")
    table = await last(games.get_up(by(ANN), None))
    assert table.names == ("Carl", "Bob")
    assert table.game.mover == 0
    table = await last(games.roll(by(CARL), None))
    assert table.game.rolls == 1
    games.tables.drop()
    assert (await games.tables.current(table.game.id)).game == table.game
    with pytest.raises(FarkleError, match="the game has begun: to stop playing, /resign"):
        await last(games.get_up(by(CARL), None))


async def test_a_table_ends_where_one_is_left_by_those_who_resign_or_get_up(games: Games) -> None:
    table = await last(games.play(by(ANN), [ANN], Setup(rules=load_rules("kcd"))))
    for person in (BOB, CARL):
        await last(games.join(by(person), None))
    await last(games.resign(by(BOB), None))
    table = await last(games.get_up(by(CARL), None))
    assert table.game.over
    assert table.game.shares is None


async def test_one_who_has_resigned_is_not_to_move_after_somebody_gets_up(games: Games) -> None:
    table = await last(games.play(by(ANN), [ANN], Setup(rules=load_rules("kcd"))))
    for person in (BOB, CARL, DORA):
        await last(games.join(by(person), None))
    await last(games.resign(by(BOB), None))
    table = await last(games.get_up(by(ANN), None))
    assert table.names[table.game.mover] == "Carl"
    table = await last(games.roll(by(CARL), None))
    assert table.game.rolls == 1


async def test_a_table_without_people_ends(games: Games) -> None:
    table = await last(games.play(by(ANN), [ANN], Setup(rules=load_rules("kcd"))))
    with pytest.raises(FarkleError, match="you do not play in this game"):
        await last(games.get_up(by(BOB), None))
    table = await last(games.join(by(ANN), None, "greedy"))
    assert table.game.version == 2, "a bot does not begin"
    table = await last(games.join(by(BOB), None))
    assert table.names == ("Ann", "Greedy bot", "Bob")
    table = await last(games.get_up(by(ANN), None))
    assert table.game.over
    assert table.game.shares is None


async def test_who_gets_up_leaves_the_dice_that_they_brought(games: Games) -> None:
    """Whoever sits keeps theirs, points of a badge too; who comes next has what is left."""
    lucky = Kit(read_set("lucky*6"), read_badge("headstart:250"))
    odd, devil = Kit(read_set("odd*6")), Kit(read_set("devil*6"))
    rules = load_rules("kcd")
    table = await last(games.play(by(ANN), [ANN], Setup(rules=rules, kits=(lucky, odd))))
    await last(games.join(by(BOB), None, kit=devil))
    table = await last(games.get_up(by(BOB), None))
    assert table.game.kits == (lucky, devil)
    await last(games.join(by(BOB), None))
    table = await last(games.get_up(by(ANN), None))
    assert (table.names, table.game.kits) == (("Bob",), (devil, lucky))
    assert table.game.matchup == matchup_of(rules, (devil, lucky))
    table = await last(games.join(by(CARL), None))
    assert [seat.score for seat in table.game.seats] == [0, 250]
    table = await last(games.roll(by(BOB), None))
    games.tables.drop()
    assert (await games.tables.current(table.game.id)).game == table.game


def solve(games: Games, matchup: Matchup) -> None:
    """Have a match-up to 600 with three dice known, by values that are made up."""
    shape = *uses_shape(matchup), 2, 12, 12
    values = np.sort(np.sort(np.random.default_rng(1).random(shape), axis=-2), axis=-1)
    games.oracle.advisor.keep_pair(matchup, values[..., ::-1])


@pytest.mark.parametrize("badge", ["silver-fortune", None])
async def test_who_comes_after_another_brings_what_counts(games: Games, badge: str | None) -> None:
    """A game is looked back on from when all had what they play with."""
    rules, host = kcd(dice=3, goal=600), Kit(read_set("devil,lucky,pie", 3))
    guest, next_one = (
        Kit(read_set("ordinary*3", 3), read_badge(name) if name else None)
        for name in ("silver-might", badge)
    )
    for kit in (guest, next_one):
        solve(games, matchup_of(rules, (host, kit)))
    await last(games.play(by(ANN), [ANN], Setup(rules=rules, kits=(host, guest))))
    await last(games.join(by(BOB), None))
    await last(games.get_up(by(BOB), None))
    begun = await last(games.join(by(CARL), None, None, next_one))
    start = games.oracle.advisor.worth_in(begun.game).shares(begun.game)
    await last(games.roll(by(ANN), None))
    [news] = [one async for one in games.resign(by(CARL), None)]
    assert news.table.game.shares == (1, 0)
    worth = games.oracle.advisor.worth_in(begun.game)
    assert read_events(worth, begun.begun, news.table.events).start == start
    chart = charted(games.oracle.advisor, begun.names, begun.begun, news.table.events)
    assert chart.turns[0].win_probabilities == start


async def test_a_game_ends_whatever_its_review_comes_to(
    games: Games, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise IndexError

    monkeypatch.setattr(chances, "accuracy", fails)
    rules, kit = kcd(dice=3, goal=600), Kit(read_set("devil,lucky,pie", 3))
    solve(games, matchup_of(rules, (kit, kit)))
    await last(games.play(by(ANN), [ANN, BOB], Setup(rules=rules, kits=(kit, kit))))
    await last(games.roll(by(ANN), None))
    table = await last(games.resign(by(ANN), None))
    kept = await person_stats(games.tables.store, BOB.id)
    assert (table.game.over, kept.games, kept.wins, kept.accuracy) == (True, 1, 1, None)


async def test_who_took_dice_of_a_draft_stays(games: Games) -> None:
    pool = read_set("lucky,odd,devil,weighted,holy,ordinary").dice
    await last(games.play(by(ANN), [ANN, BOB], Setup(rules=load_rules("kcd"), pool=pool)))
    table = await last(games.get_up(by(ANN), None))
    assert (table.names, table.game.mover) == (("Bob",), 0)
    await last(games.join(by(ANN), None))
    assert [one async for one in games.pick(by(BOB), None, 0)]
    for person in (ANN, BOB):
        with pytest.raises(FarkleError, match="the game has begun: to stop playing, /resign"):
            await last(games.get_up(by(person), None))
