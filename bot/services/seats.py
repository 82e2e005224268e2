"""Games to which players bring their dice: what is best in them, as in questions on loaded dice."""

import re
from dataclasses import dataclass, replace

from bot.services.loaded import (
    LoadedAdvice,
    LoadedDice,
    LoadedOdds,
    loaded_advice_at,
    odds_at,
)
from bot.table.badges import TAKES_DICE, check_use
from bot.table.fold import turn_after
from bot.table.state import Game
from solver.errors import IllegalActionError, InvalidRequestError, InvalidRollError
from solver.game.best import BestPlay
from solver.game.position import Position
from solver.loaded.kits import badges_of
from solver.loaded.power_turn import LEAST_GAIN
from solver.named.badges import NamedBadge
from solver.named.rolls import read_roll, read_set_aside
from solver.named.sets import NamedSet
from solver.play.badge_uses import BadgeUse
from solver.turn.dice import Remaining, Roll
from solver.turn.powers import PowerKind
from solver.wording import say_number

_NOW = re.compile(r"\b(?:now|jetzt)\b", re.IGNORECASE)
"""What stands between the dice that are rolled again and what they show then."""


@dataclass(frozen=True, slots=True)
class LoadedHint:
    """What is best for the player to move."""

    advice: LoadedAdvice | None
    """Of the roll on the table, if there is one."""
    odds: LoadedOdds | None
    """Of the decision before the next roll; None where the badge is best used on the roll."""
    exact: bool = True
    """Whether all who play are looked at; else the strongest opponent is taken for the only one."""

    @property
    def use(self) -> BadgeUse | None:
        """The use of the badge that is best now."""
        if self.advice:
            return self.advice.best_use
        use = self.odds.use if self.odds else None
        # after a farkle it is no decision of now
        is_now = use and use.kind is not PowerKind.RESURRECTION
        return use if use and is_now and use.win_probability > use.without + LEAST_GAIN else None


def dice_of(game: Game) -> LoadedDice:
    """Return what the player to move and the strongest of the others bring."""
    seats = game.mover, game.rival_of(game.mover)
    mine, theirs = (game.kits[seat].dice for seat in seats)
    badge, other = (_held_by(game, seat) for seat in seats)
    return LoadedDice(game.rules, mine, theirs, game.joker_alone, (badge, other))


def dice_in(strategy: BestPlay, game: Game) -> LoadedDice:
    """Return what those bring of whom a strategy knows, the player to move first."""
    return dice_of(game) if strategy.players == 2 else _dice_of_all(game)


def _dice_of_all(game: Game) -> LoadedDice:
    """What all who play bring, the player to move first."""
    order = ((game.mover + k) % len(game.seats) for k in range(len(game.seats)))
    sets = (game.kits[seat].dice for seat in order if game.seats[seat].playing)
    mine, theirs, *further = sets
    return LoadedDice(game.rules, mine, theirs, game.joker_alone, further=tuple(further))


def _held_by(game: Game, seat: int) -> NamedBadge | None:
    """The badge of a seat with the uses that are left."""
    badge = game.kits[seat].badge
    if badge is None or badges_of(game.kits)[seat] is None or not badge.power:
        return badge
    uses = game.seats[seat].uses if seat < len(game.seats) else badge.uses_left
    return replace(badge, left=None if uses == badge.badge.uses else uses)


def loaded_hint(strategy: BestPlay, game: Game) -> LoadedHint:
    """What is best for the player to move."""
    exact = game.playing == strategy.players
    if game.turn.roll is None:
        return LoadedHint(None, _odds(strategy, game), exact)
    found = _advice(strategy, game, game.turn.roll)
    if found.best_use or not found.advice.options:
        return LoadedHint(found, None, exact)
    turn = turn_after(game, found.advice.options[0].set_aside)
    return LoadedHint(found, _odds(strategy, replace(game, turn=turn)), exact)


def loaded_advice_in(strategy: BestPlay, game: Game, typed: str, mover: str) -> LoadedAdvice:
    """Advice on a roll as typed, else on the one on the table. Raises FarkleError.

    mover : the name of the player to move
    """
    if not typed and game.turn.roll is None:
        raise InvalidRequestError.say("nothing is rolled yet: give the dice, or ask for /odds")
    roll = read_fallen(game, typed, mover) if typed else game.turn.roll or ()
    return _advice(strategy, game, roll)


def loaded_odds_in(strategy: BestPlay, game: Game) -> LoadedOdds:
    """Roll or bank in the position of a game. Raises InvalidRequestError."""
    if game.turn.roll is not None:
        raise InvalidRequestError.say("a roll is on the table: /advise says what to keep of it")
    return _odds(strategy, game)


def read_fallen(game: Game, typed: str, mover: str) -> Roll:
    """A roll of the dice that are to be rolled now, as typed. Raises InvalidRollError."""
    return _fell(game.kits[game.mover].dice, typed, game.turn.dice, mover)


def read_kept(game: Game, typed: str) -> Roll:
    """Dice of the roll on the table, as typed; none where there is no roll.

    Raises InvalidRollError.
    """
    roll = game.turn.roll
    return () if roll is None else read_set_aside(game.kits[game.mover].shown(roll), roll, typed)


def read_use(game: Game, typed: str, mover: str) -> tuple[Roll, Roll]:
    """The dice on which a badge is used, and in a tracked game what fell by it, as typed.

    None where nothing is to be read. Raises InvalidRollError and IllegalActionError.
    """
    power, kit = game.power, game.kits[game.mover] if game.kits else None
    before, *after = _NOW.split(typed, maxsplit=1)
    if power is None or kit is None or not game.may_use or not typed:
        return (), ()
    thrown = kit.dice.dice_set
    if power.kind in TAKES_DICE:
        dice = read_kept(game, before)
        if not after:
            return dice, ()
        types = check_use(game, game.mover, dice)
        left = thrown.place(tuple(types.count(k) for k in range(len(thrown.types))))
        return dice, _fell(kit.dice, after[0], left, mover) if types else ()
    if not game.tracked:
        raise IllegalActionError.say("this badge is used without dice: /use alone does it")
    if power.kind is not PowerKind.MIGHT:
        return (), read_fallen(game, typed, mover)
    wider = kit.with_added
    left = wider.dice_set.place((*thrown.remaining[game.turn.dice], 1))
    return (), _fell(wider, typed, left, mover)


def _fell(named: NamedSet, typed: str, dice: Remaining, mover: str) -> Roll:
    """A roll of some dice of a set, as typed. Raises InvalidRollError."""
    roll, thrown = read_roll(named, typed, dice), named.dice_set
    if thrown.thrown_in(roll) != dice:
        raise InvalidRollError(
            say_number(
                "now {name} rolls {number} die, {set}, not {told}",
                "now {name} rolls {number} dice, {set}, not {told}",
                sum(thrown.remaining[dice]),
                name=mover,
                set=named.left(dice).text,
                told=len(roll),
            )
        )
    return roll


def _advice(strategy: BestPlay, game: Game, roll: Roll) -> LoadedAdvice:
    changed = game.held.changed and roll == game.turn.roll
    return loaded_advice_at(strategy, *_asked(strategy, game), roll, changed=changed)


def _odds(strategy: BestPlay, game: Game) -> LoadedOdds:
    return odds_at(strategy, *_asked(strategy, game))


def _asked(strategy: BestPlay, game: Game) -> tuple[LoadedDice, Position]:
    """Return the dice and the position that a strategy is asked about in a game."""
    return dice_in(strategy, game), game.position_in(strategy)
