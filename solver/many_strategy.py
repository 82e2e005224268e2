"""Strategy files of games of several players: their values on disk, and best play from them.

As with two players (solver.strategy) a strategy is a manifest, `<digest>_players<number>.json`, and
a .npy file whose own name holds its hash. That file holds, one after the other, the values at the
start of a turn, then those of final turns (`ManySolution`). The last player's chance follows from
the others', and what is the same for every seat is stored once, by who is to move.
"""

import math
import os
from pathlib import Path
from typing import Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from solver.errors import InvalidRulesError, MissingStrategyError, StrategyFileError
from solver.files import DIGEST_LENGTH, Stamp, open_regular, sha256
from solver.game.many import Lasts, ManySolution, inner_states, size
from solver.game.many_best import SharedStrategy
from solver.rules.ruleset import Ruleset
from solver.sealed import (
    MOST_BYTES,
    Stored,
    npy_header,
    save_values,
    unreadable,
    unsealed,
)
from solver.turn.equations import Floats
from solver.turn.many import EVEN

ORDER = ("bank before roll", "more points", "more dice left")
"""What is taken of options that are equal for the mover."""


class ManyManifest(BaseModel):
    """What the JSON file beside the values says of them."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    format: Literal["farkle-strategy-of-many-1"] = "farkle-strategy-of-many-1"
    rules: Ruleset
    digest: str
    players: int = Field(ge=2)
    axes: str = "role of the mover; standing of each player, the mover first; who, but for the last"
    """Of the values. A standing is a score in point steps; after them, not on the board yet."""
    shape: tuple[int, ...]
    lasts: tuple[tuple[int, ...], ...]
    """Shapes of the values of final turns, which follow in the file."""
    order: tuple[str, ...] = ORDER
    even: float = EVEN
    """By what own chances differ at most that count as equal."""
    tolerance: float = Field(gt=0, le=1)
    sweeps: int = Field(ge=1)
    largest_change: float = Field(ge=0)
    mixed: int = Field(ge=0)
    """Rings of states in which a player mixes two choices, as none fit each other."""
    restless: int = Field(ge=0)
    """Rings whose values did not settle: they are means over many rounds."""
    states: int = Field(ge=1)
    states_solved: int = Field(ge=1)
    seconds: float = Field(gt=0)
    values: str = Field(pattern=r"^[\w.+-]+\.npy$")
    bytes: int
    sha256: str

    @property
    def length(self) -> int:
        """Number of values in the file."""
        return sum(math.prod(shape) for shape in (self.shape, *self.lasts))

    @property
    def states_per_second(self) -> float:
        """States solved per second, each as often as it was."""
        return self.states_solved / self.seconds


def many_manifest_path(folder: Path, rules: Ruleset, players: int) -> Path:
    """Where the manifest of a rule set for so many players stands."""
    return folder / f"{rules.digest[:DIGEST_LENGTH]}_players{players}.json"


def save_many(solution: ManySolution, folder: Path) -> tuple[ManyManifest, Path]:
    """Write a strategy file; returns its manifest and the path of its values.

    Raises StrategyFileError, and then leaves nothing behind.
    """
    rules = solution.rules
    parts = [np.ascontiguousarray(part) for part in (solution.values, *solution.lasts)]

    def describe(stored: Stored) -> ManyManifest:
        return ManyManifest(
            rules=rules,
            digest=rules.digest,
            players=solution.players,
            shape=solution.values.shape,
            lasts=tuple(part.shape for part in solution.lasts),
            tolerance=solution.tolerance,
            sweeps=solution.sweeps,
            largest_change=solution.largest_change,
            mixed=solution.mixed,
            restless=solution.restless,
            states=inner_states(rules, solution.players),
            states_solved=solution.states_solved,
            seconds=solution.seconds,
            **stored._asdict(),
        )

    header = npy_header((sum(part.size for part in parts),))
    return save_values(
        many_manifest_path(folder, rules, solution.players),
        header,
        *(part.data for part in parts),
        describe=describe,
    )


def open_many(folder: Path, rules: Ruleset, players: int) -> SharedStrategy:
    """Best play of so many players, memory-mapped from a strategy file that is whole to the byte.

    Raises MissingStrategyError where there is none, StrategyFileError where it is damaged.
    """
    path = many_manifest_path(folder, rules, players)
    if not path.is_file():
        raise MissingStrategyError.say(
            "the {rules} rules are not solved yet for {players} players",
            rules=rules.name,
            players=players,
        )
    opened = _Opened(path)
    manifest, values, lasts, _ = _open(path)
    named = manifest.rules.model_copy(update={"name": rules.name})
    return SharedStrategy(named, players, values, lasts, opened.current)


def verify_many(path: Path) -> ManyManifest:
    """Check a strategy file, given by its manifest or its values. Raises StrategyFileError."""
    is_values = path.suffix == ".npy"
    named = path.with_name(path.name.rpartition("-")[0] + ".json") if is_values else path
    manifest = _open(named, anew=True)[0]
    if is_values and path.name != manifest.values:
        raise StrategyFileError(f"{path}: is not the file that its manifest {named.name} names")
    return manifest


def open_many_values(path: Path) -> tuple[ManyManifest, Floats, Lasts]:
    """The manifest at `path` and its arrays, mapped. Raises StrategyFileError."""
    return _open(path)[:3]


class _Opened:
    """A file that is about to be mapped: whether it is still what it was then."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stamp = Stamp.of(path.stat())

    def current(self) -> tuple[Floats, Lasts] | None:
        """The arrays of another strategy that was put in place meanwhile, else None."""
        try:
            now = Stamp.of(self._path.stat())
            if now == self._stamp:
                return None
            _, values, lasts, _ = _open(self._path)
        except OSError as error:
            raise unreadable(self._path, error) from None
        self._stamp = now
        return values, lasts


def _open(path: Path, *, anew: bool = False) -> tuple[ManyManifest, Floats, Lasts, Path]:
    """The manifest at `path`, its arrays and their file, once all is what was written."""
    try:
        with open_regular(path) as file:
            manifest = _parse(path, file.read(MOST_BYTES + 1))
        values_file = path.with_name(manifest.values)
        length = manifest.length
        header = npy_header((length,))
        with open_regular(values_file) as opened:
            found_size = opened.seek(0, os.SEEK_END)
            opened.seek(0)
            is_whole = found_size == manifest.bytes == len(header) + 8 * length
            if not is_whole or opened.read(len(header)) != header:
                raise _damaged(values_file)
            if sha256(opened, anew=anew)[0] != manifest.sha256:
                raise _damaged(values_file)
            whole = np.memmap(opened, dtype="<f8", mode="r", offset=len(header), shape=(length,))
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from None
    arrays, begin = [], 0
    for shape in (manifest.shape, *manifest.lasts):
        end = begin + math.prod(shape)
        arrays.append(whole[begin:end].reshape(shape))
        begin = end
    return manifest, arrays[0], tuple(arrays[1:]), values_file


def _parse(path: Path, text: bytes) -> ManyManifest:
    """The manifest that stands at `path`. Raises StrategyFileError."""
    try:
        manifest = ManyManifest.model_validate(unsealed(text))
        found = size(manifest.rules, manifest.players)
    except (ValueError, InvalidRulesError):
        raise _damaged(path) from None
    named = many_manifest_path(path.parent, manifest.rules, manifest.players).name
    if manifest.rules.digest != manifest.digest or named != path.name:
        raise _damaged(path)
    if manifest.shape != found.shape:
        raise _damaged(path)
    return manifest


def _damaged(path: Path) -> StrategyFileError:
    return StrategyFileError.say(
        "{file}: is damaged, it does not say what was written; solve the rules again", file=path
    )
