"""Strategy files: start-of-turn values on disk, and the answers that follow from them.

A strategy is two files in one folder. The manifest `<digest>_floor<floor>.json` says which rules
were solved and how well; it names the values, a plain .npy file whose own name holds its hash. The
values are in place before the manifest is put there by renaming, so that a reader sees a whole
strategy or none, whatever happens to the writer.

A file is opened only if every byte is what was written: the manifest holds a checksum of what it
says, and the hash of the values. So a damaged file is refused, and gives no wrong answer.
"""

import math
import os
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Field
from pydantic_core import from_json

from solver.best_play import Mapped, Strategy, Values
from solver.errors import InvalidRulesError, MissingStrategyError, StrategyFileError
from solver.files import DIGEST_LENGTH, open_regular, sha256
from solver.game.standings import (
    DEFAULT_TOLERANCE,
    Block,
    Solution,
    blocks,
    state_count,
    value_shape,
)
from solver.manifests import FORMAT, manifest_path, manifests
from solver.rules.ruleset import Ruleset
from solver.sealed import (
    MOST_BYTES,
    Stored,
    checksum,
    locked,
    npy_header,
    save_values,
    unreadable,
)

__all__ = [
    "Manifest",
    "Strategy",
    "find_manifest",
    "manifest_path",
    "open_strategy",
    "open_values",
    "prepare_folder",
    "save_strategy",
    "solved_rules",
    "verify_strategy",
]

_OLDER = {"farkle-strategy-1", "farkle-strategy-2"}
"""Formats of older versions, whose manifests have no checksum."""


class Manifest(BaseModel):
    """What the JSON file beside the values says of them."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    format: Literal["farkle-strategy-3"] = FORMAT
    rules: Ruleset
    digest: str
    floor: int
    axes: tuple[str, ...] = ("who began", "standing", "opponent's standing")
    """Of the values: index 0 of the first for the player who began, both where it does not
    matter."""
    standings: tuple[Block, ...]
    """The standings along the second and third axis."""
    shape: tuple[int, int, int]
    tolerance: float = Field(gt=0, le=1)
    sweeps: int = Field(ge=1)
    largest_relative_change: float = Field(ge=0)
    error_bound: float = Field(ge=0)
    """Of every value, see `Solution.error_bound`."""
    states: int = Field(ge=1)
    states_solved: int = Field(ge=1)
    seconds: float = Field(gt=0)
    values: str = Field(pattern=r"^[\w.+-]+\.npy$")
    bytes: int
    sha256: str

    @property
    def states_per_second(self) -> float:
        """States solved per second, each as often as it was."""
        return self.states_solved / self.seconds


def find_manifest(folder: Path, rules: Ruleset) -> Path:
    """The most exact strategy of a rule set, as its manifests say.

    Raises MissingStrategyError.
    """
    return _manifests(folder, rules)[0]


def _manifests(folder: Path, rules: Ruleset) -> list[Path]:
    """The manifests of a rule set, the most exact first.

    Solved to the default tolerance before more roughly; with a floor at or below the rules' own
    before one above it; with the lowest floor. What cannot be read comes last.

    Raises MissingStrategyError where there are none.
    """

    def inexactness(path: Path) -> tuple[bool, bool, bool, int]:
        try:
            manifest = _read_manifest(path)
        except (OSError, StrategyFileError):
            return True, True, True, 0
        rough = manifest.tolerance > DEFAULT_TOLERANCE
        return False, rough, manifest.floor > rules.score_floor, manifest.floor

    found = manifests(folder, rules)
    if not found:
        raise MissingStrategyError.say("the rules {rules} are not solved yet", rules=rules.name)
    return sorted(found, key=inexactness)


def solved_rules(folder: Path, digest: str, name: str) -> Ruleset:
    """The rules of a strategy file by the beginning of their digest, at least 12 hex digits.

    name : what they are to be called; it is no part of the digest

    Raises MissingStrategyError.
    """
    for path in sorted(folder.glob(f"{digest[:DIGEST_LENGTH]}*_floor*.json")):
        try:
            found = _read_manifest(path).rules
        except (OSError, StrategyFileError):
            continue
        if found.digest.startswith(digest):
            return found.model_copy(update={"name": name})
    raise MissingStrategyError.say("the rules {rules} are not solved yet", rules=name)


def open_strategy(folder: Path, rules: Ruleset) -> Strategy:
    """Open the most exact strategy of a rule set that is whole to the byte, memory-mapped.

    Raises MissingStrategyError where there is none, or only one of an older version, and
    StrategyFileError where there are only files that are damaged or another's.
    """
    problems = []
    for path in _manifests(folder, rules):
        try:
            manifest, values = _open(path)
        except StrategyFileError as error:
            problems.append(error)
        else:
            named = manifest.rules.model_copy(update={"name": rules.name})
            return Strategy(named, values, str(path))
    raise problems[0]


def is_solved(folder: Path, rules: Ruleset) -> bool:
    """Whether there is a sound strategy file for the rules in the folder."""
    try:
        open_strategy(folder, rules)
    except StrategyFileError:
        return False
    return True


def verify_strategy(path: Path) -> Manifest:
    """Check a strategy file, given by its manifest or its values, as every byte is on disk now.

    Raises StrategyFileError.
    """
    is_values = path.suffix == ".npy"
    stem = path.name.rpartition("-")[0]
    if is_values and not stem:
        raise StrategyFileError(
            f'{path}: is not named like a strategy file, "..._floor...-HASH.npy"'
        )
    named = path.with_name(stem + ".json") if is_values else path
    manifest, _ = _open(named, anew=True)
    if is_values and path.name != manifest.values:
        raise StrategyFileError(f"{path}: is not the file that its manifest {named.name} names")
    return manifest


def open_values(path: Path) -> tuple[Manifest, npt.NDArray[np.float64]]:
    """Read the manifest at `path` and map its values, once all is found to be what was written.

    Raises StrategyFileError.
    """
    manifest, values = _open(path)
    return manifest, values.array


def _open(path: Path, *, anew: bool = False) -> tuple[Manifest, Values]:
    """The manifest at `path` and its values; `anew` is as for `solver.files.sha256`."""
    try:
        while True:
            with open_regular(path) as file:
                manifest = _parse_manifest(path, file.read(MOST_BYTES + 1))
                try:
                    return manifest, _map_values(path, manifest, anew=anew)
                except StrategyFileError:
                    # another solve may have put new files in their place between the two reads;
                    # as this one is still open, a new manifest is another file
                    if os.path.samestat(os.fstat(file.fileno()), path.stat()):
                        raise
    except OSError as error:
        raise unreadable(path, error) from None


def _read_manifest(path: Path) -> Manifest:
    """The manifest at `path`. Raises OSError or StrategyFileError."""
    with open_regular(path) as file:
        return _parse_manifest(path, file.read(MOST_BYTES + 1))


def _parse_manifest(path: Path, text: bytes) -> Manifest:
    """The manifest that stands at `path`."""
    try:
        data = from_json(text, allow_inf_nan=False) if len(text) <= MOST_BYTES else None
        if not isinstance(data, dict):
            raise ValueError  # as for whatever else is no manifest
        if "checksum" not in data and data.get("format") in _OLDER:
            raise MissingStrategyError.say(
                "{file}: was solved by an older version of the program and has to be solved again",
                file=path,
            )
        said = data.pop("checksum", None)
        is_of_now = data.get("format") == Manifest.model_fields["format"].default
        if is_of_now and said != checksum(data):
            raise StrategyFileError.say(
                "{file}: is damaged, it does not say what was written; solve the rules again",
                file=path,
            )
        manifest = Manifest.model_validate(data)
        value_shape(manifest.rules)
    except (ValueError, InvalidRulesError):
        raise StrategyFileError.say(
            "{file}: is not the manifest of a strategy file of this version", file=path
        ) from None
    if manifest.rules.digest != manifest.digest or manifest.rules.score_floor != manifest.floor:
        raise StrategyFileError.say(
            "{file}: its digest or floor is not that of its rules; solve the rules again",
            file=path,
        )
    if path.name != (name := manifest_path(path.parent, manifest.rules).name):
        raise StrategyFileError.say(
            "{file}: is the strategy of other rules, {rules}, whose file is {other}",
            file=path,
            rules=manifest.rules.name,
            other=name,
        )
    return manifest


def _map_values(path: Path, manifest: Manifest, *, anew: bool) -> Values:
    """Map the values of the manifest at `path`, once their hash is found to be right."""
    file = path.with_name(manifest.values)
    shape = value_shape(manifest.rules)
    header = npy_header(shape)
    try:
        with open_regular(file) as opened:
            if opened.read(len(header)) != header:
                raise StrategyFileError.say(
                    "{file}: does not start as a .npy file of float64 in shape {shape}; solve"
                    " the rules again",
                    file=file,
                    shape=shape,
                )
            size = opened.seek(0, os.SEEK_END)
            if size != manifest.bytes or size != len(header) + 8 * math.prod(shape):
                raise StrategyFileError.say(
                    "{file}: has {size:,} bytes, not {right:,}, so it is truncated or damaged;"
                    " solve the rules again",
                    file=file,
                    size=size,
                    right=manifest.bytes,
                )
            found, stamp, is_settled = sha256(opened, anew=anew)
            if found != manifest.sha256:
                raise StrategyFileError.say(
                    "{file}: is damaged, its SHA-256 is {found}… and not {right}…; solve the"
                    " rules again",
                    file=file,
                    found=found[:12],
                    right=manifest.sha256[:12],
                )
            # of the file that is open, as its name may be gone by now
            array = np.memmap(opened, dtype="<f8", mode="r", offset=len(header), shape=shape)
    except (OSError, ValueError) as error:
        # a file that was cut short just now cannot be mapped, which is a ValueError
        raise unreadable(file, error) from None
    mapped = Mapped(str(file), stamp, is_settled, reopen=lambda: _open(path)[1])
    return Values(manifest.rules, array, str(path), mapped)


def prepare_folder(folder: Path) -> None:
    """Make the folder, so that a solve learns at once that it could not keep its result.

    Raises StrategyFileError.
    """
    with locked(folder):
        pass


def save_strategy(solution: Solution, folder: Path) -> tuple[Manifest, Path]:
    """Write a strategy file; returns its manifest and the path of its values.

    Raises StrategyFileError, and then leaves nothing behind.
    """
    rules = solution.rules
    shape = value_shape(rules)

    def describe(stored: Stored) -> Manifest:
        return Manifest(
            rules=rules,
            digest=rules.digest,
            floor=rules.score_floor,
            standings=tuple(blocks(rules)),
            shape=shape,
            tolerance=solution.tolerance,
            sweeps=solution.sweeps,
            largest_relative_change=solution.largest_relative_change,
            error_bound=solution.error_bound,
            states=state_count(rules),
            states_solved=solution.states_solved,
            seconds=solution.seconds,
            **stored._asdict(),
        )

    path = manifest_path(folder, rules)
    return save_values(path, npy_header(shape), solution.values.data, describe=describe)
