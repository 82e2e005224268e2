"""A position and a roll in, ranked options out: exact win probabilities of every choice."""

from dataclasses import dataclass, replace

from solver.dice import Roll
from solver.position import Position, reachable
from solver.scoring import hot_dice, set_asides
from solver.strategy import Strategy
from solver.turn import Decision


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

    rules: str
    position: Position
    roll: Roll
    farkle: bool
    win_probability: float
    options: tuple[Option, ...]


@dataclass(frozen=True, slots=True)
class Odds:
    """The decision before a roll."""

    rules: str
    position: Position
    action: Decision
    win_probability: float
    roll: float
    """Win probability of rolling."""
    bank: float | None
    """Win probability of banking; None where the turn total may not be banked."""
    farkle_probability: float
    """Chance that the next roll is a farkle."""


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

    rules: str
    position: Position
    win_probability: float
    cells: tuple[Cell, ...]


def advise(strategy: Strategy, position: Position, roll: Roll) -> Advice:
    """Rank the set-asides of `roll`, made with `position.dice`; the position must be possible."""
    rules = strategy.rules
    table = strategy.turn(position)
    options = []
    for kept in set_asides(rules, roll):
        turn_total = position.turn_total + kept.points
        left = hot_dice(rules, len(roll) - len(kept.dice))
        steps = turn_total // rules.point_step
        options.append(
            Option(
                set_aside=kept.dice,
                points=kept.points,
                turn_total=turn_total,
                dice_left=left,
                action=table.decision(steps, left),
                win_probability=table.value(steps, left),
            )
        )
    options.sort(key=lambda option: (-option.win_probability, -option.points))
    return Advice(
        rules=rules.name,
        position=position,
        roll=roll,
        farkle=not options,
        win_probability=options[0].win_probability if options else table.farkle,
        options=tuple(options),
    )


def odds(strategy: Strategy, position: Position) -> Odds:
    """Weigh rolling against banking; the position must be possible."""
    rules = strategy.rules
    table = strategy.turn(position)
    row = position.turn_total // rules.point_step
    return Odds(
        rules=rules.name,
        position=position,
        action=table.decision(row, position.dice),
        win_probability=table.value(row, position.dice),
        roll=table.roll_value(row, position.dice),
        bank=table.bank_value(row),
        farkle_probability=float(table.farkle_chances[position.dice - 1]),
    )


def turn_cells(strategy: Strategy, position: Position) -> TurnCells:
    """The whole turn that a position belongs to: every turn total that does not win yet."""
    rules = strategy.rules
    start = replace(position, turn_total=0, dice=rules.dice)
    table = strategy.turn(start)
    possible = reachable(rules)
    cells = tuple(
        Cell(
            turn_total=row * rules.point_step,
            dice=dice,
            win_probability=float(table.win_probability[row, dice - 1]),
            action=table.decision(row, dice),
            reachable=bool(possible[row, dice - 1]),
        )
        for row in range(len(table.roll))
        for dice in range(1, rules.dice + 1)
    )
    return TurnCells(rules.name, start, float(table.win_probability[0, rules.dice - 1]), cells)
