"""A game played again from what is stored of it: every event has to be one that a command makes."""

from collections.abc import Iterable, Sequence
from typing import Any

from pydantic import ValidationError

from bot.table import badges, commands, events, fair_dice
from bot.table.events import Begun, Event, make_event
from bot.table.fold import apply, begin
from bot.table.state import Game, pick_pair
from solver.errors import FarkleError, IllegalActionError
from solver.wording import say_later


class ImpossibleEventError(FarkleError):
    """What is stored of a game cannot have happened."""


def replay(
    stored: Iterable[tuple[str, dict[str, Any]]], secret: bytes | None = None
) -> tuple[Begun, tuple[Event, ...], Game]:
    """The events of a game, given by kind and data, and the game that they make.

    secret : if given, the dice have to be those that it makes

    Raises ImpossibleEventError for what no commands can have made.
    """
    begun: Begun | None = None
    game: Game | None = None
    others: list[Event] = []
    for number, (kind, data) in enumerate(stored, start=1):
        event = _read(number, kind, data)
        if begun is None or game is None:
            if not isinstance(event, Begun):
                raise ImpossibleEventError.say("event 1 does not begin the game")
            begun, game = event, _begin(event)
            continue
        try:
            _check(game, event, secret)
            game = apply(game, event)  # which raises for what cannot be brought or played with
        except FarkleError as error:
            raise ImpossibleEventError.say(
                "event {number} cannot have happened: {reason}", number=number, reason=str(error)
            ) from None
        others.append(event)
    if begun is None or game is None:
        raise ImpossibleEventError.say("event {number} is missing", number=1)
    return begun, tuple(others), game


def _read(number: int, kind: str, data: dict[str, Any]) -> Event:
    try:
        if "kind" not in data:
            return make_event(kind, data)
    except (ValidationError, FarkleError, TypeError):
        pass
    raise ImpossibleEventError.say("event {number} is not an event of a game", number=number)


def _begin(event: Begun) -> Game:
    seats, secret = len(event.levels), event.commitment is None
    brings = len(event.kits) != 1 and not (event.kits and event.pool)
    most = commands.places(event)
    brings &= most <= commands.MOST_PLAYERS
    if not 1 <= seats <= most or secret != event.tracked or not brings:
        raise ImpossibleEventError.say("event 1 does not begin the game")
    if event.host is not None:
        _check_seat(seats, event.host)
    try:
        return begin(event)
    except FarkleError as error:
        raise ImpossibleEventError.say(
            "event {number} cannot have happened: {reason}", number=1, reason=str(error)
        ) from None


_UNMADE = say_later("nobody can do that now")
_WRONG = {
    events.Begun: say_later("the game has begun already"),
    events.Left: say_later("nobody can get up yet"),
    events.Resigned: say_later("nobody can give up yet"),
    events.Revealed: say_later("this is not the secret of its dice"),
}
"""What is wrong with an event that a command does not make, though it does not refuse it."""


def _check(game: Game, event: Event, secret: bytes | None) -> None:
    """Raises FarkleError unless a command makes the event."""
    if isinstance(
        event, events.Left | events.Seeded | events.Corrected | events.Resigned | events.Replaced
    ):
        _check_seat(len(game.seats), event.seat)
    if event not in _made(game, event):
        raise IllegalActionError.say(_WRONG.get(type(event), _UNMADE))
    fell = None
    if secret is not None and isinstance(event, events.Rolled):
        fell = event.dice == commands.fallen(game, secret)
    if secret is not None and isinstance(event, events.Used):
        types = badges.check_use(game, game.mover, event.dice)
        fell = event.fallen == commands.fallen_of(game, secret, types)
    if fell is False:
        raise IllegalActionError.say("these are not the dice that its secret makes")


def _made(game: Game, event: Event) -> Sequence[Event]:  # noqa: C901, PLR0911, PLR0912 - kinds
    """What the command makes by which an event happens. Raises FarkleError where it is refused."""
    mover = game.mover
    match event:
        case events.Joined():
            return commands.join(game, event.level, event.kit)
        case events.Left():
            return commands.leave(game, event.seat)
        case events.Picked():
            return pick_pair(game, mover, event.place)
        case events.Seeded():
            # which texts may be given is another matter than which were
            commands.seed(game, event.seat, "any")
            return [event]
        case events.Rolled():
            return commands.roll(game, mover, event.dice)
        case events.TookOver():
            return commands.take_over(game, mover)
        case events.Kept():
            return commands.keep(game, mover, event.dice)
        case events.Banked():
            return commands.bank(game, mover)
        case events.Used():
            return badges.use(game, mover, event.dice, event.fallen)
        case events.Accepted():
            return badges.accept(game, mover)
        case events.Scored():
            return commands.score(game, mover, event.points, event.ending.value)  # type: ignore[arg-type]
        case events.Corrected():
            # once a correction could give back what was used in the turn
            changes = {"score": event.score, "farkles": event.farkles, "uses": event.uses}
            start = game.at_turn_start
            return commands.correct(start, event.seat, moves=event.moves, **changes)
        case events.Undone():
            return commands.undo(game, game.before.mover if game.before else None)
        case events.Resigned():
            return commands.resign(game, event.seat)
        case events.Skipped():
            return commands.skip(game)
        case events.Replaced():
            return commands.substitute(game, event.seat, event.level)
        case events.Ended():
            return commands.end(game, event.idle_hours)
        case events.Revealed() if game.over and game.secret is None:
            return [event] if _opens(game, event.secret) else []
    return []


def _check_seat(seats: int, number: int) -> None:
    if number >= seats:
        raise ImpossibleEventError.say("there is no seat {seat}", seat=number)


def _opens(game: Game, secret: str) -> bool:
    try:
        return fair_dice.commitment(bytes.fromhex(secret)) == game.commitment
    except (ValueError, FarkleError):
        return False
