"""Playable policies, from exact play down to play that only counts points: levels of a bot player.

A policy says for a position what each state of the turn is worth and where to bank, as arrays
(Decisions). A roll goes to the set-aside that leads to the most, of equal ones to that with more
points, then to that with fewer dice. A policy is a function of the position and the roll alone, so
that it cannot know the dice to come.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache, partial

import numpy as np
import numpy.typing as npt

from solver.errors import InvalidRequestError, MissingStrategyError, did_you_mean
from solver.game.endgame import last_turn
from solver.game.position import MAX_TURN_TOTAL, Position, is_on_board, points_to_beat
from solver.rules.ruleset import Ruleset
from solver.strategy import Strategy
from solver.turn.dice import Roll
from solver.turn.equations import Endings, Floats, TurnTable, solve_turn
from solver.turn.points import bank_decisions, points_turn
from solver.turn.scoring import TurnState, after_set_aside, set_asides, turn_plan
from solver.wording import say, say_later

_REMEMBERED = 512
"""Turns whose decisions a policy keeps."""

_MOST_ROWS = 20_000
"""Turn totals in point steps of a turn without a goal; rolling on is best for ever where a farkle
keeps the turn total."""


@dataclass(frozen=True, slots=True)
class TurnView:
    """All that a policy may look at: the rules, the position and the roll just made.

    The position is as before the roll, `position.dice` the number of dice rolled, and
    `position.opponent` the score of the strongest opponent.
    """

    rules: Ruleset
    position: Position
    roll: Roll


@dataclass(frozen=True, slots=True)
class Move:
    """The dice to set aside, and whether to bank then."""

    set_aside: Roll
    bank: bool


@dataclass(frozen=True, slots=True, eq=False)
class Decisions:
    """What to do in one turn, by turn total in point steps and remaining dice n in column n - 1.

    The last level and the last turn total stand for all further ones.
    """

    worth: Floats
    """What a state is worth against others of the turn, shape (levels, turn totals, columns)."""
    bank: npt.NDArray[np.bool_]
    """Where to bank, if it is legal, in the same shape."""

    def place(self, rules: Ruleset, turn: TurnState) -> tuple[int, int, int]:
        """Where a state stands in the arrays."""
        levels, totals, _ = self.worth.shape
        row = min(turn.turn_total // rules.point_step, totals - 1)
        return min(turn.hot_dice, levels - 1), row, turn.dice - 1


class Policy:
    """A way to play, given by its Decisions; it is asked only about rolls that score.

    In a last turn, and in those of a play-off, decisions may depend on what is to be beaten and on
    the board alone.
    """

    name: str
    looks_at: tuple[str, ...] = ("farkles", "opponent", "opponent_farkles", "opponent_on_board")
    """The fields of a position that decisions depend on while nobody has reached the goal, beside
    `banked` and `on_board`, which they always may; `began` is one of them only where it is named.
    The fewer they are, the quicker a policy is evaluated exactly."""

    def decisions(self, rules: Ruleset, position: Position) -> Decisions:
        """The decisions of the turn that a position belongs to; the position must be possible."""
        raise NotImplementedError

    def choose(self, view: TurnView) -> Move:
        """What to do after a roll; always legal."""
        rules, position = view.rules, view.position
        found = self.decisions(rules, position)
        best = -np.inf, -1
        choice = None
        for kept in set_asides(rules, view.roll):
            after = after_set_aside(rules, position.turn, kept)
            state = found.place(rules, after)
            if (rank := (float(found.worth[state]), after.turn_total)) > best:
                best = rank
                is_hot = after.hot_dice > position.hot_dice
                legal = (not is_hot or rules.hot_dice == "optional") and rules.may_bank(
                    after.turn_total, position.banked, on_board=is_on_board(rules, position)
                )
                choice = Move(kept.dice, bool(found.bank[state]) and legal)
        if choice is None:
            raise InvalidRequestError("a policy is asked only about a roll of which dice score")
        return choice

    def banks(self, rules: Ruleset, position: Position) -> bool:
        """Whether to bank before a roll, where that is legal."""
        found = self.decisions(rules, position)
        return bool(found.bank[found.place(rules, position.turn)])


class Optimal(Policy):
    """The greatest probability to win, from the solved game."""

    name = "optimal"
    looks_at = (*Policy.looks_at, "began")

    def __init__(self, strategy: Strategy) -> None:
        self.strategy = strategy

    def decisions(self, rules: Ruleset, position: Position) -> Decisions:  # noqa: ARG002
        """The decisions of the strategy; those of its own rules."""
        return table_decisions(self.strategy.turn(position))


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

    def decisions(self, rules: Ruleset, position: Position) -> Decisions:
        """The decisions of the turn that a position belongs to."""
        on_board = is_on_board(rules, position)
        if position.opponent < rules.winning_score:
            return table_decisions(points_turn(rules, position.banked, on_board=on_board))
        return table_decisions(last_turn(rules, points_to_beat(rules, position), on_board=on_board))


class Greedy(Policy):
    """Takes all the points it can and banks from a fixed turn total on, see `greedy_threshold`.

    It banks whatever reaches the goal, and rolls in a last turn until it has beaten the other
    player.
    """

    name = "greedy"
    looks_at = ()

    def decisions(self, rules: Ruleset, position: Position) -> Decisions:
        """The decisions of the turn that a position belongs to."""
        return _most_points(rules, position, greedy_threshold(rules))


class Cautious(Policy):
    """Takes all the points it can and banks as soon as it may; in a last turn when it has won."""

    name = "cautious"
    looks_at = ()

    def decisions(self, rules: Ruleset, position: Position) -> Decisions:
        """The decisions of the turn that a position belongs to."""
        return _most_points(rules, position, 0)


class Threshold(Policy):
    """Takes all the points it can and banks from a turn total on that is given.

    It banks whatever reaches the goal, and rolls in a last turn until it has beaten the other
    player.
    """

    looks_at = ()

    def __init__(self, points: int) -> None:
        self.points = points
        self.name = f"{THRESHOLD}{points}"

    def decisions(self, rules: Ruleset, position: Position) -> Decisions:
        """The decisions of the turn that a position belongs to."""
        return _most_points(rules, position, self.points)


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

    def decisions(self, rules: Ruleset, position: Position) -> Decisions:
        """The decisions of the turn that a position belongs to."""
        on_board = is_on_board(rules, position)
        if position.opponent >= rules.winning_score:
            to_beat = points_to_beat(rules, position)
            return table_decisions(last_turn(rules, to_beat, on_board=on_board))
        enough = None
        if self._banks_wins:
            missing = rules.winning_score - position.banked
            least = rules.least_bank_at(position.banked, on_board=on_board)
            enough = max(missing, least) // rules.point_step
        return _turn_points_decisions(rules, rules.least_bank(on_board=on_board), enough)


LEVELS: dict[str, str] = {
    Optimal.name: say_later("plays for the greatest probability to win, exactly"),
    MaxPoints.name: say_later(
        "plays for the most points up to the goal in every turn, whatever the scores"
    ),
    Greedy.name: say_later("takes every point and banks at a fixed turn total, often 300 or 400"),
    Cautious.name: say_later("takes every point and banks as soon as it may"),
}
"""The levels of bots, with a description of each."""

THRESHOLD = "threshold:"

POLICIES: dict[str, str] = {
    **LEVELS,
    "turn-points": say_later("plays for the most points a turn, as if there were no goal"),
    "turn-points-bank-wins": say_later("the same, but banks a turn total that wins"),
    f"{THRESHOLD}N": say_later("takes every point and banks at a turn total of N"),
}
"""The names of all policies, with a description of each."""

_MAKERS: dict[str, Callable[[], Policy]] = {
    MaxPoints.name: MaxPoints,
    Greedy.name: Greedy,
    Cautious.name: Cautious,
    "turn-points": partial(TurnPoints, banks_wins=False),
    "turn-points-bank-wins": partial(TurnPoints, banks_wins=True),
}
"""All policies that need no strategy."""


def make_policy(name: str, strategy: Strategy | None = None) -> Policy:
    """The policy of a name, one of POLICIES.

    Raises InvalidRequestError for an unknown name, and MissingStrategyError for "optimal" without
    a strategy.
    """
    if name == Optimal.name:
        if strategy is None:
            raise MissingStrategyError.say(
                'the level "optimal" needs a strategy file, and these rules are not solved yet;'
                " without one there are {levels}",
                levels=", ".join(level for level in LEVELS if level != Optimal.name),
            )
        return Optimal(strategy)
    if name.startswith(THRESHOLD):
        return Threshold(_threshold(name.removeprefix(THRESHOLD)))
    if name not in _MAKERS:
        raise InvalidRequestError(
            say('unknown level "{level}"', level=name) + did_you_mean(name, list(POLICIES))
        )
    return _MAKERS[name]()


def _threshold(text: str) -> int:
    points = int(text) if text.isascii() and text.isdigit() and len(text) < 8 else 0
    if not 0 < points <= MAX_TURN_TOTAL:
        raise InvalidRequestError.say(
            '{policy}: "{points}" is no turn total to bank at: it is 1 to {most:,}, as in'
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


def _most_points(rules: Ruleset, position: Position, threshold: int) -> Decisions:
    """Take the most points; bank at `threshold`, or what reaches the goal or beats the other."""
    margin = points_to_beat(rules, position)
    if margin is None:
        to_goal = rules.winning_score - position.banked
        enough = min(threshold, to_goal) if to_goal > 0 else threshold
    else:
        enough = margin + rules.point_step
    least = rules.least_bank_at(position.banked, on_board=is_on_board(rules, position))
    return _threshold_decisions(rules, -(-max(enough, least) // rules.point_step))


@lru_cache(maxsize=_REMEMBERED)
def _threshold_decisions(rules: Ruleset, enough: int) -> Decisions:
    """Take the most points and bank from `enough` point steps on."""
    plan = turn_plan(rules)
    totals = np.arange(enough + 2 * plan.reach)[:, np.newaxis]
    shape = plan.levels, len(totals), plan.columns
    bank = np.broadcast_to(totals >= enough, shape).copy()
    if plan.must_roll_hot:
        bank[..., -1] = False
    return Decisions(np.broadcast_to(totals.astype(np.float64), shape).copy(), bank)


@lru_cache(maxsize=_REMEMBERED)
def _turn_points_decisions(rules: Ruleset, least: int, enough: int | None) -> Decisions:
    """The decisions of a turn for most points without a goal, `least` points to bank.

    enough : turn total in point steps from which on all is banked, as it wins; None to look at
        points alone
    """
    table = _endless_turn(rules, least)
    if enough is None:
        return table_decisions(table)
    plan, rows = table.plan, max(len(table.ends.bank), enough + 2 * table.plan.reach)
    kept = np.minimum(np.arange(rows), len(table.ends.bank) - 1)
    worth, bank = table.win_probability[:, kept], bank_decisions(table)[:, kept]
    stops = slice(None, -1) if plan.must_roll_hot else slice(None)
    # more than any turn total that does not win
    worth[:, enough:, stops], bank[:, enough:, stops] = 2.0, True
    return Decisions(worth, bank)


@lru_cache(maxsize=16)
def _endless_turn(rules: Ruleset, least: int) -> TurnTable:
    """A turn for most points without a goal, cut off where all is banked by far.

    Its values are shares of its last turn total.
    """
    step, plan = rules.point_step, turn_plan(rules)
    rows = 8 * plan.reach + least // step
    while True:
        scale = 2.0 * rows
        bank = np.arange(rows) / scale
        farkle = bank.copy() if rules.farkle_keeps_turn_total else np.zeros(rows)
        farkle[: least // step] = 0.0
        bank[: least // step] = np.nan
        # a roll that wins is worth the goal, of which the table makes 1
        scaled = replace(plan, win_chances=plan.win_chances * rules.winning_score / step / scale)
        table = solve_turn(scaled, Endings(bank, farkle, 0.0))
        banks = bank_decisions(table)[:, rows // 2 : rows - plan.reach]
        if plan.must_roll_hot:
            banks = banks[..., :-1]
        if banks.all() or rows >= _MOST_ROWS:
            return table
        rows *= 2
