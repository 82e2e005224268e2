"""What Discord refuses and what members forge: a line in the log, and the game goes on."""

import asyncio
import itertools
import json
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.bot.fronts.discord.loopback import Interaction, Json, Loopback, Message, user
from tests.bot.fronts.discord.play import is_choice, shown
from tests.bot.fronts.discord.process import Bot, running
from tests.bot.odd_text import ACTED_ON, HIDDEN

ANN, BOB, EVE = user("11", "Ann"), user("12", "Bob"), user("13", "Eve")
CHANGED = "This button is out of date: /show shows the table again."
OVER = "The game is over: /play begins another."

_channels = itertools.count(1000)

pytestmark = pytest.mark.asyncio(loop_scope="module")


class Channel:
    """A channel of a Discord with a bot, which all cases share."""

    def __init__(self, discord: Loopback, bot: Bot, folder: Path) -> None:
        self.discord, self.bot, self.folder = discord, bot, folder
        self.number = str(next(_channels))
        self._before = len(bot.log)

    async def slash(self, by: Json, command: str, **options: Any) -> Interaction:
        """Give a command."""
        return await self.discord.slash(by, command, self.number, **options)

    async def game(self, **options: Any) -> Message:
        """The message of a new game between ann and bob."""
        return await shown(await self.slash(ANN, "play", player2=BOB, rules="kcd", **options))

    async def choice(self) -> tuple[Message, Json]:
        """A game in which dice lie there to be chosen, and by whom."""
        table = await self.game()
        for _ in range(40):
            by = ANN if "▸ Ann" in table.text else BOB
            if is_choice(table):
                break
            await shown(await self.discord.press(by, table, "Roll"))
        return table, by

    async def forge(
        self, by: Json, table: Message, custom_id: str, kind: object = 2
    ) -> Interaction:
        """Press a button that the message need not have."""
        data = {"custom_id": custom_id, "component_type": kind}
        return await self.discord._interact(3, data, by, table.channel, "400", table)

    def said(self) -> list[Message]:
        """What all can see here."""
        return self.discord.public(self.number)

    async def logged(self, text: str) -> list[str]:
        """Lines of the log with a text, since the case began and once there are any."""
        for _ in range(1000):
            new = self.bot.log[self._before :].splitlines()
            if found := [line for line in new if text in line]:
                return found
            await asyncio.sleep(0.01)
        raise AssertionError(self.bot.log[self._before :])

    def events(self) -> int:
        """How many there are of the games here."""
        query = "SELECT count(*) FROM events JOIN games ON id = game_id WHERE place = ?"
        with closing(sqlite3.connect(self.folder / "farkle.db")) as connection:
            [number] = connection.execute(query, [f"discord:{self.number}"]).fetchone()
            return int(number)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared(
    data: Path, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[tuple[Loopback, Bot, Path]]:
    """A Discord with a bot, whose log has no traceback after all cases."""
    folder = tmp_path_factory.mktemp("shared")
    (folder / "strategies").symlink_to(data / "strategies")
    async with (
        Loopback().serve() as discord,
        running(folder, discord, FARKLE_PACE="0.05", FARKLE_LOG="info") as bot,
    ):
        yield discord, bot, folder
        assert await bot.end() == 0, bot.log
        assert "Traceback" not in bot.log, bot.log
        assert discord.known_token not in bot.log
        assert discord.problems == []


@pytest.fixture
def channel(shared: tuple[Loopback, Bot, Path]) -> Channel:
    """A channel of the case's own."""
    discord, bot, folder = shared
    discord.twist = lambda sent: sent
    discord.failures.clear()
    return Channel(discord, bot, folder)


async def told_alone(interaction: Interaction) -> str:
    """What the one who asked was told."""
    message = await shown(interaction)
    assert message.ephemeral, message.text
    return message.text


# ---- What Discord refuses ----


@pytest.mark.parametrize(
    ("status", "code", "message"),
    [
        (403, 50001, "Missing Access"),
        (403, 50013, "Missing Permissions"),
        (404, 10062, "Unknown interaction"),
        (400, 40060, "Interaction has already been acknowledged."),
        (401, 50027, "Invalid Webhook Token"),
        (404, 10008, "Unknown Message"),
        (404, 10003, "Unknown Channel"),
        (400, 50083, "Thread is archived"),
        (429, 30046, "Maximum number of edits to messages older than 1 hour reached."),
    ],
)
async def test_a_press_that_cannot_be_answered(
    channel: Channel, status: int, code: int, message: str
) -> None:
    """What was done is kept; if the message cannot be changed, another one tells it."""
    table = await channel.game()
    before, said = channel.events(), len(channel.said())
    for part in ("callback", "PATCH /channels"):
        refusal = {"message": message, "code": code}
        channel.discord.failures.append((part, status, refusal, {}))
    await channel.discord.press(ANN, table, "Roll")
    for _ in range(600):
        if len(channel.said()) > said:
            break
        await asyncio.sleep(0.01)
    assert channel.events() == before + 1
    assert "Ann rolls" in channel.said()[-1].text
    # one for each request
    assert len(await channel.logged(f"(error code: {code})")) == 2


@pytest.mark.parametrize("status", [403, 404])
async def test_a_channel_that_is_gone(channel: Channel, status: int) -> None:
    table = await channel.game()
    before = channel.events()
    refusal = {"message": "Missing Access", "code": 50001 if status == 403 else 10003}
    for part in ("callback", "PATCH /channels", "POST /channels"):
        channel.discord.failures.append((part, status, refusal, {}))
    await channel.discord.press(ANN, table, "Roll")
    assert await channel.logged("could not be told in its channel")
    assert channel.events() == before + 1
    assert "Ann" in (await shown(await channel.slash(ANN, "show"))).text


async def test_dice_in_a_message_that_cannot_be_changed(channel: Channel) -> None:
    table, by = await channel.choice()
    die = next(one for one in table.buttons if not one.get("disabled"))
    refusal = {"message": "Maximum number of edits to messages older than 1 hour", "code": 30046}
    channel.discord.failures.append(("callback", 429, refusal, {}))
    told = await told_alone(await channel.discord.press(by, table, custom_id=die["custom_id"]))
    assert told == "This message can no longer be changed: /show shows the table again."
    assert await channel.logged("30046")


async def test_what_was_for_one_alone_is_told_to_nobody_else(channel: Channel) -> None:
    """Where a page of a review cannot be shown any more."""
    await shown(await channel.slash(ANN, "track", player2=BOB, rules="kcd"))
    await shown(await channel.slash(ANN, "score", points=550))
    await shown(await channel.slash(ANN, "resign", sure="yes"))
    *_, table, _ = channel.said()
    page = await shown(await channel.discord.press(ANN, table, "Review"))
    assert page.ephemeral
    said = len(channel.said())
    refusal = {"message": "Unknown interaction", "code": 10062}
    channel.discord.failures.append(("callback", 404, refusal, {}))
    await channel.discord.press(ANN, page, "Next")
    await channel.logged("10062")
    await shown(await channel.slash(ANN, "help"))
    assert len(channel.said()) == said


async def test_a_suggestion_that_fails_is_an_empty_one(channel: Channel) -> None:
    discord = channel.discord
    refusal = {"message": "Unknown interaction", "code": 10062}
    discord.failures.append(("callback", 404, refusal, {}))
    focused = {"type": 3, "name": "rules", "value": "x", "focused": True}
    asked = {"id": "2000", "name": "play", "type": 1, "options": [focused]}
    await discord._interact(4, asked, ANN, channel.number, "400")
    assert len(await channel.logged("10062")) == 1
    value: Any
    for value in (777, None, ["x"], {"a": 1}):
        assert await discord.complete(ANN, "advise", "rules", value) == []
    assert await discord.complete(ANN, "advise", "rules", "fac") == ["facebook"]


async def test_a_suggestion_without_a_database_is_an_empty_one(data: Path, tmp_path: Path) -> None:
    (tmp_path / "strategies").symlink_to(data / "strategies")
    async with Loopback().serve() as discord, running(tmp_path, discord) as bot:
        for path in tmp_path.glob("farkle.db*"):  # noqa: ASYNC240
            if path.suffix != ".lock":
                path.write_bytes(b"no database" * 4096)
        assert await discord.complete(ANN, "advise", "rules", "fac") == []
        assert "Traceback" not in bot.log
        await bot.end()


async def test_many_rules_are_25_suggestions(channel: Channel) -> None:
    with closing(sqlite3.connect(channel.folder / "farkle.db")) as connection:
        for number in range(40):
            row = (f"discord:{channel.number}", f"r{number:02}" + "x" * 90 * (number % 2))
            connection.execute("INSERT INTO place_rules (place, name, text) VALUES (?, ?, '')", row)
        connection.commit()
    found = await channel.discord.complete(ANN, "advise", "rules", "r", channel.number)
    assert len(found) == 25
    assert all(0 < len(one) <= 100 for one in found)


# ---- What is sent ----


async def test_a_channel_that_discord_does_not_tell(channel: Channel) -> None:
    channel.discord.twist = lambda sent: sent | {"channel": None}
    table = await channel.game()
    await shown(await channel.discord.press(ANN, table, "Roll"))
    assert "Ann rolls" in table.text
    channel.discord.twist = lambda sent: sent
    assert "Ann" in (await shown(await channel.slash(ANN, "show"))).text


def without(*path: str) -> Callable[[Json], Json]:
    """What is left of an interaction without some part of it."""

    def twist(sent: Json) -> Json:
        sent = json.loads(json.dumps(sent))
        inner = sent
        for one in path[:-1]:
            inner = inner[one]
        inner.pop(path[-1], None)
        return sent

    return twist


NONSENSE: dict[str, Callable[[Json], Any]] = {
    "no member": without("member"),
    "no user": without("member", "user"),
    "no name": without("member", "user", "username"),
    "no data": without("data"),
    "no channel": lambda sent: sent | {"channel": None, "channel_id": None},
    "no time": lambda sent: sent | {"id": str(1 << 80)},
    "a list of data": lambda sent: sent | {"data": []},
    "a list": lambda _: [],
}


@pytest.mark.parametrize("what", NONSENSE)
async def test_what_makes_no_sense_is_a_line_in_the_log(channel: Channel, what: str) -> None:
    channel.discord.twist = NONSENSE[what]
    await channel.slash(ANN, "help")
    assert len(await channel.logged("makes no sense")) == 1
    channel.discord.twist = lambda sent: sent
    assert "/advise" in await told_alone(await channel.slash(ANN, "help"))
    assert len(channel.discord.identified) == 1


@pytest.mark.parametrize(
    "custom_id",
    [
        "", "x", "t:", "t:zz:1:0:en:roll", "t:ab12:1:0:en:" + "a" * 80, "y:forget:en:ab12",
        "y:end:ab12:ab12:ab12", "r:ab12:1:home", "r:ab12:-1:on", "t:ab12:99999999:0:en:roll",
        "<@11> discord.gg/abc",
    ],
)  # fmt: skip
async def test_unknown_buttons_are_dead(channel: Channel, custom_id: str) -> None:
    table = await channel.game()
    for kind in (2, 3, 77):
        assert await told_alone(await channel.forge(EVE, table, custom_id, kind)) == CHANGED
    button = {"type": 2, "id": 2, "style": 1, "label": "x", "custom_id": custom_id or "y"}
    table.data["components"] = [{"type": 1, "id": 1, "components": [button]}]
    assert await told_alone(await channel.forge(EVE, table, custom_id or "y")) == CHANGED
    assert await channel.logged("which is no button")


async def test_buttons_that_a_table_never_had(channel: Channel) -> None:
    """Nothing is shown of a game that goes on, and nothing is done."""
    table = await channel.game(hints="no")
    for kind in (3, 5, "2"):
        pressed = await channel.forge(ANN, table, table.buttons[0]["custom_id"], kind)
        assert await told_alone(pressed) == CHANGED
    start = table.buttons[0]["custom_id"].rpartition(":")[0]
    game_id = start.split(":")[1]
    before = channel.events()
    never = (
        "review",
        "again",
        "die10",
        "die",
        "die777777777",
        "x",
        "end2",
        "forget",
        "bot",
        "pick",
    )
    for action in never:
        pressed = await channel.forge(ANN, table, f"{start}:{action}")
        assert await told_alone(pressed) == CHANGED
    for page in (0, 1, 999):
        pressed = await channel.forge(ANN, table, f"r:{game_id}:{page}:on")
        assert await told_alone(pressed) == CHANGED
    for action, told in (("end", "Only those who play"), ("resign", "You do not play")):
        pressed = await channel.forge(EVE, table, f"y:{action}:en:{game_id}:0")
        assert told in await told_alone(pressed)
    assert channel.events() == before


async def test_buttons_of_another_channel(channel: Channel) -> None:
    table = await channel.game()
    other = Channel(channel.discord, channel.bot, channel.folder)
    there = (await other.game()).buttons[0]["custom_id"]
    before = channel.events()
    for custom_id, told in (
        (there, "That game is played in another channel"),
        (f"r:{there.split(':')[1]}:1:on", "That game is played in another channel"),
        (f"y:end:en:{there.split(':')[1]}:0", "There is no open game"),
    ):
        assert told in await told_alone(await channel.forge(ANN, table, custom_id))
    assert channel.events() == before


async def test_dice_that_nobody_rolled(channel: Channel) -> None:
    table, by = await channel.choice()
    parts = table.buttons[0]["custom_id"].split(":")
    parts[3], parts[5] = "99", "die5"
    await shown(await channel.forge(by, table, ":".join(parts)))
    assert all(int(one["custom_id"].split(":")[3]) < 64 for one in table.buttons)


ENDS: dict[str, tuple[str, Json]] = {
    "finished": ("score", {"points": 1000}),
    "resigned": ("resign", {"sure": "yes"}),
    "ended": ("end", {}),
    "forgotten": ("forget", {"who": "me"}),
}


@pytest.mark.mostly_slow(5)
@pytest.mark.parametrize("how", ENDS)
async def test_buttons_of_a_table_that_is_over_are_dead(channel: Channel, how: str) -> None:
    command, options = ENDS[how]
    if how == "finished":
        asked = await channel.slash(ANN, "track", player2=BOB, rules="kcd", goal=1000)
    else:
        await channel.game()
        await shown(await channel.slash(ANN, "roll"))
        asked = await channel.slash(ANN, "show")
    table = await shown(asked)
    old = [one["custom_id"] for one in table.buttons if one["label"] != "Details"]
    await shown(await channel.slash(ANN, command, **options))
    before = channel.events()
    for custom_id in old:
        pressed = await channel.forge(BOB, table, custom_id)
        for _ in range(600):
            if pressed.private:
                break
            await asyncio.sleep(0.01)
        assert [one.text for one in pressed.private] == [OVER]
        left = {one["custom_id"].split(":")[-1] for one in table.buttons}
        assert left <= {"review", "again", "details"}
    assert channel.events() == before


async def test_a_table_that_is_no_more(channel: Channel) -> None:
    """A host took the game out of the database: the message is shown without buttons."""
    table = await channel.game()
    text = json.dumps(table.data["components"])
    text = text.replace(table.buttons[0]["custom_id"].split(":")[1], "dead0000")
    table.data["components"] = json.loads(text)
    pressed = await channel.forge(ANN, table, table.buttons[0]["custom_id"])
    for _ in range(600):
        if pressed.private:
            break
        await asyncio.sleep(0.01)
    assert [one.text for one in pressed.private] == ["There is no game dead0000."]
    assert table.buttons == []


def given(*options: Json, **resolved: Any) -> Callable[[Json], Json]:
    """An interaction with other options than Discord's client would send."""

    def twist(sent: Json) -> Json:
        return sent | {"data": sent["data"] | {"options": list(options), "resolved": resolved}}

    return twist


def option(name: str, kind: int, value: Any) -> Json:
    return {"name": name, "type": kind, "value": value}


NEEDED: dict[str, Json] = {
    "advise": {"dice": "1"},
    "match": {"first": "greedy", "second": "greedy"},
    "forget": {"who": "me"},
}


@pytest.mark.parametrize(
    ("name", "twist"),
    [
        ("advise", given(option("dice", 4, 653332), option("me", 3, "lots"))),
        ("advise", given(option("dice", 3, ["6", "5"]))),
        ("advise", given(option("dice", 3, {"a": 1}))),
        ("advise", given(option("dice", 3, None))),
        ("advise", given(option("dice", 10, 1.5))),
        ("advise", given(option("dice", 3, "6 5 3"), option("me", 4, 10**300))),
        ("advise", given(option("dice", 3, "6 5 3"), option("rules", 3, "x" * 6000))),
        ("advise", given(option("dice", 3, "6 5 3"), option("began", 3, "x\ufffd"))),
        ("advise", given()),
        ("odds", given(option("dice", 4, -(10**18)))),
        ("odds", given(option("turn", 4, 10**18), option("dice", 4, 10**18))),
        ("play", given(option("player2", 6, "12"))),
        ("play", given(option("player2", 6, "12"), users={"12": {"id": "12"}})),
        ("play", given(option("player2", 3, "bob the builder"))),
        ("play", given(option("goal", 4, 10**30))),
        ("play", given(option("away", 5, True))),
        ("play", given(*(option(f"player{k}", 3, "optimal") for k in range(2, 40)))),
        ("score", given(option("who", 6, "-12"), option("points", 4, 10**40))),
        ("settings", given(option("games", 4, -1))),
        ("match", given(option("first", 4, 1), option("second", 5, False))),
        ("help", given(option("command", 3, "<@11> @everyone"))),
        ("forget", given(option("who", 3, "everybody"))),
    ],
)
async def test_options_that_no_client_sends(
    channel: Channel, name: str, twist: Callable[[Json], Json]
) -> None:
    channel.discord.twist = twist
    told = await told_alone(await channel.slash(ANN, name, **NEEDED.get(name, {})))
    assert "program failed" not in told
    assert "<@11>" not in told
    assert "@everyone" not in told


@pytest.mark.slow
async def test_names_that_discord_would_act_on(channel: Channel) -> None:
    """In no message; the loopback looks at every one."""
    before = len(channel.discord.problems)
    await shown(
        await channel.slash(ANN | {"permissions": 1 << 4}, "settings", posts="yes", games=20)
    )
    for number, name in enumerate([*ACTED_ON[::4], *HIDDEN[::8]]):
        by, other = user(str(3000 + number), name), user(str(4000 + number), f"x{name}")
        table = await shown(await channel.slash(by, "track", player2=other, rules="kcd", goal=1000))
        game = table.buttons[0]["custom_id"].split(":")[1]
        await shown(await channel.slash(by, "score", points=550, game=game))
        await shown(await channel.slash(by, "score", points=550, game=game))
        await shown(await channel.slash(by, "stats", against=other))
        await shown(await channel.slash(by, "end", game=game))
    assert channel.discord.problems[before:] == []


async def test_a_user_with_an_odd_id_plays(channel: Channel) -> None:
    odd = user("-5", "\u202e\u200b")
    assert "user -5" in (await shown(await channel.slash(odd, "play", rules="kcd"))).text
