"""Games in which a turn has to beat what the one before banked, solved.

V(b, d, k) is the win probability of the player about to start a turn with b points against d, of
which the turn before has banked k:

    bank(t) = 1 - V(d, b + t, t), where t > k        farkle = 1 - V(d, b, 0)

A bank leads to a higher total of both scores and a farkle to the mirror image of the state with
nothing to beat. So totals are solved from high to low, and at each V(b, d, 0) and V(d, b, 0)
depend on each other: x = G(x), G piecewise linear with a slope below 1, which secant steps solve.
Then turn totals above k are worth what they are there for any k, so that a pass for k = 1, 2, ...
after one another only solves the totals up to k anew, which may not be banked.

Where farkles cost points their number in a row is part of both standings, and a total is solved
from many farkles of both to few, as each leads to one more. Only the last in a row leads to a lower
total, of which the value of the sweep before is taken; sweeps follow one another until nothing
changes, as in solver.game.sweeps. After a bank no farkles are counted: there is something to beat
only where the other player has none.

A bank that reaches the goal may give the other player a final turn, see `Endgame.after_bank`. Where
only one player's does, all states are there twice, by who began: then a standing here is that of a
player with a role.

Bounds are proved as in solver.game.bounds, by one more pass with intervals around V(b, d, 0);
those where there is something to beat come out of it, as nothing is assumed of them.
"""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, partial
from os import cpu_count
from pathlib import Path
from typing import NamedTuple

import numpy as np

from solver.game import bounds
from solver.game.endgame import Endgame, endgame, fixed_point
from solver.game.kernel_source import load_turn
from solver.game.kernels import beat_turns
from solver.game.lane_turns import LaneTurns
from solver.game.lanes import LANES
from solver.game.layout import NOT_ALLOWED
from solver.game.standings import (
    LEAST,
    Bools,
    Ints,
    OnProgress,
    Progress,
    Solution,
    Standings,
    after_turns,
    all_standings,
    opponent_indices,
    score_count,
    standing_indices,
    state_count,
    value_shape,
)
from solver.rules.ruleset import Ruleset
from solver.turn.equations import Floats, turn_plan

_AT_REST = 1e-13
"""Largest change of values in a last sweep, where farkles cost points."""

_MOST_SWEEPS = 500


class _Pairs(NamedTuple):
    """States of one total of both scores and of both farkles, with nothing to beat, by standings.

    Of players with roles, if there are such, and then of one who began and one who did not.
    """

    own: Ints
    other: Ints
    after: Ints
    """The standing of who moves after a farkle."""
    mirror: Ints
    """Which of these states follows a farkle, for each; -1 for none of them."""


class _Game(LaneTurns):
    """The turns of a game."""

    @cached_property
    def roles(self) -> Ints:
        """Return the role of each standing."""
        roles, number, _ = value_shape(self.rules)
        return np.repeat(np.arange(roles), number)

    @cached_property
    def everyone(self) -> Standings:
        """Return what is behind each standing."""
        standings = all_standings(self.rules)
        return standings[np.arange(len(self.roles)) % len(standings.score)]

    @cached_property
    def ends(self) -> Endgame:
        """Return the end of the game."""
        return endgame(self.rules)

    @cached_property
    def wins(self) -> Bools:
        """Return whether the goal wins at once, by roles."""
        return np.array([self.rules.goal_ends_game(last_of_round=last) for last in (False, True)])

    @cached_property
    def goal(self) -> int:
        """Return the number of scores below the goal."""
        return score_count(self.rules)

    @cached_property
    def scores(self) -> Ints:
        """Return the score of each standing in point steps above the floor."""
        return (self.everyone.score - self.rules.score_floor) // self.rules.point_step

    @cached_property
    def most_to_beat(self) -> Ints:
        """Return how many point steps each standing may have banked last."""
        return np.where((self.everyone.farkles == 0) & self.everyone.on_board, self.scores, 0)

    @cached_property
    def after(self) -> Ints:
        """Return what each standing is after a farkle."""
        ended = after_turns(self.rules, self.everyone, 0, farkles=True, loses=False)
        return standing_indices(self.rules, ended)

    @cached_property
    def least(self) -> Ints:
        """Return the least turn total in point steps that each standing may bank."""
        rules, everyone = self.rules, self.everyone
        pairs = zip(everyone.score.tolist(), everyone.on_board.tolist(), strict=True)
        points = [rules.least_bank_at(score, on_board=board) for score, board in pairs]
        return np.array(points) // rules.point_step

    @cached_property
    def begins(self) -> Ints:
        """Return the place of each standing as an opponent, with nothing to beat."""
        return opponent_indices(self.rules, self.everyone)

    @cached_property
    def rooms(self) -> list[Floats]:
        """Return room for the turns of each worker, used again for all."""
        rows = max(2 * self.goal, int(self.least.max())) + self.ends.beyond + 1 + self.plan.reach
        shape = self.plan.levels, rows, self.plan.columns, LANES
        return [np.zeros(shape) for _ in range(self.workers)]

    @cached_property
    def groups(self) -> list[_Pairs]:
        """Return the states of each total of both scores, from the highest, many farkles first."""
        # so that a farkle, but for the last in a row, leads to what comes before
        order = self.scores * (2 * self.rules.farkle_limit - 1) + self.everyone.farkles
        both, width = order[:, np.newaxis] + order, value_shape(self.rules)[2]
        # where there are roles, one of both has each
        states = np.nonzero(self.roles[:, np.newaxis] + self.roles == self.roles[-1])
        here = np.argsort(-both[states], kind="stable")
        ends = np.flatnonzero(np.diff(both[states][here])) + 1
        groups = []
        for part in np.split(here, ends):
            own, other = (one[part] for one in states)
            place = own * width + self.begins[other]
            follows = other * width + self.begins[self.after[own]]
            mirror = np.minimum(np.searchsorted(place, follows), len(place) - 1)
            mirror = np.where(place[mirror] == follows, mirror, -1)
            groups.append(_Pairs(own, other, self.after[own], mirror))
        return groups

    def sweep(self, on_progress: OnProgress = lambda _: None, number: int = 1) -> Iterator[_Pairs]:
        """Give the states of each total in their order, and tell how far that is."""
        done, count = 0, sum(len(pairs.own) for pairs in self.groups)
        for pairs in self.groups:
            on_progress(Progress(number, done / count))
            done += len(pairs.own)
            yield pairs

    def banks(self, own: Ints, other: Ints, values: Floats, off: float = 0.0) -> Floats:
        """Return what banks of some states are worth, shape (turn totals, LANES).

        off : what is added to what final turns are worth
        """
        score, theirs, least = self.scores[own], self.scores[other], self.least[own]
        to_beat = int(self.most_to_beat[other].max())
        solved = max(int((self.goal - score).max()), int(least.max()), to_beat)
        totals = np.arange(solved + self.ends.beyond + 1 + self.plan.reach)[:, np.newaxis]
        after = score + totals
        goes_on = after < self.goal
        left = values[other, np.where(goes_on, after * (after + 1) // 2 + totals, 0)]
        final = self.ends.after_bank(totals, score - theirs, self.everyone.on_board[other])
        final += np.where(final > 0, off, 0.0)
        bank = 1 - np.where(goes_on, left, np.where(self.wins[self.roles[own]], 0.0, final))
        bank[totals < least] = NOT_ALLOWED
        return bank

    def by_lanes(self, pairs: _Pairs, do: Callable[[slice, int], Floats]) -> list[Floats]:
        """Return what is found for some states and a worker, LANES states at a time."""
        parts = [slice(k, k + LANES) for k in range(0, len(pairs.own), LANES)]

        def work(worker: int) -> list[Floats]:
            return [do(part, worker) for part in parts[worker :: self.workers]]

        by_worker = list(self.pool.map(work, range(self.workers)))
        return [by_worker[k % self.workers][k // self.workers] for k in range(len(parts))]

    def farkles(self, pairs: _Pairs, values: Floats, x: Floats) -> Floats:
        """Return what farkles are worth to states, given what these are worth themselves.

        values : of all others
        """
        left = values[pairs.other, self.begins[pairs.after]]
        return np.asarray(1 - np.where(pairs.mirror < 0, left, x[pairs.mirror]))

    def starts(self, pairs: _Pairs, values: Floats) -> Floats:
        """Return what states with nothing to beat are worth, given those of higher totals."""
        banks = self.by_lanes(pairs, lambda part, _: self._lanes(pairs, part, values))

        def turned(x: Floats) -> Floats:
            """What turns are worth, given what the other player has."""
            farkle = self.farkles(pairs, values, x)

            def do(part: slice, worker: int) -> Floats:
                here = _wide(farkle[part])[np.newaxis]
                return self.solved(self.rooms[worker], banks[part.start // LANES], here)

            return np.concatenate(self.by_lanes(pairs, do))[: len(x)]

        even = np.full(len(pairs.own), 0.5)
        if np.all(pairs.mirror < 0):
            return turned(even)
        return fixed_point(lambda x: turned(turned(x)), even)

    def turns(
        self, pairs: _Pairs, values: Floats, farkle: Floats, off: float = 0.0
    ) -> tuple[Floats, Ints, Ints]:
        """Return what turns are worth, whatever they have to beat, and where that stands.

        values : those of higher totals, of the other player
        farkle : what farkles are worth, by state
        off : as of `banks`

        By state and points to beat, the values with the indices of both axes.
        """

        def do(part: slice, worker: int) -> Floats:
            bank, here = self._lanes(pairs, part, values, off), _wide(farkle[part])
            starts = np.empty((int(self.most_to_beat[pairs.other[part]].max()) + 1, LANES))
            room = self.rooms[worker]
            starts[0] = self.solved(room, bank, here[np.newaxis])
            bonuses = np.array(self.plan.bonuses, dtype=np.intp)
            beat_turns(self.turn, room, bank, here, np.zeros(LANES), self.lists, bonuses, starts)
            return np.pad(starts.T, ((0, 0), (0, self.goal - len(starts))))

        worth = np.concatenate(self.by_lanes(pairs, do))[: len(pairs.own)]
        most = self.most_to_beat[pairs.other][:, np.newaxis]
        state, beats = np.nonzero(np.arange(self.goal) <= most)
        columns = self.begins[pairs.other[state]] + beats
        return worth[state, beats], pairs.own[state], columns

    def _lanes(self, pairs: _Pairs, part: slice, values: Floats, off: float = 0.0) -> Floats:
        """Return the banks of up to LANES states."""
        return self.banks(_wide(pairs.own[part]), _wide(pairs.other[part]), values, off)

    def bound(self, values: Floats, tolerance: float, shape: bounds.Shape) -> float | None:
        """Return a proved bound of the error of every value; None if none is proved."""
        rules, number = self.rules, value_shape(self.rules)[1]
        # beyond the goal dice that may be banked need no further roll
        ends = 1 if self.plan.may_bank.all() else 2
        most = 2 * self.goal + self.ends.beyond
        slack = sum(bounds.slacks_of(self.plan, most)[:ends])
        off = bounds.slacks_of(turn_plan(rules.in_last_turns), most)[1]
        begun = values[:, self.begins[:number]].reshape(-1, number, number)
        whole = bounds.intervals(rules, begun, tolerance, shape)
        before = [bound.reshape(-1, number) for bound in whole]
        low, high, worst = np.zeros_like(values), np.zeros_like(values), 0.0
        for pairs in self.sweep():
            state, farkle = (pairs.own, pairs.other % number), (pairs.other, pairs.after)
            upper = self.turns(pairs, low, 1 - before[0][farkle], -off)
            lower = self.turns(pairs, high, 1 - before[1][farkle], off)
            place = upper[1:]
            # some wins are certain, as where no first throw is a farkle
            high[place] = np.minimum(upper[0] + slack, 1.0)
            low[place] = np.maximum(lower[0] - slack, 0.0)
            here = pairs.own, self.begins[pairs.other]
            if np.any(high[here] > before[1][state]) or np.any(low[here] < before[0][state]):
                return None
            errors = np.maximum(high[place] - values[place], values[place] - low[place])
            worst = max(worst, float((errors / np.maximum(values[place], LEAST)).max()))
        return worst if worst <= tolerance else None


def _wide(numbers: Floats | Ints) -> np.ndarray:
    """Return numbers of LANES states, of which the last stands for those that are missing."""
    return np.pad(numbers, (0, LANES - len(numbers)), mode="edge")


def solve(
    rules: Ruleset,
    *,
    cache: Path,
    tolerance: float,
    threads: int | None = None,
    on_progress: OnProgress = lambda _: None,
) -> Solution:
    """Solve the game until no value is off by more than `tolerance`, which is proved.

    See `solver.game.sweeps.solve`. Raises ConvergenceError where there is no such proof.
    """
    started = time.perf_counter()
    plan, workers = turn_plan(rules), threads or cpu_count() or 1
    values = np.full(value_shape(rules), 0.5).reshape(-1, value_shape(rules)[2])
    falls = rules.farkle_penalty is not None
    with ThreadPoolExecutor(workers) as pool:
        game = _Game(rules, plan, load_turn(plan, cache), pool, workers)
        for number in range(1, _MOST_SWEEPS + 1):
            worst = 0.0
            for pairs in game.sweep(on_progress, number):
                begun = game.starts(pairs, values)
                worth, *where = game.turns(pairs, values, game.farkles(pairs, values, begun))
                place = tuple(where)
                before = values[place]
                values[place] = now = worth
                if not falls:
                    before, now = begun, values[pairs.own, game.begins[pairs.other]]
                worst = max(worst, float(np.max(np.abs(now - before) / np.maximum(now, LEAST))))
            if not falls or worst <= _AT_REST:
                break
        on_progress(Progress(number, 1.0, bounding=True))
        prove = partial(game.bound, values)
        error_bound = bounds.bound_within(rules, prove, tolerance, falls=falls)
    return Solution(
        rules=rules,
        values=values.reshape(value_shape(rules)),
        tolerance=tolerance,
        sweeps=number,
        largest_relative_change=worst,
        error_bound=error_bound,
        states_solved=(number + 2) * state_count(rules),
        seconds=time.perf_counter() - started,
    )


def residual(
    rules: Ruleset, values: Floats, *, cache: Path, on_progress: OnProgress = lambda _: None
) -> float:
    """Largest relative residual of the equations over the starts of all turns of a solved game.

    Every set-aside of every roll is weighed.
    """
    plan, workers, worst = turn_plan(rules, all_options=True), cpu_count() or 1, 0.0
    with ThreadPoolExecutor(workers) as pool:
        game = _Game(rules, plan, load_turn(plan, cache), pool, workers)
        here = values.reshape(-1, values.shape[2])
        for pairs in game.sweep(on_progress):
            farkle = 1 - here[pairs.other, game.begins[pairs.after]]
            worth, *place = game.turns(pairs, here, farkle)
            before = here[tuple(place)]
            worst = max(worst, float(np.max(np.abs(worth - before) / np.maximum(before, LEAST))))
    return worst
