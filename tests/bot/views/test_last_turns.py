"""What a bank does in a last turn of several, and what is said of a play-off."""

import pytest

from bot.views.advice import bank_text, position_text
from solver.game.position import Position
from solver.game.standings import Standing
from solver.rules.ruleset import Ruleset
from solver.turn.dice import TurnState
from tests.house_rules import small

FINAL = {"goal": 300, "dice": 2, "ending": "final_turn"}


def position(*scores: int, mover: int, total: int = 0, **more: object) -> Position:
    """Players with these scores, of whom one has a turn total."""
    players = tuple(map(Standing, scores))
    return Position(players, mover, TurnState(total, 1 if total else 2), **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("ties", "total", "others", "alone"),
    [
        ("shared", 50, "loses the game", "loses the game"),
        ("shared", 100, "draws level", "a tie, the win is shared"),
        ("shared", 150, "takes the lead", "wins the game"),
        ("played_on", 100, "draws level", "a tie, then a play-off"),
        ("earlier", 100, *["a tie, which they win: they reached the goal first"] * 2),
    ],
)
def test_a_bank_where_others_follow_and_where_nobody_does(
    ties: str, total: int, others: str, alone: str
) -> None:
    rules = small(ties=ties, **FINAL)
    assert bank_text(rules, position(300, 200, 200, mover=1, total=total)) == others
    assert bank_text(rules, position(300, 300, 200, mover=2, total=total)) == alone


@pytest.mark.parametrize(
    ("total", "text"), [(100, "wins the game"), (50, "a tie, the win is shared")]
)
def test_a_bank_in_the_last_of_all_rounds(total: int, text: str) -> None:
    rules = Ruleset(name="rounds", dice=2, rounds=2, ties="shared")
    last = position(250, 250, 200, mover=2, total=total, rounds_left=1)
    assert bank_text(rules, last) == text


@pytest.mark.parametrize(
    ("waiting", "text"), [((1, 2), "play-off with 0 to beat"), ((1,), "play-off, any points win")]
)
def test_any_points_win_a_play_off_where_nobody_follows(
    waiting: tuple[int, ...], text: str
) -> None:
    rules = small(ties="played_on", **FINAL)
    assert text in position_text(rules, position(300, 300, 300, mover=1, waiting=waiting))
