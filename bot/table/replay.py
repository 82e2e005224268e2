"""Replays a game from its stored events, each of which has to be one that a command makes."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from pydantic import ValidationError

from bot.table import badges, commands, events, fair_dice
from bot.table.events import Begun, Event, make_event
from bot.table.fold import apply, begin
from bot.table.state import Game, pick_pair
from solver.errors import FarkleError, IllegalActionError
from solver.wording import say_later


class ImpossibleEventError(FarkleError):
    """The stored events of a game cannot have happened."""


def replay(
    stored: Iterable[tuple[str, dict[str, Any]]], secret: bytes | None = None
) -> tuple[Begun, tuple[Event, ...], Game]:
    """The first event of a game, its other events, and the game that they make.

    stored : the kind and the data of each event
    secret : the secret whose dice the game has to have; None for any dice

    Raises ImpossibleEventError for events that no commands can have made.
    """
    game: Game | None = None
    happened: list[Event] = []
    for number, (kind, data) in enumerate(stored, start=1):
        event = _read(number, kind, data)
        try:
            # it raises for dice, badges and levels that the rules do not allow
            game = _begin(event) if game is None else apply(game, _checked(game, event, secret))
        except ImpossibleEventError:
            raise
        except FarkleError as error:
            raise ImpossibleEventError.say(
                "event {number} cannot have happened: {reason}", number=number, reason=str(error)
            ) from None
        happened.append(event)
    if game is None:
        raise ImpossibleEventError.say("event {number} is missing", number=1)
    begun, *others = happened
    assert isinstance(begun, Begun)  # noqa: S101 - else it would not have begun
    return begun, tuple(others), game


def _read(number: int, kind: str, data: dict[str, Any]) -> Event:
    """The event of some data. Raises ImpossibleEventError, with its number."""
    try:
        return make_event(kind, data)
    except (KeyError, ValidationError, FarkleError, TypeError):
        raise ImpossibleEventError.say(
            "event {number} is not an event of a game", number=number
        ) from None


def _begin(event: Event) -> Game:
    """The game that has just been set up. Raises FarkleError."""
    if not isinstance(event, Begun):
        raise ImpossibleEventError.say("event 1 does not begin the game")
    seats, secret = len(event.levels), event.commitment is None
    brings = len(event.kits) != 1 and not (event.kits and event.pool)
    most = commands.places(event)
    brings &= most <= commands.MOST_PLAYERS
    if not 1 <= seats <= most or secret != event.tracked or not brings:
        raise ImpossibleEventError.say("event 1 does not begin the game")
    if event.host is not None and event.host >= seats:
        raise ImpossibleEventError.say("there is no seat {seat}", seat=event.host)
    return begin(event)


def _opens(game: Game, secret: str) -> bool:
    """Whether a secret in hexadecimal digits is the one that the game, now over, committed to."""
    try:
        commitment = fair_dice.commitment(bytes.fromhex(secret))
    except (ValueError, FarkleError):
        return False
    return commitment == game.commitment and game.over and game.secret is None


_MADE: dict[type[Any], Callable[[Game, Any], Sequence[Event]]] = {
    events.Begun: lambda *_: (),
    events.Joined: lambda game, event: commands.join(game, event.level, event.kit),
    events.Left: lambda game, event: commands.leave(game, event.seat),
    events.Picked: lambda game, event: pick_pair(game, game.mover, event.place),
    # a text that was accepted once counts, whatever texts are accepted today
    events.Seeded: lambda game, event: commands.seed(game, event.seat, "any") and [event],
    events.Rolled: lambda game, event: commands.roll(game, game.mover, event.dice),
    events.TookOver: lambda game, _: commands.take_over(game, game.mover),
    events.Kept: lambda game, event: commands.keep(game, game.mover, event.dice),
    events.Banked: lambda game, _: commands.bank(game, game.mover),
    events.Used: lambda game, event: badges.use(game, game.mover, event.dice, event.fallen),
    events.Accepted: lambda game, _: badges.accept(game, game.mover),
    events.Scored: lambda game, event: commands.score(
        game, game.mover, event.points, event.ending.value
    ),
    # corrections of earlier versions gave back the uses of the turn
    events.Corrected: lambda game, event: commands.correct(game.at_turn_start, event),
    events.Undone: lambda game, _: commands.undo(game, game.before.mover if game.before else None),
    events.Resigned: lambda game, event: commands.resign(game, event.seat),
    events.Skipped: lambda game, _: commands.skip(game),
    events.Replaced: lambda game, event: commands.substitute(game, event.seat, event.level),
    events.Ended: lambda game, event: commands.end(game, event.idle_hours),
    events.Revealed: lambda game, event: [event] if _opens(game, event.secret) else [],
}
"""The events that the command behind an event makes; it raises FarkleError if it is refused."""

_UNMADE = say_later("nobody can do that now")
_WRONG = {
    events.Begun: say_later("the game has begun already"),
    events.Left: say_later("nobody can get up yet"),
    events.Resigned: say_later("nobody can give up yet"),
    events.Revealed: say_later("this is not the secret of its dice"),
}
"""The reasons why an event is impossible that no command makes, though none refuses it either."""


def _checked(game: Game, event: Event, secret: bytes | None) -> Event:
    """The event. Raises FarkleError unless a command makes it."""
    seat = getattr(event, "seat", 0)
    if seat >= len(game.seats):
        raise IllegalActionError.say("there is no seat {seat}", seat=seat)
    if event not in _MADE[type(event)](game, event):
        raise IllegalActionError.say(_WRONG.get(type(event), _UNMADE))
    fell = None
    if secret is not None and isinstance(event, events.Rolled):
        fell = event.dice == commands.fallen(game, secret)
    if secret is not None and isinstance(event, events.Used):
        types = badges.check_use(game, game.mover, event.dice)
        fell = event.fallen == commands.fallen_of(game, secret, types)
    if fell is False:
        raise IllegalActionError.say("these are not the dice that its secret makes")
    return event
