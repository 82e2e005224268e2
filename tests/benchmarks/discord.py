"""Measures the Discord bot under load: a part of `make bench`.

The unmodified process plays at a loopback Discord on this machine, which takes processor time of
its own. Hundreds of games go on by buttons; what counts is how long it takes from a press until its
message has changed, that no press is left without an answer, that no move is lost or made twice,
and what the bot keeps in memory of each open game.

A bot of discord.py and nothing else, pressed by as many people right before, is the floor: the
ratio to it depends less on the machine. Its people press once and think again; at a game they press
several times in a row, for dice and then to roll or to bank.
"""

# ruff: noqa: T201 - it prints its figures

import argparse
import asyncio
import gc
import math
import os
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager, closing, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import uvloop

from bot.settings import CHECKOUT
from tests.benchmarks.chat import find_data
from tests.benchmarks.figures import Bench, heading, machine, note, show
from tests.bot.fronts.discord.loopback import TOKEN, Json, Loopback, Message, user
from tests.bot.fronts.discord.play import best_dice, is_choice, press, settled, shown
from tests.bot.fronts.discord.process import running

SECONDS_P99 = {500: 0.100, 1_000: 0.500}
"""From press to answer, by the number of games up to which it holds."""
MEMORY = 60e3
"""Bytes that the bot may keep of an open game."""
CACHES = 40e6
"""Bytes that it may grow by once, however many games there are: pictures, buffers, libraries."""
RULES = "kcd"
BEGIN_WITHIN = 5
"""Games begin within this many times the mean time that people think."""
COME_BACK = 20.0
"""Seconds, about, after which somebody tries again who was told that it is too busy."""
PRESSES = 2, 3
"""The presses of one move, one after the other."""
FLOOR_SECONDS = 20.0
"""How long a bare bot is pressed, after all have begun."""

_SECONDS_TO_START = 60.0


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
    unanswered: int = 0
    """Presses that nothing came of."""
    open: int = 0
    """Games that are played now."""
    memory: dict[int, int] = field(default_factory=dict)
    """Most bytes of memory that the bot had, by the number of open games."""
    busy: tuple[float, float] = (0.0, 0.0)
    """Shares of a processor that the bot and this loopback took."""


async def play(discord: Loopback, load: Load, number: int, think: float) -> None:
    """A game of two people by buttons to its end, or to a press that is not answered."""
    channel = str(10_000 + number)
    people = {f"A{number}": user(f"1{number:05}", f"A{number}")}
    people[f"B{number}"] = user(f"2{number:05}", f"B{number}")
    chance = random.Random(number)
    await asyncio.sleep(chance.uniform(0, BEGIN_WITHIN * think))
    with suppress(TimeoutError):
        message = await _begun(discord, load, chance, people, channel)
        load.open += 1
        while "Review" not in message.labels:
            await asyncio.sleep(chance.expovariate(1 / think))
            await _move(discord, load, people, message)
        load.open -= 1
        return
    load.unanswered += 1


async def _begun(
    discord: Loopback, load: Load, chance: random.Random, people: dict[str, Json], channel: str
) -> Message:
    """A table, once it is not too busy for a new one. Raises TimeoutError."""
    ann, bob = people.values()
    while True:
        asked = await discord.slash(ann, "play", channel, player2=bob, rules=RULES)
        if (message := await shown(asked)).buttons:
            load.games[channel] = message.buttons[0]["custom_id"].split(":")[1]
            return message
        load.refused += 1
        await asyncio.sleep(chance.uniform(0.5, 1.5) * COME_BACK)


async def _move(discord: Loopback, load: Load, people: dict[str, Json], message: Message) -> None:
    """Choose dice, if there are any, and bank or roll. Raises TimeoutError."""
    channel = message.channel
    mover = next(line.split()[1] for line in message.text.splitlines() if line[:1] == "▸")
    actions = best_dice(message) if is_choice(message) else []
    for action in actions:
        interaction = await press(discord, people[mover], message, action)
        load.seconds["choose"].append(interaction.shown_after or math.inf)
    what = "bank" if message.action("bank") else "roll"
    interaction = await press(discord, people[mover], message, what)
    is_over = "Review" in message.labels
    load.seconds["end" if is_over else what].append(interaction.shown_after or math.inf)
    (load.banks if what == "bank" else load.rolls)[channel] += 1
    await settled(message)


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


@asynccontextmanager
async def bare_bot(discord: Loopback) -> AsyncIterator[None]:
    """A bot of discord.py and nothing else, in a process of its own."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.benchmarks.bare_bot", discord.api, discord.gateway),
        cwd=CHECKOUT,
        env=os.environ | {"DISCORD_TOKEN": TOKEN},
    )
    try:
        await discord.ready(_SECONDS_TO_START)
        yield
    finally:
        with suppress(ProcessLookupError):  # it has ended
            process.kill()
        await process.wait()


async def press_on(
    discord: Loopback, seconds: list[float], number: int, think: float, end: float
) -> None:
    """Two people at the button of a bare bot; `seconds` take what each press took."""
    channel = str(10_000 + number)
    people = user(f"1{number:05}", f"A{number}"), user(f"2{number:05}", f"B{number}")
    chance = random.Random(number)
    await asyncio.sleep(chance.uniform(0, BEGIN_WITHIN * think))
    try:
        message = await shown(await discord.slash(people[0], "play", channel))
        while time.monotonic() + (pause := chance.expovariate(1 / think)) < end:
            await asyncio.sleep(pause)
            for _ in range(chance.choice(PRESSES)):
                interaction = await press(discord, chance.choice(people), message, "press")
                seconds.append(interaction.shown_after or math.inf)
    except TimeoutError:
        seconds.append(math.inf)


def floor_time(think: float) -> float:
    """Seconds in which a bare bot is pressed."""
    return BEGIN_WITHIN * think + FLOOR_SECONDS


async def floor(games: int, think: float) -> list[float]:
    """Seconds from press to answer of a bare bot, with people in as many channels."""
    seconds: list[float] = []
    async with Loopback(checks=False).serve() as discord, bare_bot(discord):
        end = time.monotonic() + floor_time(think)
        people = (press_on(discord, seconds, number, think, end) for number in range(games))
        await asyncio.gather(*people)
    return seconds


async def watch(load: Load, bot: psutil.Process) -> None:
    """Note the bot's memory until this is cancelled."""
    while True:
        now = bot.memory_info().rss
        load.memory[load.open] = max(now, load.memory.get(load.open, 0))
        await asyncio.sleep(0.5)


async def measure(folder: Path, games: int, think: float) -> tuple[Load, list[str], float]:
    """Play so many games at once."""
    load = Load()
    # settings that tests change are as people have them
    usual: dict[str, Any] = dict.fromkeys(("FARKLE_PATIENCE", "FARKLE_LATE", "FARKLE_WORKERS"), "")
    async with (
        Loopback(checks=False).serve() as discord,
        running(folder, discord, ready=True, FARKLE_LOG="warning", **usual) as bot,
    ):
        processes = psutil.Process(bot.process.pid), psutil.Process()
        load.memory[0] = processes[0].memory_info().rss
        watching = asyncio.create_task(watch(load, processes[0]))
        begun, used = time.perf_counter(), [sum(one.cpu_times()[:2]) for one in processes]
        await asyncio.gather(*(play(discord, load, number, think) for number in range(games)))
        seconds = time.perf_counter() - begun
        took = [sum(one.cpu_times()[:2]) for one in processes]
        load.busy = (took[0] - used[0]) / seconds, (took[1] - used[1]) / seconds
        watching.cancel()
        problems = [*discord.problems, *lost_or_doubled(folder, load)]
        if await bot.end():
            problems.append("the bot failed")
        problems += [line for line in bot.log.splitlines() if "Traceback" in line]
    return load, problems, seconds


def report_games(bench: Bench, data: Path, games: int, think: float, *, beside: int) -> None:
    """Press a bare bot, play so many games at once, and print what both took."""
    heading(f"{games} games of {RULES} by buttons, people think {think:g} s")

    def named(what: str) -> str:
        """Told apart from the same figure of other numbers of games."""
        return f"{what}, {games} games"

    folder = Path(tempfile.mkdtemp(prefix="bot-", dir=bench.folder))
    (folder / "strategies").symlink_to((data / "strategies").absolute())
    gc.collect()  # what was kept of other games
    with busy_loops(beside):
        bare = uvloop.run(floor(games, think))
        load, problems, seconds = uvloop.run(measure(folder, games, think))
    every = np.array([one for found in load.seconds.values() for one in found])
    if problems:
        bench.broken.append(named("moves are lost or doubled, or Discord was told what it refuses"))
    for problem in problems[:5]:
        note(problem)
    lost = "BROKEN" * bool(problems)
    show(named("games without a lost or doubled move"), len(load.games), "", lost)
    show(named("new games refused as too busy"), load.refused, "")
    show(named("presses"), len(every), "", f"{len(every) / seconds:,.0f} a second")
    bare_p50, bare_p99 = np.quantile(bare, [0.5, 0.99]) * 1e3
    p50, p99 = np.quantile(every, [0.5, 0.99]) * 1e3
    show(named("from press to answer, p50"), p50, "ms", than=("a bare bot's", bare_p50))
    limit = SECONDS_P99[min((most for most in SECONDS_P99 if most >= games), default=1_000)]
    bench.at_most(
        named("from press to answer, p99"), p99, limit * 1e3, "ms", ("a bare bot's", bare_p99)
    )
    if load.unanswered:
        bench.broken.append(named("presses are left without an answer"))
    left = "BROKEN" * bool(load.unanswered)
    show(named("presses without an answer"), load.unanswered, "", left)
    for kind, found in sorted(load.seconds.items()):
        p50, p99 = np.quantile(found, [0.5, 0.99]) * 1e3
        note(f"{kind:<6} {len(found):>7,} times, p50 {p50:.3g} ms, p99 {p99:.3g} ms")
    rate = len(bare) / floor_time(think)
    note(f"a bare bot was pressed {len(bare):,} times, {rate:,.0f} a second")
    bot, loopback = load.busy
    show(named("the bot's share of a processor"), bot * 100, "%", f"the loopback's {loopback:.0%}")
    report_memory(bench, load, named)


def report_memory(bench: Bench, load: Load, named: Callable[[str], str]) -> None:
    """What the bot keeps of an open game: how much more it has than before the first began."""
    most = max(load.memory)
    start, full = load.memory[0], load.memory[most]
    then = f"{full / 1e6:.0f} MB with {most:,} games"
    show(named("memory of the bot at start"), start / 1e6, "MB", then)
    if most:
        limit = MEMORY + CACHES / most
        each = (full - start) / most
        bench.at_most(named("memory per open game"), each / 1e3, limit / 1e3, "kB")


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.discord", description=__doc__)
    parser.add_argument("--games", type=int, nargs="+", help="one after the other; 500 1000")
    parser.add_argument("--data", type=Path, help="a data folder where the rules are solved")
    parser.add_argument("--think", type=float, help="seconds between moves, mean; 4")
    parser.add_argument("--beside", type=int, default=0, help="busy loops that run beside it")
    parser.add_argument("--quick", action="store_true", help="200 games, people think 2 s")
    parser.add_argument("--lenient", action="store_true", help="exit with 0 in any case")
    chosen = parser.parse_args()
    numbers = chosen.games or ([200] if chosen.quick else [500, 1_000])
    think = chosen.think or (2.0 if chosen.quick else 4.0)
    # a collection that goes through all that is kept here would hold up this clock for 0.2 s
    gc.set_threshold(10_000, 20, 1_000_000)
    print(f"farkle-advisor, {datetime.now().astimezone():%Y-%m-%d %H:%M}\n{machine()}")
    with tempfile.TemporaryDirectory() as name:
        bench = Bench(Path(name))
        data = find_data(bench.folder, chosen.data, [RULES, "facebook"])
        for games in numbers:
            report_games(bench, data, games, think, beside=chosen.beside)
    print(f"\nload average {os.getloadavg()[0]:.2f} at the end")
    print(f"Broken: {'; '.join(bench.broken)}" if bench.broken else "All limits hold.")
    return 1 if bench.broken and not chosen.lenient else 0


if __name__ == "__main__":
    sys.exit(main())
