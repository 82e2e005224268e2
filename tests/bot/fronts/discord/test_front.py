"""What a press does, with services but without a Discord."""

import asyncio
import threading
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import AsyncMock, Mock

import discord
import pytest

from bot.chat.commands import Reply
from bot.chat.presses import Confirm, TablePress
from bot.features.pictures.chat import Walk
from bot.fronts.discord.answers import Answer
from bot.fronts.discord.front import DiscordFront
from bot.review.highlights import GameChart
from bot.services.advisor import Advisor
from bot.services.chances import Oracle
from bot.services.tables import Caller, Person, Tables
from bot.settings import Settings
from bot.store.rows import PlaceSettings
from bot.table import commands
from bot.table.events import Rolled, Setup
from bot.table.state import Game
from bot.tasks.tasks import Tasks
from bot.wiring import end_abandoned, open_parts
from solver.rules.file import load_rules
from solver.wording import ENGLISH
from tests.bot.fronts.discord.components import ROW, walk
from tests.bot.fronts.discord.heard import response, text_of
from tests.bot.load import press_on
from tests.bot.services.test_advisor import queries
from tests.bot.views.test_chart import game as chart_of
from tests.bot.waiting import PATIENCE, until
from tests.conftest import variant

__all__ = ["queries"]

ANN, BOB = Person("discord:11", "Ann"), Person("discord:12", "Bob")
PLACE = "discord:500"


@pytest.fixture(autouse=True)
def in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine too a press is answered by what it changes."""
    monkeypatch.setattr("bot.fronts.discord.answers._DEFER_SECONDS", PATIENCE)


def interaction(by: Person) -> Any:
    """A press in an own place."""
    return SimpleNamespace(
        id=id(by),
        type=discord.InteractionType.component,
        user=SimpleNamespace(id=int(by.id.removeprefix("discord:")), display_name=by.name),
        message=None,
        channel=None,
        extras={},
        channel_id=500,
        guild_id=None,
        guild_locale=None,
        permissions=discord.Permissions.none(),
        response=response(),
        edit_original_response=AsyncMock(),
        followup=AsyncMock(),
    )


async def rolled(_: Tables, game: Game, seat: int) -> list[Rolled]:
    """A roll that is no farkle."""
    return commands.roll(game, seat, (6, 5, 3, 3, 3, 2))


async def test_pictures_are_left_out_before_moves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Tables, "rolled", rolled)
    async with open_parts(Settings(data=tmp_path), Advisor(tmp_path), late=0.1) as parts:
        front = DiscordFront(parts.commands, parts.pressing)
        begun = parts.games.play(Caller(PLACE, ANN), [ANN, BOB], Setup(rules=load_rules("kcd")))
        [game_id] = [news.table.game.id async for news in begun]

        async def press(mask: int) -> Any:
            version = (await parts.games.tables.current(game_id)).game.version
            pressed = interaction(ANN)
            await front.pressed(pressed, TablePress(game_id, version, mask, "en", "roll"))
            return pressed.response.edit_message.call_args.kwargs

        press_on(parts.tasks.pressure, 0.0)
        told = await press(0)
        assert "Ann rolls 6 5 3 3 3 2" in text_of(told)
        assert [file.filename for file in told["attachments"]] == ["dice.png"]
        press_on(parts.tasks.pressure, 0.25)
        monkeypatch.setattr(Tables, "rolled", five_dice)
        told = await press(0b000010)
        assert "Ann keeps 5 for 50" in text_of(told)
        assert told["attachments"] == []


async def test_a_result_does_not_wait_for_its_chart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is told at once, and told with the picture as soon as that is drawn."""
    told: list[list[str]] = []
    heard = threading.Event()

    async def edited(**shown: Any) -> Any:
        told.append([file.filename for file in shown["attachments"]])
        heard.set()
        return SimpleNamespace(id=1)

    def drawn(_: GameChart) -> bytes:
        assert heard.wait(PATIENCE)
        return b"a chart"

    async def rolled(_: Tables, game: Game, seat: int) -> list[Rolled]:
        return commands.roll(game, seat, (4, 3, 2, 1, 1, 1))

    monkeypatch.setattr(Tables, "rolled", rolled)
    monkeypatch.setattr(Oracle, "chart", AsyncMock(return_value=chart_of([(0.3, 0.7)] * 5)))
    monkeypatch.setattr("bot.fronts.discord.answers.chart_picture", drawn)
    rules = variant("kcd", goal=500)
    async with open_parts(Settings(data=tmp_path), Advisor(tmp_path)) as parts:
        front = DiscordFront(parts.commands, parts.pressing)
        begun = parts.games.play(Caller(PLACE, ANN), [ANN, BOB], Setup(rules=rules))
        [game_id] = [news.table.game.id async for news in begun]
        for mask, action in ((0, "roll"), (0b111000, "bank")):
            version = (await parts.games.tables.current(game_id)).game.version
            pressed = interaction(ANN)
            pressed.response.edit_message = pressed.edit_original_response = edited
            heard.clear()
            await front.pressed(pressed, TablePress(game_id, version, mask, "en", action))
    assert told == [["dice.png"], [], ["game.png"]]


async def five_dice(_: Tables, game: Game, seat: int) -> list[Rolled]:
    """A roll of five."""
    return commands.roll(game, seat, (5, 4, 3, 2, 2))


async def test_an_answer_that_nobody_hears_is_not_computed_on() -> None:
    ended = asyncio.Event()

    async def replies() -> AsyncIterator[Reply]:
        try:
            while True:
                yield Reply({}, lambda _: "one more game")
                await asyncio.sleep(0)
        finally:
            ended.set()

    broken = interaction(ANN)
    broken.response.edit_message = AsyncMock(side_effect=ConnectionError)
    answer = Answer(broken, PlaceSettings(), ENGLISH, Mock(tasks=Tasks(workers=0)))
    broken.channel = None
    await answer.tell(replies())
    assert ended.is_set()


async def test_a_press_becomes_no_line_of_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It needs no command of the chat, and what the console would say of it is never made."""
    never = Mock(side_effect=AssertionError)
    monkeypatch.setattr("bot.chat.commands.news_text", never)
    fallen = [(6, 5, 3, 3, 3, 2), (5, 4, 3, 2, 2)]

    async def rolled(_: Tables, game: Game, seat: int) -> list[Rolled]:
        return commands.roll(game, seat, fallen.pop(0))

    monkeypatch.setattr(Tables, "rolled", rolled)
    advisor = Advisor(tmp_path / "strategies")
    async with open_parts(Settings(data=tmp_path), advisor) as parts:
        front = DiscordFront(never, parts.pressing)
        players = [ANN, BOB]
        begun = parts.games.play(Caller(PLACE, ANN), players, Setup(rules=load_rules("kcd")))
        [game_id] = [news.table.game.id async for news in begun]

        async def press(action: str, mask: int = 0) -> str:
            version = (await parts.games.tables.current(game_id)).game.version
            pressed = interaction(ANN)
            await front.pressed(pressed, TablePress(game_id, version, mask, "en", action))
            return text_of(pressed.response.edit_message.call_args.kwargs)

        assert "Ann rolls 6 5 3 3 3 2." in await press("roll")
        told = await press("roll", 0b000010)
        assert "Ann keeps 5 for 50" in told
        assert "Ann rolls 5 4 3 2 2." in told
        assert "Ann banks 100 and now has 100" in await press("bank", 0b00001)
        told = await press("undo")
        assert "Taken back: Ann's turn." in told
        assert told.count("urn total 100") == 1, "how far the turn has come is said once"
        sure = interaction(ANN)
        await front.pressed(sure, Confirm("resign", "en", game_id, 0))
        assert "Ann resigns." in text_of(sure.response.send_message.call_args.kwargs)


async def test_what_comes_late_is_told_to_wait_in_time(tmp_path: Path) -> None:
    """A press that was heard, or could be answered, only when Discord has waited for seconds."""
    async with open_parts(Settings(data=tmp_path), Advisor(tmp_path / "strategies")) as parts:
        front = DiscordFront(Mock(), parts.pressing)
        begun = parts.games.play(Caller(PLACE, ANN), [ANN, BOB], Setup(rules=load_rules("kcd")))
        [table] = [news.table async for news in begun]
        version = 1
        for late in (0.0, 2.5):
            pressed = interaction(ANN)
            pressed.locale = discord.Locale.american_english
            for seconds in (0.0, late):
                pressed.created_at = datetime.now(UTC) - timedelta(seconds=seconds)
                assert front.listen(pressed)
            action = "roll" if version == 1 else "undo"
            await front.pressed(pressed, TablePress(table.game.id, version, 0, "en", action))
            assert pressed.response.defer.await_count == (late > 0)
            version += 1


async def test_what_is_begun_at_the_end_is_finished_and_then_nothing_is_begun() -> None:
    front, pressed, done = DiscordFront(Mock(), Mock()), interaction(ANN), list[str]()
    pressed.locale, pressed.created_at = discord.Locale.american_english, datetime.now(UTC)
    gates = {name: asyncio.Event() for name in ("under way", "begun meanwhile")}

    async def answer(name: str) -> None:
        await gates[name].wait()
        done.append(name)

    answers = [asyncio.create_task(front.to_its_end(answer("under way")))]
    await asyncio.sleep(0)
    ending = asyncio.create_task(front.finish(PATIENCE))
    await asyncio.sleep(0)
    assert front.listen(pressed)
    answers.append(asyncio.create_task(front.to_its_end(answer("begun meanwhile"))))
    await asyncio.sleep(0)
    gates["under way"].set()
    await until(lambda: not front.listen(pressed))
    assert not ending.done()
    gates["begun meanwhile"].set()
    await ending
    assert done == list(gates)
    await asyncio.gather(*answers)


async def test_what_never_ends_is_waited_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A container is killed ten seconds after it was told to end."""
    waited, wait = list[float](), asyncio.wait

    def waits(tasks: Any, **how: Any) -> Any:
        waited.append(how["timeout"])
        return wait(tasks, **how)

    front = DiscordFront(Mock(), Mock())
    answer = asyncio.create_task(front.to_its_end(asyncio.sleep(PATIENCE)))
    await asyncio.sleep(0)
    monkeypatch.setattr(asyncio, "wait", waits)
    await front.finish(0.1)
    assert len(waited) == 2
    assert sum(waited) < 0.11
    answer.cancel()


async def test_the_message_of_an_abandoned_table_loses_its_buttons(tmp_path: Path) -> None:
    now = datetime.now(UTC)
    async with open_parts(Settings(data=tmp_path), Advisor(tmp_path / "strategies")) as parts:
        front = DiscordFront(Mock(), parts.pressing)
        parts.games.tables.now = lambda: now
        begun = parts.games.play(Caller(PLACE, ANN), [ANN, BOB], Setup(rules=load_rules("kcd")))
        [table] = [news.table async for news in begun]
        now += timedelta(hours=24)
        await end_abandoned(parts.games, 24)
        pressed = interaction(ANN)
        await front.pressed(pressed, TablePress(table.game.id, 1, 0, "en", "roll"))
        shown = pressed.response.edit_message.call_args.kwargs
        assert "The game was ended because nobody had moved for 24 hours." in text_of(shown)
        assert ROW not in {one["type"] for one in walk(shown["view"].to_components())}


async def test_an_idle_table_may_be_put_away_by_who_does_not_play(tmp_path: Path) -> None:
    now = datetime.now(UTC)
    async with open_parts(Settings(data=tmp_path), Advisor(tmp_path / "strategies")) as parts:
        front = DiscordFront(Mock(), parts.pressing)
        parts.games.tables.now = lambda: now
        begun = parts.games.play(Caller(PLACE, ANN), [ANN], Setup(rules=load_rules("kcd")))
        [table] = [news.table async for news in begun]

        async def pressed_end() -> str:
            pressed = interaction(BOB)
            pressed.guild_id = 1
            await front.pressed(pressed, TablePress(table.game.id, 1, 0, "en", "end"))
            return str(pressed.response.send_message.call_args.args[0])

        assert "Only those who play" in await pressed_end()
        now += timedelta(seconds=300)
        assert await pressed_end() == "End the game without a result?"
        sure = interaction(BOB)
        sure.guild_id = 1
        await front.pressed(sure, Confirm("end", "en", table.game.id, 0))
        told = text_of(sure.response.send_message.call_args.kwargs)
        assert "The game was ended without a result." in told


async def test_a_walk_costs_one_look_at_the_place(
    tmp_path: Path, data: Path, queries: list[str]
) -> None:
    advisor = Advisor(data / "strategies")
    async with open_parts(Settings(data=tmp_path), advisor) as parts:
        front = DiscordFront(parts.commands, parts.pressing)
        digest = load_rules("kcd").digest[:12]
        for position, text in (("50.0.0.6.0.0.0.7", "you 50,"), ("0.100.0.6.0.0.0.7", "you 0,")):
            queries.clear()
            pressed = interaction(ANN)
            await front.pressed(pressed, Walk(digest, "en", position, "kcd", "meup"))
            assert text in pressed.response.edit_message.call_args.kwargs["content"]
        # what it has set, its open games, and whether one was set aside
        assert len(queries) == 3
