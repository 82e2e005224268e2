"""What players do with badges that are used up: checked here, and what follows is in state."""

from collections.abc import Iterable, Iterator
from itertools import groupby

from bot.table.events import Accepted, Begun, Event, Rolled, Used
from bot.table.fold import begin, steps
from bot.table.state import Game, barred_text, check_opponent, check_turn, kept_text
from solver.errors import IllegalActionError
from solver.loaded.kits import badges_of
from solver.rules.ruleset import FACES
from solver.turn.dice import Hand, Roll, make_roll, without
from solver.turn.powers import Power, PowerKind
from solver.wording import say, say_later, say_number

TAKES_DICE = {PowerKind.DOPPELGANGER, PowerKind.TRANSMUTATION, PowerKind.REROLL}
"""Kinds whose use names dice of the roll."""
ROLLS = {PowerKind.RESURRECTION, PowerKind.MIGHT, PowerKind.REROLL}
"""Kinds by whose use dice fall."""

_WHEN = {
    PowerKind.WARLORD: say_later("{badge} is used to bank: there is nothing to bank yet"),
    PowerKind.RESURRECTION: say_later("{badge} is used after a farkle, and this is not one"),
    **dict.fromkeys(TAKES_DICE, say_later("{badge} is used on a roll: roll first")),
}
"""Why a badge cannot be used at a moment that is not its own."""


def why_no_use(game: Game, seat: int, dice: Roll) -> str:
    """Why the badge cannot be used so, see `check_use`; "" where it can."""
    try:
        check_use(game, seat, dice)
    except IllegalActionError as error:
        return str(error)
    return ""


def check_use(game: Game, seat: int, dice: Roll) -> list[int]:
    """The types of the dice that fall if the badge is used so, none where none do.

    dice : of the roll, what it is used on

    Raises IllegalActionError.
    """
    side, power = _usable(game, seat)
    if power.kind not in TAKES_DICE:
        if dice:
            raise IllegalActionError.say(
                "{badge} works without dice: /use alone uses it", badge=_called(game, seat)
            )
        rolls = power.kind in ROLLS
        fall = list(side.thrown(game.turn.dice)) if rolls else []
        return [*fall, len(side.dice.types)] if power.kind is PowerKind.MIGHT else fall
    chosen, roll = make_roll(dice), game.turn.roll or ()
    if not chosen:
        raise IllegalActionError.say(
            "say which dice of the roll {badge} is for, such as /use {dice}",
            badge=_called(game, seat),
            dice=kept_text(game, roll[:1]),
        )
    if any(chosen.count(die) > roll.count(die) for die in chosen):
        raise IllegalActionError.say("these dice are not all in the roll")
    match power.kind:
        case PowerKind.DOPPELGANGER if all(option.dice != chosen for option in game.set_asides()):
            raise IllegalActionError.say(
                "{dice} cannot be kept under {rules} rules",
                dice=kept_text(game, chosen),
                rules=game.rules.name,
            )
        case PowerKind.TRANSMUTATION if len(chosen) > 1:
            raise IllegalActionError.say("{badge} turns one die", badge=_called(game, seat))
        case PowerKind.TRANSMUTATION if not side.can_turn(roll, game.turn.state, chosen):
            raise IllegalActionError.say("nothing would score then: turn another die")
        case PowerKind.REROLL if not side.may_reroll(chosen):
            called = _called(game, seat)
            raise IllegalActionError(
                say("{badge} rerolls two dice that show the same face", badge=called)
                if power.alike
                else say_number(
                    "{badge} rolls at most [one die|{number} dice] again",
                    power.amount,
                    badge=called,
                )
            )
    return sorted(map(side.dice.type_of, dice)) if power.kind is PowerKind.REROLL else []


def use(game: Game, seat: int, dice: Roll = (), fallen: Roll = ()) -> list[Used]:
    """Use the badge; `fallen` is what fell by it. Raises IllegalActionError."""
    types = check_use(game, seat, dice)
    if len(fallen) != len(types):
        raise IllegalActionError(
            say_number(
                "that rolls [one die|{number} dice], not {told}", len(types), told=len(fallen)
            )
        )
    if not game.side.can_fall(types, fallen):
        raise IllegalActionError.say("the dice to roll now cannot show that")
    return [Used(dice=make_roll(dice), fallen=fallen)]


def accept(game: Game, seat: int) -> list[Accepted]:
    """Take the farkle on the table, and keep the badge. Raises IllegalActionError."""
    check_turn(game, seat)
    if not (game.is_farkle or game.is_lost):
        raise IllegalActionError.say("there is no farkle that a badge could undo")
    return [Accepted()]


def used_roll(game: Game, event: Used) -> Roll:
    """The roll that lies on the table after a use by which dice fell."""
    kept = without(game.turn.roll or (), event.dice) if event.dice else ()
    return (*kept, *event.fallen)


def throws(first: Begun, events: Iterable[Event]) -> Iterator[tuple[Game, list[int], Roll]]:
    """Every throw of a game: the game before it, the types of its dice, and what fell."""
    for game, event, _ in steps(begin(first), events):
        if isinstance(event, Rolled):
            yield game, list(game.side.thrown(game.turn.dice)), event.dice
        elif isinstance(event, Used) and event.fallen:
            yield game, check_use(game, game.mover, event.dice), event.fallen


def farkle_text(game: Game) -> str:
    """What can be done with a farkle that lies on the table."""
    if game.power and game.power.kind in TAKES_DICE:
        return say("nothing scores: /use DICE uses the badge, /use no takes the farkle")
    return say("nothing scores: /use uses the badge, /use no takes the farkle")


def _usable(game: Game, seat: int) -> tuple[Hand, Power]:
    """The side of the player to move and what its badge allows, where that may be used now."""
    check_turn(game, seat)
    check_opponent(game)
    side = game.side
    if side.power is None:
        raise IllegalActionError(_no_badge(game, seat))
    called = _called(game, seat)
    if not game.seats[seat].uses:
        raise IllegalActionError.say("{badge} is used up", badge=called)
    power = game.power
    if power is None:
        raise IllegalActionError.say(
            "{badge} can be used only once in a turn, and you have used it", badge=called
        )
    if not game.may_use:
        raise IllegalActionError(_why_not(game, power, called))
    return side, power


def _called(game: Game, seat: int) -> str:
    badge = game.kits[seat].badge
    return badge.badge.called if badge else ""


def _no_badge(game: Game, seat: int) -> str:
    """Why there is nothing to use."""
    badge = game.kit_of(seat).badge
    if badge is None:
        return say(
            "you have no badge in this game: /play my-dice:SET my-badge:BADGE begins a game with"
            " one"
        )
    if badges_of(game.kits)[seat] is None:
        return say(
            "{badge} does nothing in this game: Defence cancels it", badge=badge.badge.called
        )
    return say("{badge} acts by itself and is not used up", badge=badge.badge.called)


def _why_not(game: Game, power: Power, called: str) -> str:
    """Why a badge cannot be used now."""
    turn = game.turn
    if turn.roll is not None and power.kind in {PowerKind.WARLORD, PowerKind.MIGHT}:
        return say("set dice aside first, and then use {badge}", badge=called)
    if power.kind is PowerKind.WARLORD and (power.at_start or turn.turn_total):
        return _why_not_raised(game, power, called)
    if turn.is_changed:
        return say("{badge} has changed this roll already", badge=called)
    if turn.roll is not None and power.kind in TAKES_DICE:
        return say("{badge} can do nothing with this roll", badge=called)
    return say(_WHEN[power.kind], badge=called)


def _why_not_raised(game: Game, power: Power, called: str) -> str:
    """Why a badge cannot raise the points of the turn under way."""
    seat, points = game.seats[game.mover], power.more(game.turn.turn_total)
    if power.at_start:
        return say("say that you use {badge} before the first roll of a turn", badge=called)
    if game.is_barred(seat, points):
        return barred_text(game, seat.score + points)
    return say("{badge} is used to bank, and these points may not be banked yet", badge=called)


def thrown_places(game: Game, types: list[int]) -> list[int]:
    """Which dice of the set of the player to move are those of some types, in ascending order.

    They are the first ones of each type; a die that a badge adds stands behind the whole set.
    """
    counts = [*game.dice.counts, 1]
    return [sum(counts[:k]) + number for k, dice in groupby(types) for number, _ in enumerate(dice)]


def faces_of(types: list[int], faces: tuple[int, ...]) -> Roll:
    """Dice of these types that show these faces, as a roll in its order."""
    return tuple(len(FACES) * k + face for k, face in zip(types, faces, strict=True))
