"""Strategy files of two players: start-of-turn values on disk, and best play from them."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import ClassVar, Literal

from pydantic import Field

from solver.errors import MissingStrategyError, StrategyFileError
from solver.game.best import Strategy, Values
from solver.game.endgame import taken_shape
from solver.game.standings import (
    DEFAULT_TOLERANCE,
    Block,
    Solution,
    blocks,
    state_count,
    value_shape,
)
from solver.rules.ruleset import Ruleset
from solver.solved import (
    DIGEST_LENGTH,
    SUFFIX,
    Manifest,
    Shapes,
    file_name,
    open_solved,
    read_manifest,
    save_solved,
)


class StrategyManifest(Manifest, defer_build=False):
    """What a strategy file of two players says of its values."""

    kind: Literal["two players"] = "two players"
    floor: int
    axes: tuple[str, ...] = ("who began", "standing", "opponent's standing")
    """The axes of the values: index 0 of the first for the player who began, both where it does
    not matter."""
    standings: tuple[Block, ...]
    """The standings along the second and third axis."""
    tolerance: float = Field(gt=0, le=1)
    sweeps: int = Field(ge=1)
    largest_relative_change: float = Field(ge=0)
    error_bound: float = Field(ge=0)
    """The bound on the error of every value, see `Solution.error_bound`."""
    states: int = Field(ge=1)
    reported: ClassVar = (
        *("floor", "states", "values", "sweeps", "tolerance", "largest_relative_change"),
        *("error_bound", "seconds", "states_per_second"),
    )

    @property
    def title(self) -> str:
        """Return what was solved, in words."""
        return f"{self.rules.name} rules, floor {self.floor:,}"

    @property
    def right(self) -> tuple[str, Shapes]:
        """Return the digest and the shapes that it has to have. Raises InvalidRulesError."""
        rolled = (taken_shape(self.rules),) if self.rules.takes_over else ()
        return self.rules.digest, (value_shape(self.rules), *rolled)


def strategy_path(folder: Path, rules: Ruleset) -> Path:
    """Return where the strategy of a rule set with its score floor stands."""
    return folder / file_name(rules.digest, f"floor{rules.score_floor}")


def strategy_files(folder: Path, rules: Ruleset) -> list[Path]:
    """Return the strategy files of a rule set, the most exact first, as the manifests say.

    Solved to the default tolerance before more roughly; with a floor at or below the rules' own
    before one above it; with the lowest floor. What cannot be read comes last.

    Raises MissingStrategyError where there are none.
    """

    def inexactness(path: Path) -> tuple[bool, bool, bool, int]:
        try:
            manifest = read_manifest(path, StrategyManifest)
        except StrategyFileError:
            return True, True, True, 0
        rough = manifest.tolerance > DEFAULT_TOLERANCE
        return False, rough, manifest.floor > rules.score_floor, manifest.floor

    paths = list(folder.glob(file_name(rules.digest, "floor*")))
    if not paths:
        raise MissingStrategyError.say("the rules {rules} are not solved yet", rules=rules.name)
    return sorted(paths, key=inexactness) if paths[1:] else paths


def solved_rules(folder: Path, digest: str, name: str) -> Ruleset:
    """Return the rules of a strategy file by the beginning of their digest, 12 hex digits or more.

    name : what they are to be called; it is no part of the digest

    Raises MissingStrategyError.
    """
    for rules in all_solved_rules(folder, digest[:DIGEST_LENGTH]):
        if rules.digest.startswith(digest):
            return rules.model_copy(update={"name": name})
    raise MissingStrategyError.say("the rules {rules} are not solved yet", rules=name)


def all_solved_rules(folder: Path, digest: str = "") -> Iterator[Ruleset]:
    """Yield the rules of every strategy file that can be read and whose name begins so."""
    for path in sorted(folder.glob(f"{digest}*_floor*{SUFFIX}")):
        with suppress(StrategyFileError):
            yield read_manifest(path, StrategyManifest).rules


def open_strategy(folder: Path, rules: Ruleset) -> Strategy:
    """Open the most exact strategy of a rule set that is whole to the byte, memory-mapped.

    Raises MissingStrategyError where there is none, and StrategyFileError where there are only
    files that are damaged or another's.
    """
    problems = []
    for path in strategy_files(folder, rules):
        try:
            opened = open_solved(path, StrategyManifest)
        except StrategyFileError as error:
            problems.append(error)
        else:
            named = opened.manifest.rules.model_copy(update={"name": rules.name})
            return Strategy(named, Values.of(opened), str(path))
    raise problems[0]


def is_solved(folder: Path, rules: Ruleset) -> bool:
    """Whether there is a sound strategy file for the rules in the folder."""
    try:
        open_strategy(folder, rules)
    except StrategyFileError:
        return False
    return True


def verify_strategy(path: Path) -> StrategyManifest:
    """Return what a strategy file says, once every byte is read again and is what was written.

    Raises StrategyFileError.
    """
    return open_solved(path, StrategyManifest, anew=True).manifest


def save_strategy(solution: Solution, folder: Path) -> tuple[StrategyManifest, Path]:
    """Write a strategy file; returns its manifest and its path.

    Raises StrategyFileError, and then leaves nothing behind.
    """
    rules, floor = solution.rules, solution.rules.score_floor
    said = {"floor": floor, "standings": tuple(blocks(rules)), "states": state_count(rules)}
    manifest = StrategyManifest.of(solution, rules.digest, f"floor{floor}", **said)
    return save_solved(folder, manifest, *solution.arrays)
