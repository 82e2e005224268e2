"""A whole evening in a channel, as people read it: kept in tests/playthroughs/evening.

A lobby, a game of three people and a bot with what makes it one to talk about, its review, the
daily position and its solution, and a drill of own decisions. Every message is held against
Discord's specification, and laid out as a phone shows it. To write it anew after a change that is
meant:

    FARKLE_WRITE_PLAYTHROUGHS=1 python -m pytest -m '' tests/bot/fronts/discord/test_evening.py

With FARKLE_PHONE_PICTURES=FOLDER every message is drawn into a folder, with a page of them all.
"""

import asyncio
import copy
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bot.fronts.discord import answers
from bot.services import tables
from bot.table.events import Kept
from bot.table.fold import apply
from bot.table.state import Game
from bot.wiring import Parts
from tests.bot.clock import Clock
from tests.bot.fronts.discord.components import BUTTON, CONTAINER, GALLERY, ROW, SECTION, TEXT
from tests.bot.fronts.discord.here import PLACE
from tests.bot.fronts.discord.loopback import Interaction, Json, Loopback, Message, user
from tests.bot.fronts.discord.phone import LOOKS, Phone, write_page
from tests.bot.fronts.discord.play import posts, shown
from tests.bot.known_dice import known_secrets
from tests.bot.test_playthroughs import FOLDER, assert_kept
from tests.bot.waiting import until

PICTURES = os.environ.get("FARKLE_PHONE_PICTURES", "")
SECRET = 13
"""A secret whose dice let everything happen in one game."""
ENOUGH = (500, 800, 1_200)
"""The turn totals at which the people bank."""


class Evening:
    """What people did in a channel, and what they saw then."""

    def __init__(self, discord: Loopback, phone: Phone) -> None:
        self.discord = discord
        self.phone = phone
        self.lines: list[str] = []
        self.pictures: list[tuple[str, Message]] = []

    async def slash(self, by: Json, command_name: str, **options: Any) -> Message:
        """Somebody gives a command."""
        given = [
            f"{key}:{value['global_name'] if isinstance(value, dict) else value}"
            for key, value in options.items()
        ]
        said = " ".join([f"/{command_name}", *given])
        found = await shown(await self.discord.slash(by, command_name, **options))
        self.saw(f"{by['global_name']}: {said}", found, by)
        if command_name == "resign":  # the table that is there shows the end, then its chart
            table = [one for one in self.discord.public() if one.action("again")][-1]
            await until(lambda: "game.png" in table.files)
            self.saw("the table", table)
        return found

    async def press(
        self,
        by: Json,
        message: Message,
        action: str,
        settles: Callable[[], Awaitable[object]] | None = None,
    ) -> Message:
        """Somebody presses a button, by its action, and sees what comes of it in the end."""
        button = message.action(action)
        if button is None:
            return await self.choose(by, message, action)
        pressed = await self.discord.press(by, message, custom_id=button["custom_id"])
        return await self._answered(by, button["label"], pressed, settles)

    async def choose(self, by: Json, message: Message, value: str) -> Message:
        """Somebody chooses from the list of a message."""
        chosen = await self.discord.select(by, message, value)
        return await self._answered(by, value, chosen, None)

    async def _answered(
        self,
        by: Json,
        label: str,
        answer: Interaction,
        settles: Callable[[], Awaitable[object]] | None,
    ) -> Message:
        found = await shown(answer)
        if settles:
            await settles()
        return self.saw(f"{by['global_name']} [{label}]", found, by)

    def saw(self, what: str, message: Message, by: Json | None = None) -> Message:
        """Write down a message as it is now."""
        alone = f"(to {by['global_name']} alone) " if message.ephemeral and by else ""
        self.lines += [f"> {what}", alone + "\n".join(told(message))]
        self.phone.draw(message)
        if PICTURES:
            self.pictures.append((what, copy.deepcopy(message)))
        return message

    def write(self, folder: Path) -> None:
        """Every message in every look; what was seen before is not drawn again."""
        folder.mkdir(parents=True, exist_ok=True)
        seen = set()
        for number, (what, message) in enumerate(self.pictures):
            for name, look in LOOKS.items():
                drawn = Phone(look, self.phone.names).draw(message, what)
                if drawn.tobytes() not in seen:
                    seen.add(drawn.tobytes())
                    drawn.save(folder / f"{number:03}-{name}.png")
        write_page(Path(PICTURES))


def told(message: Message) -> list[str]:
    """A message in words, from top down."""
    data = message.data
    lines = [data["content"]] if data["content"] else []
    if not any(one["type"] in {CONTAINER, TEXT} for one in data["components"]):
        lines += [f"({one['filename']}: {one['description']})" for one in data["attachments"]]
    for one in data["components"]:
        lines += component_lines(one)
    return lines


def component_lines(one: Json) -> list[str]:
    """A component in words."""
    match one["type"]:
        case kind if kind in {CONTAINER, SECTION}:
            lines = [line for part in one["components"] for line in component_lines(part)]
            if kind == SECTION:
                lines.append(f"(picture: {one['accessory']['description']})")
            return lines
        case kind if kind == TEXT:
            return [one["content"]]
        case kind if kind == GALLERY:
            return [f"(picture: {item['description']})" for item in one["items"]]
        case kind if kind == ROW:
            return [" ".join(map(button_text, one["components"]))]
    return [f"({one['file']['url'].rpartition('/')[2]})"]


def button_text(one: Json) -> str:
    """A button, or a list; one that cannot be pressed is in parentheses."""
    if one["type"] != BUTTON:
        return f"[{one['placeholder']} ▾]"
    return f"({one['label']})" if one.get("disabled") else f"[{one['label']}]"


def evening_secrets() -> SimpleNamespace:
    """The secrets of the games of an evening."""
    return known_secrets("evening", SECRET)


def wished(game: Game) -> tuple[int, str]:
    """The dice that somebody keeps, bit by bit, and what is done then."""
    best = max(game.set_asides(), key=lambda one: (one.points, -len(one.dice)))
    left, mask = list(best.dice), 0
    for number, die in enumerate(game.turn.roll or ()):
        if die in left:
            left.remove(die)
            mask |= 1 << number
    after = apply(game, Kept(dice=best.dice))
    total = after.turn.turn_total
    if after.is_out_of_throws:
        return mask, "keep"
    wins = game.seats[game.mover].score + total >= game.rules.goal
    enough = total >= ENOUGH[game.mover] and not after.has_hot_dice
    return mask, "bank" if after.may_bank and (wins or enough) else "roll"


async def lobby(evening: Evening, people: list[Json]) -> Message:
    """Ann sets a table up, and all sit down at it."""
    ann, bob, eve = people
    table = await evening.slash(ann, "play")
    await evening.press(eve, table, "rules")
    await evening.press(bob, table, "join")
    await evening.press(eve, table, "join")
    await evening.press(bob, table, "leave")
    await evening.press(eve, table, "leave")
    await evening.press(bob, table, "join")
    await evening.press(eve, table, "join")
    await evening.choose(ann, table, "cautious")
    await evening.press(bob, table, "roll")
    return table


Settled = Callable[[], Awaitable[Game]]
"""The game of a table once its message is as it is, and a person is to move or nobody any more."""


async def settling(parts: Parts, table: Message) -> Settled:
    """Return what waits for the game of a table."""
    [begun] = await parts.games.tables.open_at(PLACE)

    async def settled() -> Game:
        for _ in range(10_000):
            game = (await parts.games.tables.current(begun.game.id)).game
            version = table.buttons[0]["custom_id"].split(":")[2]
            is_drawn = "game.png" in table.files if game.over else game.bot_to_move is None
            if game.version == int(version) and is_drawn:
                return game
            await asyncio.sleep(0.02)
        raise AssertionError(table.text)

    return settled


async def play(evening: Evening, parts: Parts, table: Message, people: list[Json]) -> None:
    """The game to its end, and what people ask meanwhile."""
    settled = await settling(parts, table)
    ann, bob, eve = people
    await evening.press(ann, table, "roll", settled)
    await evening.press(bob, table, "die0")
    await evening.press(ann, table, "why")
    await evening.press(ann, table, "hint")
    await evening.press(eve, table, "details")
    await evening.slash(bob, "skip")
    await play_on(evening, table, people, settled)


async def play_on(evening: Evening, table: Message, people: list[Json], settled: Settled) -> None:
    """A game to its end; people choose dice by as few presses as they can."""
    while not (game := await settled()).over:
        by = people[game.mover]
        if game.turn.roll is None:
            takes = game.offered and game.offered.dice > 1
            await evening.press(by, table, "take" if takes else "roll", settled)
            continue
        mask, then = wished(game)
        if table.action(f"pick{mask}"):
            await evening.press(by, table, f"pick{mask}")
        else:
            for number in range(len(game.turn.roll)):
                if mask >> number & 1:
                    await evening.press(by, table, f"die{number}")
        await evening.press(by, table, then, settled)


async def look_back(evening: Evening, table: Message, people: list[Json]) -> None:
    """What there is to see of a game that is over."""
    _, bob, eve = people
    page = await evening.press(bob, table, "review")
    while page.action("on"):
        await evening.press(bob, page, "on")
    await evening.press(eve, table, "details")
    await evening.slash(eve, "stats")
    await evening.slash(bob, "leaderboard")


async def daily(evening: Evening, clock: Clock, people: list[Json]) -> None:
    """The position of the day, and its solution on the next one."""
    ann, bob, eve = people
    discord = evening.discord

    async def posted(number: int) -> Message:
        def found() -> list[Message]:
            return [one for one in posts(discord) if one.buttons[0]["custom_id"][:2] == "d:"]

        await until(lambda: len(found()) == number)
        return found()[-1]

    await evening.slash(ann, "settings", daily="18")
    clock.wait(minutes=1)
    post = evening.saw("18:00", await posted(1))
    await evening.press(bob, post, "1")
    await evening.press(eve, post, "4")
    await evening.press(eve, post, "1")
    await evening.slash(ann, "daily")
    clock.wait(days=1)
    evening.saw("18:00", await posted(2))
    await evening.slash(ann, "daily", what="board")


async def drill(evening: Evening, people: list[Json]) -> None:
    """Ann plays badly with real dice, and is asked the same again."""
    ann, bob, _ = people
    await evening.slash(ann, "track", player2=bob)
    rolled = await evening.slash(ann, "roll", dice="1 1 1 5 2 3")
    await evening.press(ann, rolled, "die0")
    await evening.press(ann, rolled, "bank")
    await evening.slash(ann, "score", who=bob, points=1500)
    await evening.slash(bob, "resign")
    asked = await evening.slash(ann, "drill")
    await evening.press(ann, asked, "2")
    await evening.press(ann, asked, "next")
    await evening.press(ann, asked, "1")


@pytest.mark.slow
@pytest.mark.parametrize("code", ["en", "de"])
async def test_an_evening(
    code: str, parts: Parts, discord: Loopback, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "secrets", evening_secrets())
    monkeypatch.setattr(answers, "BETWEEN_EDITS", 0.0)
    people = [
        user(number, name) | {"locale": code, "permissions": 1 << 4 if name == "Ann" else 0}
        for number, name in (("11", "Ann"), ("12", "Bob"), ("13", "Eve"))
    ]
    evening = Evening(
        discord, Phone(LOOKS["dark"], {one["id"]: one["global_name"] for one in people})
    )
    try:
        table = await lobby(evening, people)
        await play(evening, parts, table, people)
        called = [one for one in discord.public() if one is not table]
        assert len(called) == 1, "a game is one message; the other one calls for who is away"
        await look_back(evening, table, people)
        await daily(evening, clock, people)
        await drill(evening, people)
    finally:
        if PICTURES:
            evening.write(Path(PICTURES, code))
    found = "\n".join(evening.lines) + "\n"
    assert evening.phone.cut == []
    for sign in "🔥💰💀🦅":
        assert sign in found
    assert_kept(FOLDER / "evening" / f"{code}.txt", found)
