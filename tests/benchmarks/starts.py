"""Measures how soon the program answers from its start: a part of `make bench`.

What Python and NumPy take by themselves is the floor, measured by turns with the rest: the ratio to
it says how much the program adds, whatever the machine.
"""

import argparse
import os
import pty
import select
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from functools import partial
from pathlib import Path

from tests.benchmarks.chat import find_data
from tests.benchmarks.figures import Bench, heading, machine, show

ADVICE = ("advise", "6", "5", "3", "3", "3", "2")
SECONDS_ADVICE = 0.3
SECONDS_PROMPT = 0.5
_PATIENCE = 60.0
_ENDS = b"\x04"
"""What a terminal sends for the end of input."""


def process(arguments: list[str], environment: dict[str, str]) -> float:
    """Seconds from the start of a Python process to its end, with nothing on standard input."""
    begun = time.perf_counter()
    subprocess.run(
        [sys.executable, *arguments],
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        check=True,
    )
    return time.perf_counter() - begun


def prompt(environment: dict[str, str]) -> float:
    """Seconds until the chat shows its prompt in a terminal."""
    here, there = pty.openpty()
    begun = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-m", "bot", "chat"],
        env=environment | {"TERM": "xterm", "PROMPT_TOOLKIT_NO_CPR": "1"},
        stdin=there,
        stdout=there,
        stderr=there,
        start_new_session=True,
    ) as chat:
        os.close(there)
        shown = b""
        # the prompt comes after the terminal was told how to paste
        while b">" not in shown.partition(b"\x1b[?2004h")[2]:
            if not select.select([here], [], [], _PATIENCE)[0]:
                chat.kill()
                raise TimeoutError(f"no prompt, only {shown!r}")
            shown += os.read(here, 4096)
        seconds = time.perf_counter() - begun
        os.write(here, _ENDS)
        with suppress(OSError):  # it has ended
            while os.read(here, 4096):
                pass
    os.close(here)
    return seconds


def by_turns(ways: dict[str, Callable[[], float]], rounds: int) -> dict[str, float]:
    """The median of what each way takes, after one round that nobody measures."""
    found: dict[str, list[float]] = {name: [] for name in ways}
    for number in range(rounds + 1):
        for name, way in ways.items():
            seconds = way()
            if number:
                found[name].append(seconds)
    return {name: statistics.median(seconds) for name, seconds in found.items()}


def report_starts(bench: Bench, data: Path, rounds: int) -> None:
    """The command line and the chat, with the default rules solved."""
    heading(f"From the start of a process, medians of {rounds}, by turns")
    (folder := bench.folder / "starts").mkdir()
    (folder / "strategies").symlink_to((data / "strategies").absolute())
    environment = os.environ | {"FARKLE_DATA": str(folder)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # or all is compiled at every start
    ways: dict[str, Callable[[], float]] = {
        "numpy": partial(process, ["-c", "import numpy"], environment),
        "advise": partial(process, ["-m", "bot", *ADVICE], environment),
        "prompt": partial(prompt, environment),
        "pipe": partial(process, ["-m", "bot", "chat"], environment),
    }
    found = by_turns(ways, rounds)
    floor = ("Python that imports numpy", found["numpy"])
    show(floor[0], floor[1], "s")
    bench.at_most("farkle advise, to its end", found["advise"], SECONDS_ADVICE, "s", floor)
    bench.at_most("farkle chat, to its prompt", found["prompt"], SECONDS_PROMPT, "s", floor)
    show("farkle chat, without a line", found["pipe"], "s")


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.starts", description=__doc__)
    parser.add_argument("--data", type=Path, help="a data folder where facebook is solved")
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    parser.add_argument("--lenient", action="store_true", help="exit with 0 in any case")
    chosen = parser.parse_args()
    print(f"farkle-advisor, {datetime.now().astimezone():%Y-%m-%d %H:%M}\n{machine()}")
    with tempfile.TemporaryDirectory() as name:
        bench = Bench(Path(name))
        data = find_data(bench.folder, chosen.data, ["facebook"])
        report_starts(bench, data, 5 if chosen.quick else 15)
    print(f"\nload average {os.getloadavg()[0]:.2f} at the end")
    print(f"Broken: {'; '.join(bench.broken)}" if bench.broken else "All limits hold.")
    return 1 if bench.broken and not chosen.lenient else 0


if __name__ == "__main__":
    sys.exit(main())
