"""The game of two players with different dice, solved for every state at the start of a turn.

It is a contest of the ordinary solve: each player has the lists of an own set, and a half of the
table. Two who throw the same dice are solved as two who throw the dice of the rules.
"""

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from solver.game.standings import Progress, value_shape
from solver.game.sweeps import solve
from solver.game.workload import workload
from solver.loaded.matchup import Matchup, MatchupSolution, check_winnable
from solver.loaded.power_game import solve_powers
from solver.rules.ruleset import Ruleset

_POWER_TOLERANCE = 1e-12
"""How far each pair of states may be from its fixed point where badges are used up."""

_FIRST_SWEEP = 2.9
"""Times that the first sweep solves each state where farkles cost nothing; later ones do once."""


def solve_matchup(
    matchup: Matchup,
    *,
    cache: Path,
    threads: int | None = None,
    on_progress: Callable[[float], None] = lambda _: None,
) -> MatchupSolution:
    """Solve a match-up; `on_progress` is told the share of the work that is done, about.

    The folder `cache` keeps compiled code. The result is the same for any number of `threads`; as
    many as there are processors if None.

    Raises InvalidRulesError for a game that is too large, InvalidDiceError where nobody could ever
    win, and ConvergenceError.
    """
    started = time.perf_counter()
    if any(matchup.powers):
        tolerance = _POWER_TOLERANCE
        return solve_powers(matchup, tolerance=tolerance, threads=threads, on_progress=on_progress)
    seats = [0] if matchup == matchup.from_seat(1) else [0, 1]
    plans = [] if matchup.is_fair else [matchup.plan(seat) for seat in seats]
    check_winnable(*(plan.farkle_chances + plan.lose_chances for plan in plans))
    hopeless = [not (plan.chances[-1].any() or plan.win_chances[-1]) for plan in plans]
    if any(hopeless):
        # nothing is left to solve, and intervals would not shrink
        values = np.ones(value_shape(matchup.rules, sides=2))
        values[: len(values) // 2] -= hopeless[0]
        values[len(values) // 2 :] -= hopeless[1]
        error_bound, states = 0.0, 0
    else:
        told = _Told(matchup.rules, on_progress)
        found = solve(matchup.rules, plans=plans, cache=cache, threads=threads, on_progress=told)
        values = np.concatenate([found.values] * (2 // len(seats)))
        error_bound, states = found.error_bound, found.states_solved
    on_progress(1.0)
    seconds = time.perf_counter() - started
    return MatchupSolution(matchup, values, error_bound, states, seconds)


class _Told:
    """Tells which share of a solve is done, given how it goes."""

    def __init__(self, rules: Ruleset, on_progress: Callable[[float], None]) -> None:
        self._first = 1.0 if rules.farkle_penalty else _FIRST_SWEEP
        self._sweeps = workload(rules).sweeps if rules.farkle_penalty else _FIRST_SWEEP + 2
        self._on_progress = on_progress
        self._share = 0.0

    def __call__(self, progress: Progress) -> None:
        began = progress.sweep > 1 or progress.bounding
        done = self._first if began else self._first * progress.done
        if began:
            done += progress.sweep - 2 + progress.done + progress.bounding
        self._share = max(self._share, min(1.0, done / self._sweeps))
        self._on_progress(self._share)
