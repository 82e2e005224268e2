"""Chances are told while a game goes on, and kept when it is over."""

import random
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.bot.services.test_loaded_games import data_of
from tests.bot.speaking import Chat


@pytest.mark.slow
@pytest.mark.parametrize("undone", [0.0, 0.1])
async def test_what_is_kept_of_a_game_is_what_its_review_says(
    chat: Chat, tmp_path: Path, undone: float
) -> None:
    """Read move by move as it went on, as in one go when it is over."""
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
    players = (await data_of(chat, "ann: /review"))["players"]
    with closing(sqlite3.connect(tmp_path / "farkle.db")) as connection:
        query = "SELECT accuracy, luck FROM results ORDER BY seat"
        kept = connection.execute(query).fetchall()
    assert kept == [pytest.approx((one["accuracy"], one["luck"]), abs=1e-12) for one in players]


async def turn(chat: Chat, who: str) -> Any:
    """A turn of three ones with real dice; the players after it, with their chances."""
    await chat.say(f"{who}: /roll 1 1 1 2 3 4")
    return (await data_of(chat, f"{who}: /keep 1 1 1 bank"))["players"]


async def test_a_turn_that_is_taken_back_counts_no_more(chat: Chat) -> None:
    await data_of(chat, "ann: /track @bob rules:kcd")
    told = [await turn(chat, who) for who in ("ann", "bob", "ann")]
    await chat.say("ann: /undo")
    after = await data_of(chat, "ann: /bank")
    assert after["players"] == told[-1]
