"""How far a solved game can be from the exact one: bounds that one more sweep proves.

The sweep takes intervals around the values and solves the turns of both players at once, with the
opponent's lower bounds for the upper bounds of the player to move and the other way round. Where no
interval grows, the exact values are inside. docs/mathematics.md has the proof.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from solver.game import kernels
from solver.game.endgame import endgame
from solver.game.kernel_source import LANES
from solver.game.layout import (
    Contest,
    as_is_best,
    first_scores,
    independent_totals,
    make_table,
    make_work,
    read_table,
    work_done,
    write_table,
)
from solver.game.standings import LEAST
from solver.rules.ruleset import Ruleset
from solver.turn.equations import Floats
from solver.turn.scoring import TurnPlan, turn_plan

LEANS = 0.2, 0.0
"""By how much intervals at 1 are smaller than at 0, where most of them is for rounding.

With some lean the turn of a player who is all but lost, and bound to farkle, shrinks them; without
it they shrink in games in which a turn hardly changes anything. One or the other nearly always
serves."""

_ROUNDING = 2.0**-53
"""Half of the last place of numbers from 1 to 2."""

_MORE = 1.125
"""How much more than rounding bounds are moved apart."""


def error_bound(
    rules: Ruleset,
    values: Floats,
    tolerance: float,
    turn: Callable[..., Any],
    *,
    lean: float = 0.0,
    threads: int | None = None,
    on_progress: Callable[[float], None] = lambda _: None,
) -> float | None:
    """A proved bound of the error of every value of a solved game; None if none is proved.

    Relative to the value, or to LEAST where it is less, and at most the tolerance. As much work as
    two sweeps. `turn` is the turn function of the rules, see solver.game.kernel_source; `lean` is
    one of LEANS.
    """
    plan, ends = turn_plan(rules), endgame(rules)
    rows = values.shape[1] + ends.beyond + plan.reach
    work = make_work(rules, ends, threads, sides=2, slack=turn_slack(plan, rows))
    game, slack = work.game, final_turn_slack(plan, rows)
    lasts = [ends.last + np.where(ends.last > 0, off, 0.0) for off in (-slack, slack)]
    table, contest = make_table(game, lasts), Contest(as_is_best(), as_is_best())
    sides = table[: len(values)], table[len(values) :]
    for side, bound in zip(sides, _intervals(values, tolerance, lean), strict=True):
        write_table(rules, side, bound)
    together = independent_totals(rules, plan, game)
    groups = np.arange(game.scores // (2 * LANES) + 1)
    for total in range(2 * game.scores - 2, -1, -together):
        on_progress(work_done(total, game.scores))
        totals = range(total, max(-1, total - together), -1)
        exist = [groups < len(first_scores(one, game)) for one in totals]
        kernels.sweep_totals(turn, table, total, np.array(exist), *work, *contest)
    lower, upper = (read_table(rules, side) for side in sides)
    del table, sides  # they are large
    return _proved(values, _intervals(values, tolerance, lean), (lower, upper))


def _intervals(values: Floats, tolerance: float, lean: float) -> tuple[Floats, Floats]:
    """Lower and upper bounds around values, within what the tolerance allows, before any proof.

    Their distance is concave in the value and, but for the lean, the same for what the opponent
    has, so that intervals around exact values do not grow in a turn. The smaller share makes room
    for rounding.
    """
    distance = 0.75 * values * (1 - values) + 0.25 * LEAST * (1 - lean * values)
    distance *= tolerance
    return np.maximum(values - distance, 0.0), np.minimum(values + distance, 1.0)


def _proved(
    values: Floats, before: tuple[Floats, Floats], after: tuple[Floats, Floats]
) -> float | None:
    """Bound of the error of every value, given intervals before and after the sweep."""
    lower, upper = after
    if not (np.all(lower >= before[0]) and np.all(upper <= before[1])):
        return None
    errors = np.maximum(values - lower, upper - values) / np.maximum(values, LEAST)
    return float(errors.max())


def turn_slack(plan: TurnPlan, turn_totals: int) -> float:
    """By which bounds have to be moved apart after a turn of at most so many turn totals.

    A little more than what rounding may change the value of a turn. The excess is what whoever
    plays by the bounds gains in every turn, so that the game ends.
    """
    sums = _rounding_of_sums(plan)
    # with those of a bank, 1 - V, and of the slack itself
    error = _ROUNDING * (1 + _accumulated(plan, sums, turn_totals))
    if plan.must_roll_hot:
        error += 10 * _ROUNDING / (1 - plan.only_hot[-1])
    return _MORE * error


def final_turn_slack(plan: TurnPlan, turn_totals: int) -> float:
    """The same for final turns, whose sums NumPy adds up in an order of its own.

    Four times, as the turns of a play-off lead to one another.
    """
    sums = np.full(plan.columns, len(plan.starts) + 4.0) + _rounding_of_sums(plan)
    return 4 * _ROUNDING * (3 + _accumulated(plan, sums, turn_totals))


def _rounding_of_sums(plan: TurnPlan) -> Floats:
    """Roundings in the value of one roll of the dice of a column, values being at most 1.

    Of its chances, of their products with values, and of the sum, one term after the other.
    """
    roundings = np.empty(plan.columns)
    for column, lists in enumerate(plan.chances):
        ends = plan.farkle_chances[column], plan.lose_chances[column], plan.win_chances[column]
        chances = [float(one) for one in (*ends, *lists) if one]
        rolls = 6 ** (column + 1)
        off = sum(abs(Fraction(one) - Fraction(round(one * rolls), rolls)) for one in chances)
        # each result is off by half of its last place at most, and none is above 1
        _, places = np.frexp([*chances, *np.cumsum(chances)[1:]])
        roundings[column] = float(off) / _ROUNDING + np.exp2(np.minimum(places, 0) - 1.0).sum()
    return roundings


def _accumulated(plan: TurnPlan, sums: Floats, turn_totals: int) -> float:
    """Most roundings to expect over the rolls of a whole turn, given those of one roll.

    Whatever the player does; every roll but the last adds to the turn total.
    """
    columns = plan.targets % plan.columns
    found = sums
    for _ in range(turn_totals):
        after = np.maximum.reduceat(found[columns[plan.options]], plan.starts)
        further = sums + plan.chances @ after
        if np.all(further - found <= sums / 200):
            # a hundredth more than this is never exceeded, as it is not after one more roll
            return float(found.max() * 1.01)
        found = further
    return float(found.max())
