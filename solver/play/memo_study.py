"""What is told of a table to memorise: what it wins, when to go for it, and a rule of thumb.

To find that takes a while, so it is kept in a file beside the strategy files.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from solver.files import DIGEST_LENGTH, open_regular, write_whole
from solver.game.solvable import check_solvable
from solver.play.memo import GoForIt, Thumb
from solver.rules.ruleset import Ruleset
from solver.strategy import Strategy
from solver.turn.memo import memo_table

Share = Callable[[float], None]


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Worth(_Data):
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


class MemoStudy(_Data):
    """What was found out of the table of a rule set in one unit."""

    format: Literal["farkle-memo-1"] = "farkle-memo-1"
    rules: str
    digest: str
    unit: int = Field(ge=1)
    memo: Worth
    """Of who plays by the table."""
    go_for_it: GoForIt
    """The best thresholds that were found."""
    memo_go_for_it: Worth
    """Of who plays by the table and goes for it; points as without."""
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
    try:
        with open_regular(study_path(folder, rules, unit)) as file:
            found = MemoStudy.model_validate_json(file.read())
    except (OSError, ValidationError):
        return None
    return found if (found.digest, found.unit) == (rules.digest, unit) else None


def save_memo(folder: Path, rules: Ruleset, study: MemoStudy) -> None:
    """Write the file, whole or not at all. Raises StrategyFileError."""
    path = study_path(folder, rules, study.unit)
    write_whole(path, study.model_dump_json(indent=2) + "\n")


def study_memo(
    strategy: Strategy,
    unit: int | None = None,
    *,
    cache: Path,
    threads: int | None = None,
    on_progress: Share = lambda _: None,
) -> MemoStudy:
    """Find all that out, for the table of a unit.

    unit : as for memo_table
    cache : the folder of compiled code
    on_progress : told the share that is done

    Raises FarkleError where a rule set has no such table or is too much to evaluate.
    """
    # only here: numba takes longer to load than any answer
    from solver.play.memo_search import searched  # noqa: PLC0415

    check_solvable(strategy.rules)
    table = memo_table(strategy.rules, unit)
    return searched(strategy, table, cache=cache, threads=threads, on_progress=on_progress)
