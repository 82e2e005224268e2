"""The daily position as people read it at the console, kept in tests/playthroughs/daily.

To write it anew after a change that is meant:

    FARKLE_WRITE_PLAYTHROUGHS=1 python -m pytest tests/bot/features/practice/test_daily_chat.py
"""

from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest

from bot.features.practice.view import choice_text
from bot.languages import language
from bot.services.tables import Tables
from solver.game.best import Strategy
from solver.play.daily import daily_position
from solver.wording import said_in, speak
from tests.bot.speaking import Chat, open_chat
from tests.bot.test_playthroughs import FOLDER, assert_kept

NOON = datetime(2026, 11, 22, 12, tzinfo=UTC)
LINES = [
    "/rules use kcd",
    "/daily",
    "/daily answer 9",
    "/daily answer two",
    "ann: /daily answer 1",
    "bob: /daily answer 3",
    "bob: /daily answer 1",
    "bob: /daily",
    "/daily board",
    "NEXT DAY",
    "ann: /daily",
    "ann: /daily 1",
    "/daily board",
    "/daily answer",
    "/daily tomorrow",
    "/settings daily:18",
    "/settings daily:24",
    "/settings daily:off",
]


@pytest.mark.mostly_slow(2)
@pytest.mark.parametrize("code", ["en", "de"])
async def test_playthrough(
    code: str, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    days = 0
    monkeypatch.setattr(
        "bot.wiring.Tables", partial(Tables, now=lambda: NOON + timedelta(days=days))
    )
    speak(language(code))
    told = []
    async with open_chat(tmp_path, data / "strategies") as chat:
        for line in LINES:
            told.append(f"> {line}")
            if line == "NEXT DAY":
                days += 1
                continue
            who = line.partition(":")[0]
            for reply in await chat.all(line):
                alone = f"(to {who} alone) " if reply.private and who in {"ann", "bob"} else ""
                told.append(alone + reply.text)
    found = "\n".join(told) + "\n"
    assert_kept(FOLDER / "daily" / f"{code}.txt", found)


async def test_nothing_tells_what_is_best_before_the_answer(chat: Chat) -> None:
    asked = await chat.answer("/daily")
    assert asked.private
    assert "win_probability" not in str(asked.data)
    assert "%" not in asked.text
    number = len(asked.data["choices"])
    told = await chat.answer(f"/daily answer {number}")
    assert told.private
    assert len([one for one in told.data["choices"] if one["win_probability"]]) == number
    board = await chat.answer("/daily board")
    assert not board.private
    assert [one["name"] for one in board.data] == ["player"]


async def test_the_position_opens_by_its_id(chat: Chat) -> None:
    told = (await chat.answer("/daily answer 1")).data
    opened = (await chat.answer(f"/position {told['id']}")).data
    best = told["choices"][told["best"] - 1]
    assert opened["options"][0]["set_aside"] == best["set_aside"]
    assert opened["options"][0]["win_probability"] == pytest.approx(best["win_probability"])


@pytest.mark.slow
def test_a_choice_fits_on_a_button(strategies: dict[str, Strategy]) -> None:
    for number in range(5):
        day = NOON.date() + timedelta(days=number)
        daily = daily_position(strategies["kcd"], day)
        for one in daily.choices:
            for code in ("en", "de"):
                assert len(said_in(language(code), choice_text, daily, one)) <= 40
