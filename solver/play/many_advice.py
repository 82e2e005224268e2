"""A position of several players and a roll in, ranked options out, each with the chances of all."""

from dataclasses import dataclass

from solver.game.many_best import SharedPosition, SharedStrategy
from solver.rules.ruleset import Ruleset
from solver.turn.dice import Remaining, Roll
from solver.turn.equations import Decision, Floats
from solver.turn.many import EVEN, SharedTurn
from solver.turn.scoring import Fate, TurnState, after_set_aside, fate, set_asides


@dataclass(frozen=True, slots=True)
class SharedOption:
    """One set-aside of a roll, and what follows it."""

    set_aside: Roll
    points: int
    turn_total: int
    dice_left: Remaining
    """Dice to roll next if the turn goes on; all of them with hot dice."""
    action: Decision
    chances: tuple[float, ...]
    """Win probabilities of all players, in the order of their turns."""


@dataclass(frozen=True, slots=True)
class SharedAdvice:
    """Every choice after a roll, best first; none for a farkle."""

    rules: Ruleset
    position: SharedPosition
    roll: Roll
    fate: Fate
    chances: tuple[float, ...]
    """Of all players after the best choice, or after the farkle."""
    options: tuple[SharedOption, ...]


@dataclass(frozen=True, slots=True)
class SharedOdds:
    """The decision before a roll; all chances in the order of the players' turns."""

    rules: Ruleset
    position: SharedPosition
    action: Decision
    chances: tuple[float, ...]
    roll: tuple[float, ...]
    bank: tuple[float, ...] | None
    """None where the turn total may not be banked."""


def advise_shared(strategy: SharedStrategy, position: SharedPosition, roll: Roll) -> SharedAdvice:
    """Rank the set-asides of `roll`, made with the dice of the position, for the mover.

    Of options that are equal for the mover the first in the order of solver.turn.many comes first.
    Raises InvalidPositionError and StrategyFileError.
    """
    rules, turn, me = strategy.rules, strategy.turn(position), position.mover
    fallen = fate(rules, roll)
    options = []
    for kept in set_asides(rules, roll) if fallen is Fate.SCORES else ():
        after = after_set_aside(rules, position.turn, kept)
        options.append(
            SharedOption(
                set_aside=kept.dice,
                points=after.turn_total - position.turn.turn_total,
                turn_total=after.turn_total,
                dice_left=after.dice,
                action=_action(turn, after),
                chances=_seats(strategy, position, turn.value(after)),
            )
        )
    best = max((option.chances[me] for option in options), default=0.0)

    def rank(option: SharedOption) -> tuple[float, int, int]:
        own = option.chances[me]
        return -(best if own >= best - EVEN else own), -option.points, -option.dice_left

    options.sort(key=rank)
    if options:
        chances = options[0].chances
    elif fallen is Fate.WINS:
        chances = tuple(float(k == me) for k in range(strategy.players))
    else:
        lost = turn.ends.lost if fallen is Fate.LOSES else None
        ended = turn.farkle_value(position.turn.turn_total) if lost is None else lost
        chances = _seats(strategy, position, ended)
    return SharedAdvice(rules, position, roll, fallen, chances, tuple(options))


def shared_odds(strategy: SharedStrategy, position: SharedPosition) -> SharedOdds:
    """Weigh rolling against banking. Raises InvalidPositionError and StrategyFileError."""
    turn = strategy.turn(position)
    bank = turn.bank_value(position.turn)
    return SharedOdds(
        rules=strategy.rules,
        position=position,
        action=_action(turn, position.turn),
        chances=_seats(strategy, position, turn.value(position.turn)),
        roll=_seats(strategy, position, turn.roll_value(position.turn)),
        bank=None if bank is None else _seats(strategy, position, bank),
    )


def _action(turn: SharedTurn, state: TurnState) -> Decision:
    if not turn.banks(state):
        return Decision.ROLL
    bank = turn.bank_value(state)
    return Decision.WIN if bank is not None and bank[0] == 1 else Decision.BANK


def _seats(strategy: SharedStrategy, position: SharedPosition, values: Floats) -> tuple[float, ...]:
    return tuple(strategy.by_seat(position, values).tolist())
