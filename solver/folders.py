"""Folders and files that their owner alone may read, and whether what is in them is ours."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from errno import ENOTDIR
from pathlib import Path
from secrets import token_hex

OWNER_ONLY = 0o600
"""Mode of a file that its owner alone reads and writes."""
_OWNER_ONLY_FOLDER = 0o700
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def make_private(folder: Path) -> None:
    """Make a folder, and those above it that are missing, for their owner alone.

    One that is there already stays as it is. Raises OSError.
    """
    if folder.is_dir():
        return
    if folder.parent != folder:
        make_private(folder.parent)
    try:
        folder.mkdir(_OWNER_ONLY_FOLDER, exist_ok=True)
    except FileExistsError:  # and is no folder
        raise NotADirectoryError(ENOTDIR, os.strerror(ENOTDIR), str(folder)) from None
    folder.chmod(_OWNER_ONLY_FOLDER)  # whatever the umask is


def keep_private(file: Path) -> bool:
    """Have the owner alone read and write a file, which is made if need be.

    Returns whether others could do so before. Raises OSError.
    """
    with suppress(FileExistsError):
        os.close(os.open(file, os.O_RDWR | os.O_CREAT | os.O_EXCL, OWNER_ONLY))
        file.chmod(OWNER_ONLY)  # whatever the umask is
    # by its name: a database that is opened and closed a second time loses its locks
    if were_others := is_open_to_others(file):
        file.chmod(OWNER_ONLY)
    return were_others


def write_whole(path: Path, content: bytes) -> None:
    """Write a file, whole or not at all, over what was there. Raises OSError."""
    before = None
    with suppress(FileNotFoundError):  # what has no mode is new
        before = path.stat().st_mode
    if before and not stat.S_ISREG(before):  # such as a pipe, which somebody reads
        path.write_bytes(content)
        return
    path = path.resolve()  # what a link leads to, and not the link
    temporary = path.with_name(f".farkle-{token_hex(8)}.tmp")
    # "x": in a folder of many, never through what somebody else has put there
    file = temporary.open("xb")
    try:
        with file:
            if before:
                temporary.chmod(stat.S_IMODE(before))
            file.write(content)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def one_at_a_time(folder: Path) -> Iterator[None]:
    """Lets one program at a time do something in a folder, which is made if need be.

    Whoever has it already waits for itself. Raises OSError.
    """
    from filelock import FileLock  # noqa: PLC0415 - 7 ms, of what writes

    make_private(folder)
    with FileLock(folder / ".lock", mode=OWNER_ONLY):
        yield


def is_open_to_others(path: Path) -> bool:
    """Whether others than the owner may do anything with a file, if it is there."""
    try:
        return os.name == "posix" and bool(path.stat().st_mode & _OTHERS)
    except OSError:
        return False


def is_ours(folder: Path) -> bool:
    """Whether a folder and all in it belong to who runs this, and nobody else can write there.

    The folders above are not looked at: who can move this one away cannot put one of ours there.
    Where there are no owners, as in Windows, every folder is.
    """
    if not hasattr(os, "geteuid"):
        return True
    folder = folder.resolve()
    try:
        status = folder.lstat()
        if not _is_own(status):
            return False
        if not status.st_mode & _OTHERS:
            return True  # nobody else comes in
        return _holds_own(folder)
    except OSError:
        return False


def _holds_own(folder: Path | str) -> bool:
    with os.scandir(folder) as entries:
        return all(map(_is_own_entry, entries))


def _is_own_entry(entry: os.DirEntry[str]) -> bool:
    with suppress(FileNotFoundError):  # by now: files are put in their places while others look
        return _is_own(entry.stat(follow_symlinks=False)) and (
            not entry.is_dir(follow_symlinks=False) or _holds_own(entry.path)
        )
    return True


def _is_own(status: os.stat_result) -> bool:
    writable = not stat.S_ISLNK(status.st_mode) and status.st_mode & _OTHERS_WRITE
    return status.st_uid == os.geteuid() and not writable
