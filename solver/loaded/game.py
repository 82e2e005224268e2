"""The game of two players with different dice, solved for every state at the start of a turn.

It is a contest of the ordinary solve: each player has the lists of an own set, and a half of the
table. Two who throw the same dice are solved as two who throw the dice of the rules.

Where badges are used up a state has the uses that both have left besides the scores. A turn is
solved in layers, one for each number of uses left in it; a use leads to the layer of one less, and
nothing gives one back. Totals of both scores are solved from high to low as without badges, and
each for all uses left, the fewest first: what a turn may lead to is then solved, but for a farkle
without a use.
"""

import math
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import product
from pathlib import Path

import numba
import numpy as np

from solver.errors import ConvergenceError, InvalidRulesError
from solver.game.lanes import LANES
from solver.game.layout import Lists
from solver.game.list_kernels import turn_of_lists
from solver.game.standings import LEAST, MAX_VALUES, Progress, score_count, value_shape
from solver.game.sweeps import solve
from solver.game.workload import BOUND, workload
from solver.loaded.matchup import Matchup, MatchupSolution, check_winnable, uses_shape
from solver.loaded.power_turn import PowerTurns, Solve
from solver.rules.ruleset import Ruleset
from solver.turn.equations import Floats
from solver.turn.power_cells import TurnCells
from solver.turn.remaining import Ints

_POWER_TOLERANCE = 1e-12
"""How far pairs of states may be from their fixed points where badges are used up, relative to
these or to LEAST."""

_MOST_ROUNDS = 100
"""Turns that a pair of states may take; two to four are enough."""

_APART = 1e-8
"""How far apart of themselves two values have to be so that the slope between them tells much."""

_FIRST_SWEEP = 2.9
"""Times that a sweep solves each state where farkles cost nothing."""


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
        return _solve_powers(matchup, threads, on_progress)
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
        self._sweeps = workload(rules).sweeps if rules.farkle_penalty else _FIRST_SWEEP + BOUND
        self._on_progress = on_progress
        self._share = 0.0

    def __call__(self, progress: Progress) -> None:
        began = progress.sweep > 1 or progress.bounding
        done = self._first if began else self._first * progress.done
        if began:
            here = 1 + BOUND * progress.done if progress.bounding else progress.done
            done += progress.sweep - 2 + here
        self._share = max(self._share, min(1.0, done / self._sweeps))
        self._on_progress(self._share)


class _Pairs:
    """A match-up in which a badge is used up, whose pairs of states are solved in lanes.

    A pair is the states of both players at the same scores, which depend on each other by a farkle
    each.
    """

    def __init__(self, matchup: Matchup) -> None:
        """With all values still to be found."""
        self.matchup, self.scores = matchup, score_count(matchup.rules)
        self.shape = uses_shape(matchup)
        # with a place for the goal, where the guess at what is next to it looks
        scores = self.scores + 1, self.scores + 1
        self.values = np.full((*self.shape, 2, *scores), 0.5)
        """As of a MatchupSolution."""
        self._slopes = np.full((*self.shape, scores[0]), 0.1)
        self._solve = [_compiled(matchup.turn_cells(side)) for side in (0, 1)]

    def solve(self, uses: tuple[int, int], own: Ints, other: Ints) -> tuple[float, int]:
        """Solve pairs of states with some uses left of both, given all with fewer or more points.

        The value x of a state of the second player and that of the first one's at the same scores
        depend on each other by a farkle each: x = H(x), H rising, piecewise linear, with a slope
        under 1. Secant steps on H, lane by lane, end when no lane is further than the tolerance of
        itself, or of LEAST if it is less, from its fixed point, by the last slope. Returns how far
        that is, and the number of steps.

        own, other : scores of the first and of the second player, at most LANES of them
        """
        one, two = uses
        ours, theirs = self.values[one, two]
        number, slope = len(own), self._slopes[one, two, other]
        # bilinear in both scores, which is close enough to begin with
        guess = theirs[other, own + 1] + theirs[other + 1, own] - theirs[other + 1, own + 1]
        own, other, slope, x = (
            np.pad(some, (0, LANES - number), mode="edge")
            for some in (own, other, slope, np.clip(guess, 0.0, 1.0))
        )
        first, second = (
            PowerTurns(self.matchup, side, values, left, *scores, solve=self._solve[side])
            for side, values, left, scores in (
                (0, self.values[:, two, 1], one, (own, other)),
                (1, self.values[one, :, 0], two, (other, own)),
            )
        )
        last, last_image = x, x
        for rounds in range(1, _MOST_ROUNDS + 1):
            ahead = first.start(1 - x)
            image = second.start(1 - ahead)
            if rounds > 1:
                apart = np.abs(x - last) > _APART * x
                np.divide(image - last_image, x - last, out=slope, where=apart)
            slope = np.clip(slope, 0.0, 1 - 1e-9)
            distance = (image - x) / (1 - slope)
            last, last_image = x, image
            x = np.clip(x + distance, 0.0, 1.0)
            error = np.max(np.abs(distance) / np.maximum(LEAST, np.minimum(ahead, image)))
            if rounds > 1 and error <= _POWER_TOLERANCE:
                break
        here = own[:number], other[:number]
        ours[here], theirs[here[::-1]] = ahead[:number], x[:number]
        self._slopes[one, two, here[1]] = slope[:number]
        return float(error), rounds


def _solve_powers(
    matchup: Matchup, threads: int | None, on_progress: Callable[[float], None]
) -> MatchupSolution:
    """Solve a match-up in which a badge is used up, see `solve_matchup`."""
    started = time.perf_counter()
    rules, shape = matchup.rules, uses_shape(matchup)
    value_shape(rules)
    scores = score_count(rules)
    if (number := 2 * math.prod(shape) * scores**2) > MAX_VALUES:
        raise InvalidRulesError.say(
            "{rules}: with these badges there are {number:,} states, and at most {most:,} can be"
            " solved",
            rules=rules.name,
            number=number,
            most=MAX_VALUES,
        )
    check_winnable(*(matchup.plan(side).farkle_chances for side in (0, 1)))
    pairs, totals = _Pairs(matchup), 2 * scores - 1
    mirrored = matchup == matchup.from_seat(1)
    error = rounds = 0.0
    with ThreadPoolExecutor(threads or numba.get_num_threads()) as pool:
        for s in range(totals - 1, -1, -1):
            other = np.arange(max(0, s - scores + 1), min(scores - 1, s) + 1)
            groups = [other[k : k + LANES] for k in range(0, len(other), LANES)]
            for one, two in product(*map(range, shape)):
                if mirrored and one < two:
                    continue  # with its mirror image, which is solved at once after it
                solve = partial(pairs.solve, (one, two))
                found = list(pool.map(solve, [s - group for group in groups], groups))
                worst = max(off for off, _ in found)
                if not worst <= 100 * _POWER_TOLERANCE:
                    raise ConvergenceError.say(
                        "{rules}: the win probabilities with these dice do not settle: they still"
                        " change by {change:.1e}",
                        rules=rules.name,
                        change=worst,
                    )
                error += worst
                rounds += sum(number for _, number in found)
                if mirrored and one > two:
                    mirror = pairs.values[one, two, ::-1, s - other, other]
                    pairs.values[two, one, :, s - other, other] = mirror
            on_progress(_done(totals - s, scores))
    rows = max(scores, rules.least_bank() // rules.point_step)
    columns = sum(matchup.turn_cells(side).columns for side in (0, 1))
    return MatchupSolution(
        matchup=matchup,
        values=pairs.values[..., :scores, :scores].copy(),
        error_bound=error,
        states_solved=int(rounds) * LANES * columns * rows // 2,
        seconds=time.perf_counter() - started,
    )


def _done(solved: int, scores: int) -> float:
    """The share of the work that so many of the highest totals are.

    A total has so many pairs of states, whose turns are as long as the goal is away: up to the
    total at which one player has reached it both grow, and then only the turns do.
    """
    share = np.minimum(np.arange(2 * scores), np.arange(2 * scores)[::-1])
    work = np.cumsum(share * np.arange(2 * scores))
    return float(work[solved] / work[-1])


def _compiled(turns: TurnCells) -> Solve:
    """Return what solves layers of turns in LANES lanes, as `power_turn.solve_layer` does."""
    each, nothing = [_lists(turns, layer) for layer in range(min(2, turns.layers))], np.zeros(LANES)

    def solve(cells: TurnCells, space: Floats, layer: int, bank: Floats, farkle: Floats) -> None:
        values = space[cells.begin(0, layer) :].reshape(-1)
        turn_of_lists(values, values, bank.ravel(), farkle, nothing, each[min(layer, 1)], len(bank))

    return solve


def _lists(cells: TurnCells, layer: int) -> Lists:
    """Return the lists of the cells of a layer, behind one cell that is what a farkle is worth."""
    parts = cells.of_layer(layer)
    numbers = [len(part.first_list) - 1 for part in parts]
    places = [part.place + np.arange(number) for part, number in zip(parts, numbers, strict=True)]
    farkles = np.eye(1, 1 + sum(numbers))[0]
    banked = [part.banked for part in parts]
    return Lists(
        places=np.concatenate([part.options for part in parts]) * LANES,
        starts=_joined([part.starts for part in parts]),
        first_list=np.append(0, _joined([part.first_list for part in parts])),
        chances=np.concatenate([part.chances for part in parts]),
        farkles=farkles,
        wins=np.zeros_like(farkles),
        loses=np.zeros_like(farkles),
        may_bank=np.repeat([False, *banked], [1, *numbers]).astype(np.int8),
        cells=np.concatenate([[cells.farkle], *places]) * LANES,
        stride=cells.width * LANES,
    )


def _joined(begins: Sequence[Ints]) -> Ints:
    """Where parts begin one after another, and the end, given that for some of them each."""
    return np.concatenate(([0], np.cumsum(np.concatenate([np.diff(some) for some in begins]))))
