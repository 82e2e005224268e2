"""Drills as people read them at the console, kept in tests/playthroughs/drill.

To write them anew after a change that is meant:

    FARKLE_WRITE_PLAYTHROUGHS=1 python -m pytest tests/bot/features/practice/test_drill_chat.py
"""

from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest

from bot.languages import language
from bot.services.tables import Tables
from solver.wording import speak
from tests.bot.speaking import Chat, open_chat
from tests.bot.test_playthroughs import FOLDER, assert_kept

NOON = datetime(2026, 11, 22, 12, tzinfo=UTC)
BADLY_PLAYED = [
    "ann: /track @bob rules:kcd",
    "ann: /roll 1 1 1 5 2 3",
    "ann: /keep 5 bank",
    "bob: /score 1500",
    "ann: /roll 2 2 2 5 4 6",
    "ann: /keep 5 bank",
    "bob: /resign sure:yes",
]
"""Ann leaves 1,000 points on the table, and then 200."""
LINES = [
    "ann: /drill",
    "ann: /drill answer 9",
    "ann: /drill answer two",
    "ann: /drill answer 1",
    "ann: /drill answer 1",
    *BADLY_PLAYED,
    "ann: /drill",
    "bob: /drill",
    "ann: /drill answer 2",
    "ann: /drill",
    "ann: /drill 5",
    "ann: /drill",
    "ann: /drill 1",
    "LATER 0 11",
    "ann: /drill",
    "ann: /drill 1",
    "LATER 3 0",
    "ann: /drill",
    "ann: /drill answer 2",
    "ann: /forget me",
    "ann: /drill answer 2",
]


@pytest.mark.mostly_slow(2)
@pytest.mark.parametrize("code", ["en", "de"])
async def test_playthrough(
    code: str, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = NOON
    monkeypatch.setattr("bot.wiring.Tables", partial(Tables, now=lambda: now))
    speak(language(code))
    told = []
    async with open_chat(tmp_path, data / "strategies") as chat:
        for line in LINES:
            told.append(f"> {line}")
            if line.startswith("LATER"):
                _, days, minutes = line.split()
                now += timedelta(days=int(days), minutes=int(minutes))
            elif line in BADLY_PLAYED:
                await chat.say(line)
            else:
                replies = await chat.all(line)
                assert all(reply.private for reply in replies)
                told += [reply.text for reply in replies]
    found = "\n".join(told) + "\n"
    assert_kept(FOLDER / "drill" / f"{code}.txt", found)


async def test_nothing_tells_what_is_best_before_the_answer(chat: Chat) -> None:
    for line in BADLY_PLAYED:
        await chat.say(line)
    asked = await chat.answer("ann: /drill")
    assert asked.private
    assert "win_probability" not in str(asked.data)
    assert "%" not in asked.text
    assert (asked.data["games"], asked.data["decisions"], asked.data["turn"]) == (1, 2, 1)
    told = await chat.answer("ann: /drill answer 1")
    assert all(one["win_probability"] for one in told.data["choices"])
    assert told.data["why"]


async def test_a_game_is_named_by_players_and_rules(chat: Chat) -> None:
    asked = await chat.answer("ann: /drill players:3 rules:kcd")
    assert asked.private
    assert (len(asked.data["position"]["players"]), asked.data["rules"]) == (3, "kcd")
    assert "win_probability" not in str(asked.data)
    told = await chat.answer("ann: /drill answer 1")
    assert "The others would then win" in told.text
    assert "Position" not in told.text
    assert told.data["id"] is None
    for number in ("1", "9"):
        refused = await chat.say(f"ann: /drill players:{number}")
        assert refused == f"players: takes 2 to 8, not {number}."


async def test_the_position_opens_by_its_id(chat: Chat) -> None:
    await chat.say("ann: /drill")
    told = (await chat.answer("ann: /drill answer 1")).data
    opened = (await chat.answer(f"ann: /position {told['id']}")).data
    best = told["choices"][told["best"] - 1]
    assert opened["options"][0]["set_aside"] == best["set_aside"]
    assert opened["options"][0]["win_probability"] == pytest.approx(best["win_probability"])


async def test_what_says_which_position_is_asked_is_refused_with_an_answer(chat: Chat) -> None:
    await chat.answer("ann: /drill")
    for option in ("players:3", "rules:kcd", "goal:800"):
        told = await chat.say(f"ann: /drill answer 1 {option}")
        assert "says what is to be asked, so it goes with /drill alone" in told
    assert (await chat.answer("ann: /drill answer 1")).data["is_first"]
