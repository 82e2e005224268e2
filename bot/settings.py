"""Settings from the environment, read once at start."""

import os
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from platformdirs import user_data_path
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from bot.languages import best_language, find_code, language_codes
from solver.errors import InvalidRequestError
from solver.wording import ENGLISH, said_in, say, say_later

CHECKOUT = Path(__file__).resolve().parents[1]


def _default_data() -> Path:
    """data/ of the checkout that this code runs from, else the user's data directory."""
    if (CHECKOUT / "pyproject.toml").is_file():
        return CHECKOUT / "data"
    return user_data_path("farkle-advisor")


class FromEnvironment(BaseModel):
    """What is not given is read from the environment, where a variable without text is none."""

    # which pydantic-settings does as well, in a sixth of the time that `farkle advise` has
    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True)

    prefix: ClassVar[str] = ""
    """What the names of variables begin with; their letters may be small or capital."""

    @model_validator(mode="before")
    @classmethod
    def _read(cls, given: dict[str, Any]) -> dict[str, Any]:
        environment = {name.lower(): value for name, value in os.environ.items()}
        found = {key: environment.get(f"{cls.prefix}{key}".lower()) for key in cls.model_fields}
        return {key: value for key, value in found.items() if value} | given


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
    """What is wrong with a setting, and what is accepted."""
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
    """The numbers that a setting may be; all have a least one."""
    bounds = {
        name: getattr(one, name)
        for one in field.metadata
        for name in ("ge", "gt", "le")
        if hasattr(one, name)
    }
    if "gt" in bounds:
        return say("above {least:,}", least=bounds["gt"])
    if "le" not in bounds:
        return say("of at least {least:,}", least=bounds["ge"])
    return say("from {least:,} to {most:,}", least=bounds["ge"], most=bounds["le"])


class Settings(FromEnvironment):
    """FARKLE_DATA is the folder of all that is made: strategy files, compiled code, history, games.

    FARKLE_DATABASE_URL puts the games elsewhere, FARKLE_LANGUAGE is what the console speaks, and
    FARKLE_ABANDONED_HOURS says when games end in which nobody moves. The rest says how much of the
    machine people may have.
    """

    prefix = "FARKLE_"

    data: Path = Field(default_factory=_default_data)
    database_url: str = Field(
        default_factory=lambda data: f"sqlite:///{data['data'] / 'farkle.db'}"
    )
    """Where games are kept; a file in SQLAlchemy's notation."""
    backups: Path = Field(default_factory=lambda given: given["data"] / "backups")
    """The folder of copies of the database; better on another disk."""
    backup_days: int = Field(default=7, ge=0, le=10_000)
    """The number of days of which the running bot keeps a copy; 0 for none."""
    http: str | None = None
    """Where a running bot tells how it is, as a port of this machine alone or as HOST:PORT."""
    language: str = ENGLISH.code
    """The language of the console, by its locale; in Discord everybody has one of their own."""

    abandoned_hours: int = Field(default=24, ge=1, le=10_000)
    """After how many hours without a move a game ends by itself, without a result."""
    workers: int | None = Field(default=None, ge=0, le=64)
    """Processes that compute what takes long; one less than there are processors if not given.

    With 0 the program computes by itself, which takes less memory and cannot be stopped."""
    worker_memory: int = Field(default=2048, ge=512)
    """MiB of addresses that each of them may use."""
    person_tasks: int = Field(default=4, ge=1)
    """Tasks, such as matches and solves, that one person may have at a time."""
    place_tasks: int = Field(default=12, ge=1)
    """Tasks that a place may have."""
    task_seconds: float = Field(default=120.0, gt=0)
    """The seconds of computing that a task other than a solve may take."""
    solve_seconds: float = Field(default=300.0, gt=0)
    """That a solve may take, as it is estimated and as it is."""
    needed_seconds: float = Field(default=20.0, ge=0)
    """That a solve may take, as it is estimated, for which a question or a game waits; 0 for none.

    With compiling: what was compiled before is solved in a fraction of it."""
    matchup_memory: int = Field(default=256, ge=16)
    """MiB of disk that solved match-ups of loaded dice may take."""

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
        if address is not None:
            port = address.rpartition(":")[2]
            if not (port.isascii() and port.isdigit() and 0 < int(port) < 65536):
                raise ValueError(
                    say(
                        "it takes a port such as 8080, or an address such as {example}, not"
                        ' "{value}"',
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
        """Where strategy files are kept."""
        return self.data / "strategies"

    @property
    def matchups(self) -> Path:
        """Where solved match-ups of loaded dice are kept; safe to delete."""
        return self.data / "matchups"

    @property
    def kernels(self) -> Path:
        """Where compiled code is kept; safe to delete."""
        return self.data / "kernels"

    @property
    def history(self) -> Path:
        """Lines typed in the console."""
        return self.data / "history"

    @property
    def log(self) -> Path:
        """What failed inside, but for the Discord bot's, which is on standard error."""
        return self.data / "farkle.log"
