"""Games of a number of rounds, against the twin and by hand."""

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from solver.errors import InvalidPositionError, InvalidRulesError
from solver.game import round_sweeps
from solver.game.leads import NEGLIGIBLE, spans
from solver.game.many import check_many
from solver.game.many_best import SharedStrategy
from solver.game.many_sweeps import solve_many
from solver.game.position import Position, check_position
from solver.game.rounds import layer, mode_of, modes
from solver.game.solvable import check_solvable
from solver.game.standings import LEAST, Standing, check_afresh, many
from solver.game.sweeps import solve
from solver.rules.ruleset import Ruleset
from solver.rules.writer import rules_toml
from solver.strategy import open_strategy, save_strategy
from solver.turn.dice import TurnState
from tests import naive
from tests.conftest import mostly_slow
from tests.house_rules import ROUNDS, small
from tests.naive_many import rounds_values

FAR = 150
"""Point steps of leads in the twin, within which they are told."""


def of(rounds: int, **changes: Any) -> Ruleset:
    """Three dice, and nothing else said."""
    return Ruleset.model_validate({"name": "rounds", "dice": 3, "rounds": rounds} | changes)


def assert_agrees(rules: Ruleset, folder: Path, kernels: Path, far: int = FAR) -> None:
    """The solver, its file and the twin agree in all leads that are told.

    far : point steps of leads in the twin, within which they are told
    """
    solution = solve(rules, cache=kernels)
    save_strategy(solution, folder)
    strategy = open_strategy(folder, rules)
    middle, number = solution.values.shape[2] // 2, len(modes(rules))
    told, step = np.arange(-min(40, middle), min(40, middle) + 1), rules.point_step
    right = naive.values_of_rounds(rules, far)
    assert len(right) == len(solution.values) * number**2
    for (turns, own, other), values in right.items():
        one, two = (Standing(0, *kind) for kind in (own, other))
        [pair] = mode_of(rules, many(one)) * number + mode_of(rules, many(two))
        found = solution.values[turns - 1, pair, middle + told]
        expected = values[far + told]
        error = np.abs(found - expected) / np.maximum(expected, LEAST)
        assert error.max() < 1e-9
        assert error.max() - 1e-11 <= solution.error_bound <= 1e-9
        for lead in (-12, 0, 3):
            position = Position.of_two(
                1000 * step + lead * step if own[1] else 0,
                1000 * step if other[1] else 0,
                farkles=own[0],
                opponent_farkles=other[0],
                dice=rules.dice,
                on_board=own[1],
                opponent_on_board=other[1],
                began=turns % 2 == 0,
                rounds_left=(turns + 1) // 2,
            )
            apart = (position.banked - position.opponent) // step
            answer = strategy.turn(position).roll[0, 0, -1]
            assert strategy.win_probability(position) == pytest.approx(answer, abs=1e-12)
            if abs(apart) <= far:
                assert answer == pytest.approx(values[far + apart], abs=1e-10)
    assert round_sweeps.residual(rules, solution.values) < 1e-12


@pytest.mark.mostly_skipped(2)
@pytest.mark.parametrize("rules", mostly_slow(ROUNDS.items(), every=len(ROUNDS)))
def test_all_leads_agree_with_the_twin(kernels: Path, rules: Ruleset, tmp_path: Path) -> None:
    assert_agrees(rules, tmp_path, kernels)


@pytest.mark.slow
def test_who_cannot_be_caught_up_goes_on_where_a_roll_wins(kernels: Path) -> None:
    rules = of(1, dice=2, throws=2, instant_win=("66",))
    values = solve(rules, cache=kernels).values
    right, most = naive.values_of_rounds(rules, 60), values.shape[2] // 2
    for turns in (1, 2):
        expected = right[turns, (0, True), (0, True)][60 - most : 61 + most]
        np.testing.assert_allclose(values[turns - 1, 0], expected, atol=1e-12)


def test_a_turn_goes_on_where_only_a_roll_can_still_win(kernels: Path, tmp_path: Path) -> None:
    """The lead decides, but for a roll that wins: whoever has it rolls until that or a farkle."""
    rules = of(2, dice=2, opening_minimum=150, minimum_bank=50, instant_win=("2",))
    save_strategy(solve(rules, cache=kernels), tmp_path)
    strategy = open_strategy(tmp_path, rules)
    for points in (5_000, 49_400):
        position = Position.of_two(points, 0, dice=2, opponent_on_board=False, rounds_left=1)
        turn = strategy.turn(position).roll[0, 0, -1]
        assert strategy.win_probability(position) == pytest.approx(turn, abs=1e-12)


def _of_three() -> dict[str, Ruleset]:
    one, two = {"dice": 1, "throws": 2}, {"dice": 2, "throws": 2}
    ones = {"scoring": {"single": (1, 0, 0, 0, 0, 0)}}
    penalty = {"farkle_penalty": {"in_a_row": 2, "points": 50}}
    return {
        "one die": of(2, **one),
        "pig of ones": of(2, dice=1, **ones),
        "an opening": of(1, **two, opening_minimum=100, minimum_bank=100),
        "a penalty, kept": of(2, **one, **penalty, farkle_keeps_turn_total=True),
        "hot dice rolled": of(1, **two, hot_dice="no_bank"),
        "to confirm": of(1, **two, scoring={"combination": [PAIR]}),
        "three rounds": of(3, **one),
        "two dice": of(2, **two),
    }


PAIR = {"dice": "aa", "points": 150, "then": "roll_on"}
OF_THREE = _of_three()


@pytest.mark.mostly_skipped(8)
@pytest.mark.parametrize("rules", mostly_slow(OF_THREE.items(), every=len(OF_THREE), first=1))
def test_three_players_agree_with_the_twin(kernels: Path, rules: Ruleset) -> None:
    solution = solve_many(rules, 3, cache=kernels)
    strategy = SharedStrategy(rules, 3, solution.values, ())
    far, step, kinds = spans(rules, 3), rules.point_step, modes(rules)
    twin = rounds_values(rules, int(far[-1]))
    for turns in range(1, 3 * rules.rounds + 1):
        found = layer(rules, solution.values, turns, 3)
        most = int(far[turns])
        told = range(-most, most + 1)
        for own, one, two in product(range(len(kinds)), repeat=3):
            for apart, lead in product(told, told):
                if abs(apart + lead) > most:
                    continue
                scores = [lead * step, 0, -apart * step]
                players = [
                    (score, kinds[kind].farkles, kinds[kind].on_board)
                    for score, kind in zip(scores, (own, one, two), strict=True)
                ]
                expected = twin(turns, players)
                place = own, one, two, apart + most, lead + most
                assert found[place] == pytest.approx(expected[:2], abs=1e-9)
                if (apart + 2 * lead) % 25 or not all(kind.on_board for kind in kinds):
                    continue
                mover = -turns % 3
                standings = [Standing(s + int(far[-1]) * step, f, on) for s, f, on in players]
                order = tuple(standings[(k - mover) % 3] for k in range(3))
                whole = TurnState(0, rules.dice)
                position = Position(order, mover, whole, rounds_left=-(-turns // 3))
                chances = strategy.chances(position)
                assert chances.sum() == pytest.approx(1, abs=1e-12)
                assert chances[list(position.in_order)] == pytest.approx(expected, abs=1e-9)
    assert round_sweeps.check(rules, solution.values).residual < 1e-12


@pytest.mark.parametrize("rules", mostly_slow({"one": of(2, dice=1), "three": of(2)}.items()))
def test_a_third_player_who_is_lost_leaves_a_game_of_two(kernels: Path, rules: Ruleset) -> None:
    two, three = solve(rules, cache=kernels).values, solve_many(rules, 3, cache=kernels).values
    middle = two.shape[2] // 2
    for rounds in (1, 2):
        # the third one has a turn between, which changes nothing
        for turns, of_two in ((3 * rounds, 2 * rounds), (3 * rounds - 2, 2 * rounds - 1)):
            found = layer(rules, three, turns, 3)[0, 0, 0]
            most = found.shape[0] // 2
            leads = np.arange(most + 1)
            expected = two[of_two - 1, 0]
            if turns % 3 == 0:  # the last in the order is lost: the next is far ahead of that one
                own = found[2 * most, most - leads]
                np.testing.assert_allclose(own[:, 0], expected[middle - leads], atol=1e-9)
                assert np.all(own.sum(axis=1) > 1 - 1e-9)
            else:  # the next one is lost
                own = found[leads, 2 * most]
                np.testing.assert_allclose(own[:, 0], expected[middle + leads], atol=1e-9)


def test_two_turns_of_one_die_by_hand(kernels: Path) -> None:
    """One die, of which a 1 is a point and nothing else scores: one round.

    Who comes last rolls on until ahead, with p = 1/6 for each point.
    """
    rules = of(1, dice=1, scoring={"single": (1, 0, 0, 0, 0, 0)})
    values = solve(rules, cache=kernels).values
    p, middle = 1 / 6, values.shape[2] // 2

    def last(behind: int) -> float:
        if behind < 0:
            return 1.0
        # level is half of a win, of which a farkle is what was there before
        has = 0.5 * (behind == 0)
        more = [max(0.5, has * (1 - p) + p)] if behind else []
        roll = p ** (behind + 1) + has * (1 - p ** (behind + 1))
        return max(roll, *(p**behind * one for one in more), 0.0)

    for behind in range(6):
        assert values[0, 0, middle - behind] == pytest.approx(last(behind), abs=1e-12)
    assert np.all(values[0, 0, middle + 1 :] == 1)
    bank = [1 - last(points) for points in range(40)]
    roll = 0.0
    for points in range(39, -1, -1):
        roll = p * (max(bank[points + 1], roll) if points < 38 else 1.0) + (1 - p) * bank[0]
    assert values[1, 0, middle] == pytest.approx(roll, abs=1e-9)


def test_leads_that_are_taken_for_certain(kernels: Path) -> None:
    """Nobody makes up for a lead that counts for certain, but with next to no chance."""
    rules = of(3)
    values, far = solve(rules, cache=kernels).values, spans(rules)
    middle = values.shape[2] // 2
    for turns in range(1, 7):
        assert values[turns - 1, 0, middle - far[turns]] <= NEGLIGIBLE[0]
        assert values[turns - 1, 0, middle + far[turns]] >= 1 - NEGLIGIBLE[0]
    assert np.all(np.diff(far) >= 0)


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"goal": 5000}, "goal"),
        ({"ending": "final_turn"}, "ending"),
        ({"goal_must_be": "exact"}, "goal_must_be"),
        ({"minimum_bank": 150, "minimum_binds_win": False}, "minimum_binds_win"),
        ({"take_over": "banked"}, "take_over"),
        ({"no_bank_at": ("350",)}, "no_bank_at"),
        ({"lose_everything": ("xxx",)}, "lose_everything"),
        ({"farkle_penalty": {"in_a_row": 3, "points": "everything"}}, "farkle_penalty"),
        ({"farkle_penalty": {"in_a_row": 3, "points": 100}, "score_floor": 0}, "score_floor"),
        ({"ties": "earlier"}, "ties"),
    ],
)
def test_what_it_does_not_go_with(changes: dict[str, Any], named: str) -> None:
    with pytest.raises(ValidationError) as error:
        of(3, **changes)
    found = error.value.errors()[0]["ctx"]["error"].complaints
    assert named in {one.place[0] for one in found}


def test_what_is_for_goals_or_for_two() -> None:
    rules = of(3)
    with pytest.raises(InvalidRulesError, match="for two or three, not for 4"):
        check_many(rules, 4)
    with pytest.raises(InvalidRulesError, match="ties are played on, and rolls win the game"):
        check_many(of(3, ties="played_on"), 3)
    with pytest.raises(InvalidRulesError, match="ties are played on, and rolls win the game"):
        check_many(of(3, instant_win=("xxx",)), 3)
    with pytest.raises(InvalidRulesError, match=r"with 3 players there are [\d,]+ positions"):
        check_many(of(50, farkle_penalty={"in_a_row": 3, "points": 50}, opening_minimum=200), 3)
    with pytest.raises(InvalidRulesError, match="games of a number of rounds"):
        check_afresh(rules)
    large = of(50, farkle_penalty={"in_a_row": 5, "points": 5000}, opening_minimum=200)
    with pytest.raises(InvalidRulesError, match="fewer rounds have fewer"):
        check_solvable(large)


def test_rounds_stand_in_place_of_a_goal() -> None:
    rules = of(3)
    assert "goal =" not in rules_toml(rules, "rounds")
    assert rules.stated_goal is None
    assert rules.digest not in {of(4).digest, small().digest}
    assert small(rounds=0).digest == small().digest
    with pytest.raises(InvalidPositionError, match="they are 1 to 3"):
        check_position(rules, Position.of_two(dice=3, rounds_left=4))
    with pytest.raises(InvalidPositionError, match="no rounds are counted"):
        check_position(small(), Position.of_two(dice=3, rounds_left=2))
