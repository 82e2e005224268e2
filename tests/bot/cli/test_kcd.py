import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from bot.cli.main import farkle
from solver.errors import FarkleError


def run(*arguments: str, data: Path | None = None) -> str:
    folder = {"FARKLE_DATA": str(data)} if data else {}
    result = CliRunner().invoke(farkle, ["kcd", *arguments], env=folder)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_lists() -> None:
    assert "  6 1 2 3 4 6   lucky 600\n" in run("dice")
    known = json.loads(run("dice", "--json"))
    assert len(known) == 47
    assert json.loads(run("dice", "glückswürfel", "--json"))[0]["key"] == "lucky"
    assert "28.6 %J" in run("dice", "tengri")
    assert "tengri,Tengri's Dice,plain,2 1 1 1 1 1,,1" in run("dice", "--csv")
    assert len(json.loads(run("badges", "--json"))) == 36
    assert run("badges", "--csv").startswith("name,tier,kind,uses,price,exactness,points,open\n")


def test_who_wins(tmp_path: Path, kernels: Path) -> None:
    (tmp_path / "kernels").symlink_to(kernels)
    sets = ("--my-dice", "odd*4,devil*2", "--goal", "600")
    found = json.loads(run(*sets, "--json", data=tmp_path))
    assert found["win_probability"] == found["win_probability_beginning"]
    lines = run(*sets, "--began", "them", "--csv", data=tmp_path).splitlines()
    assert lines[0].startswith("who,win_probability,dice,points,")
    assert float(lines[1].split(",")[1]) == found["win_probability_second"]
    assert "You win" in run(*sets, data=tmp_path)
    rows = run("--own", "odd,devil", "--goal", "600", "--csv", data=tmp_path).splitlines()
    assert len(rows) == 5


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "give your dice with --my-dice, or with --own those to choose from"),
        (["--my-dice", "lucky*7"], "a set is 6 dice, not 7"),
        (["--my-dice", "odd*6", "--goal", "10"], "goal"),
        (["--my-dice", "odd*6", "--my-badge", "carpenter"], "nobody knows how many points"),
        (["dice", "nothing"], 'there is no die called "nothing"'),
    ],
)
def test_refusals(arguments: list[str], sentence: str) -> None:
    result = CliRunner().invoke(farkle, ["kcd", *arguments])
    assert isinstance(result.exception, FarkleError)
    assert sentence in str(result.exception)
