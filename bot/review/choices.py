"""What a player can do at a table, and what each of it is worth."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from bot.review.worth import Shares, TurnWorth, Worth
from bot.table.events import Accepted, Used
from bot.table.fold import apply, turn_with
from bot.table.state import Game
from solver.turn.dice import Remaining, Roll
from solver.turn.equations import Decision
from solver.turn.powers import PowerKind
from solver.turn.scoring import TurnState


@dataclass(frozen=True, slots=True)
class Alternative:
    """One thing that a player can do after a roll, or before one."""

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
    """The player's chance to win, with best play from then on."""
    shares: Shares
    """The win probabilities of all seats."""
    use: PowerKind | None = None
    """What a badge is used for with it."""

    @property
    def takes_farkle(self) -> bool:
        """Whether it takes a farkle that a badge could mend."""
        return not self.set_aside and not self.turn_total and self.action is Decision.BANK


def choices(worth: Worth, game: Game, kept: Roll | None = None) -> list[Alternative]:
    """What the player to move can do with the roll, or whether to roll if all dice were kept.

    kept : a set-aside, without the others
    """
    turn, mover, roll = worth.turn(game), game.mover, game.turn.roll
    if roll is None:
        return [*_before_a_roll(worth, turn, game, ())]
    found: list[Alternative] = []
    for one in game.set_asides():
        if kept is not None and one.dice != kept:
            continue
        then = replace(game, turn=turn_with(game, one))
        found += _before_a_roll(worth, turn, then, one.dice)
    if game.held.uses is not None and game.is_farkle:
        taken = worth.shares(apply(game, Accepted()))
        left = _choice(turn, mover, game.turn.state, (), Decision.BANK, taken)
        found.append(replace(left, turn_total=0))
    if not game.may_use or game.power is None:
        return found
    if game.power.kind is PowerKind.DOPPELGANGER:
        for one in game.set_asides():
            then = apply(game, Used(dice=one.dice))
            for choice in _before_a_roll(worth, worth.turn(then), then, one.dice):
                found.append(replace(choice, use=PowerKind.DOPPELGANGER))
        return found
    for kind, dice, shares in turn.uses(roll):
        used_on = () if kind is PowerKind.RESURRECTION else dice
        found.append(_choice(turn, mover, game.turn.state, used_on, Decision.ROLL, shares, kind))
    return found


def _before_a_roll(worth: Worth, turn: TurnWorth, game: Game, kept: Roll) -> Iterator[Alternative]:
    """Bank, roll, or either with the badge; `turn` is that of the game."""
    state, mover = game.turn.state, game.mover
    if offered := game.offered:
        rolled, _ = turn.roll_and_bank(offered)
        yield _choice(turn, mover, offered, (), Decision.TAKE_OVER, rolled)
    if game.is_out_of_throws(game.turn):
        yield _choice(turn, mover, state, kept, Decision.BANK, turn.value(state))
        return
    rolled, bank = turn.roll_and_bank(state)
    if game.may_bank and bank:
        yield _choice(turn, mover, state, kept, Decision.BANK, bank)
    yield _choice(turn, mover, state, kept, Decision.ROLL, rolled)
    if game.may_use and game.power:
        action = Decision.ROLL
        if game.power.is_of_bank and not game.power.at_start:
            action = Decision.BANK
        for kind, _, shares in worth.turn(game).uses(None):
            yield _choice(turn, mover, state, kept, action, shares, kind)


def _choice(
    turn: TurnWorth,
    mover: int,
    state: TurnState,
    kept: Roll,
    action: Decision,
    shares: Shares,
    use: PowerKind | None = None,
) -> Alternative:
    """A choice that leads to a state of the turn, in which the dice were kept."""
    return Alternative(
        set_aside=kept,
        action=action,
        turn_total=state.turn_total,
        dice_left=state.dice,
        farkle_probability=turn.farkle_chance(state),
        win_probability=shares[mover],
        shares=shares,
        use=use,
    )
