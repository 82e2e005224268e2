"""What was found out of a rule set, kept as a file of JSON, as it takes a while.

Here that is how strong the levels of play are against optimal play.
"""

import math
from pathlib import Path
from typing import Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from solver.rules.ruleset import Ruleset
from solver.solved import DIGEST_LENGTH, open_regular, write_whole


class Figures(BaseModel):
    """Numbers of a study."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Study(Figures):
    """What was found out, with the rules that it holds for."""

    rules: str
    digest: str

    @classmethod
    def load(cls, path: Path, rules: Ruleset) -> Self | None:
        """Return what a file holds of the rules; None where no sound file does."""
        try:
            with open_regular(path) as file:
                found = cls.model_validate_json(file.read())
        except (OSError, ValidationError):
            return None
        return found if found.digest == rules.digest else None

    def save(self, path: Path) -> None:
        """Write a file, whole or not at all. Raises StrategyFileError."""
        write_whole(path, self.model_dump_json(indent=2) + "\n")


class Strength(Figures):
    """One level against optimal play; a shared win counts half."""

    win_rate: float = Field(ge=0, le=1)
    standard_error: float = Field(ge=0)
    """0 where it is exact."""
    began: float = Field(ge=0, le=1)
    """Win rate in the half of the games that the level begins."""
    replied: float = Field(ge=0, le=1)


class Strengths(Study):
    """The levels of play of one rule set against optimal play: exact, or in so many games."""

    games: int | None = Field(default=None, ge=2)
    """The games that each level played; None where its strength is exact."""
    seed: int | None = None
    levels: dict[str, Strength]

    @property
    def is_exact(self) -> bool:
        """Whether no dice were rolled for it."""
        return self.games is None


def strengths_path(folder: Path, rules: Ruleset) -> Path:
    """The file of a rule set in the data folder."""
    return folder / f"levels-{rules.digest[:DIGEST_LENGTH]}.json"


def load_strengths(folder: Path, rules: Ruleset) -> dict[str, Strength] | None:
    """The strengths of the levels by their names; None where no sound file holds them."""
    found = Strengths.load(strengths_path(folder, rules), rules)
    return found.levels if found else None


def save_strengths(
    folder: Path, rules: Ruleset, strengths: Strengths, *, replace: bool = False
) -> Strengths:
    """Write the file of a rule set, whole or not at all; returns what it holds then.

    One that is exact, or has more games, is left as it is, unless `replace` or by one that is
    exact. Raises StrategyFileError.
    """
    path = strengths_path(folder, rules)
    kept = Strengths.load(path, rules)
    if kept and not replace and (kept.games or math.inf) > (strengths.games or math.inf):
        return kept
    strengths.save(path)
    return strengths
