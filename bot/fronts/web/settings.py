"""Settings of the web front, read from the environment with the rest."""

from urllib.parse import urlsplit

from pydantic import Field, field_validator

from bot.settings import FromEnvironment
from solver.wording import say

MOST_RATE = 100_000.0
"""Requests a second that nobody sends."""


class WebSettings(FromEnvironment):
    """What the web front needs beside the rest."""

    prefix = "FARKLE_WEB_"

    socket: str | None = None
    """The path of a socket that is listened at instead, for a proxy on this machine, which says
    from where somebody asks as that before `address` does."""
    host: str = "127.0.0.1"
    """The address of this machine that is listened at."""
    port: int = Field(default=8000, ge=0, le=65_535)
    """The port that is listened at, with 0 any that is free."""
    address: str | None = None
    """Where people find the pages, if a proxy is before them, as in https://farkle.example.

    Then that proxy says, as the last of X-Forwarded-For, from where somebody asks.
    """
    processes: int = Field(default=0, ge=0, le=64)
    """Processes that answer questions beside the one that has the games; 0 for none."""
    rate: float = Field(default=20.0, gt=0, le=MOST_RATE)
    """Requests a second that are answered to one address, after a first rush of ten seconds'."""

    @field_validator("address")
    @classmethod
    def _is_address(cls, address: str | None) -> str | None:
        parts = urlsplit(address or "")
        if address and (parts.scheme not in {"http", "https"} or not parts.netloc or parts.path):
            example = "https://farkle.example"
            raise ValueError(
                say("it has to be a complete address, such as {example}", example=example)
            )
        return address
