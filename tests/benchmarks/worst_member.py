"""Measures what one member can cost all others: `make bench-worst`.

Fifty tables are played by people who think a little, first by themselves and then with one member
who does the worst that commands allow in 24 channels at once: matches that show every move, house
rules that are made and solved, reviews, statistics of dice, tables of eight with bots, advice under
odd rules. What counts is how long the others' commands take, and when all is as before.
"""

# ruff: noqa: T201 - it prints its figures

import argparse
import asyncio
import contextlib
import itertools
import logging
import os
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import numpy as np

from bot.chat.commands import Commands
from bot.fronts.discord.settings import DiscordSettings
from bot.services.advisor import Advisor
from bot.services.tables import Caller, Person
from bot.settings import Settings
from bot.wiring import open_parts
from tests.benchmarks.chat import find_data, known_rules, next_line
from tests.benchmarks.figures import Bench, heading, machine, note, show

RULES = "kcd"
RATIO = 2.0
SECONDS_BACK = 5.0
_AFTER = 10
"""Seconds that are looked at after the member has stopped."""
MEMBER = Person("bench:mallory", "mallory")
WORST = (
    "/match optimal optimal games:99 show:moves rules:kcd",
    "/rules new slow{n} base:facebook goal:{goal}",
    "/match max-points optimal games:99 show:moves rules:kcd",
    "/review",
    "/play optimal greedy max-points optimal greedy max-points cautious rules:kcd goal:{goal}",
    "/roll",
    "/dice where:everywhere",
    "/rules new odd{n} base:kcd ones:7",
    "/advise 653332 rules:kcd me:0",
    "/match max-points max-points games:99 rules:kcd show:moves",
    "/show",
    "/end",
    "/rules solve facebook",
    "/leaderboard where:everywhere",
)


@dataclass
class Load:
    """When others gave commands and how long these took."""

    taken: list[tuple[float, float]] = field(default_factory=list)
    problems: Counter[str] = field(default_factory=Counter)

    def between(self, begin: float, end: float) -> np.ndarray:
        """Seconds of the commands that were given in a time."""
        return np.array([seconds for at, seconds in self.taken if begin <= at < end])


async def play(commands: Commands, load: Load, place: str, think: float) -> None:
    """Play one game after the other."""
    chance = random.Random(place)
    line, name = f"/play @bob rules:{RULES}", "ann"
    while True:
        await asyncio.sleep(chance.expovariate(1 / think))
        caller = Caller(place, Person(f"{place}:{name}", name), manages=True)
        begun, table = time.monotonic(), None
        async for reply in commands.answer(line, caller):
            if "error" in reply.data:
                load.problems[reply.data["error"]] += 1
            else:
                table, _ = reply.data, reply.text
        load.taken.append((begun, time.monotonic() - begun))
        if table is None or table["stage"] == "over":
            line, name = f"/play @bob rules:{RULES}", "ann"
        else:
            line, name = next_line(table, known_rules(RULES)), table["to_move"]


async def trouble(commands: Commands, place: int, stop: asyncio.Event, said: Counter[str]) -> None:
    """Do the worst in one channel, again and again."""
    caller = Caller(f"worst-{place}", MEMBER, manages=True)
    numbers = itertools.count(place * 1000)
    for line in itertools.cycle([*WORST[place % len(WORST) :], *WORST[: place % len(WORST)]]):
        if stop.is_set():
            return
        number = next(numbers)
        typed = line.format(n=number, goal=2000 + 50 * (number % 100))
        asyncio.create_task(_drain(commands, typed, caller, said))  # noqa: RUF006 - ends by itself
        await asyncio.sleep(2)


async def _drain(commands: Commands, line: str, caller: Caller, said: Counter[str]) -> None:
    async for reply in commands.answer(line, caller):
        is_error = isinstance(reply.data, dict) and "error" in reply.data
        said[reply.text.partition(":")[0][:60] if is_error else line.split(maxsplit=1)[0]] += 1


@contextlib.asynccontextmanager
async def tables(commands: Commands, load: Load, number: int, think: float) -> AsyncIterator[None]:
    """So many tables are played at, while the context lasts."""
    games = [asyncio.create_task(play(commands, load, f"place-{k}", think)) for k in range(number)]
    try:
        yield
    finally:
        for game in games:
            game.cancel()
        await asyncio.gather(*games, return_exceptions=True)


@dataclass
class Phase:
    """Times between which commands are compared, and how busy the program was."""

    times: list[tuple[float, float]] = field(default_factory=list)
    used: float = 0.0

    async def last(self, seconds: float) -> None:
        """Note one that begins now."""
        begun, used = time.monotonic(), time.process_time()
        await asyncio.sleep(seconds)
        self.times.append((begun, time.monotonic()))
        self.used += time.process_time() - used

    def taken(self, load: Load) -> np.ndarray:
        """Seconds of the commands that were given in it."""
        return np.concatenate([load.between(*one) for one in self.times])


async def measure(bench: Bench, folder: Path, data: Path, chosen: argparse.Namespace) -> None:
    """Play, cause trouble, and print what that cost.

    Both is measured in turns, so that whatever else the machine does falls on both.
    """
    load, said = Load(), Counter[str]()
    alone, worst, after = Phase(), Phase(), Phase()
    settings = Settings(data=folder)
    (folder / "strategies").symlink_to(data / "strategies")
    usual = DiscordSettings()
    async with open_parts(
        settings,
        Advisor(settings.strategies),
        pace=0.5,
        patience=usual.farkle_patience,
        late=usual.farkle_late,
    ) as parts:
        commands = parts.commands
        async with tables(commands, load, chosen.tables, chosen.think):
            await asyncio.sleep(3)
            for _ in range(chosen.rounds):
                await alone.last(chosen.seconds)
                stop = asyncio.Event()
                doing = [trouble(commands, place, stop, said) for place in range(24)]
                running = asyncio.gather(*doing)
                await worst.last(chosen.seconds)
                stop.set()
                await after.last(_AFTER)
                await running
                # what the member has begun goes on to its end
                await parts.tasks.cancel(MEMBER.id)
                await asyncio.sleep(1)
    most = np.quantile(alone.taken(load), 0.99)
    for name, phase in (("alone", alone), ("with the worst member", worst)):
        seconds = phase.taken(load)
        p50, p99 = np.quantile(seconds, [0.5, 0.99]) * 1e3
        show(f"{name}, p50", p50, "ms", f"of {len(seconds):,} commands")
        show(f"{name}, p99", p99, "ms", f"longest {max(seconds) * 1e3:,.0f} ms")
        busy = phase.used / chosen.rounds / chosen.seconds
        note(f"the program itself computed for {busy:.0%} of the time")
    ratio = np.quantile(worst.taken(load), 0.99) / most
    bench.at_most("p99 with over p99 without", ratio, RATIO, "x")
    late_seconds = [
        second + 1
        for second in range(_AFTER)
        if np.quantile(
            np.concatenate([load.between(at + second, at + second + 1) for at, _ in after.times]),
            0.99,
        )
        > RATIO * most
    ]
    bench.at_most("back to normal after", max(late_seconds, default=0), SECONDS_BACK, "s")
    note(f"others were told: {dict(load.problems)}")
    for what, number in said.most_common(14):
        note(f"the member was told {number:>5,} times: {what}")


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.worst_member", description=__doc__
    )
    parser.add_argument("--tables", type=int, default=50)
    parser.add_argument("--think", type=float, default=1.0, help="seconds between commands, mean")
    parser.add_argument("--seconds", type=float, default=10.0, help="without, and as many with")
    parser.add_argument("--rounds", type=int, default=3, help="of both")
    parser.add_argument("--data", type=Path, help="a data folder where the rules are solved")
    parser.add_argument("--lenient", action="store_true", help="exit with 0 in any case")
    chosen = parser.parse_args()
    logging.disable(logging.INFO)
    print(f"farkle-advisor, {datetime.now().astimezone():%Y-%m-%d %H:%M}\n{machine()}")
    with tempfile.TemporaryDirectory() as name:
        bench = Bench(Path(name))
        data = find_data(bench.folder, chosen.data, [RULES])
        heading(f"{chosen.tables} tables, people think {chosen.think:g} s")
        (folder := bench.folder / "chat").mkdir()
        asyncio.run(measure(bench, folder, data.resolve(), chosen))
    print(f"\nload average {os.getloadavg()[0]:.2f} at the end")
    print(f"Broken: {'; '.join(bench.broken)}" if bench.broken else "All limits hold.")
    return 1 if bench.broken and not chosen.lenient else 0


if __name__ == "__main__":
    sys.exit(main())
