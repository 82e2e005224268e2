"""What each optimisation of the solve for two players is worth.

`python -m tests.benchmarks.optimisations` switches each off alone; then those by which that is less
than LITTLE times slower are switched off together, and each of them on again alone. A solve is
measured by the processor time of one thread, in a process of its own, with its code compiled and
loaded; the median of some rounds, by turns. Prints a table in Markdown. With `--without rough,rest`
one process solves the games without these.
"""

import argparse
import inspect
import json
import os
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from typing import Any

GAMES: dict[str, tuple[str, dict[str, Any]]] = {
    "Facebook to 5,000": ("facebook", {"goal": 5000}),
    "kcd to 8,000": ("kcd", {"goal": 8000}),
    "one die": (
        "facebook",
        {
            "dice": 1,
            "goal": 400,
            "minimum_bank": 100,
            "score_floor": -200,
            "farkle_penalty": {"in_a_row": 2, "points": 100},
            "scoring": {"single": (100, 0, 0, 0, 0, 0), "three_of_a_kind": 0},
        },
    ),
}
"""With a penalty, without one, and one in which players hardly get on."""

Seconds = dict[str, float]
"""By game."""

LITTLE = 1.3
"""What is less than so many times slower alone is switched off together."""


@dataclass(frozen=True, slots=True)
class Optimisation:
    """Something that makes a solve faster, and that can be left out."""

    what: str
    """As it is called in docs/mathematics-exactness.md."""
    off: Callable[[], None]
    """Leaves it out of a process that has not solved anything yet."""
    owns: tuple[str, ...] = ()
    """Modules, and functions of modules, that would go with it."""
    more: int = 0
    """Lines of other functions that would go, as counted by hand."""
    needs: tuple[str, ...] = ()
    """What it is a part of."""

    @property
    def lines(self) -> int:
        """Return the number of lines that would go."""
        return self.more + sum(
            len(inspect.getsource(_named(name)).splitlines()) for name in self.owns
        )


def _named(name: str) -> Any:
    """A module of solver.game, or what is in one."""
    module, *parts = name.split(".")
    return reduce(getattr, parts, import_module(f"solver.game.{module}"))


def _set(place: str, value: Any) -> None:
    owner, _, name = place.rpartition(".")
    setattr(_named(owner), name, value)


def _without_first_guess() -> None:
    _set("sweep_kernels.guess_total", lambda *_: None)


def _without_rough_sweeps() -> None:
    _set("sweeps._ROUGH", 0)


def _without_rest() -> None:
    run = _named("sweeping.Sweeps").run

    def all_groups(self: Any, residual: Any, at_rest: float, *, rough: bool = False) -> float:
        return float(run(self, residual, min(at_rest, -1.0), rough=rough))

    _set("sweeping.Sweeps.run", all_groups)


def _without_corrections() -> None:
    _set("sweeps.is_corrected", lambda _: False)


def _without_jumps() -> None:
    _set("sweeps._extrapolate", lambda *_: False)


def _without_secants() -> None:
    """Have states of rules without a penalty solved just once in a sweep."""
    solve = _named("sweeping.Sweeps")._solve

    def plainly(self: Any, *given: Any) -> None:
        self.plain = True
        solve(self, *given)

    _set("sweeping.Sweeps._solve", plainly)


def _without_hot_best() -> None:
    from solver.game import kernel_source  # noqa: PLC0415

    weigh = kernel_source.turns_weigh

    def never(plan: Any) -> list[Any]:
        found = [one._replace(hot_best=False) for one in weigh(plan)]
        return list(dict.fromkeys(found))

    _set("kernel_source.turns_weigh", never)
    _set("bounds.turns_weigh", never)


def _without_few_dice() -> None:
    from solver.game import kernel_source  # noqa: PLC0415

    weigh = kernel_source.turns_weigh

    def never(plan: Any) -> list[Any]:
        return [one for one in weigh(plan) if one.rolled is None]

    _set("kernel_source.turns_weigh", never)
    _set("bounds.turns_weigh", never)


def _without_shared_products() -> None:
    from solver.game import kernel_source  # noqa: PLC0415

    def apart(plan: Any, weighed: Any) -> list[Any]:
        lists = kernel_source.rolled_lists(plan, weighed)
        return [(n, chance, [places]) for (n, places), chance in lists.items()]

    _set("kernel_source.rolled_terms", apart)


def _without_parts() -> None:
    _set("kernel_source.PARTS", 1)


def _without_together() -> None:
    for module in ("sweeping", "bounds"):
        _set(f"{module}.independent_totals", lambda *_: 1)


def _without_fewer_options() -> None:
    from solver.turn.equations import turn_plan  # noqa: PLC0415

    for module in ("sweeping", "sweeps", "bounds", "layout", "solvable", "endgame"):
        _set(f"{module}.turn_plan", lambda rules, **_: turn_plan(rules, all_options=True))


_STATEMENT = re.compile(r"([vhbf]|lost)\[(\d+)\]")


def _without_lane_code() -> None:
    """Have numba compile a loop over the lanes, with results apart from what is read."""
    from solver.game import kernel_source  # noqa: PLC0415
    from solver.game.lanes import LANES  # noqa: PLC0415

    make = kernel_source.turn_source

    def loops(*given: Any) -> str:
        source = make(*given)
        head, body, tail = re.split(r'roll = lane_code\("""\n|\n""", \(.*\)\)\n', source)
        statements = _STATEMENT.sub(r"\1[\2 + i]", body).splitlines()
        columns = given[0].columns
        statements = [re.sub(r"^v\[", "out[", one) for one in statements]
        if statements[-1].startswith("found"):
            statements.append("most = max(most, found)")
        lines = [
            *head.replace("from solver.game.lane_code import lane_code", "").splitlines(),
            "import numba",
            "import numpy as np",
            "@numba.njit(nogil=True, error_model='numpy', fastmath={'contract', 'nnan', 'ninf',"
            " 'nsz'})",
            "def roll(v, h, b, f, lost, out):",
            "    most = 0.0",
            f"    for i in range({LANES}):",
            *(f"        {one}" for one in statements),
            "    return most > 0.0",
        ]
        tail = tail.replace("    for t in", f"    out = np.empty({columns * LANES})\n    for t in")
        tail = tail.replace(
            "        if roll(v, h, b, f, lost):",
            f"        stop = roll(v, h, b, f, lost, out)\n"
            f"        for k in range({columns * LANES}):\n"
            "            v[k] = out[k]\n"
            "        if stop:",
        )
        return "\n".join([*lines, tail])

    _set("kernel_source.turn_source", loops)


def _without_straight_line() -> None:
    """Have a loop go through all lists, as it does for dice of one's own."""
    listed = _named("sweeping.LISTED")
    _set("sweeping.load_turns", lambda *_: listed)


_CODE = ("straight-line",)

OPTIMISATIONS = {
    "first-guess": Optimisation(
        "First guess from the odds", _without_first_guess, ("sweep_kernels.guess_total",), 9
    ),
    "rough": Optimisation(
        "Rough sweeps",
        _without_rough_sweeps,
        ("sweep_kernels.guess_between", "sweeping.Sweeps._in_order"),
        14,
    ),
    "rest": Optimisation("What rests is left out", _without_rest, (), 60),
    "corrections": Optimisation(
        "What a sweep leaves out is corrected",
        _without_corrections,
        ("sweeping.Correction", "response_kernels", "sweeping.Sweeps.correct"),
        20,
    ),
    "jumps": Optimisation(
        "Acceleration", _without_jumps, ("sweeps._extrapolate", "sweeps._jumps"), 8
    ),
    "secants": Optimisation(
        "Secant steps without a penalty",
        _without_secants,
        ("sweep_kernels.solve_total", "sweep_kernels._possible"),
        30,
    ),
    "few-dice": Optimisation(
        "Few dice are banked",
        _without_few_dice,
        ("kernels.rising",),
        40,
        _CODE,
    ),
    "hot-best": Optimisation("Hot dice are best", _without_hot_best, (), 14, _CODE),
    "straight-line": Optimisation(
        "Straight-line code", _without_straight_line, ("kernel_source", "lane_code"), -40
    ),
    "lane-code": Optimisation(
        "Vector instructions of its own", _without_lane_code, ("lane_code",), -10, _CODE
    ),
    "shared-products": Optimisation(
        "Lists of one chance share its product",
        _without_shared_products,
        ("kernel_source.rolled_terms",),
        16,
        _CODE,
    ),
    "parts": Optimisation("Sums in four parts", _without_parts, (), 6, _CODE),
    "together": Optimisation(
        "Totals that do not depend on each other are solved together",
        _without_together,
        ("layout.independent_totals",),
        12,
    ),
    "fewer-options": Optimisation(
        "Set-asides that are never best are left out", _without_fewer_options, (), 30
    ),
}

FIRST = "fewer-options"
"""What has to be switched off before others are loaded."""


def measure(without: Sequence[str], cache: Path) -> dict[str, float]:
    """Return the seconds of each game in this process, without some optimisations."""
    for name in sorted(without, key=lambda name: name != FIRST):
        OPTIMISATIONS[name].off()
    from solver.game.standings import score_count  # noqa: PLC0415
    from solver.rules.file import load_rules, make_rules  # noqa: PLC0415

    sweeping, sweeps = _named("sweeping"), _named("sweeps")
    load, loaded = sweeping.load_turns, dict[Any, Any]()

    def once(plan: Any, cache: Path, scores: int) -> Any:
        if (plan, scores) not in loaded:
            loaded[plan, scores] = load(plan, cache, scores)
        return loaded[plan, scores]

    sweeping.load_turns = once
    seconds = {}
    for title, (preset, changes) in GAMES.items():
        rules = make_rules(load_rules(preset).model_dump() | changes, preset)
        once(sweeping.turn_plan(rules), cache, score_count(rules))
        begun = time.process_time()
        sweeps.solve(rules, cache=cache, threads=1)
        seconds[title] = time.process_time() - begun
    return seconds


def _run(without: Sequence[str], cache: Path) -> Seconds:
    """Return what a copy of this process measures."""
    with get_context("fork").Pool(1) as pool:
        return pool.apply(measure, (without, cache))


def _medians(variants: Iterable[Sequence[str]], rounds: int, folder: Path) -> list[Seconds]:
    """Return what processes measure without these, by turns."""
    found: list[list[Seconds]] = [[] for _ in variants]
    for _ in range(rounds):
        for times, without in zip(found, variants, strict=True):
            times.append(_run(without, folder))
            print(without, times[-1], file=sys.stderr)
    return [
        {title: statistics.median(one[title] for one in times) for title in GAMES}
        for times in found
    ]


def _ratios(slow: Seconds, fast: Seconds) -> dict[str, float]:
    return {title: slow[title] / fast[title] for title in GAMES}


def report(rounds: int, folder: Path) -> str:
    """Return the table in Markdown."""
    parts = [
        [name, *(other for other, part in OPTIMISATIONS.items() if name in part.needs)]
        for name in OPTIMISATIONS
    ]
    import_module("solver.game.sweeps")  # copies of this process need not load it again
    every, *off = _medians([[], *parts], rounds, folder)
    alone = {name: _ratios(one, every) for name, one in zip(OPTIMISATIONS, off, strict=True)}
    little = [name for name, ratios in alone.items() if max(ratios.values()) < LITTLE]
    but_one = [[other for other in little if other != name] for name in little]
    least, *on = _medians([little, *but_one], rounds, folder)
    together = {name: _ratios(least, one) for name, one in zip(little, on, strict=True)}
    lines = [
        "| optimisation | lines | " + " | ".join([*GAMES, *GAMES]) + " |",
        "|---|---|" + "---|" * (2 * len(GAMES)),
    ]
    for name, one in OPTIMISATIONS.items():
        cells = [f"{ratio:.2f}" for ratio in alone[name].values()]
        cells += [f"{r:.2f}" for r in together[name].values()] if name in together else [""] * 3
        lines.append(f"| {one.what} | {one.lines} | {' | '.join(cells)} |")
    times = ", ".join(f"{title} {seconds:.2f} s" for title, seconds in every.items())
    without = ", ".join(f"{title} {ratio:.2f}" for title, ratio in _ratios(least, every).items())
    return "\n".join(
        [*lines, "", f"With all of them: {times}. Times slower without all these: {without}."]
    )


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--without", metavar="NAMES", help=", ".join(OPTIMISATIONS))
    parser.add_argument("--rounds", type=int, default=3)
    chosen = parser.parse_args()
    os.environ["NUMBA_NUM_THREADS"] = "1"
    os.environ["NUMBA_THREADING_LAYER"] = "workqueue"  # of which a process can be copied
    with tempfile.TemporaryDirectory() as folder:
        os.environ["NUMBA_CACHE_DIR"] = folder
        if chosen.without is None:
            print(report(chosen.rounds, Path(folder)))
        else:
            without = [name for name in chosen.without.split(",") if name]
            print(json.dumps(measure(without, Path(folder))))


if __name__ == "__main__":
    main()
