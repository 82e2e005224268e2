"""What fuzzing begins with passes, and what it looks for is found. Fuzzing itself takes longer."""

import json
import logging
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.bot.odd_text import ACTED_ON, HIDDEN
from tests.fuzz.__main__ import TARGETS, _noting, _place
from tests.fuzz.targets import open_target, seeds, words


@pytest.mark.slow
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


_ODD = st.sampled_from(
    [*ACTED_ON, *HIDDEN, "<script>x</script>", '"><b onclick=x>', "653332", "kcd"]
)
_TEXT = st.one_of(_ODD, st.text(max_size=20), st.integers(-9, 99_999).map(str))
_NAMES = st.sampled_from(
    [
        *("dice", "turn", "me", "them", "rules", "goal", "my-dice", "my-badge", "find", "name"),
        *("base", "level", "press", "chose", "do", "mask", "v", "since", "ask", "sure"),
        *("choose", "lang"),
    ]
)
_GIVEN = st.dictionaries(_NAMES, _TEXT, max_size=4)
_PATHS = st.sampled_from(
    [
        *("/", "/odds", "/explore", "/play", "/game/GAME", "/game/GAME/review", "/rules"),
        *("/rules/new", "/rules/kcd", "/kingdom", "/numbers", "/daily", "/told/00000000"),
        *("/press", "/forget", "/p/CZT1-7YZ9-SYP", "/api/v1/advise", "/api", "/points.csv"),
        *("/map/win.svg", "/at/turn"),
    ]
)
_STEPS = st.fixed_dictionaries(
    {"path": st.one_of(_PATHS, _TEXT)}, optional={"query": _GIVEN, "form": _GIVEN, "cookie": _TEXT}
)


@pytest.mark.slow
def test_no_request_makes_a_page_fail(tmp_path: Path) -> None:
    with open_target("pages", tmp_path) as give:

        @settings(suppress_health_check=[HealthCheck.too_slow])
        @given(st.lists(_STEPS, min_size=1, max_size=4))
        def try_steps(steps: list[dict[str, object]]) -> None:
            give(json.dumps(steps).encode())

        try_steps()


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
