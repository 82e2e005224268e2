"""The study of a table to memorise: what it wins, when to go for it, and a rule of thumb.

To find that takes a while, so it is kept in a file beside the strategy files.
"""

from pathlib import Path
from typing import Literal

from pydantic import Field

from solver.game.best import Strategy
from solver.game.solvable import check_solvable
from solver.game.standings import OnShare, check_goal
from solver.play.memo import GoForIt, Thumb
from solver.play.strengths import Figures, Study
from solver.rules.ruleset import Ruleset
from solver.solved import DIGEST_LENGTH


class Worth(Figures):
    """The exact chances of a way to play against optimal play, and the points of its turns."""

    as_first: float = Field(ge=0, le=1)
    """The chance to win when it begins; a shared win counts half."""
    as_second: float = Field(ge=0, le=1)
    """The chance to win when optimal play begins."""
    points: float
    """Expected points of a turn that no goal ends, of a player on the board; penalties for farkles
    in a row do not count."""
    farkles: float = Field(ge=0, le=1)
    """Chance that such a turn ends in a farkle."""

    @property
    def overall(self) -> float:
        """The chance to win if each player begins as often."""
        return (self.as_first + self.as_second) / 2


class MemoStudy(Study):
    """The study of the table to memorise of a rule set in one unit."""

    format: Literal["farkle-memo-1"] = "farkle-memo-1"
    unit: int = Field(ge=1)
    memo: Worth
    """The worth of playing by the table."""
    go_for_it: GoForIt
    """The best thresholds that were found."""
    memo_go_for_it: Worth
    """The worth of playing by the table and going for it; points as without."""
    thumb: Thumb
    """The best rule of thumb that was found."""
    rule_of_thumb: Worth
    optimal: float = Field(ge=0, le=1)
    """Win probability of optimal play against itself as the first player."""
    most_points: float
    """The expected points of a turn that is played for most points."""


def study_path(folder: Path, rules: Ruleset, unit: int) -> Path:
    """The file of a rule set and a unit in the folder of strategy files."""
    return folder / f"{rules.digest[:DIGEST_LENGTH]}_memo{unit}.json"


def load_memo(folder: Path, rules: Ruleset, unit: int) -> MemoStudy | None:
    """The study in a file; None without a sound file of these rules and this unit."""
    study = MemoStudy.load(study_path(folder, rules, unit), rules)
    return study if study and study.unit == unit else None


def study_memo(
    strategy: Strategy,
    unit: int | None = None,
    *,
    cache: Path,
    on_progress: OnShare = lambda _: None,
) -> MemoStudy:
    """Make the study of the table of a unit.

    unit : as for memo_table
    cache : the folder of compiled code

    Raises FarkleError if a rule set has no such table or is too large to evaluate.
    """
    from solver.play.memo_search import searched  # noqa: PLC0415 - numba: 0.4 s

    check_goal(strategy.rules)
    check_solvable(strategy.rules)
    return searched(strategy, unit, cache, on_progress)
