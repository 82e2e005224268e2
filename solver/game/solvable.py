"""Which rule sets can be solved."""

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from solver.errors import InvalidRulesError
from solver.game.endgame import endgames, taken_shape
from solver.game.position import reachable
from solver.game.standings import value_shape
from solver.rules.ruleset import Ruleset
from solver.turn.equations import TurnPlan, turn_plan

MAX_REACH = 5_000
"""Point steps that one set-aside may add to a turn total."""

_MOST_ROLLS = 1e6
"""Rolls on average that a turn may take while it cannot be banked."""

MAX_TAKEN = 60_000_000
"""Values of rolling on with what the player before left that one solve may hold, 8 bytes each."""


def check_solvable(rules: Ruleset, plans: Sequence[TurnPlan] = ()) -> None:
    """Refuse rules of a game that is too large, or that may never end.

    plans : the turns of both players, where they have their own

    Raises InvalidRulesError.
    """
    value_shape(rules, sides=len(plans) or 1)
    for plan in plans or [turn_plan(rules)]:
        _check_turn(rules, plan)
        if rules.is_exact and plan.rolls_to_end > _MOST_ROLLS:
            raise InvalidRulesError.say(
                "{rules}: beyond the goal, which has to be met exactly, a turn could be rolled on"
                " for ever",
                rules=rules.name,
            )
    if rules.rounds:
        return
    endgames(rules, plans)
    if not plans:
        _check_reach(rules)
    if rules.takes_over:
        _check_take_over(rules)


def _check_take_over(rules: Ruleset) -> None:
    """Refuse a game in which too much may be left. Raises InvalidRulesError."""
    if (count := math.prod(taken_shape(rules))) > MAX_TAKEN:
        raise InvalidRulesError.say(
            "{rules}: what a player may leave and another take over has {number:,} values, and at"
            " most {most:,} can be solved; a lower goal has fewer",
            rules=rules.name,
            number=count,
            most=MAX_TAKEN,
        )


def _check_turn(rules: Ruleset, plan: TurnPlan) -> None:
    """Refuse a turn that goes too far, or on for ever. Raises InvalidRulesError."""
    if plan.reach > MAX_REACH:
        raise InvalidRulesError.say(
            "{rules}: {points:,} points for dice set aside at once are more than {most:,} steps of"
            " {step}; if such a roll simply wins, use instant_win",
            rules=rules.name,
            points=plan.reach * rules.point_step,
            most=MAX_REACH,
            step=rules.point_step,
        ).blaming("scoring")
    if plan.must_roll_others and plan.rolls_to_bank > _MOST_ROLLS:
        raise InvalidRulesError.say(
            "{rules}: dice that may not be banked can score again and again, so a turn never ends",
            rules=rules.name,
        ).blaming("scoring" if rules.may_leave(rules.dice - 1) else "bank_dice_left")
    if plan.must_roll_hot and not plan.must_roll_others and plan.only_hot[-1] > 1 - 1e-9:
        raise InvalidRulesError.say(
            "{rules}: all dice of every roll score and must be rolled again, so a turn never ends",
            rules=rules.name,
        ).blaming("hot_dice")


def _check_reach(rules: Ruleset) -> None:
    """Refuse rules under which nobody could ever win. Raises InvalidRulesError."""
    plan = turn_plan(rules)
    possible: npt.NDArray[np.bool_] = np.any(reachable(rules), axis=0)
    if not rules.farkle_keeps_turn_total:
        possible = possible[:, plan.may_bank]
    most = int(np.flatnonzero(np.any(possible, axis=1)).max(initial=0)) * rules.point_step
    missing = rules.winning_score - rules.score_floor
    least = min(
        rules.least_bank(on_board=False), max(missing, rules.least_bank(on_board=False, wins=True))
    )
    if most < least and not np.any(plan.win_chances):
        raise InvalidRulesError.say(
            "{rules}: no turn can reach the {least:,} points that may be banked, so nobody could"
            " ever win",
            rules=rules.name,
            least=least,
        ).blaming("opening_minimum" if rules.has_opening else "minimum_bank")


def unsolvable(rules: Ruleset) -> InvalidRulesError | None:
    """What is wrong if the game is too large to be solved or may never end."""
    try:
        check_solvable(rules)
    except InvalidRulesError as error:
        return error
    return None
