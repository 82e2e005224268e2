"""Files by what they hold: regular ones only, their hashes, and whether they are still the same.

The operating system's stamp of a file (where it lies, its size, when it was changed) tells whether
a content that was read before is still there, without reading it again.
"""

import errno
import hashlib
import os
import stat
import time
from io import BufferedReader
from pathlib import Path
from typing import NamedTuple

from solver.errors import StrategyFileError
from solver.folders import make_private
from solver.wording import say

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
    found = None if anew else _hashes.get(stamp)
    if found is None:
        file.seek(begin)
        found = hashlib.file_digest(file, "sha256").hexdigest()
        if settled:
            if len(_hashes) >= _KEPT:
                _hashes.clear()
            _hashes[stamp] = found
    return found, stamp, settled


def write_whole(path: Path, text: str) -> None:
    """Write a text file in a folder of one's own, whole or not at all.

    Raises StrategyFileError.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        make_private(path.parent)
        try:
            temporary.write_text(text)
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        reason = error.strerror or str(error)
        raise StrategyFileError(f"{path}: cannot be written ({reason})") from None


def has_stamp(file: str, stamp: Stamp) -> bool:
    """Whether the file of this name is still the one with the stamp, unchanged."""
    try:
        return Stamp.of(os.stat(file)) == stamp  # noqa: PTH116 - five times as fast as Path.stat
    except OSError:
        return False
