"""`make nemesis`: plays an evening by faults on each kind of database, and checks it."""

# ruff: noqa: T201 - it prints its figures

import argparse
import asyncio
import os
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from tests.benchmarks.chat import find_data
from tests.benchmarks.figures import machine
from tests.bot.postgres import KINDS, WHY_NOT
from tests.bot.waiting import until
from tests.nemesis.checker import Verdict, check
from tests.nemesis.evening import evening
from tests.nemesis.faults import Nemesis
from tests.nemesis.people import RULES, Pair

_PROGRAMS = {"sqlite": 1, "postgresql": 2}
"""How many there are: one at the gateway, or several that are asked by requests."""
_MOST_TOLD = 10


@dataclass(frozen=True, slots=True)
class Trial:
    """What is tried."""

    kind: str
    seconds: float = 600.0
    moves: int = 0
    """Moves that are shown after which it ends as well; 0 for any number."""
    games: int = 40
    think: float = 0.5
    """Seconds between two moves of a game, on average."""
    every: float = 5.0
    """Seconds between two faults, about."""
    away: float = 30.0
    """Seconds for which the database is away at most."""
    calm: float = 5.0
    """Seconds for which people play on once nothing fails any more."""
    seed: int = 1


@dataclass
class Outcome:
    """What came of a trial."""

    verdict: Verdict
    faults: Counter[str]
    waits: list[tuple[str, float]] = field(default_factory=list)
    """Seconds from the end of each fault until a move was shown again."""
    problems: list[str] = field(default_factory=list)
    """What a log or Discord complains of."""


async def try_out(trial: Trial, folder: Path) -> Outcome:
    """Play it. `folder` is one of data, in which the rules are solved."""
    enough, over = asyncio.Event(), asyncio.Event()
    async with evening(trial.kind, folder, _PROGRAMS[trial.kind]) as begun:
        nemesis, history = Nemesis(begun, trial.away, trial.seed), begun.history
        pairs = (Pair(begun.discord, history, one, trial.seed) for one in range(trial.games))
        playing = [asyncio.create_task(one.play(trial.think, over)) for one in pairs]
        # what fails before there are games fails nobody
        await until(lambda: history.told or any(one.done() for one in playing))
        raging = asyncio.create_task(nemesis.rage(trial.every, enough))
        end = time.monotonic() + trial.seconds
        while time.monotonic() < end and not 0 < trial.moves <= len(history.told):
            await asyncio.sleep(0.2)
            for one in (raging, *playing):
                if one.done():
                    await one  # it has failed
        enough.set()
        await raging
        await asyncio.sleep(trial.calm)
        over.set()
        await asyncio.gather(*playing)
        await begun.end_all()
        outcome = Outcome(await check(begun.url, history), nemesis.done)
        outcome.problems = begun.complaints
    for name, moment in nemesis.over:
        if later := [one for one in history.told if one >= moment]:
            outcome.waits.append((name, later[0] - moment))
    return outcome


def report(trial: Trial, outcome: Outcome, seconds: float) -> bool:
    """Print it; whether all is well."""
    verdict, waits = outcome.verdict, sorted(wait for _, wait in outcome.waits)
    print(f"\n{trial.kind}, {trial.games} tables, {seconds:,.0f} s")
    print(f"{verdict.moves:>9,} moves in {verdict.games:,} games")
    kinds = ", ".join(f"{name} {number}" for name, number in sorted(outcome.faults.items()))
    print(f"{outcome.faults.total():>9,} faults: {kinds}")
    for what in ("lost", "doubled", "stale", "damaged"):
        print(f"{len(getattr(verdict, what)):>9,} {what}")
    if waits:
        print(f"{waits[len(waits) // 2]:>9.2f} s until it answered again, half of the times")
        name, most = max(outcome.waits, key=lambda one: one[1])
        print(f"{most:>9.2f} s at most ({name})")
    print(f"{len(outcome.problems):>9,} complaints of logs and of Discord")
    for one in verdict.faults[:_MOST_TOLD] + outcome.problems[:_MOST_TOLD]:
        print(f"  {one}")
    return not verdict.faults and not outcome.problems


def main() -> int:
    """Try what was chosen."""
    parser = argparse.ArgumentParser(prog="python -m tests.nemesis", description=__doc__)
    parser.add_argument("--database", choices=KINDS, action="append", help="both if not given")
    parser.add_argument("--seconds", type=float, default=600.0, help="of each; 600")
    parser.add_argument("--moves", type=int, default=0, help="ends after so many as well")
    parser.add_argument("--games", type=int, default=40, help="at once; 40")
    parser.add_argument("--think", type=float, default=0.5, help="seconds between moves; 0.5")
    parser.add_argument("--every", type=float, default=5.0, help="seconds between faults; 5")
    parser.add_argument("--away", type=float, default=30.0, help="of the database, at most; 30")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--data", type=Path, help="a data folder where the rules are solved")
    given = vars(parser.parse_args())
    kinds, data = given.pop("database") or KINDS, given.pop("data")
    print(f"farkle-advisor, {datetime.now().astimezone():%Y-%m-%d %H:%M}\n{machine()}")
    is_well = True
    with tempfile.TemporaryDirectory() as name:
        solved = find_data(Path(name), data, [RULES, "facebook"])
        for kind in kinds:
            if kind == "postgresql" and WHY_NOT:
                print(f"\n{kind}: {WHY_NOT}")
                continue
            folder = Path(tempfile.mkdtemp(dir=name))
            (folder / "strategies").symlink_to((solved / "strategies").absolute())
            trial, begun = Trial(kind, **given), time.monotonic()
            outcome = asyncio.run(try_out(trial, folder))
            is_well = report(trial, outcome, time.monotonic() - begun) and is_well
    print(f"\nload average {os.getloadavg()[0]:.2f} at the end")
    return 0 if is_well else 1


if __name__ == "__main__":
    sys.exit(main())
