"""Measures the Discord bot under load: `make bench-discord`.

The unmodified process plays at a loopback Discord on this machine, which takes processor time of
its own. Hundreds of games go on by buttons; what counts is how long it takes from a press until its
message has changed, and that no move is lost or made twice.
"""

# ruff: noqa: T201 - it prints its figures

import argparse
import asyncio
import os
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import numpy as np

from tests.benchmarks.chat import find_data
from tests.benchmarks.solver import Bench, _heading, _note, _show, machine
from tests.bot.fronts.discord.loopback import Json, Loopback, Message, user
from tests.bot.fronts.discord.play import best_dice, is_choice, press, settled, shown
from tests.bot.fronts.discord.process import running

SECONDS_P99 = 0.150
RULES = "kcd"
BEGIN_WITHIN = 5
"""Games begin within this many times the mean time that people think."""
COME_BACK = 20.0
"""Seconds, about, after which somebody tries again who was told that it is too busy."""


@dataclass
class Load:
    """What was measured, and the moves that were made, by channel."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    rolls: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    banks: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    games: dict[str, str] = field(default_factory=dict)
    """The game of each channel."""
    refused: int = 0
    """How often a new game was refused, as it was too busy."""


async def play(discord: Loopback, load: Load, number: int, think: float) -> None:
    """A game of two people by buttons to its end."""
    channel = str(10_000 + number)
    people = {f"A{number}": user(f"1{number:05}", f"A{number}")}
    people[f"B{number}"] = user(f"2{number:05}", f"B{number}")
    (_, ann), (_, bob) = people.items()
    chance = random.Random(number)
    await asyncio.sleep(chance.uniform(0, BEGIN_WITHIN * think))
    while not (message := await _begun(discord, ann, bob, channel)).buttons:
        load.refused += 1
        await asyncio.sleep(chance.uniform(0.5, 1.5) * COME_BACK)
    load.games[channel] = message.buttons[0]["custom_id"].split(":")[1]
    while "Review" not in message.labels:
        await asyncio.sleep(chance.expovariate(1 / think))
        mover = next(line.split()[1] for line in message.text.splitlines() if line[:1] == "▸")
        actions = best_dice(message) if is_choice(message) else []
        for action in actions:
            interaction = await press(discord, people[mover], message, action)
            load.seconds["choose"].append(interaction.shown_after or 0.0)
        what = "bank" if message.action("bank") else "roll"
        interaction = await press(discord, people[mover], message, what)
        is_over = "Review" in message.labels
        load.seconds["end" if is_over else what].append(interaction.shown_after or 0.0)
        (load.banks if what == "bank" else load.rolls)[channel] += 1
        await settled(message)


async def _begun(discord: Loopback, ann: Json, bob: Json, channel: str) -> Message:
    """The answer to who wants to begin a game: a table, or a sentence while it is too busy."""
    return await shown(await discord.slash(ann, "play", channel, player2=bob, rules=RULES), 60)


def lost_or_doubled(folder: Path, load: Load) -> list[str]:
    """Games in which other moves are kept than were made."""
    problems = []
    with closing(sqlite3.connect(folder / "farkle.db")) as connection:
        for channel, game in load.games.items():
            query = "SELECT kind FROM events WHERE game_id = ?"
            kinds = [row[0] for row in connection.execute(query, [game])]
            kept = kinds.count("rolled"), kinds.count("banked")
            made = load.rolls[channel], load.banks[channel]
            if kept != made:
                problems.append(f"game {game}: {made} rolls and banks made, {kept} kept")
    return problems


@contextmanager
def busy_loops(number: int) -> Iterator[None]:
    """So many other programs that want all the time of a processor."""
    with ExitStack() as stack:
        for _ in range(number):
            loop = stack.enter_context(subprocess.Popen([sys.executable, "-c", "while True: pass"]))
            stack.callback(loop.kill)
        yield


async def measure(folder: Path, games: int, think: float) -> tuple[Load, list[str], float]:
    """Play so many games at once."""
    load = Load()
    async with (
        Loopback(checks=False).serve() as discord,
        running(folder, discord, FARKLE_LOG="warning", FARKLE_PATIENCE="", FARKLE_LATE="") as bot,
    ):
        begun = time.perf_counter()
        await asyncio.gather(*(play(discord, load, number, think) for number in range(games)))
        seconds = time.perf_counter() - begun
        problems = [*discord.problems, *lost_or_doubled(folder, load)]
        if await bot.end():
            problems.append("the bot failed")
        problems += [line for line in bot.log.splitlines() if "Traceback" in line]
    return load, problems, seconds


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.discord", description=__doc__)
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--data", type=Path, help="a data folder where the rules are solved")
    parser.add_argument("--think", type=float, default=4.0, help="seconds between moves, mean")
    parser.add_argument("--beside", type=int, default=0, help="busy loops that run beside it")
    chosen = parser.parse_args()
    print(f"farkle-advisor, {datetime.now().astimezone():%Y-%m-%d %H:%M}\n{machine()}")
    with tempfile.TemporaryDirectory() as name:
        bench = Bench(Path(name), threads=1)
        data = find_data(bench.folder, chosen.data, [RULES, "facebook"])
        folder = bench.folder / "bot"
        folder.mkdir()
        (folder / "strategies").symlink_to((data / "strategies").absolute())
        _heading(f"{chosen.games} games of {RULES} by buttons, people think {chosen.think:g} s")
        with busy_loops(chosen.beside):
            load, problems, seconds = asyncio.run(measure(folder, chosen.games, chosen.think))
        every = np.array([one for found in load.seconds.values() for one in found])
        if problems:
            bench.broken.append("moves are lost or doubled, or Discord was told what it refuses")
        for problem in problems[:5]:
            _note(problem)
        _show(
            "games without a lost or doubled move", len(load.games), "", "BROKEN" * bool(problems)
        )
        _show("new games refused as too busy", load.refused, "")
        _show("presses", len(every), "", f"{len(every) / seconds:,.0f} a second")
        _show("from press to answer, p50", np.quantile(every, 0.5) * 1e3, "ms")
        p99 = np.quantile(every, 0.99) * 1e3
        bench.at_most("from press to answer, p99", p99, SECONDS_P99 * 1e3, "ms")
        for kind, found in sorted(load.seconds.items()):
            p50, p99 = np.quantile(found, [0.5, 0.99]) * 1e3
            _note(f"{kind:<6} {len(found):>7,} times, p50 {p50:.3g} ms, p99 {p99:.3g} ms")
    print(f"\nload average {os.getloadavg()[0]:.2f} at the end")
    print(f"Broken: {'; '.join(bench.broken)}" if bench.broken else "All limits hold.")
    return 1 if bench.broken else 0


if __name__ == "__main__":
    sys.exit(main())
