"""A position: what a decision depends on."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import numpy as np
import numpy.typing as npt

from solver.errors import InvalidPositionError, either
from solver.game.endgame import endgame
from solver.game.standings import Standing
from solver.rules.ruleset import RULESETS, Ruleset
from solver.turn.dice import DiceSet, Remaining, dice_set
from solver.turn.scoring import TurnState, possible_states, turn_plan
from solver.wording import say, say_later, say_number

MAX_TURN_TOTAL = 1_000_000
"""In points: hot dice may be rolled on and on, beyond whatever wins."""

MAX_HOT_DICE = 1_000
"""In one turn: more of them change nothing under any rules."""

_YOUR = {
    "score": say_later(
        "your score cannot be {score:,}: under {rules} rules a score in play is a multiple of"
        " {step} from {floor:,} to {most:,}"
    ),
    "off board": say_later(
        "your score cannot be {score:,} before the first bank: a player who is not on the board"
        " has no points"
    ),
    "farkles": say_later(
        "your farkles in a row cannot be {farkles}: under {rules} rules they are 0 to {most},"
        " as the count starts again after {limit}"
    ),
    "no farkles": say_later(
        "your farkles in a row cannot be {farkles}: {rules} rules do not count them, so it"
        " is always 0"
    ),
}
_THEIR = {
    "score": say_later(
        "the opponent's score cannot be {score:,}: under {rules} rules a score in play is a"
        " multiple of {step} from {floor:,} to {most:,}"
    ),
    "off board": say_later(
        "the opponent's score cannot be {score:,} before the first bank: a player who is not on"
        " the board has no points"
    ),
    "farkles": say_later(
        "the opponent's farkles in a row cannot be {farkles}: under {rules} rules they are 0 to"
        " {most}, as the count starts again after {limit}"
    ),
    "no farkles": say_later(
        "the opponent's farkles in a row cannot be {farkles}: {rules} rules do not count"
        " them, so it is always 0"
    ),
}
"""What is said of a standing that cannot be, the own one and the opponent's."""


@dataclass(frozen=True, slots=True)
class Position:
    """The state of a game as the player to act sees it; scores and turn total in points.

    An opponent's score that reaches the goal makes it a final turn; two scores that do make it a
    turn of a play-off, whose first player has as many points as the opponent and `began`.
    """

    banked: int = 0
    opponent: int = 0
    turn_total: int = 0
    farkles: int = 0
    """Own farkles in a row before this turn."""
    opponent_farkles: int = 0
    dice: Remaining = 6
    """Dice to roll, or the dice of a roll just made."""
    hot_dice: int = 0
    """How often all dice were set aside in this turn; matters where the bonus for it changes."""
    on_board: bool = True
    """Whether the player has banked before; matters where the rules have an opening minimum."""
    opponent_on_board: bool = True
    began: bool = True
    """Whether the player to act began the game; matters where both have as many turns."""

    @property
    def turn(self) -> TurnState:
        """How far the turn has come."""
        return TurnState(self.turn_total, self.dice, self.hot_dice)

    @property
    def own(self) -> Standing:
        """Where the player to act stood before the turn."""
        return Standing(self.banked, self.farkles, self.on_board)

    @property
    def others(self) -> Standing:
        """Where the opponent stands."""
        return Standing(self.opponent, self.opponent_farkles, self.opponent_on_board)


def first_position(rules: Ruleset) -> Position:
    """The start of the game."""
    boards = not rules.has_opening
    dice = dice_set(rules).whole
    return Position(dice=dice, on_board=boards, opponent_on_board=boards)


def in_play_off(rules: Ruleset, position: Position) -> bool:
    """Whether both players have reached the goal."""
    return position.banked >= rules.winning_score


def points_to_beat(rules: Ruleset, position: Position) -> int | None:
    """Points that the turn must beat, as many are a tie; None where it is not the last turn."""
    if position.opponent < rules.winning_score:
        return None
    if in_play_off(rules, position) and position.began and position.banked == position.opponent:
        return None
    return position.opponent - position.banked


def is_on_board(rules: Ruleset, position: Position) -> bool:
    """Whether the opening minimum is behind the player to act; in a play-off it is."""
    return position.on_board or in_play_off(rules, position)


def highest_score(rules: Ruleset) -> int:
    """Highest score that a position may hold: of an opponent who has reached the goal."""
    if rules.ending == "at_once":
        return rules.winning_score - rules.point_step
    return 2 * rules.winning_score + endgame(rules).beyond * rules.point_step


def check_position(rules: Ruleset, position: Position) -> None:
    """Refuse a position that has no value under the rules.

    A turn that no rolls lead to has one: `impossible_turn` says so. Raises InvalidPositionError,
    whose sentence names the number that is wrong and what is accepted.
    """
    _check_scores(rules, position)
    _check_standing(rules, position.own, _YOUR)
    _check_standing(rules, position.others, _THEIR)
    check_dice(rules, position.dice)
    check_hot_dice(position.hot_dice)
    check_turn(rules, position.turn, dice_set(rules), partial(reachable, rules))


def check_dice(rules: Ruleset, number: int) -> None:
    """Refuse a number of dice to roll that there is not. Raises InvalidPositionError."""
    if not 1 <= number <= rules.dice:
        raise InvalidPositionError.say(
            "the number of dice cannot be {number}: it is 1 to {most}",
            number=number,
            most=rules.dice,
        )


def check_hot_dice(number: int) -> None:
    """Refuse a number of hot dice below 0 or beyond reason. Raises InvalidPositionError."""
    if not 0 <= number <= MAX_HOT_DICE:
        raise InvalidPositionError.say(
            "the number of hot dice cannot be {number:,}: it is 0 to {most:,}",
            number=number,
            most=MAX_HOT_DICE,
        )


def _check_scores(rules: Ruleset, position: Position) -> None:
    last, highest = rules.winning_score - rules.point_step, highest_score(rules)
    if rules.ties == "played_on" and last < position.banked <= position.opponent:
        _check_score(rules, position.banked, highest, _YOUR)
        _check_score(rules, position.opponent, highest, _THEIR)
        return
    most, more = last, ""
    if not rules.goal_ends_game(last_of_round=position.began):
        most = highest
        more = say("; from {goal:,} on you have the final turn", goal=rules.winning_score)
    elif rules.has_roles and position.opponent > last:
        more = say("; a player who did not begin wins at once by reaching the goal")
    over = ""
    if position.banked > last:
        over = say("; with more the game is over, or only the opponent's final turn is left")
    _check_score(rules, position.banked, last, _YOUR, over)
    _check_score(rules, position.opponent, most, _THEIR, more)


def _check_score(
    rules: Ruleset, score: int, most: int, messages: Mapping[str, str], more: str = ""
) -> None:
    step, floor = rules.point_step, rules.score_floor
    if floor <= score <= most and score % step == 0:
        return
    parts = {"score": score, "rules": rules.name, "step": step, "floor": floor, "most": most}
    message = messages["score"]
    raise InvalidPositionError(say(message, **parts) + more)


def _check_standing(rules: Ruleset, standing: Standing, messages: Mapping[str, str]) -> None:
    limit = rules.farkle_limit
    if not 0 <= standing.farkles < limit:
        message = messages["farkles" if rules.farkle_penalty else "no farkles"]
        raise InvalidPositionError.say(
            message,
            farkles=standing.farkles,
            rules=rules.name,
            most=limit - 1,
            limit=limit,
        )
    if not standing.on_board and standing.score > 0:
        message = messages["off board"]
        raise InvalidPositionError.say(message, score=standing.score)


def check_turn(
    rules: Ruleset,
    turn: TurnState,
    thrown: DiceSet,
    possible: Callable[[], npt.NDArray[np.bool_]],
) -> None:
    """Refuse a turn total that has no value, and a turn that starts with anything but all dice.

    thrown : all dice
    possible : finds the states that a turn comes to, shape (levels, turn totals, columns)

    Raises InvalidPositionError.
    """
    step = rules.point_step
    if turn.turn_total % step or not 0 <= turn.turn_total <= MAX_TURN_TOTAL:
        raise InvalidPositionError.say(
            "the turn total cannot be {turn_total:,}: under {rules} rules it is a multiple of"
            " {step} from 0 to {most:,}",
            turn_total=turn.turn_total,
            rules=rules.name,
            step=step,
            most=MAX_TURN_TOTAL // step * step,
        )
    is_whole = turn.dice == thrown.whole
    if turn.turn_total or (is_whole and not turn.hot_dice):
        return
    states = possible()
    level = min(turn.hot_dice, len(states) - 1)
    if is_whole and not level:
        return
    wrong = say(
        "the number of hot dice cannot be {number} at the start of a turn", number=turn.hot_dice
    )
    if not is_whole:
        number = sum(thrown.remaining[turn.dice])
        wrong = say(
            "a turn starts with all {dice} dice, not {number}", dice=rules.dice, number=number
        )
    rows = np.flatnonzero(states[level, :, turn.dice - 1])
    if not rows.size:
        raise InvalidPositionError(wrong)
    raise InvalidPositionError.say(
        "{wrong}: for a later roll give the turn total before it, such as {turn_total:,}",
        wrong=wrong,
        turn_total=int(rows[0]) * step,
    )


def impossible_turn(rules: Ruleset, turn: TurnState) -> str:
    """Why no rolls of equal dice lead to a state of a turn that has a value; "" where some do."""
    possible = reachable_at(rules, turn.turn_total)
    level = min(turn.hot_dice, len(possible) - 1)
    if possible[level, turn.dice - 1]:
        return ""
    parts: dict[str, Any] = {"turn_total": turn.turn_total, "hot_dice": turn.hot_dice}
    if not possible[level].any():
        if len(possible) > 1:
            return say("the turn total cannot be {turn_total:,} after {hot_dice} hot dice", **parts)
        return say("the turn total cannot be {turn_total:,}", **parts)
    *others, last = [str(number + 1) for number in np.flatnonzero(possible[level])]
    parts["left"] = either(", ".join(others), last) if others else last
    if len(possible) > 1:
        return say_number(
            "{number} die cannot be left at a turn total of {turn_total:,} after {hot_dice} hot"
            " dice, only {left} can",
            "{number} dice cannot be left at a turn total of {turn_total:,} after {hot_dice} hot"
            " dice, only {left} can",
            turn.dice,
            **parts,
        )
    return say_number(
        "{number} die cannot be left at a turn total of {turn_total:,}, only {left} can",
        "{number} dice cannot be left at a turn total of {turn_total:,}, only {left} can",
        turn.dice,
        **parts,
    )


def leads_to(possible: npt.NDArray[np.bool_], rules: Ruleset, turn: TurnState) -> bool:
    """Whether a state is among those that a turn comes to, of shape (turn totals, columns).

    The last turn total stands for all that follow.
    """
    row = min(turn.turn_total // rules.point_step, len(possible) - 1)
    return bool(possible[row, turn.dice - 1])


def least_hot_dice(rules: Ruleset, turn_total: int, dice: int) -> int:
    """Least number of hot dice with which a turn can come to a state; 0 where it cannot."""
    if not 1 <= dice <= rules.dice:
        return 0
    return int(np.argmax(reachable_at(rules, turn_total)[:, dice - 1]))


def highest_sensible(rules: Ruleset) -> int:
    """Turn total in points to which a turn may come without hot dice rolled for nothing."""
    if turn_plan(rules).must_roll_hot:
        return MAX_TURN_TOTAL
    rows: int = reachable(rules).shape[1]
    return (rows - 1) * rules.point_step


def reachable_at(rules: Ruleset, turn_total: int) -> npt.NDArray[np.bool_]:
    """Whether a turn can come to `turn_total` points, by level and dice, shape (levels, columns).

    Beyond the rows of `reachable`, where hot dice lead that are rolled on and on, what the last of
    them hold is taken for possible.
    """
    plan = turn_plan(rules)
    if turn_total == 0:
        # with all dice, as every set-aside brings points: nothing has to be enumerated
        start = np.zeros((plan.levels, plan.columns), dtype=np.bool_)
        start[0, -1] = True
        return start
    rows, row = reachable(rules), turn_total // rules.point_step
    if 0 <= row < rows.shape[1]:
        return rows[:, row]
    if 0 < turn_total <= MAX_TURN_TOTAL:
        return np.asarray(np.any(rows[:, -plan.reach :], axis=1))
    return np.zeros((plan.levels, plan.columns), dtype=np.bool_)


@lru_cache(maxsize=RULESETS)
def reachable(rules: Ruleset) -> npt.NDArray[np.bool_]:
    """Whether a turn can come to a state, shape (levels, turn totals, columns).

    Levels and columns as in TurnPlan. Rows count point steps, as far as the longest turn may go.
    """
    rows = (highest_score(rules) - rules.score_floor) // rules.point_step + 1
    rows = max(rows, rules.least_bank(on_board=False) // rules.point_step)
    return possible_states(rules, rows + turn_plan(rules).reach)
