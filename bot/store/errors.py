"""What the store refuses, each in one sentence."""

from solver.errors import FarkleError
from solver.wording import say, say_number


class StoreError(FarkleError):
    """The database cannot be opened, read or written."""


class StaleVersionError(StoreError):
    """The game has gone on, or ended, since it was read."""


class DoneElsewhereError(StoreError):
    """Another program that heard of it, too, has done what was asked for."""


class MissingGameError(StoreError):
    """No game has this id."""


class DamagedGameError(StoreError):
    """What is stored of a game is not what the program wrote, so nobody can tell how it stands."""

    def __init__(self, game: str, reason: str) -> None:
        """The game by its id, and what is wrong in plain words."""
        sentence = say(
            "Game {game} is damaged and was set aside ({reason}); nothing of it is deleted, and"
            " the host can look at it and put it right",
            game=game,
            reason=reason,
        )
        super().__init__(sentence)
        self.game = game
        self.reason = reason


class GameRunningError(FarkleError):
    """The place has as many open games as it may."""

    @classmethod
    def of(cls, most_open: int) -> "GameRunningError":
        """The error of a place that may have so many."""
        return cls(
            say_number(
                "a game is running here already: finish it, or /end it",
                "{number} games are running here already, which is the most allowed: /end one",
                most_open,
            )
        )
