"""What many tests need: solved rule sets, found once a session."""

from pathlib import Path
from typing import Any

import pytest

from solver.game import solve
from solver.rules import Ruleset, load_rules, preset_names
from solver.solution import Solution
from solver.strategy import Strategy, open_strategy, save_strategy


@pytest.fixture(scope="session")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for compiled code."""
    return tmp_path_factory.mktemp("kernels")


@pytest.fixture(scope="session")
def solutions(kernels: Path) -> dict[str, Solution]:
    """Every preset solved at full size."""
    return {name: solve(load_rules(name), cache=kernels) for name in preset_names()}


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory, solutions: dict[str, Solution]) -> Path:
    """A data folder with the strategy file of every preset."""
    folder = tmp_path_factory.mktemp("data")
    for solution in solutions.values():
        save_strategy(solution, folder / "strategies")
    return folder


@pytest.fixture(scope="session")
def strategies(data: Path) -> dict[str, Strategy]:
    """Every preset's strategy file, opened."""
    return {name: open_strategy(data / "strategies", load_rules(name)) for name in preset_names()}


@pytest.fixture(scope="session")
def tiny(kernels: Path) -> Solution:
    """A game that is solved in no time: three dice, to 500."""
    rules = variant("facebook", name="tiny", dice=3, goal=500, score_floor=-500, minimum_bank=100)
    return solve(rules, cache=kernels)


def variant(preset: str, **changes: Any) -> Ruleset:
    """A preset with some keys changed."""
    return Ruleset.model_validate(load_rules(preset).model_dump() | changes)
