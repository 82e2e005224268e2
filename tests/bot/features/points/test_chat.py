"""/points and /komi."""

from pathlib import Path

import pytest

from bot.features.points.view import komi_text
from bot.languages import language
from solver.play.komi import HeadStart, Komi
from solver.wording import said_in
from tests.bot.speaking import Chat, open_chat
from tests.conftest import rules_file
from tests.house_rules import small


@pytest.mark.slow
async def test_a_turn_for_most_points_in_the_chat(tmp_path: Path) -> None:
    async with open_chat(tmp_path) as chat:
        reply = await chat.answer("/points rules:zilch")
        assert reply.data["long_run"]["points"] == pytest.approx(620.855, abs=5e-4)
        assert "623.017 points on average, farkle 19.33 %" in reply.text
        german = said_in(language("de"), lambda: reply.text)
        assert "623,017 Punkte im Schnitt, Farkle 19,33 %" in german
        assert max(map(len, german.splitlines())) < 80
        reply = await chat.answer("/points rules:zilch cost:500")
        assert reply.data["points"] == pytest.approx(547.157, abs=5e-4)
        assert reply.data["bank_from"][1]["turn_total"] == 2650
        off = (await chat.answer("/points rules:dice-10000 on-board:no")).data["bank_from"]
        assert min(one["turn_total"] for one in off) == 1000
        risky = rules_file(tmp_path / "risky.toml", dice=5, lose_everything=["222"])
        careful = await chat.answer(f"/points rules:{risky} me:5000")
        assert "costs 5,000 points on top of the turn total" in careful.text.replace("\n  ", " ")
        bold = await chat.answer(f"/points rules:{risky}")
        assert careful.data["points"] < bold.data["points"]
        assert careful.data["lose_probability"] < bold.data["lose_probability"]


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("/points cost:-1", "A farkle costs 0 to 1,000,000 points"),
        ("/points me:100", "Under facebook rules no roll loses everything"),
        ("/points hot-dice:-1", "The number of hot dice cannot be -1"),
        ("/points on-board:perhaps", 'on-board: takes yes or no, not "perhaps"'),
        ("/points zilch", "/points does not take"),
        ("/points rules:nobody", 'Unknown rule set "nobody"'),
        ("/komi", "The rules facebook are not solved yet"),
    ],
)
async def test_what_cannot_be_asked(tmp_path: Path, line: str, sentence: str) -> None:
    async with open_chat(tmp_path) as chat:
        reply = await chat.answer(line)
    assert sentence in reply.text
    assert reply.private


async def test_the_fair_start_in_the_chat(chat: Chat) -> None:
    reply = await chat.answer("/komi rules:kcd")
    assert reply.data["best"]["points"] == 300
    assert "a head start of 300 points for the second player is fairest" in reply.text
    assert "300 für den zweiten Spieler" in said_in(language("de"), lambda: reply.text)


def test_the_fair_start_in_words() -> None:
    starts = tuple(
        HeadStart(points, chance)
        for points, chance in [(-100, 0.61), (-50, 0.55), (0, 0.46), (50, 0.4), (100, 0.3)]
    )
    rules = small(opening_minimum=200)
    assert komi_text(rules, Komi("small", starts[2], starts[2], starts)).splitlines() == [
        "small rules are fairest without a head start.",
        "  head start                first player wins",
        "  50 for the first player            0.550000",
        "  none                               0.460000  closest to even",
        "  50 for the second player           0.400000",
        "A player with a head start is already on the board.",
    ]
    told = komi_text(rules, Komi("small", starts[0], starts[2], starts))
    assert told.startswith(
        "Under small rules a head start of 100 points for the first player is fairest."
    )
