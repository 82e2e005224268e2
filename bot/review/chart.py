"""The course of a game, win probabilities turn by turn, as data."""

from dataclasses import dataclass

from solver.errors import InvalidRequestError


@dataclass(frozen=True, slots=True)
class ChartPoint:
    """How a game stood after one turn; label such as "12"."""

    label: str
    win_probabilities: tuple[float, ...]
    """One for each player."""
    scores: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class GameChart:
    """A game from its start to its end, or to where it is.

    Raises InvalidRequestError unless every point has a probability and a score for each player.
    """

    names: tuple[str, ...]
    turns: tuple[ChartPoint, ...]

    def __post_init__(self) -> None:
        players = len(self.names)
        if players < 2:
            raise InvalidRequestError("a chart needs the names of two players or more")
        for turn in self.turns:
            if len(turn.win_probabilities) != players or len(turn.scores) != players:
                raise InvalidRequestError(
                    f"turn {turn.label} of a chart needs {players} probabilities and scores"
                )
            # written so that it refuses what is no number too
            if not all(0 <= p <= 1 for p in turn.win_probabilities):
                raise InvalidRequestError(
                    f"a win probability in turn {turn.label} of a chart is not between 0 and 1"
                )
