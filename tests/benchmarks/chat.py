"""Measures the chat under load: `make bench-chat`.

Hundreds of games go on in one process, each in a place of its own, all played to their end by
people who answer at once, as bots in a script would. That is a load that no chat of people comes
near; what counts is how long each command takes then, and for how long at most nothing else is
answered as the event loop is busy.
"""

# ruff: noqa: T201 - it prints its figures

import argparse
import asyncio
import cProfile
import io
import logging
import os
import pstats
import random
import sqlite3
import sys
import tempfile
import time
from collections import defaultdict
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from bot.chat.commands import Commands
from bot.services.advisor import Advisor
from bot.services.tables import Caller, Person
from bot.settings import Settings
from bot.store.store import Store
from bot.table.events import Begun, make_event
from bot.table.fold import fold
from bot.wiring import open_parts
from solver.errors import StrategyFileError
from solver.game.sweeps import solve
from solver.play.policies import LEVELS
from solver.rules.file import load_rules
from solver.rules.ruleset import Ruleset
from solver.strategy import open_strategy, save_strategy
from solver.turn.dice import set_asides
from tests.benchmarks.figures import Bench, heading, machine, note, show

SECONDS_P99 = 0.050
SECONDS_BLOCKED = 0.020
TICK = 0.001
BEGIN_WITHIN = 5
"""Games begin within this many times the mean time that people think."""
LEAST_BANK = 350
"""What people bank from on, unless that reaches the goal sooner."""

Table = dict[str, Any]

known_rules = cache(load_rules)


@dataclass
class Load:
    """What was measured while games were played."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    """Seconds of each command until its last reply, by the command's name."""
    first: list[float] = field(default_factory=list)
    """Seconds of each command until its first reply."""
    late: list[float] = field(default_factory=list)
    """By how much the event loop was late, tick by tick."""
    ended: dict[str, Table] = field(default_factory=dict)
    """The last table that was told of each game."""
    problems: list[str] = field(default_factory=list)


async def play(commands: Commands, load: Load, place: str, opening: str, gap: float) -> None:
    """Play one game to its end; `gap` is the mean number of seconds that people think."""
    chance = random.Random(place)
    line, name = opening, "ann"
    await asyncio.sleep(chance.uniform(0, BEGIN_WITHIN * gap))
    rules = known_rules(opening.rpartition("rules:")[2])
    while True:
        table = await say(commands, load, place, name, line)
        if table is None or table["stage"] == "over":
            break
        name = table["to_move"]
        line = next_line(table, rules)
        if gap:
            await asyncio.sleep(chance.expovariate(1 / gap))


def next_line(table: Table, rules: Ruleset) -> str:
    """What who is to move says."""
    if not (roll := table["roll"]):
        return "/roll"
    kept = set_asides(rules, tuple(roll))[0]
    total, left = table["turn_total"] + kept.points, len(roll) - len(kept.dice)
    mine = next(one["score"] for one in table["players"] if one["name"] == table["to_move"])
    enough = total >= LEAST_BANK or mine + total >= rules.goal
    then = "bank" if enough and left else "roll"
    return f"/keep {' '.join(map(str, kept.dice))} {then}"


async def say(commands: Commands, load: Load, place: str, name: str, line: str) -> Table | None:
    """Give a command, and return the table that it tells of last."""
    caller = Caller(place, Person(f"{place}:{name}", name), manages=True)
    begun, first, table = time.perf_counter(), True, None
    async for reply in commands.answer(line, caller):
        if first:
            load.first.append(time.perf_counter() - begun)
            first = False
        if "error" in reply.data:
            load.problems.append(f"{place}, {name}: {line}: {reply.data['error']}")
            return None
        table = reply.data
        load.ended[table["game"]] = table
    load.seconds[line.split(maxsplit=1)[0]].append(time.perf_counter() - begun)
    return table


async def tick(load: Load) -> None:
    """See how late the event loop is."""
    while True:
        begun = time.perf_counter()
        await asyncio.sleep(TICK)
        load.late.append(time.perf_counter() - begun - TICK)


async def play_all(folder: Path, data: Path, openings: list[str], gap: float) -> Load:
    """Play these games at once, in one process."""
    load = Load()
    async with open_parts(Settings(data=folder), Advisor(data / "strategies")) as parts:
        # what is opened once only is not what is measured
        lines = enumerate(sorted(set(openings)))
        commands = parts.commands
        warm = [play(commands, Load(), f"warm-{k}", line, 0) for k, line in lines]
        await asyncio.gather(*warm)
        ticker = asyncio.create_task(tick(load))
        games = [play(commands, load, f"place-{k}", line, gap) for k, line in enumerate(openings)]
        await asyncio.gather(*games)
        ticker.cancel()
    return load


async def check(folder: Path, load: Load) -> list[str]:
    """Compare what was told with the database."""
    problems = list(load.problems)
    store = await Store.open(f"sqlite:///{folder / 'farkle.db'}")
    for game_id, table in load.ended.items():
        events = (await store.record(game_id)).events
        first, *others = [make_event(event.kind, event.data) for event in events]
        assert isinstance(first, Begun)
        game = fold(first, others)
        told = [player["score"] for player in table["players"]]
        shares = [player["share"] for player in table["players"]]
        scores, won = [seat.score for seat in game.seats], list(game.shares or ())
        if not game.over or scores != told or won != shares or len(events) != table["version"]:
            problems.append(f"game {game_id}: told {told}, {shares}; kept {scores}, {won}")
    await store.close()
    with closing(sqlite3.connect(folder / "farkle.db")) as connection:
        for (game_id,) in connection.execute("SELECT id FROM games WHERE ended_at IS NULL"):
            problems.append(f"game {game_id} has not ended")
        query = "SELECT game_id FROM results GROUP BY game_id HAVING SUM(share) != 1"
        problems += [f"game {row[0]} has other results" for row in connection.execute(query)]
    return problems


def report(
    bench: Bench, data: Path, what: str, openings: list[str], gap: float, *, limits: bool
) -> None:
    """Play games and print what that took."""
    heading(what)
    with tempfile.TemporaryDirectory() as folder:
        begun, busy = time.perf_counter(), time.process_time()
        load = asyncio.run(play_all(Path(folder), data, openings, gap))
        elapsed, busy = time.perf_counter() - begun, time.process_time() - busy
        problems = asyncio.run(check(Path(folder), load))
    if len(load.ended) != len(openings):
        problems.append(f"{len(openings)} games were to be played, not {len(load.ended)}")
    show("games kept as told", len(load.ended), "", "" if not problems else "BROKEN")
    if problems:
        bench.broken.append("games are kept otherwise than told")
    for problem in problems[:5]:
        note(problem)
    every = np.array([second for seconds in load.seconds.values() for second in seconds])
    show("commands", len(every), "", f"{len(every) / elapsed:,.0f} a second")
    show("games a second", len(openings) / elapsed, "/s", f"in {elapsed:.1f} s")
    show("processor time a command", busy / len(every) * 1e3, "ms")
    show("a command, p50", np.quantile(every, 0.5) * 1e3, "ms")
    p99 = np.quantile(every, 0.99) * 1e3
    blocked = max(load.late) * 1e3
    if limits:
        bench.at_most("a command, p99", p99, SECONDS_P99 * 1e3, "ms")
        bench.at_most("event loop blocked, longest", blocked, SECONDS_BLOCKED * 1e3, "ms")
    else:
        show("a command, p99", p99, "ms")
        show("event loop blocked, longest", blocked, "ms")
    note(
        f"its p99 {np.quantile(load.late, 0.99) * 1e3:.3g} ms; first reply p99"
        f" {np.quantile(load.first, 0.99) * 1e3:.3g} ms"
    )
    for name, seconds in sorted(load.seconds.items()):
        p50, p99 = np.quantile(seconds, [0.5, 0.99]) * 1e3
        note(f"{name:<6} {len(seconds):>7,} times, p50 {p50:.3g} ms, p99 {p99:.3g} ms")


def openings(games: int, rules: str, against: str) -> list[str]:
    """How so many games begin."""
    return [f"/play {against} rules:{rules}"] * games


def find_data(folder: Path, given: Path | None, rules: list[str]) -> Path:
    """A data folder in which the rules are solved."""
    data = given or folder / "data"
    for name in rules:
        try:
            open_strategy(data / "strategies", load_rules(name))
        except StrategyFileError:
            print(f"solving {name} ...", flush=True)
            save_strategy(solve(load_rules(name), cache=data / "kernels"), data / "strategies")
    return data


def profiled(folder: Path, data: Path, lines: list[str]) -> str:
    """The functions in which the event loop's thread spends its time."""
    profile = cProfile.Profile()
    profile.enable()
    asyncio.run(play_all(folder, data, lines, 0))
    profile.disable()
    text = io.StringIO()
    pstats.Stats(profile, stream=text).sort_stats("cumulative").print_stats(60)
    return text.getvalue()


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.chat", description=__doc__)
    parser.add_argument("--games", type=int, default=500)
    parser.add_argument("--rules", default="kcd", help="a preset")
    parser.add_argument("--data", type=Path, help="a data folder where the rules are solved")
    parser.add_argument("--think", type=float, default=4.0, help="seconds between commands, mean")
    parser.add_argument("--quick", action="store_true", help="fewer games and no thinking")
    parser.add_argument("--profile", action="store_true", help="only a profile of 50 games")
    parser.add_argument("--lenient", action="store_true", help="exit with 0 in any case")
    chosen = parser.parse_args()
    logging.disable(logging.INFO)
    print(f"farkle-advisor, {datetime.now().astimezone():%Y-%m-%d %H:%M}\n{machine()}")
    games, rules = (60 if chosen.quick else chosen.games), chosen.rules
    people, bot = openings(games, rules, "@bob"), openings(games, rules, "level:max-points")
    assert "max-points" in LEVELS
    with tempfile.TemporaryDirectory() as name:
        bench = Bench(Path(name))
        data = find_data(bench.folder, chosen.data, [rules])
        if chosen.profile:
            print(profiled(bench.folder, data, openings(50, rules, "@bob")))
            return 0
        mixed = [*people[: games // 2], *bot[: games - games // 2]]
        think = chosen.think / 8 if chosen.quick else chosen.think
        title = f"{games} games of {rules} at once, half against a bot"
        report(bench, data, f"{title}; people think {think:g} s", mixed, think, limits=True)
        report(bench, data, f"{title}; nobody thinks", mixed, 0, limits=False)
    load = os.getloadavg()[0]
    print(f"\nload average {load:.2f} at the end")
    print(f"Broken: {'; '.join(bench.broken)}" if bench.broken else "All limits hold.")
    return 1 if bench.broken and not chosen.lenient else 0


if __name__ == "__main__":
    sys.exit(main())
