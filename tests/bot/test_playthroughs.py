"""A whole game under every preset, as people read it in the chat, kept in tests/playthroughs.

To write them anew after a change that is meant, and then read what git says has changed:

    FARKLE_WRITE_PLAYTHROUGHS=1 python -m pytest tests/bot/test_playthroughs.py

The dice come from a secret that is made from the preset's name; nothing else is left to chance.
"""

import os
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from bot.chat.commands import Reply
from bot.languages import language
from bot.services import tables
from solver.rules.file import load_rules
from solver.rules.ruleset import Ruleset
from solver.turn.dice import Fate, fate, make_roll, set_asides
from solver.wording import speak
from tests.bot.known_dice import fixed_secrets
from tests.bot.speaking import Chat, open_chat
from tests.usual import USUAL

FOLDER = Path(__file__).parents[1] / "playthroughs"
WRITES = "FARKLE_WRITE_PLAYTHROUGHS" in os.environ


@dataclass(frozen=True)
class Script:
    """How a game is played: what begins it, and what is said at some moves on top."""

    begin: Sequence[str]
    enough: int = 400
    """The turn total at which people bank."""
    extras: dict[int, Sequence[str]] = field(default_factory=dict)
    """Lines before the so many-th move, counted from 1; MOVER stands for who is to move."""
    after: Sequence[str] = ("ann: /stats",)
    tracked: bool = False
    in_one_line: bool = True
    """Whether people write /keep DICE roll instead of two commands."""


SCRIPTS = {
    "arnold": Script(
        ["ann: /play @bob rules:arnold goal:3000", "bob: /seed tomatoes", "ann: /bank"],
        extras={2: ["MOVER: /bank", "MOVER: /keep 7", "carl: /roll"], 6: ["bob: /show"]},
        after=["ann: /stats", "ann: /leaderboard", "ann: /review"],
    ),
    "cardgames": Script(
        ["ann: /play @cautious rules:cardgames goal:2000", "ann: /hint"],
        extras={1: ["ann: /games"], 3: ["ann: /undo"]},
        in_one_line=False,
    ),
    "classic": Script(
        ["ann: /play @bob @carl rules:classic goal:2000 hints:no"],
        extras={
            1: ["ann: /hint", "bob: /roll"],
            2: ["ann: /undo", "dora: /join"],
            8: ["carl: /show"],
        },
    ),
    "dice-10000": Script(
        ["ann: /track @bob rules:dice-10000 goal:3000"],
        enough=1000,
        extras={
            2: ["ann: /undo", "bob: /show"],
            4: ["ann: /fix ann 1200", "ann: /show", "ann: /undo", "bob: /fix next:bob"],
            5: ["MOVER: /score 50", "MOVER: /score 99000", "carl: /score 1000"],
        },
        after=["ann: /stats bob", "ann: /proof"],
        tracked=True,
    ),
    "facebook": Script(
        ["ann: /play @bob", "ann: /seed blue", "ann: /hint"],
        extras={2: ["ann: /hint", "bob: /hint", "ann: /keep 2"], 9: ["ann: /show"]},
        after=["bob: /review", "ann: /stats ann bob"],
    ),
    "farkle-games": Script(
        ["ann: /play @bob rules:farkle-games goal:2000"],
        enough=900,
        extras={3: ["MOVER: /undo"], 9: ["ann: /show"]},
    ),
    "kcd": Script(
        ["ann: /play level:optimal rules:kcd"],
        extras={2: ["ann: /undo", "ann: /hint"]},
        after=["ann: /review"],
    ),
    "patch": Script(
        ["ann: /play @bob rules:patch goal:2000", "carl: /join", "ann: /join level:greedy"],
        extras={2: ["MOVER: /bank", "MOVER: /undo"], 14: ["carl: /resign sure:yes", "carl: /roll"]},
    ),
    "zilch": Script(
        ["ann: /play @bob rules:zilch goal:2000"],
        enough=300,
        extras={2: ["bob: /keep 1 roll"], 5: ["bob: /show"]},
        in_one_line=False,
    ),
}


IN_GERMAN = ("dice-10000", "kcd", "patch")
"""Games that are told in German, too: between them they have nearly every sentence of a table."""


def test_every_preset_has_a_playthrough() -> None:
    assert sorted(SCRIPTS) == sorted(USUAL)
    assert sorted(path.stem for path in FOLDER.glob("*.txt")) == sorted(USUAL)


class Transcript:
    """What was said and answered, and what the last answer knew."""

    def __init__(self, chat: Chat, strategies: Path) -> None:
        self.chat = chat
        self.strategies = strategies
        self.lines: list[str] = []
        self.table: dict[str, Any] = {}

    async def say(self, line: str) -> None:
        """Say a line and write it down with all replies."""
        self.lines.append(f"> {line}")
        for reply in await self.chat.all(line):
            text = reply.text.replace(str(self.strategies), "STRATEGIES")
            alone = f"(to {line.partition(':')[0]} alone) " if reply.private else ""
            self.lines.append(alone + text)
            self.remember(reply)

    def remember(self, reply: Reply) -> None:
        if isinstance(reply.data, dict) and "version" in reply.data:
            self.table = reply.data


def said(line: str, table: dict[str, Any]) -> str:
    return line.replace("MOVER", str(table.get("to_move")))


def next_line(script: Script, rules: Ruleset, table: dict[str, Any]) -> str:
    """What the player to move says: all that scores is kept, and banked once it is enough."""
    name = table["to_move"]
    if table["roll"]:
        best = set_asides(rules, make_roll(table["roll"]))[0]
        left = len(table["roll"]) - len(best.dice)
        dice = "".join(map(str, best.dice))
        if not script.in_one_line:
            return f"{name}: /keep {dice}"
        total = table["turn_total"] + best.points
        return (
            f"{name}: /keep {dice} {'bank' if banks(script, rules, table, total, left) else 'roll'}"
        )
    if table["may_bank"] and banks(script, rules, table, table["turn_total"], table["dice"] % 6):
        return f"{name}: /bank"
    return f"{name}: /roll"


def banks(script: Script, rules: Ruleset, table: dict[str, Any], total: int, left: int) -> bool:
    """Whether a turn total is enough: at last turns it has to win."""
    me = next(one for one in table["players"] if one["name"] == table["to_move"])
    others = [one["score"] for one in table["players"] if one is not me]
    score = me["score"] + total
    if rules.ending == "final_turn" and max(others) >= rules.goal:
        return bool(score > max(others))
    opens = bool(rules.opening_minimum) and not me["score"]
    least = max(rules.minimum_bank, rules.opening_minimum if opens else 0)
    goes_home = total >= script.enough or score > rules.goal
    return bool(total >= least and left > 0 and goes_home)


def told_turn(
    script: Script, rules: Ruleset, table: dict[str, Any], rng: random.Random
) -> list[str]:
    """A turn with real dice: the first ones roll by roll, later ones by their points."""
    name, number, total = table["to_move"], table["dice"], table["turn_total"]
    lines = []
    while True:
        fallen = make_roll(rng.choices(range(1, 7), k=number))
        lines.append(f"{name}: /roll {' '.join(map(str, fallen))}")
        if fate(rules, fallen) is Fate.FARKLE:
            return lines if table["version"] < 12 else [f"{name}: /score farkle"]
        best = set_asides(rules, fallen)[0]
        total += best.points
        number = (number - len(best.dice)) or rules.dice
        lines.append(f"{name}: /keep {''.join(map(str, best.dice))}")
        if banks(script, rules, table, total, number % rules.dice):
            lines.append(f"{name}: /bank")
            return lines if table["version"] < 12 else [f"{name}: /score {total}"]


async def play(name: str, script: Script, chat: Chat, strategies: Path) -> str:
    """The transcript of a game."""
    rules, rng = load_rules(name), random.Random(name)
    transcript = Transcript(chat, strategies)
    for line in script.begin:
        await transcript.say(line)
    goal = next((word for word in script.begin[0].split() if word.startswith("goal:")), None)
    if goal:
        rules = Ruleset.model_validate({**rules.model_dump(), "goal": int(goal[5:])})
    for move in range(1, 400):
        for line in script.extras.get(move, ()):
            await transcript.say(said(line, transcript.table))
        if transcript.table["to_move"] is None:
            break
        if script.tracked:
            for line in told_turn(script, rules, transcript.table, rng):
                await transcript.say(line)
        else:
            await transcript.say(next_line(script, rules, transcript.table))
    assert transcript.table["stage"] == "over"
    for line in script.after:
        await transcript.say(line)
    return "\n".join(transcript.lines) + "\n"


def assert_kept(file: Path, found: str) -> None:
    """What was said is what a file keeps, which is written anew where that is asked for."""
    if WRITES:
        file.parent.mkdir(exist_ok=True)
        file.write_text(found)
    assert found == file.read_text()


@pytest.mark.parametrize(
    ("name", "code"),
    [
        pytest.param(name, code, marks=() if name == "kcd" else pytest.mark.slow)
        for code, names in (("en", sorted(SCRIPTS)), ("de", IN_GERMAN))
        for name in names
    ],
)
async def test_playthrough(
    name: str, code: str, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "secrets", fixed_secrets(name))
    monkeypatch.setattr(os, "cpu_count", lambda: 2)  # on which it depends how long a solve takes
    speak(language(code))
    async with open_chat(tmp_path, data / "strategies") as chat:
        found = await play(name, SCRIPTS[name], chat, data / "strategies")
    file = FOLDER / f"{name}.txt" if code == "en" else FOLDER / code / f"{name}.txt"
    assert_kept(file, found)
