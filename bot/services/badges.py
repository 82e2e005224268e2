"""When to use a badge that is used up, in the first turn of a game of loaded dice."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bot.services.loaded import LoadedDice
from solver.game.position import Held
from solver.loaded.power_turn import PowerTurn
from solver.loaded.strategy import OwnDice
from solver.named.sets import NamedSet
from solver.turn.points import turn_outcome
from solver.turn.powers import PowerKind

MOST_DICE = 8
"""Remaining dice for which it is told when to use a badge."""


@dataclass(frozen=True, slots=True)
class UseAt:
    """Turn totals at which to use a badge."""

    dice: NamedSet | None
    """With these dice left; None where they do not matter."""
    first: int
    """In points."""
    last: int
    """At those between, or at most of them."""


@dataclass(frozen=True, slots=True)
class BadgePlan:
    """When to use a badge in my first turn, as far as a few words tell."""

    kind: PowerKind
    worth: float
    """What all its uses add to my win probability in the game that was asked for."""
    at: tuple[UseAt, ...] = ()
    """When a badge is best used that is used at a bank, a farkle or before a roll."""
    share: float | None = None
    """The chance that a badge that is used on a roll is best used on the first one."""
    before: bool | None = None
    """Whether a badge that has to be said before the first roll is best said."""


def badge_plan(dice: LoadedDice, strategy: OwnDice, *, begins: bool) -> BadgePlan | None:
    """When to use my badge; None where I have none to use."""
    badge = dice.played[0]
    if badge is None or badge.power is None or not badge.uses_left:
        return None
    used_up = Held((0, other.uses_left if (other := dice.played[1]) else 0))
    with_it = dice.win(strategy, begins=begins)
    worth = with_it - dice.win(strategy, begins=begins, held=used_up)
    turn = strategy.power_turn(strategy.start(0, *dice.head_starts, dice.held))
    if turn is None:
        return None
    kind = badge.power.kind
    if turn.said is not None:
        return BadgePlan(kind, worth, before=turn.said > turn.top.rolls[0, -1])
    if turn.use_on_rolls:
        return BadgePlan(kind, worth, share=turn.share_of_first_rolls())
    rows = (dice.rules.winning_score - dice.head_starts[0]) // dice.rules.point_step
    return BadgePlan(kind, worth, at=_when(dice, turn, rows))


def _when(dice: LoadedDice, turn: PowerTurn, rows: int) -> tuple[UseAt, ...]:
    """When to use a badge that acts on banks, farkles or before rolls; totals below `rows`."""
    top, step = turn.top, dice.rules.point_step
    if top.more is not None:
        # a bank that reaches the goal needs no badge
        raised = top.more[:rows] > np.nan_to_num(top.bank[:rows], nan=2.0)
        return _stretch(None, np.flatnonzero(raised), step)
    table = turn.table
    visited = turn_outcome(dice.rules, table).visits[0, :rows]
    often = visited.sum(axis=0)
    found: tuple[UseAt, ...] = ()
    for column in np.argsort(-often, kind="stable")[:MOST_DICE]:
        seen = visited[:, column] > 0
        if turn.instead is not None:
            better = turn.instead[:rows, column] > top.farkle
        else:
            bank = np.nan_to_num(top.bank[:rows], nan=-1.0)
            plain = np.maximum(top.rolls[:rows, column], bank)
            better = plain < (-1 if turn.added is None else turn.added[:rows, column])
        left = dice.mine.left(int(column) + 1)
        found += _stretch(left, np.flatnonzero(better & seen), step)
    return found


def _stretch(left: NamedSet | None, rows: npt.NDArray[np.intp], step: int) -> tuple[UseAt, ...]:
    if not len(rows):
        return ()
    return (UseAt(left, int(rows[0]) * step, int(rows[-1]) * step),)
