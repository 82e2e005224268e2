"""Strategy files: start-of-turn values on disk, and the answers that follow from them.

A strategy is two files in one folder. The manifest `<digest>_floor<floor>.json` says which rules
were solved and how well; it names the values, a plain .npy file whose own name holds its hash. The
values are in place before the manifest is put there by renaming, so that a reader sees a whole
strategy or none, whatever happens to the writer.
"""

import hashlib
import io
import math
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt
from filelock import FileLock
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from solver.errors import InvalidRulesError, MissingStrategyError, StrategyFileError
from solver.folders import make_private
from solver.game.endgame import endgame, last_turn
from solver.game.position import Position, is_on_board, points_to_beat
from solver.game.standings import (
    DEFAULT_TOLERANCE,
    Block,
    Ints,
    Solution,
    Standing,
    Standings,
    after_turns,
    blocks,
    many,
    role,
    standing_index,
    standing_indices,
    state_count,
    value_shape,
)
from solver.rules.ruleset import Ruleset
from solver.turn.dice import dice_set
from solver.turn.equations import Endings, Floats, TurnTable, solve_turn
from solver.turn.scoring import turn_plan

_DIGEST_LENGTH = 16


class Manifest(BaseModel):
    """What the JSON file beside the values says of them."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    format: Literal["farkle-strategy-2"] = "farkle-strategy-2"
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


class Strategy:
    """Optimal play of one rule set: the values of a strategy file, and every turn between them."""

    def __init__(self, rules: Ruleset, values: npt.NDArray[np.float64], origin: str) -> None:
        self.rules = rules
        self._values = values
        self._origin = origin
        self._endgame = endgame(rules)
        self._turn = lru_cache(maxsize=256)(self._solve_turn)

    def win_probability(self, position: Position) -> float:
        """Win probability of the player about to start a turn; the position must be possible."""
        if position.opponent >= self.rules.winning_score:
            return float(self.turn(position).roll[0, 0, -1])
        values = self._values_of(position.own, many(position.others), began=position.began)
        return float(values[0])

    def turn(self, position: Position) -> TurnTable:
        """The table of the turn that a position belongs to; the position must be possible."""
        whole = dice_set(self.rules).whole
        return self._turn(replace(position, turn_total=0, hot_dice=0, dice=whole))

    def _solve_turn(self, start: Position) -> TurnTable:
        rules = self.rules
        if start.opponent < rules.winning_score:
            return solve_turn(turn_plan(rules), self._endings(start))
        return last_turn(rules, points_to_beat(rules, start), on_board=is_on_board(rules, start))

    def _endings(self, start: Position) -> Endings:
        """What ending a turn leads to, while nobody has reached the goal."""
        rules, step = self.rules, self.rules.point_step
        plan, ends = turn_plan(rules), self._endgame
        missing = (rules.winning_score - start.banked) // step
        least = rules.least_bank(on_board=start.on_board) // step
        free = rules.least_bank_at(start.banked, on_board=start.on_board) // step
        goal_ends_game = rules.goal_ends_game(last_of_round=not start.began)
        goes_on = 0 if goal_ends_game else ends.beyond
        bank = np.ones(max(missing, least) + goes_on + plan.reach)
        totals = np.arange(missing) * step
        bank[:missing] = self._left(start, points=totals)
        if not goal_ends_game:
            last = ends.last[int(start.opponent_on_board)]
            margin = (rules.winning_score - start.opponent) // step
            bank[missing:] = 1 - last[margin : margin + len(bank) - missing]
        farkle = np.full(len(bank), self._left(start, farkles=True))
        if rules.farkle_keeps_turn_total:
            farkle[free:] = bank[free:]
            farkle[free:missing] = self._left(start, points=totals[free:], farkles=True)
        bank[:free] = np.nan
        return Endings(bank, farkle, float(self._left(start, loses=True)[0]))

    def _left(
        self,
        start: Position,
        points: Ints | int = 0,
        *,
        farkles: bool = False,
        loses: bool = False,
    ) -> Floats:
        """What a player is left with whose turn ends so, for each number of points banked."""
        after = after_turns(
            self.rules, many(start.own, np.size(points)), points, farkles=farkles, loses=loses
        )
        return 1 - self._values_of(start.others, after, began=not start.began)

    def _values_of(self, own: Standing, opponent: Standings, *, began: bool) -> Floats:
        """Win probabilities of a player about to start a turn against opponents."""
        row = standing_index(self.rules, own)
        columns = standing_indices(self.rules, opponent)
        values = np.asarray(self._values[role(self.rules, began=began), row][columns])
        if not np.all((values >= 0) & (values <= 1)):
            raise StrategyFileError.say(
                "{file}: holds values that are no probabilities; solve the rules again",
                file=self._origin,
            )
        return values


def manifest_path(folder: Path, rules: Ruleset) -> Path:
    """Where the manifest of a rule set with its score floor stands."""
    return folder / f"{rules.digest[:_DIGEST_LENGTH]}_floor{rules.score_floor}.json"


def find_manifest(folder: Path, rules: Ruleset) -> Path:
    """The most exact strategy of a rule set.

    Solved to the default tolerance before more roughly; with a floor at or below the rules' own
    before one above it; with the lowest floor. A damaged one comes last.

    Raises MissingStrategyError.
    """

    def inexactness(path: Path) -> tuple[bool, bool, bool, int]:
        try:
            manifest = _parse_manifest(path, path.read_bytes())
        except (OSError, StrategyFileError):
            return True, True, True, 0
        rough = manifest.tolerance > DEFAULT_TOLERANCE
        return False, rough, manifest.floor > rules.score_floor, manifest.floor

    name = re.compile(rf"{rules.digest[:_DIGEST_LENGTH]}_floor(0|-\d+)\.json")
    found = [path for path in folder.glob("*.json") if name.fullmatch(path.name)]
    if not found:
        raise MissingStrategyError.say("{rules} rules are not solved yet", rules=rules.name)
    return min(found, key=inexactness)


def open_strategy(folder: Path, rules: Ruleset) -> Strategy:
    """Open the strategy of a rule set, memory-mapped.

    Raises MissingStrategyError, or StrategyFileError for a file that is damaged or another's.
    """
    path = find_manifest(folder, rules)
    manifest, values = open_values(path)
    solved = manifest.rules.model_copy(update={"name": rules.name})
    return Strategy(solved, values, str(path))


def verify_strategy(path: Path) -> Manifest:
    """Check a strategy file, given by its manifest or its values, down to the hash of every byte.

    Raises StrategyFileError.
    """
    is_values = path.suffix == ".npy"
    stem = path.name.rpartition("-")[0]
    if is_values and not stem:
        raise StrategyFileError(
            f'{path}: is not named like a strategy file, "..._floor...-HASH.npy"'
        )
    named = path.with_name(stem + ".json") if is_values else path
    manifest, _ = open_values(named)
    values = path.with_name(manifest.values)
    if is_values and path != values:
        raise StrategyFileError(f"{path}: is not the file that its manifest {named.name} names")
    try:
        with values.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise _unreadable(values, error) from None
    if found != manifest.sha256:
        raise StrategyFileError(
            f"{values}: is damaged, its SHA-256 is {found[:12]}… and not {manifest.sha256[:12]}…;"
            " solve the rules again"
        )
    return manifest


def open_values(path: Path) -> tuple[Manifest, npt.NDArray[np.float64]]:
    """Read the manifest at `path` and map its values, with every check but that of every byte.

    Raises StrategyFileError.
    """
    try:
        while True:
            with path.open("rb") as file:
                manifest = _parse_manifest(path, file.read())
                try:
                    return manifest, _map_values(path, manifest)
                except StrategyFileError:
                    # another solve may have put new files in their place between the two reads;
                    # as this one is still open, a new manifest is another file
                    if os.path.samestat(os.fstat(file.fileno()), path.stat()):
                        raise
    except OSError as error:
        raise _unreadable(path, error) from None


def _parse_manifest(path: Path, text: bytes) -> Manifest:
    """The manifest that stands at `path`."""
    try:
        manifest = Manifest.model_validate_json(text)
        value_shape(manifest.rules)
    except (ValidationError, InvalidRulesError):
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


def _map_values(path: Path, manifest: Manifest) -> npt.NDArray[np.float64]:
    """Map the values of the manifest at `path`."""
    file = path.with_name(manifest.values)
    shape = value_shape(manifest.rules)
    header = _npy_header(shape)
    try:
        with file.open("rb") as opened:
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
            # of the file that is open, as its name may be gone by now
            return np.memmap(opened, dtype="<f8", mode="r", offset=len(header), shape=shape)
    except OSError as error:
        raise _unreadable(file, error) from None


def prepare_folder(folder: Path) -> None:
    """Make the folder, so that a solve learns at once that it could not keep its result.

    Raises StrategyFileError.
    """
    with _locked(folder):
        pass


def save_strategy(solution: Solution, folder: Path) -> tuple[Manifest, Path]:
    """Write a strategy file; returns its manifest and the path of its values.

    Raises StrategyFileError, and then leaves nothing behind.
    """
    rules = solution.rules
    shape = value_shape(rules)
    manifest_file = manifest_path(folder, rules)
    temporary = folder / f".{manifest_file.stem}.npy.tmp"
    described = folder / f".{manifest_file.stem}.json.tmp"
    with _locked(folder):
        try:
            digest = _write(temporary, _npy_header(shape), solution.values.data)
            manifest = Manifest(
                rules=rules,
                digest=rules.digest,
                floor=rules.score_floor,
                standings=tuple(blocks(rules)),
                shape=shape,
                tolerance=solution.tolerance,
                sweeps=solution.sweeps,
                largest_relative_change=solution.largest_relative_change,
                states=state_count(rules),
                states_solved=solution.states_solved,
                seconds=solution.seconds,
                values=f"{manifest_file.stem}-{digest[:12]}.npy",
                bytes=temporary.stat().st_size,
                sha256=digest,
            )
            _write(described, manifest.model_dump_json(indent=2).encode() + b"\n")
            # all is written: what is left needs no more space
            values_file = folder / manifest.values
            temporary.replace(values_file)
            described.replace(manifest_file)
        finally:
            temporary.unlink(missing_ok=True)
            described.unlink(missing_ok=True)
        for other in folder.glob(f"{manifest_file.stem}-*.npy"):
            if other != values_file:
                other.unlink(missing_ok=True)
    return manifest, values_file


def _npy_header(shape: tuple[int, ...]) -> bytes:
    """The first bytes of a .npy file of float64 in C order, magic number and all."""
    header = io.BytesIO()
    description = {"descr": "<f8", "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(header, description)
    return header.getvalue()


def _write(path: Path, *parts: bytes | memoryview) -> str:
    """Write a file through to the disk; returns its SHA-256."""
    digest = hashlib.sha256()
    with path.open("wb") as file:
        for part in parts:
            digest.update(part)
            file.write(part)
        file.flush()
        os.fsync(file.fileno())
    return digest.hexdigest()


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold the folder's lock; what goes wrong with its files becomes a StrategyFileError."""
    try:
        make_private(folder)
        with FileLock(folder / ".lock"):
            yield
    except OSError as error:
        raise StrategyFileError.say(
            "{folder}: cannot be written ({reason})", folder=folder, reason=_reason(error)
        ) from None


def _unreadable(file: Path, error: OSError) -> StrategyFileError:
    return StrategyFileError.say(
        "{file}: cannot be read ({reason})", file=file, reason=_reason(error)
    )


def _reason(error: OSError) -> str:
    return error.strerror or str(error)
