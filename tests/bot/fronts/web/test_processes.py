"""Processes that answer questions beside the one that has the games."""

import asyncio
import os
import signal
import socket
import tempfile
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path

import psutil
import pytest
from aiohttp.test_utils import make_mocked_request
from yarl import URL

from bot.cli.web import answer_questions
from bot.fronts.web import processes as module
from bot.fronts.web.app import Front, served
from bot.fronts.web.processes import processes
from bot.fronts.web.settings import WebSettings
from bot.services.advisor import Advisor
from bot.settings import Settings
from bot.wiring import open_parts
from solver.errors import InvalidRequestError
from tests.bot.fronts.web.beside import never_answer, refuse
from tests.bot.fronts.web.visiting import Site, Visit
from tests.bot.new_database import lay_database
from tests.bot.programs import start
from tests.bot.speaking import Chat
from tests.bot.waiting import PATIENCE, until

QUESTIONS = (
    "/?dice=653332&me=4200&lang=de",
    "/explore?me=3000&them=5000&turn=500&dice=3",
    "/explore.csv?me=3000&them=5000",
    "/api/v1/advise?dice=6533",
    "/p/nonsense-nonsense",
    "/p/CZT1-7YZ9-SYP.png",
    "/at/border?rules=kcd?120,144",
)


@pytest.mark.slow
async def test_questions_are_answered_beside(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other processes answer as the first one does, and are begun again when they are killed."""
    monkeypatch.setattr(module, "_AGAIN_SECONDS", 0.0)
    lay_database(tmp_path / "farkle.db")
    for name in ("kernels", "strategies"):
        (tmp_path / name).symlink_to(data / name)
    settings = Settings(data=tmp_path, workers=1, needed_seconds=0)
    chosen = WebSettings(port=0, rate=1000, processes=2)
    others_here = {one.pid for one in psutil.Process().children()}
    async with AsyncExitStack() as stack:
        opened = open_parts(settings, Advisor(settings.strategies))
        parts = await stack.enter_async_context(opened)
        others = processes(chosen, partial(answer_questions, settings))
        beside = await stack.enter_async_context(others)
        assert beside
        here = parts.commands, parts.pressing, settings, chosen
        base = await stack.enter_async_context(served(Front(*here, processes=beside)))
        site = Site(base, Chat(parts), tmp_path)
        stranger = await stack.enter_async_context(site.visitor())
        known = await stack.enter_async_context(site.visitor("de"))
        await known.post("/daily", (await known.get("/daily")).form("/daily"))
        await until(lambda: beside.ready == 2)
        children = [one.pid for one in psutil.Process().children() if one.pid not in others_here]
        for child in children:
            os.kill(child, signal.SIGSTOP)
        waiting = asyncio.create_task(stranger.get(QUESTIONS[0]))
        assert (await known.get("/play")).status == 200
        assert not waiting.done()
        for child in children:
            os.kill(child, signal.SIGCONT)
        first = await waiting
        answers = await seen(stranger, known)
        assert await status(base, b"farkle=a.b.\xe9") == b"200"
        asked = make_mocked_request("GET", QUESTIONS[0])
        assert await beside.answer(asked, "1.2.3.4/32")
        # a map is drawn by the worker of the first one
        assert [psutil.Process(one).children() for one in children] == [[], []]
        for child in children:
            os.kill(child, signal.SIGKILL)
        await until(lambda: beside.ready == 0)
        assert await seen(stranger, known) == answers
        await until(lambda: beside.ready == 2)
        assert (await stranger.get(QUESTIONS[0])).text == first.text


async def test_a_process_that_is_stuck_is_ended(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(module, "_AGAIN_SECONDS", 0.0)
    monkeypatch.setattr(module, "_MOST_SECONDS", 0.01)
    async with processes(WebSettings(processes=1), never_answer) as beside:
        assert beside
        await until(lambda: beside.ready == 1)
        assert await beside.answer(make_mocked_request("GET", "/"), "1.2.3.4") is None
        await until(lambda: "was stuck" in caplog.text)
        await until(lambda: beside.ready == 1)


async def test_a_process_that_cannot_begin_is_tried_again(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(module, "_AGAIN_SECONDS", 0.0)
    async with processes(WebSettings(processes=1), refuse):
        await until(lambda: caplog.text.count("not now") > 1)


async def test_a_folder_of_sockets_with_a_long_name_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    deep = tmp_path / ("x" * 100)
    deep.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(deep))
    with pytest.raises(InvalidRequestError, match="too long.*TMPDIR"):
        async with processes(WebSettings(processes=1), refuse):
            pass


@pytest.mark.slow
async def test_the_program_is_hosted_at_a_socket_too_and_leaves_no_process(
    data: Path, tmp_path: Path
) -> None:
    """It tells systemd that it is ready, and what it began ends though it is killed."""
    lay_database(tmp_path / "farkle.db")
    (tmp_path / "strategies").symlink_to(data / "strategies")
    given = {
        "FARKLE_DATA": str(tmp_path),
        "FARKLE_WEB_SOCKET": str(tmp_path / "web"),
        "FARKLE_WEB_PROCESSES": "1",
        "NOTIFY_SOCKET": str(tmp_path / "told"),
    }
    with (
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as told,
        (tmp_path / "out").open("w") as out,
    ):
        told.bind(given["NOTIFY_SOCKET"])
        told.settimeout(PATIENCE)
        program = start(["web"], {**os.environ, **given}, stdin=0, stdout=out.fileno())
        assert await asyncio.to_thread(told.recv, 100) == b"READY=1"
        known = psutil.Process(program.pid)
        await until(known.children)
        [child] = known.children()
        program.kill()
        await until(lambda: not child.is_running())


async def seen(*visitors: Visit) -> list[tuple[int, str, str]]:
    """Return what visitors are answered."""
    pages = [await one.get(path) for path in QUESTIONS for one in visitors]
    return [(one.status, one.headers["Content-Type"], one.text) for one in pages]


async def status(base: str, cookie: bytes) -> bytes:
    """Return the status of a page for who sends any bytes as a cookie."""
    url = URL(base)
    reader, writer = await asyncio.open_connection(url.host, url.port)
    writer.write(b"GET /?dice=653332 HTTP/1.0\r\nCookie: " + cookie + b"\r\n\r\n")
    line = await reader.readline()
    writer.close()
    return line.split()[1]
