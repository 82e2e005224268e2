"""What the store refuses, each in one sentence."""

from solver.errors import FarkleError


class StoreError(FarkleError):
    """The database cannot be opened, read or written."""


class StaleVersionError(StoreError):
    """The game has gone on, or ended, since it was read."""


class MissingGameError(StoreError):
    """No game has this id."""


class GameRunningError(FarkleError):
    """The place has as many open games as it may."""
