"""Who may do what at a table."""

from bot.services.tables import Caller, Person, Table
from bot.table import commands
from solver.errors import IllegalActionError, InvalidRequestError
from solver.wording import say


def seat_named(table: Table, who: Person | str) -> int:
    """The seat of a person, or of the player who is called so. Raises InvalidRequestError."""
    name = who if isinstance(who, str) else who.name
    if isinstance(who, Person) and (found := table.seat_of(who)) is not None:
        return found
    wanted = name.removeprefix("@").casefold()
    seats = [k for k, other in enumerate(table.names) if other.casefold() == wanted]
    # of several who were forgotten the one who still plays
    seats.sort(key=lambda number: not table.game.seats[number].playing)
    if seats:
        return seats[0]
    raise InvalidRequestError(
        say('"{name}" does not play here: {players} do', name=name, players=", ".join(table.names))
    )


def plays(table: Table, caller: Caller) -> bool:
    """Whether the caller has a seat and has not resigned."""
    seat = table.seat_of(caller.person)
    return seat is not None and table.game.seats[seat].playing


def seat_of(table: Table, caller: Caller) -> int:
    """The seat of the caller. Raises IllegalActionError."""
    seat = table.seat_of(caller.person)
    if seat is None:
        raise IllegalActionError(
            say("you do not play in this game: {players} do", players=", ".join(table.names))
        )
    return seat


def mover(table: Table, caller: Caller) -> int:
    """The seat that acts: the caller's, in a tracked game the player's to move.

    Raises IllegalActionError where it is not the caller's turn.
    """
    if table.game.tracked:
        check_may_track(table, caller)
        return table.game.mover
    seat = seat_of(table, caller)
    if not table.game.seats[seat].playing:
        raise IllegalActionError(say("you have resigned from this game"))
    if seat != table.game.mover and not table.game.over:
        raise IllegalActionError(
            say("it is not your turn but {name}'s", name=table.names[table.game.mover])
        )
    return seat


def check_may_track(table: Table, caller: Caller) -> None:
    """Raises IllegalActionError unless the caller may tell what real dice did."""
    commands.check_tracked(table.game)
    if not plays(table, caller) and not caller.manages:
        raise IllegalActionError(
            say("only those who play keep the score: {players}", players=", ".join(table.names))
        )
