"""What fails inside: told by an id, found in the log under it, without secrets."""

import json
import logging
import re
import secrets
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from bot.chat.commands import Line
from bot.cli import main
from bot.fronts.discord.front import DiscordFront
from bot.log import LogFile, LogFormatter, failed, open_log
from bot.services.advisor import Advisor
from bot.services.tables import Tables
from bot.settings import Settings
from bot.table.events import make_event
from bot.wiring import open_parts
from tests.bot.fronts.discord.heard import Heard
from tests.bot.speaking import open_chat

SECRET = secrets.token_bytes(32)
TOLD = re.compile(
    r"Something went wrong in the program, which is not your fault; whoever runs it finds"
    r" the error in the log under"
    r" ([0-9a-f]{8})\."
)


def broken(*_: Any) -> None:
    raise ZeroDivisionError(f"of {SECRET!r}, {SECRET.hex()} and token-of-the-bot")


@pytest.fixture
def log(tmp_path: Path) -> Any:
    """The log file of a program, which has the token left out."""
    path = tmp_path / "farkle.log"
    before = logging.getLogger().level
    open_log(LogFile(path), "warning", hidden=["token-of-the-bot"])
    yield path
    open_log(logging.NullHandler(), "warning")
    for one in list(logging.getLogger().handlers):
        if isinstance(one, logging.NullHandler):
            logging.getLogger().removeHandler(one)
    logging.getLogger().setLevel(before)


def check_logged(path: Path, number: str) -> None:
    text = path.read_text("utf-8")
    assert f"ERROR bot.log: {number}: failed in " in text
    assert "Traceback (most recent call last)" in text
    assert "ZeroDivisionError: of [secret], [secret] and [token]" in text
    assert SECRET.hex() not in text
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


async def test_who_asks_is_told_the_id(
    tmp_path: Path, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Tables, "open_at", broken)
    async with open_chat(tmp_path) as chat:
        reply = await chat.answer("/games")
    assert reply.private
    found = TOLD.fullmatch(reply.text)
    assert found
    assert reply.data == {"error": reply.text, "fault": found[1]}
    check_logged(log, found[1])


async def test_so_is_who_asks_in_discord(
    tmp_path: Path, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_parts(Settings(data=tmp_path), Advisor(tmp_path)) as parts:
        front = DiscordFront(parts.commands, parts.pressing)
        for where in ("Tables.open_at", "Tables.find"):
            monkeypatch.setattr(f"bot.services.tables.{where}", broken)
        monkeypatch.setattr("bot.fronts.discord.asking.caller_of", broken)
        for name in ("games", "show"):
            interaction: Any = Heard("Ann")
            await front.run(interaction, name, Line((), {}))
            [text] = interaction.said
            found = TOLD.fullmatch(text)
            assert found
            check_logged(log, found[1])


@pytest.mark.usefixtures("log")
def test_a_command_line_that_fails_says_where(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FARKLE_DATA", str(tmp_path))
    monkeypatch.setattr("sys.argv", ["farkle", "advise", "1"])
    monkeypatch.setattr("bot.cli.advise.dice_and_numbers", broken)
    sentence, status = main.run()
    assert status == main.EXIT_FAILED
    found = re.search(r"not your fault; the log has it under ([0-9a-f]{8}) \((.+)\)$", sentence)
    assert found
    assert Path(found[2]) == tmp_path / "farkle.log"
    text = Path(found[2]).read_text("utf-8")
    assert f"{found[1]}: failed in a command" in text
    assert SECRET.hex() not in text


def test_no_log_is_made_while_nothing_fails(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "bot", "rules", "kcd"]
    subprocess.run(
        command, env={"FARKLE_DATA": str(tmp_path)}, check=True, stdout=subprocess.DEVNULL
    )
    assert list(tmp_path.iterdir()) == []


def test_a_log_that_was_open_to_others_is_closed_to_them(log: Path) -> None:
    log.touch()
    log.chmod(0o644)
    failed("a test", ValueError())
    assert stat.S_IMODE(log.stat().st_mode) == 0o600


def test_a_log_that_is_full_is_kept_once_beside_the_next(log: Path) -> None:
    for text in ("older", "old"):
        log.write_text(text.ljust(1_000_000))
        failed("a test", ValueError())
        failed("a test", ValueError())
    full = log.with_name("farkle.log.1")
    assert full.read_text().startswith("old ")
    assert log.read_text().count("failed in a test") == 2
    assert {stat.S_IMODE(path.stat().st_mode) for path in (log, full)} == {0o600}


@pytest.mark.mostly_slow
@pytest.mark.parametrize("end", [logging.shutdown, lambda: open_log(logging.NullHandler(), "info")])
def test_a_line_that_is_written_while_the_log_is_closed_is_in_it(
    log: Path, end: Callable[[], None]
) -> None:
    begun = Event()

    class Slow:
        def __str__(self) -> str:
            begun.set()
            time.sleep(0.3)
            return "slowly"

    logging.error("first")
    [ours] = [one for one in logging.getLogger().handlers if isinstance(one, LogFile)]
    record = logging.makeLogRecord({"msg": "%s", "args": (Slow(),), "levelname": "ERROR"})
    # of the logger itself, those of pytest would write it first, and ours be gone by then
    thread = Thread(target=ours.handle, args=(record,))
    thread.start()
    begun.wait()
    end()
    thread.join()
    assert [line.rpartition(": ")[2] for line in log.read_text().splitlines()] == [
        "first",
        "slowly",
    ]


def test_where_no_file_can_be_it_is_on_standard_error(
    log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log.mkdir()
    number = failed("a test", ValueError("x"))
    assert f"{number}: failed in a test" in capsys.readouterr().err


@given(st.text(), st.text())
def test_a_line_is_one_line(message: str, name: str) -> None:
    record = logging.LogRecord("a", logging.ERROR, "", 0, "%s and %s", (message, name), None)
    line = LogFormatter().format(record)
    assert line.isprintable()


def test_damaged_events_do_not_tell_their_values() -> None:
    with pytest.raises(ValidationError) as found:
        make_event("revealed", {"secret": [SECRET.hex()], "more": SECRET.hex()})
    assert SECRET.hex() not in str(found.value)
    with pytest.raises(ValidationError) as found:
        make_event("seeded", {"seat": "my own seed", "text": ["my own seed"]})
    assert "my own seed" not in str(found.value)


def test_tokens_of_interactions_are_left_out() -> None:
    data = json.dumps({"id": 1})
    text = f"POST /webhooks/1000/aW50ZXJh_x-y {data} {{'token': 'aW50ZXJh'}}"
    line = LogFormatter().format(logging.LogRecord("a", 20, "", 0, text, (), None))
    assert "aW50ZXJh" not in line
