"""Best play seen from above, held against the single decisions of the strategy."""

import csv
import random
from pathlib import Path

import numpy as np
import pytest

from solver.errors import InvalidPositionError, InvalidRequestError, InvalidRulesError
from solver.game.best import Strategy
from solver.game.position import (
    Position,
    check_position,
    first_position,
    reachable,
    rules_at,
)
from solver.game.standings import value_shape
from solver.play.advice import odds
from solver.play.maps import (
    TurnMap,
    border_map,
    coarse_step,
    scores_between,
    turn_map,
    win_map,
)
from solver.rules.file import load_rules, preset_names
from solver.rules.ruleset import Ruleset
from solver.turn.dice import dice_set
from solver.turn.equations import Decision, turn_plan
from tests.conftest import mostly_slow
from tests.house_rules import ONE_BY_ONE, small

# where throws combine a map has one column, see tests/bot/test_combine_throws.py
HOUSE = mostly_slow([one for one in ONE_BY_ONE if not one[1].combine_throws], first=2)
REFERENCE = Path(__file__).parents[2] / "reference"


def guessed(rules: Ruleset, seed: int = 1) -> Strategy:
    """A strategy of made-up values: maps have to show what follows from any."""
    values = np.random.default_rng(seed).random(value_shape(rules))
    return Strategy(rules, values, "made up")


def some_positions(rules: Ruleset, number: int) -> list[Position]:
    """Starts of turns that can be, at random."""
    chance = random.Random(rules.name)
    step, most = rules.point_step, 2 * rules.winning_score // rules.point_step
    floor = rules.score_floor // step
    found: list[Position] = []
    while len(found) < number:
        position = Position.of_two(
            banked=chance.randint(floor, most) * step,
            opponent=chance.randint(floor, most) * step,
            farkles=chance.randrange(rules.farkle_limit),
            opponent_farkles=chance.randrange(rules.farkle_limit),
            dice=dice_set(rules).whole,
            on_board=chance.random() < 0.8,
            opponent_on_board=chance.random() < 0.8,
            began=chance.random() < 0.5,
        )
        try:
            check_position(rules, position)
        except InvalidPositionError:
            continue
        found.append(position)
    return found


def check_map(strategy: Strategy, found: TurnMap) -> None:
    """Every cell says what the strategy says of that state alone, and so do the borders."""
    rules, banks, value = rules_at(found.rules, found.position), found.banks, found.value
    level, usual = turn_plan(rules).after_hot_dice(found.position.hot_dice)
    possible = turn_plan(rules).in_play(reachable(rules)[level], usual)
    # beyond an exact goal all turn totals are alike
    possible = possible[np.minimum(np.arange(len(found.totals)), len(possible) - 1)]
    kept = {one.dice: one for one in found.bank_from}
    for row, total in enumerate(found.totals.tolist()[:-1]):
        for dice in range(1, banks.shape[1] + 1):
            assert found.reachable[row, dice - 1] == possible[row, dice - 1]
            if not possible[row, dice - 1] or (total and rules.throws == 1):
                continue
            state = found.position.change(turn_total=total, dice=dice)
            alone = odds(strategy, state)
            # beyond the goal a longer turn is solved, whose end is cut off elsewhere: near its end
            # that is felt where hardly anything ends a turn
            beyond = total >= rules.winning_score - found.position.banked
            if beyond and row > len(found.totals) // 2:
                continue
            error = 1e-6 if beyond else 0.0
            assert value[row, dice - 1] == pytest.approx(alone.win_probability, abs=error)
            assert found.roll[row, dice - 1] == pytest.approx(alone.roll, abs=error)
            if alone.bank is None or abs(alone.bank - alone.roll) >= error:
                assert banks[row, dice - 1] == (alone.action is not Decision.ROLL), state
            one = kept[dice]
            again = any(first <= total <= (last or total) for first, last in one.roll_again)
            from_here = one.turn_total is not None and total >= one.turn_total
            assert banks[row, dice - 1] == (from_here and not again), state


@pytest.mark.mostly_slow(6)
@pytest.mark.mostly_skipped(3)
@pytest.mark.parametrize("rules", HOUSE)
def test_a_map_is_the_decisions_of_the_strategy(rules: Ruleset) -> None:
    strategy = guessed(rules)
    for position in some_positions(rules, 3):
        for hot_dice in range(rules.hot_dice_counted):
            check_map(strategy, turn_map(strategy, position.change(hot_dice=hot_dice)))


@pytest.mark.mostly_slow(2)
@pytest.mark.parametrize("rules", HOUSE)
def test_a_map_says_when_to_bank_and_has_every_state_of_the_turn(rules: Ruleset) -> None:
    """At every level of the turn, of turn totals that can occur there."""
    strategy = guessed(rules)
    for start in some_positions(rules, 5):
        for hot_dice in range(rules.hot_dice_counted + 1):
            found = turn_map(strategy, start.change(hot_dice=hot_dice))
            possible = strategy.possible_rows(start, len(found.totals))
            plan = turn_plan(rules_at(rules, start))
            level, usual = plan.after_hot_dice(hot_dice)
            reachable_here = plan.in_play(possible[level, : len(found.totals)], usual)
            np.testing.assert_array_equal(found.reachable, reachable_here)
            assert found.win_probability == strategy.turn(start).of_mover.roll[0, 0, -1]
            check_cells(found)


def check_cells(found: TurnMap) -> None:
    """The cells that can occur show the same as what is said of when to bank."""
    said = {one.dice: one.turn_total for one in found.bank_from}
    for column in range(found.banks.shape[1]):
        rows = np.flatnonzero(found.reachable[:, column])
        first = rows[found.banks[rows, column]].min(initial=len(found.totals))
        shown = int(found.totals[first]) if first < len(found.totals) else None
        assert shown == said.get(column + 1)


def test_no_turn_total_is_shown_beyond_the_hot_dice_that_lead_there() -> None:
    """Two of three dice are worth 200 points at most, before the first hot dice."""
    rules = small(goal=4000, hot_dice_bonus=(500, 0))
    strategy, start = guessed(rules), Position.of_two(dice=3)
    found = turn_map(strategy, start)
    assert found.totals[found.reachable.any(axis=1)].tolist() == [0, 50, 100, 150, 200]
    assert {one.dice: one.turn_total for one in found.bank_from}[3] is None
    after = turn_map(strategy, start.change(hot_dice=1))
    assert after.totals[after.reachable.any(axis=1)].min() == 150 + 500


@pytest.mark.slow
@pytest.mark.parametrize("name", ["facebook", "kcd", "arnold"])
def test_the_border_of_full_games(name: str, strategies: dict[str, Strategy]) -> None:
    strategy = strategies[name]
    for position in some_positions(strategy.rules, 4):
        check_map(strategy, turn_map(strategy, position))


def test_a_whole_turn_as_published(strategies: dict[str, Strategy]) -> None:
    found = turn_map(strategies["facebook"], Position.of_two())
    with (REFERENCE / "facebook_win_table1_b0_d0.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    for row, line in enumerate(rows):
        assert found.totals[row] == int(line["turn_total"])
        for dice in range(1, 7):
            printed = float(line[f"win_{dice}_dice"])
            assert found.value[row, dice - 1] == pytest.approx(printed, abs=6e-7)
            unreachable = line[f"unreachable_{dice}_dice"] == "1"
            assert unreachable == (not found.reachable[row, dice - 1])


@pytest.mark.mostly_slow(6)
@pytest.mark.mostly_skipped(3)
@pytest.mark.parametrize("rules", HOUSE)
def test_maps_over_the_scores(rules: Ruleset) -> None:
    strategy = guessed(rules)
    scores = scores_between(rules, 2 * rules.point_step)
    start = first_position(rules).change(farkles=rules.farkle_limit - 1)
    wins, borders = win_map(strategy, start, scores), border_map(strategy, start, scores)
    chance = random.Random(1)
    for _ in range(6):
        x, y = chance.randrange(len(scores)), chance.randrange(len(scores))
        own, other = int(scores[x]), int(scores[y])
        position = start.change(
            banked=own,
            opponent=other,
            on_board=own > 0 or not rules.has_opening,
            opponent_on_board=other > 0 or not rules.has_opening,
        )
        assert wins.win_probability[x, y] == strategy.win_probability(position)
        for one in turn_map(strategy, position).bank_from:
            least = borders.bank_from[one.dice - 1, x, y]
            assert (None if np.isnan(least) else least) == one.turn_total
            assert borders.inverted[one.dice - 1, x, y] == bool(one.roll_again)
        assert borders.wins_from[x] == rules.winning_score - own


@pytest.mark.mostly_slow(6)
@pytest.mark.parametrize("name", preset_names())
def test_coarse_steps(name: str) -> None:
    rules = load_rules(name)
    if rules.rounds:
        with pytest.raises(InvalidRulesError, match="games of a number of rounds"):
            scores_between(rules, rules.point_step)
        return
    for most in (10, 20, 400):
        scores = scores_between(rules, coarse_step(rules, most))
        assert most / 3 < len(scores) <= most or coarse_step(rules, most) == rules.point_step
        assert scores[0] == 0
        assert scores[-1] < rules.winning_score


@pytest.mark.parametrize("step", [0, -50, 25, 75])
def test_steps_that_do_not_fit(step: int) -> None:
    with pytest.raises(InvalidRequestError, match="the step must be a multiple of 50"):
        scores_between(load_rules("kcd"), step)


def test_progress_is_told_to_the_end() -> None:
    told: list[float] = []
    rules = small()
    border_map(guessed(rules), first_position(rules), scores_between(rules, 200), told.append)
    assert told == [0.25, 0.5, 0.75, 1.0]
