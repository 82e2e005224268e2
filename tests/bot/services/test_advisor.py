"""Questions: what they cost the database, and who may ask them."""

import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, event

from bot.services.advisor import Advisor
from solver.game.standings import Solution
from solver.strategy import save_strategy
from tests.bot.speaking import Chat, open_chat
from tests.conftest import rules_file

WHOLE = "/advise 6 5 3 3 3 2 me:0 rules:facebook"
FORBIDDEN = "The host has forbidden hints in game "


@pytest.fixture
def queries() -> Iterator[list[str]]:
    """Every statement that any program in this process sends to its database."""
    sent: list[str] = []

    def note(_: Any, __: Any, statement: str, *___: Any) -> None:
        sent.append(statement)

    event.listen(Engine, "before_cursor_execute", note)
    yield sent
    event.remove(Engine, "before_cursor_execute", note)


@pytest.fixture
async def other_chat(chat: Chat, data: Path, tmp_path: Path) -> AsyncIterator[Chat]:  # noqa: ARG001
    """A second program on the same database."""
    async with open_chat(tmp_path, data / "strategies") as opened:
        yield opened


async def asked(chat: Chat, line: str, queries: list[str]) -> list[str]:
    """What a question that is answered costs."""
    queries.clear()
    reply = await chat.answer(line)
    assert "error" not in reply.data
    return list(queries)


@pytest.mark.parametrize(
    "line",
    [
        WHOLE,
        "/advise 653332 turn:350 me:4200 them:5000 farkles:1 their-farkles:1 rules:Facebook",
        "/advise 653332 rules:kcd",
        "/advise 6 5 3 3 3 2 on-board:no their-on-board:yes began:me rules:arnold",
        "/odds turn:350 dice:2 me:4200 rules:facebook",
        "/odds rules:kcd",
        "/explain turn:350 dice:2 me:1200 rules:kcd",
        "/explore turn:350 dice:2 me:1200 rules:kcd",
    ],
)
async def test_a_question_with_everything_given_reads_the_games_here_once(
    chat: Chat, queries: list[str], line: str
) -> None:
    statements = await asked(chat, f"ann: {line}", queries)
    # the open games here, and whether one of the place was set aside
    assert len(statements) == 2
    assert all("FROM games" in one or "FROM (SELECT games" in one for one in statements)


@pytest.mark.parametrize("line", ["/advise 653332", "/advise 653332 me:0", "/odds"])
async def test_what_a_place_has_set_holds_from_the_next_question_on(
    chat: Chat, other_chat: Chat, line: str
) -> None:
    before = await chat.say(f"ann: {line}")
    await other_chat.say("ann: /rules use kcd")
    assert await chat.say(f"ann: {line}") != before
    assert await chat.say(f"ann: {line}") == await other_chat.say(f"ann: {line}")


@pytest.mark.slow
async def test_house_rules_are_known_to_every_program(chat: Chat, other_chat: Chat) -> None:
    await chat.say("ann: /rules new sunday base:kcd")
    line = "ann: /advise 653332 me:0 rules:sunday"
    assert await chat.say(line) == await other_chat.say(line)
    await other_chat.say("ann: /rules delete sunday")
    assert 'Unknown rule set "sunday"' in await chat.say(line)


async def test_events_are_read_once_and_again_only_after_others_wrote(
    chat: Chat, other_chat: Chat, queries: list[str]
) -> None:
    def read_events() -> int:
        return sum("FROM events" in one for one in queries)

    await chat.say("ann: /play @bob rules:facebook")
    for line in ("/advise 653332", "/odds", "/games", WHOLE):
        await asked(chat, f"ann: {line}", queries)
        assert read_events() == 0
    await other_chat.say("ann: /roll")
    for number in (1, 0):
        await asked(chat, "ann: /games", queries)
        assert read_events() == number


async def test_hints_stay_forbidden_in_every_program(
    chat: Chat, other_chat: Chat, data: Path, tmp_path: Path
) -> None:
    assert "error" not in (await other_chat.answer(f"ann: {WHOLE}")).data
    await chat.say("ann: /play @bob hints:no")
    async with open_chat(tmp_path, data / "strategies") as later:
        for program in (chat, other_chat, later):
            for line in (WHOLE, "/advise 653332 me:0", "/odds dice:6 rules:facebook", "/advise"):
                assert FORBIDDEN in await program.say(f"bob: {line}")
            assert "error" not in (await program.answer(f"carl: {WHOLE}")).data
    await other_chat.say("ann: /end")
    assert "error" not in (await chat.answer(f"bob: {WHOLE}")).data


async def test_a_position_is_passed_on(chat: Chat) -> None:
    for line in (
        "/advise 5 2 turn:350 me:4200 them:5000 farkles:1",
        "/odds turn:350 dice:2 rules:kcd",
    ):
        first = await chat.answer(f"ann: {line}")
        again = await chat.answer(f"bob: /position {first.data['id']}")
        assert again.text == first.text
        assert again.data == first.data
        assert first.text.endswith(f"\nPosition {first.data['id']}")
    said = await chat.say("/position CZT1-7YZ9-SYX")
    assert "one of its characters is mistyped" in said


async def test_the_event_loop_answers_only_what_is_quick(
    tiny: Solution, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("solver.solved._TICK", 0)  # a file just written counts as settled
    save_strategy(tiny, tmp_path / "strategies")
    rules = rules_file(tmp_path / "tiny.toml")
    in_loop, advise_on = list[bool](), Advisor.advise_on

    def noted(*args: Any, **how: Any) -> Any:
        in_loop.append(threading.current_thread() is threading.main_thread())
        return advise_on(*args, **how)

    monkeypatch.setattr(Advisor, "advise_on", noted)
    asked = f"ann: /advise 5 5 2 me:0 rules:{rules}"
    async with open_chat(tmp_path, tmp_path / "strategies") as chat:
        assert await chat.say(asked) == await chat.say(asked)
        assert "How the turn ends:" in await chat.say(f"{asked} endings:yes")
        save_strategy(tiny, tmp_path / "strategies")  # to be verified first
        assert await chat.say(asked) == await chat.say(asked)
    assert in_loop == [False, True, False, False, True]
