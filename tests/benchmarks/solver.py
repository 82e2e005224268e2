"""Measures what the project promises about speed and memory: `make bench`.

Every figure comes from a process of its own, so that none finds another's memory, compiled code or
threads. Seconds are those of the clock: a machine that is busy otherwise breaks limits that hold on
an idle one, so the load average stands above the figures and the processor time beside some.
"""

import argparse
import json
import math
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from solver.batch.local import solve_here
from solver.batch.subjects import GameOfSeveral, GameOfTwo
from solver.game.position import Position, first_position
from solver.game.standings import (
    DEFAULT_TOLERANCE,
    Progress,
    Solution,
    Standing,
    first_standing,
    standing_index,
)
from solver.loaded.matchup import Matchup
from solver.many_strategy import open_many, save_many
from solver.play.advice import advise
from solver.play.best_response import best_response
from solver.play.policies import MaxPoints, Optimal
from solver.rules.file import load_rules, make_rules
from solver.rules.ruleset import Ruleset
from solver.strategy import open_strategy, save_strategy
from solver.turn.dice import DiceSet, Die, TurnState, make_dice_set
from solver.turn.endless import endless_turn
from solver.turn.equations import TurnPlan, solve_turn, turn_plan
from solver.turn.long_run import long_run
from tests.benchmarks.figures import Bench, Figures, heading, machine, note, show, times
from tests.loaded_dice import GAME_DICE
from tests.usual import USUAL

PUBLISHED_SECONDS = 5 * 3600 + 37 * 60
"""What the C++ program of 2016 took for Facebook at floor -2500, on one core of 2013."""

SMALL: dict[str, Any] = {"goal": 8000, "score_floor": -500}
"""Changes that leave a rule set all its kernels and less to solve."""

ROUGH = 1.0
"""A tolerance for the fewest sweeps."""

CHILD_TIMEOUT = 1800

PAIRS: dict[str, Any] = {"dice": "aabb", "points": 300}
STRAIGHT: dict[str, Any] = {"scoring": {"straight_1_6": 1500}}


def _pairs(**more: str) -> dict[str, Any]:
    return {"scoring": {"combination": [PAIRS | more]}}


LAYERED: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "three throws": ({"throws": 3}, {}),
    "pairs at first": (_pairs(when="first_throw"), _pairs()),
    "pairs to confirm": (_pairs(then="roll_on"), _pairs()),
    "hot dice, 2, 3 times": ({"hot_dice_times": (2, 3)}, {}),
    "a set held": ({"held_sets": "linear"}, {}),
    "a straight to fill": (STRAIGHT | {"fill_straight": 2}, STRAIGHT),
    "throws that combine": ({"combine_throws": True}, {}),
    "pairs to confirm, throws": (_pairs(then="roll_on") | {"throws": 3}, _pairs()),
}
"""Options by which turns of classic have layers, and what else is said, with them and without."""

NINE_DICE: dict[str, Any] = {"dice": 9, "scoring": {"more_of_a_kind": "doubling"}}

# What children measure


def measure_solve(
    rules: str,
    kernels: str,
    changes: Figures,
    threads: int,
    begun: float,
    save: str | None = None,
    tolerance: float = DEFAULT_TOLERANCE,
) -> Figures:
    """One solve; `begun` is when the parent started this process."""
    from solver.game import sweeps  # noqa: F401, PLC0415 - to see what the libraries take

    libraries = _peak_memory()
    ready: list[float] = []

    def progress(_: Progress) -> None:
        if not ready:
            ready.append(time.time() - begun)

    solution = solve_here(
        GameOfTwo(_variant(rules, changes), tolerance),
        cache=Path(kernels),
        threads=threads,
        on_progress=progress,
    )
    memory = _peak_memory()
    if save:
        save_strategy(solution, Path(save))
    return {
        "seconds": solution.seconds,
        "sweeps": solution.sweeps,
        "first_player": _first_player(solution),
        "ready": ready[0],
        "elapsed": time.time() - begun,
        "libraries": libraries,
        "memory": memory,
    }


def measure_threads(kernels: str, repetitions: int) -> Figures:
    """States per second of rough solves with one thread and with two, by turns."""
    rough = GameOfTwo(load_rules("facebook"), ROUGH)
    one: list[float] = []
    two: list[float] = []
    busy: list[float] = []
    for _ in range(repetitions):
        for threads, rates in ((1, one), (2, two)):
            before = time.process_time()
            solution = solve_here(rough, cache=Path(kernels), threads=threads)
            rates.append(solution.states_solved / solution.seconds)
            if threads == 1:
                busy.append(solution.states_solved / (time.process_time() - before))
    return {
        "one": max(one),
        "busy": max(busy),
        "ratio": statistics.median(b / a for a, b in zip(one, two, strict=True)),
        "sweeps": solution.sweeps,
    }


def measure_sweeps(kernels: str) -> Figures:
    """Processor time of a whole solve of facebook in sweeps that leave nothing out, one thread."""
    from solver.game.endgame import endgame  # noqa: PLC0415 - loads numba
    from solver.game.kernel_source import Turns  # noqa: PLC0415
    from solver.game.layout import Contest, as_is_best  # noqa: PLC0415
    from solver.game.sweeping import Sweeps  # noqa: PLC0415

    rules = load_rules("facebook")
    ends, contest = endgame(rules), Contest(as_is_best(), as_is_best())
    sweeps = Sweeps(rules, ends, [ends.lasts], contest, Path(kernels), 1, lambda _: None)
    sweeps.turns = Turns(*[sweeps.turns.whole] * len(sweeps.turns))
    whole: list[float] = []

    def sweep() -> None:
        begun = time.process_time()
        sweeps.run(None, -1.0)
        whole.append(time.process_time() - begun)

    for _ in range(3):
        sweep()
    started = time.process_time()
    solve_here(GameOfTwo(rules), cache=Path(kernels), threads=1)
    solving = time.process_time() - started
    for _ in range(3):
        sweep()
    return {"sweep": statistics.median(whole), "solve": solving}


def measure_layers(kernels: str, repetitions: int) -> Figures:
    """Processor time of classic with each of LAYERED in that without it, in turns, one thread.

    Each with the layers of its turns; last, seconds of that of nine dice.
    """
    from solver.turn.memory import memories  # noqa: PLC0415 - as numba above

    def solve(changes: dict[str, Any]) -> float:
        rules = _variant("classic", {"goal": 10_000} | changes)
        turn_plan(rules)
        begun = time.process_time()
        solve_here(GameOfTwo(rules), cache=Path(kernels), threads=1)
        return time.process_time() - begun

    found: Figures = {}
    for name, (more, usual) in LAYERED.items():
        ratios = [solve(more) / solve(usual) for _ in range(1 + repetitions)][1:]  # one compiles
        layers = len(memories(_variant("classic", more).of_turn))
        found[name] = layers, statistics.median(ratios)
    found["nine"] = [solve(NINE_DICE) for _ in range(2)][1]
    return found


def measure_answers(strategies: str) -> Figures:
    """Opening a strategy file, and the table of a whole turn at 0:0."""
    rules, opening, turn = load_rules("facebook"), [], []
    for _ in range(200):
        begun = time.perf_counter()
        strategy = open_strategy(Path(strategies), rules)
        opened = time.perf_counter()
        strategy.turn(Position.of_two())
        turn.append(time.perf_counter() - opened)
        opening.append(opened - begun)
    return {
        "first_open": opening[0],
        "open": statistics.median(opening[1:]),
        "first_turn": turn[0],
        "turn": statistics.median(turn[1:]),
    }


def measure_points() -> Figures:
    """Seconds for a turn for most points of each preset, with its chances and the long run."""
    seconds = {}
    for name in USUAL:
        rules = load_rules(name)
        begun = time.perf_counter()
        turn = endless_turn(rules)
        turn.bank_from()
        points = long_run(rules).points if rules.penalty_points else turn.points
        seconds[name] = time.perf_counter() - begun
        if not 0 < points <= turn.points:
            raise ValueError(f"{name}: {points} points a turn in the long run")
    return seconds


def measure_duel(kernels: str, strategies: str, begun: float) -> Figures:
    """Optimal play against max-points, facebook at full size; as a process from its start."""
    rules = load_rules("facebook")
    players = Optimal(open_strategy(Path(strategies), rules)), MaxPoints()
    from solver.play.contests import duel  # noqa: PLC0415 - loads numba

    found = duel(rules, *players, cache=Path(kernels))
    return {
        "overall": found.overall,
        "sweeps": found.sweeps,
        "elapsed": time.time() - begun,
        "memory": _peak_memory(),
    }


def measure_best_response(kernels: str, strategies: str, begun: float) -> Figures:
    """The best response to max-points, facebook at full size, with what optimal play wins."""
    rules = load_rules("facebook")
    strategy = open_strategy(Path(strategies), rules)
    found, _ = best_response(MaxPoints(), strategy, cache=Path(kernels))
    return {
        "overall": found.best.overall,
        "sweeps": found.best.sweeps,
        "elapsed": time.time() - begun,
        "memory": _peak_memory(),
    }


def measure_many(rules: str, kernels: str, changes: Figures, folder: str) -> Figures:
    """One solve for three players, and answers from its strategy file."""
    chosen = _variant(rules, changes)
    solution = solve_here(GameOfSeveral(chosen, 3), cache=Path(kernels))
    save_many(solution, Path(folder))
    strategy, answers = open_many(Path(folder), chosen, 3), []
    step = chosen.point_step
    for number in range(min(20, chosen.winning_score // step)):
        scores = (number * step, 0, 5 * step)
        position = Position(tuple(map(Standing, scores)), 0, TurnState(0, chosen.dice))
        begun = time.perf_counter()
        advise(strategy, position, (5, 4, 3, 3, 2, 1))
        answers.append(time.perf_counter() - begun)
    return {
        "seconds": solution.seconds,
        "memory": _peak_memory(),
        "mixed": solution.mixed,
        "answer": max(answers),
        "start": strategy.chances(first_position(chosen, 3)).tolist(),
    }


def measure_kernels(kernels: str, strategies: str) -> Figures:
    """States per second of the turn at 0:0: generated, in NumPy and looping over the lists."""
    os.environ.setdefault("NUMBA_CACHE_DIR", kernels)
    import numba  # noqa: PLC0415 - children that do not need it should not load it

    from solver.game.kernel_source import load_turn  # noqa: PLC0415
    from solver.game.lanes import LANES  # noqa: PLC0415
    from solver.game.layout import lists_of  # noqa: PLC0415

    rules = load_rules("facebook")
    plan, table = turn_plan(rules), open_strategy(Path(strategies), rules).turn(Position.of_two())
    ends, dice = table.ends, plan.columns
    totals = len(ends.bank)
    steps = totals - plan.reach
    bank = np.nan_to_num(ends.bank)
    values = table.win_probability[0].copy()
    values[:steps] = 0
    in_lanes = values.repeat(LANES)
    bank_in_lanes, farkle_in_lanes = bank.repeat(LANES), ends.farkle.repeat(LANES)
    lost = np.full(LANES, ends.lost[0])
    turn, loop = load_turn(plan, Path(kernels)), numba.njit(error_model="numpy")(_turn_by_lists)
    lists, in_code = _lists(plan), lists_of(plan)
    flat = values.ravel()

    def generated() -> None:
        turn(in_lanes, in_lanes, bank_in_lanes, farkle_in_lanes, lost, in_code, steps)

    def by_lists() -> None:
        loop(flat, bank, ends.farkle, steps, plan.farkle_chances, *lists)

    ways: dict[str, tuple[Callable[[], object], int, int]] = {
        "generated": (generated, LANES, 100),
        "numpy": (lambda: solve_turn(plan, ends), 1, 5),
        "lists": (by_lists, 1, 20),
    }
    for way, _, _ in ways.values():
        way()
    expected = table.win_probability[0]
    np.testing.assert_allclose(in_lanes.reshape(totals, dice, LANES)[..., 0], expected, rtol=1e-12)
    np.testing.assert_allclose(flat.reshape(totals, dice), expected, rtol=1e-12)
    best = dict.fromkeys(ways, math.inf)
    for _ in range(20):  # by turns: what else the machine does hits all of them
        for name, (way, _, calls) in ways.items():
            begun = time.perf_counter()
            for _ in range(calls):
                way()
            best[name] = min(best[name], (time.perf_counter() - begun) / calls)
    return {name: lanes * steps * dice / best[name] for name, (_, lanes, _) in ways.items()}


def measure_loaded(kernels: str, *, quick: bool) -> Figures:
    """Seconds for points of sets, and for match-ups of sets with so many types of dice."""
    from solver.loaded.game import solve_matchup  # noqa: PLC0415 - as numba above
    from solver.loaded.points import points_of_sets  # noqa: PLC0415

    def sets(types: int) -> tuple[DiceSet, DiceSet]:
        dice = [[Die(GAME_DICE[first + k % types]) for k in range(6)] for first in (1, 10)]
        return make_dice_set(dice[0]), make_dice_set(dice[1])

    def solve(types: int, goal: int) -> float:
        matchup = Matchup(_variant("kcd", {"goal": goal}), sets(types))
        return solve_matchup(matchup, cache=Path(kernels)).seconds

    rules = load_rules("kcd")
    for types in (1, 3, 6):  # compiles, and finds the lists of their shapes
        points_of_sets(rules, sets(types)[:1])
    solve(1, 500)
    solve(3, 500)
    begun = time.perf_counter()
    points_of_sets(rules, sets(6)[1:])
    found = {"points": time.perf_counter() - begun, "one": solve(1, 4000), "three": solve(3, 4000)}
    if not quick:
        begun = time.perf_counter()
        some = set(map(make_dice_set, combinations(map(Die, GAME_DICE[:12]), rules.dice)))
        found["sets"] = len(points_of_sets(rules, list(some)))
        found |= {"rank": time.perf_counter() - begun, "six": solve(6, 4000)}
        found["long"] = solve(3, 8000)
    return found


def _lists(plan: TurnPlan) -> tuple[Any, ...]:
    """Targets, list after list; where lists start and end; their chance and their dice."""
    bounds = np.append(plan.starts, len(plan.options))
    return plan.targets[plan.options], bounds, plan.chances.max(0), plan.chances.argmax(0)


def _turn_by_lists(
    values: Any,
    bank: Any,
    farkle: Any,
    steps: int,
    farkle_chances: Any,
    targets: Any,
    bounds: Any,
    chances: Any,
    number: Any,
) -> None:
    """A turn as one would write it first, for numba: one state, one list, one target at a time."""
    dice = len(farkle_chances)
    for t in range(steps - 1, -1, -1):
        first = t * dice
        for n in range(dice):
            values[first + n] = farkle_chances[n] * farkle[t]
        for k in range(len(chances)):
            best = 0.0
            for place in range(bounds[k], bounds[k + 1]):
                best = max(best, values[first + targets[place]])
            values[first + number[k]] += chances[k] * best
        for n in range(dice):
            values[first + n] = max(bank[t], values[first + n])


def _variant(rules: str, changes: Figures) -> Ruleset:
    return make_rules(load_rules(rules).model_dump() | changes, rules)


def _first_player(solution: Solution) -> float:
    """Win probability of who begins, at the start of the game."""
    place = standing_index(solution.rules, first_standing(solution.rules))
    return float(solution.values[0, place, place])


def _peak_memory() -> float:
    """Most memory that this process ever held, in MB.

    Linux hands a child the peak of its parent, which is less as it loads no numba.
    """
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


MEASURES: dict[str, Callable[..., Figures]] = {
    "solve": measure_solve,
    "threads": measure_threads,
    "sweeps": measure_sweeps,
    "layers": measure_layers,
    "answers": measure_answers,
    "duel": measure_duel,
    "best response": measure_best_response,
    "many": measure_many,
    "kernels": measure_kernels,
    "points": measure_points,
    "loaded": measure_loaded,
}


# What the parent makes of it


@dataclass
class SolverBench(Bench):
    """Measures solves, each in a process of its own."""

    threads: int = 1
    facebook: tuple[str, float] | None = None
    """With what other solves are compared: the name of that of Facebook, and its seconds."""

    def child(self, measure: str, **arguments: Any) -> Figures:
        """Measure in a fresh process."""
        environment = os.environ | {"NUMBA_CACHE_DIR": str(self.folder / "numba")}
        command = [
            sys.executable,
            "-m",
            "tests.benchmarks.solver",
            "--child",
            measure,
            json.dumps(arguments),
        ]
        done = subprocess.run(
            command, env=environment, stdout=subprocess.PIPE, timeout=CHILD_TIMEOUT, check=True
        )
        found: Figures = json.loads(done.stdout)
        return found

    def solve(self, rules: str, *, kernels: str = "kernels", **more: Any) -> Figures:
        """Solve in a fresh process, with the rule set's kernel in the folder `kernels`."""
        arguments = {"changes": {}, "threads": self.threads, "begun": time.time()} | more
        kernels = str(self.folder / kernels)
        return self.child("solve", rules=rules, kernels=kernels, **arguments)

    def warm(self, rules: str, **changes: Any) -> Figures:
        """Solve once the kernels are compiled."""
        floor = SMALL["score_floor"] if _variant(rules, changes).farkle_penalty else 0
        self.solve(rules, changes=changes | SMALL | {"score_floor": floor}, tolerance=ROUGH)
        return self.solve(rules, changes=changes)


def report_compiling(bench: SolverBench) -> None:
    """The first solves of a smaller facebook, all but solved. Compiles what others need."""
    heading("Compiling: seconds more than a process that finds all its code")
    cold = bench.solve("facebook", changes=SMALL, tolerance=ROUGH, kernels="cold")
    fresh = bench.solve("facebook", changes=SMALL, tolerance=ROUGH)
    warm = bench.solve("facebook", changes=SMALL, tolerance=ROUGH)
    known = ("a process that finds all", warm["elapsed"])
    bench.at_most("a rule set never seen", fresh["elapsed"] - warm["elapsed"], 4, "s", known)
    bench.at_most("the next solve begins in", warm["ready"], 2, "s")
    show("nothing compiled at all", cold["elapsed"] - warm["elapsed"], "s")


def report_facebook(bench: SolverBench) -> None:
    """The solve that was published; leaves a strategy file."""
    heading(f"Solving to {DEFAULT_TOLERANCE:g}, code compiled, {_threads(bench.threads)}")
    found = bench.solve("facebook", save=str(bench.folder / "strategies"))
    bench.facebook = "facebook, floor -2,500", found["seconds"]
    bench.at_most(*bench.facebook, 15, "s")
    note(f"goal 8 s; {found['sweeps']} sweeps; first player {_percent(found)}")
    note(f"{PUBLISHED_SECONDS / found['seconds']:,.0f} times as fast as the published 5 h 37 min")
    libraries = ("the libraries alone", found["libraries"])
    bench.at_most("its peak memory", found["memory"], 300, "MB", libraries)


def report_solves(bench: SolverBench, *, quick: bool) -> None:
    """The other solves with a limit."""
    long = {"goal": 30_000, "farkle_penalty": None, "score_floor": 0}
    limits: dict[str, tuple[str, dict[str, Any], float]] = {
        "classic": ("classic", {}, 2),
        "kcd, goal 4,000": ("kcd", {"goal": 4000}, 0.5),
        "goal 30,000, no penalty": ("facebook", long, 20),
        "facebook, floor -10,000": ("facebook", {"score_floor": -10_000}, 90),
    }
    for what, (rules, changes, limit) in list(limits.items())[: 2 if quick else None]:
        seconds = bench.warm(rules, **changes)["seconds"]
        bench.at_most(what, seconds, limit, "s", bench.facebook)


def report_many(bench: SolverBench, *, quick: bool) -> None:
    """Three players, each of whom plays for the own chance to win."""
    heading("Three players, kcd to 4,000 and classic to 10,000, code compiled")
    limits = {"kcd": ("three players, kcd", 60.0)}
    if not quick:
        limits["classic"] = ("three players, classic", 600.0)
    folders = {"kernels": str(bench.folder / "kernels"), "folder": str(bench.folder / "strategies")}
    for name, (what, limit) in limits.items():
        bench.child("many", rules=name, changes={"goal": 500}, **folders)  # compiles
        found = bench.child("many", rules=name, changes={}, **folders)
        bench.at_most(what, found["seconds"], limit, "s")
        chances = ", ".join(f"{100 * chance:.3f}" for chance in found["start"])
        note(f"wins {chances} %; {found['mixed']} rings with a mixture")
        bench.at_most("its peak memory", found["memory"], 2000, "MB")
        bench.at_most("its slowest of 20 answers", found["answer"] * 1e3, 50, "ms")


def report_presets(bench: SolverBench) -> None:
    """All presets that no limit is set for."""
    heading("The other presets, likewise")
    for name in USUAL:
        if name not in {"facebook", "classic", "kcd"}:
            found = bench.warm(name)
            note = f"first player {_percent(found)}, {found['sweeps']} sweeps"
            show(name, found["seconds"], "s", note, bench.facebook)


def report_contests(bench: SolverBench, *, quick: bool) -> None:
    """Ways to play against each other, with the strategy file of report_facebook."""
    heading("Contests of facebook at full size, as processes, code compiled")
    limits = {"duel": ("optimal, max-points", 20.0)}
    if not quick:
        limits["best response"] = ("best to max-points", 60.0)
    folders = {key: str(bench.folder / key) for key in ("kernels", "strategies")}
    for measure, (what, limit) in limits.items():
        for _ in range(2):  # the first one compiles
            found = bench.child(measure, begun=time.time(), **folders)
        bench.at_most(what, found["elapsed"], limit, "s")
        note(f"{found['sweeps']} sweeps; wins {100 * found['overall']:.3f} %")
        bench.at_most("its peak memory", found["memory"], 1000, "MB")


def report_rates(bench: SolverBench, *, quick: bool) -> None:
    """States per second and what a second thread adds."""
    heading("States per second, in float64")
    repetitions = 1 if quick else 3
    found = bench.child("threads", kernels=str(bench.folder / "kernels"), repetitions=repetitions)
    bench.at_least("one thread, million", found["one"] / 1e6, 120, "/s")
    note(f"{found['busy'] / 1e6:,.0f} million per second of processor time")
    bench.at_least("two threads to one", found["ratio"], 1.7, "x")
    note(f"facebook in {found['sweeps']} sweeps, {times(repetitions)} each, by turns")


def report_sweeps(bench: SolverBench) -> None:
    """What a solve takes of sweeps that leave nothing out."""
    heading("A whole solve of facebook to 12 whole sweeps, processor time, one thread")
    found = bench.child("sweeps", kernels=str(bench.folder / "kernels"))
    bench.at_most("solve to 12 sweeps", found["solve"] / (12 * found["sweep"]), 0.45, "x")
    note(f"{found['solve']:.3g} s, one sweep {found['sweep']:.3g} s; goal 0.33")


def report_layers(bench: SolverBench, *, quick: bool) -> None:
    """What turns cost that remember something, and many dice."""
    heading("Turns with layers, in processor time of those without: classic to 10,000; nine dice")
    repetitions = 1 if quick else 3
    found = bench.child("layers", kernels=str(bench.folder / "kernels"), repetitions=repetitions)
    for name in LAYERED:
        layers, ratio = found[name]
        show(name, ratio, "x", f"{layers} layers")
    bench.at_most("nine dice, processor time", found["nine"], 60, "s")


def report_kernels(bench: SolverBench) -> None:
    """The ways to solve one turn."""
    heading("States per second of one turn, facebook at 0:0, one thread")
    folders = {key: str(bench.folder / key) for key in ("kernels", "strategies")}
    found = bench.child("kernels", **folders)
    generated = found["generated"]
    show("generated kernel, million", generated / 1e6, "/s", "16 states at once")
    for name, what in (("lists", "numba over lists, million"), ("numpy", "NumPy, million")):
        show(
            what,
            found[name] / 1e6,
            "/s",
            f"the generated kernel is {generated / found[name]:,.1f} times as fast",
        )


def report_answers(bench: SolverBench) -> None:
    """What a chat message waits for."""
    heading("Answering, medians of 200")
    found = bench.child("answers", strategies=str(bench.folder / "strategies"))
    bench.at_most("a whole turn at 0:0", found["turn"] * 1e3, 3, "ms")
    note(f"the first one {found['first_turn'] * 1e3:.3g} ms")
    bench.at_most("opening a strategy file", found["open"] * 1e3, 5, "ms")
    note(f"the first one {found['first_open'] * 1e3:.3g} ms")


def report_points(bench: SolverBench) -> None:
    """A turn for most points, of which each preset is the first of its rules."""
    heading("Points, a turn without a goal and the long run")
    found = bench.child("points")
    slowest = max(found, key=found.__getitem__)
    bench.at_most(f"the slowest preset, {slowest}", found[slowest], 1, "s")


def report_loaded(bench: SolverBench, *, quick: bool) -> None:
    """Loaded dice, whose shapes are known."""
    heading("Loaded dice under kcd rules, code compiled")
    found = bench.child("loaded", kernels=str(bench.folder / "kernels"), quick=quick)
    bench.at_most("points of six types", found["points"] * 1e3, 100, "ms")
    bench.at_most("one type, goal 4,000", found["one"], 0.5, "s")
    bench.at_most("three types, goal 4,000", found["three"], 15, "s")
    if quick:
        return
    bench.at_most(f"{found['sets']} sets by points", found["rank"], 60, "s")
    bench.at_most("six types, goal 4,000", found["six"], 60, "s")
    bench.at_most("three types, goal 8,000", found["long"], 120, "s")


def _percent(found: Figures) -> str:
    return f"{100 * found['first_player']:.4f} %"


def _threads(number: int) -> str:
    return "1 thread" if number == 1 else f"{number} threads"


def main() -> int:
    """Run the benchmark, or as a child one measurement."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.solver", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="leave out what takes long")
    parser.add_argument("--lenient", action="store_true", help="exit with 0 in any case")
    parser.add_argument("--only", default="", help="those parts alone that have this in their name")
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.child:
        measure, arguments = chosen.child
        print(json.dumps(MEASURES[measure](**json.loads(arguments))))
        return 0
    begun = time.perf_counter()
    print(f"farkle-advisor, {datetime.now().astimezone():%Y-%m-%d %H:%M}\n{machine()}")
    with tempfile.TemporaryDirectory() as folder:
        bench = SolverBench(Path(folder), threads=min(2, os.cpu_count() or 1))
        reports: list[Callable[[SolverBench], None]] = [
            report_compiling,
            report_facebook,
            partial(report_solves, quick=chosen.quick),
            partial(report_many, quick=chosen.quick),
            partial(report_contests, quick=chosen.quick),
            partial(report_rates, quick=chosen.quick),
            report_sweeps,
            partial(report_layers, quick=chosen.quick),
            report_kernels,
            report_answers,
            report_points,
            partial(report_loaded, quick=chosen.quick),
        ]
        for report in reports if chosen.quick else [*reports, report_presets]:
            if chosen.only not in getattr(report, "func", report).__name__:
                continue
            try:
                report(bench)
            except subprocess.SubprocessError as error:
                print(f"  failed: {type(error).__name__}, see above")
                bench.broken.append("a measurement failed")
    load = os.getloadavg()[0]
    print(f"\n{time.perf_counter() - begun:.0f} s in all, load average {load:.2f} at the end")
    if bench.broken:
        print(f"Broken: {'; '.join(bench.broken)}")
    else:
        print("All limits hold.")
    return 1 if bench.broken and not chosen.lenient else 0


if __name__ == "__main__":
    sys.exit(main())
