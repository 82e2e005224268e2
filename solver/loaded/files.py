"""Solved games of dice of one's own on disk, one file each, and a bound on what they take.

One file serves a match-up of two in either order, and a game of more from whichever seat on.
"""

import os
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from solver.errors import MissingStrategyError
from solver.game.many import ManySolution
from solver.game.standings import Solution, value_shape
from solver.loaded.matchup import (
    Matchup,
    Plain,
    exchanged_values,
    from_plain,
    plain,
    uses_shape,
)
from solver.loaded.strategy import ManyMatchupStrategy, MatchupStrategy, OwnDice
from solver.many_strategy import ORDER, RingManifest
from solver.solved import SUFFIX, M, Manifest, Opened, Shapes, file_name, open_solved, save_solved
from solver.turn.dice import Badge
from solver.turn.equations import Floats, TurnPlan
from solver.turn.powers import Power

_AXES = ("side to act, and who began", "own standing", "opponent's standing")
_USES = ("uses left of side 0", "uses left of side 1")
"""What values have before these axes where badges are used up."""


class DiceManifest(Manifest):
    """What a file says of the kits that it is about."""

    dice: tuple[Plain, ...]
    """The sets by seat: for each type the number of dice, the weights, which faces are jokers."""
    joker_alone: bool
    badges: tuple[Badge, ...] = ()
    """The combinations that the badge of each seat adds or changes."""
    powers: tuple[Power | None, ...] = ()
    """What the badge of each seat allows some times in a game."""

    @property
    def matchup(self) -> Matchup:
        """Return what was solved. Raises what a `Matchup` raises."""
        dice = tuple(map(from_plain, self.dice))
        return Matchup(self.rules, dice, self.joker_alone, self.badges, self.powers)


class MatchupManifest(DiceManifest):
    """What the file of a match-up of two says of its values."""

    kind: Literal["two sets of dice"] = "two sets of dice"
    axes: tuple[str, ...] = _AXES
    """The axes of the values, as of a strategy file of two players."""
    error_bound: float = Field(ge=0)
    reported: ClassVar = ("values", "error_bound", "states_solved", "seconds")

    @property
    def right(self) -> tuple[str, Shapes]:
        """Return the digest and the shape that it has to have. Raises as `matchup` does."""
        matchup = self.matchup
        return matchup.digest, ((*uses_shape(matchup), *value_shape(self.rules, sides=2)),)


class ManyMatchupManifest(DiceManifest, RingManifest):
    """What the file of a game of several players with dice of their own says of its values."""

    kind: Literal["several sets of dice"] = "several sets of dice"
    axes: str = "seat of the mover; standing of each, the mover first; who, but for the last"
    """The axes of the first array, as in a strategy file of several. One seat where all throw the
    same and nobody can tell who began."""
    order: tuple[str, ...] = (*ORDER, "more dice of the types that the set names last")
    reported: ClassVar = (*RingManifest.reported, "joker_alone")

    @property
    def plans(self) -> tuple[TurnPlan, ...]:
        """Return the turns by seat. Raises what `Matchup.plans` raises."""
        return self.matchup.plans

    @property
    def right(self) -> tuple[str, Shapes]:
        """Return the digest and the shape that it has to have. Raises as `matchup` does."""
        return self.matchup.digest, (self.matchup.size.shape, *self.shapes[1:])


def matchup_path(folder: Path, matchup: Matchup) -> Path:
    """Return where a file stands, in whichever order its dice are told."""
    return folder / file_name(matchup.digest, f"dice{len(matchup.dice)}")


def save_matchup(
    matchup: Matchup, solution: Solution | ManySolution, folder: Path
) -> tuple[DiceManifest, Path]:
    """Write the file of a match-up, over an older one; returns its manifest and its path.

    Raises StrategyFileError, and then leaves nothing behind.
    """
    by, arrays = matchup.turned, solution.arrays
    matchup = matchup.from_seat(by)
    said: dict[str, Any] = {
        "rules": matchup.rules,
        "dice": tuple(map(plain, matchup.dice)),
        "joker_alone": matchup.joker_alone,
    }
    given = solution, matchup.digest, f"dice{len(matchup.dice)}"
    if isinstance(solution, ManySolution):
        turned = (np.roll(array, -by, axis=0) for array in arrays)
        return save_solved(folder, ManyMatchupManifest.of(*given, **said), *turned)
    said |= {"badges": matchup.badges, "powers": matchup.powers}
    if any(matchup.powers):
        said["axes"] = (*_USES, *_AXES)
    values = exchanged_values(matchup, solution.values) if by else solution.values
    return save_solved(folder, MatchupManifest.of(*given, **said), values)


def open_matchup(folder: Path, matchup: Matchup) -> OwnDice:
    """Open the strategy of a match-up that was solved, told from the seat asked for.

    Its file counts as used just now, see `keep_within`.

    Raises MissingStrategyError where there is none, StrategyFileError where it is damaged.
    """
    path = matchup_path(folder, matchup)
    if matchup.players > 2:
        values, *lasts = _open(path, ManyMatchupManifest).arrays
        return ManyMatchupStrategy(matchup, values, *lasts, first=matchup.turned)
    opened = _open(path, MatchupManifest)
    (values,) = opened.arrays
    if matchup.turned:
        values = exchanged_values(opened.manifest.matchup, values)
    return MatchupStrategy(matchup, values)


def strategy_of(matchup: Matchup, *arrays: Floats) -> OwnDice:
    """Return best play of a match-up from the arrays of its solution."""
    if matchup.players > 2:
        return ManyMatchupStrategy(matchup, *arrays)
    return MatchupStrategy(matchup, *arrays)


def _open(path: Path, kind: type[M]) -> Opened[M]:
    if not path.is_file():
        raise MissingStrategyError.say("these dice are not solved against each other yet")
    opened = open_solved(path, kind)
    with suppress(OSError):  # in a folder that is only read, nothing is removed either
        os.utime(path)
    return opened


def keep_within(folder: Path, most_bytes: int) -> list[Path]:
    """Remove the files of such games that were not used for longest, until the rest takes no more.

    Returns those that were removed.
    """
    files = []
    for path in folder.glob(f"*_dice*{SUFFIX}"):
        with suppress(OSError):  # another process has just removed it
            status = path.stat()
            files.append((status.st_mtime, status.st_size, path))
    size, removed = sum(length for _, length, _ in files), []
    for _, length, path in sorted(files):
        if size <= most_bytes:
            break
        path.unlink(missing_ok=True)
        size -= length
        removed.append(path)
    return removed
