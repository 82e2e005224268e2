"""`farkle plot`: what is written and printed, and what is refused."""

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from solver.game.best import Strategy
from solver.game.position import Position
from tests.bot.cli.test_main import Farkle, farkle
from tests.bot.pictures import size_of

__all__ = ["farkle"]


@pytest.mark.mostly_slow
@pytest.mark.parametrize(
    ("kind", "size"),
    [
        ("turn --rules kcd --me 1200 --them 2000 --turn 350 --dice 2", (800, 1000)),
        ("border --rules kcd --step 1000", (800, 1300)),
        ("win --rules facebook --farkles 2", (800, 1000)),
        ("compare kcd facebook --over scores", (800, 900)),
    ],
)
def test_pictures(farkle: Farkle, tmp_path: Path, kind: str, size: tuple[int, int]) -> None:
    out = tmp_path / "picture.png"
    status, said, err = farkle("plot", *kind.split(), "--out", str(out))
    assert status == 0, err
    assert said == f"Written to {out}: {size[0]} x {size[1]} pixels.\n"
    assert size_of(out.read_bytes()) == size


def test_the_asked_size_and_form(farkle: Farkle, tmp_path: Path) -> None:
    for ending, start in ((".png", b"\x89PNG"), (".svg", b"<?xml"), (".PDF", b"%PDF")):
        out = tmp_path / f"picture{ending}"
        asked = ("plot", "compare", "kcd", "--dark", "--size", "500x400", "--out", str(out))
        status, _, err = farkle(*asked)
        assert status == 0, err
        assert out.read_bytes().startswith(start)
    assert size_of((tmp_path / "picture.png").read_bytes()) == (500, 400)


def test_the_numbers_of_a_turn(farkle: Farkle, strategies: dict[str, Strategy]) -> None:
    ask = ("plot", "turn", "--rules", "kcd", "--me", "2200", "--them", "3100")
    found = json.loads(farkle(*ask, "--json")[1])
    rows = list(csv.DictReader(io.StringIO(farkle(*ask, "--csv")[1])))
    assert len(rows) == len(found["rows"]) > 100
    table = strategies["kcd"].turn(Position.of_two(2200, 3100))
    for row, printed in zip(found["rows"], rows, strict=True):
        position = Position.of_two(2200, 3100, row["turn_total"], dice=row["dice"])
        assert row["win_probability"] == table.value(position.turn)
        assert row["roll"] == table.roll_value(position.turn)
        assert row["bank"] == table.bank_value(position.turn)
        assert row["action"] == table.decision(position.turn)
        assert float(printed["win_probability"]) == row["win_probability"]
        assert printed["bank"] == ("" if row["bank"] is None else repr(row["bank"]))
    for one in found["bank_from"]:
        same = [row for row in found["rows"] if row["dice"] == one["dice"]]
        assert one["turn_total"] == next(
            (row["turn_total"] for row in same if row["action"] != "roll"), 4000 - 2200
        )


def test_the_numbers_over_the_scores(farkle: Farkle, strategies: dict[str, Strategy]) -> None:
    strategy = strategies["facebook"]
    ask = ("plot", "win", "--farkles", "1", "--their-farkles", "2", "--least", "-500")
    found = json.loads(farkle(*ask, "--step", "500", "--json")[1])
    assert len(found["rows"]) == 21 * 21
    for row in found["rows"][::17]:
        position = Position.of_two(row["banked"], row["opponent"], farkles=1, opponent_farkles=2)
        assert row["win_probability"] == strategy.win_probability(position)
    found = json.loads(farkle("plot", "border", "--step", "2500", "--json")[1])
    assert len(found["rows"]) == 6 * 4 * 4
    start = [row["bank_from"] for row in found["rows"] if row["banked"] == row["opponent"] == 0]
    assert start == [300, 300, 400, 1000, 2500, 5000]


def test_the_numbers_of_a_comparison(farkle: Farkle) -> None:
    found = json.loads(farkle("plot", "compare", "facebook", "kcd", "classic", "--json")[1])
    first = {row["rules"]: row["first_player"] for row in found["rows"]}
    assert first["facebook"] == pytest.approx(0.53487, abs=1e-5)
    assert first["classic"] == pytest.approx(0.53695, abs=1e-5)
    found = json.loads(farkle("plot", "compare", "kcd", "--over", "scores", "--json")[1])
    assert len(found["rows"]) == 80
    assert found["rows"][0]["win_probability"] == first["kcd"]


def test_the_picture_and_the_numbers_at_once(farkle: Farkle, tmp_path: Path) -> None:
    out = tmp_path / "picture.png"
    _, said, _ = farkle("plot", "compare", "kcd", "--csv", "--out", str(out))
    assert said.startswith("rules,first_player,points,farkle_probability\nkcd,0.55")
    assert out.exists()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("turn", "say where to write the picture, as in --out picture.png"),
        ("turn --out picture", "ends in .png, .svg or .pdf, not in ''"),
        ("turn --out picture.jpeg", "not in '.jpeg'"),
        ("win --out nowhere/picture.png", "there is no folder nowhere"),
        ("win --step 500 --out /dev/full/x.png", "there is no folder /dev/full"),
        ("turn --json --csv", "--json and --csv do not go together"),
        ("turn --size 10x10 --json", "width and height are 200 to 6000 pixels"),
        ("turn --size 800 --json", "such as 800x1000, not 800"),
        ("turn --size 300x3000 --json", "at most three times the other"),
        ("turn --turn 350 --json", "say how many dice are left to roll"),
        ("turn --turn 60 --dice 6 --json", "the turn total cannot be 60"),
        ("turn --hot-dice -1 --json", "the number of hot dice cannot be -1"),
        ("win --step 30 --json", "the step must be a multiple of 50"),
        ("win --least -9999 --json", "your score cannot be -9,999"),
        ("border --farkles 3 --json", "your farkles in a row cannot be 3"),
        ("compare --json", "say which RULES to compare"),
        ("compare kcd nobody --json", 'unknown rule set "nobody"'),
        ("compare zilch --json", "the rules zilch are not solved yet"),
    ],
)
def test_bad_input_gets_one_sentence(farkle: Farkle, arguments: str, sentence: str) -> None:
    status, out, err = farkle("plot", *arguments.split())
    assert status == 2
    assert out == ""
    assert sentence in err
    assert err.startswith("farkle: ")
    assert len(err.splitlines()) == 1


def test_files_that_cannot_be_written(farkle: Farkle, tmp_path: Path) -> None:
    out = tmp_path / "folder.png"
    out.mkdir()
    status, said, err = farkle("plot", "compare", "kcd", "--out", str(out))
    assert (status, said) == (2, "")
    assert err == f"farkle: {out}: cannot be written (Is a directory)\n"


@pytest.mark.parametrize("kind", ["turn", "border", "win", "compare"])
def test_every_kind_has_json_csv_and_help(farkle: Farkle, kind: str) -> None:
    status, out, _ = farkle("plot", kind, "--help")
    assert status == 0
    for option in ("--out", "--dark", "--size", "--json", "--csv"):
        assert option in out


@pytest.mark.slow
def test_other_commands_do_not_load_matplotlib() -> None:
    script = "import sys, bot.cli.chat, bot.wiring; print('matplotlib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    assert done.stdout.strip() == b"False"
