"""What a solved game is worth: its residual over every state, and what its score floor changes."""

from collections.abc import Callable
from pathlib import Path

import numba
import numpy as np
import numpy.typing as npt

from solver import audit_kernels, kernels
from solver.endgame import endgame
from solver.kernel_source import load_turn
from solver.rules import Ruleset
from solver.scoring import TurnPlan, turn_plan
from solver.solution import FloorEffect

_SAME = 1e-9
"""Values that differ by less of themselves are the same: strategies are no more exact."""

Floats = npt.NDArray[np.float64]


def residual(
    rules: Ruleset,
    values: Floats,
    *,
    cache: Path,
    on_progress: Callable[[float], None] = lambda _: None,
) -> float:
    """Largest relative residual of the equations over every state (t, n, ...) of a solved game.

    Every set-aside of every roll is weighed, also those that the solver leaves out as never best,
    and turns may go half as far again beyond the goal as the solver lets them.
    """
    further = endgame(rules).beyond // 2
    plan, ends = turn_plan(rules), endgame(rules, further=further)
    turn = load_turn(plan, cache)
    game, hot, bonuses = _game(rules, plan, further)
    table = kernels.make_table(game, ends)
    kernels.fill_table(rules, table, values)
    threads = numba.get_num_threads()
    scratch = kernels.make_scratch(plan, game, threads)
    options = turn_plan(rules, all_options=True)
    lists = (
        options.targets,
        options.options,
        np.append(options.starts, len(options.options)),
        np.argmax(options.chances, axis=0),
        options.chances.max(axis=0),
    )
    chances = options.win_chances, options.lose_chances, options.farkle_chances
    worst = np.zeros(threads)
    last_total = 2 * game.scores - 2
    for total in range(last_total, -1, -1):
        on_progress(1 - total / (last_total + 1))
        arguments = turn, table, total, game, hot, bonuses, scratch, lists, chances, worst
        audit_kernels.total_residual(*arguments)
    return float(worst.max())


def floor_effect(
    rules: Ruleset, values: Floats, lower: Ruleset, lower_values: Floats, *, cache: Path
) -> FloorEffect:
    """What the floor of `rules` changes against the lower one of the same rules, `lower`."""
    plan = turn_plan(rules)
    turn = load_turn(plan, cache)
    threads = numba.get_num_threads()
    tables, games, scratches = [], [], []
    for one, found in ((lower, lower_values), (rules, values)):
        game, hot, bonuses = _game(one, plan, 0)
        table = kernels.make_table(game, endgame(one))
        kernels.fill_table(one, table, found)
        tables.append(table)
        games.append(game)
        scratches.append(kernels.make_scratch(plan, game, threads))
    scores = games[1].scores
    worst, costs = np.zeros((scores, scores)), np.zeros((scores, scores))
    for total in range(2 * scores - 1):
        arguments = (*tables, total, *games, hot, bonuses, *scratches, _SAME, worst, costs)
        audit_kernels.compare_total(turn, *arguments)
    lesser = np.minimum.outer(np.arange(scores), np.arange(scores)).ravel()
    by_lesser = np.zeros((2, scores))
    for found, reduced in zip((worst, costs), by_lesser, strict=True):
        np.maximum.at(reduced, lesser, found.ravel())
    deviation, cost = np.maximum.accumulate(by_lesser[:, ::-1], axis=1)[:, ::-1]
    return FloorEffect(
        floor=rules.score_floor,
        lower_floor=lower.score_floor,
        scores=rules.score_floor + np.arange(scores) * rules.point_step,
        deviation=deviation,
        cost=cost,
    )


def _game(
    rules: Ruleset, plan: TurnPlan, further: int
) -> tuple[kernels.Game, kernels.HotDice, npt.NDArray[np.intp]]:
    game = kernels.make_game(rules, plan, endgame(rules, further=further))
    return game, kernels.make_hot_dice(plan), np.array(plan.bonuses, dtype=np.intp)
