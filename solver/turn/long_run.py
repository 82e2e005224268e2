"""Most points a turn in the long run, if farkles in a row cost points; and the price of less risk.

With T(y) the expected points of a turn for most points in which a farkle costs y on top of its turn
total (solver.turn.endless), and z(y) the chance that this turn ends in a farkle: T falls in y, is
convex and consists of straight pieces of slope -z.

*The long run* is turn after turn without a goal, of a player who is on the board and whose score no
floor keeps up. Let g be the most points a turn, and h_f the value of having f farkles in a row
behind, h_0 = 0. A farkle at f leads to f + 1, everything else to 0, so that

    g + h_f = T(y_f)     y_f = -h_(f+1)     y of the last farkle in a row = the penalty

and each turn is one for most points in which a farkle costs what it does to the turns to come:

    y_(k-1) = penalty    y_f = g - T(y_(f+1))     g = T(y_0)

Where every further farkle in a row costs the penalty again, the last one leads to k - 1 once more:
y_(k-1) + T(y_(k-1)) = penalty + g, of which the left side is convex and rises.

With g given these are y_(k-2), y_(k-3), ..., y_0, one after the other. Each is concave in g and
rises, as T is convex and falls; so g - T(y_0) is concave and rises with a slope of 1 or more, which
the z tell. Newton's method from g = T(penalty), which is not too much, finds its zero from
below, on the right straight piece exactly.

Source: M. Busche, "Maximizing Expected Scores in the Game of Zilch" (2010), which has the table of
farkle costs, and 620.855 points a turn in the long run.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from solver.errors import ConvergenceError, InvalidRequestError
from solver.rules.ruleset import Ruleset
from solver.turn.endless import EndlessTurn, endless_turn

_EQUAL = 1e-12
"""Relative to the points of a turn; its rounding is less."""
_MOST_STEPS = 100


@dataclass(frozen=True, slots=True)
class TradeOff:
    """The chance of a farkle and the points of the turn that is best for one cost of a farkle."""

    farkle_cost: float
    farkle_probability: float
    points: float
    """Expected points of the turn, from which the cost of farkles is not subtracted."""


@dataclass(frozen=True, slots=True, eq=False)
class LongRun:
    """The most points a turn in the long run, and the turns that bring them."""

    points: float
    """Average points of a turn, from which penalties are subtracted."""
    turns: tuple[EndlessTurn, ...]
    """The turn with 0, 1, ... farkles in a row behind; its `farkle_cost` is what one more costs the
    turns to come."""
    shares: tuple[float, ...]
    """The shares of all turns that come after 0, 1, ... farkles in a row."""
    farkles: float
    """The share of all turns that end in a farkle."""


def trade_offs(
    rules: Ruleset, costs: Iterable[float], *, on_board: bool = True, at_stake: float = 0.0
) -> tuple[TradeOff, ...]:
    """The best turn for each cost of a farkle: its risk and its points.

    Raises InvalidRulesError as `endless_turn` does.
    """
    results = []
    for cost in costs:
        turn = endless_turn(rules, cost, on_board=on_board, at_stake=at_stake)
        chance = turn.farkle_probability
        results.append(TradeOff(cost, chance, turn.points + cost * turn.counted_probability))
    return tuple(results)


def long_run(rules: Ruleset) -> LongRun:
    """The most points a turn in the long run.

    Raises InvalidRequestError where farkles in a row take everything, InvalidRulesError as
    `endless_turn` does, and ConvergenceError.
    """
    if rules.farkle_penalty and not rules.penalty_points:
        raise InvalidRequestError.say(
            "{rules}: farkles in a row take the whole score, so what they cost depends on it"
            " and there is no average over many turns",
            rules=rules.name,
        )
    turns = [endless_turn(rules, float(rules.penalty_points))]
    points = turns[0].points
    for _ in range(_MOST_STEPS):
        turns, slope = _turns(rules, points)
        step = (turns[0].points - points) / slope
        points += step
        if abs(step) <= _EQUAL * max(1.0, abs(points)):
            break
    else:
        raise ConvergenceError.say(
            "{rules}: no average over many turns was found", rules=rules.name
        )
    chances = np.array([turn.counted_probability for turn in turns])
    farkles = np.array([turn.farkle_probability for turn in turns])
    visits = np.cumprod([1.0, *chances[:-1]])
    if rules.farkles_after_penalty:
        visits[-1] /= 1 - chances[-1]
    shares = visits / visits.sum()
    return LongRun(points, tuple(turns), tuple(shares.tolist()), float(shares @ farkles))


def _turns(rules: Ruleset, points: float) -> tuple[list[EndlessTurn], float]:
    """The turns after 0, 1, ... farkles if g is `points`, and the slope of g - T(y_0) there."""
    cost, slope = float(rules.penalty_points), 0.0
    turns = [endless_turn(rules, cost)]
    if rules.farkles_after_penalty:
        cost += points  # from above, where Newton's method finds the zero of what is convex
        for _ in range(_MOST_STEPS):
            turns = [endless_turn(rules, cost)]
            slope = 1 / (1 - turns[0].counted_probability)
            step = (cost + turns[0].points - rules.penalty_points - points) * slope
            cost -= step
            if abs(step) <= _EQUAL * max(1.0, cost):
                break
    for _ in range(rules.farkle_limit - 1):
        last = turns[0]
        slope = 1 + last.counted_probability * slope
        turns.insert(0, endless_turn(rules, points - last.points))
    return turns, 1 + turns[0].counted_probability * slope
