"""The game of two players with different dice, solved for every state at the start of a turn.

It is a contest of the ordinary solve: each player has the lists of an own set, and a half of the
table. Two who throw the same dice are solved as two who throw the dice of the rules.

Where badges are used up a state has the uses that both have left besides the scores. A turn is
solved in layers, one for each number of uses left in it; a use leads to the layer of one less, and
nothing gives one back. Totals of both scores are solved from high to low as without badges, and
each for all uses left, the fewest first: what a turn may lead to is then solved, but for a farkle
without a use. Then every turn is solved once more from bounds, as in solver.game.bounds.
"""

import math
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from functools import partial
from itertools import chain, product, repeat
from pathlib import Path

import numba
import numpy as np

from solver.errors import ConvergenceError, InvalidRulesError
from solver.game.bounds import (
    Shape,
    bound_within,
    intervals,
    most_accumulated,
    proved,
    roundings,
    slack_of,
)
from solver.game.lanes import LANES
from solver.game.layout import Lists
from solver.game.list_kernels import turn_of_lists
from solver.game.standings import (
    DEFAULT_TOLERANCE,
    LEAST,
    MAX_VALUES,
    Progress,
    score_count,
    value_shape,
)
from solver.game.sweeps import solve
from solver.game.workload import BOUND, workload
from solver.loaded.matchup import (
    Matchup,
    MatchupSolution,
    check_winnable,
    exchanged_values,
    uses_shape,
)
from solver.loaded.power_turn import PowerTurns
from solver.rules.ruleset import Ruleset
from solver.turn.equations import Floats
from solver.turn.power_cells import TurnCells
from solver.turn.powers import PowerKind
from solver.turn.remaining import Ints, shape_of
from solver.turn.rerolls import find_rerolls

_POWER_TOLERANCE = 1e-12
"""How far pairs of states may be from their fixed points where badges are used up, relative to
these or to LEAST."""

_MOST_ROUNDS = 100
"""Turns that a pair of states may take; two to four are enough."""

_APART = 1e-8
"""How far apart of themselves two values have to be so that the slope between them tells much."""

_POWER_BOUND = 0.6
"""How much of the work of a solve its bound takes where badges are used up."""

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


class Pairs:
    """A match-up in which a badge is used up, whose pairs of states are solved in lanes.

    A pair is the states of both players at the same scores, which depend on each other by a farkle
    each.
    """

    def __init__(self, matchup: Matchup) -> None:
        """With all values still to be found."""
        self.matchup, self.scores = matchup, score_count(matchup.rules)
        self.mirrored = matchup == matchup.from_seat(1)
        self.shape = uses_shape(matchup)
        # with a place for the goal, where the guess at what is next to it looks
        scores = self.scores + 1, self.scores + 1
        self.values = np.full((*self.shape, 2, *scores), 0.5)
        """As of a MatchupSolution."""
        self._slopes = np.full((*self.shape, scores[0]), 0.1)
        cells = [matchup.turn_cells(side) for side in (0, 1)]
        lists = [[_lists(one, layer) for layer in range(min(2, one.layers))] for one in cells]
        self._solve = [partial(_solve_lists, each) for each in lists]
        self._slack = max(_slack(matchup, side, lists[side]) for side in (0, 1))

    def _turns(
        self, side: int, uses: tuple[int, int], own: Ints, other: Ints, values: Floats
    ) -> PowerTurns:
        """Return turns of a side, with some uses left of both, from the values around them.

        own, other : scores of this side and of the other in steps, by lane
        values : as of a MatchupSolution
        """
        one, two = uses
        theirs, left = (values[:, two, 1], one) if side == 0 else (values[one, :, 0], two)
        solve = self._solve[side]
        return PowerTurns(self.matchup, side, theirs, left, own, other, solve=solve)

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
        own, other, slope, x = map(_padded, (own, other, slope, np.clip(guess, 0.0, 1.0)))
        first = self._turns(0, uses, own, other, self.values)
        second = self._turns(1, uses, other, own, self.values)
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

    def error_bound(
        self, pool: Executor, tolerance: float, shape: Shape, on_progress: Callable[[float], None]
    ) -> float | None:
        """Return a proved bound of the error of every value, as `bounds.error_bound` does.

        The turns of every state are solved from lower and from upper bounds of the other player's
        values. The pool solves states side by side; `on_progress` is told the share that is done.
        """
        matchup, scores = self.matchup, self.scores
        values = self.values[..., :scores, :scores]
        before = intervals(matchup.rules, values, tolerance, shape)
        if self.mirrored:  # the second player is bounded as the first one's mirror image
            low, high = (exchanged_values(matchup, bounds) for bounds in before)
            before = np.minimum(before[0], low), np.maximum(before[1], high)
        after = np.zeros_like(values), np.ones_like(values)

        def renew(state: tuple[int, int, int], own: int) -> None:
            one, two, side = state
            for first in range(0, scores, LANES):
                other = np.arange(first, min(first + LANES, scores))
                for found, given, away in zip(after, before[::-1], (-1, 1), strict=True):
                    turns = self._turns(
                        side, (one, two), np.full(LANES, own), _padded(other), given
                    )
                    worth = turns.start(turns.farkle(turns.uses)) + away * self._slack
                    found[one, two, side, own, other] = worth.clip(0.0, 1.0)[: len(other)]

        states = [*product(*map(range, self.shape), (0,) if self.mirrored else (0, 1))]
        for own in range(scores):
            on_progress(_turns_done(own, scores))
            list(pool.map(renew, states, repeat(own)))
        on_progress(1.0)
        if self.mirrored:
            for bounds in after:
                bounds[:, :, 1] = exchanged_values(matchup, bounds)[:, :, 1]
        return proved(values, before, after)


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
    pairs, totals = Pairs(matchup), 2 * scores - 1
    rounds, sweep_share = 0.0, 1 / (1 + _POWER_BOUND)

    def on_bound(done: float) -> None:
        on_progress(sweep_share + (1 - sweep_share) * done)

    with ThreadPoolExecutor(threads or numba.get_num_threads()) as pool:
        for s in range(totals - 1, -1, -1):
            other = np.arange(max(0, s - scores + 1), min(scores - 1, s) + 1)
            groups = [other[k : k + LANES] for k in range(0, len(other), LANES)]
            for one, two in product(*map(range, shape)):
                if pairs.mirrored and one < two:
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
                rounds += sum(number for _, number in found)
                if pairs.mirrored and one > two:
                    mirror = pairs.values[one, two, ::-1, s - other, other]
                    pairs.values[two, one, :, s - other, other] = mirror
            on_progress(sweep_share * _done(totals - s, scores))

        def prove(within: float, shape: Shape) -> float | None:
            nonlocal rounds
            rounds += 2 * math.prod(pairs.shape) * scores**2 / LANES
            return pairs.error_bound(pool, within, shape, on_bound)

        error = bound_within(rules, prove, DEFAULT_TOLERANCE, falls=False)
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


def _turns_done(own: int, scores: int) -> float:
    """Return the share of all turns, by their length, in which the mover has less than `own`."""
    return 1 - (1 - own / scores) ** 2


def _padded(lanes: np.ndarray) -> np.ndarray:
    """Return as many numbers as there are LANES, the last one again and again."""
    return np.pad(lanes, (0, LANES - len(lanes)), mode="edge")


def _solve_lists(
    each: Sequence[Lists],
    cells: TurnCells,
    space: Floats,
    layer: int,
    bank: Floats,
    farkle: Floats,
) -> None:
    """Solve layers of turns in LANES lanes, as `power_turn.solve_layer` does.

    each : the lists of the layer of the fewest uses, and of all others
    """
    values, lists = space[cells.begin(0, layer) :].reshape(-1), each[min(layer, 1)]
    turn_of_lists(values, values, bank.ravel(), farkle, np.zeros(LANES), lists, len(bank))


def _slack(matchup: Matchup, side: int, each: Sequence[Lists]) -> float:
    """Return by what bounds are moved apart after a turn of a side, for rounding.

    each : as of `_solve_lists`
    """
    cells, power = matchup.turn_cells(side), matchup.powers[side]
    sums = np.ones((cells.layers, cells.room + cells.width))
    if power and power.kind is PowerKind.REROLL:
        # a chance may be that of many outcomes together
        blocks = chain(*(one.blocks for one in find_rerolls(shape_of(matchup.dice[side]), power)))
        sums += max((rolls.shape[1] for _, rolls in blocks), default=0)
    for layer, here in enumerate(sums):
        lists = each[min(layer, 1)]
        here[lists.cells // LANES] += roundings(lists)

    def before(after: Floats) -> Floats:
        found = sums.copy()
        for layer, here in enumerate(found):
            lists = each[min(layer, 1)]
            place = lists.places // LANES
            below, further = np.divmod(np.maximum(0, place - cells.room), cells.layer)
            cell = np.where(place < cells.room, place, cells.room + further % cells.width)
            best = np.maximum.reduceat(after[layer - below, cell], lists.starts[:-1])
            means = np.add.reduceat(lists.chances * best, lists.first_list[1:-1])
            here[lists.cells[1:] // LANES] += means
        return found

    return slack_of(most_accumulated(before, sums, sums.size * cells.rows))


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
