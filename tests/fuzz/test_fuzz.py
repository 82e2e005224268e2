"""What fuzzing begins with passes, and what it looks for is found. Fuzzing itself takes longer."""

import json
import logging
from pathlib import Path

import pytest

from tests.fuzz.__main__ import TARGETS, _noting, _place
from tests.fuzz.targets import open_target, seeds, words


@pytest.mark.mostly_slow
@pytest.mark.parametrize("target", TARGETS)
def test_the_examples_pass(target: str, tmp_path: Path) -> None:
    examples = list(seeds(target))
    assert len(examples) >= 3
    with open_target(target, tmp_path) as give:
        # some of each kind: all of them take minutes, and other rules are estimated for seconds
        quick = [one for one in examples if b"rules:" not in one or b"rules:kcd" in one]
        for example in quick[:: max(1, len(quick) // 12)]:
            give(example)
        for odd in (b"", b"\0", b"\xff", b"[]", b"{}", b"[" * 5000):
            give(odd)
    assert words(target)


def test_what_fails_is_noted_once(tmp_path: Path) -> None:
    def give(data: bytes) -> None:
        if b"x" in data:
            raise ZeroDivisionError("x")

    note = _noting(give, tmp_path)
    for data in (b"a", b"x1", b"x2", b"b"):
        note(data)
    [find] = [path for path in tmp_path.iterdir() if path.suffix != ".txt"]
    assert find.read_bytes() == b"x1"
    assert "ZeroDivisionError: x" in find.with_suffix(".txt").read_text()
    assert _place(ZeroDivisionError()) != _place(ValueError())


def test_a_failure_of_the_chat_is_a_find(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.services.advisor.Advisor.advise_on", lambda *_, **__: 1 / 0)
    with open_target("chat", tmp_path) as give, pytest.raises(ZeroDivisionError):
        give(b"/advise 6 5 3 3 3 2 me:0 rules:kcd")


def test_a_failure_in_discord_is_a_find(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.fronts.discord.front.dice_in", lambda _: 1 / 0)
    step = {"do": "menu", "text": "6 5 3 3 3 2"}
    with open_target("discord", tmp_path) as give, pytest.raises(Exception, match="division|fail"):
        give(json.dumps([step]).encode())
    assert logging.getLogger().handlers
