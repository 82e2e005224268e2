"""How strong the levels of play are against optimal play, kept as a file for others to show."""

import math
from pathlib import Path

from pydantic import Field

from solver.files import DIGEST_LENGTH
from solver.play.study import Figures, Study
from solver.rules.ruleset import Ruleset


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
