"""What tests of the whole program need."""

from pathlib import Path

import pytest

from solver.game.standings import Solution
from solver.strategy import save_strategy
from tests.conftest import rules_file


@pytest.fixture
def folder(tmp_path: Path, data: Path, tiny: Solution) -> Path:
    """A data folder with the rules tiny.toml, which are solved, and the presets that are."""
    strategies = tmp_path / "strategies"
    strategies.mkdir()
    for path in (data / "strategies").glob("[!.]*"):
        (strategies / path.name).symlink_to(path)
    save_strategy(tiny, strategies)
    rules_file(tmp_path / "tiny.toml")
    return tmp_path
