import csv
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

from solver.errors import InvalidPositionError
from solver.game.position import (
    Position,
    check_position,
    first_position,
    highest_score,
    impossible_turn,
    least_hot_dice,
    most_likely,
    points_to_beat,
    reachable,
    reachable_at,
)
from solver.rules.file import load_rules
from solver.rules.ruleset import Ruleset
from solver.turn.dice import TurnState
from solver.turn.equations import EqualDice
from solver.turn.memory import memories
from tests.conftest import check_reachable, variant
from tests.house_rules import ONE_BY_ONE, small

FACEBOOK = load_rules("facebook")
REFERENCE = Path(__file__).parents[2] / "reference"


@pytest.mark.parametrize(
    "table", sorted(path.name for path in REFERENCE.glob("facebook_win_*.csv"))
)
def test_reachable_cells_are_the_published_ones(table: str) -> None:
    possible = reachable(FACEBOOK)
    with (REFERENCE / table).open() as file:
        for row in csv.DictReader(file):
            for dice in range(1, 7):
                expected = row[f"unreachable_{dice}_dice"] == "0"
                assert possible[0, int(row["turn_total"]) // 50, dice - 1] == expected


@pytest.mark.slow
def test_a_turn_starts_as_the_enumeration_says() -> None:
    presets = ((name, load_rules(name)) for name in ("facebook", "kcd", "classic"))
    for name, rules in (*presets, *ONE_BY_ONE):
        assert np.array_equal(reachable_at(rules, 0), reachable(rules)[:, 0]), name


@pytest.mark.parametrize(
    "position",
    [
        Position.of_two(),
        Position.of_two(9950, -2500, farkles=2, opponent_farkles=2),
        Position.of_two(4200, 5000, 350, 1, 0, 2),
        Position.of_two(9800, 0, 1200, dice=6),
    ],
)
def test_possible_positions_pass(position: Position) -> None:
    check_position(FACEBOOK, position)


@pytest.mark.parametrize(
    ("position", "sentence"),
    [
        (
            Position.of_two(banked=10000),
            "your score cannot be 10,000.*multiple of 50 from -2,500 to 9,950",
        ),
        (Position.of_two(banked=120), "your score cannot be 120"),
        (Position.of_two(opponent=-2550), "the opponent's score cannot be -2,550"),
        (Position.of_two(farkles=3), "your farkles in a row cannot be 3.*0 to 2"),
        (Position.of_two(opponent_farkles=-1), "the opponent's farkles in a row cannot be -1"),
        (Position.of_two(turn_total=120), "turn total cannot be 120"),
        (Position.of_two(turn_total=-50), "turn total cannot be -50"),
        (Position.of_two(turn_total=10**9), "turn total cannot be 1,000,000,000"),
        (Position.of_two(dice=0), "number of dice cannot be 0: it is 1 to 6"),
        (Position.of_two(dice=7), "number of dice cannot be 7: it is 1 to 6"),
        (Position.of_two(dice=4), "a turn starts with all 6 dice, not 4"),
        (Position.of_two(turn_total=50, dice=4, hot_dice=10**18), "hot dice cannot be 1,000,000"),
    ],
)
def test_impossible_positions_get_one_sentence(position: Position, sentence: str) -> None:
    with pytest.raises(InvalidPositionError, match=sentence) as caught:
        check_position(FACEBOOK, position)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("position", "sentence"),
    [
        (
            Position.of_two(turn_total=50, dice=4),
            "4 dice cannot be left at a turn total of 50, only 5 can",
        ),
        (Position.of_two(turn_total=50, dice=1), "1 die cannot be left at a turn total of 50"),
        (Position.of_two(turn_total=300, dice=4), "only 1, 2, 3 or 6 can"),
    ],
)
def test_turns_that_no_rolls_lead_to_have_a_value(position: Position, sentence: str) -> None:
    check_position(FACEBOOK, position)
    with pytest.raises(InvalidPositionError, match=sentence):
        check_reachable(FACEBOOK, position)


@pytest.mark.parametrize(
    "rules",
    [
        FACEBOOK,
        load_rules("zilch"),
        variant("classic", goal=2000, hot_dice_bonus=(500, 1000, 0)),
        variant("classic", goal=2000, name="times", hot_dice_times=(2, 3)),
        variant("classic", goal=2000, dice=5, set_aside_all=True),
    ],
    ids=lambda rules: rules.name,
)
def test_the_example_of_a_refusal_is_a_position(rules: Ruleset) -> None:
    for start in (
        Position.of_two(dice=n + 1, hot_dice=k) for n in range(rules.dice) for k in range(3)
    ):
        if start.dice == rules.dice and min(start.hot_dice, rules.hot_dice_counted - 1) == 0:
            check_position(rules, start)
            continue
        with pytest.raises(InvalidPositionError, match="start") as caught:
            check_position(rules, start)
        _, _, example = str(caught.value).partition("such as ")
        possible = [
            total
            for total in range(50, 10_001, 50)
            if is_possible(rules, start.change(turn_total=total))
        ]
        assert example == (f"{possible[0]:,}" if possible else "")


def is_possible(rules: Ruleset, position: Position) -> bool:
    try:
        check_reachable(rules, position)
    except InvalidPositionError:
        return False
    return True


def test_rules_without_penalty_count_no_farkles() -> None:
    with pytest.raises(InvalidPositionError, match="classic rules do not count them"):
        check_position(load_rules("classic"), Position.of_two(farkles=1))


def test_fewer_dice() -> None:
    rules = variant("classic", dice=4)
    check_position(rules, Position.of_two(dice=4))
    with pytest.raises(InvalidPositionError, match="it is 1 to 4"):
        check_position(rules, Position.of_two(dice=6))


def refused(rules: Ruleset, position: Position, sentence: str) -> None:
    with pytest.raises(InvalidPositionError, match=sentence) as caught:
        check_reachable(rules, position)
    assert "\n" not in str(caught.value)


def test_who_is_not_on_the_board_has_no_points() -> None:
    rules = variant("classic", opening_minimum=500)
    assert first_position(rules) == Position.of_two(on_board=False, opponent_on_board=False)
    check_position(rules, first_position(rules))
    check_position(rules, Position.of_two(opponent=500, on_board=False))
    refused(
        rules,
        Position.of_two(500, on_board=False),
        "your score cannot be 500 before the first bank",
    )
    refused(
        rules,
        Position.of_two(0, 500, opponent_on_board=False),
        "the opponent's score cannot be 500",
    )


def test_a_score_at_the_goal_is_a_final_turn() -> None:
    rules = variant("classic", goal=2000, ending="final_turn")
    for position in (Position.of_two(1900, 2000), Position.of_two(0, 3500, 350, dice=2)):
        check_position(rules, position)
    refused(
        rules,
        Position.of_two(0, highest_score(rules) + 50),
        "from 2,000 on you have the final turn",
    )
    refused(
        rules, Position.of_two(2000, 0), "your score cannot be 2,000.* from 0 to 1,950; with more"
    )
    refused(rules, Position.of_two(2000, 2500), "your score cannot be 2,000")
    assert points_to_beat(rules, Position.of_two(1900, 2300)) == 400
    assert points_to_beat(rules, Position.of_two(1900, 1950)) is None


def test_with_equal_turns_only_who_began_leaves_a_final_turn() -> None:
    rules = variant("classic", goal=2000, ending="equal_turns")
    check_position(rules, Position.of_two(1900, 2000, began=False))
    refused(
        rules, Position.of_two(1900, 2000), "who did not begin wins at once by reaching the goal"
    )


def test_two_scores_at_the_goal_are_a_play_off() -> None:
    rules = variant("classic", goal=2000, ending="final_turn", ties="played_on")
    for banked, opponent, began, beat in (
        (2000, 2000, True, None),
        (2000, 2000, False, 0),
        (2000, 2350, False, 350),
        (2000, 2350, True, 350),
    ):
        position = Position.of_two(banked, opponent, began=began)
        check_position(rules, position)
        assert points_to_beat(rules, position) == beat
    refused(rules, Position.of_two(2050, 2000), "your score cannot be 2,050")


def test_hot_dice_matter_where_their_bonus_changes() -> None:
    rules = variant("classic", goal=2000, hot_dice_bonus=(500, 1000, 0))
    assert reachable(rules).shape[0] == 3
    assert least_hot_dice(rules, 0, 6) == 0
    assert least_hot_dice(rules, 350, 2) == 0
    assert least_hot_dice(rules, 1150, 6) == 1  # five ones would leave a die
    assert least_hot_dice(rules, 50, 4) == least_hot_dice(rules, 10**9, 6) == 0
    check_position(rules, Position.of_two(turn_total=1150, hot_dice=1))
    check_position(rules, Position.of_two(turn_total=4500, hot_dice=9))
    refused(rules, Position.of_two(hot_dice=1), "hot dice cannot be 1 at the start of a turn")
    refused(rules, Position.of_two(hot_dice=-1), "hot dice cannot be -1: it is 0 to 1,000")
    refused(
        rules,
        Position.of_two(turn_total=350, hot_dice=1, dice=2),
        "total cannot be 350 after 1 hot",
    )
    refused(rules, Position.of_two(turn_total=350), "6 dice .* 350 after 0 hot dice, only .* can")
    for turn_total in (0, 350):
        check_position(FACEBOOK, Position.of_two(turn_total=turn_total, hot_dice=1))


def test_hot_dice_matter_where_points_count_more_after_them() -> None:
    rules = variant("classic", goal=2000, dice=2, hot_dice_times=(3,))
    turn = TurnState(0, 2)
    for dice, points, total in (((5, 1), 150, 150), ((5,), 150, 300), ((1,), 300, 600)):
        kept = EqualDice(rules).set_asides(dice, turn)[0]
        turn = EqualDice(rules).after(replace(turn, dice=len(dice)), kept)
        assert (kept.points, turn.turn_total) == (points, total)
    assert turn == TurnState(600, 2, 3)
    # two 1s or a 1 and a 5 bring 200 or 150 at first, and three times that later
    assert least_hot_dice(rules, 150, 2) == least_hot_dice(rules, 200, 2) == 1
    assert least_hot_dice(rules, 600, 2) == 1  # that stands for all further ones
    refused(rules, Position.of_two(turn_total=250, dice=2, hot_dice=1), "250 after 1 hot dice, onl")
    refused(rules, Position.of_two(hot_dice=1, dice=2), "hot dice cannot be 1 at the start")


@pytest.mark.parametrize("more", [{"hot_dice_bonus": (50, 100)}, {"hot_dice_times": (2, 4)}])
def test_every_reachable_state_passes(more: dict[str, tuple[int, ...]]) -> None:
    rules = variant("classic", goal=500, dice=3, ending="final_turn", **more)
    for level, row, number in np.argwhere(reachable(rules)):
        memory = memories(rules.of_turn)[-1 - number // rules.dice]
        dice, hot_dice = int(number) % rules.dice + 1, int(level) + memory.hot_dice
        turn_total = int(row) * rules.point_step
        check_reachable(rules, Position.of_two(turn_total=turn_total, dice=dice, hot_dice=hot_dice))
        assert least_hot_dice(rules, turn_total, dice) <= hot_dice


def test_what_has_to_be_confirmed_is_told_by_the_turn_total_or_asked_for() -> None:
    pair = {"dice": "aa", "points": (225, 0, 0, 0, 0, 150), "then": "roll_on"}
    rules = small(scoring={"three_of_a_kind": 0, "combination": [pair]})
    # two 1s bring 225 and leave a die; two 6s 150, as a 1 and then a 5 do
    states = [TurnState(total, dice) for total, dice in ((0, 3), (50, 2), (150, 1), (225, 1))]
    *none, left = [most_likely(rules, state).to_confirm for state in states]
    assert not any(none)
    assert left
    for total, dice, confirm in ((150, 1, True), (150, 1, False), (225, 1, True)):
        position = Position.of_two(turn_total=total, dice=dice, to_confirm=confirm)
        check_reachable(rules, position)
    assert "something is left to be confirmed" in impossible_turn(rules, TurnState(225, 1))
    assert "nothing is left" in impossible_turn(rules, TurnState(50, 2, to_confirm=True))
    refused(rules, Position.of_two(dice=3, to_confirm=True), "nothing to confirm before a first")
    plain = small()
    refused(plain, Position.of_two(turn_total=50, dice=2, to_confirm=True), "nothing to confirm")


def test_points_that_confirm_are_told_by_the_turn_total_or_asked_for() -> None:
    pair = {"dice": "aa", "points": 225, "then": "roll_on"}
    scoring = {"three_of_a_kind": 0, "combination": [pair]}
    rules = small(goal=2000, scoring=scoring, confirm_points=100)
    # a pair leaves 100 to be confirmed, a 5 after it 50, and another 5 or a 1 after it nothing
    for total, dice, left in ((225, 1, 100), (275, 3, 50), (325, 3, 0), (325, 2, 0)):
        assert most_likely(rules, TurnState(total, dice)).to_confirm == left
        position = Position.of_two(turn_total=total, dice=dice, to_confirm=left)
        check_reachable(rules, position)
        assert most_likely(rules, TurnState(total, dice), left).to_confirm == left
    assert most_likely(rules, TurnState(275, 3), True).to_confirm == 50
    assert "so many points" in impossible_turn(rules, TurnState(225, 1, to_confirm=50))
    odd = Position.of_two(turn_total=225, dice=1, to_confirm=60)
    refused(rules, odd, "60 points cannot be left to be confirmed.*multiple of 25 up to 100")


def test_what_is_left_of_badges_has_names_in_plain_data() -> None:
    """Decisions that are kept are known again by this text."""
    held = asdict(Position.of_two())["held"]
    assert held == {"uses": None, "spent": False, "changed": False}
