"""The command line where nothing is solved yet."""

from pathlib import Path

import pytest

from tests.bot.cli.test_main import Farkle


@pytest.fixture
def unsolved(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    kernels: Path,
) -> Farkle:
    """With a data folder that has no strategies, but the tests' compiled code."""
    data = tmp_path / "data"
    data.mkdir()
    (data / "kernels").symlink_to(kernels)
    monkeypatch.setenv("FARKLE_DATA", str(data))
    return Farkle(monkeypatch, capsys)
