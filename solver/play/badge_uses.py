"""When to use a badge that is used up, for whoever has loaded dice and one."""

from collections.abc import Iterator
from dataclasses import dataclass

from solver.game.position import Position
from solver.loaded.kits import Side
from solver.loaded.power_turn import Layer, PowerTurn
from solver.loaded.strategy import ALL_LEFT, Held, MatchupStrategy
from solver.play.advice import Advice, Odds
from solver.turn.dice import Roll
from solver.turn.powers import Power, PowerKind
from solver.turn.scoring import TurnState


@dataclass(frozen=True, slots=True)
class BadgeUse:
    """What a badge that is used up allows at some moment."""

    kind: PowerKind
    win_probability: float
    """If it is used so."""
    without: float
    """With the best that there is at that moment without it; it may be used later."""
    dice: Roll = ()
    """Those that are set aside for twice their points, turned, or rolled again."""
    turn_total: int | None = None
    """That it leads to, where that is certain."""


def uses_on_roll(
    strategy: MatchupStrategy, side: int, advice: Advice, held: Held = ALL_LEFT
) -> tuple[BadgeUse, ...]:
    """What the badge of a side allows on a roll that was advised on, the best first."""
    if held.changed or not any(strategy.matchup.powers):
        return ()
    turn = strategy.power_turn(side, advice.position, held)
    if turn.lower is None or turn.power is None:
        return ()
    found = {
        dice: BadgeUse(turn.power.kind, value, advice.win_probability, dice, total)
        for dice, value, total in _on_roll(strategy, side, turn, turn.lower, turn.power, advice)
    }
    return tuple(sorted(found.values(), key=lambda one: (-one.win_probability, len(one.dice))))


def use_before_roll(
    strategy: MatchupStrategy, side: int, odds: Odds, held: Held = ALL_LEFT
) -> BadgeUse | None:
    """What the badge of a side allows before a roll that was weighed, or after a farkle of it."""
    if not any(strategy.matchup.powers):
        return None
    position = odds.position
    turn = strategy.power_turn(side, position, held)
    if turn.power is None:
        return None
    value, without = turn.use_value(position.turn), max(odds.roll, odds.bank or 0.0)
    if turn.top.instead is not None:
        instead = turn.top.instead[turn.row(position.turn_total), position.dice - 1]
        value, without = float(instead), turn.top.farkle
    if value is None:
        return None
    total = None if turn.said is None else position.turn_total
    return BadgeUse(turn.power.kind, value, without, turn_total=total)


def uses_now(
    strategy: MatchupStrategy,
    side: int,
    position: Position,
    state: TurnState,
    held: Held = ALL_LEFT,
) -> bool:
    """Whether it is best to use the badge before the next bank or roll of a turn."""
    if not any(strategy.matchup.powers):
        return False
    return strategy.power_turn(side, position, held).uses_now(state)


def _on_roll(
    strategy: MatchupStrategy,
    side: int,
    turn: PowerTurn,
    lower: Layer,
    power: Power,
    advice: Advice,
) -> Iterator[tuple[Roll, float, int | None]]:
    """The dice of every use, what it is worth, and the turn total after it if that is certain."""
    total, dice = advice.position.turn_total, advice.position.dice
    match power.kind:
        case PowerKind.RESURRECTION if advice.farkle:
            yield advice.roll, float(lower.rolls[turn.row(total), dice - 1]), total
        case PowerKind.DOPPELGANGER:
            for one in advice.options:
                after = TurnState(total + 2 * one.points, one.dice_left)
                yield one.set_aside, turn.value(lower, after), after.turn_total
        case PowerKind.TRANSMUTATION if power.after_farkle or not advice.farkle:
            held, state = Side(strategy.matchup, side), advice.position.turn
            for die in dict.fromkeys(advice.roll):
                kept = held.set_asides(held.turned(advice.roll, die))
                if values := [turn.value(lower, held.after(state, one)) for one in kept]:
                    yield (die,), max(values), None
        case PowerKind.REROLL if power.after_farkle or not advice.farkle:
            for again, value in turn.rolled_again(advice.position.turn, advice.roll):
                yield again, value, None
