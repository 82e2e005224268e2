"""Games of a number of rounds, solved: one pass over the turns left, see `solver.game.rounds`.

Bounds are proved by two more passes with intervals: those of k turns left come out of those of
k - 1. What is so far behind that it is not told apart counts as the nearest that is, which is an
upper bound, or as behind for ever, which is a lower one; and the other way round for who is ahead.
"""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from os import cpu_count
from pathlib import Path

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from solver.game.bounds import not_proved, slacks_of_lists
from solver.game.kernel_source import load_turn
from solver.game.lane_turns import LaneTurns
from solver.game.lanes import LANES
from solver.game.layout import NOT_ALLOWED
from solver.game.leads import spans
from solver.game.list_kernels import turn_of_lists
from solver.game.rounds import mode_of, modes
from solver.game.standings import (
    LEAST,
    Progress,
    Solution,
    Standing,
    after_turn,
    many,
    state_count,
    value_shape,
)
from solver.rules.ruleset import Ruleset
from solver.turn.equations import Floats
from solver.turn.scoring import turn_plan

_SETTLED = 1e-15
"""By how much what a tie leads to changes at most that is found."""

_MOST_TIES = 1_000
"""How often a tie is played on at most until its value has settled."""

Told = Callable[[Progress], None]


class _Game(LaneTurns):
    """The turns of a number of rounds."""

    def before(self, values: Floats) -> Floats:
        """Return what turns lead to, by the next player's mode, the own one and the own lead.

        values : those of whoever moves next, as of one number of turns left
        """
        number = len(modes(self.rules))
        return 1 - values.reshape(number, number, -1)[..., ::-1]

    def renewed(
        self, after: Floats, turns: int, pinned: int | None = None, slack: float = 0.0
    ) -> Floats:
        """Return the values with so many turns left, given what they lead to.

        pinned : 0 if whoever is farthest behind stays there for good, -1 if who is farthest ahead
        slack : what is added to every value
        """
        rules, every = self.rules, modes(self.rules)
        most, far = after.shape[2] // 2, int(spans(rules)[turns])
        first, last = most - far, most + far
        stays = None if pinned is None else (first, last)[pinned]
        # places below and above leads that are told stand for the nearest of these
        cost = rules.penalty_points // rules.point_step
        opening = rules.least_bank(on_board=False) // rules.point_step
        above = 2 * most + LANES + cost + max(self.plan.reach, opening)
        after = np.pad(after, ((0, 0), (0, 0), (cost, above)), mode="edge")
        found = np.empty((len(every) ** 2, 2 * most + 1))
        kinds = product(range(len(every)), range(len(every)))
        tasks = list(product(kinds, range(first, last + 1, LANES)))

        def solve_some(worker: int) -> None:
            # used again, as rows from the last one on are written anew
            room = np.zeros((self.plan.levels, 2 * far + above, self.plan.columns, LANES))
            for (own, other), start in tasks[worker :: self.workers]:
                place = cost + start
                lane = None if stays is None else cost + stays
                ends = self._ends(after[other], every[own], place, last + cost - start, lane)
                solved = self.solved(room, *ends)[: last + 1 - start]
                found[own * len(every) + other, start : start + len(solved)] = solved + slack

        list(self.pool.map(solve_some, range(self.workers)))
        found[:, :first] = found[:, first, np.newaxis]
        found[:, last + 1 :] = found[:, last, np.newaxis]
        return np.clip(found, 0.0, 1.0)

    def _ends(
        self, after: Floats, mover: Standing, place: int, missing: int, stays: int | None
    ) -> tuple[Floats, Floats]:
        """Return what banks and a farkle are worth, by turn total and lane.

        after : by the mover's mode and lead
        place : of the lead in the first lane
        missing : turn totals until more points change nothing
        stays : place of the lead that no turn changes, if there is one
        """
        rules, step = self.rules, self.rules.point_step
        least = rules.least_bank(on_board=mover.on_board) // step
        rows = max(missing, least) + 1 + self.plan.reach

        def left(standing: Standing, points: int, rows: int) -> Floats:
            [mode] = mode_of(rules, many(standing))
            ends = np.array(sliding_window_view(after[mode][place + points :], LANES)[:rows])
            if stays is not None and place <= stays < place + LANES:
                ends[:, stays - place] = after[mode][stays]
            return ends

        bank = left(Standing(), 0, rows)
        bank[:least] = NOT_ALLOWED
        farkled = after_turn(rules, mover, 0, farkles=True)
        farkle = left(farkled, farkled.score // step, 1)
        if rules.farkle_keeps_turn_total:
            kept = after_turn(rules, mover, least * step, farkles=True)
            keeps = left(kept, kept.score // step - least, rows)
            keeps[:least] = farkle
            farkle = keeps
        return bank, farkle

    def ended(self, ties: Floats | float) -> Floats:
        """Return the values with no turns left, where level scores are worth that by modes."""
        _, pairs, leads = value_shape(self.rules)
        found = np.zeros((pairs, leads))
        found[:, leads // 2 + 1 :] = 1.0
        found[:, leads // 2] = ties
        return found

    def passes(self, ended: Floats, told: Told = lambda _: None) -> Iterator[Floats]:
        """Give the values with 1, 2, ... turns left, given those with none."""
        before, turns = ended, value_shape(self.rules)[0]
        for k in range(1, turns + 1):
            told(Progress(1, ((k - 1) / turns) ** 2))
            before = self.renewed(self.before(before), k)
            yield before

    def ties(self) -> Floats | float:
        """Return what level scores are worth after the last turn, by modes.

        Raises ConvergenceError where a game that is played on may never end.
        """
        if self.rules.ties == "shared":
            return 0.5
        middle = value_shape(self.rules)[2] // 2
        found: Floats = np.full(value_shape(self.rules)[1], 0.5)
        for _ in range(_MOST_TIES):
            one = self.renewed(self.before(self.ended(found)), 1)
            two = self.renewed(self.before(one), 2)[:, middle]
            change = float(np.max(np.abs(two - found)))
            found = two
            if change <= _SETTLED:
                return found
        raise not_proved(self.rules, change)

    def bound(self, values: Floats, ties: Floats | float, tolerance: float) -> float:
        """Return a proved bound of the error of every value. Raises ConvergenceError."""
        turns, _, leads = values.shape
        slack = sum(slacks_of_lists(self.plan, leads))
        off = tolerance * LEAST / 4 if self.rules.ties == "played_on" else 0.0
        low, high = self.ended(np.subtract(ties, off)), self.ended(np.add(ties, off))
        worst = 0.0
        for k in range(1, turns + 1):
            upper, lower = self.before(low), self.before(high)
            high = self.renewed(upper, k, pinned=-1, slack=slack)
            low = self.renewed(lower, k, pinned=0, slack=-slack)
            here = values[k - 1]
            errors = np.maximum(high - here, here - low) / np.maximum(here, LEAST)
            worst = max(worst, float(errors.max()))
            middle = leads // 2
            if off and k == 2 and np.any((high - low)[:, middle] > 2 * off):
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
    on_progress: Told = lambda _: None,
) -> Solution:
    """Solve a game of rounds until no value is off by more than `tolerance`, which is proved.

    See `solver.game.sweeps.solve`. Raises InvalidRulesError, and ConvergenceError where there is no
    such proof.
    """
    started = time.perf_counter()
    plan, workers = turn_plan(rules), threads or cpu_count() or 1
    with ThreadPoolExecutor(workers) as pool:
        game = _Game(rules, plan, load_turn(plan, cache), pool, workers)
        ties = game.ties()
        values = np.array(list(game.passes(game.ended(ties), on_progress)))
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


def residual(rules: Ruleset, values: Floats, *, on_progress: Told = lambda _: None) -> float:
    """Largest relative residual of the equations over the starts of all turns of a solved game.

    Every set-aside of every roll is weighed, by loops over lists in place of the code of the solve.
    """
    plan, workers = turn_plan(rules, all_options=True), cpu_count() or 1
    middle, worst = values.shape[2] // 2, 0.0
    with ThreadPoolExecutor(workers) as pool:
        game = _Game(rules, plan, turn_of_lists, pool, workers)
        before = game.ended(0.5 if rules.ties == "shared" else values[1, :, middle])
        for k, here in enumerate(values, 1):
            on_progress(Progress(1, (k / len(values)) ** 2))
            found = game.renewed(game.before(before), k)
            worst = max(worst, float(np.max(np.abs(found - here) / np.maximum(here, LEAST))))
            before = here
    return worst
