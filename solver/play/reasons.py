"""Why it is best to bank, or to roll: the one thing that would turn the decision around.

A reason is never guessed. One thing of the position is changed, the turn is solved again, and if
the decision is another one then, that thing is what decides. In this order:

1. Where banking is not allowed there is no choice. Where the bank wins, that is why. In a last turn
   what there is to beat decides, and where the bank reaches the goal the turn that it leaves the
   opponent; in the last round so does that turn, if 2 does not.
2. FARKLES: banked, and rolled if farkles in a row did not count after this turn.
   CAUGHT: banked, and rolled if the other player, who is caught up, did not fall back.
3. LEFT: the other choice is best if the next player could take over nothing that this turn leaves.
4. POINTS: a turn for the most points, from which the goal is as far as from a score of 0, decides
   the same. That is the plain balance of points.
5. NEED: rolled though points say bank, and banked if the opponent had no points.
6. GOAL: banked though points say roll; they say bank where points beyond the goal do not count, and
   with both scores at 0 it is best to roll.
7. LEAD or THEIR_SCORE: banked though points say roll, and rolled if both scores were equal; the
   first for the player who is ahead.
8. GOAL: with both scores at 0 the other choice is best.
9. TOGETHER: none of these by itself turns the decision around.

Where the game has rounds in place of a goal, 5 to 8 are one: LEAD or BEHIND, where the decision is
another one at equal scores. Scores below 0 stay where they are in 5, 6 and 8.
"""

from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache

import numpy as np

from solver.game.best import BestPlay
from solver.game.position import Position, points_to_beat
from solver.rules.ruleset import Ruleset
from solver.turn.dice import Remaining
from solver.turn.equations import Decision, Endings, TurnTable, solve_turn
from solver.turn.points import points_table
from solver.turn.scoring import TurnPlan, TurnState


class Reason(StrEnum):
    """What decides between bank and roll, see above."""

    NO_CHOICE = "no choice"
    WINS = "the bank wins"
    LAST_TURN = "last turn"
    THEIR_LAST_TURN = "their last turn"
    FARKLES = "farkles in a row"
    CAUGHT = "they are caught up"
    LEFT = "what is left to them"
    POINTS = "points"
    NEED = "need of points"
    GOAL = "the goal"
    LEAD = "lead"
    BEHIND = "behind"
    THEIR_SCORE = "their score"
    TOGETHER = "nothing by itself"


@dataclass(frozen=True, slots=True)
class Why:
    """Bank or roll in one state of a turn, what each is worth, and what decides."""

    reason: Reason
    action: Decision
    turn_total: int
    dice: Remaining
    """The dice that are to be rolled."""
    bank: float | None
    """Win probability of banking; None where that is not allowed."""
    roll: float
    """Win probability of rolling."""
    farkle_probability: float
    """The chance that the next roll is a farkle."""
    points_of_rolling: float
    """What a turn for the most points, far from the goal, adds to the score on average if it is
    rolled here; a bank adds the turn total."""


def why(strategy: BestPlay, position: Position) -> Why:
    """What decides between bank and roll before a roll; the position must be possible.

    Raises StrategyFileError as `Strategy.turn` does.
    """
    turn, table = position.turn, strategy.turn_of_checked(position)
    score = _counted(strategy.rules, position)
    far = _far_turn(
        strategy.rules, strategy.plan(position.mover), score, on_board=position.on_board
    )
    return Why(
        reason=_plain_reason(strategy.rules, position, table)
        or _turning(strategy, position, table, far),
        action=table.decision(turn),
        turn_total=position.turn_total,
        dice=position.dice,
        bank=table.bank_value(turn),
        roll=table.roll_value(turn),
        farkle_probability=float(table.plan.farkle_chances[table.plan.column(position.turn)]),
        points_of_rolling=far.roll_value(turn) * (score + strategy.rules.winning_score) - score,
    )


def _plain_reason(rules: Ruleset, position: Position, table: TurnTable) -> Reason | None:
    """The reason where it can be read off the position."""
    must_bank = table.plan.must_bank[table.plan.column(position.turn)]
    if must_bank or table.bank_value(position.turn) is None:
        return Reason.NO_CHOICE
    if table.decision(position.turn) is Decision.WIN:
        return Reason.WINS
    if (beat := points_to_beat(rules, position.against_leader)) is not None:
        # with more than that it is still to be decided where the game is defended
        return Reason.LAST_TURN if position.turn_total <= beat else Reason.THEIR_LAST_TURN
    if position.banked + position.turn_total >= rules.winning_score:
        return Reason.THEIR_LAST_TURN
    return None


def _turning(strategy: BestPlay, position: Position, table: TurnTable, far: TurnTable) -> Reason:
    """What turns the decision around, else the plain balance of points."""
    rules, rolls = strategy.rules, _rolls(table, position)
    counts = not rolls and rules.farkle_penalty is not None and position.turns_left != 1
    if counts and _rolls_without_count(strategy, position, table):
        return Reason.FARKLES
    if not rolls and rules.caught_up and _rolls(_without_fall(strategy, position, table), position):
        return Reason.CAUGHT
    if rules.takes_over and _rolls(strategy.turn_left_alone(position), position) != rolls:
        return Reason.LEFT
    if 1 < position.turns_left <= len(position.players):
        return Reason.THEIR_LAST_TURN
    if _rolls(far, position) == rolls:
        return Reason.POINTS
    own, opponent = position.banked, position.opponent
    away = min(own, 0), min(opponent, 0)
    tests = [(Reason.GOAL, away)]
    if rules.rounds:
        # of the scores only the lead matters
        tests = [(Reason.LEAD if own > opponent else Reason.BEHIND, (own, own))]
    elif rolls:
        tests.insert(0, (Reason.NEED, (own, away[1])))
    else:
        tests.insert(0, (Reason.LEAD if own > opponent else Reason.THEIR_SCORE, (own, own)))
        points = points_table(rules, strategy.plan(position.mover), own, on_board=position.on_board)
        if not _rolls(points, position):
            tests.insert(0, (Reason.GOAL, away))
    turned = (reason for reason, scores in tests if _rolls_at(strategy, position, *scores) != rolls)
    return next(turned, Reason.TOGETHER)


def _rolls(table: TurnTable, position: Position) -> bool:
    return table.decision(position.turn) is Decision.ROLL


def _rolls_at(strategy: BestPlay, position: Position, own: int, opponent: int) -> bool:
    """Whether a state of a turn is rolled at other scores. Points of others mean on the board."""
    players = [
        replace(one, score=opponent, on_board=one.on_board or opponent > 0)
        for one in position.players
    ]
    players[position.mover] = replace(position.own, score=own)
    other = replace(position, players=tuple(players))
    return _rolls(strategy.turn_of_checked(other), other)


def _handed_on(strategy: BestPlay, position: Position) -> float:
    """What the mover is left with once the next player begins a turn, all else being the same."""
    following = position.in_order[1]
    turn, left = TurnState(0, strategy.whole(following)), position.rounds_after
    after = replace(position, mover=following, turn=turn, rounds_left=left)
    return float(strategy.by_seat(after, strategy.start_values(after))[position.mover])


def _without_fall(strategy: BestPlay, position: Position, table: TurnTable) -> TurnTable:
    """The turn if a bank of its turn total left the other player's score as it is."""
    banks = table.ends.banks.copy()
    after = position.change(farkles=0, banked=position.banked + position.turn_total)
    banks[position.turn_total // strategy.rules.point_step] = _handed_on(strategy, after)
    return solve_turn(table.plan, replace(table.ends, banks=banks))


def _rolls_without_count(strategy: BestPlay, position: Position, table: TurnTable) -> bool:
    """Whether a bank would be a roll if a farkle left the score and no farkles in a row."""
    rules = strategy.rules
    bank = table.ends.bank
    farkle = np.full(len(bank), _handed_on(strategy, position.change(farkles=0)))
    if rules.farkle_keeps_turn_total:
        scores = position.banked + np.arange(len(bank)) * rules.point_step
        lost = np.isnan(bank) | (rules.is_exact & (scores > rules.goal))
        farkle = np.where(lost, farkle, bank)
    # rolling gains no more than a farkle does, so that most turns need not be solved for it
    most = table.roll_value(position.turn) + float(np.max(farkle.T - table.ends.farkle.T))
    if most < (table.bank_value(position.turn) or 0.0):
        return False
    ends = replace(table.ends, farkles=farkle[:, np.newaxis])
    return _rolls(solve_turn(table.plan, ends), position)


def _counted(rules: Ruleset, position: Position) -> int:
    """The score as far as it matters in points: where a roll may take it."""
    return max(position.banked, 0) if "loses_score" in rules.decisive else 0


@lru_cache(maxsize=64)
def _far_turn(rules: Ruleset, plan: TurnPlan, score: int, *, on_board: bool) -> TurnTable:
    """The table of a turn for most points that lacks all points to the goal.

    Values are expected scores after it, as a share of score and goal together; of
    solver.turn.points otherwise.
    """
    step = rules.point_step
    least = rules.least_bank(on_board=on_board) // step
    missing, banked = rules.winning_score // step, score // step
    rows = max(missing, least) + plan.reach
    bank = (banked + np.minimum(np.arange(rows), missing)) / (banked + missing)
    farkle = np.full(rows, banked / (banked + missing))
    if rules.farkle_keeps_turn_total:
        farkle[least:] = bank[least:]
    bank[:least] = np.nan
    return solve_turn(plan, Endings.alone(bank, farkle, farkle[0] if rules.spares_farkles else 0.0))
