"""A position and a roll in, ranked options out: exact win probabilities of every choice."""

from dataclasses import dataclass, replace

from solver.game.position import Position, reachable
from solver.rules.ruleset import Ruleset
from solver.strategy import Strategy
from solver.turn.dice import Roll
from solver.turn.equations import Decision
from solver.turn.scoring import Fate, fate, hot_dice, hot_dice_bonus, set_asides


@dataclass(frozen=True, slots=True)
class Option:
    """One set-aside of a roll, and what follows it."""

    set_aside: Roll
    points: int
    turn_total: int
    dice_left: int
    """Dice to roll next if the turn goes on; all of them with hot dice."""
    action: Decision
    win_probability: float


@dataclass(frozen=True, slots=True)
class Advice:
    """Every choice after a roll, best first; none for a farkle."""

    rules: Ruleset
    position: Position
    roll: Roll
    fate: Fate
    farkle: bool
    keeps_turn_total: bool
    """Whether the roll is a farkle that banks the turn total."""
    win_probability: float
    options: tuple[Option, ...]


@dataclass(frozen=True, slots=True)
class Odds:
    """The decision before a roll."""

    rules: Ruleset
    position: Position
    action: Decision
    win_probability: float
    roll: float
    """Win probability of rolling."""
    bank: float | None
    """Win probability of banking; None where the turn total may not be banked."""
    farkle_probability: float
    """Chance that the next roll is a farkle."""
    instant_win_probability: float
    """Chance that the next roll wins the game at once."""
    lose_everything_probability: float
    """Chance that the next roll loses everything."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One entry of a turn table."""

    turn_total: int
    dice: int
    win_probability: float
    action: Decision
    reachable: bool


@dataclass(frozen=True, slots=True)
class TurnCells:
    """All decisions of one turn, by turn total and then by number of dice."""

    rules: Ruleset
    position: Position
    win_probability: float
    cells: tuple[Cell, ...]


def advise(strategy: Strategy, position: Position, roll: Roll) -> Advice:
    """Rank the set-asides of `roll`, made with `position.dice`; the position must be possible."""
    rules = strategy.rules
    table = strategy.turn(position)
    fallen = fate(rules, roll)
    options = []
    for kept in set_asides(rules, roll) if fallen is Fate.SCORES else ():
        left = hot_dice(rules, len(roll) - len(kept.dice))
        is_hot = len(kept.dice) == len(roll)
        points = kept.points + (hot_dice_bonus(rules, position.hot_dice) if is_hot else 0)
        turn_total = position.turn_total + points
        state = turn_total // rules.point_step, left, position.hot_dice + is_hot
        options.append(
            Option(
                set_aside=kept.dice,
                points=points,
                turn_total=turn_total,
                dice_left=left,
                action=table.decision(*state),
                win_probability=table.value(*state),
            )
        )
    options.sort(key=lambda option: (-option.win_probability, -option.points))
    row = position.turn_total // rules.point_step
    win_probability = {
        Fate.SCORES: max((option.win_probability for option in options), default=0.0),
        Fate.FARKLE: table.farkle_value(row),
        Fate.LOSES: table.ends.lost,
        Fate.WINS: 1.0,
    }[fallen]
    # hot dice aside, which a farkle keeps though they may not be banked
    keeps = rules.farkle_keeps_turn_total and table.may_bank(row)
    return Advice(
        rules=rules,
        position=position,
        roll=roll,
        fate=fallen,
        farkle=fallen is Fate.FARKLE,
        keeps_turn_total=fallen is Fate.FARKLE and keeps,
        win_probability=win_probability,
        options=tuple(options),
    )


def odds(strategy: Strategy, position: Position) -> Odds:
    """Weigh rolling against banking; the position must be possible."""
    rules = strategy.rules
    table = strategy.turn(position)
    state = position.turn_total // rules.point_step, position.dice, position.hot_dice
    dice = position.dice - 1
    return Odds(
        rules=rules,
        position=position,
        action=table.decision(*state),
        win_probability=table.value(*state),
        roll=table.roll_value(*state),
        bank=table.bank_value(*state[:2]),
        farkle_probability=float(table.plan.farkle_chances[dice]),
        instant_win_probability=float(table.plan.win_chances[dice]),
        lose_everything_probability=float(table.plan.lose_chances[dice]),
    )


def turn_cells(strategy: Strategy, position: Position) -> TurnCells:
    """The whole turn that a position belongs to: every turn total that may be worth a roll.

    Where the bonus for hot dice changes, the part of the turn after `position.hot_dice` of them.
    """
    rules = strategy.rules
    start = replace(position, turn_total=0, dice=rules.dice)
    table = strategy.turn(start)
    level = min(start.hot_dice, table.plan.levels - 1)
    possible = reachable(rules)[level]
    cells = tuple(
        Cell(
            turn_total=row * rules.point_step,
            dice=dice,
            win_probability=table.value(row, dice, level),
            action=table.decision(row, dice, level),
            reachable=bool(possible[row, dice - 1]),
        )
        for row in range(table.roll.shape[1] - table.plan.reach)
        for dice in range(1, rules.dice + 1)
    )
    return TurnCells(rules, start, float(table.roll[0, 0, rules.dice - 1]), cells)
