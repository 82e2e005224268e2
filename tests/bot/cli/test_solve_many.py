"""`farkle solve --players`."""

import json
from pathlib import Path

import pytest

from tests.bot.cli.test_main import Farkle


@pytest.fixture
def farkle(unsolved: Farkle) -> Farkle:
    """Where nothing is solved yet."""
    return unsolved


@pytest.mark.slow
def test_three_players(farkle: Farkle, tmp_path: Path) -> None:
    game = tmp_path / "two-dice.toml"
    game.write_text("goal = 250\ndice = 2\nscoring = {three_of_a_kind = 0}\n")
    status, out, err = farkle("solve", str(game), "--players", "3", "--check", "--json")
    assert status == 0
    assert "solving two-dice for 3 players, 750 states" in err
    found = json.loads(out)
    assert found["players"] == 3
    assert sum(found["win_probabilities"]) == pytest.approx(1)
    assert found["residual"] < 1e-10
    assert found["order_effect"] < 1e-9
    assert found["rules"] == "two-dice"
    status, out, _ = farkle("solve", "--verify", found["file"])
    assert (status, out) == (0, f"{found['file']} is whole: two-dice rules for 3 players\n")


def test_several_goals_are_a_table(farkle: Farkle, tmp_path: Path) -> None:
    game = tmp_path / "two-dice.toml"
    game.write_text("goal = 250\ndice = 2\nscoring = {three_of_a_kind = 0}\n")
    goals = "--goal", "150", "--goal", "200"
    status, out, _ = farkle("solve", str(game), "--players", "3", *goals)
    head, first, second, *_ = out.splitlines()
    assert (status, head.split()[:2]) == (0, ["rules", "goal"])
    assert first.split()[:2] == ["two-dice-150", "150"]
    # chances, and what they are more than a third
    numbers = [float(word) for word in second.replace("%", "").split()[1:-1]]
    assert numbers[0] == 200
    assert sum(numbers[1:4]) == pytest.approx(100, abs=0.002)
    assert [x - 100 / 3 for x in numbers[1:4]] == pytest.approx(numbers[4:], abs=0.001)
    status, out, _ = farkle("solve", str(game), *goals, "--csv")
    assert [line.split(",")[0] for line in out.splitlines()] == [
        "rules",
        "two-dice-150",
        "two-dice-200",
    ]


def test_what_is_refused(farkle: Farkle) -> None:
    for arguments, message in (
        (("facebook", "--players", "3"), "a penalty for farkles is solved for two"),
        (("kcd", "--players", "1"), "the number of players is 2 to 8, not 1"),
        (("kcd", "--players", "3", "--floor", "0"), "--floor is for two players"),
    ):
        status, _, err = farkle("solve", *arguments)
        assert status == 2
        assert message in err
