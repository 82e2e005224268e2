"""Measures the pages: many people who each ask once a second, and play, at `farkle web`.

`python -m tests.benchmarks.web`; the program and its visitors run on the same machine.
"""

# ruff: noqa: T201 - it prints its figures

import argparse
import asyncio
import os
import random
import re
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from itertools import count
from pathlib import Path

import numpy as np
import psutil
from aiohttp import ClientSession, CookieJar, TCPConnector

from solver.rules.file import load_rules
from solver.rules.ruleset import FACES
from solver.turn.dice import TurnState, make_roll
from solver.turn.equations import EqualDice
from tests.benchmarks.chat import find_data
from tests.benchmarks.figures import Bench, heading, machine, note

ASK_SECONDS, PLAY_SECONDS = 0.050, 0.150
"""Within which 99 of 100 questions, and moves, are answered."""
PAGE_BYTES = 100_000
_FIRST_SECONDS = 8.0
"""For which people ask before it counts."""
_ENOUGH = 300
"""Points from which people at a table bank."""
_STAGES = 60
"""Rolls of a game with which tables begin to ask."""
_PRESS = re.compile(r'<button name="press" value="([^"]+)"(?: class="main")?>(?:Roll|Bank)')
_PICK = re.compile(r'<a [^>]*href="(/game/[^"]*mask=[1-9][^"]*)"')
_TOKEN = re.compile(r'name="token" value="(\w+)"')


@asynccontextmanager
async def program(
    folder: Path, data: Path, processes: int
) -> AsyncIterator[tuple[str, psutil.Process]]:
    """`farkle web` with these rules, with so many processes beside; yields where it is, and it."""
    (folder / "web").mkdir()
    (folder / "web" / "strategies").symlink_to((data / "strategies").resolve())
    chosen = {"DATA": folder / "web", "WEB_RATE": 100_000, "WEB_PROCESSES": processes}
    environment = os.environ | {f"FARKLE_{name}": str(value) for name, value in chosen.items()}
    command = sys.executable, "-m", "bot", "web", "--port", "0"
    running = await asyncio.create_subprocess_exec(
        *command, env=environment, stdout=asyncio.subprocess.PIPE
    )
    try:
        assert running.stdout is not None
        line = (await running.stdout.readline()).decode()
        yield re.findall(r"http://\S+", line)[0].rstrip("/"), psutil.Process(running.pid)
    finally:
        with suppress(ProcessLookupError):
            running.terminate()
        await running.wait()


@dataclass
class Asked:
    """What was asked, and how it was answered."""

    paths: list[str] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    most_bytes: int = 0

    @property
    def repeated(self) -> float:
        """Return the share of questions that somebody had asked before."""
        return 1 - len(set(self.paths)) / len(self.paths)

    @property
    def turns_repeated(self) -> float:
        """Return the share of questions on a turn that somebody had asked about before."""
        return 1 - len({path.partition("&me")[2] for path in self.paths}) / len(self.paths)


def questions(number: int) -> Iterator[str]:
    """Yield what two people ask who play with real dice: each roll, at the scores of the moment.

    They keep what gives most points, and bank as soon as they may; tables begin at any stage of a
    game.
    """
    chance, rules = random.Random(number), load_rules("facebook")
    hand, scores, turn = EqualDice(rules), (0, 0), TurnState(0, rules.dice)
    begins = chance.randrange(_STAGES)
    for rolls in count():
        fallen = chance.choices(FACES, k=turn.dice)
        roll = make_roll(fallen)
        if rolls >= begins:
            dice = "".join(map(str, fallen))
            yield f"/?dice={dice}&turn={turn.turn_total}&me={scores[0]}&them={scores[1]}"
        kept = hand.set_asides(roll, turn)
        turn = hand.after(turn, kept[0]) if kept else TurnState(0, rules.dice)
        if not kept or turn.turn_total >= _ENOUGH:
            mine = scores[0] + turn.turn_total
            scores = (scores[1], mine) if mine < rules.winning_score else (0, 0)
            turn = TurnState(0, rules.dice)


async def ask(base: str, number: int, seconds: float, found: Asked) -> None:
    """Ask about another roll once a second, by a connection that stays open."""
    chance, paths = random.Random(number), questions(number)
    async with ClientSession(connector=TCPConnector(limit=1)) as session:
        await asyncio.sleep(chance.random())
        ends = time.monotonic() + seconds
        while time.monotonic() < ends:
            path = next(paths)
            began = time.monotonic()
            async with session.get(base + path) as answer:
                text = await answer.read()
                assert answer.status == 200, text
            found.seconds.append(time.monotonic() - began)
            found.most_bytes = max(found.most_bytes, len(text))
            found.paths.append(path)
            await asyncio.sleep(max(0.0, 1 - (time.monotonic() - began)))


async def play(base: str, number: int, seconds: float, taken: list[float]) -> None:
    """Play against the bot, a move every two seconds."""
    chance, ends = random.Random(number), time.monotonic() + seconds
    async with ClientSession(cookie_jar=CookieJar(unsafe=True)) as session:

        async def seen(path: str, form: dict[str, str] | None = None) -> tuple[str, str]:
            began = time.monotonic()
            method = "POST" if form else "GET"
            async with session.request(method, base + path, data=form) as found:
                text = await found.text()
                assert found.status == 200, text
                if form and "press" in form:
                    taken.append(time.monotonic() - began)
                return text, found.url.path

        text, path = "", ""
        while time.monotonic() < ends:
            await asyncio.sleep(chance.expovariate(1 / 2))
            if presses := _PRESS.findall(text):
                form = {"token": _TOKEN.findall(text)[0], "press": presses[-1]}
                text, path = await seen(path, form)
            elif picks := _PICK.findall(text):
                text, _ = await seen(picks[0].replace("&amp;", "&"))
            else:
                token = _TOKEN.findall((await seen("/play"))[0])[0]
                text, path = await seen("/play", {"token": token, "level": "optimal"})


async def solve(base: str) -> None:
    """Have rules solved again and again, each of them others, as somebody who tries some does."""
    async with ClientSession(cookie_jar=CookieJar(unsafe=True)) as session:
        for number in range(1, 1_000):
            async with session.get(f"{base}/rules/new?base=facebook") as found:
                token = _TOKEN.findall(await found.text())[0]
            form = {"token": token, "name": f"ours {number}", "base": "facebook"}
            form["three-pairs"] = str(50 * number)
            async with session.post(f"{base}/rules/new", data=form) as found:
                text = await found.text()
                assert found.status == 200, text
            while "/solving" in found.url.path:
                await asyncio.sleep(1)
                async with session.get(found.url) as found:
                    assert found.status == 200


def _spent(process: psutil.Process) -> float:
    """Seconds that a program has computed, with the processes that it has now."""
    everything = process, *process.children(recursive=True)
    return sum(sum(one.cpu_times()[:2]) for one in everything)


def report(bench: Bench, what: str, taken: list[float], most: float) -> None:
    """Print how long answers took, and keep the limit."""
    found = np.array(taken) * 1e3
    note(f"{len(found):,} of them, median {np.median(found):.1f} ms, most {found.max():.0f} ms")
    bench.at_most(f"{what}, 99th percentile", float(np.percentile(found, 99)), most * 1e3, "ms")


async def measure(
    bench: Bench, data: Path, people: int, games: int, seconds: float, processes: int
) -> None:
    """Have people ask, and then others play."""
    async with program(bench.folder, data, processes) as (base, process):
        found = Asked()
        # they come one after the other, and what is loaded at the first answers is loaded then
        await asyncio.gather(*(ask(base, k, _FIRST_SECONDS, Asked()) for k in range(people)))
        heading(f"{people} people who ask once a second")
        before, own = _spent(process), time.process_time()
        await asyncio.gather(*(ask(base, k, seconds, found) for k in range(people)))
        spent = _spent(process) - before
        own, number = time.process_time() - own, len(found.paths)
        note(
            f"{spent / number * 1e3:.2f} ms of processor time each, and {own / number * 1e3:.2f}"
            " ms of those who ask"
        )
        note(
            f"{found.repeated:.1%} of them were asked before, {found.turns_repeated:.0%} were on a"
            " turn that was"
        )
        report(bench, "a question", found.seconds, ASK_SECONDS)
        bench.at_most("the largest page", found.most_bytes / 1e3, PAGE_BYTES / 1e3, "kB")
        heading(f"{games} games against the bot, a move every two seconds, while rules are solved")
        moves: list[float] = []
        solving = asyncio.create_task(solve(base))
        await asyncio.gather(*(play(base, k, seconds, moves) for k in range(games)))
        assert not solving.done(), solving.exception()
        solving.cancel()
        report(bench, "a move", moves, PLAY_SECONDS)


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.web", description=__doc__)
    parser.add_argument("--people", type=int, default=200)
    parser.add_argument("--games", type=int, default=50)
    parser.add_argument("--processes", type=int, default=2, help="that answer questions beside")
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--data", type=Path, help="a data folder where the rules are solved")
    parser.add_argument("--lenient", action="store_true", help="exit with 0 in any case")
    chosen = parser.parse_args()
    print(f"farkle-advisor, {datetime.now().astimezone():%Y-%m-%d %H:%M}\n{machine()}")
    with tempfile.TemporaryDirectory() as name:
        bench = Bench(Path(name))
        data = find_data(bench.folder, chosen.data, ["facebook"])
        asyncio.run(
            measure(bench, data, chosen.people, chosen.games, chosen.seconds, chosen.processes)
        )
    print(f"\nload average {os.getloadavg()[0]:.2f} at the end")
    print(f"Broken: {'; '.join(bench.broken)}" if bench.broken else "All limits hold.")
    return 1 if bench.broken and not chosen.lenient else 0


if __name__ == "__main__":
    sys.exit(main())
