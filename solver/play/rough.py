"""The game of two players solved roughly, in seconds, where it is not solved: at a few scores.

Values are those of solver.best_play, with every choice as good as it can be, but only for some
scores: each of the last few before the goal, fewer and fewer further away. Between them the
logarithm of the odds is drawn as a line over each score. What farkles in a row may still cost is
taken off the score: the penalty times the chance that the rest of the row follows. Who is not on
the board has no score.

How far it is off, against exact values of two players: `python -m tests.benchmarks.estimates`.
"""

from functools import lru_cache
from itertools import product

import numpy as np
import numpy.typing as npt

from solver.best_play import Strategy, Values
from solver.game.position import Position
from solver.game.standings import Standing, Standings, many, role
from solver.play.race import log_odds
from solver.rules.ruleset import Ruleset
from solver.turn.dice import dice_set
from solver.turn.equations import Floats
from solver.turn.points import mean_turn, points_outcome

_EACH = 6
"""Point steps before the goal up to which every score is solved."""
_FURTHER = 1.15
"""How much more is missing at each further score."""
_APART = 1.5
"""Scores are that far apart at most, in expected points of a turn."""
_MORE_SWEEPS = 1
"""Where a turn may lead to a lower total."""
_ROUNDS = 3
"""How often both values of a pair are solved in the first sweep."""
_SETTLED = 1e-9
_MOST_RATE = 0.95


@lru_cache(maxsize=8)
def rough_strategy(rules: Ruleset) -> Strategy:
    """Play of two by rough values; takes seconds at first, and is kept."""
    return Strategy(rules, _solved(rules), rules.name)


class RoughValues(Values):
    """Start-of-turn values between some scores that are solved."""

    def __init__(self, rules: Ruleset) -> None:
        """All even."""
        self.knots = knots(rules)
        """Point steps to the goal of the scores that are solved, ascending."""
        self._costs = _costs(rules)
        sides = len(self.knots) + rules.has_opening
        odds = np.zeros((2 if rules.has_roles else 1, sides, sides))
        super().__init__(rules, odds, rules.name)

    def at(self, own: Standing, opponent: Standings, *, began: bool) -> Floats:
        """Win probabilities of a player about to start a turn against opponents."""
        (low,), (high,), (share,) = self._places(many(own))
        lows, highs, shares = self._places(opponent)
        odds = self.array[role(self.rules, began=began)]
        rows = (1 - share) * odds[low] + share * odds[high]
        found = (1 - shares) * rows[lows] + shares * rows[highs]
        return np.asarray(1 / (1 + np.exp(-found)))

    def _places(
        self, standings: Standings
    ) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp], Floats]:
        """The solved scores on both sides of standings, and how far they are to the second one."""
        rules = self.rules
        score = np.maximum(standings.score, rules.score_floor)
        cost = self._costs[standings.farkles]
        if rules.farkle_penalty and not rules.penalty_points:
            cost = cost * np.maximum(score, 0)
        missing = (rules.winning_score - score + cost) / rules.point_step
        at = np.interp(missing, self.knots, np.arange(len(self.knots)))
        low = np.minimum(at.astype(np.intp), len(self.knots) - 2)
        share = at - low
        if rules.has_opening:
            off = ~standings.on_board
            low = np.where(off, len(self.knots), low)
            share = np.where(off, 0.0, share)
        return low, np.where(share > 0, low + 1, low), share


def knots(rules: Ruleset) -> npt.NDArray[np.int64]:
    """Which scores are solved: point steps to the goal, ascending."""
    most = (rules.winning_score - rules.score_floor) // rules.point_step
    apart = max(1.0, _APART * mean_turn(rules) / rules.point_step)
    found, last = list(range(1, min(_EACH, most) + 1)), float(_EACH)
    while found[-1] < most:
        last += min(last * (_FURTHER - 1), apart)
        found.append(min(most, round(last)))
    start = rules.winning_score // rules.point_step
    return np.array(sorted({*found, start, max(2, most)}))


def rough_turns(rules: Ruleset) -> int:
    """How many turns are solved for the rough strategy of rules."""
    number = len(knots(rules)) + rules.has_opening
    again = (_ROUNDS + _MORE_SWEEPS * _returns(rules)) * (2 if rules.has_roles else 1)
    return number**2 * again


def _returns(rules: Ruleset) -> bool:
    """Whether a turn may take all points."""
    takes_all = bool(rules.farkle_penalty) and not rules.penalty_points
    return takes_all or bool(rules.lose_everything)


def _costs(rules: Ruleset) -> Floats:
    """What farkles in a row may still cost, by their number; of all points, a share of them."""
    limit = rules.farkle_limit
    farkled = float(points_outcome(rules, 0).farkled.sum())
    follows = farkled ** (limit - np.arange(limit)) - farkled**limit
    return np.asarray(follows * (rules.penalty_points or bool(rules.farkle_penalty)))


def _solved(rules: Ruleset) -> RoughValues:
    values = RoughValues(rules)
    missing, step = values.knots.tolist(), rules.point_step
    sides = [(rules.winning_score - one * step, True) for one in missing]
    sides += [(0, False)] * rules.has_opening
    left = [*missing, *[rules.winning_score // step] * rules.has_opening]
    everybody = product(range(len(sides)), repeat=2)
    pairs = sorted((left[k] + left[j], k, j) for k, j in everybody if k >= j)
    roles = range(values.array.shape[0])

    turns = np.array(left) / (mean_turn(rules) / step)
    ahead = turns - turns[:, np.newaxis] + 0.5
    values.array[:] = 1.7 * ahead / np.sqrt(turns + turns[:, np.newaxis] + 1)

    def solve(one: int, other: int, who: int) -> None:
        (own, on_board), (opponent, their_board) = sides[one], sides[other]
        start = Position(
            banked=own,
            opponent=opponent,
            dice=dice_set(rules).whole,
            on_board=on_board,
            opponent_on_board=their_board,
            began=who == 0,
        )
        # a strategy remembers turns, and here values change
        found = Strategy(rules, values, rules.name).turn(start).roll[0, 0, -1]
        values.array[who, one, other] = log_odds(found)

    for sweep in range(1 + _MORE_SWEEPS * _returns(rules)):
        for _, one, other in pairs:
            pair = np.s_[:, [one, other], [other, one]]
            rounds = [values.array[pair]]
            for _ in range(1 if sweep else _ROUNDS):
                for who in roles:
                    solve(one, other, who)
                    solve(other, one, who)
                rounds.append(values.array[pair])
                if len(rounds) == 3:
                    values.array[pair] = _limit(*rounds)
    return values


def _limit(*rounds: Floats) -> Floats:
    """Where log odds come to whose chances change by the same rate each time, below 1."""
    first, second, third = (1 / (1 + np.exp(-one)) for one in rounds)
    before, now = second - first, third - second
    rate = np.divide(now, before, out=np.zeros_like(now), where=np.abs(before) > _SETTLED)
    rate = np.clip(rate, 0.0, _MOST_RATE)
    return log_odds(third + now * rate / (1 - rate))
