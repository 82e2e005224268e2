"""The program in a folder where somebody has put modules of the names that it imports."""

import subprocess
import sys
from pathlib import Path

import pytest

from bot.tasks.solving import solve_apart
from solver.batch.jobs import Watch
from solver.batch.subjects import GameOfTwo
from solver.game.standings import Solution
from solver.strategy import strategy_files
from tests.conftest import rules_file

NAMES = ["bot", "solver", "numpy", "numba", "json", "encodings", "sitecustomize", "pydantic"]


@pytest.fixture
def hostile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder: whatever is imported from it leaves a trace."""
    folder = tmp_path / "hostile"
    folder.mkdir()
    for name in NAMES:
        (folder / f"{name}.py").write_text(f"open({str(tmp_path / 'trace')!r}, 'w')\n1 / 0\n")
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.slow
async def test_solves_of_the_chat(hostile: Path, tiny: Solution, kernels: Path) -> None:
    strategies = Path("kept")  # below the current folder all the same
    await solve_apart(GameOfTwo(tiny.rules), strategies, kernels, Watch())
    assert strategy_files(hostile / "kept", tiny.rules)[0].is_file()
    assert not (hostile.parent / "trace").exists()


@pytest.mark.slow
@pytest.mark.usefixtures("tiny")
def test_solves_of_the_command_line(hostile: Path, tmp_path: Path) -> None:
    rules = rules_file(tmp_path / "tiny.toml")
    program = Path(sys.executable).with_name("farkle")
    ended = subprocess.run(
        [program, "solve", rules, "--out", "kept"], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    assert list(hostile.glob("kept/*.solved"))
    assert not (tmp_path / "trace").exists()
