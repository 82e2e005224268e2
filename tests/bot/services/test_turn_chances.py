"""The chances of a table stay as they were told for as long as a turn goes on."""

from pathlib import Path

import pytest

from bot.services.advisor import Advisor
from bot.services.games import News
from bot.services.tables import Caller, Person
from bot.settings import Settings
from bot.table.events import Setup
from bot.table.state import Game
from bot.wiring import open_parts
from solver.rules.file import load_rules
from solver.turn.dice import set_asides

PEOPLE = [Person(f"discord:{k}", name) for k, name in enumerate(("Ann", "Bob", "Carl"))]
PLACE = "discord:500"


def mover(game: Game) -> Caller:
    return Caller(PLACE, PEOPLE[game.mover])


def told(news: News) -> tuple[float, ...]:
    assert news.at_start is not None
    return news.at_start.win_probabilities


@pytest.mark.parametrize("hints", [True, pytest.param(False, marks=pytest.mark.slow)])
@pytest.mark.parametrize("players", [2, 3])
async def test_they_stay(tmp_path: Path, data: Path, players: int, hints: bool) -> None:
    """In turn after turn, and where the program is begun anew in the middle of one."""
    advisor, rules = Advisor(data / "strategies"), load_rules("kcd")
    async with open_parts(Settings(data=tmp_path), advisor) as parts:
        games, host = parts.games, Caller(PLACE, PEOPLE[0])
        begun = games.play(host, PEOPLE[:players], Setup(rules=rules, hints=hints))
        [news] = [one async for one in begun]
        last, turns, known = news.chances, 0, True
        while turns < 5 or news.table.game.turn.roll is None or not known:
            game = news.table.game
            moves = games.roll(mover(game), game.id)
            if game.turn.roll is not None:
                kept = set_asides(rules, game.turn.roll)[0].dice
                moves = games.keep(mover(game), game.id, kept, "roll")
            [news] = [one async for one in moves]
            if news.chances:
                last, turns, known = news.chances, turns + 1, True
            elif news.table.game.turn.roll is None:
                known = False  # a busy machine has estimated the new turn too late
            assert last
            assert told(news) == last.win_probabilities
    async with open_parts(Settings(data=tmp_path), advisor) as parts:
        table = await parts.games.tables.current(news.table.game.id)
        assert table.game.turn.roll
        found = told(await parts.games.shown(table))
        assert last
        assert found == pytest.approx(last.win_probabilities, abs=1e-12)
