"""What people who play by a table or a rule of thumb win against optimal play, and the best ones.

All win probabilities are exact, see solver.play.contests. How the turns of optimal play end is
found once; then one way to play after the other is evaluated against it. Loads numba.

*The rule of thumb.* For each way to choose dice and each way to put numbers of dice into groups,
its three numbers go up and down, by steps that get smaller down to the point step, as long as that
brings more points a turn. The rules with most points are then compared by what they win, and the
numbers of the best one go up and down once more, as long as it wins more.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import combinations, product
from pathlib import Path

import numpy as np

from solver.errors import ConvergenceError
from solver.game.best import Strategy
from solver.game.outcomes import outcome_of
from solver.game.position import first_position
from solver.game.standings import Bools, OnShare
from solver.play.contests import settled_against
from solver.play.go_for_it import search_go_for_it
from solver.play.memo import Memo, MemoGoForIt, RuleOfThumb, Thumb, banked_dice
from solver.play.memo_study import MemoStudy, Worth
from solver.play.policies import Optimal
from solver.play.policy import Decisions
from solver.rules.ruleset import Ruleset
from solver.turn.equations import Floats, possible_states
from solver.turn.memo import memo_table

_LEAST_ROWS = 400
"""Turn totals of a turn without a goal that are told apart, at least."""
_ROUGHLY = 1e-8
"""The most that chances of rules of thumb may still change."""
_COMPARED = 3
"""Rules of thumb with most points that are compared by what they win."""
_BETTER = 1e-8
"""What is better by no more than this is as good."""
_STEPS = (8, 4, 2, 1)
"""The point steps by which numbers go up and down, one after the other."""
_NO_POINTS = -1.0
"""The points of rules of thumb by which a turn goes on for ever: worse than any."""


def searched(strategy: Strategy, unit: int | None, cache: Path, on_progress: OnShare) -> MemoStudy:
    """All that is told of the table of a unit, see study_memo."""
    rules, table, best = strategy.rules, memo_table(strategy.rules, unit), Optimal(strategy)

    def part(begin: float, end: float) -> OnShare:
        return lambda share: on_progress(begin + (end - begin) * min(share, 1.0))

    evaluating = part(0.0, 0.1)
    against = settled_against(best, [Memo()], strategy, cache=cache, on_progress=evaluating)

    def evaluate(player: MemoGoForIt) -> tuple[float, Floats]:
        after = against(player)
        return after.overall, after.other

    def worth(player: Memo | RuleOfThumb) -> Worth:
        points, farkles = _points(rules, player.without_goal(rules))
        first, second = against(player).starts
        return Worth(as_first=first, as_second=second, points=points, farkles=farkles)

    last = against(Memo(table.unit)).last
    go_for_it = search_go_for_it(rules, table.unit, evaluate, last, part(0.1, 0.5))
    thumb = search_thumb(
        rules, lambda rule: against(rule, tolerance=_ROUGHLY).overall, part(0.5, 1.0)
    )
    return MemoStudy(
        rules=rules.name,
        digest=rules.digest,
        unit=table.unit,
        memo=worth(Memo(table.unit)),
        go_for_it=go_for_it,
        memo_go_for_it=worth(MemoGoForIt(go_for_it, table.unit)),
        thumb=thumb,
        rule_of_thumb=worth(RuleOfThumb(thumb)),
        optimal=strategy.win_probability(first_position(rules)),
        most_points=table.points,
    )


def search_thumb(
    rules: Ruleset,
    wins: Callable[[RuleOfThumb], float],
    on_progress: OnShare = lambda _: None,
) -> Thumb:
    """The best rule of thumb that the search finds.

    wins : tells how often a player wins
    """
    starts_of_search = list(_thumbs(rules))
    ranked: dict[Thumb, float] = {}
    for number, start in enumerate(starts_of_search):
        on_progress(0.5 * number / len(starts_of_search))
        thumb, points = _climbed(rules, start, lambda rule: _thumb_points(rules, rule), _STEPS)
        ranked[_plain(rules, thumb)] = points
    most = sorted(ranked, key=lambda thumb: -ranked[thumb])[:_COMPARED]
    won = {thumb: wins(RuleOfThumb(thumb)) for thumb in most}
    on_progress(0.7)
    best = max(won, key=lambda thumb: won[thumb])
    best, _ = _climbed(rules, best, lambda rule: wins(RuleOfThumb(rule)), _STEPS[-1:])
    return _plain(rules, best)


def _thumbs(rules: Ruleset) -> Iterator[Thumb]:
    """Rules of thumb of every kind, with numbers to begin with; three if there are the dice."""
    whole, unit = rules.dice, memo_table(rules).unit
    banked = banked_dice(rules, 1, whole)
    three, two = min(3, len(banked)), min(2, len(banked))
    for number in (three, two):
        for groups in combinations(banked, number):
            bank = tuple(_bank_from(rules, most) for most in groups)
            if number == three:
                yield Thumb("most points", groups, bank)
                yield Thumb("fewest dice", groups, bank)
                yield Thumb("bank first", groups, bank)
            if number == two:
                for beyond, often in product(range(max(1, whole - 2)), (1, 2, 3, 4)):
                    yield Thumb("points for dice", groups, bank, often * unit, beyond)


def _bank_from(rules: Ruleset, dice: int) -> int:
    """The least turn total at which the table to memorise says to bank, or its last one."""
    for column in memo_table(rules).columns:
        if column.dice == dice:
            last = [point.turn_total for point in column.breaks]
            banks = [point.turn_total for point in column.breaks if point.gain <= 0]
            return max(rules.least_bank(), banks[0] if banks else last[-1])
    return rules.least_bank()


def _climbed(
    rules: Ruleset, start: Thumb, worth: Callable[[Thumb], float], steps: tuple[int, ...]
) -> tuple[Thumb, float]:
    """A rule of thumb whose numbers go up and down as long as that is worth more, and its worth."""
    known: dict[Thumb, float] = {}

    def known_worth(thumb: Thumb) -> float:
        if thumb not in known:
            known[thumb] = worth(thumb)
        return known[thumb]

    best = start
    for step in steps:
        while True:
            others = _neighbours(rules, best, step * rules.point_step)
            other = max(others, key=known_worth, default=best)
            if known_worth(other) <= known_worth(best) + _BETTER:
                break
            best = other
    return best, known_worth(best)


def _neighbours(rules: Ruleset, thumb: Thumb, step: int) -> Iterator[Thumb]:
    """The rules of thumb one of whose numbers is a step more or less."""
    for k, change in ((k, change) for k in range(len(thumb.bank)) for change in (-step, step)):
        bank = list(thumb.bank)
        bank[k] += change
        if bank[k] >= rules.least_bank() and bank[k] <= rules.winning_score:
            yield replace(thumb, bank=tuple(bank))
    for change in (-step, step):
        if thumb.keep == "points for dice" and thumb.per_die + change > 0:
            yield replace(thumb, per_die=thumb.per_die + change)


def _plain(rules: Ruleset, thumb: Thumb) -> Thumb:
    """A rule with numbers that the dice can come to: no bank below the least turn total."""
    rows = rules.winning_score // rules.point_step + 1
    possible: Bools = possible_states(rules, rows).max(axis=0)
    bank, fewer = [], 0
    for most, points in zip(thumb.most_dice, thumb.bank, strict=True):
        left = [dice - 1 for dice in banked_dice(rules, fewer + 1, most)]
        there = np.flatnonzero(possible[1:, left].any(axis=1))
        least = int(there[0] + 1) * rules.point_step if len(there) else 0
        bank.append(max(points, least, rules.least_bank()))
        fewer = most
    return replace(thumb, bank=tuple(bank))


def _thumb_points(rules: Ruleset, thumb: Thumb) -> float:
    try:
        return _points(rules, RuleOfThumb(thumb).without_goal(rules))[0]
    except ConvergenceError:
        return _NO_POINTS


def _points(rules: Ruleset, decisions: Decisions) -> tuple[float, float]:
    """Expected points of a turn that no goal ends, and its chance of a farkle."""
    step = rules.point_step
    rows = max(_LEAST_ROWS, rules.winning_score // step, decisions.worth.shape[1])
    least = rules.least_bank() // step
    outcome = outcome_of(rules, decisions.worth, decisions.bank, np.arange(rows) >= least)
    kept = outcome.ended(rules) @ np.arange(rows) * step
    farkles = outcome.farkled.sum() + (outcome.loses if rules.spares_farkles else 0.0)
    return float(kept), float(farkles)
