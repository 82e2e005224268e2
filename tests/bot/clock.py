"""A clock that stands still until it is moved."""

from datetime import UTC, datetime, timedelta


class Clock:
    """What asks it for the time gets the same answer until it is moved."""

    def __init__(self, at: datetime | None = None) -> None:
        """It stands at a moment, or now."""
        self.at = at or datetime.now(UTC)

    def __call__(self) -> datetime:
        """The time by this clock."""
        return self.at

    def wait(self, time: timedelta = timedelta(), **more: float) -> None:
        """Move it, by a time or by so many `seconds`, `minutes` and so on."""
        self.at += time + timedelta(**more)
