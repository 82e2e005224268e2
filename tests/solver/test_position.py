import csv
from pathlib import Path

import pytest

from solver.errors import InvalidPositionError
from solver.position import Position, check_position, reachable
from solver.rules import load_rules
from tests.conftest import variant

FACEBOOK = load_rules("facebook")
REFERENCE = Path(__file__).parents[1] / "reference"


@pytest.mark.parametrize("table", sorted(path.name for path in REFERENCE.glob("*.csv")))
def test_reachable_cells_are_the_published_ones(table: str) -> None:
    possible = reachable(FACEBOOK)
    with (REFERENCE / table).open() as file:
        for row in csv.DictReader(file):
            for dice in range(1, 7):
                expected = row[f"unreachable_{dice}_dice"] == "0"
                assert possible[int(row["turn_total"]) // 50, dice - 1] == expected


@pytest.mark.parametrize(
    "position",
    [
        Position(),
        Position(9950, -2500, farkles=2, opponent_farkles=2),
        Position(4200, 5000, 350, 1, 0, 2),
        Position(9800, 0, 1200, dice=6),
    ],
)
def test_possible_positions_pass(position: Position) -> None:
    check_position(FACEBOOK, position)


@pytest.mark.parametrize(
    ("position", "sentence"),
    [
        (
            Position(banked=10000),
            "your score cannot be 10,000.*multiple of 50 from -2,500 to 9,950",
        ),
        (Position(banked=120), "your score cannot be 120"),
        (Position(opponent=-2550), "the opponent's score cannot be -2,550"),
        (Position(farkles=3), "your farkles in a row cannot be 3.*0 to 2"),
        (Position(opponent_farkles=-1), "the opponent's farkles in a row cannot be -1"),
        (Position(turn_total=120), "turn total cannot be 120"),
        (Position(turn_total=-50), "turn total cannot be -50"),
        (Position(turn_total=10**9), "turn total cannot be 1,000,000,000"),
        (Position(dice=0), "number of dice cannot be 0: it is 1 to 6"),
        (Position(dice=7), "number of dice cannot be 7: it is 1 to 6"),
        (Position(dice=4), "a turn starts with all 6 dice, not 4"),
        (
            Position(turn_total=50, dice=4),
            "4 dice cannot be left at a turn total of 50, only 5 can",
        ),
        (Position(turn_total=300, dice=4), "only 1, 2, 3 or 6 can"),
    ],
)
def test_impossible_positions_get_one_sentence(position: Position, sentence: str) -> None:
    with pytest.raises(InvalidPositionError, match=sentence) as caught:
        check_position(FACEBOOK, position)
    assert "\n" not in str(caught.value)


def test_rules_without_penalty_count_no_farkles() -> None:
    with pytest.raises(InvalidPositionError, match="classic rules do not count them"):
        check_position(load_rules("classic"), Position(farkles=1))


def test_fewer_dice() -> None:
    rules = variant("classic", dice=4)
    check_position(rules, Position(dice=4))
    with pytest.raises(InvalidPositionError, match="it is 1 to 4"):
        check_position(rules, Position(dice=6))
