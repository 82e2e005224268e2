"""The best thresholds for going for it, of who plays by the table to memorise. Loads numba.

With n dice nothing is banked short of the win once the own score is B_n or the opponent's is D_n.
A turn with a set S of numbers of dice for which that holds ends in ways that depend on the own
score and S alone, so that these are found once. Then, again and again:

1. The player with the thresholds found so far is evaluated exactly against optimal play.
2. By the values after that, W_S(b, d) is what one turn with S is worth in each state, if the player
   goes on as before.
3. Thresholds give a set to each state. One after the other is set to what makes the sum of
   weight(b, d) * W_S(b, d) greatest, until none changes any more.

By the performance difference lemma that sum grows by just what the new thresholds win more, if the
weights are how often the new player comes to a state. They are about that: how often two players of
the table come to it who take no notice of each other. So new thresholds count only if the next
exact evaluation says that they win more; else this is over. At last thresholds that are a point
step off, and by the sum next to as good, are evaluated exactly too.

Sources: M. Busche and T. W. Neller, "Optimal Play of the Farkle Dice Game" (2017), for the
thresholds, table 4; S. Kakade and J. Langford, "Approximately Optimal Approximate Reinforcement
Learning" (2002), for the lemma.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

from solver.game.endgame import endgame
from solver.game.outcomes import Outcome, outcome_of
from solver.game.position import start_of_turn
from solver.game.standings import (
    Ints,
    OnShare,
    Standing,
    after_turns,
    all_standings,
    first_standing,
    many,
    others_after,
    role,
    score_count,
    standing_index,
    standing_indices,
)
from solver.play.memo import GoForIt, MemoGoForIt
from solver.rules.ruleset import Ruleset
from solver.turn.dice import Remaining
from solver.turn.equations import EqualDice, Floats, turn_plan
from solver.turn.memo import memo_table
from solver.turn.plan import allowed_banks

_MOST_ROUNDS = 12
_BETTER = 1e-12
"""Win probability by which thresholds must be better."""
_SAME = 1e-15
_CLOSE = 0.1
"""The share of all that a change wins and loses which may be left of it where it is nearly even."""
_MOST_TURNS = 2_000
_OVER = 1e-9
"""Chance to be still playing after which turns do not matter."""

_How = dict[str, bool]
"""How a turn is scored, as `after_turns` takes it."""

Thresholds = Ints
"""Scores in point steps above the floor, shape (2, numbers of dice): own and opponent's; the first
that is no score in play stands for never."""

Evaluate = Callable[[MemoGoForIt], tuple[float, Floats]]
"""How often a player wins, and the values of optimal play against it, as in a Solution."""


def search_go_for_it(
    rules: Ruleset,
    unit: int,
    evaluate: Evaluate,
    last_of_other: Floats,
    on_progress: OnShare = lambda _: None,
) -> GoForIt:
    """The best thresholds that the search finds for who plays by the table of a unit.

    last_of_other : what final turns are worth to optimal play, as in `Endgame.last`
    """
    turns = _Turns(rules, unit, lambda share: on_progress(0.5 * share))
    weights = turns.weights()
    thresholds = np.full((2, len(turns.dice)), score_count(rules))
    wins, values = evaluate(turns.player(thresholds))
    for number in range(_MOST_ROUNDS):
        on_progress(0.5 + 0.5 * number / _MOST_ROUNDS)
        sums = turns.sums(values, last_of_other, weights)
        better = _improved(sums, thresholds)
        if np.array_equal(better, thresholds):
            break
        then, values = evaluate(turns.player(better))
        if then <= wins + _BETTER:
            break
        thresholds, wins = better, then
    tried = {thresholds.tobytes()}
    waiting = list(_next_to(sums, thresholds))
    while waiting:
        other = waiting.pop(0)
        if other.tobytes() not in tried:
            tried.add(other.tobytes())
            if (then := evaluate(turns.player(other))[0]) > wins + _BETTER:
                thresholds, wins = other, then
                waiting = list(_next_to(sums, thresholds))
    return turns.player(thresholds).go_for_it


def _next_to(sums: Floats, thresholds: Thresholds) -> Iterator[Thresholds]:
    """Thresholds one of which is a point step off, if that is next to as good.

    So it is where what it wins in some states and loses in others is nearly even.
    """
    scores = sums.shape[1]
    worth = _at(sums, thresholds)
    for whose, k, change in product(range(2), range(thresholds.shape[1]), (-1, 1)):
        other = thresholds.copy()
        other[whose, k] += change
        if 0 <= other[whose, k] <= scores:
            gain = _at(sums, other) - worth
            if abs(gain.sum()) < _CLOSE * np.abs(gain).sum():
                yield other


def _at(sums: Floats, thresholds: Thresholds) -> Floats:
    """What thresholds are worth at each two scores, shape (scores, opponent's scores)."""
    sets = _sets(thresholds, sums.shape[1])[np.newaxis]
    worth: Floats = np.take_along_axis(sums, sets, axis=0)[0]
    return worth


def _improved(sums: Floats, before: Thresholds) -> Thresholds:
    """Each threshold in turn at its best, until none changes any more.

    sums : of each set at each two scores, shape (sets, scores, opponent's scores); bit k of a set
        is the k-th number of dice
    """
    thresholds = before.copy()
    while True:
        earlier = thresholds.copy()
        for whose, k in product(range(2), range(thresholds.shape[1])):
            sets = _sets(thresholds, sums.shape[1], but=(whose, k))[np.newaxis]
            without = np.take_along_axis(sums, sets, axis=0)[0]
            with_it = np.take_along_axis(sums, sets | (1 << k), axis=0)[0]
            gains = (with_it - without).sum(axis=1 - whose)
            # from each score on; of equal ones to the highest
            later = np.append(np.cumsum(gains[::-1])[::-1], 0.0)
            thresholds[whose, k] = np.flatnonzero(later >= later.max() - _SAME)[-1]
        if np.array_equal(thresholds, earlier):
            return thresholds


def _sets(thresholds: Thresholds, scores: int, but: tuple[int, int] | None = None) -> Ints:
    """The set at each two scores, shape (scores, opponent's scores), as if `but` were never."""
    sets = np.zeros((scores, scores), dtype=np.int64)
    for whose, k in product(range(2), range(thresholds.shape[1])):
        if (whose, k) != but:
            here = np.arange(scores) >= thresholds[whose, k]
            sets |= (here[:, np.newaxis] if whose == 0 else here).astype(np.int64) << k
    return sets


class _Turns:
    """The turns of who plays by the table, with every set of numbers of dice to go for it with."""

    def __init__(self, rules: Ruleset, unit: int, on_progress: OnShare) -> None:
        self.rules, self.unit = rules, unit
        columns = memo_table(rules, unit).columns
        self.dice: tuple[Remaining, ...] = tuple(
            column.dice for column in columns if any(part.gain <= 0 for part in column.breaks)
        )
        """The numbers of dice with which the table banks at all."""
        self.standings = all_standings(rules)
        least = rules.least_bank(on_board=False) // rules.point_step
        beyond = endgame(rules).beyond if rules.is_exact else 0
        self._rows = max(score_count(rules), least) + beyond + 2 * turn_plan(rules).reach + 1
        self._ways: dict[tuple[int, bool], Outcome] = {}
        """How turns from a score end, on the board or not: each part with an axis of sets first."""
        places = list(self._places())
        for number, (standing, _) in enumerate(places):
            on_progress(number / len(places))
            if (key := (standing.score, standing.on_board)) not in self._ways:
                self._ways[key] = self._found(standing)

    def player(self, thresholds: Thresholds) -> MemoGoForIt:
        """Who goes for it by thresholds."""
        rules = self.rules
        both: list[list[int | None]] = [[None] * rules.dice for _ in range(2)]
        for whose, (k, dice) in product(range(2), enumerate(self.dice)):
            score = rules.score_floor + int(thresholds[whose, k]) * rules.point_step
            both[whose][dice - 1] = score if score < rules.winning_score else None
        return MemoGoForIt(GoForIt(tuple(both[0]), tuple(both[1])), self.unit)

    def weights(self) -> Floats:
        """About how often turns start in a state, shape (roles, standings, standings).

        Of two players who play by the table, take no notice of each other and begin as often.
        """
        rules, count = self.rules, len(self.standings.score)
        moves = np.zeros((count, count))
        for standing, place in self._places():
            ways = self._ways[standing.score, standing.on_board]
            for chances, points, how in _endings(ways, rules.point_step):
                after = after_turns(rules, many(standing, len(points)), points, **how)
                goes_on = after.score < rules.winning_score
                np.add.at(
                    moves[place], standing_indices(rules, after[goes_on]), chances[0, goes_on]
                )
        own = np.zeros(count)
        own[standing_index(rules, first_standing(rules))] = 1.0
        visits = np.zeros((2 if rules.has_roles else 1, count, count))
        for _ in range(_MOST_TURNS):
            following = own @ moves
            visits[0] += np.outer(own, own)
            visits[role(rules, began=False)] += np.outer(own, following)
            own = following
            if own.sum() ** 2 < _OVER:
                break
        return visits

    def sums(self, values: Floats, last_of_other: Floats, weights: Floats) -> Floats:
        """What sets are worth at two scores, times the weights, over all states with them.

        Shape (sets, scores, opponent's scores).

        values, last_of_other : what turns are worth to the other player, see search_go_for_it
        """
        rules, scores = self.rules, score_count(self.rules)
        totals = np.zeros((1 << len(self.dice), scores, scores))
        others = (self.standings.score - rules.score_floor) // rules.point_step
        for here in range(len(weights)):
            theirs = values[len(weights) - 1 - here]
            last = None if rules.goal_ends_game(last_of_round=here == 1) else last_of_other
            for standing, place in self._places():
                weight = weights[here, place]
                if not weight.any():
                    continue
                ways = self._ways[standing.score, standing.on_board]
                worth = np.repeat(np.asarray(ways.wins)[:, np.newaxis], weights.shape[2], axis=1)
                for chances, points, how in _endings(ways, rules.point_step):
                    worth += chances @ self._left(theirs, last, standing, points, how)
                index = (standing.score - rules.score_floor) // rules.point_step
                # farkles in a row and boards of the other player are added up
                np.add.at(totals[:, index].T, others, (worth * weight).T)
        return totals

    def _places(self) -> Iterator[tuple[Standing, int]]:
        for k in range(len(self.standings.score)):
            yield self.standings.one(k), k

    def _found(self, standing: Standing) -> Outcome:
        rules = self.rules
        start = start_of_turn(rules, replace(standing, farkles=0), Standing())
        allowed = allowed_banks(rules, standing.score, self._rows, on_board=standing.on_board)
        ends: list[Outcome] = []
        for chosen in range(1 << len(self.dice)):
            thresholds = np.full((2, len(self.dice)), score_count(rules))
            thresholds[0, [k for k in range(len(self.dice)) if chosen >> k & 1]] = 0
            made = self.player(thresholds).decisions(EqualDice(rules), start)
            ends.append(outcome_of(rules, made.worth, made.bank, allowed))
        by_set: Any = map(np.array, zip(*ends, strict=True))
        return Outcome(*by_set)

    def _left(
        self, theirs: Floats, last: Floats | None, start: Standing, points: Ints, how: _How
    ) -> Floats:
        """What is left to who ends a turn so, shape (standings after it, opponent's standings).

        last : what final turns are worth to the opponent; None where the goal ends the game
        how : as of `_endings`
        """
        rules, other, before = self.rules, self.standings, many(start, len(points))
        after = after_turns(rules, before, points, **how)
        reached = after.score >= rules.winning_score
        left = np.ones((len(after.score), len(other.score)))
        each, gained = after[~reached][:, np.newaxis], points[~reached, np.newaxis]
        others = others_after(rules, many(start), each, other, gained, farkles=how["farkles"])
        wins = others.score >= rules.winning_score
        rows = np.where(wins, 0, standing_indices(rules, others))
        left[~reached] = np.where(wins, 0.0, 1 - theirs[rows, standing_indices(rules, each)])
        if last is not None:
            margin = (after.score[reached, np.newaxis] - other.score) // rules.point_step
            margin = np.minimum(margin, last.shape[1] - 1)
            left[reached] = 1 - last[other.on_board.astype(int), margin]
        return left


def _endings(ways: Outcome, step: int) -> Iterator[tuple[Floats, Ints, _How]]:
    """The ways in which turns end: chances (sets, points), points, and how a turn is scored."""
    for chances, farkles in ((ways.banked, False), (ways.farkled, True)):
        places = np.flatnonzero(chances.any(axis=0))
        if len(places):
            yield chances[:, places], places * step, {"farkles": farkles, "loses": False}
    loses = np.asarray(ways.loses)
    if loses.any():
        yield (
            loses[:, np.newaxis],
            np.zeros(1, dtype=np.int64),
            {"farkles": False, "loses": True},
        )
