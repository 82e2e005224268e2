import asyncio
import ctypes
import os
import pickle
import signal
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np
import pytest

from solver.batch.jobs import Job, Result, Status, Watch, solve_all
from solver.batch.local import LocalSolver, solve_here
from solver.batch.side_by_side import is_worth_it, solve_side_by_side
from solver.batch.subjects import GameOfTwo
from solver.errors import ConvergenceError, FarkleError
from solver.game.standings import DEFAULT_TOLERANCE, Progress, Solution
from solver.rules.file import load_rules, with_floor
from solver.rules.ruleset import Ruleset
from solver.strategy import strategy_files, verify_strategy
from tests.bot.waiting import is_gone, until
from tests.conftest import rules_file, variant

T = TypeVar("T")
Solve = Callable[..., dict[str, Result]]


class Counting(Watch):
    def __init__(self) -> None:
        self.begun: list[str] = []
        self.sweeps = 0

    def begin(self, job: Job) -> None:
        self.begun.append(job.subject.name)

    def progress(self, job: Job, progress: Progress) -> None:
        assert job.subject.name == self.begun[-1]
        self.sweeps = progress.sweep


class Together(Counting):
    """Several are under way at a time."""

    def progress(self, job: Job, progress: Progress) -> None:
        assert job.subject.name in self.begun
        self.sweeps = progress.sweep


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """So small a game is solved sooner so, above all on a machine that is busy."""
    threads = numba.get_num_threads()
    numba.set_num_threads(1)
    yield
    numba.set_num_threads(threads)


@pytest.fixture
def watch() -> Counting:
    return Counting()


@pytest.fixture
def solve(kernels: Path, tmp_path: Path, watch: Counting) -> Solve:
    """Solve files of a folder into tmp_path / "out"; results by the stem of the file."""

    def solve(*given: Path | str, **options: Any) -> dict[str, Result]:
        watch.begun.clear()
        options.setdefault("solver", LocalSolver(kernels))
        options.setdefault("watch", watch)
        floor, tolerance = options.pop("floor", None), options.pop("tolerance", DEFAULT_TOLERANCE)

        def read(reference: str) -> GameOfTwo:
            rules = load_rules(reference)
            return GameOfTwo(rules if floor is None else with_floor(rules, floor), tolerance)

        options["read"] = read
        results = list(solve_all([str(one) for one in given], tmp_path / "out", **options))
        assert sorted(result.number for result in results) == list(range(len(given)))
        return {Path(result.given).stem: result for result in results}

    return solve


@pytest.fixture
def games(tmp_path: Path) -> list[Path]:
    return [rules_file(tmp_path / f"to{goal}.toml", goal=goal) for goal in (300, 400, 500)]


def statuses(results: dict[str, Result]) -> dict[str, str]:
    return {name: result.status.value for name, result in results.items()}


@pytest.mark.slow
def test_a_catalogue_is_solved_and_then_left_as_it_is(
    solve: Solve, games: list[Path], watch: Counting
) -> None:
    results = solve(*games)
    assert set(statuses(results).values()) == {"solved"}
    assert watch.begun == ["to300", "to400", "to500"]
    assert watch.sweeps > 1
    for result in results.values():
        assert result.manifest is not None
        assert result.file is not None
        assert verify_strategy(result.file) == result.manifest
        assert 0.5 < result.chances[0] == 1 - result.chances[1] < 1
    again = solve(*games)
    assert set(statuses(again).values()) == {"already solved"}
    assert watch.begun == []
    for name, result in again.items():
        assert result.manifest == results[name].manifest
        assert result.file == results[name].file
        assert result.chances == results[name].chances
    assert set(statuses(solve(*games, again=True)).values()) == {"solved"}


def test_an_interrupted_catalogue_goes_on(
    solve: Solve, games: list[Path], watch: Counting, kernels: Path, tmp_path: Path
) -> None:
    results = solve_all([str(one) for one in games], tmp_path / "out", LocalSolver(kernels))
    assert [next(results).name, next(results).name] == ["to300", "to400"]
    del results
    assert list(statuses(solve(*games)).values()) == ["already solved", "already solved", "solved"]
    assert watch.begun == ["to500"]


@pytest.mark.slow
def test_side_by_side_the_largest_is_begun_first_and_all_are_as_ever(
    games: list[Path], kernels: Path
) -> None:
    """In processes of their own; one that cannot be solved does not stop the others."""
    subjects = [GameOfTwo(load_rules(str(one))) for one in games]
    subjects.append(GameOfTwo(load_rules(str(games[0])), tolerance=1e-30))
    jobs = [Job(number, one.name, one) for number, one in enumerate(subjects)]
    watch = Together()
    told = solve_side_by_side(jobs, watch, partial(solve_here, cache=kernels, threads=1))
    found = {job.number: outcome for job, outcome in told}
    assert watch.begun[0] == "to500"
    assert sorted(watch.begun) == ["to300", "to300", "to400", "to500"]
    assert watch.sweeps > 0
    assert isinstance(found[3], ConvergenceError)
    for number, subject in enumerate(subjects[:3]):
        alone = solve_here(subject, cache=kernels, threads=1)
        np.testing.assert_allclose(found[number].values, alone.values, rtol=1e-11)


ENDLESS = """
import sys
from functools import partial
from pathlib import Path
from solver.batch.jobs import Job, Watch
from solver.batch.local import solve_here
from solver.batch.side_by_side import solve_side_by_side
from solver.batch.subjects import GameOfTwo
from solver.rules.file import load_rules

class Told(Watch):
    def progress(self, job, progress):
        print("told", flush=True)

if __name__ == "__main__":
    jobs = [Job(k, "facebook", GameOfTwo(load_rules("facebook"))) for k in range(2)]
    solve = partial(solve_here, cache=Path(sys.argv[1]), threads=1)
    list(solve_side_by_side(jobs, Told(), solve))
"""


@pytest.mark.slow
async def test_side_by_side_ends_with_the_process_that_began_it(
    kernels: Path, tmp_path: Path
) -> None:
    script = tmp_path / "endless.py"
    script.write_text(ENDLESS)
    began = await asyncio.create_subprocess_exec(
        *(sys.executable, script, kernels),
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(Path.cwd())},
    )
    assert began.stdout
    assert await began.stdout.readline() == b"told\n"
    known = Path(f"/proc/{began.pid}/task/{began.pid}/children")
    children = (await asyncio.to_thread(known.read_text)).split()
    assert len(children) > 1
    began.kill()
    await until(lambda: all(is_gone(int(child)) for child in children))
    await began.wait()


def test_side_by_side_is_for_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    small, large = GameOfTwo(load_rules("classic")), GameOfTwo(load_rules("dice-10000"))

    def jobs(*subjects: GameOfTwo) -> list[Job]:
        return [Job(number, one.name, one) for number, one in enumerate(subjects)]

    # a few are soon done, and one that outlasts all others needs all processors
    assert not is_worth_it(jobs(*[small] * 5))
    assert not is_worth_it(jobs(large, *[small] * 5))
    assert is_worth_it(jobs(*[small] * 50))
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    assert not is_worth_it(jobs(*[small] * 50))


@pytest.mark.mostly_slow(9)
@pytest.mark.parametrize("where", [-1, 5])
def test_what_is_damaged_is_solved_again(
    solve: Solve, games: list[Path], tmp_path: Path, where: int
) -> None:
    results = solve(*games)
    file, manifest = results["to400"].file, results["to400"].manifest
    assert file is not None
    assert manifest is not None
    assert file == strategy_files(tmp_path / "out", manifest.rules)[0]
    values = file.read_bytes()[-8 * manifest.values :]
    content = bytearray(file.read_bytes())
    content[where] ^= 1
    file.write_bytes(content)
    assert list(statuses(solve(*games)).values()) == ["already solved", "already solved", "solved"]
    assert file.read_bytes()[-8 * manifest.values :] == values
    assert "solved" not in statuses(solve(*games)).values()


def test_what_is_rough_or_has_a_higher_floor_is_solved_again(
    solve: Solve, games: list[Path]
) -> None:
    game = games[0]
    assert statuses(solve(game, tolerance=1e-4)) == {"to300": "solved"}
    assert statuses(solve(game, tolerance=1e-3)) == {"to300": "already solved"}
    assert statuses(solve(game)) == {"to300": "solved"}
    assert statuses(solve(game, tolerance=1e-4)) == {"to300": "already solved"}
    assert statuses(solve(game, floor=-700)) == {"to300": "solved"}
    assert statuses(solve(game, floor=-600)) == {"to300": "already solved"}
    # the file that answers has the lower floor: the rules' own file counts as well
    assert statuses(solve(game, tolerance=1e-12)) == {"to300": "solved"}
    assert statuses(solve(game, tolerance=1e-12)) == {"to300": "already solved"}


def test_one_bad_file_does_not_stop_the_rest(
    solve: Solve, games: list[Path], tmp_path: Path
) -> None:
    bad = tmp_path / "bad.toml"
    bad.write_text("goal = ")
    huge = rules_file(tmp_path / "huge.toml", goal=1_000_000)
    results = solve(games[0], bad, "nobody", huge, tmp_path / "absent.toml", games[1])
    assert statuses(results) == {
        "to300": "solved", "bad": "failed", "nobody": "failed", "huge": "failed",
        "absent": "failed", "to400": "solved",
    }  # fmt: skip
    for name, sentence in {
        "bad": "line 1: after = the value is missing",
        "nobody": 'unknown rule set "nobody"',
        "huge": "can be solved",
        "absent": "cannot be read",
    }.items():
        assert sentence in str(results[name].error)


def test_rules_that_do_not_converge_do_not_stop_the_rest(
    solve: Solve, games: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Hurried(Watch):
        def begin(self, job: Job) -> None:
            sweeps = 2 if job.subject.name == "to400" else 10_000
            monkeypatch.setattr("solver.game.sweeps.MAX_SWEEPS", sweeps)

    results = solve(*games, watch=Hurried())
    assert list(statuses(results).values()) == ["solved", "failed", "solved"]
    assert isinstance(results["to400"].error, ConvergenceError)


@pytest.mark.parametrize(
    ("raised", "sentence"),
    [
        (MemoryError(), "to300: there is not enough memory to solve it"),
        (OSError(28, "No space left on device", "x.py"), "x.py: No space left on device"),
    ],
)
def test_a_lack_of_means_is_one_sentence(
    solve: Solve,
    games: list[Path],
    monkeypatch: pytest.MonkeyPatch,
    raised: Exception,
    sentence: str,
) -> None:
    def fail(*_: object, **__: object) -> Solution:
        raise raised

    monkeypatch.setattr("solver.game.sweeps.solve", fail)
    results = solve(games[0])
    assert sentence in str(results["to300"].error)


def test_a_folder_that_cannot_be_written_fails_all_before_a_solve(
    solve: Solve, games: list[Path], tmp_path: Path, watch: Counting
) -> None:
    (tmp_path / "out").touch()
    results = solve(*games)
    assert set(statuses(results).values()) == {"failed"}
    assert all("cannot be written" in str(result.error) for result in results.values())
    assert watch.begun == []


def test_the_same_rules_are_solved_once(
    solve: Solve, games: list[Path], tmp_path: Path, watch: Counting
) -> None:
    twin = rules_file(tmp_path / "twin.toml", goal=300, title="other words")
    lower = rules_file(tmp_path / "lower.toml", goal=300, score_floor=-600)
    results = solve(games[0], games[1], twin)
    assert watch.begun == ["to300", "to400"]
    assert statuses(results) == {"to300": "solved", "to400": "solved", "twin": "same"}
    assert results["twin"].same_as == str(games[0])
    assert results["twin"].file == results["to300"].file
    # the lowest floor has the values of all
    results = solve(games[0], lower)
    assert statuses(results) == {"to300": "same", "lower": "solved"}
    assert watch.begun == ["lower"]


def test_a_twin_of_what_fails_fails(solve: Solve, games: list[Path], tmp_path: Path) -> None:
    (tmp_path / "out").touch()
    twin = rules_file(tmp_path / "twin.toml", goal=300)
    results = solve(games[0], twin)
    assert results["twin"].status == Status.FAILED
    assert results["twin"].same_as == str(games[0])


def test_an_interrupt_that_a_callback_drops_still_ends_the_solve(
    kernels: Path, tiny: Solution, capsys: pytest.CaptureFixture[str]
) -> None:
    interrupt = ctypes.CFUNCTYPE(None)(lambda: signal.raise_signal(signal.SIGINT))

    class Dropping(Counting):
        def progress(self, job: Job, progress: Progress) -> None:
            assert self.sweeps == 0
            super().progress(job, progress)
            interrupt()

    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        next(LocalSolver(kernels)([Job(0, "tiny", GameOfTwo(tiny.rules))], Dropping()))
    assert signal.getsignal(signal.SIGINT) is before
    assert capsys.readouterr().err == ""


def copied(thing: T, protocol: int) -> T:
    found: T = pickle.loads(pickle.dumps(thing, protocol))  # noqa: S301
    return found


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_rules_solutions_and_errors_survive_pickling(tiny: Solution, protocol: int) -> None:
    for rules in (tiny.rules, variant("facebook"), variant("kcd")):
        known = copied(rules, protocol)
        assert known == rules
        assert known.digest == rules.digest == Ruleset.model_validate(known.model_dump()).digest
        assert Ruleset.model_validate_json(rules.model_dump_json()) == rules
    copy = copied(tiny, protocol)
    assert copy.rules == tiny.rules
    assert (copy.sweeps, copy.seconds) == (tiny.sweeps, tiny.seconds)
    np.testing.assert_array_equal(copy.values, tiny.values)
    error: FarkleError = copied(ConvergenceError("one sentence"), protocol)
    assert str(error) == "one sentence"
