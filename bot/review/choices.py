"""What a player can do at a table, and what each of it is worth."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from bot.review.worth import Shares, TurnWorth, Worth
from bot.table.events import Accepted, Used
from bot.table.fold import apply, turn_with
from bot.table.state import Game, Turn
from solver.turn.dice import Remaining, Roll
from solver.turn.equations import Decision
from solver.turn.powers import PowerKind
from solver.turn.scoring import TurnState


@dataclass(frozen=True, slots=True)
class Choice:
    """One thing to do after a roll, or before one."""

    set_aside: Roll
    """Empty where it was to be decided only whether to roll, as something was put right between.
    Of a badge that changes rolls the dice that it is used on."""
    action: Decision
    """BANK or ROLL."""
    turn_total: int
    """With the dice that are set aside."""
    dice_left: Remaining
    """Dice to roll next if the turn goes on."""
    farkle_probability: float
    """Chance that rolling them is a farkle."""
    win_probability: float
    """Of the player, with best play from then on."""
    shares: Shares
    """The same of all seats."""
    use: PowerKind | None = None
    """What a badge is used for with it."""

    @property
    def takes_farkle(self) -> bool:
        """Whether it takes a farkle that a badge could mend."""
        return not self.set_aside and not self.turn_total and self.action is Decision.BANK


def choices(worth: Worth, game: Game) -> list[Choice]:
    """What the player to move can do with the roll, or whether to roll if all dice were kept."""
    if game.held.uses is not None:
        return [*_with_badge(worth, game)]
    turn, mover = worth.turn(game), game.mover
    if game.turn.roll is None:
        after: dict[Roll, Turn] = {(): game.turn}
    else:
        after = {one.dice: turn_with(game, one) for one in game.set_asides()}
    found = []
    for kept, then in after.items():
        state = then.state
        bank = turn.bank_value(state) if game.may_bank_at(then) else None
        if bank is not None:
            found.append(_choice(turn, mover, state, kept, Decision.BANK, bank))
        roll = turn.roll_value(state)
        found.append(_choice(turn, mover, state, kept, Decision.ROLL, roll))
    return found


def _with_badge(worth: Worth, game: Game) -> Iterator[Choice]:
    """The same where badges are used up."""
    roll = game.turn.roll
    if roll is None:
        yield from _before_a_roll(worth, game, ())
        return
    for one in game.set_asides():
        then = replace(game, turn=turn_with(game, one))
        yield from _before_a_roll(worth, then, one.dice)
    turn, mover, state = worth.turn(game), game.mover, game.turn.state
    if game.is_farkle:
        taken = worth.shares(apply(game, Accepted()))
        yield replace(_choice(turn, mover, state, (), Decision.BANK, taken), turn_total=0)
    if not game.may_use or game.power is None:
        return
    if game.power.kind is PowerKind.DOPPELGANGER:
        for one in game.set_asides():
            then = apply(game, Used(dice=one.dice))
            for choice in _before_a_roll(worth, then, one.dice):
                yield replace(choice, use=PowerKind.DOPPELGANGER)
        return
    for kind, dice, shares in turn.uses(roll):
        used_on = () if kind is PowerKind.RESURRECTION else dice
        yield _choice(turn, mover, state, used_on, Decision.ROLL, shares, kind)


def _before_a_roll(worth: Worth, game: Game, kept: Roll) -> Iterator[Choice]:
    """Roll, bank, or either with the badge."""
    turn, state, mover = worth.turn(game), game.turn.state, game.mover
    yield _choice(turn, mover, state, kept, Decision.ROLL, turn.roll_value(state))
    if game.may_bank and (bank := turn.bank_value(state)):
        yield _choice(turn, mover, state, kept, Decision.BANK, bank)
    if game.may_use and game.power:
        action = Decision.ROLL
        if game.power.is_of_bank and not game.power.at_start:
            action = Decision.BANK
        for kind, _, shares in turn.uses(None):
            yield _choice(turn, mover, state, kept, action, shares, kind)


def _choice(
    turn: TurnWorth,
    mover: int,
    state: TurnState,
    kept: Roll,
    action: Decision,
    shares: Shares,
    use: PowerKind | None = None,
) -> Choice:
    """A choice that leads to a state of the turn, in which the dice were kept."""
    return Choice(
        set_aside=kept,
        action=action,
        turn_total=state.turn_total,
        dice_left=state.dice,
        farkle_probability=turn.farkle_chance(state.dice),
        win_probability=shares[mover],
        shares=shares,
        use=use,
    )
