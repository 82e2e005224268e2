"""Games in which turns begin with what the player before left, against the twin and by hand."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, reject, seed, settings
from pydantic import ValidationError

from solver.batch.subjects import GameOfTwo
from solver.errors import ConvergenceError, InvalidRulesError
from solver.game import take_over
from solver.game.endgame import first_rows
from solver.game.many import check_many
from solver.game.position import Position
from solver.game.solvable import check_solvable
from solver.game.standings import LEAST, Standing, role, standing_index
from solver.game.sweeps import solve
from solver.rules.complaints import idle_limits
from solver.rules.ruleset import Ruleset
from solver.strategy import open_strategy, save_strategy
from solver.turn.dice import TurnState
from tests import naive
from tests.conftest import EVERY, mostly_slow
from tests.house_rules import TAKING_OVER, small, tables, taking_over


def assert_agrees(rules: Ruleset, folder: Path, kernels: Path) -> None:
    """The solver, its file and the twin agree in all that may begin a turn."""
    solution = solve(rules, cache=kernels)
    save_strategy(solution, folder)
    strategy = open_strategy(folder, rules)
    begun, taken = naive.values_taken_over(rules)
    values, rolled, first = solution.values, solution.rolled, first_rows(rules)
    assert rolled is not None
    found, right = [], []
    for (began, own, other), value in begun.items():
        place = (
            role(rules, began=began),
            standing_index(rules, Standing(*own)),
            standing_index(rules, Standing(*other)),
        )
        start = Position.of_two(
            own[0],
            other[0],
            dice=rules.dice,
            began=began,
            farkles=own[1],
            opponent_farkles=other[1],
            on_board=own[2],
            opponent_on_board=other[2],
        )
        table = strategy.turn(start)
        found += [values[place], table.roll[0, 0, -1]]
        right += [value, value]
        begin, end = first[place], first[(*place[:2], place[2] + 1)]
        for row in range(1, end - begin):
            for dice in range(1, rolled.shape[1] + 1):
                total = row * rules.point_step
                if (began, own, other, total, dice) in taken:
                    found += [rolled[begin + row, dice - 1]]
                    found += [table.roll_value(TurnState(total, dice))]
                    right += [taken[began, own, other, total, dice]] * 2
    error = np.abs(np.array(found) - right) / np.maximum(right, LEAST)
    assert len(right) > 2 * len(begun)
    assert error.max() < 1e-9
    assert error.max() - 1e-11 <= solution.error_bound <= 1e-9
    assert take_over.residual(rules, values, rolled) < 1e-9


@pytest.mark.mostly_slow
@pytest.mark.parametrize("rules", mostly_slow(TAKING_OVER.items(), first=1))
def test_all_states_agree_with_the_twin(kernels: Path, rules: Ruleset, tmp_path: Path) -> None:
    assert_agrees(rules, tmp_path, kernels)


@pytest.mark.slow
@seed(20261126)
@settings(
    max_examples=100 if EVERY else 4,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
@given(rules=taking_over())
def test_random_mixtures(
    kernels: Path, rules: Ruleset, tmp_path_factory: pytest.TempPathFactory
) -> None:
    try:
        assert_agrees(rules, tmp_path_factory.mktemp("files"), kernels)
    except ConvergenceError:
        reject()  # what is not proved is refused


def test_a_game_by_hand(kernels: Path) -> None:
    """One die, of which a 1 is a point, to two: whoever has one left is taken over from.

    A bank of 1 leaves the die with 1, so that the next player has won with a 1 at once: to take
    over is never worse. With x to begin afresh at 0 to 0 there is W(1, hot) = max(bank, roll).
    """
    rules = small(
        dice=1, goal=2, scoring={"single": (1, 0, 0, 0, 0, 0)}, take_over="banked", name="die"
    )
    values = solve(rules, cache=kernels).values[0]
    p, q = 1 / 6, 5 / 6
    # both have 1: a 1 wins
    level = p / (1 - q * q)
    # who has none and takes over 1 wins with a 1; else the other begins with 1 against 0
    # ahead: a 1 wins, a farkle leaves the other to begin afresh; behind: 1 is banked or rolled on
    ahead = behind = 0.5
    for _ in range(1000):
        # after a bank of 1 by who is behind the leader takes over 1 with 1, and a 1 wins either way
        bank = 1 - level
        roll = p + q * (1 - ahead)
        behind = p * max(bank, roll) + q * (1 - ahead)
        ahead = p + q * (1 - behind)
    start = 0.5
    for _ in range(1000):
        # a bank of 1 at 0 to 0: the other takes over and wins with a 1, else begins afresh
        left = max(behind, p + q * (1 - ahead))
        start = p * max(1 - left, p + q * (1 - start)) + q * (1 - start)
    assert values[1, 1] == pytest.approx(level, abs=1e-12)
    assert values[1, 0] == pytest.approx(ahead, abs=1e-12)
    assert values[0, 1] == pytest.approx(behind, abs=1e-12)
    assert values[0, 0] == pytest.approx(start, abs=1e-12)


def test_a_first_throw_that_costs_a_point_by_hand(kernels: Path) -> None:
    """A farkle of the die above costs a point, but none of a turn that was taken over."""
    rules = small(
        dice=1,
        goal=2,
        scoring={"single": (1, 0, 0, 0, 0, 0)},
        take_over="banked",
        farkle_penalty={"in_a_row": 1, "points": 1, "when": "first_throw"},
        score_floor=0,
    )
    solution = solve(rules, cache=kernels)
    p, q = 1 / 6, 5 / 6
    v = {(own, other): 0.5 for own in (0, 1) for other in (0, 1)}
    for _ in range(2000):
        # who has 1 taken over wins with a 1, as all do who have 1 and 1 more
        taken = {(own, other): p + q * (1 - v[other, own]) for own, other in v}
        for own, other in v:
            bank = 1 - max(v[other, 1], taken[other, 1])
            rolled = p + q * (1 - v[other, own])
            one = 1.0 if own else max(bank, rolled)
            v[own, other] = p * one + q * (1 - v[other, 0])
    for place, value in v.items():
        assert solution.values[0][place] == pytest.approx(value, abs=1e-12)
    assert solution.error_bound < 1e-9


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"farkle_keeps_turn_total": True}, "farkle_keeps_turn_total"),
        ({"lose_everything": ("xx",)}, "lose_everything"),
        ({"ending": "final_turn", "ties": "played_on"}, "ties"),
        ({"goal_must_be": "exact"}, "goal_must_be"),
        ({"no_bank_at": ("350",)}, "no_bank_at"),
        ({"throws": 2}, "throws"),
        ({"scoring": {"combination": tables("66=loses-game")}}, "combination"),
    ],
)
def test_what_it_does_not_go_with(changes: dict[str, Any], named: str) -> None:
    with pytest.raises(ValidationError, match="leave out") as error:
        small(take_over="both", **changes)
    [found] = error.value.errors()[0]["ctx"]["error"].complaints
    assert found.parts["other"] == named


def test_who_may_take_over_is_said_where_something_may_be_taken_over() -> None:
    for changes in ({"take_over_from": 100}, {"take_over_dice": 2}):
        with pytest.raises(ValidationError, match="where nothing is taken over"):
            small(**changes)
    # no more dice than there are is any number of them
    three = small(take_over="banked", take_over_dice=3)
    assert three.digest == small(take_over="banked").digest
    assert three.digest != small(take_over="banked", take_over_dice=2).digest
    [found] = idle_limits(three)
    assert found.sentence().startswith("take_over_dice: 3 is as good as any number here")


def test_what_is_too_large() -> None:
    with pytest.raises(InvalidRulesError, match="games of two alone"):
        check_many(TAKING_OVER["banked"], 3)
    with pytest.raises(InvalidRulesError, match="at most 60,000,000 can be solved"):
        check_solvable(small(take_over="both", goal=15_000, dice=6))


def test_rules_without_it_are_the_same() -> None:
    assert small(take_over="nothing").digest == small().digest != TAKING_OVER["banked"].digest
    assert GameOfTwo(small()).digest == small().digest
