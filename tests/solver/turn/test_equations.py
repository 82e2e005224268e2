import math
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.game.kernel_source import load_turn, load_turns
from solver.game.lanes import LANES
from solver.game.layout import NOT_ALLOWED, lists_of
from solver.game.list_kernels import turn_of_lists
from solver.rules.file import load_rules
from solver.rules.ruleset import Ruleset
from solver.turn.dice import TurnState
from solver.turn.equations import Decision, Endings, solve_turn, turn_plan
from tests import naive
from tests.conftest import SOLVED, variant
from tests.usual import USUAL

PRESETS = USUAL


def endings(bank: npt.NDArray[np.float64], farkle: float, reach: int) -> Endings:
    """Endings in which any turn total beyond `bank` wins and none keeps anything in a farkle."""
    extended = np.append(bank, np.ones(reach))
    return Endings.alone(extended, np.full(len(extended), farkle), 0.0)


@pytest.mark.mostly_slow(9)
@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("dice", [2, 6])
@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(number, marks=pytest.mark.slow) for number in (1, 2))]
)
def test_a_turn_agrees_with_plain_recursion(preset: str, dice: int, seed: int) -> None:
    rules = variant(preset, dice=dice)
    random = np.random.default_rng(seed)
    minimum, totals = random.integers(1, 8), random.integers(8, 40)
    bank = np.sort(random.random(totals))
    bank[:minimum] = math.nan
    plan = turn_plan(rules)
    table = solve_turn(plan, endings(bank, farkle := random.random(), plan.reach))
    allowed = [None if math.isnan(value) else value for value in bank.tolist()]
    for t, n, expected in naive.turn_values(rules, allowed, farkle):
        assert table.value(TurnState(t * rules.point_step, n)) == pytest.approx(expected, abs=1e-13)


@pytest.mark.parametrize(
    "rules",
    [
        # other tests compile the first ones as well
        *(
            pytest.param(load_rules(name), marks=() if name in SOLVED else pytest.mark.slow)
            for name in PRESETS
        ),
        variant("kcd", hot_dice="forced", lose_everything=("222",), instant_win=("xxxxxx",)),
        variant("classic", dice=3, hot_dice="no_bank", hot_dice_bonus=(50, 200, 100)),
        variant("classic", dice=3, throws=2),
    ],
    ids=lambda rules: f"{rules.name}-{rules.digest[:4]}",
)
def test_the_kernels_agree_with_numpy(rules: Ruleset, kernels: Path) -> None:
    plan = turn_plan(rules)
    turns = load_turn(plan, kernels), turn_of_lists
    random = np.random.default_rng(1)
    for totals in (1, 7, 150):
        bank = np.sort(random.random((totals, LANES)), axis=0)
        bank[: random.integers(1, 7)] = math.nan
        lost, farkle = random.random(LANES) / 9, random.random(LANES)
        tables = [
            solve_turn(
                plan, endings(bank[:, k], farkle[k], plan.reach)._replace(lost=lost[k : k + 1])
            )
            for k in range(LANES)
        ]
        expected = np.stack([table.win_probability for table in tables], axis=-1)
        farkles = np.tile(farkle, totals)
        row = plan.columns * LANES
        for turn in turns:
            values = expected.copy()
            values[:, :totals] = math.nan
            flat = values.reshape(plan.levels, -1)
            for level in range(plan.levels - 1, -1, -1):
                hot = flat[min(level + 1, plan.levels - 1), plan.bonuses[level] * row :]
                banks = np.nan_to_num(bank, nan=NOT_ALLOWED).ravel()
                turn(flat[level], hot, banks, farkles, lost, lists_of(plan), totals)
            np.testing.assert_allclose(values, expected, rtol=1e-13)


@pytest.mark.mostly_slow
@pytest.mark.parametrize(
    "rules",
    [
        *map(load_rules, SOLVED),
        variant("classic", dice=3, hot_dice="no_bank", hot_dice_bonus=(50, 200, 100)),
        variant("classic", dice=3, hot_dice_bonus=(50, 200, 100)),
        variant("classic", dice=4, lose_everything=("xx",)),
    ],
    ids=lambda rules: f"{rules.name}-{rules.digest[:4]}",
)
def test_what_turn_functions_leave_out_is_not_best(rules: Ruleset, kernels: Path) -> None:
    plan, totals = turn_plan(rules), 150
    turns, lists = load_turns(plan, kernels), lists_of(plan)
    random = np.random.default_rng(2)
    rises = np.linspace(0.0, 0.95, totals)[:, np.newaxis]
    ways = [rises**power + np.sort(random.random((totals, LANES)), 0) / 50 for power in (0.5, 1, 3)]
    for bank in [*ways, np.zeros((totals, LANES))]:
        farkle, lost = bank[0], bank[0] / 2
        tables = [
            solve_turn(
                plan, endings(bank[:, k], farkle[k], plan.reach)._replace(lost=lost[k : k + 1])
            )
            for k in range(LANES)
        ]
        expected = np.stack([table.win_probability for table in tables], axis=-1)
        row = expected[0, 0].size
        for level in range(plan.levels):
            ends = []
            for turn in turns:
                values = expected.copy()
                values[level, :totals] = math.nan
                flat = values.reshape(plan.levels, -1)
                hot = flat[min(level + 1, plan.levels - 1), plan.bonuses[level] * row :]
                farkles = np.tile(farkle, totals)
                end = turn(flat[level], hot, bank.ravel(), farkles, lost, lists, totals)
                np.testing.assert_allclose(values[level, end:], expected[level, end:], rtol=1e-13)
                ends.append(end)
            assert ends == sorted(ends)
            assert ends[0] == 0
            if rules.lose_everything:
                assert ends[1] > 0  # more dice lose more often
            elif not bank.any():
                assert ends[-1] == totals  # anything is better than a bank
            elif bank[-1].min() > 0.95:
                assert ends[-1] < totals - 20  # few dice are banked long before the goal


@settings(max_examples=50)
@given(
    st.sampled_from(PRESETS),
    st.lists(st.floats(0, 1), min_size=1, max_size=60).map(sorted),
    st.integers(1, 10),
    st.floats(0, 1),
)
def test_more_points_with_the_same_dice_are_never_worse(
    preset: str, bank: list[float], minimum: int, farkle: float
) -> None:
    values = np.array(bank)
    values[:minimum] = math.nan
    plan = turn_plan(load_rules(preset))
    table = solve_turn(plan, endings(values, farkle * np.nanmin([*values, 1.0]), plan.reach))
    assert np.all((table.win_probability >= 0) & (table.win_probability <= 1 + 1e-12))
    assert np.all(np.diff(table.win_probability[0], axis=0) >= -1e-12)


def test_decisions_and_values_of_a_small_turn() -> None:
    plan = turn_plan(load_rules("classic"))
    table = solve_turn(plan, endings(np.array([math.nan, 0.0, 0.99]), 0.1, plan.reach))
    assert table.decision(TurnState(0 * 50, 6)) == Decision.ROLL
    assert table.decision(TurnState(1 * 50, 1)) == Decision.ROLL
    assert table.decision(TurnState(2 * 50, 1)) == Decision.BANK
    assert table.decision(TurnState(3 * 50, 1)) == Decision.WIN
    assert table.bank_value(TurnState(0 * 50, 6)) is None
    assert table.bank_value(TurnState(2 * 50, 1)) == 0.99
    assert table.bank_value(TurnState(3 * 50, 1)) == 1
    assert table.roll_value(TurnState(3 * 50, 1)) == pytest.approx(1 / 3 + 2 / 3 * 0.1)


@pytest.mark.parametrize("weighs", [False, True])
@pytest.mark.parametrize(
    "rules",
    [
        *map(load_rules, USUAL),
        variant("kcd", hot_dice="forced", lose_everything=("222",), instant_win=("xxxxxx",)),
        variant("classic", dice=3, hot_dice="no_bank", hot_dice_bonus=(50, 200, 100)),
        variant("classic", dice=3, throws=2),
    ],
    ids=lambda rules: f"{rules.name}-{rules.digest[:4]}" if isinstance(rules, Ruleset) else None,
)
def test_turns_side_by_side_are_as_each_by_itself(rules: Ruleset, weighs: bool) -> None:
    plan, random = turn_plan(rules), np.random.default_rng(1)
    turns = []
    for totals in (1, 40, 3, 17, 40):
        bank = np.append(np.sort(random.random(totals)), np.ones(plan.reach))
        bank[: random.integers(0, totals)] = math.nan
        farkle = np.append(random.random(totals), np.full(plan.reach, random.random()))
        turns.append(Endings.alone(bank, farkle, random.random())._replace(weighs=weighs))
    longest = max(len(one.bank) for one in turns)

    def as_long(ends: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        return np.append(ends, np.full(longest - len(ends), ends[-1]))

    banks = np.array([as_long(one.bank) for one in turns]).T
    farkles = np.array([as_long(one.farkle) for one in turns]).T
    lost = np.array([one.lost[0] for one in turns])
    together = Endings(banks, farkles, lost, np.ones(1), weighs, side_by_side=True)
    expected = [solve_turn(plan, one).roll[0, 0, -1] for one in turns]
    assert solve_turn(plan, together).rolls[0, 0, -1] == pytest.approx(expected, abs=1e-13)
