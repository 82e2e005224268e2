"""How the bot is, asked by HTTP and told to systemd, and its log as JSON."""

import asyncio
import json
import re
import signal
import socket
from contextlib import closing, suppress
from pathlib import Path

import aiohttp
import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from bot.settings import CHECKOUT
from tests.bot.fronts.discord.loopback import Loopback, user
from tests.bot.fronts.discord.play import shown
from tests.bot.fronts.discord.process import running
from tests.bot.fronts.discord.test_bot import destroy_database
from tests.bot.waiting import PATIENCE, until

ANN, BOB = user("11", "Ann-who-plays"), user("12", "Bob-who-plays")
PACKAGING = CHECKOUT / "packaging"


@pytest.fixture
def port() -> str:
    with closing(socket.create_server(("127.0.0.1", 0))) as free:
        return str(free.getsockname()[1])


async def asked(port: str, path: str) -> tuple[int, str]:
    async with (
        aiohttp.ClientSession() as session,
        session.get(f"http://127.0.0.1:{port}{path}") as answer,
    ):
        return answer.status, await answer.text()


async def becomes(port: str, status: int) -> str:
    """The text of /readyz, once it comes with this status."""
    async with asyncio.timeout(PATIENCE):
        while True:
            found, text = await asked(port, "/readyz")
            if found == status:
                return text


async def numbers(port: str) -> dict[str, float]:
    """Each number by its name and labels, as Prometheus reads them."""
    status, text = await asked(port, "/metrics")
    assert status == 200
    return {
        " ".join([one.name, *one.labels.values()]): one.value
        for family in text_string_to_metric_families(text)
        for one in family.samples
    }


@pytest.mark.slow
async def test_numbers_of_what_is_done_and_nothing_of_who_did_it(
    folder: Path, discord: Loopback, port: str
) -> None:
    async with running(folder, discord, FARKLE_HTTP=port) as bot:
        assert await asked(port, "/healthz") == (200, "alive\n")
        assert await becomes(port, 200) == "ready\n"
        assert (await asked(port, "/elsewhere"))[0] == 404
        before = await numbers(port)
        assert before["farkle_ready"] == 1
        assert before["farkle_open_games"] == 0
        message = await shown(await discord.slash(ANN, "play", player2=BOB, rules="kcd"))
        await shown(await discord.press(ANN, message, "Roll"))
        await shown(await discord.press(BOB, message, "Details"))
        # it is Ann's turn or, after a farkle, Bob has not rolled
        await shown(await discord.slash(BOB, "keep", dice="5"))
        await shown(await discord.slash(ANN, "advise", dice="7 7"))
        await until(lambda: list(folder.glob("backups/*.db")))
        now = before
        while "farkle_answer_seconds_count advise" not in now:  # it is noted a little later
            now = await numbers(port)
        assert now["farkle_open_games"] == 1
        assert now["farkle_answer_seconds_count play"] == 1
        assert now["farkle_answer_seconds_count press"] == 2
        assert now["farkle_answer_seconds_count keep"] == 1
        assert 0 < now["farkle_answer_seconds_sum play"] < 60
        assert now["farkle_refusals_total IllegalActionError"] == 1
        assert now["farkle_refusals_total InvalidRollError"] == 1
        assert now["farkle_failures_total"] == now["farkle_store_errors_total"] == 0
        assert now["farkle_loop_delay_seconds"] >= 0
        assert now["farkle_backup_timestamp_seconds"] > 0 == before["farkle_tasks solving waiting"]
        _, text = await asked(port, "/metrics")
        for private in ("Ann", "Bob", "11", "500", message.id, "kcd"):
            assert not re.search(rf'"[^"]*\b{private}\b[^"]*"', text)
        destroy_database(folder)
        assert await becomes(port, 503) == "database: it cannot be used, see the log\n"
        assert await asked(port, "/healthz") == (200, "alive\n")
        assert (await numbers(port))["farkle_store_errors_total"] > 0
        assert bot.process.returncode is None


@pytest.mark.slow  # discord.py waits before it tries again
async def test_a_bot_that_discord_has_left_is_not_ready_until_it_is_back(
    folder: Path, discord: Loopback, port: str
) -> None:
    async with running(folder, discord, FARKLE_HTTP=port) as bot:
        await becomes(port, 200)
        discord.away = True
        await discord.drop(resumable=False)
        assert await becomes(port, 503) == "front: nobody can reach it\n"
        discord.away = False
        await becomes(port, 200)
        assert bot.process.returncode is None


async def test_a_port_that_is_taken_is_told(folder: Path, discord: Loopback) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = str(taken.getsockname()[1])
        async with running(folder, discord, ready=False, FARKLE_HTTP=port) as bot:
            assert await bot.ended() == 2
            reason = "Address already in use"
            assert f"FARKLE_HTTP: nothing can listen at 127.0.0.1:{port} ({reason})" in bot.log
            assert "Traceback" not in bot.log


@pytest.mark.slow
async def test_systemd_is_told_that_it_is_ready_and_alive(
    folder: Path, discord: Loopback, tmp_path: Path
) -> None:
    path = tmp_path / "notify"
    with closing(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)) as systemd:
        systemd.bind(str(path))
        systemd.setblocking(False)
        heard: list[str] = []

        def hear(word: str, times: int = 1) -> bool:
            with suppress(BlockingIOError):
                heard.append(systemd.recv(100).decode())
            return heard.count(word) >= times

        async with running(folder, discord, NOTIFY_SOCKET=str(path), WATCHDOG_USEC="100000") as bot:
            await until(lambda: hear("READY=1"))
            await until(lambda: hear("WATCHDOG=1", 5))
            # one that hangs is silent, so that systemd starts another
            bot.process.send_signal(signal.SIGSTOP)
            while True:
                try:
                    systemd.recv(100)
                except BlockingIOError:
                    break
            bot.process.send_signal(signal.SIGCONT)
            assert await bot.end() == 0
            await until(lambda: hear("STOPPING=1"))
    assert heard.count("READY=1") == 1


@pytest.mark.slow
async def test_the_log_as_json(folder: Path, discord: Loopback) -> None:
    async with running(folder, discord, FARKLE_LOG_FORMAT="json", FARKLE_LOG="info") as bot:
        await until(lambda: '"message": "ready as ' in bot.log)
        await shown(await discord.slash(ANN, "play", player2=BOB, rules="kcd"))
        destroy_database(folder)
        await shown(await discord.slash(ANN, "roll"))
        assert await bot.end() == 0
        records = [json.loads(line) for line in bot.log.splitlines()]
    assert {"info"} <= {one["level"] for one in records} <= {"info", "warning", "error"}
    assert all(one["time"].endswith("+00:00") for one in records)
    assert discord.known_token not in bot.log


async def test_what_watches_asks_for_numbers_that_there_are(
    folder: Path, discord: Loopback, port: str
) -> None:
    async with running(folder, discord, FARKLE_HTTP=port):
        await shown(await discord.slash(ANN, "odds", dice=2))
        there = {name.split()[0] for name in await numbers(port)}
    alerts = (PACKAGING / "alerts.yml").read_text("utf-8")
    dashboard = (PACKAGING / "dashboard.json").read_text("utf-8")
    for text in alerts, dashboard:
        asked_for = set(re.findall(r"\b(?:farkle|process)_\w+", text))
        assert len(asked_for) >= 6
        assert asked_for <= there
    rules = yaml.safe_load(alerts)["groups"][0]["rules"]
    assert len(rules) >= 6
    assert all({"alert", "expr", "annotations"} <= set(rule) for rule in rules)
    panels = json.loads(dashboard)["panels"]
    assert all(one["targets"][0]["expr"] for one in panels)
