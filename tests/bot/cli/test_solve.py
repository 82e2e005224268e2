"""`farkle solve` with several rule sets; tests of one are in test_cli."""

import csv
import io
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bot.views.progress import MOST_ROWS, CatalogueProgress, catalogue_text
from solver.batch.jobs import Job, Result, Status
from solver.batch.subjects import GameOfTwo
from solver.game.standings import Progress, Solution
from solver.strategy import verify_strategy
from tests.bot.cli.test_main import Farkle
from tests.conftest import rules_file


@pytest.fixture
def farkle(unsolved: Farkle) -> Farkle:
    """Where nothing is solved yet."""
    return unsolved


@pytest.fixture
def games(tmp_path: Path) -> list[str]:
    return [str(rules_file(tmp_path / f"to{goal}.toml", goal=goal)) for goal in (300, 400)]


def test_a_catalogue_as_a_table(farkle: Farkle, games: list[str], tmp_path: Path) -> None:
    bad, twin = tmp_path / "bad.toml", rules_file(tmp_path / "twin.toml", goal=300)
    bad.write_text("goal = ")
    status, out, err = farkle("solve", games[0], str(bad), games[1], str(twin), "nobody")
    assert status == 1
    lines = out.splitlines()
    assert lines[0].split("  ")[1:2] == ["rules"]
    assert re.match(
        r"  to300 +solved +[\d,]+ +\d+ +\d+\.\d +5\d\.\d\d % +\w+_floor-500\.solved", lines[1]
    )
    assert re.match(r".*bad\.toml +failed +-", lines[2])
    assert re.match(r"  twin +same as .*to300\.toml +[\d,]+ ", lines[4])
    assert re.match(r"  nobody +failed", lines[5])
    assert lines[6] == f"Files are in {tmp_path / 'data' / 'strategies'}; `first wins` is at 0:0."
    assert lines[7].startswith("No win probability is off by more than ")
    assert lines[8] == "2 of 5 rule sets failed:"
    assert "line 1: after = the value is missing" in lines[9]
    assert 'unknown rule set "nobody"' in lines[10]
    said = err.splitlines()
    assert "solving to300: " in said[2]
    assert said[0].startswith(f"1/5 {bad}: failed, ")
    assert said[3:5] == ["3/5 to300: solved", f"4/5 twin: same as {games[0]}"]
    assert said[-1] == "5/5 to400: solved"


@pytest.mark.slow
def test_a_catalogue_as_json(farkle: Farkle, games: list[str]) -> None:
    found = farkle.json("solve", *games)
    assert [one["rules"] for one in found] == ["to300", "to400"]
    assert [one["given"] for one in found] == games
    for one in found:
        manifest = verify_strategy(Path(one["file"]))
        assert (one["digest"], one["sweeps"]) == (manifest.digest, manifest.sweeps)
        assert one["error"] is one["same_as"] is None
        assert 0.5 < one["win_probability"] < 1
    again = farkle.json("solve", *games)
    _, text, _ = farkle("solve", *games, "--csv")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["rules"] for row in rows] == [one["rules"] for one in again]
    assert {row["status"] for row in rows} == {one["status"] for one in again}
    assert [row["states"] for row in rows] == [str(one.get("states", "")) for one in again]
    assert {one["status"] for one in again} == {"already solved"}
    assert [one["file"] for one in again] == [one["file"] for one in found]
    assert {one["status"] for one in farkle.json("solve", *games, "--again")} == {"solved"}


@pytest.mark.slow
def test_rules_of_the_same_name_are_all_solved_with_a_goal(farkle: Farkle, tmp_path: Path) -> None:
    files = []
    for number, bonus in enumerate((100, 200)):
        (tmp_path / str(number)).mkdir()
        path = rules_file(tmp_path / str(number) / "game.toml", hot_dice_bonus=[bonus])
        files.append(str(path))
    found = farkle.json("solve", *files, "--goal", "300", "--goal", "350")
    assert [one["rules"] for one in found] == ["game-300", "game-350"] * 2
    assert [one["given"] for one in found] == [
        f"{file} --goal {goal}" for file in files for goal in (300, 350)
    ]
    assert len({one["digest"] for one in found}) == len(found)


@pytest.mark.slow
def test_a_game_in_which_nothing_is_left_to_change(
    farkle: Farkle, games: list[str], tmp_path: Path
) -> None:
    """Whoever begins wins, which a first sweep finds."""
    odd = tmp_path / "odd.toml"
    odd.write_text(
        """
goal = 2
dice = 1
[scoring]
single = [1, 1, 1, 1, 1, 1]
three_of_a_kind = [0, 0, 0, 0, 0, 0]
"""
    )
    status, out, err = farkle("solve", str(odd), games[0], "--check")
    assert status == 0, err
    assert re.search(r"odd +solved", out)
    assert re.search(r"to300 +solved", out)
    found = farkle.json("solve", str(odd))
    assert found["sweeps"] == 1
    assert found["largest_relative_change"] <= 1e-10


def test_json_of_what_fails(farkle: Farkle, games: list[str], tmp_path: Path) -> None:
    (tmp_path / "data" / "strategies").touch()
    status, out, _ = farkle("solve", *games, "nobody", "--json")
    assert status == 1
    assert out.count('"status": "failed"') == 3
    assert out.count("cannot be written") == 2


def test_one_rule_set_is_always_solved(farkle: Farkle, games: list[str]) -> None:
    first = farkle.json("solve", games[0])
    assert "status" not in first
    second = farkle.json("solve", games[0])
    assert second["seconds"] != first["seconds"]
    status, out, err = farkle("solve", "nobody")
    assert (status, out) == (2, "")
    assert err.startswith('farkle: unknown rule set "nobody"')


def test_options_hold_for_all(farkle: Farkle, games: list[str], tmp_path: Path) -> None:
    found = farkle.json(
        "solve", *games, "--floor", "-600", "--tolerance", "1e-4", "--out", str(tmp_path / "out")
    )
    assert {one["floor"] for one in found} == {-600}
    assert {one["tolerance"] for one in found} == {1e-4}
    assert {Path(one["file"]).parent for one in found} == {tmp_path / "out"}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("solve facebook kcd --tolerance 0", "the tolerance must be"),
        ("solve facebook kcd --verify x.json", "takes no RULES"),
        ("solve facebook --scheduler nonsense", "is like tcp://host:8786"),
    ],
)
def test_bad_options_get_one_sentence(farkle: Farkle, arguments: str, sentence: str) -> None:
    status, out, err = farkle(*arguments.split())
    assert (status, out) == (2, "")
    assert sentence in err
    assert len(err.splitlines()) == 1


def test_a_cluster_needs_an_optional_package(
    farkle: Farkle, games: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    status, _, err = farkle("solve", *games, "--scheduler", "tcp://127.0.0.1:1")
    assert status == 2
    assert "pip install 'farkle-advisor[cluster]'" in err


@pytest.mark.slow
def test_an_interrupted_catalogue_keeps_what_is_done(
    games: list[str], kernels: Path, tmp_path: Path
) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "kernels").symlink_to(kernels)
    environment = {**os.environ, "FARKLE_DATA": str(tmp_path / "data")}
    with subprocess.Popen(
        [sys.executable, "-m", "bot", "solve", games[0], "facebook", "--tolerance", "1e-12"],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        assert process.stdout is not None
        while not process.stderr.readline().startswith("solving facebook"):
            assert process.poll() is None
        time.sleep(1)  # not in the middle of that line
        process.send_signal(signal.SIGINT)
        assert process.wait() == 130
        assert [line for line in process.stderr.read().splitlines() if line] == [
            "1 of 2 rule sets were done; their files are kept",
            "farkle: interrupted",
        ]
        assert process.stdout.read() == ""
    (file,) = (tmp_path / "data" / "strategies").glob("*.solved")
    assert verify_strategy(file).rules.name == "to300"


def test_a_table_of_failures_names_no_folder(tmp_path: Path) -> None:
    failed = [Result(n, name, name, Status.FAILED) for n, name in enumerate(("one", "two"))]
    assert "Files are in" not in catalogue_text(failed, tmp_path)


def test_bars_in_a_terminal(
    tiny: Solution, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "100")
    number = MOST_ROWS + 2
    jobs = [
        Job(n, f"[{n}]", GameOfTwo(tiny.rules.model_copy(update={"name": f"game{n}."})))
        for n in range(number)
    ]
    with CatalogueProgress(number, 1e-9) as bars:
        for job in jobs:
            bars.begin(job)
        bars._bars.refresh()
        assert "loading or compiling code" in capsys.readouterr().err
        bars.progress(jobs[0], Progress(3, 0.5, 1e-3))
        bars._bars.refresh()
        shown = capsys.readouterr().err
        assert f"0/{number}" in shown
        assert "sweep 3 residual 1e-03" in shown
        assert f"solving game{MOST_ROWS}." not in shown
        for job in jobs[:2]:
            bars.finished(Result(job.number, job.given, job.subject.name, Status.SOLVED))
        bars._bars.refresh()
        shown = capsys.readouterr().err
        assert f"2/{number}" in shown
        assert f"solving game{MOST_ROWS}." in shown
        bars.interrupted()
    assert f"2 of {number} rule sets were done" in capsys.readouterr().err
