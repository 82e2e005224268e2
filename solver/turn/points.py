"""One turn played for the most points, and the exact chances of how such a turn ends.

The equations are those of solver.turn.equations. What ending a turn is worth is the score that it
leaves the player with, as a share of the goal: a bank of t points (score + t) / goal and never more
than 1, a farkle score / goal, a roll that loses everything 0, a roll that wins 1. So a strategy of
most points banks whatever reaches the goal, and what it is worth less the score is the expected
points of the turn. Points beyond the goal, farkles in a row and the other player do not
count.

Sources: M. Busche, "Maximizing Expected Scores in the Game of Zilch" (2010), for the equations.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from solver.rules.ruleset import RULESETS, Ruleset
from solver.turn.dice import Remaining, TurnState, dice_set
from solver.turn.equations import Endings, Floats, TurnPlan, TurnTable, solve_turn, turn_plan
from solver.turn.plan import allowed_banks

_BLOCK = 1 << 20
"""Options whose values are compared at a time: those of all turn totals would fill the memory."""

_ROUNDING = 1e-12
"""What chances may be off by, so that a rest of so much is none."""


@dataclass(frozen=True, slots=True)
class TurnEnds:
    """The chances of how a turn ends that goes on as is best; what is missing to 1 is `out`."""

    farkle: float
    """The chance of a farkle which loses the turn total."""
    banked: tuple[tuple[int, float], ...]
    """Points that the turn brings, ascending, and the chance of each."""
    wins: float
    """The chance of a roll which wins the game."""
    loses: float
    """The chance of a roll which loses everything."""

    @property
    def out(self) -> float:
        """Return the chance of a roll which loses the game."""
        banked = sum(chance for _, chance in self.banked)
        rest = 1 - self.farkle - banked - self.wins - self.loses
        return rest if rest > _ROUNDING else 0.0

    @property
    def points(self) -> float:
        """Return what the turn banks on average, in points; a roll that wins or loses counts 0."""
        return sum(points * chance for points, chance in self.banked)


@dataclass(frozen=True, slots=True)
class BankFrom:
    """When to bank with some dice left, in points."""

    dice: Remaining
    turn_total: int | None
    """The least one that can occur at which to bank; None where that is never best or allowed."""
    roll_again: tuple[tuple[int, int | None], ...] = ()
    """Stretches of turn totals above it, the first and the last of each, at which to roll again;
    the last is None where that is so as far as turns are worked out."""


class TurnOutcome(NamedTuple):
    """The chances of how one turn ends; they add to 1. Turn totals in point steps."""

    banked: Floats
    """The chance of each turn total that is banked, shape (turn totals,). The last `plan.reach`
    ones stand for what is more as well."""
    farkled: Floats
    """The chance of a farkle that keeps so many points, shape (turn totals,): 0 points if none."""
    wins: float
    """The chance of a roll that wins the game at once."""
    loses: float
    """The chance of a roll that loses everything."""
    visits: Floats
    """Chance that the turn comes to each state, shape (levels, turn totals, columns)."""
    out: float
    """The chance of a roll that loses the game, which counts as no points."""
    spared: float = 0.0
    """The chance of a farkle that does not count for the penalty, among those in `farkled`."""


def points_table(
    rules: Ruleset, plan: TurnPlan, score: int = 0, *, on_board: bool = True, to_beat: int = 0
) -> TurnTable:
    """The turn of most points with any dice, whose choices `plan` has, with `score` points banked.

    A value is the expected score after the turn as a share of `rules.winning_score`; a score below
    0 is taken for 0.

    to_beat : points that a bank has to be more than
    """
    score = max(score, 0)
    step = rules.point_step
    banked, goal = score // step, rules.winning_score // step
    least = max(rules.least_bank_at(score, on_board=on_board), to_beat + step) // step
    rows = max(goal - banked, least) + plan.reach
    if rules.is_exact:
        rows += goal if rules.banks_may_fall else 1
    bank = np.minimum(banked + np.arange(rows), goal) / goal
    farkle = np.full(rows, banked / goal)
    allowed = allowed_banks(rules, score, rows, on_board=on_board)
    allowed[:least] = False
    if rules.farkle_keeps_turn_total:
        farkle[allowed] = bank[allowed]
    if rules.is_exact:
        beyond = np.arange(goal - banked + 1, rows)
        left = {
            "back": np.maximum(0, 2 * goal - banked - beyond),
            "around": np.minimum(banked + beyond, 2 * goal - 1) - goal,
        }.get(rules.beyond_goal, np.full(len(beyond), banked))
        bank[beyond], farkle[beyond] = left / goal, banked / goal
    bank[~allowed] = np.nan
    ends = Endings.alone(bank, farkle, farkle[0] if rules.spares_farkles else 0.0)
    return solve_turn(plan, ends._replace(weighs=rules.is_exact))


def expected_points(rules: Ruleset, score: int, *, on_board: bool) -> float:
    """Expected points of a whole turn; what a roll that loses everything takes is against them."""
    start = TurnState(0, dice_set(rules).whole)
    value = points_table(rules, turn_plan(rules), score, on_board=on_board).value(start)
    return value * rules.winning_score - max(score, 0)


@lru_cache(maxsize=RULESETS)
def mean_turn(rules: Ruleset) -> float:
    """Expected points of a turn at the start of the game, a point step at least."""
    return max(rules.point_step, expected_points(rules, 0, on_board=True))


def points_outcome(rules: Ruleset, score: int, *, on_board: bool = True) -> TurnOutcome:
    """How a turn for most points ends, from its start."""
    return turn_outcome(rules, points_table(rules, turn_plan(rules), score, on_board=on_board))


def bank_decisions(table: TurnTable) -> npt.NDArray[np.bool_]:
    """Where a turn is to be banked, a tie too, shape (levels, turn totals, columns)."""
    banks: npt.NDArray[np.bool_] = table.ends.cells[..., 0] >= table.roll
    banks[..., ~table.plan.may_bank] = False
    return banks


def bank_from(
    banks: npt.NDArray[np.bool_], possible: npt.NDArray[np.bool_], step: int
) -> tuple[BankFrom, ...]:
    """When to bank, for each number of dice that can be left in the turn, most dice first.

    banks : where to bank, shape (turn totals in point steps, columns); column n - 1 has n dice
    possible : where the turn can come to, in the same shape
    step : points of a point step
    """
    thresholds = []
    for column in reversed(range(banks.shape[1])):
        totals = np.flatnonzero(possible[:, column])
        if not len(totals):
            continue
        here = banks[totals, column]
        if not here.any():
            thresholds.append(BankFrom(column + 1, None))
            continue
        first = int(np.argmax(here))
        changes = np.flatnonzero(np.diff(here[first:].astype(np.int8))) + first + 1
        ends = [*changes, len(totals)]
        stretches = tuple(
            (int(totals[begin]) * step, int(totals[end - 1]) * step if end < len(totals) else None)
            for begin, end in zip(ends[::2], ends[1::2], strict=False)
        )
        thresholds.append(BankFrom(column + 1, int(totals[first]) * step, stretches))
    return tuple(thresholds)


def turn_outcome(
    rules: Ruleset,
    table: TurnTable,
    start: TurnState | None = None,
    *,
    beyond: Callable[[int, Floats], Floats] | None = None,
) -> TurnOutcome:
    """Return how a turn ends that is played by `table`, by one pass forwards over its turn totals.

    Of set-asides of equal value the one with more points is taken.

    start : where the turn stands; at its beginning if not given
    beyond : where a turn goes on at the last turn totals: given a level and the chances of rolling
        each number of dice on it, how often each number is rolled in the end
    """
    plan = table.plan
    levels, totals, number = table.roll.shape
    solved = totals - plan.reach
    beyond, ends = beyond or _beyond(table), plan.in_vain + plan.win_chances
    banks = bank_decisions(table)
    keeps = ~np.isnan(table.ends.cells[:, -1, 0]) & rules.farkle_keeps_turn_total
    mass = np.zeros((levels, totals, number))
    mass[(0, 0, -1) if start is None else table.index(start)] = 1.0
    banked, farkled = np.zeros(totals), np.zeros(totals)
    wins = loses = out = spared = 0.0
    chosen: list[npt.NDArray[np.intp]] = []
    block = max(1, _BLOCK // len(plan.options))
    for t in range(totals):
        row = t % block
        if row == 0 and t < solved:
            rows = range(t, min(t + block, solved))
            chosen = [_chosen(table, level, rows) for level in range(levels)]
        for level in range(levels):
            here = mass[level, t]
            if not here.any():
                continue
            stays = banks[level, t]
            banked[t] += here[stays].sum()
            rolled = np.where(stays, 0.0, here)
            if t >= solved:
                begun, rolled = rolled.sum(), beyond(level, rolled)
                # what ends in no other way is banked
                banked[t] += max(0.0, begun - rolled @ ends)
            elif rolled.any():
                space = mass[level : plan.next_level(level) + 1].reshape(-1)[t * number :]
                np.add.at(space, chosen[level][row], rolled @ plan.chances)
            farkled[t if keeps[t] else 0] += rolled @ plan.farkle_chances
            wins += float(rolled @ plan.win_chances)
            loses += float(rolled @ plan.lose_chances)
            out += float(np.sum(rolled * plan.out_chances))
            spared += float(rolled @ (plan.farkle_chances - plan.counted_farkles))
    return TurnOutcome(banked, farkled, wins, loses, mass, out, spared)


def _beyond(table: TurnTable) -> Callable[[int, Floats], Floats]:
    """How a turn goes on at the last turn totals, as `turn_outcome` asks for it.

    As in solver.turn.equations: whatever scores is banked there, unless dice have to be rolled,
    again and again, until some may be banked.
    """
    plan = table.plan
    # hot dice of whatever level are worth the same there
    stays = bank_decisions(table)[0, -1] if table.ends.weighs else plan.may_bank

    @cache
    def often() -> Floats:
        """How often each number of dice is rolled from each."""
        columns = (plan.targets % plan.columns)[plan.options]
        worth = np.where(stays, table.ends.bank[-1], table.roll[0, -1])[columns]
        best = np.maximum.reduceat(worth, plan.starts).repeat(plan.lengths)
        which = np.where(worth == best, np.arange(len(worth)), -1)
        after = columns[np.maximum.reduceat(which, plan.starts)]
        moves = np.zeros((plan.columns, plan.columns))
        np.add.at(moves, (plan.column_of_lists, after), plan.chances.max(axis=0))
        return np.asarray(np.linalg.inv(np.eye(plan.columns) - moves * ~stays))

    return lambda _, rolled: rolled if stays.all() else rolled @ often()


def _chosen(table: TurnTable, level: int, rows: range) -> npt.NDArray[np.intp]:
    """Where each list of set-asides leads to from some turn totals, shape (rows, lists).

    As offsets from the row of the turn total, as in TurnPlan, from this level into the next.
    """
    plan, (_, totals, number) = table.plan, table.roll.shape
    places = plan.places(level, totals)
    values = table.win_probability[level : plan.next_level(level) + 1].reshape(-1)
    worths = values[(np.array(rows) * number)[:, np.newaxis] + places]
    best = np.maximum.reduceat(worths, plan.starts, axis=1)
    which = np.where(worths == best.repeat(plan.lengths, axis=1), np.arange(len(plan.options)), -1)
    # targets ascend in points, so that the last of equal ones has most
    return np.asarray(places[np.maximum.reduceat(which, plan.starts, axis=1)])
