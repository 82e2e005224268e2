"""The whole two-player game: sweeps over start-of-turn states until nothing changes any more.

V(b, d, f, e) is the win probability of the player about to start a turn with score b and f farkles
in a row against an opponent with d and e. Banking leads to a higher total b + d; a farkle keeps the
total and raises f, except the last farkle in a row, which lowers the total by the penalty. So one
sweep goes through the totals from high to low and inside a total through f + e from high to low:
only the last farkle in a row looks back to a value of the sweep before, and each sweep contracts
the error by about ten. Without a penalty a total depends on itself and on higher ones only, so that
one sweep solves the game and a second one confirms it.

The equations are those of M. Busche, "Maximizing Win Probability in the Game of Farkle" (2016), for
start-of-turn states only: inside a turn the turn total only grows, so one backward pass over it is
exact.
"""

import time
from collections.abc import Callable
from pathlib import Path

import numba
import numpy as np
import numpy.typing as npt

from solver import kernels
from solver.errors import ConvergenceError
from solver.kernel_source import load_turn
from solver.rules import Ruleset
from solver.scoring import turn_plan
from solver.solution import DEFAULT_TOLERANCE, Progress, Solution, score_count, value_shape

MAX_SWEEPS = 10_000


def solve(
    rules: Ruleset,
    *,
    cache: Path,
    tolerance: float = DEFAULT_TOLERANCE,
    threads: int | None = None,
    on_progress: Callable[[Progress], None] = lambda _: None,
) -> Solution:
    """Solve the game until no value changes by more than `tolerance` of itself in a sweep.

    `cache` is the folder that keeps compiled code. The result is the same for any number of
    `threads`; as many as there are processors if None.

    Raises InvalidRulesError for a game too large, ConvergenceError after MAX_SWEEPS sweeps.
    """
    started = time.perf_counter()
    shape = value_shape(rules)
    plan = turn_plan(rules)
    turn = load_turn(plan, cache)
    minimum = max(1, rules.minimum_bank // rules.point_step)
    penalty = rules.farkle_penalty.points // rules.point_step if rules.farkle_penalty else 0
    game = score_count(rules), minimum, penalty
    table = kernels.make_table(rules.farkle_limit, game)
    scratch = kernels.make_scratch(plan, game, threads or numba.get_num_threads())
    last_total = 2 * game[0] - 2

    for total in range(last_total, max(last_total - penalty, -1), -1):
        kernels.guess_total(table, total, game)
    residual = None
    for sweep in range(1, MAX_SWEEPS + 1):
        changes = np.empty(last_total + 1)
        for total in range(last_total, -1, -1):
            on_progress(Progress(sweep, _work_done(total, game[0]), residual))
            if sweep == 1 and total >= penalty:
                kernels.guess_total(table, total - penalty, game)
            before = table[:, :, total].copy()
            if penalty:
                kernels.sweep_total(turn, table, total, game, scratch)
            else:
                kernels.solve_total(turn, table, total, game, scratch, tolerance / 100)
            changes[total] = _largest_relative_change(before, table[:, :, total])
        change = float(changes.max())
        # changes that fall by a rate add up to so much more than the last of them
        rate = change / residual if residual else 1.0
        if change <= tolerance and change * rate <= tolerance * (1 - rate):
            break
        residual = change
    else:
        raise ConvergenceError(
            f"{rules.name}: after {MAX_SWEEPS} sweeps values still change by {change:.1e}, more"
            f" than the tolerance {tolerance:.1e}; no strategy file is written"
        )
    values = np.empty(shape)
    for own in range(game[0]):
        values[:, :, own] = table[:, :, own : own + game[0], kernels.PAD + own]
    return Solution(
        rules=rules,
        values=values,
        tolerance=tolerance,
        sweeps=sweep,
        largest_relative_change=change,
        seconds=time.perf_counter() - started,
    )


def _work_done(total: int, scores: int) -> float:
    """Share of a sweep's work, states times the length of their turns, done before `total`."""
    x = (total + 1) / scores
    return 1 - x**2 + x**3 / 3 if x < 1 else (2 - x) ** 3 / 3


def _largest_relative_change(
    before: npt.NDArray[np.float64], after: npt.NDArray[np.float64]
) -> float:
    """NaN where a value is."""
    states = after != 0
    return float(np.max(np.abs(after[states] - before[states]) / after[states], initial=0.0))
