"""The sweeps of one solve, or of a contest, over one table."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from solver.errors import ConvergenceError
from solver.game import bounds, sweep_kernels
from solver.game.endgame import Endgame
from solver.game.kernel_source import LISTED, Turns, load_turns
from solver.game.kernels import TURN_SIGNATURE, as_value, solve_turns
from solver.game.lanes import LANES
from solver.game.layout import (
    Contest,
    Work,
    first_scores,
    independent_totals,
    make_table,
    make_work,
    read_table,
    work_done,
)
from solver.game.response_kernels import Responses, find_responses, respond
from solver.game.standings import DEFAULT_TOLERANCE, Progress, score_count, state_count
from solver.rules.ruleset import Ruleset
from solver.turn.equations import TurnPlan, turn_plan

_FOLLOWED = 16
"""Totals from one whose turns are followed to the next."""

_MOST = 3.0
"""No value is moved to more than so many times itself, or to less than that part of it."""


class Correction:
    """What a sweep leaves out, estimated from how values answer to each other.

    With the way to play held fixed a turn is linear in what it leads to, with the chances of every
    bank and of a farkle as coefficients (policy evaluation, R. A. Howard, 1960). They differ little
    from a state to its neighbours and from a sweep to the next. So they are found once, for some
    totals of both scores, and after a sweep they say what it left out: that the last farkle in a
    row leads to a value that was renewed later. What is exact is for sweeps to say.
    """

    def __init__(
        self,
        work: Work,
        turn: Callable[..., Any],
        table: npt.NDArray[np.float64],
    ) -> None:
        """Follow the turns of best play, given the values of a table."""
        game = self._game = work.game
        last = 2 * game.scores - 2
        totals = np.arange(last, -_FOLLOWED, -_FOLLOWED).clip(0).tolist()
        groups = (-(-game.scores // LANES), game.roles, game.farkle_limit * game.boards)
        shape = (*groups, game.boards)
        room = np.empty((*shape, game.scores, LANES), dtype=np.float32)
        first, end = np.zeros((2, len(totals), *shape), dtype=np.int32)
        farkled = np.zeros((*first.shape, LANES), dtype=np.float32)
        banked, turn_totals = [], np.arange(game.scores)
        for i, total in enumerate(totals):
            responses = first[i], end[i], farkled[i], room
            find_responses(solve_turns, turn, table, total, *work.alike, *responses)
            begins, ends = first[i][..., np.newaxis], end[i][..., np.newaxis]
            # most turn totals are hardly ever banked: nothing is kept of them
            banked.append(room[(begins <= turn_totals) & (turn_totals < ends)])
        lengths = end - first
        start = np.cumsum(lengths, dtype=np.intp).reshape(first.shape) - lengths
        self._found = Responses(first, end, farkled, start, np.concatenate(banked))

    def apply(
        self, table: npt.NDArray[np.float64], change: npt.NDArray[np.float32], rounds: int
    ) -> None:
        """Move the values of a table to where they are expected to settle.

        change : by how much a sweep changed each of them
        """
        shifts = np.zeros_like(change)
        for _ in range(rounds):
            respond(shifts, change, _FOLLOWED, self._game, self._found)
        # role by role and mode by mode, which takes less memory
        modes = -1, *table.shape[-2:]
        for values, moves in zip(table.reshape(modes), shifts.reshape(modes), strict=True):
            before = values[moves != 0]
            most = np.minimum(1.0, _MOST * before)
            values[moves != 0] = np.clip(before + moves[moves != 0], before / _MOST, most)


_ROUGHEST = 1e-6
"""Error bound with which values are taken that rounding lets be no more exact."""

_NO_BOUND = 0.5
"""A bound from which on nothing is told."""

_ROUNDS = 2
"""Rounds in which a correction is found, which settles faster than its coefficients are exact."""

_LEFT = 0.3
"""What a correction leaves of changes to come, or less."""

_APART = 6
"""Totals from one that a rough sweep solves to the next; between is a guess."""

_CLOSE = 1.4
"""Totals from so many times the scores of one player on are close to the goal: values are not
smooth there, so that rough sweeps guess none."""

_NO_CHANGE = np.empty((0,) * 5, dtype=np.float32)


class Sweeps:
    """The sweeps of one solve, or of a contest, over one table."""

    def __init__(
        self,
        rules: Ruleset,
        ends: Endgame,
        lasts: Sequence[npt.NDArray[np.float64]],
        contest: Contest,
        cache: Path,
        threads: int | None,
        on_progress: Callable[[Progress], None],
        *,
        least: float = 0.0,
        plans: Sequence[TurnPlan] = (),
    ) -> None:
        """The players of a contest, or two who play as is best.

        lasts : as for `make_table`, two in a contest
        least : what changes are relative to where a value is less
        plans : the turns of both players of a contest, where they have their own
        """
        self._rules = rules
        self._plans = plans
        played = plans or [turn_plan(rules)]
        self._threads = threads
        self._on_progress = on_progress
        turns: tuple[Any, ...] = (
            LISTED if plans else load_turns(played[0], cache, score_count(rules))
        )
        self.turns = Turns(*[as_value(turn, TURN_SIGNATURE) for turn in turns])
        """What solves one turn."""
        self._contest = contest
        self._once = bool(rules.farkle_penalty or rules.caught_up)
        """Whether each state is solved once in a sweep, see `plain`."""
        falls = bool(rules.farkle_penalty) or rules.banks_may_fall or rules.changes_other
        self.falls = falls or any(np.any(plan.lose_chances) for plan in played)
        """Whether totals of both scores may fall; then one sweep does not solve the game."""
        self.least = least
        self._work = make_work(rules, ends, threads, sides=len(lasts), plans=plans)
        self.pair_tolerance = DEFAULT_TOLERANCE / 1000
        """See sweep_kernels.solve_total."""
        self._game = game = self._work.game
        modes = game.modes // game.farkle_limit
        self._slopes = np.zeros((game.roles * modes, modes, 3, game.scores + 1))
        self._cells = sum(plan.columns * plan.levels for plan in played) / len(played)
        """States (t, n, ...) with the same turn total, on average over the players."""
        self._last_total = 2 * game.scores - 2
        self._together = independent_totals(rules, game)
        self._changed = np.full((self._last_total + 1, game.scores // LANES + 1), np.inf)
        """How much each group changed when it was solved last, at [total, group], see
        sweep_kernels.note_changes, less what was corrected since; of groups that do not exist minus
        infinity, so that they are always at rest."""
        for total, row in enumerate(self._changed):
            row[len(first_scores(total, game)) :] = -np.inf
        self._change = _NO_CHANGE
        """How much the last sweep changed each value, once corrections are asked for."""
        self._correction: Correction | None = None
        self.number = 0
        """Sweeps so far."""
        self._bounded = 0.0
        """Which share of a bound's sweep was done since the last sweep."""
        self.wide = 0.0
        """See sweep_kernels.solve_total."""
        self.plain = False
        """Whether no secant steps are taken, so that each state is solved just once: they leave two
        values that are exact but do not quite fit each other, as a proof asks for."""
        self.table = make_table(game, lasts, plans)
        self.states_solved = 0
        """States (t, n, ...), each as often as it was solved."""
        self.share = 1.0
        """Which share of the groups the last sweep solved."""
        self.skipped = False
        """Whether the last sweep left out some groups."""

    def run(self, residual: float | None, at_rest: float, *, rough: bool = False) -> float:
        """Renew all values and return the largest relative change.

        Groups that changed by no more than `at_rest` of themselves when they were solved last are
        left out. A negative number stands for a sweep of all groups. A `rough` sweep guesses most
        of them from the others.
        """
        game, changed = self._game, self._changed
        largest, solved = 0.0, 0
        self.number += 1
        self._bounded = 0.0
        self._change[:] = 0
        self.skipped = at_rest >= 0
        guessed = self._last_total + 1 if self.number == 1 else 0
        ahead = max(0, game.penalty)
        for totals, between in self._in_order(rough):
            total = int(totals[0])
            done = work_done(total, game.scores)
            self._on_progress(Progress(self.number, done, residual))
            while guessed > max(0, totals[-1] - ahead):
                guessed -= 1
                sweep_kernels.guess_total(
                    self.table, guessed, max(ahead, total - guessed) + 1, game
                )
            active = changed[totals] > at_rest
            active[:between] = False
            self.skipped |= bool(np.any(~active & (changed[totals] >= 0)))
            if not active.any():
                continue
            before = self.table[:, :, :, totals[-1] : total + 1].copy()
            if self.number == 1 and between >= self._together:
                # banks lead there already
                for row in range(between):
                    sweep_kernels.guess_total(self.table, totals[row], row + 1, game)
            self._solve(total, active)
            for row in range(between):
                sweep_kernels.guess_between(self.table, totals[row], row + 1, between - row, game)
            solved += int(np.count_nonzero(active))
            largest = float(np.maximum(largest, self._note(total, active, before)))
        self.share = solved / np.count_nonzero(changed >= 0)
        return largest

    def _note(
        self, total: int, active: npt.NDArray[np.bool_], before: npt.NDArray[np.float64]
    ) -> float:
        """Take down what was solved together with a total; returns the largest relative change."""
        change, turn_totals = sweep_kernels.note_changes(
            self.table,
            before,
            total,
            active,
            self._game,
            self.least,
            self._changed,
            self._change,
        )
        self.states_solved += round(self._cells * turn_totals)
        return float(change)

    def _in_order(self, rough: bool) -> Iterator[tuple[npt.NDArray[np.intp], int]]:
        """Totals from high to low, as they are solved together, and how many only guessed."""
        total = self._last_total
        while total >= 0:
            between = _APART - 1 if rough and total < _CLOSE * self._game.scores else 0
            size = min(between + 1 if between else self._together, total + 1)
            yield np.arange(total, total - size, -1), min(between, size - 1)
            total -= size

    def expect_corrections(self) -> None:
        """Keep what `correct` needs."""
        self._change = np.zeros(self.table.shape, dtype=np.float32)

    def correct(self) -> None:
        """Move values to where they are expected to settle, see `Correction`.

        Only where corrections are expected, and up to the first proof of a bound.
        """
        if not self._change.size:
            return
        if self._correction is None:
            self._correction = Correction(self._work, self.turns.whole, self.table)
        self._correction.apply(self.table, self._change, _ROUNDS)
        self._changed *= _LEFT

    def error_bound(
        self, tolerance: float, residual: float, *, shapes: int | None = None
    ) -> float | None:
        """A proved bound of the error of every value, if there is one; see `bounds`.

        shapes : how many shapes of intervals are tried; all if None
        """
        # over once there is something to prove, and as large as the table
        self._change, self._correction = _NO_CHANGE, None
        tried = 0.0

        def on_progress(done: float) -> None:
            nonlocal tried
            tried = done
            # another try does not start again from nothing
            self._bounded = max(self._bounded, done)
            self._on_progress(Progress(self.number, self._bounded, residual, bounding=True))

        values = read_table(self._rules, self.table)

        def prove(within: float, shape: bounds.Shape) -> float | None:
            bound = bounds.error_bound(
                self._rules,
                values,
                within,
                self.turns,
                shape=shape,
                plans=self._plans,
                threads=self._threads,
                on_progress=on_progress,
            )
            share = tried if bound is None else 1.0
            self.states_solved += round(2 * share * state_count(self._rules, self._plans))
            return bound

        return bounds.first_proved(prove, [tolerance], falls=self.falls, shapes=shapes)

    def widest_bound(self, tolerance: float, residual: float) -> float:
        """What can be proved of the error of values that are as exact as they get.

        Raises ConvergenceError where that is not enough.
        """
        within, bound = tolerance, None
        while bound is None and (within := 10 * within) < _NO_BOUND:
            bound = self.error_bound(within, residual)
        if bound is None:
            raise ConvergenceError.say(
                "{rules}: cannot be solved: after {sweeps} passes win probabilities no longer"
                " change, but they cannot be proved to be right, perhaps because a game may never"
                " end under these rules; no strategy file is written",
                rules=self._rules.name,
                sweeps=self.number,
            )
        if bound > _ROUGHEST or tolerance < DEFAULT_TOLERANCE:
            raise ConvergenceError.say(
                "{rules}: after {sweeps} passes win probabilities are as exact as rounding allows,"
                " which proves them to within {within:.1e} and not to the tolerance of"
                " {tolerance:.1e}; no strategy file is written: allow a larger tolerance",
                rules=self._rules.name,
                sweeps=self.number,
                tolerance=tolerance,
                within=within,
            )
        return bound

    def _solve(self, total: int, active: npt.NDArray[np.bool_]) -> None:
        """Renew the `active` groups of a total and of those that are solved together with it."""
        solvers, given = (sweep_kernels.GROUP, *self.turns), (*self._work, *self._contest)
        if self._once or self.plain:
            sweep_kernels.sweep_totals(*solvers, self.table, total, active, *given)
        else:
            secant = self._slopes, self.pair_tolerance, max(self.least, 1e-300), self.wide
            sweep_kernels.solve_total(*solvers, self.table, total, active[0], *given, *secant)
