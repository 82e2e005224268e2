"""Rules that people play by: presets against what others published of them, and all others.

docs/variants.md says where they are from.
"""

from pathlib import Path

import pytest

from solver.game.best import Strategy
from solver.game.position import Position
from solver.game.sweeps import solve
from solver.play.advice import odds
from solver.rules.file import load_rules, read_rules
from solver.rules.ruleset import Ruleset
from solver.turn.dice import TurnState
from solver.turn.endless import endless_turn
from solver.turn.equations import Decision
from tests.conftest import variant
from tests.monte_carlo import first_player_wins


@pytest.mark.parametrize(
    ("dice", "turn_total", "gain"),
    [
        (6, 0, 590.7),
        (6, 1000, 475.7),
        (5, 100, 303.2),
        (4, 500, 83.8),
        (3, 450, -10.9),
        (2, 250, -1.4),
        (1, 300, 3.1),
    ],
)
def test_expected_points_of_10001(dice: int, turn_total: int, gain: float) -> None:
    """Its results.txt has a table of them."""
    turn = endless_turn(load_rules("amund-10001"))
    assert round(turn.gain(TurnState(turn_total, dice)), 1) == gain


def test_expected_points_of_other_turns() -> None:
    assert round(endless_turn(load_rules("party-games-411")).points, 3) == 293.601
    # Ten Thousand of threejacks, of which the end is not known
    scoring = {
        "more_of_a_kind": "doubling",
        "straight_1_6": 2000,
        "straight_1_5": 500,
        "straight_2_6": 500,
        "three_pairs": 1200,
    }
    assert round(endless_turn(variant("classic", scoring=scoring)).points, 2) == 620.95


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rules", "first_player", "digits"),
    [
        (load_rules("go-farkle"), 0.5288, 4),
        (load_rules("domsleee"), 0.533, 3),
        (load_rules("pig"), 0.53059, 5),
        # by others exactly 10,000 points were taken to be enough
        (variant("cardgames", goal_must_be="reached"), 0.5325, 4),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_who_begins_wins_as_often_as_published(
    rules: Ruleset, first_player: float, digits: int, kernels: Path
) -> None:
    solution = solve(rules, cache=kernels)
    assert round(first_player_wins(solution), digits) == first_player


@pytest.mark.slow
def test_pig_is_played_as_published(kernels: Path) -> None:
    rules = load_rules("pig")
    strategy = Strategy(rules, solve(rules, cache=kernels).values, "pig")

    def banks(own: int, other: int) -> list[int]:
        """The turn totals, up to 28, at which it is best to bank."""
        turns = (Position.of_two(own, other, total, dice=1) for total in range(2, 29))
        return [one.turn_total for one in turns if odds(strategy, one).action is Decision.BANK]

    assert round(strategy.win_probability(Position.of_two(22, 0, dice=1)), 6) == 0.694099
    assert banks(22, 0) == [*range(19, 29)]
    assert banks(41, 49) == [22, 23, 24, 25, 26, 28]
    equal = Ruleset.model_validate(rules.model_dump() | {"ending": "equal_turns"})
    assert round(first_player_wins(solve(equal, cache=kernels)), 4) == 0.4564


KNOWN_IN_PART = sorted((Path(__file__).parent / "rules" / "said").glob("*.toml"))
"""Public rule sets of which all that was found can be said, and something was not found."""


@pytest.mark.slow
@pytest.mark.mostly_skipped(6)
@pytest.mark.parametrize("file", KNOWN_IN_PART, ids=lambda file: file.stem)
def test_rules_that_are_known_in_part_are_solved_as_well(file: Path, kernels: Path) -> None:
    assert "# not known: " in file.read_text()
    rules = read_rules(file)
    # of a smaller game, but where scores near the goal matter
    is_whole = rules.rounds or rules.no_bank_at
    smaller = {"goal": rules.goal // 5, "take_over_from": rules.take_over_from // 5}
    changes = {} if is_whole else smaller
    solution = solve(variant(str(file), **changes), cache=kernels)
    assert solution.error_bound <= 1e-9
    if not rules.rounds:
        assert 0.35 < first_player_wins(solution) < 0.65
