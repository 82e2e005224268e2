"""Whose turn it is, and how two players take their dice by turns before the first roll."""

from bot.table.events import Picked
from bot.table.state import Game
from solver.errors import IllegalActionError
from solver.named.sets import NamedDie, read_die


def pick(game: Game, seat: int, place: int) -> list[Picked]:
    """Take a pair of dice that is laid out."""
    _check_drafting(game)
    check_opponent(game)
    _check_mover(game, seat)
    if place not in dict(laid_out(game)):
        raise _not_there(game)
    return [Picked(place=place)]


def place_of(game: Game, typed: str) -> int:
    """Where in the pool a die lies that is named.

    Raises InvalidDiceError, and IllegalActionError for one that is not there.
    """
    _check_drafting(game)
    if not typed.strip():
        raise IllegalActionError.say("say which pair to take: {pairs}", pairs=_left(game))
    die = read_die(typed).die
    for place, laid in laid_out(game):
        if laid.die == die:
            return place
    raise _not_there(game)


def laid_out(game: Game) -> list[tuple[int, NamedDie]]:
    """The pairs that nobody has taken yet, each with its place."""
    return [(place, die) for place, die in enumerate(game.pool) if place not in game.picks]


def check_drafted(game: Game) -> None:
    """Raises IllegalActionError while dice are taken."""
    if game.is_drafting:
        raise IllegalActionError.say(
            "the dice are still being taken: /pick takes a pair of {pairs}", pairs=_left(game)
        )


def check_opponent(game: Game) -> None:
    """Raises IllegalActionError while one player sits alone."""
    if len(game.seats) < 2:
        raise IllegalActionError.say("a game needs two players: somebody has to join first")


def check_goes_on(game: Game) -> None:
    """Raises IllegalActionError once a game is over."""
    if game.over:
        raise IllegalActionError.say("the game is over: /play begins another")


def check_turn(game: Game, seat: int) -> None:
    """Raises IllegalActionError unless a player is to move with dice that are all taken."""
    check_goes_on(game)
    check_drafted(game)
    _check_mover(game, seat)


def _check_mover(game: Game, seat: int) -> None:
    if seat != game.mover:
        raise IllegalActionError.say("it is not your turn")


def _check_drafting(game: Game) -> None:
    if not game.is_drafting:
        raise IllegalActionError.say(
            "no dice are laid out in this game: /play draft:choose begins one where players choose"
        )


def _not_there(game: Game) -> IllegalActionError:
    return IllegalActionError.say(
        "that pair is not among those that are left: {pairs}", pairs=_left(game)
    )


def _left(game: Game) -> str:
    return ", ".join(die.typed for _, die in laid_out(game))
