"""Folders of one's own: what is made for nobody else, and what code is loaded."""

import os
import resource
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from filelock import FileLock, Timeout

from solver.batch.local import compiled_code
from solver.errors import SolveError
from solver.folders import is_ours, keep_private, make_private, one_at_a_time, write_whole
from solver.game.kernel_source import load_turn
from solver.rules.file import load_rules
from solver.solved import prepare_folder
from solver.turn.equations import turn_plan


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("mask", [0o000, 0o277])
def test_what_is_made_is_its_owners_alone(tmp_path: Path, mask: int) -> None:
    before = os.umask(mask)
    try:
        make_private(tmp_path / "a" / "b")
        assert not keep_private(tmp_path / "a" / "file")
    finally:
        os.umask(before)
    assert [mode(tmp_path / name) for name in ("a", "a/b", "a/file")] == [0o700, 0o700, 0o600]


def test_a_full_disk_leaves_what_was_there(tmp_path: Path) -> None:
    file, link, new = (tmp_path / name for name in ("file", "link", "new"))
    write_whole(file, b"before")
    link.symlink_to(file)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
    try:
        for path in (file, link, new):
            with pytest.raises(OSError, match="File too large"):
                write_whole(path, bytes(1000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {
        "file": b"before",
        "link": b"before",
    }
    write_whole(link, b"after")
    assert link.is_symlink()
    assert file.read_bytes() == b"after"


def test_what_is_written_anew_stays_its_owners_alone(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch(mode=0o600)
    write_whole(file, b"content")
    assert (mode(file), file.read_bytes()) == (0o600, b"content")


def test_a_link_that_leads_to_itself_is_no_file(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(link)
    with pytest.raises(OSError, match="Too many levels"):
        write_whole(link, b"content")


def test_a_device_takes_what_is_written(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_whole(pipe, b"content")
    assert os.read(reader, 100) == b"content"
    os.close(reader)
    assert pipe.is_fifo()


def test_a_pipe_without_a_name_takes_what_is_written() -> None:
    """As standard output in "--out /dev/stdout | less"."""
    reader, writer = os.pipe()
    write_whole(Path(f"/dev/fd/{writer}"), b"content")
    assert os.read(reader, 100) == b"content"
    os.close(reader)
    os.close(writer)


def test_strategy_files_are_their_owners_alone(tmp_path: Path) -> None:
    prepare_folder(tmp_path / "data" / "strategies")
    assert [mode(tmp_path / name) for name in ("data", "data/strategies")] == [0o700, 0o700]


def test_what_is_there_stays_open_to_those_who_use_it(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    make_private(tmp_path)
    assert mode(tmp_path) == 0o755


@pytest.mark.parametrize("kind", ["folder", "file", "folder in it"])
def test_where_others_can_write_is_not_ours(tmp_path: Path, kind: str) -> None:
    tmp_path.chmod(0o755)
    (tmp_path / "in").mkdir(mode=0o755)
    (tmp_path / "in" / "code").touch(0o644)
    assert is_ours(tmp_path)
    odd = {"folder": tmp_path, "file": tmp_path / "in" / "code", "folder in it": tmp_path / "in"}
    odd[kind].chmod(0o777)
    assert not is_ours(tmp_path)
    if kind != "folder":
        tmp_path.chmod(0o700)  # nobody comes there
        assert is_ours(tmp_path)


def test_what_is_renamed_meanwhile_is_still_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As numba does with all code that it keeps."""
    tmp_path.chmod(0o755)
    (tmp_path / "in").mkdir(mode=0o755)
    files = [tmp_path / "new", tmp_path / "in" / "new"]
    for file in files:
        file.touch()
    listed = os.scandir

    @contextmanager
    def scandir(folder: Path | str) -> Iterator[Iterator[os.DirEntry[str]]]:
        with listed(folder) as entries:
            found = list(entries)
        (Path(folder) / "new").rename(Path(folder) / "kept")
        yield iter(found)

    monkeypatch.setattr(os, "scandir", scandir)
    assert is_ours(tmp_path)
    assert not any(file.exists() for file in files)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_what_is_another_users_is_not_ours(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    (tmp_path / "code").touch()
    os.chown(tmp_path / "code", 12345, -1)
    assert not is_ours(tmp_path)


def test_code_that_others_could_change_is_never_run(tmp_path: Path) -> None:
    plan = turn_plan(load_rules("kcd"))
    tmp_path.chmod(0o777)
    with pytest.raises(SolveError, match="compiled code is loaded only from a folder"):
        load_turn(plan, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_code_that_others_could_change_is_made_anew(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "kernels"
    folder.mkdir()
    (folder / "theirs.py").touch()
    folder.chmod(0o777)
    with compiled_code(folder) as cache:
        assert cache == folder
        assert (mode(folder), list(folder.iterdir())) == (0o700, [])
    assert "others can write there" in caplog.text
    (tmp_path / "linked").symlink_to(folder)
    folder.chmod(0o777)
    with compiled_code(tmp_path / "linked") as cache:  # whose link cannot be deleted
        assert cache != folder
        assert is_ours(cache)


def test_one_program_at_a_time(tmp_path: Path) -> None:
    folder = tmp_path / "new"
    with one_at_a_time(folder):
        with pytest.raises(Timeout):
            FileLock(folder / ".lock", timeout=0).acquire()
        assert folder.stat().st_mode & 0o777 == 0o700
        assert (folder / ".lock").stat().st_mode & 0o777 == 0o600
    FileLock(folder / ".lock", timeout=0).acquire()


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for folder in ("file", "file/below"):
        with pytest.raises(NotADirectoryError) as refused:
            make_private(tmp_path / folder)
        assert refused.value.filename == str(tmp_path / "file")
