"""Files of solved games: values by their hash, and the manifests that describe them, sealed.

A manifest is JSON that holds a checksum of all else that it says. Values and manifest are in place
whole or not at all, whatever happens to the writer.
"""

import hashlib
import io
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from pydantic import BaseModel
from pydantic_core import from_json

from solver.errors import StrategyFileError, system_reason
from solver.folders import make_private

M = TypeVar("M", bound=BaseModel)

MOST_BYTES = 1_000_000
"""Length of a manifest: whatever is longer is something else."""


class Stored(NamedTuple):
    """The file of values that a manifest describes, by the names that its fields have there."""

    values: str
    bytes: int
    sha256: str


def checksum(data: dict[str, Any]) -> str:
    """SHA-256 (hex) of all that a manifest says, but for its checksum."""
    text = json.dumps(data, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def sealed(manifest: BaseModel) -> dict[str, Any]:
    """All that a manifest says, with its checksum."""
    said = manifest.model_dump(mode="json")
    said["checksum"] = checksum(said)
    return said


def unsealed(text: bytes) -> dict[str, Any]:
    """What a sealed manifest says. Raises ValueError where it is none, or not as it was written."""
    data = from_json(text, allow_inf_nan=False) if len(text) <= MOST_BYTES else None
    if not isinstance(data, dict) or data.pop("checksum", None) != checksum(data):
        raise ValueError("no sealed manifest")
    return data


def npy_header(shape: tuple[int, ...]) -> bytes:
    """The first bytes of a .npy file of float64 in C order, magic number and all."""
    # who only looks whether something is sealed waits for none of it
    import numpy as np  # noqa: PLC0415

    header = io.BytesIO()
    description = {"descr": "<f8", "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(header, description)
    return header.getvalue()


def save_values(
    manifest_file: Path, *parts: bytes | memoryview, describe: Callable[[Stored], M]
) -> tuple[M, Path]:
    """Write values beside a manifest that is made of where and what they are.

    parts : the content of the file of values, which is named after the manifest and its own hash

    Returns the manifest and the path of the values. Raises StrategyFileError, and then leaves
    nothing behind.
    """
    folder, stem = manifest_file.parent, manifest_file.stem
    temporary, described = folder / f".{stem}.npy.tmp", folder / f".{stem}.json.tmp"
    with locked(folder):
        try:
            digest = write_through(temporary, *parts)
            stored = Stored(f"{stem}-{digest[:12]}.npy", temporary.stat().st_size, digest)
            manifest = describe(stored)
            write_through(described, json.dumps(sealed(manifest), indent=2).encode() + b"\n")
            # all is written: what is left needs no more space
            values_file = folder / stored.values
            temporary.replace(values_file)
            described.replace(manifest_file)
        finally:
            temporary.unlink(missing_ok=True)
            described.unlink(missing_ok=True)
        for other in folder.glob(f"{stem}-*.npy"):
            if other != values_file:
                other.unlink(missing_ok=True)
    return manifest, values_file


def write_through(path: Path, *parts: bytes | memoryview) -> str:
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
def writable(folder: Path) -> Iterator[None]:
    """A folder of one's own; what goes wrong with its files becomes a StrategyFileError."""
    try:
        make_private(folder)
        yield
    except OSError as error:
        raise StrategyFileError.say(
            "{folder}: cannot be written ({reason})", folder=folder, reason=system_reason(error)
        ) from None


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """The same, with the folder's lock held."""
    # who only reads waits for none of it
    from filelock import FileLock  # noqa: PLC0415

    with writable(folder), FileLock(folder / ".lock"):
        yield


def unreadable(file: Path, error: OSError | ValueError) -> StrategyFileError:
    """That a file cannot be read, and why."""
    return StrategyFileError.say(
        "{file}: cannot be read ({reason})", file=file, reason=system_reason(error)
    )
