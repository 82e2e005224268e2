"""The chat is killed in the middle of games and begun again: what was answered is still there."""

import json
import os
import random
import signal
import sqlite3
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from itertools import count
from pathlib import Path
from threading import Timer
from typing import IO, Any, NamedTuple
from unittest.mock import patch

import pytest

from bot.table.events import Begun, make_event
from bot.table.fair_dice import Proof, verify_proof
from bot.table.fold import fold
from solver.rules.file import load_rules
from solver.rules.ruleset import Ruleset
from solver.turn.dice import set_asides
from tests.bot import programs
from tests.bot.new_database import lay_database
from tests.conftest import EVERY, only_with_every

POINTS = ["before", "within", "after"]
"""Where a chat kills itself: before a write, within its transaction, or after its commit."""

BOT_MOVES = {("rolled",), ("rolled", "kept"), ("rolled", "kept", "banked")}
MARK = "/help quit"
"""Its answer shows that the line before it is answered."""

Table = dict[str, Any]
Write = Callable[..., Awaitable[Any]]


# A chat, in a process of its own


class Chat:
    """The two ends of a chat in another process."""

    def __init__(self, program: programs.Program, lines: IO[str], replies: IO[str]) -> None:
        self.program = program
        self._lines = lines
        self._replies = replies
        self.on_reply: Callable[[], None] = lambda: None

    def say(self, line: str) -> tuple[list[Table], bool]:
        """The replies to a line, and whether the chat lived to give them all."""
        with suppress(BrokenPipeError):
            self._lines.write(f"{line}\n{MARK}\n")
            self._lines.flush()
        replies: list[Table] = []
        while text := self._replies.readline():
            self.on_reply()
            reply = json.loads(text)
            if "help" in reply:
                return replies, True
            replies.append(reply)
        return replies, False


@contextmanager
def started(folder: Path, before: tuple[str, str, list[Any]] | None = None) -> Iterator[Chat]:
    """A chat, which is killed in the end."""
    lay_database(folder / "farkle.db")
    their_lines, lines = os.pipe()
    replies, their_replies = os.pipe()
    program = programs.start(
        ["chat", "--json"],
        {**os.environ, "FARKLE_DATA": str(folder)},
        stdin=their_lines,
        stdout=their_replies,
        before=before,
    )
    os.close(their_lines)
    os.close(their_replies)
    with ExitStack() as stack:
        stack.callback(_close, to_chat := os.fdopen(lines, "w"))
        chat = Chat(program, to_chat, stack.enter_context(os.fdopen(replies)))
        stack.callback(program.wait)
        stack.callback(program.kill)
        yield chat


def _close(file: IO[str]) -> None:
    with suppress(BrokenPipeError):
        file.close()


@contextmanager
def killed_after(folder: Path, seconds: float) -> Iterator[Chat]:
    """A chat that is killed so long after its first answer."""
    with started(folder) as chat:
        timer = Timer(seconds, chat.program.kill)

        def begun() -> None:
            if not timer.ident:
                timer.start()

        chat.on_reply = begun
        try:
            yield chat
        finally:
            timer.cancel()
            if timer.ident:
                timer.join()


def die_at(point: str, write: int) -> None:
    """Have this process kill itself at its write of this number, from 1."""
    from bot.store import store  # noqa: PLC0415
    from bot.store.store import insert_events  # noqa: PLC0415

    writes = count(1)

    def die_if(wanted: bool) -> None:
        if wanted:
            os.kill(os.getpid(), signal.SIGKILL)

    def dying(written: Write) -> Write:
        async def write_and_die(*values: Any, **named: Any) -> Any:
            dies = next(writes) == write
            die_if(dies and point == "before")
            done = await written(*values, **named)
            die_if(dies)
            return done

        return write_and_die

    def insert_and_die(*values: Any) -> None:
        insert_events(*values)
        die_if(next(writes) == write)

    if point == "within":  # after a part of the transaction
        patch("bot.store.store.insert_events", insert_and_die).start()
    else:
        for name in ("create_game", "append"):
            patch.object(store.Store, name, dying(getattr(store.Store, name))).start()


# Who plays, and what they know


class Row(NamedTuple):
    """An event as it is in the file."""

    game: str
    version: int
    at: str
    kind: str
    data: str


def rows(folder: Path) -> list[Row]:
    """All events in the file, read without the program."""
    with closing(sqlite3.connect(folder / "farkle.db")) as connection:
        query = "SELECT game_id, version, at, kind, data FROM events"
        found = [Row(*row) for row in connection.execute(f"{query} ORDER BY game_id, version")]
        games = dict(connection.execute("SELECT id, version FROM games"))
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    by_game = {game: [row.version for row in found if row.game == game] for game in games}
    assert by_game == {game: list(range(1, version + 1)) for game, version in games.items()}
    assert sum(map(len, by_game.values())) == len(found)
    return found


def refolded(events: list[Row], names: list[str]) -> Table:
    """What the table has to show after these events."""
    first, *others = (make_event(row.kind, json.loads(row.data)) for row in events)
    assert isinstance(first, Begun)
    game = fold(first, others)
    return {
        "game": game.id,
        "version": len(events),
        "stage": game.stage,
        "to_move": None if game.over else names[game.mover],
        "turn_total": game.turn.turn_total,
        "dice": game.turn.dice,
        "roll": list(game.turn.roll) if game.turn.roll else None,
        "scores": [seat.score for seat in game.seats],
        "farkles": [seat.farkles for seat in game.seats],
    }


def shown(table: Table) -> Table:
    """What a reply shows of the table, in the form of `refolded`."""
    keys = ("game", "version", "stage", "to_move", "turn_total", "dice", "roll")
    players = table["players"]
    lists = {"scores": "score", "farkles": "farkles"}
    return {key: table[key] for key in keys} | {
        name: [player[key] for player in players] for name, key in lists.items()
    }


class Players:
    """Those at the table: they play on whenever a chat lives, and remember what they were told."""

    def __init__(self, folder: Path, play: str, rules: Ruleset, seed: int) -> None:
        self._folder = folder
        self._play = play
        self._rules = rules
        self._random = random.Random(seed)
        self._known: list[Row] = []
        """The file as it was at the last look."""
        self._versions: dict[str, int] = {}
        """The version of each game, as told or seen in the file."""
        self._table: Table | None = None
        """As it was told last; None where no game goes on as far as they know."""
        self._line = ""
        """What was said last and perhaps not answered."""
        self._replies = 0
        self.lost = 0
        """Lines that were not answered and not written down."""
        self.kept = 0
        """Those that were written down all the same."""
        self.proven: dict[str, int] = {}
        """Games that came to their end, with how many rolls were proven."""

    def play(self, chat: Chat, games: int) -> bool:
        """Go on until the chat dies or so many games are over; whether it still lives."""
        alive = self._compare(chat)
        while alive and len(self.proven) < games:
            alive = self._say(chat, self._next()) and self._prove(chat)
        return alive

    def _say(self, chat: Chat, line: str) -> bool:
        self._line = line
        replies, alive = chat.say(line)
        self._hear(replies)
        return alive

    def _hear(self, replies: list[Table]) -> None:
        self._replies = len(replies)
        for reply in replies:
            if "error" in reply:
                refusals = ("cannot be banked", "must be rolled again")
                assert any(words in reply["error"] for words in refusals), reply
            else:
                self._table = reply
                self._versions[reply["game"]] = reply["version"]

    def look(self) -> None:
        """Read the file after a crash, and compare it with what was told."""
        if not (self._folder / "farkle.db").exists():
            return
        found = rows(self._folder)
        for row in self._known:
            assert row in found
        self._known = found
        if self._table is not None:
            told = [row for row in found if row.game == self._table["game"]]
            told = told[: self._table["version"]]
            assert refolded(told, self._names()) == shown(self._table)
        new = [row for row in found if row.version > self._versions.get(row.game, 0)]
        self._versions.update((row.game, row.version) for row in new)
        if not new:
            self.lost += bool(self._line)
            return
        self.kept += 1
        kinds = tuple(row.kind for row in new)
        assert kinds[: len(kinds) - (kinds[-1] == "revealed")] in self._possible()
        assert len({row.at for row in new}) == 1

    def _possible(self) -> set[tuple[str, ...]]:
        """What an unanswered line may have led to since its last reply."""
        words = self._line.split()[1:]
        # a new chat goes on with the bots before anybody says anything
        name = words[0] if words else "/show"
        if self._replies or name == "/show":
            return BOT_MOVES
        if name == "/keep" and words[-1] in {"roll", "bank"}:
            return {("kept", "rolled" if words[-1] == "roll" else "banked")}
        kinds = {"/play": "begun", "/roll": "rolled", "/keep": "kept", "/bank": "banked"}
        return {(kinds[name],)} if name in kinds else {("undone",)}

    def _compare(self, chat: Chat) -> bool:
        """Have a new chat show the table, which must be that of the file; bots move by themselves.

        False where it died.
        """
        games = {row.game for row in self._known}
        ended = {row.game for row in self._known if row.kind == "revealed"} - set(self.proven)
        going_on = games - ended - set(self.proven)
        self._line = "ann: /show"
        replies, alive = chat.say(self._line)
        nothing = {"error": "No game is open here: /play or /track begins one."}
        if replies and replies[-1] == nothing:
            replies.pop()
            assert replies or not going_on
        self._hear(replies)
        if not alive:
            return False
        for reply in replies:
            events = [row for row in rows(self._folder) if row.game == reply["game"]]
            names = [player["name"] for player in reply["players"]]
            assert shown(reply) == refolded(events[: reply["version"]], names)
            assert reply["version"] >= sum(row.game == reply["game"] for row in self._known)
        if ended:  # and nobody was told: what they know of the table is from before
            [game] = ended
            return self._proves(chat, game)
        if self._table:
            assert "bot" not in (self._table["to_move"] or "")
        return self._prove(chat)

    def _prove(self, chat: Chat) -> bool:
        """Check the dice of a game that is over."""
        if self._table is None or self._table["stage"] != "over":
            return True
        assert sum(player["share"] for player in self._table["players"]) == 1
        return self._proves(chat, self._table["game"])

    def _proves(self, chat: Chat, game: str) -> bool:
        replies, alive = chat.say("ann: /proof")
        if not replies:
            return alive
        proof = Proof.model_validate_json(json.dumps(replies[0]))
        events = [row for row in rows(self._folder) if row.game == game]
        assert proof.game == game
        assert proof.commitment == json.loads(events[0].data)["commitment"]
        rolled = [json.loads(row.data)["dice"] for row in events if row.kind == "rolled"]
        assert [list(roll.dice) for roll in proof.rolls] == rolled
        assert verify_proof(proof).problems == ()
        with closing(sqlite3.connect(self._folder / "farkle.db")) as connection:
            query = "SELECT seat, share FROM results WHERE game_id = ? ORDER BY seat"
            (first, share), (second, other) = connection.execute(query, [game])
        assert (first, second, share + other) == (0, 1, 1)
        self.proven[game] = len(rolled)
        self._table, self._line = None, ""
        return alive

    def _names(self) -> list[str]:
        assert self._table
        return [player["name"] for player in self._table["players"]]

    def _next(self) -> str:
        """What to say now: mostly moves that make sense, some that are refused."""
        table = self._table
        if table is None:
            return self._play
        name = table["to_move"]
        assert "bot" not in name
        if roll := table["roll"]:
            dice = " ".join(
                map(str, self._random.choice(set_asides(self._rules, tuple(roll))).dice)
            )
            then = self._random.choice(["", " roll", " bank"])
            return f"{name}: /keep {dice}{then}"
        kept = self._line.startswith(f"{name}: /keep") and table["turn_total"]
        if kept and self._random.random() < 0.2:
            return f"{name}: /undo"
        if table["may_bank"] and self._random.random() < 0.7:
            return f"{name}: /bank"
        return f"{name}: /roll"


# The tests


def players(folder: Path, against: str, seed: int) -> Players:
    path = folder / "tiny.toml"
    return Players(folder, f"ann: /play {against} rules:{path}", load_rules(str(path)), seed)


def killed_at_writes(folder: Path, people: Players, games: int, most: int, deaths: int) -> int:
    """Have every chat die at one of its first writes; returns how many lived."""
    lives = 0
    while len(people.proven) < games:
        lives += 1
        assert lives < 2000
        point = POINTS[lives % 3]
        write = 1 + lives // 3 % most if lives <= deaths else 1_000_000
        lost, kept = people.lost, people.kept
        people.look()
        with started(folder, before=(__name__, die_at.__name__, [point, write])) as chat:
            people.play(chat, games)
        if lives > 1:
            _expect(people, lost, kept, points=POINTS[(lives - 1) % 3])
    return lives


def _expect(people: Players, lost: int, kept: int, *, points: str) -> None:
    """A line is kept if the chat before this one died after its commit, else lost."""
    expected = (0, 1) if points == "after" else (1, 0)
    assert (people.lost - lost, people.kept - kept) == expected


@pytest.mark.slow
@pytest.mark.parametrize("against", [pytest.param("@bob", marks=only_with_every), "level:greedy"])
def test_a_chat_that_dies_at_every_write_loses_nothing(folder: Path, against: str) -> None:
    people = players(folder, against, seed=1)
    # several games, as the dice are chance and one may be over soon
    lives = killed_at_writes(folder, people, games=2, most=4, deaths=14)
    assert lives > 5
    assert sum(people.proven.values()) > 3


@pytest.mark.slow
def test_the_program_is_killed_at_random(folder: Path) -> None:
    people, chance = players(folder, "level:greedy", seed=3), random.Random(3)
    for _ in range(4):
        people.look()
        with killed_after(folder, chance.uniform(0, 0.3)) as chat:
            people.play(chat, 1000)
    people.look()
    games = len(people.proven) + 1
    with started(folder) as chat:
        assert people.play(chat, games)
    assert people.lost + people.kept > 0


@pytest.mark.mostly_skipped
@pytest.mark.slow
@pytest.mark.parametrize("against", ["@bob", "level:greedy", "level:optimal"])
def test_chats_die_at_every_write_of_many_games(folder: Path, against: str) -> None:
    people = players(folder, against, seed=5)
    # what then goes on lives to the end: games at random may be very long
    killed_at_writes(folder, people, games=2, most=7, deaths=150 if EVERY else 21)
    # how many is chance: games may be short
    assert people.lost > 0
    assert people.kept > 0
