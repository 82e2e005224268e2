"""The progress of solves: nobody has to be able to hear it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from rich.progress import Progress

from bot.views.progress import CatalogueProgress, share_progress
from solver.batch.jobs import Job
from solver.batch.subjects import GameOfTwo
from solver.game.standings import Progress as Sweeping
from solver.rules.file import load_rules

WORK = """
from bot.views.progress import CatalogueProgress, share_progress
from solver.batch.jobs import Job
from solver.batch.subjects import GameOfTwo
from solver.rules.file import load_rules

with share_progress("solving") as done:
    done(0.5)
with CatalogueProgress(2, 1e-9) as bars:
    bars.begin(Job(0, "kcd", GameOfTwo(load_rules("kcd"))))
    bars.interrupted()
print("done")
"""


@pytest.mark.mostly_slow(2)
@pytest.mark.parametrize("full", [False, True])
def test_work_goes_on_where_its_progress_cannot_be_told(full: bool) -> None:
    if full:
        if not Path("/dev/full").exists():
            pytest.skip("no such file here")
        errors = os.open("/dev/full", os.O_WRONLY)
    else:
        read, errors = os.pipe()
        os.close(read)
    try:
        done = subprocess.run(
            [sys.executable, "-c", WORK],
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            check=False,
        )
    finally:
        os.close(errors)
    assert done.stdout == "done\n"


def test_time_is_said_to_be_left_once_it_is_known(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")  # which is what a terminal is to it
    monkeypatch.setenv("COLUMNS", "120")
    job = Job(0, "kcd", GameOfTwo(load_rules("kcd")))
    with CatalogueProgress(1, 1e-9) as shown:
        shown.begin(job)
        bars: Progress = shown._bars
        bars.refresh()
        before = capsys.readouterr().err
        assert "loading or compiling code" in before
        assert "left" not in before
        for share in (0.1, 0.2, 0.3):
            shown.progress(job, Sweeping(1, share, None))
            bars.refresh()
        assert " left" in capsys.readouterr().err


def test_a_share_is_told_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with share_progress("solving [x]") as done:
        done(0.5)
    with share_progress("comparing", seconds=62):
        pass
    assert capsys.readouterr().err == "solving [x] ...\ncomparing, about 65 s ...\n"
