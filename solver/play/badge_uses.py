"""When to use a badge that is used up, for whoever has loaded dice and one."""

from collections.abc import Iterator

from solver.loaded.kits import Side
from solver.loaded.power_turn import PowerTurn
from solver.play.advice import Advice, BadgeUse, Odds
from solver.turn.dice import Fate, Roll
from solver.turn.equations import TurnTable
from solver.turn.powers import Power, PowerKind


def uses_on_roll(turn: PowerTurn, advice: Advice) -> tuple[BadgeUse, ...]:
    """Return what the mover's badge allows on a roll that was advised on, the best first."""
    if advice.position.held.changed or turn.lower is None or turn.power is None:
        return ()
    if advice.fate not in {Fate.SCORES, Fate.FARKLE}:
        return ()
    uses = {
        dice: BadgeUse(turn.power.kind, value, advice.win_probability, dice, total)
        for dice, value, total in _on_roll(turn, turn.lower, turn.power, advice)
    }
    return tuple(sorted(uses.values(), key=lambda use: (-use.win_probability, len(use.dice))))


def use_before_roll(turn: PowerTurn, weighed: Odds) -> BadgeUse | None:
    """Return what the mover's badge allows before a roll that was weighed, or after its farkle."""
    position = weighed.position
    if turn.power is None:
        return None
    value, without = turn.use_value(position.turn), max(weighed.roll, weighed.bank or 0.0)
    if turn.instead is not None:
        place = turn.top.index(position.turn)
        value, without = float(turn.instead[place]), float(turn.top.ends.farkle[place[1]])
    if value is None:
        return None
    total = None if turn.said is None else position.turn_total
    return BadgeUse(turn.power.kind, value, without, turn_total=total)


def _on_roll(
    turn: PowerTurn, lower: TurnTable, power: Power, advice: Advice
) -> Iterator[tuple[Roll, float, int | None]]:
    """The dice of every use, what it is worth, and the turn total after it if that is certain."""
    state, total = advice.position.turn, advice.position.turn_total
    side = Side(turn.matchup, turn.side)
    match power.kind:
        case PowerKind.RESURRECTION if advice.farkle:
            yield advice.roll, lower.roll_value(state), total
        case PowerKind.DOPPELGANGER:
            for kept in side.set_asides(advice.roll):
                after = side.after(state, kept, 2)
                yield kept.dice, lower.value(after), after.turn_total
        case PowerKind.TRANSMUTATION if power.after_farkle or not advice.farkle:
            for die in dict.fromkeys(advice.roll):
                turned = side.turned(advice.roll, die)
                values = [lower.value(side.after(state, kept)) for kept in side.set_asides(turned)]
                if side.fate(turned, state) is Fate.WINS:
                    values = [1.0]
                if values:
                    yield (die,), max(values), None
        case PowerKind.REROLL if power.after_farkle or not advice.farkle:
            for again, value in turn.rolled_again(state, advice.roll):
                yield again, value, None
