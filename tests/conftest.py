"""What many tests need: solved rule sets, found once a session."""

import json
import signal
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from solver.game.standings import Solution
from solver.game.sweeps import solve
from solver.rules.file import load_rules
from solver.rules.ruleset import Ruleset
from solver.strategy import Strategy, open_strategy, save_strategy
from tests.bot.chat import Chat, open_chat

# children of a test run in the background would ignore Ctrl-C, as shells make it there
signal.signal(signal.SIGINT, signal.default_int_handler)

SOLVED = ["arnold", "classic", "facebook", "kcd"]
"""Presets that are solved at full size for the tests; all of them are in tests marked slow."""


@pytest.fixture(scope="session")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for compiled code."""
    return tmp_path_factory.mktemp("kernels")


@pytest.fixture(scope="session")
def solutions(kernels: Path) -> dict[str, Solution]:
    """Most presets, solved at full size."""
    return {name: solve(load_rules(name), cache=kernels) for name in SOLVED}


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory, solutions: dict[str, Solution]) -> Path:
    """A data folder with the strategy files of these presets."""
    folder = tmp_path_factory.mktemp("data")
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
