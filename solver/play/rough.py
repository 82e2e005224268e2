"""The game of two players solved roughly, in seconds, where it is not solved: at a few scores.

Values are those of solver.game.best, with every choice as good as it can be, but only for some
scores: each of the last few before the goal, fewer and fewer further away. Between them the
logarithm of the odds is drawn as a line over each score. What farkles in a row may still cost is
taken off the score: the penalty times the chance that the rest of the row follows. Who is not on
the board has no score.

How far it is off, against exact values of two players: `python -m tests.benchmarks.estimates`.
"""

from collections import defaultdict
from functools import lru_cache
from itertools import combinations_with_replacement

import numpy as np
import numpy.typing as npt

from solver.game.best import Strategy, Values
from solver.game.position import start_of_turn
from solver.game.standings import Standing, Standings, check_afresh, role
from solver.play.race import log_odds
from solver.rules.ruleset import Ruleset
from solver.turn.equations import Endings, Floats, solve_turn, turn_plan
from solver.turn.points import mean_turn, points_outcome

Places = tuple[npt.NDArray[np.intp], npt.NDArray[np.intp], Floats]
"""The solved scores on both sides of standings, and how far they are to the second one."""

_EACH = 6
"""Point steps before the goal up to which every score is solved."""
_FURTHER = 1.15
"""How much more is missing at each further score."""
_APART = 1.5
"""Scores are that far apart at most, in expected points of a turn."""
_ROUNDS = 4
"""How often the values of a pair are solved at most."""
_USUAL_ROUNDS = 2
_NEAR = 0.001
"""Change of a value after which its pair is not solved again."""
_MOST_ROWS = 2_000_000
"""Turn totals that are solved side by side: 50 bytes and more each."""
_SETTLED = 1e-9
_SLOPE = -0.3
"""The slope of a value over that of the other player, as long as it is not known."""
_MOST_SLOPE = 0.95


@lru_cache(maxsize=8)
def rough_strategy(rules: Ruleset) -> Strategy:
    """Play of two by rough values; takes seconds at first, and is kept.

    Raises InvalidRulesError where turns may begin with what the player before left.
    """
    check_afresh(rules)
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

    def at(self, own: Standings, opponent: Standings, *, began: bool, **_: int) -> Floats:
        """Win probabilities of players about to start a turn, as of `Values.at`."""
        who = role(self.rules, began=began)
        return self.between(who, self.places(own), self.places(opponent))

    def between(self, who: npt.NDArray[np.intp] | int, own: Places, opponent: Places) -> Floats:
        """Rough values of many players side by side, by their places and roles."""
        (low, high, share), (lows, highs, shares) = own, opponent
        odds = self.array
        at_low = (1 - share) * odds[who, low, lows] + share * odds[who, high, lows]
        at_high = (1 - share) * odds[who, low, highs] + share * odds[who, high, highs]
        return np.asarray(1 / (1 + np.exp(-((1 - shares) * at_low + shares * at_high))))

    def places(self, standings: Standings) -> Places:
        """Where standings are among the solved scores."""
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
    steps, last = list(range(1, min(_EACH, most) + 1)), float(_EACH)
    while steps[-1] < most:
        last += min(last * (_FURTHER - 1), apart)
        steps.append(min(most, round(last)))
    start = rules.winning_score // rules.point_step
    return np.array(sorted({*steps, start, max(2, most)}))


def rough_turns(rules: Ruleset) -> int:
    """About how many turns are solved for the rough strategy of rules."""
    number = len(knots(rules)) + rules.has_opening
    return number**2 * _USUAL_ROUNDS * _sweeps(rules) * (2 if rules.has_roles else 1)


def _sweeps(rules: Ruleset) -> int:
    """How often all pairs are solved: more often where a turn may lead to a lower total."""
    takes_all = bool(rules.farkle_penalty) and not rules.penalty_points
    returns = takes_all or rules.banks_may_fall or "loses_score" in rules.decisive
    return 4 if rules.caught_up else 2 if returns else 1


def _costs(rules: Ruleset) -> Floats:
    """What farkles in a row may still cost, by their number; of all points, a share of them."""
    limit = rules.farkle_limit
    outcome = points_outcome(rules, 0)
    farkled = float(outcome.farkled.sum()) - outcome.spared
    follows = farkled ** (limit - np.arange(limit)) - farkled**limit
    if rules.farkles_after_penalty:  # each time the next one may cost as much
        follows /= 1 - farkled
    return np.asarray(follows * (rules.penalty_points or bool(rules.farkle_penalty)))


def _solved(rules: Ruleset) -> RoughValues:
    values = RoughValues(rules)
    missing, step = values.knots.tolist(), rules.point_step
    start = rules.winning_score // step
    sides = [Standing(rules.winning_score - steps * step) for steps in missing]
    sides += [Standing(on_board=False)] * rules.has_opening
    left = np.array([*missing, *[start] * rules.has_opening])
    # whoever is not on the board comes after all scores that a first bank leads to
    ranks = [*range(len(missing)), *[missing.index(start) + 1] * rules.has_opening]
    before = np.array([max(0, rank - 1) for rank in ranks])

    turns = left / (mean_turn(rules) / step)
    ahead = turns - turns[:, np.newaxis] + 0.5
    values.array[:] = 1.7 * ahead / np.sqrt(turns + turns[:, np.newaxis] + 1)
    slopes = np.full(values.array.shape, _SLOPE)

    alike = defaultdict(list)
    for first, second in combinations_with_replacement(range(len(sides)), 2):
        alike[ranks[first] + ranks[second]].append((first, second))
    plan = turn_plan(rules)
    at_once = max(1, _MOST_ROWS // (int(left.max() + plan.reach) * plan.levels * plan.columns))
    for sweep in range(_sweeps(rules)):
        for _, pairs in sorted(alike.items()):
            if sweep == 0:
                _guess(values.array, slopes, pairs, before)
            for first in range(0, len(pairs), at_once):
                _solve_pairs(values, slopes, pairs[first : first + at_once], sides)
    return values


def _guess(
    odds: Floats, slopes: Floats, pairs: list[tuple[int, int]], before: npt.NDArray[np.intp]
) -> None:
    """Guess what is not solved yet from pairs with fewer points missing.

    before : which side is the next one to the goal
    """
    ones, others = np.array(pairs).T
    for own, other in ((ones, others), (others, ones)):
        slopes[:, own, other] = slopes[:, before[own], before[other]]
        inside = (before[own] > 0) & (before[other] > 0)
        ahead, behind = own[inside], other[inside]
        odds[:, ahead, behind] = odds[:, before[ahead], behind] + odds[:, ahead, before[behind]]
        odds[:, ahead, behind] -= odds[:, before[ahead], before[behind]]


def _solve_pairs(
    values: RoughValues, slopes: Floats, pairs: list[tuple[int, int]], sides: list[Standing]
) -> None:
    """Solve the turns of pairs of players who do not lead to one another's values.

    slopes : by how much a value changes with that of the other player of the pair; is renewed
    pairs : who they are, as indices of `sides` and of the values

    The value of a player is nearly a line in that of the other one, and both lines meet in what
    is looked for. The slope is that of the two rounds before, at first that of a pair nearby.
    """
    roles = len(values.array)
    turns = [
        (who, *both)
        for first, second in pairs
        for both in {(first, second): None, (second, first): None}
        for who in range(roles)
    ]
    number = {turn: k for k, turn in enumerate(turns)}
    other = np.array([number[(who + 1) % roles, b, a] for who, a, b in turns])
    lanes = _Lanes(values, [(sides[a], sides[b], who == 0) for who, a, b in turns])
    where = tuple(np.array(turns).T)
    given: Floats = 1 / (1 + np.exp(-values.array[where]))
    slope = slopes[where]
    last = given, given
    for _ in range(_ROUNDS):
        solved = lanes.solve(values)
        change = (given - last[0])[other]
        moved = np.abs(change) > _SETTLED
        np.divide(solved - last[1], change, out=slope, where=moved)
        np.clip(slope, -_MOST_SLOPE, _MOST_SLOPE, out=slope)
        last = given, solved
        # found + slope * (the other's - given[other]), and the other's is made of this in turn
        constant = solved - slope * given[other]
        given = (constant + slope * constant[other]) / (1 - slope * slope[other])
        given = np.clip(given, 0.0, 1.0)
        values.array[where] = log_odds(given)
        if np.max(np.abs(solved - last[0])) < _NEAR:
            break
    slopes[where] = slope


class _Lanes:
    """Turns side by side: to which values they lead, which may change, and what they are worth."""

    def __init__(self, values: RoughValues, players: list[tuple[Standing, Standing, bool]]) -> None:
        """Keeps the values of players and their opponents, with whether they began."""
        rules = values.rules
        noted, strategy = _Noted(rules), Strategy(rules, values, rules.name)
        ends = [
            strategy.endings(noted, start_of_turn(rules, own, other, began=began))
            for own, other, began in players
        ]
        self._plan = turn_plan(rules)
        self._who = np.concatenate([np.full(number, who) for who, _, _, number in noted.asked])
        self._own = values.places(_joined([own for _, own, _, _ in noted.asked]))
        self._opponents = values.places(_joined([others for _, _, others, _ in noted.asked]))
        rows = max(len(ending.bank) for ending in ends)
        self._bank = np.array([_longer(ending.bank, rows) for ending in ends]).T
        self._farkle = np.array([_longer(ending.farkle, rows) for ending in ends]).T
        self._lost = np.array([ending.lost[0] for ending in ends])

    def solve(self, values: RoughValues) -> Floats:
        """What the turns are worth, by values as they are now."""
        left = 1 - values.between(self._who, self._own, self._opponents)
        given = self._bank, self._farkle, self._lost
        bank, farkle, lost = (_with_values(ending, left) for ending in given)
        weighs = values.rules.is_exact
        turns = Endings(bank, farkle, lost, np.ones(1), weighs, side_by_side=True)
        return np.asarray(solve_turn(self._plan, turns).rolls[0, 0, -1])


class _Noted(Values):
    """Stands in for values: notes which are asked for, and gives their numbers instead."""

    def __init__(self, rules: Ruleset) -> None:
        super().__init__(rules, np.zeros(0), rules.name)
        self.asked: list[tuple[int, Standings, Standings, int]] = []
        """Role, own standing, standings of opponents, and how many these are."""
        self._number = 0

    def at(self, own: Standings, opponent: Standings, *, began: bool, **_: int) -> Floats:
        """2, 3, 4 and so on: what the one before is left with is then -1, -2, -3."""
        number = len(opponent.score)
        own = own[np.minimum(np.arange(number), len(own.score) - 1)]
        self.asked.append((role(self.rules, began=began), own, opponent, number))
        self._number += number
        return 2.0 + np.arange(self._number - number, self._number, dtype=np.float64)


def _with_values(ends: Floats, left: Floats) -> Floats:
    """What turns lead to, with values in place of the numbers that _Noted gave."""
    noted = ends < -0.5
    values = ends.copy()
    values[noted] = left[(-1 - ends[noted]).astype(np.intp)]
    return values


def _longer(ends: Floats, rows: int) -> Floats:
    """The endings of a turn with the last row repeated up to `rows` rows."""
    longer: Floats = np.pad(ends, (0, rows - len(ends)), mode="edge")
    return longer


def _joined(standings: list[Standings]) -> Standings:
    """The standings of a list, one after the other."""
    by_field = zip(*(each.fields for each in standings), strict=True)
    return Standings(*map(np.concatenate, by_field))
