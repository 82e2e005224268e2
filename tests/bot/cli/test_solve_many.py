"""`farkle solve --players`."""

import json
from pathlib import Path

import pytest

from tests.bot.cli.test_main import Farkle


@pytest.fixture
def farkle(unsolved: Farkle) -> Farkle:
    """Where nothing is solved yet."""
    return unsolved


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
    status, out, _ = farkle("solve", "--verify", found["file"])
    assert (status, out) == (0, f"{found['file']} is whole: two-dice rules for 3 players\n")


def test_what_is_refused(farkle: Farkle) -> None:
    for arguments, message in (
        (("facebook", "--players", "3"), "421,875,000 start-of-turn states"),
        (("kcd", "--players", "1"), "the number of players is 2 to 8, not 1"),
        (("kcd", "--players", "3", "--floor", "0"), "--floor is for two players"),
    ):
        status, _, err = farkle("solve", *arguments)
        assert status == 2
        assert message in err
