"""Measures a catalogue on a Dask cluster of this machine: a part of `make bench`.

Four workers of one thread each solve many rule sets, and so do four processes of a pool without
Dask, by turns in the same run: what the cluster takes beyond that is lost.
"""

import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import ExitStack, contextmanager
from datetime import datetime
from multiprocessing import get_context
from pathlib import Path

from bot.settings import CHECKOUT
from solver.batch.cluster import connected
from solver.batch.jobs import Job, Outcome, Solver, Watch, solve_jobs
from solver.batch.local import solve_here
from solver.batch.subjects import GameOfTwo
from solver.rules.file import load_rules, make_rules
from solver.rules.ruleset import Ruleset
from tests.benchmarks.figures import Bench, heading, machine, note, show, times

WORKERS = 4
RATIO = 1.1
"""The limit in times of a pool without Dask, once code is compiled."""
GOALS = {
    "kcd": (2000, 2500, 3000, 3500, 4000),
    "classic": (4000, 5000, 6000, 7000, 8000, 10_000),
}
"""Rule sets of two shapes, so that most of them find their code compiled."""

_SECONDS_TO_START = 60.0


class PoolSolver:
    """A Solver of solver.batch.jobs with processes of one thread each, and no more to it."""

    def __init__(self, pool: ProcessPoolExecutor, cache: Path) -> None:
        self._pool = pool
        self._cache = cache

    def __call__(
        self, jobs: Sequence[Job], watch: Watch
    ) -> Generator[tuple[Job, Outcome], None, None]:
        """Solve the jobs, as many at a time as there are processes."""
        found = {
            self._pool.submit(solve_here, job.subject, cache=self._cache, threads=1): job
            for job in sorted(jobs, key=lambda job: -job.subject.rules.goal)
        }
        for future in as_completed(found):
            watch.begin(found[future])
            yield found[future], future.result()


def catalogue() -> list[Ruleset]:
    """Many rule sets."""
    found = []
    for name, goals in GOALS.items():
        rules = load_rules(name)
        for goal in goals:
            changes = {"goal": goal, "name": f"{name}-{goal}"}
            found.append(make_rules(rules.model_dump() | changes, name))
    return found


@contextmanager
def cluster(folder: Path, **environment: str) -> Iterator[str]:
    """A scheduler and workers as people start them; gives its address."""
    file = folder / "scheduler.json"
    with ExitStack() as stack:

        def start(what: str, *arguments: str) -> None:
            log = stack.enter_context((folder / f"{what}.log").open("wb"))
            process = stack.enter_context(
                subprocess.Popen(
                    [
                        *(sys.executable, "-m", f"distributed.cli.{what}", *arguments),
                        *("--host", "127.0.0.1", "--no-dashboard"),
                    ],
                    env=os.environ | {"PYTHONPATH": str(CHECKOUT)} | environment,
                    cwd=folder,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                )
            )
            stack.callback(process.send_signal, signal.SIGINT)

        start("dask_scheduler", "--port", "0", "--scheduler-file", str(file))
        end = time.monotonic() + _SECONDS_TO_START
        while not file.is_file() and time.monotonic() < end:
            time.sleep(0.1)
        time.sleep(0.1)
        address = str(json.loads(file.read_text())["address"])
        start("dask_worker", address, "--nworkers", str(WORKERS), "--nthreads", "1")
        yield address


def seconds(rules: Sequence[Ruleset], folder: Path, solver: Solver) -> float:
    """What it takes to solve a catalogue and to write its strategy files."""
    jobs = [Job(number, one.name, GameOfTwo(one)) for number, one in enumerate(rules)]
    begun = time.perf_counter()
    for result in solve_jobs(jobs, folder, solver, again=True):
        if result.error:
            raise result.error
    return time.perf_counter() - begun


def report_cluster(bench: Bench, rounds: int) -> None:
    """Solves a catalogue by a cluster and by a pool, without compiled code and with it."""
    rules, folder = catalogue(), bench.folder
    heading(f"{len(rules)} rule sets, {WORKERS} processes of one thread, by turns")
    for name in ("kernels", "scratch"):
        (folder / name).mkdir(mode=0o700)
    with ExitStack() as stack:
        pool = stack.enter_context(
            ProcessPoolExecutor(WORKERS, get_context("spawn"), initializer=_leave_interrupts)
        )
        scratch = {"DASK_TEMPORARY_DIRECTORY": str(folder / "scratch"), "FARKLE_DATA": ""}
        address = stack.enter_context(cluster(folder, **scratch))
        # the pool's processes begin later: they load numba with this module, before they are told
        os.environ["NUMBA_CACHE_DIR"] = str(folder / "kernels")
        solver = stack.enter_context(connected(address, timeout=_SECONDS_TO_START))
        solver._client.wait_for_workers(WORKERS, _SECONDS_TO_START)
        ways: dict[str, Callable[[], float]] = {
            "pool": lambda: seconds(
                rules, folder / "by pool", PoolSolver(pool, folder / "kernels")
            ),
            "cluster": lambda: seconds(rules, folder / "by cluster", solver),
        }
        first = {name: way() for name, way in ways.items()}
        show("a pool that compiles", first["pool"], "s")
        bench.at_most(
            "the cluster that compiles",
            first["cluster"],
            1.5 * first["pool"],
            "s",
            ("the pool", first["pool"]),
        )
        warm: dict[str, list[float]] = {name: [] for name in ways}
        for _ in range(rounds):
            for name, way in ways.items():
                warm[name].append(way())
    ratio = statistics.median(a / b for a, b in zip(warm["cluster"], warm["pool"], strict=True))
    show("a pool, code compiled", statistics.median(warm["pool"]), "s")
    show("the cluster, code compiled", statistics.median(warm["cluster"]), "s")
    bench.at_most("the cluster to the pool", ratio, RATIO, "x")
    note(f"both {times(rounds)}")


def _leave_interrupts() -> None:
    """Leave them to the process that has the pool."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.cluster", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="one round")
    parser.add_argument("--lenient", action="store_true", help="exit with 0 in any case")
    chosen = parser.parse_args()
    print(f"farkle-advisor, {datetime.now().astimezone():%Y-%m-%d %H:%M}\n{machine()}")
    with tempfile.TemporaryDirectory() as name:
        bench = Bench(Path(name))
        report_cluster(bench, 1 if chosen.quick else chosen.rounds)
    print(f"\nload average {os.getloadavg()[0]:.2f} at the end")
    print(f"Broken: {'; '.join(bench.broken)}" if bench.broken else "All limits hold.")
    return 1 if bench.broken and not chosen.lenient else 0


if __name__ == "__main__":
    sys.exit(main())
