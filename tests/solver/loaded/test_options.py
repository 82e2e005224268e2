"""Loaded dice under every rule option, against value iteration die by die."""

import random
from functools import cache
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from solver.errors import InvalidRulesError
from solver.game.many_sweeps import solve_many
from solver.game.position import Position
from solver.game.standings import (
    DEFAULT_TOLERANCE,
    LEAST,
    Standing,
    role,
    standing_index,
    value_shape,
)
from solver.loaded.game import solve_matchup
from solver.loaded.matchup import Matchup, check_loaded
from solver.loaded.strategy import ManyMatchupStrategy, MatchupStrategy
from solver.rules.ruleset import Ruleset
from solver.turn.dice import Die, TurnState, make_dice_set
from solver.turn.equations import Floats
from tests import naive, naive_loaded, naive_many
from tests.conftest import mostly_slow, rarely
from tests.house_rules import small
from tests.loaded_dice import set_of

PENALTY: dict[str, Any] = {"in_a_row": 2, "points": 50}
EVERYTHING: dict[str, Any] = {"in_a_row": 2, "points": "everything"}
RULES = {
    "opening": small(dice=2, goal=200, opening_minimum=100),
    "penalty": small(dice=2, goal=150, score_floor=-50, farkle_penalty=PENALTY),
    "everything": small(dice=2, goal=200, farkle_penalty=EVERYTHING),
    "final turn": small(dice=2, goal=250, ending="final_turn"),
    "ties shared": small(dice=2, goal=250, ending="final_turn", ties="shared"),
    "ties played on": small(dice=2, goal=200, ending="final_turn", ties="played_on"),
    "equal turns": small(dice=2, goal=250, ending="equal_turns", ties="played_on"),
    "equal turns, penalty, opening": small(
        dice=2,
        goal=150,
        ending="equal_turns",
        score_floor=-50,
        farkle_penalty=PENALTY,
        opening_minimum=100,
    ),
    "hot dice must roll": small(dice=2, goal=300, hot_dice="no_bank", hot_dice_bonus=(50, 100)),
    "forced hot dice": small(dice=3, goal=300, hot_dice="forced", hot_dice_bonus=(50,)),
    "farkle keeps": small(dice=2, goal=300, minimum_bank=100, farkle_keeps_turn_total=True),
    "win or lose": small(dice=2, goal=400, instant_win=("66",), lose_everything=("22",)),
    "bank with few left": small(
        dice=3,
        goal=200,
        bank_dice_left=1,
        scoring={"combination": ({"dice": "22", "then": "loses_turn"},)},
    ),
    "no bank at a score": small(dice=2, goal=250, no_bank_at=("150",)),
    "caught up": small(dice=2, goal=200, caught_up=50, ending="equal_turns", ties="shared"),
    "exact goal": small(dice=2, goal=150, goal_must_be="exact", beyond_goal="back"),
    "much at once": small(
        dice=2,
        goal=200,
        ending="final_turn",
        hot_dice="no_bank",
        hot_dice_bonus=(0, 50),
        farkle_keeps_turn_total=True,
        lose_everything=("xx",),
    ),
    "combinations": small(
        dice=2,
        goal=200,
        scoring={
            "combination": (
                {"dice": "aa", "points": (0, 50, 100, 150, 0, 50)},
                {"dice": "13", "points": 150},
            )
        },
    ),
    "a joker": small(
        dice=2,
        goal=200,
        scoring={"jokers": ("6",), "combination": ({"dice": "11", "points": 300},)},
    ),
}
"""Rules that two with dice of their own could not be solved under before."""


@pytest.mark.parametrize(
    ("scoring", "key"),
    [
        ({"combination": ({"dice": "11", "points": 300, "then": "roll_on"},)}, "combination.then"),
        ({"combination": ({"dice": "11", "then": "loses_game"},)}, "combination.then"),
        ({"combination": ({"dice": "55", "points": 100, "uses": 1},)}, "combination.uses"),
        ({"combination": ({"dice": "23", "points": 50, "when": "all_dice"},)}, "combination.when"),
        ({"nothing": 50, "nothing_when": "first_throw"}, "nothing_when"),
    ],
)
def test_the_key_of_a_combination_that_is_not_solved_is_named(
    scoring: dict[str, Any], key: str
) -> None:
    rules = small(scoring=scoring)
    with pytest.raises(InvalidRulesError, match=f"with loaded dice scoring.{key} is not"):
        check_loaded(rules, make_dice_set([Die((1,) * 6)] * rules.dice))


SHORT = ["opening", "farkle keeps", "final turn", "equal turns"]
OF_SEVERAL = {
    name: RULES[name].model_copy(update={"goal": 150, "ties": "earlier"} if name in SHORT else {})
    for name in SHORT
} | {
    name: rules.model_copy(
        update={"goal": min(rules.goal, 150 if len(rules.hot_dice_bonus) > 1 else 200)}
    )
    for name, rules in RULES.items()
    if name not in SHORT
    and (rules.farkle_penalty, rules.is_exact, rules.changes_other) == (None, False, False)
    and rules.ties != "played_on"
}
"""Those that three can be solved under, to goals that the twin reaches in time."""


@cache
def players(name: str, seed: int, number: int = 2) -> list[list[naive_loaded.Weights]]:
    """Sets without jokers, which all score now and then."""
    chance = random.Random(f"{name} {seed}")
    dice = RULES[name].dice

    def die() -> naive_loaded.Weights:
        return naive_loaded.Weights(
            (*(chance.choice([1, 1, 2, 3]) for _ in range(4)), chance.randint(1, 4), 1)
        )

    return [[die() for _ in range(dice)] for _ in range(number)]


def matchup_of(name: str, seed: int) -> Matchup:
    one, other = players(name, seed)
    return Matchup(RULES[name], (set_of(one), set_of(other)))


def exact(name: str, seed: int) -> Floats:
    """The values of a match-up in the layout of its solution, by the slow twin."""
    rules = RULES[name]
    throwers = tuple(
        naive_loaded.Thrower(naive_loaded.Player(naive_loaded.Table(rules), dice))
        for dice in players(name, seed)
    )
    found = naive.values_of_players(cast("tuple[Ruleset, ...]", throwers))
    values = np.full(value_shape(rules, sides=2), np.nan)
    for (who, began, own, other), value in found.items():
        row, column = (standing_index(rules, Standing(*one)) for one in (own, other))
        values[who * len(values) // 2 + role(rules, began=began), row, column] = value
    return values


@pytest.mark.parametrize("name", mostly_slow(((name, name) for name in RULES), 4))
@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_every_option_with_loaded_dice_has_the_values_of_the_twin(
    name: str, seed: int, kernels: Path
) -> None:
    matchup, right = matchup_of(name, seed), exact(name, seed)
    solution = solve_matchup(matchup, cache=kernels)
    error = np.max(np.abs(solution.values - right) / np.maximum(right, LEAST))
    assert error <= solution.error_bound <= DEFAULT_TOLERANCE
    exchanged = solve_matchup(matchup.from_seat(1), cache=kernels)
    halves = np.split(exchanged.values, 2)
    np.testing.assert_allclose(np.concatenate(halves[::-1]), solution.values, atol=2e-9)


@pytest.mark.parametrize("name", mostly_slow(((name, name) for name in RULES), 4))
def test_turns_of_the_strategy_begin_with_the_values_of_the_solve(name: str, kernels: Path) -> None:
    rules, matchup = RULES[name], matchup_of(name, 0)
    values = solve_matchup(matchup, cache=kernels).values
    strategy = MatchupStrategy(matchup, values)
    chance = random.Random(7)
    standings = [
        Standing(score, farkles, on_board) for score, farkles, on_board in naive.standings(rules)
    ]
    for _ in range(60):
        pair, mover = (chance.choice(standings), chance.choice(standings)), chance.randrange(2)
        position = Position(pair, mover, TurnState(0, matchup.dice[mover].whole))
        strategy.check(position)
        table = strategy.turn(position)
        found = float(table.rolls[0, 0, -1, 0])
        assert found == pytest.approx(strategy.win_probability(position), abs=1e-9)


@pytest.mark.mostly_slow(15)
@pytest.mark.parametrize("name", rarely(OF_SEVERAL, "ties shared", "much at once"))
def test_three_with_loaded_dice_have_the_values_of_the_twin(name: str, kernels: Path) -> None:
    rules, sets = OF_SEVERAL[name], players(name, 0, 3)
    matchup = Matchup(rules, tuple(map(set_of, sets)))
    solution = solve_many(rules, 3, plans=matchup.plans, cache=kernels)
    assert (solution.mixed, solution.restless) == (0, 0)
    throwers = [
        naive_loaded.Thrower(naive_loaded.Player(naive_loaded.Table(rules), dice)) for dice in sets
    ]
    game = naive_many.Game(rules, 3, cast("list[Ruleset]", throwers))
    values = game.solve()
    assert values is not None
    strategy = ManyMatchupStrategy(matchup, *solution.arrays)
    chance, step = random.Random(name), rules.point_step
    for (mover, standings), value in values.items():
        everyone = [Standing(score, on_board=on_board) for score, on_board in standings]
        place = mover, *(standing_index(rules, standing) for standing in everyone)
        np.testing.assert_allclose(solution.values[place], value[:2], rtol=0, atol=1e-9)
        if chance.random() < 0.02:
            by_seat = tuple(everyone[(seat - mover) % 3] for seat in range(3))
            turn = TurnState(0, matchup.dice[mover].whole)
            position = Position(by_seat, mover, turn)
            found = strategy.by_seat(position, strategy.turn(position).rolls[0, 0, -1])
            np.testing.assert_allclose(found[[mover, (mover + 1) % 3]], value[:2], atol=1e-9)
    if rules.ending == "at_once":
        return
    # a final turn under way, of all who still have one
    lead, seat = rules.winning_score + step, chance.randrange(3 if not rules.has_roles else 1)
    behind = [Standing(step * chance.randrange(3)) for _ in range(2)]
    order = tuple([Standing(lead), *behind][(k - seat) % 3] for k in range(3))
    mover = (seat + 1) % 3
    position = Position(order, mover, TurnState(0, matchup.dice[mover].whole))
    chasers = tuple((one.score, one.on_board) for one in behind)
    expected = game.last(1, lead, chasers, mover)
    found = strategy.by_seat(position, strategy.turn(position).rolls[0, 0, -1])
    np.testing.assert_allclose(found[[seat, mover, (mover + 1) % 3]], expected, atol=1e-9)
