"""Settings from the environment, read once at start."""

import os
import re
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from bot.languages import best_language, find_code, language_codes
from solver.errors import InvalidRequestError
from solver.wording import ENGLISH, said_in, say, say_later

CHECKOUT = Path(__file__).resolve().parents[1]

_ADDRESS = re.compile(r"(?:(?:\[[^\[\]]+\]|[^:\[\]]*):)?([0-9]{1,5})")
"""A port, or a host and a port; a host with colons of its own stands in brackets."""


def _default_data() -> Path:
    """data/ of the checkout that this code runs from, else the user's data directory."""
    if (CHECKOUT / "pyproject.toml").is_file():
        return CHECKOUT / "data"
    from platformdirs import user_data_path  # noqa: PLC0415 - 3 ms, of what is installed

    return user_data_path("farkle-advisor")


class FromEnvironment(BaseModel):
    """A model that reads the fields that are not given from environment variables with a text."""

    # pydantic-settings does the same, but its import takes a sixth of the time of `farkle advise`
    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True, defer_build=True)

    prefix: ClassVar[str] = ""
    """The beginning of the names of variables; small and capital letters are the same."""

    @model_validator(mode="before")
    @classmethod
    def _read(cls, given: dict[str, Any]) -> dict[str, Any]:
        environment = {name.lower(): value for name, value in os.environ.items()}
        texts = {key: environment.get(f"{cls.prefix}{key}".lower()) for key in cls.model_fields}
        return {key: text for key, text in texts.items() if text} | given


S = TypeVar("S", bound=FromEnvironment)


def read_settings(kind: type[S]) -> S:
    """Read settings from the environment.

    Raises InvalidRequestError, in the language that the environment names.
    """
    return said_in(best_language(os.environ.get("FARKLE_LANGUAGE", "")), _read, kind)


def _read(kind: type[S]) -> S:
    try:
        return kind()
    except ValidationError as error:
        [first, *_] = error.errors()
        key = str(first["loc"][0])
        raise InvalidRequestError.say(
            "{setting} cannot be used: {reason}",
            setting=f"{kind.prefix}{key}".upper(),
            reason=_reason(kind.model_fields[key], first),
        ) from None


_NUMBERS = {
    "int_parsing": say_later('it takes a whole number {range}, not "{value}"'),
    "float_parsing": say_later('it takes a number {range}, not "{value}"'),
    "finite_number": say_later('it takes a number {range}, not "{value}"'),
}
_BEYOND = {"greater_than", "greater_than_equal", "less_than_equal"}


def _reason(field: FieldInfo, error: ErrorDetails) -> str:
    """The part of a message that says what a setting accepts, and what it was instead."""
    kind, value = error["type"], str(error["input"])[:40]
    if kind == "literal_error":
        known = error["ctx"]["expected"].replace("'", "").replace(" or ", ", ")
        return say('it takes one of {known}, not "{value}"', known=known, value=value)
    if kind in _NUMBERS:
        return say(_NUMBERS[kind], range=_range(field), value=value)
    if kind in _BEYOND:
        return say("it takes a number {range}, not {value}", range=_range(field), value=value)
    return error["msg"].removeprefix("Value error, ")


def _range(field: FieldInfo) -> str:
    """The range of the numbers that a setting may be; all have a least one."""
    bounds = {
        name: getattr(bound, name)
        for bound in field.metadata
        for name in ("ge", "gt", "le")
        if hasattr(bound, name)
    }
    if "gt" in bounds:
        return say("above {least:,}", least=bounds["gt"])
    if "le" not in bounds:
        return say("of at least {least:,}", least=bounds["ge"])
    return say("from {least:,} to {most:,}", least=bounds["ge"], most=bounds["le"])


class Settings(FromEnvironment, defer_build=False):
    """The settings of the program, each from the variable FARKLE_ and its name in capitals.

    The first of them are places and languages, the last limits on what people may take of the
    machine.
    """

    prefix = "FARKLE_"

    data: Path = Field(default_factory=_default_data)
    """The folder of all that is made: strategy files, compiled code, history, games."""
    database_url: str = Field(
        default_factory=lambda data: f"sqlite:///{data['data'] / 'farkle.db'}"
    )
    """The database of the games, as a URL of SQLAlchemy."""
    backups: Path = Field(default_factory=lambda data: data["data"] / "backups")
    """The folder of copies of the database; better on another disk."""
    backup_days: int = Field(default=7, ge=0, le=10_000)
    """The number of days whose copies the running bot keeps; 0 for no copies."""
    http: str | None = None
    """The address at which a running bot reports its health: a port here, or HOST:PORT."""
    language: str = ENGLISH.code
    """The language of the console, as a locale; in Discord everybody has their own."""

    abandoned_hours: int = Field(default=24, ge=1, le=10_000)
    """The hours without a move after which a game ends by itself, without a result."""
    workers: int | None = Field(default=None, ge=0, le=64)
    """The number of processes for long computations; one less than the processors if None.

    With 0 the program itself computes, which takes less memory and cannot be stopped."""
    worker_memory: int = Field(default=2048, ge=512)
    """MiB of address space that each of these processes may use."""
    person_tasks: int = Field(default=4, ge=1)
    """Tasks, such as matches and solves, that one person may have at a time."""
    place_tasks: int = Field(default=12, ge=1)
    """Tasks that all people in one place may have at a time."""
    task_seconds: float = Field(default=120.0, gt=0)
    """Seconds that a task other than a solve may compute."""
    solve_seconds: float = Field(default=300.0, gt=0)
    """Seconds that a solve may take; one with a longer estimate does not begin."""
    needed_seconds: float = Field(default=20.0, ge=0)
    """Estimated seconds of a solve for which a question or a game waits; 0 for no wait.

    The estimate includes compiling the turn of the rules, and not what is compiled once."""
    matchup_memory: int = Field(default=256, ge=16)
    """MiB of disk that solved match-ups of loaded dice may take together."""

    @field_validator("language")
    @classmethod
    def _is_known(cls, locale: str) -> str:
        if (code := find_code(locale)) is None:
            known = ", ".join(language_codes())
            raise ValueError(
                say('it takes one of {known}, not "{value}"', known=known, value=locale)
            )
        return code

    @field_validator("http")
    @classmethod
    def _is_address(cls, address: str | None) -> str | None:
        if address is not None and not (
            (parts := _ADDRESS.fullmatch(address)) and 0 < int(parts[1]) < 65536
        ):
            raise ValueError(
                say(
                    'it takes a port such as 8080, or an address such as {example}, not "{value}"',
                    example="0.0.0.0:8080",
                    value=address,
                )
            )
        return address

    @property
    def http_address(self) -> tuple[str, int] | None:
        """The host and the port of `http`."""
        if self.http is None:
            return None
        host, _, port = self.http.rpartition(":")
        return host.strip("[]") or "127.0.0.1", int(port)

    @property
    def strategies(self) -> Path:
        """The folder of strategy files."""
        return self.data / "strategies"

    @property
    def matchups(self) -> Path:
        """The folder of solved match-ups of loaded dice; safe to delete."""
        return self.data / "matchups"

    @property
    def kernels(self) -> Path:
        """The folder of compiled code; safe to delete."""
        return self.data / "kernels"

    @property
    def history(self) -> Path:
        """The file of the lines typed in the console."""
        return self.data / "history"

    @property
    def log(self) -> Path:
        """The file of internal errors; those of the Discord bot go to standard error instead."""
        return self.data / "farkle.log"
