"""Who is away, and at which tables nobody moves any more: what time lets others do."""

import math
from datetime import datetime, timedelta

from bot.services.tables import Caller, Table
from bot.tasks.tasks import duration
from solver.errors import IllegalActionError
from solver.wording import say

AWAY_SECONDS = 300
"""Seconds without a move after which a player counts as away, unless the host says otherwise."""
IDLE_SECONDS = 3600
"""Seconds after which a game with real dice is idle, of which only whole turns may be told."""


class NotAwayError(IllegalActionError):
    """The player to move has time left."""

    def __init__(self, name: str, seconds: int) -> None:
        super().__init__(
            say("wait a little: {name} still has {time} to move", name=name, time=duration(seconds))
        )
        self.seconds = seconds


def check_away(caller: Caller, table: Table, now: datetime) -> None:
    """Raises IllegalActionError unless the caller may act for the player to move.

    That is a NotAwayError where it is only too early.
    """
    game = table.game
    if game.tracked:
        # whoever keeps the score may say what becomes of a turn, and take it back
        table.check_may_track(caller)
        return
    if not table.plays(caller) and not caller.manages:
        raise IllegalActionError.say("only those who play here can do that")
    if game.seats[game.mover].level is not None:
        raise IllegalActionError.say("it is a bot's turn, which is never away")
    if table.seat_of(caller.person) == game.mover:
        raise IllegalActionError.say("it is your own turn")
    if left := _seconds_left(table, now, AWAY_SECONDS):
        raise NotAwayError(table.names[game.mover], left)


def check_end(caller: Caller, table: Table, now: datetime) -> None:
    """Raises IllegalActionError unless the caller may end a game without a result.

    That is who plays or manages the place, and anybody once the table is idle; a game of a
    tournament nobody takes back who might lose it.
    """
    if table.game.closed and not caller.manages:
        raise IllegalActionError.say(
            "this game belongs to a tournament: only those who manage this place can end it"
            " without a result"
        )
    if not table.has_say(caller) and not is_idle(table, now):
        raise IllegalActionError.say(
            "only those who play, or who manage this place, can end the game"
        )


def is_idle(table: Table, now: datetime) -> bool:
    """Whether nobody has moved for so long that anybody may put the game away."""
    usual = IDLE_SECONDS if table.game.tracked else AWAY_SECONDS
    return not _seconds_left(table, now, usual)


def _seconds_left(table: Table, now: datetime, usual: int) -> int:
    """Seconds until nobody has moved for as long as the host said, else for the usual time."""
    seconds = table.game.away_seconds
    left = table.moved_at + timedelta(seconds=usual if seconds is None else seconds) - now
    return max(0, math.ceil(left.total_seconds()))
