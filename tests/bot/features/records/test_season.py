"""Seasons: the quarters of a year, without a gap, as they are typed."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.features.records.service import Season, read_season
from bot.languages import language
from solver.errors import InvalidRequestError
from solver.wording import said_in
from tests.bot.speaking import Chat

NOW = datetime(2026, 1, 2, 3, tzinfo=UTC)


@given(st.datetimes(datetime(1990, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC)))
def test_every_moment_has_one(moment: datetime) -> None:
    season = Season.of(moment)
    assert season.begins <= moment < season.ends
    assert season.quarter == {1: 1, 4: 2, 7: 3, 10: 4}[season.begins.month]
    assert season.before.ends == season.begins
    assert Season.of(season.ends - timedelta(microseconds=1)) == season
    assert read_season(season.name, NOW) == season


def test_as_typed() -> None:
    assert read_season("now", NOW) == Season(2026, 1)
    assert read_season(" LAST ", NOW) == Season(2025, 4)
    assert read_season("all", NOW) is None
    assert read_season("2025q3", NOW) == read_season("2025-3", NOW) == Season(2025, 3)
    assert said_in(language("de"), read_season, "letzte", NOW) == Season(2025, 4)
    # in UTC, whatever the clock of who asks says
    there = timezone(timedelta(hours=-5))
    assert read_season("now", datetime(2025, 12, 31, 22, tzinfo=there)) == Season(2026, 1)
    for text in ("", "2025-Q5", "2025", "0000-1", "9999-Q4", "soon"):
        with pytest.raises(
            InvalidRequestError, match="now, last, all or a quarter such as 2026-Q1"
        ):
            read_season(text, NOW)


async def test_the_board_of_a_season(chat: Chat) -> None:
    for line in ("ann: /play @bob rules:kcd", "ann: /roll", "ann: /resign sure:yes"):
        await chat.all(line)
    for line in ("ann: /play level:greedy rules:kcd", "ann: /roll", "ann: /resign sure:yes"):
        await chat.all(line)
    assert await chat.say("/leaderboard") == (
        "Games won:\n  1.  bob  100.0 %  1 of 1\n  2.  ann    0.0 %  0 of 2"
    )
    name = Season.of(datetime.now(UTC)).name
    assert await chat.say("/leaderboard bots:no season:now") == (
        f"Games won in the season {name}:\nOnly games without bots count.\n"
        "  1.  bob  100.0 %  1 of 1\n  2.  ann    0.0 %  0 of 1"
    )
    with_bots = await chat.answer(f"/leaderboard bots:yes season:{name}")
    assert "Greedy bot  100.0 %  1 of 1" in with_bots.text
    assert [one["name"] for one in with_bots.data if one.get("is_bot")] == ["greedy"]
    assert await chat.say("/leaderboard season:2001-Q1") == (
        "Nobody has finished a game in the season 2001-Q1."
    )


async def test_a_board_without_anybody_says_of_what(chat: Chat) -> None:
    assert await chat.say("/leaderboard") == "Nobody has finished a game here yet."
    assert await chat.say("/leaderboard where:everywhere") == "Nobody has finished a game yet."
    for line in ("ann: /play level:greedy rules:kcd", "ann: /roll", "ann: /resign sure:yes"):
        await chat.all(line)
    assert await chat.say("/leaderboard bots:no") == (
        "Nobody has finished a game without bots here yet."
    )
    assert await chat.say("/leaderboard bots:no where:everywhere") == (
        "Nobody has finished a game without bots yet."
    )
    assert await chat.say("/leaderboard bots:no season:now") == (
        "Nobody has finished a game without bots in the season"
        f" {Season.of(datetime.now(UTC)).name}."
    )
