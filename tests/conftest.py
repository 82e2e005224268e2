"""What many tests need: solved rule sets, found once a session."""

import gc
import hashlib
import json
import os
import platform
import shutil
import signal
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from filelock import FileLock
from hypothesis import settings

from solver.errors import InvalidPositionError, StrategyFileError
from solver.game import kernel_source
from solver.game.best import Strategy
from solver.game.position import Position, check_position, impossible_turn
from solver.game.standings import Solution
from solver.game.sweeps import solve
from solver.play import estimate, rough
from solver.rules.file import load_rules
from solver.rules.ruleset import Ruleset
from solver.solved import open_solved
from solver.strategy import StrategyManifest, open_strategy, save_strategy, strategy_path
from tests.bot.speaking import Chat, open_chat

# as seldom as the chat has it, see bot/wiring.py: thousands of tests are collected
gc.set_threshold(10_000, 20, 20)

# children of a test run in the background would ignore Ctrl-C, as shells make it there
signal.signal(signal.SIGINT, signal.default_int_handler)

# a question does not wait for a solve unless a test says so
os.environ["FARKLE_NEEDED_SECONDS"] = "0"

# heavy work is done where it is asked for unless a test says so: a worker has all to load first
os.environ["FARKLE_WORKERS"] = "0"

EVERY = "FARKLE_EVERY" in os.environ
"""Whether tests try all that they draw from, and not a share of it."""

only_with_every = pytest.mark.skipif(not EVERY, reason="takes long: with FARKLE_EVERY=1")
"""Beside tests that try the same in less time."""

# no test measures time: on a busy machine any example may take long
settings.register_profile("unhurried", deadline=None, max_examples=200 if EVERY else 50)
settings.load_profile("unhurried")

SOLVED = ["arnold", "classic", "facebook", "kcd"]
"""Presets that are solved at full size for the tests; all of them are in tests marked slow."""


def mostly_slow(cases: Iterable[tuple[str, Any]], every: int = 3, first: int = 0) -> list[Any]:
    """Named parameters: one of so many is in the quick suite, all others are in the slow one."""
    return [
        pytest.param(one, id=name, marks=() if number % every == first else pytest.mark.slow)
        for number, (name, one) in enumerate(cases)
    ]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave to the quick suite, and of the slow one without FARKLE_EVERY, one case of so many."""
    cases: dict[tuple[str, str], list[pytest.Item]] = {}
    for item in items:
        cases.setdefault((item.path.as_posix(), getattr(item, "originalname", "")), []).append(item)
    for of_one in cases.values():
        quick = [one for one in of_one if not one.get_closest_marker("slow")]
        for item in _but_one_of(quick, "mostly_slow"):
            item.add_marker(pytest.mark.slow)
        for item in _but_one_of(of_one, "mostly_skipped"):
            if item.get_closest_marker("slow"):
                item.add_marker(only_with_every)


def _but_one_of(items: list[pytest.Item], name: str) -> list[pytest.Item]:
    """Cases of a test but for one of as many as its mark of this name says; none without it."""
    mark = items[0].get_closest_marker(name) if items else None
    [every] = (mark.args or (3,)) if mark else (1,)
    return [item for number, item in enumerate(items) if number % every]


def rarely(names: Iterable[str], *seldom: str) -> list[Any]:
    """Named parameters of which some take long, and are tried with FARKLE_EVERY alone."""
    return [pytest.param(name, marks=only_with_every if name in seldom else ()) for name in names]


def check_reachable(rules: Ruleset, position: Position) -> None:
    """Refuse a position that no game comes to. Raises InvalidPositionError."""
    check_position(rules, position)
    if reason := impossible_turn(rules, position.turn):
        raise InvalidPositionError(reason)


_WEEK = 7 * 24 * 60 * 60


SOLVER = Path(__file__).parents[1] / "solver"


def _code(files: Iterable[Path]) -> str:
    """A hash of all that decides what this code comes to, but for the rules."""
    parts = [(str(file.relative_to(SOLVER)), file.read_bytes()) for file in sorted(files)]
    versions = numba.__version__, np.__version__, sys.version, platform.machine()
    digest = hashlib.sha256(repr((versions, parts)).encode())
    return digest.hexdigest()[:16]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One more than there are processors: for a third of their time tests wait."""
    return (os.cpu_count() or 1) + 1


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Thousands of tests and what they import stay: no collection has to go through them again."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def kept_folder(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for what is the same in every run of this very code; others may use it meanwhile."""
    cache: pytest.Cache | None = getattr(pytestconfig, "cache", None)
    if cache is None:
        return tmp_path_factory.mktemp("kept")
    folder = cache.mkdir("farkle")
    solves = [SOLVER / "errors.py", SOLVER / "strategy.py"]
    for part in ("rules", "turn", "game"):
        solves += (SOLVER / part).rglob("*.py")
    own = folder / _code(solves)
    own.mkdir(exist_ok=True)
    os.utime(own)
    for other in folder.iterdir():
        if other.stat().st_mtime < time.time() - _WEEK:
            shutil.rmtree(other, ignore_errors=True)
    return own


@pytest.fixture(scope="session")
def kernels(kept_folder: Path) -> Path:
    """A folder for compiled code."""
    folder = kept_folder / "kernels"
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


@pytest.fixture(scope="session", autouse=True)
def _code_is_loaded_once(kernels: Path) -> Iterator[None]:
    """Turns that are compiled in this folder are loaded once in each process, not by each solve."""
    load = kernel_source.load_function
    kept = lru_cache(None)(partial(load, folder=kernels))

    def loaded(source: str, folder: Path) -> Callable[..., Any]:
        return kept(source) if folder.resolve() == kernels.resolve() else load(source, folder)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernel_source, "load_function", loaded)
        yield


@pytest.fixture(scope="session")
def solutions(kept_folder: Path, kernels: Path) -> dict[str, Solution]:
    """Most presets, solved at full size."""
    # one run solves, and others that began meanwhile wait for it
    with FileLock(kept_folder / ".lock"):
        return {
            name: _solved(load_rules(name), kept_folder / "strategies", kernels) for name in SOLVED
        }


def _solved(rules: Ruleset, folder: Path, kernels: Path) -> Solution:
    """The solution that is kept, down to the hash of every byte, or else a new one."""
    path = strategy_path(folder, rules)
    try:
        opened = open_solved(path, StrategyManifest, anew=True)
    except StrategyFileError:
        solution = solve(rules, cache=kernels)
        save_strategy(solution, folder)
        return solution
    manifest = opened.manifest
    return Solution(
        rules,
        np.array(opened.arrays[0]),
        manifest.tolerance,
        manifest.sweeps,
        manifest.largest_relative_change,
        manifest.error_bound,
        manifest.states_solved,
        manifest.seconds,
    )


@pytest.fixture(scope="session", autouse=True)
def _rough_values_are_kept(kept_folder: Path) -> Iterator[None]:
    """Those of rules that are not solved: seconds for each, in each process.

    Estimates by them are the same in every test, and each process has them once.
    """
    folder = kept_folder / f"rough-{_code(SOLVER.rglob('*.py'))}"
    folder.mkdir(exist_ok=True)

    @lru_cache
    def kept(rules: Ruleset) -> Strategy:
        path = folder / f"{rules.digest}.npy"
        values = rough.RoughValues(rules)
        try:
            values.array[:] = np.load(path)
        except FileNotFoundError:
            found = original(rules)
            new = path.with_name(f"{os.getpid()}-{path.name}")
            np.save(new, found.current().array)
            new.replace(path)
            return found
        return Strategy(rules, values, rules.name)

    original = rough.rough_strategy
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rough, "rough_strategy", kept)
        patch.setattr(estimate, "EstimatedStrategy", lru_cache(16)(estimate.EstimatedStrategy))
        yield


@pytest.fixture(scope="session")
def data(
    tmp_path_factory: pytest.TempPathFactory, solutions: dict[str, Solution], kernels: Path
) -> Path:
    """A data folder with the strategy files of these presets, and the tests' compiled code."""
    folder = tmp_path_factory.mktemp("data")
    (folder / "kernels").symlink_to(kernels)
    for solution in solutions.values():
        save_strategy(solution, folder / "strategies")
    return folder


@pytest.fixture(scope="session")
def strategies(data: Path) -> dict[str, Strategy]:
    """The strategy files of these presets, opened."""
    return {name: open_strategy(data / "strategies", load_rules(name)) for name in SOLVED}


@pytest.fixture
async def chat(data: Path, tmp_path: Path) -> AsyncIterator[Chat]:
    """A chat with the strategies of these presets and no games yet."""
    (tmp_path / "kernels").symlink_to(data / "kernels")
    async with open_chat(tmp_path, data / "strategies") as opened:
        yield opened


@pytest.fixture(scope="session")
def tiny(kernels: Path) -> Solution:
    """A game that is solved in no time: three dice, to 500."""
    rules = variant("facebook", name="tiny", dice=3, goal=500, score_floor=-500, minimum_bank=100)
    return solve(rules, cache=kernels)


def variant(preset: str, **changes: Any) -> Ruleset:
    """A preset with some keys changed."""
    return Ruleset.model_validate(load_rules(preset).model_dump() | changes)


def rules_file(path: Path, **changes: Any) -> Path:
    """A TOML file of the tiny game with some keys changed."""
    keys: dict[str, Any] = {"goal": 500, "dice": 3, "minimum_bank": 100, "score_floor": -500}
    lines = [f"{key} = {json.dumps(value)}" for key, value in (keys | changes).items()]
    lines += ["[farkle_penalty]", "in_a_row = 3", "points = 500"]
    lines += ["[scoring]", 'more_of_a_kind = "linear"']
    path.write_text("\n".join(lines))
    return path
