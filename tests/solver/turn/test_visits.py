import numpy as np
import pytest

from solver.named.sets import read_set
from solver.rules.file import load_rules
from solver.turn.equations import turn_plan
from solver.turn.points import bank_decisions, points_table, turn_outcome
from solver.turn.remaining import roll_lists, shape_of


@pytest.mark.parametrize("text", ["ordinary*6", "lucky*4,odd*2", "devil*2,pie*4"])
def test_visits_end_as_turns_do(text: str) -> None:
    rules, thrown = load_rules("kcd"), read_set(text).dice_set
    table = points_table(rules, roll_lists(rules, shape_of(thrown)).plan(thrown))
    outcome = turn_outcome(rules, table)
    found, banks = outcome.visits[0], bank_decisions(table)[0]
    rolled = np.where(banks, 0.0, found)
    assert np.isclose((rolled @ table.plan.farkle_chances).sum(), outcome.farkled.sum())
    assert np.allclose((found - rolled).sum(axis=1), outcome.banked)


def test_ordinary_dice_are_those_of_the_rules() -> None:
    rules, thrown = load_rules("kcd"), read_set("hugo,molar,wisdom,ordinary*3").dice_set
    table = points_table(rules, roll_lists(rules, shape_of(thrown)).plan(thrown))
    expected = points_table(rules, turn_plan(rules), 0)
    assert np.allclose(table.roll, expected.roll, rtol=0, atol=1e-12)
