"""Files of something solved: a line that says what it is, and the values behind it.

The line is JSON, the manifest: what was solved, the shapes of the arrays of values, their SHA-256,
and a checksum of all that the manifest says. The arrays follow, one after the other, as float64 in
little-endian order. A file is written whole and then renamed into its place, so that a reader sees
a whole one or none, whatever happens to the writer. It is opened only if every byte is what was
written: a damaged file is refused, and gives no wrong answer.

The operating system's stamp of a file (where it lies, its size, when it was changed) tells whether
a content that was read before is still there, without reading it again.

This module loads no NumPy before a file is opened: the chat looks for whole files before its
prompt.
"""

import errno
import hashlib
import json
import math
import os
import stat
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from io import BufferedReader
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, Generic, Literal, NamedTuple, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field
from pydantic_core import from_json

from solver.errors import FarkleError, MissingStrategyError, StrategyFileError, system_reason
from solver.folders import OWNER_ONLY, make_private, one_at_a_time
from solver.rules.ruleset import Ruleset
from solver.wording import say

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

FORMAT: Final = "farkle-solved-1"
"""What every manifest says first, with the version of all such files."""

Shapes = tuple[tuple[int, ...], ...]

MOST_BYTES = 1_000_000
"""Length of a manifest: whatever is longer is something else."""

SUFFIX = ".solved"

_ALIGNED = 64
"""The manifest's line is a multiple of so many bytes, so that the values begin where numbers in
memory may."""

DIGEST_LENGTH = 16
"""Hex digits of the digest of what was solved, by which files are named."""
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)

_TICK = 100_000_000
"""Nanoseconds in which two writes may leave the same stamp, as clocks of file systems tick."""

_KEPT = 1024
"""Hashes that are kept in memory."""


class Stamp(NamedTuple):
    """What tells one content of a file from another; times in nanoseconds."""

    device: int
    inode: int
    size: int
    modified: int
    changed: int
    """When the file or what describes it was changed last, which nobody can set."""

    @classmethod
    def of(cls, status: os.stat_result) -> "Stamp":
        """The stamp of a file with this status."""
        return cls(
            status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns
        )

    def is_settled(self) -> bool:
        """Whether a write from now on leaves another stamp: the last one is long enough ago."""
        return not 0 <= time.time_ns() - self.changed < _TICK


_hashes: dict[Stamp, str] = {}


def open_regular(path: Path) -> BufferedReader:
    """Open a regular file for reading, without waiting for whatever else it may be.

    Raises OSError, also for a pipe, a socket, a device or a folder.
    """
    descriptor = os.open(path, _FLAGS)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, say("it is not a regular file"), str(path))
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def sha256(file: BufferedReader, begin: int = 0, *, anew: bool = False) -> tuple[str, Stamp, bool]:
    """Return the hash of an open file, its stamp before it was read, and whether that is settled.

    begin : where the bytes begin whose SHA-256 (hex) is returned

    A file with a stamp that is settled is read once in a process, or again if `anew`.
    """
    stamp = Stamp.of(os.fstat(file.fileno()))
    settled = stamp.is_settled()
    digest = None if anew else _hashes.get(stamp)
    if digest is None:
        file.seek(begin)
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        if settled:
            if len(_hashes) >= _KEPT:
                _hashes.clear()
            _hashes[stamp] = digest
    return digest, stamp, settled


def has_stamp(file: str, stamp: Stamp) -> bool:
    """Whether the file of this name is still the one with the stamp, unchanged."""
    try:
        return Stamp.of(os.stat(file)) == stamp  # noqa: PTH116 - five times as fast as Path.stat
    except OSError:
        return False


class Manifest(BaseModel):
    """What the first line of a file says of its values."""

    # most programs open files of one kind
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, defer_build=True)

    format: Literal["farkle-solved-1"] = FORMAT
    kind: str
    """What was solved; every kind has manifests of its own, and this is a constant of theirs."""
    file: str
    """The name of the file."""
    rules: Ruleset
    digest: str
    """SHA-256 (hex) of what decides play, by which the file is named."""
    shapes: Shapes = ()
    """The shapes of the arrays, in their order."""
    states_solved: int = Field(ge=1)
    """States (t, dice to roll, ...) whose value was computed, each as often as it was."""
    seconds: float = Field(gt=0)
    sha256: str = ""
    """The hash (hex) of all values."""
    reported: ClassVar[tuple[str, ...]]
    """The names of what a solve reports beside the rules."""

    @classmethod
    def of(cls, solution: Any, digest: str, what: str, **said: Any) -> Self:
        """Return what is said of a solution: what it has under the same names, and all else.

        what : as for `file_name`
        """
        facts = {name: getattr(solution, name, None) for name in cls.model_fields}
        facts |= {"digest": digest, "file": file_name(digest, what), **said}
        return cls(**{name: value for name, value in facts.items() if value is not None})

    @property
    def right(self) -> tuple[str, Shapes]:
        """Return the digest and the shapes that this program gives what was solved.

        Raises FarkleError where nothing like that can be solved.
        """
        raise NotImplementedError

    @property
    def values(self) -> int:
        """Return the number of values."""
        return sum(map(math.prod, self.shapes))

    @property
    def title(self) -> str:
        """Return what was solved, in words."""
        return f"{self.rules.name} rules for {self.kind}"

    @property
    def figures(self) -> dict[str, Any]:
        """Return what a solve reports, as plain data."""
        figures = {name: getattr(self, name) for name in self.reported}
        return {"rules": self.rules.name, "digest": self.digest, **figures}

    @property
    def states_per_second(self) -> float:
        """Return how many states were solved per second, each as often as it was."""
        return self.states_solved / self.seconds


M = TypeVar("M", bound=Manifest)


class Opened(NamedTuple, Generic[M]):
    """A file whose every byte was verified, with its values mapped into memory."""

    path: Path
    manifest: M
    arrays: "tuple[npt.NDArray[np.float64], ...]"
    """Read-only, in the shapes that the manifest says."""
    stamp: Stamp
    """What told the file from others when it was verified."""
    is_settled: bool
    """Whether the stamp tells the file from all that may be written after it."""

    @property
    def is_unchanged(self) -> bool:
        """Whether the file is still the one that was mapped."""
        return has_stamp(str(self.path), self.stamp)

    @property
    def is_at_hand(self) -> bool:
        """Whether the values hold as they are, and nothing has to be verified first."""
        return self.is_settled and self.is_unchanged

    def as_it_is(self) -> "Opened[M]":
        """Return this, or what the file is now. Raises StrategyFileError."""
        return self if self.is_at_hand else open_solved(self.path, type(self.manifest))


def save_solved(folder: Path, manifest: M, *arrays: "npt.NDArray[np.float64]") -> tuple[M, Path]:
    """Write a file of something solved, in place of an older one of the same.

    manifest : what was solved, still without the shapes and the hash of the values

    Returns the whole manifest, and the path of the file. Raises StrategyFileError, and then leaves
    nothing behind.
    """
    values = [array.astype("<f8", order="C", copy=False).data for array in arrays]
    digest = hashlib.sha256()
    for content in values:
        digest.update(content)
    shapes = tuple(array.shape for array in arrays)
    whole = manifest.model_copy(update={"shapes": shapes, "sha256": digest.hexdigest()})
    said = whole.model_dump(mode="json")
    line = json.dumps(said | {"checksum": _checksum(said)}).encode()
    line += b" " * (-(len(line) + 1) % _ALIGNED) + b"\n"
    path = folder / whole.file
    temporary = path.with_name(f".{path.name}.tmp")
    with _locked(folder):
        try:
            with temporary.open("wb") as file:
                file.write(line)
                for content in values:
                    file.write(content)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
    return whole, path


def prepare_folder(folder: Path) -> None:
    """Make a folder for such files, so that a solve learns at once that it could keep nothing.

    Raises StrategyFileError.
    """
    with _locked(folder):
        pass


@contextmanager
def alone_at(file: Path) -> Iterator[bool]:
    """Hold a lock file while inside; false where somebody has it, here or in another program.

    It passes on as soon as its holder has ended, however that came. Raises StrategyFileError where
    the folder cannot be written.
    """
    from filelock import FileLock, Timeout  # noqa: PLC0415 - 7 ms, of what writes

    lock = FileLock(file, blocking=False, mode=OWNER_ONLY)
    with writable(file.parent):
        make_private(file.parent)
        with suppress(Timeout):
            lock.acquire()
    try:
        yield lock.is_locked
    finally:
        lock.release()


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder, which is made if need be. Raises StrategyFileError."""
    with writable(folder), one_at_a_time(folder):
        yield


@contextmanager
def writable(folder: Path) -> Iterator[None]:
    """Turns what the system says of a folder that cannot be written into a StrategyFileError."""
    try:
        yield
    except OSError as error:
        raise StrategyFileError.say(
            "{folder}: cannot be written ({reason})", folder=folder, reason=system_reason(error)
        ) from None


def open_solved(path: Path, *kinds: type[M], anew: bool = False) -> Opened[M]:
    """Open a file of one of these kinds, once every byte is found to be what was written.

    anew : also read again what was found to be whole before in this process

    Raises StrategyFileError.
    """
    import numpy as np  # noqa: PLC0415 - 40 ms before the prompt

    try:
        with open_regular(path) as file:
            manifest, begin = _parse(path, kinds, file)
            digest, stamp, is_settled = sha256(file, begin, anew=anew)
            if digest != manifest.sha256:
                raise _damaged(path)
            # of the file that is open, as its name may be another's by now
            whole = np.memmap(file, dtype="<f8", mode="r", offset=begin, shape=(manifest.values,))
    except (OSError, ValueError) as error:
        # a file that was cut short just now cannot be mapped, which is a ValueError
        raise _unreadable(path, error) from None
    ends = np.cumsum([math.prod(shape) for shape in manifest.shapes])
    parts = np.split(whole, ends[:-1])
    arrays = (part.reshape(shape) for part, shape in zip(parts, manifest.shapes, strict=True))
    return Opened(path, manifest, tuple(arrays), stamp, is_settled)


def read_manifest(path: Path, kind: type[M]) -> M:
    """Read what a file of a kind says of its values, which are not looked at.

    Raises StrategyFileError.
    """
    try:
        with open_regular(path) as file:
            return _parse(path, (kind,), file)[0]
    except OSError as error:
        raise _unreadable(path, error) from None


def file_name(digest: str, what: str) -> str:
    """Return the name of a file of what has this digest."""
    return f"{digest[:DIGEST_LENGTH]}_{what}{SUFFIX}"


def has_whole(folder: Path, digest: str, what: str) -> bool:
    """Whether a folder has a file of what has this digest, every byte as it was written.

    what : as for `file_name`, with the wildcards of `Path.glob`
    """
    for path in folder.glob(file_name(digest, what)):
        with suppress(OSError, ValueError), open_regular(path) as file:
            said, begin = _unsealed(file)
            right = {"format": FORMAT, "file": path.name, "digest": digest}
            if right.items() <= said.items() and said.get("sha256") == sha256(file, begin)[0]:
                return True
    return False


def _parse(path: Path, kinds: Sequence[type[M]], file: BufferedReader) -> tuple[M, int]:
    """Return the manifest of an open file, and where its values begin.

    Raises OSError and StrategyFileError.
    """
    try:
        said, begin = _unsealed(file)
        if said.get("format") != FORMAT:
            raise MissingStrategyError.say(
                "{file}: was solved by another version of the program and has to be solved again",
                file=path,
            )
        by_name = {kind.model_fields["kind"].default: kind for kind in kinds}
        manifest = by_name[str(said.get("kind"))].model_validate(said)
        if (manifest.digest, manifest.shapes) != manifest.right:
            raise ValueError
    except StrategyFileError:
        raise
    except (KeyError, ValueError, FarkleError):
        raise _damaged(path) from None
    if manifest.file != path.name:
        raise StrategyFileError.say(
            "{file}: is the strategy of something else, {rules} rules, whose file is {other}",
            file=path,
            rules=manifest.rules.name,
            other=manifest.file,
        )
    return manifest, begin


def _unsealed(file: BufferedReader) -> tuple[dict[str, Any], int]:
    """Return what the manifest of an open file says, and where the values begin.

    Raises OSError, and ValueError where it is none, or not as it was written.
    """
    line = file.readline(MOST_BYTES)
    said = from_json(line, allow_inf_nan=False)
    if not isinstance(said, dict) or said.pop("checksum", None) != _checksum(said):
        raise ValueError
    return said, len(line)


def _checksum(said: dict[str, Any]) -> str:
    """Return the SHA-256 (hex) of all that a manifest says."""
    text = json.dumps(said, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _damaged(path: Path) -> StrategyFileError:
    return StrategyFileError.say(
        "{file}: is damaged, or not a file of this version of the program; solve it again",
        file=path,
    )


def _unreadable(path: Path, error: OSError | ValueError) -> StrategyFileError:
    return StrategyFileError.say(
        "{file}: cannot be read ({reason})", file=path, reason=system_reason(error)
    )
