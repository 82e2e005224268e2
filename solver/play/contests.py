"""Two players who play in given ways, evaluated exactly; or one of them as is best. Loads numba.

How the turns of a player end is found once for every state, and then the table of both players is
swept like that of a solve, see docs/mathematics-turns.md.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from itertools import product
from pathlib import Path

import numpy as np
import numpy.typing as npt

from solver.game.best import Strategy
from solver.game.endgame import Endgame, FinalTurns, endgame, play_off_turn, worth_of_tie
from solver.game.layout import Contest, Outcomes, as_is_best, read_table, write_table
from solver.game.outcomes import Outcome, outcome_of, outcomes_of_values
from solver.game.position import Position, banks_allowed, start_of_turn
from solver.game.solvable import check_solvable
from solver.game.standings import (
    OnShare,
    Standing,
    first_standing,
    role,
    score_count,
    standing_index,
)
from solver.game.sweeping import Sweeps
from solver.game.sweeps import settle
from solver.play.duel import Duel, OnContest
from solver.play.policies import Optimal
from solver.play.policy import Decisions, Policy
from solver.rules.ruleset import Ruleset
from solver.turn.equations import EqualDice, Floats, turn_plan
from solver.turn.plan import allowed_banks

TOLERANCE = 1e-12
"""The most that values may still change in all in a contest of two given ways to play."""

_LEAST = 1.0
"""What changes are relative to: a contest asks for chances, not for each state's relative error."""

_MOST_BEYOND = 2_000


@dataclass(frozen=True, slots=True, eq=False)
class Settled:
    """The values of a contest: of each player when that player is to move, as in a Solution."""

    rules: Ruleset
    one: Floats
    other: Floats
    last: Floats
    """The values of the other player's final turns, as in `Endgame.last`."""
    sweeps: int
    change: float
    """Largest change of any value in the last sweep."""

    @property
    def starts(self) -> tuple[float, float]:
        """Chance of the first player to win a game that it begins, and one that it does not."""
        rules = self.rules
        place, first = standing_index(rules, first_standing(rules)), role(rules, began=True)
        return float(self.one[first, place, place]), 1 - float(self.other[first, place, place])

    @property
    def overall(self) -> float:
        """How often the first player wins who begins every other game."""
        return sum(self.starts) / 2

    def duel(self, one: str, other: str) -> Duel:
        """Return it as the duel of players with these names."""
        return Duel(self.rules, one, other, *self.starts, self.change, self.sweeps)


def settled(
    rules: Ruleset,
    one: Policy | None,
    other: Policy,
    *,
    cache: Path,
    tolerance: float = TOLERANCE,
    values: Floats | None = None,
    theirs: Outcomes | None = None,
    on_progress: OnContest = lambda _: None,
) -> Settled:
    """The values of a contest; `one` plays as is best against `other` if None.

    values : of the solved game, if they are known, from which the sweeps start
    theirs : how the turns of the other one end, if that is known

    Raises FarkleError where a policy plays on for ever, or that is too much to hold.
    """
    players = [one, other]
    ends = endgame(rules, further=_further(rules, [player for player in players if player]))
    outcomes: dict[Policy | None, Outcomes] = {None: as_is_best()}
    if theirs is not None:
        outcomes[other] = theirs
    for player in players:
        if player not in outcomes and player is not None:
            outcomes[player] = _outcomes(rules, player, ends, cache, on_progress)
    contest = Contest(outcomes[one], outcomes[other])
    lasts = _final_turns(rules, one, other, ends)

    by_uses = [last[np.newaxis] for last in lasts]
    sweeps = Sweeps(rules, ends, by_uses, contest, cache, None, on_progress, least=_LEAST)
    half = len(sweeps.table) // 2
    sides = sweeps.table[:half], sweeps.table[half:]
    if values is not None:
        for side in sides:
            write_table(rules, side, values)
    sweeps.pair_tolerance = tolerance / 10
    number, change = settle(sweeps, tolerance)
    read = [read_table(rules, side) for side in sides]
    return Settled(rules, read[0], read[1], lasts[1], number, change)


def settled_against(
    other: Policy, players: list[Policy], strategy: Strategy, *, cache: Path, on_progress: OnShare
) -> Callable[..., Settled]:
    """Return `settled` for contests of players with one whose turns are evaluated once for all.

    strategy : of the solved game
    """
    rules = strategy.rules
    ends = endgame(rules, further=_further(rules, [other, *players]))
    theirs = _outcomes(rules, other, ends, cache, on_progress)
    return partial(settled, rules, other=other, cache=cache, values=strategy.values, theirs=theirs)


def duel(
    rules: Ruleset,
    one: Policy,
    other: Policy,
    *,
    cache: Path,
    on_progress: OnContest = lambda _: None,
) -> Duel:
    """The exact win probability of a policy against another one, or against itself.

    With optimal play under the rules of its strategy, whose floor may be another one.

    cache : the folder of compiled code

    Raises InvalidRulesError for rules that cannot be solved, SolveError where that is too much to
    hold, ConvergenceError where a game need not end, and StrategyFileError.
    """
    strategies = [player.strategy for player in (one, other) if isinstance(player, Optimal)]
    rules = strategies[0].rules if strategies else rules
    check_solvable(rules)
    if len(strategies) == 2 and strategies[0] is strategies[1]:
        other = one  # whose turns are evaluated once
    values = settled(
        rules,
        one,
        other,
        cache=cache,
        values=strategies[0].values if strategies else None,
        on_progress=on_progress,
    )
    return values.duel(one.name, other.name)


def _further(rules: Ruleset, players: list[Policy]) -> int:
    """Turn totals more beyond the goal, in point steps, that policies tell apart."""
    if rules.ending == "at_once":
        return 0
    start = start_of_turn(rules, Standing(), Standing())
    starts = [player.decisions(EqualDice(rules), start) for player in players]
    longest = max((start.worth.shape[1] for start in starts), default=0)
    goals = score_count(rules) + turn_plan(rules).reach
    return min(max(0, longest - goals), _MOST_BEYOND)


def _outcomes(
    rules: Ruleset,
    player: Policy,
    ends: Endgame,
    cache: Path,
    on_progress: OnShare,
) -> Outcomes:
    """How the turns of a policy end; positions with the same decisions have the same outcome."""
    if isinstance(player, Optimal):
        values = player.strategy.values
        return outcomes_of_values(rules, ends, values, cache=cache, on_progress=on_progress)
    step, scores = rules.point_step, score_count(rules)
    modes = 1 + rules.has_opening, rules.farkle_limit
    rows = max(scores, rules.least_bank(on_board=False) // step)
    rows += ends.beyond + turn_plan(rules).reach + 1
    which = np.full((1 + rules.has_roles, *modes, *modes, scores, scores), -1, np.int32)
    known: dict[tuple[Decisions, bytes], int] = {}
    parts: list[Outcome] = []
    below = -rules.score_floor // step
    for off_board, index in product(range(modes[0]), range(scores)):
        on_progress(index / scores)
        if off_board and index > below:
            break
        score = rules.score_floor + index * step
        allowed = allowed_banks(rules, score, rows, on_board=not off_board)
        for place, position in _positions(rules, player, index, off_board):
            decisions = player.decisions(EqualDice(rules), position)
            key = decisions, allowed.tobytes()
            if key not in known:
                known[key] = len(parts)
                parts.append(outcome_of(rules, decisions.worth, decisions.bank, allowed))
            which[place] = known[key]
    shape = len(which), *(modes[0] * modes[1],) * 2, scores, scores
    return _together(rules, which.reshape(shape), parts)


Place = tuple[int | slice, ...]
"""Which states have the same decisions: by role, whether they are off the board, their farkles in a
row, the same of the opponent, and both scores."""


def _positions(
    rules: Ruleset, player: Policy, index: int, off_board: int
) -> Iterator[tuple[Place, Position]]:
    """The positions with a score that a policy tells apart, and the states of each."""

    def choices(field: str, number: int) -> list[tuple[int | slice, int]]:
        if field not in player.looks_at:
            return [(slice(None), 0)]
        return [(k, k) for k in range(number)]

    told_apart = product(
        choices("began", 1 + rules.has_roles),
        choices("farkles", rules.farkle_limit),
        choices("opponent_on_board", rules.boards),
        choices("opponent_farkles", rules.farkle_limit),
        choices("opponent", score_count(rules)),
    )
    for who, own, board, theirs, opponent in told_apart:
        score, other = (rules.score_floor + k * rules.point_step for k in (index, opponent[1]))
        mover, rival = (
            Standing(score, own[1], not off_board),
            Standing(other, theirs[1], not board[1]),
        )
        place = who[0], off_board, own[0], board[0], theirs[0], index, opponent[0]
        yield place, start_of_turn(rules, mover, rival, began=who[1] == 0)


def _together(rules: Ruleset, which: npt.NDArray[np.int32], parts: list[Outcome]) -> Outcomes:
    """Outcomes one after the other, each from its first turn total with a chance to its last."""
    keeps = rules.farkle_keeps_turn_total
    first, count = np.zeros((2, len(parts)), dtype=np.intp)
    for k, part in enumerate(parts):
        ends_turn = part.banked + part.farkled if keeps else part.banked
        if len(there := np.flatnonzero(ends_turn)):
            first[k], count[k] = there[0], there[-1] + 1 - there[0]
    spans = [slice(a, a + n) for a, n in zip(first, count, strict=True)]
    banked = [part.banked[span] for part, span in zip(parts, spans, strict=True)]
    kept = [part.farkled[span] for part, span in zip(parts, spans, strict=True) if keeps]
    return Outcomes(
        which,
        first,
        np.cumsum(count) - count,
        count,
        np.concatenate(banked),
        np.concatenate([np.empty(0), *kept]),
        np.array([0.0 if keeps else part.farkled[0] for part in parts]),
        np.array([part.wins for part in parts]),
        np.array([part.loses for part in parts]),
    )


# ---- Final turns and play-offs ---------------------------------------------------------------


def _final_turns(rules: Ruleset, one: Policy | None, other: Policy, ends: Endgame) -> list[Floats]:
    """The values of the final turns of both players, as in `Endgame.last`."""
    if rules.ending == "at_once":
        return [ends.last, ends.last]
    margins = ends.last.shape[1]
    rules = rules.in_last_turns
    players = _Last(rules, one, margins), _Last(rules, other, margins)
    if rules.is_defended:
        return _defended(rules, players)
    lasts = []
    for chaser, leader in (players, players[::-1]):
        tie = worth_of_tie(rules, chaser.second, leader.first)
        lasts.append(np.array([chaser.second(tie, on_board=board) for board in (False, True)]))
    return lasts


def _defended(rules: Ruleset, players: tuple["_Last", "_Last"]) -> list[Floats]:
    """The values of the final turns of two players, of whom who is beaten has one in return."""
    tie = 0.5 if rules.ties == "shared" else 0.0
    lasts, change = [np.zeros(1)] * 2, 1.0
    while change > TOLERANCE / 10:
        last, returns = lasts, lasts[::-1]
        pairs = zip(players, returns, strict=True)
        lasts = [player.second(tie, beaten=beaten) for player, beaten in pairs]
        change = max(np.max(np.abs(new - old)) for new, old in zip(lasts, last, strict=True))
    return [
        np.array([player.second(tie, on_board=board, beaten=there) for board in (False, True)])
        for player, there in zip(players, lasts[::-1], strict=True)
    ]


class _Last:
    """The last turns of a player, who plays as is best if no policy is given."""

    def __init__(self, rules: Ruleset, player: Policy | None, margins: int) -> None:
        self.rules, self.player, self.margins = rules, player, margins
        self._found = cache(self._last)

    def second(self, tie: float, *, on_board: bool = True, beaten: Floats | None = None) -> Floats:
        """Chance to win a last turn by the margin, given what a tie is worth.

        beaten : what the other player has who is beaten, as of `FinalTurns`
        """
        if self.player is None:
            plan = turn_plan(self.rules)
            turns = FinalTurns(self.rules, plan, tie, beaten, on_board=on_board)
            return turns.worth(self.margins - 1)
        wins, ties, beats = self._found(
            self.player, on_board=on_board or not self.rules.has_opening
        )
        beaten = np.zeros(1) if beaten is None else beaten
        ahead = beaten.take(np.arange(1, self.margins + 1), mode="clip")
        return np.asarray(wins + ties * tie + beats @ (1 - ahead))

    def first(self, second: Floats) -> float:
        """Chance to win a play-off as the first player, given the second one's by the margin."""
        rules, goal = self.rules, self.rules.winning_score
        if self.player is None:
            return float(play_off_turn(rules, turn_plan(rules), second).roll[0, 0, -1])
        start = start_of_turn(rules, Standing(goal), Standing(goal))
        outcome = self._outcome(self.player, start)
        ended = outcome.ended(rules)
        after = second[np.minimum(np.arange(len(ended)), len(second) - 1)]
        return float(outcome.wins + ended @ (1 - after))

    def _outcome(self, player: Policy, position: Position) -> Outcome:
        decisions = player.decisions(EqualDice(self.rules), position)
        allowed = banks_allowed(self.rules, position, self.margins + 1)
        return outcome_of(self.rules, decisions.worth, decisions.bank, allowed)

    def _last(self, player: Policy, *, on_board: bool) -> tuple[Floats, Floats, Floats]:
        """Chances to win at once at each margin, to come out even with it, and to beat it.

        The last by the point steps ahead less one; the last place is for all that are more.
        """
        rules, step = self.rules, self.rules.point_step
        wins, ties = np.zeros((2, self.margins))
        beats = np.zeros((self.margins, self.margins))
        for margin in range(self.margins):
            # a margin of 0 there is only in a play-off
            banked = rules.winning_score - (step if margin else 0)
            own, other = Standing(banked, 0, on_board), Standing(banked + margin * step)
            began = not rules.has_roles and margin > 0
            outcome = self._outcome(player, start_of_turn(rules, own, other, began=began))
            ended = outcome.ended(self.rules)
            wins[margin], ties[margin] = outcome.wins, ended[margin]
            ahead = ended[margin + 1 :]
            beats[margin, : len(ahead)] = ahead[: self.margins]
            beats[margin, -1] += ahead[self.margins :].sum()
        return wins, ties, beats
