"""The table to memorise: as published, and against the exact gains."""

import tomllib
from pathlib import Path

import pytest

from solver.errors import FarkleError
from solver.game.standings import Bools
from solver.rules.file import load_rules
from solver.rules.ruleset import Ruleset
from solver.turn.dice import TurnState
from solver.turn.endless import endless_turn
from solver.turn.equations import possible_states, turn_plan
from solver.turn.memo import memo_table, natural_unit
from tests import naive
from tests.conftest import mostly_slow, variant
from tests.house_rules import ONE_BY_ONE
from tests.usual import USUAL

FIGURES = tomllib.loads((Path(__file__).parents[2] / "reference/figures.toml").read_text())
RULES = {name: load_rules(name) for name in USUAL} | dict(ONE_BY_ONE)


def has_table(rules: Ruleset) -> bool:
    try:
        return bool(endless_turn(rules)) and not (rules.throws or rules.sets[1:])
    except FarkleError:
        return False


def test_the_published_break_points() -> None:
    """M. Busche and T. W. Neller, Optimal Play of the Farkle Dice Game (2017), table 3."""
    table = memo_table(load_rules("classic"))
    for dice, turn_totals in FIGURES["classic"]["break_points"].items():
        counted = [
            turn_total for gain in table.counts for turn_total in table.froms(gain, int(dice))
        ]
        assert counted[::-1] == turn_totals
        gains = [table.gain(turn_total, int(dice)) for turn_total in turn_totals]
        assert gains == [50 * k for k in range(len(turn_totals))]


@pytest.mark.mostly_slow(6)
@pytest.mark.parametrize(
    ("rules", "unit"),
    [
        *(
            pytest.param(*case.values, None, id=case.id, marks=case.marks)
            for case in mostly_slow(RULES.items())
        ),
        *(pytest.param(load_rules(name), 70, id=f"{name} in 70s") for name in USUAL),
    ],
)
def test_gains_are_counted_up(rules: Ruleset, unit: int | None) -> None:
    if not has_table(rules):
        pytest.skip("a turn can go on for ever")
    table, exact = memo_table(rules, unit), endless_turn(rules)
    step = rules.point_step
    every = possible_states(rules, rules.winning_score // step).max(axis=0)
    possible: Bools = turn_plan(rules).in_play(every)
    for column in table.columns:
        begins = int(possible[:, column.dice - 1].argmax()) * step
        assert column.breaks[0].turn_total == 0
        for turn_total in range(begins, rules.winning_score, step):
            counted = table.gain(turn_total, column.dice)
            assert counted % table.unit == 0
            gain = exact.gain(TurnState(turn_total, column.dice))
            if turn_total >= rules.least_bank() and naive.may_leave(rules, column.dice):
                gain = max(gain, 0.0)
            assert -1e-6 < counted - gain < table.unit + 1e-6


@pytest.mark.slow
def test_units() -> None:
    assert {natural_unit(load_rules(name)) for name in USUAL} == {50}
    tens = {"single": (10, 0, 0, 0, 5, 0), "three_of_a_kind": (100, 20, 30, 40, 50, 60)}
    fine = variant("classic", scoring=tens)
    assert natural_unit(fine) == 5
    finer = variant("classic", scoring={"single": (101, 0, 0, 0, 50, 0)})
    assert (finer.point_step, natural_unit(finer)) == (1, 50)
    for unit in (0, -50, 1_000_001):
        with pytest.raises(FarkleError, match="it is 1 to 1,000,000 points, such as 50"):
            memo_table(fine, unit)


def test_before_a_minimum_a_gain_may_be_less_than_nothing() -> None:
    """Who has to roll on with little hope has less than the turn total."""
    rules = variant("classic", minimum_bank=2000)
    table = memo_table(rules)
    assert table.gain(1900, 1) < 0 <= table.gain(2000, 1)
    assert table.froms(0, 1) == (2000,)


def test_no_table_where_a_turn_need_not_end() -> None:
    rules = variant("kcd", scoring={"single": 50})
    with pytest.raises(FarkleError, match="where a turn has at most so many throws, what to bank"):
        memo_table(variant("classic", throws=3))
    with pytest.raises(FarkleError, match="roll on for ever without any risk"):
        memo_table(rules)
