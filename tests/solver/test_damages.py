"""Strategy files that are damaged, of another kind, or changed while they are open.

Such a file is refused in one sentence, or it answers exactly as before. Nothing else may happen.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import solver.solved
import solver.strategy
from bot.services.advisor import Advisor
from bot.services.situation import Situation
from solver.batch.jobs import Job, Status, solve_jobs
from solver.batch.subjects import GameOfTwo
from solver.errors import MissingStrategyError, StrategyFileError
from solver.game.position import Position
from solver.game.standings import Solution, value_shape
from solver.rules.file import with_floor
from solver.rules.ruleset import Ruleset
from solver.solved import has_whole
from solver.strategy import (
    open_strategy,
    save_strategy,
    strategy_files,
    strategy_path,
    verify_strategy,
)
from solver.turn.dice import TurnState
from tests.conftest import EVERY

START = Position.of_two(dice=3)


def is_solved(folder: Path, rules: Ruleset) -> bool:
    """Whether there is a sound strategy, as both say that look for one."""
    found = solver.strategy.is_solved(folder, rules)
    assert has_whole(folder, rules.digest, "floor*") is found
    return found


@dataclass(frozen=True)
class Saved:
    """A strategy in a folder of its own."""

    solution: Solution
    folder: Path
    file: Path

    @property
    def end(self) -> int:
        """Where the manifest ends and the values begin."""
        return self.file.read_bytes().index(b"\n") + 1

    def says(self, said: object) -> None:
        """Have the manifest say something else, or be another text."""
        line = said if isinstance(said, str) else json.dumps(said)
        values = self.file.read_bytes()[self.end :]
        self.file.write_bytes(line.encode() + b"\n" + values)

    def answers(self) -> list[float]:
        """What it answers: every start of a turn, and some of a turn."""
        strategy = open_strategy(self.folder, self.solution.rules)
        table = strategy.turn(START)
        return [*strategy._values.flat, *table.roll.flat, *table.win_probability.flat]


@pytest.fixture
def saved(tmp_path: Path, tiny: Solution) -> Saved:
    return Saved(tiny, tmp_path, save_strategy(tiny, tmp_path)[1])


# ---- Random damages --------------------------------------------------------------------------


def _flip(content: bytearray, random: Random) -> None:
    for _ in range(random.choice([1, 1, 1, 2, 8])):
        content[random.randrange(len(content))] ^= 1 << random.randrange(8)


def _truncate(content: bytearray, random: Random) -> None:
    del content[random.randrange(len(content)) :]


def _insert(content: bytearray, random: Random) -> None:
    at = random.randrange(len(content) + 1)
    content[at:at] = random.randbytes(random.choice([1, 1, 8, 100]))


def _remove(content: bytearray, random: Random) -> None:
    at = random.randrange(len(content))
    del content[at : at + random.choice([1, 1, 8, 100])]


def _zero(content: bytearray, random: Random) -> None:
    at, length = random.randrange(len(content)), random.choice([1, 8, 64, 512])
    content[at : at + length] = bytes(len(content[at : at + length]))


def _swap(content: bytearray, random: Random) -> None:
    length = random.choice([1, 8, 64, 512])
    one, two = sorted(random.randrange(max(1, len(content) - length)) for _ in range(2))
    if one + length <= two:
        first, second = content[one : one + length], content[two : two + length]
        content[one : one + length], content[two : two + length] = second, first


def _copy(content: bytearray, random: Random) -> None:
    length = random.choice([8, 64, 512])
    one, two = (random.randrange(max(1, len(content) - length)) for _ in range(2))
    content[one : one + length] = content[two : two + length]


def _append(content: bytearray, random: Random) -> None:
    content += random.randbytes(random.choice([1, 8, 4096]))


DAMAGES: list[Callable[[bytearray, Random], None]] = [
    _flip,
    _truncate,
    _insert,
    _remove,
    _zero,
    _swap,
    _copy,
    _append,
]


def _damaged_again_and_again(saved: Saved, times: int, random: Random) -> dict[str, int]:
    """Damage the manifest or the values each time; returns how often it was refused."""
    expected = saved.answers()
    sound, whole, end = verify_strategy(saved.file), saved.file.read_bytes(), saved.end
    count = {"refused": 0, "as before": 0}
    for _ in range(times):
        manifest, values = bytearray(whole[:end]), bytearray(whole[end:])
        random.choice(DAMAGES)(random.choice([manifest, values]), random)
        content = bytes(manifest + values)
        saved.file.write_bytes(content)
        # what is between the words of a manifest may change, and a damage may change nothing
        may_pass = content == whole or bytes(values) == whole[end:]
        try:
            assert verify_strategy(saved.file) == sound
        except StrategyFileError:
            assert content != whole
            with pytest.raises(StrategyFileError) as caught:
                saved.answers()
            assert "\n" not in str(caught.value)
            assert not is_solved(saved.folder, saved.solution.rules)
            count["refused"] += 1
        else:
            assert may_pass
            assert saved.answers() == expected
            assert is_solved(saved.folder, saved.solution.rules)
            count["as before"] += 1
        saved.file.write_bytes(whole)
    assert saved.answers() == expected
    return count


@pytest.mark.slow
def test_no_damage_changes_an_answer(saved: Saved) -> None:
    assert _damaged_again_and_again(saved, 250, Random(1))["refused"] > 200


@pytest.mark.slow
def test_no_damage_of_many_changes_an_answer(saved: Saved) -> None:
    times = 10_000 if EVERY else 2_000
    assert _damaged_again_and_again(saved, times, Random(2))["refused"] > 0.9 * times


def test_every_single_bit_of_a_manifest_counts(saved: Saved) -> None:
    """But for blanks, and a last digit that tells the same number: of a checksum, a name."""
    whole = saved.file.read_bytes()
    sound = verify_strategy(saved.file)
    for at in range(0, saved.end, 19):
        content = bytearray(whole)
        content[at] ^= 1 << at % 8
        saved.file.write_bytes(content)
        try:
            assert verify_strategy(saved.file) == sound
        except StrategyFileError:
            continue
        assert json.loads(content[: saved.end]) == json.loads(whole[: saved.end])


def test_a_number_that_was_edited_is_refused(saved: Saved) -> None:
    """A manifest that is well-formed still has to say what was written."""
    said = json.loads(saved.file.read_bytes()[: saved.end])
    for key in ("sweeps", "seconds", "tolerance", "states"):
        saved.says(said | {key: said[key] * 2})
        with pytest.raises(StrategyFileError, match="is damaged"):
            open_strategy(saved.folder, saved.solution.rules)
    for other in (said | {"checksum": None}, "[]", "1", "", "[" * 10**5, " " * 10**7):
        saved.says(other)
        with pytest.raises(StrategyFileError, match="is damaged"):
            open_strategy(saved.folder, saved.solution.rules)
    saved.says(said)
    assert is_solved(saved.folder, saved.solution.rules)


# ---- Other kinds of files --------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["pipe", "zero", "folder", "loop"])
def test_what_is_no_regular_file_is_refused_at_once(saved: Saved, kind: str) -> None:
    file = saved.file
    file.unlink()
    match kind:
        case "pipe":
            os.mkfifo(file)
        case "zero":
            file.symlink_to("/dev/zero")
        case "folder":
            file.mkdir()
        case "loop":
            file.symlink_to(file)
    with pytest.raises(StrategyFileError, match="cannot be read"):
        open_strategy(saved.folder, saved.solution.rules)
    with pytest.raises(StrategyFileError, match="cannot be read"):
        verify_strategy(file)
    assert not is_solved(saved.folder, saved.solution.rules)


def test_a_whole_file_of_other_rules_does_not_stand_for_these(saved: Saved) -> None:
    other = saved.solution.rules.model_copy(update={"dice": 4})
    saved.file.rename(strategy_path(saved.folder, other))
    with pytest.raises(StrategyFileError, match="is the strategy of something else, tiny rules"):
        open_strategy(saved.folder, other)
    assert not is_solved(saved.folder, other)


def test_a_damaged_file_does_not_stand_before_a_good_one(saved: Saved) -> None:
    """The lower floor is preferred as long as its file is good."""
    lower = with_floor(saved.solution.rules, -700)
    other = replace(saved.solution, rules=lower, values=np.full(value_shape(lower), 0.5))
    _, values = save_strategy(other, saved.folder)
    rules = saved.solution.rules
    assert open_strategy(saved.folder, rules).win_probability(START) == 0.5
    content = bytearray(values.read_bytes())
    content[-1] ^= 1
    values.write_bytes(content)
    assert open_strategy(saved.folder, rules).rules.score_floor == -500
    assert is_solved(saved.folder, rules)
    saved.file.unlink()
    with pytest.raises(StrategyFileError, match="is damaged"):
        open_strategy(saved.folder, rules)


# ---- Files of older versions -----------------------------------------------------------------


def make_old(saved: Saved) -> None:
    """Have the file say that another version wrote it, in its own way."""
    said = json.loads(saved.file.read_bytes()[: saved.end]) | {"format": "farkle-solved-0"}
    said = {key: value for key, value in said.items() if key not in {"checksum", "kind"}}
    saved.says(said | {"checksum": solver.solved._checksum(said)})


def test_a_file_of_an_older_version_is_as_good_as_none(saved: Saved) -> None:
    rules, folder = saved.solution.rules, saved.folder
    make_old(saved)
    assert not is_solved(folder, rules)
    with pytest.raises(MissingStrategyError, match="another version .* again; run:"):
        Advisor(folder, "farkle").strategy(rules)
    [result] = solve_jobs(
        [Job(0, "tiny", GameOfTwo(rules))],
        folder,
        lambda jobs, *_: ((job, saved.solution) for job in jobs),
    )
    assert result.status is Status.SOLVED
    assert open_strategy(folder, rules).win_probability(START) == saved.solution.values[0, 10, 10]
    assert list(folder.glob("*.solved")) == [saved.file]


# ---- Changes while a file is open ------------------------------------------------------------


def test_a_strategy_that_is_solved_again_is_the_new_one(saved: Saved) -> None:
    strategy = open_strategy(saved.folder, saved.solution.rules)
    advisor = Advisor(saved.folder)
    situation = Situation(rules=saved.solution.rules)
    before = advisor.odds(None, situation).roll
    assert strategy.turn(START).value(TurnState(0, 3)) == before
    lower = replace(saved.solution, values=saved.solution.values * 0.5)
    for solution in (lower, saved.solution, lower):
        save_strategy(solution, saved.folder)
        fresh = open_strategy(saved.folder, saved.solution.rules)
        for position in (START, Position.of_two(100, 50, dice=3)):
            assert strategy.win_probability(position) == fresh.win_probability(position)
            np.testing.assert_array_equal(strategy.turn(position).roll, fresh.turn(position).roll)
        assert (advisor.odds(None, situation).roll == before) == (solution is saved.solution)


def test_a_file_that_is_written_to_while_it_is_open(saved: Saved) -> None:
    strategy = open_strategy(saved.folder, saved.solution.rules)
    expected = strategy.turn(START).roll
    whole = saved.file.read_bytes()
    for at in (200, len(whole) // 2, len(whole) - 1):
        with saved.file.open("r+b") as file:
            file.seek(at)
            file.write(bytes([whole[at] ^ 1]))
        for ask in (strategy.turn, strategy.win_probability):
            with pytest.raises(StrategyFileError, match="is damaged"):
                ask(START)
        with saved.file.open("r+b") as file:
            file.seek(at)
            file.write(whole[at : at + 1])
        np.testing.assert_array_equal(strategy.turn(START).roll, expected)


def test_a_file_that_goes_while_it_is_open(saved: Saved) -> None:
    rules = saved.solution.rules
    strategy = open_strategy(saved.folder, rules)
    advisor = Advisor(saved.folder)
    assert advisor.strategy(rules).win_probability(START) > 0.5
    shutil.move(saved.file, saved.folder / "elsewhere")
    with pytest.raises(StrategyFileError, match="cannot be read"):
        strategy.win_probability(START)
    with pytest.raises(MissingStrategyError, match="are not solved yet"):
        advisor.strategy(rules)
    save_strategy(saved.solution, saved.folder)
    assert advisor.strategy(rules).win_probability(START) == strategy.win_probability(START)


def test_the_advisor_falls_back_on_another_file(saved: Saved) -> None:
    lower = with_floor(saved.solution.rules, -700)
    other = replace(saved.solution, rules=lower, values=np.full(value_shape(lower), 0.5))
    _, values = save_strategy(other, saved.folder)
    advisor = Advisor(saved.folder)
    assert advisor.strategy(saved.solution.rules).win_probability(START) == 0.5
    values.write_bytes(b"gone")
    assert advisor.strategy(saved.solution.rules).win_probability(START) > 0.5


TRUNCATED = """
import os, sys
from pathlib import Path
from solver.errors import StrategyFileError
from solver.game.position import Position
from solver.rules.ruleset import Ruleset
from solver.strategy import open_strategy
folder, rules = Path(sys.argv[1]), Ruleset.model_validate_json(sys.argv[2])
strategy = open_strategy(folder, rules)
strategy.win_probability(Position.of_two(dice=3))
(values,) = folder.glob("*.solved")
for length in (5000, 0):
    os.truncate(values, length)
    for ask in (strategy.turn, strategy.win_probability):
        try:
            ask(Position.of_two(dice=3))
        except StrategyFileError as error:
            print(error)
"""


def test_a_file_that_is_cut_short_while_it_is_open(saved: Saved) -> None:
    """The system ends a process (SIGBUS) that reads what is mapped and no longer there."""
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            TRUNCATED,
            str(saved.folder),
            saved.solution.rules.model_dump_json(),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    said = done.stdout.splitlines()
    assert len(said) == 4
    assert all("is damaged" in line for line in said)


def test_an_answer_of_two_files_is_given_up(saved: Saved, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that changes during every answer, as often as that is begun again."""
    strategy = open_strategy(saved.folder, saved.solution.rules)
    solve_turn = strategy._solve_turn

    def solve_and_change(*args: Any) -> Any:
        table = solve_turn(*args)
        save_strategy(saved.solution, saved.folder)
        return table

    monkeypatch.setattr(strategy, "_turn", solve_and_change)
    solve_and_change.cache_clear = lambda: None  # type: ignore[attr-defined]
    with pytest.raises(StrategyFileError, match="another program keeps writing it"):
        strategy.turn(START)


# ---- What is read, and how often -------------------------------------------------------------


def test_values_are_read_once_in_a_process(saved: Saved, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solver.solved, "_TICK", 0)
    read = []
    file_digest = hashlib.file_digest

    def count(file: Any, name: str) -> Any:
        read.append(name)
        return file_digest(file, name)

    monkeypatch.setattr(hashlib, "file_digest", count)
    rules, advisor = saved.solution.rules, Advisor(saved.folder)
    for _ in range(3):
        assert is_solved(saved.folder, rules)
        advisor.odds(None, Situation(rules=rules))
        open_strategy(saved.folder, rules)
        strategy_files(saved.folder, rules)[0]
    assert len(read) == 1
    for times in (2, 3):
        verify_strategy(saved.file)
        assert len(read) == times


def test_a_flip_that_was_known_to_be_sound_is_found(saved: Saved) -> None:
    """What is kept of a file holds for that content of it alone."""
    rules = saved.solution.rules
    while not solver.solved.Stamp.of(saved.file.stat()).is_settled():
        assert is_solved(saved.folder, rules)
    assert is_solved(saved.folder, rules)
    status = saved.file.stat()
    content = bytearray(saved.file.read_bytes())
    content[-3] ^= 16
    saved.file.write_bytes(content)
    # as a copy that keeps its times would
    os.utime(saved.file, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert not is_solved(saved.folder, rules)
    with pytest.raises(StrategyFileError, match="is damaged"):
        verify_strategy(saved.file)
