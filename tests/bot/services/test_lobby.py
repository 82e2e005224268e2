"""Before the first roll: who comes, who goes, and what becomes of their seats."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.services.advisor import Advisor
from bot.services.games import Games, News
from bot.services.tables import Caller, Person, Table
from bot.settings import Settings
from bot.wiring import open_parts
from solver.errors import FarkleError
from solver.loaded.kits import Kit, matchup_of
from solver.named.badges import read_badge
from solver.named.sets import read_set
from solver.rules.file import load_rules

ANN, BOB, CARL = (Person(f"discord:{k}", name) for k, name in enumerate(("Ann", "Bob", "Carl")))
PLACE = "discord:500"


@pytest.fixture
async def games(tmp_path: Path) -> AsyncIterator[Games]:
    """Tables in a folder, at which no strategy is known."""
    async with open_parts(Settings(data=tmp_path), Advisor(tmp_path / "strategies")) as parts:
        yield parts.games


async def last(news: AsyncIterator[News]) -> Table:
    found = [one.table async for one in news]
    return found[-1]


def by(person: Person) -> Caller:
    return Caller(PLACE, person)


async def test_who_gets_up_leaves_no_gap(games: Games) -> None:
    table = await last(games.play(by(ANN), [ANN], load_rules("kcd")))
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
    with pytest.raises(FarkleError, match="the game has begun: /resign gives it up"):
        await last(games.get_up(by(CARL), None))


async def test_a_table_without_people_ends(games: Games) -> None:
    table = await last(games.play(by(ANN), [ANN], load_rules("kcd")))
    with pytest.raises(FarkleError, match="you do not play in this game"):
        await last(games.get_up(by(BOB), None))
    table = await last(games.join(by(ANN), None, "greedy"))
    assert table.game.version == 2, "a bot does not begin"
    table = await last(games.join(by(BOB), None))
    assert table.names == ("Ann", "greedy bot", "Bob")
    table = await last(games.get_up(by(ANN), None))
    assert table.game.over
    assert table.game.shares is None


async def test_who_gets_up_leaves_the_dice_that_they_brought(games: Games) -> None:
    """Whoever sits keeps theirs, points of a badge too; who comes next has what is left."""
    lucky = Kit(read_set("lucky*6"), read_badge("headstart:250"))
    odd, devil = Kit(read_set("odd*6")), Kit(read_set("devil*6"))
    rules = load_rules("kcd")
    table = await last(games.play(by(ANN), [ANN], rules, kits=(lucky, odd)))
    await last(games.join(by(BOB), None, kit=devil))
    table = await last(games.get_up(by(BOB), None))
    assert table.game.kits == (lucky, devil)
    await last(games.join(by(BOB), None))
    table = await last(games.get_up(by(ANN), None))
    assert (table.names, table.game.kits) == (("Bob",), (devil, lucky))
    assert table.game.matchup == matchup_of(rules, (devil, lucky))
    table = await last(games.join(by(CARL), None))
    assert [seat.score for seat in table.game.seats] == [0, lucky.head_start]
    assert lucky.head_start > 0
    table = await last(games.roll(by(BOB), None))
    games.tables.drop()
    assert (await games.tables.current(table.game.id)).game == table.game


async def test_who_took_dice_of_a_draft_stays(games: Games) -> None:
    pool = read_set("lucky,odd,devil,weighted,holy,ordinary").dice
    await last(games.play(by(ANN), [ANN, BOB], load_rules("kcd"), pool=pool))
    table = await last(games.get_up(by(ANN), None))
    assert (table.names, table.game.mover) == (("Bob",), 0)
    await last(games.join(by(ANN), None))
    assert [one async for one in games.pick(by(BOB), None, 0)]
    for person in (ANN, BOB):
        with pytest.raises(FarkleError, match="the game has begun: /resign gives it up"):
            await last(games.get_up(by(person), None))
