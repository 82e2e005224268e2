"""A real scheduler and real worker processes, on this machine."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeVar

import numba
import numpy as np
import pytest

from solver.batch import cluster
from solver.batch.cluster import ClusterSolver, connected, solve_on_worker
from solver.batch.jobs import Job, Result, Watch, solve_all
from solver.batch.local import LocalSolver
from solver.batch.subjects import GameOfSeveral
from solver.errors import ClusterError, InvalidRequestError
from solver.game import many_rings
from solver.game.many_sweeps import solve_many
from solver.game.standings import Progress, Solution
from tests.bot.cli.test_main import Farkle
from tests.conftest import rules_file, variant

pytest.importorskip("distributed")

ROOT = Path(__file__).parents[3]
GOALS = (300, 350, 400, 450, 500, 550)
SECONDS = 120
"""After which a test gives up."""

T = TypeVar("T")
Start = Callable[..., subprocess.Popen[bytes]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cluster")


@pytest.fixture(scope="module")
def start(folder: Path, kernels: Path) -> Iterator[Start]:
    """Starts `python -m distributed.cli.<what>`; all is gone in the end."""
    processes: list[subprocess.Popen[bytes]] = []
    data = folder / "data"
    data.mkdir()
    (data / "kernels").symlink_to(kernels)
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "FARKLE_DATA": str(data)}

    def start(what: str, *arguments: str) -> subprocess.Popen[bytes]:
        with (folder / f"{what}{len(processes)}.log").open("wb") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", f"distributed.cli.{what}", *arguments,
                 "--host", "127.0.0.1", "--no-dashboard"],
                env=environment, cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            )  # fmt: skip
        processes.append(process)
        return process

    yield start
    for process in processes:
        process.kill()
        process.wait()


@pytest.fixture(scope="module")
def scheduler(start: Start, folder: Path) -> tuple[str, subprocess.Popen[bytes]]:
    """Its address and process."""
    file = folder / "scheduler.json"
    process = start("dask_scheduler", "--port", "0", "--scheduler-file", str(file))
    return wait_for(lambda: json.loads(file.read_text())["address"]), process


@pytest.fixture(scope="module")
def survivor(start: Start, scheduler: tuple[str, object]) -> None:
    """A worker that is never killed."""
    start_worker(start, scheduler[0], "survivor")


@pytest.fixture(scope="module")
def victims() -> list[tuple[str, subprocess.Popen[bytes]]]:
    """Workers that came where another had died, and whom the next test may kill."""
    return []


@pytest.fixture
def solver(
    scheduler: tuple[str, subprocess.Popen[bytes]],
    survivor: None,  # noqa: ARG001
) -> Iterator[ClusterSolver]:
    """The solver of a cluster with one worker; a test that hangs loses its scheduler."""
    address, process = scheduler
    watchdog = threading.Timer(SECONDS, process.kill)
    watchdog.start()
    try:
        with connected(address, timeout=SECONDS) as solver:
            yield solver
    finally:
        watchdog.cancel()
    assert process.poll() is None, "the test took too long"


@pytest.fixture
def games(tmp_path: Path) -> list[str]:
    return [str(rules_file(tmp_path / f"to{goal}.toml", goal=goal)) for goal in GOALS]


def start_worker(start: Start, address: str, name: str) -> subprocess.Popen[bytes]:
    return start("dask_worker", address, "--no-nanny", "--nthreads", "1", "--name", name)


def wait_for(look: Callable[[], T]) -> T:
    """What `look` finds, as soon as it finds something."""
    end = time.monotonic() + SECONDS
    while True:
        try:
            if found := look():
                return found
        except (OSError, ValueError, LookupError):
            pass
        assert time.monotonic() < end, "it does not come"
        time.sleep(0.05)


def address_of(solver: ClusterSolver, name: str) -> str:
    """A worker's address, as soon as it takes tasks: for a moment it is known and takes none."""

    def look() -> str:
        workers = solver._client.scheduler_info(n_workers=-1)["workers"]
        addresses: dict[str, str] = {
            worker["name"]: place
            for place, worker in workers.items()
            if worker["status"] == "running"
        }
        return addresses[name]

    return wait_for(look)


def assert_as_solved_here(
    results: list[Result], games: list[str], kernels: Path, tmp_path: Path
) -> None:
    """Every value to the last bit: the name of a file holds the hash of its bytes."""
    threads = numba.get_num_threads()
    numba.set_num_threads(1)
    here = list(solve_all(games, tmp_path / "here", LocalSolver(kernels)))
    numba.set_num_threads(threads)
    results = sorted(results, key=lambda result: result.number)
    assert [result.status.value for result in results] == ["solved"] * len(games)
    for result, expected in zip(results, here, strict=True):
        assert result.file is not None
        assert expected.file is not None
        assert result.file.name == expected.file.name
        values, right = (
            one.read_bytes().partition(b"\n")[2] for one in (result.file, expected.file)
        )
        assert values == right
        assert result.name == expected.name


@pytest.mark.slow
def test_a_worker_that_dies_while_it_solves(
    start: Start, solver: ClusterSolver, games: list[str], kernels: Path, tmp_path: Path
) -> None:
    victim = start_worker(start, solver._workers.address, "first")
    address = address_of(solver, "first")
    # stopped, it takes a rule set and never solves it
    victim.send_signal(signal.SIGSTOP)
    running = solve_all(games, tmp_path / "there", solver)
    results = list(islice(running, len(games) - 1))
    assert len(solver._client.processing()[address]) == 1
    victim.kill()
    results += running
    assert_as_solved_here(results, games, kernels, tmp_path)


@pytest.mark.slow
def test_a_worker_that_dies_with_a_result(
    start: Start, solver: ClusterSolver, games: list[str], kernels: Path, tmp_path: Path
) -> None:
    victim = start_worker(start, solver._workers.address, "second")
    address = address_of(solver, "second")
    running = solve_all(games, tmp_path / "there", solver)
    results = [next(running)]
    # nobody fetches it, as long as nobody asks for the next result
    wait_for(lambda: solver._client.has_what()[address])
    victim.kill()
    results += running
    assert_as_solved_here(results, games, kernels, tmp_path)


@pytest.mark.slow
def test_what_fails_on_a_worker_is_said_and_the_rest_goes_on(
    solver: ClusterSolver, games: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    submit: Callable[..., object] = solver._client.submit
    begun: list[object] = []

    class Begun(Watch):
        def begin(self, job: object) -> None:
            begun.append(job)

    tasks = {"to300": _raise_error, "to350": _raise_nonsense, "to400": solve_on_worker}
    monkeypatch.setattr(
        solver._client,
        "submit",
        lambda _, rules, *rest, **how: submit(
            tasks[json.loads(rules)["name"]], rules, *rest, **how
        ),
    )
    results = list(solve_all(games[:3], tmp_path / "there", solver, watch=Begun()))
    assert len(begun) == 5  # that fails is tried three times
    results.sort(key=lambda result: result.number)
    assert [result.status.value for result in results] == ["failed", "failed", "solved"]
    assert str(results[0].error) == "too rough"
    assert "to350: failed on the cluster (ZeroDivisionError: " in str(results[1].error)


def _raise_error(*_: object) -> ClusterError:
    return ClusterError("too rough")


def _raise_nonsense(*_: object) -> float:
    return 1 / 0


@pytest.mark.slow
def test_the_command_line(
    solver: ClusterSolver,
    games: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("FARKLE_DATA", str(tmp_path / "data"))
    farkle = Farkle(monkeypatch, capsys)
    found = farkle.json("solve", *games[:2], "--scheduler", solver._workers.address)
    assert [one["status"] for one in found] == ["solved", "solved"]
    assert (
        farkle.json("solve", games[2], "--scheduler", solver._workers.address)["rules"] == "to400"
    )
    assert not (tmp_path / "data" / "kernels").exists()
    assert len(list((tmp_path / "data" / "strategies").glob("*.solved"))) == 3
    shared = tmp_path / "shared.toml"
    shared.write_text("goal = 250\ndice = 2\nscoring = {three_of_a_kind = 0}\n")
    found = farkle.json(
        "solve", str(shared), "--players", "3", "--scheduler", solver._workers.address
    )
    assert (found["rules"], found["players"]) == ("shared", 3)
    assert sum(found["win_probabilities"]) == pytest.approx(1)
    assert not (tmp_path / "data" / "kernels").exists()


SHARED = {
    "at once": {"goal": 1000},
    "rolls that lose everything": {"goal": 300, "dice": 3, "lose_everything": ("xxx",)},
    "equal turns": {"goal": 250, "dice": 2, "ending": "equal_turns", "ties": "shared"},
}


@pytest.mark.slow
@pytest.mark.parametrize("changes", SHARED.values(), ids=SHARED)
def test_several_players_layer_by_layer(
    start: Start,
    solver: ClusterSolver,
    kernels: Path,
    victims: list[tuple[str, subprocess.Popen[bytes]]],
    monkeypatch: pytest.MonkeyPatch,
    changes: dict[str, Any],
) -> None:
    """By two workers, and a third one when one of them has died: every value to the last bit."""
    monkeypatch.setattr(many_rings, "PART", 16)
    monkeypatch.setattr(cluster, "_BYTES", 10_000)
    rules, name = variant("kcd", **changes), f"shared {changes['goal']}"
    if not victims:
        victims.append((name, start_worker(start, solver._workers.address, name)))
    called, victim = victims.pop()
    address_of(solver, called)
    seen: list[float] = []

    class Killing(Watch):
        def progress(self, job: Job, progress: Progress) -> None:  # noqa: ARG002
            seen.append(progress.done)
            if len(seen) == 5:
                victim.kill()
                again = f"{name} again"
                victims.append((again, start_worker(start, solver._workers.address, again)))

    ((_, found),) = solver([Job(0, name, GameOfSeveral(rules, 3))], Killing())
    here = solve_many(rules, 3, cache=kernels)
    assert len(seen) > 5
    assert np.array_equal(found.values, here.values)
    assert all(map(np.array_equal, found.lasts, here.lasts))
    for field in ("sweeps", "mixed", "restless", "largest_change", "states_solved"):
        assert getattr(found, field) == getattr(here, field)


def test_a_worker_of_another_version_is_refused(tiny: Solution) -> None:
    text = tiny.rules.model_dump_json()
    assert "another version" in str(solve_on_worker(text, "0" * 64, 1e-9))
    unknown = json.dumps(json.loads(text) | {"new_rule": True})
    assert "another version" in str(solve_on_worker(unknown, tiny.rules.digest, 1e-9))


def test_workers_of_a_machine_share_compiled_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker = SimpleNamespace(local_directory=str(tmp_path / "worker"))
    look: Callable[..., Path] = cluster._cache.__wrapped__
    monkeypatch.setenv("FARKLE_DATA", str(tmp_path / "data"))
    assert look(worker) == tmp_path / "data" / "kernels"
    for data in ("", "/dev/null/nowhere"):
        monkeypatch.setenv("FARKLE_DATA", data)
        assert look(worker) == tmp_path / "farkle-kernels"
    # but nothing that others could have written there is run
    (tmp_path / "farkle-kernels").chmod(0o777)
    assert look(worker) == tmp_path / "worker" / "farkle-kernels"


@pytest.mark.slow
def test_the_longest_is_handed_out_first(
    solver: ClusterSolver, games: list[str], tmp_path: Path
) -> None:
    begun: list[str] = []

    class Begun(Watch):
        def begin(self, job: Job) -> None:
            begun.append(job.subject.name)

    assert all(one.error is None for one in solve_all(games[:3], tmp_path, solver, watch=Begun()))
    assert begun == ["to400", "to350", "to300"]


@pytest.mark.slow
def test_a_scheduler_without_workers(start: Start, tmp_path: Path) -> None:
    file = tmp_path / "scheduler.json"
    process = start("dask_scheduler", "--port", "0", "--scheduler-file", str(file))
    address = wait_for(lambda: json.loads(file.read_text())["address"])
    with pytest.raises(ClusterError, match="has no workers; start one with: dask worker tcp://"):
        connected(address, timeout=1).__enter__()
    process.kill()
    process.wait()
    with pytest.raises(ClusterError, match="no Dask scheduler answers at tcp://127.0.0.1"):
        connected(address, timeout=1).__enter__()


@pytest.mark.slow
def test_a_scheduler_that_goes_away(
    start: Start, games: list[str], tmp_path: Path, kernels: Path
) -> None:
    file = tmp_path / "scheduler.json"
    process = start("dask_scheduler", "--port", "0", "--scheduler-file", str(file))
    address = wait_for(lambda: json.loads(file.read_text())["address"])
    worker = start_worker(start, address, "orphan")
    with connected(address) as solver:
        worker.send_signal(signal.SIGSTOP)

        class Killing(Watch):
            def begin(self, job: object) -> None:  # noqa: ARG002
                process.kill()

        results = list(solve_all(games, tmp_path / "there", solver, watch=Killing()))
    assert len(results) == len(games)
    assert all("is gone" in str(result.error) for result in results)
    # what was not solved there is solved here
    assert all(result.error is None for result in solve_all(
        games[:1], tmp_path / "there", LocalSolver(kernels)
    ))  # fmt: skip


@pytest.mark.parametrize("address", ["", "nonsense", "http://host:80", "tcp://host", "a b:1"])
def test_what_is_no_address(address: str) -> None:
    with pytest.raises(InvalidRequestError, match="is like tcp://host:8786"):
        connected(address).__enter__()


def test_without_the_optional_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ClusterError, match=r"pip install 'farkle-advisor\[cluster\]'"):
        connected("tcp://127.0.0.1:1").__enter__()
