"""Solved match-ups on disk, one file each, and a bound on what they take.

A file is a line of JSON that says what was solved, the manifest, and the values behind it as a .npy
file. The manifest holds the SHA-256 of the values and of all else that it says, and the file is put
in its place whole. One file serves both orders of the sets.
"""

import hashlib
import io
import json
import math
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Literal, Protocol, TypeVar

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from solver.errors import (
    InvalidDiceError,
    InvalidRulesError,
    MissingStrategyError,
    StrategyFileError,
)
from solver.files import DIGEST_LENGTH, open_regular
from solver.game.standings import score_count
from solver.loaded.matchup import (
    Matchup,
    MatchupSolution,
    Plain,
    exchanged_values,
    from_plain,
    plain,
    uses_shape,
)
from solver.loaded.strategy import MatchupStrategy
from solver.rules.ruleset import Ruleset
from solver.sealed import (
    sealed,
    unreadable,
    unsealed,
    writable,
    write_through,
)
from solver.turn.equations import Floats
from solver.turn.powers import Power
from solver.turn.scoring import Badge

SUFFIX = ".matchup"
ALIGNED = 64
"""The manifest's line is a multiple of so many bytes."""
_MOST_BYTES = 320_000_000
"""Length of a file: whatever is longer is something else."""


_AXES = ("side to act", "own score", "opponent's score")
_USES = ("uses left of side 0", "uses left of side 1")
"""What values have before these axes where badges are used up."""


class _OfDice(Protocol):
    """What every manifest says."""

    @property
    def digest(self) -> str: ...


Manifest = TypeVar("Manifest", bound=_OfDice)


class MatchupManifest(BaseModel):
    """What the first line of a file says of its values."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    format: Literal["farkle-matchup-1"] = "farkle-matchup-1"
    rules: Ruleset
    dice: tuple[Plain, Plain]
    """Of both sides: for each type the number of dice, the weights, the faces that are jokers."""
    joker_alone: bool
    badges: tuple[Badge, Badge] = ((), ())
    """The combinations that the badge of each side adds or changes."""
    powers: tuple[Power | None, Power | None] = (None, None)
    """What the badge of each side allows some times in a game."""
    digest: str
    axes: tuple[str, ...] = _AXES
    """Of the values; scores in point steps from 0."""
    shape: tuple[int, ...]
    error_bound: float = Field(ge=0)
    states_solved: int = Field(ge=1)
    seconds: float = Field(gt=0)
    sha256: str
    """Of the values, as a .npy file."""

    @property
    def matchup(self) -> Matchup:
        """The match-up that was solved. Raises InvalidDiceError or InvalidRulesError."""
        one, other = (from_plain(data) for data in self.dice)
        return Matchup(self.rules, (one, other), self.joker_alone, self.badges, self.powers)


def matchup_path(folder: Path, matchup: Matchup) -> Path:
    """Where the file of a match-up stands, in either order."""
    return folder / f"{matchup.digest[:DIGEST_LENGTH]}{SUFFIX}"


def save_matchup(solution: MatchupSolution, folder: Path) -> Path:
    """Write the file of a match-up, over an older one; returns its path.

    Raises StrategyFileError, and then leaves nothing behind.
    """
    matchup, values = solution.matchup, solution.values
    if not matchup.is_in_order:
        matchup, values = matchup.exchanged, exchanged_values(matchup, values)
    content = io.BytesIO()
    np.lib.format.write_array(content, np.ascontiguousarray(values, dtype="<f8"), version=(1, 0))
    manifest = MatchupManifest(
        rules=matchup.rules,
        dice=(plain(matchup.dice[0]), plain(matchup.dice[1])),
        joker_alone=matchup.joker_alone,
        badges=matchup.badges,
        powers=matchup.powers,
        digest=matchup.digest,
        axes=(*_USES, *_AXES) if any(matchup.powers) else _AXES,
        shape=values.shape,
        error_bound=solution.error_bound,
        states_solved=solution.states_solved,
        seconds=solution.seconds,
        sha256=hashlib.sha256(content.getbuffer()).hexdigest(),
    )
    path = matchup_path(folder, matchup)
    write_matchup(path, manifest, content.getbuffer())
    return path


def write_matchup(path: Path, manifest: BaseModel, *parts: bytes | memoryview) -> None:
    """Put a file in its place whole: its manifest, and all that is behind that.

    Raises StrategyFileError, and then leaves nothing behind.
    """
    line = json.dumps(sealed(manifest)).encode()
    # what is behind it begins where numbers in memory may
    line += b" " * (-(len(line) + 1) % ALIGNED) + b"\n"
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    with writable(path.parent):
        try:
            write_through(temporary, line, *parts)
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)


def open_matchup(folder: Path, matchup: Matchup) -> MatchupStrategy:
    """The strategy of a match-up that was solved, in the order asked for.

    Its file counts as used just now, see `keep_within`.

    Raises MissingStrategyError where there is none, StrategyFileError where it is damaged.
    """
    manifest, values = read_kept(matchup_path(folder, matchup), matchup.digest, read_matchup)
    if not matchup.is_in_order:
        values = exchanged_values(manifest.matchup, values)
    return MatchupStrategy(matchup, values)


def read_kept(
    path: Path, digest: str, read: Callable[[Path], tuple[Manifest, Floats]]
) -> tuple[Manifest, Floats]:
    """What `read` finds in the file of dice with this digest, which counts as used just now.

    Raises MissingStrategyError where there is none, StrategyFileError where it is of other dice.
    """
    if not path.is_file():
        raise MissingStrategyError.say("these dice are not solved against each other yet")
    manifest, values = read(path)
    if manifest.digest != digest:
        raise StrategyFileError.say("{file}: is the strategy of other dice", file=path)
    with suppress(OSError):  # in a folder that is only read, nothing is removed either
        os.utime(path)
    return manifest, values


def read_matchup(path: Path) -> tuple[MatchupManifest, Floats]:
    """The manifest and the values of a file, every byte as it was written.

    Raises StrategyFileError.
    """
    try:
        with open_regular(path) as file:
            content = file.read(_MOST_BYTES + 1)
    except OSError as error:
        raise unreadable(path, error) from None
    line, _, data = content.partition(b"\n")
    try:
        manifest = MatchupManifest.model_validate(unsealed(line))
        matchup, scores = manifest.matchup, score_count(manifest.rules)
        is_whole = hashlib.sha256(data).hexdigest() == manifest.sha256
        if not is_whole or matchup.digest != manifest.digest or not matchup.is_in_order:
            raise ValueError
        values = np.lib.format.read_array(io.BytesIO(data), allow_pickle=False)
        shape = *uses_shape(matchup), 2, scores, scores
        if values.shape != shape or not np.all((values >= 0) & (values <= 1)):
            raise ValueError
    except (ValueError, InvalidDiceError, InvalidRulesError):
        raise damaged_matchup(path) from None
    return manifest, values


def damaged_matchup(path: Path) -> StrategyFileError:
    """That a file is not what was written."""
    return StrategyFileError.say(
        "{file}: is damaged, it is not what was written; solve these dice again", file=path
    )


def keep_within(folder: Path, most_bytes: int) -> list[Path]:
    """Remove the match-ups that were not used for longest until the rest takes no more than that.

    Returns those that were removed.
    """
    found = []
    for path in folder.glob(f"*{SUFFIX}"):
        try:
            status = path.stat()
        except OSError:
            continue  # another process has just removed it
        found.append((status.st_mtime, status.st_size, path))
    found.sort(key=lambda one: one[0])
    size = math.fsum(one[1] for one in found)
    removed = []
    for _, length, path in found:
        if size <= most_bytes:
            break
        path.unlink(missing_ok=True)
        size -= length
        removed.append(path)
    return removed
