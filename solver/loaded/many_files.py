"""Solved games of several players with dice of their own, one file each.

They stand beside the match-ups of two (solver.loaded.files) and look as these do: a line of JSON
and the values behind it as a .npy file. The values are mapped into memory, not read. One file
serves all games that only begin at another seat.
"""

import hashlib
from io import BufferedReader
from pathlib import Path
from typing import Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from solver.errors import FarkleError
from solver.files import DIGEST_LENGTH, open_regular
from solver.loaded.files import SUFFIX, damaged_matchup, read_kept, write_matchup
from solver.loaded.many import ManyMatchup, ManyMatchupSolution
from solver.loaded.many_strategy import ManyMatchupStrategy
from solver.loaded.matchup import Plain, from_plain, plain
from solver.many_strategy import ORDER
from solver.rules.ruleset import Ruleset
from solver.sealed import MOST_BYTES, npy_header, unreadable, unsealed
from solver.turn.equations import Floats
from solver.turn.many import EVEN

ORDER_OF_DICE = (*ORDER, "more dice of the types that the set names last")
"""What is taken of options that are equal for the mover."""


class ManyMatchupManifest(BaseModel):
    """What the first line of a file says of its values."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    format: Literal["farkle-matchup-of-many-1"] = "farkle-matchup-of-many-1"
    rules: Ruleset
    players: int
    dice: tuple[Plain, ...]
    """Of every seat: for each type the number of dice, the weights, the faces that are jokers."""
    joker_alone: bool
    digest: str
    axes: str = "seat of the mover; score of each player, the mover first; who, but for the last"
    """Of the values; scores in point steps from 0. Where all throw the same there is one seat."""
    shape: tuple[int, ...]
    order: tuple[str, ...] = ORDER_OF_DICE
    even: float = EVEN
    """By what own chances differ at most that count as equal."""
    largest_change: float = Field(ge=0)
    mixed: int = Field(ge=0)
    """Rings of states in which a player mixes two choices, as none fit each other."""
    restless: int = Field(ge=0)
    """Rings whose values did not settle: they are means over many rounds."""
    states_solved: int = Field(ge=1)
    seconds: float = Field(gt=0)
    sha256: str
    """Of the values, as a .npy file."""

    @property
    def matchup(self) -> ManyMatchup:
        """What was solved. Raises what a `ManyMatchup` raises."""
        return ManyMatchup(self.rules, tuple(map(from_plain, self.dice)), self.joker_alone)


def many_matchup_path(folder: Path, matchup: ManyMatchup) -> Path:
    """Where the file stands, whichever seat begins."""
    return folder / f"{matchup.digest[:DIGEST_LENGTH]}{SUFFIX}"


def save_many_matchup(solution: ManyMatchupSolution, folder: Path) -> Path:
    """Write the file of a solved game, over an older one; returns its path.

    Raises StrategyFileError, and then leaves nothing behind.
    """
    by = solution.matchup.turned
    matchup = solution.matchup.from_seat(by)
    values = np.ascontiguousarray(np.roll(solution.values, -by, axis=0), dtype="<f8")
    header = npy_header(values.shape)
    digest = hashlib.sha256(header)
    digest.update(values.data)
    manifest = ManyMatchupManifest(
        rules=matchup.rules,
        players=matchup.players,
        dice=tuple(map(plain, matchup.dice)),
        joker_alone=matchup.joker_alone,
        digest=matchup.digest,
        shape=values.shape,
        largest_change=solution.largest_change,
        mixed=solution.mixed,
        restless=solution.restless,
        states_solved=solution.states_solved,
        seconds=solution.seconds,
        sha256=digest.hexdigest(),
    )
    path = many_matchup_path(folder, matchup)
    write_matchup(path, manifest, header, values.data)
    return path


def open_many_matchup(folder: Path, matchup: ManyMatchup) -> ManyMatchupStrategy:
    """The strategy of a game that was solved, told from the seat that is asked for on.

    Its file counts as used just now, see `keep_within`.

    Raises MissingStrategyError where there is none, StrategyFileError where it is damaged.
    """
    path = many_matchup_path(folder, matchup)
    _, values = read_kept(path, matchup.digest, read_many_matchup)
    return ManyMatchupStrategy(matchup, values, first=matchup.turned)


def read_many_matchup(path: Path) -> tuple[ManyMatchupManifest, Floats]:
    """The manifest and the values of a file, mapped, every byte as it was written.

    Raises StrategyFileError.
    """
    try:
        with open_regular(path) as file:
            return _read(path, file)
    except OSError as error:
        raise unreadable(path, error) from None


def _read(path: Path, file: BufferedReader) -> tuple[ManyMatchupManifest, Floats]:
    line = file.readline(MOST_BYTES)
    try:
        manifest = ManyMatchupManifest.model_validate(unsealed(line))
        matchup, header = manifest.matchup, npy_header(manifest.shape)
        is_told_right = manifest.players == matchup.players and matchup.turned == 0
        if not is_told_right or manifest.shape != matchup.size.shape:
            raise ValueError
        is_whole = hashlib.file_digest(file, "sha256").hexdigest() == manifest.sha256
        if not is_whole or matchup.digest != manifest.digest:
            raise ValueError
        file.seek(len(line))
        if file.read(len(header)) != header:
            raise ValueError
        values = np.memmap(
            file, dtype="<f8", mode="r", offset=len(line) + len(header), shape=manifest.shape
        )
    except (ValueError, FarkleError):
        raise damaged_matchup(path) from None
    return manifest, values
