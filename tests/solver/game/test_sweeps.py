import csv
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from solver.errors import ConvergenceError, InvalidRulesError
from solver.game.best import Strategy
from solver.game.endgame import endgame
from solver.game.layout import PAD, solved_game
from solver.game.position import Position, reachable
from solver.game.standings import (
    FEW_SCORES,
    Progress,
    Solution,
    Standing,
    blocks,
    score_count,
    standing_index,
    state_count,
    value_shape,
)
from solver.game.sweep_kernels import guess_between
from solver.game.sweeping import _APART, _CLOSE
from solver.game.sweeps import solve
from solver.rules.file import load_rules
from solver.turn.dice import TurnState
from solver.turn.equations import Decision, TurnTable
from tests.conftest import SOLVED, rarely, variant
from tests.usual import USUAL

REFERENCE = Path(__file__).parents[2] / "reference"
FIGURES = tomllib.loads((REFERENCE / "figures.toml").read_text())


@pytest.mark.parametrize(
    ("table", "position"),
    [
        ("table1_b0_d0", Position.of_two(0, 0)),
        ("table2_b6000_d8000", Position.of_two(6000, 8000)),
        ("table4_b9000_d9500", Position.of_two(9000, 9500)),
    ],
)
def test_every_published_cell(
    strategies: dict[str, Strategy], table: str, position: Position
) -> None:
    turn = strategies["facebook"].turn(position)
    with (REFERENCE / f"facebook_win_{table}.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert rows
    for row in rows:
        for dice in range(1, 7):
            found = turn.value(TurnState(int(row["turn_total"]), dice))
            assert found == pytest.approx(float(row[f"win_{dice}_dice"]), abs=6e-7)


def test_published_wins_of_the_first_player(strategies: dict[str, Strategy]) -> None:
    for name in ("facebook", "classic"):
        found = strategies[name].win_probability(Position.of_two())
        assert found == pytest.approx(FIGURES[name]["first_player_win"], abs=6e-7)
    figures = FIGURES["classic"]
    found = strategies["classic"].win_probability(Position.of_two(0, figures["komi"]))
    assert found == pytest.approx(figures["komi_first_player_win"], abs=6e-7)


@pytest.mark.parametrize("scores", [(0, 0), (6000, 8000), (8000, 6000)])
def test_published_bank_thresholds_and_inversions(
    strategies: dict[str, Strategy], scores: tuple[int, int]
) -> None:
    turn = strategies["facebook"].turn(Position.of_two(*scores))
    possible = reachable(load_rules("facebook"))[0]
    name = f"{scores[0]}_{scores[1]}"
    inversion = FIGURES["facebook"].get(f"inversion_{name}", {"dice": 0})
    thresholds = FIGURES["facebook"][f"bank_thresholds_{name}"]
    for dice, threshold in zip(range(6, 0, -1), thresholds, strict=True):
        for row in range((10_000 - scores[0]) // 50):
            if not possible[row, dice - 1]:
                continue
            total = row * 50
            bank = total >= threshold
            if dice == inversion["dice"]:
                rolled_again = total in inversion.get("roll", [])
                bank = bank and not rolled_again and total <= inversion.get("roll_above", total)
            assert (turn.decision(TurnState(total, dice)) == Decision.BANK) == bank, (dice, total)


def test_a_game_that_hardly_ever_moves_is_exact(kernels: Path) -> None:
    """One die, only a 1 scores, four in a row are needed: V = p + (1 - p)(1 - V)."""
    scoring = {"single": (100, 0, 0, 0, 0, 0), "three_of_a_kind": (0,) * 6}
    rules = variant("classic", dice=1, goal=800, minimum_bank=400, scoring=scoring)
    solution = solve(rules, cache=kernels)
    np.testing.assert_allclose(solution.values[0, 4:, 4:], 1 / (2 - 6.0**-4), rtol=1e-10)
    never = variant("classic", dice=1, goal=1200, minimum_bank=800, scoring=scoring)
    with pytest.raises(ConvergenceError, match="as exact as rounding allows"):
        solve(never, cache=kernels)


def test_a_game_without_farkles_stays_within_certainty(kernels: Path) -> None:
    scoring = {"single": (150, 100, 200, 200, 100, 50), "three_of_a_kind": (0,) * 6}
    penalty = {"in_a_row": 2, "points": 50}
    rules = variant("classic", dice=4, goal=2000, scoring=scoring, farkle_penalty=penalty)
    values = solve(rules, cache=kernels).values
    assert np.all(values <= 1)
    np.testing.assert_allclose(values, 1, rtol=1e-15)


@pytest.mark.parametrize("preset", SOLVED)
def test_start_of_turn_values_are_those_of_their_turns(
    strategies: dict[str, Strategy], solutions: dict[str, Solution], preset: str
) -> None:
    """The kernels' values satisfy the equations as NumPy writes them."""
    rules, values = load_rules(preset), solutions[preset].values
    random = np.random.default_rng(7)
    for _ in range(50):
        found = blocks(rules)
        own, opponent = (found[random.integers(len(found))] for _ in range(2))
        first, second = (int(random.integers(block.scores)) for block in (own, opponent))
        position = Position.of_two(
            banked=own.first_score + first * rules.point_step,
            opponent=opponent.first_score + second * rules.point_step,
            farkles=own.farkles,
            opponent_farkles=opponent.farkles,
            on_board=own.on_board,
            opponent_on_board=opponent.on_board,
        )
        row, column = (
            standing_index(rules, Standing(score, block.farkles, block.on_board))
            for score, block in ((position.banked, own), (position.opponent, opponent))
        )
        assert strategies[preset].win_probability(position) == values[0, row, column]
        turn: TurnTable = strategies[preset].turn(position)
        assert turn.roll[0, 0, -1] == pytest.approx(values[0, row, column], rel=1e-8)


@pytest.mark.parametrize("preset", SOLVED)
def test_values_are_probabilities_and_more_points_are_better(
    solutions: dict[str, Solution], preset: str
) -> None:
    rules, values = load_rules(preset), solutions[preset].values
    assert np.all((values > 0) & (values < 1))
    if rules.ending != "at_once":
        return  # it may be better not to reach the goal
    counts = [block.scores for block in blocks(rules)]
    for block in np.split(values, np.cumsum(counts)[:-1], axis=1):
        assert np.all(np.diff(block, axis=1) > -1e-12)
    for block in np.split(values, np.cumsum(counts)[:-1], axis=2):
        assert np.all(np.diff(block, axis=2) < 1e-12)


def test_a_solve_reports_what_it_stands_for(solutions: dict[str, Solution]) -> None:
    facebook = solutions["facebook"]
    assert state_count(facebook.rules) == FIGURES["facebook"]["states"]
    assert facebook.values.shape == value_shape(facebook.rules) == (1, 750, 750)
    for solution in solutions.values():
        assert solution.largest_relative_change <= 1e-9
        assert 0 < solution.error_bound <= 1e-9
    assert solutions["classic"].sweeps == 1 < facebook.sweeps


@pytest.mark.parametrize(
    "rules",
    [
        variant("facebook", goal=600, score_floor=-200, dice=2),
        variant("classic", goal=600, dice=3),
    ],
    ids=str,
)
def test_states_are_counted_one_by_one(rules: Any) -> None:
    count = 0
    for banked in range(rules.score_floor, rules.goal, 50):
        for turn_total in range(0, 3000, 50):
            won = banked + turn_total >= rules.goal and turn_total >= rules.minimum_bank
            count += not won
    opponents = (rules.goal - rules.score_floor) // 50
    assert state_count(rules) == count * opponents * rules.farkle_limit**2 * rules.dice


@pytest.mark.slow
def test_the_number_of_threads_does_not_matter(kernels: Path) -> None:
    all_points = {"in_a_row": 3, "points": "everything"}
    for rules in (
        variant("classic", goal=2000, dice=3),
        variant("facebook", goal=1000, score_floor=-500, dice=3),
        # totals that are solved together, with scores that cannot fall any further
        variant("facebook", goal=800, score_floor=-500, minimum_bank=500, dice=3),
        variant("facebook", goal=1500, score_floor=0, dice=3, farkle_penalty=all_points),
        variant("facebook", goal=1500, score_floor=0, dice=3, lose_everything=("223",)),
    ):
        alone = solve(rules, cache=kernels, threads=1).values
        for threads in (2, 5):
            found = solve(rules, cache=kernels, threads=threads).values
            np.testing.assert_array_equal(found, alone)


@pytest.mark.slow
@pytest.mark.parametrize(
    "preset", rarely(USUAL, *(one for one in USUAL if one not in {"arnold", "facebook", "kcd"}))
)
def test_the_number_of_threads_does_not_matter_in_long_games(kernels: Path, preset: str) -> None:
    """With all turn functions, sweeps that leave totals out, and corrections."""
    rules = variant(preset, goal=50 * FEW_SCORES, score_floor=0)
    assert score_count(rules) >= FEW_SCORES
    alone = solve(rules, cache=kernels, threads=1)
    found = solve(rules, cache=kernels, threads=3)
    np.testing.assert_array_equal(found.values, alone.values)
    assert found.error_bound == alone.error_bound


def test_progress_tells_sweep_share_and_residual(kernels: Path) -> None:
    seen: list[Progress] = []
    rules = variant("facebook", goal=500, score_floor=-500, minimum_bank=100, dice=3)
    solution = solve(rules, cache=kernels, on_progress=seen.append)
    assert {progress.sweep for progress in seen} == set(range(1, solution.sweeps + 1))
    # the bound of the error comes after the last sweep
    steps = [progress.sweep + progress.bounding + progress.done for progress in seen]
    assert {progress.sweep for progress in seen if progress.bounding} == {solution.sweeps}
    assert steps == sorted(steps)
    assert all(0 <= progress.done < 1 for progress in seen)
    assert seen[0].residual is None
    residuals = {progress.sweep: progress.residual for progress in seen}
    assert all(isinstance(residuals[sweep], float) for sweep in range(2, solution.sweeps + 1))


def test_a_solve_that_does_not_converge_says_so(
    kernels: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("solver.game.sweeps.MAX_SWEEPS", 3)
    rules = variant("facebook", goal=500, score_floor=-500, minimum_bank=100, dice=3)
    with pytest.raises(ConvergenceError, match="after 3 passes win probabilities still change by"):
        solve(rules, cache=kernels)


def test_a_game_too_large_is_refused_before_any_work(kernels: Path) -> None:
    with pytest.raises(InvalidRulesError, match="positions at the start of a turn .* at most"):
        solve(variant("facebook", goal=1_000_000), cache=kernels)


@pytest.mark.parametrize("s", [30, 60])
def test_between_known_totals_logits_are_a_cubic_polynomial(s: int) -> None:
    rules = variant("facebook", goal=2000, score_floor=-500)
    table, work = solved_game(rules, endgame(rules), np.full(value_shape(rules), 0.5), 1)
    states = table == 0.5
    totals, own = np.ogrid[: table.shape[-2], -PAD : table.shape[-1] - PAD]
    opponent = totals - own
    logits = (own - opponent) / 9 + own * opponent / 99 - own**2 / 222 + opponent**3 / 22222
    table[states] = np.broadcast_to(1 / (1 + np.exp(-logits)), table.shape)[states]
    expected, apart = table.copy(), 3
    for below in (1, 2):
        table[:, :, :, s] = np.where(states[:, :, :, s], 0.9, 0.0)
        # no others are read
        table[:, :, :, s + 1 : s + 9] = 0.1
        for known in (s - below + k * apart for k in range(4)):
            table[:, :, :, known] = expected[:, :, :, known]
        guess_between(table, s, apart - below, below, work.game)
        np.testing.assert_allclose(table[:, :, :, s], expected[:, :, :, s], rtol=1e-10)


def test_guesses_between_solved_totals_are_close(solutions: dict[str, Solution]) -> None:
    solution = solutions["facebook"]
    table, work = solved_game(solution.rules, endgame(solution.rules), solution.values, 1)
    errors = []
    for s in range(40, int(_CLOSE * work.game.scores), 50):
        for below in range(1, _APART):
            states = table[:, :, :, s] > 0
            exact = table[:, :, :, s].copy()
            guess_between(table, s, _APART - below, below, work.game)
            logits = [np.log(one / (1 - one)) for one in (table[:, :, :, s][states], exact[states])]
            errors.append(np.abs(logits[0] - logits[1]))
            table[:, :, :, s] = exact
    assert np.median(np.concatenate(errors)) < 1e-5


def test_the_first_total_of_a_game_may_be_guessed() -> None:
    rules = variant("facebook", goal=2000, score_floor=-500)
    table, work = solved_game(rules, endgame(rules), np.full(value_shape(rules), 0.5), 1)
    guess_between(table, 1, 2, 1, work.game)
    np.testing.assert_allclose(table[0, :, :, 1, PAD : PAD + 2], 0.5, rtol=1e-12)
