"""Several programs on one database: each shows what is stored, and nothing is done twice."""

import json
import os
import random
import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from threading import Lock
from typing import Any

import pytest

from bot.table.events import Begun, make_event
from bot.table.fold import apply, begin
from bot.table.state import Game
from bot.views.answer_data import position_data
from solver.game.standings import Solution
from solver.rules.ruleset import Ruleset
from solver.strategy import strategy_files
from solver.turn.dice import set_asides
from tests.bot.test_crashes import Chat, die_at, started

FORBIDDEN = "The host has forbidden hints in game "
NO_GAME = "No game is open here"


class File:
    """The games as the file has them, read without the program."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "farkle.db"
        self._games: dict[str, list[Game]] = {}
        self._reading = Lock()

    def look(self) -> dict[str, list[Game]]:
        """Every game as it was at its versions from 1 on."""
        with self._reading, closing(sqlite3.connect(self._path)) as connection:
            for (game,) in connection.execute("SELECT id FROM games ORDER BY began_at").fetchall():
                known = self._games.setdefault(game, [])
                query = "SELECT version, kind, data FROM events WHERE game_id = ? AND version > ?"
                new = connection.execute(f"{query} ORDER BY version", [game, len(known)])
                for version, kind, data in new.fetchall():
                    event = make_event(kind, json.loads(data))
                    assert version == len(known) + 1
                    if isinstance(event, Begun):
                        known.append(begin(event))
                    else:
                        known.append(apply(known[-1], event))
            return {game: list(states) for game, states in self._games.items()}


class Asked:
    """What may be said of the tables: as they were when something was asked, or later."""

    def __init__(self, file: File) -> None:
        self._file = file
        self._before = {game: len(states) for game, states in file.look().items()}

    def answered(self, line: str, replies: list[dict[str, Any]]) -> None:
        """Compare the answer with what was stored."""
        now = self._file.look()
        later = {game: states[self._before.get(game, 1) - 1 :] for game, states in now.items()}
        for reply in replies:
            if "game" in reply:
                states = now[reply["game"]]
                assert reply["version"] >= self._before.get(reply["game"], 1), (line, reply)
                assert shown(reply) == facts(states[reply["version"] - 1])
            elif "position" in reply and reply["rules"] == "tiny":
                assert any(fits(reply, state) for states in later.values() for state in states)
            elif NO_GAME in reply.get("error", ""):
                ended = {game for game in later if later[game][-1].over}
                assert set(self._before) <= ended, (line, reply)
            elif "Nothing is rolled yet" in reply.get("error", ""):
                assert any(state.turn.roll is None for states in later.values() for state in states)
            assert "program failed" not in reply.get("error", "")


def facts(game: Game) -> dict[str, Any]:
    return {
        "version": game.version,
        "stage": game.stage.value,
        "turn_total": game.turn.turn_total,
        "roll": list(game.turn.roll) if game.turn.roll else None,
        "scores": [seat.score for seat in game.seats],
        "farkles": [seat.farkles for seat in game.seats],
    }


def shown(reply: dict[str, Any]) -> dict[str, Any]:
    """What a reply shows of the table."""
    keys = ("version", "stage", "turn_total", "roll")
    return {key: reply[key] for key in keys} | {
        "scores": [player["score"] for player in reply["players"]],
        "farkles": [player["farkles"] for player in reply["players"]],
    }


def fits(reply: dict[str, Any], game: Game) -> bool:
    """Whether advice or odds are about this state."""
    if len(game.seats) < 2 or game.over:
        return False
    position = json.loads(json.dumps(position_data(game.rules, game.position())))
    on_the_table = list(game.turn.roll) if game.turn.roll else None
    asked = reply["roll"] if "options" in reply else None
    return bool(reply["position"] == position and asked == on_the_table)


class Speaker:
    """Somebody at one of the programs, who looks, asks and plays at random."""

    def __init__(self, chat: Chat, file: File, play: str, rules: Ruleset, seed: int) -> None:
        self._chat = chat
        self._file = file
        self._play = play
        self._rules = rules
        self._random = random.Random(seed)
        self._table: dict[str, Any] | None = None
        self.told: list[dict[str, Any]] = []
        """Every reply."""

    def say(self, line: str) -> list[dict[str, Any]]:
        """Say a line and compare the answer with the file."""
        asked = Asked(self._file)
        found, alive = self._chat.say(line)
        assert alive
        replies: list[dict[str, Any]] = []
        for reply in found:  # /games has a list
            listed: Any = reply
            replies += (listed or [{"error": NO_GAME}]) if isinstance(listed, list) else [reply]
        asked.answered(line, replies)
        self.told += replies
        for reply in replies:
            if "game" in reply:
                self._table = None if reply["stage"] == "over" else reply
            elif NO_GAME in reply.get("error", ""):
                self._table = None
        return replies

    def next(self) -> str:
        """A line that makes sense at the table as it was shown last."""
        table = self._table
        question = self._random.choice(["/show", "/advise", "/odds", "/games", ""])
        if question or table is None:
            return f"ann: {question}" if question else self._play
        name = table["to_move"]
        if table["roll"]:
            kept = self._random.choice(set_asides(self._rules, tuple(table["roll"]))).dice
            then = self._random.choice(["", " roll", " bank"])
            return f"{name}: /keep {' '.join(map(str, kept))}{then}"
        move = "/bank" if table["may_bank"] and self._random.random() < 0.6 else "/roll"
        return f"{name}: {move}"


@contextmanager
def speakers(folder: Path, rules: Ruleset, number: int, against: str) -> Iterator[list[Speaker]]:
    """So many programs on one database, with somebody at each."""
    play = f"ann: /play {against} rules:{folder / 'tiny.toml'}"
    with ExitStack() as stack:
        chats = [stack.enter_context(started(folder)) for _ in range(number)]
        for chat in chats:
            assert chat.say("/games")[1]
        file = File(folder)
        yield [Speaker(chat, file, play, rules, seed) for seed, chat in enumerate(chats)]


def told_once(folder: Path, people: list[Speaker]) -> None:
    """Every event after the first of each game is in exactly one reply."""
    told: dict[str, list[int]] = {game: [] for game in File(folder).look()}
    for reply in (reply for one in people for reply in one.told):
        if events := reply.get("events"):
            last = reply["version"]
            told[reply["game"]] += range(last - len(events) + 1, last + 1)
    for game, states in File(folder).look().items():
        assert sorted(told[game]) == list(range(2, len(states) + 1)), game


MANY = int(os.environ.get("FARKLE_LINES", "200"))
LINES = [pytest.param(40, id="quick"), pytest.param(MANY, id="long", marks=pytest.mark.slow)]


@pytest.mark.slow
@pytest.mark.parametrize("against", ["@bob", "level:greedy"])
def test_programs_in_turn_show_what_is_stored(folder: Path, rules: Ruleset, against: str) -> None:
    """One line after the other, each at any of the programs."""
    chance = random.Random(7)
    with speakers(folder, rules, 2, against) as people:
        file = File(folder)
        for _ in range(MANY):
            one = chance.choice(people)
            one.say("ann: /show")
            before = file.look()
            for reply in one.say(one.next()):
                # nobody else spoke meanwhile, so nothing has gone on
                assert "gone on" not in reply.get("error", ""), before
        told_once(folder, people)


@pytest.mark.mostly_slow
@pytest.mark.parametrize("lines", LINES)
@pytest.mark.parametrize(("number", "against"), [(2, "level:greedy"), (4, "@bob")])
def test_programs_at_once_show_what_is_stored_and_do_all_once(
    folder: Path, rules: Ruleset, number: int, against: str, lines: int
) -> None:
    def speak(one: Speaker) -> None:
        for _ in range(lines):
            one.say(one.next())

    with (
        speakers(folder, rules, number, against) as people,
        ThreadPoolExecutor(number) as threads,
    ):
        list(threads.map(speak, people))
        told_once(folder, people)


@pytest.mark.slow
def test_what_is_set_and_forbidden_in_one_program_holds_in_the_other(
    folder: Path, rules: Ruleset
) -> None:
    question = "bob: /advise 6 5 3 3 3 2 me:0 rules:kcd"
    with speakers(folder, rules, 2, "@bob") as (one, other):
        for _ in range(5):
            assert "options" in other.say(question)[0]
            one.say("ann: /play @bob hints:no rules:kcd")
            assert FORBIDDEN in other.say(question)[0]["error"]
            assert other.say("/settings games:2")[0] == one.say("/settings")[0]
            one.say("/rules use facebook")
            assert other.say("carl: /odds")[0]["rules"] == "facebook"
            one.say("/rules use kcd")
            assert other.say("carl: /odds")[0]["rules"] == "kcd"
            other.say("ann: /end")
            assert "options" in one.say(question)[0]
            one.say("/settings games:1")


def test_a_bot_is_played_by_one_program(folder: Path, rules: Ruleset) -> None:
    """Everybody who looks has a bot go on; each of its moves is told to one of them."""
    with speakers(folder, rules, 3, "level:greedy") as people, ThreadPoolExecutor(2) as threads:
        player, *watchers = people
        is_over = False

        def watch(one: Speaker) -> None:
            while not is_over:
                for reply in one.say("ann: /show"):
                    assert "gone on" not in reply.get("error", "")

        watching = [threads.submit(watch, one) for one in watchers]
        try:
            for _ in range(30):
                line = player.next()
                if line.split()[1] not in {"/advise", "/odds", "/games"}:
                    for reply in player.say(line):
                        assert "gone on" not in reply.get("error", "")
        finally:
            is_over = True
        for one in watching:
            one.result()
        told_once(folder, people)


@pytest.mark.slow
def test_a_bots_turn_goes_on_at_another_program_when_its_own_is_killed(
    folder: Path, rules: Ruleset
) -> None:
    play = f"ann: /play {'cautious ' * 7}rules:{folder / 'tiny.toml'}"
    # ann's turn takes one write or some more, those of the bots at least seven
    dies = (die_at.__module__, die_at.__name__, ["after", 7])
    with started(folder) as other, started(folder, before=dies) as chat:
        assert other.say("/games")[1]
        replies, alive = chat.say(play)
        while alive:
            table = replies[-1]
            line = "/bank" if table["may_bank"] else "/roll"
            if table["roll"]:
                best = set_asides(rules, tuple(table["roll"]))[0]
                line = f"/keep {' '.join(map(str, best.dice))}"
            replies, alive = chat.say(play if table["stage"] == "over" else f"ann: {line}")
        chat.program.wait()
        *_, game = File(folder).look().values()
        replies, _ = other.say("ann: /show")
        if "error" in replies[0]:  # the last write was the end of the game
            assert "No game is open here" in replies[0]["error"]
            return
        assert replies[0]["version"] >= len(game)
        assert replies[-1]["to_move"] in {None, "ann"}


@pytest.mark.slow
def test_two_programs_do_not_solve_the_same_rules(
    tmp_path: Path, kernels: Path, tiny: Solution, data: Path
) -> None:
    (tmp_path / "kernels").symlink_to(kernels)
    (tmp_path / "strategies").mkdir()
    for path in (data / "strategies").glob("[!.]*"):
        (tmp_path / "strategies" / path.name).symlink_to(path)
    options = "base:facebook dice:3 goal:500 score-floor:-500 minimum-bank:100"

    def solve(chat: Chat, name: str) -> list[dict[str, Any]]:
        return chat.say(f"ann: /rules new {name} {options}")[0]

    with started(tmp_path) as one, started(tmp_path) as other, ThreadPoolExecutor(2) as threads:
        replies = list(threads.map(solve, [one, other], ["sunday", "monday"]))
    updates = [[reply for reply in some if "state" in reply] for some in replies]
    assert [some[-1]["state"] for some in updates] == ["done", "done"]
    for some in updates:
        expected = pytest.approx(tiny.values[0, 10, 10], abs=1e-8)
        assert some[-1]["win_probability"] == expected
    states = [{one["state"] for one in some} - {"waiting"} for some in updates]
    # who does not solve waits, or comes when all is done
    assert sum("running" in some for some in states) == 1, states
    assert all(some <= {"elsewhere", "done"} for some in states if "running" not in some)
    assert strategy_files(tmp_path / "strategies", tiny.rules)[0]
