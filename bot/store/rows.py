"""What the store takes and gives: games apart from their events, events, seats and results."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class SeatRow:
    """Who plays: a person, or a bot of some level."""

    number: int
    person: str | None
    name: str
    level: str | None


@dataclass(frozen=True, slots=True)
class NewEvent:
    """What happened, before it is stored; `data` is JSON."""

    kind: str
    data: dict[str, Any]


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """What happened; versions of a game count from 1 without gaps, `at` is in UTC."""

    version: int
    at: datetime
    kind: str
    data: dict[str, Any]


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
