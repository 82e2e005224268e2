"""How strong the levels of play are against optimal play, kept as a file for others to show."""

import math
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from solver.files import DIGEST_LENGTH, open_regular, write_whole
from solver.rules.ruleset import Ruleset


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Strength(_Data):
    """One level against optimal play; a shared win counts half."""

    win_rate: float = Field(ge=0, le=1)
    standard_error: float = Field(ge=0)
    """0 where it is exact."""
    began: float = Field(ge=0, le=1)
    """Win rate in the half of the games that the level begins."""
    replied: float = Field(ge=0, le=1)


class Strengths(_Data):
    """The levels of play of one rule set against optimal play: exact, or in so many games."""

    rules: str
    digest: str
    games: int | None = Field(default=None, ge=2)
    """Of each level; None where it is exact."""
    seed: int | None = None
    levels: dict[str, Strength]

    @property
    def is_exact(self) -> bool:
        """Whether no dice were rolled for it."""
        return self.games is None


def strengths_path(folder: Path, rules: Ruleset) -> Path:
    """The file of a rule set in the data folder."""
    return folder / f"levels-{rules.digest[:DIGEST_LENGTH]}.json"


def load_study(folder: Path, rules: Ruleset) -> Strengths | None:
    """What was measured under the rules; None where no sound file holds it."""
    try:
        with open_regular(strengths_path(folder, rules)) as file:
            found = Strengths.model_validate_json(file.read())
    except (OSError, ValidationError):
        return None
    return found if found.digest == rules.digest else None


def load_strengths(folder: Path, rules: Ruleset) -> dict[str, Strength] | None:
    """The strengths of the levels by their names; None where no sound file holds them."""
    found = load_study(folder, rules)
    return found.levels if found else None


def save_strengths(
    folder: Path, rules: Ruleset, strengths: Strengths, *, replace: bool = False
) -> Strengths:
    """Write the file of a rule set, whole or not at all; returns what it holds then.

    One that is exact, or has more games, is left as it is, unless `replace` or by one that is
    exact. Raises StrategyFileError.
    """
    kept = load_study(folder, rules)
    if kept and not replace and (kept.games or math.inf) > (strengths.games or math.inf):
        return kept
    path = strengths_path(folder, rules)
    write_whole(path, strengths.model_dump_json(indent=2) + "\n")
    return strengths
