"""What a solved game is worth: its residual over every state, and what its score floor changes."""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from solver.game import audit_kernels, beat_sweeps, round_sweeps, take_over
from solver.game.endgame import endgame
from solver.game.kernel_source import load_turn
from solver.game.kernels import solve_turns
from solver.game.layout import lists_of, solved_game
from solver.game.list_kernels import turn_of_lists
from solver.game.standings import FloorEffect, Progress
from solver.rules.ruleset import Ruleset
from solver.turn.equations import Floats, turn_plan

_SAME = 1e-9
"""Values that differ by less of themselves are the same: strategies are no more exact."""


def residual(
    rules: Ruleset,
    values: Floats,
    rolled: Floats | None = None,
    *,
    cache: Path,
    on_progress: Callable[[Progress], None] = lambda _: None,
) -> float:
    """Largest relative residual of the equations over every state (t, n, ...) of a solved game.

    rolled : what rolling on is worth with what was left, where turns may begin so; then the
        residual is that of what a file has

    Every set-aside of every roll is weighed, also those that the solver leaves out as never best,
    and turns may go half as far again beyond the goal as the solver lets them.
    """
    if rolled is not None:
        return take_over.residual(rules, values, rolled, on_progress=on_progress)
    if rules.rounds:
        return round_sweeps.residual(rules, values, on_progress=on_progress)
    if rules.beat_previous_turn:
        return beat_sweeps.residual(rules, values, cache=cache, on_progress=on_progress)
    further = endgame(rules).beyond // 2
    ends = endgame(rules, further=further)
    turn = load_turn(turn_plan(rules), cache)
    table, work = solved_game(rules, ends, values)
    every = lists_of(turn_plan(rules, all_options=True))
    worst = np.zeros(len(work.scratch.lost))
    last_total = 2 * work.game.scores - 2
    for total in range(last_total, -1, -1):
        on_progress(Progress(1, 1 - total / (last_total + 1)))
        turns = solve_turns, turn, turn_of_lists
        audit_kernels.total_residual(*turns, table, total, *work.alike, every, worst)
    return float(worst.max())


def floor_effect(
    rules: Ruleset, values: Floats, lower: Ruleset, lower_values: Floats, *, cache: Path
) -> FloorEffect:
    """What the floor of `rules` changes against the lower one of the same rules, `lower`."""
    turn = load_turn(turn_plan(rules), cache)
    table, work = solved_game(rules, endgame(rules), values)
    exact_table, exact = solved_game(lower, endgame(lower), lower_values)
    scores = work.game.scores
    worst, costs = np.zeros((scores, scores)), np.zeros((scores, scores))
    for total in range(2 * scores - 1):
        held_against = exact_table, exact.game, exact.scratch
        given = *work.alike, *held_against, _SAME, worst, costs
        audit_kernels.compare_total(solve_turns, turn, table, total, *given)
    lesser = np.minimum.outer(np.arange(scores), np.arange(scores)).ravel()
    by_lesser = np.zeros((2, scores))
    for changes, reduced in zip((worst, costs), by_lesser, strict=True):
        np.maximum.at(reduced, lesser, changes.ravel())
    deviation, cost = np.maximum.accumulate(by_lesser[:, ::-1], axis=1)[:, ::-1]
    return FloorEffect(
        floor=rules.score_floor,
        lower_floor=lower.score_floor,
        scores=rules.score_floor + np.arange(scores) * rules.point_step,
        deviation=deviation,
        cost=cost,
    )
