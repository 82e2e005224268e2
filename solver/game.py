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
from solver.endgame import endgame
from solver.errors import ConvergenceError
from solver.kernel_source import LANES, load_turn
from solver.position import check_solvable
from solver.rules import Ruleset
from solver.scoring import turn_plan
from solver.solution import (
    DEFAULT_TOLERANCE,
    Progress,
    Solution,
    value_shape,
)

MAX_SWEEPS = 10_000

_SLOW = 0.5
"""Changes that fall by no more than this in a sweep are slow."""


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

    Raises InvalidRulesError for a game too large or without an end, ConvergenceError after
    MAX_SWEEPS sweeps.
    """
    started = time.perf_counter()
    check_solvable(rules)
    sweeps = _Sweeps(rules, cache, threads or numba.get_num_threads(), tolerance / 100, on_progress)
    residual, rate, verifying, at_rest = None, 1.0, False, 0.0
    slow: list[npt.NDArray[np.float64]] = []
    for number in range(1, MAX_SWEEPS + 1):
        change = sweeps.run(residual, at_rest)
        if not verifying:
            rate = min(1.0, change / residual) if residual else 1.0
        # changes that fall by a rate add up to so much more than the last of them
        enough = tolerance * min(1.0, (1 - rate) / rate) if rate else tolerance
        if change <= enough and not sweeps.skipped:
            break
        # a last sweep verifies everything
        verifying = change <= enough
        at_rest = -1.0 if verifying else enough / 2
        residual = change
        slow = [*slow[-2:], sweeps.table.copy()] if rate > _SLOW and number > 2 else []
        if len(slow) == 3 and _extrapolate(slow[0], slow[1], slow[2], sweeps.table):
            slow, at_rest = [], -1.0
    else:
        raise ConvergenceError(
            f"{rules.name}: after {MAX_SWEEPS} sweeps values still change by {change:.1e}, more"
            f" than the tolerance {tolerance:.1e}; no strategy file is written"
        )
    return Solution(
        rules=rules,
        values=kernels.read_table(rules, sweeps.table, value_shape(rules)),
        tolerance=tolerance,
        sweeps=number,
        largest_relative_change=change,
        states_solved=sweeps.states_solved,
        seconds=time.perf_counter() - started,
    )


class _Sweeps:
    """The sweeps of one solve over one table."""

    def __init__(
        self,
        rules: Ruleset,
        cache: Path,
        threads: int,
        pair_tolerance: float,
        on_progress: Callable[[Progress], None],
    ) -> None:
        plan, ends = turn_plan(rules), endgame(rules)
        self._rules = rules
        self._pair_tolerance = pair_tolerance
        self._on_progress = on_progress
        self._turn = load_turn(plan, cache)
        self._game = game = kernels.make_game(rules, plan, ends)
        self._rest = (
            game,
            kernels.make_hot_dice(plan),
            np.array(plan.bonuses, dtype=np.intp),
            kernels.make_scratch(plan, game, threads),
        )
        self._last_total = 2 * game.scores - 2
        self._changed = np.full((self._last_total + 1, game.scores // (2 * LANES) + 1), np.inf)
        """Largest relative change of each group when it was solved last, at [total, group]."""
        self._number = 0
        self.table = kernels.make_table(game, ends)
        self.states_solved = 0
        """States (t, n, ...), each as often as it was solved."""
        self.skipped = False
        """Whether the last sweep left out some groups."""

    def run(self, residual: float | None, at_rest: float) -> float:
        """Renew all values and return the largest relative change.

        Groups that changed by no more than `at_rest` of themselves when they were solved last are
        left out.
        """
        game, table, changed = self._game, self.table, self._changed
        ahead = max(0, game.penalty)
        largest = 0.0
        self._number += 1
        self.skipped = False
        if self._number == 1:
            for total in range(self._last_total, max(self._last_total - ahead, -1), -1):
                kernels.guess_total(table, total, game)
        for total in range(self._last_total, -1, -1):
            done = _work_done(total, game.scores)
            self._on_progress(Progress(self._number, done, residual))
            if self._number == 1 and total >= ahead:
                kernels.guess_total(table, total - ahead, game)
            firsts = np.arange(max(0, total - game.scores + 1), total // 2 + 1, LANES)
            active = changed[total, : len(firsts)] > at_rest
            self.skipped |= not active.all()
            if not active.any():
                continue
            states = table[:, :, :, total]
            before = states.copy()
            if self._rules.farkle_penalty:
                kernels.sweep_total(self._turn, table, total, active, *self._rest)
            else:
                kernels.solve_total(
                    self._turn, table, total, active, *self._rest, self._pair_tolerance
                )
            changed[total, : len(firsts)] = _changes(before, states, total, firsts)
            largest = max(largest, float(changed[total, : len(firsts)].max()))
            self.states_solved += _states(self._rules, game, total, firsts[active])
        return largest


def _extrapolate(
    first: npt.NDArray[np.float64],
    second: npt.NDArray[np.float64],
    third: npt.NDArray[np.float64],
    table: npt.NDArray[np.float64],
) -> bool:
    """Lyusternik's acceleration of a slow iteration, given its last three tables.

    Where one mode is left that falls by a rate, its limit is known. Returns whether `table` was set
    to it; it is not where there is more than one such mode.
    """
    states = third > 0
    one = (second - first)[states] / third[states]
    other = (third - second)[states] / third[states]
    rate = float(one @ other / (one @ one)) if one.any() else 0.0
    rest = other - rate * one
    if not _SLOW < rate < 1 or rest @ rest > 1e-4 * (other @ other):
        return False
    limit = third + (third - second) * (rate / (1 - rate))
    if np.any(limit[states] <= 0) or np.any(limit > 1):
        return False
    table[:] = limit
    return True


def _work_done(total: int, scores: int) -> float:
    """Share of a sweep's work, states times the length of their turns, done before `total`."""
    x = (total + 1) / scores
    return 1 - x**2 + x**3 / 3 if x < 1 else (2 - x) ** 3 / 3


def _changes(
    before: npt.NDArray[np.float64],
    after: npt.NDArray[np.float64],
    total: int,
    firsts: npt.NDArray[np.intp],
) -> npt.NDArray[np.float64]:
    """Largest relative change of each group of states of a total; NaN where a value is.

    A group holds the states with lesser scores from one of `firsts` up, and their mirror images.
    """
    states = after != 0
    relative = np.divide(np.abs(after - before), after, where=states, out=np.zeros_like(after))
    by_score = relative.max(axis=(0, 1, 2))[kernels.PAD :]
    lesser = np.arange(firsts[0], total // 2 + 1)
    by_lesser = np.maximum(by_score[lesser], by_score[total - lesser])
    changes: npt.NDArray[np.float64] = np.maximum.reduceat(by_lesser, firsts - firsts[0])
    return changes


def _states(rules: Ruleset, game: kernels.Game, total: int, firsts: npt.NDArray[np.intp]) -> int:
    """Number of states (t, n, ...) in groups of a total."""
    lesser = (firsts[:, np.newaxis] + np.arange(LANES)).ravel()
    lesser = lesser[lesser <= total // 2]
    own = np.concatenate([lesser, total - lesser[2 * lesser < total]])
    roles, limit, plan = game.roles, game.farkle_limit, turn_plan(rules)
    turn_totals = 0
    for u in range(game.boards):
        least = 1 if game.free_win else (game.least, game.opening)[u]
        for w in range(game.boards):
            here = own[(own <= game.zero) | (u == 0)]
            here = here[(total - here <= game.zero) | (w == 0)]
            turn_totals += int(np.maximum(game.scores - here, least).sum())
    return roles * limit * limit * turn_totals * plan.dice * plan.levels
