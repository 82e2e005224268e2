"""Settings of the Discord front, read from the environment with the rest."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from pydantic import ConfigDict, Field, SecretStr, field_validator

from bot.settings import FromEnvironment
from solver.errors import InvalidRequestError, system_reason
from solver.wording import say

_KEY = re.compile(r"[0-9a-fA-F]{64}")
_SHARDS = re.compile(r"([0-9]{1,4})-([0-9]{1,4})/([0-9]{1,4})")


@dataclass(frozen=True, slots=True)
class Shards:
    """The parts of the connection with Discord that a program has, of so many."""

    numbers: tuple[int, ...]
    """Each of them."""
    of: int


class DiscordSettings(FromEnvironment):
    """What the Discord front needs beside the rest."""

    model_config = ConfigDict(hide_input_in_errors=True)

    discord_token: SecretStr | None = None
    discord_token_file: Path | None = None
    """A file that holds the token, as container platforms mount secrets."""
    discord_public_key: str | None = None
    """The key by which requests of Discord's are signed, from the application's page.

    As Discord says if not given."""
    farkle_discord_api: str | None = None
    """Where Discord's HTTP API is, if not at Discord, as in http://proxy/api/v10."""
    farkle_discord_gateway: str | None = None
    """Where the gateway is, if not at Discord, as in ws://proxy."""
    farkle_discord_shards: Shards | None = None
    """The shards that this program has, as in 0-4/10; all if not given."""
    farkle_pace: float = Field(default=1.2, ge=0, le=60)
    """Seconds that a bot takes for a move."""
    farkle_patience: float = Field(default=1.5, gt=0)
    """Seconds that a move waits for an estimate or a chart; Discord waits for three."""
    farkle_late: float = Field(default=0.03, gt=0)
    """Seconds that moves wait on average where the bot begins to leave out what matters less."""
    farkle_log: Literal["debug", "info", "warning", "error"] = "info"
    farkle_log_format: Literal["text", "json"] = "text"
    """Whether each record of the log is a line of text, or of JSON for programs."""

    @field_validator("farkle_log", "farkle_log_format", mode="before")
    @classmethod
    def _lower(cls, word: object) -> object:
        return word.lower() if isinstance(word, str) else word

    @field_validator("discord_public_key")
    @classmethod
    def _is_key(cls, key: str | None) -> str | None:
        if key is not None and not _KEY.fullmatch(key):
            raise ValueError(
                say(
                    "it takes the public key of the application as its page tells it, 64 digits and"
                    " letters from a to f"
                )
            )
        return key

    @field_validator("farkle_discord_shards", mode="before")
    @classmethod
    def _are_shards(cls, text: object) -> object:
        if not isinstance(text, str):
            return text
        numbers = _SHARDS.fullmatch(text)
        first, last, number = map(int, numbers.groups()) if numbers else (0, 0, 0)
        if not first <= last < number:
            raise ValueError(
                say(
                    "it takes the first and the last shard of how many, such as {example}, not"
                    ' "{value}"',
                    example="0-4/10",
                    value=text,
                )
            )
        return Shards(tuple(range(first, last + 1)), number)

    @field_validator("farkle_discord_api", "farkle_discord_gateway")
    @classmethod
    def _is_address(cls, address: str | None) -> str | None:
        if address is not None and not urlsplit(address).netloc:
            example = "http://localhost:8080/api/v10"
            raise ValueError(
                say("it has to be a complete address, such as {example}", example=example)
            )
        return address and address.rstrip("/")

    def token(self) -> str:
        """The bot's token. Raises InvalidRequestError where there is none."""
        if self.discord_token is not None and self.discord_token_file is not None:
            raise InvalidRequestError.say("give DISCORD_TOKEN or DISCORD_TOKEN_FILE, not both")
        if self.discord_token is not None:
            return _usable(self.discord_token.get_secret_value().strip())
        if self.discord_token_file is None:
            raise InvalidRequestError.say(
                "no token is given: set DISCORD_TOKEN, or DISCORD_TOKEN_FILE to a file that holds"
                " it; docs/hosting.md says how to get one"
            )
        try:
            token = self.discord_token_file.read_text("utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise InvalidRequestError.say(
                "the token file {file} cannot be read: {reason}",
                file=self.discord_token_file,
                reason=system_reason(error)
                if isinstance(error, OSError)
                else say("it is not text"),
            ) from None
        if not token:
            raise InvalidRequestError.say(
                "the token file {file} is empty", file=self.discord_token_file
            )
        return _usable(token)


def _usable(token: str) -> str:
    """The token if it can be sent at all. Raises InvalidRequestError."""
    if not token.isascii() or any(letter.isspace() for letter in token):
        raise InvalidRequestError.say(
            "the token contains characters that a Discord token never has"
        )
    return token
