"""The game of two players with different dice and badges, solved for every start of a turn.

It is a contest of the ordinary solve: each player has the lists of an own set, and a half of the
table. Two who throw the same dice are solved as two who throw the dice of the rules.

Where badges are used up a mode of the table has the uses left besides farkles in a row. A turn is
solved in layers, one for each number of uses left in it; a use leads to the layer of one less, and
nothing gives one back. So the states of a total are solved for all uses left, the fewest first.
"""

import math
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from solver.errors import InvalidRulesError
from solver.game.standings import (
    DEFAULT_TOLERANCE,
    MAX_VALUES,
    OnProgress,
    Progress,
    Solution,
    value_shape,
)
from solver.game.sweeps import solve
from solver.game.workload import BOUND, workload
from solver.loaded.matchup import Matchup, check_winnable, uses_shape
from solver.rules.ruleset import Ruleset
from solver.turn.equations import Floats

_FIRST_SWEEP = 2.9
"""Times that a sweep solves each state where farkles cost nothing."""


def solve_matchup(
    matchup: Matchup,
    *,
    cache: Path,
    threads: int | None = None,
    on_progress: OnProgress = lambda _: None,
) -> Solution:
    """Solve a match-up; `on_progress` is told the share of the work that is done, as one sweep.

    Values are at [side to act and who began, its standing, the other's]; where badges are used up
    with the uses that side 0 and side 1 have left before these axes, see `uses_shape`. The folder
    `cache` keeps compiled code. The result is the same for any number of `threads`; as many as
    there are processors if None.

    Raises InvalidRulesError for a game that is too large, InvalidDiceError where nobody could ever
    win, and ConvergenceError.
    """
    started, rules = time.perf_counter(), matchup.rules
    _check_size(matchup)
    seats = [0] if matchup == matchup.from_seat(1) else [0, 1]
    plans = [] if matchup.is_fair else [matchup.plan_with_badge(seat) for seat in seats]
    check_winnable(*(plan.farkle_chances + plan.lose_chances for plan in plans))
    hopeless = [
        not (plan.chances[-1].any() or plan.win_chances[-1] or (power and power.makes_points))
        for plan, power in zip(plans, matchup.powers, strict=False)
    ]
    if any(hopeless):
        # nothing is left to solve, and intervals would not shrink
        values = np.ones((*uses_shape(matchup), *value_shape(rules, sides=2)))
        one, other = np.split(values, 2, axis=-3)
        one -= hopeless[0]
        other -= hopeless[1]
        solved = Solution(rules, values, DEFAULT_TOLERANCE, 1, 0.0, 0.0, values.size, 0.0)
    else:
        watch = _Told(rules, on_progress)
        solved = solve(rules, plans=plans, cache=cache, threads=threads, on_progress=watch)
        values = _by_uses(matchup, np.concatenate([solved.values] * (2 // len(seats))))
    on_progress(Progress(1, 1.0))
    return replace(solved, values=values, seconds=time.perf_counter() - started)


def _check_size(matchup: Matchup) -> None:
    """Refuse badges with which the table is too large. Raises InvalidRulesError."""
    rules, uses = matchup.rules, uses_shape(matchup)
    # both players have the modes of whoever has more uses
    number = max(uses, default=1) ** 2 * math.prod(value_shape(rules, sides=2))
    if number > MAX_VALUES:
        raise InvalidRulesError.say(
            "{rules}: with these badges room is needed for {number:,} states, and at most {most:,}"
            " can be solved",
            rules=rules.name,
            number=number,
            most=MAX_VALUES,
        )


def _by_uses(matchup: Matchup, values: Floats) -> Floats:
    """Values of a solve with axes of uses left in front, as of `solve_matchup`."""
    if not (uses := uses_shape(matchup)):
        return values
    sides, standings = len(values) // 2, value_shape(matchup.rules)[1]
    most = values.shape[1] // standings
    apart = values.reshape(2 * sides, most, standings, most, standings)
    # the uses of the mover come first: those of the second player in the second half
    one, other = apart[:sides].transpose(1, 3, 0, 2, 4), apart[sides:].transpose(3, 1, 0, 2, 4)
    return np.concatenate([one, other], axis=2)[: uses[0], : uses[1]].copy()


class _Told:
    """Tells which share of a solve is done, given how it goes."""

    def __init__(self, rules: Ruleset, on_progress: OnProgress) -> None:
        self._first = 1.0 if rules.farkle_penalty else _FIRST_SWEEP
        self._sweeps = _FIRST_SWEEP + BOUND
        if rules.farkle_penalty:
            self._sweeps = workload(rules, corrected=False).sweeps
        self._on_progress = on_progress
        self._share = 0.0

    def __call__(self, progress: Progress) -> None:
        began = progress.sweep > 1 or progress.bounding
        done = self._first if began else self._first * progress.done
        if began:
            here = 1 + BOUND * progress.done if progress.bounding else progress.done
            done += progress.sweep - 2 + here
        self._share = max(self._share, min(1.0, done / self._sweeps))
        self._on_progress(Progress(1, self._share))
