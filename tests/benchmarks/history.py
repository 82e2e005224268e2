"""Keeps what benchmarks measure, a line of JSON for each figure, and draws it.

`python -m tests.benchmarks.history --out history.png` draws a panel for each figure, run by run.
The file is benchmarks.jsonl in the data folder, which FARKLE_DATA names.
"""

import argparse
import json
import os
import platform
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from functools import cache
from math import ceil
from pathlib import Path
from typing import Any

from bot.settings import CHECKOUT, Settings, read_settings

FILE = "benchmarks.jsonl"

_COLUMNS = 4
_COLOURS = {"blue": "C0", "orange": "C1", "green": "C2", "red": "C3", "purple": "C4"}
"""The colours of machines."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A figure of a run."""

    at: str
    """When it was measured, as ISO text with a time zone."""
    commit: str | None
    """The commit of the code, with a + where that was changed since; None where there is no git."""
    machine: str
    load: float
    """Average of processes that wanted to run, in the minute before."""
    benchmark: str
    group: str
    """The heading above it."""
    name: str
    value: float
    unit: str
    limit: float | None = None
    is_least: bool = False
    """Whether the limit is one below which it should not be."""
    ratio: float | None = None
    """How many times as much it is as `than`, which depends less on the machine."""
    than: str | None = None
    """What was measured in the same run to compare it with."""

    @property
    def title(self) -> str:
        """What it is, without the run."""
        return f"{self.benchmark}: {self.name}"

    @property
    def holds(self) -> bool:
        """Whether it is within its limit."""
        if self.limit is None:
            return True
        return self.value >= self.limit if self.is_least else self.value <= self.limit

    @property
    def is_idle(self) -> bool:
        """Whether the machine had time for it."""
        cores = int(self.machine.rsplit(", ", 1)[-1].split()[0])
        return self.load < cores


class History:
    """Appends the figures of this run to a file."""

    def __init__(self, file: Path, benchmark: str) -> None:
        self._file = file
        self._benchmark = benchmark
        self._group = ""
        self._before = ""

    def heading(self, text: str) -> None:
        """What follows is of another group."""
        self._group, self._before = text, ""

    def figure(self, name: str, value: float, unit: str, **more: Any) -> None:
        """Append a figure; "its ..." belongs to the one before."""
        if name.startswith("its "):
            name = f"{self._before}, {name[4:]}"
        else:
            self._before = name
        entry = Entry(
            f"{datetime.now().astimezone():%Y-%m-%dT%H:%M:%S%z}",
            commit(),
            f"{processor()}, {os.cpu_count()} cores",
            round(os.getloadavg()[0], 2),
            self._benchmark,
            self._group,
            name,
            float(value),
            unit,
            **more,
        )
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with self._file.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(entry)) + "\n")


@cache
def history() -> History:
    """That of the benchmark which runs."""
    return History(history_file(), Path(sys.argv[0]).stem)


def history_file() -> Path:
    """Where figures are kept."""
    return read_settings(Settings).data / FILE


def read(file: Path) -> list[Entry]:
    """All figures of a file; of lines of other versions what both know."""
    known = {field.name for field in fields(Entry)}
    return [
        Entry(**{name: value for name, value in json.loads(line).items() if name in known})
        for line in file.read_text("utf-8").splitlines()
    ]


def draw(entries: Sequence[Entry], out: Path, *, ratios: bool = False) -> None:
    """Draw a panel for each figure, run by run, with its limit.

    ratios : draw what is known as a ratio to something of the same run as that

    What breaks a limit is a cross; what was measured on a busy machine is hollow.
    """
    from matplotlib.figure import Figure  # noqa: PLC0415 - what only appends does not need it

    titles = list(dict.fromkeys(entry.title for entry in entries))
    machines = list(dict.fromkeys(entry.machine for entry in entries))
    rows = ceil(len(titles) / _COLUMNS)
    figure = Figure(figsize=(4 * _COLUMNS, 2.3 * rows + 0.6), layout="constrained")
    panels = iter(figure.subplots(rows, _COLUMNS, squeeze=False).flat)
    for title, panel in zip(titles, panels, strict=False):
        _draw_figure(panel, title, [one for one in entries if one.title == title], machines, ratios)
    for panel in panels:
        panel.set_visible(False)
    told = [f"{_colour(number)[0]}: {machine}" for number, machine in enumerate(machines)]
    signs = "hollow: the machine was busy; cross: the limit, a dashed line, is broken"
    figure.suptitle("\n".join([", ".join(told), signs]), fontsize=9)
    figure.savefig(out)


def _draw_figure(
    panel: Any, title: str, runs: Sequence[Entry], machines: Sequence[str], ratios: bool
) -> None:
    last = runs[-1]
    as_ratio = ratios and last.ratio is not None
    values = [(one.ratio if as_ratio else one.value) or 0.0 for one in runs]
    for machine in machines:
        colour = _colour(machines.index(machine))[1]
        mine = [(at, one) for at, one in enumerate(runs) if one.machine == machine]
        panel.plot([at for at, _ in mine], [values[at] for at, _ in mine], color=colour, alpha=0.4)
        for at, one in mine:
            inside = colour if one.is_idle else "white"
            sign = "o" if one.holds else "X"
            panel.plot(at, values[at], sign, color=colour, markerfacecolor=inside)
    highest = max(values)
    if last.limit is not None and not as_ratio:
        panel.axhline(last.limit, color="0.5", linestyle="--", linewidth=1)
        highest = max(highest, last.limit)
    panel.set_title(title, fontsize=9)
    panel.set_ylabel(f"times {last.than}" if as_ratio else last.unit, fontsize=8)
    panel.set_ylim(0, 1.1 * highest or 1)
    panel.set_xlim(-0.5, len(runs) - 0.5)
    told = range(0, len(runs), ceil(len(runs) / 5))
    names = [f"{runs[at].at[5:10]}\n{runs[at].commit or ''}" for at in told]
    panel.set_xticks(told, names, fontsize=7)
    panel.tick_params(axis="y", labelsize=8)


def _colour(machine: int) -> tuple[str, str]:
    """The name of a machine's colour, and the same for matplotlib."""
    return list(_COLOURS.items())[machine % len(_COLOURS)]


@cache
def commit() -> str | None:
    """The commit of the code that runs, with a + where files differ from it; None without git."""
    try:
        found = subprocess.run(
            ["git", "describe", "--always", "--dirty=+", "--exclude=*"],  # noqa: S607
            cwd=CHECKOUT,
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return found.stdout.strip()


@cache
def processor() -> str:
    """What the machine computes with."""
    information = Path("/proc/cpuinfo")
    if information.is_file():
        for line in information.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def main() -> int:
    """Draw a history."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.history", description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="the picture: .png, .svg or .pdf")
    parser.add_argument("--file", type=Path, help="the history, if not in the data folder")
    parser.add_argument("--only", default="", help="a regular expression that titles fit")
    parser.add_argument("--ratios", action="store_true", help="ratios where they are known")
    chosen = parser.parse_args()
    file = chosen.file or history_file()
    if not file.is_file():
        print(f"there is no history {file}: make bench begins one", file=sys.stderr)
        return 2
    entries = [entry for entry in read(file) if re.search(chosen.only, entry.title)]
    if not entries:
        print(f'nothing in {file} fits "{chosen.only}"', file=sys.stderr)
        return 2
    draw(entries, chosen.out, ratios=chosen.ratios)
    print(f"{len(entries)} figures of {file} are in {chosen.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
