"""How games end: final turns, equal turns and play-offs.

A final turn is a turn with a target. What counts is the margin, the opponent's score less one's
own: more points than it win, as many are a tie, fewer are nothing. While the margin is at least
the least turn total that may be banked, only what is missing counts, so that one backward pass
over the greatest margin holds the final turns of all smaller ones.

In the middle of a turn a player may roll on beyond the goal. That stops to pay once the other
player's final turn has next to no chance: a farkle costs F * (bank - farkle), all further points
gain at most last(margin), the chance of the final turn. The value of a farkle leaves the other
player with a turn and the chance to reach the goal in it, which is of the order of last(missing).
So turn totals `beyond` the goal are enough if last(missing + beyond) is far below
F * last(missing), for the least risk F of any roll.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from solver.errors import InvalidRulesError
from solver.game.standings import score_count
from solver.rules.ruleset import RULESETS, Ruleset
from solver.turn.equations import Endings, Floats, TurnTable, solve_turn
from solver.turn.scoring import TurnPlan, turn_plan

_MARGIN_OF_SAFETY = 20
_NEGLIGIBLE = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Endgame:
    """The end of the games of a rule set."""

    last: Floats
    """Win probability of the player who starts a final turn, at [on the board, margin in point
    steps]. All 0 where the goal wins at once."""
    beyond: int
    """Turn totals in point steps beyond the goal up to which a turn may go on."""
    tie: float
    """Win probability of the player whose final turn ends in a tie."""


def endgame(rules: Ruleset, *, further: int = 0) -> Endgame:
    """The end of the games of a rule set, with turn totals so much `further` beyond the goal.

    Raises InvalidRulesError where turns could go on for ever without risk.
    """
    return _endgame(rules, further)


@lru_cache(maxsize=RULESETS)
def _endgame(rules: Ruleset, further: int) -> Endgame:
    plan = turn_plan(rules)
    goals = score_count(rules) + rules.least_bank(on_board=False) // rules.point_step
    if rules.ending == "at_once":
        return Endgame(np.zeros((2, goals + plan.reach + 1)), 0, 0.0)
    for far in (20, 200):
        margins = 2 * goals + far * plan.reach + further
        tie = 0.5 if rules.ties == "shared" else 0.0
        if rules.ties == "played_on":
            tie = 1 - _first_of_play_off(rules, margins)
        on_board = last_turns(rules, margins, tie, on_board=True)
        found = _beyond(rules, plan, on_board, goals)
        if found is not None:
            break
    else:
        raise InvalidRulesError.say(
            "{rules}: rolling on is so safe under these rules that a turn may never end; with the"
            ' ending "{ending}" such a game cannot be solved',
            rules=rules.name,
            ending=rules.ending,
        )
    beyond = found + further
    used = goals + beyond + plan.reach + 1
    off_board = last_turns(rules, margins, tie, on_board=False) if rules.has_opening else on_board
    return Endgame(np.array([off_board[:used], on_board[:used]]), beyond, tie)


@lru_cache(maxsize=512)
def last_turn(
    rules: Ruleset, to_beat: int | None, *, on_board: bool, further: int = 0
) -> TurnTable:
    """The table of a final turn, or of a turn of a play-off.

    to_beat : points of which as many are a tie, more than 0 but in a play-off; None for the first
        turn of a play-off
    further : turn totals more, in point steps, that the first turn of a play-off is to hold
    """
    ends = endgame(rules, further=further)
    if to_beat is None:
        margins = ends.last.shape[1] - 1
        return play_off_turn(rules, last_turns(rules, margins, ends.tie, on_board=True))
    return _final_turn(rules, to_beat // rules.point_step, ends.tie, on_board=on_board)


def _final_turn(rules: Ruleset, margin: int, tie: float, *, on_board: bool) -> TurnTable:
    """The table of a final turn, or of the second turn of a play-off.

    margin : what is missing to a tie, in point steps; 0 only in a play-off
    tie : win probability of the player to act after a tie
    """
    plan = turn_plan(rules)
    least = rules.least_bank(on_board=on_board, wins=True) // rules.point_step
    bank = np.zeros(max(margin + 1, least) + plan.reach)
    bank[margin] = tie
    bank[margin + 1 :] = 1.0
    farkle = np.full(len(bank), tie if margin == 0 else 0.0)
    return _turn(rules, least, bank, farkle)


def play_off_turn(rules: Ruleset, second: Floats) -> TurnTable:
    """The first turn of a play-off, given the second's win probability by the margin."""
    least = rules.least_bank(wins=True) // rules.point_step
    bank = 1 - second
    farkle = np.full(len(bank), bank[0])
    return _turn(rules, least, bank, farkle)


def _turn(rules: Ruleset, least: int, bank: Floats, farkle: Floats) -> TurnTable:
    """A turn with these values of a bank and of a farkle by the turn total; `least` to bank."""
    if rules.farkle_keeps_turn_total:
        farkle[least:] = bank[least:]
    bank[:least] = np.nan
    return solve_turn(turn_plan(rules), Endings.alone(bank, farkle, 0.0))


def _first_of_play_off(rules: Ruleset, margins: int) -> float:
    """Win probability of the first player of a play-off, which a tie leads to again."""

    def g(value: float) -> float:
        second = last_turns(rules, margins, 1 - value, on_board=True)
        return float(play_off_turn(rules, second).roll[0, 0, -1])

    return fixed_point(g)


def fixed_point(g: Callable[[float], float]) -> float:
    """The chance x = g(x) of the first player of a play-off.

    g is piecewise linear with a slope below 1, the chance of a tie, so that secant steps find it.
    """
    last_x, x = 0.5, g(0.5)
    last_image = x
    for _ in range(100):
        image = g(x)
        if abs(image - x) < 1e-15:
            break
        slope = (image - last_image) / (x - last_x)
        last_x, last_image = x, image
        x += (image - x) / (1 - slope)
    return x


def last_turns(rules: Ruleset, margins: int, tie: float, *, on_board: bool) -> Floats:
    """Win probability at the start of a final turn for the margins 0 .. `margins`."""
    least = rules.least_bank(on_board=on_board, wins=True) // rules.point_step
    last = np.empty(margins + 1)
    longest = _final_turn(rules, margins, tie, on_board=on_board)
    last[::-1] = longest.roll[0, : margins + 1, -1]
    for margin in range(min(least, margins) + 1):
        last[margin] = _final_turn(rules, margin, tie, on_board=on_board).roll[0, 0, -1]
    return last


def _beyond(rules: Ruleset, plan: TurnPlan, last: Floats, goals: int) -> int | None:
    """Turn totals beyond the goal that are worth rolling for, see above; None if too many."""
    risks = plan.farkle_chances + plan.lose_chances
    risk = min(risks[risks > 0], default=0.0) / _MARGIN_OF_SAFETY
    # what is left at any margin is the chance of a roll that wins, for which both may roll on
    hopes = bool(np.any(plan.win_chances))
    by_points = last - last[-1] if hopes else last
    now = last[1:goals]
    for beyond in range(len(last) - goals - plan.reach - 1):
        later = by_points[1 + beyond : goals + beyond]
        most = float(np.max(np.divide(later, now, where=now > 0, out=np.zeros_like(now))))
        error = by_points[beyond] * (1.0 if hopes else most)
        if most <= risk and (error <= _NEGLIGIBLE or not _carries_on(rules, plan)):
            return beyond
    return None


def _carries_on(rules: Ruleset, plan: TurnPlan) -> bool:
    """Whether it may be right to roll whatever the turn total.

    Then it must not matter how far that leads.
    """
    safe = np.any(plan.farkle_chances + plan.lose_chances == 0)
    hopes = np.any(plan.win_chances)
    return bool(plan.must_roll_hot or rules.farkle_keeps_turn_total or safe or hopes)
