"""A position and a roll in, ranked options out: exact win probabilities of every choice."""

from dataclasses import dataclass, replace
from typing import TypeVar

from solver.game.position import Position, impossible_turn, reachable
from solver.play.reasons import Why, why
from solver.rules.ruleset import Ruleset
from solver.strategy import Strategy
from solver.turn.dice import Remaining, Roll, dice_set
from solver.turn.equations import Decision, TurnTable
from solver.turn.points import bank_decisions
from solver.turn.scoring import Fate, TurnState, after_set_aside, fate, set_asides
from solver.turn.thresholds import BankFrom, bank_from


@dataclass(frozen=True, slots=True)
class Option:
    """One set-aside of a roll, and what follows it."""

    set_aside: Roll
    points: int
    turn_total: int
    dice_left: Remaining
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
    reachable: bool = True
    """Whether rolls lead to the position; its values say what it would be worth all the same."""
    why: Why | None = None
    """What decides between bank and roll after the best choice, where that was asked for."""


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
    reachable: bool = True
    """Whether rolls lead to the position; its values say what it would be worth all the same."""
    why: Why | None = None
    """What decides, where that was asked for."""


Answer = TypeVar("Answer", Advice, Odds)


@dataclass(frozen=True, slots=True)
class Cell:
    """One entry of a turn table."""

    turn_total: int
    dice: Remaining
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
    bank_from: tuple[BankFrom, ...]
    """When to bank, for each number of dice that can be left; a bank that wins too."""


def advise(strategy: Strategy, position: Position, roll: Roll) -> Advice:
    """Rank the set-asides of `roll`, made with `position.dice`.

    Raises InvalidPositionError and InvalidRollError for what cannot be, and StrategyFileError.
    """
    rules = strategy.rules
    table = strategy.turn(position)
    dice_set(rules).check_roll(position.dice, roll)
    fallen = fate(rules, roll)
    options = []
    for kept in set_asides(rules, roll) if fallen is Fate.SCORES else ():
        after = after_set_aside(rules, position.turn, kept)
        options.append(
            Option(
                set_aside=kept.dice,
                points=after.turn_total - position.turn_total,
                turn_total=after.turn_total,
                dice_left=after.dice,
                action=table.decision(after),
                win_probability=table.value(after),
            )
        )
    options.sort(key=lambda option: (-option.win_probability, -option.points))
    win_probability = {
        Fate.SCORES: max((option.win_probability for option in options), default=0.0),
        Fate.FARKLE: table.farkle_value(position.turn_total),
        Fate.LOSES: float(table.ends.lost[0]),
        Fate.WINS: 1.0,
    }[fallen]
    # hot dice aside, which a farkle keeps though they may not be banked
    keeps = rules.farkle_keeps_turn_total and table.may_bank(position.turn_total)
    return Advice(
        rules=rules,
        position=position,
        roll=roll,
        fate=fallen,
        farkle=fallen is Fate.FARKLE,
        keeps_turn_total=fallen is Fate.FARKLE and keeps,
        win_probability=win_probability,
        options=tuple(options),
        reachable=not impossible_turn(rules, position.turn),
    )


def odds(strategy: Strategy, position: Position) -> Odds:
    """Weigh rolling against banking. Raises InvalidPositionError and StrategyFileError."""
    rules = strategy.rules
    table = strategy.turn(position)
    column = position.dice - 1
    return Odds(
        rules=rules,
        position=position,
        action=table.decision(position.turn),
        win_probability=table.value(position.turn),
        roll=table.roll_value(position.turn),
        bank=table.bank_value(position.turn),
        farkle_probability=float(table.plan.farkle_chances[column]),
        instant_win_probability=float(table.plan.win_chances[column]),
        lose_everything_probability=float(table.plan.lose_chances[column]),
        reachable=not impossible_turn(rules, position.turn),
    )


def with_why(strategy: Strategy, answer: Answer) -> Answer:
    """Advice or odds with what decides between bank and roll; that of a farkle as it is."""
    position = answer.position
    if isinstance(answer, Advice):
        if not answer.options:
            return answer
        best = answer.options[0]
        hot = position.hot_dice + (best.set_aside == answer.roll)
        position = replace(position, turn_total=best.turn_total, dice=best.dice_left, hot_dice=hot)
    return replace(answer, why=why(strategy, position))


def turn_cells(strategy: Strategy, position: Position) -> TurnCells:
    """The whole turn that a position belongs to: every turn total that may be worth a roll.

    Where the bonus for hot dice changes, the part of the turn after `position.hot_dice` of them.
    """
    rules = strategy.rules
    whole = dice_set(rules).whole
    start = replace(position, turn_total=0, dice=whole)
    table = strategy.turn(replace(start, hot_dice=0))
    possible = reachable(rules)[min(start.hot_dice, table.plan.levels - 1)]
    cells = []
    for row in range(table.roll.shape[1] - table.plan.reach):
        for dice in range(1, whole + 1):
            state = TurnState(row * rules.point_step, dice, start.hot_dice)
            cells.append(
                Cell(
                    turn_total=state.turn_total,
                    dice=dice,
                    win_probability=table.value(state),
                    action=table.decision(state),
                    reachable=bool(possible[row, dice - 1]),
                )
            )
    found = when_to_bank(rules, table, start.hot_dice)
    return TurnCells(rules, start, table.roll_value(TurnState(0, whole)), tuple(cells), found)


def when_to_bank(rules: Ruleset, table: TurnTable, hot_dice: int) -> tuple[BankFrom, ...]:
    """When to bank after so many hot dice, at the turn totals that can occur then."""
    level = min(hot_dice, table.plan.levels - 1)
    banks, possible = bank_decisions(table)[level], reachable(rules)[level]
    rows = min(len(banks), len(possible))
    return bank_from(banks[:rows], possible[:rows], rules.point_step)
