"""Databases that are damaged at random."""

import random
import sqlite3
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager, closing
from pathlib import Path
from typing import Any
from unittest.mock import patch

from bot.chat.commands import Commands, Reply
from bot.services.advisor import Advisor
from bot.services.chances import Oracle
from bot.services.tables import Caller, Person
from bot.settings import Settings
from bot.store.schema import metadata
from bot.wiring import open_parts

PLACES = [f"channel-{number}" for number in range(5)]
QUESTIONS = [
    *("/show", "/games", "/settings", "/stats ann", "/stats ann bob", "/leaderboard", "/dice"),
    *("/leaderboard where:everywhere", "/proof", "/rules show ours", "/rules"),
]
TABLES = ["games", "seats", "events", "results", "place_settings", "place_rules"]


def sql(path: Path) -> sqlite3.Connection:
    """The database without the program, and without its foreign keys."""
    return sqlite3.connect(path, isolation_level=None)


class Channels:
    """A chat with several places."""

    def __init__(self, commands: Commands) -> None:
        self._commands = commands

    def _answers(self, place: str, line: str) -> AsyncGenerator[Reply, None]:
        name, _, said = line.rpartition(": ")
        who = name or "ann"
        caller = Caller(place, Person(f"{place}:{who}", who), manages=True)
        return self._commands.answer(said, caller)

    async def say(self, place: str, line: str) -> Reply:
        """The last reply to a line such as "ann: /roll"."""
        return [reply async for reply in self._answers(place, line)][-1]

    async def first(self, place: str, line: str) -> Reply:
        """The first reply to a line; what would come after it is broken off."""
        async with aclosing(self._answers(place, line)) as replies:
            return await anext(replies)

    async def resume(self, place: str) -> AsyncIterator[Reply]:
        """What is said before anybody says anything."""
        async for reply in self._commands.resume(Caller(place, Person(f"{place}:ann", "ann"))):
            yield reply

    async def data(self, place: str, line: str) -> Any:
        """The last reply as data, once nothing new is told of games that were set aside."""
        for _ in range(20):
            reply = await self.say(place, line)
            found = reply.data
            assert "the program failed" not in reply.text, (line, reply.text)
            if not (isinstance(found, dict) and "was set aside" in found.get("error", "")):
                break
        return found


@asynccontextmanager
async def opened(folder: Path) -> AsyncIterator[Channels]:
    """A chat with the database in a folder, in which nothing is solved or estimated."""
    settings = Settings(data=folder)
    with patch.multiple(Oracle, chances=_nothing, chart=_nothing):
        async with open_parts(settings, Advisor(folder / "strategies")) as parts:
            yield Channels(parts.commands)


async def _nothing(*_: Any) -> None:
    """Instead of an estimate, which takes its time."""


async def make_world(folder: Path) -> None:
    """In every place an open game that waits for a roll, some that are over, rules and settings.

    A folder in which they are already stays as it is.
    """
    if (folder / "farkle.db").exists():
        return
    async with opened(folder) as chat:
        for place in PLACES:
            await _finish(chat, place)
            await chat.say(place, "ann: /settings games:2 mentions:yes")
            # saved; nobody waits until they are solved
            await chat.first(place, "ann: /rules new ours base:classic goal:3000")
            await chat.say(place, "ann: /play @bob rules:classic")
            await _move(chat, place, 4)
        await _scores(chat, PLACES[0])


async def _finish(chat: Channels, place: str) -> None:
    for loser in ("ann", "bob"):
        await chat.say(place, "ann: /play @bob rules:classic")
        await chat.say(place, "ann: /seed mine")
        await _move(chat, place, 1)
        assert (await chat.say(place, f"{loser}: /resign sure:yes")).data["stage"] == "over"


async def _scores(chat: Channels, place: str) -> None:
    """A tracked game beside the other one, which is over."""
    found = (await chat.say(place, "ann: /track @carl rules:classic goal:1000")).data
    game = f"game:{found['game']}"
    for line in ("ann: /score 500", "carl: /score farkle", "ann: /score 300"):
        await chat.say(place, f"{line} {game}")
    assert (await chat.say(place, f"carl: /resign {game} sure:yes")).data["stage"] == "over"


async def _move(chat: Channels, place: str, turns: int) -> None:
    """Play some turns, each of one roll at most kept in part, until a roll is due."""
    for _ in range(turns):
        table = (await chat.say(place, "/show")).data
        if "error" in table or table["stage"] == "over":
            return
        name = table["to_move"]
        table = (await chat.say(place, f"{name}: /roll")).data
        if not table["roll"]:
            continue
        kept = next((die for die in table["roll"] if die in {1, 5}), None)
        dice = str(kept) if kept else " ".join(_three(table["roll"]))
        await chat.say(place, f"{name}: /keep {dice}")
        await chat.say(place, f"{name}: /bank")


def _three(roll: list[int]) -> list[str]:
    for face in set(roll):
        if roll.count(face) >= 3:
            return [str(face)] * 3
    return [str(face) for face in roll]


# ---- Damage ----------------------------------------------------------------------------------


PAGE_SIZE = 4096


def columns(table: str) -> list[str]:
    """The columns of a table but for the one that says whether a game is set aside."""
    return [one.name for one in metadata.tables[table].columns if one.name != "set_aside"]


def damage_rows(path: Path, chance: random.Random) -> tuple[str, str]:
    """Change, delete, double or swap rows; says of which table, and what was done."""
    with closing(sql(path)) as connection:
        while True:
            table = chance.choice(TABLES)
            names = columns(table)
            keys = names[:1] if table == "games" else names[:2]
            rows = connection.execute(f"SELECT {', '.join(names)} FROM {table}").fetchall()  # noqa: S608
            row, other = chance.choice(rows), chance.choice(rows)
            this = " AND ".join(f"{key} = ?" for key in keys)
            where = [row[names.index(key)] for key in keys]
            column = chance.choice(names)
            value = _odd_value(chance, row[names.index(column)], other[names.index(column)])
            doubled = ", ".join("?" if one == column else one for one in names)
            statement, values = chance.choice(
                [
                    (f"DELETE FROM {table} WHERE {this}", where),  # noqa: S608
                    *[(f"UPDATE {table} SET {column} = ? WHERE {this}", [value, *where])] * 5,  # noqa: S608
                    (
                        f"INSERT INTO {table} ({', '.join(names)})"  # noqa: S608
                        f" SELECT {doubled} FROM {table} WHERE {this}",
                        [value, *where],
                    ),
                ]
            )
            before = set(rows)
            try:
                connection.execute(statement, values)
            except (sqlite3.IntegrityError, sqlite3.OperationalError, OverflowError):
                continue
            if before != set(connection.execute(f"SELECT {', '.join(names)} FROM {table}")):  # noqa: S608
                return table, f"{statement} {values}"


def _odd_value(chance: random.Random, value: Any, other: Any) -> Any:
    text = str(value)
    place = chance.randrange(len(text) + 1)
    return chance.choice(
        [
            *(other, None, 0, -1, 7, 2**40, 0.5, "", "\0", b"", b"\xff\xfe", text.encode()),
            *(value + 1 if isinstance(value, int) else text[:place], text[::-1]),
            text[:place] + chance.choice("0123456789abcé[]{}") + text[place + 1 :],
            *("{}", "[]", "null", '{"dice":[6,6,6]}', '{"kind":"banked"}', "begun", "banked"),
        ]
    )


def damage_file(path: Path, chance: random.Random) -> tuple[str, str]:
    """Flip bytes, or empty, double or cut off pages; says what was done."""
    content = bytearray(path.read_bytes())
    size, pages = PAGE_SIZE, len(content) // PAGE_SIZE
    page = chance.randrange(pages)
    this = slice(page * size, (page + 1) * size)
    done = chance.choice(["flip", "flip", "flip", "zero", "copy", "cut", "append"])
    if done == "flip":
        for _ in range(chance.randrange(1, 4)):
            content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
    elif done == "zero":
        content[this] = bytes(size)
    elif done == "copy":
        other = chance.randrange(pages)
        content[this] = content[other * size : (other + 1) * size]
    elif done == "cut":
        del content[chance.randrange(len(content)) :]
    else:
        content += chance.randbytes(size)
    path.write_bytes(content)
    return "file", f"{done} {page}"


Damage = Callable[[Path, random.Random], tuple[str, str]]
