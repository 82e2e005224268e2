"""Games in which a turn may begin with what the player before left, solved.

Besides V(b, d), what it is worth to begin a turn afresh with b points against d, there is
R(t, n; b, d): to roll n dice at the turn total t, as somebody does who takes over.

    bank(t, n)   = 1 - max(V(d, b + t), R(t, n; d, b + t))    what was banked may be taken over
    farkle(t, n) = 1 - max(V(d, b), R(t, n; d, b))            what was lost may be

Everything else of a turn is as ever, so that one backward pass over the turn totals finds the R of
a state with its V. A bank leads to a higher total of both scores and a farkle to the mirror image
of the state: totals are solved from high to low, state and mirror image together. Where the lost
may be taken over, R of both depend on each other at each turn total and number of dice, which is
solved in closed form.

Bounds are proved as in solver.game.bounds, by one more pass with intervals around V; those of R
come out of it, as nothing is assumed of R.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from os import cpu_count
from typing import Any

import numpy as np
import numpy.typing as npt

from solver.errors import ConvergenceError
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
    DEFAULT_TOLERANCE,
    LEAST,
    Progress,
    Solution,
    score_count,
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
from solver.turn.equations import Floats
from solver.turn.scoring import turn_plan


@dataclass(frozen=True, slots=True, eq=False)
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
        ends = endgame_taken_over(rules)
        gives = [not rules.goal_ends_game(last_of_round=bool(role)) for role in range(2)]
        numbers = Numbers(
            scores=score_count(rules),
            least=rules.least_bank() // step,
            opening=rules.least_bank(on_board=False) // step,
            free_win=int(not rules.minimum_binds_win),
            beyond=ends.beyond,
            goes_on=(int(gives[0]), int(gives[1])),
            banked=int(rules.take_over != "lost"),
            lost=int(rules.take_over != "banked"),
            least_score=rules.take_over_from // step,
            most_dice=rules.take_over_dice,
            unsure=plan.usual.start,
        )
        finals = Finals(ends.last, taken_finals(rules))
        given = {
            "game": numbers,
            "lists": lists_of(plan),
            "bonuses": np.array(plan.bonuses, dtype=np.intp),
            "reach": plan.reach,
        }
        return cls(rules, given, finals, first_rows(rules), threads or cpu_count() or 1)

    def totals(self) -> Iterator[npt.NDArray[np.int64]]:
        """Pairs of states by the total of both scores, from high to low; each pair once."""
        roles, standings, _ = value_shape(self.rules)
        scores = score_count(self.rules)
        score = np.arange(standings) % scores
        every = np.ones((standings, standings))
        own, other = np.nonzero(np.triu(every) if roles == 1 else every)
        total = score[own] + score[other]
        for one in range(2 * scores - 2, -1, -1):
            which = np.flatnonzero(total == one)
            yield np.stack([np.zeros(len(which), dtype=np.int64), own[which], other[which]], axis=1)

    def side(
        self,
        values: Sequence[Floats],
        rolled: Sequence[Floats],
        finals: Sequence[Finals] = (),
    ) -> Sides:
        """Values of both players as the kernels take them; those of both if there is one."""
        finals = finals or [self.finals]
        return Sides(
            (values[0], values[-1]), (rolled[0], rolled[-1]), (finals[0], finals[-1]), self.first
        )

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
    on_progress: Callable[[Progress], None] = lambda _: None,
) -> Solution:
    """Solve the game until no value is off by more than `tolerance`, which is proved.

    See `solver.game.sweeps.solve`. Raises ConvergenceError where there is no such proof.
    """
    started = time.perf_counter()
    game = _Game.of(rules, threads)
    values = np.full(value_shape(rules), 0.5)
    rolled = np.zeros(taken_shape(rules))
    side, solved, change = game.side([values], [rolled]), 0, 0.0
    with ThreadPoolExecutor(game.threads) as pool:
        do = partial(solve_pairs, side=side, **game.given)
        for pairs in game.totals():
            on_progress(Progress(1, solved / values.size))
            _guess(values, pairs, score_count(rules))
            change = max(change, float(game.in_parts(pool, pairs, do).max()))
            solved += 2 * len(pairs)
    # where rounding stands in the way values are as exact as they get
    wider = [10.0**k * tolerance for k in range(4 if tolerance >= DEFAULT_TOLERANCE else 1)]
    found = (
        _error_bound(game, values, rolled, within, shape)
        for within in wider
        for shape in bounds.SHAPES[:2]
    )
    error_bound = next((one for one in found if one is not None), None)
    if error_bound is None:
        raise ConvergenceError.say(
            "{rules}: cannot be solved: win probabilities are not proved to within the tolerance of"
            " {tolerance:.1e}, perhaps because a game may never end under these rules; no strategy"
            " file is written",
            rules=rules.name,
            tolerance=tolerance,
        )
    return Solution(
        rules=rules,
        values=values,
        rolled=rolled,
        tolerance=tolerance,
        sweeps=1,
        largest_relative_change=change,
        error_bound=error_bound,
        states_solved=4 * state_count(rules),
        seconds=time.perf_counter() - started,
    )


def _guess(values: Floats, pairs: npt.NDArray[np.int64], scores: int) -> None:
    """Begin with what states are worth in which both have a step more, where there are such."""
    own, other = pairs[:, 1], pairs[:, 2]
    known = (own + 1 < scores) & (other + 1 < scores)
    own, other = own[known], other[known]
    values[0, own, other] = values[0, own + 1, other + 1]
    values[-1, other, own] = values[-1, other + 1, own + 1]


def residual(
    rules: Ruleset,
    values: Floats,
    rolled: Floats,
    *,
    threads: int | None = None,
    on_progress: Callable[[Progress], None] = lambda _: None,
) -> float:
    """Largest relative residual of the equations over all that a file has of a solved game."""
    game, worst, done = _Game.of(rules, threads), 0.0, 0
    again, values = np.array(rolled), np.array(values)
    side = game.side([values], [again])
    with ThreadPoolExecutor(game.threads) as pool:
        do = partial(renew_pairs, side=side, slack=0.0, **game.given)
        for pairs in game.totals():
            on_progress(Progress(1, done / values.size))
            found = game.in_parts(pool, pairs, do)
            before = _of_pairs((values, values), pairs)
            worst = max(worst, float(np.max(np.abs(found - before) / np.maximum(before, 1e-300))))
            done += 2 * len(pairs)
    off = np.abs(again - rolled)
    return max(worst, float(np.max(off / np.maximum(rolled, LEAST), initial=0.0)))


def _of_pairs(values: tuple[Floats, Floats], pairs: npt.NDArray[np.int64]) -> Floats:
    """Values of the states of pairs, shape (pairs, 2)."""
    r, own, other = pairs.T
    opposite = (r + 1) % len(values[0])
    return np.stack([values[0][r, own, other], values[1][opposite, other, own]], axis=1)


def _error_bound(
    game: _Game, values: Floats, rolled: Floats, tolerance: float, shape: bounds.Shape
) -> float | None:
    """A proved bound of the error of every value, as of `bounds.error_bound`."""
    rules = game.rules
    plan = turn_plan(rules)
    rows = values.shape[1] + endgame_taken_over(rules).beyond
    slack, last_slack = bounds.slacks_of_lists(plan, rows)
    if rules.take_over != "banked":
        # what is off in a roll that both may take over from each other comes back by farkles
        slack /= 1 - float(max(one for one in plan.farkle_chances if one < 1))
    slack += 2 * NEXT_TO_NOTHING if rules.ending != "at_once" else 0.0
    before = bounds.intervals(rules, values, tolerance, shape)
    low, high = (np.array(one) for one in before)
    sides = [np.zeros_like(rolled), np.zeros_like(rolled)]
    finals = [
        Finals(*(one + np.where(one > 0, off, 0.0) for one in game.finals))
        for off in (-last_slack, last_slack)
    ]
    upper = game.side([high, low], sides[::-1], finals[::-1])
    lower = game.side([low, high], sides, finals)
    with ThreadPoolExecutor(game.threads) as pool:
        first = partial(renew_pairs, side=upper, slack=slack, **game.given)
        second = partial(renew_pairs, side=lower, slack=-slack, **game.given)
        for pairs in game.totals():
            above = game.in_parts(pool, pairs, first)
            below = game.in_parts(pool, pairs, second)
            r, own, other = pairs.T
            opposite = (r + 1) % len(values)
            high[r, own, other], low[opposite, other, own] = above.T
            low[r, own, other], high[opposite, other, own] = below.T
    proved = bounds.proved(values, before, (low, high))
    if proved is None:
        return None
    # in their places, as they are large
    for side in sides:
        np.subtract(side, rolled, out=side)
        np.abs(side, out=side)
    off = np.maximum(sides[0], sides[1], out=sides[0])
    off /= np.maximum(rolled, LEAST, out=sides[1])
    return max(proved, float(off.max(initial=0.0)))
