"""Files are told apart by what the system says of them, and nothing but a regular one is read."""

import hashlib
import os
import socket
from pathlib import Path

import pytest

import solver.solved
from solver.solved import Stamp, has_stamp, open_regular, sha256


def digest(path: Path, *, anew: bool = False) -> str:
    with open_regular(path) as file:
        return sha256(file, anew=anew)[0]


def test_only_regular_files_are_opened(tmp_path: Path) -> None:
    """Each of these would wait for ever, or give bytes for ever, if it were read."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "zero").symlink_to("/dev/zero")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "folder").mkdir()
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "socket"))
        for name in ("pipe", "zero", "loop", "folder", "socket", "absent"):
            with pytest.raises(OSError, match=name):
                open_regular(tmp_path / name)
    (tmp_path / "file").write_bytes(b"here")
    (tmp_path / "link").symlink_to(tmp_path / "file")
    with open_regular(tmp_path / "link") as file:
        assert file.read() == b"here"


def test_a_write_leaves_another_stamp(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"one")
    for change in (
        lambda: os.truncate(file, 2),
        lambda: file.write_bytes(b"three"),
        lambda: file.replace(file.with_suffix(".old")) and file.write_bytes(b"three"),
        file.unlink,
    ):
        before = Stamp.of(file.stat())
        assert has_stamp(str(file), before)
        while not before.is_settled():
            pass
        change()
        assert not has_stamp(str(file), before)


def test_a_hash_is_computed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read = []

    def count(*args: object) -> "hashlib._Hash":
        read.append(args)
        return file_digest(*args)  # type: ignore[arg-type]

    file_digest = hashlib.file_digest
    monkeypatch.setattr(hashlib, "file_digest", count)
    file = tmp_path / "file"
    file.write_bytes(b"one" * 1000)
    expected = hashlib.sha256(b"one" * 1000).hexdigest()
    assert digest(file) == digest(file) == expected
    assert len(read) == 2  # so fresh that another write might not be seen
    while not Stamp.of(file.stat()).is_settled():
        pass
    for _ in range(3):
        assert digest(file) == expected
    assert len(read) == 3
    assert digest(file, anew=True) == expected
    assert len(read) == 4
    file.write_bytes(b"two" * 1000)
    assert digest(file) == hashlib.sha256(b"two" * 1000).hexdigest()


def test_few_hashes_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solver.solved, "_hashes", {})
    monkeypatch.setattr(solver.solved, "_TICK", 0)
    monkeypatch.setattr(solver.solved, "_KEPT", 3)
    for number in range(8):
        file = tmp_path / str(number)
        file.write_text(str(number))
        assert digest(file) == hashlib.sha256(str(number).encode()).hexdigest()
        assert 1 <= len(solver.solved._hashes) <= 3


def test_a_time_in_the_future_is_settled() -> None:
    """As after a clock was set back: else such a file would be read again for every answer."""
    assert Stamp(1, 2, 3, 4, 2**62).is_settled()
    assert Stamp(1, 2, 3, 4, 5).is_settled()
