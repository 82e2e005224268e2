"""The whole two-player game: sweeps over start-of-turn states until nothing changes any more.

V(b, d, f, e) is the win probability of the player about to start a turn with score b and f farkles
in a row against an opponent with d and e. Banking leads to a higher total b + d; a farkle keeps the
total and raises f, except the last farkle in a row, which lowers the total by the penalty. So one
sweep goes through the totals from high to low, as many at a time as the least bank takes them
apart, and inside a total through f + e from high to low: only the last farkle in a row looks back
to a value of the sweep before, and each sweep contracts the error by about ten. Without a penalty a
total depends on itself and on higher ones only, so that one sweep solves the game. Long games with
a penalty begin with sweeps that solve some totals and guess others.

The equations are those of M. Busche, "Maximizing Win Probability in the Game of Farkle" (2016), for
start-of-turn states only: inside a turn the turn total only grows, so one backward pass over it is
exact.
"""

import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from solver.errors import ConvergenceError
from solver.game import beat_sweeps, round_sweeps, take_over
from solver.game.endgame import endgames
from solver.game.layout import Contest, as_is_best, read_table
from solver.game.solvable import check_solvable
from solver.game.standings import (
    DEFAULT_TOLERANCE,
    FEW_SCORES,
    Progress,
    Solution,
    is_corrected,
    score_count,
)
from solver.game.sweeping import Sweeps
from solver.rules.ruleset import Ruleset
from solver.turn.equations import TurnPlan

MAX_SWEEPS = 10_000

_SLOW = 0.5
"""Changes that fall by no more than this in a sweep are slow."""

_CLOSER = 4
"""How many times less values have to change before a proof that failed is tried again."""

_NOISE = 1e-15
"""Relative changes of this size are rounding: they need not fall any more."""

_FEW_IN_VAIN = 4
"""Sweeps in which changes do not fall to half: with no more to gain without a penalty, where one
sweep solves the game, or from corrections."""

_MOST_IN_VAIN = 2000
"""Such sweeps after which only rounding is left to change."""

_AT_REST = 0.2
"""A group is left out if it changed by no more than so many times what would end the solve."""

_SURE = 0.5
"""How much smaller than what would end the solve changes are before the last sweep."""

_CORRECTED = 1e-7
"""Relative changes below which nothing is corrected once few groups are left, which soon settle."""

_FEW_LEFT = 0.5
"""Which share of the groups few are."""

_ROUGH = 2
"""Sweeps of a long game that solve only some totals. A third one hardly tells more, as what lies
between is a guess."""

_WIDE = 1e-6
"""How far apart slopes are taken once a proof has failed, or chances between given players do not
settle; see sweep_kernels.solve_total."""

_NEARLY_LOST = 1e-6
"""What changes are relative to where a value is less and farkles cost nothing: it is what a value
near 1 leaves, which is no more exact."""


def solve(  # noqa: C901, PLR0912 - a loop with many ends
    rules: Ruleset,
    *,
    cache: Path,
    tolerance: float = DEFAULT_TOLERANCE,
    threads: int | None = None,
    plans: Sequence[TurnPlan] = (),
    on_progress: Callable[[Progress], None] = lambda _: None,
) -> Solution:
    """Solve the game until no value is off by more than `tolerance` of itself, which is proved.

    Of LEAST where the value is less. Where rounding stands in the way of a proof, values are as
    exact as they get and have the bound that can be proved, of 1e-6 at most. `cache` is the folder
    that keeps compiled code. The result is the same for any number of `threads`; as many as there
    are processors if None. `plans` are the turns of both players, where they have their own; then
    the solution has all roles twice, the first player's first.

    Raises InvalidRulesError for a game too large or without an end, ConvergenceError where there is
    no such bound, it is above a `tolerance` finer than the default one, or after MAX_SWEEPS sweeps.
    """
    started = time.perf_counter()
    check_solvable(rules, plans)
    if rules.takes_over:
        return take_over.solve(rules, tolerance=tolerance, threads=threads, on_progress=on_progress)
    if rules.rounds or rules.beat_previous_turn:
        backwards = round_sweeps.solve if rules.rounds else beat_sweeps.solve
        return backwards(
            rules, cache=cache, tolerance=tolerance, threads=threads, on_progress=on_progress
        )
    ends = endgames(rules, plans)
    contest = Contest(as_is_best(), as_is_best())
    lasts = [end.lasts for end in ends]
    least = 0.0 if rules.farkle_penalty else _NEARLY_LOST
    sweeps = Sweeps(
        rules, ends[0], lasts, contest, cache, threads, on_progress, least=least, plans=plans
    )
    sweeps.pair_tolerance = tolerance / 100
    falls, corrects = sweeps.falls, is_corrected(rules) and not plans
    if corrects:
        sweeps.expect_corrections()
    rough = _ROUGH if corrects and score_count(rules) >= FEW_SCORES else 0
    course, slow, residual = _Course(), list[npt.NDArray[np.float64]](), None
    # before last turns those who have all but lost take more sweeps
    at_once = not falls and rules.ending != "final_turn"
    verifying, at_rest, target, failed = at_once, 0.0, tolerance, False
    for number in range(1, MAX_SWEEPS + 1):
        change = sweeps.run(residual, at_rest, rough=number <= rough)
        course.add(change, verifying=verifying)
        rounding = course.in_vain >= (_MOST_IN_VAIN if falls else _FEW_IN_VAIN)
        enough = max(course.enough(target), _NOISE) if falls else tolerance
        if rounding:
            enough = np.inf
        # of what a sweep leaves that solves the game
        change = sweeps.pair_tolerance if at_once and number == 1 else change
        # without falls sweeps take a fraction of a proof: no other try while they change anything
        settled = _NOISE if failed and not falls and not rounding else enough
        # a correction leaves groups at rest so little to change that all is proved as it is
        if change <= settled and (verifying or (corrects and change <= enough * _SURE)):
            error_bound = sweeps.error_bound(tolerance, change, shapes=None if verifying else 1)
            if error_bound is None and verifying and (rounding or (falls and change <= _NOISE)):
                error_bound = sweeps.widest_bound(tolerance, change)
            if error_bound is not None:
                break
            corrects = False
            if verifying:
                failed, target, sweeps.wide = True, change / _CLOSER, _WIDE
                enough = target if falls else tolerance
        # a last sweep verifies everything; where one sweep solves the game every second one does
        verifying = change <= max(enough * _SURE, _NOISE) if falls else not verifying
        # level scores in different modes would change back and forth
        sweeps.plain = verifying and (failed or not rules.has_opening)
        # where they help values settle soon
        corrects &= course.in_vain < _FEW_IN_VAIN
        at_rest = -1.0 if verifying else enough * _AT_REST
        residual = change
        if course.rate <= _SLOW or number <= rough + 2:
            slow.clear()
            if corrects and (change > _CORRECTED or sweeps.share > _FEW_LEFT):
                sweeps.correct()
        elif _jumps(slow, sweeps):
            course.jumped()
            at_rest = -1.0
    else:
        raise ConvergenceError.say(
            "{rules}: cannot be solved: after {sweeps} passes win probabilities still change by"
            " {change:.1e}, and they are not proved to within the tolerance of {tolerance:.1e}; no"
            " strategy file is written",
            rules=rules.name,
            sweeps=MAX_SWEEPS,
            change=change,
            tolerance=tolerance,
        )
    return Solution(
        rules=rules,
        values=read_table(rules, sweeps.table),
        tolerance=tolerance,
        sweeps=number,
        largest_relative_change=change,
        error_bound=error_bound,
        states_solved=sweeps.states_solved,
        seconds=time.perf_counter() - started,
    )


def settle(sweeps: Sweeps, tolerance: float) -> tuple[int, float]:
    """Sweep until values are settled; returns the number of sweeps and the last largest change.

    All changes to come add up to no more than `tolerance`, if they go on to fall as they do.
    Raises ConvergenceError after MAX_SWEEPS sweeps.
    """
    course, slow = _Course(), list[npt.NDArray[np.float64]]()
    residual, verifying, at_rest = None, False, 0.0
    for number in range(1, MAX_SWEEPS + 1):
        change = sweeps.run(residual, at_rest)
        course.add(change, verifying=verifying)
        enough = max(course.enough(tolerance), _NOISE)
        if change <= enough and not sweeps.skipped:
            return number, change
        if course.in_vain >= _FEW_IN_VAIN:
            sweeps.wide = _WIDE
        verifying = change <= enough
        at_rest = -1.0 if verifying else enough * _AT_REST
        residual = change
        if course.rate <= _SLOW or number <= 2:
            slow.clear()
        elif _jumps(slow, sweeps):
            course.jumped()
            at_rest = -1.0
    raise ConvergenceError.say(
        "after {sweeps} passes the chances still change by {change:.1e}, perhaps because a game"
        " between these two may never end",
        sweeps=MAX_SWEEPS,
        change=residual,
    )


class _Course:
    """How the largest change of values falls from sweep to sweep."""

    def __init__(self) -> None:
        self.rate = 1.0
        """The rate at which it fell in the last two sweeps, those to verify aside: where rounding
        is most of what is left, one alone may not fall."""
        self.in_vain = 0
        """Sweeps since it fell to half of what it was."""
        self._before: list[float] = []
        self._lowest = np.inf

    def add(self, change: float, *, verifying: bool) -> None:
        """Take that of one more sweep."""
        self.in_vain += 1
        if change < self._lowest / 2:
            self._lowest, self.in_vain = change, 0
        if not verifying:
            before = self._before[-2:]
            fell = change / before[0] if before and before[0] else 1.0
            self.rate = min(1.0, fell) ** (1 / max(1, len(before)))
        self._before = [*self._before[-1:], change]

    def jumped(self) -> None:
        """What changes after values were set otherwise does not tell how they fall."""
        self._before.clear()

    def enough(self, target: float) -> float:
        """The largest change after which those to come seem to add up to no more than `target`.

        Changes that fall by a rate add up to so much more than the last of them.
        """
        return target * min(1.0, (1 - self.rate) / self.rate) if self.rate else target


def _jumps(slow: list[npt.NDArray[np.float64]], sweeps: Sweeps) -> bool:
    """Let the table jump to its limit, if it can be told from the two before, see `_extrapolate`.

    slow : those two, or less; else it is added to them
    """
    if len(slow) == 2 and _extrapolate(slow[0], slow[1], sweeps.table, sweeps.least):
        slow.clear()
        return True
    slow[:] = [*slow[-1:], sweeps.table.copy()]
    return False


def _extrapolate(
    first: npt.NDArray[np.float64],
    second: npt.NDArray[np.float64],
    table: npt.NDArray[np.float64],
    least: float,
) -> bool:
    """Lyusternik's acceleration of a slow iteration, given its last three tables.

    Changes count relative to the value, or to `least` if it is less.
    Where one component of the error is left that falls by a rate, its limit is known. Returns
    whether `table`, the last of them, was set to it; it is not where there is more than one.
    """
    states = table > 0
    worth = np.maximum(table[states], least)
    one = (second - first)[states] / worth
    other = (table - second)[states] / worth
    rate = float(one @ other / (one @ one)) if one.any() else 0.0
    rest = other - rate * one
    if not _SLOW < abs(rate) < 1 or rest @ rest > 1e-4 * (other @ other):
        return False
    limit = table + (table - second) * (rate / (1 - rate))
    if np.any(limit[states] <= 0) or np.any(limit > 1):
        return False
    table[:] = limit
    return True
