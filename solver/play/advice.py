"""A position and a roll in, ranked options out: exact win probabilities of every choice."""

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from solver.game.best import BestPlay
from solver.game.position import Position, rules_at
from solver.play.endings import TurnEnds
from solver.play.reasons import Why, why
from solver.rules.ruleset import Ruleset
from solver.turn.dice import Remaining, Roll
from solver.turn.equations import EVEN, LEAST_GAIN, Decision, Floats, TurnTable
from solver.turn.scoring import Fate, TurnState

if TYPE_CHECKING:
    from solver.loaded.power_turn import PowerTurn
    from solver.turn.powers import PowerKind


@dataclass(frozen=True, slots=True)
class BadgeUse:
    """What a badge that is used up allows at some moment."""

    kind: "PowerKind"
    win_probability: float
    """If it is used so."""
    without: float
    """With the best that there is at that moment without it; it may be used later."""
    dice: Roll = ()
    """Those that are set aside for twice their points, turned, or rolled again."""
    turn_total: int | None = None
    """That it leads to, where that is certain."""

    @property
    def is_better(self) -> bool:
        """Whether it is better than anything else."""
        return self.win_probability > self.without + LEAST_GAIN


@dataclass(frozen=True, slots=True)
class Option:
    """One set-aside of a roll, and what follows it."""

    set_aside: Roll
    points: int
    turn_total: int
    dice_left: Remaining
    """Dice to roll next if the turn goes on; all of them with hot dice."""
    to_confirm: int
    """What is then left to be confirmed before the turn may be banked, see `Ruleset.needs`."""
    held_set: Roll
    """The set that is then held, where the rules know of sets."""
    action: Decision
    win_probability: float
    chances: tuple[float, ...]
    """Win probabilities of all players, in the order of turns."""
    with_badge: bool = False
    """Whether a badge is best used before the bank or roll that follows."""
    freed: Roll = ()
    """Dice of the roll that count with those set aside and are rolled again."""
    ends: TurnEnds | None = None
    """How the turn then ends, where that was asked for."""


@dataclass(frozen=True, slots=True)
class Advice:
    """Every choice after a roll, best first; none for a farkle.

    Values are those without a use of a badge on the roll itself.
    """

    rules: Ruleset
    position: Position
    roll: Roll
    fate: Fate
    farkle: bool
    keeps_turn_total: bool
    """Whether the roll is a farkle that banks the turn total."""
    win_probability: float
    """The mover's chance to win after the best choice, or after the farkle."""
    chances: tuple[float, ...]
    """Win probabilities of all players then, in the order of turns."""
    options: tuple[Option, ...]
    reachable: bool = True
    """Whether rolls lead to the position; its values say what it would be worth all the same."""
    within: float | None = None
    """What 95 in 100 chances are off by at most, where they are estimates."""
    why: Why | None = None
    """What decides between bank and roll after the best choice, where that was asked for."""
    uses: tuple[BadgeUse, ...] = ()
    """What a badge allows on the roll, the best first."""
    brought: Any = None
    """What players bring, as who asks names it; None where all throw the dice of the rules."""
    is_again: bool = False
    """Whether the roll is a farkle after which the dice are thrown again."""

    def after(self, option: Option) -> TurnState:
        """Return where the turn stands after a choice."""
        hot_dice = self.position.hot_dice + (option.set_aside == self.roll)
        throws = self.position.turn.throws + (rules_at(self.rules, self.position).throws > 0)
        so_far = option.turn_total, option.dice_left, hot_dice, option.to_confirm, throws
        return TurnState(*so_far, option.held_set)

    @property
    def best_use(self) -> BadgeUse | None:
        """Return the use of a badge on the roll that is better than anything else, if one is."""
        return self.uses[0] if self.uses and self.uses[0].is_better else None

    @property
    def best(self) -> float:
        """Return the win probability of the mover with the best that there is."""
        return max([self.win_probability, *(use.win_probability for use in self.uses)])


@dataclass(frozen=True, slots=True)
class Odds:
    """The decision before a roll; rolling and banking are without a badge that is used up."""

    rules: Ruleset
    position: Position
    action: Decision
    win_probability: float
    """The mover's chance to win."""
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
    chances: tuple[float, ...]
    """Win probabilities of all players, in the order of turns."""
    roll_chances: tuple[float, ...]
    bank_chances: tuple[float, ...] | None
    reachable: bool = True
    """Whether rolls lead to the position; its values say what it would be worth all the same."""
    within: float | None = None
    """What 95 in 100 chances are off by at most, where they are estimates."""
    why: Why | None = None
    """What decides, where that was asked for."""
    use: BadgeUse | None = None
    """What a badge allows before the roll, or after a farkle of it."""
    brought: Any = None
    """What players bring, as who asks names it; None where all throw the dice of the rules."""
    take_over: float | None = None
    """Win probability of rolling on with what the player before left; None where nothing is."""
    leaving: float | None = None
    """By how much less a bank is worth as the next player may take over what it leaves."""

    @property
    def use_now(self) -> BadgeUse | None:
        """Return what a badge allows before the roll; after a farkle it is no decision of now."""
        return self.use if self.use and self.use.kind != "resurrection" else None


Answer = TypeVar("Answer", Advice, Odds)


def advise(strategy: BestPlay, position: Position, roll: Roll, misses: int = 0) -> Advice:
    """Rank the set-asides of `roll`, made with the dice of the position, for the mover.

    misses : how often these dice have farkled before, where they are thrown again

    Options that are equal for the mover come in the order of solver.turn.equations. Raises
    InvalidPositionError and InvalidRollError for what cannot be, and StrategyFileError.
    """
    rules, me, turn = strategy.rules, position.mover, position.turn
    hand = strategy.hand_at(position)
    table = strategy.turn(position)
    layers: PowerTurn | None = strategy.power_turn(position)
    hand.check_roll(turn.dice, roll)
    fallen = hand.fate(roll, turn)
    tries = rules.tries(len(roll), first=turn.is_first)
    is_again = fallen is Fate.FARKLE and misses + 1 != tries

    def by_seat(values: Floats) -> tuple[float, ...]:
        return tuple(strategy.by_seat(position, values).tolist())

    options = []
    for kept in hand.set_asides(roll, turn) if fallen is Fate.SCORES else ():
        after = hand.after(turn, kept)
        chances = by_seat(table.values_at(after))
        options.append(
            Option(
                set_aside=kept.dice,
                points=after.turn_total - turn.turn_total,
                turn_total=after.turn_total,
                dice_left=after.dice,
                to_confirm=after.to_confirm,
                held_set=after.held_set,
                action=table.decision(after),
                win_probability=chances[me],
                chances=chances,
                with_badge=layers is not None and layers.uses_now(after),
                freed=kept.freed,
            )
        )
    options.sort(key=partial(_rank, max((one.win_probability for one in options), default=0.0)))
    if options:
        chances = options[0].chances
    else:
        chances = by_seat(_unscored(table, turn, fallen, misses, tries))
    # hot dice aside, which a farkle keeps though they may not be banked
    keeps = rules.farkle_keeps_turn_total and table.may_bank(turn.turn_total) and not is_again
    keeps = keeps and not rules.goes_beyond(position.banked + turn.turn_total)
    advice = Advice(
        rules=rules,
        position=position,
        roll=roll,
        fate=fallen,
        farkle=fallen is Fate.FARKLE,
        keeps_turn_total=fallen is Fate.FARKLE and keeps,
        win_probability=chances[me],
        chances=chances,
        options=tuple(options),
        reachable=strategy.is_reachable(position),
        within=strategy.within,
        is_again=is_again,
    )
    if layers is None:
        return advice
    from solver.play.badge_uses import uses_on_roll  # noqa: PLC0415 - takes a while

    return replace(advice, uses=uses_on_roll(layers, advice))


def _unscored(table: TurnTable, turn: TurnState, fallen: Fate, misses: int, tries: int) -> Floats:
    """What a roll that scores nothing is worth, as a turn's values.

    misses : how often these dice have farkled before, of so many tries, 0 of which are any number
    """
    won: Floats = np.eye(table.values.shape[-1])[0]
    match fallen:
        case Fate.FARKLE if misses + 1 != tries:  # they are thrown again
            return table.after_misses(turn, misses + 1, tries)
        case Fate.FARKLE:
            return table.farkle_values(turn)
        case Fate.LOSES:
            return table.ends.lost
        case Fate.WINS:
            return won
    return np.asarray(1 - won)


def best_after(
    strategy: BestPlay, table: TurnTable, position: Position, roll: Roll, misses: int = 0
) -> Floats:
    """Return what a roll is worth with the best choice for the mover of two, as a turn's values.

    table : the turn of the position, which is that before the roll
    misses : how often these dice have farkled before

    That is the win probability of `advise`, without what else there was to choose, and without
    badges that are used on rolls.
    """
    turn, hand = position.turn, strategy.hand_at(position)
    fallen = hand.fate(roll, turn)
    if fallen is not Fate.SCORES:
        tries = strategy.rules.tries(len(roll), first=turn.is_first)
        return _unscored(table, turn, fallen, misses, tries)
    found = (table.values_at(hand.after(turn, one)) for one in hand.set_asides(roll, turn))
    return max(found, key=lambda values: float(values[0]))


def _rank(best: float, option: Option) -> tuple[float, ...]:
    """Return what options are sorted by, given what the best is worth to the mover."""
    own = option.win_probability
    if len(option.chances) == 2:
        return -own, -option.points
    return -(best if own >= best - EVEN else own), -option.points, -option.dice_left


def odds(strategy: BestPlay, position: Position) -> Odds:
    """Weigh rolling against banking, both without a badge that is used up.

    Raises InvalidPositionError and StrategyFileError.
    """
    turn, me = position.turn, position.mover
    table = strategy.turn(position)
    column = table.plan.column(turn)
    rolled, banked = strategy.without_badge(position)
    chances, roll = (
        tuple(strategy.by_seat(position, values).tolist())
        for values in (table.values_at(turn), rolled)
    )
    bank = None if banked is None else tuple(strategy.by_seat(position, banked).tolist())
    layers: PowerTurn | None = strategy.power_turn(position)
    weighed = Odds(
        rules=strategy.rules,
        position=position,
        action=table.decision(turn),
        win_probability=chances[me],
        roll=roll[me],
        bank=None if bank is None else bank[me],
        farkle_probability=float(table.plan.farkle_chances[column]),
        instant_win_probability=float(table.plan.win_chances[column]),
        lose_everything_probability=float(table.plan.lose_chances[column]),
        chances=chances,
        roll_chances=roll,
        bank_chances=bank,
        reachable=strategy.is_reachable(position),
        within=strategy.within,
    )
    if strategy.rules.takes_over:
        return _with_what_is_left(strategy, weighed)
    if layers is None:
        return weighed
    from solver.play.badge_uses import use_before_roll  # noqa: PLC0415

    return replace(weighed, use=use_before_roll(layers, weighed))


def _with_what_is_left(strategy: BestPlay, weighed: Odds) -> Odds:
    """Return odds with what the player before left, and with what a bank leaves to the next one."""
    position = weighed.position
    if (offered := position.offered) is not None:
        taken = float(strategy.turn(position).roll_values(offered)[0])
        is_better = taken > weighed.roll
        return replace(
            weighed,
            take_over=taken,
            action=Decision.TAKE_OVER if is_better else weighed.action,
            win_probability=max(taken, weighed.roll),
            chances=tuple(strategy.chances(position).tolist()),
        )
    rules, other = strategy.rules, position.other
    may_take = rules.may_take_over(other.score, on_board=other.on_board)
    leaves = rules.take_over in {"banked", "both"} and position.dice <= rules.take_over_dice
    if not (may_take and leaves) or weighed.bank in {None, 1}:
        return weighed
    alone = strategy.turn_left_alone(position).bank_value(position.turn)
    return replace(weighed, leaving=max(0.0, (alone or 0.0) - (weighed.bank or 0.0)))


def best_use(strategy: BestPlay, position: Position, roll: Roll | None) -> Roll | None:
    """Return the dice of the roll, if one lies there, on which a badge is best used now.

    () where it is used on none, None where it is kept. Raises what `advise` raises.
    """
    if roll is None:
        layers: PowerTurn | None = strategy.power_turn(position)
        return () if layers is not None and layers.uses_now(position.turn) else None
    use = advise(strategy, position, roll).best_use
    if use is None:
        return None
    return () if use.kind == "resurrection" else use.dice


def with_why(strategy: BestPlay, answer: Answer) -> Answer:
    """Return advice or odds with what decides between bank and roll.

    Those of a farkle, and of more than two players, are returned as they are.
    """
    if strategy.players > 2:
        return answer
    position = answer.position
    if isinstance(answer, Advice):
        if not answer.options:
            return answer
        position = replace(position, turn=answer.after(answer.options[0]))
    return replace(answer, why=why(strategy, position))
