"""Measures several programs that answer Discord's requests: `make bench-processes`.

1, 2 and 4 of them on one database of PostgreSQL, asked in turn by one small balancer, which asks
the next where one takes nothing in. People play by buttons without a pause; what counts is how many
presses are answered in a second, and how long they take. Then they think between moves as people
do, and each program is replaced, one after the other: no press may be lost, and nobody may wait for
longer than a second.

Discord, the balancer, the people, the server of the database and the programs share the processors
of this machine, so that more programs than it has left over cannot be faster.
"""

# ruff: noqa: T201 - it prints its figures

import argparse
import asyncio
import os
import signal
import sys
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path

import numpy as np

from tests.benchmarks.chat import find_data
from tests.benchmarks.figures import Bench, heading, machine, note, show
from tests.bot.postgres import WHY_NOT
from tests.nemesis.checker import check
from tests.nemesis.evening import Evening, evening
from tests.nemesis.people import RULES, Pair

PROGRAMS = 1, 2, 4
NO_PAUSE = 0.01
"""Seconds that people think who play as fast as they are answered."""
MOST_SECONDS = 1.0
"""That anybody waits while programs are replaced."""


@asynccontextmanager
async def _played(pairs: Sequence[Pair], think: float) -> AsyncIterator[None]:
    """All play on, and stop in the end."""
    over = asyncio.Event()
    playing = [asyncio.create_task(one.play(think, over)) for one in pairs]
    yield
    over.set()
    await asyncio.gather(*playing)


async def _restart(begun: Evening) -> None:
    """Replace each program: a new one is there before the one it replaces ends."""
    for _ in range(len(begun.running)):
        await begun.start()
        await begun.end(signal.SIGTERM)


async def measure(
    folder: Path, programs: int, games: int, seconds: float, think: float
) -> dict[str, float]:
    """Play at so many tables, first for some seconds, then while programs are replaced."""
    async with evening("postgresql", folder, programs) as begun:
        history = begun.history
        pairs = [Pair(begun.discord, history, number, 1) for number in range(games)]
        async with _played(pairs, NO_PAUSE):
            await asyncio.sleep(seconds / 2)  # until all have begun
            before = len(history.seconds)
            await asyncio.sleep(seconds)
            usual = np.array(history.seconds[before:])
        async with _played(pairs, think):
            await asyncio.sleep(2 * think)
            before = len(history.seconds)
            await _restart(begun)
            await asyncio.sleep(think)
            meanwhile = np.array(history.seconds[before:])
        await begun.end_all()
        verdict = await check(begun.url, history)
        for one in (verdict.faults + begun.complaints)[:5]:
            note(one)
        assert begun.asked
        p50, p99 = np.quantile(usual, [0.5, 0.99]) * 1e3
        return {
            "a second": len(usual) / seconds,
            "p50": p50,
            "p99": p99,
            "presses": len(meanwhile),
            "worst": float(meanwhile.max()),
            "failed": begun.asked.failed,
            "passed on": begun.asked.passed_on,
            "wrong": len(verdict.faults) + len(begun.complaints),
        }


def report(bench: Bench, data: Path, programs: int, chosen: argparse.Namespace) -> None:
    """Measure so many programs, and print it."""
    word = "program" if programs == 1 else "programs"
    heading(f"{programs} {word}, {chosen.games} tables")
    folder = Path(tempfile.mkdtemp(dir=bench.folder))
    (folder / "strategies").symlink_to((data / "strategies").absolute())
    found = asyncio.run(measure(folder, programs, chosen.games, chosen.seconds, chosen.think))
    show(f"presses a second, {programs}", found["a second"], "")
    show(f"from press to answer, p50, {programs}", found["p50"], "ms")
    show(f"from press to answer, p99, {programs}", found["p99"], "ms")
    note(f"{found['presses']:,.0f} presses while each program was replaced by another one")
    bench.at_most(f"longest wait meanwhile, {programs}", found["worst"], MOST_SECONDS, "s")
    note(f"{found['passed on']:,.0f} times a program took nothing in, and the next one did")
    for what in "presses that no program took", "lost, doubled, stale or complained of":
        number = found["failed" if "took" in what else "wrong"]
        show(f"{what}, {programs}", number, "", "BROKEN" * bool(number))
        bench.broken += [f"{what}, {programs}"] * bool(number)


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.processes", description=__doc__
    )
    parser.add_argument("--programs", type=int, nargs="+", default=PROGRAMS)
    parser.add_argument("--games", type=int, default=60, help="tables; 60")
    parser.add_argument("--seconds", type=float, default=20.0, help="of each measurement; 20")
    parser.add_argument("--think", type=float, default=2.0, help="seconds between moves; 2")
    parser.add_argument("--data", type=Path, help="a data folder where the rules are solved")
    chosen = parser.parse_args()
    if WHY_NOT:
        print(WHY_NOT)
        return 0
    print(f"farkle-advisor, {datetime.now().astimezone():%Y-%m-%d %H:%M}\n{machine()}")
    with tempfile.TemporaryDirectory() as name:
        bench = Bench(Path(name))
        data = find_data(bench.folder, chosen.data, [RULES, "facebook"])
        for programs in chosen.programs:
            report(bench, data, programs, chosen)
    print(f"\nload average {os.getloadavg()[0]:.2f} at the end")
    print(f"Broken: {'; '.join(bench.broken)}" if bench.broken else "All limits hold.")
    return 1 if bench.broken else 0


if __name__ == "__main__":
    sys.exit(main())
