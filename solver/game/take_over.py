"""Games in which a turn may begin with what the player before left, solved.

Besides V(b, d), what it is worth to begin a turn afresh with b points against d, there is
R(t, n; b, d): to roll n dice at the turn total t, as somebody does who takes over.

    bank(t, n)   = 1 - max(V(d, b + t), R(t, n; d, b + t))    what was banked may be taken over
    farkle(t, n) = 1 - max(V(d, b), R(t, n; d, b))            what was lost may be

Everything else of a turn is as ever, so that one backward pass over the turn totals finds the R of
a state with its V. A bank leads to a higher total of both scores and a farkle to the mirror image
of the state: totals are solved from high to low, state and mirror image together. Where the lost
may be taken over, R of both depend on each other at each turn total and number of dice, which is
solved in closed form. Where farkles cost points they lead to lower totals, so that this is done
again and again until nothing changes; what was lost is then taken over at the score that is left.

Bounds are proved as in solver.game.bounds, by one more pass with intervals around V; those of R
come out of it, and are kept as how far they are from it. Nothing is assumed of R but where a farkle
that costs points may be taken over: then intervals around R must not grow either.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, partial
from os import cpu_count
from typing import Any

import numpy as np
import numpy.typing as npt

from solver.game import bounds
from solver.game.endgame import (
    NEXT_TO_NOTHING,
    endgame_taken_over,
    first_rows,
    taken_finals,
    taken_shape,
)
from solver.game.lanes import LANES
from solver.game.layout import lists_of
from solver.game.standings import (
    LEAST,
    OnProgress,
    Progress,
    Solution,
    after_turns,
    all_standings,
    score_count,
    standing_indices,
    state_count,
    value_shape,
)
from solver.game.take_over_kernels import (
    Finals,
    Numbers,
    Sides,
    renew_pairs,
    solve_pairs,
)
from solver.rules.ruleset import Ruleset
from solver.turn.equations import Floats, turn_plan

_SETTLED = 1e-13
"""Largest change of values in the last sweep, relative to themselves or to LEAST."""

_MOST = 1000
"""Sweeps at most."""

_MIXED = 6
"""Sweeps from which it is told where values settle, beside the last."""


@dataclass(frozen=True, eq=False)
class _Game:
    """A rule set as the kernels take it."""

    rules: Ruleset
    given: dict[str, Any]
    """What kernels are given of the game, by name."""
    finals: Finals
    first: npt.NDArray[np.int64]
    threads: int

    @classmethod
    def of(cls, rules: Ruleset, threads: int | None) -> "_Game":
        """Return the game of a rule set, for as many threads as there are processors if None."""
        plan = turn_plan(rules)
        step = rules.point_step
        ends, everyone = endgame_taken_over(rules), all_standings(rules)
        gives = [not rules.goal_ends_game(last_of_round=bool(role)) for role in range(2)]
        numbers = Numbers(
            scores=score_count(rules),
            score=(everyone.score - rules.score_floor) // step,
            on_board=everyone.on_board,
            after_farkle=np.stack(
                [
                    standing_indices(
                        rules, after_turns(rules, everyone, 0, farkles=counts, loses=False)
                    )
                    for counts in (True, False)
                ]
            ),
            least=rules.least_bank() // step,
            opening=rules.least_bank(on_board=False) // step,
            free_win=int(not rules.minimum_binds_win),
            beyond=ends.beyond,
            goes_on=(int(gives[0]), int(gives[1])),
            banked=int(rules.take_over != "lost"),
            lost=int(rules.take_over != "banked"),
            leaves_and_falls=int(rules.leaves_and_falls),
            least_score=(rules.take_over_from - rules.score_floor) // step,
            most_dice=rules.take_over_dice,
            usual=plan.usual.start,
            dice=rules.dice,
        )
        finals = Finals(ends.last, taken_finals(rules))
        given = {
            "game": numbers,
            "lists": lists_of(plan),
            "bonuses": np.array(plan.bonuses, dtype=np.intp),
            "reach": plan.reach,
        }
        return cls(rules, given, finals, first_rows(rules), threads or cpu_count() or 1)

    @cached_property
    def groups(self) -> list[npt.NDArray[np.int64]]:
        """Return pairs of states that do not lead to each other, each pair once.

        By the total of both scores from high to low, and of farkles in a row from many to none.
        """
        roles, standings, _ = value_shape(self.rules)
        everyone, score = all_standings(self.rules), self.given["game"].score
        every = np.ones((standings, standings))
        own, other = np.nonzero(np.triu(every) if roles == 1 else every)
        place = (score * 2 * self.rules.farkle_limit + everyone.farkles).astype(np.int64)
        order = place[own] + place[other]
        pairs = np.stack([np.zeros(len(own), dtype=np.int64), own, other], axis=1)
        return [pairs[order == one] for one in np.unique(order)[::-1]]

    def sweep(
        self,
        on_progress: OnProgress = lambda _: None,
        number: int = 1,
        change: float | None = None,
    ) -> Iterator[npt.NDArray[np.int64]]:
        """Give the pairs of each total in their order, and tell how far that is."""
        done, count = 0, sum(map(len, self.groups))
        for pairs in self.groups:
            on_progress(Progress(number, done / count, change))
            done += len(pairs)
            yield pairs

    def side(
        self,
        values: Sequence[Floats],
        rolled: Floats,
        finals: Sequence[Finals] = (),
        off: Sequence[npt.NDArray[np.float32]] = (np.zeros((1, 1), np.float32),),
        sign: float = 0.0,
    ) -> Sides:
        """Values of both players as the kernels take them; those of both if there is one."""
        finals = finals or [self.finals]
        both, ends = (values[0], values[-1]), (finals[0], finals[-1])
        return Sides(both, ends, self.first, rolled, (off[0], off[-1]), sign)

    def guess(self, values: Floats, pairs: npt.NDArray[np.int64]) -> None:
        """Begin with what states are worth in which both have a step more, where there are such."""
        own, other = pairs[:, 1], pairs[:, 2]
        numbers = self.given["game"]
        below = numbers.on_board & (numbers.score + 1 < numbers.scores)
        own, other = own[below[own] & below[other]], other[below[own] & below[other]]
        values[0, own, other] = values[0, own + 1, other + 1]
        values[-1, other, own] = values[-1, other + 1, own + 1]

    def in_parts(
        self, pool: ThreadPoolExecutor, pairs: npt.NDArray[np.int64], do: Callable[..., Floats]
    ) -> Floats:
        """What is found for all pairs of a total, LANES at a time, shared out among threads."""
        parts = [pairs[k : k + LANES] for k in range(0, len(pairs), LANES)]
        return np.concatenate(list(pool.map(do, parts)))


def solve(
    rules: Ruleset,
    *,
    tolerance: float,
    threads: int | None = None,
    on_progress: OnProgress = lambda _: None,
) -> Solution:
    """Solve the game until no value is off by more than `tolerance`, which is proved.

    See `solver.game.sweeps.solve`. Raises ConvergenceError where there is no such proof.
    """
    started = time.perf_counter()
    game = _Game.of(rules, threads)
    values = np.full(value_shape(rules), 0.5)
    rolled = np.zeros(taken_shape(rules))
    side, sweeps, residual, change, moved = game.side([values], rolled), 0, 0.0, 1.0, 0.0
    places, moves = list[Floats](), list[Floats]()
    with ThreadPoolExecutor(game.threads) as pool:
        do = partial(solve_pairs, side=side, **game.given)
        # one does where no score falls, as farkles then lead to nothing that comes later
        most = _MOST if rules.farkle_penalty else 1
        while max(change, moved) > _SETTLED and sweeps < most:
            before, last, sweeps = values.copy(), change, sweeps + 1
            taken = rolled.copy() if rules.leaves_and_falls else None
            for pairs in game.sweep(on_progress, sweeps, change if sweeps > 1 else None):
                if sweeps == 1:
                    game.guess(values, pairs)
                residual = max(residual, float(game.in_parts(pool, pairs, do).max()))
            change = float(np.max(np.abs(values - before) / np.maximum(values, LEAST)))
            if taken is not None:  # what nobody takes over settles last
                moves_of_rolled = np.abs(rolled - taken) / np.maximum(rolled, LEAST)
                moved = float(moves_of_rolled.max(initial=0.0))
            if change > 2 * last:
                places, moves = [], []  # the mixing went astray
            places, moves = [*places[-_MIXED:], before], [*moves[-_MIXED:], values - before]
            if change > _SETTLED and len(moves) > 1:
                values[...] = _mixed(places, moves)
    prove = partial(_error_bound, game, values, rolled)
    falls = rules.farkle_penalty is not None
    error_bound = bounds.bound_within(rules, prove, tolerance, falls=falls)
    return Solution(
        rules=rules,
        values=values,
        rolled=rolled,
        tolerance=tolerance,
        sweeps=sweeps,
        largest_relative_change=residual if sweeps == 1 else change,
        error_bound=error_bound,
        states_solved=(3 + sweeps) * state_count(rules),
        seconds=time.perf_counter() - started,
    )


def _mixed(places: list[Floats], moves: list[Floats]) -> Floats:
    """Where values seem to settle that sweeps moved so from some places: Anderson's mixing."""
    turns, paths = (np.diff([row.ravel() for row in rows], axis=0) for rows in (moves, places))
    weights = np.linalg.lstsq(turns.T, moves[-1].ravel(), rcond=1e-12)[0]
    here: Floats = places[-1] + moves[-1]
    here = here - (weights @ (turns + paths)).reshape(here.shape)
    return here.clip(0.0, 1.0)


def residual(
    rules: Ruleset,
    values: Floats,
    rolled: Floats,
    *,
    threads: int | None = None,
    on_progress: OnProgress = lambda _: None,
) -> float:
    """Largest relative residual of the equations over all that a file has of a solved game."""
    game, worst = _Game.of(rules, threads), 0.0
    values, rolled = (np.require(one, requirements=["C", "W"]) for one in (values, rolled))
    side = game.side([values], rolled)
    with ThreadPoolExecutor(game.threads) as pool:
        do = partial(renew_pairs, side=side, slack=0.0, **game.given)
        for pairs in game.sweep(on_progress):
            worth, off = np.moveaxis(game.in_parts(pool, pairs, do), 2, 0)
            r, own, other = pairs.T
            opposite = values[(r + 1) % len(values), other, own]
            before = np.stack([values[r, own, other], opposite], axis=1)
            starts = np.abs(worth - before) / np.maximum(before, 1e-300)
            worst = max(worst, float(starts.max()), float(off.max()))
    return worst


def _error_bound(
    game: _Game, values: Floats, rolled: Floats, tolerance: float, shape: bounds.Shape
) -> float | None:
    """A proved bound of the error of every value, as of `bounds.error_bound`."""
    rules = game.rules
    plan = turn_plan(rules)
    rows = values.shape[1] + endgame_taken_over(rules).beyond
    slack, last_slack = bounds.slacks_of(plan, rows, by_lists=True)
    if rules.take_over != "banked":
        # what is off in a roll that both may take over from each other comes back by farkles
        slack /= 1 - float(max(one for one in plan.farkle_chances if one < 1))
    slack += 2 * NEXT_TO_NOTHING if rules.ending != "at_once" else 0.0
    before = bounds.intervals(rules, values, tolerance, shape)
    low, high = (np.array(one) for one in before)
    finals = [
        Finals(*(one + np.where(one > 0, off, 0.0) for one in game.finals))
        for off in (-last_slack, last_slack)
    ]
    # below what is rolled and above it
    off = [np.zeros(rolled.shape, np.float32) for _ in range(2)]
    assumed = list[npt.NDArray[np.float32]]()
    if rules.leaves_and_falls:
        around = bounds.intervals(rules, rolled, tolerance, shape)
        assumed = [np.abs(one - rolled).astype(np.float32) for one in around]
        off = [one.copy() for one in assumed]
    upper = game.side([high, low], rolled, finals[::-1], off[::-1], 1.0)
    lower = game.side([low, high], rolled, finals, off, -1.0)
    worst = 0.0
    with ThreadPoolExecutor(game.threads) as pool:
        first = partial(renew_pairs, side=upper, slack=slack, **game.given)
        second = partial(renew_pairs, side=lower, slack=-slack, **game.given)
        for pairs in game.groups:
            above, over = np.moveaxis(game.in_parts(pool, pairs, first), 2, 0)
            below, under = np.moveaxis(game.in_parts(pool, pairs, second), 2, 0)
            worst = max(worst, float(over.max()), float(under.max()))
            r, own, other = pairs.T
            opposite = (r + 1) % len(values)
            high[r, own, other], low[opposite, other, own] = above.T
            low[r, own, other], high[opposite, other, own] = below.T
    if any(np.any(now > one) for one, now in zip(assumed, off, strict=False)):
        return None
    bound = bounds.proved(values, before, (low, high))
    return None if bound is None else max(bound, worst)
