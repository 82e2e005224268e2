"""Settings from the environment, read once at start."""

from pathlib import Path
from typing import Any, Literal, TypeVar
from urllib.parse import urlsplit

from platformdirs import user_data_path
from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from bot.languages import find_code, language_codes
from solver.errors import InvalidRequestError
from solver.wording import ENGLISH

CHECKOUT = Path(__file__).resolve().parents[1]


def _default_data() -> Path:
    """data/ of the checkout that this code runs from, else the user's data directory."""
    if (CHECKOUT / "pyproject.toml").is_file():
        return CHECKOUT / "data"
    return user_data_path("farkle-advisor")


def _default_database_url(settings: dict[str, Any]) -> str:
    return f"sqlite:///{settings['data'] / 'farkle.db'}"


S = TypeVar("S", bound=BaseSettings)


def read_settings(kind: type[S]) -> S:
    """Read settings from the environment. Raises InvalidRequestError."""
    try:
        return kind()
    except ValidationError as error:
        [first, *_] = error.errors()
        name = f"{kind.model_config.get('env_prefix') or ''}{first['loc'][0]}".upper()
        reason = first["msg"].removeprefix("Value error, ")
        raise InvalidRequestError(f"{name} is not usable: {reason}") from None


class Settings(BaseSettings):
    """FARKLE_DATA is the folder of all that is made: strategy files, compiled code, history, games.

    FARKLE_DATABASE_URL puts the games elsewhere, FARKLE_LANGUAGE is what the console speaks, and
    FARKLE_ABANDONED_HOURS says when games end in which nobody moves. The rest says how much of the
    machine people may have.
    """

    model_config = SettingsConfigDict(env_prefix="FARKLE_", env_ignore_empty=True, frozen=True)

    data: Path = Field(default_factory=_default_data)
    database_url: str = Field(default_factory=_default_database_url)
    """Where games are kept; a file in SQLAlchemy's notation."""
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
    """Of computing, that a task other than a solve may take."""
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
            raise ValueError(f'it is one of {", ".join(language_codes())}, not "{locale}"')
        return code

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


class DiscordSettings(BaseSettings):
    """What the Discord front needs beside the rest."""

    model_config = SettingsConfigDict(env_ignore_empty=True, frozen=True, hide_input_in_errors=True)

    discord_token: SecretStr | None = None
    discord_token_file: Path | None = None
    """A file that holds the token, as container platforms mount secrets."""
    farkle_discord_api: str | None = None
    """Where Discord's HTTP API is, if not at Discord, as in http://proxy/api/v10."""
    farkle_discord_gateway: str | None = None
    """Where the gateway is, if not at Discord, as in ws://proxy."""
    farkle_pace: float = Field(default=1.2, ge=0, le=60)
    """Seconds that a bot takes for a move."""
    farkle_patience: float = Field(default=1.5, gt=0)
    """Seconds that a move waits for an estimate or a chart; Discord waits for three."""
    farkle_late: float = Field(default=0.15, gt=0)
    """Seconds that moves wait on average where the bot begins to leave out what matters less."""
    farkle_log: Literal["debug", "info", "warning", "error"] = "info"

    @field_validator("farkle_log", mode="before")
    @classmethod
    def _lower(cls, level: object) -> object:
        return level.lower() if isinstance(level, str) else level

    @field_validator("farkle_discord_api", "farkle_discord_gateway")
    @classmethod
    def _is_address(cls, address: str | None) -> str | None:
        if address is not None and not urlsplit(address).netloc:
            raise ValueError("it has to be a whole address, such as http://localhost:8080/api/v10")
        return address and address.rstrip("/")

    def token(self) -> str:
        """The bot's token. Raises InvalidRequestError where there is none."""
        if self.discord_token is not None and self.discord_token_file is not None:
            raise InvalidRequestError("give DISCORD_TOKEN or DISCORD_TOKEN_FILE, not both")
        if self.discord_token is not None:
            return _usable(self.discord_token.get_secret_value().strip())
        if self.discord_token_file is None:
            raise InvalidRequestError(
                "no token is given: set DISCORD_TOKEN, or DISCORD_TOKEN_FILE to a file that holds"
                " it; the README says how to get one"
            )
        try:
            token = self.discord_token_file.read_text("utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "it is no text"
            raise InvalidRequestError(
                f"the token file {self.discord_token_file} cannot be read: {reason}"
            ) from None
        if not token:
            raise InvalidRequestError(f"the token file {self.discord_token_file} is empty")
        return _usable(token)


def _usable(token: str) -> str:
    """The token if it can be sent at all. Raises InvalidRequestError."""
    if not token.isascii() or any(letter.isspace() for letter in token):
        raise InvalidRequestError("the token has letters or blanks that no token of Discord has")
    return token
