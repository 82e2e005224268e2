"""Results of long computations about a rule set, kept in JSON files; here the levels' strengths."""

import math
from pathlib import Path
from typing import Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from solver.folders import make_private, write_whole
from solver.rules.ruleset import Ruleset
from solver.solved import DIGEST_LENGTH, open_regular, writable


class Figures(BaseModel):
    """Numbers of a study, none of which is infinite or NaN."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Study(Figures):
    """The result of a long computation, with the rules that it holds for."""

    rules: str
    digest: str

    @classmethod
    def load(cls, path: Path, rules: Ruleset) -> Self | None:
        """The study in a file; None without a sound file, or if it is of other rules."""
        try:
            with open_regular(path) as file:
                study = cls.model_validate_json(file.read())
        except (OSError, ValidationError):
            return None
        return study if study.digest == rules.digest else None

    def save(self, path: Path) -> None:
        """Write the study to a file, whole or not at all. Raises StrategyFileError."""
        with writable(path.parent):
            make_private(path.parent)
            write_whole(path, (self.model_dump_json(indent=2) + "\n").encode())


class Strength(Figures):
    """The share of games that a level wins against optimal play; a shared win counts half."""

    win_rate: float = Field(ge=0, le=1)
    standard_error: float = Field(ge=0)
    """The standard error of `win_rate`; 0 if that is exact."""
    began: float = Field(ge=0, le=1)
    """The win rate in the half of the games that the level begins."""
    replied: float = Field(ge=0, le=1)
    """The win rate in the other half."""


class Strengths(Study):
    """The strengths of all levels of play under one rule set: exact, or in a number of games."""

    games: int | None = Field(default=None, ge=2)
    """The number of games that each level played; None if strengths are exact."""
    seed: int | None = None
    """The seed of the dice in these games."""
    levels: dict[str, Strength]

    @property
    def is_exact(self) -> bool:
        """Whether strengths are computed, and not estimated from games."""
        return self.games is None


def strengths_path(folder: Path, rules: Ruleset) -> Path:
    """The file with the strengths of a rule set in the data folder."""
    return folder / f"levels-{rules.digest[:DIGEST_LENGTH]}.json"


def load_strengths(folder: Path, rules: Ruleset) -> dict[str, Strength] | None:
    """The strengths of the levels by their names; None without a sound file."""
    strengths = Strengths.load(strengths_path(folder, rules), rules)
    return strengths.levels if strengths else None


def save_strengths(
    folder: Path, rules: Ruleset, strengths: Strengths, *, replace: bool = False
) -> Strengths:
    """Write the file of a rule set, unless it holds strengths of more games; returns what it holds.

    replace : write it in any case

    Exact strengths count as those of infinitely many games. Raises StrategyFileError.
    """
    path = strengths_path(folder, rules)
    kept = Strengths.load(path, rules)
    if kept and not replace and (kept.games or math.inf) > (strengths.games or math.inf):
        return kept
    strengths.save(path)
    return strengths
