"""The study of a table to memorise: what it wins, when to go for it, and a rule of thumb.

To find that takes a while, so it is kept in a file beside the strategy files.
"""

from pathlib import Path
from typing import Literal

from pydantic import Field

from solver.game.solvable import check_solvable
from solver.game.standings import OnShare, check_goal
from solver.play.memo import GoForIt, Thumb
from solver.play.strengths import Figures, Study
from solver.rules.ruleset import Ruleset
from solver.solved import DIGEST_LENGTH
from solver.strategy import Strategy


class Worth(Figures):
    """What a way to play brings: exact chances to win against optimal play, and points."""

    as_first: float = Field(ge=0, le=1)
    """When it begins; a shared win counts half."""
    as_second: float = Field(ge=0, le=1)
    points: float
    """Expected points of a turn that no goal ends, of a player on the board; penalties for farkles
    in a row do not count."""
    farkles: float = Field(ge=0, le=1)
    """Chance that such a turn ends in a farkle."""

    @property
    def overall(self) -> float:
        """The mean of both: each player begins as often."""
        return (self.as_first + self.as_second) / 2


class MemoStudy(Study):
    """What was found out of the table of a rule set in one unit."""

    format: Literal["farkle-memo-1"] = "farkle-memo-1"
    unit: int = Field(ge=1)
    memo: Worth
    """What playing by the table is worth."""
    go_for_it: GoForIt
    """The best thresholds that were found."""
    memo_go_for_it: Worth
    """What playing by the table and going for it is worth; points as without."""
    thumb: Thumb
    """The best rule of thumb that was found."""
    rule_of_thumb: Worth
    optimal: float = Field(ge=0, le=1)
    """Win probability of optimal play against itself as the first player."""
    most_points: float
    """Expected points of a turn of who plays for nothing else."""


def study_path(folder: Path, rules: Ruleset, unit: int) -> Path:
    """The file of a rule set and a unit in the folder of strategy files."""
    return folder / f"{rules.digest[:DIGEST_LENGTH]}_memo{unit}.json"


def load_memo(folder: Path, rules: Ruleset, unit: int) -> MemoStudy | None:
    """What was found out; None where no sound file holds it."""
    study = MemoStudy.load(study_path(folder, rules, unit), rules)
    return study if study and study.unit == unit else None


def study_memo(
    strategy: Strategy,
    unit: int | None = None,
    *,
    cache: Path,
    on_progress: OnShare = lambda _: None,
) -> MemoStudy:
    """Find all that out, for the table of a unit.

    unit : as for memo_table
    cache : the folder of compiled code

    Raises FarkleError where a rule set has no such table or is too much to evaluate.
    """
    from solver.play.memo_search import searched  # noqa: PLC0415 - numba: 0.4 s

    check_goal(strategy.rules)
    check_solvable(strategy.rules)
    return searched(strategy, unit, cache, on_progress)
