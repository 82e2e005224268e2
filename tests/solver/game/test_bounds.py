"""The bound of a solve's error holds, against twins that find the exact values another way."""

from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from solver.errors import ConvergenceError
from solver.game.bounds import error_bound
from solver.game.kernel_source import load_turns, summands, turns_weigh
from solver.game.standings import LEAST, Standing, role, standing_index
from solver.game.sweeps import solve
from solver.rules.file import load_rules
from solver.rules.ruleset import Ruleset
from solver.turn.equations import Floats, turn_plan
from tests import naive
from tests.conftest import mostly_slow
from tests.house_rules import small


def one_die(goal: int, minimum: int, floor: int, in_a_row: int, points: int) -> Ruleset:
    """A slow game: only a 1 scores, and farkles cost much."""
    return Ruleset.model_validate(
        {
            "name": "one die",
            "dice": 1,
            "goal": goal,
            "minimum_bank": minimum,
            "score_floor": floor,
            "farkle_penalty": {"in_a_row": in_a_row, "points": points},
            "scoring": {"single": (100, 0, 0, 0, 0, 0), "three_of_a_kind": 0},
        }
    )


SLOW = {
    "every farkle": one_die(300, 200, -100, 1, 100),
    "no score below zero": one_die(400, 200, 0, 1, 100),
    "every other farkle": one_die(300, 200, -100, 2, 100),
    "from a high floor": one_die(400, 300, -100, 1, 100),
    "cheap": one_die(300, 100, 0, 2, 200),
    "any bank": one_die(400, 100, -200, 2, 100),
}


def penalty(in_a_row: int, points: int | str) -> dict[str, Any]:
    return {"farkle_penalty": {"in_a_row": in_a_row, "points": points}}


QUICK = {
    "no penalty": small(),
    "penalty": small(dice=2, goal=300, score_floor=-100, **penalty(2, 100)),
    "everything": small(dice=2, goal=300, **penalty(2, "everything")),
    "opening": small(dice=2, goal=300, opening_minimum=150, minimum_bank=100),
    "final turn": small(dice=2, goal=250, ending="final_turn"),
    "ties shared": small(dice=2, goal=250, ending="final_turn", ties="shared"),
    "defended": small(dice=2, goal=200, ending="defended", opening_minimum=100),
    "equal turns": small(dice=2, goal=250, ending="equal_turns", ties="played_on"),
    "equal turns, penalty": small(
        dice=2, goal=200, ending="equal_turns", score_floor=-50, **penalty(2, 50)
    ),
    "hot dice must roll": small(dice=2, goal=300, hot_dice="no_bank", hot_dice_bonus=(50, 100)),
    "farkle keeps": small(dice=2, goal=300, minimum_bank=100, farkle_keeps_turn_total=True),
    "win or lose": small(dice=2, goal=400, instant_win=("66",), lose_everything=("22",)),
}


@cache
def exact(rules: Ruleset, tolerance: float = 1e-14) -> Floats:
    """The values of a game in the layout of a solution, by Newton's method on the slow twin."""
    found = naive.value_iteration(rules, tolerance, naive.exact_fixed_point)
    size = round((len(found) / (2 if rules.has_roles else 1)) ** 0.5)
    values = np.full((2 if rules.has_roles else 1, size, size), np.nan)
    for (began, own, other), value in found.items():
        row, column = (standing_index(rules, Standing(*one)) for one in (own, other))
        values[role(rules, began=began), row, column] = value
    return values


def error(values: Floats, right: Floats) -> float:
    """As a bound of it is meant."""
    return float(np.max(np.abs(values - right) / np.maximum(right, LEAST)))


@pytest.mark.parametrize("rules", mostly_slow(SLOW.items()))
def test_slow_games_are_as_exact_as_they_say(kernels: Path, rules: Ruleset) -> None:
    right = exact(rules)
    for tolerance in (1e-3, 1e-6, 1e-9):
        solution = solve(rules, cache=kernels, tolerance=tolerance)
        assert error(solution.values, right) <= solution.error_bound <= tolerance


@pytest.mark.mostly_slow
@pytest.mark.parametrize("rules", QUICK.values(), ids=QUICK)
def test_other_games_are_as_exact_as_they_say(kernels: Path, rules: Ruleset) -> None:
    right = exact(rules)
    for tolerance in (1e-3, 1e-6, 1e-9):
        solution = solve(rules, cache=kernels, tolerance=tolerance)
        assert error(solution.values, right) <= solution.error_bound <= tolerance


def test_changes_alone_do_not_tell_the_error(
    kernels: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Values may be off by several times what the last sweep changed."""
    rules = SLOW["any bank"]
    monkeypatch.setattr("solver.game.bounds.error_bound", lambda *_, **__: 0.0)
    # which would make changes fall fast
    monkeypatch.setattr("solver.game.sweeping.Correction.apply", lambda *_: None)
    solution = solve(rules, cache=kernels, tolerance=1e-9)
    assert error(solution.values, exact(rules)) > 3 * solution.largest_relative_change


@pytest.mark.mostly_slow
@pytest.mark.parametrize("rules", mostly_slow([("slow", SLOW["every farkle"]), *QUICK.items()], 2))
def test_no_proof_of_what_is_not_so(kernels: Path, rules: Ruleset) -> None:
    """Whatever is wrong with values, their error is within the bound or there is none."""
    right, turns = exact(rules), load_turns(turn_plan(rules), kernels)
    random = np.random.default_rng(3)
    proved = 0
    for size in 10.0 ** np.arange(-11, -3, 0.5):
        off = random.choice([-1, 1], right.shape) * random.random(right.shape) ** 8
        alike = random.choice([-1, 1])
        for wrong in (right * (1 + size * off), right * (1 + size * alike)):
            values = np.clip(wrong, 0, 1)
            bound = error_bound(rules, values, 1e-6, turns)
            assert bound is None or error(values, right) <= bound <= 1e-6
            assert bound is not None or error(values, right) > 1e-10
            proved += bound is not None
    assert 4 < proved < 32


def test_wrong_values_of_one_state_are_no_solution(kernels: Path) -> None:
    rules = QUICK["penalty"]
    right, turns = exact(rules), load_turns(turn_plan(rules), kernels)
    assert error_bound(rules, right, 1e-9, turns) is not None
    for place in list(np.ndindex(right.shape))[::25]:
        values = right.copy()
        values[place] += 2e-9 if values[place] < 0.5 else -2e-9
        assert error_bound(rules, values, 1e-9, turns) is None


def test_without_a_proof_nothing_is_solved(kernels: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("solver.game.bounds.error_bound", lambda *_, **__: None)
    with pytest.raises(ConvergenceError, match="a game may never end under these rules"):
        solve(QUICK["penalty"], cache=kernels)


def test_more_than_rounding_allows_is_not_promised(kernels: Path) -> None:
    with pytest.raises(ConvergenceError, match=r"to within 1\.0e-1[0-3] and not"):
        solve(QUICK["no penalty"], cache=kernels, tolerance=1e-15)


@pytest.mark.slow
def test_the_bound_is_the_same_for_any_number_of_threads(kernels: Path) -> None:
    rules = small(goal=2000, score_floor=-500, **penalty(3, 500))
    found = {solve(rules, cache=kernels, threads=number).error_bound for number in (1, 2, 3)}
    assert len(found) == 1


def test_lists_of_one_chance_share_a_product() -> None:
    plan = turn_plan(load_rules("kcd"))
    for weighed in turns_weigh(plan):
        for column, parts in enumerate(summands(plan, weighed)):
            (end, _), *first = parts[0]
            terms = [*first, *chain(*parts[1:])]
            assert end == plan.farkle_chances[column]
            assert len({chance for chance, _ in terms}) == len(terms)
            assert end + sum(chance * times for chance, times in terms) == pytest.approx(1)
