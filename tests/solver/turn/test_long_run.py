"""Points in the long run, and what a farkle might cost, as published; nothing brings more."""

import csv
import random
import tomllib
from pathlib import Path

import numpy as np
import pytest

from solver.errors import InvalidRequestError
from solver.rules.file import load_rules
from solver.rules.ruleset import Ruleset
from solver.turn.endless import endless_turn
from solver.turn.long_run import long_run, trade_offs
from tests.conftest import EVERY, variant
from tests.house_rules import small

REFERENCE = Path(__file__).parents[2] / "reference"
ZILCH = tomllib.loads((REFERENCE / "figures.toml").read_text())["zilch"]


@pytest.mark.slow
def test_published_costs_of_a_farkle() -> None:
    with (REFERENCE / "zilch_penalty_tradeoff.csv").open() as file:
        rows = list(csv.DictReader(file))[:: 1 if EVERY else 4]
    found = trade_offs(load_rules("zilch"), [float(row["farkle_penalty"]) for row in rows])
    assert len(found) > 70 / (1 if EVERY else 4)
    for row, one in zip(rows, found, strict=True):
        chance, points = float(row["farkle_probability"]), float(row["corrected_expected_points"])
        assert one.farkle_probability == pytest.approx(chance, abs=6e-7), row
        assert one.points == pytest.approx(points, abs=6e-7), row


@pytest.mark.slow
def test_published_points_in_the_long_run() -> None:
    found = long_run(load_rules("zilch"))
    assert round(found.points, 3) == ZILCH["points_per_turn_long_run"]
    assert found.turns[-1].farkle_cost == 500


def average(rules: Ruleset, costs: list[float]) -> float:
    """Points a turn of a player who plays as if farkles cost so much, by farkles behind."""
    turns = [endless_turn(rules, cost) for cost in costs]
    chances = [turn.farkle_probability for turn in turns]
    points = [turn.points + turn.farkle_cost * turn.farkle_probability for turn in turns]
    points[-1] -= rules.penalty_points * chances[-1]
    size = len(turns)
    moves = np.zeros((size, size))
    for behind, chance in enumerate(chances):
        goes_on = rules.farkle_penalty and rules.farkle_penalty.then == "goes_on"
        after = behind + 1 if behind + 1 < size else size - 1 if goes_on else 0
        moves[behind, after] += chance
        moves[behind, 0] += 1 - chance
    # how often each number of farkles is behind in the long run
    equations = np.vstack([(np.eye(size) - moves).T, np.ones(size)])
    often = np.linalg.lstsq(equations, np.array([0.0] * size + [1.0]), rcond=None)[0]
    return float(often @ points)


@pytest.mark.mostly_slow(9)
@pytest.mark.parametrize(
    "rules",
    [
        load_rules("facebook"),
        *(
            variant("classic", farkle_penalty={"in_a_row": number, "points": points})
            for number, points in ((1, 200), (2, 50), (5, 2000))
        ),
        small(farkle_keeps_turn_total=True, farkle_penalty={"in_a_row": 2, "points": 100}),
        small(hot_dice="forced", farkle_penalty={"in_a_row": 3, "points": 1000}),
        small(farkle_penalty={"in_a_row": 2, "points": 400, "then": "goes_on"}),
        variant("classic", farkle_penalty={"in_a_row": 3, "points": 500, "then": "goes_on"}),
    ],
    ids=lambda rules: f"{rules.name}, {rules.farkle_penalty.in_a_row} in a row",
)
def test_no_other_costs_bring_more_in_the_long_run(rules: Ruleset) -> None:
    found = long_run(rules)
    best = [turn.farkle_cost for turn in found.turns]
    assert average(rules, best) == pytest.approx(found.points, abs=1e-9)
    assert sum(found.shares) == pytest.approx(1)
    chance = random.Random(1)
    for _ in range(10):
        others = [cost * chance.uniform(0, 2) + chance.uniform(0, 50) for cost in best]
        assert average(rules, others) <= found.points + 1e-9


def test_what_takes_everything_has_no_average() -> None:
    rules = variant("classic", farkle_penalty={"in_a_row": 3, "points": "everything"})
    with pytest.raises(InvalidRequestError, match="what they cost depends on it"):
        long_run(rules)


def test_without_a_penalty_every_turn_is_the_same() -> None:
    found = long_run(load_rules("classic"))
    assert found.points == endless_turn(load_rules("classic")).points
    assert found.shares == (1.0,)
