"""Seasons, by which who wins most begins anew: the quarters of a year, in UTC."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Self

from solver.errors import InvalidRequestError
from solver.wording import say, say_later

NOW, LAST, ALL = say_later("now"), say_later("last"), say_later("all")
"""What can be typed for the season under way, the one before it, and all time."""
_TYPED = re.compile(r"(\d{4})-?q?([1-4])", re.IGNORECASE)
_MONTHS = 3


@dataclass(frozen=True, slots=True)
class Season:
    """A quarter of a year."""

    year: int
    quarter: int
    """1 to 4."""

    @classmethod
    def of(cls, moment: datetime) -> Self:
        """The one in which a moment is."""
        day = moment.astimezone(UTC)
        return cls(day.year, (day.month - 1) // _MONTHS + 1)

    @property
    def before(self) -> "Season":
        """The one before it."""
        return Season.of(self.begins - timedelta(days=1))

    @property
    def begins(self) -> datetime:
        """Its first moment."""
        return datetime(self.year, (self.quarter - 1) * _MONTHS + 1, 1, tzinfo=UTC)

    @property
    def ends(self) -> datetime:
        """The first moment after it."""
        return Season(self.year + self.quarter // 4, self.quarter % 4 + 1).begins

    @property
    def name(self) -> str:
        """As it is typed and shown."""
        return f"{self.year}-Q{self.quarter}"


def read_season(text: str, now: datetime) -> Season | None:
    """A season as typed, None for all time. Raises InvalidRequestError."""
    word = text.strip().lower()
    if word in {ALL, say(ALL).lower()}:
        return None
    if word in {NOW, say(NOW).lower()}:
        return Season.of(now)
    if word in {LAST, say(LAST).lower()}:
        return Season.of(now).before
    found = _TYPED.fullmatch(word)
    if found and 1 < int(found[1]) < datetime.max.year:
        return Season(int(found[1]), int(found[2]))
    raise InvalidRequestError.say(
        'season: takes now, last, all or a quarter such as {example}, not "{text}"',
        example=Season.of(now).name,
        text=text,
    )
