"""Tests of features, a folder for each; `lines.txt` there is what somebody types of one."""

from pathlib import Path

from bot.features import FEATURES


def lines_of_features() -> list[str]:
    """What is typed of each feature, one after the other."""
    files = [Path(__file__).with_name(name) / "lines.txt" for name in FEATURES]
    return [line for file in files if file.exists() for line in file.read_text().splitlines()]
