"""How the strength of the levels is shown, and the study that measures it."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from bot.__main__ import main
from bot.views.levels import (
    level_list_data,
    level_list_text,
    levels_data,
    levels_sheet,
    levels_text,
)
from solver.errors import StrategyFileError
from solver.play.policies import LEVELS
from solver.play.strengths import (
    Strength,
    Strengths,
    load_strengths,
    save_strengths,
    strengths_path,
)
from solver.rules.file import load_rules, read_rules
from tests.conftest import rules_file

FOUND = Strengths(
    rules="kcd",
    digest=load_rules("kcd").digest,
    games=20_000,
    seed=3,
    levels={
        "optimal": Strength(win_rate=0.5012, standard_error=0.0034, began=0.557, replied=0.4454),
        "greedy": Strength(win_rate=0.3, standard_error=0.003, began=0.35, replied=0.25),
    },
)


def test_a_row_for_each_level() -> None:
    text = levels_text(FOUND, FOUND, Path("levels.json"))
    assert text.splitlines() == [
        "kcd rules, each level against optimal play in 20,000 games, seed 3:",
        "  level      wins  error  beginning  second",
        "  optimal  50.1 %    0.3     55.7 %  44.5 %",
        "  greedy   30.0 %    0.3     35.0 %  25.0 %",
        "Error: the standard error in percentage points.",
        "Kept in levels.json.",
    ]
    rules = load_rules("kcd")
    assert "30.0 %" in level_list_text(rules, FOUND.levels)
    told = " ".join(level_list_text(rules, None).split())
    assert "under kcd rules has not been measured yet; only the person who runs" in told
    assert [one["level"] for one in level_list_data(None)] == list(LEVELS)
    assert max(map(len, level_list_text(rules, FOUND.levels).splitlines())) < 80
    assert levels_data(FOUND, FOUND, Path("levels.json"))["levels"]["greedy"]["win_rate"] == 0.3
    assert levels_sheet(FOUND).csv.splitlines() == [
        "level,win_rate,standard_error,began,replied",
        "optimal,0.5012,0.0034,0.557,0.4454",
        "greedy,0.3,0.003,0.35,0.25",
    ]


def test_strengths_are_those_of_their_rules(tmp_path: Path) -> None:
    kcd, facebook = load_rules("kcd"), load_rules("facebook")
    assert load_strengths(tmp_path, kcd) is None
    assert save_strengths(tmp_path / "new", kcd, FOUND) is FOUND
    path = strengths_path(tmp_path / "new", kcd)
    assert path == tmp_path / "new" / f"levels-{kcd.digest[:16]}.json"
    assert load_strengths(path.parent, kcd) == FOUND.levels
    assert [one.name for one in path.parent.iterdir()] == [path.name]
    path.rename(strengths_path(path.parent, facebook))
    assert load_strengths(path.parent, facebook) is None
    path.write_text('{"rules": "kcd"')
    assert load_strengths(path.parent, kcd) is None


def test_a_rough_study_does_not_replace_a_precise_one(tmp_path: Path) -> None:
    kcd, path = load_rules("kcd"), strengths_path(tmp_path, load_rules("kcd"))
    rough = FOUND.model_copy(update={"games": 100, "seed": 4})
    assert save_strengths(tmp_path, kcd, rough) is rough
    assert save_strengths(tmp_path, kcd, FOUND) is FOUND
    kept = save_strengths(tmp_path, kcd, rough)
    assert kept == FOUND == Strengths.load(path, kcd)
    text = levels_text(rough, kept, path)
    assert f"Not kept: {path} has a study of 20,000 games; --replace replaces it." in text
    assert not levels_data(rough, kept, path)["kept"]
    as_large = FOUND.model_copy(update={"seed": 5})
    assert save_strengths(tmp_path, kcd, as_large) is as_large
    assert save_strengths(tmp_path, kcd, rough, replace=True) is rough
    assert Strengths.load(path, kcd) == rough
    path.write_text("damaged")
    assert save_strengths(tmp_path, kcd, rough) is rough


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(StrategyFileError, match="cannot be written"):
        save_strengths(file, load_rules("kcd"), FOUND)


def test_exact_strengths_stay(tmp_path: Path) -> None:
    kcd, path = load_rules("kcd"), strengths_path(tmp_path, load_rules("kcd"))
    levels = {
        name: one.model_copy(update={"standard_error": 0.0}) for name, one in FOUND.levels.items()
    }
    exact = Strengths(rules="kcd", digest=kcd.digest, levels=levels)
    save_strengths(tmp_path, kcd, FOUND)
    assert save_strengths(tmp_path, kcd, exact) is exact
    assert save_strengths(tmp_path, kcd, FOUND) == exact == Strengths.load(path, kcd)
    assert "has an exact study; --replace" in levels_text(FOUND, exact, path)
    assert save_strengths(tmp_path, kcd, FOUND, replace=True) is FOUND
    assert levels_text(exact, exact, Path("levels.json")).splitlines() == [
        "kcd rules, the exact chance of each level to win against optimal play:",
        "  level       wins  beginning   second",
        "  optimal  50.12 %    55.70 %  44.54 %",
        "  greedy   30.00 %    35.00 %  25.00 %",
        "Kept in levels.json.",
    ]
    text = level_list_text(kcd, levels)
    assert "30.00 %" in text
    assert "+-" not in text
    assert "Chances to win against optimal play under kcd rules, exact." in text


@pytest.mark.slow
def test_the_study(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = rules_file(tmp_path / "mine.toml")
    monkeypatch.setenv("FARKLE_DATA", str(tmp_path / "data"))
    arguments = ["farkle", "study", "levels", str(path), "--json"]

    def said(*more: str) -> dict[str, Any]:
        monkeypatch.setattr(sys, "argv", [*arguments, *more])
        with pytest.raises(SystemExit) as exited:
            main()
        out, err = capsys.readouterr()
        assert not exited.value.code, err
        return dict(json.loads(out))

    exact = said()
    found = said("--games", "4000", "--seed", "7", "--replace")
    assert exact["levels"]["optimal"]["win_rate"] == pytest.approx(0.5, abs=1e-9)
    for level, one in found["levels"].items():
        off = abs(one["win_rate"] - exact["levels"][level]["win_rate"])
        assert off < 5 * one["standard_error"]
    assert found["kept"]
    assert list(found["levels"]) == ["optimal", "max-points", "memo", "greedy", "cautious"]
    kept = load_strengths(tmp_path / "data", read_rules(path))
    assert kept is not None
    assert {name: one.model_dump() for name, one in kept.items()} == found["levels"]
