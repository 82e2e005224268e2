"""Positions to practise on: in which spot a decision comes up, and new ones of a spot."""

from collections.abc import Sequence
from enum import StrEnum
from random import Random

from solver.errors import InvalidRequestError
from solver.game.best import BestPlay
from solver.game.position import Position
from solver.play.daily import (
    MOST,
    Choice,
    Question,
    between_turns,
    kind_of,
    questions,
    rules_of_thumb,
)
from solver.rules.ruleset import Ruleset
from solver.turn.dice import DiceSet, dice_set

NEAR = 0.75
"""Share of the goal from which on it is near."""
FEW = 3
"""Dice that are few."""

_STARTS = 60
"""Turns that are tried; the first half of them only for what is not obvious."""
_DRAWS = 2_000
"""Scores that are drawn for them at most."""


class Spot(StrEnum):
    """Where a decision comes up; the first that fits it."""

    NEAR_GOAL = "near the goal"
    """A player has three quarters of the points to reach, the turn total counted."""
    FARKLES = "farkles in a row"
    """The player has farkles in a row, and these cost something."""
    OPENING = "opening"
    """The player is not on the board, which takes an opening minimum."""
    HOT_DICE = "hot dice"
    FEW_DICE = "few dice"
    """Three dice or fewer are rolled."""
    MANY_DICE = "many dice"


def spot_of(rules: Ruleset, position: Position, thrown: DiceSet | None = None) -> Spot:
    """The spot of a decision, by the position before its roll.

    thrown : all dice of the mover, those of the rules if None
    """
    thrown = thrown or dice_set(rules)
    highest = max(position.banked + position.turn_total, position.opponent)
    if highest >= NEAR * rules.winning_score:
        return Spot.NEAR_GOAL
    if position.farkles and rules.farkle_penalty is not None:
        return Spot.FARKLES
    if rules.has_opening and not position.on_board:
        return Spot.OPENING
    if position.turn_total and position.dice == thrown.whole:
        return Spot.HOT_DICE
    return Spot.FEW_DICE if sum(thrown.remaining[position.dice]) <= FEW else Spot.MANY_DICE


def drawn(strategy: BestPlay, spot: Spot | None, chance: Random) -> Question:
    """A decision of a spot, or of another one where there is none such; None for any.

    It is one that a person can think about, whose best choice is clear and, if that is found in
    time, not obvious.

    Raises InvalidRequestError for rules under which no best choice is clear.
    """
    rules, thumbs = strategy.rules, rules_of_thumb(strategy.rules)
    other, tried = None, 0
    for _ in range(_DRAWS):
        start = between_turns(strategy, chance)
        thrown = strategy.hand(start.mover).dice
        if not _may_lead_to(spot_of(rules, start, thrown), spot):
            continue
        tried += 1
        for question in questions(strategy, start, chance):
            if spot not in {None, spot_of(rules, question.position, thrown)}:
                other = other or question
            elif tried > _STARTS / 2 or kind_of(strategy, question, thumbs):
                return question
        if tried == _STARTS:
            break
    if other is None and spot is not None:
        return drawn(strategy, None, chance)
    if other is None:
        raise InvalidRequestError.say(
            "under {rules} rules there is nothing to practise on: the best choice is close nearly"
            " everywhere",
            rules=rules.name,
        )
    return other


def fewer_choices(choices: Sequence[Choice], chosen: Choice) -> tuple[Choice, ...]:
    """The choices that win most often, and the chosen one: as many as can be thought about."""
    best = sorted(choices, key=lambda choice: -choice.win_probability)[:MOST]
    if chosen not in best:
        best[-1] = chosen
    return tuple(choice for choice in choices if choice in best)


def _may_lead_to(own: Spot, spot: Spot | None) -> bool:
    """Whether a turn that starts in its own spot may come to one; near the goal, if it is that."""
    if spot in {Spot.HOT_DICE, Spot.FEW_DICE}:
        return own is Spot.MANY_DICE
    return spot in {None, own}
