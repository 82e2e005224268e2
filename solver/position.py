"""A position: what a decision depends on."""

from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from solver.errors import InvalidPositionError
from solver.rules import Ruleset
from solver.scoring import all_set_asides, hot_dice, turn_plan
from solver.solution import score_count


@dataclass(frozen=True, slots=True)
class Position:
    """The state of a game as the player to act sees it; scores and turn total in points."""

    banked: int = 0
    opponent: int = 0
    turn_total: int = 0
    farkles: int = 0
    """Own farkles in a row before this turn."""
    opponent_farkles: int = 0
    dice: int = 6
    """Dice to roll, or the dice of a roll just made."""


def check_position(rules: Ruleset, position: Position) -> None:
    """Refuse a position that cannot occur.

    Raises InvalidPositionError, whose sentence names the number that is wrong and what is accepted.
    """
    for whose, score, farkles in (
        ("your", position.banked, position.farkles),
        ("the opponent's", position.opponent, position.opponent_farkles),
    ):
        _check_score(rules, whose, score)
        _check_farkles(rules, whose, farkles)
    if not 1 <= position.dice <= rules.dice:
        raise InvalidPositionError(
            f"the number of dice cannot be {position.dice}: it is 1 to {rules.dice}"
        )
    _check_turn(rules, position.turn_total, position.dice)


def _check_score(rules: Ruleset, whose: str, score: int) -> None:
    step, floor, last = rules.point_step, rules.score_floor, rules.goal - rules.point_step
    if not floor <= score <= last or score % step:
        raise InvalidPositionError(
            f"{whose} score cannot be {score:,}: under {rules.name} rules a score in play is a"
            f" multiple of {step} from {floor:,} to {last:,}"
        )


def _check_farkles(rules: Ruleset, whose: str, farkles: int) -> None:
    if farkles != 0 and not rules.farkle_penalty:
        raise InvalidPositionError(
            f"{whose} farkles in a row cannot be {farkles}: {rules.name} rules do not count them,"
            " so it is always 0"
        )
    limit = rules.farkle_limit
    if not 0 <= farkles < limit:
        raise InvalidPositionError(
            f"{whose} farkles in a row cannot be {farkles}: under {rules.name} rules they are"
            f" 0 to {limit - 1}, as the count starts again after {limit}"
        )


def _check_turn(rules: Ruleset, turn_total: int, dice: int) -> None:
    possible = reachable(rules)
    row, rest = divmod(turn_total, rules.point_step)
    if rest or not 0 <= row < len(possible) or not possible[row].any():
        raise InvalidPositionError(
            f"the turn total cannot be {turn_total:,}: under {rules.name} rules it is a multiple of"
            f" {rules.point_step} from 0 to {(len(possible) - 1) * rules.point_step:,}"
        )
    if possible[row, dice - 1]:
        return
    if row == 0:
        raise InvalidPositionError(
            f"a turn starts with all {rules.dice} dice, not {dice}: for a later roll give the turn"
            " total before it, such as 350"
        )
    *others, last = [str(number + 1) for number in np.flatnonzero(possible[row])]
    left = f"{', '.join(others)} or {last}" if others else last
    noun = "die" if dice == 1 else "dice"
    raise InvalidPositionError(
        f"{dice} {noun} cannot be left at a turn total of {turn_total:,}, only {left} can"
    )


@cache
def reachable(rules: Ruleset) -> npt.NDArray[np.bool_]:
    """Whether a turn can come to t points with n dice to roll, shape (turn totals, dice).

    Rows count point steps, from 0 to one set-aside beyond the longest way to the goal.
    """
    minimum = rules.minimum_bank // rules.point_step
    rows = max(score_count(rules), minimum) + turn_plan(rules).reach
    found = np.zeros((rows, rules.dice), dtype=np.bool_)
    found[0, rules.dice - 1] = True
    moves = {
        (len(roll), kept.points // rules.point_step, hot_dice(rules, len(roll) - len(kept.dice)))
        for roll, choices in all_set_asides(rules).items()
        for kept in choices
    }
    for row in range(rows):
        for number, points, left in moves:
            if found[row, number - 1] and row + points < rows:
                found[row + points, left - 1] = True
    return found
