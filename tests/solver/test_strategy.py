import hashlib
import json
import multiprocessing
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import solver.solved
from solver.errors import MissingStrategyError, StrategyFileError
from solver.game.position import Position
from solver.game.standings import Solution, value_shape
from solver.rules.file import load_rules, with_floor
from solver.solved import open_solved, prepare_folder
from solver.strategy import (
    StrategyManifest,
    open_strategy,
    save_strategy,
    strategy_files,
    strategy_path,
    verify_strategy,
)


@pytest.fixture
def folder(tmp_path: Path, tiny: Solution) -> Path:
    save_strategy(tiny, tmp_path)
    return tmp_path


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name != ".lock")


def test_a_strategy_is_a_line_of_json_and_plain_numbers(tmp_path: Path, tiny: Solution) -> None:
    manifest, file = save_strategy(tiny, tmp_path)
    line, _, content = file.read_bytes().partition(b"\n")
    said = json.loads(line)
    values = np.frombuffer(content, "<f8").reshape(said["shapes"][0])
    np.testing.assert_array_equal(values, tiny.values)
    assert said["digest"] == tiny.rules.digest
    assert said["floor"] == -500
    assert said["sha256"] == hashlib.sha256(content).hexdigest()
    assert files(tmp_path) == [file.name]
    assert file == strategy_path(tmp_path, tiny.rules)
    assert verify_strategy(file) == manifest
    assert 8 * manifest.values == len(content)


def test_an_opened_strategy_answers_and_cannot_be_changed(folder: Path, tiny: Solution) -> None:
    strategy = open_strategy(folder, tiny.rules)
    assert strategy.win_probability(Position.of_two(dice=3)) == tiny.values[0, 10, 10]
    behind = Position.of_two(300, -100, 0, 1, 2, dice=3)
    assert strategy.win_probability(behind) == tiny.values[0, 20 + 16, 40 + 8]
    assert isinstance(strategy._values, np.memmap)
    with pytest.raises(ValueError, match="read-only"):
        strategy._values[0, 0, 0] = 0


def test_a_renamed_rule_set_finds_its_strategy(folder: Path, tiny: Solution) -> None:
    strategy = open_strategy(folder, tiny.rules.model_copy(update={"name": "other"}))
    assert strategy.rules.name == "other"


def test_the_most_exact_strategy_is_taken(tmp_path: Path, tiny: Solution) -> None:
    def saved(floor: int, tolerance: float) -> Path:
        rules = with_floor(tiny.rules, floor)
        values = np.full(value_shape(rules), 0.5)
        solution = replace(tiny, rules=rules, values=values, tolerance=tolerance)
        save_strategy(solution, tmp_path)
        return strategy_path(tmp_path, rules)

    def found() -> Path:
        return strategy_files(tmp_path, tiny.rules)[0]

    (tmp_path / f"{tiny.rules.digest[:16]}_floor0 (copy).json").write_text("stray")
    above = saved(-300, 1e-9)
    assert found() == above
    rough = saved(-900, 0.1)
    assert found() == above
    own = saved(-500, 1e-9)
    assert found() == own
    lower = saved(-700, 1e-9)
    assert found() == lower
    lower.write_text("damaged")
    assert found() == own
    assert rough.exists()


def test_a_missing_strategy_says_how_to_make_it(tmp_path: Path) -> None:
    with pytest.raises(MissingStrategyError, match="the rules kcd are not solved yet"):
        open_strategy(tmp_path / "absent", load_rules("kcd"))


def test_saving_again_leaves_one_strategy(folder: Path, tiny: Solution) -> None:
    before = files(folder)
    save_strategy(replace(tiny, values=tiny.values * 0.5), folder)
    assert files(folder) == before
    assert open_strategy(folder, tiny.rules).win_probability(Position.of_two(dice=3)) < 0.5


def test_a_truncated_file_is_refused(folder: Path, tiny: Solution) -> None:
    file = strategy_path(folder, tiny.rules)
    whole = file.read_bytes()
    for length in (0, 5, 64, 128, 1000, len(whole) // 2, len(whole) - 1):
        file.write_bytes(whole[:length])
        with pytest.raises(StrategyFileError, match="is damaged"):
            open_strategy(folder, tiny.rules)
    file.write_bytes(whole + b"\0")
    with pytest.raises(StrategyFileError, match="is damaged"):
        open_strategy(folder, tiny.rules)
    file.unlink()
    with pytest.raises(MissingStrategyError, match="are not solved yet"):
        open_strategy(folder, tiny.rules)


def test_a_foreign_file_is_refused(folder: Path, tiny: Solution) -> None:
    file = strategy_path(folder, tiny.rules)
    other = load_rules("kcd")
    shutil.copy(file, strategy_path(folder, other))
    with pytest.raises(StrategyFileError, match="is the strategy of something else, tiny rules"):
        open_strategy(folder, other)
    foreign = [b"%PDF-1.4" * 1000, b'{"format": "farkle-solved-99"}\n', b"\n", bytes(5000)]
    for content in foreign:
        file.write_bytes(content)
        with pytest.raises(StrategyFileError, match="is damaged, or not a file of this version"):
            open_strategy(folder, tiny.rules)
    with pytest.raises(StrategyFileError, match="cannot be read"):
        verify_strategy(folder / "absent.solved")


def test_values_that_are_no_probabilities_are_refused(folder: Path, tiny: Solution) -> None:
    save_strategy(replace(tiny, values=tiny.values + 1), folder)
    with pytest.raises(StrategyFileError, match="not probabilities"):
        open_strategy(folder, tiny.rules).turn(Position.of_two(dice=3))


def test_a_folder_that_cannot_be_written(tmp_path: Path, tiny: Solution) -> None:
    blocked = tmp_path / "file"
    blocked.touch()
    with pytest.raises(StrategyFileError, match="cannot be written"):
        prepare_folder(blocked / "strategies")
    with pytest.raises(StrategyFileError, match="cannot be written"):
        save_strategy(tiny, blocked / "strategies")


@pytest.mark.parametrize("limit", [5000, 100])
def test_a_full_disk_leaves_nothing_behind(folder: Path, tiny: Solution, limit: int) -> None:
    """A limit on the size of files makes the operating system refuse the write half way."""
    before = files(folder)
    script = """
import resource, sys
from dataclasses import replace
from pathlib import Path
from typing import Any
from solver.errors import StrategyFileError
from solver.game.standings import Solution, value_shape
from solver.strategy import open_strategy, save_strategy
from solver.rules.ruleset import Ruleset
folder = Path(sys.argv[1])
rules = Ruleset.model_validate_json(sys.argv[2])
values = open_strategy(folder, rules)._values
solution = Solution(rules, values * 0.5, 1e-9, 1, 0.0, 0.0, 1, 1.0)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]),) * 2)
try:
    save_strategy(solution, folder)
except StrategyFileError as error:
    sys.exit(str(error))
"""
    done = subprocess.run(
        [sys.executable, "-c", script, str(folder), tiny.rules.model_dump_json(), str(limit)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "cannot be written (File too large)" in done.stderr
    assert files(folder) == before
    verify_strategy(strategy_path(folder, tiny.rules))


_SERVER = multiprocessing.get_context("forkserver")
_SERVER.set_forkserver_preload([__name__])


def _save_often(solution: Solution, folder: Path, times: int) -> None:
    for _ in range(times):
        save_strategy(solution, folder)


@pytest.mark.slow
def test_solves_at_the_same_time_do_not_harm_each_other(tmp_path: Path, tiny: Solution) -> None:
    save_strategy(tiny, tmp_path)
    writers = [
        _SERVER.Process(
            target=_save_often, args=(replace(tiny, values=tiny.values * factor), tmp_path, 60)
        )
        for factor in (0.25, 0.5)
    ]
    for writer in writers:
        writer.start()
    seen = set()
    while any(writer.is_alive() for writer in writers):
        found = open_strategy(tmp_path, tiny.rules).win_probability(Position.of_two(dice=3))
        seen.add(round(float(found / tiny.values[0, 10, 10]), 9))
    for writer in writers:
        writer.join()
        assert writer.exitcode == 0
    assert seen <= {1.0, 0.25, 0.5}
    assert len(seen) > 1
    verify_strategy(strategy_path(tmp_path, tiny.rules))
    assert len(files(tmp_path)) == 1


def test_a_strategy_that_is_replaced_while_it_is_opened(
    folder: Path, tiny: Solution, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is opened is one file from its first byte to its last."""
    hash_values = solver.solved.sha256

    def hash_too_late(*args: Any, **kwargs: Any) -> Any:
        save_strategy(replace(tiny, values=tiny.values * 0.5), folder)
        return hash_values(*args, **kwargs)

    monkeypatch.setattr(solver.solved, "sha256", hash_too_late)
    opened = open_solved(strategy_path(folder, tiny.rules), StrategyManifest)
    np.testing.assert_array_equal(opened.arrays[0], tiny.values)
    assert not opened.is_unchanged
    np.testing.assert_array_equal(opened.as_it_is().arrays[0], tiny.values * 0.5)


def test_a_killed_writer_leaves_the_old_strategy_whole(tmp_path: Path, tiny: Solution) -> None:
    save_strategy(tiny, tmp_path)
    for milliseconds in (0, 3, 10, 30):
        writer = _SERVER.Process(
            target=_save_often, args=(replace(tiny, values=tiny.values * 0.5), tmp_path, 10**6)
        )
        writer.start()
        while open_strategy(tmp_path, tiny.rules).win_probability(Position.of_two(dice=3)) > 0.5:
            assert writer.is_alive()
        writer.join(milliseconds / 1000)
        writer.kill()
        writer.join()
        verify_strategy(strategy_path(tmp_path, tiny.rules))
        save_strategy(tiny, tmp_path)
        assert len(files(tmp_path)) == 1


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder(tmp_path: Path, tiny: Solution) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(StrategyFileError, match="Permission denied"):
        save_strategy(tiny, tmp_path)
