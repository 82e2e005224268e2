"""How far a solved game can be from the exact one: bounds that one more sweep proves.

The sweep takes intervals around the values and solves the turns of both players at once, with the
opponent's lower bounds for the upper bounds of the player to move and the other way round. Where no
interval grows, the exact values are inside. docs/mathematics.md has the proof.
"""

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import chain
from math import fsum
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from solver.errors import ConvergenceError
from solver.game import sweep_kernels
from solver.game.endgame import Endgame, defended, endgames
from solver.game.kernel_source import Turns, summands, turns_weigh
from solver.game.lanes import LANES
from solver.game.layout import (
    Contest,
    Lists,
    as_is_best,
    first_scores,
    independent_totals,
    lists_of,
    lists_of_cells,
    make_table,
    make_work,
    read_table,
    work_done,
    write_table,
)
from solver.game.list_kernels import SUMMED
from solver.game.standings import DEFAULT_TOLERANCE, LEAST, blocks, score_count
from solver.rules.ruleset import RULESETS, Ruleset
from solver.turn.equations import Floats, TurnPlan, turn_plan

if TYPE_CHECKING:
    from solver.turn.power_cells import TurnCells


class Shape(NamedTuple):
    """How wide intervals are where they are narrow, see `intervals`."""

    lean: float
    """How much smaller they are at 1 than at 0, where most of them is for rounding."""
    growth: float = 0.0
    """How much smaller they are at the goal than at the least scores."""


SHAPES = Shape(0.02, growth=0.5), Shape(0.2), Shape(0.0)
"""Shapes that are tried, one after the other.

Where no score falls, intervals that are narrower as the goal comes closer shrink in every turn that
banks, and with a little lean in that of a player who is all but lost, and bound to farkle, or who
can never bank. Elsewhere that needs more lean; without it they shrink in games in which a turn
hardly changes anything."""

_ROUNDING = 2.0**-53
"""Half of the last place of numbers from 1 to 2."""

_MORE = 1.125
"""How much more than rounding bounds are moved apart."""


def error_bound(
    rules: Ruleset,
    values: Floats,
    tolerance: float,
    turns: Turns,
    *,
    shape: Shape = SHAPES[-1],
    plans: Sequence[TurnPlan] = (),
    threads: int | None = None,
    on_progress: Callable[[float], None] = lambda _: None,
) -> float | None:
    """A proved bound of the error of every value of a solved game; None if none is proved.

    Relative to the value, or to LEAST where it is less, and at most the tolerance. As much work as
    two sweeps, but for the first interval that grows, at which it ends. `shape` is one of SHAPES,
    `plans` are the turns of both players of a contest, where they have their own.
    """
    ends, (slack, off) = endgames(rules, plans), _slacks(rules, plans, values.shape[1])
    work = make_work(rules, ends[0], threads, sides=2 * len(ends), slack=slack, plans=plans)
    table = make_table(work.game, [*_lasts(ends, -off), *_lasts(ends, off)], plans)
    sides = table[: len(values)], table[len(values) :]
    for side, bound in zip(sides, intervals(rules, values, tolerance, shape), strict=True):
        write_table(rules, side, bound)
    game, contest = work.game, Contest(as_is_best(), as_is_best())
    together, half = independent_totals(rules, game), len(table) // 2
    groups = np.arange(game.scores // LANES + 1)
    for total in range(2 * game.scores - 2, -1, -together):
        on_progress(work_done(total, game.scores))
        totals = range(total, max(-1, total - together), -1)
        exist = [groups < len(first_scores(points, game)) for points in totals]
        here = table[:, :, :, totals[-1] : total + 1]
        before, solvers = here.copy(), (sweep_kernels.GROUP, *turns)
        sweep_kernels.sweep_totals(*solvers, table, total, np.array(exist), *work, *contest)
        if np.any(here[:half] < before[:half]) or np.any(here[half:] > before[half:]):
            return None
    lower, upper = (read_table(rules, side) for side in sides)
    del table, sides, here, before  # they are large
    return _largest_error(values, lower, upper)


def intervals(
    rules: Ruleset, values: Floats, tolerance: float, shape: Shape
) -> tuple[Floats, Floats]:
    """Lower and upper bounds around values before any proof, within what the tolerance allows.

    How far they are away is concave in the value and, but for the lean, the same for what the
    opponent has, so that intervals around exact values do not grow in a turn. The smaller share
    makes room for rounding.
    """
    narrow = 0.25 * LEAST * (1 - shape.lean * values)
    if shape.growth:
        scores = np.concatenate([np.arange(block.scores) for block in blocks(rules)])
        # for each number of uses of a badge that may be left
        scores = np.tile(scores, values.shape[1] // len(scores))
        narrow *= 1 - shape.growth * np.add.outer(scores, scores) / (2 * score_count(rules))
    distance = tolerance * (0.75 * values * (1 - values) + narrow)
    return np.maximum(values - distance, 0.0), np.minimum(values + distance, 1.0)


def proved(
    values: Floats, before: tuple[Floats, Floats], after: tuple[Floats, Floats]
) -> float | None:
    """Bound of the error of every value, given intervals before and after the sweep."""
    lower, upper = after
    if not (np.all(lower >= before[0]) and np.all(upper <= before[1])):
        return None
    return _largest_error(values, lower, upper)


def _largest_error(values: Floats, lower: Floats, upper: Floats) -> float:
    """Return how far values may be off at most that are between bounds, relative to the value."""
    errors = np.maximum(values - lower, upper - values) / np.maximum(values, LEAST)
    return float(errors.max())


Prove = Callable[[float, Shape], float | None]
"""Proves a bound of at most a tolerance by intervals of a shape; None if it does not."""


def first_proved(
    prove: Prove, tolerances: Iterable[float], *, falls: bool, shapes: int | None = None
) -> float | None:
    """Return the first bound that is proved, tolerance by tolerance; None if none is.

    falls : whether a score may fall, so that intervals that narrow towards the goal may grow
    shapes : how many shapes are tried; all if None
    """
    tried = SHAPES[falls:][:shapes]
    bounds = (prove(tolerance, shape) for tolerance in tolerances for shape in tried)
    return next((bound for bound in bounds if bound is not None), None)


def bound_within(rules: Ruleset, prove: Prove, tolerance: float, *, falls: bool) -> float:
    """Return the first bound that is proved, which is at most the tolerance.

    Or up to 1,000 times that where it is not finer than the default one: where rounding stands in
    the way values are as exact as they get. Raises ConvergenceError where none is proved.

    falls : as of `first_proved`
    """
    wider = [10.0**k * tolerance for k in range(4 if tolerance >= DEFAULT_TOLERANCE else 1)]
    if (bound := first_proved(prove, wider, falls=falls)) is None:
        raise not_proved(rules, tolerance)
    return bound


def _slacks(rules: Ruleset, plans: Sequence[TurnPlan], scores: int) -> tuple[float, float]:
    """How far bounds have to be moved apart after turns of any player, as of `slacks_of`."""
    ends, pairs = endgames(rules, plans), []
    finals = tuple(plans) or (turn_plan(rules.in_last_turns),)
    for plan in {*(plans or [turn_plan(rules)]), *finals}:
        if plan.cells:
            final = rules.ending != "at_once" and 4 * _rounding_of_cells(plan.cells, in_numpy=True)
            pairs.append((_MORE * _rounding_of_cells(plan.cells), float(final)))
        else:
            how = {"by_lists": bool(plans), "is_exact": rules.is_exact}
            pairs.append(slacks_of(plan, scores + ends[0].beyond, **how))
    slack, off = map(max, zip(*pairs, strict=True))
    return slack, off + (defended(rules, finals, off)[1] if rules.is_defended else 0.0)


def not_proved(rules: Ruleset, tolerance: float) -> ConvergenceError:
    """Return that win probabilities are not proved to be as exact as they should be."""
    return ConvergenceError.say(
        "{rules}: cannot be solved: win probabilities are not proved to within the tolerance of"
        " {tolerance:.1e}, perhaps because a game may never end under these rules; no strategy"
        " file is written",
        rules=rules.name,
        tolerance=tolerance,
    )


def slacks_of(
    plan: TurnPlan, turn_totals: int, *, by_lists: bool = False, is_exact: bool = False
) -> tuple[float, float]:
    """What rounding may change the value of a turn, and a little more, and of a final turn.

    That excess is what whoever plays by the bounds gains in every turn, so that the game ends.

    by_lists : whether a loop goes through the lists, though the turn could have code of its own
    is_exact : whether what is rolled on beyond the goal settles
    """
    # roundings in the value of one roll of the dice of a column, values being at most about 1
    sums = _rounding_of_lists(plan) if by_lists or plan.by_lists else _rounding_of_sums(plan)
    # with those of a bank, 1 - V, and of the slack itself
    error = _ROUNDING * (1 + _accumulated(plan, sums, turn_totals + plan.reach))
    if plan.must_roll_others:
        error += 10 * _ROUNDING * plan.rolls_to_bank
    elif plan.must_roll_hot:
        error += 10 * _ROUNDING / (1 - plan.only_hot[-1])
    if is_exact:
        error += 10 * _ROUNDING * plan.rolls_to_end
    # NumPy adds up final turns in an order of its own; four times, as the turns of a play-off lead
    # to one another
    sums = sums + np.count_nonzero(plan.chances, axis=1) + 4.0
    final = 4 * _ROUNDING * (3 + _accumulated(plan, sums, turn_totals + plan.reach))
    return _MORE * error, final


def _lasts(ends: Sequence[Endgame], off: float) -> list[Floats]:
    """What final turns are worth, but for so much."""
    return [end.lasts + np.where(end.lasts > 0, off, 0.0) for end in ends]


@lru_cache(maxsize=RULESETS)
def _rounding_of_sums(plan: TurnPlan) -> Floats:
    """Roundings in a turn's own code: of chances, of products with values, and of the sum.

    One term after the other, in that turn function in which they are most.
    """
    roundings = np.zeros(plan.columns)
    for weighed in turns_weigh(plan):
        for column, parts in enumerate(summands(plan, weighed)):
            terms, rolls = [*chain(*parts)], 6 ** (column % plan.width + 1)
            exact = [Fraction(round(chance * rolls), rolls) for chance, _ in terms]
            off = sum(
                times * abs(Fraction(chance) - right)
                for (chance, times), right in zip(terms, exact, strict=True)
            )
            units = float(off) / _ROUNDING
            if plan.throws_again:  # no more is known than that each chance was rounded once
                units = sum(times * float(_last_places(chance)) for chance, times in terms)
            products = [[chance * times for chance, times in part] for part in parts]
            sums = [total for part in products for total in np.cumsum(part)[1:]]
            sums += np.cumsum([fsum(part) for part in products if part]).tolist()[1:]
            units += _last_places([*chain(*products), *sums]).sum()
            for chance, times in terms:  # of values that share it
                units += chance * _last_places(np.arange(2.0, times + 1)).sum()
            roundings[column] = max(roundings[column], units)
    return roundings


@lru_cache(maxsize=RULESETS)
def _rounding_of_lists(plan: TurnPlan) -> Floats:
    return roundings(lists_of(plan))


def roundings(lists: Lists) -> Floats:
    """Return those of `list_kernels.turn_of_lists` in each column, of chances rounded once."""
    units = np.zeros(len(lists.farkles))
    for n in range(len(units)):
        ends = [lists.wins[n], lists.loses[n], lists.farkles[n]]
        chances = lists.chances[lists.first_list[n] : lists.first_list[n + 1]]
        parts = [chances[k : k + SUMMED] for k in range(0, len(chances), SUMMED)]
        sums = np.cumsum([sum(ends), *map(np.sum, parts)])
        # of chances, of products with them, and of sums
        results: list[npt.ArrayLike] = [ends, chances, ends, chances, ends, sums]
        results += map(np.cumsum, parts)
        units[n] = sum(_last_places(numbers).sum() for numbers in results)
    return units


def _last_places(results: npt.ArrayLike) -> Floats:
    """How far results may be off, in units of _ROUNDING: half of their last place each.

    They are sums of chances, or numbers of values, none of which is above 1 but for what bounds
    below 0 leave to the other player.
    """
    _, places = np.frexp(np.asarray(results) * (1 + LEAST))
    return np.exp2(places - 1.0)


def _accumulated(plan: TurnPlan, sums: Floats, turn_totals: int) -> float:
    """Most roundings to expect over the rolls of a whole turn, given those of one roll."""
    columns = plan.targets % plan.columns

    def before(after: Floats) -> Floats:
        best = np.maximum.reduceat(after[columns[plan.options]], plan.starts)
        return np.asarray(sums + plan.chances @ best)

    # every roll but the last adds to the turn total
    return _most_accumulated(before, sums, turn_totals)


def _most_accumulated(before: Callable[[Floats], Floats], sums: Floats, most: int) -> float:
    """Most roundings to expect over a whole turn, whatever the player does.

    before : those up to the end of a turn from each cell on, given them from those that follow
    sums : those of one sum, by cell
    most : how many sums follow one another at most
    """
    totals = sums
    for _ in range(most):
        further = before(totals)
        if np.all(further - totals <= sums / 200):
            # a hundredth more than this is never exceeded, as it is not after one more sum
            return float(totals.max() * 1.01)
        totals = further
    return float(totals.max())


@lru_cache(maxsize=RULESETS)
def _rounding_of_cells(cells: "TurnCells", *, in_numpy: bool = False) -> float:
    """What rounding may change the value of a turn in which a badge may be used.

    in_numpy : whether NumPy adds up lists in an order of its own
    """
    lists, room = lists_of_cells(cells, cells.rows), cells.room
    own, starts, split = lists.cells // LANES, lists.starts, lists.split
    places = lists.places[: starts[-1]] // LANES
    # a chance may be the sum of those of several outcomes, and what is rolled on beyond the goal
    # settles
    each = 1 + roundings(lists) + cells.outcomes + (not cells.plan.may_bank.all())
    if in_numpy:
        each += np.diff(lists.first_list) + 4.0
    below, further = np.divmod((places - room).clip(0), cells.layer)
    cell = np.where(places < room, places, room + further % cells.width)
    columns = np.arange(len(own))
    plain, powered, newest = np.zeros((3, room + cells.width), dtype=np.intp)
    plain[own[:split]], powered[own[split:]] = np.split(columns, [split])
    in_room = np.zeros_like(places)
    for n in columns:  # which use the same room one after the other
        options = slice(starts[lists.first_list[n]], starts[lists.first_list[n + 1]])
        in_room[options], newest[own[n]] = newest[cell[options]], n

    def before(after: Floats) -> Floats:
        totals = np.zeros_like(after)
        for layer in range(cells.layers):
            left = layer - below
            leads_to = np.where(left > 0, powered[cell], plain[cell])
            leads_to = np.where(places < room, in_room, leads_to)
            best = np.maximum.reduceat(after[left.clip(0), leads_to], starts[:-1])
            means = np.diff(np.append(0.0, np.cumsum(lists.chances * best))[lists.first_list])
            part = columns >= split if layer else columns < split
            totals[layer, part] = (each + means)[part]
        return totals

    sums = before(np.zeros((cells.layers, len(own))))
    return _ROUNDING * (1 + _most_accumulated(before, sums, sums.size * cells.rows))
