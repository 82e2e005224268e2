"""The daily position in Discord: one message a day, private verdicts, and then the solution."""

import asyncio
import re
from pathlib import Path
from typing import Any
from unittest.mock import AsyncMock

import pytest

from bot.features.practice import store as stored
from bot.features.practice.daily import Asked, Solution
from bot.features.practice.view import answer_page, asked_page
from bot.layout import MOST_IN_MESSAGE
from bot.store.rows import StoreError
from bot.store.store import Store
from bot.wiring import Parts
from solver.game.best import Strategy
from solver.play.daily import daily_position
from tests.bot.clock import Clock
from tests.bot.fronts.discord.here import PLACE
from tests.bot.fronts.discord.loopback import Loopback, user
from tests.bot.fronts.discord.play import posted, posts, shown
from tests.bot.fronts.discord.process import running
from tests.bot.waiting import until

HOST = user("11", "Ann") | {"permissions": 1 << 4}
BOB, EVE = user("12", "Bob_*x*"), user("13", "Eve") | {"locale": "de"}


async def looks(monkeypatch: pytest.MonkeyPatch, parts: Parts, number: int = 3) -> None:
    """Wait until it was looked for what is due some times more."""
    seen, enough = 0, asyncio.Event()
    ask = Store.places_that_set

    async def counted(store: Store, key: str) -> dict[str, Any]:
        nonlocal seen
        seen += 1
        if seen > number:
            enough.set()
        return await ask(store, key)

    with monkeypatch.context() as patched:
        patched.setattr(Store, "places_that_set", counted)
        await asyncio.wait_for(enough.wait(), 60)
    assert parts.store.database.file


@pytest.mark.slow
async def test_a_day_and_the_next(
    parts: Parts, discord: Loopback, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = await shown(await discord.slash(HOST, "settings", daily="18"))
    assert "The daily position is posted at 18:00 UTC" in told.text
    await looks(monkeypatch, parts)
    assert posts(discord) == []
    clock.wait(minutes=1)
    message = await posted(discord, 1)
    assert message.text.startswith("**Daily position of November 22, 2026**\n6 4 1 1: you 3,300,")
    assert message.labels == [
        "Keep 1 1 and roll 2 dice",
        "Keep 1 1 and bank 300",
        "Keep 1 and roll 3 dice",
        "Keep 1 and bank 200",
    ]
    assert list(message.files) == ["dice.png"]
    assert "%" not in message.text

    wrong = await shown(await discord.press(BOB, message, "Keep 1 and bank"))
    assert wrong.ephemeral
    assert wrong.text.startswith("Not the best: keep 1 and bank 200 costs 6.62 percentage points.")
    again = await shown(await discord.press(BOB, message, "Keep 1 1 and roll"))
    assert again.ephemeral
    assert again.text.startswith("You have answered already, and your first answer counts.\nNot")
    german = await shown(await discord.press(EVE, message, "Keep 1 1 and roll"))
    assert german.text.startswith("Richtig: 1 1 behalten und 2 Würfel werfen ist am besten.")
    own = await shown(await discord.slash(BOB, "daily"))
    assert own.ephemeral
    assert own.labels == message.labels
    assert "Your answer: keep 1 and bank 200." in own.text
    assert message.edits == 0

    clock.wait(hours=23, minutes=59)
    await looks(monkeypatch, parts)
    assert posts(discord) == [message]
    clock.wait(minutes=1)
    following = await posted(discord, 2)
    assert following.text.startswith(
        "Solution of November 22, 2026, 6 4 1 1: keep 1 1 and roll 2 dice wins 57.38 %."
        " 1 of 2 got it right.\nPosition J8FZ-Q9SC-E\n\n**Daily position of November 23, 2026**\n"
    )
    late = await shown(await discord.press(HOST, message, "Keep 1 1 and roll"))
    assert late.ephemeral
    assert late.text.startswith("That position is over: /daily shows today's.\nSolution")
    board = await shown(await discord.slash(HOST, "daily", what="board"))
    assert not board.ephemeral
    ranks = r"1\. Eve +1 of 1 +1 day 0\.00\n2\. Bob.* 0 of 1 0 days 6\.62"
    assert re.search(ranks, board.text)
    for odd in ("d:2026-13-45:1", "d:0000-00-00:9"):
        refused = await shown(await discord.press(BOB, following, custom_id=odd))
        assert "This button is out of date" in refused.text
    for odd in ("d:2031-01-01:1", "d:2026-11-23:9"):
        refused = await shown(await discord.press(BOB, following, custom_id=odd))
        assert refused.ephemeral
        assert "no longer known" in refused.text or "answers have the numbers 1 to" in refused.text
    await looks(monkeypatch, parts)
    assert posts(discord) == [message, following]


@pytest.mark.slow
async def test_it_is_posted_in_the_language_of_who_wants_it(
    parts: Parts, discord: Loopback, clock: Clock
) -> None:
    clock.wait(hours=2)
    host = HOST | {"locale": "de"}
    await shown(await discord.slash(host, "settings", daily="18"))
    message = await posted(discord, 1)
    assert message.text.startswith("**Stellung des Tages, 22. November 2026**\n")
    assert message.labels[0] == "1 1, dann 2 Würfel werfen"
    assert (await parts.store.settings(PLACE)).daily == 18


@pytest.mark.slow
async def test_a_channel_that_cannot_be_written_to_is_left_alone(
    parts: Parts, discord: Loopback, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    discord.closed.add("500")
    await parts.store.set_place_setting(PLACE, "daily", 18)
    clock.wait(hours=1)
    await looks(monkeypatch, parts, 10)
    sent = [path for method, path in discord.requests if method == "POST" and "500" in path]
    assert len(sent) == 1


@pytest.mark.slow
@pytest.mark.parametrize("is_there", [True, False])
async def test_what_nobody_noted_is_looked_for_before_it_is_posted_again(
    parts: Parts,
    discord: Loopback,
    clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
    *,
    is_there: bool,
) -> None:
    """Nobody knows any more whether it was sent, and Discord no longer knows its number."""
    with monkeypatch.context() as patched:
        patched.setattr(stored, "done", AsyncMock(side_effect=StoreError("it is killed")))
        await parts.store.set_place_setting(PLACE, "daily", 18)
        clock.wait(hours=1)
        first = await posted(discord, 1)
        await looks(monkeypatch, parts)
    discord.nonces.clear()
    if not is_there:
        del discord.messages[first.id]
    clock.wait(minutes=2)
    await posted(discord, 1)
    await until(lambda: ("GET", "/channels/500/messages") in discord.requests)
    await looks(monkeypatch, parts)
    assert [one.id == first.id for one in posts(discord)] == [is_there]
    assert await parts.store.places_that_set(stored.SENDING) == {}


@pytest.mark.slow
async def test_two_programs_post_once(folder: Path, discord: Loopback) -> None:
    store = await Store.open(f"sqlite:///{folder / 'farkle.db'}")
    await store.set_place_setting(PLACE, "daily", 0)  # due at any time
    await store.close()
    async with (
        running(folder, discord, ready=False) as one,
        running(folder, discord, ready=False) as other,
    ):
        await posted(discord, 1)
        for bot in (one, other):
            assert await bot.end() == 0, bot.log
    async with running(folder, discord) as again:
        await shown(await discord.slash(BOB, "daily"))
        assert await again.end() == 0, again.log
    assert len(posts(discord)) == 1


@pytest.mark.slow
def test_the_longest_post_fits(strategies: dict[str, Strategy], clock: Clock) -> None:
    day = clock().date()
    for name in ("kcd", "facebook", "classic"):
        daily = daily_position(strategies[name], day)
        streaks = tuple(("_*~" * 10, 1000 - k) for k in range(50))
        solution = Solution(daily, 1000, 999, streaks)
        found = asked_page(Asked(daily, solution=solution)).card
        told = answer_page(solution).card
        assert max(len(found.text), len(told.text)) < MOST_IN_MESSAGE
        assert found.buttons
        assert "What wins most often?" in found.text
        assert len({one.row for one in found.buttons}) <= 5
