"""Best play seen from above: a whole turn, where its border runs, and both over the scores.

The border of a turn is where rolling no longer pays: for each number of dice the turn totals at
which to bank. They need not be one run: near the goal a player may bank at one turn total and roll
at a higher one, from which the goal is close.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from solver.errors import InvalidRequestError
from solver.game.best import BestPlay, Strategy
from solver.game.position import Position, check_position
from solver.game.standings import Bools, Ints, OnShare, Standing, Standings, check_goal, many
from solver.rules.ruleset import Ruleset
from solver.turn.dice import Remaining, dice_set
from solver.turn.equations import Decision, Floats
from solver.turn.memo import ones_twos_fives
from solver.turn.points import BankFrom, bank_decisions, bank_from, turn_outcome

MOST_COLUMNS = 8
"""Remaining dice that are shown; a set may have 63."""


@dataclass(frozen=True, slots=True, eq=False)
class TurnMap:
    """A turn as arrays of shape (turn totals, remaining dice), the fewest dice first.

    They go as far as there is a choice, and to each turn total from which on to bank.
    """

    rules: Ruleset
    position: Position
    """The position asked about: its turn total, dice and hot dice are those of the moment."""
    columns: tuple[Remaining, ...]
    """The dice to roll of each column."""
    totals: Ints
    """Turn totals in points, shape (turn totals,)."""
    roll: Floats
    """Win probability of rolling."""
    bank: Floats
    """Win probability of banking; NaN where it is not allowed."""
    reachable: Bools
    """Whether the turn can come there after the hot dice of the position."""
    bank_from: tuple[BankFrom, ...]
    """When to bank, for the dice of each column that can be left; a bank that wins too."""
    win_probability: float
    """The win probability at the start of the turn."""
    within: float | None = None
    """What 95 in 100 chances are off by at most, where they are estimates."""

    @property
    def banks(self) -> Bools:
        """Where to bank; a tie is banked."""
        return np.asarray(self.bank >= self.roll)  # which NaN never is

    @property
    def value(self) -> Floats:
        """Win probability of the better choice."""
        return np.fmax(self.bank, self.roll)

    def action(self, row: int, column: int) -> Decision:
        """Return what to do in a cell."""
        if not self.banks[row, column]:
            return Decision.ROLL
        return Decision.WIN if self.bank[row, column] == 1 else Decision.BANK


@dataclass(frozen=True, slots=True, eq=False)
class ScoreMap:
    """Something over both scores at the start of a turn, in arrays of shape (own, opponent's)."""

    rules: Ruleset
    position: Position
    """A position with the farkles in a row and with who began; its scores mean nothing."""
    scores: Ints
    """The scores in points, of either player."""


@dataclass(frozen=True, slots=True, eq=False)
class WinMap(ScoreMap):
    """Win probabilities of the player about to start a turn."""

    win_probability: Floats


@dataclass(frozen=True, slots=True, eq=False)
class BorderMap(ScoreMap):
    """The borders of the turns from all scores, arrays of shape (dice, own, opponent's)."""

    bank_from: Floats
    """The least turn total at which to bank; NaN where so many dice are always rolled."""
    wins_from: Ints
    """The least turn total that reaches the goal, shape (own,)."""
    inverted: Bools
    """Whether it is better to roll again at a higher turn total."""


def turn_map(strategy: BestPlay, position: Position, most: int = MOST_COLUMNS) -> TurnMap:
    """Return the turn that a position belongs to, after as many hot dice as there are in it.

    Where throws combine its dice are shown, beside those that are held in it. Else shown are all
    remaining dice, or of more than `most` those to which the turn comes most often, all dice, and
    those of the position. Raises what `BestPlay.turn` raises.
    """
    start = position if position.turn_total else position.change(hot_dice=0)
    table, step = strategy.turn(start).of_mover, strategy.rules.point_step
    level = min(position.hot_dice, table.plan.levels - 1)
    possible = strategy.possible_rows(position, table.roll.shape[1])
    held = () if strategy.rules.is_part(position.turn.held_set) else position.turn.held_set
    turn = replace(position.turn, to_confirm=False, held_set=held)
    usual = table.plan.layer_of(turn)
    if not turn.turn_total:
        usual = table.plan.after_hot_dice(position.hot_dice)[1]
    columns = np.arange(table.plan.width)
    if strategy.rules.combine_throws:
        # what is held with other dice in this layer has nothing to do with it
        columns = np.array([position.dice - 1])
    elif len(columns) > most:
        often = turn_outcome(strategy.rules, table).visits[level].sum(axis=0)[usual]
        often[[position.dice - 1, -1]] = np.inf
        columns = np.sort(np.argsort(-often, kind="stable")[:most])
        columns = columns[often[columns] > 0]
    seen = table.plan.in_play(possible[level], usual)
    rows = table.roll.shape[1] - table.plan.reach
    sure = table.roll.shape[1]
    long = strategy.rules.is_defended or strategy.rules.final_throws
    if long and position.opponent < strategy.rules.winning_score:
        # turns may go on so far beyond the goal that their end is cut off where it still matters,
        # though hardly any gets there
        rows -= (rows - (strategy.rules.winning_score - position.banked) // step) // 2
        sure = rows + 1
    best = bank_from(bank_decisions(table)[level][:sure, usual], seen[:sure], step)
    best = tuple(threshold for threshold in best if threshold.dice - 1 in columns)
    highest = max((threshold.turn_total or 0 for threshold in best), default=0)
    highest = max(highest, position.turn_total)
    rows = max(rows, highest // step) + 1
    rows = min(rows, table.roll.shape[1])
    bank = np.broadcast_to(table.ends.cells[..., 0], table.roll.shape[1:])[:rows, usual][:, columns]
    bank[:, ~table.plan.may_bank[usual][columns]] = np.nan
    return TurnMap(
        rules=strategy.rules,
        position=position,
        columns=tuple((columns + 1).tolist()),
        totals=np.arange(rows, dtype=np.int64) * step,
        roll=table.plan.in_play(table.roll[level, :rows], usual)[:, columns],
        bank=bank,
        reachable=seen[:rows, columns],
        bank_from=best,
        win_probability=float(table.roll[0, 0, -1]),
        within=strategy.within,
    )


def maps_over_scores(rules: Ruleset) -> tuple[str, ...]:
    """Return which maps over both scores there are: of chances to win, and of when to bank."""
    if rules.rounds:
        return ()
    return ("win",) if rules.combine_throws else ("win", "border")


def win_map(strategy: Strategy, start: Position, scores: Ints) -> WinMap:
    """Win probabilities over all pairs of scores, straight from the table of values.

    scores : in points, ascending, all below the goal
    """
    rules = strategy.rules
    farkles = np.full(len(scores), start.opponent_farkles, dtype=np.int64)
    others = Standings(scores, farkles, _boards(rules, scores), 0 * farkles)
    rows = [
        strategy.win_probabilities(
            many(Standing(int(score), start.farkles, bool(board))), others, began=start.began
        )
        for score, board in zip(scores, _boards(rules, scores), strict=True)
    ]
    return WinMap(rules, start, scores, np.array(rows))


def border_map(
    strategy: Strategy,
    start: Position,
    scores: Ints,
    on_progress: OnShare = lambda _: None,
) -> BorderMap:
    """The borders of the turns from all pairs of scores, each of which is solved.

    scores : in points, ascending, all below the goal

    Raises InvalidRequestError where throws combine.
    """
    rules = strategy.rules
    if rules.combine_throws:
        raise InvalidRequestError.say(
            "{rules}: when to bank depends on the dice that are held, and no one border says it;"
            " ask for a turn",
            rules=rules.name,
        )
    shape = dice_set(rules).whole, len(scores), len(scores)
    least, inverted = np.full(shape, np.nan), np.zeros(shape, dtype=np.bool_)
    for done, (index, position) in enumerate(_positions(rules, start, scores)):
        for threshold in turn_map(strategy, position).bank_from:
            column = threshold.dice - 1
            if threshold.turn_total is not None:
                least[column, *index] = threshold.turn_total
            inverted[column, *index] = bool(threshold.roll_again)
        on_progress((done + 1) / len(scores) ** 2)
    wins_from = rules.winning_score - scores
    return BorderMap(rules, start, scores, least, wins_from, inverted)


def scores_between(rules: Ruleset, step: int, least: int = 0) -> Ints:
    """Scores in play from `least` up, so many points apart.

    Raises InvalidRequestError where `step` or `least` does not fit the rules.
    """
    if step <= 0 or step % rules.point_step:
        raise InvalidRequestError.say(
            "the step must be a multiple of {step}, like all points under {rules} rules, not"
            " {number:,}",
            step=rules.point_step,
            rules=rules.name,
            number=step,
        )
    check_goal(rules)
    check_position(rules, Position.of_two(banked=least, dice=dice_set(rules).whole))
    return np.arange(least, rules.winning_score, step, dtype=np.int64)


def coarse_step(rules: Ruleset, most: int) -> int:
    """A step between scores, 1, 2 or 5 times a power of ten of them, that makes at most so many."""
    steps = rules.winning_score // rules.point_step
    return next(step for step in ones_twos_fives() if steps <= most * step) * rules.point_step


def _positions(
    rules: Ruleset, start: Position, scores: Ints
) -> Iterator[tuple[tuple[int, int], Position]]:
    """The starts of turns from all pairs of scores, each with its place."""
    boards = _boards(rules, scores)
    for row, own in enumerate(scores.tolist()):
        for column, other in enumerate(scores.tolist()):
            boarded = {"on_board": bool(boards[row]), "opponent_on_board": bool(boards[column])}
            yield (row, column), start.change(banked=own, opponent=other, **boarded)


def _boards(rules: Ruleset, scores: Ints) -> npt.NDArray[np.bool_]:
    return np.asarray(scores > 0) if rules.has_opening else np.ones(len(scores), dtype=np.bool_)
