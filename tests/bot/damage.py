"""Databases that are damaged at random, and what an undamaged one tells of the same games."""

import random
import shutil
import sqlite3
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

from bot.chat.commands import Commands, Reply
from bot.services.advisor import Advisor
from bot.services.chances import Oracle
from bot.services.tables import Caller, Person
from bot.settings import Settings
from bot.store.checksums import SEALED, crc32
from bot.store.database import PAGE_SIZE
from bot.wiring import open_parts

PLACES = [f"channel-{number}" for number in range(5)]
QUESTIONS = [
    *("/show", "/games", "/settings", "/stats ann", "/stats ann bob", "/leaderboard", "/dice"),
    *("/leaderboard where:everywhere", "/proof", "/rules show ours", "/rules"),
]
TABLES = ["games", "seats", "events", "results", "place_settings", "place_rules"]
Answers = dict[tuple[str, str], Any]


def sql(path: Path) -> sqlite3.Connection:
    """The database without the program, and without its foreign keys."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.create_function("crc32", 1, crc32)
    return connection


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

    async def answers(self) -> Answers:
        """To all questions, in all places."""
        return {(place, one): await self.data(place, one) for place in PLACES for one in QUESTIONS}


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


@dataclass
class World:
    """A sound database, and what is told of it with some of its games set aside or gone."""

    folder: Path
    scratch: Path
    _known: dict[Any, Answers]
    """What was told so far, which others may use as well."""

    def copy(self, name: str) -> Path:
        """A folder with a copy of the database."""
        folder = self.scratch / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        shutil.copy(self.folder / "farkle.db", folder)
        return folder

    async def expected(self, damaged: Path) -> Answers:
        """What an undamaged copy tells in which the same games are set aside, or not there."""
        known = self._games(self.folder / "farkle.db").keys()
        found = self._games(damaged)
        aside = frozenset(game for game in known & found.keys() if found[game] is not None)
        gone = frozenset(known - found.keys())
        unset = frozenset(self.lost(damaged, "place_settings"))
        if (aside, gone, unset) not in self._known:
            folder = self.copy("expected")
            with closing(sql(folder / "farkle.db")) as connection:
                for game in aside:
                    connection.execute("UPDATE games SET set_aside = 1 WHERE id = ?", [game])
                for game in gone:
                    for table in ("results", "events", "seats"):
                        connection.execute(f"DELETE FROM {table} WHERE game_id = ?", [game])  # noqa: S608
                    connection.execute("DELETE FROM games WHERE id = ?", [game])
                for place, key, *_ in unset:
                    this = "DELETE FROM place_settings WHERE place = ? AND key = ?"
                    connection.execute(this, [place.strip("'"), key.strip("'")])
            async with opened(folder) as chat:
                self._known[aside, gone, unset] = await chat.answers()
        return self._known[aside, gone, unset]

    def _games(self, path: Path) -> dict[Any, int | None]:
        """The games in a database, and whether each was set aside."""
        with closing(sql(path)) as connection:
            connection.text_factory = lambda text: text.decode("utf-8", "replace")
            return dict(connection.execute("SELECT id, set_aside FROM games"))

    def lost(self, damaged: Path, table: str) -> set[Any]:
        """Rows of a table that are not in a damaged copy as they are here."""
        here, there = self._rows(damaged, table)
        return here - there

    def differs(self, damaged: Path, table: str) -> bool:
        """Whether a table in a damaged copy is another one than here."""
        here, there = self._rows(damaged, table)
        return here != there

    def _rows(self, damaged: Path, table: str) -> tuple[set[Any], ...]:
        rows = []
        for path in (self.folder / "farkle.db", damaged):
            with closing(sql(path)) as connection:
                connection.text_factory = lambda text: text.decode("utf-8", "surrogateescape")
                columns = ", ".join(f"quote({column})" for column in (*SEALED[table], "crc"))
                rows.append(set(connection.execute(f"SELECT {columns} FROM {table}")))  # noqa: S608
        return tuple(rows)


# ---- Damage ----------------------------------------------------------------------------------


def damage_rows(path: Path, chance: random.Random) -> str:
    """Change, delete, double or swap rows; says what was done."""
    with closing(sql(path)) as connection:
        while True:
            table = chance.choice(TABLES)
            columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
            columns = [one for one in columns if one not in {"crc", "set_aside"}]
            keys = columns[:1] if table == "games" else columns[:2]
            rows = connection.execute(f"SELECT {', '.join(columns)} FROM {table}").fetchall()  # noqa: S608
            row, other = chance.choice(rows), chance.choice(rows)
            this = " AND ".join(f"{key} = ?" for key in keys)
            where = [row[columns.index(key)] for key in keys]
            column = chance.choice(columns)
            value = _odd_value(chance, row[columns.index(column)], other[columns.index(column)])
            statement, values = chance.choice(
                [
                    (f"DELETE FROM {table} WHERE {this}", where),  # noqa: S608
                    *[(f"UPDATE {table} SET {column} = ? WHERE {this}", [value, *where])] * 5,  # noqa: S608
                    (
                        f"INSERT INTO {table} ({', '.join(columns)}, crc) SELECT "  # noqa: S608
                        + ", ".join("?" if one == column else one for one in columns)
                        + f", crc FROM {table} WHERE {this}",
                        [value, *where],
                    ),
                ]
            )
            try:
                changed = connection.execute(statement, values)
            except (sqlite3.IntegrityError, sqlite3.OperationalError, OverflowError):
                continue
            if changed.rowcount:
                return f"{statement} {values}"


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


def damage_file(path: Path, chance: random.Random) -> str:
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
    return f"{done} {page}"


Damage = Callable[[Path, random.Random], str]
