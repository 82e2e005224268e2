"""Games of several players against a slow twin, against two players, and against themselves."""

import os
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, reject, seed, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from solver.errors import InvalidRulesError
from solver.game.many import ManySolution, check_many
from solver.game.many_sweeps import check, solve_many
from solver.game.standings import Standing, role, standing_index
from solver.game.sweeps import solve
from solver.rules.file import load_rules
from solver.rules.ruleset import Ruleset
from solver.turn.dice import JOKER, DiceSet, Die
from solver.turn.equations import TurnPlan
from solver.turn.remaining import roll_lists
from tests import naive
from tests.conftest import variant
from tests.house_rules import can_be_played, house_rules, small
from tests.naive_many import Game, State

MANY = int(os.environ.get("FARKLE_RULE_FILES", "7"))
"""Rule files that are tried, shared out among the endings; each takes about five seconds."""

ENDINGS = [
    ("at_once", "earlier"),
    *product(["final_turn", "equal_turns"], ["earlier", "shared", "played_on"]),
]
"""How games end, and what ties come to."""


def assert_agrees(rules: Ruleset, cache: Path, players: int = 3) -> ManySolution:
    """The solver and the twin agree to 1e-9 in the values of all players.

    Where the twin misses choices that fit each other, or a player mixes some, the values of the
    solver are put into its equations, which hold but in the states where a player mixes.
    """
    solution = solve_many(rules, players, cache=cache)
    assert solution.restless == 0
    found, game = by_player(solution), Game(rules, players)

    def places(state: State) -> tuple[int, ...]:
        mover, standings = state
        return mover, *(
            standing_index(rules, Standing(score, 0, board)) for score, board in standings
        )

    values = None if solution.mixed else game.solve()
    if values is None:
        game.values = {state: tuple(found[places(state)]) for state in game.states()}
        values = {state: game.start(state) for state in game.states()}
    one = np.array([found[places(state)] for state in values])
    off = np.max(np.abs(one - np.array(list(values.values()))), axis=1) > 1e-9
    assert np.count_nonzero(off) <= players * solution.mixed
    return solution


def by_player(solution: ManySolution) -> np.ndarray:
    """The chances of all players, the last one's as well."""
    rest = 1 - solution.values.sum(axis=-1, keepdims=True)
    return np.concatenate([solution.values, rest], axis=-1)


def effort(rules: Ruleset, players: int) -> int:
    """About how many steps a round of the twin takes."""
    try:
        rows = naive.horizon(rules, most=60)
    except ValueError:
        return 10**9
    states = (rules.winning_score // rules.point_step + rules.has_opening) ** players
    states *= players if rules.has_roles else 1
    if rules.ending != "at_once":
        states += rows**2
    return int(states * rows * len(naive.all_rolls(rules).choice))


PAIR = {"dice": "aa", "points": 150, "then": "roll_on"}


@pytest.mark.mostly_slow(13)
@pytest.mark.parametrize(
    "rules",
    [
        small(goal=200, hot_dice_bonus=(50, 100, 0), instant_win=("66",)),
        pytest.param(
            small(goal=250, dice=2, opening_minimum=150, minimum_bank=100, minimum_binds_win=False),
            marks=pytest.mark.slow,
        ),
        small(goal=200, dice=2, farkle_keeps_turn_total=True, hot_dice="no_bank"),
        small(goal=150, bank_dice_left=1, first_throw_tries=0, last_die_tries=2),
        small(goal=200, dice=2, no_bank_at=("150",), farkle_keeps_turn_total=True),
        small(goal=150, scoring={"combination": [PAIR]}),
        pytest.param(small(goal=100, dice=4, held_sets="linear"), marks=pytest.mark.slow),
        pytest.param(small(goal=100, combine_throws=True), marks=pytest.mark.slow),
        pytest.param(
            small(
                goal=100,
                dice=6,
                fill_straight=2,
                scoring={"three_of_a_kind": 0, "straight_1_6": 150},
            ),
            marks=pytest.mark.slow,
        ),
        small(goal=150, throws=2, scoring={"combination": [PAIR | {"when": "first_throw"}]}),
        small(goal=100, dice=2, throws=2, ending="final_turn", no_bank_at=("50",)),
        pytest.param(
            small(goal=150, dice=2, lose_everything=("44",), hot_dice="forced"),
            marks=pytest.mark.slow,
        ),
        small(goal=100, dice=2, ending="final_turn", ties="shared", opening_minimum=100),
        pytest.param(
            small(goal=100, dice=2, ending="equal_turns", goal_must_be="exceeded"),
            marks=pytest.mark.slow,
        ),
        pytest.param(
            small(goal=100, dice=2, ending="final_turn", ties="played_on", opening_minimum=100),
            marks=pytest.mark.slow,
        ),
        pytest.param(
            small(
                goal=100, dice=2, ending="equal_turns", ties="played_on", lose_everything=("44",)
            ),
            marks=pytest.mark.slow,
        ),
    ],
    ids=[
        *("bonus", "opening", "keeps", "one left", "no bank at a score"),
        *("pairs to confirm", "held sets", "throws combine", "straight to fill"),
        *("two throws", "two throws, final turn"),
        *("lose everything", "final turn", "equal turns"),
        *("play-offs", "play-offs of who is left"),
    ],
)
def test_three_players(rules: Ruleset, kernels: Path) -> None:
    assert_agrees(rules, kernels)


@pytest.mark.slow
def test_three_players_of_pig(kernels: Path) -> None:
    """Where two of them mix choices at once values settle as well, and equations hold elsewhere."""
    pig = {"single": (0, 2, 3, 4, 5, 6), "three_of_a_kind": 0}
    rules = Ruleset.model_validate({"name": "pig", "goal": 65, "dice": 1, "scoring": pig})
    solution = solve_many(rules, 3, cache=kernels)
    assert (solution.mixed > 0, solution.restless) == (True, 0)
    assert solution.largest_change <= 1e-9
    checked = check(rules, 3, solution.values, cache=kernels)
    assert (checked.mixed_states or 0) <= 3 * solution.mixed


def test_four_players(kernels: Path) -> None:
    assert_agrees(small(goal=150, dice=2), kernels, 4)


@st.composite
def small_games(draw: st.DrawFn, ending: str, ties: str) -> Ruleset:
    """House rules that can be solved for several players, with goals for a slow twin."""
    data = draw(house_rules()).model_dump()
    data |= {"goal": draw(st.integers(2, 6)) * 50, "farkle_penalty": None, "score_floor": 0}
    data |= {"ending": ending, "ties": ties}
    try:
        rules = Ruleset.model_validate(data)
        check_many(rules, 3)
    except (ValidationError, InvalidRulesError):
        reject()
    # of equal turns the twin goes through all states once more for every score to be beaten
    most = 20_000 if rules.has_roles else 200_000
    if not can_be_played(rules) or effort(rules, 3) > most:
        reject()
    return rules


@pytest.mark.slow
@pytest.mark.parametrize(("ending", "ties"), ENDINGS)
def test_random_rules(kernels: Path, ending: str, ties: str) -> None:
    """As many of each ending."""

    @seed(20261122)
    @settings(
        max_examples=-(-MANY // len(ENDINGS)),
        database=None,
        phases=[Phase.generate],
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
    )
    @given(rules=small_games(ending, ties))
    def check(rules: Ruleset) -> None:
        assert_agrees(rules, kernels)

    check()


@pytest.mark.mostly_slow
@pytest.mark.parametrize(
    "rules",
    [
        pytest.param(variant("kcd", goal=1500), marks=pytest.mark.slow),
        small(goal=600),
        pytest.param(
            small(lose_everything=("xx",), opening_minimum=150, minimum_binds_win=False),
            marks=pytest.mark.slow,
        ),
        small(ending="final_turn", bank_dice_left=1),
        small(ending="final_turn", opening_minimum=200, farkle_keeps_turn_total=True),
        small(ending="final_turn", ties="shared", hot_dice="no_bank", hot_dice_bonus=(50,)),
        pytest.param(small(ending="final_turn", ties="played_on"), marks=pytest.mark.slow),
        pytest.param(small(ending="equal_turns"), marks=pytest.mark.slow),
        small(ending="equal_turns", ties="shared", hot_dice="forced"),
        small(ending="equal_turns", ties="played_on", minimum_bank=100),
    ],
    ids=[
        *("kcd", "at once", "lose everything", "one left", "final turn", "final turn, shared"),
        *("final turn, play-offs", "equal turns", "equal turns, shared", "equal turns, play-offs"),
    ],
)
def test_two_players_are_as_ever(rules: Ruleset, kernels: Path) -> None:
    many = solve_many(rules, 2, cache=kernels)
    np.testing.assert_allclose(many.values[..., 0], solve(rules, cache=kernels).values, atol=1e-12)


def weighted(rules: Ruleset, weights: tuple[int, ...]) -> TurnPlan:
    """The turn of somebody all of whose dice have these weights, with all options."""
    die = Die(weights)
    lists = roll_lists(rules, ((rules.dice, JOKER),), all_options=True)
    return lists.plan(DiceSet((die,), (rules.dice,)))


@pytest.mark.parametrize(
    "rules",
    [
        small(goal=500, minimum_bank=100),
        small(goal=500, ending="final_turn", opening_minimum=150),
        pytest.param(small(goal=500, ending="final_turn", ties="shared"), marks=pytest.mark.slow),
        small(goal=500, ending="equal_turns", farkle_keeps_turn_total=True),
        pytest.param(small(goal=500, ending="equal_turns", ties="shared"), marks=pytest.mark.slow),
    ],
    ids=["at once", "final turn", "final turn, shared", "equal turns", "equal turns, shared"],
)
def test_two_players_with_own_dice_are_as_ever(rules: Ruleset, kernels: Path) -> None:
    """The seat of the mover tells which dice are thrown, and who began where that matters."""
    plans = [weighted(rules, (1, 2, 1, 1, 3, 1)), weighted(rules, (3, 1, 1, 2, 1, 1))]
    many = solve_many(rules, 2, plans=plans, cache=kernels).values[..., 0]
    two = np.split(solve(rules, plans=plans, cache=kernels).values, 2)
    for seat in range(2):
        began = role(rules, began=seat == 0)
        np.testing.assert_allclose(many[seat], two[seat][began], rtol=0, atol=1e-12)


def test_what_everybody_has_is_one(kernels: Path) -> None:
    values = by_player(solve_many(small(goal=600), 3, cache=kernels))
    assert values.min() > 0
    # who moves at equal scores is better off than who comes next
    level = np.array([values[0, k, k, k] for k in range(values.shape[1])])
    assert np.all(np.diff(level, axis=1) < 0)


def test_threads_change_nothing(kernels: Path) -> None:
    rules = small(goal=400)
    one, two = (solve_many(rules, 3, cache=kernels, threads=threads) for threads in (1, 2))
    np.testing.assert_array_equal(one.values, two.values)


def test_what_cannot_be_solved() -> None:
    with pytest.raises(InvalidRulesError, match=r"a penalty for farkles is solved for two"):
        check_many(load_rules("facebook"), 3)
    with pytest.raises(InvalidRulesError, match="with 4 players there are 1,600,000,000 positions"):
        check_many(load_rules("classic"), 4)
    with pytest.raises(InvalidRulesError, match="play-offs are solved for at most 3 players"):
        check_many(small(ending="final_turn", ties="played_on"), 4)
    ruin = {"combination": [{"dice": "22", "then": "loses_game"}]}
    with pytest.raises(InvalidRulesError, match="only two can play under these rules"):
        check_many(small(scoring=ruin), 3)
    with pytest.raises(InvalidRulesError, match="the number of players is 2 to 8, not 1"):
        check_many(small(), 1)
