"""Games without an end are refused, and odd ones that have one are answered."""

from pathlib import Path
from typing import Any

import pytest

from solver.errors import InvalidRulesError
from solver.game.position import Position, check_position
from solver.game.solvable import check_solvable
from solver.game.sweeps import solve
from solver.rules.ruleset import Ruleset
from solver.strategy import open_strategy, save_strategy, strategy_files
from solver.turn.dice import TurnState


def rules(**changes: Any) -> Ruleset:
    return Ruleset.model_validate({"name": "odd", "goal": 500, "dice": 3} | changes)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"dice": 1, "hot_dice": "no_bank"}, "nobody could ever win"),
        # of four dice three are kept, and the last one never scores
        (
            {
                "goal": 600,
                "dice": 4,
                "minimum_bank": 600,
                "scoring": {"single": 0, "three_of_a_kind": 200},
            },
            "nobody could ever win",
        ),
        (
            {"dice": 2, "lose_everything": ["1", "5"], "instant_win": ["66"]},
            "no roll scores points; every",
        ),
        (
            {
                "dice": 2,
                "hot_dice": "forced",
                "farkle_keeps_turn_total": True,
                "scoring": {"single": 50},
            },
            "a turn never ends",
        ),
        ({"ending": "final_turn", "scoring": {"single": 50}}, "a turn may never end"),
        ({"scoring": {"three_of_a_kind": 1_000_000}}, "use instant_win"),
        ({"goal": 1_000_000}, "can be solved"),
    ],
)
def test_games_that_cannot_be_solved(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InvalidRulesError, match=sentence):
        check_solvable(rules(**changes))


def test_a_roll_that_must_go_on_is_worth_no_bank(kernels: Path, tmp_path: Path) -> None:
    """With one die left, whatever scores is hot dice and has to be rolled on."""
    game = rules(hot_dice="no_bank")
    save_strategy(solve(game, cache=kernels), tmp_path)
    table = open_strategy(tmp_path, game).turn(Position.of_two(dice=3))
    for total in (450, 500, 750):
        hot = table.value(TurnState(total + 100, 3))
        farkled = float(table.farkle_values(TurnState(total, 1))[0])
        assert table.roll_value(TurnState(total, 1)) == pytest.approx(hot / 3 + farkled * 2 / 3)


def test_turn_totals_after_hot_dice_have_no_end() -> None:
    for game in (rules(hot_dice="forced"), rules()):
        for total in (1000, 2000, 50_000):
            check_position(game, Position.of_two(turn_total=total, dice=3))


@pytest.mark.slow
def test_no_score_below_zero_is_a_rule_of_play(kernels: Path, tmp_path: Path) -> None:
    penalty = {"in_a_row": 1, "points": 250}
    never = rules(farkle_penalty=penalty, score_floor=0)
    for game in (never, rules(farkle_penalty=penalty)):
        save_strategy(solve(game, cache=kernels), tmp_path)
    assert rules(farkle_penalty=penalty).digest != never.digest
    assert strategy_files(tmp_path, never)[0].name.startswith(never.digest[:16])
    found = open_strategy(tmp_path, never).win_probability(Position.of_two(dice=3))
    assert found == pytest.approx(0.526034021, abs=1e-8)  # by the slow twin
