"""What the store takes and gives, as rows, and what it refuses, each in one sentence."""

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

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
                "[a game is|{number} games are] running here already[: finish it, or /end it|,"
                " which is the most allowed: /end one]",
                most_open,
            )
        )


logger = logging.getLogger(__name__)

T = TypeVar("T")


def sound(kind: TypeAdapter[T], rows: Iterable[Mapping[Any, Any]]) -> list[T]:
    """The rows that are of a kind; those that are not are logged and left out."""
    sound_rows = []
    for row in rows:
        try:
            sound_rows.append(kind.validate_python(dict(row)))
        except ValidationError as error:
            logger.warning("a row makes no sense: %s", error.errors(include_input=False))
    return sound_rows


def unsound(kind: TypeAdapter[Any], rows: Sequence[Mapping[Any, Any]]) -> Iterator[str]:
    """What is wrong where some rows are not of a kind."""
    if wrong := len(rows) - len(sound(kind, rows)):
        yield f"{wrong:,} of {len(rows):,} rows make no sense"


def as_dict(value: object) -> dict[str, Any]:
    """JSON that should be an object; an empty one where it is something else."""
    return value if isinstance(value, dict) else {}


@dataclass(frozen=True, slots=True)
class SeatRow:
    """Who plays: a person, or a bot of some level."""

    number: int
    person: str | None
    name: str
    level: str | None


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """What happened; versions of a game count from 1 without gaps, `at` is in UTC."""

    version: int
    at: datetime
    kind: str
    data: dict[str, Any]


Happened = list[tuple[str, dict[str, Any]]]
"""What happened in a game, by kind and data, which is JSON."""


@dataclass(frozen=True, slots=True)
class StoredGame:
    """A game apart from its events; `version` is that of the last one."""

    id: str
    place: str
    rules_name: str
    open: bool
    version: int
    began_at: datetime
    ended_at: datetime | None
    seats: tuple[SeatRow, ...]


@dataclass(frozen=True, slots=True)
class GameResult:
    """How a game ended for one seat; the share is 1 if won, 0.5 if shared by two, else 0."""

    seat: int
    share: float
    points: int
    turns: int
    farkles: int
    biggest_turn: int
    accuracy: float | None
    luck: float | None


@dataclass(frozen=True, slots=True)
class GameRecord:
    """All that is stored of a game."""

    game: StoredGame
    events: tuple[StoredEvent, ...]
    secret: bytes | None
    results: tuple[GameResult, ...]


@dataclass(frozen=True, slots=True)
class SeatReview:
    """What the review of a game found of a seat."""

    seat: int
    decisions: int
    """Decisions that were not forced."""
    loss: float
    """Win probability that they gave away."""
    without_luck: float | None
    """The luck-adjusted result; None for a game without one."""
    spots: dict[str, tuple[int, float]]
    """Decisions and loss by spot."""
    lessons: list[dict[str, Any]]
    """Decisions that cost so much that the best choice is no matter of taste, the worst first: the
    turn of the seat, the question as `bot.review.review` keeps it, and what was chosen."""


@dataclass(frozen=True, slots=True)
class PlayedGame(SeatReview):
    """The review of a seat, with the game that somebody played there."""

    game_id: str
    ended_at: datetime
    share: float | None
    """The share of the win; None for a game without a result."""


@dataclass(frozen=True, slots=True)
class PlaceSettings:
    """What holds in a place."""

    games: int = 1
    """How many games may be open at once."""
    mentions: bool = False
    """Whether the player to move may be called by a mention."""
    posts: bool = False
    """Whether win probabilities are told in a message of their own after every turn."""
    threads: bool = False
    """Whether every game gets a thread."""
    daily: int = -1
    """The hour, in UTC, at which the daily position is posted; -1 for never."""
    daily_language: str = ""
    """The language of the daily position where nothing else is set."""
    tournament_language: str = ""
    """The language of whoever made the last tournament, which is told in it by default."""
    language: str = ""
    """What everybody is answered in; else each person's own, and tables in the server's."""
