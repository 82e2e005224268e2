"""Games of a number of rounds, solved: one pass over the turns left, see `solver.game.rounds`.

Of two players bounds are proved by two more passes with intervals: those of k turns left come out
of those of k - 1. What is so far behind that it is not told apart counts as the nearest that is,
which is an upper bound, or as behind for ever, which is a lower one; and the other way round for
who is ahead.

Of three there is no such proof, as what others have jumps where a mover changes its mind. But that
leads count for certain changes what a player may win by less than their chances together.
"""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import reduce
from itertools import product
from os import cpu_count
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from solver.game.bounds import not_proved, slacks_of
from solver.game.kernel_source import load_turn
from solver.game.lane_turns import LaneTurns
from solver.game.lanes import LANES
from solver.game.layout import NOT_ALLOWED
from solver.game.leads import longest_turn, negligible, spans
from solver.game.list_kernels import turn_by_seat
from solver.game.many import Checked, ManySolution, inner_states, size
from solver.game.rounds import layer, layer_shape, mode_of, modes, places, shares
from solver.game.standings import (
    LEAST,
    Ints,
    OnProgress,
    Progress,
    Solution,
    Standing,
    after_turn,
    many,
    state_count,
    value_shape,
)
from solver.rules.ruleset import Ruleset
from solver.turn.equations import Floats, turn_plan

_SETTLED = 1e-15
"""Largest change of the value of a tie that has settled."""

_MOST_TIES = 1_000
"""How often a tie is played on at most until its value has settled."""


class _Ways(NamedTuple):
    """How turns of a player of some mode end, points in steps."""

    least: int
    """The least turn total that may be banked."""
    farkled: tuple[int, int]
    """The mode after a farkle, and the points that it adds."""
    kept: tuple[int, int]
    """The mode after one that keeps the turn total, and the points that it adds beside that."""

    @classmethod
    def of(cls, rules: Ruleset, mover: Standing) -> "_Ways":
        """Return those of a mover."""
        step, least = rules.point_step, rules.least_bank(on_board=mover.on_board)
        ends = [after_turn(rules, mover, points, farkles=True) for points in (0, least)]
        farkled, kept = ((int(mode_of(rules, many(end))[0]), end.score // step) for end in ends)
        return cls(least // step, farkled, (kept[0], kept[1] - least // step))


class _Game(LaneTurns):
    """The turns of a number of rounds."""

    @property
    def players(self) -> int:
        """Return how many play."""
        return self.planes + 1

    def others(self, far: int) -> list[Ints]:
        """Return scores of the others by how far the next player is ahead of the last one.

        Of two players there is one place for that.
        """
        apart = np.arange(-far, far + 1) if self.planes > 1 else np.zeros(1, dtype=np.int64)
        return [0 * apart, -apart][: self.planes]

    def before(self, values: Floats, far: int, own: Ints) -> Floats:
        """Return what turns lead to, as the mover sees it.

        values : those of whoever moves next, a layer of `solver.game.rounds`
        far : leads of the next player over the last one that there are
        own : scores from that of the best of the others on

        At [modes of the others, own mode, lead of the next player over the last, who, own score].
        """
        others = [row[:, np.newaxis] for row in self.others(far)]
        own = reduce(np.maximum, others) + own
        worth = values[(..., *places(values.shape[-2] // 2, [*others, own]), slice(None))]
        worth = np.concatenate([1 - worth.sum(axis=-1, keepdims=True), worth[..., :-1]], axis=-1)
        return np.ascontiguousarray(np.moveaxis(worth, -1, -2))

    def renewed(
        self, values: Floats, turns: int, pinned: int | None = None, slack: float = 0.0
    ) -> Floats:
        """Return the layer with so many turns left, given that with one less.

        pinned : of two players, 0 if whoever is farthest behind stays there for good, -1 if who is
            farthest ahead
        slack : what is added to every value
        """
        rules, ways = self.rules, [_Ways.of(self.rules, mover) for mover in modes(self.rules)]
        far = int(spans(rules, self.players)[turns])
        chances = np.zeros(layer_shape(rules, turns, self.players))
        most = chances.shape[-2] // 2
        cost = rules.penalty_points // rules.point_step
        opening = rules.least_bank(on_board=False) // rules.point_step
        above = cost + opening + self.plan.reach + 2 * LANES
        after = self.before(values, far, np.arange(-far - cost, far + above))
        best = reduce(np.maximum, self.others(far))
        apart = np.abs(best - reduce(np.minimum, self.others(far)))
        tasks = [
            (kinds, frame, start)
            for kinds in product(range(len(ways)), repeat=self.players)
            for frame in range(len(best))
            for start in range(0, 2 * far + 1 - apart[frame], LANES)
        ]
        stays = None if pinned is None else (0, 2 * far)[pinned]

        def solve_some(worker: int) -> None:
            # used again, as rows from the last one on are written anew
            columns = self.plan.columns, self.planes * LANES
            room = np.zeros((self.plan.levels, 2 * far + above, *columns))
            for (own, *others), frame, start in tasks[worker :: self.workers]:
                ends = self._ends(after[(*others,)][:, frame], ways[own], start, 2 * far, stays)
                solved = self.solved(room, *ends).reshape(self.planes, LANES).T + slack
                number = min(LANES, 2 * far + 1 - apart[frame] - start)
                place = best[frame] + most - far + start
                here = chances[(own, *others)][frame if self.planes > 1 else 0]
                here[place : place + number] = solved[:number]

        list(self.pool.map(solve_some, range(self.workers)))
        if self.planes == 1:
            chances[..., : most - far, :] = chances[..., most - far, np.newaxis, :]
            chances[..., most + far + 1 :, :] = chances[..., most + far, np.newaxis, :]
        return np.clip(chances, 0.0, 1.0)

    def _ends(
        self, after: Floats, ways: "_Ways", start: int, last: int, stays: int | None
    ) -> tuple[Floats, Floats]:
        """Return what banks and a farkle are worth, by turn total, plane and lane.

        after : by the mover's mode, who and score; scores begin as far below the first one that is
            solved as a penalty takes them
        start : the score of the first lane, the first one that is solved being 0
        last : the score from which on more points change nothing
        stays : a score that no turn changes, if there is one
        """
        cost, least = self.rules.penalty_points // self.rules.point_step, ways.least
        rows = min(last + cost - start, longest_turn(self.rules, self.players))
        rows = max(rows, least) + 1 + self.plan.reach

        def left(mode: int, points: int, rows: int) -> Floats:
            first = cost + start + points
            lanes = after[mode][:, first : first + rows + LANES - 1]
            ends = sliding_window_view(lanes, LANES, axis=1).swapaxes(0, 1).reshape(rows, -1)
            ends = np.require(ends, requirements=["C", "W"])
            if stays is not None and start <= stays < start + LANES:
                ends[:, stays - start] = after[mode][0, cost + stays]
            return ends

        bank = left(0, 0, rows)
        bank[:least] = (np.arange(bank.shape[1]) < LANES) * NOT_ALLOWED
        farkle = left(*ways.farkled, 1)
        if self.rules.farkle_keeps_turn_total:
            keeps = left(*ways.kept, rows)
            keeps[:least] = farkle
            farkle = keeps
        return bank, farkle

    def ended(self, ties: Floats | None = None) -> Floats:
        """Return the layer with no turns left.

        ties : what level scores of two are worth by modes, where they are not shared
        """
        shape = layer_shape(self.rules, 0, self.players)
        most, others = shape[-2] // 2, [row[:, np.newaxis] for row in self.others(shape[-2] // 2)]
        values = np.zeros(shape) + shares([np.arange(-most, most + 1), *others])
        if ties is not None:
            values[..., 0, most, 0] = ties
        return values

    def layers(self, ended: Floats, on_progress: OnProgress = lambda _: None) -> Iterator[Floats]:
        """Give the layers with 1, 2, ... turns left, given that with none."""
        turns = self.players * self.rules.rounds
        for k in range(1, turns + 1):
            on_progress(Progress(1, ((k - 1) / turns) ** 2))
            ended = self.renewed(ended, k)
            yield ended

    def ties(self) -> Floats | None:
        """Return what level scores are worth after the last turn, by modes; None if shared.

        Raises ConvergenceError where a game that is played on may never end.
        """
        if self.rules.ties == "shared":
            return None
        number = len(modes(self.rules))
        values: Floats = np.full((number, number), 0.5)
        for _ in range(_MOST_TIES):
            two = self.renewed(self.renewed(self.ended(values), 1), 2)
            level = two[..., 0, two.shape[-2] // 2, 0]
            change = float(np.max(np.abs(level - values)))
            values = level
            if change <= _SETTLED:
                return values
        raise not_proved(self.rules, change)

    def bound(self, values: Floats, ties: Floats | None, tolerance: float) -> float:
        """Return a proved bound of the error of every value of two. Raises ConvergenceError."""
        turns, _, leads = values.shape
        slack = sum(slacks_of(self.plan, leads))
        off = 0.0 if ties is None else tolerance * LEAST / 4
        low = high = self.ended(ties)
        if ties is not None:
            low, high = self.ended(ties - off), self.ended(ties + off)
        worst = 0.0
        for k in range(1, turns + 1):
            low, high = (
                self.renewed(high, k, pinned=0, slack=-slack),
                self.renewed(low, k, pinned=-1, slack=slack),
            )
            here = layer(self.rules, values, k)
            errors = np.maximum(high - here, here - low) / np.maximum(here, LEAST)
            worst = max(worst, float(errors.max()))
            middle = leads // 2
            if off and k == 2 and np.any((high - low)[..., middle, :] > 2 * off):
                raise not_proved(self.rules, tolerance)
        if not worst <= tolerance:
            raise not_proved(self.rules, tolerance)
        return worst


def solve(
    rules: Ruleset,
    *,
    cache: Path,
    tolerance: float,
    threads: int | None = None,
    on_progress: OnProgress = lambda _: None,
) -> Solution:
    """Solve a game of rounds until no value is off by more than `tolerance`, which is proved.

    See `solver.game.sweeps.solve`. Raises InvalidRulesError, and ConvergenceError where there is no
    such proof.
    """
    started = time.perf_counter()
    plan, workers = turn_plan(rules), threads or cpu_count() or 1
    values = np.empty(value_shape(rules))
    with ThreadPoolExecutor(workers) as pool:
        game = _Game(rules, plan, load_turn(plan, cache), pool, workers)
        ties = game.ties()
        for k, solved in enumerate(game.layers(game.ended(ties), on_progress), 1):
            layer(rules, values, k)[:] = solved
        on_progress(Progress(1, 1.0, bounding=True))
        error_bound = game.bound(values, ties, tolerance)
    return Solution(
        rules=rules,
        values=values,
        tolerance=tolerance,
        sweeps=1,
        largest_relative_change=0.0,
        error_bound=error_bound,
        states_solved=3 * state_count(rules),
        seconds=time.perf_counter() - started,
    )


def solve_three(
    rules: Ruleset,
    *,
    cache: Path,
    threads: int | None = None,
    reverse: bool = False,
    on_progress: OnProgress = lambda _: None,
) -> ManySolution:
    """Solve a game of rounds of three, see `solver.game.many_sweeps.solve_many`.

    Nobody wins more often by playing otherwise, but by the chances of leads that count for certain.
    """
    started = time.perf_counter()
    plan, workers = turn_plan(rules, all_options=True), threads or cpu_count() or 1
    values = np.empty(size(rules, 3).shape)
    with ThreadPoolExecutor(workers) as pool:
        turn = load_turn(plan, cache, 2, reverse=reverse)
        game = _Game(rules, plan, turn, pool, workers, planes=2)
        for k, solved in enumerate(game.layers(game.ended(), on_progress), 1):
            layer(rules, values, k, 3)[:] = solved
    return ManySolution(
        rules=rules,
        players=3,
        values=values,
        lasts=(),
        tolerance=negligible(rules, 3),
        sweeps=1,
        largest_change=0.0,
        mixed=0,
        restless=0,
        states_solved=inner_states(rules, 3),
        seconds=time.perf_counter() - started,
    )


def residual(rules: Ruleset, values: Floats, *, on_progress: OnProgress = lambda _: None) -> float:
    """Largest relative residual of the equations over the starts of all turns of a solved game.

    Every set-aside of every roll is weighed, by loops over lists in place of the code of the solve.
    """
    off = _misfits(rules, values, 2, on_progress)
    return max(float(np.max(missed / np.maximum(here, LEAST))) for here, missed in off)


def check(rules: Ruleset, values: Floats, *, on_progress: OnProgress = lambda _: None) -> Checked:
    """Put the values of three players back into their equations, as `residual` does."""
    return Checked(max(float(off.max()) for _, off in _misfits(rules, values, 3, on_progress)), 0)


def _misfits(
    rules: Ruleset, values: Floats, players: int, on_progress: OnProgress
) -> Iterator[tuple[Floats, Floats]]:
    """Give each layer of values, and by how much it misses what the one before makes of it."""
    plan, workers = turn_plan(rules, all_options=True), cpu_count() or 1
    turns, turn = players * rules.rounds, turn_by_seat(players - 1)
    with ThreadPoolExecutor(workers) as pool:
        game = _Game(rules, plan, turn, pool, workers, planes=players - 1)
        ties = None
        if rules.ties != "shared":
            again = layer(rules, values, 2)
            ties = again[..., 0, again.shape[-2] // 2, 0]
        before = game.ended(ties)
        for k in range(1, turns + 1):
            on_progress(Progress(1, (k / turns) ** 2))
            here = layer(rules, values, k, players)
            yield here, np.abs(game.renewed(before, k) - here)
            before = here
