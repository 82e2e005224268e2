"""Settings from the environment, read once at start."""

from pathlib import Path
from typing import Any

from platformdirs import user_data_path
from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict

CHECKOUT = Path(__file__).resolve().parents[1]


def _default_data() -> Path:
    """data/ of the checkout that this code runs from, else the user's data directory."""
    if (CHECKOUT / "pyproject.toml").is_file():
        return CHECKOUT / "data"
    return user_data_path("farkle-advisor")


def _default_database_url(settings: dict[str, Any]) -> str:
    return f"sqlite+aiosqlite:///{settings['data'] / 'farkle.db'}"


class Settings(BaseSettings):
    """FARKLE_DATA is the folder of all that is made: strategy files, compiled code, history, games.

    FARKLE_DATABASE_URL puts the games elsewhere.
    """

    model_config = SettingsConfigDict(env_prefix="FARKLE_", env_ignore_empty=True, frozen=True)

    data: Path = Field(default_factory=_default_data)
    database_url: str = Field(default_factory=_default_database_url)
    """Where games are kept; a file in SQLAlchemy's notation."""

    @property
    def strategies(self) -> Path:
        """Where strategy files are kept."""
        return self.data / "strategies"

    @property
    def kernels(self) -> Path:
        """Where compiled code is kept; safe to delete."""
        return self.data / "kernels"

    @property
    def history(self) -> Path:
        """Lines typed in the console."""
        return self.data / "history"
