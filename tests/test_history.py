"""What benchmarks measured is kept, and can be drawn."""

from pathlib import Path

import pytest

from tests.benchmarks.history import History, draw, main, read


@pytest.mark.slow
def test_figures_are_kept_and_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "data" / "benchmarks.jsonl"
    for value in (3.0, 5.0):
        history = History(file, "solver")
        history.heading("Solving")
        history.figure("facebook", value, "s", limit=4.0, ratio=value / 10, than="12 sweeps")
        history.figure("its peak memory", 300, "MB")
        history.figure("one thread", 130, "/s", limit=120, is_least=True)
    entries = read(file)
    assert [one.holds for one in entries] == [True, True, True, False, True, True]
    assert [one.title for one in entries[:3]] == [
        "solver: facebook",
        "solver: facebook, peak memory",
        "solver: one thread",
    ]
    assert entries[3].ratio == 0.5
    monkeypatch.setenv("FARKLE_DATA", str(file.parent))
    picture = tmp_path / "history.png"
    monkeypatch.setattr("sys.argv", ["history", "--out", str(picture), "--only", "facebook"])
    assert main() == 0
    drawn = picture.read_bytes()
    assert drawn.startswith(b"\x89PNG")
    draw(entries, picture, ratios=True)
    assert picture.read_bytes() != drawn
