"""Whether what is stored of a game fits together: its row, seats and results with its events."""

from bot.store.errors import DamagedGameError
from bot.store.rows import GameRecord, GameResult
from bot.table import fair_dice
from bot.table.events import Begun, Event
from bot.table.replay import ImpossibleEventError, replay
from bot.table.state import Game
from solver.errors import FarkleError
from solver.wording import say


def replayed(record: GameRecord, *, dice: bool = False) -> tuple[Begun, tuple[Event, ...], Game]:
    """How a game began, what happened then and how it stands.

    dice : whether the dice are rolled again, too

    Raises DamagedGameError for what cannot be so.
    """
    stored, secret = record.game, record.secret
    try:
        begun, others, game = replay(
            [(one.kind, one.data) for one in record.events], secret if dice else None
        )
    except ImpossibleEventError as error:
        raise DamagedGameError(stored.id, str(error)) from None
    if reason := _contradiction(record, begun, game):
        raise DamagedGameError(stored.id, reason)
    return begun, others, game


def _contradiction(record: GameRecord, begun: Begun, game: Game) -> str:
    """How a game's row, seats or results differ from its events; empty where they do not."""
    stored, last = record.game, record.events[-1].at
    ended_at = last if game.over else None
    own = (stored.id, stored.rules_name, stored.began_at, stored.ended_at)
    if own != (game.id, game.rules.name, record.events[0].at, ended_at):
        return say("its row does not fit its events")
    if not _is_secret(record.secret, begun.commitment):
        return say("its secret is not the one that was promised")
    sitting = [(seat.number, seat.level) for seat in stored.seats]
    if sitting != [(number, seat.level) for number, seat in enumerate(game.seats)]:
        return say("its seats do not fit its events")
    if [_end(result) for result in record.results] != _ends(game):
        return say("its results do not fit its events")
    return ""


def _is_secret(secret: bytes | None, promised: str | None) -> bool:
    if secret is None or promised is None:
        return secret is None and promised is None
    try:
        return fair_dice.commitment(secret) == promised
    except FarkleError:
        return False


_End = tuple[int, float, int, int, int, int]


def _end(result: GameResult) -> _End:
    """What the events alone tell of a result."""
    counts = result.points, result.turns, result.farkles, result.biggest_turn
    return result.seat, result.share, *counts


def _ends(game: Game) -> list[_End]:
    if game.shares is None:
        return []
    return [
        (number, game.shares[number], seat.score, seat.turns, seat.farkled, seat.biggest_turn)
        for number, seat in enumerate(game.seats)
    ]
