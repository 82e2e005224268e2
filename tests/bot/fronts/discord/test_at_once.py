"""Presses of many at once, twice at once, and on what a table was a moment ago."""

import asyncio
import copy
import random
import re
import signal
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bot.chat.pressing import Choices
from bot.services import tables
from bot.table.state import Game, Stage
from bot.tasks.tasks import Delay
from bot.wiring import Parts
from solver.errors import SolveError
from tests.bot.clock import Clock
from tests.bot.fronts.discord.components import SELECT, walk
from tests.bot.fronts.discord.here import ready_here
from tests.bot.fronts.discord.loopback import PATIENCE, Interaction, Json, Loopback, Message, user
from tests.bot.fronts.discord.play import choose, is_choice, press, shown
from tests.bot.fronts.discord.process import running
from tests.bot.fronts.discord.test_evening import wished
from tests.bot.known_dice import fixed_secrets
from tests.bot.waiting import until
from tests.conftest import EVERY

PEOPLE = [user(str(11 + number), f"P{number}") for number in range(13)]
CALLED = [one["global_name"] for one in PEOPLE]


async def table_of(parts: Parts, message: Message) -> Any:
    """The table that a message shows, as it is kept."""
    [game] = {found[1] for found in re.finditer(r"[Gg]ame ([0-9a-f]{8})", message.text)}
    return await parts.games.tables.current(game)


async def answered(interaction: Interaction) -> list[str]:
    """What was said to who pressed alone, once all is said."""
    await shown(interaction)
    for _ in range(int(PATIENCE / 0.01)):
        names = [one.get_name() for one in asyncio.all_tasks()]
        if not any(name.endswith("on_interaction") for name in names):
            break
        await asyncio.sleep(0.01)
    return [one.text for one in interaction.private]


async def lobby(discord: Loopback) -> Message:
    return await shown(await discord.slash(PEOPLE[0], "play", rules="kcd"))


def mover(message: Message) -> Json:
    """Who is to move."""
    return next(one for one in PEOPLE if f"▸ {one['global_name']} " in message.text)


@pytest.mark.slow
async def test_twelve_join_at_once(parts: Parts, discord: Loopback) -> None:
    """Everybody has a seat, up to eight, and all others are told why not."""
    message = await lobby(discord)
    join = message.action("join")
    assert join
    pressed = await asyncio.gather(
        *(discord.press(one, message, custom_id=join["custom_id"]) for one in PEOPLE[1:])
    )
    told = [await answered(one) for one in pressed]
    table = await table_of(parts, message)
    assert set(table.names) < set(CALLED)
    assert len(table.names) == 8
    assert sum(text == ["9 players are too many: 8 is the most."] for text in told) == 5
    assert sum(text == [] for text in told) == 7
    for name, text in zip(CALLED[1:], told, strict=True):
        assert (name in table.names) == (text == [])
    assert all(f"{name} joins." in message.text or name in message.text for name in table.names)


async def test_what_is_a_moment_old_still_does_what_it_meant(
    parts: Parts, discord: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "secrets", fixed_secrets("a moment"))
    message = await lobby(discord)

    async def old(by: Json, custom_id: str) -> list[str]:
        return await answered(await discord.press(by, message, custom_id=custom_id))

    first = {one["custom_id"].split(":")[-1]: one["custom_id"] for one in message.buttons}
    assert await old(PEOPLE[1], first["join"]) == []
    second = {one["custom_id"].split(":")[-1]: one["custom_id"] for one in message.buttons}
    assert await old(PEOPLE[2], first["join"]) == []
    assert await old(PEOPLE[2], first["join"]) == ["You are already at this table."]
    assert await old(PEOPLE[3], second["join"]) == []
    [rules] = await old(PEOPLE[3], first["rules"])
    assert "What dice are worth" in rules
    assert await old(PEOPLE[1], second["leave"]) == []
    assert (await table_of(parts, message)).names == ("P0", "P2", "P3")
    # who starts the game may be sitting with more than they saw
    assert await old(PEOPLE[2], second["roll"]) == [
        "Wait for P0, who opened the table and starts the game."
    ]
    assert await old(PEOPLE[0], second["roll"]) == []
    table = await table_of(parts, message)
    assert table.game.rolls == 1
    assert await old(PEOPLE[0], second["roll"]) == []  # which is done
    late = "The game has begun: players can join until the first roll."
    assert await old(PEOPLE[4], first["join"]) == [late]
    assert is_choice(message)
    gone = "The game has moved on: look at how it stands now."
    assert await old(PEOPLE[2], second["roll"]) == [gone]
    assert (await table_of(parts, message)).game.version == table.game.version


async def test_a_bot_that_is_chosen_twice_at_once_sits_down_once(
    parts: Parts, discord: Loopback
) -> None:
    message = await lobby(discord)
    await press(discord, PEOPLE[1], message, "join")
    pressed = [discord.select(PEOPLE[0], message, "greedy") for _ in range(3)]
    told = [await answered(one) for one in await asyncio.gather(*pressed)]
    assert sorted(told) == [
        [],
        *[["Greedy bot has just sat down: press again to add another bot."]] * 2,
    ]
    assert (await table_of(parts, message)).names == ("P0", "P1", "Greedy bot")
    # another one, and one of who did not see it
    again = await discord.select(PEOPLE[0], message, "greedy")
    assert await answered(again) == []
    assert (await table_of(parts, message)).names[2:] == ("Greedy bot", "Greedy bot 2")


async def choice_of_four(discord: Loopback) -> Message:
    """A game of four in which somebody has rolled and chooses what to keep."""
    more: Json = {f"player{k + 1}": PEOPLE[k] for k in range(1, 4)}
    message = await shown(await discord.slash(PEOPLE[0], "play", rules="kcd", **more))
    while not is_choice(message):
        await press(discord, mover(message), message, "roll")
    return message


async def test_who_resigns_meanwhile_takes_no_choice_from_the_others(
    parts: Parts, discord: Loopback
) -> None:
    message = await choice_of_four(discord)
    by = mover(message)
    ids = {one["custom_id"].split(":")[-1]: one["custom_id"] for one in message.buttons}
    other = next(one for one in PEOPLE[:4] if one is not by)
    await shown(await discord.slash(other, "resign", sure="yes"))
    die = next(one for one in message.buttons if not one.get("disabled"))["custom_id"]
    chosen = await discord.press(by, message, custom_id=die)
    assert await answered(chosen) == []
    assert f":{1 << int(die[-1])}:en:" in message.buttons[0]["custom_id"]
    assert f"die{die[-1]}" in ids
    table = await table_of(parts, message)
    assert table.game.version == int(message.buttons[0]["custom_id"].split(":")[2])


@pytest.mark.usefixtures("parts")
async def test_a_table_that_is_shown_anew_has_no_dice_chosen(discord: Loopback) -> None:
    """Whether in another message, or in the same one as somebody pressed what was old."""
    message = await shown(
        await discord.slash(PEOPLE[0], "play", player2=PEOPLE[1], player3=PEOPLE[2], rules="kcd")
    )
    old = message.buttons[0]["custom_id"]
    while not is_choice(message):
        await press(discord, mover(message), message, "roll")
    by = mover(message)
    other = next(one for one in PEOPLE if one is not by)
    for anew in (True, False):
        dice = [one for one in message.buttons if action_of(one).startswith("die")]
        await answered(await discord.press(by, message, custom_id=dice[0]["custom_id"]))
        if anew:
            message = await shown(await discord.slash(other, "show"))
        else:
            await shown(await discord.press(other, message, custom_id=old))
        assert chosen_in(message) == 0
        last = message.buttons[len(dice) - 1]["custom_id"]
        await answered(await discord.press(by, message, custom_id=last))
        assert chosen_in(message) == 1 << len(dice) - 1
        await answered(await discord.press(by, message, custom_id=action_id(message, last)))
        assert chosen_in(message) == 0


@pytest.mark.slow
async def test_a_final_turn_of_one_throw_is_kept_by_a_button(
    parts: Parts, discord: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which banks what scores and ends the game, as a press of a farkle does."""
    monkeypatch.setattr(tables, "secrets", fixed_secrets("one throw"))
    options: dict[str, Any] = {"player2": PEOPLE[1], "rules": "everything2", "goal": 600}
    message = await shown(await discord.slash(PEOPLE[0], "play", **options))
    before, actions = 0, []
    while not (game := (await table_of(parts, message)).game).over:
        actions = ["roll"] if game.turn.roll is None else ["accept"]
        if game.turn.roll is not None and game.set_asides():
            mask, _ = wished(game)
            actions = [f"die{k}" for k in range(len(game.turn.roll)) if mask >> k & 1]
            for action in actions:
                await press(discord, PEOPLE[game.mover], message, action)
            actions = [one for one in ("bank", "keep", "roll") if message.action(one)][:1]
        before = before or (game.rolls if game.stage is Stage.FINAL else 0)
        await press(discord, PEOPLE[game.mover], message, actions[0])
    assert game.rolls == before + 1
    assert actions == ["keep"]
    assert message.action("again")


@dataclass
class World:
    """A bot and its Discord, which can be set back to what they were."""

    parts: Parts
    discord: Loopback
    file: Path
    choices: Choices

    def kept(self) -> Any:
        """All that is stored, and all messages."""
        stored = sqlite3.connect(":memory:")
        with closing(sqlite3.connect(self.file)) as now:
            now.backup(stored)
        seen = self.discord.messages.values()
        return stored, [(one, copy.deepcopy(one.data), dict(one.files)) for one in seen]

    def set_back(self, kept: Any, game: str) -> None:
        """Let everything be as it was."""
        stored, seen = kept
        with closing(sqlite3.connect(self.file)) as now:
            stored.backup(now)
        self.discord.messages.clear()
        for one, data, files in seen:
            one.data, one.files = copy.deepcopy(data), dict(files)
            self.discord.messages[one.id] = one
        self.parts.games.tables.drop()
        self.choices.forget(game)

    async def press(self, by: Json, message: Message, one: tuple[str, str], times: int = 1) -> Json:
        """Press so many times at once; the table and its message as they are then."""
        custom_id, value = one
        pressed = [
            self.discord.select(by, message, value, custom_id=custom_id)
            if value
            else self.discord.press(by, message, custom_id=custom_id)
            for _ in range(times)
        ]
        told = [await answered(interaction) for interaction in await asyncio.gather(*pressed)]
        table = await table_of(self.parts, message)
        text = CHANCES.sub("", message.text)  # estimates are there at once or not in time
        has_bot = any(one.level for one in table.game.seats)
        return {
            "told": min(map(len, told)),
            "events": table.events,
            "seats": table.stored.seats,
            "games": len(await self.parts.store.recent_games(table.stored.place, 10)),
            # moves of a bot are told together with those before, or each in the place of the last
            "text": STORY.sub("", text) if has_bot else text,
            "buttons": [
                (one["custom_id"], one["label"], one.get("disabled")) for one in message.buttons
            ],
            # the chart of a game is there at once or not in time
            "files": {*message.files} - {"game.png", *(["dice.png"] if has_bot else [])},
        }


@pytest.fixture
def choices(monkeypatch: pytest.MonkeyPatch) -> Choices:
    """What the bot knows of dice that are chosen."""
    found = Choices()
    monkeypatch.setattr("bot.chat.pressing.Choices", lambda: found)
    return found


@pytest.fixture
def world(choices: Choices, parts: Parts, discord: Loopback, folder: Path) -> World:
    return World(parts, discord, folder / "farkle.db", choices)


CHANCES = re.compile(r"(?m)^ +[█░]+ +[\d.]+ %\n|[█▏▎▍▌▋▊▉ ]* [<>]?\d+ %$")
"""Bars with win probabilities, below names or beside scores."""
STORY = re.compile(r"(?s)(?<=\n```\n).*(?=^\*\*)", re.M)
"""What has happened, below the scores."""
KCD: Json = {"rules": "kcd", "goal": 800}
LOADED: Json = {"my_dice": "lucky*3,odd,devil*2", "my_badge": "carpenter:150", "goal": 600}
TABLES: dict[str, tuple[str, int, Json]] = {
    "lobby": ("play", 1, KCD),
    "three": ("play", 3, KCD),
    "seven": ("play", 7, KCD),
    "no hints": ("play", 3, KCD | {"hints": "no"}),
    "bot": ("play", 2, KCD | {"level": "greedy"}),
    "three with real dice": ("track", 3, KCD),
    "seven with real dice": ("track", 7, KCD),
    "badges": ("play", 2, LOADED | {"their_dice": "weighted*2,ordinary*4"}),
    "draft": ("play", 2, {"draft": "choose", "goal": 600}),
}
"""How tables are begun: the command, how many people, its options."""
STEPS = 9 if EVERY else 6
STAYING = {"resign", "end", "leave", "again", "review", "details", "hint", "why", "rules"}
"""Buttons after which a game does not go on."""


@pytest.mark.mostly_skipped(2)
@pytest.mark.slow
@pytest.mark.parametrize("kind", TABLES)
async def test_each_press_twice_at_once_is_as_once(world: World, kind: str) -> None:
    """At every kind of table, whatever can be pressed there: by who is meant to press it.

    Once and twice are pressed in the same world, with the same dice. What a die, a set or a list
    means is said by its own id, so that two presses who saw the same say the same. Who does what
    is done already is told so alone; and what happened a moment ago does not do anything.
    """
    chance = random.Random(f"{kind} 9")
    how, people, options = TABLES[kind]
    others: Json = {f"player{k + 1}": PEOPLE[k] for k in range(1, people)}
    message = await shown(await world.discord.slash(PEOPLE[0], how, **others, **options))
    for _ in range(STEPS):
        table = await table_of(world.parts, message)
        game = table.game
        if how == "track" and game.turn.roll is None and chance.random() < 0.7:
            dice = " ".join(str(chance.randint(1, 6)) for _ in range(game.number_of_dice))
            message = await shown(await world.discord.slash(mover(message), "roll", dice=dice))
            table = await table_of(world.parts, message)
            game = table.game

        def presses(one: tuple[str, str], game: Game = game) -> Json:
            before = game.before or game
            who = {"join": len(game.seats), "undo": before.mover}.get(action_in(one), game.mover)
            return PEOPLE[0] if game.over else PEOPLE[who]

        can = components(message)
        kept = world.kept()
        for one in can:
            once = await world.press(presses(one), message, one)
            world.set_back(kept, game.id)
            twice = await world.press(presses(one), message, one, times=2)
            world.set_back(kept, game.id)
            assert twice == once, action_in(one)
        going = [one for one in can if action_in(one) not in STAYING]
        if game.over or not going:
            break
        await world.press(presses(then := chance.choice(going)), message, then)
        now = await table_of(world.parts, message)
        if not (now.since(table.game.version) or (0, []))[1]:
            continue  # dice were chosen, or somebody came
        kept = world.kept()
        for one in going:
            if action_in(one) in {"join", "bot"}:
                continue
            old = await world.press(presses(one), message, one)
            assert old["events"] == now.events, action_in(one)
            assert {int(button["custom_id"].split(":")[2]) for button in message.buttons} <= {
                now.game.version
            }
            world.set_back(kept, game.id)


def components(message: Message) -> list[tuple[str, str]]:
    """All that can be pressed but what opens a form: its id, and what is chosen of a list."""
    pressed = (one["custom_id"] for one in message.buttons if not one.get("disabled"))
    found = [(one, "") for one in pressed if action_in((one, "")) not in {"points", "fell"}]
    for one in walk(message.data["components"]):
        if one["type"] == SELECT:
            found += [(one["custom_id"], option["value"]) for option in one["options"][1:4:2]]
    return found


def action_in(component: tuple[str, str]) -> str:
    """What it does: entries of the list of more are actions themselves."""
    custom_id, value = component
    action = custom_id.rsplit(":", maxsplit=1)[-1]
    return value if action == "more" else action


@pytest.mark.parametrize("other", [0, 1])
async def test_a_rematch_begins_once_where_several_games_may_be_open(
    parts: Parts, discord: Loopback, other: int
) -> None:
    await shown(await discord.slash(PEOPLE[0] | {"permissions": 1 << 5}, "settings", games=3))
    message = await shown(await discord.slash(PEOPLE[0], "play", player2=PEOPLE[1], rules="kcd"))
    await press(discord, PEOPLE[0], message, "roll")
    if is_choice(message):
        await press(discord, PEOPLE[0], message, await choose(discord, PEOPLE[0], message))
    await answered(await sure_of(discord, PEOPLE[1], message, "Resign"))
    again = message.button("Rematch")["custom_id"]
    people = PEOPLE[0], PEOPLE[other]
    pressed = [discord.press(one, message, custom_id=again) for one in people]
    told = [await answered(one) for one in await asyncio.gather(*pressed)]
    [begun] = await parts.games.tables.open_at("discord:500")
    late = f"The rematch has begun already: it is game {begun.game.id}."
    assert sorted(told) == [[], [late]]


@pytest.mark.usefixtures("parts")
async def test_dice_chosen_below_an_old_message_come_with_the_scores_of_now(
    discord: Loopback,
) -> None:
    """As somebody put a score right, or the turn, in a message of their own."""
    message = await shown(await discord.slash(PEOPLE[0], "track", player2=PEOPLE[1], rules="kcd"))
    message = await shown(await discord.slash(PEOPLE[0], "roll", dice="1 1 5 2 3 3"))
    die = message.buttons[0]["custom_id"]
    await shown(await discord.slash(PEOPLE[0], "fix", who=PEOPLE[1], score=350))
    assert "350" not in message.text
    await shown(await discord.press(PEOPLE[0], message, custom_id=die))
    assert "350" in message.text
    assert "P0 rolls" in message.text
    assert chosen_in(message) == 1
    await shown(await discord.slash(PEOPLE[0], "fix", next=PEOPLE[0]))
    gone = await answered(await discord.press(PEOPLE[0], message, custom_id=die))
    assert gone == ["The game has moved on: look at how it stands now."]
    assert not is_choice(message)


# ---- While something is solved ---------------------------------------------------------------

LINE = "-# Exact odds for 3 players in about "


async def told(message: Message, text: str, *, is_there: bool = True) -> None:
    """Wait until a message says something, or no more."""
    await until(lambda: (text in message.text) == is_there)


@pytest.fixture
async def solving(
    folder: Path, discord: Loopback, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[tuple[Parts, asyncio.Event]]:
    """A bot that solves rules for more players once it is let, and fails at it."""
    go_on = asyncio.Event()

    async def solve(*_: Any, **__: Any) -> None:
        await go_on.wait()
        raise SolveError("the disk is full")

    monkeypatch.setenv("FARKLE_NEEDED_SECONDS", "1e9")
    monkeypatch.setattr("bot.services.house_rules.solve_apart", solve)
    async with ready_here(folder, discord, clock, monkeypatch) as parts:
        yield parts, go_on


@pytest.mark.slow
async def test_a_lobby_goes_on_while_rules_are_solved(
    solving: tuple[Parts, asyncio.Event], discord: Loopback
) -> None:
    parts, go_on = solving
    message = await lobby(discord)
    await press(discord, PEOPLE[1], message, "join")
    third = await discord.press(PEOPLE[2], message, "Join")
    await told(message, LINE)
    assert (await table_of(parts, message)).names == ("P0", "P1", "P2")
    assert {"Start", "Join", "Leave", "Rules", "Details"} <= set(message.labels)
    # who presses meanwhile is answered, and takes nothing away
    join = message.button("Join")["custom_id"]
    refused = await discord.press(PEOPLE[1], message, custom_id=join)
    await shown(refused)
    assert [one.text for one in refused.private] == ["You are already at this table."]
    assert LINE in message.text
    await shown(await discord.press(PEOPLE[1], message, "Leave"))
    assert LINE not in message.text, "of three who are not there"
    await shown(await discord.press(PEOPLE[1], message, "Join"))
    await told(message, LINE)
    # a fourth, for whom nothing can be solved in time, changes nothing of that
    await shown(await discord.press(PEOPLE[3], message, "Join"))
    await shown(await discord.press(PEOPLE[3], message, "Leave"))
    assert LINE in message.text
    go_on.set()
    await told(message, LINE, is_there=False)
    assert await answered(third) == ["The disk is full."]
    assert "Start" in message.labels
    await press(discord, PEOPLE[0], message, "roll")
    assert (await table_of(parts, message)).game.rolls == 1


@pytest.mark.slow
async def test_who_starts_does_not_wait_and_sees_no_lobby_again(
    solving: tuple[Parts, asyncio.Event], discord: Loopback
) -> None:
    parts, go_on = solving
    message = await lobby(discord)
    await press(discord, PEOPLE[1], message, "join")
    await discord.press(PEOPLE[2], message, "Join")
    await told(message, LINE)
    await shown(await discord.press(PEOPLE[0], message, "Start"))
    assert LINE not in message.text
    labels, edits = message.labels, message.edits
    go_on.set()
    await answered(await discord.press(PEOPLE[0], message, "Details"))
    assert (message.labels, message.edits) == (labels, edits)
    assert (await table_of(parts, message)).game.rolls == 1


async def test_what_a_press_waits_for_leaves_the_message_its_buttons(
    parts: Parts, discord: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is told to who waits, alone."""
    message = await shown(await discord.slash(PEOPLE[0], "play", player2=PEOPLE[1], rules="kcd"))
    before = message.text, message.labels

    async def waits(*_: Any) -> AsyncIterator[Delay]:
        yield Delay("solve", 0, 20.0)

    monkeypatch.setattr(parts.games.oracle, "ready", waits)
    hint = message.buttons[0]["custom_id"].replace(":roll", ":hint")
    first, second = await answered(await discord.press(PEOPLE[0], message, custom_id=hint))
    assert "20 s" in first
    assert "roll" in second.lower()
    assert (message.text, message.labels) == before


@pytest.mark.slow
async def test_killed_while_rules_are_solved(folder: Path, discord: Loopback) -> None:
    """Who has sat down sits there, and the table is played on by its buttons."""
    async with running(folder, discord, FARKLE_NEEDED_SECONDS="1e9") as bot:
        message = await lobby(discord)
        await press(discord, PEOPLE[1], message, "join")
        await discord.press(PEOPLE[2], message, "Join")
        await told(message, LINE)
        await bot.end(signal.SIGKILL)
    await discord.drop()
    async with running(folder, discord, FARKLE_NEEDED_SECONDS="1e9") as bot:
        await press(discord, PEOPLE[3], message, "join")
        assert all(f"P{number}" in message.text for number in range(4))
        await shown(await discord.press(PEOPLE[3], message, "Leave"))
        await told(message, LINE)
        await press(discord, PEOPLE[0], message, "roll")
        assert is_choice(message) or "farkle" in message.text
        await bot.end(signal.SIGKILL)


@pytest.mark.slow
async def test_what_a_token_that_died_cannot_tell_is_told_in_the_same_message(
    solving: tuple[Parts, asyncio.Event], discord: Loopback, caplog: pytest.LogCaptureFixture
) -> None:
    _, go_on = solving
    message = await lobby(discord)
    await press(discord, PEOPLE[1], message, "join")
    asked = await discord.slash(PEOPLE[2], "join")
    table = await shown(asked)
    assert "kcd" in table.text
    assert table.labels == []
    discord.expire(asked)
    go_on.set()
    await told(table, "P2 joins.")
    assert {"Join", "Leave"} <= set(table.labels)
    assert [one.id for one in discord.public()] == [message.id, table.id]
    assert not [one for one in caplog.records if one.levelname == "ERROR"]


# ---- What is asked back ----------------------------------------------------------------------


async def sure_of(discord: Loopback, by: Json, message: Message, label: str) -> Interaction:
    """Press a button and say yes to what is asked back."""
    question = await shown(await discord.press(by, message, label))
    return await discord.press(by, question, "Yes")


async def test_who_resigns_by_a_button_leaves_a_table_that_goes_on(
    parts: Parts, discord: Loopback
) -> None:
    message = await choice_of_four(discord)
    other = mover(message)
    by = next(one for one in PEOPLE[:4] if one is not other)
    pressed = await sure_of(discord, by, message, "Resign")
    assert await answered(pressed) == []
    assert f"{by['global_name']} resigns." in message.text
    assert [one.id for one in discord.public()] == [message.id]
    # what lies there is played on below the same message
    table = await table_of(parts, message)
    die = next(one for one in message.buttons if not one.get("disabled"))
    assert await answered(await discord.press(other, message, custom_id=die["custom_id"])) == []
    assert (await table_of(parts, message)).game.version == table.game.version


@pytest.mark.slow
@pytest.mark.usefixtures("parts")
async def test_who_cannot_resign_is_not_asked_whether_they_want_to(discord: Loopback) -> None:
    more: Json = {f"player{k + 1}": PEOPLE[k] for k in range(1, 4)}
    message = await shown(await discord.slash(PEOPLE[0], "play", rules="kcd", **more))
    await press(discord, PEOPLE[0], message, "roll")
    question = await shown(await discord.press(PEOPLE[3], message, "Resign"))
    yes = question.button("Yes")["custom_id"]
    both = [discord.press(PEOPLE[3], question, custom_id=yes) for _ in range(2)]
    told = [await answered(one) for one in await asyncio.gather(*both)]
    assert sorted(told) == [[], ["You have resigned already."]]
    pressed = await discord.press(PEOPLE[3], message, "Resign")
    typed = [await discord.slash(PEOPLE[3], command) for command in ("resign", "leave")]
    for one in (pressed, *typed):
        assert await answered(one) == ["You have resigned already."]
    stranger = await answered(await discord.press(PEOPLE[5], message, "Resign"))
    assert stranger == ["You do not play in this game, only P0, P1, P2, P3."]


@pytest.mark.parametrize("how", ["no access", "deleted", "too old"])
async def test_a_table_whose_message_cannot_be_changed_is_told_anew(
    parts: Parts, discord: Loopback, caplog: pytest.LogCaptureFixture, how: str
) -> None:
    message = await lobby(discord)
    question = await shown(await discord.press(PEOPLE[0], message, "End"))
    if how == "no access":
        discord.closed.add("500")
    elif how == "deleted":
        del discord.messages[message.id]
    else:
        refusal = {
            "message": "Maximum number of edits to messages older than 1 hour",
            "code": 30046,
        }
        discord.failures.append(("PATCH /channels", 429, refusal, {}))
    pressed = await discord.press(PEOPLE[0], question, "Yes")
    assert await answered(pressed) == []
    anew = await shown(pressed)
    assert "The game was ended without a result." in anew.text
    assert not anew.ephemeral
    assert (await table_of(parts, message)).game.over
    assert {one.levelname for one in caplog.records if one.name.startswith("bot")} <= {"INFO"}


async def test_a_question_whose_answer_discord_does_not_take(
    parts: Parts, discord: Loopback, caplog: pytest.LogCaptureFixture
) -> None:
    """Its token is not valid any more, which is ordinary: what was done is told at the table."""
    message = await lobby(discord)
    question = await shown(await discord.press(PEOPLE[0], message, "End"))
    refusal = {"message": "Invalid Webhook Token", "code": 50027}
    discord.failures.append(("callback", 401, refusal, {}))
    await discord.press(PEOPLE[0], question, "Yes")
    await told(message, "The game was ended without a result.")
    assert message.buttons == []
    assert (await table_of(parts, message)).game.over
    assert {one.levelname for one in caplog.records if one.name.startswith("bot")} <= {"INFO"}


def chosen_in(message: Message) -> int:
    """The dice that are chosen, as all buttons have them."""
    [mask] = {int(one["custom_id"].split(":")[3]) for one in message.buttons}
    return mask


def action_id(message: Message, old: str) -> str:
    """The button of the same action as it is now."""
    wanted = old.rsplit(":", maxsplit=1)[-1]
    return str(next(one["custom_id"] for one in message.buttons if action_of(one) == wanted))


def action_of(button: Json) -> str:
    return str(button["custom_id"].split(":")[-1])
