"""What is told of chances while a game goes on, and kept when it is over."""

import random
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from bot.services import chances
from bot.tasks.answering import at_once
from solver.strategy import Strategy
from tests.bot.chat import Chat
from tests.bot.services.test_loaded_games import data_of


@pytest.fixture
def handed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is computed in a thread, by its name."""
    found: list[str] = []

    async def noted(make: Callable[..., Any], /, *args: Any, **more: Any) -> Any:
        found.append(make.__name__)
        return await at_once(make, *args, **more)

    monkeypatch.setattr(chances, "at_once", noted)
    return found


@pytest.mark.parametrize(("undone", "rows"), [(0.0, 0), (0.0, 300), (0.1, 300)])
async def test_what_is_kept_of_a_game_is_what_its_review_says(
    chat: Chat,
    tmp_path: Path,
    undone: float,
    rows: int,
    handed: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Read move by move as it went on, in threads or not, as in one go when it is over."""
    monkeypatch.setattr(chances, "_SMALL_ROWS", rows)
    chance = random.Random(1)
    table = await data_of(chat, "ann: /track @bob rules:kcd")
    while (who := table["to_move"]) is not None:
        if table["version"] > 1 and chance.random() < undone:
            line = "/undo"
        elif table["roll"] is not None:
            options = (await data_of(chat, f"{who}: /hint"))["options"]
            one = chance.choice(options[:2])
            line = f"/keep {one['set_aside']} {'bank' if one['action'] == 'bank' else ''}"
        elif table["dice"] == 6 and not table["turn_total"] and chance.random() < 0.2:
            line = "/score 400"
        else:
            line = "/roll " + " ".join(str(chance.randint(1, 6)) for _ in range(table["dice"]))
        table = await data_of(chat, f"{who}: {line}")
    assert (handed.count("_exact") > 3) == (rows == 0)
    players = (await data_of(chat, "ann: /review"))["players"]
    with closing(sqlite3.connect(tmp_path / "farkle.db")) as connection:
        query = "SELECT accuracy, luck FROM results ORDER BY seat"
        kept = connection.execute(query).fetchall()
    assert kept == [pytest.approx((one["accuracy"], one["luck"]), abs=1e-12) for one in players]


async def test_only_what_is_in_memory_is_computed_in_the_event_loop(
    chat: Chat, handed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    await data_of(chat, "ann: /track @bob rules:kcd")
    await chat.say("ann: /score 300")  # the file of the strategy is open by now
    handed.clear()
    told = await data_of(chat, "bob: /score 300")
    assert "_exact" not in handed
    monkeypatch.setattr(Strategy, "is_at_hand", False)
    await chat.say("bob: /undo")
    assert await data_of(chat, "bob: /score 300") == told | {"version": told["version"] + 2}
    assert "_exact" in handed
