"""Every house rule, alone and mixed with others, against the slow twin over all states."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, reject, seed, settings

from solver.errors import ConvergenceError
from solver.game.standings import LEAST, Standing, role, standing_index
from solver.game.sweeps import solve
from solver.rules.ruleset import Ruleset
from tests import naive
from tests.conftest import EVERY
from tests.house_rules import ONE_BY_ONE, house_rules


def assert_agrees(rules: Ruleset, cache: Path) -> None:
    """The solver and the twin agree to 1e-9 of every value, and to what the solver says."""
    solution = solve(rules, cache=cache)
    values, expected = solution.values, naive.value_iteration(rules)
    assert len(expected) == values.size
    found = [
        values[
            role(rules, began=began),
            standing_index(rules, Standing(*own)),
            standing_index(rules, Standing(*other)),
        ]
        for began, own, other in expected
    ]
    right = np.array(list(expected.values()))
    np.testing.assert_allclose(found, right, rtol=1e-9)
    error = float(np.max(np.abs(found - right) / np.maximum(right, LEAST)))
    # the twin itself is off by about that
    # rounding lets no more be proved of turns that hardly ever bank
    assert error - 1e-11 <= solution.error_bound <= 1e-8


@pytest.mark.mostly_slow(6)
@pytest.mark.mostly_skipped(2)
@pytest.mark.parametrize(
    "rules",
    [
        # all of them take two minutes: two of three, and those of six dice, are in the slow tests
        pytest.param(
            rules, id=name, marks=[pytest.mark.slow] if number % 3 or rules.dice >= 6 else []
        )
        for number, (name, rules) in enumerate(ONE_BY_ONE)
    ],
)
def test_every_option_alone(kernels: Path, rules: Ruleset) -> None:
    assert_agrees(rules, kernels)


def random_combinations(examples: int) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """As many random rule sets, the same ones every time."""

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        drawn = settings(
            max_examples=examples,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
        )
        return seed(20261120)(drawn(given(rules=house_rules())(test)))

    return decorate


def agrees_or_is_refused(rules: Ruleset, cache: Path) -> None:
    """Games that hardly ever end may be refused, and then what is known of them is told."""
    try:
        assert_agrees(rules, cache)
    except ConvergenceError as error:
        if "proves them to within" not in str(error):
            raise
        reject()


@pytest.mark.slow
@random_combinations(200 if EVERY else 10)
def test_random_combinations(kernels: Path, rules: Ruleset) -> None:
    agrees_or_is_refused(rules, kernels)
