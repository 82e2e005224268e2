"""Playable policies, from exact play down to play that only counts points: the levels of bots."""

from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache, partial

import numpy as np

from solver.errors import FarkleError, InvalidRequestError, MissingStrategyError, did_you_mean
from solver.game.best import Strategy, last_turn_at
from solver.game.position import (
    MAX_TURN_TOTAL,
    Position,
    first_position,
    is_on_board,
    least_bank,
    points_to_beat,
)
from solver.play.memo import GoForIt, Memo, MemoGoForIt
from solver.play.policy import Decisions, Policy, by_number
from solver.rules.ruleset import Ruleset
from solver.turn.dice import Hand
from solver.turn.endless import endless_turn
from solver.turn.equations import EqualDice, TurnPlan, TurnTable, turn_plan
from solver.turn.points import bank_decisions, points_table
from solver.wording import say, say_later

_REMEMBERED = 512
"""Turns whose decisions a policy keeps."""


class Optimal(Policy):
    """The greatest probability to win, from the solved game."""

    name = "optimal"
    looks_at = (*Policy.looks_at, "began")

    def __init__(self, strategy: Strategy) -> None:
        self.strategy = strategy

    def decisions(self, hand: Hand, position: Position) -> Decisions:  # noqa: ARG002
        """The decisions of the strategy; those of its own rules."""
        return table_decisions(self.strategy.turn_of_checked(position))


class MaxPoints(Policy):
    """The most expected points in every turn; whatever reaches the goal is banked.

    Points beyond the goal do not count: a turn is worth the score that it leads to, at most the
    least that reaches the goal. So near the goal it plays to reach it, and not for a lead beyond it
    where the other player has turns left.

    A last turn, in which points below the other player's score are worth nothing, is played for the
    best chance to beat it; so are the turns of a play-off.
    """

    name = "max-points"
    looks_at = ()

    def decisions(self, hand: Hand, position: Position) -> Decisions:
        """The decisions of the turn that a position belongs to."""
        rules, on_board = hand.rules, is_on_board(hand.rules, position)
        if rules.rounds:
            return _turn_points_decisions(rules, hand.plan, on_board, None)
        if position.opponent < rules.winning_score:
            return _points_decisions(rules, hand.plan, position.banked, on_board, position.to_beat)
        return table_decisions(last_turn_at(rules, position, (hand.plan,)))


class Threshold(Policy):
    """Takes all the points it can and banks from a turn total on that is given.

    It banks whatever reaches the goal, and rolls in a last turn until it has beaten the other
    player.
    """

    looks_at = ()

    def __init__(self, points: int) -> None:
        self.points = points
        self.name = f"{THRESHOLD}{points}"

    def bank_from(self, rules: Ruleset) -> int:  # noqa: ARG002 - a kind of it looks at them
        """Return the turn total in points from which on it banks."""
        return self.points

    def decisions(self, hand: Hand, position: Position) -> Decisions:
        """The decisions of the turn that a position belongs to."""
        rules, threshold = hand.rules, self.bank_from(hand.rules)
        margin = points_to_beat(rules, position)
        if margin is None:
            to_goal = rules.winning_score - position.banked
            enough = min(threshold, to_goal) if to_goal > 0 else threshold
        else:
            enough = margin + rules.point_step
        least = least_bank(rules, position)
        enough = -(-max(enough, least) // rules.point_step)
        return by_number(hand, _threshold_decisions(rules, enough))


class Cautious(Threshold):
    """Takes all the points it can and banks as soon as it may; in a last turn when it has won."""

    name = "cautious"

    def __init__(self) -> None:
        self.points = 0


class Greedy(Cautious):
    """Takes all the points it can and banks from a fixed turn total on, see `greedy_threshold`."""

    name = "greedy"

    def bank_from(self, rules: Ruleset) -> int:
        """Return the turn total in points from which on it banks."""
        return greedy_threshold(rules)


class TurnPoints(Policy):
    """The most expected points in every turn, as if there were no goal.

    It may roll on with a turn total that would win; with `banks_wins` it banks that. What a roll
    that wins at once is worth is the goal's points. Last turns and play-offs are played as
    MaxPoints does.
    """

    looks_at = ()

    def __init__(self, *, banks_wins: bool) -> None:
        self.name = "turn-points-bank-wins" if banks_wins else "turn-points"
        self._banks_wins = banks_wins

    def decisions(self, hand: Hand, position: Position) -> Decisions:
        """The decisions of the turn that a position belongs to."""
        rules, on_board = hand.rules, is_on_board(hand.rules, position)
        if position.opponent >= rules.winning_score:
            return table_decisions(last_turn_at(rules, position, (hand.plan,)))
        enough = None
        if self._banks_wins and not rules.is_exact:
            missing = rules.winning_score - position.banked
            enough = max(missing, least_bank(rules, position)) // rules.point_step
        return _turn_points_decisions(rules, hand.plan, on_board, enough)


LEVELS: dict[str, str] = {
    Optimal.name: say_later("plays perfectly: it wins as often as can be"),
    MaxPoints.name: say_later(
        "scores as much as it can in every turn, up to the goal, and pays no attention to the"
        " scores"
    ),
    Memo.name: say_later("plays by the table that /memo shows, which a person can keep in mind"),
    MemoGoForIt.name: say_later("like memo, but risks everything near the end where /memo says so"),
    Greedy.name: say_later("takes every point and banks at a fixed turn total, often 300 or 400"),
    Cautious.name: say_later("takes every point and banks as soon as it may"),
}
"""The levels of bots, with a description of each."""

THRESHOLD = "threshold:"

POLICIES: dict[str, str] = {
    **LEVELS,
    "turn-points": say_later("plays for the most points a turn, as if there were no goal"),
    "turn-points-bank-wins": say_later("like turn-points, but banks a turn total that wins"),
    f"{THRESHOLD}N": say_later("takes every point and banks at a turn total of N"),
}
"""The names of all policies, with a description of each."""

_MAKERS: dict[str, Callable[[], Policy]] = {
    MaxPoints.name: MaxPoints,
    Memo.name: Memo,
    Greedy.name: Greedy,
    Cautious.name: Cautious,
    "turn-points": partial(TurnPoints, banks_wins=False),
    "turn-points-bank-wins": partial(TurnPoints, banks_wins=True),
}
"""All policies that need no strategy."""


def make_policy(
    name: str, strategy: Strategy | None = None, go_for_it: GoForIt | None = None
) -> Policy:
    """The policy of a name, one of POLICIES.

    Raises InvalidRequestError for an unknown name, and MissingStrategyError for "optimal" without
    a strategy and for "memo-go-for-it" without thresholds.
    """
    if name == Optimal.name:
        if strategy is None:
            raise MissingStrategyError.say(
                'the level "optimal" needs solved rules, and these are not solved yet; until then'
                " there are {levels}",
                levels=", ".join(level for level in LEVELS if level != Optimal.name),
            )
        return Optimal(strategy)
    if name == MemoGoForIt.name:
        if go_for_it is None:
            raise MissingStrategyError.say(
                'the level "{level}" needs the whole table to memorise, which is not worked out'
                " for these rules yet: ask for memo first",
                level=name,
            )
        return MemoGoForIt(go_for_it)
    if name.startswith(THRESHOLD):
        return Threshold(_threshold(name.removeprefix(THRESHOLD)))
    if name not in _MAKERS:
        raise InvalidRequestError(
            say('unknown policy "{policy}"', policy=name) + did_you_mean(name, list(POLICIES))
        )
    return _MAKERS[name]()


def levels_under(
    rules: Ruleset, strategy: Strategy | None = None, go_for_it: GoForIt | None = None
) -> list[Policy]:
    """The levels of bots that there can be under the rules, given what some of them need."""
    levels = []
    for name in LEVELS:
        with suppress(FarkleError):
            policy = make_policy(name, strategy, go_for_it)
            policy.decisions(EqualDice(rules), first_position(rules))
            levels.append(policy)
    return levels


def _threshold(text: str) -> int:
    points = int(text) if text.isascii() and text.isdigit() and len(text) < 8 else 0
    if not 0 < points <= MAX_TURN_TOTAL:
        raise InvalidRequestError.say(
            '{policy}: "{points}" is not a turn total to bank at: it can be 1 to {most:,}, as in'
            " threshold:300",
            policy=THRESHOLD.rstrip(":"),
            points=text,
            most=MAX_TURN_TOTAL,
        )
    return points


def greedy_threshold(rules: Ruleset) -> int:
    """The turn total in points at which Greedy banks: three times the best single die.

    That is the usual 300 where a 1 counts 100; where no single die scores it is three times the
    least combination. It is always more than the least bank, by the best single die at least.
    """
    best = max(rules.combinations.get((face,), 0) for face in range(1, 7))
    die = best or min(rules.combinations.values())
    return max(3 * die, rules.least_bank() + die)


@lru_cache(maxsize=_REMEMBERED)
def table_decisions(table: TurnTable) -> Decisions:
    """The decisions of a turn's table; a tie is banked."""
    return Decisions(table.win_probability, bank_decisions(table))


@lru_cache(maxsize=_REMEMBERED)
def _threshold_decisions(rules: Ruleset, enough: int) -> Decisions:
    """Take the most points and bank from `enough` point steps on."""
    plan = turn_plan(rules)
    totals = np.arange(enough + 2 * plan.reach)[:, np.newaxis]
    shape = plan.levels, len(totals), rules.dice
    bank = np.broadcast_to(totals >= enough, shape).copy()
    bank[..., ~plan.may_bank[plan.usual]] = False
    return Decisions(np.broadcast_to(totals.astype(np.float64), shape).copy(), bank)


@lru_cache(maxsize=_REMEMBERED)
def _points_decisions(
    rules: Ruleset, plan: TurnPlan, score: int, on_board: bool, to_beat: int
) -> Decisions:
    """The decisions of a turn for most points up to the goal."""
    table = points_table(rules, plan, score, on_board=on_board, to_beat=to_beat)
    return table_decisions(table)


@lru_cache(maxsize=_REMEMBERED)
def _turn_points_decisions(
    rules: Ruleset, plan: TurnPlan, on_board: bool, enough: int | None
) -> Decisions:
    """The decisions of a turn for most points without a goal.

    enough : turn total in point steps from which on all is banked, as it wins; None to look at
        points alone
    """
    turn = endless_turn(rules, on_board=on_board, win=rules.winning_score, plan=plan)
    last = turn.banks.shape[1] - 1
    rows = last + 1 if enough is None else max(last + 1, enough + 2 * plan.reach)
    kept = np.minimum(np.arange(rows), last)
    worth, bank = turn.table.win_probability[:, kept], turn.banks[:, kept]
    if enough is not None:
        # more than any turn total that does not win
        worth[:, enough:, plan.may_bank], bank[:, enough:, plan.may_bank] = np.inf, True
    return Decisions(worth, bank)
