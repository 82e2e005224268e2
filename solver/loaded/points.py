"""Expected points of a turn with loaded dice, where no goal ends it, of many sets side by side.

The equations are those of solver.turn.endless: a bank of t points is worth t and a farkle nothing.
With good dice a farkle is so rare that it pays to roll at turn totals that hardly any turn comes
to. So the table of a turn ends before, at some turn total R, with two values that its true one is
between:

- the least: to bank there, which anybody may;
- the most: t + K(n), where K(n) is what rolling on would gain if a farkle never cost more than R:
  an optimal stopping without t (`most_gains`).

Both are taken back to the start of the turn, and R grows until they meet there.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from solver.errors import InvalidDiceError
from solver.game.lanes import LANES
from solver.game.layout import Lists
from solver.game.list_kernels import turn_of_sets
from solver.loaded.matchup import check_loaded, check_points
from solver.rules.ruleset import Ruleset
from solver.turn.dice import Badge, DiceSet
from solver.turn.endless import is_endless, most_gains
from solver.turn.equations import Floats
from solver.turn.remaining import RollLists, Shape, roll_lists, shape_of

_ROWS = 512
"""Turn totals of the first attempt, in point steps."""
_MOST_ROWS = 1 << 17
_CHUNK = 256
"""Turn totals that are in memory at a time."""
_CLOSE = 1e-9
"""How close the two values have to come, relative to the points."""
_ROUGH = 1e-6
"""How far apart they may be in the end."""
_TOGETHER = LANES // 2
"""Sets that are solved side by side, with two values each."""


@dataclass(frozen=True, slots=True)
class TurnPoints:
    """What a turn of a set brings on average, if it is played for most points."""

    dice: DiceSet
    points: float
    """Infinite where somebody may roll on for ever without any risk."""
    error_bound: float
    """What the points are not off by more than, rounding aside."""


def points_of_sets(
    rules: Ruleset,
    sets: Sequence[DiceSet],
    *,
    joker_alone: bool = False,
    badge: Badge = (),
    on_progress: Callable[[float], None] = lambda _: None,
) -> list[TurnPoints]:
    """The expected points of a turn of each set; `on_progress` is told the share that is done.

    Raises InvalidRulesError or InvalidDiceError for what cannot be solved.
    """
    check_points(rules)
    by_shape: dict[Shape, list[int]] = {}
    for place, thrown in enumerate(sets):
        check_loaded(rules, thrown)
        by_shape.setdefault(shape_of(thrown), []).append(place)
    least = rules.least_bank() // rules.point_step
    points: dict[int, TurnPoints] = {}
    for shape, places in by_shape.items():
        lists = roll_lists(rules, shape, joker_alone=joker_alone, badge=badge)
        for first in range(0, len(places), _TOGETHER):
            group = places[first : first + _TOGETHER]
            solved = _solve(lists, [sets[place] for place in group], least)
            points.update(zip(group, solved, strict=True))
            on_progress(len(points) / len(sets))
    return [points[place] for place in range(len(sets))]


def _solve(lists: RollLists, sets: list[DiceSet], least: int) -> list[TurnPoints]:
    """The points of up to _TOGETHER sets of one shape; `least` is the least bank in point steps."""
    number = len(sets)
    # the last set stands in lanes that are left over too
    chances = [lists.chances(thrown)[0] for thrown in sets]
    lanes = np.minimum(np.arange(LANES) // 2, number - 1)
    nothing = np.zeros(lists.columns)  # which is what a farkle is worth as well
    turn = Lists(
        *lists.places(LANES),
        np.ascontiguousarray(np.stack(chances)[lanes].T),
        farkles=nothing,
        wins=nothing,
        loses=nothing,
        may_bank=np.ones(lists.columns, dtype=np.int8),
        cells=np.arange(lists.columns) * LANES,
        stride=lists.columns * LANES,
    )
    plans = [lists.plan(thrown) for thrown in sets]
    endless = [is_endless(plan) for plan in plans]
    rows = max(_ROWS, least)
    while True:
        gain = np.zeros((lists.columns, LANES))
        cost = float(rows * lists.rules.point_step)
        for k, plan in enumerate(plans):
            if not endless[k]:  # of these there is nothing to find
                gain[:, 2 * k + 1] = most_gains(plan, cost)
        starts = _start(lists, turn, rows, gain, least)
        low, high = starts[0::2][:number], starts[1::2][:number]
        if np.all(high - low <= _CLOSE * high):
            break
        if rows == _MOST_ROWS:
            if np.all(high - low <= _ROUGH * high):
                break
            raise InvalidDiceError.say(
                "with these dice it pays to roll on beyond {points:,} points, which is too far to"
                " work out",
                points=rows * lists.rules.point_step,
            )
        # the chance to come so far falls about geometrically with it
        wide = high - low > _CLOSE * high
        most = gain[:, 1::2].max(axis=0)[:number][wide]
        came = np.minimum((high - low)[wide] / most, 0.9)
        further = float(np.max(np.log(_CLOSE * high[wide] / most) / np.log(came)))
        rows = min(_MOST_ROWS, math.ceil(rows * min(8.0, max(1.25, 1.1 * further))))
    return [
        TurnPoints(thrown, math.inf, 0.0)
        if forever
        else TurnPoints(thrown, float(one + other) / 2, max(0.0, float(other - one) / 2))
        for thrown, one, other, forever in zip(sets, low, high, endless, strict=True)
    ]


def _start(lists: RollLists, turn: Lists, rows: int, gain: Floats, least: int) -> Floats:
    """Points of a whole turn in each lane, if it gains so much more from `rows` steps on."""
    step, size = lists.rules.point_step, gain.size
    reach = int(lists.targets[-1]) // lists.columns
    further = (reach + 1) * size
    values = np.empty(_CHUNK * size + further)
    values[_CHUNK * size :] = ((rows + np.arange(reach + 1)) * step).repeat(size)
    values[_CHUNK * size :] += np.tile(gain.ravel(), reach + 1)
    nothing = np.zeros(LANES)
    while rows:
        now = min(rows, _CHUNK)
        totals = np.arange(rows - now, rows)
        bank = np.where(totals >= least, totals * float(step), -np.inf).repeat(LANES)
        solved = values[(_CHUNK - now) * size :]
        turn_of_sets(solved, solved, bank, nothing, nothing, turn, now)
        values[_CHUNK * size :] = solved[:further].copy()
        rows -= now
    return solved[size - LANES : size].copy()
