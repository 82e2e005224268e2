"""Games in which a turn has to beat the one before, against the twin and by hand."""

from itertools import product
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from solver.errors import InvalidPositionError, InvalidRulesError
from solver.game.audit import residual
from solver.game.many import check_many
from solver.game.position import Position, check_position
from solver.game.standings import LEAST, Standing, check_afresh, many, opponent_indices, role
from solver.game.standings import standing_index as index_of
from solver.game.sweeps import solve
from solver.rules.ruleset import Ruleset
from solver.strategy import open_strategy, save_strategy
from solver.turn.dice import TurnState
from tests import naive
from tests.conftest import mostly_slow
from tests.house_rules import ONWARD, THIRD, small, tables


def beating(**changes: Any) -> Ruleset:
    """A small game in which a turn has to beat the one before."""
    return small(beat_previous_turn=True, **{"goal": 400} | changes)


BEATING = {
    "alone": beating(),
    "a minimum that binds": beating(minimum_bank=150, opening_minimum=250),
    "no minimum to win": beating(minimum_bank=200, minimum_binds_win=False),
    "bonus, hot dice rolled": beating(dice=2, hot_dice_bonus=(50, 100), hot_dice="no_bank"),
    "to confirm": beating(scoring={"combination": tables("aa=150,roll-on")}),
    "few dice left, all set aside": beating(bank_dice_left=1, set_aside_all=True),
    "two throws, more than the goal": beating(throws=2, goal_must_be="exceeded"),
    "hot dice count twice": beating(dice=2, hot_dice_times=(2,)),
    "rolls that decide": beating(
        instant_win=("xxx",), scoring={"combination": tables("66=loses-turn,2=loses-game")}
    ),
    "at the first throw": beating(scoring={"combination": tables("222=400,first-throw")}),
    "seven dice": beating(dice=7, goal=300),
    "a final turn, ties shared": beating(ending="final_turn", ties="shared"),
    "both have as many turns": beating(
        ending="equal_turns", ties="shared", opening_minimum=150, goal=350
    ),
    "three farkles cost points": beating(dice=2, goal=250, farkle_penalty=THIRD, score_floor=-100),
    "two farkles, an opening, equal turns": beating(
        dice=2,
        goal=200,
        ending="equal_turns",
        ties="shared",
        opening_minimum=100,
        farkle_penalty=THIRD | {"in_a_row": 2},
        score_floor=-100,
    ),
    "each farkle costs points, not below 0": beating(
        dice=2, goal=300, farkle_penalty=THIRD | {"in_a_row": 1}, score_floor=0
    ),
    "from the second farkle on": beating(
        goal=250, farkle_penalty=ONWARD, score_floor=0, ending="final_turn"
    ),
    "two farkles cost everything": beating(
        goal=300, minimum_bank=100, farkle_penalty={"in_a_row": 2, "points": "everything"}
    ),
    "no first throw is a farkle": beating(first_throw_tries=0, goal=300),
    "a final turn of one throw": beating(
        ending="final_turn", final_throws=1, minimum_bank=100, minimum_binds_win=False
    ),
}


def assert_agrees(rules: Ruleset, folder: Path, kernels: Path) -> None:
    """The solver, its file and the twin agree in all that may have to be beaten."""
    solution = solve(rules, cache=kernels)
    save_strategy(solution, folder)
    strategy = open_strategy(folder, rules)
    right = naive.values_to_beat(rules)
    assert len(right) == solution.values.size
    for (began, own, other, points), value in right.items():
        mover, standing = Standing(*own), Standing(*other, points)
        [column] = opponent_indices(rules, many(standing))
        found = solution.values[role(rules, began=began), index_of(rules, mover), column]
        error = abs(found - value) / max(value, LEAST)
        assert error < 1e-9
        assert error - 1e-11 <= solution.error_bound <= 1e-9
        how: dict[str, Any] = {"dice": rules.dice, "began": began}
        position = Position((mover, standing), 0).change(**how)
        if not 0 < points < rules.least_bank():
            assert strategy.win_probability(position) == found
            assert strategy.turn(position).roll[0, 0, -1] == pytest.approx(value, abs=1e-11)
    assert residual(rules, solution.values, cache=kernels) < 1e-12


@pytest.mark.mostly_skipped(2)
@pytest.mark.parametrize("rules", mostly_slow(BEATING.items(), every=len(BEATING)))
def test_all_states_agree_with_the_twin(kernels: Path, rules: Ruleset, tmp_path: Path) -> None:
    assert_agrees(rules, tmp_path, kernels)


def test_a_final_turn_is_worth_what_the_bank_before_it_leaves(
    kernels: Path, tmp_path: Path
) -> None:
    rules = BEATING["a final turn, ties shared"]
    save_strategy(solve(rules, cache=kernels), tmp_path)
    strategy = open_strategy(tmp_path, rules)
    for own, other in product((100, 250, 300), (100, 250, 350)):
        table = strategy.turn(Position.of_two(own, other, dice=3))
        for total in range(400 - own, 650, 50):
            last = Position.of_two(other, own + total, dice=3, to_beat=total)
            left = 1 - strategy.win_probability(last)
            assert table.bank_value(TurnState(total, 1)) == pytest.approx(left, abs=1e-12)


def test_one_die_by_hand(kernels: Path) -> None:
    """One die, of which a 1 is a point, to two: whoever has banked 1 has to be beaten by 2."""
    rules = small(
        dice=1, goal=2, scoring={"single": (1, 0, 0, 0, 0, 0)}, beat_previous_turn=True, name="die"
    )
    values = solve(rules, cache=kernels).values[0]
    p, q = 1 / 6, 5 / 6
    # both have 1, nothing to beat; who has to beat 1 needs two of them
    level = p / (1 - q * q)
    level_to_beat = p * p + (1 - p * p) * (1 - level)
    assert values[1, 1] == pytest.approx(level, abs=1e-12)
    assert values[1, 2] == pytest.approx(level_to_beat, abs=1e-12)
    # 0 against 1 and the other way round, with nothing to beat: to bank or to roll on after a 1
    found = []
    for banks_first in (True, False):
        behind, ahead = 0.5, 0.5
        for _ in range(500):
            then = 1 - level_to_beat if banks_first else p + q * (1 - ahead)
            behind, ahead = p * then + q * (1 - ahead), p + q * (1 - behind)
        found.append((behind, ahead))
    behind, ahead = max(found)
    assert values[0, 1] == pytest.approx(behind, abs=1e-12)
    assert values[1, 0] == pytest.approx(ahead, abs=1e-12)
    assert values[0, 2] == pytest.approx(p * p + (1 - p * p) * (1 - ahead), abs=1e-12)


def test_wins_that_are_certain_are_proved(kernels: Path) -> None:
    """One die that always scores: no bound of a value is above 1."""
    scoring = {"single": 1}
    rules = small(dice=1, goal=2, scoring=scoring, beat_previous_turn=True, name="die")
    solution = solve(rules, cache=kernels)
    assert solution.error_bound <= 1e-9
    assert solution.values == pytest.approx(1.0)


def test_more_to_beat_is_never_better(kernels: Path) -> None:
    rules = beating(goal=600)
    values = solve(rules, cache=kernels).values[0]
    for own, other in product(range(12), range(12)):
        begin = other * (other + 1) // 2
        row = values[own, begin : begin + other + 1]
        assert all(row[:-1] >= row[1:] - 1e-12)


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        (
            {"farkle_penalty": {"in_a_row": 3, "points": 100, "when": "all_dice"}},
            "beat_previous_turn",
        ),
        ({"farkle_keeps_turn_total": True}, "farkle_keeps_turn_total"),
        ({"lose_everything": ("xxx",)}, "lose_everything"),
        ({"ending": "defended"}, "ending"),
        ({"ending": "final_turn", "ties": "played_on"}, "ties"),
        ({"goal_must_be": "exact"}, "goal_must_be"),
        ({"no_bank_at": ("350",)}, "no_bank_at"),
        ({"take_over": "banked"}, "take_over"),
    ],
)
def test_what_it_does_not_go_with(changes: dict[str, Any], named: str) -> None:
    with pytest.raises(ValidationError) as error:
        beating(**changes)
    found = error.value.errors()[0]["ctx"]["error"].complaints
    assert any(named in str(one) for one in found)


def test_it_is_for_two_and_for_what_looks_at_the_turn_before() -> None:
    with pytest.raises(InvalidRulesError, match="for two players only"):
        check_many(beating(), 3)
    with pytest.raises(InvalidRulesError, match="depends on the one before"):
        check_afresh(beating())
    assert beating().digest != small(goal=400).digest
    assert small(beat_previous_turn=False).digest == small().digest


def test_what_there_can_be_to_beat() -> None:
    rules = beating(minimum_bank=100)
    check_position(rules, Position.of_two(0, 200, dice=3, to_beat=200))
    for points in (50, 125, 250, -50):
        with pytest.raises(InvalidPositionError, match="cannot be there to beat"):
            check_position(rules, Position.of_two(0, 200, dice=3, to_beat=points))
    with pytest.raises(InvalidPositionError, match="no turn has to beat"):
        check_position(small(), Position.of_two(0, 200, dice=3, to_beat=200))
