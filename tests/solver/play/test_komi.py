"""The head start that makes a game fair: published for classic rules, and looked up one by one."""

import tomllib
from pathlib import Path

import pytest

from solver.game.sweeps import solve
from solver.play.komi import komi
from solver.strategy import Strategy
from tests.conftest import variant

FIGURES = tomllib.loads((Path(__file__).parents[2] / "reference/figures.toml").read_text())


def test_published_komi(strategies: dict[str, Strategy]) -> None:
    found, classic = komi(strategies["classic"]), FIGURES["classic"]
    assert found.best.points == classic["komi"]
    assert round(found.best.win_probability, 6) == classic["komi_first_player_win"]
    assert found.without.points == 0
    assert round(found.without.win_probability, 6) == classic["first_player_win"]
    below, best, above = found.neighbours
    assert (below.points, best, above.points) == (150, found.best, 250)
    assert below.win_probability > best.win_probability > 0.5 > above.win_probability
