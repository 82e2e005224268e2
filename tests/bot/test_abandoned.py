"""Games at which nobody plays any more: who may put them away, and when they end by themselves."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from bot.fronts.lines import spoken_by
from bot.services.games import Games
from bot.settings import Settings, read_settings
from bot.store.rows import StoredEvent
from bot.table.events import Ended, make_event
from bot.table.fair_dice import Proof, verify_proof
from bot.wiring import end_abandoned, keep_ending
from solver.errors import IllegalActionError, InvalidRequestError
from tests.bot.clock import Clock
from tests.bot.services.test_games import fall
from tests.bot.speaking import Chat, open_chat

DAY = timedelta(hours=24)
SECOND = timedelta(seconds=1)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def chat(tmp_path: Path, clock: Clock) -> AsyncIterator[Chat]:
    """A chat in which nothing is solved."""
    async with open_chat(tmp_path) as opened:
        opened.games.tables.now = clock
        yield opened


@pytest.fixture
async def other(tmp_path: Path, chat: Chat, clock: Clock) -> AsyncIterator[Chat]:  # noqa: ARG001
    """A second program on the same database."""
    async with open_chat(tmp_path) as opened:
        opened.games.tables.now = clock
        yield opened


async def by_stranger(chat: Chat, line: str) -> str:
    """What a line of somebody who does not manage the place is answered with."""
    caller, said = spoken_by(line)
    found = chat.commands.answer(said, replace(caller, manages=False))
    return "\n".join([reply.text async for reply in found])


async def stored(chat: Chat, game_id: str) -> tuple[StoredEvent, ...]:
    return (await chat.games.tables.store.record(game_id)).events


async def begun(chat: Chat, line: str) -> str:
    """The id of a game that a line begins."""
    return str((await chat.answer(line)).data["game"])


# ---- By themselves ---------------------------------------------------------------------------


@pytest.mark.slow
async def test_after_a_day_a_game_ends_by_itself_and_that_is_told(
    chat: Chat, other: Chat, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    fall(monkeypatch, "123446")
    game = await begun(chat, "ann: /play @bob rules:classic")
    clock.wait(DAY)
    await chat.say("ann: /roll")
    await other.say("ann: /show")
    clock.wait(DAY - SECOND)
    await end_abandoned(other.games, 24)
    assert (await chat.answer("ann: /show")).data["stage"] == "play"
    clock.wait(SECOND)
    await end_abandoned(other.games, 24)
    kinds = [event.kind for event in await stored(chat, game)]
    assert kinds == ["begun", "rolled", "ended", "revealed"]
    for one in (chat, other):
        told = await one.say("bob: /keep 1")
        assert f"No game is open here: game {game} was ended because" in told
        assert "nobody had moved for 24 hours; /play or /track begins another" in told
        assert "/undo" not in told
    told = await other.say("bob: /play @ann rules:classic")
    assert told.startswith(f"Game {game} was ended because nobody had moved for 24 hours.\nNew")
    # and not a second time
    await other.say("bob: /end")
    assert await chat.say("ann: /show") == "No game is open here: /play or /track begins one."
    assert "was ended because" not in await chat.say("ann: /play @bob rules:classic")
    # it counts for nobody
    assert (await chat.answer("ann: /stats")).data["games"] == 0


async def test_its_dice_can_be_checked_as_those_of_any_game(chat: Chat, clock: Clock) -> None:
    game = await begun(chat, "ann: /play @bob rules:classic")
    await chat.say("ann: /roll")
    clock.wait(DAY)
    await end_abandoned(chat.games, 24)
    proof = Proof.model_validate_json((await chat.answer(f"/proof {game}")).text)
    assert len(proof.rolls) == 1
    assert verify_proof(proof).problems == ()


async def test_what_was_ended_before_is_read_as_it_was() -> None:
    assert make_event("ended", {}) == Ended()
    assert make_event("ended", {"idle_hours": 24}) == Ended(idle_hours=24)


async def test_a_game_with_real_dice_can_go_on(chat: Chat, clock: Clock) -> None:
    game = await begun(chat, "ann: /track @bob rules:classic")
    await chat.say("ann: /score 500")
    clock.wait(DAY)
    await end_abandoned(chat.games, 24)
    assert "begins another, /undo goes on with it" in await chat.say("ann: /score 300")
    await chat.say("ann: /undo")
    table = (await chat.answer("bob: /score 300")).data
    assert (table["game"], [one["score"] for one in table["players"]]) == (game, [500, 300])
    await end_abandoned(chat.games, 24)
    assert (await chat.answer("/show")).data["stage"] == "play"


async def test_a_game_in_which_a_bot_never_moved(chat: Chat, clock: Clock) -> None:
    game = await begun(chat, "ann: /play @bob rules:classic away:60")
    clock.wait(timedelta(seconds=60))
    caller, _ = spoken_by("bob: /show")
    # the program ends before the bot's first roll
    await anext(chat.games.away(caller, None, "greedy"))
    clock.wait(DAY)
    await end_abandoned(chat.games, 24)
    assert [event.kind for event in await stored(chat, game)][-2:] == ["ended", "revealed"]


async def test_several_programs_end_a_game_once(chat: Chat, other: Chat, clock: Clock) -> None:
    await chat.say("/settings games:5")
    ids = [await begun(chat, "ann: /play @bob rules:classic") for _ in range(5)]
    clock.wait(DAY)
    await asyncio.gather(*(end_abandoned(one.games, 24) for one in (chat, other) * 3))
    for game in ids:
        assert [event.kind for event in await stored(chat, game)] == ["begun", "ended", "revealed"]


async def test_it_is_done_at_the_start(tmp_path: Path, clock: Clock) -> None:
    clock.wait(-DAY - SECOND)
    async with open_chat(tmp_path) as first:
        first.games.tables.now = clock
        old = await begun(first, "ann: /play @bob rules:classic")
        await first.say("/settings games:2")
        clock.wait(timedelta(hours=1))
        young = await begun(first, "ann: /play @bob rules:classic")
    async with open_chat(tmp_path) as second:
        assert [one["game"] for one in (await second.answer("/games")).data] == [young]
        assert [event.kind for event in await stored(second, old)][-1] == "revealed"


async def test_it_is_done_again_and_again(
    chat: Chat, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.wiring.LOOK_EVERY", 0.0)
    task = asyncio.create_task(keep_ending(chat.games, 2))
    for _ in range(2):
        await chat.say("ann: /play @bob rules:classic")
        clock.wait(timedelta(hours=2))
        async with asyncio.timeout(60):
            while (await chat.answer("/games")).data:  # noqa: ASYNC110 - nobody tells
                await asyncio.sleep(0)
        assert "nobody had moved for 2 hours" in await chat.say("/show")
    task.cancel()
    await asyncio.wait([task])


async def test_one_that_cannot_be_ended_keeps_no_other(
    chat: Chat, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    await chat.say("/settings games:2")
    bad = await begun(chat, "ann: /play @bob rules:classic")
    await begun(chat, "ann: /play @bob rules:classic")
    end: Any = Games.end_idle

    async def end_idle(self: Games, game_id: str, hours: int) -> None:
        if game_id == bad:
            raise IllegalActionError("no")
        await end(self, game_id, hours)

    monkeypatch.setattr(Games, "end_idle", end_idle)
    clock.wait(DAY)
    await end_abandoned(chat.games, 24)
    assert [one["game"] for one in (await chat.answer("/games")).data] == [bad]


def test_the_hours_are_a_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FARKLE_ABANDONED_HOURS", raising=False)
    assert read_settings(Settings).abandoned_hours == 24
    monkeypatch.setenv("FARKLE_ABANDONED_HOURS", "72")
    assert read_settings(Settings).abandoned_hours == 72
    monkeypatch.setenv("FARKLE_ABANDONED_HOURS", "0")
    with pytest.raises(InvalidRequestError, match="FARKLE_ABANDONED_HOURS cannot be used"):
        read_settings(Settings)


# ---- By others -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "seconds"),
    [
        ("ann: /play @bob rules:classic", 300),
        ("ann: /play @bob rules:classic away:60", 60),
        ("ann: /play @bob rules:classic away:7200", 7200),
        ("ann: /track @bob rules:classic", 3600),
        ("ann: /track @bob rules:classic away:60", 60),
    ],
)
async def test_an_idle_game_may_be_put_away_by_anybody(
    chat: Chat, other: Chat, clock: Clock, line: str, seconds: int
) -> None:
    game = await begun(chat, line)
    clock.wait(timedelta(seconds=seconds) - SECOND)
    begin = "eve: /play @fay rules:classic"
    assert f"Game {game} (ann, bob) is running here already" in await by_stranger(other, begin)
    assert "Only those who play" in await by_stranger(other, "eve: /end")
    clock.wait(SECOND)
    told = await by_stranger(other, begin)
    assert told == (
        f"Game {game} (ann, bob) is still open here, and nobody has moved in it for a while:"
        f" finish it, or put it away by /end game:{game}."
    )
    assert "ended without a result" in await by_stranger(other, f"eve: /end game:{game}")
    assert "eve, fay" in await by_stranger(other, begin)


async def test_who_moves_keeps_the_table(
    chat: Chat, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    fall(monkeypatch, "123446")
    await chat.say("ann: /play @bob rules:classic")
    clock.wait(timedelta(seconds=299))
    await chat.say("ann: /roll")
    clock.wait(timedelta(seconds=299))
    assert "Only those who play" in await by_stranger(chat, "eve: /end")


async def test_where_a_bot_was_left_to_move_an_idle_game_can_be_put_away(
    chat: Chat, clock: Clock
) -> None:
    await chat.say("ann: /play @bob rules:classic")
    clock.wait(timedelta(seconds=300))
    caller, _ = spoken_by("bob: /show")
    await anext(chat.games.away(caller, None, "greedy"))
    assert "Only those who play" in await by_stranger(chat, "eve: /end")
    clock.wait(timedelta(seconds=300))
    assert "ended without a result" in await by_stranger(chat, "eve: /end")


async def test_one_person_alone_never_blocks_a_place(chat: Chat, other: Chat) -> None:
    game = await begun(chat, "ann: /play rules:classic")
    await other.say("ann: /show")
    told = await by_stranger(other, "eve: /play @fay rules:classic")
    assert told.startswith(f"Game {game}, where ann was alone, is closed.\nNew game")
    kinds = [event.kind for event in await stored(chat, game)]
    assert kinds == ["begun", "ended", "revealed"]
    assert [one["name"] for one in (await chat.answer("/show")).data["players"]] == ["eve", "fay"]
    # these are two
    assert "running here already" in await by_stranger(chat, "ann: /play rules:classic")


async def test_where_somebody_has_joined_nobody_is_alone(chat: Chat, other: Chat) -> None:
    await chat.say("ann: /play rules:classic")
    await other.say("bob: /join")
    assert "running here already" in await by_stranger(chat, "eve: /play @fay rules:classic")


async def test_only_as_much_room_is_made_as_is_needed(chat: Chat, clock: Clock) -> None:
    await chat.say("/settings games:2")
    first = await begun(chat, "ann: /play rules:classic")
    clock.wait(SECOND)
    second = await begun(chat, "bob: /track rules:classic")
    told = await by_stranger(chat, "eve: /play @fay rules:classic")
    assert f"Game {first}, where ann was alone, is closed." in told
    assert second not in told
    assert second in [one["game"] for one in (await chat.answer("/games")).data]
