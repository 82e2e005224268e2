"""A turn for the most points, with no goal: everything that is told of it, as data."""

import math
from dataclasses import dataclass

import numpy as np

from bot.services.advisor import Advisor
from solver.errors import InvalidRequestError
from solver.game.position import check_hot_dice
from solver.play.komi import Komi, komi
from solver.rules.ruleset import Ruleset
from solver.turn.dice import Remaining
from solver.turn.endless import EndlessTurn, endless_turn
from solver.turn.equations import possible_states
from solver.turn.long_run import TradeOff, long_run, trade_offs
from solver.turn.points import BankFrom, TurnOutcome

MOST_COST = 1_000_000
"""Points that a farkle may be said to cost, and that may be at stake."""
_MOST_COSTS = 1_000
_ONE_IN = (2, 4, 10, 100)
"""One turn in so many is at least as good as those that are told of."""


@dataclass(frozen=True, slots=True)
class PointsQuestion:
    """What is asked of a turn for most points."""

    farkle_cost: float = 0.0
    """Points that a farkle costs on top of the turn total."""
    on_board: bool = True
    score: int | None = None
    """What a roll that loses everything takes; None for nothing."""
    hot_dice: int = 0
    """Hot dice so far, where their bonus changes: `bank_from` and cells are those after them."""
    costs: tuple[float, ...] = ()
    """Costs of a farkle to be weighed against each other."""
    cells: bool = False
    """Whether the gain of rolling is asked for at every turn total."""

    @property
    def is_plain(self) -> bool:
        """Whether nothing is assumed that the long run does not assume."""
        return self.on_board and not self.farkle_cost and self.score is None


@dataclass(frozen=True, slots=True)
class TailGain:
    """The gain of rolling at great turn totals: `gain` - `slope` * turn total."""

    dice: Remaining
    gain: float
    slope: float


@dataclass(frozen=True, slots=True)
class GainCell:
    """Whether to roll with some dice at a turn total."""

    turn_total: int
    dice: Remaining
    gain: float
    """Expected further points of rolling."""
    bank: bool
    possible: bool


@dataclass(frozen=True, slots=True)
class LongRunTurn:
    """Best play in the long run with so many farkles in a row behind."""

    farkles: int
    share: float
    """The share of all turns."""
    farkle_cost: float
    """What one more farkle costs the turns to come."""
    farkle_probability: float
    bank_from: tuple[BankFrom, ...]


@dataclass(frozen=True, slots=True)
class LongRunAnswer:
    """Turn after turn, where farkles in a row cost points."""

    points: float
    """A turn, penalties taken off."""
    farkles: float
    """Share of turns that end in one."""
    turns: tuple[LongRunTurn, ...]


@dataclass(frozen=True, slots=True)
class PointsAnswer:
    """A turn for most points; chances are of the turn from its start."""

    rules: Ruleset
    question: PointsQuestion
    points: float
    """Expected, with what a farkle costs taken off."""
    farkle_probability: float
    win_probability: float
    """Chance of a roll that wins at once."""
    lose_probability: float
    """Chance of a roll that loses everything."""
    one_in: tuple[tuple[int, int], ...]
    """A number of turns, of which one on average brings so many points or more."""
    bank_from: tuple[BankFrom, ...]
    tail_from: int
    """The turn total from which on `tail` holds."""
    tail: tuple[TailGain, ...]
    long_run: LongRunAnswer | None
    """None where farkles in a row cost no points, or everything, or something else was asked."""
    trade_offs: tuple[TradeOff, ...]
    cells: tuple[GainCell, ...]


def points_answer(rules: Ruleset, question: PointsQuestion) -> PointsAnswer:
    """A turn for the most points under the rules.

    Raises InvalidRequestError and InvalidPositionError for what cannot be asked, InvalidRulesError
    where the points of a turn have no limit, and ConvergenceError.
    """
    _check(rules, question)
    at_stake = float(max(question.score or 0, 0))
    turn = endless_turn(rules, question.farkle_cost, on_board=question.on_board, at_stake=at_stake)
    tail, outcome = turn.tail, turn.outcome
    level, usual = turn.table.plan.after_hot_dice(question.hot_dice)
    return PointsAnswer(
        rules=rules,
        question=question,
        points=turn.points,
        farkle_probability=turn.farkle_probability,
        win_probability=outcome.wins,
        lose_probability=outcome.loses,
        one_in=_one_in(rules, outcome),
        bank_from=turn.bank_from(question.hot_dice),
        tail_from=math.ceil(tail.begins / rules.point_step) * rules.point_step,
        tail=tuple(
            TailGain(dice, float(gain), float(slope))
            for dice, gain, slope in zip(
                range(rules.dice, 0, -1),
                tail.gain[level, usual][::-1],
                tail.slope[usual][::-1],
                strict=True,
            )
        ),
        long_run=_long_run(rules) if rules.penalty_points and question.is_plain else None,
        trade_offs=trade_offs(rules, question.costs, on_board=question.on_board, at_stake=at_stake),
        cells=_cells(turn, question.hot_dice) if question.cells else (),
    )


def fair_start(advisor: Advisor, rules: Ruleset) -> Komi:
    """The fair start under rules. Raises StrategyFileError where they are not solved."""
    return komi(advisor.strategy(rules))


def _check(rules: Ruleset, question: PointsQuestion) -> None:
    check_hot_dice(question.hot_dice)
    for cost in (question.farkle_cost, *question.costs):
        if not 0 <= cost <= MOST_COST:
            raise InvalidRequestError.say(
                "a farkle costs 0 to {most:,} points on top of the turn total, not {cost:,g}",
                most=MOST_COST,
                cost=cost,
            )
    if len(question.costs) > _MOST_COSTS:
        raise InvalidRequestError(
            f"{len(question.costs):,} costs are too many: at most {_MOST_COSTS:,} can be weighed at"
            " a time"
        )
    if not question.on_board and not rules.has_opening:
        raise InvalidRequestError.say(
            "under {rules} rules everybody is on the board: there is no opening minimum",
            rules=rules.name,
        )
    if question.hot_dice and rules.hot_dice_counted < 2:
        raise InvalidRequestError.say(
            "under {rules} rules it does not matter how many hot dice there were: they change"
            " nothing of what comes after them",
            rules=rules.name,
        )
    if question.score is not None and "loses_score" not in rules.decisive:
        raise InvalidRequestError.say(
            "under {rules} rules no roll loses everything, so the score does not matter",
            rules=rules.name,
        )
    if question.score is not None and abs(question.score) > MOST_COST:
        raise InvalidRequestError.say(
            "your score can be {least:,} to {most:,}, not {score:,}",
            least=-MOST_COST,
            most=MOST_COST,
            score=question.score,
        )


def _one_in(rules: Ruleset, outcome: TurnOutcome) -> tuple[tuple[int, int], ...]:
    """Points that one of so many turns brings; a roll that wins is more than any points."""
    points = outcome.banked + outcome.farkled
    points[0] += outcome.loses
    at_least = np.cumsum(points[::-1])[::-1] + outcome.wins
    # a chance that should be just enough may be rounded
    candidates = [(turns, np.flatnonzero(at_least >= 1 / turns - 1e-12)) for turns in _ONE_IN]
    return tuple((turns, int(rows[-1]) * rules.point_step) for turns, rows in candidates)


def _long_run(rules: Ruleset) -> LongRunAnswer:
    play = long_run(rules)
    turns = (
        LongRunTurn(farkles, share, turn.farkle_cost, turn.farkle_probability, turn.bank_from())
        for farkles, (share, turn) in enumerate(zip(play.shares, play.turns, strict=True))
    )
    return LongRunAnswer(play.points, play.farkles, tuple(turns))


def _cells(turn: EndlessTurn, hot_dice: int) -> tuple[GainCell, ...]:
    """The gain of rolling up to the beginning of the tail."""
    step = turn.rules.point_step
    rows = math.ceil(turn.tail.begins / step) + 1
    totals = np.arange(rows) * step
    plan = turn.table.plan
    level, usual = plan.after_hot_dice(hot_dice)
    gains = plan.in_play(turn.table.roll[level, :rows], usual) - totals[:, np.newaxis]
    possible = plan.in_play(possible_states(turn.rules, rows)[level], usual)
    banks = turn.banks[level, :, usual]
    return tuple(
        GainCell(
            int(totals[row]),
            column + 1,
            float(gains[row, column]),
            bool(banks[row, column]),
            bool(possible[row, column]),
        )
        for row in range(rows)
        for column in reversed(range(gains.shape[1]))
    )
