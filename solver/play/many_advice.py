"""A position of several players and a roll in, ranked options out, each with the chances of all.

Answers have the names of those for two players (solver.play.advice), and what is theirs alone: the
chances of all players, in the order of their turns.
"""

from dataclasses import dataclass

from solver.game.many_best import SharedPosition, SharedStrategy
from solver.play.advice import Option
from solver.rules.ruleset import Ruleset
from solver.turn.dice import Roll
from solver.turn.equations import EVEN, Decision, Floats
from solver.turn.scoring import Fate


@dataclass(frozen=True, slots=True)
class SharedOption(Option):
    """One set-aside of a roll, and what follows it."""

    chances: tuple[float, ...]
    """Win probabilities of all players."""


@dataclass(frozen=True, slots=True)
class SharedAdvice:
    """Every choice after a roll, best first; none for a farkle."""

    rules: Ruleset
    position: SharedPosition
    roll: Roll
    fate: Fate
    keeps_turn_total: bool
    """Whether the roll is a farkle that banks the turn total."""
    win_probability: float
    """Of the mover after the best choice, or after the farkle."""
    chances: tuple[float, ...]
    """The same of all players."""
    options: tuple[SharedOption, ...]
    reachable: bool = True
    """Whether rolls lead to the position; its values say what it would be worth all the same."""
    within: float | None = None
    """What 95 in 100 chances are off by at most, where they are estimates."""

    @property
    def farkle(self) -> bool:
        """Whether nothing scores."""
        return self.fate is Fate.FARKLE


@dataclass(frozen=True, slots=True)
class SharedOdds:
    """The decision before a roll."""

    rules: Ruleset
    position: SharedPosition
    action: Decision
    win_probability: float
    """Of the mover."""
    roll: float
    """The same of rolling."""
    bank: float | None
    """The same of banking; None where the turn total may not be banked."""
    farkle_probability: float
    """Chance that the next roll is a farkle."""
    instant_win_probability: float
    """Chance that the next roll wins the game at once."""
    lose_everything_probability: float
    """Chance that the next roll loses everything."""
    chances: tuple[float, ...]
    """Of all players."""
    roll_chances: tuple[float, ...]
    bank_chances: tuple[float, ...] | None
    reachable: bool = True
    """Whether rolls lead to the position; its values say what it would be worth all the same."""
    within: float | None = None
    """What 95 in 100 chances are off by at most, where they are estimates."""


def advise_shared(strategy: SharedStrategy, position: SharedPosition, roll: Roll) -> SharedAdvice:
    """Rank the set-asides of `roll`, made with the dice of the position, for the mover.

    Options that are equal for the mover come in the order of solver.turn.equations.
    Raises InvalidPositionError and InvalidRollError for what cannot be, and StrategyFileError.
    """
    rules, turn, me = strategy.rules, strategy.turn(position), position.mover
    strategy.thrown(me).check_roll(position.turn.dice, roll)
    fallen, total = strategy.fate(me, roll), position.turn.turn_total
    options = []
    for kept in strategy.set_asides(me, roll) if fallen is Fate.SCORES else ():
        after = strategy.after(me, position.turn, kept)
        chances = _seats(strategy, position, turn.values_at(after))
        options.append(
            SharedOption(
                set_aside=kept.dice,
                points=after.turn_total - total,
                turn_total=after.turn_total,
                dice_left=after.dice,
                action=turn.decision(after),
                win_probability=chances[me],
                chances=chances,
            )
        )
    best = max((option.win_probability for option in options), default=0.0)

    def rank(option: SharedOption) -> tuple[float, int, int]:
        own = option.win_probability
        return -(best if own >= best - EVEN else own), -option.points, -option.dice_left

    options.sort(key=rank)
    if options:
        chances = options[0].chances
    elif fallen is Fate.WINS:
        chances = tuple(float(k == me) for k in range(strategy.players))
    else:
        lost = turn.ends.lost if fallen is Fate.LOSES else None
        ended = turn.farkle_values(total) if lost is None else lost
        chances = _seats(strategy, position, ended)
    keeps = fallen is Fate.FARKLE and rules.farkle_keeps_turn_total and turn.may_bank(total)
    return SharedAdvice(
        rules=rules,
        position=position,
        roll=roll,
        fate=fallen,
        keeps_turn_total=keeps,
        win_probability=chances[me],
        chances=chances,
        options=tuple(options),
        reachable=strategy.is_reachable(position),
        within=strategy.within,
    )


def shared_odds(strategy: SharedStrategy, position: SharedPosition) -> SharedOdds:
    """Weigh rolling against banking. Raises InvalidPositionError and StrategyFileError."""
    turn, me = strategy.turn(position), position.mover
    column, banked = position.turn.dice - 1, turn.bank_values(position.turn)
    chances = _seats(strategy, position, turn.values_at(position.turn))
    roll = _seats(strategy, position, turn.roll_values(position.turn))
    bank = None if banked is None else _seats(strategy, position, banked)
    return SharedOdds(
        rules=strategy.rules,
        position=position,
        action=turn.decision(position.turn),
        win_probability=chances[me],
        roll=roll[me],
        bank=None if bank is None else bank[me],
        farkle_probability=float(turn.plan.farkle_chances[column]),
        instant_win_probability=float(turn.plan.win_chances[column]),
        lose_everything_probability=float(turn.plan.lose_chances[column]),
        chances=chances,
        roll_chances=roll,
        bank_chances=bank,
        reachable=strategy.is_reachable(position),
        within=strategy.within,
    )


def _seats(strategy: SharedStrategy, position: SharedPosition, values: Floats) -> tuple[float, ...]:
    return tuple(strategy.by_seat(position, values).tolist())
