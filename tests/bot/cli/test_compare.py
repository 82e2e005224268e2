"""`farkle compare`, as text, data, rows and a picture."""

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from bot.cli.main import farkle

Run = Callable[..., Result]


@pytest.fixture
def compare(folder: Path, kernels: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("FARKLE_DATA", str(folder))
    (folder / "kernels").symlink_to(kernels)
    rules = str(folder / "tiny.toml")

    def run(*words: str) -> Result:
        return CliRunner().invoke(farkle, ["compare", rules, "--games", "200", *words])

    return run


@pytest.mark.slow
def test_the_forms_say_the_same(compare: Run, tmp_path: Path) -> None:
    picture = tmp_path / "sweep.svg"
    words = "--vary", "goal=450,500", "--seed", "5"
    data = json.loads(compare(*words, "--json", "--out", str(picture)).stdout)
    rows = list(csv.DictReader(io.StringIO(compare(*words, "--csv").stdout)))
    assert [one["value"] for one in data] == [one["value"] for one in rows] == ["450", "500"]
    for one, row in zip(data, rows, strict=True):
        assert float(row["first_player"]) == one["first_player"]
        assert float(row["turns"]) == one["optimal"]["turns"]["value"]
        assert float(row["close_error"]) == one["optimal"]["close"]["standard_error"]
        assert (row["careless"], row["careless_error"]) == ("cautious", "")
        assert row["games"] == "200"
    text = compare(*words).stdout
    for one in data:
        assert f"{one['value']}   {100 * one['first_player']:.2f} %" in text
        assert f"{one['optimal']['turns']['value']:.1f}" in text
    assert max(map(len, text.splitlines())) <= 79
    assert "<svg" in picture.read_text()


@pytest.mark.slow
def test_what_is_solved_on_the_way_is_kept_where_that_was_asked_for(
    compare: Run, folder: Path
) -> None:
    strategies = folder / "strategies"
    before = set(strategies.glob("*.solved"))
    assert compare("--vary", "goal=400").exit_code == 0
    assert set(strategies.glob("*.solved")) == before
    assert compare("--vary", "goal=400", "--keep").exit_code == 0
    assert len(set(strategies.glob("*.solved")) - before) == 1


@pytest.mark.slow
def test_no_column_and_no_row_is_there_twice(compare: Run) -> None:
    lines = compare("--vary", "goal=400,500,400").stdout.splitlines()
    heads = lines[1].split()
    assert len(set(heads)) == len(heads)
    assert [line.split()[0] for line in lines[2:5]] == ["400", "500", "first:"]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--out", "picture.gif"], "--out: picture.gif has to end in .png or .svg"),
        (["--vary", "goal=5..1"], "a range goes up"),
        (["nobody"], 'unknown rule set "nobody"'),
    ],
)
def test_what_cannot_be_compared_is_refused_at_once(
    compare: Run, words: list[str], sentence: str
) -> None:
    found = compare(*words)
    assert found.exit_code != 0
    assert sentence in str(found.exception)


@pytest.mark.slow
def test_games_of_rounds_are_played_turn_by_turn(compare: Run, folder: Path) -> None:
    """Beside rules of which all is worked out, with a tenth as many games."""
    rounds = folder / "rounds.toml"
    rounds.write_text("rounds = 2\ndice = 3\n")
    _, row = csv.DictReader(io.StringIO(compare(str(rounds), "--games", "2000", "--csv").stdout))
    assert float(row["first_player"]) < 0.5
    assert float(row["points"]) > 90
    assert (row["games"], row["turns"], row["close"]) == ("200", "4.0", "")
    # who begins gives nothing away over both seats
    assert float(row["careless_loses"]) > -3 * float(row["careless_error"])
    for kind in ("points", "farkles"):
        assert float(row[f"optimal_{kind}_error"]) > 0
    last = compare(str(rounds)).stdout
    (line,) = (one for one in last.splitlines() if one.split()[:1] == ["rounds"])
    assert line.split().count("-") == 1
    assert "played turn by turn" in " ".join(last.split())
